package openhands

import (
	"strconv"
	"strings"

	"tenfold"
	"tenfold/transcript/internal/engine"
)

// condenseLimit bounds how many events all condensations look at together, so
// that no file can be made to take forever.
const condenseLimit = 50_000_000

// condense makes an overlay of a condensation. OpenHands forgets events by
// their ids; an overlay covers a range of turns and steps. The range goes as
// far as the last forgotten event, and what in it was not forgotten is pinned.
// Events once forgotten stay so: the newest summary stands for all of them.
func (o *openHands) condense(id string, m engine.Members) error {
	f := &o.find
	if o.work += len(o.handled); o.work > condenseLimit {
		o.out.Warn.Add(0, "superfluous condensation has no effect", "superfluous condensations have no effect")
		return o.keep(id, "Condensation")
	}
	unknown := 0
	for _, key := range o.forgets(m) {
		if i, ok := o.keys[key]; ok && i < len(o.handled)-1 {
			o.handled[i].forgotten = true
		} else {
			unknown++
		}
	}
	for range unknown {
		o.out.Warn.Add(0, "event that a condensation forgets is not in the file", "events that condensations forget are not in the file")
	}
	lo, hi := -1, -1
	for i := range o.handled {
		if h := &o.handled[i]; h.visible && h.forgotten {
			if lo < 0 {
				lo = i
			}
			hi = i
		}
	}
	if hi < 0 {
		o.out.Warn.Add(0, "condensation hides nothing that is here", "condensations hide nothing that is here")
		return o.keep(id, "Condensation")
	}
	c := engine.Hidden(o.handled[lo].turn, o.handled[hi].turn, "condensation")
	last := o.handled[hi].step
	for _, h := range o.handled {
		if h.visible && !h.forgotten && h.turn == c.ToTurn && h.step > last {
			c.ToStep = &last
		}
	}
	for _, h := range o.handled {
		if h.user && h.forgotten && c.ToStep != nil && h.turn == c.ToTurn {
			o.out.Warn.Add(0, "message of a user that a condensation forgets is shown all the same: its turn goes on",
				"messages of users that condensations forget are shown all the same: their turns go on")
		}
	}
	if at := m.Get("summary"); f.Peek(at) != "" {
		o.summary = f.Text(at)
	}
	if o.summary != "" { // without a new one the last one stays
		c.Turns = ""
		c.Summary = &tenfold.Summary{Text: o.summary, Placement: tenfold.PlaceMessage}
	}
	o.pins(id, &c)
	return o.put(id, "", c)
}

// pins keeps what the range of an overlay covers and the condensation did not
// forget, and lets go of what an earlier one had kept.
func (o *openHands) pins(id string, c *tenfold.Compaction) {
	var pin, unpin []string
	for i := range o.handled {
		h := &o.handled[i]
		covered := h.visible && h.turn >= c.FromTurn && (h.turn < c.ToTurn || (h.turn == c.ToTurn && (c.ToStep == nil || h.step <= *c.ToStep)))
		switch {
		case covered && !h.forgotten && !h.pinned:
			h.pinned = true
			pin = append(pin, h.entries...)
		case h.forgotten && h.pinned:
			h.pinned = false
			unpin = append(unpin, h.entries...)
		}
	}
	if len(unpin) > 0 {
		_ = o.out.Emit(tenfold.Entry{ID: id + "/unpin", Payload: tenfold.Unpin{Entries: unpin}})
	}
	if len(pin) > 0 {
		_ = o.out.Emit(tenfold.Entry{ID: id + "/pin", Payload: tenfold.Pin{Entries: pin}})
	}
}

// forgets lists the keys of the events that a condensation forgets.
func (o *openHands) forgets(m engine.Members) []string {
	f := &o.find
	var keys []string
	for _, name := range [...]string{"forgotten_event_ids", "pruned_event_ids"} {
		for _, at := range m.Items(name) {
			if f.Is(at, '0') {
				keys = append(keys, "event-"+string(at.Of(f.Raw)))
			} else {
				keys = append(keys, f.Peek(at))
			}
		}
	}
	from, to := m.Get("forgotten_events_start_id"), m.Get("forgotten_events_end_id")
	if f.Is(from, '0') && f.Is(to, '0') {
		first, last := f.Number(from), f.Number(to)
		for key := range o.keys {
			if n, err := strconv.Atoi(strings.TrimPrefix(key, "event-")); err == nil && first <= n && n <= last {
				keys = append(keys, key)
			}
		}
	}
	return keys
}
