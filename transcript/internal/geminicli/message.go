package geminicli

import (
	"cmp"
	"strconv"

	"tenfold"
	"tenfold/transcript/internal/chatapi"
	"tenfold/transcript/internal/engine"
	"tenfold/transcript/internal/intake"
	"tenfold/transcript/internal/walk"
)

// emitNew emits a message that the history does not hold. Its source stands on
// its first entry, unless the record that brought it is kept whole.
func (g *geminiCLI) emitNew(raw []byte, m *geminiCLIMessage, sourced bool) error {
	base := g.baseID(raw, m)
	st := &geminiCLIState{id: m.id, base: base, text: geminiCLIDigest(raw, m)}
	var err error
	switch {
	case m.twice:
		g.Warn.Odd(g.line, "message")
		return g.whole(raw, m, base, sourced)
	case m.typ == "user":
		err = g.user(raw, m, st, sourced)
	case m.typ == "gemini":
		err = g.response(raw, m, st, sourced)
	default:
		err = g.whole(raw, m, base, sourced)
	}
	if err != nil || m.id == "" {
		return err
	}
	g.known[m.id] = len(g.history)
	g.history = append(g.history, st)
	return nil
}

// whole keeps a message that no model sees, unless its record is kept.
func (g *geminiCLI) whole(raw []byte, m *geminiCLIMessage, base string, sourced bool) error {
	if !sourced {
		return nil
	}
	return g.unknown(raw, m, base, cmp.Or(m.typ, "untyped"))
}

// geminiCLIWriter gives the source of a message to the first of its entries.
type geminiCLIWriter struct {
	engine.Finder
	m       *geminiCLIMessage
	sourced bool
}

// source is the message without what its entries hold.
func (w *geminiCLIWriter) source() string {
	if !w.sourced {
		return ""
	}
	w.sourced = false
	return string(walk.AppendCompact(nil, []byte(walk.SpliceIn(w.Raw, w.m.Span, w.Cuts))))
}

// whole takes any value over, on one line.
func (w *geminiCLIWriter) whole(at walk.Span) string {
	w.Cuts = append(w.Cuts, walk.Cut{Span: at, With: walk.CutValue})
	return string(walk.AppendCompact(nil, at.Of(w.Raw)))
}

func (g *geminiCLI) writer(raw []byte, m *geminiCLIMessage, sourced bool) *geminiCLIWriter {
	return &geminiCLIWriter{Finder: engine.Finder{Scan: &g.Scan, Raw: raw}, m: m, sourced: sourced}
}

// user emits what a person said, or the results that stand in a user's turn.
func (g *geminiCLI) user(raw []byte, m *geminiCLIMessage, st *geminiCLIState, sourced bool) error {
	w := g.writer(raw, m, sourced)
	var parts []tenfold.Part
	if m.Parts == nil {
		if w.IsString(m.Content) {
			parts = tenfold.Text(w.Text(m.Content))
		}
	}
	for i := range m.Parts {
		if !m.Parts[i].Response { // results stand in the message that made the calls
			parts = append(parts, w.part(&m.Parts[i]))
		}
	}
	results := g.results(w, m, st)
	if len(results) > 0 {
		results[0].Source = w.source()
	}
	for _, e := range results {
		_ = g.showIn(st, e)
	}
	if len(parts) == 0 {
		if len(results) > 0 {
			return nil
		}
		return g.whole(raw, m, st.base, sourced)
	}
	u := tenfold.UserMessage{Parts: parts}
	first := parts[0]
	st.context = len(parts) == 1 && isContextText(first.Text)
	switch {
	case len(parts) == 1 && first.File == nil && isSnapshot(first.Text) && g.Place.Opened:
		return g.snapshot(w, first.Text, st)
	case len(parts) == 1 && first.File == nil && (isSnapshot(first.Text) || first.Text == goOn):
		u.Synthetic = true
	default:
		st.prompt = true
		g.Open(st.base)
	}
	return g.showIn(st, tenfold.Entry{ID: st.base, Source: w.source(), Payload: u})
}

// showIn emits a visible entry of a message. The first one says where the
// message stands, and whether it has a turn of its own.
func (g *geminiCLI) showIn(st *geminiCLIState, e tenfold.Entry) error {
	opens := g.Over || !g.Turned
	if err := g.Show(e); err != nil || st.shown {
		return err
	}
	st.shown, st.turn, st.step = true, g.Place.Turn, g.Place.Step
	st.prompt = st.prompt || opens
	return nil
}

// results gives the results in a user's turn that no message before held.
func (g *geminiCLI) results(w *geminiCLIWriter, m *geminiCLIMessage, st *geminiCLIState) []tenfold.Entry {
	var out []tenfold.Entry
	for i := range m.Parts {
		p := &m.Parts[i]
		if !p.Response || g.answered[p.ID] {
			continue
		}
		g.answered[p.ID] = true
		st.results = append(st.results, p.ID)
		out = append(out, tenfold.Entry{
			ID:      st.base + "/result/" + strconv.Itoa(i),
			Payload: w.result(geminiCLICall{id: p.ID, Result: m.Parts[i : i+1]}),
		})
	}
	return out
}

// compression is the reason of an overlay of what Gemini CLI compressed.
const compression = "compressed in gemini-cli"

// snapshot makes an overlay of a summary: it stands for all there was.
func (g *geminiCLI) snapshot(w *geminiCLIWriter, text string, st *geminiCLIState) error {
	g.Over, st.compaction = true, st.base
	return g.Emit(tenfold.Entry{ID: st.base, Source: w.source(), Payload: engine.Summarised(g.Place.Turn, compression, text)})
}

// response emits a model's message: its thoughts, its text, its calls with all
// their results, and what it cost.
func (g *geminiCLI) response(raw []byte, m *geminiCLIMessage, st *geminiCLIState, sourced bool) error {
	w := g.writer(raw, m, sourced)
	g.ChangeModel(st.base, m.model, &g.model)
	blocks := g.blocks(w, m, st, st.base)
	if len(blocks) > 0 {
		blocks[0].Source = w.source()
	} else if err := g.whole(raw, m, st.base, sourced); err != nil {
		return err
	}
	for _, e := range blocks {
		_ = g.showIn(st, e)
	}
	return g.usage(m, st)
}

// blocks gives those entries of a message that the state does not hold yet;
// text is the id of its text.
func (g *geminiCLI) blocks(w *geminiCLIWriter, m *geminiCLIMessage, st *geminiCLIState, text string) []tenfold.Entry {
	var out, results []tenfold.Entry
	add := func(list *[]tenfold.Entry, id string, p tenfold.Payload) {
		*list = append(*list, tenfold.Entry{ID: id, MessageID: st.base, Payload: p})
	}
	for i := len(st.thoughts); i < len(m.Thoughts); i++ {
		t := m.Thoughts[i]
		st.thoughts = append(st.thoughts, geminiCLIThoughtDigest(w.Raw, t))
		add(&out, st.base+"/thought/"+strconv.Itoa(i), tenfold.Reasoning{Text: geminiCLIThoughtText(t.Subject, w.Text(t.Description))})
	}
	if !st.shown || st.text == "" {
		st.text = geminiCLIDigest(w.Raw, m)
		if m.Parts != nil {
			for i := range m.Parts {
				for _, p := range w.modelPart(&m.Parts[i], m.Calls) {
					add(&out, intake.BlockID(text, len(out)), p)
				}
			}
		} else if w.IsString(m.Content) && len(m.Content.Of(w.Raw)) > 2 {
			add(&out, text, tenfold.AssistantMessage{Text: w.Text(m.Content)})
		}
	}
	for i, c := range m.Calls {
		if i == len(st.calls) {
			args := "{}"
			cs := geminiCLICallState{id: c.id}
			if c.Args.Found() {
				cs.arguments = intake.Digest(c.Args.Of(w.Raw))
				args = w.whole(c.Args)
			}
			st.calls = append(st.calls, cs)
			add(&out, st.base+"/call/"+strconv.Itoa(i), tenfold.ToolCall{CallID: c.id, Name: c.name, Arguments: args})
		}
		if st.calls[i].result == "" && len(c.Result) > 0 {
			st.calls[i].result = geminiCLIResultDigest(w.Raw, c)
			st.calls[i].parts = geminiCLIResultDigest(w.Raw, geminiCLICall{Result: c.Result})
			g.answered[c.id] = true
			add(&results, st.base+"/result/"+strconv.Itoa(i), w.result(c))
		}
	}
	return append(out, results...)
}

func (g *geminiCLI) usage(m *geminiCLIMessage, st *geminiCLIState) error {
	u, counted := m.tokens.usage(g.model)
	if st.usage || !counted {
		return nil
	}
	st.usage = true
	return g.Emit(tenfold.Entry{ID: st.base + "/usage", MessageID: st.base, Payload: u})
}

// geminiCLIThoughtText words a thought as the model's provider does.
func geminiCLIThoughtText(subject, description string) string {
	if subject == "" {
		return description
	}
	return "**" + subject + "**\n" + description
}

// result reads the result of a call: the text of its response, and what else
// the tool gave.
func (w *geminiCLIWriter) result(c geminiCLICall) tenfold.ToolResult {
	r := tenfold.ToolResult{CallID: c.id, IsError: c.status == "error"}
	if c.status == "cancelled" {
		r.Outcome = tenfold.Failed
	}
	for i := range c.Result {
		p := &c.Result[i]
		switch {
		case p.Response && p.Output.Found():
			r.Parts = append(r.Parts, tenfold.TextPart(w.Text(p.Output)))
		case p.Response && p.Failure.Found():
			r.IsError = true
			r.Parts = append(r.Parts, tenfold.TextPart(w.Text(p.Failure)))
		case p.Response && p.Answer.Found():
			r.Parts = append(r.Parts, tenfold.TextPart(w.whole(p.Answer)))
		case p.Response:
		default:
			r.Parts = append(r.Parts, w.part(p))
		}
	}
	return r
}

// part reads a part of a user's message or of a result.
func (w *geminiCLIWriter) part(p *chatapi.GeminiPart) tenfold.Part {
	if part, ok := p.Given(&w.Finder); ok {
		return part
	}
	return tenfold.Part{File: &tenfold.File{Type: tenfold.PartFile, Detail: w.whole(p.Span)}}
}

// modelPart reads a part of a model's message; a call stands among the tool
// calls too, as a rule.
func (w *geminiCLIWriter) modelPart(p *chatapi.GeminiPart, calls []geminiCLICall) []tenfold.Payload {
	var out []tenfold.Payload
	if w.IsString(p.Signature) && len(p.Signature.Of(w.Raw)) > 2 && !p.Thought {
		out = append(out, tenfold.Reasoning{Provider: "gemini", Signature: w.Text(p.Signature), CallID: p.ID})
	}
	switch {
	case p.Call:
		for _, c := range calls {
			if c.id == p.ID {
				return out
			}
		}
		args := "{}"
		if p.Args.Found() {
			args = w.whole(p.Args)
		}
		return append(out, tenfold.ToolCall{CallID: p.ID, Name: p.Name, Arguments: args})
	case w.IsString(p.Text) && p.Thought:
		return append(out, tenfold.Reasoning{Text: w.Text(p.Text)})
	case w.IsString(p.Text):
		if len(p.Text.Of(w.Raw)) == 2 {
			return out
		}
		return append(out, tenfold.AssistantMessage{Text: w.Text(p.Text)})
	}
	return append(out, tenfold.ProviderItem{Provider: "gemini", Role: "assistant", Data: w.whole(p.Span)})
}

// geminiCLIDigest tells contents apart; "" is that of a message without any.
func geminiCLIDigest(raw []byte, m *geminiCLIMessage) string {
	var text []byte
	switch {
	case m.Parts != nil:
		for i := range m.Parts {
			if m.worded && (m.Parts[i].Call || m.Parts[i].Thought) {
				continue
			}
			text = walk.AppendCompact(append(text, ','), m.Parts[i].Of(raw))
		}
	case m.Content.Found():
		// A text is what one part with it is: either form may come again.
		text = append(append([]byte(`,{"text":`), m.Content.Of(raw)...), '}')
	}
	if len(text) == 0 || string(text) == `,{"text":""}` {
		return ""
	}
	return intake.Digest(text)
}

func geminiCLIThoughtDigest(raw []byte, t geminiCLIThought) string {
	if !t.Description.Found() {
		return intake.Digest([]byte(t.Subject))
	}
	return intake.Digest(append([]byte(t.Subject+"\n"), t.Description.Of(raw)...))
}

func geminiCLIResultDigest(raw []byte, c geminiCLICall) string {
	text := []byte(c.status)
	for i := range c.Result {
		text = walk.AppendCompact(text, c.Result[i].Of(raw))
	}
	return intake.Digest(text)
}
