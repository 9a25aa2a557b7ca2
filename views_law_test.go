package tenfold_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"tenfold"
)

// shrouded draws a log in which summaries and omissions lie over and beside each other, come
// and go, end inside turns and leave calls and messages alone; with pins.
func shrouded(t *rapid.T) []tenfold.Entry {
	number := func(what string, lo, hi int) int { return rapid.IntRange(lo, hi).Draw(t, what) }
	var entries []tenfold.Entry
	var overlays []string
	for turn := range number("turns", 1, 4) {
		entries = append(entries, start(), user(fmt.Sprint("ask ", turn)))
		for step := range number("steps", 0, 3) {
			id := fmt.Sprint("c", turn, ".", step)
			entries = append(entries, call(id, "t", `{}`))
			if number("aside", 0, 3) == 0 {
				entries = append(entries, on("scout", say("aside")), on("scout", user("looked at")))
			}
			entries = append(entries, result(id, "r"))
			if number("interjected", 0, 3) == 0 {
				entries = append(entries, user(fmt.Sprint("also ", turn, ".", step)))
			}
			entries = append(entries, say(fmt.Sprint("told ", turn, ".", step)))
		}
		for range number("events", 0, 4) {
			one := fmt.Sprint("e", number("one", 1, len(entries)))
			switch event := number("event", 0, 9); {
			case event == 0:
				entries = append(entries, pin(one))
			case event == 1:
				entries = append(entries, unpin(one))
			case event == 2 && len(overlays) > 0:
				overlays = append(overlays, fmt.Sprint("x", len(entries)))
				entries = append(entries, revoke(overlays[len(overlays)-1], rapid.SampledFrom(overlays).Draw(t, "target")))
			default:
				c := tenfold.Compaction{FromTurn: number("from", 0, turn)}
				c.ToTurn = number("to", c.FromTurn, turn)
				if step := number("to step", -1, 2); step >= 0 {
					c.ToStep = &step
				}
				if kind := number("kind", 0, 3); kind != 0 {
					c.Summary = &tenfold.Summary{
						Text:      rapid.SampledFrom([]string{"S", "S", "S", " "}).Draw(t, "text"),
						Placement: rapid.SampledFrom([]tenfold.Placement{tenfold.PlacePair, tenfold.PlacePair, tenfold.PlaceMessage, tenfold.PlaceUser, tenfold.PlaceSystem}).Draw(t, "placement"),
					}
					if kind == 1 {
						c.Turns = rapid.SampledFrom([]tenfold.Action{tenfold.Omit, tenfold.Keep}).Draw(t, "turns")
					}
				} else {
					c.Turns = tenfold.Omit
				}
				if number("keeps", 0, 2) == 0 {
					c.Keeps = &tenfold.Keeps{Entries: []int64{int64(number("kept", 1, len(entries))), int64(number("kept too", 1, len(entries)))}}
				}
				overlays = append(overlays, fmt.Sprint("s", len(entries)))
				entries = append(entries, overlay(overlays[len(overlays)-1], c))
			}
		}
	}
	return entries
}

// A plainReader works out what a view shows as the rules say it, entry by entry, from nothing
// but the log and its overlays.
type plainReader struct {
	p        *tenfold.Projection
	overlays []tenfold.Overlay
}

// winner is the latest live overlay with an opinion on a slot of the entry (P2); -1 for none.
func (r *plainReader) winner(seq int64, has func(c tenfold.Compaction) bool) int {
	for i, o := range slices.Backward(r.overlays) {
		if o.Live && has(o.Compaction) && o.First <= seq && seq <= o.Last {
			return i
		}
	}
	return -1
}

func (r *plainReader) summary(seq int64) int {
	return r.winner(seq, func(c tenfold.Compaction) bool { return c.Summary != nil })
}

func (r *plainReader) turns(seq int64) int {
	return r.winner(seq, func(c tenfold.Compaction) bool { return c.Turns != "" })
}

// fate tells whether the entry is hidden, and by which overlay.
func (r *plainReader) fate(seq int64) (tenfold.Fate, string) {
	l := r.p.Log()
	at := seq
	if e, _ := l.Entry(seq); e.Payload.Kind() == tenfold.KindToolResult {
		at = l.Pair(seq)
	}
	if r.p.Pinned(at) {
		return tenfold.Kept, "" // P8
	}
	leaves := func(by int) bool {
		c := r.overlays[by].Compaction
		e, _ := l.Entry(at)
		turn, _, _ := l.Where(at)
		return c.ToStep != nil && e.Payload.Kind() == tenfold.KindUserMessage && turn == c.ToTurn || // P9
			c.Keeps != nil && slices.Contains(c.Keeps.Entries, at)
	}
	s, o := r.summary(at), r.turns(at)
	omits := o >= 0 && r.overlays[o].Compaction.Turns == tenfold.Omit && !leaves(o)
	switch {
	case s >= 0 && !leaves(s) && (s >= o || !omits):
		return tenfold.Summarised, r.overlays[s].ID
	case omits:
		return tenfold.Omitted, r.overlays[o].ID
	}
	return tenfold.Kept, ""
}

// shows reports whether the model sees an entry that is no result.
func (r *plainReader) shows(seq int64) bool {
	e, _ := r.p.Log().Entry(seq)
	f, _ := r.fate(seq)
	return e.Payload.Kind().Visible() && e.Payload.Kind() != tenfold.KindToolResult && r.p.Reads(seq) && f == tenfold.Kept
}

// view is what the model sees, results and placeholders aside: each run of a summary is what
// of it is shown, in order, and then the summary (P3, P4).
func (r *plainReader) view() []string {
	var out []string
	add := func(seq int64) {
		e, _ := r.p.Log().Entry(seq)
		out = append(out, e.ID+" "+show(e.Payload))
	}
	for seq := int64(1); seq <= r.p.Version(); {
		by, end := r.summary(seq), seq+1
		if by < 0 {
			if r.shows(seq) {
				add(seq)
			}
			seq++
			continue
		}
		for end <= r.p.Version() && r.summary(end) == by {
			end++
		}
		var shown []int64
		for at := seq; at < end; at++ {
			if r.shows(at) {
				shown = append(shown, at)
			}
		}
		s := r.overlays[by].Compaction.Summary
		say := map[tenfold.Placement][]string{
			tenfold.PlacePair: {heading, "assistant: S"}, tenfold.PlaceMessage: {"user: S"},
			tenfold.PlaceUser: {"user: S", "assistant: Understood, I will continue from this summary."},
		}[s.Placement]
		if tenfold.Blank(s.Text) {
			say = nil
		}
		if len(say) > 0 && len(shown) > 0 {
			first, _ := r.p.Log().Entry(shown[0])
			last, _ := r.p.Log().Entry(shown[len(shown)-1])
			if len(out) == 0 && first.Payload.Kind() != tenfold.KindUserMessage {
				out, say = append(out, say[0]), say[1:]
			} else if last.Payload.Kind() == tenfold.KindUserMessage && s.Placement == tenfold.PlacePair {
				say = say[1:]
			}
		}
		for _, at := range shown {
			add(at)
		}
		out = append(out, say...)
		seq = end
	}
	return out
}

// P2, P3, P8, P9, V5: whatever lies over each other, an entry is hidden by whom the rules say, and
// shows once, at the place that they say; so does each run's summary.
func TestP3ViewsAreWhatTheRulesSay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		entries := shrouded(t)
		for _, reader := range []string{"", "scout"} {
			l := newLogOf(t, entries)
			r := plainReader{p: tenfold.ProjectBranch(l, reader)}
			r.overlays = slices.Collect(r.p.Overlays())
			for seq := int64(1); seq <= r.p.Version(); seq++ {
				if e, _ := l.Entry(seq); e.Payload.Kind().Visible() && r.p.Reads(seq) {
					f, by := r.fate(seq)
					got, overlay, _ := r.p.Fate(seq)
					mustEqual(t, fmt.Sprint("fate of ", seq), fmt.Sprint(f, " ", by), fmt.Sprint(got, " ", overlay))
				}
			}
			var got []string
			for it := range r.p.Items() {
				if e, ok := l.Entry(it.Seq); ok {
					mustEqual(t, "branch", e.Branch, it.Branch)
				}
				switch {
				case it.Seq > 0 && it.Payload.Kind() != tenfold.KindToolResult:
					got = append(got, it.ID+" "+show(withoutNote(it.Payload)))
				case it.Added == tenfold.AddedSummary:
					got = append(got, show(withoutNote(it.Payload)))
				}
			}
			mustEqual(t, "view", r.view(), got)
		}
	})
}
