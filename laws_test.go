package tenfold_test

import (
	"bytes"
	"flag"
	"os"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"tenfold"
	"tenfold/body"
	"tenfold/internal/corpustest"
	"tenfold/internal/logtest"
	"tenfold/internal/record"
)

// The laws of semantics §2 over generated logs. Over the corpus they are held
// to in package transcript.

func newLog(t testing.TB, entries []tenfold.Entry) *tenfold.Log {
	t.Helper()
	l := tenfold.NewLog()
	if _, err := l.Append(entries...); err != nil {
		t.Fatal(err)
	}
	return l
}

// lawCases is how many logs each law is tried on. Where tests try everything they
// are over 10,000 for all laws together. -rapid.checks=N tries N.
const (
	lawCases   = "200"
	racedCases = "30"
	allCases   = "1200"
)

func TestMain(m *testing.M) {
	cases := lawCases
	switch {
	case corpustest.All():
		cases = allCases
	case corpustest.UnderRace:
		cases = racedCases
	}
	if err := flag.Set("rapid.checks", cases); err != nil { // before those of the command line
		panic(err)
	}
	os.Exit(m.Run())
}

func readers() []string { return []string{"", "scout.deep"} }

func law(t *testing.T, check func(t *rapid.T, entries []tenfold.Entry)) {
	t.Helper()
	rapid.Check(t, func(t *rapid.T) { check(t, logtest.Entries(48).Draw(t, "log")) })
}

func mustEqual(t *rapid.T, what string, want, got any) {
	if reflect.DeepEqual(want, got) {
		return
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Fatalf("%s (-want +got):\n%s", what, d)
	}
}

func items(p *tenfold.Projection) []tenfold.Item { return slices.Collect(p.Items()) }

func bodies(t *rapid.T, p *tenfold.Projection) [][]byte {
	var out [][]byte
	for _, f := range body.Profiles() {
		body, err := f.Write(p)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, body)
	}
	return out
}

// P1: same log, same projection; and the log stays as it was.
func TestP1ProjectionIsPure(t *testing.T) {
	law(t, func(t *rapid.T, entries []tenfold.Entry) {
		l := tenfold.NewLog()
		if _, err := l.Append(entries...); err != nil {
			t.Fatal(err)
		}
		before := slices.Collect(l.Entries())
		p, q := tenfold.Project(l), tenfold.Project(l)
		mustEqual(t, "items", items(p), items(q))
		mustEqual(t, "list", items(p), append([]tenfold.Item(nil), p.List()...))
		for i, body := range bodies(t, p) {
			if !bytes.Equal(body, bodies(t, q)[i]) {
				t.Fatal("bodies differ")
			}
		}
		mustEqual(t, "log", before, slices.Collect(l.Entries()))
	})
}

// Advancing a projection entry by entry gives what projecting anew gives.
func TestAdvanceEqualsProject(t *testing.T) {
	law(t, func(t *rapid.T, entries []tenfold.Entry) {
		for _, reader := range readers() {
			l := tenfold.NewLog()
			p := tenfold.ProjectBranch(l, reader)
			for _, e := range entries {
				if _, err := l.Append(e); err != nil {
					t.Fatal(err)
				}
				p.Advance()
				fresh := tenfold.ProjectBranch(l, reader)
				mustEqual(t, "totals", fresh.Totals(), p.Totals())
				mustEqual(t, "items", items(fresh), items(p))
			}
		}
	})
}

// P10: what is projected is valid for every provider.
func TestP10ValidForEveryProvider(t *testing.T) {
	law(t, func(t *rapid.T, entries []tenfold.Entry) {
		l := tenfold.NewLog()
		if _, err := l.Append(entries...); err != nil {
			t.Fatal(err)
		}
		for _, reader := range readers() {
			p := tenfold.ProjectBranch(l, reader)
			for i, f := range body.Profiles() {
				body := bodies(t, p)[i]
				for _, v := range f.Check(body) {
					t.Fatalf("%s: %s\n%s", f.Name, v, body)
				}
			}
		}
	})
}

// P11: entries and tokens over all fates are the log's, and what the items
// cost is what the totals say.
func TestP11TotalsAddUp(t *testing.T) {
	law(t, func(t *rapid.T, entries []tenfold.Entry) {
		l := tenfold.NewLog()
		if _, err := l.Append(entries...); err != nil {
			t.Fatal(err)
		}
		for _, reader := range readers() {
			p := tenfold.ProjectBranch(l, reader)
			count, tokens := 0, 0
			byFate := map[tenfold.Fate]tenfold.Count{}
			for e := range l.Entries() {
				if !p.Reads(e.Seq) {
					continue
				}
				count++
				tokens += e.Tokens
				f, _, after := p.Fate(e.Seq)
				c := byFate[f]
				byFate[f] = tenfold.Count{Entries: c.Entries + 1, Before: c.Before + e.Tokens, After: c.After + after}
			}
			totals := p.Totals()
			for _, f := range tenfold.Fates() {
				mustEqual(t, f.String(), byFate[f], totals.Of(f))
			}
			if sum := totals.Log(); sum.Entries != count || sum.Before != tokens {
				t.Fatalf("fates sum to %d entries, %d tokens; the log has %d, %d", sum.Entries, sum.Before, count, tokens)
			}
			shown := 0
			for it := range p.Items() {
				shown += it.Tokens
				raw, _ := l.Entry(it.Seq)
				given := raw.Payload != nil && raw.Tokens != tenfold.CountPayload(l.Counter(), raw.Payload)
				if got := tenfold.CountPayload(l.Counter(), it.Payload); got != it.Tokens && !given {
					t.Fatalf("item %s costs %d, says %d", it.ID, got, it.Tokens)
				}
			}
			inSystem := l.Counter().Count(p.Config().System) - l.Counter().Count(rawSystem(l, p))
			if got, want := shown+totals.Config.After, p.Tokens(); inSystem <= 0 && got != want {
				t.Fatalf("items and configuration cost %d, the totals say %d", got, want)
			}
		}
	})
}

// rawSystem is the system prompt before the projection put anything in.
func rawSystem(l *tenfold.Log, p *tenfold.Projection) string {
	system := ""
	for e := range l.Entries() {
		if d, ok := e.Payload.(tenfold.ConfigDelta); ok && d.System != nil && p.Reads(e.Seq) {
			system = *d.System
		}
	}
	return system
}

// P11a: appending what is not a compaction, revocation or pin changes nothing
// before it, but for placeholders answered and reasoning let go: that of a loop which
// closed, and that which was made under the placeholder or another configuration (B1).
func TestP11aPrefixStable(t *testing.T) {
	law(t, func(t *rapid.T, entries []tenfold.Entry) {
		l := tenfold.NewLog()
		p := tenfold.Project(l)
		for _, e := range entries {
			before := items(p)
			if _, err := l.Append(e); err != nil {
				t.Fatal(err)
			}
			p.Advance()
			switch e.Payload.Kind() {
			case tenfold.KindCompaction, tenfold.KindCompactionRevoked, tenfold.KindPin, tenfold.KindUnpin:
				continue
			}
			after := items(p)
			if e.Payload.Kind() == tenfold.KindToolCall {
				// A call may join the calls of the response under way, whose
				// placeholders then stand behind it.
				before = slices.DeleteFunc(before, func(it tenfold.Item) bool {
					return it.Added == tenfold.AddedPlaceholder
				})
				after = slices.DeleteFunc(after, func(it tenfold.Item) bool {
					return it.Added == tenfold.AddedPlaceholder
				})
			}
			closes := e.Payload.Kind() == tenfold.KindUserMessage || e.Payload.Kind() == tenfold.KindTurnStart
			if closes && onlyReasoning(before) && (len(after) == 0 || after[0].Added == 0) {
				continue // exception 2, with the opening message that stood before it
			}
			unbinds := e.Payload.Kind() == tenfold.KindConfigDelta || e.Payload.Kind() == tenfold.KindToolResult
			for i, was := range before {
				if (closes || unbinds) && was.Added == tenfold.AddedOpening && i+1 < len(before) && before[i+1].Payload.Kind() == tenfold.KindReasoning {
					if len(after) > 0 && after[0].Added == was.Added {
						after = after[1:] // before what comes first now
					}
					continue // exception 2 let go of what it opened
				}
				if seq := was.Seq; unbinds && seq > 0 && p.Why(seq) == tenfold.ReasonBound {
					continue
				}
				if words, ok := was.Payload.(tenfold.AssistantMessage); ok && (closes || unbinds) && p.Why(was.Seq) == tenfold.ReasonUnsigned {
					words.Signature = ""
					was.Payload, was.Fate = words, tenfold.Stripped
				}
				if closes && was.Payload.Kind() == tenfold.KindReasoning && (len(after) == 0 || after[0].ID != was.ID) {
					continue // exception 2: its tool loop closed
				}
				if len(after) == 0 {
					t.Fatalf("%s is gone after %v was appended", was.ID, e.Payload)
				}
				if was.Added == tenfold.AddedPlaceholder && after[0].Payload.Kind() == tenfold.KindToolResult && after[0].ID == e.ID {
					after = after[1:]
					continue // exception 1: the result came
				}
				mustEqual(t, "item before the appended entry", was, after[0])
				after = after[1:]
			}
		}
	})
}

// onlyReasoning reports whether a view holds reasoning and, before it, the
// message that opens a view for which no user does.
func onlyReasoning(view []tenfold.Item) bool {
	for _, it := range view {
		if it.Added != tenfold.AddedOpening && it.Payload.Kind() != tenfold.KindReasoning {
			return false
		}
	}
	return true
}

// P12: projecting a projection changes nothing.
func TestP12Idempotent(t *testing.T) {
	law(t, func(t *rapid.T, entries []tenfold.Entry) {
		l := tenfold.NewLog()
		if _, err := l.Append(entries...); err != nil {
			t.Fatal(err)
		}
		p := tenfold.Project(l)
		again := tenfold.NewLog()
		if _, err := again.Append(slices.Collect(p.Entries())...); err != nil {
			t.Fatal(err)
		}
		q := tenfold.Project(again)
		want, got := items(p), items(q)
		if len(want) != len(got) {
			t.Fatalf("%d items became %d\n%v\n%v", len(want), len(got), want, got)
		}
		for i := range want {
			mustEqual(t, "payload", want[i].Payload, got[i].Payload)
		}
		if p.Tokens() != q.Tokens() {
			t.Fatalf("%d tokens became %d", p.Tokens(), q.Tokens())
		}
		was := bodies(t, p)
		for i, body := range bodies(t, q) {
			if !bytes.Equal(body, was[i]) {
				t.Fatalf("bodies differ:\n%s\n%s", was[i], body)
			}
		}
	})
}

// C7: undo gives back, byte for byte, what was before; redo the compaction.
func TestC7UndoIsExact(t *testing.T) {
	law(t, func(t *rapid.T, entries []tenfold.Entry) {
		c := logtest.Compaction().Draw(t, "compaction")
		l := tenfold.NewLog()
		if _, err := l.Append(entries...); err != nil {
			t.Fatal(err)
		}
		step := func(id string, payload tenfold.Payload) (*tenfold.Projection, [][]byte) {
			if payload != nil {
				if _, err := l.Append(tenfold.Entry{ID: id, Payload: payload}); err != nil {
					t.Fatal(err)
				}
			}
			p := tenfold.Project(l)
			return p, bodies(t, p)
		}
		_, before := step("", nil)
		p, compacted := step("new", c)
		top, ok := p.Undoable()
		if !ok || top.ID != "new" {
			t.Fatalf("the newest live compaction is %q", top.ID)
		}
		p, undone := step("undo", tenfold.CompactionRevoked{Target: top.ID})
		mustEqual(t, "undone", before, undone)
		redo := p.RedoOne()
		if len(redo) != 1 || redo[0].Target != "undo" {
			t.Fatalf("redo would revoke %v", redo)
		}
		_, redone := step("redo", tenfold.CompactionRevoked{Target: redo[0].Target})
		mustEqual(t, "redone", compacted, redone)
	})
}

// The JSON form loses nothing, and no more does the form stores keep.
func TestFormsAreLossless(t *testing.T) {
	law(t, func(t *rapid.T, entries []tenfold.Entry) {
		l := tenfold.NewLog()
		if _, err := l.Append(entries...); err != nil {
			t.Fatal(err)
		}
		for e := range l.Entries() {
			line, err := tenfold.AppendEntry(nil, e)
			if err != nil {
				t.Fatal(err)
			}
			got, err := tenfold.ParseEntry(line)
			if err != nil {
				t.Fatalf("%v\n%s", err, line)
			}
			mustEqual(t, string(line), e, got)
			r, err := record.New(e.Payload)
			if err != nil {
				t.Fatal(err)
			}
			payload, err := r.Payload()
			if err != nil {
				t.Fatal(err)
			}
			mustEqual(t, "record", e.Payload, payload)
		}
	})
}

// Preview gives what appending gives, and changes nothing (C8).
func TestPreviewEqualsAppend(t *testing.T) {
	law(t, func(t *rapid.T, entries []tenfold.Entry) {
		cut := rapid.IntRange(0, len(entries)).Draw(t, "cut")
		l := tenfold.NewLog()
		if _, err := l.Append(entries[:cut]...); err != nil {
			t.Fatal(err)
		}
		p := tenfold.Project(l)
		was, total := items(p), p.Totals()
		preview := p.Preview(entries[cut:]...)
		got, gotTotal := items(preview), preview.Totals()
		mustEqual(t, "items left", was, items(p))
		mustEqual(t, "totals left", total, p.Totals())
		mustEqual(t, "fresh", was, items(tenfold.Project(l)))
		if _, err := l.Append(entries[cut:]...); err != nil {
			t.Fatal(err)
		}
		p.Advance()
		mustEqual(t, "items", items(p), got)
		mustEqual(t, "totals", p.Totals(), gotTotal)
	})
}
