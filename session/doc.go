// Package session is the service: the only writer of logs. A [Service] makes,
// lists, forks, searches and removes conversations in a store; a [Session] is
// one conversation opened, its log and projection in memory, kept up with the
// store by compare-and-swap (semantics L8).
//
// [Service.Create] and [Service.Open] give a session, and [Session.Append] adds
// to it. [Session.Plan] says what a compaction would do, [Session.Apply] does
// it, [Session.Compact] does both against other writers, and [Session.Undo]
// restores what the model saw before. The package's example goes through them.
//
// A Service is safe for concurrent use. A Session is for one goroutine at a
// time; open the conversation twice to use it from two. When another writer
// came first, writing gives a [*store.ConflictError] and writes nothing:
// Refresh, look again, and try again.
//
// [Service.Locate] tells which conversation a transcript is that was read
// elsewhere, and what of it is new.
package session
