package summary

import (
	"iter"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
	"tenfold/strategy"
	"tenfold/tool"
)

// speaker is whose words a text is.
type speaker uint8

const (
	byModel speaker = iota // or by whoever runs the program
	byUser
	byTool
)

// sources gives the texts that a summary may draw on, and whose words they
// are.
func sources(r strategy.SummaryRequest) iter.Seq2[string, speaker] {
	return func(yield func(string, speaker) bool) {
		for _, text := range append([]string{r.Focus, r.Instructions}, r.Prior...) {
			if !yield(text, byUser) {
				return
			}
		}
		for _, list := range [][]tenfold.Entry{r.Entries, r.Overlap} {
			for _, e := range list {
				for text, by := range spoken(r.Log, e) {
					if !yield(text, by) {
						return
					}
				}
			}
		}
	}
}

func spoken(l *tenfold.Log, e tenfold.Entry) iter.Seq2[string, speaker] {
	return func(yield func(string, speaker) bool) {
		parts := func(list []tenfold.Part, by speaker) bool {
			for _, part := range list {
				if !yield(part.Text, by) || (part.File != nil && !yield(part.File.Name+" "+part.File.MediaType, by)) {
					return false
				}
			}
			return true
		}
		switch p := e.Payload.(type) {
		case tenfold.UserMessage:
			if !parts(p.Parts, byUser) {
				return
			}
			for _, a := range p.Attachments {
				if !yield(a.Name, byUser) || !yield(a.Content, byUser) {
					return
				}
			}
		case tenfold.AssistantMessage:
			yield(p.Text, byModel)
		case tenfold.Reasoning:
			yield(p.Text, byModel)
		case tenfold.ToolCall:
			if yield(p.Name, byModel) && yield(p.CallID, byModel) {
				jsonTexts(p.Arguments, func(text string) bool { return yield(text, byModel) })
			}
		case tenfold.ToolResult:
			if yield(p.CallID, byModel) {
				parts(p.Parts, speakerOf(l, e.Seq, p))
			}
		case tenfold.Approval:
			yield(p.Reason, byUser)
		case tenfold.ConfigDelta:
			if p.System != nil {
				yield(*p.System, byModel)
			}
		case tenfold.ProviderItem:
			jsonTexts(p.Data, func(text string) bool { return yield(text, byTool) })
		}
	}
}

// speakerOf tells whose words a result is: an answer to a question, and what
// was said of a call that was refused, are the user's.
func speakerOf(l *tenfold.Log, seq int64, p tenfold.ToolResult) speaker {
	if l != nil {
		if t, ok := tool.Lookup(toolOf(l, seq)); ok && t.Kind == tool.Asks {
			return byUser
		}
	}
	if p.IsError && len(p.Parts) > 0 && tool.Refusal(p.Parts[0].Text) {
		return byUser
	}
	return byTool
}

// jsonTexts gives the texts and numbers in a JSON value, decoded; the whole as
// it is when it is broken.
func jsonTexts(value string, yield func(string) bool) {
	dec := jsontext.NewDecoder(strings.NewReader(value), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	for dec.InputOffset() < int64(len(value)) {
		t, err := dec.ReadToken()
		if err != nil {
			if strings.TrimSpace(value[dec.InputOffset():]) != "" {
				yield(value)
			}
			return
		}
		switch t.Kind() {
		case '"', '0':
			if !yield(t.String()) {
				return
			}
		}
	}
}
