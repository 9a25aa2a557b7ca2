package pi

import (
	"strings"

	"tenfold"
	"tenfold/transcript/internal/engine"
	"tenfold/transcript/internal/walk"
)

// RestorePi gives the line that a group of entries came from; empty when they
// came from none.
func RestorePi(s *walk.Scanner, group []tenfold.Entry) string {
	source := ""
	for _, e := range group {
		if e.Source != "" {
			source = e.Source
		}
	}
	if source == "" {
		return ""
	}
	var r Record
	f := engine.Finder{Raw: []byte(source)}
	r.Parse(s, f.Raw)
	if s.Err != nil || r.kind != '{' {
		return source
	}
	blocks := r.Msg.blocks
	for _, e := range group {
		switch p := e.Payload.(type) {
		case tenfold.UserMessage:
			fillParts(&f, &r, p.Parts)
		case tenfold.ToolResult:
			fillParts(&f, &r, p.Parts)
		case tenfold.Compaction:
			if p.Summary != nil {
				text, _ := unwrap(p.Summary.Text, piCompactionBefore, piCompactionAfter)
				f.Put(r.Summary, text)
			}
		case tenfold.AssistantMessage, tenfold.Reasoning, tenfold.ToolCall, tenfold.ProviderItem:
			if r.Msg.blocks == nil {
				if text, ok := p.(tenfold.AssistantMessage); ok {
					f.Put(r.Msg.content, text.Text)
				}
				continue
			}
			if len(blocks) == 0 {
				continue
			}
			if fillBlock(&f, &blocks[0], e.Payload) {
				blocks = blocks[1:]
			}
		}
	}
	return f.Done()
}

// fillBlock fills one block; false when more of it is to come.
func fillBlock(f *engine.Finder, b *piBlock, p tenfold.Payload) bool {
	switch p := p.(type) {
	case tenfold.AssistantMessage:
		f.Put(b.text, p.Text)
	case tenfold.Reasoning:
		if p.CallID != "" {
			f.Put(b.thought, p.Signature)
			return false
		}
		f.Put(b.thinking, p.Text)
		f.Put(b.signature, p.Signature+p.Encrypted)
	case tenfold.ToolCall:
		f.PutWhole(b.arguments, p.Arguments)
	case tenfold.ProviderItem:
		f.PutWhole(b.Span, p.Data)
	}
	return true
}

// fillParts fills the content of a user's message or a result.
func fillParts(f *engine.Finder, r *Record, parts []tenfold.Part) {
	if r.Summary.Found() && len(parts) == 1 {
		text, ok := unwrap(parts[0].Text, piBranchBefore, piBranchAfter)
		if !ok {
			text, _ = unwrap(parts[0].Text, piCompactionBefore, piCompactionAfter)
		}
		f.Put(r.Summary, text)
		return
	}
	if r.Msg.blocks == nil {
		if len(parts) == 1 {
			f.Put(r.Msg.content, parts[0].Text)
		}
		return
	}
	for i := range min(len(parts), len(r.Msg.blocks)) {
		b, p := &r.Msg.blocks[i], parts[i]
		switch {
		case p.File == nil:
			f.Put(b.text, p.Text)
		case p.File.Detail != "":
			f.PutWhole(b.Span, p.File.Detail)
		default:
			_, data, _ := strings.Cut(p.File.URI, ",")
			f.Put(b.data, data)
		}
	}
}
