package claudecode

import (
	"strings"

	"tenfold"
	"tenfold/transcript/internal/chatapi"
	"tenfold/transcript/internal/engine"
	"tenfold/transcript/internal/intake"
	"tenfold/transcript/internal/walk"
)

// refill puts the values that the payloads of one record hold back into the
// holes that the importer left in its Source, by reading it again.
type refill struct {
	engine.Finder
	results []tenfold.ToolResult
	parts   []tenfold.Part
	blocks  []tenfold.Payload
	missing bool // a payload that the Source has a place for is not there
}

// rebuildClaude gives the line that the entries of one record came from; false
// when they are not what its Source left out. An id that hashes the line tells
// which of two spellings of its texts it had.
func rebuildClaude(scan *walk.Scanner, id, source string, entries []tenfold.Entry) (string, bool) {
	line, ok := rebuildClaudeAs(scan, source, entries, false)
	if want, hashed := strings.CutPrefix(id, "line:"); ok && hashed {
		if want, _, _ = strings.Cut(want, "~"); intake.Digest([]byte(line)) != want {
			if other, _ := rebuildClaudeAs(scan, source, entries, true); intake.Digest([]byte(other)) == want {
				return other, true
			}
		}
	}
	return line, ok
}

func rebuildClaudeAs(scan *walk.Scanner, source string, entries []tenfold.Entry, ascii bool) (string, bool) {
	r := refill{Finder: engine.Finder{Scan: scan, Raw: []byte(source), Filling: true, ASCII: ascii}}
	var summary *tenfold.Summary
	for _, e := range entries {
		switch p := e.Payload.(type) {
		case tenfold.ToolResult:
			r.results = append(r.results, p)
		case tenfold.UserMessage:
			r.parts = append(r.parts, p.Parts...)
		case tenfold.AssistantMessage, tenfold.Reasoning, tenfold.ToolCall, tenfold.ProviderItem:
			r.blocks = append(r.blocks, p)
		case tenfold.Compaction:
			summary = p.Summary
		}
	}
	if len(r.results)+len(r.parts)+len(r.blocks) == 0 && summary == nil {
		return source, true
	}
	var l claudeLine
	l.parse(scan, r.Raw)
	switch {
	case scan.Err != nil:
		return "", false
	case l.typ == "queue-operation":
		return source, true // the line holds what the message says
	case l.typ == "attachment" || l.typ == "system":
		return r.attachment(&l)
	}
	m := l.said()[0]
	if !m.Readable() {
		return "", false
	}
	switch {
	case summary != nil:
		if m.IsText() {
			r.fill(m.Content, summary.Text)
		}
	case !m.IsText():
		for i := range m.Blocks {
			r.block(&m.Blocks[i])
		}
	case len(r.blocks) == 1:
		if t, ok := r.blocks[0].(tenfold.AssistantMessage); ok {
			r.fill(m.Content, t.Text)
			r.blocks = nil
		}
	case len(r.parts) == 1:
		r.fill(m.Content, r.parts[0].Text)
		r.parts = nil
	}
	if r.missing || len(r.results)+len(r.parts)+len(r.blocks) > 0 {
		return "", false
	}
	return walk.Splice(r.Raw, r.Cuts), true
}

// attachment fills what an attachment says; one of an older version holds it.
func (r *refill) attachment(l *claudeLine) (string, bool) {
	parts := r.parts
	for _, m := range l.said() {
		switch {
		case !m.Readable():
		case m.IsText() && len(parts) > 0:
			r.fill(m.Content, parts[0].Text)
			parts = parts[1:]
		default:
			for i := range m.Blocks {
				if len(parts) == 0 {
					return "", false
				}
				r.part(&m.Blocks[i], parts[0])
				parts = parts[1:]
			}
		}
	}
	return walk.Splice(r.Raw, r.Cuts), true
}

func (r *refill) fill(at walk.Span, text string) {
	r.Fill = []string{text}
	r.Text(at)
}

// block fills one item of a content list.
func (r *refill) block(b *chatapi.Block) {
	switch {
	case len(r.blocks) > 0:
		p := r.blocks[0]
		r.blocks = r.blocks[1:]
		r.Fill = heldBy(p)
		was, wanted := chatapi.BlockPayload(&r.Finder, b).Kind(), p.Kind()
		if m, ok := p.(tenfold.AssistantMessage); ok && m.Signature != "" {
			wanted = tenfold.KindReasoning
		}
		r.missing = r.missing || was != wanted
	case b.Kind == '{' && b.Typ == "tool_result":
		if r.missing = r.missing || len(r.results) == 0; r.missing {
			return
		}
		p := r.results[0]
		r.results = r.results[1:]
		r.result(b, p.Parts)
	default:
		if r.missing = r.missing || len(r.parts) == 0; r.missing {
			return
		}
		r.part(b, r.parts[0])
		r.parts = r.parts[1:]
	}
}

func (r *refill) result(b *chatapi.Block, parts []tenfold.Part) {
	if b.Items == nil {
		if len(parts) > 0 {
			r.Fill = []string{heldInPart(parts[0])}
			chatapi.BlockResult(&r.Finder, b)
		}
		return
	}
	if r.missing = len(parts) != len(b.Items); r.missing {
		return
	}
	for i := range b.Items {
		r.part(&b.Items[i], parts[i])
	}
}

func (r *refill) part(b *chatapi.Block, p tenfold.Part) {
	r.Fill = []string{heldInPart(p)}
	chatapi.BlockPart(&r.Finder, b)
}

// heldBy lists what a payload took over from its block.
func heldBy(p tenfold.Payload) []string {
	if m, ok := p.(tenfold.AssistantMessage); ok && m.Signature != "" {
		return []string{m.Text, m.Signature}
	}
	if r, ok := p.(tenfold.Reasoning); ok {
		if r.Encrypted != "" {
			return []string{r.Encrypted}
		}
		return []string{r.Text, r.Signature}
	}
	return chatapi.Held(chatapi.One(p))
}

// heldInPart is what a part took over.
func heldInPart(p tenfold.Part) string {
	switch {
	case p.File == nil:
		return p.Text
	case p.File.Detail != "":
		return p.File.Detail
	}
	_, data, _ := strings.Cut(p.File.URI, ";base64,")
	return data
}
