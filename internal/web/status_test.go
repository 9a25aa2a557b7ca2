package web

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tenfold"
	"tenfold/agent"
	"tenfold/internal/web/shape"
	"tenfold/provider/script"
	"tenfold/session"
	"tenfold/strategy"
	"tenfold/toolbox"
)

// What runs and what is waited for is in the status until it is over.
func TestTheStatusSaysWhatRuns(t *testing.T) {
	t.Parallel()
	s, _ := act(t, nil, &acting{})
	c := s.live.use("talk")
	defer c.release()
	c.handle(agent.Event{Branch: "root.task1", Running: &agent.Running{Call: call("1", "sh"), Intent: toolbox.Intent{Subject: "ls\n\u202egpj.exe"}, Contained: true}})
	c.handle(agent.Event{Running: &agent.Running{Call: call("1", "look")}})
	got := now(t, s).Running
	if len(got) != 2 || got[0] != (shape.Running{Call: "1", Branch: "root.task1", Line: `root.task1: sh ls \u202egpj.exe`, Contained: true}) {
		t.Errorf("%+v", got)
	}
	c.handle(agent.Event{Output: &agent.Output{CallID: "1", Text: "of the root"}})
	c.handle(agent.Event{Appended: &tenfold.Entry{Seq: 1, Branch: "root.task1", Payload: tenfold.ToolResult{CallID: "1"}}})
	if got = now(t, s).Running; len(got) != 1 || got[0].Branch != "" || len(c.pieces) != 1 {
		t.Errorf("%+v and %d pieces after a result", got, len(c.pieces))
	}
	c.handle(agent.Event{Text: "Hel"})
	c.handle(agent.Event{Waiting: &agent.Waiting{Attempt: 2, After: time.Minute, Err: errors.New("over\x1bloaded")}})
	r := now(t, s).Retry
	if r == nil || r.Attempt != 2 || r.Why != `over\x1bloaded` || time.Until(r.At) < 50*time.Second || len(c.pieces) != 1 {
		t.Errorf("%+v and %d pieces", r, len(c.pieces))
	}
	c.handle(agent.Event{Text: "Hel"})
	if r = now(t, s).Retry; r != nil {
		t.Errorf("%+v after an answer began", r)
	}
}

// A question is shown as it is: nothing in it turns the direction of text, and one
// that is too long to be shown whole cannot be answered with always.
func TestQuestionsAreShownWhole(t *testing.T) {
	t.Parallel()
	c := newTalks(nil).use("c")
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{}, 2)
	ask := func(command string) shape.Question {
		go func() {
			_, _ = c.Approve(ctx, agent.Question{Call: call("1", "shell"), Intent: toolbox.Intent{Effect: toolbox.Commands, Command: command}})
			done <- struct{}{}
		}()
		var s shape.Status
		for c.now(&s); len(s.Waiting) == 0 || !strings.HasPrefix(s.Waiting[len(s.Waiting)-1].Detail, command[:2]); c.now(&s) {
			s.Waiting = nil
			time.Sleep(time.Millisecond)
		}
		return s.Waiting[len(s.Waiting)-1]
	}
	if q := ask("rm \u202efr-\n\x1b[2K"); q.Detail != "rm \\u202efr-\n\\x1b[2K" || len(q.Choices) != 3 {
		t.Errorf("%+v", q)
	}
	q := ask("echo " + strings.Repeat("é", mostDetail))
	if len(q.Detail) > mostDetail+100 || !strings.Contains(q.Detail, "bytes that are not shown") || strings.Join(q.Choices, " ") != "once no" {
		t.Errorf("%d bytes, %v, ends %q", len(q.Detail), q.Choices, q.Detail[len(q.Detail)-60:])
	}
	if err := c.reply(q.ID, shape.Reply{Answer: answerAlways}); err == nil {
		t.Error("always was taken for what was not shown")
	}
	stop()
	<-done
	<-done
}

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
		post(t, s, "/talk/messages", shape.Message{Do: doGoOn}, http.StatusAccepted)
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
