package strategy

import (
	"iter"
	"slices"
	"strconv"

	"tenfold"
	"tenfold/internal/set"
)

// toolCall is a tool call of the log with its result.
type toolCall struct {
	call   tenfold.ToolCall
	seq    int64
	result int64 // seq of its result; 0 while it is open
}

// key names this very call in a selective policy: ids are used again.
func (c toolCall) key() string { return c.call.CallID + "@" + strconv.FormatInt(c.seq, 10) }

// payloadOf is the payload of an entry whose kind the caller knows.
func payloadOf[T tenfold.Payload](l *tenfold.Log, seq int64) T {
	e, _ := l.Entry(seq)
	p, _ := e.Payload.(T)
	return p
}

// toolCalls gives the calls of a stretch that the projection's reader has.
func toolCalls(p *tenfold.Projection, first, last int64) []toolCall {
	var calls []toolCall
	for c := range p.Calls(first, last) {
		calls = append(calls, toolCall{call: payloadOf[tenfold.ToolCall](p.Log(), c.Seq), seq: c.Seq, result: c.Result})
	}
	return calls
}

// rangeOf is the range of an overlay.
func rangeOf(c tenfold.Compaction) tenfold.Range {
	return tenfold.Range{FromTurn: c.FromTurn, ToTurn: c.ToTurn, ToStep: c.ToStep}
}

// entriesIn gives the entries of a range of the log in order; results where
// their calls are, though those that arrived after it come last.
func entriesIn(l *tenfold.Log, r tenfold.Range) iter.Seq[tenfold.Entry] {
	return func(yield func(tenfold.Entry) bool) {
		first, last := l.Extent(r)
		var late []int64
		for seq := first; seq <= last; seq++ {
			e, _ := l.Entry(seq)
			switch pair := l.Pair(seq); {
			case pair > last:
				late = append(late, pair)
			case pair > 0 && pair < first:
				continue
			}
			if !yield(e) {
				return
			}
		}
		for _, seq := range late {
			if e, _ := l.Entry(seq); !yield(e) {
				return
			}
		}
	}
}

// hidden reports whether the model sees nothing of an entry.
func hidden(p *tenfold.Projection, seq int64) bool {
	f, _, _ := p.Fate(seq)
	return f == tenfold.Omitted || f == tenfold.Summarised
}

// pick is a call that a strategy would do something to. Of calls treated alike
// the policy is the same pointer.
type pick struct {
	seq, result int64
	policy      *tenfold.CallPolicy
}

// selectively proposes an overlay that does to each of the calls, which stand in
// the order of the log, what is picked for it, in policy's form. Calls that it
// would not make cheaper are left out – pinned ones, those whose stub is no
// shorter – so that a plan names what it changes and no more. Nil when nothing
// is left.
func selectively(s Strategy, p *tenfold.Projection, o Options, picks []pick, policy tenfold.ToolPolicy) []tenfold.Compaction {
	for again := range 2 {
		if len(picks) == 0 {
			return nil
		}
		r := p.Log().Between(picks[0].seq, picks[len(picks)-1].seq)
		c := o.overlay(s, r, tenfold.Compaction{ToolCalls: naming(picks, policy)})
		laid, _ := o.withOverlays(p, c).Undoable()
		if again > 0 || len(laid.Unchanged) == 0 {
			return []tenfold.Compaction{c}
		}
		vain := set.Of(laid.Unchanged...)
		picks = slices.DeleteFunc(slices.Clone(picks), func(one pick) bool { return vain[one.seq] })
	}
	return nil
}

// naming is a selective policy for the calls that are picked.
func naming(picks []pick, policy tenfold.ToolPolicy) *tenfold.ToolPolicy {
	policy.Action = tenfold.Selective
	at := map[*tenfold.CallPolicy]int{}
	for _, one := range picks {
		i, ok := at[one.policy]
		if !ok {
			i = len(policy.Groups)
			at[one.policy] = i
			policy.Groups = append(policy.Groups, tenfold.CallGroup{CallPolicy: *one.policy})
		}
		policy.Groups[i].Entries = append(policy.Groups[i].Entries, one.seq)
	}
	return &policy
}
