package strategy_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"tenfold"
	"tenfold/strategy"
)

// scripted is a summarizer that gives what it is told to, and keeps what it
// was asked.
type scripted struct {
	results []strategy.SummaryResult // one each; the last goes on
	err     error
	asked   []strategy.SummaryRequest
}

func (s *scripted) Summarize(_ context.Context, r strategy.SummaryRequest) (strategy.SummaryResult, error) {
	s.asked = append(s.asked, r)
	if s.err != nil {
		return strategy.SummaryResult{}, s.err
	}
	if len(s.results) == 0 {
		return strategy.SummaryResult{Text: fmt.Sprintf("S%d", len(s.asked)), Model: "m"}, nil
	}
	return s.results[min(len(s.asked), len(s.results))-1], nil
}

// dear is one that costs something.
type dear struct{ scripted }

func (*dear) Quote(r strategy.SummaryRequest) strategy.Quote {
	cost, tokens := 0.25, 0
	for _, e := range r.Entries {
		tokens += e.Tokens
	}
	return strategy.Quote{Model: "big", Input: tokens, Cost: &cost}
}

// spoken writes what entries say, to compare.
func spoken(entries []tenfold.Entry) string {
	var out []string
	for _, e := range entries {
		switch payload := e.Payload.(type) {
		case tenfold.UserMessage:
			out = append(out, text(payload.Parts))
		case tenfold.AssistantMessage:
			out = append(out, short(payload.Text))
		case tenfold.ToolCall:
			out = append(out, "call "+payload.CallID)
		case tenfold.ToolResult:
			out = append(out, "result "+text(payload.Parts))
		}
	}
	return strings.Join(out, " ")
}

// four is turns long enough to be worth a summary.
func four() []string {
	var lines []string
	for i := range 4 {
		lines = append(lines, "t", fmt.Sprintf("u ask%d", i), fmt.Sprintf("c %d Read {}", i), fmt.Sprintf("r %d *2000", i), fmt.Sprintf("a say%d", i))
	}
	return lines
}

func TestS11Summarize(t *testing.T) {
	l := script(t, four()...)
	s := &scripted{results: []strategy.SummaryResult{{Text: "Two things were done.", Model: "m"}}}
	o := strategy.Options{Range: tenfold.Range{ToTurn: 1}, Summarizer: s, Focus: "paths", Instructions: "Be brief.", Source: "user"}
	made := plan(t, tenfold.Project(l), o, "summarize")
	if len(made.Compactions) != 1 {
		t.Fatal(made.Nothing)
	}
	want := tenfold.Summary{
		Text: "Two things were done.", Model: "m", Instructions: "Be brief.\nFocus: paths",
		Covers: tenfold.Covers{Entries: 8, Tokens: 2 * (1 + 2 + 500 + 1)},
	}
	if got := *made.Compactions[0].Summary; got != want {
		t.Errorf("%+v\nwant %+v", got, want)
	}
	if r := s.asked[0]; spoken(r.Entries) != "ask0 call 0 result words an…2000 say0 ask1 call 1 result words an…2000 say1" ||
		r.Focus != "paths" || r.Instructions != "Be brief." || r.Log.Version() != l.Version() {
		t.Errorf("asked with %s %+v", spoken(r.Entries), r)
	}
	if !strings.HasPrefix(shown(made.View()), "u [Summary of previous conversation] | a Two things were done. | u ask2") {
		t.Error(shown(made.View()))
	}
	apply(t, l, made)
	// Written again to the same words it changes nothing (S-16).
	again := plan(t, tenfold.Project(l), o, "summarize")
	if again.Nothing == "" || len(s.asked) != 2 {
		t.Errorf("again: %+v, asked %d times", again.Compactions, len(s.asked))
	}
	system := plan(t, tenfold.Project(l), strategy.Options{Range: tenfold.Range{FromTurn: 2, ToTurn: 2}, Summarizer: s}, "summarize:placement=system")
	if system.Compactions[0].Summary.Placement != tenfold.PlaceSystem {
		t.Error(system.Compactions[0].Summary)
	}
}

// C4, C5: a summary takes in those it meets, and is made from raw entries.
func TestC4C5SummariesOverlap(t *testing.T) {
	tests := []struct {
		name     string
		earlier  []tenfold.Compaction
		span     tenfold.Range
		want     string // the overlay's range
		entries  string // what is read
		strategy string
	}{
		{
			"meets one in part",
			[]tenfold.Compaction{summaryOver(0, 1)},
			tenfold.Range{FromTurn: 1, ToTurn: 2},
			"0..2", "ask0 call 0 result words an…2000 say0 ask1 call 1 result words an…2000 say1 ask2 call 2 result words an…2000 say2",
			"summarize",
		},
		{
			"stripped and hidden is read raw",
			[]tenfold.Compaction{
				{ToTurn: 1, ToolCalls: &tenfold.ToolPolicy{Action: tenfold.Strip, Response: true, FirstLine: true}},
				{ToTurn: 0, Turns: tenfold.Omit},
			},
			tenfold.Range{ToTurn: 1},
			"0..1", "ask0 call 0 result words an…2000 say0 ask1 call 1 result words an…2000 say1",
			"summarize",
		},
		{
			"one beside it is not met",
			[]tenfold.Compaction{summaryOver(2, 3)},
			tenfold.Range{FromTurn: 1, ToTurn: 1},
			"1..1", "ask1 call 1 result words an…2000 say1", "summarize",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l := script(t, four()...)
			for _, c := range tt.earlier {
				apply(t, l, strategy.Plan{Compactions: []tenfold.Compaction{c}})
			}
			s := &scripted{}
			made := plan(t, tenfold.Project(l), strategy.Options{Range: tt.span, Summarizer: s}, tt.strategy)
			if len(made.Compactions) != 1 {
				t.Fatal(made.Nothing)
			}
			c := made.Compactions[0]
			if got := (tenfold.Range{FromTurn: c.FromTurn, ToTurn: c.ToTurn, ToStep: c.ToStep}).String(); got != tt.want {
				t.Errorf("range %s, want %s", got, tt.want)
			}
			if got := spoken(s.asked[0].Entries); got != tt.entries {
				t.Errorf("read %s\nwant %s", got, tt.entries)
			}
		})
	}
}

// C4: a summary over a range that live summaries stand for already takes their
// place, over the union with all that it meets; it need not be smaller than they
// are, only than what it hides (C6).
func TestC4ANewSummaryReplacesThoseItMeets(t *testing.T) {
	two := 0
	for _, tt := range []struct {
		name    string
		earlier []tenfold.Compaction
		span    tenfold.Range
		want    string
	}{
		{"equal", []tenfold.Compaction{summaryOver(0, 2)}, tenfold.Range{ToTurn: 2}, "0..2"},
		{"enclosed", []tenfold.Compaction{summaryOver(0, 2)}, tenfold.Range{FromTurn: 1, ToTurn: 1}, "0..2"},
		{"enclosing", []tenfold.Compaction{summaryOver(1, 1)}, tenfold.Range{ToTurn: 2}, "0..2"},
		{"again and again", []tenfold.Compaction{summaryOver(1, 2), summaryOver(0, 1)}, tenfold.Range{FromTurn: 2, ToTurn: 2}, "0..2"},
		{"two side by side", []tenfold.Compaction{summaryOver(0, 1), summaryOver(2, 3)}, tenfold.Range{FromTurn: 1, ToTurn: 2}, "0..3"},
		{"ends inside a turn", []tenfold.Compaction{{ToTurn: 2, ToStep: &two, Summary: &tenfold.Summary{Text: "SUM"}}}, tenfold.Range{FromTurn: 2, ToTurn: 2, ToStep: &two}, "0..2.0"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := script(t, four()...)
			for _, c := range tt.earlier {
				apply(t, l, strategy.Plan{Compactions: []tenfold.Compaction{c}})
			}
			before := tenfold.Project(l)
			s := &scripted{results: []strategy.SummaryResult{{Text: "IN MORE WORDS", Model: "m"}}}
			o := strategy.Options{Range: tt.span, Summarizer: s, Source: "user"}
			for name, pl := range map[string]strategy.Pipeline{
				"pair": parse(t, "summarize"), "user": parse(t, "summarize:placement=user"), "heavy": {strategy.Profiles()["heavy"]},
			} {
				made, err := pl.Plan(t.Context(), before, o)
				if err != nil {
					t.Fatal(err)
				}
				if len(made.Compactions) != 1 {
					t.Fatalf("%s: %s", name, made.Nothing)
				}
				c := made.Compactions[0]
				if got := (tenfold.Range{FromTurn: c.FromTurn, ToTurn: c.ToTurn, ToStep: c.ToStep}).String(); got != tt.want || c.Summary == nil {
					t.Errorf("%s: range %s, want %s", name, got, tt.want)
				}
				view := shown(made.View())
				if strings.Count(view, "IN MORE WORDS") != 1 || strings.Contains(view, "SUM") {
					t.Errorf("%s: %s", name, view)
				}
				checkTotals(t, made.View())
				checkValid(t, name, allBodies(t, made.View()))
			}
			// Where nobody asked for it, and nothing is new, nothing is paid again.
			apply(t, l, plan(t, before, o, "summarize"))
			o.Source = strategy.SourceAuto
			asked := len(s.asked)
			made := plan(t, tenfold.Project(l), o, "summarize")
			if len(made.Compactions) != 0 || made.Nothing == "" || len(s.asked) != asked {
				t.Errorf("automatic: %d compactions, asked %d times", len(made.Compactions), len(s.asked)-asked)
			}
		})
	}
	// One larger than what it would hide is refused, whatever stood there.
	l := script(t, four()...)
	apply(t, l, strategy.Plan{Compactions: []tenfold.Compaction{summaryOver(0, 1)}})
	s := &scripted{results: []strategy.SummaryResult{{Text: strings.Repeat("words ", 4000)}}}
	made := plan(t, tenfold.Project(l), strategy.Options{Range: tenfold.Range{ToTurn: 1}, Summarizer: s}, "summarize")
	if len(made.Compactions) != 0 || !strings.Contains(made.Nothing, "not smaller than what it hides") {
		t.Errorf("%d compactions: %s", len(made.Compactions), made.Nothing)
	}
}

func TestC6Refusals(t *testing.T) {
	tests := []struct {
		name   string
		result strategy.SummaryResult
		want   string
	}{
		{"empty", strategy.SummaryResult{Text: " \n"}, "empty"},
		{"cut off", strategy.SummaryResult{Text: "It was", CutOff: true}, "cut off"},
		{"declined", strategy.SummaryResult{Text: "I can't help with that.", Declined: true}, "declined"},
		{"larger", strategy.SummaryResult{Text: strings.Repeat("words ", 4000)}, "not smaller than what it hides"},
	}
	for _, name := range []string{"summarize", "hard-reset", "recursive-summary:keep=4", "auto:summarize_threshold=0.001"} {
		for _, tt := range tests {
			l := script(t, append(four(), "t", "u ask4", "a *8000", "t", "u ask5", "a say5")...)
			var failed error
			o := strategy.Options{
				Range: tenfold.Range{ToTurn: 4}, Summarizer: &scripted{results: []strategy.SummaryResult{tt.result}},
				Failed: func(r strategy.SummaryRequest, err error) {
					if len(r.Entries) > 0 {
						failed = err
					}
				},
			}
			made := plan(t, tenfold.Project(l), o, name)
			for _, c := range made.Compactions {
				if c.Summary != nil {
					t.Errorf("%s, %s: proposed %+v", name, tt.name, c.Summary)
				}
			}
			if !strings.Contains(notesOf(made), tt.want) {
				t.Errorf("%s, %s: notes %q", name, tt.name, notesOf(made))
			}
			if refused := (*strategy.RefusedError)(nil); !errors.As(failed, &refused) || !strings.Contains(refused.Reason, tt.want) {
				t.Errorf("%s, %s: hook got %v", name, tt.name, failed)
			}
		}
	}
}

// C6: a summary that is exactly as large as what it hides is refused.
func TestC6ASummaryOfTheSameSizeIsRefused(t *testing.T) {
	view := tenfold.Project(script(t, four()...))
	for n := 1; n < 10_000; n++ {
		s := &scripted{results: []strategy.SummaryResult{{Text: strings.Repeat("word", n)}}}
		made := plan(t, view, strategy.Options{Range: tenfold.Range{ToTurn: 2}, Summarizer: s}, "summarize")
		if made.Nothing == "" {
			if made.After >= made.Before {
				t.Fatalf("%d words: %d tokens became %d", n, made.Before, made.After)
			}
			continue
		}
		var before, after int
		_, figures, _ := strings.Cut(strings.ReplaceAll(made.Nothing, ",", ""), "what it hides (")
		if _, err := fmt.Sscanf(figures, "%d tokens would become %d", &before, &after); err != nil || after != before {
			t.Fatalf("%d words, the first to be refused: %s, %v", n, made.Nothing, err)
		}
		return
	}
	t.Fatal("none was refused")
}

// M6: an error of the summarizer is the plan's error, and the hook is told.
func TestM6SummarizerFails(t *testing.T) {
	down := errors.New("model is down")
	var failed error
	o := strategy.Options{
		Range: tenfold.Range{ToTurn: 2}, Summarizer: &scripted{err: down},
		Failed: func(_ strategy.SummaryRequest, err error) { failed = err },
	}
	_, err := parse(t, "summarize").Plan(t.Context(), tenfold.Project(script(t, four()...)), o)
	if !errors.Is(err, down) || !errors.Is(failed, down) {
		t.Errorf("%v, hook %v", err, failed)
	}
	made := plan(t, tenfold.Project(script(t, four()...)), strategy.Options{}, "summarize")
	if made.Nothing != "there is no summarizer" {
		t.Error(made.Nothing)
	}
}

// C8: a dry run says what would be asked and does not ask.
func TestC8DryRun(t *testing.T) {
	s := &dear{}
	made := plan(t, tenfold.Project(script(t, four()...)), strategy.Options{Range: tenfold.Range{ToTurn: 1}, Summarizer: s, DryRun: true}, "summarize")
	if len(s.asked) != 0 || made.Nothing != "" || len(made.Compactions) != 0 {
		t.Errorf("asked %d times, %q", len(s.asked), made.Nothing)
	}
	if got := notesOf(made); got != "turns 0..1 would be summarised by big, 1,008 tokens in, about $0.2500" {
		t.Error(got)
	}
	free := &scripted{}
	made = plan(t, tenfold.Project(script(t, four()...)), strategy.Options{Range: tenfold.Range{ToTurn: 1}, Summarizer: free, DryRun: true}, "summarize")
	if len(free.asked) != 1 || len(made.Compactions) != 1 {
		t.Errorf("free: asked %d times", len(free.asked))
	}
}

func TestS8RecursiveSummary(t *testing.T) {
	l := script(t, four()...)
	s := &scripted{}
	o := strategy.Options{Summarizer: s}
	made := plan(t, tenfold.Project(l), o, "recursive-summary:keep=8,overlap=2")
	r := s.asked[0]
	if spoken(r.Entries) != "ask0 call 0 result words an…2000 say0 ask1 call 1 result words an…2000 say1" ||
		spoken(r.Overlap) != "ask2 call 2" || len(r.Prior) != 0 {
		t.Fatalf("first: %s; overlap %s; prior %q", spoken(r.Entries), spoken(r.Overlap), r.Prior)
	}
	apply(t, l, made)
	extend(t, l, "t", "u ask4", "a say4")
	made = plan(t, tenfold.Project(l), o, "recursive-summary:keep=7,overlap=0")
	r = s.asked[1]
	// The new summary goes on from the old one and takes its place (C4).
	if spoken(r.Entries) != "ask2 call 2 result words an…2000 say2" || len(r.Overlap) != 0 || !slices.Equal(r.Prior, []string{"S1"}) {
		t.Fatalf("second: %s; overlap %s; prior %q", spoken(r.Entries), spoken(r.Overlap), r.Prior)
	}
	if c := made.Compactions[0]; c.FromTurn != 0 || c.ToTurn != 2 || c.Summary.Covers.Entries != 12 {
		t.Errorf("second overlay: %+v %+v", c, c.Summary)
	}
	if got := shown(made.View()); got != "u [Summary of previous conversation] | a S2 | u ask3 | c 3 {} | r 3 words an…2000 | a say3 | u ask4 | a say4" {
		t.Error(got)
	}
	apply(t, l, made)
	if again := plan(t, tenfold.Project(l), o, "recursive-summary:keep=7,overlap=0"); again.Nothing == "" || len(s.asked) != 2 {
		t.Errorf("again: %+v", again.Compactions)
	}
	// S-9: keeps the last turn where nothing would be left.
	last := plan(t, tenfold.Project(l), o, "recursive-summary:keep=1,overlap=0")
	if !strings.Contains(notesOf(last), "last turn (turn 4) is kept") || !strings.HasSuffix(shown(last.View()), "a S3 | u ask4 | a say4") {
		t.Errorf("%s %s", notesOf(last), shown(last.View()))
	}
}

func TestS12HardReset(t *testing.T) {
	l := script(t, four()...)
	s := &scripted{}
	made := plan(t, tenfold.Project(l), strategy.Options{Range: tenfold.Range{ToTurn: 1}, Summarizer: s}, "hard-reset")
	c := made.Compactions[0]
	if c.FromTurn != 0 || c.ToTurn != 3 || c.ToStep != nil || c.Summary.Placement != tenfold.PlaceSystem || c.Summary.Covers.Entries != 16 {
		t.Errorf("%+v %+v", c, c.Summary)
	}
	if got := shown(made.View()); got != "" || !strings.Contains(made.View().Config().System, "<summary>\nS1\n</summary>") {
		t.Errorf("left: %q, system %q", got, made.View().Config().System)
	}
	checkValid(t, "nothing but a system prompt", allBodies(t, made.View()))
	apply(t, l, made)
	extend(t, l, "t", "u go on")
	p := tenfold.Project(l)
	if got := shown(p); got != "u go on" {
		t.Error(got)
	}
	checkValid(t, "after a reset", allBodies(t, p))
	empty := plan(t, tenfold.Project(tenfold.NewLog()), strategy.Options{Summarizer: s}, "hard-reset")
	if empty.Nothing != "the conversation has no turns" {
		t.Error(empty.Nothing)
	}
}

func TestS14Auto(t *testing.T) {
	names := func(made strategy.Plan) string {
		var out []string
		for _, s := range made.Steps {
			out = append(out, s.Strategy)
		}
		return strings.Join(out, " ")
	}
	l := script(t, append(four(), "t", "u ask4", "k *400", "a *8000", "t", "u ask5", "a say5")...)
	s := &scripted{}
	over := plan(t, tenfold.Project(l), strategy.Options{Range: tenfold.Range{ToTurn: 4}, Summarizer: s, Window: 4000}, "auto")
	if len(s.asked) != 1 || shown(over.View()) != "u [Summary of previous conversation] | a S1 | u ask5 | a say5" {
		t.Errorf("asked %d times: %s", len(s.asked), shown(over.View()))
	}
	want := "strip-reasoning dedup-tools strip-tools prune-tools summarize"
	if !slices.Contains(strategy.Names(), "dedup-tools") {
		want = "strip-reasoning strip-tools prune-tools summarize"
	}
	if got := names(over); got != want {
		t.Errorf("steps %s, want %s", got, want)
	}
	// What remains after stripping is what the threshold is held to.
	rest := plan(t, tenfold.Project(l), strategy.Options{Range: tenfold.Range{ToTurn: 4}, Summarizer: s, Window: 4300}, "auto")
	if before := rest.Before; len(s.asked) != 1 || before < 2150 || rest.After > 2150 {
		t.Errorf("asked %d times; %d tokens, then %d", len(s.asked), before, rest.After)
	}
	if !strings.Contains(notesOf(rest), "not over 50 % of the window of 4,300") {
		t.Error(notesOf(rest))
	}
	bare := plan(t, tenfold.Project(l), strategy.Options{Range: tenfold.Range{ToTurn: 4}, Window: 100}, "auto")
	if !strings.Contains(notesOf(bare), "there is no summarizer") || len(bare.Compactions) == 0 {
		t.Error(notesOf(bare))
	}
	// With a target it chooses lines in place of stripping, within the range.
	reach := tenfold.Range{ToTurn: 5}
	lines := plan(t, tenfold.Project(l), strategy.Options{Range: tenfold.Range{ToTurn: 4}, Reach: &reach, Summarizer: s, Window: 1 << 20}, "auto:fit=50%")
	if got := names(lines); got != strings.Replace(want, "strip-tools", "fit:target=50%", 1) {
		t.Errorf("steps %s", got)
	}
	for _, c := range lines.Compactions {
		if c.ToTurn > 4 {
			t.Errorf("%s goes up to turn %d", c.Strategy, c.ToTurn)
		}
	}
	cs, err := parse(t, "auto")[0].Propose(t.Context(), tenfold.Project(l), strategy.Options{Range: tenfold.Range{ToTurn: 4}, Window: 100})
	if err != nil || len(cs) != len(bare.Compactions) {
		t.Errorf("proposed alone: %d overlays, %v", len(cs), err)
	}
}

// What dedup-tools omits in auto, strip-tools after it does not bring back.
func TestS14AutoKeepsWhatDedupOmitted(t *testing.T) {
	l := script(t, "t", "u do", `c 1 fs_read_file {"path":"a.go"}`, "r 1 *900", "a hm", `c 2 fs_read_file {"path":"a.go"}`, "r 2 *900", "t", "u go on")
	made := plan(t, tenfold.Project(l), strategy.Options{Range: tenfold.Range{ToTurn: 0, ToStep: step(9)}}, "auto")
	if got := shown(made.View()); got != `u do | a hm | c 2 {"path":"a.go"} | r 2 [compacted] fs_read_file: done | u go on` {
		t.Error(got)
	}
}

type naming func(strategy.ClassifyRequest) []strategy.Tangent

func (f naming) Classify(_ context.Context, r strategy.ClassifyRequest) ([]strategy.Tangent, error) {
	return f(r), nil
}

func TestS13ClassifyTangents(t *testing.T) {
	l := script(t, four()...)
	apply(t, l, strategy.Plan{Compactions: []tenfold.Compaction{{ToTurn: 0, Turns: tenfold.Omit}}})
	var asked strategy.ClassifyRequest
	names := naming(func(r strategy.ClassifyRequest) []strategy.Tangent {
		asked = r
		return []strategy.Tangent{{Turn: 3, Reason: "weather"}, {Turn: 1}, {Turn: 1}, {Turn: 0}, {Turn: 99}, {Turn: 2}}
	})
	var listed []strategy.Tangent
	confirm := func(_ context.Context, ts []strategy.Tangent) ([]strategy.Tangent, error) {
		listed = ts
		return []strategy.Tangent{ts[0], ts[1], {Turn: 0}}, nil
	}
	p := tenfold.Project(l)
	made := plan(t, p, strategy.Options{Classifier: names, Confirm: confirm}, "classify-tangents")
	if !slices.Equal(asked.Turns, []int{1, 2, 3}) || len(listed) != 3 || listed[2].Reason != "weather" || listed[2].Tokens == 0 {
		t.Errorf("asked about %v, listed %+v", asked.Turns, listed)
	}
	if got := shown(made.View()); got != "u ask3 | c 3 {} | r 3 words an…2000 | a say3" || len(made.Compactions) != 1 {
		t.Errorf("%d overlays: %s", len(made.Compactions), got)
	}
	// Not without a person.
	for name, o := range map[string]strategy.Options{
		"off the task: turn 1 (504 tokens), turn 2 (504 tokens), turn 3 (504 tokens) – weather": {Classifier: names, Confirm: confirm, DryRun: true},
		"not confirmed":          {Classifier: names},
		"there is no classifier": {Confirm: confirm},
		"no tangent was confirmed": {Classifier: names, Confirm: func(context.Context, []strategy.Tangent) ([]strategy.Tangent, error) {
			return nil, nil
		}},
		"no turn of turns 0..3 is off": {Confirm: confirm, Classifier: naming(func(strategy.ClassifyRequest) []strategy.Tangent { return nil })},
	} {
		if made := plan(t, p, o, "classify-tangents"); len(made.Compactions) > 0 || !strings.Contains(notesOf(made), name) {
			t.Errorf("%q: %q, %d overlays", name, notesOf(made), len(made.Compactions))
		}
	}
	// A turn that the range cuts is not asked about.
	plan(t, p, strategy.Options{Range: tenfold.Range{FromTurn: 1, ToTurn: 2, ToStep: step(0)}, Classifier: names}, "classify-tangents")
	if want := []int{1}; !slices.Equal(asked.Turns, want) {
		t.Errorf("asked about %v, want %v", asked.Turns, want)
	}
}

// S-16, S-17: reasons for nothing, and a step for each strategy.
func TestS16S17Reports(t *testing.T) {
	l := script(t, four()...)
	p := tenfold.Project(l)
	made := plan(t, p, strategy.Options{}, "strip-reasoning", "micro", "sliding-window", "sliding-window")
	want := "no result in turns 0..3 is older than the newest 10 and larger than 800 bytes; the window of 20 entries holds all that is shown"
	if made.Nothing != want || len(made.Steps) != 4 || made.After != p.Tokens() {
		t.Errorf("%q, %d steps", made.Nothing, len(made.Steps))
	}
	if made := plan(t, p, strategy.Options{}, "strip-reasoning"); made.Nothing != "nothing in turns 0..3 would change" {
		t.Error(made.Nothing)
	}
	made = plan(t, p, strategy.Options{}, "turn-window:n=2", "micro:keep_recent=1")
	if made.Nothing != "" || len(made.Steps) != 2 {
		t.Fatal(made.Nothing, len(made.Steps))
	}
	first, second := made.Steps[0], made.Steps[1]
	if first.Strategy != "turn-window:n=2" || first.Entries != 8 || first.Before != p.Tokens() || first.After != second.Before ||
		second.Strategy != "micro:keep_recent=1,over=800" || second.Entries != 1 || second.After != made.After {
		t.Errorf("%+v", made.Steps)
	}
}

// P4: a summary in the place of a user message says where the whole transcript
// lies: the artifact of what it stands for, else what the caller says.
func TestP4SummaryNamesItsTranscript(t *testing.T) {
	written := strategy.SummaryResult{Text: "S", Artifacts: &tenfold.Artifacts{Input: "/s/input.md", Summary: "/s/summary.md"}}
	for _, tt := range []struct {
		name, strategy, caller string
		result                 strategy.SummaryResult
		want                   string
	}{
		{"an artifact", "summarize:placement=user", "", written, "/s/input.md"},
		{"an artifact and a file", "summarize:placement=user", "/w/session.jsonl", written, "/s/input.md"},
		{"a file", "summarize:placement=user", "/w/session.jsonl", strategy.SummaryResult{Text: "S"}, "/w/session.jsonl"},
		{"nothing", "summarize:placement=user", "", strategy.SummaryResult{Text: "S"}, ""},
		{"another placement", "summarize", "/w/session.jsonl", written, ""},
		{"the system prompt", "summarize:placement=system", "/w/session.jsonl", written, ""},
	} {
		made := plan(t, tenfold.Project(script(t, four()...)), strategy.Options{
			Range: tenfold.Range{ToTurn: 2}, Summarizer: &scripted{results: []strategy.SummaryResult{tt.result}}, Transcript: tt.caller,
		}, tt.strategy)
		if len(made.Compactions) != 1 {
			t.Fatalf("%s: %s", tt.name, made.Nothing)
		}
		if got := made.Compactions[0].Summary.Transcript; got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
		for it := range made.View().Items() {
			if said := tenfold.TextLines(it.Payload); strings.Contains(said, "The whole transcript lies at "+tt.want+".") != (tt.want != "") {
				t.Errorf("%s: the model sees %q", tt.name, said)
			}
			break
		}
	}
}
