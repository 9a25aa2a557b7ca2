// Package hook answers the events of running agents: what stands behind
// "tenfold hook CLIENT EVENT" and the adapters that "tenfold install" writes
// (live.md §3).
//
// A [Client] is one agent. Its package turns the agent's JSON into an [Ask] and
// the [View] that comes back into the agent's JSON. The [Host] does what is the
// same for all of them: it reads the transcript, brings it into the store, plans,
// applies and projects. [Host.Run] stands around a client and holds V7: whatever
// goes wrong, the agent is told to do nothing special and goes on as without
// Tenfold, and the failure is recorded for "tenfold doctor".
//
// Nothing here calls a model, and nothing that comes with a workspace or in a
// transcript chooses a store, a directory, a command or a model.
package hook
