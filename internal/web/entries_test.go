package web

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
	"tenfold/internal/logtest"
	"tenfold/internal/web/door"
	"tenfold/internal/web/shape"
	"tenfold/session"
	"tenfold/store"
	"tenfold/store/memory"
)

// asked sends a request of a program, with a key.
func asked(t testing.TB, s *Server, method, path, key, body string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	if key != "" {
		r.Header.Set("Idempotency-Key", key)
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	_, pattern := s.mux.Handler(r)
	keepsContract(t, r, pattern, w)
	return w
}

// told reads the answer of a program's request, which has to be of a status.
func answerOf[T any](t testing.TB, w *httptest.ResponseRecorder, status int) (out T) {
	t.Helper()
	if w.Code != status {
		t.Fatalf("%d, not %d: %.400s", w.Code, status, w.Body)
	}
	if err := json.Unmarshal(w.Body.Bytes(), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

const (
	one    = `{"kind":"user_message","text":"one"}`
	two    = `{"kind":"assistant_message","text":"two"}`
	toLog  = "/api/conversations/c/entries"
	toPlan = "/api/conversations/c/plans"
)

func TestARepeatedRequestAppendsOnce(t *testing.T) {
	t.Parallel()
	s, service := server(t, nil)
	created(t, service, "c", []tenfold.Entry{{ID: "first", Payload: tenfold.TurnStart{}}})
	body := `{"expected":1,"entries":[` + strings.Replace(one, "}", `,"seq":77,"tokens":9999}`, 1) + `,` + two + `,{"id":"mine","kind":"assistant_message","text":"three"}]}`
	first := asked(t, s, "POST", toLog, "k", body)
	got := answerOf[shape.Appended](t, first, http.StatusOK)
	if got.Version != 4 || len(got.Entries) != 3 || got.Entries[0].Seq != 2 || got.Entries[2] != (shape.Place{ID: "mine", Seq: 4}) {
		t.Fatalf("%+v", got)
	}
	if e := get[shape.Entry](t, s, "/api/conversations/c/entries/2", http.StatusOK); e.Before > 10 {
		t.Errorf("the tokens of a stranger are believed: %+v", e)
	}
	// Others go on; the request that comes again has the same answer.
	answerOf[shape.Appended](t, asked(t, s, "POST", toLog, "", `{"entries":[`+one+`]}`), http.StatusOK)
	answerOf[shape.Appended](t, asked(t, s, "POST", toLog, "", `{"entries":[`+one+`]}`), http.StatusOK)
	if again := asked(t, s, "POST", toLog, "k", body); again.Code != http.StatusOK || again.Body.String() != first.Body.String() {
		t.Errorf("the second answer is %d %s, the first was %s", again.Code, again.Body, first.Body)
	}
	// The same key with anything else is refused, and writes nothing.
	for _, other := range []string{
		`{"entries":[` + two + `,` + one + `,{"id":"mine","kind":"assistant_message","text":"three"}]}`,
		`{"entries":[` + one + `]}`,
		`{"entries":[` + one + `,` + two + `,` + one + `,` + two + `]}`,
		`{"entries":[` + one + `,` + two + `,{"id":"new","kind":"assistant_message","text":"three"}]}`,
		strings.Replace(body, `"expected":1`, `"expected":6`, 1), strings.Replace(body, `"expected":1`, `"expected":0`, 1),
		strings.Replace(body, `"expected":1`, `"expected":2`, 1), // at which its second entry stands
		`{"entries":[{"kind":"user_message","text":"one","branch":"b"},` + two + `,{"id":"mine","kind":"assistant_message","text":"three"}]}`,
		`{"entries":[{"kind":"user_message","text":"one","origin":{"line":1}},` + two + `,{"id":"mine","kind":"assistant_message","text":"three"}]}`,
		`{"entries":[{"kind":"user_message","text":"one","time":"2020-01-01T00:00:00Z"},` + two + `,{"id":"mine","kind":"assistant_message","text":"three"}]}`,
	} {
		if p := answerOf[shape.Problem](t, asked(t, s, "POST", toLog, "k", other), http.StatusUnprocessableEntity); p.Code != "reused" || p.Hint == "" {
			t.Errorf("%s: %+v", other, p)
		}
	}
	// Entries with ids of their own are known by those, whatever has been read since.
	answerOf[shape.Appended](t, asked(t, s, "POST", toLog, "", `{"expected":6,"entries":[{"id":"mine","kind":"assistant_message","text":"three"}]}`), http.StatusOK)
	p := answerOf[shape.Problem](t, asked(t, s, "POST", toLog, "other", `{"entries":[{"id":"mine","kind":"assistant_message","text":"four"}]}`), http.StatusUnprocessableEntity)
	if p.Code != "reused" || !strings.Contains(p.Detail, "mine") || len(p.Errors) != 1 || p.Errors[0].Location != "body.entries[0]" {
		t.Errorf("%+v", p)
	}
	if v := version(t, service, "c"); v != 6 {
		t.Errorf("version %d, not 6", v)
	}
}

func TestAConflictSaysBothVersions(t *testing.T) {
	t.Parallel()
	s, service := server(t, nil)
	created(t, service, "c", []tenfold.Entry{{Payload: tenfold.TurnStart{}}})
	for _, expected := range []int64{0, 2} {
		p := answerOf[shape.Problem](t, asked(t, s, "POST", toLog, "k", fmt.Sprintf(`{"expected":%d,"entries":[%s]}`, expected, one)), http.StatusConflict)
		if p.Code != "conflict" || p.Expected == nil || *p.Expected != expected || p.Actual == nil || *p.Actual != 1 || p.Hint == "" {
			t.Errorf("%+v", p)
		}
	}
	if v := version(t, service, "c"); v != 1 {
		t.Errorf("version %d", v)
	}
}

// Of writers of one key, one writes; those with its body get its answer, the others
// are refused.
func TestOneKeyByManyWriters(t *testing.T) {
	t.Parallel()
	first, service := server(t, nil)
	second := New(Options{Backend: &lent{service: service}})
	t.Cleanup(func() { _ = second.Close() })
	created(t, service, "c", nil)
	var writers sync.WaitGroup
	answers := make([]*httptest.ResponseRecorder, 16)
	for i := range answers {
		writers.Go(func() {
			server, body := []*Server{first, second}[i%2], `{"entries":[`+one+`,`+two+`]}`
			if i%4 > 1 {
				body = `{"entries":[` + two + `,` + two + `,` + two + `]}`
			}
			answers[i] = asked(t, server, "POST", toLog, "k", body)
		})
	}
	writers.Wait()
	written, refused := map[string]int{}, 0
	for _, w := range answers {
		if w.Code == http.StatusOK {
			written[w.Body.String()]++
		} else if p := answerOf[shape.Problem](t, w, http.StatusUnprocessableEntity); p.Code == "reused" {
			refused++
		}
	}
	if v := version(t, service, "c"); len(written) != 1 || refused != 8 || (v != 2 && v != 3) {
		t.Errorf("%d different answers, %d refused, version %d", len(written), refused, v)
	}
}

func TestBatchesThatAreRefused(t *testing.T) {
	t.Parallel()
	s, service := server(t, nil)
	created(t, service, "c", nil)
	for body, want := range map[string]int{
		``:                                http.StatusBadRequest,
		`[]`:                              http.StatusBadRequest,
		`{"entries":[` + one + `],"x":1}`: http.StatusBadRequest,
		`{"entries":[` + one:              http.StatusBadRequest,
		`null`:                            http.StatusBadRequest,
		`{"entries":[]}`:                  http.StatusUnprocessableEntity,
		`{"expected":-1,"entries":[` + one + `]}`:                                                       http.StatusUnprocessableEntity,
		`{"entries":[` + one + `,{}]}`:                                                                  http.StatusUnprocessableEntity,
		`{"entries":[` + one + `,{ }]}`:                                                                 http.StatusUnprocessableEntity,
		`{"entries":[` + one + `,7]}`:                                                                   http.StatusUnprocessableEntity,
		`{"entries":[{"text":"a"}]}`:                                                                    http.StatusUnprocessableEntity,
		`{"entries":[{"kind":"","id":"a"}]}`:                                                            http.StatusUnprocessableEntity,
		`{"entries":[{"kind":"turn_start","id":""}]}`:                                                   http.StatusUnprocessableEntity,
		`{"entries":[{"kind":"turn_start","time":"soon"}]}`:                                             http.StatusUnprocessableEntity,
		`{"entries":[` + one + `,{"kind":"turn_start","time":"9999-12-31T23:59:59Z"}]}`:                 http.StatusUnprocessableEntity,
		`{"entries":[` + one + `,{"kind":"turn_start","time":"1601-01-01T00:00:00Z"}]}`:                 http.StatusUnprocessableEntity,
		`{"entries":[{"kind":"user_message","text":7}]}`:                                                http.StatusUnprocessableEntity,
		`{"entries":[{"kind":"turn_start","id":"a"},{"kind":"turn_start","id":"a"}]}`:                   http.StatusUnprocessableEntity,
		`{"entries":[` + strings.Repeat(one+",", mostBatch) + one + `]}`:                                http.StatusUnprocessableEntity,
		`{"entries":[{"kind":"user_message","text":"` + strings.Repeat("x", door.LongestBatch) + `"}]}`: http.StatusRequestEntityTooLarge,
	} {
		p := answerOf[shape.Problem](t, asked(t, s, "POST", toLog, "k", body), want)
		if p.Detail == "" || strings.ContainsRune(p.Detail, 0) || (want == http.StatusUnprocessableEntity && p.Hint == "") {
			t.Errorf("%.60s: %+v", body, p)
		}
	}
	if v := version(t, service, "c"); v != 0 {
		t.Errorf("version %d: a part of a batch was written", v)
	}
	answerOf[shape.Problem](t, asked(t, s, "POST", "/api/conversations/nobody/entries", "k", `{"entries":[`+one+`]}`), http.StatusNotFound)
	answerOf[shape.Problem](t, asked(t, s, "POST", toLog, strings.Repeat("k", 256), `{"entries":[`+one+`]}`), http.StatusUnprocessableEntity)
}

// Whatever a log can hold goes through the API and back as it was.
func TestWindowsGiveBackWhatWasAppended(t *testing.T) {
	t.Parallel()
	s, service := server(t, nil)
	for seed := range 20 {
		var lines []string
		entries := logtest.Entries(40).Example(seed)
		for i := range entries {
			entries[i].Tokens = 0 // what a program claims is not believed
		}
		drawn, err := service.Create(t.Context(), session.Create{Entries: entries})
		if err != nil {
			t.Fatal(err)
		}
		for e := range drawn.Log().Entries() {
			e.Time = time.Unix(1_700_000_000+e.Seq, 123).UTC() // one without gets that of the request
			line, err := tenfold.AppendEntry(nil, e)
			if err != nil {
				t.Fatal(err)
			}
			lines = append(lines, string(line))
		}
		id := fmt.Sprintf("copy%d", seed)
		body := fmt.Sprintf(`{"id":%q,"entries":[%s]}`, id, strings.Join(lines, ","))
		made := answerOf[shape.Conversation](t, asked(t, s, "POST", "/api/conversations", "", body), http.StatusCreated)
		var got []string
		for after := int64(0); ; {
			w := asked(t, s, "GET", fmt.Sprintf("/api/conversations/%s/entries?limit=7&after=%d", id, after), "", "")
			if w.Code != http.StatusOK {
				t.Fatal(w.Body)
			}
			var page struct {
				Version, Next int64
				Items         []jsontext.Value
			}
			if err := json.Unmarshal(w.Body.Bytes(), &page, lenient, json.RejectUnknownMembers(false), json.MatchCaseInsensitiveNames(true)); err != nil {
				t.Fatal(err)
			}
			for _, line := range page.Items {
				got = append(got, string(line))
			}
			if after = page.Next; after == 0 {
				break
			}
			if len(page.Items) != 7 || page.Version != made.Entries {
				t.Fatalf("a page of %d at version %d", len(page.Items), page.Version)
			}
		}
		if strings.Join(got, "\n") != strings.Join(lines, "\n") {
			t.Errorf("seed %d:\n%s\nis not\n%s", seed, strings.Join(got, "\n"), strings.Join(lines, "\n"))
		}
	}
}

// meddling lets something happen before the first append.
type meddling struct {
	store.Store
	before func()
}

func (m *meddling) Append(ctx context.Context, b store.Batch) (int64, error) {
	if before := m.before; before != nil {
		m.before = nil
		before()
	}
	return m.Store.Append(ctx, b)
}

// A rival with the same key and more entries comes through in the last moment: the
// store knows all of ours then, and yet they are not what was asked for.
func TestARivalInTheLastMoment(t *testing.T) {
	t.Parallel()
	inner := memory.New()
	t.Cleanup(func() { _ = inner.Close() })
	between := &meddling{Store: inner}
	s, service := server(t, between)
	rival, _ := server(t, inner)
	created(t, service, "c", nil)
	between.before = func() {
		answerOf[shape.Appended](t, asked(t, rival, "POST", toLog, "k", `{"entries":[`+one+`,`+two+`]}`), http.StatusOK)
	}
	if p := answerOf[shape.Problem](t, asked(t, s, "POST", toLog, "k", `{"entries":[`+one+`]}`), http.StatusUnprocessableEntity); p.Code != "reused" {
		t.Errorf("%+v", p)
	}
	between.before = func() {
		answerOf[shape.Appended](t, asked(t, rival, "POST", toLog, "other", `{"entries":[`+one+`]}`), http.StatusOK)
	}
	if a := answerOf[shape.Appended](t, asked(t, s, "POST", toLog, "third", `{"entries":[`+one+`]}`), http.StatusOK); a.Version != 4 {
		t.Errorf("a rival was not given way to: %+v", a)
	}
}

func TestPagesAreBoundedInBytes(t *testing.T) {
	t.Parallel()
	s, service := server(t, nil)
	var entries []tenfold.Entry
	for range 3 {
		entries = append(entries, tenfold.Entry{Tokens: 1, Payload: tenfold.AssistantMessage{Text: strings.Repeat("x", longestPage/2+1)}})
	}
	created(t, service, "c", entries)
	var page struct{ Next int64 }
	w := asked(t, s, "GET", toLog, "", "")
	if err := json.Unmarshal(w.Body.Bytes(), &page, json.MatchCaseInsensitiveNames(true)); err != nil || page.Next != 2 {
		t.Errorf("the next page is after %d: %v", page.Next, err)
	}
}

func TestABeginningIsRepeated(t *testing.T) {
	t.Parallel()
	s, service := server(t, nil)
	const path = "/api/conversations"
	begin := func(key, body string, status int) *httptest.ResponseRecorder {
		t.Helper()
		w := asked(t, s, "POST", path, key, body)
		if w.Code != status {
			t.Fatalf("%s %s: %d %s", key, body, w.Code, w.Body)
		}
		return w
	}
	first := answerOf[shape.Conversation](t, begin("k", `{"title":"t","entries":[`+one+`]}`, http.StatusCreated), http.StatusCreated)
	for range 2 {
		if again := answerOf[shape.Conversation](t, begin("k", `{"title":"t","entries":[`+one+`]}`, http.StatusCreated), http.StatusCreated); again.ID != first.ID || again.Entries != 1 {
			t.Errorf("%+v is not %+v", again, first)
		}
	}
	for _, other := range []string{`{"title":"u","entries":[` + one + `]}`, `{"title":"t","entries":[` + two + `]}`, `{"title":"t","entries":[` + one + `,` + one + `]}`} {
		if p := answerOf[shape.Problem](t, begin("k", other, http.StatusUnprocessableEntity), http.StatusUnprocessableEntity); p.Code != "reused" {
			t.Errorf("%s: %+v", other, p)
		}
	}
	if second := answerOf[shape.Conversation](t, begin("", `{"title":"t"}`, http.StatusCreated), http.StatusCreated); second.ID == first.ID {
		t.Error("a request without a key is taken for another")
	}
	// One with an id of its own is known by what it begins with.
	begin("k", `{"id":"mine","entries":[`+one+`]}`, http.StatusCreated)
	begin("k", `{"id":"mine","entries":[`+one+`]}`, http.StatusCreated)
	begin("k", `{"id":"bare"}`, http.StatusCreated)
	for _, taken := range []string{`{"id":"mine","entries":[` + two + `]}`, `{"id":"bare"}`, `{"id":"mine"}`} {
		if p := answerOf[shape.Problem](t, begin("k", taken, http.StatusConflict), http.StatusConflict); p.Code != "exists" {
			t.Errorf("%s: %+v", taken, p)
		}
	}
	begin("other", `{"id":"mine","entries":[`+one+`]}`, http.StatusConflict)
	begin("", `{"id":"`+strings.Repeat("x", 501)+`"}`, http.StatusUnprocessableEntity)
	begin("", `{"entries":[{}]}`, http.StatusUnprocessableEntity)
	count := 0
	for _, err := range service.List(t.Context()) {
		if count++; err != nil {
			t.Fatal(err)
		}
	}
	if count != 4 {
		t.Errorf("%d conversations", count)
	}
}

// Whatever does not fit an operation is told with a code and a hint, in no words of Go.
func TestBodiesThatDoNotFit(t *testing.T) {
	t.Parallel()
	s, service := server(t, nil)
	created(t, service, "one", logtest.Long(5))
	w := asked(t, s, "POST", "/api/conversations/one/entries", "", `{"entries":[{"kind":"user_message","text":5}]}`)
	if p := answerOf[shape.Problem](t, w, 422); p.Detail != "body.entries[0]: /text is a number, not a string" {
		t.Error(p.Detail)
	}
	for _, path := range []string{"/api/conversations", "/api/conversations/one/entries", "/api/conversations/one/plans", "/api/conversations/one/undo"} {
		for _, body := range []string{"", "{", "[]", "null", `{"zzz":1}`, `{"ID":"b"}`, `{"Entries":[]}`, `{"Keep":"1"}`, `{"All":true}`, `"text"`, "7"} {
			w := asked(t, s, "POST", path, "", body)
			p := answerOf[shape.Problem](t, w, w.Code)
			if w.Code < 400 || w.Code >= 500 || p.Code != "usage" || p.Hint == "" || strings.Contains(p.Detail, "Go ") || strings.Contains(p.Detail, "struct") {
				t.Errorf("%s with %q: %d %+v", path, body, w.Code, p)
			}
		}
	}
}
