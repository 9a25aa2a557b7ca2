package transcript

import (
	"strconv"
	"strings"

	"tenfold"
)

// fresh emits a message that the history does not hold. Its source stands on
// its first entry, unless the record that brought it is kept whole.
func (g *geminiCLI) fresh(raw []byte, m *geminiCLIMessage, sourced bool) error {
	base := g.base(raw, m)
	st := &geminiCLIState{id: m.id, base: base, text: geminiCLIDigest(raw, m)}
	var err error
	switch {
	case m.twice:
		g.warn.add(g.line, "message could not be understood and was kept as it is", "messages could not be understood and were kept as they are")
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
	name := m.typ
	if name == "" {
		name = "untyped"
	}
	return g.unknown(raw, m, base, name)
}

// geminiCLIWriter gives the source of a message to the first of its entries.
type geminiCLIWriter struct {
	contentWriter
	m       *geminiCLIMessage
	sourced bool
}

// source is the message without what its entries hold.
func (w *geminiCLIWriter) source() string {
	if !w.sourced {
		return ""
	}
	w.sourced = false
	cuts := make([]cut, len(w.cuts))
	for i, c := range w.cuts {
		cuts[i] = cut{span{c.from - w.m.from, c.to - w.m.from}, c.with}
	}
	return string(appendCompact(nil, []byte(splice(w.m.of(w.raw), cuts))))
}

// whole takes any value over, on one line.
func (w *geminiCLIWriter) whole(at span) string {
	w.cuts = append(w.cuts, cut{at, cutValue})
	return string(appendCompact(nil, at.of(w.raw)))
}

func (g *geminiCLI) writer(raw []byte, m *geminiCLIMessage, sourced bool) *geminiCLIWriter {
	return &geminiCLIWriter{contentWriter: contentWriter{scan: &g.scan, raw: raw}, m: m, sourced: sourced}
}

// user emits what a person said, or the results that stand in a user's turn.
func (g *geminiCLI) user(raw []byte, m *geminiCLIMessage, st *geminiCLIState, sourced bool) error {
	w := g.writer(raw, m, sourced)
	var parts []tenfold.Part
	if m.parts == nil {
		if w.isString(m.content) {
			parts = tenfold.Text(w.text(m.content))
		}
	}
	for i := range m.parts {
		if !m.parts[i].response { // results stand in the message that made the calls
			parts = append(parts, w.part(&m.parts[i]))
		}
	}
	results := g.results(w, m, st)
	if len(results) > 0 {
		results[0].Source = w.source()
	}
	for _, e := range results {
		if err := g.showIn(st, e); err != nil {
			return err
		}
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
	case len(parts) == 1 && first.File == nil && isSnapshot(first.Text) && g.place.opened:
		return g.snapshot(w, first.Text, st)
	case len(parts) == 1 && first.File == nil && (isSnapshot(first.Text) || first.Text == goOn):
		u.Synthetic = true
	default:
		g.over, st.prompt = false, true
		if err := g.turn(st.base); err != nil {
			return err
		}
	}
	return g.showIn(st, tenfold.Entry{ID: st.base, Source: w.source(), Payload: u})
}

// showIn emits a visible entry of a message. The first one says where the
// message stands, and whether it has a turn of its own.
func (g *geminiCLI) showIn(st *geminiCLIState, e tenfold.Entry) error {
	opens := g.over || !g.turned
	if err := g.show(e); err != nil || st.shown {
		return err
	}
	st.shown, st.turn, st.step = true, g.place.turn, g.place.step
	st.prompt = st.prompt || opens
	return nil
}

func (g *geminiCLI) changeModel(m *geminiCLIMessage, id string) error {
	if m.model == "" || m.model == g.model {
		return nil
	}
	g.model = m.model
	return g.emit(tenfold.Entry{ID: id + "/model", Payload: tenfold.ConfigDelta{Model: m.model}})
}

// results gives the results in a user's turn that no message before held.
func (g *geminiCLI) results(w *geminiCLIWriter, m *geminiCLIMessage, st *geminiCLIState) []tenfold.Entry {
	var out []tenfold.Entry
	for i := range m.parts {
		p := &m.parts[i]
		if !p.response || g.answered[p.id] {
			continue
		}
		g.answered[p.id] = true
		st.results = append(st.results, p.id)
		out = append(out, tenfold.Entry{
			ID:      st.base + "/result/" + strconv.Itoa(i),
			Payload: w.result(geminiCLICall{id: p.id, result: m.parts[i : i+1]}),
		})
	}
	return out
}

// snapshot makes an overlay of a summary: it stands for all there was.
func (g *geminiCLI) snapshot(w *geminiCLIWriter, text string, st *geminiCLIState) error {
	o := tenfold.Compaction{
		ToTurn: g.place.turn, Source: "import", Reason: "compressed in gemini-cli",
		Summary: &tenfold.Summary{Text: text, Placement: tenfold.PlaceMessage},
	}
	g.over, st.compaction = true, st.base
	return g.emit(tenfold.Entry{ID: st.base, Source: w.source(), Payload: o})
}

// response emits a model's message: its thoughts, its text, its calls with all
// their results, and what it cost.
func (g *geminiCLI) response(raw []byte, m *geminiCLIMessage, st *geminiCLIState, sourced bool) error {
	w := g.writer(raw, m, sourced)
	if err := g.changeModel(m, st.base); err != nil {
		return err
	}
	blocks := g.blocks(w, m, st, st.base)
	if len(blocks) > 0 {
		blocks[0].Source = w.source()
	} else if err := g.whole(raw, m, st.base, sourced); err != nil {
		return err
	}
	for _, e := range blocks {
		if err := g.showIn(st, e); err != nil {
			return err
		}
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
	for i := len(st.thoughts); i < len(m.thoughts); i++ {
		t := m.thoughts[i]
		st.thoughts = append(st.thoughts, geminiCLIThoughtDigest(w.raw, t))
		said := ""
		if w.isString(t.description) {
			said = w.text(t.description)
		}
		add(&out, st.base+"/thought/"+strconv.Itoa(i), tenfold.Reasoning{Text: geminiCLIThoughtText(t.subject, said)})
	}
	if !st.shown || st.text == "" {
		st.text = geminiCLIDigest(w.raw, m)
		if m.parts != nil {
			for i := range m.parts {
				for _, p := range w.modelPart(&m.parts[i], m.calls) {
					add(&out, blockID(text, len(out)), p)
				}
			}
		} else if w.isString(m.content) && len(m.content.of(w.raw)) > 2 {
			add(&out, text, tenfold.AssistantMessage{Text: w.text(m.content)})
		}
	}
	for i, c := range m.calls {
		if i == len(st.calls) {
			args := "{}"
			cs := geminiCLICallState{id: c.id}
			if c.args.found() {
				cs.arguments = digest(c.args.of(w.raw))
				args = w.whole(c.args)
			}
			st.calls = append(st.calls, cs)
			add(&out, st.base+"/call/"+strconv.Itoa(i), tenfold.ToolCall{CallID: c.id, Name: c.name, Arguments: args})
		}
		if st.calls[i].result == "" && len(c.result) > 0 {
			st.calls[i].result = geminiCLIResultDigest(w.raw, c)
			st.calls[i].parts = geminiCLIResultDigest(w.raw, geminiCLICall{result: c.result})
			g.answered[c.id] = true
			add(&results, st.base+"/result/"+strconv.Itoa(i), w.result(c))
		}
	}
	return append(out, results...)
}

func (g *geminiCLI) usage(m *geminiCLIMessage, st *geminiCLIState) error {
	t := m.tokens
	if !t.found || st.usage || t.input|t.output|t.thoughts|t.tool == 0 {
		return nil
	}
	st.usage = true
	return g.emit(tenfold.Entry{ID: st.base + "/usage", MessageID: st.base, Payload: tenfold.Usage{
		Model: g.model, Input: max(t.input+t.tool-t.cached, 0), Output: t.output + t.thoughts, CacheRead: t.cached,
	}})
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
	for i := range c.result {
		p := &c.result[i]
		switch {
		case p.response && p.output.found():
			r.Parts = append(r.Parts, tenfold.TextPart(w.text(p.output)))
		case p.response && p.fault.found():
			r.IsError = true
			r.Parts = append(r.Parts, tenfold.TextPart(w.text(p.fault)))
		case p.response && p.body.found():
			r.Parts = append(r.Parts, tenfold.TextPart(w.whole(p.body)))
		case p.response:
		default:
			r.Parts = append(r.Parts, w.part(p))
		}
	}
	return r
}

// part reads a part of a user's message or of a result.
func (w *geminiCLIWriter) part(p *geminiCLIPart) tenfold.Part {
	file := &tenfold.File{Type: tenfold.PartFile, MediaType: p.mediaType}
	if strings.HasPrefix(p.mediaType, "image/") {
		file.Type = tenfold.PartImage
	}
	switch {
	case w.isString(p.text):
		return tenfold.TextPart(w.text(p.text))
	case w.isString(p.data):
		file.URI = "data:" + p.mediaType + ";base64," + w.text(p.data)
		return tenfold.Part{File: file}
	case p.uri != "":
		file.URI = p.uri
		return tenfold.Part{File: file}
	}
	return tenfold.Part{File: &tenfold.File{Type: tenfold.PartFile, Detail: w.whole(p.span)}}
}

// modelPart reads a part of a model's message; a call stands among the tool
// calls too, as a rule.
func (w *geminiCLIWriter) modelPart(p *geminiCLIPart, calls []geminiCLICall) []tenfold.Payload {
	var out []tenfold.Payload
	if w.isString(p.signature) && len(p.signature.of(w.raw)) > 2 && !p.thought {
		out = append(out, tenfold.Reasoning{Provider: "gemini", Signature: w.text(p.signature), CallID: p.id})
	}
	switch {
	case p.call:
		for _, c := range calls {
			if c.id == p.id {
				return out
			}
		}
		args := "{}"
		if p.args.found() {
			args = w.whole(p.args)
		}
		return append(out, tenfold.ToolCall{CallID: p.id, Name: p.name, Arguments: args})
	case w.isString(p.text) && p.thought:
		return append(out, tenfold.Reasoning{Text: w.text(p.text)})
	case w.isString(p.text):
		if len(p.text.of(w.raw)) == 2 {
			return out
		}
		return append(out, tenfold.AssistantMessage{Text: w.text(p.text)})
	}
	return append(out, tenfold.ProviderItem{Provider: "gemini", Role: "assistant", Data: w.whole(p.span)})
}

// geminiCLIDigest tells contents apart; "" is that of a message without any.
func geminiCLIDigest(raw []byte, m *geminiCLIMessage) string {
	var text []byte
	switch {
	case m.parts != nil:
		for i := range m.parts {
			if m.worded && (m.parts[i].call || m.parts[i].thought) {
				continue
			}
			text = appendCompact(append(text, ','), m.parts[i].of(raw))
		}
	case m.content.found():
		// A text is what one part with it is: either form may come again.
		text = append(append([]byte(`,{"text":`), m.content.of(raw)...), '}')
	}
	if len(text) == 0 || string(text) == `,{"text":""}` {
		return ""
	}
	return digest(text)
}

func geminiCLIThoughtDigest(raw []byte, t geminiCLIThought) string {
	if !t.description.found() {
		return digest([]byte(t.subject))
	}
	return digest(append([]byte(t.subject+"\n"), t.description.of(raw)...))
}

func geminiCLIResultDigest(raw []byte, c geminiCLICall) string {
	text := []byte(c.status)
	for i := range c.result {
		text = appendCompact(text, c.result[i].of(raw))
	}
	return digest(text)
}
