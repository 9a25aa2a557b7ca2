package transcript

import (
	"iter"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
)

// refiller puts the values that payloads hold back into a record that an
// importer took them out of. What the record still has itself stays.
type refiller struct {
	raw  []byte
	cuts []cut
}

func (f *refiller) text(at span, text string) {
	if at.found() && string(at.of(f.raw)) == cutText && text != "" {
		quoted, _ := jsontext.AppendQuote(nil, text)
		f.cuts = append(f.cuts, cut{at, string(quoted)})
	}
}

func (f *refiller) value(at span, value string) {
	if at.found() && string(at.of(f.raw)) == cutValue && value != "" {
		f.cuts = append(f.cuts, cut{at, value})
	}
}

// groups gives the entries of a log in groups that came from one record.
func groups(entries iter.Seq[tenfold.Entry]) iter.Seq[[]tenfold.Entry] {
	return func(yield func([]tenfold.Entry) bool) {
		var group []tenfold.Entry
		for e := range entries {
			if len(group) > 0 && recordID(e.ID) != recordID(group[0].ID) {
				if !yield(group) {
					return
				}
				group = nil
			}
			group = append(group, e)
		}
		if len(group) > 0 {
			yield(group)
		}
	}
}

// restorePi gives the line that a group of entries came from; empty when they
// came from none.
func restorePi(s *scanner, group []tenfold.Entry) string {
	source := ""
	for _, e := range group {
		if e.Source != "" {
			source = e.Source
		}
	}
	if source == "" {
		return ""
	}
	var r piRecord
	f := refiller{raw: []byte(source)}
	r.parse(s, f.raw)
	if s.err != nil || r.kind != '{' {
		return source
	}
	blocks := r.msg.blocks
	for _, e := range group {
		switch p := e.Payload.(type) {
		case tenfold.UserMessage:
			f.parts(&r, p.Parts)
		case tenfold.ToolResult:
			f.parts(&r, p.Parts)
		case tenfold.Compaction:
			if p.Summary != nil {
				text, _ := unwrap(p.Summary.Text, piCompactionBefore, piCompactionAfter)
				f.text(r.summary, text)
			}
		case tenfold.AssistantMessage, tenfold.Reasoning, tenfold.ToolCall, tenfold.ProviderItem:
			if r.msg.blocks == nil {
				if text, ok := p.(tenfold.AssistantMessage); ok {
					f.text(r.msg.content, text.Text)
				}
				continue
			}
			if len(blocks) == 0 {
				continue
			}
			if f.block(&blocks[0], e.Payload) {
				blocks = blocks[1:]
			}
		}
	}
	return splice(f.raw, f.cuts)
}

// block fills one block; false when more of it is to come.
func (f *refiller) block(b *piBlock, p tenfold.Payload) bool {
	switch p := p.(type) {
	case tenfold.AssistantMessage:
		f.text(b.text, p.Text)
	case tenfold.Reasoning:
		if p.CallID != "" {
			f.text(b.thought, p.Signature)
			return false
		}
		f.text(b.thinking, p.Text)
		f.text(b.signature, p.Signature+p.Encrypted)
	case tenfold.ToolCall:
		f.value(b.arguments, p.Arguments)
	case tenfold.ProviderItem:
		f.value(b.span, p.Data)
	}
	return true
}

// parts fills the content of a user's message or a result.
func (f *refiller) parts(r *piRecord, parts []tenfold.Part) {
	if r.summary.found() && len(parts) == 1 {
		text, ok := unwrap(parts[0].Text, piBranchBefore, piBranchAfter)
		if !ok {
			text, _ = unwrap(parts[0].Text, piCompactionBefore, piCompactionAfter)
		}
		f.text(r.summary, text)
		return
	}
	if r.msg.blocks == nil {
		if len(parts) == 1 {
			f.text(r.msg.content, parts[0].Text)
		}
		return
	}
	for i := range min(len(parts), len(r.msg.blocks)) {
		b, p := &r.msg.blocks[i], parts[i]
		switch {
		case p.File == nil:
			f.text(b.text, p.Text)
		case p.File.Detail != "":
			f.value(b.span, p.File.Detail)
		default:
			_, data, _ := strings.Cut(p.File.URI, ",")
			f.text(b.data, data)
		}
	}
}
