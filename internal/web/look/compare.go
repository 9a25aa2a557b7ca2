package look

import (
	"slices"
	"strings"
	"sync"

	"tenfold"
	"tenfold/internal/report"
	"tenfold/internal/web/shape"
	"tenfold/token"
)

// A Comparison is a view before and after, row by row: what one compaction did to
// the view it was made on, or what all of them together did to the conversation.
// Columns hold one value a row; those of strings are indexes into their lists.
type Comparison struct {
	Compaction string       `json:"compaction" doc:"its id; all for the whole"`
	Version    int64        `json:"version" doc:"of the log that is compared"`
	Tokens     shape.Tokens `json:"tokens" doc:"of both views; the rows add up to them"`
	Kinds      []string     `json:"kinds"`
	Fates      []string     `json:"fates"`
	Seq        []int64      `json:"seq" doc:"0 for what is not an entry: configuration, and what the projection put in"`
	Kind       []int        `json:"kind"`
	Turn       []int        `json:"turn"`
	Before     []int        `json:"before" doc:"tokens in the view before"`
	After      []int        `json:"after" doc:"tokens in the view after"`
	Was        []int        `json:"was" doc:"fate in the view before"`
	Fate       []int        `json:"fate" doc:"fate in the view after"`
	By         []string     `json:"by" doc:"ids of the compactions that decided the fates after"`
	Decided    []int        `json:"decided" doc:"index into by; -1 for none"`
}

// A ComparedRow is a row of a comparison with what both views say.
type ComparedRow struct {
	Index  int    `json:"index" doc:"which row it is, from 0"`
	Seq    int64  `json:"seq"`
	Kind   string `json:"kind"`
	Turn   int    `json:"turn"`
	Step   int    `json:"step"`
	Label  string `json:"label" doc:"the tool; what the projection put in; the kind's name"`
	Before Side   `json:"before"`
	After  Side   `json:"after"`
	Why    string `json:"why" doc:"the reason of the fate after"`
	By     string `json:"by,omitempty" doc:"id of the compaction that decided it"`
	Pinned bool   `json:"pinned,omitempty" doc:"it is pinned now"`
}

// A Side is what one view shows of a row.
type Side struct {
	Fate   string `json:"fate" doc:"added for what the projection put in; config"`
	Tokens int    `json:"tokens"`
	Text   string `json:"text" doc:"its beginning; empty where a model sees nothing of it"`
	Length int    `json:"length" doc:"characters of the whole text"`
}

// ComparedRows is a window of a comparison.
type ComparedRows struct {
	Items []ComparedRow `json:"items"`
}

// The fates of rows that are not entries of the log.
const (
	fateAdded  = "added"
	fateConfig = "config"
)

// All stands in the place of an id for the raw conversation beside what a
// model sees of it now.
const All = "all"

// Compared is two views of one log. A nil before is the raw log.
type Compared struct {
	mu            sync.Mutex // a projection is for one goroutine at a time
	id            string
	before, after *tenfold.Projection
	rows          []comparedRow
	scaled        token.Scale
	// Out is what the API gives of it.
	Out Comparison
}

// comparedRow names what stands on both sides of a row.
type comparedRow struct {
	seq         int64
	config      bool
	left, right *tenfold.Item // put in by the projection
}

// CompareAll sets the raw conversation beside the view.
func CompareAll(view *tenfold.Projection) *Compared {
	return newComparison(All, nil, view, token.Calibrate(view.Log()))
}

// CompareOne sets the view before a compaction was made beside the one with it.
// It reports false where the log has no such compaction. Later entries play no
// part, so that the answer never changes.
func CompareOne(view *tenfold.Projection, id string) (*Compared, bool) {
	l := view.Log()
	e, ok := l.Lookup(id)
	if _, is := e.Payload.(tenfold.Compaction); !ok || !is {
		return nil, false
	}
	before := tenfold.ProjectBranch(l.At(e.Seq-1), view.Branch())
	return newComparison(id, before, before.Preview(e), token.Calibrate(l)), true
}

func newComparison(id string, before, after *tenfold.Projection, scale token.Scale) *Compared {
	c := &Compared{id: id, before: before, after: after, scaled: scale}
	c.list()
	c.columns(scale)
	return c
}

// list finds the rows: the configuration, then the entries that either view
// shows, and what was put in where it stands.
func (c *Compared) list() {
	left, right := additions(c.before), additions(c.after)
	if config := c.config(); config != (tenfold.Count{}) {
		c.rows = append(c.rows, comparedRow{config: true})
	}
	c.pair(left[0], right[0])
	for e := range c.after.Log().Entries() {
		if e.Payload.Kind().Visible() && c.after.Reads(e.Seq) && (c.tokens(c.before, e) > 0 || c.tokens(c.after, e) > 0) {
			c.rows = append(c.rows, comparedRow{seq: e.Seq})
		}
		c.pair(left[e.Seq], right[e.Seq])
	}
}

// pair appends what both views put in at a place; what is the same on both sides
// shares a row.
func (c *Compared) pair(left, right []tenfold.Item) {
	for i := range left {
		row := comparedRow{left: &left[i]}
		j := slices.IndexFunc(right, func(r tenfold.Item) bool {
			return r.Added == left[i].Added && Text(r.Payload) == Text(left[i].Payload)
		})
		if j >= 0 {
			row.right = &right[j]
			right = slices.Delete(slices.Clone(right), j, j+1)
		}
		c.rows = append(c.rows, row)
	}
	for i := range right {
		c.rows = append(c.rows, comparedRow{right: &right[i]})
	}
}

// additions are what a view puts in, by the entry that it stands behind; 0 for the
// beginning.
func additions(p *tenfold.Projection) map[int64][]tenfold.Item {
	if p == nil {
		return nil
	}
	added := map[int64][]tenfold.Item{}
	if text := p.Continuation(); text != "" { // in the system prompt
		added[0] = []tenfold.Item{{Added: tenfold.AddedSummary, Tokens: p.Log().Counter().Count(text), Payload: tenfold.UserMessage{Parts: tenfold.Text(text)}}}
	}
	last := int64(0)
	for it := range report.Items(p) {
		if it.Seq == 0 {
			added[last] = append(added[last], it)
		}
		last = max(last, it.Seq)
	}
	return added
}

// tokens are what a view spends on an entry.
func (c *Compared) tokens(p *tenfold.Projection, e tenfold.Entry) int {
	if p == nil {
		return e.Tokens
	}
	_, _, n := p.Fate(e.Seq)
	return n
}

// config is what the system prompt and the tools cost on both sides.
func (c *Compared) config() tenfold.Count {
	sum := c.after.Totals().Config
	if c.before != nil {
		sum.Before = c.before.Totals().Config.After
	}
	sum.Entries = 0
	return sum
}

// columns works out what the API gives.
func (c *Compared) columns(scale token.Scale) {
	o := &c.Out
	o.Compaction, o.Version = c.id, c.after.Version()
	o.Fates = Fates()
	added, config := len(o.Fates), len(o.Fates)+1
	o.Fates = append(o.Fates, fateAdded, fateConfig)
	counts := make([]tenfold.Count, len(c.rows))
	kinds, by := Places{}, Places{}
	for i, r := range c.rows {
		var kind, decided string
		turn, was, fate := 0, added, added
		switch {
		case r.config:
			kind, was, fate = fateConfig, config, config
			counts[i] = c.config()
		case r.seq > 0:
			e, _ := c.after.Log().Entry(r.seq)
			kind = string(e.Payload.Kind())
			turn, _, _ = c.after.Log().Where(r.seq)
			f, id, n := c.after.Fate(r.seq)
			was, fate, decided = 0, int(f), id
			if c.before != nil {
				f, _, _ := c.before.Fate(r.seq)
				was = int(f)
			}
			counts[i] = tenfold.Count{Before: c.tokens(c.before, e), After: n}
		default:
			it := r.either()
			kind, turn, decided = it.Added.String(), it.Turn, it.By
			if r.left != nil {
				counts[i].Before = r.left.Tokens
			}
			if r.right != nil {
				counts[i].After = r.right.Tokens
			}
		}
		o.Seq, o.Turn = append(o.Seq, r.seq), append(o.Turn, turn)
		o.Was, o.Fate = append(o.Was, was), append(o.Fate, fate)
		o.Kind = append(o.Kind, kinds.Of(kind, &o.Kinds))
		o.Decided = append(o.Decided, by.Of(decided, &o.By))
	}
	o.Tokens = shape.Tokens{Method: report.Totals(c.after, scale).Method}
	for _, n := range scale.Counts(counts...) {
		o.Before, o.After = append(o.Before, n.Before), append(o.After, n.After)
		o.Tokens.Before, o.Tokens.After = o.Tokens.Before+n.Before, o.Tokens.After+n.After
	}
}

func (r comparedRow) either() *tenfold.Item {
	if r.right != nil {
		return r.right
	}
	return r.left
}

// Window gives limit rows from the one at index on, with at most chars characters
// of their texts. Pinned says which entries are pinned now.
func (c *Compared) Window(from, limit, chars int, pinned func(seq int64) bool) ComparedRows {
	c.mu.Lock()
	defer c.mu.Unlock()
	from = min(max(from, 0), len(c.rows))
	to := min(from+limit, len(c.rows))
	out := ComparedRows{Items: []ComparedRow{}}
	for i, r := range c.rows[from:to] {
		at := from + i
		row := ComparedRow{Index: at, Seq: r.seq, Kind: c.Out.Kinds[c.Out.Kind[at]], Turn: c.Out.Turn[at]}
		row.Before = Side{Fate: c.Out.Fates[c.Out.Was[at]], Tokens: c.Out.Before[at]}
		row.After = Side{Fate: c.Out.Fates[c.Out.Fate[at]], Tokens: c.Out.After[at]}
		if n := c.Out.Decided[at]; n >= 0 {
			row.By = c.Out.By[n]
		}
		switch {
		case r.config:
			row.Label = "system prompt and tools"
		case r.seq > 0:
			e, _ := c.after.Log().Entry(r.seq)
			_, row.Step, _ = c.after.Log().Where(r.seq)
			row.Label, row.Why, row.Pinned = Label(c.after.Log(), e), c.after.Why(r.seq).String(), pinned(r.seq)
			row.Before.cut(shown(c.before, e), chars)
			row.After.cut(shown(c.after, e), chars)
		default:
			it := r.either()
			row.Label, row.Step = it.Added.String(), it.Step
			if r.left != nil {
				row.Before.cut(Text(r.left.Payload), chars)
			}
			if r.right != nil {
				row.After.cut(Text(r.right.Payload), chars)
			}
		}
		out.Items = append(out.Items, row)
	}
	return out
}

// shown is what a view shows of an entry; empty for nothing. No view is the raw log.
func shown(p *tenfold.Projection, e tenfold.Entry) string {
	if p == nil {
		return Text(e.Payload)
	}
	it, ok := p.Item(e.Seq)
	if !ok {
		return ""
	}
	return Text(it.Payload)
}

// cut sets the text of a side to at most chars characters of it.
func (s *Side) cut(text string, chars int) {
	runes := 0
	for at := range text {
		if runes == chars {
			s.Text = strings.Clone(text[:at])
		}
		runes++
	}
	s.Length = runes
	if runes <= chars {
		s.Text = text
	}
}
