package check_test

import (
	"flag"
	"os"
	"strings"
	"testing"

	"tenfold"
	"tenfold/internal/corpustest"
	"tenfold/strategy"
	"tenfold/transcript"
)

// TestMain tries generated logs that are the same every time, so that what
// fails is a change's fault; -rapid.seed=0 tries others.
func TestMain(m *testing.M) {
	flag.Parse()
	asked := false
	flag.Visit(func(f *flag.Flag) { asked = asked || f.Name == "rapid.seed" })
	if !asked {
		if err := flag.Set("rapid.seed", "64"); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

// talk writes a log in short, as in package strategy's tests: "t" begins a
// turn; "u hello" is said by a person, "s note" by nobody, "a fine" by the
// model; "k hm" is reasoning; "c 1 Read {}" a call, "r 1 text" its result,
// "e 1 text" a result that is an error.
func talk(t testing.TB, lines ...string) *tenfold.Log {
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

// requestOf asks for a summary of turns of a log.
func requestOf(l *tenfold.Log, from, to int) strategy.SummaryRequest {
	r := strategy.SummaryRequest{Log: l, Range: tenfold.Range{FromTurn: from, ToTurn: to}, View: tenfold.Project(l)}
	for e := range l.Entries() {
		if turn, _, _ := l.Where(e.Seq); turn >= from && turn <= to {
			r.Entries = append(r.Entries, e)
		}
	}
	return r
}

// sessions gives the conversations of a file of the corpus; none where its
// format cannot be read.
func sessions(tb testing.TB, f corpustest.File) []transcript.Collected {
	tb.Helper()
	file, err := transcript.Open(f.Path)
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	var all transcript.Collector
	if err := transcript.Import(tb.Context(), file.Source, "", &all); err != nil {
		return nil
	}
	return all.Conversations
}
