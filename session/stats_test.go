package session_test

import (
	"context"
	"strconv"
	"testing"

	"tenfold"
	"tenfold/session"
	"tenfold/store"
	"tenfold/store/memory"
)

// T3: a listing has the scale of the whole log after each append, also after one that the
// store refused and whose entries were others.
func TestT3ListingsAreCalibrated(t *testing.T) {
	st := &fickle{Store: memory.New()}
	defer st.Close()
	ctx := context.Background()
	s, err := session.NewService(st).Create(ctx, session.Create{ID: "c"})
	if err != nil {
		t.Fatal(err)
	}
	prompt, calibrated := 500, false
	for n := range 12 {
		step := func(percent int) []tenfold.Entry {
			id := strconv.Itoa(n) + "/" + strconv.Itoa(percent)
			return []tenfold.Entry{
				{ID: "u" + id, Tokens: 300, Payload: tenfold.UserMessage{Parts: tenfold.Text("go on")}},
				{ID: "a" + id, Tokens: 300, Payload: tenfold.AssistantMessage{Text: "done"}},
				{ID: "n" + id, Payload: tenfold.Usage{Model: "m", Input: prompt + 6*percent}},
			}
		}
		st.fail = func() error { return &store.ConflictError{Conversation: "c", Actual: 99} }
		if err := s.Append(ctx, step(290)...); err == nil {
			t.Fatal("a conflict is not told")
		}
		st.fail = nil
		if err := s.Append(ctx, step(150)...); err != nil {
			t.Fatal(err)
		}
		prompt += 6 * 150
		c, err := st.Conversation(ctx, "c")
		if want := session.Stats(s.Projection()); err != nil || c.Stats != want {
			t.Fatalf("step %d: %+v, %v; want %+v", n, c.Stats, err, want)
		}
		calibrated = calibrated || c.Stats.Percent == 150
	}
	if !calibrated {
		t.Error("no listing was calibrated")
	}
}
