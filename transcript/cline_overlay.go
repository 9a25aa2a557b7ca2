package transcript

import (
	"bytes"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
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

func (t *clineTags) parse(s *scanner, raw []byte) {
	*t = clineTags{}
	s.reset(raw)
	t.members(s)
}

func (t *clineTags) members(s *scanner) {
	eachMember(s, func(name []byte) {
		switch string(name) {
		case `"ts"`:
			t.ts = s.float()
		case `"isSummary"`:
			t.summary = s.flag()
		case `"isTruncationMarker"`:
			t.marker = s.flag()
		case `"condenseId"`:
			t.condenseID = s.text()
		case `"condenseParent"`:
			t.condenseParent = s.text()
		case `"truncationId"`:
			t.truncationID = s.text()
		case `"truncationParent"`:
			t.truncateParent = s.text()
		case `"modelInfo"`:
			eachMember(s, func(name []byte) {
				if n := string(name); n == `"modelId"` || n == `"id"` {
					t.model = s.text()
				} else {
					s.value()
				}
			})
		case `"metrics"`:
			t.counted = s.kind() == '{'
			eachMember(s, func(name []byte) { clineCount(s, &t.usage, string(name)) })
		default:
			s.value()
		}
	})
}

// clineCount reads a member that counts tokens or money.
func clineCount(s *scanner, u *tenfold.Usage, name string) {
	f := s.float()
	n := int(max(0, min(f, 1<<52)))
	switch name {
	case `"inputTokens"`, `"tokensIn"`:
		u.Input = n
	case `"outputTokens"`, `"tokensOut"`:
		u.Output = n
	case `"cacheReadTokens"`, `"cacheReads"`:
		u.CacheRead = n
	case `"cacheWriteTokens"`, `"cacheWrites"`:
		u.CacheWrite = n
	case `"cost"`:
		if f >= 0 {
			u.Cost = &f
		}
	}
}

func (t *clineTags) time() time.Time { return unixTime(t.ts) }

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
func (d *cline) look(c *chat) {
	text := bytes.TrimLeft(c.top.raw, " \t\r\n")
	if c.lines != nil || len(text) == 0 || text[0] != '[' || !bytes.Contains(text, []byte(`Parent"`)) {
		return
	}
	var s scanner
	s.reset(text)
	s.token()
	for s.more() {
		if s.kind() != '{' {
			s.value()
			continue
		}
		var t clineTags
		t.members(&s)
		if t.summary && t.condenseID != "" {
			d.known["condense "+t.condenseID] = true
		}
		if t.marker && t.truncationID != "" {
			d.known["truncate "+t.truncationID] = true
		}
	}
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
func (d *cline) condense(c *chat, w *contentWriter, t *clineTags, id string) error {
	g := d.groups["condense "+t.condenseID]
	text := messageText(&d.m, w)
	if text == "" || g.done {
		return d.shown(c, w, t, id)
	}
	g.done = true
	o := tenfold.Compaction{
		FromTurn: g.from, ToTurn: g.to, Source: "import", Reason: "condense",
		Summary: &tenfold.Summary{Text: text, Placement: tenfold.PlaceMessage},
	}
	k := d.shrunk[t.condenseID]
	o.TokensBefore, o.TokensAfter = k.before, k.after
	if err := d.overlay(c, w, t, id, g, o); err != nil || k.cost == nil {
		return err
	}
	return c.emit(tenfold.Entry{ID: id + "/usage", Payload: tenfold.Usage{Cost: k.cost}})
}

// truncate makes an overlay of a cut; the marker is a message that the model
// sees where the cut is.
func (d *cline) truncate(c *chat, w *contentWriter, t *clineTags, id string) error {
	g := d.groups["truncate "+t.truncationID]
	if g.done {
		return d.shown(c, w, t, id)
	}
	g.done = true
	o := tenfold.Compaction{FromTurn: g.from, ToTurn: g.to, Source: "import", Reason: "truncate", Turns: tenfold.Omit}
	if err := c.emit(tenfold.Entry{ID: id + "/compaction", Payload: o}); err != nil {
		return err
	}
	d.hidden = "\n"
	if err := d.shown(c, w, t, id); err != nil {
		return err
	}
	for _, k := range t.keys(d.known) {
		d.hide(k, g.from, g.to)
	}
	return nil
}

// overlay emits a compaction that came from a message. What hides the message
// itself hides what it stands for.
func (d *cline) overlay(c *chat, w *contentWriter, t *clineTags, id string, g *clineGroup, o tenfold.Compaction) error {
	for _, k := range t.keys(d.known) {
		d.hide(k, g.from, g.to)
	}
	d.hidden, d.any = "\n", true // no message's: the next one begins a turn
	return c.emit(tenfold.Entry{ID: id + "/compaction", Source: splice(w.raw, w.cuts), Payload: o})
}

// text gives the texts of a message. Several are joined, and stay where they
// were as well.
func messageText(m *anthropicMessage, w *contentWriter) string {
	if m.blocks == nil {
		return w.text(m.content)
	}
	cuts := w.cuts
	var texts []string
	for i := range m.blocks {
		switch b := &m.blocks[i]; {
		case b.kind == '"':
			texts = append(texts, w.text(b.span))
		case b.typ == "text" && w.isString(b.text):
			texts = append(texts, w.text(b.text))
		}
	}
	if len(texts) != 1 {
		w.cuts = cuts
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

func (d *cline) readPrefix(c *chat) {
	base, ok := strings.CutSuffix(path.Base(filepath.ToSlash(c.src.Name)), ".messages.json")
	if !ok {
		return
	}
	raw, err := c.src.sibling(base + ".compaction.json")
	if err != nil || (raw != nil && !jsontext.Value(raw).IsValid(scanOptions...)) {
		c.warn.add(0, "sibling file, the compaction, could not be read: nothing is hidden", "")
		return
	}
	if raw == nil {
		return
	}
	p := clinePrefix{raw: appendCompact(nil, raw)}
	var s scanner
	s.reset(p.raw)
	var texts []string
	eachMember(&s, func(name []byte) {
		switch {
		case string(name) == `"source_message_count"`:
			p.count = s.number(s.value())
		case string(name) == `"messages"` && s.kind() == '[':
			s.token()
			for s.more() {
				at := s.value()
				var m anthropicMessage
				var in scanner
				body := at.of(p.raw)
				if m.parse(&in, body); in.err == nil && !m.twice {
					if text := messageText(&m, &contentWriter{scan: &in, raw: body}); text != "" {
						texts = append(texts, text)
					}
				}
			}
			s.token()
		default:
			s.value()
		}
	})
	p.text = strings.Join(texts, "\n\n")
	if p.count > 0 && p.text != "" {
		d.prefix = p
	} else {
		c.warn.add(0, "sibling file, the compaction, was not understood: nothing is hidden", "")
	}
}

// compactPrefix emits the compaction behind the last message that it covers.
func (d *cline) compactPrefix(c *chat) error {
	p := d.prefix
	if p.count == 0 || d.count != p.count || !c.place.opened {
		return nil
	}
	d.prefix.count = 0
	d.hidden = "\n"
	return c.emit(tenfold.Entry{
		ID: c.ids.unique("compaction:" + digest(p.raw)), Source: string(p.raw),
		Payload: tenfold.Compaction{
			ToTurn: c.place.turn, Source: "import", Reason: "compact",
			Summary: &tenfold.Summary{Text: p.text, Placement: tenfold.PlaceMessage},
		},
	})
}
