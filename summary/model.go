package summary

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"tenfold"
	"tenfold/internal/shield"
	"tenfold/provider"
	"tenfold/strategy"
	"tenfold/summary/internal/source"
	"tenfold/token"
)

// A Model writes summaries with a model (S-11). It reads raw entries (C5), asks
// for a structured answer (M1a), looks up in the log what the answer names, and
// adds the facts that a program can tell (M3). It implements
// [strategy.Summarizer] and [strategy.Quoter]; only Provider must be set. Parts
// of a range are read by several goroutines; the log's counter is called by one
// at a time.
//
// What the model answers is verified, not trusted: see package check. Names that the
// log does not hold are reported in the notes. Where they mislead, or the
// answer is what a tool printed, the model is asked once more, and then given
// up with an check.InventedError. In a [Ladder] the next summariser takes over
// then.
type Model struct {
	// Provider is who is asked. Retries are its own business.
	Provider provider.Model
	// Window is how many tokens the model takes; 0 asks the table of package
	// token.
	Window int
	// MaxTokens is the most a summary may have, half the window and MaxOutput
	// at most; 0 means [DefaultMaxTokens], or a quarter of the window where
	// that is less.
	MaxTokens int
	// MaxOutput is how many tokens the model may answer; 0 asks the table of
	// package token. A provider that refuses a request for an answer as long
	// and says its limit is asked again within that.
	MaxOutput int
	// Timeout is for the whole summary; 0 means [DefaultTimeout].
	Timeout time.Duration
	// Wording replaces what the model is told.
	Wording Wording
	// Reasoning has the model read the reasoning in the log too.
	Reasoning bool
	// Facts gives what a program can tell of a request's entries; nil adds
	// nothing. FactTokens bounds them, constraints aside; 0 means
	// [DefaultFactTokens].
	Facts      func(strategy.SummaryRequest) Facts
	FactTokens int
	// Cost gives the price of usage in US dollars; nil knows none. Input is
	// what did not come from the cache.
	Cost func(model string, u tenfold.Usage) (dollars float64, known bool)
	// Warm reports whether the beginning of a view lies in the provider's
	// cache under this very model, so that it is cheap to send again; nil
	// means never. Only who sent the last request can know.
	Warm func(view *tenfold.Projection) bool
	// Progress is told what goes on, one call at a time; it may be nil.
	Progress func(Progress)
}

// Facts are what a program can tell of a stretch of conversation without any
// model (M3).
type Facts interface {
	// Text writes the facts, the most valuable first, in at most so many
	// tokens.
	Text(budget int) string
	// Constraints are what the user demanded, word for word. A summary holds
	// them all, whatever the budget.
	Constraints() []string
}

// What is taken where a [Model] says nothing.
const (
	DefaultMaxTokens  = 20_000
	DefaultFactTokens = 4_000
	DefaultTimeout    = 10 * time.Minute
)

var errNoProvider = errors.New("summary.Model has no Provider to ask: set it to a model, or use summary.Digest, which needs none")

// atOnce is how many parts of a range are read at the same time.
const atOnce = 3

// Summarize implements [strategy.Summarizer]. Errors are those of the provider
// and check.InventedError; when ctx ended, its error.
func (m Model) Summarize(ctx context.Context, r strategy.SummaryRequest) (strategy.SummaryResult, error) {
	if m.Provider == nil {
		return strategy.SummaryResult{}, errNoProvider
	}
	timed, cancel := context.WithTimeout(ctx, m.timeout())
	defer cancel()
	w := m.begin(r)
	got, err := w.write(timed)
	if most := w.track.mostOutput(w.maxTokens); most < w.maxTokens {
		w.notes = append(w.notes, fmt.Sprintf("%s may answer %d tokens at most, so it was not asked for %d", m.Provider.Name(), most, w.maxTokens))
	}
	result := strategy.SummaryResult{Model: m.Provider.Name(), Usage: w.track.spent(), Notes: w.notes, Failures: w.failures}
	stop := (*stoppedError)(nil)
	switch err = m.ended(ctx, timed, err); {
	case err == nil:
		result.Text = m.assemble(r, got)
	case errors.As(err, &stop):
		result.CutOff, result.Declined, result.Text = stop.cutOff, stop.declined, stop.text
		err = nil
	}
	return result, err
}

// ended is the error of work that ended with one: the caller's reason to end it
// comes first, then that time ran out.
func (m Model) ended(ctx, timed context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case timed.Err() != nil:
		return &provider.Error{
			Kind: provider.TimedOut, Model: m.Provider.Name(), Err: timed.Err(),
			Message: fmt.Sprintf("no answer within %s", m.timeout()), Hint: "try a smaller range or a faster model",
		}
	}
	return err
}

// Quote implements [strategy.Quoter]: what the model would read, and what that
// and an answer of a usual length would cost.
func (m Model) Quote(r strategy.SummaryRequest) strategy.Quote {
	if m.Provider == nil {
		return strategy.Quote{}
	}
	w := m.begin(r)
	q := strategy.Quote{Model: m.Provider.Name()}
	usage := tenfold.Usage{Model: q.Model}
	if w.prefix() {
		usage.CacheRead, usage.Input = r.View.Tokens(), w.askTokens()
	} else {
		chunks := w.chunks(w.budget())
		for _, c := range chunks {
			usage.Input += c.tokens + w.overhead
		}
		if len(chunks) > 1 {
			usage.Input += w.overhead + len(chunks)*w.usualAnswer(w.partTokens(len(chunks)))
			usage.Output += len(chunks) * w.usualAnswer(w.partTokens(len(chunks)))
		}
	}
	usage.Output += w.usualAnswer(w.maxTokens)
	q.Input = usage.Input + usage.CacheRead
	if m.Cost != nil {
		if dollars, known := m.Cost(q.Model, usage); known {
			q.Cost = &dollars
		}
	}
	return q
}

func (m Model) timeout() time.Duration {
	return cmp.Or(max(m.Timeout, 0), DefaultTimeout)
}

func (m Model) window() int {
	if m.Window > 0 {
		return m.Window
	}
	tokens, _ := token.Windows{}.Window(m.Provider.Name())
	return tokens
}

func (m Model) maxOutput() int {
	if m.MaxOutput > 0 {
		return m.MaxOutput
	}
	if tokens, known := (token.Windows{}).Output(m.Provider.Name()); known {
		return tokens
	}
	return math.MaxInt
}

// assemble puts together what is stored: that it is history (M2), what the
// model wrote, and the facts (M3), in an element that nothing the model wrote
// can pass for. Where that would be refused as too large, the facts get less
// room; the constraints stay.
func (m Model) assemble(r strategy.SummaryRequest, got answer) string {
	said := got.Text()
	if said == "" {
		return "" // no facts can make an answer of nothing
	}
	said = source.HistoryNote + "\n\n" + shield.Tags(said, factsName)
	var facts Facts
	if m.Facts != nil {
		facts = m.Facts(r)
	}
	if facts == nil {
		return said
	}
	budget, text := cmp.Or(max(m.FactTokens, 0), DefaultFactTokens), ""
	for _, room := range []int{budget, budget / 4, 0} {
		known := ""
		if room > 0 {
			known = strings.TrimSpace(facts.Text(room))
		}
		known += constrained(known, said, facts.Constraints())
		text = said
		if known != "" {
			text += "\n\n" + shield.Element(factsName, strings.TrimLeft(known, "\n"))
		}
		if r.Refusal(strategy.SummaryResult{Text: text}) == nil {
			break
		}
	}
	return text
}

// factsName is the element of a summary that a program wrote.
const factsName = "facts"

// constrained gives the constraints that neither facts nor summary hold word
// for word.
func constrained(facts, said string, constraints []string) string {
	flat, missing := flattened(facts)+"\n"+flattened(said), ""
	for _, c := range constraints {
		if one := flattened(c); one != "" && !strings.Contains(flat, one) {
			missing += "- " + strings.ReplaceAll(strings.TrimSpace(c), "\n", "\n  ") + "\n"
			flat += " " + one
		}
	}
	if missing == "" {
		return ""
	}
	return "\n\nThe user's constraints, word for word:\n" + strings.TrimRight(missing, "\n")
}

// flattened compares texts whatever their line breaks, indents and quote marks
// at the beginning of lines.
func flattened(text string) string {
	var words []string
	for line := range strings.SplitSeq(text, "\n") {
		words = append(words, strings.Fields(strings.TrimLeft(line, "> \t"))...)
	}
	return strings.Join(words, " ")
}
