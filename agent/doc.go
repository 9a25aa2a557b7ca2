// Package agent has a model work on a conversation: it is asked, the calls that it
// makes run, and it is asked again, until there is no more to do.
//
//	s, err := session.NewService(st).OpenOrCreate(ctx, session.Create{ID: "chat"})
//	…
//	tools, err := toolbox.Builtin(".", toolbox.Options{})
//	…
//	a, err := agent.New(s, agent.Options{Model: model, Tools: tools, Live: session.Live{Auto: session.LiveAuto{Enabled: true}}})
//	…
//	for event, err := range a.Run(ctx, tenfold.TextPart("What does cake.go do?")) {
//		…
//	}
//
// Where the loop stands is told by the log alone ([StateOf]), so that a run which
// ended for whatever reason, a crash included, is gone on with by [Agent.Run] without
// a message. What a call may do is decided by Options.Judge and asked of
// Options.Approver: without either, calls that do more than read are denied.
// The conversation is compacted as Options.Live says; its zero value never does.
package agent
