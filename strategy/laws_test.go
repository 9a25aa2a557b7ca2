package strategy_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tenfold"
	"tenfold/internal/corpustest"
	"tenfold/internal/logtest"
	"tenfold/strategy"
)

// compositions are what the laws are tried with: three strategies drawn from
// all there are, with parameters small enough to bite in a short log.
func compositions() []string {
	all := []string{
		"sliding-window:n=6", "turn-window:n=2", "token-window:n=60", "micro:keep_recent=1,over=40", "purge-errors:after=1",
		"trim-results:head=20,tail=10,over=60", "summarize", "summarize:placement=system", "summarize:placement=user",
		"recursive-summary:keep=5,overlap=2", "auto:summarize_threshold=0.1",
	}
	for _, name := range strategy.Names() {
		if !slices.ContainsFunc(all, func(s string) bool { return s == name || strings.HasPrefix(s, name+":") }) {
			all = append(all, name)
		}
	}
	return all
}

// able gives options with which every strategy has all it asks for.
func able(span tenfold.Range) strategy.Options {
	return strategy.Options{
		Range: span, Source: "user", Window: 400,
		Summarizer: &scripted{results: []strategy.SummaryResult{{Text: "In short: work was done.", Model: "m"}}},
		Classifier: naming(func(r strategy.ClassifyRequest) []strategy.Tangent {
			var named []strategy.Tangent
			for _, turn := range r.Turns {
				if turn%2 == 1 {
					named = append(named, strategy.Tangent{Turn: turn})
				}
			}
			return named
		}),
		Confirm: func(_ context.Context, named []strategy.Tangent) ([]strategy.Tangent, error) { return named, nil },
	}
}

// complaint is where a law is broken.
type complaint interface {
	Helper()
	Fatalf(format string, args ...any)
}

// holdComposition plans over a log, and holds what comes out to the laws of
// §2: bodies valid for every provider (P10), totals that add up (P11), a view
// that projects to itself (P12), undo to the byte (C7); and to S-15 to S-17.
func holdComposition(t complaint, l *tenfold.Log, o strategy.Options, pl strategy.Pipeline, deep bool) {
	t.Helper()
	raw := tenfold.Project(l)
	made, err := pl.Plan(context.Background(), raw, o)
	if err != nil {
		t.Fatalf("plan: %v", err)
	}
	if (made.Nothing != "") != (len(made.Compactions) == 0) {
		t.Fatalf("nothing %q, %d compactions", made.Nothing, len(made.Compactions))
	}
	tokens := raw.Tokens()
	for _, s := range made.Steps {
		if s.Before != tokens {
			t.Fatalf("step %s begins at %d tokens, the one before ended at %d", s.Strategy, s.Before, tokens)
		}
		tokens = s.After
	}
	if made.After != tokens {
		t.Fatalf("the steps end at %d tokens, the plan at %d", tokens, made.After)
	}
	var entries, undo []tenfold.Entry
	for i, c := range made.Compactions {
		id := fmt.Sprintf("law/%d", i)
		entries = append(entries, tenfold.Entry{ID: id, Payload: c})
		undo = append(undo, tenfold.Entry{ID: id + "/undo", Payload: tenfold.CompactionRevoked{Target: id}})
	}
	slices.Reverse(undo)
	p := raw.Preview(entries...)
	if p.Tokens() != tokens {
		t.Fatalf("applied, it is %d tokens; the plan said %d", p.Tokens(), tokens)
	}
	checkTotals(t, p)
	after := allBodies(t, p)
	checkValid(t, "compacted", after)
	if !deep {
		return
	}
	again := tenfold.NewLog(tenfold.WithCounter(l.Counter()))
	if _, err := again.Append(slices.Collect(p.Entries())...); err != nil {
		t.Fatalf("projected again: %v", err)
	}
	q := tenfold.Project(again)
	if !slices.EqualFunc(after, allBodies(t, q), bytes.Equal) {
		t.Fatalf("projected again, it is another view")
	}
	// A summary in the system prompt is counted with it then, which may round
	// otherwise.
	if d := p.Tokens() - q.Tokens(); d < -1 || d > 1 {
		t.Fatalf("projected again, it is another view: %d tokens, then %d", p.Tokens(), q.Tokens())
	}
	if !slices.EqualFunc(allBodies(t, raw), allBodies(t, raw.Preview(append(entries, undo...)...)), bytes.Equal) {
		t.Fatalf("undo is not exact")
	}
}

func TestLawsOfCompositionsGenerated(t *testing.T) {
	all := compositions()
	rapid.Check(t, func(t *rapid.T) {
		l := tenfold.NewLog()
		if _, err := l.Append(logtest.Entries(48).Draw(t, "log")...); err != nil {
			t.Fatal(err)
		}
		span := tenfold.Range{ToTurn: max(l.Turns()-1, 0)}
		if n := l.Turns(); n > 0 {
			span.FromTurn = rapid.IntRange(0, n-1).Draw(t, "from")
			span.ToTurn = rapid.IntRange(span.FromTurn, n-1).Draw(t, "to")
			if last, _ := l.Turn(span.ToTurn); last.Steps > 1 && rapid.Bool().Draw(t, "inside") {
				span.ToStep = step(rapid.IntRange(0, last.Steps-2).Draw(t, "step"))
			}
		}
		for range 8 { // logs are dearer to draw than strategies
			var pl strategy.Pipeline
			for range 3 {
				s, err := strategy.Parse(rapid.SampledFrom(all).Draw(t, "strategy"))
				if err != nil {
					t.Fatal(err)
				}
				pl = append(pl, s)
			}
			holdComposition(t, l, able(span), pl, true)
		}
	})
}

func TestLawsOfCompositionsOverTheCorpus(t *testing.T) {
	texts := compositions()
	texts = append(texts, "sliding-window", "turn-window", "token-window", "micro", "trim-results", "purge-errors")
	all := parse(t, texts...)
	for i, f := range corpustest.Sample(corpustest.Files(t, "claude-code", "jp")) {
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			for _, l := range importFile(t, f, tenfold.Chars4{}) {
				if l.Turns() == 0 {
					continue
				}
				r := rand.New(rand.NewPCG(3, uint64(i)))
				for try := range 6 {
					var pl strategy.Pipeline
					for range 3 {
						pl = append(pl, all[r.IntN(len(all))])
					}
					o := able(someRange(r, l))
					if try == 0 {
						o.Range = everything(l)
					}
					t.Log(pl[0].Name(), pl[1].Name(), pl[2].Name(), o.Range)
					holdComposition(t, l, o, pl, try == 0)
				}
			}
		})
	}
}

// Ten compactions in a row of a conversation that goes on: no size grows with
// the number of compactions, no old result comes back, nothing is left behind.
func TestTenCompactionsInARow(t *testing.T) {
	corpustest.Unraced(t)
	for _, text := range [][]string{
		{"summarize"},
		{"recursive-summary:keep=8,overlap=2"},
		{"micro:keep_recent=4"},
		{"sliding-window:n=12"},
		{"turn-window:n=3"},
		{"token-window:n=900"},
		{"auto:summarize_threshold=0.2"},
		{"strip-tools", "micro:keep_recent=2"},
		{"trim-results", "purge-errors:after=1"},
	} {
		t.Run(strings.Join(text, " "), func(t *testing.T) {
			l := tenfold.NewLog()
			s := &scripted{results: []strategy.SummaryResult{{Text: "In short: work was done.", Model: "m"}}}
			var sizes []int
			var shownAt []int
			for round := range 10 {
				for i := range 5 {
					id := fmt.Sprintf("%d.%d", round, i)
					extend(t, l, "t", "u ask "+id, "c "+id+" Read {}", "r "+id+" *3000", "c e"+id+" Write *90", "e e"+id+" no", "a say "+id)
				}
				p := tenfold.Project(l)
				before := p.Tokens()
				o := strategy.Options{Range: tenfold.Range{ToTurn: l.Turns() - 3}, Summarizer: s, Window: 8000}
				made := plan(t, p, o, text...)
				apply(t, l, made)
				now := tenfold.Project(l)
				if now.Tokens() != made.After || now.Tokens() >= before {
					t.Fatalf("round %d: %d tokens, then %d, applied %d: %s %s", round, before, made.After, now.Tokens(), made.Nothing, notesOf(made))
				}
				checkTotals(t, now)
				checkValid(t, "grown", allBodies(t, now))
				for seq := int64(1); seq <= p.Version(); seq++ {
					_, _, was := p.Fate(seq)
					if f, _, is := now.Fate(seq); is > was {
						t.Fatalf("round %d: entry %d costs %d, then %d (%s)", round, seq, was, is, f)
					}
				}
				items := 0
				for range now.Items() {
					items++
				}
				sizes, shownAt = append(sizes, now.Tokens()), append(shownAt, items)
				if again := plan(t, now, o, text...); again.Nothing == "" {
					t.Fatalf("round %d: again %+v", round, again.Steps)
				}
			}
			if strings.Contains(text[0], "window") || strings.Contains(text[0], "summar") {
				for round := 2; round < 10; round++ {
					if shownAt[round] != shownAt[1] || sizes[round]-sizes[1] > 40 { // longer names of asks
						t.Fatalf("sizes %v, items %v", sizes, shownAt)
					}
				}
			}
			live, summaries := 0, 0
			for it := range tenfold.Project(l).Items() {
				if it.Added == tenfold.AddedSummary {
					summaries++
				}
			}
			for o := range tenfold.Project(l).Overlays() {
				if o.Live {
					live++
				}
			}
			if summaries > 2 || live > 10*5*len(text) {
				t.Errorf("%d messages of summaries, %d overlays", summaries, live)
			}
			// A recursive summary reads what is new, the others what there is.
			for i, r := range s.asked {
				if strings.HasPrefix(text[0], "recursive") && (len(r.Prior) != min(i, 1) || (i > 1 && len(r.Entries) > 50)) {
					t.Errorf("request %d: %d entries, %d prior summaries", i, len(r.Entries), len(r.Prior))
				}
			}
		})
	}
}
