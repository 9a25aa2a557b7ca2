package transcript

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"tenfold"
)

func codexHandler() handler {
	return handler{
		format: Codex, about: "Codex rollout files",
		importer: codexImporter{}, exporter: codexExporter{},
		homes: []string{".codex/sessions", ".codex/archived_sessions"}, homeEnv: "CODEX_HOME",
	}
}

type codexImporter struct{}

// codexLines are the types of a rollout's lines that tell the format.
var codexLines = [...]string{"session_meta", "response_item", "turn_context", "event_msg", "compacted"}

// Recognise implements [Importer].
func (codexImporter) Recognise(h Head) Confidence {
	if h.json.shape != shapeLines || len(h.json.objects) == 0 {
		return No
	}
	bare := false
	for i, o := range h.json.objects {
		if o.has("type", "payload") && slices.Contains(codexLines[:], o.values["type"]) {
			if o.has("timestamp") {
				return Certain
			}
			return Likely
		}
		if i == 0 {
			bare = !o.has("type") && o.has("id", "timestamp") && (o.has("instructions") || o.has("git"))
			continue
		}
		if bare && (o.values["record_type"] == "state" || responsesMark(o)) {
			return Certain
		}
	}
	if bare {
		return Likely
	}
	return No
}

// Import implements [Importer].
func (codexImporter) Import(ctx context.Context, src Source, sink Sink) error {
	c := codex{
		itemTurns: itemTurns{emitter: emitter{sink: sink, place: &rootLog{}}},
		r:         newLineReader(ctx, src), pinned: map[string]int{}, shown: map[[32]byte][]int32{},
	}
	c.conv.Format = Codex
	c.items.scan, c.scan.cost = &c.scan, placeCost
	var root node
	var line []byte
	err := c.r.records(Codex, func(raw []byte) error {
		line = raw
		root = c.tree.read(&c.scan, raw)
		return c.scan.err
	}, func() error {
		if c.conv.ID == "" {
			c.name(root, src)
		}
		c.first = c.r.count == 1
		id := numbered(codexLineID(c.r.count+c.before), codexTells(root, line))
		f, isFork := forkedFrom(root)
		if !c.first || !isFork {
			return c.line(root, id)
		}
		file := f.before(src.Siblings)
		if file == nil {
			c.missing()
			return c.line(root, id)
		}
		root = c.tree.read(&c.scan, withoutBase(slices.Clone(line), root))
		if err := c.line(root, id); err != nil {
			return errors.Join(err, file.Close())
		}
		c.first = false
		return c.session(ctx, src.Siblings, f, file, 0)
	})
	if err != nil {
		return err
	}
	if !c.begun {
		return c.r.problem(Codex, errors.New("there is no line in it"), "was the session saved?")
	}
	return c.end()
}

func codexLineID(number int) string { return "line-" + strconv.Itoa(number) }

// codexTells is what of a line its id is made of: its time, since a line that was
// written again may have other escapes.
func codexTells(root node, line []byte) []byte {
	if at := root.get("timestamp"); at.found() {
		return at.raw()
	}
	return line
}

// codex reads one rollout.
type codex struct {
	itemTurns
	r     *lineReader
	scan  scanner
	tree  tree
	items itemReader

	first bool // the line is the first
	// before is how many lines of sessions before were taken in.
	before int
	model  string
	// context is the digest of the settings last seen, the turn's id aside.
	context string
	// counted is what the session had used when usage was last counted, and
	// answered says that the model said something since.
	counted  string
	answered bool

	// visible are the messages before, for compactions: what is kept of them
	// is named by the ids of its entries. Shown finds them by content.
	visible []codexMessage
	shown   map[[32]byte][]int32
	pinned  map[string]int // id of an entry, turn it stands in
	prompts []int          // turns that a person opened
}

// name finds what the conversation is called: the first line says it. Forks
// and sub-agents copy the first lines of other sessions in behind it.
func (c *codex) name(root node, src Source) {
	meta := root
	if p := root.get("payload"); p.kind() == '{' && root.text("type") == "session_meta" {
		meta = p
	} else if root.get("type").found() {
		meta = node{}
	}
	if id := meta.text("id"); id != "" {
		c.conv.ID, c.conv.Named = conversationID(id), true
	} else {
		c.conv.ID = contentID(src.Name, Codex, root.raw())
	}
	c.at(stamp(meta.text("timestamp")))
}

func stamp(text string) time.Time {
	t, err := time.Parse(time.RFC3339Nano, text)
	if text == "" || err != nil {
		return time.Time{}
	}
	return t.UTC()
}

// line turns one line into entries.
func (c *codex) line(root node, id string) error {
	c.at(stamp(root.text("timestamp")))
	typ, payload := root.text("type"), root.get("payload")
	if root.kind() == '{' && !payload.found() {
		return c.bare(root, typ, id)
	}
	if root.kind() != '{' || payload.kind() != '{' {
		return c.odd(root, id, "codex.untyped")
	}
	switch typ {
	case "response_item":
		return c.item(root, payload, id)
	case "event_msg":
		return c.event(root, payload, id)
	case "turn_context":
		return c.settings(root, payload, id)
	case "session_meta":
		return c.meta(root, payload, id)
	case "compacted":
		return c.compacted(root, payload, id)
	case "":
		return c.odd(root, id, "codex.untyped")
	}
	return c.keep(id, tenfold.Kind("codex."+typ), root.raw())
}

// bare reads a line of an old rollout: a first line about the session, then
// items as they are, and between them the state of the session.
func (c *codex) bare(root node, typ, id string) error {
	switch {
	case root.get("record_type").isText():
		return c.keep(id, "codex."+tenfold.Kind(root.text("record_type")), root.raw())
	case typ == "" && root.get("id").isText() && c.first:
		return c.keep(id, "codex.session_meta", root.raw())
	case typ == "":
		return c.odd(root, id, "codex.untyped")
	}
	return c.item(root, root, id)
}

// odd keeps a line whose shape is not understood.
func (c *codex) odd(root node, id string, name tenfold.Kind) error {
	c.warn.add(c.r.number, "line could not be understood and was kept as it is", "lines could not be understood and were kept as they are")
	return c.keep(id, name, root.raw())
}

// item turns an item of the model's history into entries.
func (c *codex) item(root, payload node, id string) error {
	c.items.cuts, c.items.odd = c.items.cuts[:0], false
	payloads := c.items.item(payload)
	if c.items.odd {
		c.warn.add(c.r.number, "item holds something that is not understood: it is kept, and no model sees it",
			"items hold something that is not understood: it is kept, and no model sees it")
	}
	if len(payloads) == 0 || c.tree.twice {
		name := tenfold.Kind("codex." + payload.text("type"))
		if c.tree.twice {
			return c.odd(root, id, name)
		}
		return c.keep(id, name, root.raw())
	}
	entries := itemEntries(id, splice(root.raw(), c.items.cuts), payloads)
	if err := c.show(id, entries); err != nil {
		return err
	}
	c.see(payload.text("role"), entries)
	return nil
}

// see notes what was shown.
func (c *codex) see(role string, entries []tenfold.Entry) {
	switch p := entries[0].Payload.(type) {
	case tenfold.UserMessage:
		if !p.Synthetic {
			c.prompts = append(c.prompts, c.place.turn)
		}
	case tenfold.AssistantMessage:
		c.answered = true
	default:
		c.answered = c.answered || !isResult(p)
		return
	}
	m := codexMessage{turn: c.place.turn}
	for _, e := range entries {
		m.ids = append(m.ids, e.ID)
	}
	key := messageKey(role, entries)
	c.shown[key] = append(c.shown[key], int32(len(c.visible)))
	c.visible = append(c.visible, m)
}

func isResult(p tenfold.Payload) bool {
	_, ok := p.(tenfold.ToolResult)
	return ok
}

// meta reads what a line says about the session: the first names it. Its
// instructions are the system prompt.
func (c *codex) meta(root, payload node, id string) error {
	c.items.cuts = c.items.cuts[:0]
	base := payload.get("base_instructions")
	if base.kind() == '{' {
		base = base.get("text")
	}
	if !c.first || !base.isText() || c.tree.twice {
		return c.keep(id, "codex.session_meta", root.raw())
	}
	system := c.items.text(base)
	return c.emit(tenfold.Entry{ID: id, Source: splice(root.raw(), c.items.cuts), Payload: tenfold.ConfigDelta{System: &system}})
}

// settings reads the settings of a turn. They come with each turn: only what
// changed is a change of the configuration.
func (c *codex) settings(root, payload node, id string) error {
	var same []byte
	for m := payload.first(); m.found(); m = m.next() {
		if name := c.tree.nodes[m.i].name.of(c.tree.raw); string(name) != `"turn_id"` {
			same = append(append(append(same, name...), m.raw()...), 0)
		}
	}
	model := payload.text("model")
	if now := digest(same); !c.tree.twice && now != c.context {
		c.context = now
		d := tenfold.ConfigDelta{Extra: string(payload.raw())}
		if model != "" && model != c.model {
			c.model, d.Model = model, model
		}
		source := splice(root.raw(), []cut{{payload.at(), cutValue}})
		return c.emit(tenfold.Entry{ID: id, Source: source, Payload: d})
	}
	return c.keep(id, "codex.turn_context", root.raw())
}
