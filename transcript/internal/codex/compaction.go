package codex

import (
	"crypto/sha256"
	"maps"
	"slices"
	"strconv"

	"tenfold"
	"tenfold/transcript/internal/chatapi"
	"tenfold/transcript/internal/engine"
	"tenfold/transcript/internal/intake"
	"tenfold/transcript/internal/walk"
)

// codexMessage is a message that was shown.
type codexMessage struct {
	ids  []string
	turn int
	// typed tells that a person said it.
	typed bool
}

// messageKey is what two messages that say the same have in common.
func messageKey(role string, entries []tenfold.Entry) [32]byte {
	h := sha256.New()
	put := func(text string) {
		h.Write(strconv.AppendInt(nil, int64(len(text)), 10))
		h.Write([]byte{':'})
		h.Write([]byte(text))
	}
	put(role)
	for _, e := range entries {
		if u, ok := e.Payload.(tenfold.UserMessage); ok {
			for _, p := range u.Parts {
				put(strconv.FormatBool(p.File != nil))
			}
		}
		for _, text := range chatapi.Held(chatapi.One(e.Payload)) {
			put(text)
		}
	}
	return [32]byte(h.Sum(nil))
}

// pinnedFrom lists what is pinned from a turn on.
func (c *codex) pinnedFrom(turn int) []string {
	var list []string
	for id, at := range c.pinned {
		if at >= turn {
			list = append(list, id)
		}
	}
	slices.Sort(list)
	return list
}

// kept is an item of a compaction's new history.
type kept struct {
	entries []tenfold.Entry
	role    string
	cuts    []walk.Cut
}

// compacted makes an overlay of a compaction. What the model saw from there on
// is the new history, and then what follows: everything before is hidden, the
// messages at the head of the new history that stand before as they are show
// through as pins, and the rest of it are entries. A summary alone stands for
// everything before.
func (c *codex) compacted(payload engine.Members, id string) error {
	items, ok := c.history(payload.Get("replacement_history"), id)
	if !ok || c.items.Twice {
		return c.keepUnknown(id, "codex.compacted")
	}
	message := payload.Get("message")
	if len(items) == 0 {
		if !c.Place.Opened || c.items.Peek(message) == "" {
			c.Warn.Add(c.r.Number, "compaction says nothing: nothing is hidden", "compactions say nothing: nothing is hidden")
			return c.keep(id, "codex.compacted")
		}
		c.items.Cuts = nil
		o := tenfold.Compaction{ToTurn: c.Place.Turn, Source: tenfold.SourceImport, Summary: &tenfold.Summary{
			Text: c.items.Text(message), Placement: tenfold.PlaceMessage,
		}}
		return c.replace(id, c.items.Done(), o, nil, nil)
	}
	pins, rest := c.findPinned(items)
	var cuts []walk.Cut
	for _, it := range rest {
		cuts = append(cuts, it.cuts...)
	}
	o := engine.Hidden(0, c.Place.Turn, "")
	return c.replace(id, walk.Splice(c.items.Raw, cuts), o, pins, rest)
}

// history reads a new history; false unless it is a list of items.
func (c *codex) history(list walk.Span, id string) ([]kept, bool) {
	if !list.Found() || c.items.Is(list, 'n') {
		return nil, true
	}
	var items []kept
	for i, at := range c.items.List(list) {
		c.items.Cuts, c.items.Odd = nil, false
		if payloads := c.items.Item(at); len(payloads) > 0 {
			itemID := id + "/item-" + strconv.Itoa(i)
			role := c.items.Peek(c.items.In(at, "role"))
			items = append(items, kept{entries: intake.Entries(itemID, "", "", payloads), role: role, cuts: c.items.Cuts})
		}
	}
	return items, c.items.Is(list, '[')
}

// findPinned finds the messages of a new history that stand in the conversation already,
// in that order, and gives the rest: those at its head, and of what follows those
// that a person said, which are shown where they were said.
func (c *codex) findPinned(items []kept) (pins map[string]int, rest []kept) {
	pins = map[string]int{}
	if !c.Place.Opened {
		return pins, items
	}
	last := int32(-1)
	for _, it := range items {
		places := c.shown[messageKey(it.role, it.entries)]
		i, _ := slices.BinarySearch(places, last+1)
		if i == len(places) || (len(rest) > 0 && !c.visible[places[i]].typed) {
			rest = append(rest, it)
			continue
		}
		last = places[i]
		for _, id := range c.visible[last].ids {
			pins[id] = c.visible[last].turn
		}
	}
	return pins, rest
}

// replace hands a compaction on: pins of an earlier one that this one does not
// keep, its own, the overlay, and the entries that stand for the rest.
func (c *codex) replace(id, source string, o tenfold.Compaction, pins map[string]int, rest []kept) error {
	var list []tenfold.Entry
	var old, add []string
	for _, id := range slices.Sorted(maps.Keys(c.pinned)) {
		if _, ok := pins[id]; !ok {
			old = append(old, id)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(pins)) {
		if _, ok := c.pinned[id]; !ok {
			add = append(add, id)
		}
	}
	if len(old) > 0 {
		list = append(list, tenfold.Entry{ID: id + "/unpin", Payload: tenfold.Unpin{Entries: old}})
	}
	if len(add) > 0 {
		list = append(list, tenfold.Entry{ID: id + "/pin", Payload: tenfold.Pin{Entries: add}})
	}
	if c.Place.Opened {
		list = append(list, tenfold.Entry{ID: id, Payload: o})
	}
	c.pinned, c.State = pins, intake.TurnOver
	if c.pinned == nil {
		c.pinned = map[string]int{}
	}
	for _, e := range list {
		e.Source, source = source, ""
		_ = c.Emit(e)
	}
	for _, it := range rest {
		for i := range it.entries {
			if u, ok := it.entries[i].Payload.(tenfold.UserMessage); ok {
				u.Synthetic = true // nobody typed it here
				it.entries[i].Payload = u
			}
		}
		it.entries[0].Source, source = source, ""
		_ = c.Show(it.entries[0].ID, it.entries)
		c.noteShown(it.role, it.entries)
		c.State = intake.TurnOpen // a prompt after it is a turn of its own
	}
	return nil
}
