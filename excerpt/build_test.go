package excerpt_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"tenfold"
	"tenfold/excerpt"
)

// script makes a log: "u text" is a person's, "s text" nobody's, "a text" the
// model's, "k text" reasoning, "c id tool arguments" a call, "r id text" its
// result, "e id text" one that failed; "t" begins a turn. "|" ends a line.
func script(tb testing.TB, lines ...string) *tenfold.Log {
	tb.Helper()
	l := tenfold.NewLog(tenfold.WithCounter(tenfold.Chars4{}))
	for _, line := range lines {
		kind, rest, _ := strings.Cut(line, " ")
		rest = strings.ReplaceAll(rest, "|", "\n")
		id, more, _ := strings.Cut(rest, " ")
		var p tenfold.Payload
		switch kind {
		case "t":
			p = tenfold.TurnStart{}
		case "u", "s":
			p = tenfold.UserMessage{Parts: tenfold.Text(rest), Synthetic: kind == "s"}
		case "a":
			p = tenfold.AssistantMessage{Text: rest}
		case "k":
			p = tenfold.Reasoning{Text: rest}
		case "c":
			name, arguments, _ := strings.Cut(more, " ")
			p = tenfold.ToolCall{CallID: id, Name: name, Arguments: arguments}
		case "r", "e":
			p = tenfold.ToolResult{CallID: id, Parts: tenfold.Text(more), IsError: kind == "e"}
		default:
			tb.Fatalf("no such line: %q", line)
		}
		add(tb, l, p)
	}
	return l
}

func add(tb testing.TB, l *tenfold.Log, p tenfold.Payload) {
	tb.Helper()
	if _, err := l.Append(tenfold.Entry{Payload: p}); err != nil {
		tb.Fatal(err)
	}
}

// indexed is the index of all that the root sees of a log.
func indexed(l *tenfold.Log) *excerpt.Index {
	ix := excerpt.NewIndex()
	ix.Advance(tenfold.Project(l))
	return ix
}

// choose takes what fits of a whole log.
func choose(l *tenfold.Log, o excerpt.Options) []excerpt.Kept {
	c := indexed(l).Choose(everything(l, o))
	return c.First(c.Len())
}

func everything(l *tenfold.Log, o excerpt.Options) excerpt.Options {
	if o.To == 0 {
		o.From, o.To = 1, l.Version()
	}
	return o
}

// shown writes what is kept in short: "5:1-3,7" are lines of a message or a
// result, "5b:2" those of a call's bodies, "5:all" is all of it, "5" a call of
// which its opening alone is shown.
func shown(kept []excerpt.Kept) string {
	var out []string
	for _, k := range kept {
		n := len(out)
		if text := ranges(k.Body, k.WholeBody); text != "" {
			out = append(out, fmt.Sprintf("%db:%s", k.Seq, text))
		}
		if text := ranges(k.Lines, k.Whole); text != "" {
			seq := k.Seq
			if k.Result > 0 {
				seq = k.Result
			}
			out = append(out, fmt.Sprintf("%d:%s", seq, text))
		}
		if len(out) == n {
			out = append(out, fmt.Sprint(k.Seq))
		}
	}
	return strings.Join(out, " ")
}

func ranges(list []tenfold.LineRange, whole bool) string {
	if whole {
		return "all"
	}
	var out []string
	for _, r := range list {
		switch {
		case r.To > 0:
			out = append(out, fmt.Sprintf("%d[%d-%d]", r.First, r.From, r.To))
		case r.First == r.Last:
			out = append(out, fmt.Sprint(r.First))
		default:
			out = append(out, fmt.Sprintf("%d-%d", r.First, r.Last))
		}
	}
	return strings.Join(out, ",")
}

func same[T comparable](tb testing.TB, what string, got, want T) {
	tb.Helper()
	if got != want {
		tb.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func without(i ...excerpt.Ingredient) []excerpt.Ingredient { return slices.Clone(i) }

// linesOnly are options of a choice without blocks and whatever else is named.
func linesOnly(budget int, i ...excerpt.Ingredient) excerpt.Options {
	return excerpt.Options{Budget: budget, Without: append(i, excerpt.Blocks)}
}
