package web

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/go-json-experiment/json"

	"tenfold"
	"tenfold/eval/replay"
	"tenfold/internal/logtest"
	"tenfold/internal/report"
	"tenfold/internal/web/shape"
	"tenfold/session"
	"tenfold/strategy"
)

// Request reads the simple part of a wish; that of the program is tested with the
// command line.
func (l *lent) Request(s *session.Session, w shape.Wish, dry bool) (Prepared, error) {
	p := Prepared{Model: l.model, Finish: func(*report.Report) error { return nil }}
	for _, text := range w.Strategies {
		one, err := strategy.Parse(text)
		if err != nil {
			return p, err
		}
		p.Request.Strategies = append(p.Request.Strategies, one)
	}
	if w.Keep != "" {
		tail, err := tenfold.ParseTail(w.Keep)
		if err != nil {
			return p, err
		}
		p.Request.Bounds.Tail = &tail
	}
	p.Request.Options.DryRun = dry
	if l.prepare != nil {
		l.prepare(s, &p)
	}
	return p, nil
}

func (l *lent) Replay(*session.Session) (o replay.Options, names []string, err error) {
	one, err := strategy.Parse("strip-tools")
	return replay.Options{Strategies: []strategy.Strategy{one}}, []string{"strip-tools"}, err
}

// send asks a server for an operation with a body, and reads its answer.
func send[T any](t testing.TB, s *Server, method, path string, body any, status int) (out T) {
	t.Helper()
	data, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequestWithContext(t.Context(), method, path, bytes.NewReader(data))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	if w.Code != status {
		t.Fatalf("%s %s: %d, not %d: %.500s", method, path, w.Code, status, w.Body)
	}
	_, pattern := s.mux.Handler(r)
	keepsContract(t, r, pattern, w)
	if w.Body.Len() == 0 {
		return out
	}
	if err := json.Unmarshal(w.Body.Bytes(), &out); err != nil {
		t.Fatalf("%s %s: %v: %.300s", method, path, err, w.Body)
	}
	return out
}

// seen is all that a model sees of a conversation, as it is stored.
func seen(t testing.TB, service *session.Service, id string) string {
	t.Helper()
	s, err := service.Open(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for it := range s.Projection().Items() {
		text, err := json.Marshal(it)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s\n", text)
	}
	return b.String()
}

func version(t testing.TB, service *session.Service, id string) int64 {
	t.Helper()
	v, err := service.Version(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestAPlanIsWhatApplyingItDoesAndWritesNothing(t *testing.T) {
	t.Parallel()
	s, service := server(t, nil)
	created(t, service, "c", logtest.Long(600))
	raw := seen(t, service, "c")
	wish := shape.Wish{Strategies: []string{"strip-tools", "strip-reasoning"}, Keep: "1"}
	trial := send[shape.Trial](t, s, "POST", "/api/conversations/c/plan", wish, http.StatusOK)
	if version(t, service, "c") != 600 || seen(t, service, "c") != raw {
		t.Fatal("a plan wrote something")
	}
	if !trial.Report.DryRun || trial.Version != 600 || len(trial.Fate) != 600 || len(trial.After) != 600 || trial.Changed == 0 || len(trial.Report.Steps) != 2 {
		t.Fatalf("%+v", trial.Report)
	}
	wish.Version = trial.Version
	done := send[report.Report](t, s, "POST", "/api/conversations/c/compactions", wish, http.StatusOK)
	if done.DryRun || len(done.Compactions) == 0 || done.Tokens != trial.Report.Tokens || !slices.EqualFunc(done.Steps, trial.Report.Steps, func(x, y report.Step) bool { return x.TokensAfter == y.TokensAfter }) {
		t.Errorf("planned %+v, done %+v", trial.Report, done)
	}
	if int64(done.Entries) != version(t, service, "c") {
		t.Errorf("the report says %d entries", done.Entries)
	}
	now, err := service.Open(t.Context(), "c")
	if err != nil {
		t.Fatal(err)
	}
	changed := 0
	for i := range trial.Fate {
		fate, _, after := now.Projection().Fate(int64(i + 1))
		if trial.Fates[trial.Fate[i]] != fate.String() || trial.After[i] != after {
			t.Fatalf("entry %d: planned %s and %d tokens, is %s and %d", i+1, trial.Fates[trial.Fate[i]], trial.After[i], fate, after)
		}
		if fate != tenfold.Kept {
			changed++
		}
	}
	if changed != trial.Changed {
		t.Errorf("%d changed, the plan said %d", changed, trial.Changed)
	}
	// What it was made of is gone.
	p := send[shape.Problem](t, s, "POST", "/api/conversations/c/compactions", wish, http.StatusConflict)
	if p.Code != "conflict" || p.Hint == "" {
		t.Errorf("%+v", p)
	}
	if p := send[shape.Problem](t, s, "POST", "/api/conversations/c/plan", wish, http.StatusConflict); p.Code != "conflict" {
		t.Errorf("%+v", p)
	}
	if p := send[shape.Problem](t, s, "POST", "/api/conversations/c/plan", shape.Wish{Strategies: []string{"no-such"}}, http.StatusUnprocessableEntity); p.Detail == "" {
		t.Errorf("%+v", p)
	}
}

// What a plan does not touch is in it as the outline has it, what sub-agents said
// included.
func TestATrialIsAnOutline(t *testing.T) {
	t.Parallel()
	s, service := server(t, nil)
	entries := logtest.Long(200)
	for i := range entries {
		if i > 60 && i < 90 {
			entries[i].Branch = "helper"
		}
	}
	created(t, service, "c", entries)
	send[report.Report](t, s, "POST", "/api/conversations/c/compactions", shape.Wish{Strategies: []string{"strip-tools"}, Keep: "1"}, http.StatusOK)
	trial := send[shape.Trial](t, s, "POST", "/api/conversations/c/plan", shape.Wish{Strategies: []string{"trim-results:over=100MB"}}, http.StatusOK)
	outline := get[shape.Outline](t, s, "/api/conversations/c/outline", http.StatusOK)
	if trial.Report.Nothing == "" || trial.Changed != 0 || len(trial.Fate) != len(outline.Fate) {
		t.Fatalf("%+v", trial.Report)
	}
	for i := range trial.Fate {
		if trial.Fates[trial.Fate[i]] != outline.Fates[outline.Fate[i]] || trial.After[i] != outline.After[i] {
			t.Errorf("entry %d: %s %d, in the outline %s %d", i+1, trial.Fates[trial.Fate[i]], trial.After[i], outline.Fates[outline.Fate[i]], outline.After[i])
		}
	}
}

func TestUndoRestoresWhatAModelSaw(t *testing.T) {
	t.Parallel()
	s, service := server(t, nil)
	created(t, service, "c", logtest.Long(400))
	raw := seen(t, service, "c")
	compact := func(strategies ...string) {
		send[report.Report](t, s, "POST", "/api/conversations/c/compactions", shape.Wish{Strategies: strategies, Keep: "1"}, http.StatusOK)
	}
	compact("strip-reasoning")
	first := seen(t, service, "c")
	compact("strip-tools")
	second := seen(t, service, "c")
	if raw == first || first == second {
		t.Fatal("nothing was compacted")
	}
	type body map[string]bool
	for _, step := range []struct {
		what string
		body body
		then string
	}{
		{"undo", nil, first},
		{"redo", nil, second},
		{"undo", body{"one": true}, first},
		{"redo", body{"one": true}, second},
		{"undo", body{"all": true}, raw},
		{"redo", nil, first},
		{"redo", nil, second},
	} {
		dry := body{"dry_run": true}
		for k, v := range step.body {
			dry[k] = v
		}
		before := version(t, service, "c")
		told := send[report.Change](t, s, "POST", "/api/conversations/c/"+step.what, dry, http.StatusOK)
		if version(t, service, "c") != before || !told.DryRun {
			t.Fatalf("%s %v: the dry run wrote", step.what, step.body)
		}
		done := send[report.Change](t, s, "POST", "/api/conversations/c/"+step.what, or2(step.body), http.StatusOK)
		if seen(t, service, "c") != step.then {
			t.Errorf("%s %v shows something else", step.what, step.body)
		}
		told.DryRun = false
		x, _ := json.Marshal(told)
		y, _ := json.Marshal(done)
		if string(x) != string(y) || done.Tokens.Before == done.Tokens.After || len(done.Undone)+len(done.Redone) == 0 {
			t.Errorf("%s %v: said %s, did %s", step.what, step.body, x, y)
		}
	}
	if p := send[shape.Problem](t, s, "POST", "/api/conversations/c/redo", body{}, http.StatusConflict); p.Code != "nothing_to_redo" || p.Hint == "" {
		t.Errorf("%+v", p)
	}
	if p := send[shape.Problem](t, s, "POST", "/api/conversations/c/undo", body{"all": true, "one": true}, http.StatusBadRequest); p.Code != "usage" {
		t.Errorf("%+v", p)
	}
}

func or2(b map[string]bool) map[string]bool {
	if b == nil {
		return map[string]bool{}
	}
	return b
}

func TestRivalsConflict(t *testing.T) {
	t.Parallel()
	s, service := server(t, nil)
	created(t, service, "c", logtest.Long(300))
	const rivals = 8
	codes := make([]int, rivals)
	var wg sync.WaitGroup
	for i := range rivals {
		wg.Go(func() {
			body, _ := json.Marshal(shape.Wish{Strategies: []string{"strip-tools"}, Keep: "1", Version: 300})
			r := httptest.NewRequestWithContext(t.Context(), "POST", "/api/conversations/c/compactions", bytes.NewReader(body))
			w := httptest.NewRecorder()
			s.ServeHTTP(w, r)
			codes[i] = w.Code
		})
	}
	wg.Wait()
	slices.Sort(codes)
	if codes[0] != http.StatusOK || codes[1] != http.StatusConflict || codes[rivals-1] != http.StatusConflict {
		t.Errorf("%v", codes)
	}
}

// slow is a summarizer that takes its time: meanwhile another writer comes.
type slow struct{ meanwhile func() }

func (k *slow) Summarize(context.Context, strategy.SummaryRequest) (strategy.SummaryResult, error) {
	k.meanwhile()
	return strategy.SummaryResult{Text: "We talked.", Model: "provider/model"}, nil
}

// A model may take minutes: everything else goes on meanwhile, and what another
// writer did to the same range is not overwritten (D3).
func TestASummaryThatCameTooLateIsSuperseded(t *testing.T) {
	t.Parallel()
	s, service := server(t, nil)
	created(t, service, "c", logtest.Long(300))
	b := s.backend.(*lent)
	finished := 0
	meanwhile := func() {
		if got := get[shape.Conversation](t, s, "/api/conversations/c", http.StatusOK); got.Entries < 300 {
			t.Errorf("%+v", got)
		}
	}
	b.model = "provider/model"
	b.prepare = func(_ *session.Session, p *Prepared) {
		p.Request.Options.Summarizer = &slow{meanwhile}
		p.Finish = func(*report.Report) error { finished++; return nil }
	}
	done := send[report.Report](t, s, "POST", "/api/conversations/c/compactions", shape.Wish{Strategies: []string{"summarize"}, Keep: "1"}, http.StatusOK)
	if len(done.Compactions) != 1 || done.Compactions[0].Summary == nil || finished != 2 {
		t.Fatalf("%+v, finished %d times", done, finished)
	}
	send[report.Change](t, s, "POST", "/api/conversations/c/undo", map[string]bool{}, http.StatusOK)
	before := ""
	meanwhile = func() {
		b.prepare, b.model = nil, ""
		send[report.Report](t, s, "POST", "/api/conversations/c/compactions", shape.Wish{Strategies: []string{"summarize"}, Keep: "1"}, http.StatusOK)
		before = seen(t, service, "c")
	}
	p := send[shape.Problem](t, s, "POST", "/api/conversations/c/compactions", shape.Wish{Strategies: []string{"summarize"}, Keep: "1"}, http.StatusConflict)
	if p.Code != "conflict" || !strings.Contains(p.Detail, "superseded") || seen(t, service, "c") != before {
		t.Errorf("%+v", p)
	}
}

func TestPinsHoldEntries(t *testing.T) {
	t.Parallel()
	s, service := server(t, nil)
	o := created(t, service, "c", logtest.Long(300))
	call := int64(0)
	for e := range o.Log().Entries() {
		if e.Payload.Kind() == tenfold.KindToolCall && o.Log().Pair(e.Seq) > 0 {
			call = e.Seq
			break
		}
	}
	path := fmt.Sprintf("/api/conversations/c/pins/%d", call)
	pins := func() []int64 {
		o, err := service.Open(t.Context(), "c")
		if err != nil {
			t.Fatal(err)
		}
		return session.Pinned(o.Projection())
	}
	send[struct{}](t, s, "PUT", path, nil, http.StatusNoContent)
	if got := pins(); !slices.Equal(got, []int64{call, o.Log().Pair(call)}) {
		t.Errorf("pinned %v", got)
	}
	at := version(t, service, "c")
	send[struct{}](t, s, "PUT", path, nil, http.StatusNoContent)
	if version(t, service, "c") != at {
		t.Error("pinning what is pinned wrote")
	}
	send[report.Report](t, s, "POST", "/api/conversations/c/compactions", shape.Wish{Strategies: []string{"strip-tools"}, Keep: "1"}, http.StatusOK)
	fate := func() tenfold.Fate {
		o, err := service.Open(t.Context(), "c")
		if err != nil {
			t.Fatal(err)
		}
		fate, _, _ := o.Projection().Fate(o.Log().Pair(call))
		return fate
	}
	if fate() != tenfold.Kept {
		t.Error("a pinned result was compacted")
	}
	send[struct{}](t, s, "DELETE", path, nil, http.StatusNoContent)
	if len(pins()) != 0 || fate() == tenfold.Kept {
		t.Error("it is still pinned")
	}
	if p := send[shape.Problem](t, s, "PUT", "/api/conversations/c/pins/99999", nil, http.StatusNotFound); p.Hint == "" {
		t.Errorf("%+v", p)
	}
	if p := send[shape.Problem](t, s, "PUT", "/api/conversations/c/pins/1", nil, http.StatusUnprocessableEntity); p.Code != "not_visible" {
		t.Errorf("%+v", p) // where a turn starts
	}
}

// Another process that comes first is given way to, and what was meant is done after
// it.
func TestWhatIsWrittenGivesWayAndIsWritten(t *testing.T) {
	t.Parallel()
	s, service := server(t, nil)
	created(t, service, "c", logtest.Long(100))
	tries := 0
	err := s.write(t.Context(), "c", func(o *session.Session) error {
		if tries++; tries < 3 {
			other, err := service.Open(t.Context(), "c")
			if err == nil {
				err = other.Append(t.Context(), tenfold.Entry{Payload: tenfold.TurnStart{}})
			}
			if err != nil {
				t.Error(err)
			}
		}
		return o.Append(t.Context(), tenfold.Entry{ID: "mine", Payload: tenfold.TurnStart{}})
	})
	if err != nil || tries != 3 || version(t, service, "c") != 103 {
		t.Errorf("%d tries, %d entries, %v", tries, version(t, service, "c"), err)
	}
}

func TestReadOnlyWritesNothing(t *testing.T) {
	t.Parallel()
	s, service := server(t, nil)
	s.backend.(*lent).readOnly = true
	created(t, service, "c", logtest.Long(300))
	type none struct{}
	for _, op := range [][2]string{{"POST", "compactions"}, {"POST", "undo"}, {"POST", "redo"}, {"PUT", "pins/3"}, {"DELETE", "pins/3"}} {
		if p := send[shape.Problem](t, s, op[0], "/api/conversations/c/"+op[1], none{}, http.StatusForbidden); p.Code != "read_only" || p.Hint == "" {
			t.Errorf("%v: %+v", op, p)
		}
	}
	send[shape.Trial](t, s, "POST", "/api/conversations/c/plan", shape.Wish{Strategies: []string{"strip-tools"}}, http.StatusOK)
	if version(t, service, "c") != 300 {
		t.Error("it wrote")
	}
}

// later are requests of which the last ones use what the first showed.
func later(requests int) []tenfold.Entry {
	var all []tenfold.Entry
	add := func(p tenfold.Payload) {
		all = append(all, tenfold.Entry{ID: fmt.Sprintf("e%d", len(all)+1), Payload: p})
	}
	add(tenfold.TurnStart{})
	add(tenfold.UserMessage{Parts: tenfold.Text("fix it")})
	for i := range requests {
		id := fmt.Sprintf("c%d", i)
		command := fmt.Sprintf("run step%d.sh", i)
		if i > 0 && i%3 == 0 {
			command = fmt.Sprintf("cat src/module%d/handler%d.go", i-3, i-3)
		}
		arguments, _ := json.Marshal(map[string]string{"command": command})
		add(tenfold.ToolCall{CallID: id, Name: "Bash", Arguments: string(arguments)})
		add(tenfold.ToolResult{CallID: id, Parts: tenfold.Text(fmt.Sprintf("compiled src/module%d/handler%d.go without warnings today\nanother plain line of output here", i, i))})
	}
	return all
}

func TestAWishIsMeasured(t *testing.T) {
	t.Parallel()
	synctest.Test(t, testWishIsMeasured) // a cut is not begun after a second
}

func testWishIsMeasured(t *testing.T) {
	s, service := server(t, nil)
	created(t, service, "c", later(40))
	cur := func(strategies ...string) float64 {
		trial := send[shape.Trial](t, s, "POST", "/api/conversations/c/plan", shape.Wish{Strategies: strategies, Keep: "0"}, http.StatusOK)
		m := trial.Measured
		if m.CUR == nil || m.EDR != nil || m.Why != "" || m.Requests != 40 || !slices.Equal(m.Cuts, tryCuts()) {
			t.Fatalf("%+v", m)
		}
		return *m.CUR
	}
	if got := cur("strip-reasoning"); got != 1 {
		t.Errorf("CUR %v where nothing is hidden", got)
	}
	if got := cur("micro:keep_recent=0,over=0"); got != 0 {
		t.Errorf("CUR %v where all results are cleared", got)
	}
	created(t, service, "short", later(1))
	trial := send[shape.Trial](t, s, "POST", "/api/conversations/short/plan", shape.Wish{Strategies: []string{"strip-tools"}}, http.StatusOK)
	if m := trial.Measured; m.CUR != nil || m.EDR != nil || m.Why == "" {
		t.Errorf("%+v", m)
	}
}
