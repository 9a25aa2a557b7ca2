package keeper

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
	"tenfold/internal/proxy/wire"
	"tenfold/session"
)

// A story tells which entries of a log the messages of a history are.
type story struct {
	// chains are the sums of the messages, each with all before it; seqs are the
	// entries of each, in the order of its pieces.
	chains []wire.Sum
	seqs   [][]int64
	// at is the last entry of them. What stands behind it in the log and tells
	// something is an answer that was heard, and that the client has yet to send back.
	at int64
	// base is what the first messages stand for, where they took the place of others
	// (X4); nil where they do not.
	base *base
	now  string // the text of the base, as the view is by now
}

// staleReasoning finds reasoning that was made before an entry which changed the view, and
// came into the log after it: somebody undid a compaction while the model answered,
// say, or in an epoch of a log that was removed since. It is bound to what the model was shown
// (B1). Whoever stored it dated it by that entry alone: times order nothing else.
func staleReasoning(l *tenfold.Log) map[int64]bool {
	out, changed, gone := map[int64]bool{}, time.Time{}, beforeLog(l)
	for e := range l.Entries() {
		switch {
		case session.BeginsEpoch(e):
			changed = e.Time
		case wire.Bound(e.Payload) && (e.Time.Before(changed) || e.Time.Equal(gone)):
			out[e.Seq] = true
		}
	}
	return out
}

// common is how many messages at the start of a request are those of the story.
func (s *story) common(r *wire.Request, upto int) int {
	n := 0
	for n < min(len(s.chains), upto) && s.chains[n] == r.Messages[n].Chain {
		n++
	}
	return n
}

// cut leaves the first messages of a story.
func (s *story) cut(n int) {
	s.chains, s.seqs, s.at = s.chains[:n], s.seqs[:n], 0
	if s.base != nil {
		s.at = s.base.seq
	}
	for _, list := range s.seqs {
		s.at = lastKnown(list, s.at)
	}
}

// read gives the pieces of a message with the seqs of its entries.
func (s *story) read(w wire.Protocol, r *wire.Request, i int) ([]wire.Piece, error) {
	pieces, err := w.Read(r, i)
	if err != nil {
		return nil, fmt.Errorf("message %d: %w", i, err)
	}
	if s.isBase(i) {
		return s.base.pieces(i, pieces), nil
	}
	if len(pieces) != len(s.seqs[i]) {
		return nil, fmt.Errorf("message %d has %d entries, and had %d", i, len(pieces), len(s.seqs[i]))
	}
	for j := range pieces {
		if pieces[j].Entry.Seq = s.seqs[i][j]; s.seqs[i][j] == 0 {
			pieces[j].Entry.Seq = notLogged(i, j)
		}
	}
	return pieces, nil
}

// isBase tells of a message that stands for others.
func (s *story) isBase(i int) bool { return s.base != nil && i < s.base.messages }

// follow finds a message's pieces in the log behind an entry: the entries that the
// first of them are, 0 for one that the log does not have; the others are yet to be
// appended. It is false where the log goes on in another way. Payloads are compared,
// not bytes: a client may write JSON anew when it sends an answer back, and leave
// reasoning and blank texts out. What its host puts between (budgets, reminders) it
// may change and drop: that makes no other history.
func (s *story) follow(p *tenfold.Projection, after int64, pieces []wire.Piece) (known []int64, ok bool) {
	for _, one := range pieces {
		seq, blocked := findEntry(p, after, one.Entry)
		switch {
		case seq > 0:
			after = seq
			known = append(known, seq)
		case !blocked:
			return known, true
		case isHostText(one.Entry.Payload), isChatThought(one.Entry.Payload):
			known = append(known, 0)
		default:
			return nil, false
		}
	}
	return known, true
}

// findEntry finds an entry in a log, behind another one and nothing but what a client may
// leave out; else blocked says that something stands there.
func findEntry(p *tenfold.Projection, after int64, want tenfold.Entry) (seq int64, blocked bool) {
	for e := range p.Log().After(after) {
		switch {
		case !isPartOfHistory(p, e):
		case e.ID == want.ID || alike(e.Payload, want.Payload):
			return e.Seq, false
		case !mayBeLeftOut(e.Payload):
			return 0, true
		}
	}
	return 0, false
}

// lastKnown is the last entry of the log among some, at least as far as another.
func lastKnown(known []int64, at int64) int64 {
	for _, seq := range known {
		at = max(at, seq)
	}
	return at
}

// isHostText tells of what a client's host says in the person's place.
func isHostText(p tenfold.Payload) bool {
	m, ok := p.(tenfold.UserMessage)
	return ok && !m.IsRequest()
}

// isChatThought tells of what a model thought in chat completions. It comes in pieces that each
// client puts together in its own way, or writes into members that are read nowhere else; what of
// it is bound goes where the view changed, whoever knows it (B3).
func isChatThought(p tenfold.Payload) bool {
	r, ok := p.(tenfold.Reasoning)
	return ok && r.Provider == wire.OpenAIChat{}.Name()
}

// isPartOfHistory reports whether an entry is part of what a history says, and was not taken back.
func isPartOfHistory(p *tenfold.Projection, e tenfold.Entry) bool {
	k := e.Payload.Kind()
	return e.Branch == "" && (k.Visible() || k == tenfold.KindTurnStart) && !p.Rewound(e.Seq)
}

// isAtEnd tells whether a log says nothing behind an entry that a client would send.
func isAtEnd(p *tenfold.Projection, after int64) bool {
	for e := range p.Log().After(after) {
		if isPartOfHistory(p, e) && !mayBeLeftOut(e.Payload) {
			return false
		}
	}
	return true
}

// mayBeLeftOut tells of what a client may leave out when it sends an answer back.
func mayBeLeftOut(p tenfold.Payload) bool {
	switch p := p.(type) {
	case tenfold.Reasoning:
		return true
	case tenfold.AssistantMessage:
		return p.Signature != "" || strings.TrimSpace(p.Text) == ""
	}
	return isHostText(p)
}

// alike tells whether two payloads say the same.
func alike(a, b tenfold.Payload) bool {
	if s := wire.SignatureOf(a); s != "" && s == wire.SignatureOf(b) {
		return true // thinking, whatever a request makes of its text
	}
	if a.Kind() != b.Kind() {
		return false
	}
	switch p := a.(type) {
	case tenfold.AssistantMessage:
		q, ok := b.(tenfold.AssistantMessage)
		return ok && strings.TrimSpace(p.Text) == strings.TrimSpace(q.Text)
	case tenfold.ToolCall:
		q, ok := b.(tenfold.ToolCall)
		return ok && p.CallID == q.CallID && p.Name == q.Name && sameJSON(p.Arguments, q.Arguments)
	case tenfold.Reasoning:
		if q, ok := b.(tenfold.Reasoning); ok && (p.ItemID == "" || q.ItemID == "") { // clients may leave it out
			if p.ItemID, q.ItemID = "", ""; p.Encrypted == "" && p.Signature == "" { // it alone was opaque
				p.Provider = q.Provider
			}
			return p == q
		}
	case tenfold.ProviderItem:
		q, ok := b.(tenfold.ProviderItem)
		return ok && p.Provider == q.Provider && p.Role == q.Role && sameJSON(p.Data, q.Data)
	}
	x, errX := tenfold.MarshalPayload(a)
	y, errY := tenfold.MarshalPayload(b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}

func sameJSON(a, b string) bool {
	if a == b {
		return true
	}
	x, y := jsontext.Value(a), jsontext.Value(b)
	x, y = x.Clone(), y.Clone()
	return x.Canonicalize() == nil && y.Canonicalize() == nil && bytes.Equal(x, y)
}

// describe says what a panic was.
func describe(p any) string { return fmt.Sprint(p) }
