package strategy_test

import (
	"bytes"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tenfold"
	"tenfold/body"
	"tenfold/internal/corpustest"
	"tenfold/internal/record"
	"tenfold/strategy"
	"tenfold/token"
	"tenfold/transcript"
)

// importFile reads a file of the corpus and gives its conversations as logs.
func importFile(t *testing.T, f corpustest.File, counter tenfold.Counter) []*tenfold.Log {
	t.Helper()
	file, err := transcript.Open(f.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var all transcript.Collector
	if err := transcript.Import(t.Context(), file.Source, "", &all); err != nil {
		t.Fatalf("%s: %v", f.Name, err)
	}
	var logs []*tenfold.Log
	for _, c := range all.Conversations {
		l := tenfold.NewLog(tenfold.WithCounter(counter))
		if _, err := l.Append(c.Entries...); err != nil {
			t.Fatal(err)
		}
		logs = append(logs, l)
	}
	return logs
}

// trial is an overlay to lay over so many seeded ranges of each file.
type trial struct {
	name    string
	overlay tenfold.Compaction
	ranges  int
}

// trials are what the laws are tried with over real transcripts: the profiles
// that come with the program, and the policies they do not use.
func trials(t *testing.T, p *tenfold.Projection) []trial {
	t.Helper()
	all := []trial{
		{"omit turns", tenfold.Compaction{Turns: tenfold.Omit}, 4},
		{"omit calls", tenfold.Compaction{ToolCalls: &tenfold.ToolPolicy{Action: tenfold.Omit}}, 4},
		{"summary", tenfold.Compaction{Summary: &tenfold.Summary{Text: "What was done before."}}, 4},
		{"system", tenfold.Compaction{Summary: &tenfold.Summary{Text: "What was done before.", Placement: tenfold.PlaceSystem}}, 4},
		{"files", tenfold.Compaction{Attachments: &tenfold.Policy{Action: tenfold.Strip}}, 4},
	}
	profiles := strategy.Profiles()
	for _, name := range slices.Sorted(maps.Keys(profiles)) {
		profile := profiles[name]
		if profile.Fit.Set() {
			continue // what it does depends on the range: TestFitOverTheCorpus
		}
		cs, err := profile.Propose(t.Context(), p, strategy.Options{})
		if err != nil {
			t.Fatal(err)
		}
		same := func(other trial) bool { return record.Same(other.overlay, cs[0]) }
		if slices.ContainsFunc(all, same) {
			continue // without a summarizer heavy is the default
		}
		all = append(all, trial{name, cs[0], 20})
	}
	slices.SortFunc(all, func(a, b trial) int { return strings.Compare(a.name, b.name) })
	return all
}

// someRange draws a range of the log, ending inside a turn half the time.
func someRange(r *rand.Rand, l *tenfold.Log) tenfold.Range {
	from := r.IntN(l.Turns())
	span := tenfold.Range{FromTurn: from, ToTurn: from + r.IntN(l.Turns()-from)}
	if t, _ := l.Turn(span.ToTurn); r.IntN(2) == 0 && t.Steps > 1 {
		step := r.IntN(t.Steps - 1)
		span.ToStep = &step
	}
	return span
}

func allBodies(t complaint, p *tenfold.Projection) [][]byte {
	t.Helper()
	var out [][]byte
	for _, f := range body.Profiles() {
		body, err := f.Write(p)
		if err != nil {
			t.Fatalf("%s: %v", f.Name, err)
		}
		out = append(out, body)
	}
	return out
}

func checkTotals(t complaint, p *tenfold.Projection) {
	t.Helper()
	var log, spans tenfold.Count
	for e := range p.Log().Entries() {
		if p.Reads(e.Seq) {
			log.Entries++
			log.Before += e.Tokens
		}
	}
	totals := p.Totals()
	if sum := totals.Log(); sum.Entries != log.Entries || sum.Before != log.Before {
		t.Fatalf("fates sum to %+v, the log to %+v", sum, log)
	}
	for _, s := range strategy.Spans(p) {
		spans.Before += s.Before
		spans.After += s.After
	}
	if all := totals.All(); spans.Before != all.Before || spans.After != all.After {
		t.Fatalf("spans sum to %+v, the totals to %+v", spans, all)
	}
	shown := totals.Config.After
	for it := range p.Items() {
		shown += it.Tokens
	}
	if section := totals.All().After - shown; section < 0 {
		t.Fatalf("items cost %d more than the totals say", -section)
	}
}

// The laws of semantics §2 over the corpus: every profile and policy over
// seeded ranges gives bodies that are valid for all providers (P10), totals
// that add up (P11), and can be undone byte for byte (C7).
func TestLawsOverTheCorpus(t *testing.T) {
	for i, f := range corpustest.Sample(corpustest.Files(t, "claude-code", "jp")) {
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			for _, l := range importFile(t, f, tenfold.Chars4{}) {
				if l.Turns() == 0 {
					continue
				}
				holdLaws(t, l, rand.New(rand.NewPCG(64, uint64(i))))
			}
		})
	}
}

func holdLaws(t *testing.T, l *tenfold.Log, r *rand.Rand) {
	t.Helper()
	raw := tenfold.Project(l)
	before := allBodies(t, raw)
	checkValid(t, "as imported", before)
	checkTotals(t, raw)
	for _, try := range trials(t, raw) {
		name, c := try.name, try.overlay
		tried := map[string]bool{}
		for range try.ranges {
			span := someRange(r, l)
			if tried[span.String()] {
				continue // short logs have few
			}
			tried[span.String()] = true
			p := raw.With(span.On(c))
			checkTotals(t, p)
			checkValid(t, name+" "+span.String(), allBodies(t, p))
		}
		span := someRange(r, l)
		undone := raw.Preview(
			tenfold.Entry{ID: "law", Payload: span.On(c)},
			tenfold.Entry{ID: "law/undo", Payload: tenfold.CompactionRevoked{Target: "law"}},
		)
		if !slices.EqualFunc(before, allBodies(t, undone), bytes.Equal) {
			t.Fatalf("%s %s: undo is not exact", name, span)
		}
	}
}

func checkValid(t complaint, what string, bodies [][]byte) {
	t.Helper()
	for i, f := range body.Profiles() {
		for _, v := range f.Check(bodies[i]) {
			t.Fatalf("%s, %s: %s", what, f.Name, v)
		}
	}
}

// The default profile takes the ten largest Claude Code sessions to at most
// 40 % of their tokens together.
func TestDefaultProfileOnTheLargest(t *testing.T) {
	corpustest.Unraced(t)
	before, after := 0, 0
	for _, f := range corpustest.Files(t, "claude-code")[:10] {
		for _, l := range importFile(t, f, token.O200k()) {
			p := tenfold.Project(l)
			span, ok, why, err := p.Resolve(tenfold.Bounds{})
			if err != nil {
				t.Fatal(err)
			}
			if !ok {
				t.Logf("%s: %s", f.Name, why)
				before, after = before+p.Tokens(), after+p.Tokens()
				continue
			}
			profile, err := strategy.FindProfile(strategy.DefaultProfile)
			if err != nil {
				t.Fatal(err)
			}
			plan, err := strategy.Pipeline{profile}.Plan(t.Context(), p, strategy.Options{Range: span})
			if err != nil {
				t.Fatal(err)
			}
			b, a := p.Totals().All().Before, plan.After
			t.Logf("%s: %s of %d turns, %d → %d tokens (%d %%)", f.Name, span, p.Log().Turns(), b, a, a*100/max(b, 1))
			before, after = before+b, after+a
		}
	}
	t.Logf("together %d → %d tokens: %.1f %%", before, after, float64(after)*100/float64(before))
	if after*100 > before*40 {
		t.Errorf("%d of %d tokens are left, more than 40 %%", after, before)
	}
}

// T10 of performance.md: views of real conversations, cut at quarters of their
// length as a loop would meet them. None is broken or empty, none is over the
// budget of its window but where the last turn alone is (S-7, S-9), which is
// said; the request under way is still there, and the first one or a note that
// it is gone.
func TestT10ViewsOfRealConversations(t *testing.T) {
	budgets := map[string]int{"token-window:n=4000": 4000, "token-window:n=20000": 20_000}
	var pipelines []strategy.Pipeline
	for _, text := range []string{
		"token-window", "token-window:n=20k", "sliding-window", "sliding-window:n=4", "turn-window:n=2", "micro", "trim-results", "auto",
	} {
		s, err := strategy.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		pipelines = append(pipelines, strategy.Pipeline{s})
	}
	views, over, gone := 0, 0, 0
	for _, f := range corpustest.Sample(corpustest.Files(t, "claude-code", "jp")) {
		for _, whole := range importFile(t, f, tenfold.Chars4{}) {
			entries := slices.Collect(whole.Entries())
			for quarter := 1; quarter <= 4; quarter++ {
				l := tenfold.NewLog()
				if _, err := l.Append(entries[:len(entries)*quarter/4]...); err != nil {
					t.Fatal(err)
				}
				raw := tenfold.Project(l)
				request := lastRequest(raw)
				if request == 0 {
					continue
				}
				span := tenfold.Range{ToTurn: l.Turns() - 1}
				for _, pipeline := range pipelines {
					plan, err := pipeline.Plan(t.Context(), raw, strategy.Options{Range: span})
					if err != nil {
						t.Fatal(err)
					}
					views++
					what := f.Name + " with " + pipeline[0].Name()
					if plan.After == 0 {
						t.Errorf("%s: the view is empty", what)
					}
					said := notesOf(plan)
					if n := budgets[pipeline[0].Name()]; n > 0 && plan.After > n {
						over++
						if !strings.Contains(said, "the last turn") || !strings.Contains(said, "more than the window") {
							t.Errorf("%s: the view costs %d tokens, and it says %q", what, plan.After, said)
						}
					}
					first, _, _ := plan.View().Fate(firstRequest(raw))
					if first == tenfold.Omitted {
						gone++
					}
					if (first == tenfold.Omitted) != strings.Contains(said, "the first request") {
						t.Errorf("%s: the first request is %s, and it says %q", what, first, said)
					}
					if fate, _, _ := plan.View().Fate(request); fate != tenfold.Kept {
						t.Errorf("%s: the request under way is %s", what, fate)
					}
					checkValid(t, what, allBodies(t, plan.View()))
				}
			}
		}
	}
	t.Logf("%d views: none broken, none empty, the request there in all; %d of a last turn over the budget; %d without the first request, as they say",
		views, over, gone)
}

// firstRequest is the seq of the first message of a person; 0 for none.
func firstRequest(p *tenfold.Projection) int64 {
	for e := range p.Log().Entries() {
		if m, ok := e.Payload.(tenfold.UserMessage); ok && e.Branch == "" && !m.Synthetic {
			return e.Seq
		}
	}
	return 0
}

// lastRequest is the seq of the last message of a person that is shown; 0 for
// none.
func lastRequest(p *tenfold.Projection) int64 {
	var last int64
	for it := range p.Items() {
		if m, ok := it.Payload.(tenfold.UserMessage); ok && !m.Synthetic && it.Seq > 0 {
			last = it.Seq
		}
	}
	return last
}
