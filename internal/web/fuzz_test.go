package web

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"mime"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"tenfold"
	"tenfold/agent"
	"tenfold/fleet/job"
	"tenfold/internal/logtest"
	"tenfold/internal/web/door"
	"tenfold/internal/web/shape"
	"tenfold/internal/web/webtest"
	"tenfold/problem"
	"tenfold/session"
	"tenfold/store/memory"
	"tenfold/store/remote"
	"tenfold/strategy"
)

// noAgent lends all but an agent.
type noAgent struct{ *lent }

func (noAgent) Agent(context.Context, *session.Session, string, agent.Approver) (*agent.Agent, io.Closer, error) {
	return nil, nil, &problem.Error{Op: "begin", Problem: "no model", Hint: "configure one", Code: "config"}
}

// operations are those of the document.
var operations = sync.OnceValues(func() ([]*webtest.Operation, error) {
	text, err := Document()
	if err != nil {
		return nil, err
	}
	return webtest.Operations(text)
})

// ends is a recorder that hangs up when the first piece of an answer was sent, as a
// reader of a stream does who goes.
type ends struct {
	*httptest.ResponseRecorder
	cancel context.CancelFunc
}

func (e ends) Flush() {
	e.ResponseRecorder.Flush()
	e.cancel()
}

const fuzzToken = "open sesame"

// fuzzed is a server with everything that can be asked about, and values that mean
// something to it.
func fuzzed(t testing.TB) (h http.Handler, known []string) {
	t.Helper()
	st := memory.New()
	service := session.NewService(st)
	entries := append(logtest.Long(12), tenfold.Entry{Branch: "side", Payload: tenfold.AssistantMessage{Text: "aside"}})
	open := created(t, service, "long", entries)
	created(t, service, "lost", nil)
	one, err := strategy.Parse("strip-tools")
	if err != nil {
		t.Fatal(err)
	}
	plan, err := open.Plan(t.Context(), session.Request{Strategies: []strategy.Strategy{one}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := open.Apply(t.Context(), plan); err != nil {
		t.Fatal(err)
	}
	known = []string{"long", "lo", "lost", "1", "7", "15", "side", "strip-tools", "strip-tools,sliding-window:n=1", "anthropic", "job_a", "last", "1", "text"}
	for o := range open.Projection().Overlays() {
		known = append(known, o.ID)
	}
	e, _ := open.Log().Entry(3)
	jobs := &someJobs{all: []job.Info{{ID: "job_a", State: "failed", Conversation: "long", Created: time.Unix(1, 0).UTC()}}}
	s := New(Options{Backend: noAgent{&lent{service: service, model: ""}}, Store: remote.Handler(st), Jobs: jobs})
	t.Cleanup(func() {
		_ = s.Close()
		_ = st.Close()
	})
	return door.NewGuard(door.Access{Token: fuzzToken}).Handler(s), append(known, e.ID)
}

// asksWell sends a request and holds the answer against what is true of all answers:
// no failure of the server's own, and problems told as problems.
func asksWell(t testing.TB, h http.Handler, r *http.Request) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	r.Host, r.URL.Scheme, r.URL.Host = "127.0.0.1", "", "" // as a server sees it
	w := httptest.NewRecorder()
	h.ServeHTTP(ends{w, cancel}, r.WithContext(ctx))
	what := fmt.Sprintf("%s %s: %d %.300s", r.Method, r.URL, w.Code, w.Body)
	if w.Code >= 500 && (ctx.Err() == nil || w.Code == http.StatusInternalServerError) {
		t.Fatal(what)
	}
	if w.Code < 400 {
		return w.Body.String()
	}
	var p shape.Problem
	kind, _, _ := mime.ParseMediaType(w.Header().Get("Content-Type"))
	if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || kind != shape.ProblemType || p.Status != w.Code || p.Title == "" || p.Detail == "" {
		t.Fatalf("%s\nis no problem: %q, %v", what, kind, err)
	}
	return w.Body.String()
}

// Every operation is reached, and told in our form where it refuses.
func TestEveryOperationIsAsked(t *testing.T) {
	t.Parallel()
	all, err := operations()
	if err != nil {
		t.Fatal(err)
	}
	granted := 0
	for _, op := range all {
		h, known := fuzzed(t)
		r := op.Request("http://127.0.0.1", (&webtest.Draw{}).Chooser(known))
		r.Header.Set("Authorization", "Bearer "+fuzzToken)
		if !strings.Contains(asksWell(t, h, r), `"status":4`) {
			granted++
		}
	}
	if granted < len(all)/2 {
		t.Errorf("only %d of %d operations were granted", granted, len(all))
	}
}

// FuzzEveryOperation draws requests of the document's operations, several to one
// server, and what the document does not allow.
func FuzzEveryOperation(f *testing.F) {
	all, err := operations()
	if err != nil {
		f.Fatal(err)
	}
	drawn := rand.New(rand.NewPCG(20, 20)) // the same each time
	for i := range all {
		f.Add([]byte{byte(i)})
		for range 2 {
			data := make([]byte, 60)
			for j := range data {
				data[j] = byte(drawn.IntN(256))
			}
			f.Add(append([]byte{byte(i)}, data...))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 4096 {
			return
		}
		h, known := fuzzed(t)
		d := &webtest.Draw{Bytes: data}
		for range 3 {
			op := all[d.Int(len(all))]
			r := op.Request("http://127.0.0.1", d.Chooser(known))
			r.Header.Set("Authorization", "Bearer "+fuzzToken)
			for _, name := range []string{"Accept", "Content-Type", "Last-Event-ID", "Idempotency-Key", "If-None-Match", "If-Match", "Range", "Accept-Encoding"} {
				if d.Int(16) == 1 {
					r.Header.Set(name, strings.Map(printable, d.Text()))
				}
			}
			asksWell(t, h, r)
			if len(d.Bytes) == 0 {
				return
			}
		}
	})
}

func printable(r rune) rune {
	if r < ' ' || r == 0x7f {
		return -1
	}
	return r
}
