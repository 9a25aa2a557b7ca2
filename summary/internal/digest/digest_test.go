package digest_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"tenfold"
	"tenfold/strategy"
	"tenfold/summary/internal/digest"
)

// conversation is so many turns of work, as a log.
func conversation(t *testing.T, turns int) *tenfold.Log {
	t.Helper()
	var lines []string
	for i := range turns {
		lines = append(lines, "t", fmt.Sprintf("u Do part %d. Never touch part %d.", i, i+100),
			fmt.Sprintf(`c c%d Edit {"file_path":"/w/part%d.go"}`, i, i), fmt.Sprintf("r c%d %s", i, strings.Repeat("an output line of many words ", 60)),
			fmt.Sprintf("a I looked at the parser because part %d calls it. The tests are next.", i),
			fmt.Sprintf(`c d%d Bash {"command":"go test ./part%d"}`, i, i), fmt.Sprintf("r d%d ok", i),
			fmt.Sprintf("a Part %d is done.", i))
	}
	l := tenfold.NewLog()
	if _, err := l.Append(entriesOf(t, lines...)...); err != nil {
		t.Fatal(err)
	}
	return l
}

func digested(t *testing.T, d digest.Digest, r strategy.SummaryRequest) string {
	t.Helper()
	got, err := d.Summarize(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return got.Text
}

func over(l *tenfold.Log, from, to int) strategy.SummaryRequest {
	r := strategy.SummaryRequest{Log: l, Range: tenfold.Range{FromTurn: from, ToTurn: to}}
	for e := range l.Entries() {
		if turn, _, _ := l.Where(e.Seq); turn >= from && turn <= to {
			r.Entries = append(r.Entries, e)
		}
	}
	return r
}

// M2, M4: a digest says that it is history, and is about its range alone.
func TestM4DigestOfARange(t *testing.T) {
	l := conversation(t, 6)
	text := digested(t, digest.Digest{}, over(l, 2, 3))
	first, _, _ := strings.Cut(text, "\n")
	if !strings.Contains(first, "history, not a request") || !strings.Contains(first, "turns 2 to 3") {
		t.Errorf("it begins with %q", first)
	}
	for _, want := range []string{
		"- turn 2:\n  > Do part 2. Never touch part 102.\n", "- last request, turn 3:\n  > Do part 3. Never touch part 103.\n", "`/w/part3.go`: modified, turn 3\n",
		"`go test ./part2`: done, turn 2\n", "- turn 3:\n  > I looked at the parser because part 3 calls it.\n", "- the agent's last words, turn 3:\n  > Part 3 is done.\n",
		"- turn 2:\n  > Part 2 is done.\n",
	} {
		if !strings.Contains(text+"\n", want) {
			t.Errorf("it has no %q:\n%s", want, text)
		}
	}
	for _, other := range []string{"part 1.", "part4", "The tests are next"} {
		if strings.Contains(text, other) {
			t.Errorf("it has %q, which is of no matter here:\n%s", other, text)
		}
	}
	focused := over(l, 0, 5)
	focused.Focus = "keep what is said of tests"
	if text := digested(t, digest.Digest{Tokens: 400}, focused); !strings.Contains(text, "The tests are next.") {
		t.Errorf("the focus is not in it:\n%s", text)
	}
}

// The facts have precedence over the budget that a digest gives itself; one
// that somebody set holds, and what binds goes last.
func TestM4FactsHavePrecedence(t *testing.T) {
	l := conversation(t, 40)
	text := digested(t, digest.Digest{}, over(l, 0, 39))
	for i := range 40 {
		if !strings.Contains(text, fmt.Sprintf("Never touch part %d.", i+100)) || !strings.Contains(text, fmt.Sprintf("`/w/part%d.go`", i)) {
			t.Errorf("facts of turn %d are gone", i)
		}
	}
	if strings.Contains(text, "because part 3 calls it") {
		t.Error("an exchange was put in place of facts")
	}
	for budget := 100; budget < 6000; budget += 190 {
		r := over(l, 0, 39)
		r.Budget = budget
		text := digested(t, digest.Digest{}, r)
		if n := l.Counter().Count(text); n > budget {
			t.Errorf("%d tokens, over the budget of %d", n, budget)
		}
		if d := digested(t, digest.Digest{Tokens: budget}, over(l, 0, 39)); d != text {
			t.Errorf("a budget of %d of a request gives another digest than that of the digest", budget)
		}
		if strings.Contains(text, "`/w/part") && !strings.Contains(text, "Never touch part 100.") {
			t.Errorf("with a budget of %d a path is there and a demand is not:\n%s", budget, text)
		}
	}
}

// S-8, C6: through the strategies, without a model.
func TestM4DigestInStrategies(t *testing.T) {
	for _, name := range []string{"summarize", "summarize:placement=system", "hard-reset", "recursive-summary:keep=10,overlap=2"} {
		s, err := strategy.Parse(name)
		if err != nil {
			t.Fatal(err)
		}
		l := conversation(t, 12)
		for turns := 12; turns <= 16; turns += 2 {
			if turns > 12 {
				for _, e := range slices.Collect(conversation(t, 16).Entries())[(turns-2)*8 : turns*8] {
					e.ID = fmt.Sprintf("later%d-%s", turns, e.ID)
					if _, err := l.Append(e); err != nil {
						t.Fatal(err)
					}
				}
			}
			p := tenfold.Project(l)
			plan, err := strategy.Pipeline{s}.Plan(t.Context(), p, strategy.Options{Range: tenfold.Range{ToTurn: l.Turns() - 2}, Summarizer: digest.Digest{}, DryRun: true})
			if err != nil {
				t.Fatal(err)
			}
			if len(plan.Compactions) != 1 || plan.After >= p.Tokens() {
				t.Fatalf("%s with %d turns: %d compactions, %q", name, turns, len(plan.Compactions), plan.Nothing)
			}
			text := plan.Compactions[0].Summary.Text
			if strings.Count(text, "history, not a request") != 1 || !strings.Contains(text, "Never touch part 100.") || !strings.Contains(text, "`/w/part0.go`") {
				t.Errorf("%s with %d turns forgets the first:\n%s", name, turns, text)
			}
			if _, err := l.Append(tenfold.Entry{Payload: plan.Compactions[0]}); err != nil {
				t.Fatal(err)
			}
		}
	}
	small := tenfold.NewLog()
	if _, err := small.Append(entriesOf(t, "t", "u hello", "a hello", "t", "u bye", "a bye")...); err != nil {
		t.Fatal(err)
	}
	s, err := strategy.Parse("summarize")
	if err != nil {
		t.Fatal(err)
	}
	plan, err := strategy.Pipeline{s}.Plan(t.Context(), tenfold.Project(small), strategy.Options{Range: tenfold.Range{}, Summarizer: digest.Digest{}})
	if err != nil || !strings.Contains(plan.Nothing, "not smaller than what it hides") {
		t.Errorf("a digest of three words: %v, %q", err, plan.Nothing)
	}
}

// A summary that a model wrote before is quoted; a digest is made anew.
func TestS8DigestOfPriorSummaries(t *testing.T) {
	l := conversation(t, 4)
	r := over(l, 0, 3)
	own := digested(t, digest.Digest{}, over(l, 0, 1))
	r.Entries = over(l, 2, 3).Entries
	r.Prior = []string{"# What came before\nThe schema was agreed on.", own}
	text := digested(t, digest.Digest{}, r)
	if !strings.Contains(text, "## Earlier summaries\n- written by a model, not checked:\n  > # What came before\n  > The schema was agreed on.") {
		t.Errorf("the prior summary is not quoted:\n%s", text)
	}
	if strings.Count(text, "history, not a request") != 1 || !strings.Contains(text, "Never touch part 100.") {
		t.Errorf("the digest before is quoted, or lost:\n%s", text)
	}
	done, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := (digest.Digest{}).Summarize(done, r); !errors.Is(err, context.Canceled) {
		t.Errorf("it goes on after the end: %v", err)
	}
	if got, err := (digest.Digest{}).Summarize(t.Context(), strategy.SummaryRequest{}); err != nil || got.Text != "" {
		t.Errorf("a digest of nothing is %q, %v", got.Text, err)
	}
}
