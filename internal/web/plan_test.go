package web

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"tenfold"
	"tenfold/internal/logtest"
	"tenfold/internal/report"
	"tenfold/internal/web/shape"
	"tenfold/session"
	"tenfold/strategy"
)

const toCompact = "/api/conversations/c/compactions"

// prepared is a plan for the wish of these tests.
func preparedPlan(t testing.TB, s *Server, wish string) Plan {
	t.Helper()
	p := answerOf[Plan](t, asked(t, s, "POST", toPlan, "", wish), http.StatusOK)
	if len(p.Compactions) == 0 || p.Nothing != "" || len(p.Withheld) > 0 {
		t.Fatalf("%+v", p)
	}
	return p
}

func applying(t testing.TB, p Plan) string {
	t.Helper()
	text, err := json.Marshal(Applying{Plan: &p})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

const strips = `{"strategies":["strip-tools","strip-reasoning"],"keep":"1"}`

func TestAPlanIsAppliedOnce(t *testing.T) {
	t.Parallel()
	s, service := server(t, nil)
	created(t, service, "c", logtest.Long(300))
	raw := seen(t, service, "c")
	plan := preparedPlan(t, s, strips)
	if version(t, service, "c") != 300 || plan.Version != 300 {
		t.Fatal("a plan wrote something")
	}
	first := answerOf[report.Report](t, asked(t, s, "POST", toCompact, "", applying(t, plan)), http.StatusOK)
	now := version(t, service, "c")
	if len(first.Compactions) != len(plan.Compactions) || first.Tokens != plan.Tokens || now != 300+int64(len(plan.Compactions)) {
		t.Fatalf("%+v of %+v", first, plan)
	}
	for _, key := range []string{"", "k", "k"} { // k is another request, and another application of the same
		again := asked(t, s, "POST", toCompact, key, applying(t, plan))
		r := answerOf[report.Report](t, again, http.StatusOK)
		if same := r.Compactions[0].ID == first.Compactions[0].ID; same != (key == "") || r.Tokens.After != first.Tokens.After {
			t.Errorf("with key %q: %+v", key, r)
		}
	}
	if v := version(t, service, "c"); v != now+int64(len(plan.Compactions)) {
		t.Errorf("version %d after two applications of one plan", v)
	}
	// Its key is not for another plan.
	other := plan
	other.Compactions = slices.Clone(plan.Compactions)
	other.Compactions[0].ToTurn--
	if p := answerOf[shape.Problem](t, asked(t, s, "POST", toCompact, "k", applying(t, other)), http.StatusUnprocessableEntity); p.Code != "reused" {
		t.Errorf("%+v", p)
	}
	other.Compactions = append(plan.Compactions, plan.Compactions...)
	if p := answerOf[shape.Problem](t, asked(t, s, "POST", toCompact, "k", applying(t, other)), http.StatusUnprocessableEntity); p.Code != "reused" {
		t.Errorf("%+v", p)
	}
	// One command is undone together, and a plan that was undone does not come back.
	for range 2 {
		answerOf[report.Change](t, asked(t, s, "POST", "/api/conversations/c/undo", "", `{}`), http.StatusOK)
	}
	if seen(t, service, "c") != raw {
		t.Error("undo does not restore what a model saw")
	}
	if p := answerOf[shape.Problem](t, asked(t, s, "POST", toCompact, "k", applying(t, plan)), http.StatusConflict); !strings.Contains(p.Detail, "undone") || p.Hint == "" {
		t.Errorf("%+v", p)
	}
}

// What came after the plan stays outside of it; what touched the same is a conflict.
func TestAPlanOfAnOldVersion(t *testing.T) {
	t.Parallel()
	for _, one := range []struct {
		what string
		then tenfold.Payload
		ok   bool
	}{
		{"a message", tenfold.UserMessage{Parts: tenfold.Text("more")}, true},
		{"a new turn", tenfold.TurnStart{}, true},
		{"a pin", tenfold.Pin{Entries: []string{"e3"}}, false},
		{"an undo", tenfold.CompactionRevoked{Target: "none"}, false},
	} {
		s, service := server(t, nil)
		created(t, service, "c", logtest.Long(300))
		plan := preparedPlan(t, s, `{"strategies":["strip-tools"],"keep":"0"}`)
		line, err := tenfold.AppendEntry(nil, tenfold.Entry{ID: "then", Payload: one.then})
		if err != nil {
			t.Fatal(err)
		}
		answerOf[shape.Appended](t, asked(t, s, "POST", toLog, "", fmt.Sprintf(`{"entries":[%s]}`, line)), http.StatusOK)
		w := asked(t, s, "POST", toCompact, "", applying(t, plan))
		if one.ok {
			if r := answerOf[report.Report](t, w, http.StatusOK); len(r.Compactions) != len(plan.Compactions) {
				t.Errorf("%s: %+v", one.what, r)
			}
			if e := get[shape.Entry](t, s, "/api/conversations/c/entries/301", http.StatusOK); e.By != "" {
				t.Errorf("%s after the plan is compacted by it", one.what)
			}
			continue
		}
		p := answerOf[shape.Problem](t, w, http.StatusConflict)
		if p.Code != "conflict" || *p.Expected != 300 || *p.Actual != 301 || p.Detail == "" || version(t, service, "c") != 301 {
			t.Errorf("%s: %+v", one.what, p)
		}
	}
}

func TestPlansThatAreRefused(t *testing.T) {
	t.Parallel()
	s, service := server(t, nil)
	created(t, service, "c", logtest.Long(300))
	for body, want := range map[string]int{
		`{"plan":{"version":300,"compactions":[]}}`:                                                                                         http.StatusUnprocessableEntity,
		`{"plan":{"version":301,"compactions":[{"from_turn":0,"to_turn":1,"reasoning":"strip"}]}}`:                                          http.StatusConflict,
		`{"plan":{"version":0,"compactions":[{"from_turn":0,"to_turn":1,"reasoning":"strip"}]}}`:                                            http.StatusUnprocessableEntity,
		`{"plan":{"version":300,"compactions":[{"from_turn":-1,"to_turn":1,"reasoning":"strip"}]}}`:                                         http.StatusUnprocessableEntity,
		`{"plan":{"version":300,"compactions":[{"from_turn":2,"to_turn":1,"reasoning":"strip"}]}}`:                                          http.StatusUnprocessableEntity,
		`{"plan":{"version":300,"compactions":[{"from_turn":0,"to_turn":1,"to_step":-1,"reasoning":"strip"}]}}`:                             http.StatusUnprocessableEntity,
		`{"plan":{"version":300,"compactions":[{"from_turn":0,"to_turn":1,"summary":{"text":" "}}]}}`:                                       http.StatusUnprocessableEntity,
		`{"plan":{"version":300,"compactions":[{"from_turn":0,"to_turn":0,"summary":{"text":"` + strings.Repeat("long ", 50_000) + `"}}]}}`: http.StatusUnprocessableEntity,
		`{"plan":{"version":300,"compactions":[{"from_turn":0,"to_turn":1,"reasoning":"shred"}]}}`:                                          http.StatusUnprocessableEntity,
		`{"plan":{"version":300,"compactions":[{"from_turn":0,"to_turn":1,"reasoning":"strip"}]},"keep":"1"}`:                               http.StatusBadRequest,
		`{"plan":{"version":300,"compactions":[7]}}`:                                                                                        http.StatusUnprocessableEntity,
		`{"plan":{"version":300}}`: http.StatusUnprocessableEntity,
	} {
		if p := answerOf[shape.Problem](t, asked(t, s, "POST", toCompact, "", body), want); p.Detail == "" || p.Hint == "" {
			t.Errorf("%.100s: %+v", body, p)
		}
	}
	answerOf[shape.Problem](t, asked(t, s, "POST", toPlan, "", `{"version":299}`), http.StatusConflict)
	if v := version(t, service, "c"); v != 300 {
		t.Errorf("version %d", v)
	}
	// Only the program itself compacts at birth, which cannot be undone.
	body := `{"plan":{"version":300,"compactions":[{"from_turn":0,"to_turn":1,"reasoning":"strip","source":"birth"}]}}`
	answerOf[report.Report](t, asked(t, s, "POST", toCompact, "", body), http.StatusOK)
	if c := get[shape.Conversation](t, s, "/api/conversations/c", http.StatusOK); c.Compactions[0].Source != "user" {
		t.Errorf("%+v", c.Compactions)
	}
	s.backend.(*lent).readOnly = true
	answerOf[shape.Problem](t, asked(t, s, "POST", toCompact, "", body), http.StatusForbidden)
	preparedPlan(t, s, strips)
}

func TestAWishWithAKeyIsDoneOnce(t *testing.T) {
	t.Parallel()
	s, service := server(t, nil)
	created(t, service, "c", logtest.Long(300))
	wish := `{"strategies":["strip-tools"],"keep":"1","version":300}`
	first := answerOf[report.Report](t, asked(t, s, "POST", toCompact, "k", wish), http.StatusOK)
	again := answerOf[report.Report](t, asked(t, s, "POST", toCompact, "k", wish), http.StatusOK)
	if version(t, service, "c") != 301 || len(again.Compactions) != 1 || again.Compactions[0].ID != first.Compactions[0].ID || again.Tokens != first.Tokens {
		t.Errorf("%+v, then %+v", first, again)
	}
	answerOf[shape.Problem](t, asked(t, s, "POST", toCompact, "other", wish), http.StatusConflict)
	// The same key with anything else is refused, and writes nothing.
	plan := preparedPlan(t, s, `{"strategies":["hard-reset"]}`)
	for _, other := range []string{`{"strategies":["hard-reset"]}`, `{"strategies":["strip-tools"],"keep":"2","version":300}`, `{"strategies":["strip-tools"],"keep":"1"}`, applying(t, plan)} {
		if p := answerOf[shape.Problem](t, asked(t, s, "POST", toCompact, "k", other), http.StatusUnprocessableEntity); p.Code != "reused" || p.Hint == "" {
			t.Errorf("%s: %+v", other, p)
		}
	}
	if version(t, service, "c") != 301 {
		t.Error("a refused wish was applied")
	}
	answerOf[report.Report](t, asked(t, s, "POST", toCompact, "p", applying(t, plan)), http.StatusOK)
	answerOf[shape.Problem](t, asked(t, s, "POST", toCompact, "p", wish), http.StatusUnprocessableEntity)
}

// quoting is a summarizer that would have to be paid.
type quoting struct{ slow }

func (*quoting) Quote(strategy.SummaryRequest) strategy.Quote { return strategy.Quote{Model: "m"} }

func TestAPlanSaysWhatItLacks(t *testing.T) {
	t.Parallel()
	s, service := server(t, nil)
	created(t, service, "c", logtest.Long(300))
	s.backend.(*lent).prepare = func(_ *session.Session, p *Prepared) {
		p.Request.Options.Summarizer = &quoting{slow{func() { t.Error("a model is called") }}}
	}
	p := answerOf[Plan](t, asked(t, s, "POST", toPlan, "", `{"strategies":["strip-tools","summarize"],"keep":"1"}`), http.StatusOK)
	if len(p.Compactions) != 1 || len(p.Withheld) == 0 {
		t.Errorf("%+v", p)
	}
}

func TestAProjectionIsSentOnce(t *testing.T) {
	t.Parallel()
	s, service := server(t, nil)
	created(t, service, "c", talkEntries())
	ask := func(query, known string) *httptest.ResponseRecorder {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/conversations/c/projection"+query, http.NoBody)
		if known != "" {
			r.Header.Set("If-None-Match", known)
		}
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		_, pattern := s.mux.Handler(r)
		keepsContract(t, r, pattern, w)
		return w
	}
	tags := map[string]bool{}
	for _, query := range []string{"", "?provider=openai-chat", "?provider=openai-responses", "?provider=gemini", "?model=m", "?model=other", "?branch=scout"} {
		w := ask(query, "")
		tag := w.Header().Get("ETag")
		if w.Code != http.StatusOK || w.Header().Get("Tenfold-Version") != "12" || tags[tag] || !strings.HasPrefix(tag, `"`) {
			t.Errorf("%s: %d %v", query, w.Code, w.Header())
		}
		tags[tag] = true
		for known, want := range map[string]int{tag: 304, "W/" + tag: 304, `"x", ` + tag: 304, "*": 304, `"x"`: 200, tag[1:]: 200} {
			if got := ask(query, known); got.Code != want || (want == 304) != (got.Body.Len() == 0) || got.Header().Get("ETag") != tag {
				t.Errorf("%s with %s: %d, %d bytes", query, known, got.Code, got.Body.Len())
			}
		}
		var body map[string]any
		if err := json.Unmarshal(w.Body.Bytes(), &body); err != nil {
			t.Error(err)
		}
		if model, is := body["model"]; is != strings.Contains(query, "model") || is && model != strings.TrimPrefix(query, "?model=") {
			t.Errorf("%s names the model %v", query, model)
		}
	}
	if scout := ask("?branch=scout", "").Body.String(); scout == ask("", "").Body.String() || !strings.Contains(scout, "from below") {
		t.Error("the view of a branch is not its own: " + scout)
	}
	before := ask("", "")
	answerOf[shape.Appended](t, asked(t, s, "POST", toLog, "", `{"entries":[`+two+`]}`), http.StatusOK)
	if w := ask("", before.Header().Get("ETag")); w.Code != http.StatusOK || w.Body.String() == before.Body.String() || w.Header().Get("Tenfold-Version") != "13" {
		t.Errorf("after an append: %d", w.Code)
	}
	// The same id may be of another conversation.
	if err := service.Delete(t.Context(), "c"); err != nil {
		t.Fatal(err)
	}
	created(t, service, "c", talkEntries())
	if w := ask("", before.Header().Get("ETag")); w.Code != http.StatusOK {
		t.Errorf("of another conversation: %d", w.Code)
	}
	for query, want := range map[string]int{"?provider=nobody": 400, "?x=1": 422} {
		if w := ask(query, ""); w.Code != want {
			t.Errorf("%s: %d", query, w.Code)
		}
	}
}

// What the agent used meanwhile of what the plan hides is pinned along with it; the
// plan is not made anew (live V4).
func TestWhatWasUsedMeanwhileIsPinned(t *testing.T) {
	t.Parallel()
	s, service := server(t, nil)
	created(t, service, "c", later(12))
	plan := preparedPlan(t, s, `{"strategies":["strip-tools"],"keep":"0"}`)
	used := `{"kind":"tool_call","call_id":"then","name":"Bash","arguments":{"command":"cat src/module7/handler7.go"}}`
	answerOf[shape.Appended](t, asked(t, s, "POST", toLog, "", `{"entries":[`+used+`]}`), http.StatusOK)
	done := answerOf[report.Report](t, asked(t, s, "POST", toCompact, "", applying(t, plan)), http.StatusOK)
	c := get[shape.Conversation](t, s, "/api/conversations/c", http.StatusOK)
	if len(done.Compactions) != 1 || len(c.Compactions) != 1 || c.Compactions[0].Strategy != "strip-tools" {
		t.Errorf("%+v", c.Compactions)
	}
	open, err := service.Open(t.Context(), "c")
	if err != nil || len(session.Pinned(open.Projection())) == 0 {
		t.Errorf("nothing is pinned: %v", err)
	}
}

// Who agreed to undo one compaction does not undo another, where somebody was faster.
func TestOnlyWhatWasSeenIsUndone(t *testing.T) {
	t.Parallel()
	s, service := server(t, nil)
	created(t, service, "c", logtest.Long(400))
	for _, strategy := range []string{"strip-reasoning", "strip-tools"} {
		answerOf[report.Report](t, asked(t, s, "POST", toCompact, "", `{"strategies":["`+strategy+`"],"keep":"1"}`), http.StatusOK)
	}
	live := func() (all []bool) {
		for _, c := range get[shape.Conversation](t, s, "/api/conversations/c", http.StatusOK).Compactions {
			all = append(all, c.Live)
		}
		return all
	}
	before := live()
	for _, turn := range []string{"undo", "redo"} {
		at := "/api/conversations/c/" + turn
		would := answerOf[report.Change](t, asked(t, s, "POST", at, "", `{"dry_run":true}`), http.StatusOK)
		overlays := slices.Concat(would.Undone, would.Redone)
		if !would.DryRun || len(overlays) != 1 {
			t.Fatalf("%s: %+v", turn, would)
		}
		body := `{"overlays":["` + overlays[0].ID + `"]}`
		if done := answerOf[report.Change](t, asked(t, s, "POST", at, "", body), http.StatusOK); done.DryRun || done.Tokens != would.Tokens {
			t.Errorf("%s: %+v, foreseen %+v", turn, done, would)
		}
		after := live()
		if again := answerOf[report.Change](t, asked(t, s, "POST", at, "", body), http.StatusOK); len(again.Undone)+len(again.Redone) != 1 || !slices.Equal(live(), after) {
			t.Errorf("%s twice: %+v", turn, again) // as a browser may send it
		}
		if turn == "redo" {
			answerOf[report.Change](t, asked(t, s, "POST", at, "", `{}`), http.StatusConflict) // nothing is undone any more
			break
		}
		p := answerOf[shape.Problem](t, asked(t, s, "POST", at, "", `{"overlays":["another"]}`), http.StatusConflict)
		if p.Code != "conflict" || p.Hint == "" {
			t.Errorf("%s: %+v", turn, p)
		}
	}
	if now := live(); !slices.Equal(now, before) {
		t.Errorf("in effect are %v, before %v", now, before)
	}
}
