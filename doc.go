// Package tenfold compacts the conversations of LLM agents without losing any
// of them.
//
// # Log
//
// A conversation is an append-only [Log] of entries. An [Entry] has a place
// (its seq: 1, 2, 3 …), a time, an id that never changes, and one payload: a
// [UserMessage], an [AssistantMessage], [Reasoning], a [ToolCall], a
// [ToolResult], and bookkeeping no model sees. Entries form turns (a request
// and everything that follows from it) and steps (one response of the model
// with the results of its calls); both count from 0. Nothing in a log is ever
// edited or taken away.
//
//	l := tenfold.NewLog()
//	l.Append(
//		tenfold.Entry{Payload: tenfold.TurnStart{}},
//		tenfold.Entry{Payload: tenfold.UserMessage{Parts: tenfold.Text("list the files")}},
//		tenfold.Entry{Payload: tenfold.ToolCall{CallID: "c1", Name: "shell", Arguments: `{"command":"ls"}`}},
//		tenfold.Entry{Payload: tenfold.ToolResult{CallID: "c1", Parts: tenfold.Text("a.go\nb.go")}},
//	)
//
// # Overlay
//
// A [Compaction] is an entry too. It names a range of turns and says, slot by
// slot, how what stands in it is to be seen: reasoning stripped, tool calls
// stripped, trimmed or omitted, messages cut to chosen lines, attachments
// stripped, turns omitted, or a summary in place of it all. Where several
// overlays cover an entry, the latest with an opinion on the slot wins. A
// [CompactionRevoked] takes an overlay back, exactly; a [Pin] keeps entries from
// all of them.
//
// # Projection
//
// [Project] applies the overlays and gives what a model sees, with the [Fate]
// of each entry and the totals in tokens. It is a pure function of the log:
// the same log gives the same projection, byte for byte. What a provider would
// refuse is repaired: calls without results, results without calls, empty
// messages. [Projection.Advance] brings a projection up to date, in time
// proportional to what was appended; [Projection.With] shows what an overlay
// would do.
//
// Package body writes a projection as the body of a request to Anthropic,
// OpenAI or Gemini, and checks such bodies.
//
// # What to call first
//
// A program that only wants a smaller request calls [NewLog], [Log.Append],
// [Project] and the Write method of a profile of package body. One that wants
// conversations kept, compacted, undone and searched uses package session;
// transcripts of other tools come in through package transcript. Exact token
// counts are in package token: pass one to [WithCounter].
//
// The rules behind all this are numbered (L1 … D4); comments cite the number
// of the rule they implement, tests name the rule they check.
//
// # Promise
//
// The JSON form of entries ([AppendEntry], docs/json.md) is stable: members
// may be added, none is renamed or removed. Kinds that this version does not
// know are kept as they are. The Go API may change before 1.0.
package tenfold
