package pi

import (
	"strconv"
	"strings"

	"tenfold"
	"tenfold/transcript/internal/engine"
	"tenfold/transcript/internal/intake"
	"tenfold/transcript/internal/walk"
)

// message turns a message into entries.
func (p *pi) message(r *Record, id string) error {
	m := &r.Msg
	w := engine.Finder{Scan: &p.Scan, Raw: r.raw}
	switch m.role {
	case "user":
		if parts, ok := piParts(&w, m); ok && len(parts) > 0 {
			p.Open(id)
			return p.show(tenfold.Entry{ID: id, Source: w.Done(), Payload: tenfold.UserMessage{Parts: parts}})
		}
	case "custom", "hookMessage":
		if parts, ok := piParts(&w, m); ok && len(parts) > 0 {
			return p.showSynthetic(r, id, tenfold.Notice, parts, w.Cuts)
		}
	case "bashExecution":
		if !m.excluded {
			return p.showSynthetic(r, id, tenfold.Notice, tenfold.Text(m.bashText()), nil)
		}
		return p.unknown(r, id)
	case "branchSummary", "compactionSummary":
		return p.unknown(r, id) // stands in the tree already
	case "toolResult":
		if parts, ok := piParts(&w, m); ok {
			return p.show(tenfold.Entry{ID: id, Source: w.Done(), Payload: tenfold.ToolResult{CallID: m.call, Parts: parts, IsError: m.isError}})
		}
	case "assistant":
		return p.assistant(r, id)
	case "system":
		return p.system(r, id)
	}
	if m.content.Found() || m.role == "" || m.blocks != nil {
		p.Warn.Odd(r.line, "message")
	}
	return p.unknown(r, id)
}

// show hands on an entry that a model sees, and notes whose it is.
func (p *pi) show(e tenfold.Entry) error {
	n := &p.nodes[len(p.nodes)-1]
	_, user := e.Payload.(tenfold.UserMessage)
	_, result := e.Payload.(tenfold.ToolResult)
	n.shown, n.user, n.reply = true, user, !user && !result
	return p.Show(e)
}

// showSynthetic emits a message that no person wrote to the model: what a command of the
// person's printed, what an extension said, or a summary.
func (p *pi) showSynthetic(r *Record, id string, is tenfold.Purpose, parts []tenfold.Part, cuts []walk.Cut) error {
	u := tenfold.UserMessage{Parts: parts, Purpose: is, Synthetic: true}
	return p.show(tenfold.Entry{ID: id, Source: walk.Splice(r.raw, cuts), Payload: u})
}

// assistant emits the blocks of a response, then its usage.
func (p *pi) assistant(r *Record, id string) error {
	m := &r.Msg
	w := engine.Finder{Scan: &p.Scan, Raw: r.raw}
	var blocks []tenfold.Payload
	switch {
	case m.blocks != nil:
		for i := range m.blocks {
			said := readBlock(&w, m, &m.blocks[i])
			if _, ok := said[0].(tenfold.ProviderItem); ok {
				p.Warn.Add(r.line, "block of a response is of an unknown type and was kept as it is", "blocks of responses are of unknown types and were kept as they are")
			}
			blocks = append(blocks, said...)
		}
	case w.IsString(m.content):
		blocks = append(blocks, tenfold.AssistantMessage{Text: w.Text(m.content)})
	}
	p.ChangeModel(id, m.model, &p.model)
	if len(blocks) == 0 {
		_ = p.unknown(r, id) // aborted or failed before it said anything
	}
	dropped := m.Failed() && len(blocks) > 0
	if dropped {
		p.Over = true // a turn of its own, to be hidden
	}
	for _, e := range intake.Entries(id, id, w.Done(), blocks) {
		_ = p.show(e)
	}
	if dropped {
		p.drop(id)
	}
	return p.usage(m, id)
}

// Failed reports whether a response broke off: pi keeps it in the file and
// sends it no more.
func (m *piMessage) Failed() bool { return m.stop == "aborted" || m.stop == "error" }

// spent takes a line that says what something beside the messages cost.
func (p *pi) spent(r *Record, id string) error {
	if !r.Msg.usage.counts() {
		return p.unknown(r, id)
	}
	return p.Emit(tenfold.Entry{ID: id, Source: string(r.raw), Payload: r.Msg.counted()})
}

func (p *pi) usage(m *piMessage, id string) error {
	if !m.usage.counts() {
		return nil
	}
	return p.Emit(tenfold.Entry{ID: id + "/usage", MessageID: id, Payload: m.counted()})
}

func (m *piMessage) counted() tenfold.Usage {
	u := m.usage
	return tenfold.Usage{Model: m.model, Input: u.input, Output: u.output, CacheRead: u.cacheRead, CacheWrite: u.cacheWrite, Cost: u.cost}
}

// readBlock reads a block of a response. A Gemini thought signature on a call goes
// before the call. What it does not know is an item of pi's.
func readBlock(w *engine.Finder, m *piMessage, b *piBlock) (said []tenfold.Payload) {
	switch {
	case b.typ == "text" && w.IsString(b.text):
		return []tenfold.Payload{tenfold.AssistantMessage{Text: w.Text(b.text)}}
	case b.typ == "thinking" && w.IsString(b.thinking):
		return []tenfold.Payload{piReasoning(w, m, b)}
	case b.typ == "toolCall" && b.arguments.Found():
		if w.IsString(b.thought) && strings.HasPrefix(m.api, "google") {
			said = append(said, tenfold.Reasoning{Provider: "gemini", Signature: w.Text(b.thought), CallID: b.id})
		}
		return append(said, tenfold.ToolCall{CallID: b.id, Name: b.name, Arguments: w.Whole(b.arguments)})
	}
	return []tenfold.Payload{tenfold.ProviderItem{Provider: "pi", Role: "assistant", Data: w.Whole(b.Span)}}
}

// piReasoning reads a thinking block. What its signature means depends on the
// API that gave it: Anthropic's and Google's are one string, OpenAI's is the
// whole reasoning item as JSON. That of others is the name of a field.
func piReasoning(w *engine.Finder, m *piMessage, b *piBlock) tenfold.Reasoning {
	t := tenfold.Reasoning{Text: w.Text(b.thinking)}
	if !w.IsString(b.signature) || len(b.signature.Of(w.Raw)) == 2 && !w.Filling {
		return t
	}
	switch {
	case strings.HasPrefix(m.api, "anthropic"):
		t.Provider = "anthropic"
		if b.redacted {
			t.Encrypted = w.Text(b.signature)
		} else {
			t.Signature = w.Text(b.signature)
		}
	case strings.HasPrefix(m.api, "google"):
		t.Provider, t.Signature = "gemini", w.Text(b.signature)
	case strings.Contains(m.api, "responses"):
		item, _ := w.Scan.Unquote(b.signature)
		var inner walk.Scanner
		inner.Reset([]byte(item))
		walk.Shape{"id", &t.ItemID, "encrypted_content", &t.Encrypted}.Read(&inner)
		inner.End()
		if inner.Err != nil || t.ItemID == "" {
			t.ItemID, t.Encrypted = "", ""
		} else {
			t.Provider = "openai"
		}
	}
	return t
}

// piParts reads the content of a user's message or a result; false when it is
// neither a text nor a list.
func piParts(w *engine.Finder, m *piMessage) ([]tenfold.Part, bool) {
	if m.blocks == nil {
		if !w.IsString(m.content) {
			return nil, false
		}
		return tenfold.Text(w.Text(m.content)), true
	}
	var parts []tenfold.Part
	for i := range m.blocks {
		b := &m.blocks[i]
		switch {
		case b.typ == "text" && w.IsString(b.text):
			parts = append(parts, tenfold.TextPart(w.Text(b.text)))
		case b.typ == "image" && w.IsString(b.data):
			parts = append(parts, tenfold.Part{File: &tenfold.File{
				Type: tenfold.PartImage, MediaType: b.mediaType, URI: engine.Inline(b.mediaType, w.Text(b.data)),
			}})
		default:
			parts = append(parts, w.UnknownPart(b.typ, b.Span))
		}
	}
	return parts, true
}

// bashText words a command that a person ran, as pi does for its model.
func (m *piMessage) bashText() string {
	var b strings.Builder
	b.WriteString("Ran `" + m.command + "`\n")
	if m.output == "" {
		b.WriteString("(no output)")
	} else {
		b.WriteString("```\n" + m.output + "\n```")
	}
	switch {
	case m.cancelled:
		b.WriteString("\n\n(command cancelled)")
	case m.exit != 0:
		b.WriteString("\n\nCommand exited with code " + strconv.Itoa(m.exit))
	}
	if m.truncated && m.fullOutput != "" {
		b.WriteString("\n\n[Output truncated. Full output: " + m.fullOutput + "]")
	}
	return b.String()
}
