package check_test

import (
	"strings"
	"testing"

	"tenfold"
	"tenfold/internal/corpustest"
	"tenfold/strategy"
	"tenfold/summary/check"
)

func chars4LogOf(t *testing.T, entries []tenfold.Entry) *tenfold.Log {
	l := tenfold.NewLog(tenfold.WithCounter(tenfold.Chars4{}))
	if _, err := l.Append(entries...); err != nil {
		t.Fatal(err)
	}
	return l
}

// written is a text of a model about a session, with all that it had read.
type written struct {
	file corpustest.File
	text string
	r    strategy.SummaryRequest
}

// before is a request for all of a log before an entry, up to the end of a
// turn.
func before(l *tenfold.Log, seq int64, toTurn int) strategy.SummaryRequest {
	r := strategy.SummaryRequest{Log: l, Range: tenfold.Range{ToTurn: toTurn}}
	for e := range l.Entries() {
		if e.Seq >= seq {
			break
		}
		if turn, _, _ := l.Where(e.Seq); turn <= toTurn {
			r.Entries = append(r.Entries, e)
		}
	}
	return r
}

// recorded gives the summaries that other tools had models write.
func recorded(f corpustest.File, l *tenfold.Log) []written {
	var all []written
	for e := range l.Entries() {
		if c, ok := e.Payload.(tenfold.Compaction); ok && c.Summary != nil {
			all = append(all, written{f, c.Summary.Text, before(l, e.Seq, c.ToTurn)})
		}
	}
	return all
}

// reports gives what agents said at the end of longer work: texts about a
// session, like summaries, and many more of them.
func reports(f corpustest.File, l *tenfold.Log) []written {
	const calls, size = 8, 600
	var all []written
	made, last := 0, written{}
	take := func() {
		if made >= calls && len(last.text) > size {
			all = append(all, last)
		}
		made, last = 0, written{}
	}
	for e := range l.Entries() {
		if e.Branch != "" {
			continue
		}
		switch p := e.Payload.(type) {
		case tenfold.TurnStart:
			take()
		case tenfold.ToolCall:
			made, last = made+1, written{}
		case tenfold.AssistantMessage:
			turn, _, _ := l.Where(e.Seq)
			last = written{f, p.Text, before(l, e.Seq, turn)}
		}
	}
	take()
	return all
}

// M3: what models really wrote of real sessions is taken, or nearly all of it;
// held against the session of another repository it is refused. The share that
// is refused, and why, is printed.
func TestM3RealSummariesAreTaken(t *testing.T) {
	corpustest.Unraced(t)
	sources := map[string]func(corpustest.File, *tenfold.Log) []written{"recorded summaries": recorded, "agents' reports": reports}
	texts := map[string][]written{}
	for _, f := range corpustest.Files(t) { // all: few hold summaries
		for _, c := range sessions(t, f) {
			l := chars4LogOf(t, c.Entries)
			for name, of := range sources {
				texts[name] = append(texts[name], of(f, l)...)
			}
		}
	}
	for name, all := range texts {
		if len(all) == 0 {
			t.Errorf("there are no %s", name)
			continue
		}
		refused, strange, elsewhere, foreign := 0, 0, 0, 0
		for i, w := range all {
			f := check.Summary(w.text, w.r)
			if len(f.Strangers) > 0 {
				strange++
			}
			if !f.OK() {
				refused++
				t.Logf("%s, a text of %d bytes is refused: %v", w.file.Name, len(w.text), &check.InventedError{Findings: f})
			}
			other := all[(i+len(all)/2)%len(all)]
			if source, _, _ := strings.Cut(w.file.Name, "/"); strings.HasPrefix(other.file.Name, source+"/") {
				continue
			}
			foreign++
			if !check.Summary(w.text, other.r).OK() {
				elsewhere++
			}
		}
		t.Logf("%s: %d of %d refused (%.1f %%); %d name something that is not in the log; held against another repository's session %d of %d refused",
			name, refused, len(all), 100*float64(refused)/float64(len(all)), strange, elsewhere, foreign)
		if refused*100 > len(all)*5 {
			t.Errorf("%s: more than 5 %% are refused", name)
		}
		if elsewhere*2 < foreign {
			t.Errorf("%s: less than half are refused where they are not true", name)
		}
	}
}

// The other side: a path of a recorded summary that is made up, by a change of
// its name, is found wherever the summary says that it was worked on.
func TestM3ChangedPathsOfRealSummariesAreRefused(t *testing.T) {
	corpustest.Unraced(t)
	changed, found := 0, 0
	for _, f := range corpustest.Files(t) {
		if f.Summaries == 0 {
			continue
		}
		for _, c := range sessions(t, f) {
			for _, w := range recorded(f, chars4LogOf(t, c.Entries)) {
				for _, line := range strings.Split(w.text, "\n") {
					name, _, ok := strings.Cut(strings.TrimLeft(line, "-* `"), "`")
					if !ok || !strings.Contains(name, "/") || !strings.Contains(name, ".") || strings.ContainsAny(name, " *<(") {
						continue
					}
					changed++
					invented := name[:strings.LastIndexByte(name, '/')+1] + "zz_" + name[strings.LastIndexByte(name, '/')+1:]
					if f := check.Summary("Changed `"+invented+"`.\n\n"+w.text, w.r); !f.OK() {
						found++
					} else {
						t.Errorf("%s is not found", invented)
					}
				}
			}
		}
	}
	t.Logf("%d of %d are found", found, changed)
	if changed == 0 {
		t.Error("the recorded summaries name no files")
	}
}
