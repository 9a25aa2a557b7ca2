package replay

import (
	"strings"
	"time"

	"tenfold"
)

// replayEvents are the entries of a log in order, with where requests are sent
// between them.
type replayEvents struct {
	entries  []tenfold.Entry
	requests []replayRequest
	// own tells that the log has compactions of its tool's.
	own bool
}

// replayRequest is a request that sends what the entries before index make.
type replayRequest struct {
	before int
	at     time.Time // zero when nobody noted it
}

// timed counts the requests that are known to follow the one before in time.
func (s replayEvents) timed() int {
	n := 0
	for i, r := range s.requests {
		if i > 0 && !r.at.IsZero() && !s.requests[i-1].at.IsZero() {
			n++
		}
	}
	return n
}

// leftOut takes the place of an entry that a replay leaves out, so that all
// others keep their seqs.
const leftOut tenfold.Kind = "replay.left_out"

// replayScript reads a log for replay, with the compactions of the tool it is from or
// without. What was taken back by a person stays taken back either way.
func replayScript(l *tenfold.Log, own bool) replayEvents {
	s := replayEvents{entries: make([]tenfold.Entry, 0, l.Version())}
	compacted := map[string]bool{}
	for e := range l.Entries() {
		if compacts(e) {
			compacted[e.ID] = true
		}
	}
	s.own = len(compacted) > 0
	turn, step := -1, -1
	var last time.Time // of the newest entry that a model sees
	for e := range l.Entries() {
		came := ofCompaction(e.ID, compacted)
		if !own && came {
			e.Payload = tenfold.Unknown{Name: leftOut}
		}
		if !e.Payload.Kind().Visible() {
			e.Tokens = 0
		}
		if e.Branch == "" && !came { // what stood in for history is not a response
			switch e.Payload.(type) {
			case tenfold.AssistantMessage, tenfold.Reasoning, tenfold.ToolCall:
				if t, st, _ := l.Where(e.Seq); t != turn || st != step {
					turn, step = t, st
					at := last
					if at.IsZero() {
						at = e.Time
					}
					s.requests = append(s.requests, replayRequest{len(s.entries), at})
				}
			}
			if e.Payload.Kind().Visible() && !e.Time.IsZero() {
				last = e.Time
			}
		}
		s.entries = append(s.entries, e)
	}
	return s
}

// compacts tells a compaction of the conversation from what hides turns that a person
// took back, which importers also write as overlays, and from what gives a sub-agent a
// context of its own: requests are those of the root.
func compacts(e tenfold.Entry) bool {
	c, ok := e.Payload.(tenfold.Compaction)
	if !ok || e.Branch != "" {
		return false
	}
	if c.Summary != nil || c.Reasoning != nil || c.ToolCalls != nil || c.Attachments != nil || c.ToolDefinitions != nil {
		return true
	}
	if c.Source != tenfold.SourceImport {
		return true
	}
	switch c.Reason {
	case "", "condensation", "truncate": // codex, openhands, cline
		return c.Turns == tenfold.Omit
	}
	return false
}

// ofCompaction reports whether an entry is a compaction or came with one: its pins,
// and the history that stood in for what it hid, under names that the importer
// makes of its own.
func ofCompaction(id string, compacted map[string]bool) bool {
	if compacted[id] {
		return true
	}
	for _, mark := range []string{"/pin", "/unpin", "/item-"} {
		base, rest, ok := strings.Cut(id, mark)
		if ok && compacted[base] && (rest == "" || mark == "/item-") {
			return true
		}
	}
	return false
}
