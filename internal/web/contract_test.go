package web

import (
	"bytes"
	stdjson "encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json"
	"github.com/google/jsonschema-go/jsonschema"

	"tenfold"
	"tenfold/internal/corpustest"
	"tenfold/internal/logtest"
	"tenfold/internal/web/door"
	"tenfold/internal/web/look"
	"tenfold/internal/web/shape"
	"tenfold/session"
	"tenfold/store/sqlite"
	"tenfold/token"
	"tenfold/transcript"
)

// The document in the repository, of which the page's client is made, is that of
// the operations.
func TestTheDocumentIsCurrent(t *testing.T) {
	t.Parallel()
	want, err := Document()
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("openapi.json is not current: go generate ./internal/web")
	}
}

// contract is the document as a validator that shares no code with the server: the
// schema of each response, by operation, status and type of content.
var contract = sync.OnceValues(func() (map[string]*jsonschema.Resolved, error) {
	text, err := Document()
	if err != nil {
		return nil, err
	}
	text = bytes.ReplaceAll(text, []byte("#/components/schemas/"), []byte("#/$defs/"))
	var doc struct {
		Paths map[string]map[string]struct {
			Responses map[string]struct {
				Content map[string]struct{ Schema stdjson.RawMessage }
			}
		}
		Components struct{ Schemas stdjson.RawMessage }
	}
	if err := stdjson.Unmarshal(text, &doc); err != nil {
		return nil, err
	}
	all, made := map[string]*jsonschema.Resolved{}, map[string]*jsonschema.Resolved{}
	for path, operations := range doc.Paths {
		for method, op := range operations {
			for status, response := range op.Responses {
				key := strings.ToUpper(method) + " " + path + " " + status
				if all[key] = nil; len(response.Content) == 0 {
					continue
				}
				for kind, content := range response.Content {
					text := string(content.Schema)
					if made[text] == nil { // of most there are many, as of what goes wrong
						var schema jsonschema.Schema
						if err := stdjson.Unmarshal([]byte(`{"$defs":`+string(doc.Components.Schemas)+`,"allOf":[`+text+`]}`), &schema); err != nil {
							return nil, err
						}
						if made[text], err = schema.Resolve(nil); err != nil {
							return nil, err
						}
					}
					all[key+" "+kind] = made[text]
				}
			}
		}
	}
	return all, nil
})

// keepsContract holds a response against the document.
func keepsContract(t testing.TB, r *http.Request, pattern string, w *httptest.ResponseRecorder) {
	t.Helper()
	if pattern == "" {
		return // no operation: the document says nothing
	}
	all, err := contract()
	if err != nil {
		t.Fatal(err)
	}
	key := pattern + " " + strconv.Itoa(w.Code)
	if w.Code >= 400 {
		key = pattern + " default"
	}
	if _, known := all[key]; !known {
		t.Fatalf("%s %s: the document has no %s", r.Method, r.URL, key)
	}
	kind, _, _ := strings.Cut(w.Header().Get("Content-Type"), ";")
	if w.Code == http.StatusNoContent || w.Code == http.StatusAccepted || w.Code == http.StatusNotModified {
		if w.Body.Len() > 0 {
			t.Errorf("%s %s: %d with a body", r.Method, r.URL, w.Code)
		}
		return
	}
	schema := all[key+" "+kind]
	if schema == nil {
		t.Fatalf("%s %s: the document has no %s with %q", r.Method, r.URL, key, kind)
	}
	if !utf8.Valid(w.Body.Bytes()) {
		t.Errorf("%s %s: not UTF-8", r.Method, r.URL)
	}
	if kind == "text/event-stream" {
		return // each event by itself, where it is read
	}
	validates(t, r.Method+" "+r.URL.String(), schema, w.Body.Bytes())
	if w.Code < 400 && kind == "application/json" {
		readsAs(t, pattern, w.Body.Bytes())
	}
}

// validates holds a value against its schema.
func validates(t testing.TB, what string, schema *jsonschema.Resolved, data []byte) {
	t.Helper()
	var value any
	if err := json.Unmarshal(data, &value); err != nil {
		t.Errorf("%s: %v", what, err)
	} else if err := schema.Validate(value); err != nil {
		t.Errorf("%s: %v\n%.500s", what, err, data)
	}
}

// readsAll asks every reading operation about a conversation and holds the answers
// against the document, the projection and each other.
func readsAll(t *testing.T, s *Server, open *session.Session) {
	t.Helper()
	id, l, view := open.ID(), open.Log(), open.Projection()
	scale := token.Calibrate(l)
	at := "/api/conversations/" + id
	c := get[shape.Conversation](t, s, at, http.StatusOK)
	all := view.Totals().All()
	if c.Tokens.Before != scale.Tokens(all.Before) || c.Tokens.After != scale.Tokens(all.After) || c.Entries != l.Version() || c.Turns != l.Turns() {
		t.Errorf("%s: %+v is not %+v", id, c.ConversationRow, all)
	}
	o := get[shape.Outline](t, s, at+"/outline", http.StatusOK)
	n := int(l.Version())
	for name, column := range map[string]int{
		"kind": len(o.Kind), "turn": len(o.Turn), "step": len(o.Step), "before": len(o.Before), "after": len(o.After), "fate": len(o.Fate),
		"by": len(o.By), "pair": len(o.Pair), "flags": len(o.Flags),
	} {
		if column != n {
			t.Fatalf("%s: column %s of the outline has %d of %d", id, name, column, n)
		}
	}
	seq := int64(0)
	for seq < l.Version() {
		rows := get[shape.Rows](t, s, at+"/rows?limit=70&from="+strconv.FormatInt(seq+1, 10), http.StatusOK)
		if len(rows.Items) == 0 {
			t.Fatalf("%s: no row after %d", id, seq)
		}
		for _, r := range rows.Items {
			if seq++; r.Seq != seq {
				t.Fatalf("%s: row %d where %d was expected", id, r.Seq, seq)
			}
			i := seq - 1
			if r.Kind != o.Kinds[o.Kind[i]] || r.Turn != o.Turn[i] || r.Step != o.Step[i] || r.Before != o.Before[i] || r.After != o.After[i] ||
				r.Fate != o.Fates[o.Fate[i]] || r.Pair != o.Pair[i] || r.Pinned != (o.Flags[i]&look.FlagPinned != 0) {
				t.Errorf("%s: row %+v is not what the outline has at %d", id, r, i)
			}
			if by := o.By[i]; (by < 0) != (r.By == "") || by >= 0 && c.Compactions[by].ID != r.By {
				t.Errorf("%s: row %d is by %q, in the outline by %d", id, seq, r.By, by)
			}
			e, _ := l.Entry(seq)
			reader := view
			if e.Branch != "" {
				reader = tenfold.ProjectBranch(l, e.Branch)
			}
			fate, by, after := reader.Fate(seq)
			if r.Fate != fate.String() || r.By != by || r.After != scale.Tokens(after) || r.Before != scale.Tokens(e.Tokens) || r.Why != reader.Why(seq).String() {
				t.Errorf("%s: row %+v, the projection has %s by %q, %d tokens", id, r, fate, by, after)
			}
			if utf8.RuneCountInString(r.Text) > look.LineLength || strings.ContainsAny(r.Text+r.Label, "\n\r\t\x1b") {
				t.Errorf("%s: row %d has %q", id, seq, r.Text)
			}
		}
	}
	for _, probe := range []int64{1, l.Version()/2 + 1, l.Version()} {
		if probe < 1 || probe > l.Version() {
			continue
		}
		e, _ := l.Entry(probe)
		got := get[shape.Entry](t, s, at+"/entries/"+strconv.FormatInt(probe, 10)+"?limit=100000", http.StatusOK)
		want := strings.ToValidUTF8(look.Text(e.Payload), "")
		if got.Length <= 100_000 && strings.ReplaceAll(got.Raw, "\ufffd", "") != strings.ReplaceAll(want, "\ufffd", "") {
			t.Errorf("%s: entry %d is %.200q, not %.200q", id, probe, got.Raw, want)
		}
	}
	for _, m := range s.backendProviders() {
		v := get[shape.View](t, s, at+"/view?body=true&limit=5000&provider="+m, http.StatusOK)
		if len(v.Problems) > 0 {
			t.Errorf("%s: %s would refuse %v", id, m, v.Problems)
		}
		if items := view.List(); len(v.Sizes) != len(items) || v.Total != len(items) || v.Cached > v.Total || len(v.Items) != min(len(items), 5000) {
			t.Errorf("%s: a view of %d items (%d given), not %d", id, v.Total, len(v.Items), len(items))
		}
		if !stdjson.Valid([]byte(v.Body)) {
			t.Errorf("%s: the body for %s is not JSON", id, m)
		}
	}
	get[list[shape.Hit]](t, s, at+"/search?q=the", http.StatusOK)
	get[shape.Problem](t, s, at+"/entries/"+strconv.FormatInt(l.Version()+1, 10), http.StatusNotFound)
	get[shape.Problem](t, s, at+"/search?q=%20..", http.StatusBadRequest)
	get[shape.Problem](t, s, at+"/view?provider=nobody", http.StatusBadRequest)
	if v := get[shape.View](t, s, at+"/view?from=9223372036854775807", http.StatusOK); len(v.Items) > 0 || v.Total != len(view.List()) {
		t.Errorf("%s: after the end of the view: %d of %d items", id, len(v.Items), v.Total)
	}
}

func (s *Server) backendProviders() []string {
	return []string{"anthropic", "openai-chat", "openai-responses", "gemini"}
}

// Whatever a log holds, each answer is as the document says, and says what the
// projection does.
func TestAnswersKeepTheContract(t *testing.T) {
	t.Parallel()
	s, service := server(t, nil)
	logs := 30
	if corpustest.All() {
		logs = 1000
	}
	for seed := range logs {
		id := "drawn" + strconv.Itoa(seed)
		open, err := service.Create(t.Context(), session.Create{ID: id, Title: id, Entries: logtest.Entries(48).Example(seed)})
		if err != nil {
			t.Fatal(err)
		}
		readsAll(t, s, open)
	}
	all := get[shape.Conversations](t, s, "/api/conversations?limit=7&totals=true", http.StatusOK)
	got := len(all.Items)
	for all.Next != "" {
		all = get[shape.Conversations](t, s, "/api/conversations?limit=7&totals=true&cursor="+all.Next, http.StatusOK)
		got += len(all.Items)
	}
	if got != logs || *all.Total != logs {
		t.Errorf("%d of %d conversations, total %d", got, logs, *all.Total)
	}
	get[shape.Meta](t, s, "/api/meta", http.StatusOK)
	get[list[shape.Hit]](t, s, "/api/search?q=a", http.StatusOK)
	get[shape.Problem](t, s, "/api/conversations?cursor=x", http.StatusBadRequest)
	get[shape.Problem](t, s, "/api/conversations?since=x", http.StatusBadRequest)
	get[shape.Problem](t, s, "/api/conversations?projekt=x", http.StatusUnprocessableEntity)
}

// So are those about sessions that people had.
func TestAnswersAboutTheCorpusKeepTheContract(t *testing.T) {
	t.Parallel()
	st, err := sqlite.Open(t.Context(), t.TempDir()+"/store.db")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	s, service := server(t, st)
	files := corpustest.Files(t, "claude-code", "codex", "opencode", "gemini-cli", "pi")
	for i, f := range files {
		if !corpustest.All() && (i%40 != 0 || f.Bytes > 1<<20) {
			continue
		}
		file, err := transcript.Open(f.Path)
		if err != nil {
			t.Fatal(err)
		}
		var read transcript.Collector
		err = transcript.Import(t.Context(), file.Source, "", &read)
		_ = file.Close()
		if err != nil || len(read.Conversations) == 0 {
			continue
		}
		open, err := service.Create(t.Context(), session.Create{Title: f.Name, Entries: read.Conversations[0].Entries})
		if err != nil {
			t.Fatal(err)
		}
		readsAll(t, s, open)
	}
}

// Each operation says what a token needs for it, in words that tokens have, and the
// table of those that write names no other.
func TestOperationsNeedScopes(t *testing.T) {
	t.Parallel()
	s := &Server{}
	s.declare()
	named := map[string]bool{}
	for path, item := range s.api.OpenAPI().Paths {
		for _, op := range operationsOf(item) {
			named[op.OperationID] = true
			if len(op.Security) != 1 || len(op.Security[0][tokenScheme]) == 0 {
				t.Errorf("%s %s needs %v", op.Method, path, op.Security)
				continue
			}
			for _, scope := range op.Security[0][tokenScheme] {
				if !slices.Contains([]string{scopeRead, scopeAppend, scopeCompact, scopeAdmin, scopeOperator}, scope) {
					t.Errorf("%s %s needs %q", op.Method, path, scope)
				}
				if reads := op.Method == http.MethodGet || door.OnlyReads(path); scope == scopeRead && !reads || reads && scope != scopeRead && scope != scopeAdmin {
					t.Errorf("%s %s needs %q", op.Method, path, scope)
				}
			}
		}
	}
	for name := range scopes {
		if !named[name] {
			t.Errorf("the table of scopes has %q, which is not an operation", name)
		}
	}
	if got := scopesOf(&huma.Operation{OperationID: "new", Method: http.MethodPost}); !slices.Equal(got, []string{scopeOperator}) {
		t.Errorf("an operation that is not in the table needs %v", got)
	}
}
