package digest_test

import (
	"fmt"
	"strings"
	"testing"

	"tenfold"
	"tenfold/internal/corpustest"
	"tenfold/internal/logtest"
	"tenfold/strategy"
	"tenfold/summary/internal/digest"
)

// standing are constraints as people state them once and mean them for good.
var standing = []string{
	"Never write to the folder called archive.",
	"All money is in cents, so don't introduce floats anywhere.",
	"Only answer in British English.",
	"The exported names of package ledgerkit must stay as they are!",
	"Make sure that every new file has the licence header.",
	"please use table tests instead of one function a case",
	"Keep each commit under 200 changed lines.",
	"You may use at most two goroutines.",
	"Ask me before you delete a migration.",
	"Always quote ticket numbers like QX-4711 in the commit message.",
	"Bitte keine neuen Abhängigkeiten, auch keine kleinen.",
	"Ne touche pas au fichier de configuration principal.",
	"Note: the staging server stays at Go 1.24.",
	"We deploy on Fridays, without exception, so leave the pipeline alone.",
	"The whole job has two hours, and the port is 7443.",
}

// stated puts a constraint into a message of the i-th form: alone, inside a
// long paragraph, in a list of a long message, behind another sentence.
func stated(i int) string {
	paragraph := strings.Repeat("The importer reads the table and writes the rows that are new to it. ", 9)
	switch i % 5 {
	case 1:
		return paragraph + standing[i] + " " + paragraph
	case 2:
		return "Some remarks:\n- the layout is fine\n- " + standing[i] + "\n- " + paragraph
	case 3:
		return "Thanks, that works. " + standing[i]
	}
	return standing[i]
}

// withConstraints puts five of the constraints at 10, 50 and 90 % of a
// session each, as turns of their own, where no call is open.
func withConstraints(entries []tenfold.Entry) []tenfold.Entry {
	var all []tenfold.Entry
	next, open := 0, 0
	places := []int{len(entries) / 10, len(entries) / 2, len(entries) * 9 / 10}
	for i, e := range entries {
		if next < len(places) && i >= places[next] && (open <= 0 || i > places[next]+20) {
			for k := next * 5; k < next*5+5; k++ {
				all = append(all, tenfold.Entry{ID: fmt.Sprintf("standing-turn-%d", k), Payload: tenfold.TurnStart{}},
					tenfold.Entry{ID: fmt.Sprintf("standing-%d", k), Payload: tenfold.UserMessage{Parts: tenfold.Text(stated(k))}},
					tenfold.Entry{ID: fmt.Sprintf("standing-yes-%d", k), Payload: tenfold.AssistantMessage{Text: "Understood."}})
			}
			next++
		}
		switch e.Payload.(type) {
		case tenfold.ToolCall:
			open++
		case tenfold.ToolResult:
			open--
		case tenfold.Compaction, tenfold.CompactionRevoked, tenfold.Pin, tenfold.Unpin:
			continue // the session is to be as it was before it was compacted
		}
		all = append(all, e)
	}
	return all
}

// viewed is all that a view says.
func viewed(p *tenfold.Projection) string {
	var b strings.Builder
	for it := range p.Items() {
		switch m := it.Payload.(type) {
		case tenfold.UserMessage:
			for _, part := range m.Parts {
				b.WriteString(part.Text + "\n")
			}
		case tenfold.AssistantMessage:
			b.WriteString(m.Text + "\n")
		}
	}
	return b.String()
}

// compactions of a session as it grows: five, each beginning where the one
// before ended, so that C4 makes it go back to the start.
func compactFiveTimes(t *testing.T, name string, entries []tenfold.Entry) (made, kept, said int) {
	t.Helper()
	summarize, err := strategy.Parse("summarize")
	if err != nil {
		t.Fatal(err)
	}
	l := logOf(t, nil)
	var before *tenfold.Compaction
	for stage := range 5 {
		if _, err := l.Append(entries[len(entries)*stage/5 : len(entries)*(stage+1)/5]...); err != nil {
			t.Fatal(err)
		}
		p := tenfold.Project(l)
		span, ok, _, err := p.Resolve(tenfold.Bounds{Tail: &tenfold.Tail{Turns: -1, Tokens: 1500}})
		if err != nil {
			t.Fatal(err)
		}
		if before != nil {
			span.FromTurn = before.ToTurn
		}
		if ok {
			plan, err := strategy.Pipeline{summarize}.Plan(t.Context(), p, strategy.Options{Range: span, Summarizer: digest.Digest{}})
			if err != nil {
				t.Fatal(err)
			}
			for i := range plan.Compactions {
				c := plan.Compactions[i]
				if c.FromTurn != 0 {
					t.Errorf("%s: compaction %d begins at turn %d: it was not extended (C4)", name, stage+1, c.FromTurn)
				}
				if _, err := l.Append(tenfold.Entry{Payload: c}); err != nil {
					t.Fatal(err)
				}
				before = &c
				made++
			}
			p.Advance()
		}
		view := viewed(p)
		for k := range standing {
			if _, there := l.Lookup(fmt.Sprintf("standing-%d", k)); !there {
				continue
			}
			said++
			if strings.Contains(view, standing[k]) {
				kept++
			} else {
				t.Errorf("%s: after compaction %d the view has no %q", name, stage+1, standing[k])
			}
		}
	}
	return made, kept, said
}

// What a person states once holds through five compactions, word for word.
func TestStandingConstraintsSurviveFiveCompactions(t *testing.T) {
	corpustest.Unraced(t)
	made, kept, said := 0, 0, 0
	for i := range 20 {
		m, k, s := compactFiveTimes(t, fmt.Sprintf("session %d", i), withConstraints(logtest.Long(500+150*i)))
		made, kept, said = made+m, kept+k, said+s
	}
	if made != 100 {
		t.Errorf("%d compactions were made, want five in each of twenty sessions", made)
	}
	t.Logf("%d of %d constraints are in the views after %d compactions", kept, said, made)
}

func TestStandingConstraintsSurviveInRealSessions(t *testing.T) {
	made, kept, said, tried := 0, 0, 0, 0
	for _, f := range corpustest.Sample(corpustest.Files(t)) {
		for _, c := range sessions(t, f) {
			if tried == 20 || len(c.Entries) < 100 {
				break
			}
			tried++
			m, k, s := compactFiveTimes(t, f.Name, withConstraints(c.Entries))
			made, kept, said = made+m, kept+k, said+s
		}
	}
	if made < 3*tried {
		t.Errorf("only %d compactions were made in %d sessions", made, tried)
	}
	t.Logf("%d of %d constraints are in the views of %d sessions after %d compactions", kept, said, tried, made)
}
