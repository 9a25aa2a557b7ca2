package strategy_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tenfold"
	"tenfold/strategy"
)

// What peers get wrong (live §6), as laws over every strategy.

// worked draws a session of an agent that says what it does: reads, searches, tests
// and edits, often the same ones again, often after words about them.
func worked(t *rapid.T) *tenfold.Log {
	draw := func(list ...string) string { return rapid.SampledFrom(list).Draw(t, "draw") }
	l, calls := tenfold.NewLog(), 0
	add := func(p tenfold.Payload) {
		if _, err := l.Append(tenfold.Entry{Payload: p}); err != nil {
			t.Fatal(err)
		}
	}
	for turn := range rapid.IntRange(1, 4).Draw(t, "turns") {
		add(tenfold.TurnStart{})
		add(tenfold.UserMessage{Parts: tenfold.Text(fmt.Sprintf("please do part %d", turn))})
		for range rapid.IntRange(1, 8).Draw(t, "steps") {
			if words := draw("", "", "Now I look at the parser.", "The fix is in, I run the tests."+strings.Repeat(" They were red.", 60)); words != "" {
				add(tenfold.AssistantMessage{Text: words})
			}
			var results []tenfold.ToolResult
			for range rapid.IntRange(1, 3).Draw(t, "calls") {
				calls++
				name, arguments, _ := strings.Cut(draw(
					`Read {"file_path":"/w/parser.go"}`, `Read {"file_path":"/w/parser.go","offset":9,"limit":20}`, `Grep {"pattern":"parse"}`,
					`Bash {"command":"go test ./..."}`, `Edit {"file_path":"/w/parser.go","old_string":"one","new_string":"two"}`,
				), " ")
				add(tenfold.ToolCall{CallID: fmt.Sprint(calls), Name: name, Arguments: arguments})
				results = append(results, tenfold.ToolResult{
					CallID: fmt.Sprint(calls), Parts: tenfold.Text(strings.Repeat("a line of it\n", rapid.SampledFrom([]int{1, 30, 300}).Draw(t, "lines"))),
					IsError: draw("no", "no", "error") == "error",
				})
			}
			for _, r := range results {
				add(r)
			}
		}
		add(tenfold.AssistantMessage{Text: fmt.Sprintf("Part %d is done.", turn)})
	}
	return l
}

// compacted gives the view of a log after one or two strategies.
func compacted(t *rapid.T, l *tenfold.Log, recall bool) *tenfold.Projection {
	var pl strategy.Pipeline
	for range rapid.IntRange(1, 2).Draw(t, "strategies") {
		s, err := strategy.Parse(rapid.SampledFrom(compositions()).Draw(t, "strategy"))
		if err != nil {
			t.Fatal(err)
		}
		if f, ok := s.(strategy.Fit); ok {
			f.Target = strategy.Tokens(max(l.Tokens()/5, 400))
			pl = append(pl, f)
			break // what a later strategy strips no longer tells of folded calls
		}
		pl = append(pl, s)
	}
	o := able(tenfold.Range{ToTurn: l.Turns() - 1})
	o.Recall = recall
	made, err := pl.Plan(t.Context(), tenfold.Project(l), o)
	if err != nil {
		t.Fatal(err)
	}
	return made.View()
}

// Words that announce calls are not shown alone: where no call of their step is left,
// the view says so before the next call that it shows, or after the last one. A model
// that reads many such words goes on like that, and makes up what it did not do (F7).
func TestNoWordsWithoutTheirCalls(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := worked(t)
		p := compacted(t, l, false)
		type step struct{ turn, step int }
		shown, untold, told := map[step]bool{}, []step(nil), false
		check := func() {
			for _, at := range untold {
				if !told && !shown[at] {
					t.Fatalf("nothing tells of the calls of step %v:\n%s", at, shownTexts(p))
				}
			}
			untold = untold[:0]
		}
		for it := range p.Items() {
			var at step
			at.turn, at.step, _ = l.Where(it.Seq)
			tells := it.Added == tenfold.AddedSummary || strings.Contains(tenfold.TextLines(it.Payload), " not shown: ")
			switch it.Payload.(type) {
			case tenfold.AssistantMessage:
				told = told || tells
				if turn, _ := l.Turn(at.turn); it.Added == 0 && at.step < turn.Steps-1 {
					untold = append(untold, at)
				}
			case tenfold.ToolCall:
				shown[at] = true
			case tenfold.ToolResult:
				told = told || tells
				check()
				told = tells
			default:
				told = told || tells
			}
		}
		check()
	})
}

func shownTexts(p *tenfold.Projection) string {
	var b strings.Builder
	for it := range p.Items() {
		fmt.Fprintf(&b, "%d %s %.100q\n", it.Seq, it.Payload.Kind(), tenfold.TextLines(it.Payload))
	}
	return b.String()
}

// A view names no tool and no command of ours unless recall is on.
func TestNoHintNamesAToolThatIsNotThere(t *testing.T) {
	named := false
	rapid.Check(t, func(t *rapid.T) {
		recall := rapid.Bool().Draw(t, "recall")
		for it := range compacted(t, worked(t), recall).Items() {
			text := tenfold.TextLines(it.Payload)
			if c, ok := it.Payload.(tenfold.ToolCall); ok {
				text = c.Name + c.Arguments
			}
			for _, word := range []string{"recall", "tenfold", "mcp", "expand"} {
				if !strings.Contains(strings.ToLower(text), word) {
					continue
				}
				named = true
				if !recall {
					t.Fatalf("%q names %s", text, word)
				}
			}
		}
	})
	if !named {
		t.Error("nothing is named with recall on either")
	}
}

// V5 over many compactions: a sub-agent that still runs can be asked by its name.
func TestV5ASubAgentKeepsItsNameOverTenCompactions(t *testing.T) {
	for _, name := range strategy.Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := script(t, "t", "u Find the leak, and fix the parser meanwhile.", "a I send a scout.", `c agent Task {"prompt":"Find the leak."}`,
				"r agent Async agent launched successfully.\nagentId: a77f3 (internal)\nThe agent is working in the background.")
			s, err := strategy.Parse(name)
			if err != nil {
				t.Fatal(err)
			}
			if f, ok := s.(strategy.Fit); ok {
				f.Target = strategy.Tokens(600)
				s = f
			}
			for round := range 10 {
				extend(t, l, "t", fmt.Sprintf("u go on %d", round), "a I read on.", fmt.Sprintf(`c r%d Read {"file_path":"f%d.go"}`, round, round),
					fmt.Sprintf("r r%d *4000", round), "k hm *400", "a Read. *2000")
				made, err := strategy.Pipeline{s}.Plan(t.Context(), tenfold.Project(l), able(tenfold.Range{ToTurn: l.Turns() - 2}))
				if err != nil {
					t.Fatal(err)
				}
				apply(t, l, made)
				call, result := false, false
				for it := range tenfold.Project(l).Items() {
					switch p := it.Payload.(type) {
					case tenfold.ToolCall:
						call = call || p.CallID == "agent" && strings.Contains(p.Arguments, "Find the leak.")
					case tenfold.ToolResult:
						result = result || p.CallID == "agent" && strings.Contains(tenfold.TextLines(p), "a77f3")
					}
				}
				if !call || !result {
					t.Fatalf("round %d: call %v, result %v", round, call, result)
				}
			}
		})
	}
}
