// Package check looks up in the raw entries of a conversation what a summary of
// them names: every path, identifier, number, command and quotation. [Summary]
// says which of them stand nowhere, and which of those mislead.
//
// A text is read by the scanner of package atom. What a summary names is in
// mentions.go, what it claims of it in claim.go, how it is looked up in lookup.go;
// quotations of the user and counts are held to more (quotes.go, counts.go).
package check

import (
	"fmt"
	"hash/maphash"
	"slices"
	"strings"

	"tenfold/strategy"
	"tenfold/summary/internal/source"
)

// Findings are what a check of a summary against its source came to (M3).
type Findings struct {
	// Atoms is how many different paths, identifiers, numbers, commands,
	// quotations and lines of code the summary holds.
	Atoms int
	// Strangers are those that its source does not hold, in the order of the
	// text; after them the counts that the source contradicts.
	Strangers []Stranger
	// Repeats is the share of the text's word sequences, in percent, that a
	// tool printed so, in results alone.
	Repeats int
}

// A Stranger is something in a summary that its source does not hold.
type Stranger struct {
	Kind Kind
	Text string
	// Misleads says what is wrong with it, where a reader would be misled;
	// empty for what is merely not found, as the name of a file yet to be
	// written.
	Misleads Misleading
}

// Misleading is how a stranger misleads.
type Misleading string

// The ways.
const (
	// InventedPath: a file or directory is said to be there, or to have been
	// worked on, and occurs nowhere.
	InventedPath Misleading = "occurs nowhere"
	// InventedQuotation: it is quoted as the user's, who did not say so.
	InventedQuotation Misleading = "is not what the user said"
	// ContradictedNumber: the source has another figure for the same thing.
	ContradictedNumber Misleading = "contradicts the log"
)

// repeatsPercent is how much of a summary may be a tool's words. Errors and
// outcomes are rightly quoted; a text that is mostly a tool's output obeys
// somebody else than who asked.
const repeatsPercent = 60

// OK reports whether the summary may be taken: nothing in it misleads, and the
// text is not a tool's.
func (f Findings) OK() bool { return len(f.misleading()) == 0 && f.Repeats <= repeatsPercent }

func (f Findings) misleading() []Stranger {
	return slices.DeleteFunc(slices.Clone(f.Strangers), func(s Stranger) bool { return s.Misleads == "" })
}

// List names the first of some strangers.
func List(strangers []Stranger, most int) string {
	var names []string
	for i, s := range strangers {
		if i == most {
			names = append(names, fmt.Sprintf("and %d more", len(strangers)-most))
			break
		}
		name := fmt.Sprintf("%s %q", s.Kind, s.Text)
		if s.Misleads != "" {
			name += " " + string(s.Misleads)
		}
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}

// Complaint tells the model that wrote the summary what is wrong with it.
func (f Findings) Complaint() string {
	text := ""
	if wrong := f.misleading(); len(wrong) > 0 {
		text = "Your answer misleads whoever reads it in place of the session: " + List(wrong, 40) + "."
	}
	if f.Repeats > repeatsPercent {
		text += " Your answer repeats what a tool printed instead of reporting what happened."
	}
	others := slices.DeleteFunc(slices.Clone(f.Strangers), func(s Stranger) bool { return s.Misleads != "" })
	if len(others) > 0 {
		text += " These stand nowhere in the session either, so keep them only where they are right: " + List(others, 20) + "."
	}
	return strings.TrimLeft(text, " ")
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
	return "what it says does not follow from the log: " + List(f.misleading(), 5)
}

// Unwrap gives it as the refusal that it is.
func (e *InventedError) Unwrap() error { return &strategy.RefusedError{Reason: e.Error()} }

// shingle is how many words in a row nobody writes twice by chance; of fewer than
// fewWords nothing can be said.
const shingle, fewWords = 6, 3

// Summary looks up in the raw entries of a request what a summary of them names,
// and says of what is not there whether it misleads. Case counts. Kinds of
// slashes, quotes and white space, separators of thousands and line numbers
// after a path do not. Words are matched whole: a name that is part of a longer
// one is not a match. The request's focus, instructions, overlap and prior
// summaries count as source.
//
// It takes time in proportion to the source, whatever the summary holds.
func Summary(text string, r strategy.SummaryRequest) Findings {
	c := mentionsIn(text, r)
	exact, loose := newLookup(false), newLookup(true)
	copied := exact.want(strings.TrimPrefix(text, source.HistoryNote), shingle, 1)
	if len(exact.units.words) < fewWords {
		copied = nil
	}
	said := &quotes{maphash.MakeSeed(), map[uint64]bool{}}
	for i := range c.mentions {
		m := &c.mentions[i]
		m.exact = exact.wantWays(m.ways)
		switch {
		case m.kind == Quotation && m.claims&claimsUser != 0:
			said.want(m.text)
		case m.kind == Path && m.claims.exists() && isPlace(m.text):
			m.loose = loose.wantWays(looseWays(m.text))
		}
	}
	counts := newCounted(c.counts)
	sources(r, func(piece string, by speakers) {
		exact.scan(piece, by)
		if decoded, ok := unescaped(piece); ok {
			exact.scan(decoded, byDecoding)
		}
		loose.scan(piece, by)
		if by == byUser {
			said.scan(piece)
		}
		counts.scan(piece)
	})
	f := Findings{Atoms: len(c.mentions), Repeats: exact.repeats(copied)}
	strange := map[string]bool{}
	for _, m := range c.mentions {
		found, misleads := exact.found(m.exact), Misleading("")
		switch {
		case m.kind == Quotation && m.claims&claimsUser != 0 && said.invented(m.text):
			misleads = InventedQuotation
		case !found && m.loose != nil && !loose.found(m.loose):
			misleads = InventedPath
		case !found && m.kind == Number:
			strange[m.text] = true
		}
		if !found || misleads != "" {
			f.Strangers = append(f.Strangers, Stranger{m.kind, source.CutMiddle(m.text, 200), misleads})
		}
	}
	f.Strangers = append(f.Strangers, counts.wrong(c.counts, strange)...)
	return f
}
