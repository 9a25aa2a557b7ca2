package codex

import (
	"context"
	"errors"
	"slices"
	"strconv"

	"tenfold"
	"tenfold/transcript/internal/chatapi"
	"tenfold/transcript/internal/engine"
	"tenfold/transcript/internal/walk"
)

func Handler() engine.Handler {
	return engine.Handler{
		Format: engine.Codex, About: "Codex rollout files",
		Recognise: recognise, Import: importFile, Export: export, Client: &client,
		Homes: []string{".codex/sessions", ".codex/archived_sessions"}, HomeEnv: "CODEX_HOME",
		Sessions: []string{"*/*/*/rollout-*.jsonl", "rollout-*.jsonl"}, Ran: [][]string{{"payload", "cwd"}}, Agent: isAgent,
	}
}

// codexLines are the types of a rollout's lines that tell the format.
var codexLines = [...]string{"session_meta", "response_item", "turn_context", "event_msg", "compacted"}

func recognise(h engine.Head) engine.Confidence {
	if h.JSON.Shape != engine.ShapeLines || len(h.JSON.Objects) == 0 {
		return engine.No
	}
	bare := false
	for i, o := range h.JSON.Objects {
		if o.Has("type", "payload") && slices.Contains(codexLines[:], o.Values["type"]) {
			if o.Has("timestamp") {
				return engine.Certain
			}
			return engine.Likely
		}
		if i == 0 {
			bare = !o.Has("type") && o.Has("id", "timestamp") && (o.Has("instructions") || o.Has("git"))
			continue
		}
		if bare && (o.Values["record_type"] == "state" || chatapi.ResponsesMark(o)) {
			return engine.Certain
		}
	}
	if bare {
		return engine.Likely
	}
	return engine.No
}

// importFile reads a rollout, with what stands before it in those of the sessions that
// it was forked from.
func importFile(ctx context.Context, src engine.Source, sink engine.Sink) error {
	c := codex{
		ItemTurns: chatapi.ItemTurns{Emitter: engine.Emitter{Sink: sink, Place: &engine.RootLog{}}},
		r:         engine.NewLineReader(ctx, src), pinned: map[string]int{}, shown: map[[32]byte][]int32{},
	}
	c.Conv.Format = engine.Codex
	c.items.Scan, c.scan.Cost = &c.scan, walk.PlaceCost
	var root walk.Node
	var line []byte
	err := c.r.Records(engine.Codex, func(raw []byte) error {
		line = raw
		root = c.tree.Read(&c.scan, raw)
		return c.scan.Err
	}, func() error {
		if c.Conv.ID == "" {
			c.name(root, src)
		}
		c.first = c.r.Count == 1
		id := engine.Numbered(codexLineID(c.r.Count+c.before), codexTells(root, line))
		f, isFork := forkedFrom(root)
		if !c.first || !isFork {
			return c.line(root, id)
		}
		file := f.before(src.Siblings)
		if file == nil {
			c.missing()
			return c.line(root, id)
		}
		root = c.tree.Read(&c.scan, withoutBase(slices.Clone(line), root))
		if err := c.line(root, id); err != nil {
			return errors.Join(err, file.Close())
		}
		c.first = false
		return c.session(ctx, src.Siblings, f, file, 0)
	})
	if err != nil {
		return err
	}
	if !c.Begun {
		return c.r.Problem(engine.Codex, errors.New("there is no line in it"), "was the session saved?")
	}
	return c.End()
}

func codexLineID(number int) string { return "line-" + strconv.Itoa(number) }

// codexTells is what of a line its id is made of: its time, since a line that was
// written again may have other escapes.
func codexTells(root walk.Node, line []byte) []byte {
	if at := root.Get("timestamp"); at.Found() {
		return at.Raw()
	}
	return line
}

// codex reads one rollout.
type codex struct {
	chatapi.ItemTurns
	r     *engine.LineReader
	scan  walk.Scanner
	tree  walk.Tree
	items chatapi.ItemReader

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
	// ended is how calls ended, as events tell.
	ended map[string]tenfold.Outcome

	// visible are the messages before, for compactions: what is kept of them
	// is named by the ids of its entries. Shown finds them by content.
	visible []codexMessage
	shown   map[[32]byte][]int32
	pinned  map[string]int // id of an entry, turn it stands in
	prompts []int          // turns that a person opened
}

// name finds what the conversation is called: the first line says it. Forks
// and sub-agents copy the first lines of other sessions in behind it.
func (c *codex) name(root walk.Node, src engine.Source) {
	meta := root
	if p := root.Get("payload"); p.Kind() == '{' && root.Text("type") == "session_meta" {
		meta = p
	} else if root.Get("type").Found() {
		meta = walk.Node{}
	}
	if id := meta.Text("id"); id != "" {
		c.Conv.ID, c.Conv.Named = engine.ConversationID(id), true
	} else {
		c.Conv.ID = engine.ContentID(src.Name, engine.Codex, root.Raw())
	}
	c.At(engine.ReadTime(meta.Text("timestamp")))
}

// line turns one line into entries.
func (c *codex) line(root walk.Node, id string) error {
	c.At(engine.ReadTime(root.Text("timestamp")))
	typ, payload := root.Text("type"), root.Get("payload")
	if root.Kind() == '{' && !payload.Found() {
		return c.bare(root, typ, id)
	}
	if root.Kind() != '{' || payload.Kind() != '{' {
		return c.keepUnknown(root, id, "codex.untyped")
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
		return c.keepUnknown(root, id, "codex.untyped")
	}
	return c.Keep(id, tenfold.Kind("codex."+typ), root.Raw())
}

// bare reads a line of an old rollout: a first line about the session, then
// items as they are, and between them the state of the session.
func (c *codex) bare(root walk.Node, typ, id string) error {
	switch {
	case root.Get("record_type").IsText():
		return c.Keep(id, "codex."+tenfold.Kind(root.Text("record_type")), root.Raw())
	case typ == "" && root.Get("id").IsText() && c.first:
		return c.Keep(id, "codex.session_meta", root.Raw())
	case typ == "":
		return c.keepUnknown(root, id, "codex.untyped")
	}
	return c.item(root, root, id)
}

// keepUnknown keeps a line whose shape is not understood.
func (c *codex) keepUnknown(root walk.Node, id string, name tenfold.Kind) error {
	c.Warn.Odd(c.r.Number, "line")
	return c.Keep(id, name, root.Raw())
}

// item turns an item of the model's history into entries.
func (c *codex) item(root, payload walk.Node, id string) error {
	c.items.Cuts, c.items.Odd = c.items.Cuts[:0], false
	payloads := c.items.Item(payload)
	if c.items.Odd {
		c.Warn.Add(c.r.Number, "item holds something that is not understood: it is kept, and no model sees it",
			"items hold something that is not understood: it is kept, and no model sees it")
	}
	if len(payloads) == 0 || c.tree.Twice {
		name := tenfold.Kind("codex." + payload.Text("type"))
		if c.tree.Twice {
			return c.keepUnknown(root, id, name)
		}
		return c.Keep(id, name, root.Raw())
	}
	for i, p := range payloads {
		if r, ok := p.(tenfold.ToolResult); ok && r.Outcome == "" {
			r.Outcome = c.ended[r.CallID]
			payloads[i] = r
		}
	}
	entries := engine.Entries(id, "", walk.Splice(root.Raw(), c.items.Cuts), payloads)
	_ = c.Show(id, entries)
	c.noteShown(payload.Text("role"), entries)
	return nil
}

// noteShown notes what was shown.
func (c *codex) noteShown(role string, entries []tenfold.Entry) {
	m := codexMessage{turn: c.Place.Turn}
	switch p := entries[0].Payload.(type) {
	case tenfold.UserMessage:
		m.typed = p.IsRequest()
		if !p.Synthetic {
			c.prompts = append(c.prompts, c.Place.Turn)
		}
	case tenfold.AssistantMessage:
		c.answered = true
	default:
		c.answered = c.answered || p.Kind() != tenfold.KindToolResult
		return
	}
	for _, e := range entries {
		m.ids = append(m.ids, e.ID)
	}
	key := messageKey(role, entries)
	c.shown[key] = append(c.shown[key], int32(len(c.visible))) //nolint:gosec // an import has far fewer entries
	c.visible = append(c.visible, m)
}

// meta reads what a line says about the session: the first names it. Its
// instructions are the system prompt.
func (c *codex) meta(root, payload walk.Node, id string) error {
	c.items.Cuts = c.items.Cuts[:0]
	base := payload.Get("base_instructions")
	if base.Kind() == '{' {
		base = base.Get("text")
	}
	if !c.first || !base.IsText() || c.tree.Twice {
		return c.Keep(id, "codex.session_meta", root.Raw())
	}
	system := c.items.Text(base)
	return c.Emit(tenfold.Entry{ID: id, Source: walk.Splice(root.Raw(), c.items.Cuts), Payload: tenfold.ConfigDelta{System: &system}})
}

// settings reads the settings of a turn. They come with each turn: only what
// changed is a change of the configuration.
func (c *codex) settings(root, payload walk.Node, id string) error {
	var same []byte
	for m := payload.First(); m.Found(); m = m.Next() {
		if name := c.tree.Nodes[m.I].Name.Of(c.tree.Raw); string(name) != `"turn_id"` {
			same = append(append(append(same, name...), m.Raw()...), 0)
		}
	}
	model := payload.Text("model")
	if now := engine.Digest(same); !c.tree.Twice && now != c.context {
		c.context = now
		d := tenfold.ConfigDelta{Extra: string(payload.Raw())}
		if model != "" && model != c.model {
			c.model, d.Model = model, model
		}
		source := walk.Splice(root.Raw(), []walk.Cut{{Span: payload.At(), With: walk.CutValue}})
		return c.Emit(tenfold.Entry{ID: id, Source: source, Payload: d})
	}
	return c.Keep(id, "codex.turn_context", root.Raw())
}
