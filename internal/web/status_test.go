package web

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"tenfold"
	"tenfold/internal/web/shape"
	"tenfold/internal/web/talk"
	"tenfold/provider/script"
	"tenfold/session"
	"tenfold/strategy"
)

// Where no agent can work there is nothing to offer.
func TestOffersNeedAnAgent(t *testing.T) {
	t.Parallel()
	s, b := act(t, nil, &acting{model: script.New()})
	elsewhere, err := session.NewService(b.store).Open(t.Context(), "talk")
	if err != nil {
		t.Fatal(err)
	}
	failed := tenfold.CompactionFailed{Error: "no\u2028idea"}
	if err := elsewhere.Append(t.Context(), tenfold.Entry{Payload: tenfold.TurnStart{}}, tenfold.Entry{Payload: failed}); err != nil {
		t.Fatal(err)
	}
	if got := now(t, s); words(got) != "compact: retry compaction, write: continue, new: new session" || got.Failure != `no\u2028idea` {
		t.Errorf("%+v", got)
	}
	b.readOnly = true
	if got := now(t, s); len(got.Offers) != 0 || got.Failure == "" {
		t.Errorf("%+v", got)
	}
}

// Another model has another window: the status follows what the log says.
func TestTheStatusFollowsTheModel(t *testing.T) {
	t.Parallel()
	s, b := act(t, nil, &acting{model: script.New()})
	b.live.Request.Options = strategy.Options{Window: 1000}
	if got := now(t, s); got.Window != 1000 || got.Method != "estimate" {
		t.Errorf("%+v", got)
	}
	b.live.Request.Options = strategy.Options{Window: 2000}
	elsewhere, err := session.NewService(b.store).Open(t.Context(), "talk")
	if err != nil {
		t.Fatal(err)
	}
	if err := elsewhere.Append(t.Context(), tenfold.Entry{Payload: tenfold.ConfigDelta{Model: "lab/m"}}); err != nil {
		t.Fatal(err)
	}
	if got := get[shape.Conversation](t, s, "/api/conversations/talk", http.StatusOK); got.Status.Window != 2000 {
		t.Errorf("%+v", got.Status)
	}
}

// What stopped in the middle can be gone on with, once it is clear that nobody is at
// work on it: whoever listens is woken then.
func TestWhatStoppedCanBeGoneOnWith(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, b := act(t, nil, &acting{model: script.New(script.Text("Done.")), judge: &asks{}})
		elsewhere, err := session.NewService(b.store).Open(t.Context(), "talk")
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		ask := tenfold.UserMessage{Parts: tenfold.Text("Do it.")}
		if err := elsewhere.Append(t.Context(), tenfold.Entry{Payload: tenfold.TurnStart{}}, tenfold.Entry{Payload: ask}); err != nil {
			t.Fatal(err)
		}
		if got := now(t, s); len(got.Offers) != 0 {
			t.Errorf("%+v while somebody may be at work", got.Offers)
		}
		got := until(t, s, "stopped", func(s shape.Status) bool { return len(s.Offers) > 0 })
		if took := time.Since(began); took < unattended || took > unattended+time.Second || words(got) != "go_on: go on, write: continue" {
			t.Errorf("after %v: %+v", took, got.Offers)
		}
		post(t, s, "/talk/messages", shape.Message{Do: talk.DoGoOn}, http.StatusAccepted)
		if got = until(t, s, "over", over); words(got) != "" {
			t.Errorf("%+v", got.Offers)
		}
		_ = s.Close()
		s, _ = act(t, b.store, &acting{model: script.New(), judge: &asks{}})
		time.Sleep(unattended + time.Second)
		if got := now(t, s); len(got.Offers) != 0 {
			t.Errorf("%+v after an answer", got.Offers)
		}
		_ = s.Close()
	})
}
