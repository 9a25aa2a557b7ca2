package session_test

import (
	"context"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"tenfold"
	"tenfold/internal/logtest"
	"tenfold/session"
	"tenfold/store/memory"
)

// L2, live X2: a rewind keeps the log, shows all up to an entry as before and nothing
// behind it but what is said from then on; it is not undone, and begins no epoch. Where
// overlays cannot say that, nothing is written.
func TestX2RewindHidesWhatWasTakenBack(t *testing.T) {
	rewound := 0
	rapid.Check(t, func(t *rapid.T) {
		ctx := context.Background()
		svc := session.NewService(memory.New(), session.WithCounter(tenfold.Chars4{}))
		entries := logtest.Entries(40).Draw(t, "log")
		if !rapid.Bool().Draw(t, "compacted") {
			entries = slices.DeleteFunc(entries, func(e tenfold.Entry) bool { return e.Payload.Kind() == tenfold.KindCompaction })
		}
		s, err := svc.Create(ctx, session.Create{Entries: entries})
		if err != nil {
			t.Fatal(err)
		}
		for n := range rapid.IntRange(1, 3).Draw(t, "rewinds") {
			was, through := s.Projection().Snapshot(), int64(rapid.IntRange(0, int(s.Log().Version())).Draw(t, "through"))
			undoable, _ := was.Undoable()
			epoch := s.Control(session.Live{}).Epoch()
			done, err := s.Rewind(ctx, through, "rewound")
			if err != nil {
				t.Fatal(err)
			}
			now := s.Projection()
			if !done {
				if now.Version() != was.Version() {
					t.Fatal("it wrote, and says that it did not")
				}
				continue
			}
			rewound++
			for seq := range was.Version() {
				e, _ := s.Log().Entry(seq + 1)
				if !e.Payload.Kind().Visible() || e.Branch != "" {
					continue
				}
				before, by, cost := was.Fate(e.Seq)
				after, whose, costs := now.Fate(e.Seq)
				switch gone := after == tenfold.Omitted || after == tenfold.Summarised; {
				case e.Seq > through && !now.Rewound(e.Seq), now.Rewound(e.Seq) && !gone:
					t.Fatalf("entry %d is %v by %q, behind %d", e.Seq, after, whose, through)
				case e.Seq <= through && !was.Rewound(e.Seq) && (before != after || by != whose || cost != costs):
					t.Fatalf("entry %d is %v by %q, and was %v by %q, up to %d", e.Seq, after, whose, before, by, through)
				}
			}
			if is, _ := now.Undoable(); is.ID != undoable.ID || s.Control(session.Live{}).Epoch() != epoch {
				t.Fatal("it can be undone, or began an epoch")
			}
			if err := s.Append(ctx, tenfold.Entry{Payload: tenfold.AssistantMessage{Text: "I go on."}, MessageID: string(rune('a' + n))}); err != nil {
				t.Fatal(err)
			}
			if last := s.Log().Version(); s.Projection().Rewound(last) {
				t.Fatal("what is said from then on is hidden as well")
			}
		}
	})
	if rewound < 10 {
		t.Errorf("%d rewinds", rewound)
	}
}
