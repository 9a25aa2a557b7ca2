package summary

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"

	"tenfold"
	"tenfold/provider"
	"tenfold/strategy"
	"tenfold/summary/check"
	"tenfold/summary/internal/source"
	"tenfold/token"
)

// writing is one summary on its way.
type writing struct {
	Model
	request   strategy.SummaryRequest
	source    strategy.SummaryRequest // with all entries that the model is shown
	wording   Wording
	blocks    []Block
	maxTokens int
	counter   tenfold.Counter
	// before and after are the context of a recursive summary (S-8).
	before, after string
	// overhead is what a request costs beside the blocks.
	overhead int
	track    *tracker
	notes    []string
	failures []error
}

// A stoppedError says that a model's answer is none to take (C6).
type stoppedError struct {
	cutOff, declined bool
	thought          bool // of what it had room for it used most to think
	text             string
}

func (e *stoppedError) Error() string {
	switch {
	case e.declined:
		return "the model declined"
	case e.cutOff:
		return "the answer was cut off"
	}
	return "the answer is empty"
}

// oneAtATime is a counter for views that several goroutines read: the caller's
// own need not be safe for that.
type oneAtATime struct {
	mu sync.Mutex
	of tenfold.Counter
}

// Count implements [tenfold.Counter].
func (c *oneAtATime) Count(text string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.of.Count(text)
}

func (m Model) begin(r strategy.SummaryRequest) *writing {
	r.Log = cmp.Or(r.Log, tenfold.NewLog())
	w := &writing{
		Model: m, request: r, source: r, wording: m.Wording.filled(), counter: &oneAtATime{of: r.Log.Counter()},
		track: &tracker{tell: m.Progress, cost: m.Cost, model: m.Provider.Name(), most: math.MaxInt},
	}
	window := m.window()
	w.maxTokens = min(m.MaxTokens, max(window/2, 1))
	if w.maxTokens <= 0 {
		w.maxTokens = min(DefaultMaxTokens, max(window/4, 1))
	}
	w.maxTokens = min(w.maxTokens, m.maxOutput())
	if _, known := (token.Windows{}).Window(m.Provider.Name()); provider.Thinks(m.Provider.Name()) && (known || m.Window > 0) {
		w.track.makeRoom(min(thinkingRoom, window/8, m.maxOutput()-w.maxTokens))
	}
	render := Rendering{Reasoning: m.Reasoning}
	w.blocks = render.Blocks(r.Log, r.Entries)
	// Context takes a quarter of the window at most: four bytes a token.
	w.before = source.CutMiddle(strings.Join(r.Prior, "\n\n"), window/2)
	if len(r.Overlap) > 0 {
		render.Longest = max(window/2/len(r.Overlap), 1)
		w.after = render.Text(r.Log, r.Overlap)
	}
	w.overhead = w.askTokens() + w.counter.Count(w.wording.System) + w.counter.Count(w.wording.Merge) +
		w.counter.Count(w.before) + w.counter.Count(w.after) + 100
	return w
}

// askTokens is what asking at the end of a conversation costs.
func (w *writing) askTokens() int {
	return w.counter.Count(w.wording.inPlace(w.request, w.maxTokens))
}

// budget is how many tokens of the session fit one call. A twentieth of the
// window is left alone, since the counter need not be the provider's.
func (w *writing) budget() int {
	window := w.window()
	return max(window-window/20-w.maxTokens-w.track.makeRoom(0)-w.overhead, 64)
}

func (w *writing) chunks(budget int) []chunk { return chunked(w.counter, w.blocks, budget) }

// partTokens bounds the summary of each of n parts, so that together they fit
// the call that merges them.
func (w *writing) partTokens(n int) int { return max(min(w.maxTokens, w.budget()/n), 64) }

// usualAnswer guesses how long a summary gets, for a quote.
func (w *writing) usualAnswer(most int) int {
	total := 0
	for _, b := range w.blocks {
		total += w.counter.Count(b.Body)
	}
	return min(most, max(total/20, 500))
}

// write gives a checked answer.
func (w *writing) write(ctx context.Context) (answer, error) {
	if len(w.blocks) == 0 && len(w.request.Prior) == 0 {
		return answer{}, &stoppedError{}
	}
	if w.prefix() {
		got, err := w.inPlace(ctx)
		if provider.KindOf(err) != provider.TooLarge {
			return got, err
		}
		w.source = w.request
		w.notes = append(w.notes, "the conversation as it stands did not fit the model, so its text was sent instead")
	}
	budget := w.budget()
	got, err := w.summariseRange(ctx, budget)
	if provider.KindOf(err) != provider.TooLarge {
		return got, err
	}
	largest := 0
	for _, c := range w.chunks(budget) {
		largest = max(largest, c.tokens)
	}
	smaller := w.lessThan(largest, err)
	w.notes = append(w.notes, fmt.Sprintf("parts of %d tokens did not fit the model, so parts of %d were read", largest, smaller))
	return w.summariseRange(ctx, smaller)
}

// lessThan is the budget after a part of so many tokens was too large: as the
// provider's figures say, which count otherwise than we do, or half of it.
func (w *writing) lessThan(largest int, err error) int {
	if e, ok := errors.AsType[*provider.Error](err); ok && e.Limit > 0 && e.Used > e.Limit {
		ours := float64(largest+w.overhead) / float64(e.Used)
		if fits := int(float64(e.Limit)*ours*0.95) - w.overhead; fits >= largest/8 && fits > 0 {
			return min(fits, largest)
		}
	}
	return max(largest/2, 1)
}

// summariseRange has the range read, in parts if it must be, and merged (C5).
func (w *writing) summariseRange(ctx context.Context, budget int) (answer, error) {
	chunks := w.chunks(budget)
	if len(chunks) == 0 {
		chunks = []chunk{{from: w.request.Range.FromTurn, to: w.request.Range.ToTurn}}
	}
	cut := 0
	for _, c := range chunks {
		cut += c.cut
	}
	if cut > 0 {
		w.notes = append(w.notes, fmt.Sprintf("%d entries larger than what the model can read at once were cut in the middle", cut))
	}
	w.track.at(Reading, len(chunks))
	if len(chunks) == 1 {
		return w.askChecked(ctx, w.maxTokens, w.system, func(most int) string {
			return w.wording.reading(w.request, 1, 1, chunks[0], w.before, w.after, most)
		})
	}
	parts, err := w.parts(ctx, chunks)
	if err != nil {
		return answer{}, err
	}
	w.notes = append(w.notes, fmt.Sprintf("the range was read in %d parts, which were merged", len(chunks)))
	w.track.at(Merging, 1)
	return w.askChecked(ctx, w.maxTokens, w.system, func(most int) string {
		return w.wording.merging(w.request, parts, chunks, most)
	})
}

func (w *writing) system(messages ...tenfold.Payload) *tenfold.Projection {
	return once(w.counter, w.wording.System, messages...)
}

// parts reads the chunks, a few at a time. The first that fails ends the others.
func (w *writing) parts(ctx context.Context, chunks []chunk) ([]answer, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	parts, maxTokens := make([]answer, len(chunks)), w.partTokens(len(chunks))
	var group sync.WaitGroup
	slots := make(chan struct{}, atOnce)
	for i, c := range chunks {
		group.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			if ctx.Err() != nil {
				return
			}
			before, after := "", ""
			if i == 0 {
				before = w.before
			}
			if i == len(chunks)-1 {
				after = w.after
			}
			got, _, err := w.ask(ctx, maxTokens, func(most int) *tenfold.Projection {
				return w.system(says(w.wording.reading(w.request, i+1, len(chunks), c, before, after, most)))
			})
			if err != nil {
				cancel(err) // the first one counts
				return
			}
			parts[i] = got
			w.track.done()
		})
	}
	group.Wait()
	return parts, context.Cause(ctx)
}

// askChecked asks, looks up what the answer names, and asks once more when too
// much of it is not in the log.
func (w *writing) askChecked(ctx context.Context, maxTokens int, view func(...tenfold.Payload) *tenfold.Projection, message func(most int) string) (answer, error) {
	got, raw, err := w.ask(ctx, maxTokens, func(most int) *tenfold.Projection { return view(says(message(most))) })
	if err == nil {
		if err = w.check(got); err == nil {
			return got, nil
		}
	}
	again := "That is not a JSON object as it was asked for."
	if invented := (*check.InventedError)(nil); errors.As(err, &invented) {
		again = invented.Findings.Complaint()
	} else if !errors.Is(err, errBroken) {
		return answer{}, err
	}
	w.failures = append(w.failures, err)
	w.track.at(Correcting, 1)
	if strings.TrimSpace(raw) == "" {
		raw = "(no answer)"
	}
	got, _, err = w.ask(ctx, maxTokens, func(most int) *tenfold.Projection {
		return view(says(message(most)), tenfold.AssistantMessage{Text: raw},
			says(again+" Write the whole answer once more, with nothing in it that the session does not hold. "+answerWords))
	})
	if err != nil {
		return answer{}, err
	}
	return got, w.check(got)
}

// check looks up in the log what an answer names. What is not found and may be
// taken all the same is noted (M3).
func (w *writing) check(got answer) error {
	w.track.at(Checking, 1)
	found := check.Summary(got.Text(), w.source)
	if !found.OK() {
		return &check.InventedError{Findings: found}
	}
	if len(found.Strangers) > 0 {
		w.notes = append(w.notes, "the summary names what the log does not hold: "+check.List(found.Strangers, 5))
	}
	return nil
}
