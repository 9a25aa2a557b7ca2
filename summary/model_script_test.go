package summary_test

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"tenfold"
	"tenfold/body"
	"tenfold/internal/logtest"
	"tenfold/provider"
	"tenfold/strategy"
)

// talk writes a log in short; see [logtest.Talk].
var talk = logtest.Talk

// requestOf asks for a summary of turns of a log.
func requestOf(l *tenfold.Log, from, to int) strategy.SummaryRequest {
	r := strategy.SummaryRequest{Log: l, Range: tenfold.Range{FromTurn: from, ToTurn: to}, View: tenfold.Project(l)}
	for e := range l.Entries() {
		if turn, _, _ := l.Where(e.Seq); turn >= from && turn <= to {
			r.Entries = append(r.Entries, e)
		}
	}
	return r
}

// long has four turns, enough for a summary; the words of turn i have its number in them.
func long(t testing.TB) *tenfold.Log {
	t.Helper()
	var lines []string
	for i := range 4 {
		lines = append(lines, "t", fmt.Sprintf("u Please fix bug %d00 in pkg/part%d/main.go", i+1, i),
			fmt.Sprintf(`c %d Read {"path":"pkg/part%d/main.go"}`, i, i),
			fmt.Sprintf("r %d %s", i, strings.Repeat(fmt.Sprintf("line of part%d ", i), 150)), fmt.Sprintf("a Bug %d00 is fixed.", i+1))
	}
	return talk(t, lines...)
}

// says is an answer in one piece.
func says(text string) []provider.Event {
	return []provider.Event{{Text: text}, {Block: tenfold.AssistantMessage{Text: text}}, {Usage: &tenfold.Usage{Input: 100, Output: 10}}, {Stop: provider.StopEnd}}
}

// stops is an answer that ends for a reason.
func stops(text string, why provider.Stop) []provider.Event {
	return []provider.Event{{Block: tenfold.AssistantMessage{Text: text}}, {Stop: why}}
}

// structured is an answer in the shape that is asked for (M1a).
func structured(summary string, files ...string) []provider.Event {
	quoted := make([]string, len(files))
	for i, f := range files {
		quoted[i] = fmt.Sprintf("%q", f)
	}
	return says(fmt.Sprintf(`{"summary":%q,"active_files":[%s],"open_tasks":[]}`, summary, strings.Join(quoted, ",")))
}

// played is a model that plays: for the n-th request (from 0) the events that
// answer gives, then its error. A nil answer hangs until it is cancelled.
type played struct {
	name   string
	answer func(n int, r provider.Request) ([]provider.Event, error)
	delay  time.Duration

	mu      sync.Mutex
	asked   []provider.Request
	running int
	most    int // calls at once
}

// wasShown reports whether a request held some words.
func (m *played) wasShown(words string) bool {
	return slices.ContainsFunc(m.asked, func(r provider.Request) bool {
		for it := range r.View.Items() {
			if strings.Contains(fmt.Sprint(it.Payload), words) {
				return true
			}
		}
		return false
	})
}

// plays gives one answer after the other; the last goes on.
func plays(answers ...[]provider.Event) *played {
	return &played{answer: func(n int, _ provider.Request) ([]provider.Event, error) {
		return answers[min(n, len(answers)-1)], nil
	}}
}

func (m *played) Name() string {
	if m.name == "" {
		return "test/model"
	}
	return m.name
}

func (*played) Profile() body.Profile { return body.Anthropic() }

func (*played) Count(_ context.Context, r provider.Request) (provider.Count, error) {
	return provider.Count{Tokens: r.View.Tokens()}, nil
}

func (m *played) Stream(ctx context.Context, r provider.Request) iter.Seq2[provider.Event, error] {
	return func(yield func(provider.Event, error) bool) {
		m.mu.Lock()
		n := len(m.asked)
		m.asked = append(m.asked, r)
		m.running++
		m.most = max(m.most, m.running)
		m.mu.Unlock()
		defer func() {
			m.mu.Lock()
			m.running--
			m.mu.Unlock()
		}()
		if m.delay > 0 {
			select {
			case <-ctx.Done():
				yield(provider.Event{}, ctx.Err())
				return
			case <-time.After(m.delay):
			}
		}
		if m.answer == nil {
			<-ctx.Done()
			yield(provider.Event{}, ctx.Err())
			return
		}
		events, err := m.answer(n, r)
		for _, e := range events {
			if ctx.Err() != nil {
				yield(provider.Event{}, ctx.Err())
				return
			}
			if !yield(e, nil) {
				return
			}
		}
		if err != nil {
			yield(provider.Event{}, err)
		}
	}
}

// sent is what a request shows: its messages, one a line.
func sent(r provider.Request) string {
	var out []string
	for it := range r.View.Items() {
		out = append(out, tenfold.SearchText(it.Payload))
	}
	return strings.Join(out, "\n")
}

// requests counts what was asked, in order of their first words.
func (m *played) requests() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []string
	for _, r := range m.asked {
		out = append(out, sent(r))
	}
	return out
}

// digest stands in for the summariser that needs no model.
type digest struct{ text string }

func (d digest) Summarize(_ context.Context, r strategy.SummaryRequest) (strategy.SummaryResult, error) {
	if d.text != "" {
		return strategy.SummaryResult{Text: d.text, Model: "digest"}, nil
	}
	return strategy.SummaryResult{Text: fmt.Sprintf("%d entries.", len(r.Entries)), Model: "digest"}, nil
}

// price is one dollar for a hundred tokens of input, ten cents from the cache,
// five dollars for output.
func price(_ string, u tenfold.Usage) (float64, bool) {
	return float64(u.Input)/100 + float64(u.CacheRead)/1000 + float64(u.Output)/20, true
}

func compact(t testing.TB, l *tenfold.Log, s strategy.Summarizer, from, to int) (strategy.Plan, []error) {
	t.Helper()
	var failed []error
	made, err := strategy.Pipeline{parsed(t, "summarize")}.Plan(context.Background(), tenfold.Project(l), strategy.Options{
		Range: tenfold.Range{FromTurn: from, ToTurn: to}, Summarizer: s, Source: "user",
		Failed: func(_ strategy.SummaryRequest, err error) { failed = append(failed, err) },
	})
	if err != nil {
		t.Fatal(err)
	}
	return made, failed
}

func parsed(t testing.TB, name string) strategy.Strategy {
	t.Helper()
	s, err := strategy.Parse(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func notesOf(made strategy.Plan) string {
	var out []string
	for _, s := range made.Steps {
		out = append(out, s.Notes...)
	}
	return strings.Join(slices.Compact(out), "; ")
}
