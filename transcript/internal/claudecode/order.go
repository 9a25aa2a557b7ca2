package claudecode

import (
	"slices"
	"strings"
	"time"

	"tenfold"
)

// claudeRecord is one line of a session file as its entries tell it.
type claudeRecord struct {
	id      string
	source  string
	entries []tenfold.Entry

	parent  string
	time    time.Time
	stamped bool // the line has a time of its own
	aside   bool // an attachment, or what a command printed: it waits even where a person typed it
	// holder is the record that began the response which this one waited for,
	// -1 for none.
	holder int32
	held   []int32 // the records that waited for the response begun here
}

// claudeOrder finds an order of the lines in which importing them gives the log
// again. Log order does, but for what the importer held back until all calls
// of a response had come (P10): a line that hangs from a held one, or that has
// no time and took that of a held one, came after it.
type claudeOrder struct {
	records []claudeRecord
	byID    map[string]int32
	open    map[string]int32 // branch → the holder placed last
	placed  []bool
	busy    []bool
	now     time.Time
	order   []int32
	looked  int
}

// lookLimit bounds the search for the line that a line without a time follows.
const lookLimit = 5_000_000

func orderClaude(records []claudeRecord) []int32 {
	o := claudeOrder{
		records: records, byID: make(map[string]int32, len(records)), open: map[string]int32{},
		placed: make([]bool, len(records)), busy: make([]bool, len(records)), order: make([]int32, 0, len(records)),
	}
	for i := range records {
		o.byID[records[i].id] = int32(i)
	}
	o.findHolders()
	for i := range records {
		o.place(int32(i))
	}
	return o.order
}

// findHolders follows the log as the importer wrote it, and notes which lines may
// have waited for which response.
func (o *claudeOrder) findHolders() {
	type opened struct {
		at      int32
		message string
	}
	open := map[string]opened{}
	for i := range o.records {
		r := &o.records[i]
		r.holder = -1
		if len(r.entries) == 0 {
			continue
		}
		e := r.first()
		switch p := r.kind().(type) {
		case tenfold.AssistantMessage, tenfold.Reasoning, tenfold.ToolCall, tenfold.ProviderItem:
			if w, ok := open[e.Branch]; !ok || w.message != e.MessageID || e.MessageID == "" {
				open[e.Branch] = opened{int32(i), e.MessageID}
			}
		case tenfold.ToolResult, tenfold.UserMessage:
			if u, ok := p.(tenfold.UserMessage); ok && prompts(u) && !r.aside {
				delete(open, e.Branch)
			} else if w, ok := open[e.Branch]; ok {
				r.holder = w.at
				o.records[w.at].held = append(o.records[w.at].held, int32(i))
			}
		case tenfold.Compaction:
			clear(open)
		case tenfold.Unknown:
			if p.Name == "claude-code.system" && strings.Contains(r.source, "compact_boundary") {
				clear(open)
			}
		}
	}
}

// kind is the payload that says how the importer treats the record: the prompt
// if there is one, else the first.
func (r *claudeRecord) kind() tenfold.Payload {
	for _, e := range r.entries {
		if u, ok := e.Payload.(tenfold.UserMessage); ok && prompts(u) {
			return u
		}
	}
	return r.first().Payload
}

// first is the entry that has the record's source.
func (r *claudeRecord) first() tenfold.Entry {
	for _, e := range r.entries {
		if e.Source != "" {
			return e
		}
	}
	return r.entries[0]
}

func (o *claudeOrder) place(i int32) {
	if o.placed[i] || o.busy[i] {
		return
	}
	o.busy[i] = true
	r := &o.records[i]
	if j, ok := o.byID[r.parent]; ok && o.couldFollow(i, j) {
		o.placeHeld(i, j)
	}
	if base, _, again := strings.Cut(r.id, "~"); again {
		if j, ok := o.byID[base]; ok {
			o.placeHeld(i, j)
		}
	}
	if !r.stamped && !r.time.Equal(o.now) {
		if j := o.timed(i, r.time); j >= 0 {
			o.placeHeld(i, j)
		}
	}
	o.placed[i] = true
	o.order = append(o.order, i)
	if r.stamped {
		o.now = r.time
	}
	if len(r.held) > 0 {
		o.open[r.first().Branch] = i
	}
}

// couldFollow reports whether line i can have come after a held line j that it hangs
// from: whether j and those that waited before it hang from what is in place.
// Some lines are written before the one they hang from.
func (o *claudeOrder) couldFollow(i, j int32) bool {
	if j <= i || o.placed[j] || o.records[j].holder < 0 {
		return false
	}
	for _, k := range o.records[o.records[j].holder].held {
		if k > j {
			break
		}
		if o.looked++; o.looked > lookLimit {
			return false
		}
		p, ok := o.byID[o.records[k].parent]
		if ok && !o.placed[p] && o.records[p].holder != o.records[j].holder {
			return false
		}
	}
	return true
}

// placeHeld places a held line, after those that waited before it, ahead of line i.
func (o *claudeOrder) placeHeld(i, j int32) {
	if j <= i || o.placed[j] || o.records[j].holder < 0 || !o.placed[o.records[j].holder] {
		return
	}
	for _, k := range o.records[o.records[j].holder].held {
		if k > i {
			o.place(k)
		}
		if k == j {
			return
		}
	}
}

// timed finds the first line still held that has the time.
func (o *claudeOrder) timed(i int32, t time.Time) int32 {
	found := int32(-1)
	for _, at := range o.open {
		held := o.records[at].held
		from, _ := slices.BinarySearch(held, i)
		for _, k := range held[from:] {
			if o.looked++; o.looked > lookLimit {
				return -1
			}
			if r := &o.records[k]; !o.placed[k] && r.stamped && r.time.Equal(t) {
				if found < 0 || k < found {
					found = k
				}
				break
			}
		}
	}
	return found
}
