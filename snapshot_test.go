package tenfold_test

import (
	"fmt"
	"slices"
	"sync"
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
		more := logtest.Entries(12).Draw(t, "more") // results of calls that were open then among them
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
			was, would, other := look(snapshot), look(after), look(snapshot.Preview(more...))
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
			mustEqual(t, "another story told later", other, look(snapshot.Preview(more...)))
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

// A snapshot is looked at, and stories told on over it, while another goroutine
// appends to the log. The race detector sees what the two would share.
func TestSnapshotsAreReadBesideAppends(t *testing.T) {
	step := func(i int) []tenfold.Entry {
		id := fmt.Sprint(i)
		return []tenfold.Entry{
			named("t"+id, tenfold.TurnStart{}), named("u"+id, tenfold.UserMessage{Parts: tenfold.Text("request " + id)}),
			named("c"+id, tenfold.ToolCall{CallID: "again", Name: "tool" + id}), named("x"+id, tenfold.ToolCall{CallID: "open" + id, Name: "Read"}),
			on("scout"+id, named("s"+id, tenfold.AssistantMessage{Text: "on a branch"})), named("r"+id, tenfold.ToolResult{CallID: "again"}),
			named("p"+id, tenfold.Pin{Entries: []string{"u" + id}}),
		}
	}
	l := tenfold.NewLog()
	p := tenfold.Project(l)
	var readers sync.WaitGroup
	for i := range 200 {
		if _, err := l.Append(step(i)...); err != nil {
			t.Fatal(err)
		}
		p.Advance()
		if i%20 != 0 {
			continue
		}
		snapshot, version := p.Snapshot(), p.Version()
		readers.Go(func() {
			for _, later := range []int{i, i + 1} {
				if _, held := snapshot.Log().Lookup("u" + fmt.Sprint(later)); held != (later == i) {
					t.Errorf("a snapshot of %d steps holds step %d: %v", i+1, later, held)
				}
			}
			with := snapshot.With(tenfold.Compaction{ToTurn: i, ToolCalls: &tenfold.ToolPolicy{Action: tenfold.Strip, Response: true}})
			told := with.Snapshot().Preview(append(step(i+1), tenfold.Entry{Payload: tenfold.ToolResult{CallID: "open0", Parts: tenfold.Text("late")}})...)
			if pair := told.Log().Pair(version + 1 + 7 + 1); pair != 4 {
				t.Errorf("over a snapshot of %d steps the first open call is answered as %d", i+1, pair)
			}
		})
	}
	readers.Wait()
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
