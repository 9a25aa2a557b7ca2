package tenfold_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"tenfold"
	"tenfold/internal/logtest"
)

// A snapshot, and what is previewed over one, stay as they are whatever is
// appended to the log that they were made of, and the log does not notice.
func TestSnapshotsStay(t *testing.T) {
	law(t, func(t *rapid.T, entries []tenfold.Entry) {
		cut := rapid.IntRange(0, len(entries)).Draw(t, "cut")
		c := logtest.Compaction().Draw(t, "overlay")
		for _, reader := range readers() {
			l := tenfold.NewLog()
			if _, err := l.Append(entries[:cut]...); err != nil {
				t.Fatal(err)
			}
			p := tenfold.ProjectBranch(l, reader)
			snapshot := p.Snapshot()
			after := snapshot.With(c)
			again := snapshot.Snapshot()
			mustEqual(t, "snapshot", items(p), items(snapshot))
			mustEqual(t, "totals", p.Totals(), snapshot.Totals())
			look := func(p *tenfold.Projection) []any {
				return []any{items(p), bodies(t, p), p.Totals(), p.Config(), p.Log().Turns(), slices.Collect(p.Log().Entries())}
			}
			was, would := look(snapshot), look(after)
			shared := snapshot.Shared(after)
			for _, e := range entries[cut:] {
				if _, err := l.Append(e); err != nil {
					t.Fatal(err)
				}
				p.Advance()
			}
			mustEqual(t, "the projection it was made of", items(tenfold.ProjectBranch(newLogOf(t, entries), reader)), items(p))
			mustEqual(t, "snapshot later", was, look(snapshot))
			mustEqual(t, "its snapshot later", was, look(again))
			mustEqual(t, "preview later", would, look(after))
			mustEqual(t, "shared later", shared, snapshot.Shared(after))
			mustEqual(t, "preview made later", would, look(snapshot.With(c)))
		}
	})
}

func newLogOf(t *rapid.T, entries []tenfold.Entry) *tenfold.Log {
	l := tenfold.NewLog()
	if _, err := l.Append(entries...); err != nil {
		t.Fatal(err)
	}
	return l
}

// The same of logs that are longer than the blocks they are kept in; a call of the
// first of them is answered in the last.
func TestSnapshotsOfLongLogsStay(t *testing.T) {
	entries := slices.Insert(logtest.Long(1700), 2, named("late call", tenfold.ToolCall{CallID: "late", Name: "Bash"}))
	entries = append(entries, named("late result", tenfold.ToolResult{CallID: "late", Parts: tenfold.Text("at last")}))
	omit := tenfold.Compaction{ToTurn: 99, Turns: tenfold.Omit}
	strip := tenfold.Compaction{ToTurn: 99, ToolCalls: &tenfold.ToolPolicy{Action: tenfold.Strip, Response: true}}
	for _, cut := range []int{3, 511, 512, 513, 700, 1024, 1300} {
		l := tenfold.NewLog()
		if _, err := l.Append(entries[:cut]...); err != nil {
			t.Fatal(err)
		}
		p := tenfold.Project(l)
		snapshot := p.Snapshot()
		views := []*tenfold.Projection{snapshot, snapshot.With(omit), snapshot.With(strip), snapshot.With(strip, omit)}
		look := func() (all []any) {
			for _, v := range append(views, snapshot.With(omit), snapshot.With(strip)) {
				all = append(all, items(v), v.Totals())
			}
			return all
		}
		was := look()
		for i, e := range entries[cut:] {
			if _, err := l.Append(e); err != nil {
				t.Fatal(err)
			}
			if i%300 == 7 {
				if _, err := l.Append(tenfold.Entry{Payload: strip}, tenfold.Entry{Payload: omit}); err != nil {
					t.Fatal(err)
				}
			}
			p.Advance()
		}
		same(t, "snapshots", look(), was)
		fresh := tenfold.Project(l)
		same(t, "the log's own", items(p), items(fresh))
		same(t, "its totals", p.Totals(), fresh.Totals())
	}
}

// A snapshot is read by one goroutine while another appends to the log: the race
// detector says whether it may be.
func TestSnapshotsAreReadWhileTheLogGrows(t *testing.T) {
	t.Parallel()
	l := tenfold.NewLog()
	p := tenfold.Project(l)
	done := make(chan bool)
	defer func() { <-done }()
	read := make(chan *tenfold.Projection, 100)
	go func() {
		defer close(done)
		for q := range read {
			if got := int64(len(slices.Collect(q.Log().Entries()))); got != q.Version() || len(q.List()) == 0 || q.Tokens() == 0 {
				t.Errorf("a snapshot of version %d has %d entries", q.Version(), got)
			}
		}
	}()
	defer close(read)
	for _, e := range logtest.Long(1200) {
		if _, err := l.Append(e); err != nil {
			t.Fatal(err)
		}
		if p.Advance(); p.Version()%23 == 0 {
			read <- p.Snapshot()
		}
	}
}
