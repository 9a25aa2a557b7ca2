package web

import (
	"bufio"
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"tenfold/eval"
	"tenfold/internal/web/shape"
)

// labEvent is an event of a stream.
type labEvent struct{ event, data string }

// streamed reads the events of an answer that has ended.
func streamed(t *testing.T, s http.Handler, path string) []labEvent {
	t.Helper()
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", path, nil))
	if w.Code != http.StatusOK || w.Header().Get("Content-Type") != "text/event-stream" || !w.Flushed {
		t.Fatalf("%d %v %.300s", w.Code, w.Header(), w.Body)
	}
	var all []labEvent
	for lines := bufio.NewScanner(w.Body); lines.Scan(); {
		name, value, _ := strings.Cut(lines.Text(), ": ")
		switch name {
		case "event":
			all = append(all, labEvent{event: value})
		case "data":
			all[len(all)-1].data = value
		}
	}
	return all
}

func as[T any](t *testing.T, e labEvent) (out T) {
	t.Helper()
	if err := json.Unmarshal([]byte(e.data), &out); err != nil {
		t.Fatalf("%+v: %v", e, err)
	}
	return out
}

// points are the last ones of each strategy.
func points(t *testing.T, all []labEvent) map[string]shape.LabPoint {
	t.Helper()
	out := map[string]shape.LabPoint{}
	for _, e := range all {
		if e.event == "point" {
			p := as[shape.LabPoint](t, e)
			out[p.Strategy] = p
		}
	}
	return out
}

func TestTheLabMeasuresWhatTenfoldLabDoes(t *testing.T) {
	t.Parallel()
	s, service := server(t, nil)
	o := created(t, service, "c", later(40))
	all := streamed(t, s, "/api/conversations/c/lab?strategy=none&strategy=keep-newest-10&strategy=fit:target=20%25")
	got := points(t, all)
	if done := as[shape.LabDone](t, all[len(all)-1]); all[len(all)-1].event != "done" || done.Sessions != 1 || done.Skipped != 0 || done.Error != "" || len(got) != 3 {
		t.Fatalf("%+v", all)
	}
	if last := as[shape.LabProgress](t, all[len(all)-2]); all[len(all)-2].event != "progress" || last.Done != 3 || last.Total != 3 || last.Doing != "about c" {
		t.Errorf("%+v", last)
	}
	if p := got["none"]; p.Share != 1 || p.CUR == nil || *p.CUR != 1 || p.EDR != nil || !p.Baseline || p.Sessions != 1 {
		t.Errorf("%+v", p)
	}
	if p := got["fit:target=20%"]; p.Family != "fit" || p.Baseline || p.Share > 0.7 {
		t.Errorf("%+v", p)
	}
	policy, err := eval.ParsePolicy("keep-newest-10")
	if err != nil {
		t.Fatal(err)
	}
	r := &eval.Result{Options: eval.Options{Policies: []eval.Policy{policy}, Cuts: labCuts(), Horizons: []int{horizon}, Unchecked: true}}
	cells, err := eval.Open(o.Log()).Measure(t.Context(), r.Options)
	if err != nil {
		t.Fatal(err)
	}
	r.Sessions = []eval.SessionResult{{Cells: cells}}
	row := r.Summarise().Groups[0].Rows[0]
	if p := got["keep-newest-10"]; *p.CUR != row.Figures[eval.CUR].Mean || p.Share != row.Figures[eval.Kept].Mean {
		t.Errorf("%+v, tenfold lab says CUR %v, kept %v", p, row.Figures[eval.CUR].Mean, row.Figures[eval.Kept].Mean)
	}
	if p := get[shape.Problem](t, s, "/api/conversations/c/lab?strategy=nothing", http.StatusBadRequest); p.Hint == "" {
		t.Errorf("%+v", p)
	}
	if p := get[shape.Problem](t, s, "/api/conversations/nobody/lab", http.StatusNotFound); p.Code != "not_found" {
		t.Errorf("%+v", p)
	}
}

func TestTheLabOfManyIsTheirMean(t *testing.T) {
	t.Parallel()
	s, service := server(t, nil)
	created(t, service, "x", later(30))
	created(t, service, "y", later(60))
	created(t, service, "short", later(8))
	const query = "?strategy=keep-newest-10"
	x := points(t, streamed(t, s, "/api/conversations/x/lab"+query))["keep-newest-10"]
	y := points(t, streamed(t, s, "/api/conversations/y/lab"+query))["keep-newest-10"]
	all := streamed(t, s, "/api/lab"+query)
	both := points(t, all)["keep-newest-10"]
	near := func(a, b float64) bool { return a-b < 1e-9 && b-a < 1e-9 }
	if both.Sessions != 2 || !near(both.Share, (x.Share+y.Share)/2) || !near(*both.CUR, (*x.CUR+*y.CUR)/2) || x.Share == y.Share {
		t.Errorf("%+v of %+v and %+v", both, x, y)
	}
	if done := as[shape.LabDone](t, all[len(all)-1]); done.Sessions != 2 || done.Skipped != 1 {
		t.Errorf("%+v", done)
	}
	if all := streamed(t, s, "/api/lab?project=/nowhere"); as[shape.LabDone](t, all[len(all)-1]) != (shape.LabDone{}) {
		t.Errorf("%+v", all)
	}
}

// gone is a client that goes after some writes.
type gone struct {
	*httptest.ResponseRecorder
	left int
	end  context.CancelFunc
}

func (g *gone) Write(p []byte) (int, error) {
	if g.left--; g.left == 0 {
		g.end()
	}
	return g.ResponseRecorder.Write(p)
}

func TestTheLabEndsWithItsClient(t *testing.T) {
	t.Parallel()
	s, service := server(t, nil)
	created(t, service, "c", later(40))
	ctx, cancel := context.WithCancel(t.Context())
	w := &gone{httptest.NewRecorder(), 4, cancel}
	s.ServeHTTP(w, httptest.NewRequestWithContext(ctx, "GET", "/api/conversations/c/lab", nil))
	if n := strings.Count(w.Body.String(), "event: point"); n != 1 || strings.Contains(w.Body.String(), "event: done") {
		t.Errorf("%d points after the client went:\n%s", n, w.Body)
	}
	if len(s.measuring) != 0 {
		t.Error("it is still measured")
	}
}
