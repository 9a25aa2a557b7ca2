package web

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"

	"tenfold"
	"tenfold/agent"
	"tenfold/internal/web/held"
	"tenfold/internal/web/shape"
	"tenfold/permission"
	"tenfold/provider"
	"tenfold/provider/script"
	"tenfold/session"
	"tenfold/store"
	"tenfold/store/memory"
	"tenfold/strategy"
	"tenfold/toolbox"
)

// acting is a backend whose agents have a model that plays a script.
type acting struct {
	*lent
	store store.Store
	model *script.Model
	live  session.Live
	tools []toolbox.Tool
	judge permission.Judge

	readOnly bool

	mu     sync.Mutex
	models []string // that were asked for
	closed int
}

func (b *acting) Meta() shape.Meta                            { return shape.Meta{Agent: true, ReadOnly: b.readOnly} }
func (b *acting) Live(*session.Session) (session.Live, error) { return b.live, nil }

func (b *acting) Agent(_ context.Context, s *session.Session, model string, approver agent.Approver) (*agent.Agent, io.Closer, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if model == "unknown/m" {
		return nil, nil, shape.Refused("the provider unknown is not configured", "name one that is")
	}
	b.models = append(b.models, model)
	a, err := agent.New(s, agent.Options{Model: b.model, Live: b.live, Tools: b.tools, Judge: b.judge, Approver: approver})
	return a, closer(func() error {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.closed++
		return nil
	}), err
}

// counts are the models that agents were opened with, and how many were closed.
func (b *acting) counts() (models string, closed int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return strings.Join(b.models, ","), b.closed
}

type closer func() error

func (c closer) Close() error { return c() }

// handy is a tool of the tests.
type handy struct {
	name   string
	effect toolbox.Effect
	run    func(ctx context.Context, c toolbox.Call) (string, error)
}

func (h handy) Definition() tenfold.ToolDefinition {
	return tenfold.ToolDefinition{Name: h.name, Description: "does " + h.name, Schema: `{"type":"object"}`}
}

func (h handy) Intent(arguments string) (toolbox.Intent, error) {
	return toolbox.Intent{Effect: h.effect, Subject: "on " + arguments}, nil
}

func (h handy) Run(ctx context.Context, c toolbox.Call) (toolbox.Result, error) {
	text, err := h.run(ctx, c)
	return toolbox.Result{Parts: tenfold.Text(text), Outcome: tenfold.Success}, err
}

// asks has edits asked about, until they are allowed always.
type asks struct {
	mu        sync.Mutex
	consented bool
}

func (a *asks) Judge(_ string, i toolbox.Intent) permission.Verdict {
	a.mu.Lock()
	defer a.mu.Unlock()
	if i.Effect == toolbox.Edits && !a.consented {
		return permission.Verdict{Action: permission.Ask, Reason: "it edits"}
	}
	return permission.Verdict{Action: permission.Allow, Reason: "it is a test"}
}

func (a *asks) Consent(string, toolbox.Intent) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.consented = true
}

// act makes a server whose agents play the script, with one empty conversation.
func act(t testing.TB, st store.Store, b *acting) (*Server, *acting) {
	t.Helper()
	if st == nil {
		st = memory.New()
		t.Cleanup(func() { _ = st.Close() })
	}
	b.store = st
	b.lent = &lent{service: session.NewService(st, session.WithCounter(tenfold.Chars4{}))}
	s := New(Options{Backend: b})
	t.Cleanup(func() { _ = s.Close() })
	if _, err := b.service.OpenOrCreate(t.Context(), session.Create{ID: "talk"}); err != nil {
		t.Fatal(err)
	}
	return s, b
}

// post sends a body, and gives the problem where the answer is one.
func post(t testing.TB, s *Server, path string, body any, status int) shape.Problem {
	t.Helper()
	return postFor[shape.Problem](t, s, path, body, status)
}

// postFor gives what a POST answers.
func postFor[T any](t testing.TB, s *Server, path string, body any, status int) (out T) {
	t.Helper()
	data, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/api/conversations"+path, strings.NewReader(string(data)))
	_, pattern := s.mux.Handler(r)
	s.ServeHTTP(w, r)
	keepsContract(t, r, pattern, w)
	if w.Code != status {
		t.Fatalf("POST %s: %d, not %d: %.300s", path, w.Code, status, w.Body)
	}
	if w.Body.Len() > 0 {
		if err := json.Unmarshal(w.Body.Bytes(), &out); err != nil {
			t.Fatalf("POST %s: %v: %.300s", path, err, w.Body)
		}
	}
	return out
}

// now is the status of the conversation.
func now(t testing.TB, s *Server) (out shape.Status) {
	t.Helper()
	err := s.sessions.With(t.Context(), "talk", func(o *held.Conversation) (err error) {
		out, err = s.status(t.Context(), o)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// until waits for a status.
func until(t testing.TB, s *Server, what string, is func(shape.Status) bool) shape.Status {
	t.Helper()
	l := s.live.Listen("talk")
	defer l.Leave()
	for {
		got := now(t, s)
		if is(got) {
			return got
		}
		select {
		case <-l.Stated():
		case <-t.Context().Done():
			t.Fatalf("never %s: %+v", what, got)
		}
	}
}

func over(s shape.Status) bool   { return s.Ended != nil }
func asking(s shape.Status) bool { return len(s.Waiting) > 0 }
func runs(s shape.Status) bool   { return len(s.Running) > 0 }
func call(id, name string, arguments ...string) tenfold.ToolCall {
	return tenfold.ToolCall{CallID: id, Name: name, Arguments: strings.Join(append(arguments, "{}")[:1], "")}
}

func kinds(t testing.TB, b *acting) string {
	t.Helper()
	var all []string
	for e, err := range b.service.Entries(t.Context(), "talk", 0) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, string(e.Payload.Kind()))
	}
	return strings.Join(all, " ")
}

var edit = handy{"edit", toolbox.Edits, func(context.Context, toolbox.Call) (string, error) { return "edited", nil }}

// A turn with calls, one of which is asked about, from the message to the answer.
func TestATurnIsAskedForAndAllowed(t *testing.T) {
	t.Parallel()
	s, b := act(t, nil, &acting{
		model: script.New(script.Calls(call("1", "edit", `{"a":1}`)), script.Calls(call("2", "edit")), script.Calls(call("3", "edit")), script.Text("Done.")),
		tools: []toolbox.Tool{edit}, judge: &asks{},
	})
	send := func() { // as a browser may send it twice
		t.Helper()
		if w := asked(t, s, http.MethodPost, "/api/conversations/tal/messages", "key", `{"text":"Do it."}`); w.Code != http.StatusAccepted {
			t.Errorf("the message is answered with %d: %s", w.Code, w.Body)
		}
	}
	send()
	q := until(t, s, "asked", asking)
	send()
	if !q.Busy || len(q.Waiting) != 1 || len(q.Offers) != 0 {
		t.Errorf("%+v", q)
	}
	first := q.Waiting[0]
	if first.Call != `edit on {"a":1}` || first.Detail != "on {\"a\":1}\na: 1" || first.Why != "it edits" || strings.Join(first.Choices, " ") != "once always no" {
		t.Errorf("%+v", first)
	}
	if p := post(t, s, "/talk/messages", shape.Message{Text: "And this."}, http.StatusConflict); p.Code != "busy" || p.Hint == "" {
		t.Errorf("%+v", p)
	}
	post(t, s, "/talk/questions/"+first.ID, shape.Reply{Answer: "perhaps"}, http.StatusUnprocessableEntity)
	for range 2 {
		post(t, s, "/talk/questions/"+first.ID, shape.Reply{Answer: "no", Reason: "not that"}, http.StatusNoContent)
	}
	if p := post(t, s, "/talk/questions/"+first.ID, shape.Reply{Answer: "once"}, http.StatusNotFound); p.Code != "not_asked" || p.Hint == "" {
		t.Errorf("%+v", p)
	}
	second := until(t, s, "asked again", asking).Waiting[0]
	post(t, s, "/talk/questions/"+second.ID, shape.Reply{Answer: "always"}, http.StatusNoContent)
	end := until(t, s, "over", over)
	if end.Busy || *end.Ended != (shape.Ended{Reason: "answered"}) || len(end.Offers)+len(end.Waiting)+len(end.Running) != 0 || end.Method != agent.Reported {
		t.Errorf("%+v", end)
	}
	send()
	want := "config_delta turn_start user_message tool_call usage approval approval tool_result tool_call usage approval approval tool_result tool_call usage approval tool_result assistant_message usage"
	if got := kinds(t, b); got != want {
		t.Errorf("the log has\n%s, want\n%s", got, want)
	}
	for e := range b.service.Entries(t.Context(), "talk", 0) {
		if r, ok := e.Payload.(tenfold.ToolResult); ok && r.CallID == "1" && !strings.Contains(r.Parts[0].Text, "not that") {
			t.Errorf("the model is told %q", r.Parts[0].Text)
		}
	}
	if second.ID == first.ID {
		t.Error("two questions have one id")
	}
}

// What goes wrong is said, with what can be done, as in the chat on a terminal.
func TestFailuresOfferWhatCanBeDone(t *testing.T) {
	t.Parallel()
	s, b := act(t, nil, &acting{model: script.New(
		script.Fail(&provider.Error{Kind: provider.Authentication, Message: "the key is wrong", Hint: "look at the key"}), script.Text("Hello."),
		script.Answer{Blocks: []tenfold.Payload{tenfold.AssistantMessage{Text: "Too lo"}}, Stop: provider.StopLength}, script.Text("ng."),
	)})
	post(t, s, "/talk/messages", shape.Message{Text: "Hi"}, http.StatusAccepted)
	got := until(t, s, "failed", over)
	if got.Ended.Reason != "failed" || !strings.Contains(got.Ended.Detail, "the key is wrong") || got.Ended.Hint != "look at the key" || words(got) != "go_on: retry, write: continue, new: new session" {
		t.Errorf("%+v, %+v", got, got.Ended)
	}
	post(t, s, "/talk/messages", shape.Message{Do: "go_on"}, http.StatusAccepted)
	if got = until(t, s, "answered", over); got.Ended.Reason != "answered" || words(got) != "" {
		t.Errorf("%+v, %+v", got, got.Ended)
	}
	post(t, s, "/talk/messages", shape.Message{Text: "More"}, http.StatusAccepted)
	if got = until(t, s, "cut off", over); got.Ended.Reason != "cut off" || words(got) != "go_on: go on, write: continue" {
		t.Errorf("%+v, %+v", got, got.Ended)
	}
	post(t, s, "/talk/messages", shape.Message{Do: "go_on"}, http.StatusAccepted)
	if got = until(t, s, "answered", over); got.Ended.Reason != "answered" {
		t.Errorf("%+v", got.Ended)
	}
	want := "config_delta turn_start user_message assistant_message usage turn_start user_message assistant_message usage notice assistant_message usage"
	if all := kinds(t, b); !strings.HasPrefix(all, "config_delta turn_start user_message ") || strings.Count(all, "turn_start") != 2 {
		t.Errorf("the log has\n%s, not\n%s", all, want)
	}
}

func words(s shape.Status) string {
	var all []string
	for _, o := range s.Offers {
		all = append(all, o.Do+": "+o.Words)
	}
	return strings.Join(all, ", ")
}

// A compaction in the middle of a turn closes the input and says so; where it fails,
// nothing is lost, and the person chooses.
func TestACompactionClosesTheInput(t *testing.T) {
	t.Parallel()
	planning, plan := make(chan struct{}), make(chan error)
	slow := gated{strategy.Fit{Target: strategy.Tokens(3000)}, func(ctx context.Context) error {
		planning <- struct{}{}
		select {
		case err := <-plan:
			return err
		case <-ctx.Done():
			return ctx.Err()
		}
	}}
	read := handy{"read", toolbox.Reads, func(context.Context, toolbox.Call) (string, error) {
		return strings.Repeat("func bake() { /* in oven.go */ }\n", 200), nil
	}}
	var turns []script.Answer
	for i := range 6 {
		turns = append(turns, script.Calls(call(strconv.Itoa(i), "read")))
	}
	s, _ := act(t, nil, &acting{
		model: script.New(append(turns, script.Text("One."), script.Text("Two."))...), tools: []toolbox.Tool{read}, judge: &asks{},
		live: session.Live{
			Request: session.Request{Options: strategy.Options{Window: 10_000}},
			Auto:    session.LiveAuto{Enabled: true, Strategies: []strategy.Strategy{slow}},
		},
	})
	post(t, s, "/talk/messages", shape.Message{Text: "Read all."}, http.StatusAccepted)
	<-planning
	got := until(t, s, "compacting", func(s shape.Status) bool { return s.State == "compacting" })
	if !got.Busy || got.Since.IsZero() || !got.Until.After(got.Since) || len(got.Offers) != 0 || got.Window != 10_000 {
		t.Errorf("%+v", got)
	}
	if p := post(t, s, "/talk/messages", shape.Message{Text: "Hurry."}, http.StatusConflict); p.Code != "compacting" || p.Hint == "" {
		t.Errorf("%+v", p)
	}
	plan <- errors.New("no idea")
	got = until(t, s, "over", over)
	if !strings.Contains(got.Failure, "no idea") || got.State != "closed" || words(got) != "compact: retry compaction, new: new session" {
		t.Errorf("%+v, %+v", got, got.Ended)
	}
	if p := post(t, s, "/talk/messages", shape.Message{Text: "And now?"}, http.StatusConflict); p.Code != "context_exceeded" || p.Hint == "" {
		t.Errorf("%+v", p)
	}
	post(t, s, "/talk/messages", shape.Message{Do: "compact"}, http.StatusAccepted)
	<-planning
	if p := post(t, s, "/talk/messages", shape.Message{Text: "Hurry."}, http.StatusConflict); p.Code != "compacting" {
		t.Errorf("%+v", p)
	}
	post(t, s, "/talk/stop", nil, http.StatusNoContent)
	if got = until(t, s, "stopped", over); got.Ended.Reason != "interrupted" || got.Compactions != 0 {
		t.Errorf("%+v, %+v", got, got.Ended)
	}
	post(t, s, "/talk/messages", shape.Message{Do: "compact"}, http.StatusAccepted)
	<-planning
	plan <- nil
	got = until(t, s, "compacted", over)
	if got.Ended.Reason != "compacted" || got.Compactions != 1 || got.State != "ready" || got.Tokens > 5000 || words(got) != "" {
		t.Errorf("%+v, %+v", got, got.Ended)
	}
	post(t, s, "/talk/messages", shape.Message{Text: "And now?"}, http.StatusAccepted)
	if got = until(t, s, "answered", over); got.Ended.Reason != "answered" {
		t.Errorf("%+v", got.Ended)
	}
}

// gated is a fit that begins once it is let.
type gated struct {
	strategy.Fit
	gate func(context.Context) error
}

func (g gated) Propose(ctx context.Context, p *tenfold.Projection, o strategy.Options) ([]tenfold.Compaction, error) {
	if err := g.gate(ctx); err != nil {
		return nil, err
	}
	return g.Fit.Propose(ctx, p, o)
}
