package web

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tenfold"
	"tenfold/internal/web/shape"
	"tenfold/internal/web/talk"
	"tenfold/provider/script"
	"tenfold/session"
	"tenfold/store/memory"
	"tenfold/toolbox"
)

// waits is a tool that runs until it is stopped, and prints before.
var waits = handy{"waits", toolbox.Commands, func(ctx context.Context, c toolbox.Call) (string, error) {
	c.Output("waiting")
	<-ctx.Done()
	return "", ctx.Err()
}}

// Stopping keeps what there is, and the conversation goes on.
func TestStoppingARun(t *testing.T) {
	t.Parallel()
	s, _ := act(t, nil, &acting{
		model: script.New(script.Calls(call("1", "edit")), script.Calls(call("2", "waits")), script.Text("Well.")),
		tools: []toolbox.Tool{edit, waits}, judge: &asks{},
	})
	post(t, s, "/talk/stop", nil, http.StatusNoContent) // nothing is under way
	post(t, s, "/talk/messages", shape.Message{Text: "Do it."}, http.StatusAccepted)
	q := until(t, s, "asked", asking).Waiting[0]
	post(t, s, "/talk/stop", nil, http.StatusNoContent)
	got := until(t, s, "stopped", over)
	if got.Ended.Reason != "interrupted" || len(got.Waiting) != 0 || words(got) != "go_on: go on, write: continue" {
		t.Errorf("%+v, %+v", got, got.Ended)
	}
	if p := post(t, s, "/talk/questions/"+q.ID, shape.Reply{Answer: "once"}, http.StatusNotFound); p.Code != "not_asked" {
		t.Errorf("%+v", p)
	}
	post(t, s, "/talk/messages", shape.Message{Do: "go_on"}, http.StatusAccepted)
	got = until(t, s, "running", runs)
	if r := got.Running[0]; r.Call != "2" || r.Line != "waits on {}" || r.Contained {
		t.Errorf("%+v", r)
	}
	post(t, s, "/talk/stop", nil, http.StatusNoContent)
	until(t, s, "stopped", over)
	post(t, s, "/talk/messages", shape.Message{Do: "go_on"}, http.StatusAccepted)
	if got = until(t, s, "answered", over); got.Ended.Reason != "answered" {
		t.Errorf("%+v", got.Ended)
	}
}

// A server that is closed in the middle of a turn stops it, waits for it, and frees
// the agent; the next server goes on.
func TestClosingTheServerInMidTurn(t *testing.T) {
	t.Parallel()
	st := memory.New()
	defer func() { _ = st.Close() }()
	s, b := act(t, st, &acting{model: script.New(script.Calls(call("1", "waits"))), tools: []toolbox.Tool{waits}, judge: &asks{}})
	post(t, s, "/talk/messages", shape.Message{Text: "Do it."}, http.StatusAccepted)
	until(t, s, "running", runs)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, closed := b.counts(); closed != 1 {
		t.Errorf("%d agents were closed", closed)
	}
	if got := kinds(t, b); !strings.HasSuffix(got, "tool_call usage approval tool_result") {
		t.Errorf("the log ends with %s", got)
	}
	if p := post(t, s, "/talk/messages", shape.Message{Text: "More."}, http.StatusServiceUnavailable); p.Code != "closed" || p.Hint == "" {
		t.Errorf("%+v", p)
	}
	s, _ = act(t, st, &acting{model: script.New(script.Text("Done.")), tools: []toolbox.Tool{waits}, judge: &asks{}})
	if got := now(t, s); got.Busy || got.Ended != nil {
		t.Errorf("%+v", got)
	}
	post(t, s, "/talk/messages", shape.Message{Do: "go_on"}, http.StatusAccepted)
	if got := until(t, s, "answered", over); got.Ended.Reason != "answered" {
		t.Errorf("%+v", got.Ended)
	}
}

// keptIdle is how long package talk keeps an agent that nobody asks anything.
const keptIdle = 10 * time.Minute

// An agent that nobody asks anything is closed after a while. One is open for the
// model that was named last.
func TestAgentsAreClosed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, b := act(t, nil, &acting{model: script.Choose(func(script.Shown) script.Answer { return script.Text("Yes.") }), judge: &asks{}})
		say := func(m shape.Message) {
			post(t, s, "/talk/messages", m, http.StatusAccepted)
			until(t, s, "over", over)
		}
		if p := post(t, s, "/talk/messages", shape.Message{Text: "a", Model: "unknown/m"}, http.StatusBadRequest); p.Hint == "" {
			t.Errorf("%+v", p)
		}
		if got := now(t, s); got.Busy || s.live.Peek("talk") != nil {
			t.Errorf("%+v, and the talk is kept", got)
		}
		say(shape.Message{Text: "a"})
		time.Sleep(keptIdle - time.Second)
		say(shape.Message{Text: "b"})
		time.Sleep(keptIdle - time.Second)
		synctest.Wait()
		if _, closed := b.counts(); closed != 0 {
			t.Error("the agent is closed though it worked meanwhile")
		}
		say(shape.Message{Text: "c", Model: "lab/m"})
		synctest.Wait()
		if models, closed := b.counts(); models != ",lab/m" || closed != 1 {
			t.Errorf("models %s, %d closed", models, closed)
		}
		time.Sleep(keptIdle + time.Second)
		synctest.Wait()
		if _, closed := b.counts(); closed != 2 || s.live.Peek("talk") != nil {
			t.Errorf("%d closed, talk %v is kept", closed, s.live.Peek("talk"))
		}
		say(shape.Message{Text: "d", Model: "lab/m"})
		if models, _ := b.counts(); models != ",lab/m,lab/m" {
			t.Errorf("models %s", models)
		}
		_ = s.Close()
	})
}

// What cannot be meant is refused before anything is done.
func TestMessagesThatCannotBeMeant(t *testing.T) {
	t.Parallel()
	s, b := act(t, nil, &acting{model: script.New(), judge: &asks{}})
	for _, m := range []shape.Message{{}, {Text: " \n"}, {Text: "More", Do: talk.DoGoOn}} {
		if p := post(t, s, "/talk/messages", m, http.StatusBadRequest); p.Hint == "" {
			t.Errorf("%+v: %+v", m, p)
		}
	}
	post(t, s, "/talk/messages", shape.Message{Text: "a", Do: "dance"}, http.StatusUnprocessableEntity)
	post(t, s, "/nobody/messages", shape.Message{Text: "a"}, http.StatusNotFound)
	post(t, s, "/nobody/stop", nil, http.StatusNotFound)
	post(t, s, "/talk/questions/1", shape.Reply{Answer: "once"}, http.StatusNotFound)
	// There is nothing to go on with: the agent says so.
	post(t, s, "/talk/messages", shape.Message{Do: talk.DoGoOn}, http.StatusAccepted)
	if got := until(t, s, "over", over); got.Ended.Reason != "failed" || got.Ended.Hint != "write a message" {
		t.Errorf("%+v", got.Ended)
	}
	post(t, s, "/talk/messages", shape.Message{Do: talk.DoCompact}, http.StatusAccepted)
	if got := until(t, s, "over", over); got.Ended.Reason != "nothing" {
		t.Errorf("%+v", got.Ended)
	}
	if got := kinds(t, b); strings.Contains(got, "turn_start") {
		t.Errorf("the log has %s", got)
	}
}

// A conversation is made by a name, and can be talked in at once.
func TestAConversationIsMade(t *testing.T) {
	t.Parallel()
	s, _ := act(t, nil, &acting{model: script.New(script.Text("Hello.")), judge: &asks{}})
	data := postFor[shape.Conversation](t, s, "", shape.Fresh{Title: " Bread "}, http.StatusCreated)
	if data.Title != "Bread" || data.ID == "" || data.Entries != 0 || data.Status.State != "ready" {
		t.Errorf("%+v", data)
	}
	post(t, s, "/"+data.ID+"/messages", shape.Message{Text: "Hi"}, http.StatusAccepted)
}

// A compaction that somebody began elsewhere and did not end closes the input, and
// is over when its time is: whoever listens is woken then.
func TestACompactionElsewhereClosesTheInput(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, b := act(t, nil, &acting{model: script.New(script.Text("Hello.")), judge: &asks{}})
		elsewhere, err := session.NewService(b.store).Open(t.Context(), "talk")
		if err != nil {
			t.Fatal(err)
		}
		attempt := tenfold.CompactionAttempt{State: tenfold.AttemptBegun, Source: "auto", Seconds: 60}
		if err := elsewhere.Append(t.Context(), tenfold.Entry{Payload: tenfold.TurnStart{}}, tenfold.Entry{Payload: attempt}); err != nil {
			t.Fatal(err)
		}
		if p := post(t, s, "/talk/messages", shape.Message{Text: "Hi"}, http.StatusConflict); p.Code != "compacting" || p.Hint == "" {
			t.Errorf("%+v", p)
		}
		began := time.Now()
		got := until(t, s, "tried", func(s shape.Status) bool { return s.State == "tried" })
		if took := time.Since(began); took < 59*time.Second || took > 61*time.Second || got.Failure == "" || words(got) != "compact: retry compaction, write: continue, new: new session" {
			t.Errorf("after %v: %+v", took, got)
		}
		post(t, s, "/talk/messages", shape.Message{Text: "Hi"}, http.StatusAccepted)
		until(t, s, "answered", over)
		_ = s.Close()
	})
}
