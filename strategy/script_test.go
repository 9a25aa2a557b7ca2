package strategy_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"tenfold"
	"tenfold/strategy"
	"tenfold/tool"
)

// script writes a log in short: "t" begins a turn; "u hello" is said by a
// person, "s note" by nobody, "x rules" are standing instructions, "n echo" is a
// notice, "a fine" is said by the model; "k hm" is reasoning;
// "c 1 Read {}" a call, "r 1 text" its result, "e 1 text" a result that is an
// error. "@scout a fine" is said on a branch. Text in *n is n bytes long.
func script(t testing.TB, lines ...string) *tenfold.Log {
	t.Helper()
	l := tenfold.NewLog()
	extend(t, l, lines...)
	return l
}

func extend(t testing.TB, l *tenfold.Log, lines ...string) {
	t.Helper()
	for _, line := range lines {
		var e tenfold.Entry
		if rest, ok := strings.CutPrefix(line, "@"); ok {
			e.Branch, line, _ = strings.Cut(rest, " ")
		}
		kind, rest, _ := strings.Cut(line, " ")
		id, more, _ := strings.Cut(rest, " ")
		switch kind {
		case "t":
			e.Payload = tenfold.TurnStart{}
		case "u", "s":
			e.Payload = tenfold.UserMessage{Parts: tenfold.Text(long(rest)), Synthetic: kind == "s"}
		case "x":
			e.Payload = tenfold.UserMessage{Parts: tenfold.Text(long(rest)), Synthetic: true, Purpose: tenfold.Context}
		case "n":
			e.Payload = tenfold.UserMessage{Parts: tenfold.Text(long(rest)), Synthetic: true, Purpose: tenfold.Notice}
		case "a":
			e.Payload = tenfold.AssistantMessage{Text: long(rest)}
		case "k":
			e.Payload = tenfold.Reasoning{Text: long(rest)}
		case "c":
			name, arguments, _ := strings.Cut(more, " ")
			e.Payload = tenfold.ToolCall{CallID: id, Name: name, Arguments: long(arguments)}
		case "r", "e":
			e.Payload = tenfold.ToolResult{CallID: id, Parts: tenfold.Text(long(more)), IsError: kind == "e"}
		default:
			t.Fatalf("no such line: %q", line)
		}
		if _, err := l.Append(e); err != nil {
			t.Fatal(err)
		}
	}
}

func long(text string) string {
	before, size, ok := strings.Cut(text, "*")
	var n int
	if _, err := fmt.Sscan(size, &n); !ok || err != nil {
		return text
	}
	return before + strings.Repeat("words and ", n/10+1)[:n]
}

// shown writes what a model sees, one short line for each thing.
func shown(p *tenfold.Projection) string {
	var out []string
	for it := range p.Items() {
		switch payload := withoutNote(it.Payload).(type) {
		case tenfold.UserMessage:
			out = append(out, "u "+text(payload.Parts))
		case tenfold.AssistantMessage:
			out = append(out, "a "+short(payload.Text))
		case tenfold.Reasoning:
			out = append(out, "k "+short(payload.Text))
		case tenfold.ToolCall:
			out = append(out, "c "+payload.CallID+" "+short(payload.Arguments))
		case tenfold.ToolResult:
			out = append(out, "r "+payload.CallID+" "+text(payload.Parts))
		}
	}
	return strings.Join(out, " | ")
}

func text(parts []tenfold.Part) string {
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(p.Text)
	}
	return short(b.String())
}

func short(s string) string {
	if len(s) > 40 {
		return fmt.Sprintf("%s…%d", s[:8], len(s))
	}
	return s
}

func parse(t testing.TB, texts ...string) strategy.Pipeline {
	t.Helper()
	var pl strategy.Pipeline
	for _, text := range texts {
		s, err := strategy.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		pl = append(pl, s)
	}
	return pl
}

// everything is the range of a whole log.
func everything(l *tenfold.Log) tenfold.Range {
	return tenfold.Range{ToTurn: max(l.Turns()-1, 0)}
}

func plan(t testing.TB, p *tenfold.Projection, o strategy.Options, texts ...string) strategy.Plan {
	t.Helper()
	if o.Range == (tenfold.Range{}) {
		o.Range = everything(p.Log())
	}
	made, err := parse(t, texts...).Plan(context.Background(), p, o)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// apply appends a plan's compactions.
func apply(t testing.TB, l *tenfold.Log, made strategy.Plan) {
	t.Helper()
	for _, c := range made.Compactions {
		if _, err := l.Append(tenfold.Entry{Payload: c}); err != nil {
			t.Fatal(err)
		}
	}
}

func notesOf(made strategy.Plan) string {
	var all []string
	for _, s := range made.Steps {
		all = append(all, s.Notes...)
	}
	return strings.Join(all, "; ")
}

// windowCase is a strategy over a script, and what is left.
type windowCase struct {
	name     string
	strategy string
	lines    []string
	overlays []tenfold.Compaction
	reader   string
	span     tenfold.Range
	want     string
	note     string // in a note, or in the reason for nothing
	nothing  bool
}

func runWindows(t *testing.T, tests []windowCase) {
	t.Helper()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l := script(t, tt.lines...)
			for _, c := range tt.overlays {
				if _, err := l.Append(tenfold.Entry{Payload: c}); err != nil {
					t.Fatal(err)
				}
			}
			made := plan(t, tenfold.ProjectBranch(l, tt.reader), strategy.Options{Range: tt.span, Hints: tool.Hints{}}, tt.strategy)
			if got := shown(made.View()); got != tt.want {
				t.Errorf("shown: %s\nwant:  %s\n%s %s", got, tt.want, made.Nothing, notesOf(made))
			}
			if !strings.Contains(notesOf(made)+made.Nothing, tt.note) {
				t.Errorf("notes %q, reason %q; want %q", notesOf(made), made.Nothing, tt.note)
			}
			if nothing := made.Nothing != ""; nothing != tt.nothing || nothing != (len(made.Compactions) == 0) {
				t.Errorf("nothing %q, %d compactions", made.Nothing, len(made.Compactions))
			}
		})
	}
}
