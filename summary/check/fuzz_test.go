package check_test

import (
	"strings"
	"testing"

	"tenfold"
	"tenfold/strategy"
	"tenfold/summary/check"
)

// Whatever a summary and a source hold, a check ends, counts right, and does
// not call strange what stands in the source as it is.
func FuzzSummary(f *testing.F) {
	for _, seed := range [][2]string{
		{"Changed `pkg/a.go:12` and \"said three words more\".", "pkg/a.go"},
		{"```\nx := 1_000\n```\n1,000 … [x] 1.2.3", `{"a":"b\nc\\d"}`},
		{"/a/b/c//d C:\\e ~/f://g#L1-L2", "\x1b[31mé日本语src/x.go\x1b"},
		{"“", "`"},
		{"", ""},
		{"\xff\x00", "\\"},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, text, source string) {
		l := tenfold.NewLog()
		if _, err := l.Append(
			tenfold.Entry{Payload: tenfold.UserMessage{Parts: tenfold.Text(source)}},
			tenfold.Entry{Payload: tenfold.ToolCall{CallID: "1", Arguments: source}},
			tenfold.Entry{Payload: tenfold.ToolResult{CallID: "1", Parts: tenfold.Text(text)}},
		); err != nil {
			t.Fatal(err)
		}
		r := requestOf(l, 0, 0)
		own := check.Summary(text, r)
		if len(own.Strangers) > 0 && !strings.ContainsAny(text, "\\\x1b") {
			t.Errorf("%q holds strangers to itself: %q", text, own.Strangers)
		}
		other := check.Summary(text, strategy.SummaryRequest{Log: l, Entries: r.Entries[:1]})
		if other.Atoms != own.Atoms && !strings.Contains(text, "urn") || len(other.Strangers) > other.Atoms || other.Repeats != 0 || own.Repeats > 100 {
			t.Errorf("%+v, then %+v", own, other)
		}
	})
}
