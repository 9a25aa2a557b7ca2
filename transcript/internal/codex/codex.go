package codex

import (
	"context"
	"errors"
	"slices"
	"strconv"

	"tenfold"
	"tenfold/transcript/internal/chatapi"
	"tenfold/transcript/internal/engine"
	"tenfold/transcript/internal/intake"
	"tenfold/transcript/internal/walk"
)

func Handler() engine.Handler {
	return engine.Handler{
		Format: intake.Codex, About: "Codex rollout files",
		Recognise: recognise, Import: importFile, Export: export, Client: &client,
		Homes: []string{".codex/sessions", ".codex/archived_sessions"}, HomeEnv: "CODEX_HOME",
		Sessions: []string{"*/*/*/rollout-*.jsonl", "rollout-*.jsonl"}, Ran: [][]string{{"payload", "cwd"}}, Agent: isAgent,
	}
}

// codexLines are the types of a rollout's lines that tell the format.
var codexLines = [...]string{"session_meta", "response_item", "turn_context", "event_msg", "compacted"}

func recognise(h intake.Head) intake.Confidence {
	if h.JSON.Shape != intake.ShapeLines || len(h.JSON.Objects) == 0 {
		return intake.No
	}
	bare := false
	for i, o := range h.JSON.Objects {
		if o.Has("type", "payload") && slices.Contains(codexLines[:], o.Values["type"]) {
			if o.Has("timestamp") {
				return intake.Certain
			}
			return intake.Likely
		}
		if i == 0 {
			bare = !o.Has("type") && o.Has("id", "timestamp") && (o.Has("instructions") || o.Has("git"))
			continue
		}
		if bare && (o.Values["record_type"] == "state" || chatapi.ResponsesMark(o)) {
			return intake.Certain
		}
	}
	if bare {
		return intake.Likely
	}
	return intake.No
}

// importFile reads a rollout, with what stands before it in those of the sessions that
// it was forked from.
func importFile(ctx context.Context, src intake.Source, sink intake.Sink) error {
	c := codex{
		ItemTurns: chatapi.ItemTurns{Emitter: engine.Emitter{Sink: sink, Place: &engine.RootLog{}}},
		r:         intake.NewLineReader(ctx, src), pinned: map[string]int{}, shown: map[[32]byte][]int32{},
	}
	c.Conv.Format = intake.Codex
	c.items.Scan = &walk.Scanner{Cost: walk.PlaceCost}
	err := c.records(c.r, func() error {
		if c.Conv.ID == "" {
			c.name(src)
		}
		c.first = c.r.Count == 1
		id := c.lineID()
		f, isFork := forkedFrom(c.root)
		if !c.first || !isFork {
			return c.line(id)
		}
		file := f.before(src.Siblings)
		if file == nil {
			c.missing()
			return c.line(id)
		}
		c.root = c.items.Read(withoutBase(slices.Clone(c.items.Raw), c.root.Object("payload")))
		if err := c.line(id); err != nil {
			return errors.Join(err, file.Close())
		}
		c.first = false
		return c.session(ctx, src.Siblings, f, file, 0)
	})
	if err != nil {
		return err
	}
	if !c.Begun {
		return c.r.Problem(intake.Codex, errors.New("there is no line in it"), "was the session saved?")
	}
	return c.End()
}

// records has a function take the lines of a rollout, as the root.
func (c *codex) records(r *intake.LineReader, take func() error) error {
	return r.Records(intake.Codex, func(raw []byte) error {
		c.root = c.items.Read(raw)
		return c.items.Scan.Err
	}, take)
}

// lineID numbers a line, and tells it by its time: one that was written again may
// have other escapes.
func (c *codex) lineID() string {
	tells := c.items.Raw
	if at := c.root.Get("timestamp"); at.Found() {
		tells = at.Of(tells)
	}
	return intake.Numbered("line-"+strconv.Itoa(c.r.Count+c.before), tells)
}

// codex reads one rollout.
type codex struct {
	chatapi.ItemTurns
	r     *intake.LineReader
	items chatapi.ItemReader
	root  engine.Members // of the line

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
func (c *codex) name(src intake.Source) {
	meta := c.root
	if p := c.root.Object("payload"); p.Any() && c.root.Peek("type") == "session_meta" {
		meta = p
	} else if c.root.Get("type").Found() {
		meta = engine.Members{}
	}
	if id := meta.Peek("id"); id != "" {
		c.Conv.ID, c.Conv.Named = intake.ConversationID(id), true
	} else {
		c.Conv.ID = intake.ContentID(src.Name, intake.Codex, c.items.Raw)
	}
	c.At(engine.ReadTime(meta.Peek("timestamp")))
}

// line turns one line into entries.
func (c *codex) line(id string) error {
	c.At(engine.ReadTime(c.root.Peek("timestamp")))
	typ, at := c.root.Peek("type"), c.root.Get("payload")
	isObject := c.items.Is(c.items.Root(), '{')
	if isObject && !at.Found() {
		return c.bare(typ, id)
	}
	if !isObject || !c.items.Is(at, '{') {
		return c.keepUnknown(id, "codex.untyped")
	}
	switch payload := c.items.Object(at); typ {
	case "response_item":
		return c.item(at, id)
	case "event_msg":
		return c.event(payload, id)
	case "turn_context":
		return c.settings(payload, at, id)
	case "session_meta":
		return c.meta(payload, id)
	case "compacted":
		return c.compacted(payload, id)
	case "":
		return c.keepUnknown(id, "codex.untyped")
	}
	return c.keep(id, tenfold.Kind("codex."+typ))
}

// bare reads a line of an old rollout: a first line about the session, then
// items as they are, and between them the state of the session.
func (c *codex) bare(typ, id string) error {
	switch {
	case c.items.IsString(c.root.Get("record_type")):
		return c.keep(id, "codex."+tenfold.Kind(c.root.Peek("record_type")))
	case typ == "" && c.items.IsString(c.root.Get("id")) && c.first:
		return c.keep(id, "codex.session_meta")
	case typ == "":
		return c.keepUnknown(id, "codex.untyped")
	}
	return c.item(c.items.Root(), id)
}

// keep keeps the line whole.
func (c *codex) keep(id string, name tenfold.Kind) error { return c.Keep(id, name, c.items.Raw) }

// keepUnknown keeps a line whose shape is not understood.
func (c *codex) keepUnknown(id string, name tenfold.Kind) error {
	c.Warn.Odd(c.r.Number, "line")
	return c.keep(id, name)
}

// item turns an item of the model's history into entries.
func (c *codex) item(at walk.Span, id string) error {
	c.items.Odd = false
	payloads := c.items.Item(at)
	if c.items.Odd {
		c.Warn.Add(c.r.Number, "item holds something that is not understood: it is kept, and no model sees it",
			"items hold something that is not understood: it is kept, and no model sees it")
	}
	if len(payloads) == 0 || c.items.Twice {
		name := tenfold.Kind("codex." + c.items.Peek(c.items.In(at, "type")))
		if c.items.Twice {
			return c.keepUnknown(id, name)
		}
		return c.keep(id, name)
	}
	for i, p := range payloads {
		if r, ok := p.(tenfold.ToolResult); ok && r.Outcome == "" {
			r.Outcome = c.ended[r.CallID]
			payloads[i] = r
		}
	}
	entries := intake.Entries(id, "", c.items.Done(), payloads)
	_ = c.Show(id, entries)
	c.noteShown(c.items.Peek(c.items.In(at, "role")), entries)
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
func (c *codex) meta(payload engine.Members, id string) error {
	base := baseInstructions(&c.items.Finder, payload)
	if !c.first || !c.items.IsString(base) || c.items.Twice {
		return c.keep(id, "codex.session_meta")
	}
	system := c.items.Text(base)
	return c.Emit(tenfold.Entry{ID: id, Source: c.items.Done(), Payload: tenfold.ConfigDelta{System: &system}})
}

// baseInstructions is where the line about a session has its system prompt.
func baseInstructions(f *engine.Finder, payload engine.Members) walk.Span {
	base := payload.Get("base_instructions")
	if f.Is(base, '{') {
		base = f.In(base, "text")
	}
	return base
}

// settings reads the settings of a turn. They come with each turn: only what
// changed is a change of the configuration.
func (c *codex) settings(payload engine.Members, at walk.Span, id string) error {
	var same []byte
	for _, m := range payload.List {
		if string(m.Name) != `"turn_id"` {
			same = append(append(append(same, m.Name...), m.At.Of(c.items.Raw)...), 0)
		}
	}
	model := payload.Peek("model")
	now := intake.Digest(same)
	if c.items.Twice || now == c.context {
		return c.keep(id, "codex.turn_context")
	}
	c.context = now
	d := tenfold.ConfigDelta{}
	if model != "" && model != c.model {
		c.model, d.Model = model, model
	}
	d.Extra = c.items.Whole(at)
	return c.Emit(tenfold.Entry{ID: id, Source: c.items.Done(), Payload: d})
}
