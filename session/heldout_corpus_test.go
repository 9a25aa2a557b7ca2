package session_test

import (
	"slices"
	"testing"

	"tenfold"
	"tenfold/body"
	"tenfold/internal/corpustest"
	"tenfold/session"
	"tenfold/store/memory"
	"tenfold/strategy"
	"tenfold/transcript"
)

// gathered reads the first conversation of a transcript.
type gathered struct {
	entries []tenfold.Entry
	done    bool
}

func (g *gathered) Begin(transcript.Conversation) error { return nil }

func (g *gathered) Entry(e tenfold.Entry) error {
	if !g.done {
		g.entries = append(g.entries, e)
	}
	return nil
}

func (g *gathered) End(transcript.Conversation, []string) error {
	g.done = true
	return nil
}

// V4, over real sessions: after a commit every name that the steps used from the
// prefix is shown, or is among those that are told to be left; and providers take
// the view.
func TestV4CommitsOfRealSessions(t *testing.T) {
	tried, lost, left := 0, 0, 0
	for _, file := range corpustest.Files(t, "claude-code", "codex", "pi") {
		f, err := transcript.Open(file.Path)
		if err != nil {
			t.Fatal(err)
		}
		var g gathered
		err = transcript.Import(t.Context(), f.Source, "", &g)
		_ = f.Close()
		if err != nil || len(g.entries) < 60 {
			continue
		}
		if tried++; tried > 20 && !corpustest.All() {
			break
		}
		g.entries = slices.DeleteFunc(g.entries, func(e tenfold.Entry) bool { return e.Payload.Kind() == tenfold.KindCompaction })
		half := len(g.entries) / 2
		s, err := session.NewService(memory.New()).Create(t.Context(), session.Create{Entries: g.entries[:half]})
		if err != nil {
			t.Fatal(err)
		}
		r := session.Request{Target: strategy.Share(15), OpenEnd: true}
		plan, err := s.Plan(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Append(t.Context(), g.entries[half:min(half+40, len(g.entries))]...); err != nil {
			t.Fatal(err)
		}
		c, held, err := s.Commit(t.Context(), r, plan)
		if err != nil {
			t.Fatalf("%s: %v", file.Name, err)
		}
		if c.Outcome != session.Applied {
			continue // nothing to do, or what the steps changed superseded it
		}
		lost, left = lost+len(held.Lost), left+len(held.Left)
		if _, hidden := session.Lost(plan.Base(), s.Projection(), s.Projection()); len(hidden) != len(held.Left) {
			t.Errorf("%s: %d names are hidden, %d were told", file.Name, len(hidden), len(held.Left))
		}
		for _, profile := range body.Profiles() {
			written, err := profile.Write(s.Projection())
			if err != nil {
				t.Fatal(err)
			}
			if wrong := profile.Check(written); len(wrong) > 0 {
				t.Errorf("%s: %s refuses the view: %s", file.Name, profile.Name, wrong[0])
			}
		}
	}
	if left*2 > lost {
		t.Errorf("of %d names %d are still lost", lost, left)
	}
}
