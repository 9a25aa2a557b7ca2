package chat

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"tenfold"
	"tenfold/agent"
	_ "tenfold/internal/seed" // cases are drawn alike every time
	"tenfold/toolbox"
)

// hostile is text that hurts: control characters, wide and joined ones, Markdown,
// what looks like the program's own marks.
func hostile() *rapid.Generator[string] {
	piece := rapid.SampledFrom([]string{
		"word", " ", "\n", "\n\n", "\t", "\r\n", "\r", "\x1b[2J", "\x1b[H", "\x1b]0;t\a", "\u009b1m", "\u202e", "\u2028", "&#27;[31m", "```", "~~~\n", "```go\n",
		"> ", "? Permission", "* ", "1. ", "| a | b |\n|---|---|\n| 1 | 2 |\n", "# ", "日本語", "👩‍👩‍👧", "e\u0301", "שלום", "\xff", strings.Repeat("x", 300), "[l](http://x)", "<b>", "    ", "▏ ", "│ ",
		"\u0301\u0301", "\x00", "\ufeff", "[pasted 1: 2 lines, 3 bytes]", "---\n",
	})
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(piece, 0, 30).Draw(t, "pieces"), "")
	})
}

// styles are the only escape sequences that may be written.
var styles = regexp.MustCompile("\x1b\\[[0-9;]*m")

// checkLine fails if a line could do anything to the terminal but show text.
func checkLine(t *rapid.T, line string, width int) {
	plain := styles.ReplaceAllString(line, "")
	for _, r := range plain {
		if r < ' ' || r == 0x7f || r >= 0x80 && r <= 0x9f || r == 0x202e || r == 0x2028 {
			t.Fatalf("a line holds %q: %q", r, line)
		}
	}
	if !utf8.ValidString(plain) {
		t.Fatalf("a line is not UTF-8: %q", line)
	}
	if w := ansi.StringWidth(plain); w >= width {
		t.Fatalf("a line is %d wide, of %d: %q", w, width, line)
	}
}

// Whatever a model, a tool, a server or a person says: what is written cannot
// steer the terminal, fits it, and only the program's own lines begin in the
// margin.
func TestMarginBelongsToTheProgram(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		width, height := rapid.IntRange(10, 130).Draw(r, "width"), rapid.IntRange(5, 60).Draw(r, "height")
		b := newBench(t, Options{Colour: rapid.Bool().Draw(r, "colour"), Model: hostile().Draw(r, "model")})
		b.resize(width, height)
		draw := func(what string) string { return hostile().Draw(r, what) }
		c := tenfold.ToolCall{CallID: draw("id"), Name: draw("name"), Arguments: draw("arguments")}
		marks := map[string]int{}
		for _, e := range []agent.Event{
			{Text: draw("text")},
			appended(tenfold.AssistantMessage{Text: draw("whole")}), appended(tenfold.Reasoning{Text: draw("thought")}),
			appended(c),
			{Branch: draw("branch"), Running: &agent.Running{Call: c, Intent: toolbox.Intent{Subject: draw("subject")}}},
			{Output: &agent.Output{CallID: c.CallID, Text: draw("output")}},
			{Reasoning: draw("thinking")},
			{Waiting: &agent.Waiting{Attempt: 1, Err: fmt.Errorf("%s", draw("error"))}},
			{Text: draw("tail")},
		} {
			b.event(e)
			lines, cursor := b.live()
			if len(lines) > max(height/3, 4) {
				r.Fatalf("the live area has %d lines of %d", len(lines), height)
			}
			for _, line := range lines {
				checkLine(r, line, width)
			}
			if cursor == nil || !strings.HasPrefix(ansi.Strip(lines[cursor.Y]), "> ") {
				r.Fatalf("the cursor is at %v in\n%s", cursor, b.below())
			}
		}
		b.event(appended(tenfold.ToolResult{CallID: c.CallID, Parts: tenfold.Text(draw("result")), Outcome: tenfold.Outcome(draw("outcome"))}))
		b.showFolded()
		b.event(agent.Event{Stop: &agent.Stop{Reason: agent.Limited, Detail: draw("detail")}})
		b.fail(fmt.Errorf("%s", draw("failure")))
		b.queueQuestion(&question{Question: agent.Question{
			Call: c, Reason: draw("reason"), Branch: draw("asks"),
			Intent: toolbox.Intent{Effect: toolbox.Commands, Command: draw("command"), Subject: draw("about")},
		}, answer: make(chan agent.Answer, 1)})
		lines, _ := b.live()
		for _, line := range lines {
			checkLine(r, line, width)
		}
		for _, line := range b.screen.queue {
			checkLine(r, line, width)
			plain := ansi.Strip(line)
			if plain == "" || strings.HasPrefix(plain, margin) {
				continue
			}
			mark, _, _ := strings.Cut(plain, " ")
			marks[mark]++
		}
		for mark, n := range marks {
			most := map[string]int{"✓": 1, "✗": 2, "•": 1, "·": 2, "!": 2, "?": 1, "▾": 1}[mark]
			if n > most {
				r.Fatalf("%d lines begin with %q in\n%s", n, mark, b.written())
			}
		}
	})
}

// Cutting loses nothing: the pieces are the text, whatever the deltas were, and no
// piece ends within a block of code that is not too long.
func TestStreamLaws(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := hostile().Draw(t, "text") + hostile().Draw(t, "more")
		var s stream
		var got strings.Builder
		take := func(c chunk) {
			if c.joined {
				t.Fatalf("a short block is cut: %q", c.markdown)
			}
			got.WriteString(c.markdown)
			fences := stream{}
			if fences.add([]byte(c.markdown)); fences.fence != "" {
				t.Fatalf("a piece ends within code: %q", c.markdown)
			}
		}
		for rest := text; rest != ""; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "n")
			for _, c := range s.add([]byte(rest[:n])) {
				take(c)
			}
			rest = rest[n:]
		}
		got.Write(s.pending)
		if got.String() != text {
			t.Fatalf("%q became %q", text, got.String())
		}
	})
}

// An indented line after a blank one may belong to the item of a list: nothing is
// cut before it.
func TestStreamKeepsLists(t *testing.T) {
	t.Parallel()
	var s stream
	text := "1. one\n\n   more of it\n\n\tand more\n\nText.\n\nx"
	var got []string
	for i := range len(text) {
		for _, c := range s.add([]byte(text[i : i+1])) {
			got = append(got, c.markdown)
		}
	}
	if want := []string{"1. one\n\n   more of it\n\n\tand more\n\n", "Text.\n\n"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// What waits is bounded, whatever is written, and so is the work for each byte.
func TestStreamIsBounded(t *testing.T) {
	t.Parallel()
	for name, unit := range map[string]string{
		"endless word": "x", "words": "word ", "lines": "a line of text\n", "code": "\x00a line of code\n", "paragraphs": "p\n\n", "wide": "日本", "blank": "\n", "list": "* a\n\n  b\n\n",
	} {
		var s stream
		size := 1 << 20
		if name == "code" {
			s.add([]byte("```go\n"))
		}
		text := []byte(strings.Repeat(unit, size/len(unit)))
		wrote := 0
		var took []time.Duration
		for i := 0; i < len(text); i += 7 {
			began := time.Now()
			pieces := s.add(text[i:min(i+7, len(text))])
			took = append(took, time.Since(began))
			for _, c := range pieces {
				wrote += len(c.markdown)
				if len(c.markdown) > 2*mostPending || !utf8.ValidString(c.markdown) {
					t.Fatalf("%s: a piece of %d bytes, valid: %v", name, len(c.markdown), utf8.ValidString(c.markdown))
				}
			}
			if len(s.pending) > 2*mostPending {
				t.Fatalf("%s: %d bytes wait", name, len(s.pending))
			}
		}
		if wrote+len(s.pending) < len(text) {
			t.Errorf("%s: %d of %d bytes", name, wrote+len(s.pending), len(text))
		}
		// By medians: other work on the machine stretches some of them.
		median := func(all []time.Duration) time.Duration { slices.Sort(all); return all[len(all)/2] }
		tenth := len(took) / 10
		if first, last := median(took[:tenth]), median(took[len(took)-tenth:]); last > 10*first+10*time.Microsecond {
			t.Errorf("%s: 7 bytes take %v at first, and %v in the end", name, first, last)
		}
	}
}

// However fast a model writes, a batch is bounded, so that keys are answered; and a
// run that is told to end does not wait for it.
func TestBatchesAreBounded(t *testing.T) {
	t.Parallel()
	wrote := make(chan int, 1)
	j := startJob(t.Context(), &approver{}, func(ctx context.Context, report func(tea.Msg)) error {
		n := 0
		for ; ctx.Err() == nil; n += 1000 {
			report(agent.Event{Text: strings.Repeat("x", 1000)})
		}
		wrote <- n
		return nil
	})
	read := 0
	for range 5 {
		size := 0
		for _, msg := range j.next().(batchMsg).messages {
			size += written(msg)
		}
		if size == 0 || size > mostBatch+2000 {
			t.Fatalf("a batch of %d bytes", size)
		}
		read += size
	}
	j.cancel()
	if n := <-wrote; n < read {
		t.Errorf("%d bytes in five batches, %d were written", read, n)
	}
}

// Code that is cut because it is long is code on both sides.
func TestLongCodeStaysCode(t *testing.T) {
	t.Parallel()
	b := newBench(t, Options{Colour: true})
	text := "```go\n" + strings.Repeat("* not a list\n", 4000) + "```\n\nDone.\n"
	b.agent.run = func(_ context.Context, _ string, emit func(agent.Event)) error {
		for i := 0; i < len(text); i += 11 {
			emit(agent.Event{Text: text[i:min(i+11, len(text))]})
		}
		emit(appended(tenfold.AssistantMessage{Text: text}))
		return nil
	}
	b.enter("go")
	b.settle()
	if n := strings.Count(b.written(), "  ▏ * not a list"); n != 4000 {
		t.Errorf("%d of 4000 lines are code", n)
	}
	if strings.Contains(b.written(), "```") || !strings.HasSuffix(b.written(), "\n\n  Done.") {
		t.Errorf("it ends with %q", b.written()[len(b.written())-100:])
	}
	if n := strings.Count(b.written(), "list\n\n"); n != 1 {
		t.Errorf("%d gaps", n)
	}
}

// The gauge fits, and says where its figure is from as long as there is room.
func TestGauge(t *testing.T) {
	t.Parallel()
	b := newBench(t, Options{Model: "anthropic/claude-sonnet-4-5"})
	b.gauge = agent.Gauge{Tokens: 150_000, Window: 200_000, Method: "o200k", Dollars: new(1.5), Compactions: 3}
	for width, want := range map[int]string{
		120: "context 75 %: 150,000 of 200,000 tokens (estimated, o200k) · $1.5000 · anthropic/claude-sonnet-4-5 · 3 compactions",
		78:  "context 75 %: 150,000 of 200,000 tokens (estimated, o200k) · $1.5000",
		38:  "context 75 % (estimated, o200k)",
	} {
		if got := b.gaugeWords(width); got != want {
			t.Errorf("at %d: %q", width, got)
		}
	}
	b.gauge = agent.Gauge{Tokens: 1, Spent: tenfold.Usage{Input: 3}}
	if got, want := b.gaugeWords(100), "1 token · cost unknown · anthropic/claude-sonnet-4-5"; got != want {
		t.Errorf("%q", got)
	}
}
