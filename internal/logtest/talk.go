package logtest

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"tenfold"
)

// Talk writes a log in short: "t" begins a
// turn; "u hello" is said by a person, "s note" by nobody, "a fine" by the
// model; "k hm" is reasoning; "c 1 Read {}" a call, "r 1 text" its result,
// "e 1 text" a result that is an error.
func Talk(t testing.TB, lines ...string) *tenfold.Log {
	t.Helper()
	l := tenfold.NewLog()
	for _, line := range lines {
		var p tenfold.Payload
		kind, rest, _ := strings.Cut(line, " ")
		id, more, _ := strings.Cut(rest, " ")
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
			t.Fatalf("no such line: %q", line)
		}
		if _, err := l.Append(tenfold.Entry{Payload: p}); err != nil {
			t.Fatal(err)
		}
	}
	return l
}

// Megabytes makes a log of about so many bytes, like source read by tools.
func Megabytes(tb testing.TB, size int) *tenfold.Log {
	tb.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	words := make([]string, 4000)
	for i := range words {
		words[i] = fmt.Sprintf("%c%x", 'a'+i%26, rng.IntN(1<<24))
	}
	l := tenfold.NewLog()
	if _, err := l.Append(tenfold.Entry{Payload: tenfold.UserMessage{Parts: tenfold.Text("go")}}); err != nil {
		tb.Fatal(err)
	}
	for total := 0; total < size; {
		var b strings.Builder
		for b.Len() < 20_000 {
			fmt.Fprintf(&b, "%5d\t%s.%s(%s/%s.go, %d)\n", rng.IntN(2000), words[rng.IntN(4000)], words[rng.IntN(4000)], words[rng.IntN(4000)], words[rng.IntN(4000)], rng.IntN(1<<20))
		}
		total += b.Len()
		id := fmt.Sprint(total)
		_, err := l.Append(tenfold.Entry{Payload: tenfold.ToolCall{CallID: id, Name: "Read", Arguments: "{}"}},
			tenfold.Entry{Payload: tenfold.ToolResult{CallID: id, Parts: tenfold.Text(b.String())}})
		if err != nil {
			tb.Fatal(err)
		}
	}
	return l
}
