package summary

import (
	"fmt"
	"iter"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
	"tenfold/strategy"
)

// Findings are what a check of a summary against its source came to (M3).
type Findings struct {
	// Atoms is how many different paths, identifiers, numbers, commands and
	// quotations the summary holds.
	Atoms int
	// Strangers are those that occur nowhere in the source, in the order of
	// the text.
	Strangers []Stranger
	// Repeats is the share of the text's word sequences, in percent, that a
	// tool printed so, in results alone.
	Repeats int
}

// A Stranger is something a summary names that its source does not hold.
type Stranger struct {
	Kind AtomKind
	Text string
}

// What a summary may be wrong in, at most, and how much of it may be a tool's
// words. Errors and outcomes are rightly quoted; a text that is mostly a
// tool's output obeys somebody else than who asked.
const (
	strangersPercent = 1
	repeatsPercent   = 60
)

// OK reports whether the summary may be taken: at most one in a hundred atoms
// is a stranger, and the text is not a tool's.
func (f Findings) OK() bool {
	return len(f.Strangers)*100 <= f.Atoms*strangersPercent && f.Repeats <= repeatsPercent
}

// list names the first strangers.
func (f Findings) list(most int) string {
	var names []string
	for i, s := range f.Strangers {
		if i == most {
			names = append(names, fmt.Sprintf("and %d more", len(f.Strangers)-most))
			break
		}
		names = append(names, fmt.Sprintf("%s %q", s.Kind, s.Text))
	}
	return strings.Join(names, ", ")
}

// complaint tells the model what is wrong.
func (f Findings) complaint() string {
	text := ""
	if len(f.Strangers)*100 > f.Atoms*strangersPercent {
		text = "Your answer names what stands nowhere in the session: " + f.list(40) + "."
	}
	if f.Repeats > repeatsPercent {
		text = strings.TrimLeft(text+" Your answer repeats what a tool printed instead of reporting what happened.", " ")
	}
	return text
}

// An InventedError is a summary given up since it does not follow from its
// source. It is a [*strategy.RefusedError] too.
type InventedError struct{ Findings Findings }

// Error implements error.
func (e *InventedError) Error() string {
	f := e.Findings
	if f.Repeats > repeatsPercent {
		return fmt.Sprintf("%d %% of the summary is a tool's output, word for word", f.Repeats)
	}
	return fmt.Sprintf("%d of %d names and figures in the summary stand nowhere in the log: %s", len(f.Strangers), f.Atoms, f.list(5))
}

// Unwrap gives it as the refusal that it is.
func (e *InventedError) Unwrap() error { return &strategy.RefusedError{Reason: e.Error()} }

// Check looks up in the raw entries of a request what a summary of them names.
// Case counts. Kinds of slashes, quotes and white space, separators of
// thousands and line numbers after a path do not. Words are matched whole: a
// name that is part of a longer one is no match. The request's focus,
// instructions, overlap and prior summaries count as source.
//
// It takes time in proportion to the source, whatever the summary holds.
func Check(text string, r strategy.SummaryRequest) Findings {
	atoms := atomsOf(text, r)
	h, u := newHasher(), units{}
	s, copied := newScanner(h, atoms), newShingles(h, strings.TrimPrefix(text, historyNote))
	for piece, tool := range sources(r) {
		h.read(&u, piece)
		s.scan(&u)
		copied.scan(&u, tool)
		if decoded, ok := unescaped(piece); ok {
			h.read(&u, decoded)
			s.scan(&u)
		}
	}
	f := Findings{Atoms: len(atoms), Repeats: copied.percent()}
	for _, a := range atoms {
		if !s.found(a) {
			f.Strangers = append(f.Strangers, Stranger{Kind: a.kind, Text: cutMiddle(a.text, 200)})
		}
	}
	return f
}

// sources gives the texts that a summary may draw on; tool is set on what a
// tool printed.
func sources(r strategy.SummaryRequest) iter.Seq2[string, bool] {
	return func(yield func(string, bool) bool) {
		for _, text := range append([]string{r.Focus, r.Instructions}, r.Prior...) {
			if !yield(text, false) {
				return
			}
		}
		for _, list := range [][]tenfold.Entry{r.Entries, r.Overlap} {
			for _, e := range list {
				for text, tool := range spoken(e.Payload) {
					if !yield(text, tool) {
						return
					}
				}
			}
		}
	}
}

func spoken(p tenfold.Payload) iter.Seq2[string, bool] {
	return func(yield func(string, bool) bool) {
		parts := func(list []tenfold.Part, tool bool) bool {
			for _, part := range list {
				if !yield(part.Text, tool) || (part.File != nil && !yield(part.File.Name+" "+part.File.MediaType, tool)) {
					return false
				}
			}
			return true
		}
		switch p := p.(type) {
		case tenfold.UserMessage:
			if !parts(p.Parts, false) {
				return
			}
			for _, a := range p.Attachments {
				if !yield(a.Name, false) || !yield(a.Content, false) {
					return
				}
			}
		case tenfold.AssistantMessage:
			yield(p.Text, false)
		case tenfold.Reasoning:
			yield(p.Text, false)
		case tenfold.ToolCall:
			if yield(p.Name, false) && yield(p.CallID, false) {
				jsonTexts(p.Arguments, func(text string) bool { return yield(text, false) })
			}
		case tenfold.ToolResult:
			if yield(p.CallID, false) {
				parts(p.Parts, true)
			}
		case tenfold.Approval:
			yield(p.Reason, false)
		case tenfold.ProviderItem:
			jsonTexts(p.Data, func(text string) bool { return yield(text, true) })
		}
	}
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
