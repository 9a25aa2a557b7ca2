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
	f := engine.Finder{Scan: s, Raw: []byte(source), Filling: true}
	r.Parse(s, f.Raw)
	if s.Err != nil || r.kind != '{' {
		return source
	}
	blocks := r.Msg.blocks
	for _, e := range group {
		f.Fill = append(f.Fill, held(e.Payload, r.Summary.Found())...)
		switch p := e.Payload.(type) {
		case tenfold.UserMessage, tenfold.ToolResult:
			if r.Summary.Found() {
				f.Text(r.Summary)
			} else {
				piParts(&f, &r.Msg)
			}
		case tenfold.Compaction:
			f.Text(r.Summary)
		case tenfold.Reasoning, tenfold.AssistantMessage, tenfold.ToolCall, tenfold.ProviderItem:
			if thought, ok := p.(tenfold.Reasoning); ok && thought.CallID != "" {
				continue // stands in the block of its call
			}
			if len(blocks) > 0 {
				readBlock(&f, &r.Msg, &blocks[0])
				blocks = blocks[1:]
			} else if r.Msg.blocks == nil {
				f.Text(r.Msg.content)
			}
		}
		f.Fill = nil
	}
	return f.Done()
}

// held lists what a payload took over, in the order in which it is read; of a summary
// without the words that pi puts around it.
func held(p tenfold.Payload, summary bool) (texts []string) {
	var parts []tenfold.Part
	switch p := p.(type) {
	case tenfold.UserMessage:
		parts = p.Parts
	case tenfold.ToolResult:
		parts = p.Parts
	case tenfold.Compaction:
		if p.Summary != nil {
			parts = tenfold.Text(p.Summary.Text)
		}
	case tenfold.AssistantMessage:
		return []string{p.Text}
	case tenfold.Reasoning:
		if p.CallID != "" {
			return []string{p.Signature}
		}
		return []string{p.Text, p.Signature + p.Encrypted}
	case tenfold.ToolCall:
		return []string{p.Arguments}
	case tenfold.ProviderItem:
		return []string{p.Data}
	}
	for _, part := range parts {
		switch {
		case part.File == nil && summary:
			text, ok := unwrap(part.Text, piBranchBefore, piBranchAfter)
			if !ok {
				text, _ = unwrap(part.Text, piCompactionBefore, piCompactionAfter)
			}
			texts = append(texts, text)
		case part.File == nil:
			texts = append(texts, part.Text)
		case part.File.Detail != "":
			texts = append(texts, part.File.Detail)
		default:
			_, data, _ := strings.Cut(part.File.URI, ",")
			texts = append(texts, data)
		}
	}
	return texts
}
