package eval

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
	"time"
)

// hostileResult is a run whose names try to be more than names.
func hostileResult() *Result {
	const name = "a|b</code><script>alert(1)</script>\u202e\x1b[31m`.jsonl"
	cell := func(policy string, kept, cur float64) Cell {
		return Cell{Policy: policy, Cut: 50, Score: Score{
			Kept: Share{kept, 1}, Recalls: []Recall{{Horizon: 30, Carried: 1, Presence: Share{cur, 1}, CUR: Share{cur, 1}, Strict: Share{cur, 1}, Edits: 1, EDR: Share{cur / 2, 1}}}, Violations: 0,
		}}
	}
	p := func(text, family string) Policy { return Policy{text: text, family: family} }
	return &Result{
		Options: Options{Policies: []Policy{p("none", "none"), p("s:target=5%", "s"), p("s:target=20%", "s")}, Cuts: []int{50}, Horizons: []int{30}},
		Sessions: []SessionResult{
			{File: File{Name: name, Source: "<i>one</i>"}, Format: "x", Cells: []Cell{cell("none", 1, 1), cell("s:target=5%", .05, .5), cell("s:target=20%", .2, .8)}},
			{File: File{Name: "plain", Source: "two"}, Format: "y", Cells: []Cell{cell("none", 1, 1), cell("s:target=5%", .06, .6), cell("s:target=20%", .2, .9)}},
		},
	}
}

func hostileReport() *Report {
	r := hostileResult()
	return &Report{
		Result: r, Summary: r.Summarise(), Command: "tenfold lab '<b>'", Made: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Excluded: []string{"<u>"},
	}
}

// The page needs nothing else, runs nothing, and what comes from transcripts is
// text in it.
func TestHTML(t *testing.T) {
	var b strings.Builder
	if err := hostileReport().HTML(&b); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	for _, bad := range []string{"<script", "<i>one", "<b>'", "<u>", "\u202e", "\x1b", "src=", "href=", "http://", "https://", "ZgotmplZ", "@import", "url("} {
		if bad == "http://" {
			page = strings.ReplaceAll(page, "http://www.w3.org/2000/svg", "")
		}
		if strings.Contains(page, bad) {
			t.Errorf("the page holds %q", bad)
		}
	}
	for _, want := range []string{"&lt;script&gt;", `\u202e`, "2 sessions of 2 sources", "2026-01-02 03:04 UTC", "<svg", "not that the task succeeds", "cut at 50"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	var again strings.Builder
	if err := hostileReport().HTML(&again); err != nil || again.String() != b.String() {
		t.Errorf("the same run gives another page, %v", err)
	}
}

func TestMarkdown(t *testing.T) {
	var b strings.Builder
	if err := hostileReport().Markdown(&b); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	// In a block of code nothing means anything but its end.
	outside := ""
	for i, part := range strings.Split(text, "```") {
		if i%2 == 0 {
			outside += part
		}
	}
	for _, bad := range []string{"<script", "<i>", "\u202e", "\x1b"} {
		if strings.Contains(outside, bad) {
			t.Errorf("it holds %q", bad)
		}
	}
	columns := 0
	for line := range strings.SplitSeq(text, "\n") {
		switch n := strings.Count(strings.ReplaceAll(line, `\|`, ""), "|"); {
		case !strings.HasPrefix(line, "|"):
			columns = 0
		case columns == 0:
			columns = n
		case n != columns:
			t.Errorf("%d bars, not %d: %s", n, columns, line)
		}
	}
}

// The plot is well-formed, holds a point for each policy, and every point is
// within its frame.
func TestPlot(t *testing.T) {
	r := hostileResult()
	svg, err := r.Plot(r.Summarise())
	if err != nil {
		t.Fatal(err)
	}
	dec := xml.NewDecoder(strings.NewReader(svg))
	marks, lines := 0, 0
	for {
		tok, err := dec.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		start, ok := tok.(xml.StartElement)
		if !ok {
			continue
		}
		for _, a := range start.Attr {
			if a.Name.Local == "class" && a.Value == "mark" {
				marks++
			}
		}
		if start.Name.Local == "polyline" {
			lines++
		}
	}
	if want := 2*3 + 2; marks != want || lines != 2 { // in two panels, and the legend's two
		t.Errorf("%d marks and %d lines", marks, lines)
	}
	p := plane{least: .02}
	if p.x(.02) != plotLeft || p.x(1) != plotLeft+plotWidth || p.x(5) != p.x(1) || p.y(0) <= p.y(1) || p.x(.001) != plotLeft {
		t.Errorf("the frame is %g to %g, %g to %g", p.x(.02), p.x(1), p.y(0), p.y(1))
	}
	if ticksFrom(.03)[0] != .02 || ticksFrom(1e-9)[0] != .0001 {
		t.Errorf("the axis begins at %g or %g", ticksFrom(.03)[0], ticksFrom(1e-9)[0])
	}
}

func TestPrintable(t *testing.T) {
	for in, want := range map[string]string{
		"plain é 日本": "plain é 日本", "a\x1b[31mb": `a\u001b[31mb`, "\u202ex": `\u202ex`, "tab\there": `tab\u0009here`, "\xff": `\ufffd`,
	} {
		if got := printable(in); got != want {
			t.Errorf("%q is written %q, want %q", in, got, want)
		}
	}
}
