package web

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/go-json-experiment/json"

	"tenfold"
	"tenfold/client"
	"tenfold/internal/web/door"
	"tenfold/problem"
	"tenfold/session"
	"tenfold/test/modelserver"
)

// program is a client of a server behind its guard. Its transport may be nil.
func program(t testing.TB, s http.Handler, through http.RoundTripper) *client.Client {
	t.Helper()
	h := httptest.NewServer(door.NewGuard(door.Access{Token: "open sesame"}).Handler(s))
	t.Cleanup(h.Close)
	c, err := client.New(h.URL, "open sesame", client.WithHTTPClient(&http.Client{Transport: through}))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// forgetful loses the answer to every other request that writes, after the server
// did what was asked.
type forgetful struct{ writes, lost atomic.Int64 }

func (f *forgetful) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err != nil || r.Header.Get("Idempotency-Key") == "" || f.writes.Add(1)%2 == 0 {
		return resp, err
	}
	f.lost.Add(1)
	_ = resp.Body.Close()
	return nil, errors.New("the connection broke off")
}

func user(text string) tenfold.Payload { return tenfold.UserMessage{Parts: tenfold.Text(text)} }

// A program does over the API all that a conversation lives through.
func TestAProgramKeepsAConversation(t *testing.T) {
	t.Parallel()
	s, service := server(t, nil)
	way := &forgetful{}
	c, ctx := program(t, s, way), t.Context()

	made, err := c.Begin(ctx, nil, client.Fresh{Title: "a program's", Entries: client.Log(tenfold.ConfigDelta{System: new("Be brief.")}, tenfold.TurnStart{}, user("Read the files"))})
	if err != nil || made.Title != "a program's" || made.Entries != 3 {
		t.Fatalf("%+v, %v", made, err)
	}
	id, version := made.ID, made.Entries
	for i := range 10 {
		call := string(rune('a' + i))
		done, err := c.Append(ctx, id, nil, client.Batch{Expected: &version, Entries: client.Log(
			tenfold.ToolCall{CallID: call, Name: "read", Arguments: `{"path":"<` + call + `>.go","n":1.50}`},
			tenfold.ToolResult{CallID: call, Parts: tenfold.Text(strings.Repeat("a line of "+call+"\n", 200))},
			tenfold.AssistantMessage{Text: "I read " + call},
			tenfold.TurnStart{}, user("Go on"),
		)})
		if err != nil || done.Version != version+5 || len(done.Entries) != 5 {
			t.Fatalf("%+v, %v", done, err)
		}
		version = done.Version
	}
	if way.lost.Load() < 11 {
		t.Errorf("only %d answers were lost", way.lost.Load())
	}

	// A window has what was written, whole.
	var log []client.LogEntry
	for after := int64(0); ; {
		page, err := c.Entries(ctx, id, &client.EntriesParams{After: after, Limit: 20})
		if err != nil || page.Version != version {
			t.Fatalf("%+v, %v", page, err)
		}
		if log, after = append(log, page.Items...), page.Next; after == 0 {
			break
		}
	}
	if int64(len(log)) != version || log[3].Seq != 4 || log[3].Payload.(tenfold.ToolCall).Arguments != `{"path":"<a>.go","n":1.50}` {
		t.Fatalf("%d entries, the fourth is %+v", len(log), log[min(3, len(log)-1)])
	}

	raw := asksModels(t, c, id, "raw")
	kept, err := c.Body(ctx, id, client.ProjectionParams{Provider: "anthropic", Model: "m"}, raw)
	if err != nil || kept != raw || kept.Version != version {
		t.Errorf("an unchanged body is sent again: %v, %v", kept == raw, err)
	}

	// A plan is looked at, and then applied as it is.
	plan, err := c.Prepare(ctx, id, client.Wish{Strategies: []string{"strip-tools"}, Keep: "1"})
	if err != nil || plan.Version != version || len(plan.Compactions) == 0 || plan.Tokens.After >= plan.Tokens.Before {
		t.Fatalf("%+v, %v", plan, err)
	}
	if now, err := c.Conversation(ctx, id); err != nil || now.Entries != version {
		t.Fatalf("a plan wrote something: %+v, %v", now, err)
	}
	report, err := c.Compact(ctx, id, nil, client.Applying{Plan: &plan})
	if err != nil || len(report.Compactions) != len(plan.Compactions) || report.Tokens.After != plan.Tokens.After {
		t.Fatalf("%+v, %v", report, err)
	}
	short := asksModels(t, c, id, "compacted")
	if len(short.JSON) >= len(raw.JSON)/2 || short.Version != version+int64(len(plan.Compactions)) {
		t.Errorf("%d bytes of %d, version %d", len(short.JSON), len(raw.JSON), short.Version)
	}
	if _, err := c.Undo(ctx, id, client.UndoingBody{}); err != nil {
		t.Fatal(err)
	}
	if again, err := c.Body(ctx, id, client.ProjectionParams{Provider: "anthropic", Model: "m"}, short); err != nil || !bytes.Equal(again.JSON, raw.JSON) {
		t.Errorf("undo does not give back the body: %v", err)
	}

	// The server's own library sees the same.
	last := followed(t, c, id, service)
	if o, err := service.Open(ctx, id); err != nil || o.Log().Version() != last {
		t.Errorf("events end at %d: %v", last, err)
	}
	if _, err := c.Append(ctx, id, nil, client.Batch{Expected: &version, Entries: client.Log(tenfold.TurnStart{})}); !isConflict(err, version, last) {
		t.Errorf("%v is not a conflict", err)
	}
}

func isConflict(err error, expected, actual int64) bool {
	var p *client.Problem
	var said *problem.Error
	return errors.As(err, &p) && p.Status == http.StatusConflict && p.Code == "conflict" && *p.Expected == expected && *p.Actual == actual &&
		errors.As(err, &said) && said.Hint == p.Hint && p.Hint != ""
}

// asksModels sends what a model sees to a model of each provider, which refuses what
// the real ones refuse, and gives Anthropic's.
func asksModels(t *testing.T, c *client.Client, id, what string) (anthropic *client.Body) {
	t.Helper()
	models := httptest.NewServer(modelserver.New(modelserver.Choose(func(modelserver.Request) modelserver.Reply { return modelserver.Text("yes") })))
	defer models.Close()
	for provider, path := range map[string]string{
		"anthropic": "/v1/messages", "openai-chat": "/v1/chat/completions", "openai-responses": "/v1/responses", "gemini": "/v1beta/models/m:generateContent",
	} {
		body, err := c.Body(t.Context(), id, client.ProjectionParams{Provider: provider, Model: "m"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		sent := body.JSON
		if provider == "anthropic" {
			anthropic, sent = body, append([]byte(`{"max_tokens":1000,`), body.JSON[1:]...)
		}
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, models.URL+path, bytes.NewReader(sent))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		answer, _ := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			t.Errorf("%s: %s refuses the view: %s %.400s", what, provider, resp.Status, answer)
		}
	}
	return anthropic
}

// followed follows a conversation over connections that break off, and gives the last
// seq: each entry comes once, and the last after it was followed.
func followed(t *testing.T, c *client.Client, id string, service *session.Service) int64 {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	seq, statuses, appended := int64(0), 0, false
	for e, err := range c.Follow(ctx, id, 0) {
		switch {
		case err != nil:
			t.Fatal(err)
		case e.Status != nil:
			statuses++
		case e.Entry != nil:
			if seq++; e.Entry.Seq != seq {
				t.Fatalf("entry %d came where %d was expected", e.Entry.Seq, seq)
			}
		}
		now, err := service.Version(ctx, id)
		if err != nil {
			t.Fatal(err)
		}
		if seq < now || statuses == 0 {
			continue
		}
		if appended {
			break
		}
		appended = true
		if _, err := c.Append(ctx, id, nil, client.Batch{Entries: client.Log(tenfold.AssistantMessage{Text: "one more"})}); err != nil {
			t.Fatal(err)
		}
	}
	return seq
}

// cut ends each stream of events after so many bytes.
type cut struct{ after int64 }

func (c cut) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err == nil && strings.HasSuffix(r.URL.Path, "/events") {
		whole := resp.Body
		resp.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(whole, c.after), whole}
	}
	return resp, err
}

func TestEventsGoOnWhereTheyBrokeOff(t *testing.T) {
	t.Parallel()
	s, service := server(t, nil)
	created(t, service, "c", talkEntries())
	if last := followed(t, program(t, s, cut{2500}), "c", service); last != 13 {
		t.Errorf("the last entry is %d, not 13", last)
	}
	for _, err := range program(t, s, nil).Follow(t.Context(), "nobody", 0) {
		var p *client.Problem
		if !errors.As(err, &p) || p.Status != http.StatusNotFound {
			t.Errorf("of no conversation: %v", err)
		}
	}
}

// readsAs holds an answer against the client's type of it, which has a place for all
// that the answer says.
func readsAs(t testing.TB, pattern string, data []byte) {
	t.Helper()
	method, ok := reflect.TypeFor[*client.Client]().MethodByName(methods()[pattern])
	if !ok {
		t.Errorf("the client has no method %q for %s: go generate ./client", methods()[pattern], pattern)
		return
	}
	out := method.Type.Out(0)
	if out == reflect.TypeFor[*http.Response]() {
		return
	}
	if err := json.Unmarshal(data, reflect.New(out).Interface(), lenient); err != nil {
		t.Errorf("%s: the client does not read the answer: %v: go generate ./client", pattern, err)
	}
}

// methods are those of the client, by the pattern of their operation.
var methods = sync.OnceValue(func() map[string]string {
	s := &Server{}
	s.declare()
	all := map[string]string{}
	for path, item := range s.api.OpenAPI().Paths {
		for _, op := range operationsOf(item) {
			name := ""
			for word := range strings.SplitSeq(op.OperationID, "-") {
				name += strings.ToUpper(word[:1]) + word[1:]
			}
			all[op.Method+" "+path] = name
		}
	}
	return all
})
