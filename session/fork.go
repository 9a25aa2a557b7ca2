package session

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"tenfold"
	"tenfold/store"
)

// Fork describes a new conversation made of an old one's entries.
type Fork struct {
	ID, Title string
	// Last keeps only so many turns at the end; 0 keeps all.
	Last int
	// Until is the last turn to keep; nil keeps all.
	Until *int
	// Through is the seq of the last entry to keep, in place of Last and Until; 0
	// keeps all. What later entries say of those that are kept, compactions, undos
	// and pins, is kept as well: the copy shows them as the original does.
	Through int64
	// Epoch, with Through, is the id of the last compaction, undo or pin behind it
	// that the copy keeps, so that it shows what was shown in that [Epoch]; none are
	// kept where it is empty or stands before. Nil keeps all.
	Epoch *string
	// Key says where the copy comes from, as that of [store.Origin]; empty for a copy
	// that somebody made.
	Key string
	// Entries are appended to the copy in the same step. Overlays among them
	// are meant for the copy.
	Entries []tenfold.Entry
}

// Fork copies a conversation's log, overlays included, into a new one: the
// old one stays as it is (L2). With Last, the turns before are left out and
// the overlays' bounds move with those that stay; a summary of which a part is
// left out goes too, for it would tell of what is not there. The configuration
// in effect is kept (P7).
func (s *Service) Fork(ctx context.Context, from *Session, f Fork) (*Session, error) {
	turns := from.log.Turns()
	first, last := 0, turns-1
	if f.Through < 0 || f.Through > from.log.Version() {
		return nil, from.noEntry("fork through ", f.Through)
	}
	if f.Last < 0 {
		return nil, fmt.Errorf("fork the last %d turns: write how many turns to keep, or 0 for all", f.Last)
	}
	if f.Until != nil {
		if *f.Until < 0 || *f.Until >= turns {
			return nil, fmt.Errorf("fork until turn %d: the conversation has turns 0..%d", *f.Until, turns-1)
		}
		last = *f.Until
	}
	if f.Last > 0 {
		first = max(last-f.Last+1, 0)
	}
	f.Title = cmp.Or(f.Title, from.title)
	c, err := s.store.Conversation(ctx, from.id)
	if err != nil {
		return nil, err
	}
	var entries []tenfold.Entry
	if f.Through > 0 {
		entries = from.entriesForFork(f.Through, f.Epoch)
	} else {
		f.ID = cmp.Or(f.ID, s.newID())
		entries = from.sliceTurns(first, last, Handle(f.ID))
	}
	var began time.Time
	if i := slices.IndexFunc(entries, func(e tenfold.Entry) bool { return e.Payload.Kind().Visible() }); i >= 0 {
		began = entries[i].Time
	}
	return s.Create(ctx, Create{
		ID: f.ID, Title: f.Title, Created: began, Entries: append(entries, f.Entries...),
		Origin: store.Origin{Key: f.Key, Tool: ToolOf(c), Directory: c.Origin.Directory},
	})
}

// entriesForFork gives the entries up to a seq, and what the later ones say of them, but that
// a client went back to before them.
// An overlay that reaches further ends at the last entry (P13): what will come after it
// in the copy is something else, also the result of a call that waits: the overlay ends
// before the step of that, and has an id of its own, as it shows something else. It leaves
// the requests of the last turn alone where it did before, or where it ends so (P9). A
// summary that tells of more is left out.
func (s *Session) entriesForFork(through int64, epoch *string) []tenfold.Entry {
	var out []tenfold.Entry
	gone, tells, others := map[string]bool{}, map[string]bool{}, map[string]string{}
	for o := range s.projection.Overlays() {
		tells[o.ID] = s.summaryReachesPast(o, through)
	}
	until := s.log.Version()
	if epoch != nil {
		e, _ := s.log.Lookup(*epoch)
		until = max(e.Seq, through)
	}
	turn, step, _ := s.log.Where(through)
	waits := s.callIsPending(turn, through)
	if waits {
		step--
	}
	for e := range s.log.Entries() {
		if e.Seq > until {
			break
		}
		if e.Seq > through {
			switch p := e.Payload.(type) {
			case tenfold.Compaction:
				var shorter bool
				if p, shorter = endOverlayAt(p, turn, step, waits); shorter && waits {
					others[e.ID] = "cmp_" + s.service.newID()
				}
				if gone[e.ID] = p.FromTurn > p.ToTurn || p.Rewinds() || tells[e.ID]; gone[e.ID] {
					continue
				}
				e.ID, e.Payload = cmp.Or(others[e.ID], e.ID), p
			case tenfold.CompactionRevoked:
				if gone[e.ID] = gone[p.Target]; gone[e.ID] {
					continue
				}
				p.Target = cmp.Or(others[p.Target], p.Target)
				e.Payload = p
			case tenfold.Pin, tenfold.Unpin:
			default:
				continue
			}
		}
		out = append(out, e)
	}
	return out
}

// endOverlayAt ends an overlay with a step of a turn, behind which a call may wait; it tells whether
// it covered more of that turn.
func endOverlayAt(c tenfold.Compaction, turn, step int, waits bool) (_ tenfold.Compaction, shorter bool) {
	if c.ToTurn > turn {
		c.ToTurn, c.ToStep = turn, nil
	}
	if c.ToTurn < turn || c.ToStep == nil && !waits || c.ToStep != nil && *c.ToStep <= step {
		return c, false
	}
	if c.ToStep = &step; step < 0 {
		c.ToTurn, c.ToStep = turn-1, nil
	}
	return c, true
}

// callIsPending tells whether a call of a turn waits for its result at an entry. One that was taken
// back by then does not; only where there may be such is the log replayed until then.
func (s *Session) callIsPending(turn int, through int64) bool {
	if !opensCall(s.log, turn, through, func(int64) bool { return false }) {
		return false
	}
	rewound := false
	for o := range s.projection.Overlays() {
		rewound = rewound || o.Compaction.Rewinds() && o.Seq <= through && o.Compaction.FromTurn <= turn && turn <= o.Compaction.ToTurn
	}
	if !rewound {
		return true
	}
	then := s.log.At(through)
	return opensCall(then, turn, through, tenfold.Project(then).Rewound)
}

// opensCall tells whether a turn holds a call without its result up to an entry, but those
// that were taken back.
func opensCall(l *tenfold.Log, turn int, through int64, rewound func(int64) bool) bool {
	begun, _ := l.Turn(turn)
	open := map[string]bool{}
	for e := range l.After(begun.First - 1) {
		if e.Seq > through {
			break
		}
		if e.Branch != "" || rewound(e.Seq) {
			continue
		}
		switch p := e.Payload.(type) {
		case tenfold.ToolCall:
			open[p.CallID] = true
		case tenfold.ToolResult:
			delete(open, p.CallID)
		}
	}
	return len(open) > 0
}

// sliceTurns gives the entries of some turns as a log of their own, in which references
// begin with a handle.
func (s *Session) sliceTurns(first, last int, handle string) []tenfold.Entry {
	if first == 0 && last >= s.log.Turns()-1 {
		return slices.Collect(s.log.Entries())
	}
	cut := cut{first: first, handle: handle, moved: map[int64]int64{}, gone: map[string]bool{}}
	for e := range s.log.Entries() {
		turn, _, _ := s.log.Where(e.Seq)
		inside := turn >= first && turn <= last
		before := turn < first && e.Payload.Kind() == tenfold.KindConfigDelta
		if inside || before {
			cut.add(e)
		}
	}
	return cut.entries
}

// cut collects the entries of some turns.
type cut struct {
	first   int
	handle  string
	entries []tenfold.Entry
	moved   map[int64]int64 // seqs, old to new
	gone    map[string]bool // compactions and revocations left out
}

func (c *cut) add(e tenfold.Entry) {
	switch p := e.Payload.(type) {
	case tenfold.Compaction:
		if p.ToTurn < c.first || (p.Summary != nil && p.FromTurn < c.first) {
			c.gone[e.ID] = true
			return
		}
		p.FromTurn, p.ToTurn = max(p.FromTurn-c.first, 0), p.ToTurn-c.first
		if p.Handle != "" {
			p.Handle = c.handle // the entries that marks refer to have other seqs than in the original
		}
		e.Payload = c.renumberPolicy(p)
	case tenfold.Usage:
		if c.first > 0 {
			return // it counts prompts that held what was left out: what a request holds beside this log would seem large
		}
	case tenfold.CompactionRevoked:
		if c.gone[p.Target] {
			c.gone[e.ID] = true
			return
		}
	}
	c.moved[e.Seq] = int64(len(c.entries)) + 1
	c.entries = append(c.entries, e)
}

// renumberPolicy follows the entries that an overlay names by their seqs to their new
// ones. What was left out is not named any more.
func (c *cut) renumberPolicy(p tenfold.Compaction) tenfold.Compaction {
	if p.Keeps != nil {
		keeps := *p.Keeps
		keeps.Entries = c.renumberSeqs(keeps.Entries)
		p.Keeps = &keeps
	}
	if p.ToolCalls != nil {
		policy := *p.ToolCalls
		policy.Groups = slices.Clone(policy.Groups)
		for i := range policy.Groups {
			g := &policy.Groups[i]
			g.Folded, g.Entries = c.renumberFolded(g.Folded), c.renumberSeqs(g.Entries)
		}
		policy.Calls = maps.Clone(policy.Calls)
		clear(policy.Calls)
		for key, one := range p.ToolCalls.Calls {
			one.Folded = c.renumberFolded(one.Folded)
			policy.Calls[c.key(key)] = one
		}
		p.ToolCalls = &policy
	}
	if p.Texts != nil {
		policy := *p.Texts
		policy.Entries = map[int64]tenfold.TextTrim{}
		for seq, trim := range p.Texts.Entries {
			if to := c.moved[seq]; to > 0 {
				trim.Folded = c.renumberFolded(trim.Folded)
				policy.Entries[to] = trim
			}
		}
		p.Texts = &policy
	}
	return p
}

func (c *cut) renumberSeqs(seqs []int64) (moved []int64) {
	for _, seq := range seqs {
		if to := c.moved[seq]; to > 0 {
			moved = append(moved, to)
		}
	}
	return moved
}

// key follows a call named "id@seq".
func (c *cut) key(key string) string {
	at := strings.LastIndexByte(key, '@')
	if seq, err := strconv.ParseInt(key[at+1:], 10, 64); at >= 0 && err == nil && c.moved[seq] > 0 {
		return key[:at+1] + strconv.FormatInt(c.moved[seq], 10)
	}
	return key
}

// renumberFolded follows runs of folded calls; one of which a part was left out has no
// reference any more.
func (c *cut) renumberFolded(f *tenfold.Folded) *tenfold.Folded {
	if f == nil {
		return nil
	}
	moved := *f
	moved.From, moved.To = c.moved[f.From], c.moved[f.To]
	if moved.From == 0 || moved.To == 0 {
		moved.From, moved.To = 0, 0
	}
	moved.Next = c.renumberFolded(f.Next)
	return &moved
}
