package check

import (
	"iter"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
	"tenfold/strategy"
	"tenfold/summary/internal/source"
	"tenfold/tool"
)

// Who says something.
const (
	byModel speakers = 1 << iota // or whoever runs the program
	byUser
	byTool
	// byDecoding is nobody: what stands in a text once its escapes are undone.
	byDecoding
)

// sources gives the texts that a summary may draw on, and whose words they
// are.
func sources(r strategy.SummaryRequest, yield func(string, speakers)) {
	for _, text := range append([]string{r.Focus, r.Instructions}, r.Prior...) {
		yield(text, byUser)
	}
	for _, e := range slices.Concat(r.Entries, r.Overlap) {
		spoken(r.Log, e, yield)
	}
	for e := range behindPrior(r) {
		spoken(r.Log, e, yield)
	}
}

// behindPrior gives the raw entries of the range that prior summaries stand for: a
// model that is asked at the end of the conversation itself may see some of them.
func behindPrior(r strategy.SummaryRequest) iter.Seq[tenfold.Entry] {
	return func(yield func(tenfold.Entry) bool) {
		if len(r.Prior) == 0 || r.Log == nil {
			return
		}
		first, last := r.Log.Extent(r.Range)
		given := r.Entries
		for e := range r.Log.After(first - 1) {
			for len(given) > 0 && given[0].Seq < e.Seq {
				given = given[1:]
			}
			if e.Seq > last {
				return
			}
			if (len(given) == 0 || given[0].Seq != e.Seq) && !yield(e) {
				return
			}
		}
	}
}

func spoken(l *tenfold.Log, e tenfold.Entry, yield func(string, speakers)) {
	parts := func(list []tenfold.Part, by speakers) {
		for _, part := range list {
			yield(part.Text, by)
			if part.File != nil {
				yield(part.File.Name+" "+part.File.MediaType, by)
			}
		}
	}
	switch p := e.Payload.(type) {
	case tenfold.UserMessage:
		parts(p.Parts, byUser)
		for _, a := range p.Attachments {
			yield(a.Name, byUser)
			yield(a.Content, byUser)
		}
	case tenfold.AssistantMessage:
		yield(p.Text, byModel)
	case tenfold.Reasoning:
		yield(p.Text, byModel)
	case tenfold.ToolCall:
		yield(p.Name, byModel)
		yield(p.CallID, byModel)
		jsonTexts(p.Arguments, func(text string) { yield(text, byModel) })
	case tenfold.ToolResult:
		yield(p.CallID, byModel)
		parts(p.Parts, speakerOf(l, e.Seq, p))
	case tenfold.Approval:
		yield(p.Reason, byUser)
	case tenfold.ConfigDelta:
		if p.System != nil {
			yield(*p.System, byModel)
		}
	case tenfold.ProviderItem:
		jsonTexts(p.Data, func(text string) { yield(text, byTool) })
	}
}

// speakerOf tells whose words a result is: an answer to a question, and what
// was said of a call that was refused, are the user's.
func speakerOf(l *tenfold.Log, seq int64, p tenfold.ToolResult) speakers {
	if l != nil {
		if t, ok := tool.Lookup(source.ToolOf(l, seq)); ok && t.Kind == tool.Asks {
			return byUser
		}
	}
	if p.Ended().Bad() && len(p.Parts) > 0 {
		if _, refused := tenfold.Refusal(p.Parts[0].Text); refused {
			return byUser
		}
	}
	return byTool
}

// jsonTexts gives the texts and numbers in a JSON value, decoded; the whole as
// it is when it is broken.
func jsonTexts(value string, yield func(string)) {
	dec := jsontext.NewDecoder(strings.NewReader(value), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	for dec.InputOffset() < int64(len(value)) {
		t, err := dec.ReadToken()
		if err != nil {
			if strings.TrimSpace(value[dec.InputOffset():]) != "" {
				yield(value)
			}
			return
		}
		if kind := t.Kind(); kind == '"' || kind == '0' {
			yield(t.String())
		}
	}
}
