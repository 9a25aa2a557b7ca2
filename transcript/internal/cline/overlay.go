package cline

import (
	"bytes"
	"path"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
	"tenfold/transcript/internal/chatapi"
	"tenfold/transcript/internal/engine"
	"tenfold/transcript/internal/intake"
	"tenfold/transcript/internal/walk"
)

// clineTags is what Cline and Roo say of a message besides its content.
type clineTags struct {
	ts                           float64
	summary, marker              bool
	condenseID, condenseParent   string
	truncationID, truncateParent string
	model                        string
	usage                        tenfold.Usage
	counted                      bool
}

func (t *clineTags) parse(s *walk.Scanner, raw []byte) {
	*t = clineTags{}
	s.Reset(raw)
	t.members(s)
}

func (t *clineTags) members(s *walk.Scanner) {
	walk.Shape{
		"ts", &t.ts,
		"isSummary", &t.summary,
		"isTruncationMarker", &t.marker,
		"condenseId", &t.condenseID,
		"condenseParent", &t.condenseParent,
		"truncationId", &t.truncationID,
		"truncationParent", &t.truncateParent,
		"modelInfo", walk.Inner("modelId", &t.model, "id", &t.model),
		"metrics", func() {
			t.counted = s.Kind() == '{'
			readUsage(s, &t.usage)
		},
	}.Read(s)
}

// readUsage reads counts of tokens and money, in the words of a message or of
// the task's window.
func readUsage(s *walk.Scanner, u *tenfold.Usage) {
	cost := -1.0
	walk.Shape{
		"inputTokens", &u.Input,
		"tokensIn", &u.Input,
		"outputTokens", &u.Output,
		"tokensOut", &u.Output,
		"cacheReadTokens", &u.CacheRead,
		"cacheReads", &u.CacheRead,
		"cacheWriteTokens", &u.CacheWrite,
		"cacheWrites", &u.CacheWrite,
		"cost", &cost,
	}.Read(s)
	if cost >= 0 {
		u.Cost = &cost
	}
}

// keys names what hides the message. A summary or a marker that was taken out
// hides nothing any more.
func (t *clineTags) keys(known map[string]bool) []string {
	var keys []string
	for _, k := range [...]string{"condense " + t.condenseParent, "truncate " + t.truncateParent} {
		if known[k] {
			keys = append(keys, k)
		}
	}
	return keys
}

// look finds the summaries and markers, which stand behind what they hide.
func (d *cline) look(c *chatapi.Chat) {
	text := bytes.TrimLeft(c.Top.Raw, " \t\r\n")
	if c.Lines != nil || len(text) == 0 || text[0] != '[' || !bytes.Contains(text, []byte(`Parent"`)) {
		return
	}
	var s walk.Scanner
	s.Reset(text)
	walk.EachItem(&s, func() {
		var t clineTags
		t.members(&s)
		if t.summary && t.condenseID != "" {
			d.known["condense "+t.condenseID] = true
		}
		if t.marker && t.truncationID != "" {
			d.known["truncate "+t.truncationID] = true
		}
	})
}

// clineGroup is a range of turns that something hides.
type clineGroup struct {
	from, to int
	done     bool
}

func (d *cline) hide(key string, from, to int) {
	g := d.groups[key]
	if g == nil {
		g = &clineGroup{from: from, to: to}
		d.groups[key] = g
	}
	g.from, g.to = min(g.from, from), max(g.to, to)
}

// condense makes an overlay of a summary: it stands for what it hides, as the
// message that Roo sends in its place.
func (d *cline) condense(c *chatapi.Chat, w *engine.Finder, t *clineTags, id string) error {
	g := d.groups["condense "+t.condenseID]
	text := messageText(&d.M, w)
	if text == "" || g.done {
		return d.shown(c, w, t, id)
	}
	g.done = true
	o := engine.Summarised(g.to, "condense", text)
	o.FromTurn = g.from
	k := d.shrunk[t.condenseID]
	o.TokensBefore, o.TokensAfter = k.before, k.after
	if err := d.overlay(c, w, t, id, g, o); err != nil || k.cost == nil {
		return err
	}
	return c.Emit(tenfold.Entry{ID: id + "/usage", Payload: tenfold.Usage{Cost: k.cost}})
}

// truncate makes an overlay of a cut; the marker is a message that the model
// sees where the cut is.
func (d *cline) truncate(c *chatapi.Chat, w *engine.Finder, t *clineTags, id string) {
	g := d.groups["truncate "+t.truncationID]
	if g.done {
		_ = d.shown(c, w, t, id)
		return
	}
	g.done = true
	o := engine.Hidden(g.from, g.to, "truncate")
	_ = c.Emit(tenfold.Entry{ID: id + "/compaction", Payload: o})
	d.hidden = "\n"
	_ = d.shown(c, w, t, id)
	for _, k := range t.keys(d.known) {
		d.hide(k, g.from, g.to)
	}
}

// overlay emits a compaction that came from a message. What hides the message
// itself hides what it stands for.
func (d *cline) overlay(c *chatapi.Chat, w *engine.Finder, t *clineTags, id string, g *clineGroup, o tenfold.Compaction) error {
	for _, k := range t.keys(d.known) {
		d.hide(k, g.from, g.to)
	}
	d.hidden, d.any = "\n", true // no message's: the next one begins a turn
	return c.Emit(tenfold.Entry{ID: id + "/compaction", Source: w.Done(), Payload: o})
}

// text gives the texts of a message. Several are joined, and stay where they
// were as well.
func messageText(m *chatapi.AnthropicMessage, w *engine.Finder) string {
	if m.Blocks == nil {
		return w.Text(m.Content)
	}
	cuts := w.Cuts
	var texts []string
	for i := range m.Blocks {
		switch b := &m.Blocks[i]; {
		case b.Kind == '"':
			texts = append(texts, w.Text(b.Span))
		case b.Typ == "text" && w.IsString(b.Text):
			texts = append(texts, w.Text(b.Text))
		}
	}
	if len(texts) != 1 {
		w.Cuts = cuts
	}
	return strings.Join(texts, "\n\n")
}

// clinePrefix is a compaction that newer versions of Cline keep in a file of
// its own: messages that stand for the first ones.
type clinePrefix struct {
	count int
	text  string
	raw   []byte
}

func (d *cline) readPrefix(c *chatapi.Chat) {
	base, ok := strings.CutSuffix(path.Base(filepath.ToSlash(c.Src.Name)), ".messages.json")
	if !ok {
		return
	}
	raw, err := c.Src.Sibling(base + ".compaction.json")
	if err != nil || (raw != nil && !jsontext.Value(raw).IsValid(walk.ScanOptions...)) {
		c.Warn.Add(0, "sibling file, the compaction, could not be read: nothing is hidden", "")
		return
	}
	if raw == nil {
		return
	}
	p := clinePrefix{raw: walk.AppendCompact(nil, raw)}
	var s walk.Scanner
	s.Reset(p.raw)
	var texts []string
	walk.Shape{"source_message_count", &p.count, "messages", func() {
		walk.EachItem(&s, func() {
			var m chatapi.AnthropicMessage
			var in walk.Scanner
			body := s.Value().Of(p.raw)
			if m.Parse(&in, body); in.Err == nil && !m.Twice {
				if text := messageText(&m, &engine.Finder{Scan: &in, Raw: body}); text != "" {
					texts = append(texts, text)
				}
			}
		})
	}}.Read(&s)
	p.text = strings.Join(texts, "\n\n")
	if p.count > 0 && p.text != "" {
		d.prefix = p
	} else {
		c.Warn.Add(0, "sibling file, the compaction, was not understood: nothing is hidden", "")
	}
}

// compactPrefix emits the compaction behind the last message that it covers.
func (d *cline) compactPrefix(c *chatapi.Chat) error {
	p := d.prefix
	if p.count == 0 || d.count != p.count || !c.Place.Opened {
		return nil
	}
	d.prefix.count = 0
	d.hidden = "\n"
	return c.Emit(tenfold.Entry{
		ID: c.Ids.Unique("compaction:" + intake.Digest(p.raw)), Source: string(p.raw),
		Payload: engine.Summarised(c.Place.Turn, "compact", p.text),
	})
}
