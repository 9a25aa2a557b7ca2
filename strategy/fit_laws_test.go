package strategy_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tenfold"
	"tenfold/internal/corpustest"
	"tenfold/internal/logtest"
	"tenfold/internal/record"
	"tenfold/strategy"
)

// Whatever the log: what fit makes is valid for every provider (P10), undone
// to the byte (C7), never larger than before; what a person wrote in short is
// there verbatim where there is room; and it is the same every time.
func TestS13aLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := tenfold.NewLog()
		if _, err := l.Append(logtest.Entries(64).Draw(t, "log")...); err != nil {
			t.Fatal(err)
		}
		if l.Turns() == 0 {
			return
		}
		raw := tenfold.Project(l)
		for range 3 {
			text := rapid.SampledFrom([]string{
				least, "fit:target=5%", "fit:target=30%", "fit:target=60,recall=true", "fit:target=40,edits=100", "fit:target=20%,without=lines",
				"fit:target=10%,without=always", "fit:target=100%,recall=true,without=blocks",
			}).Draw(t, "strategy")
			s, err := strategy.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			o := able(everything(l))
			holdComposition(t, l, o, strategy.Pipeline{s}, true)
			made, err := strategy.Pipeline{s}.Plan(context.Background(), raw, o)
			if err != nil {
				t.Fatal(err)
			}
			if made.After > raw.Tokens() {
				t.Fatalf("%s: %d tokens, then %d", text, raw.Tokens(), made.After)
			}
			before, after := payloads(raw), payloads(made.View())
			for seq, was := range before {
				e, _ := l.Entry(seq)
				m, ok := e.Payload.(tenfold.UserMessage)
				// What always stays gives way only where it is over half (F4).
				if !ok || !m.IsRequest() || e.Tokens > 500 || len(made.Compactions) == 0 || made.Fitted.GaveWay > 0 {
					continue
				}
				// Behind what fit may touch older overlays win.
				got := tenfold.TextLines(after[seq])
				if got != tenfold.TextLines(m) && got != tenfold.TextLines(was) {
					t.Fatalf("%s: message %d is %q, it was %q", text, seq, got, tenfold.TextLines(m))
				}
			}
			again, err := strategy.Pipeline{s}.Plan(context.Background(), tenfold.Project(l), o)
			if err != nil || len(again.Compactions) != len(made.Compactions) ||
				len(made.Compactions) == 1 && !record.Same(again.Compactions[0], made.Compactions[0]) {
				t.Fatalf("%s: another time it is another plan, %v", text, err)
			}
		}
	})
}

func TestP1S13aIsTheSameAHundredTimes(t *testing.T) {
	l := tenfold.NewLog()
	if _, err := l.Append(logtest.Long(800)...); err != nil {
		t.Fatal(err)
	}
	var want []byte
	times := 100
	if corpustest.UnderRace {
		times = 10
	}
	for i := range times {
		made := plan(t, tenfold.Project(l), strategy.Options{}, "fit:target=10%,recall=true")
		got, err := json.Marshal(made.Compactions)
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			want = slices.Concat(got, allBodies(t, made.View())[0])
		} else if !slices.Equal(slices.Concat(got, allBodies(t, made.View())[0]), want) {
			t.Fatalf("run %d is another", i)
		}
	}
}

// Texts that nobody expects are fitted in time by their size.
func TestS13aHugeTexts(t *testing.T) {
	corpustest.Unraced(t)
	var names, lines strings.Builder
	for i := range 200_000 {
		fmt.Fprintf(&names, "name_%d and ", i)
		fmt.Fprintf(&lines, "name_%d\n", i%9000)
	}
	body, err := json.Marshal(map[string]string{"file_path": "src/a_file.go", "content": lines.String()})
	if err != nil {
		t.Fatal(err)
	}
	for name, p := range map[string]tenfold.Payload{
		"a line of 3 MB":       tenfold.ToolResult{CallID: "1", Parts: tenfold.Text(names.String())},
		"200,000 lines":        tenfold.ToolResult{CallID: "1", Parts: tenfold.Text(lines.String())},
		"a body of as many":    tenfold.ToolCall{CallID: "2", Name: "Write", Arguments: string(body)},
		"a message of 3 MB":    tenfold.UserMessage{Parts: tenfold.Text(names.String())},
		"a message of as many": tenfold.UserMessage{Parts: tenfold.Text(lines.String())},
	} {
		t.Run(name, func(t *testing.T) {
			l := tenfold.NewLog(tenfold.WithCounter(tenfold.Chars4{}))
			for _, p := range []tenfold.Payload{
				tenfold.TurnStart{},
				tenfold.UserMessage{Parts: tenfold.Text("go")},
				tenfold.ToolCall{CallID: "1", Name: "Bash", Arguments: `{"command":"make all"}`},
				p,
				tenfold.TurnStart{},
				tenfold.UserMessage{Parts: tenfold.Text("on")},
				tenfold.AssistantMessage{Text: "fine"},
			} {
				if _, err := l.Append(tenfold.Entry{Payload: p}); err != nil {
					t.Fatal(err)
				}
			}
			targets := []string{"fit:target=2%", "fit:target=20%"}
			if !corpustest.All() {
				targets = targets[len(name)%2:][:1] // either for some of them
			}
			for _, target := range targets {
				made := plan(t, tenfold.Project(l), strategy.Options{}, target)
				if !made.Fitted.Met() {
					t.Errorf("%s: %+v", target, made.Fitted)
				}
			}
		})
	}
}
