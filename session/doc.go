// Package session is the service: the only writer of logs. A [Service] makes,
// lists, forks, searches and removes conversations in a store; a [Session] is
// one conversation opened, its log and projection in memory, kept up with the
// store by compare-and-swap (semantics L8).
//
//	svc := session.NewService(st)
//	s, err := svc.Create(ctx, session.Create{Title: "port the parser"})
//	err = s.Append(ctx, entries...)
//	plan, err := s.Plan(ctx, session.Request{})    // what the default profile would do
//	result, err := s.Apply(ctx, plan)              // do it
//	err = s.Undo(ctx)                              // as if nothing had been
//
// A Service is safe for concurrent use. A Session is for one goroutine at a
// time; open the conversation twice to use it from two. When another writer
// came first, writing gives a [*store.ConflictError] and writes nothing:
// Refresh, look again, and try again.
//
// [Service.Locate] tells which conversation a transcript is that was read
// elsewhere, and what of it is new.
package session
