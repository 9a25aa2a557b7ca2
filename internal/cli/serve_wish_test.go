package cli

import (
	"bufio"
	"bytes"
	"io"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tenfold/internal/cli/command"
	"tenfold/internal/cli/serve"
	"tenfold/internal/cli/terminal"
	"tenfold/internal/web"
	"tenfold/internal/web/shape"
)

// api is the page's API over the store of the environment, with a configuration.
func api(t *testing.T, config ...string) *web.Server {
	t.Helper()
	a := &command.App{Now: time.Now, Terminal: &terminal.Terminal{In: strings.NewReader(""), Out: bufio.NewWriter(io.Discard), Err: io.Discard}}
	if err := Root(a).ParseFlags(config); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	s := web.New(web.Options{Backend: &serve.Backend{App: a}})
	t.Cleanup(func() {
		_ = s.Close()
		_ = a.Close()
	})
	return s
}

// posted is what the API answers.
func posted(t *testing.T, s *web.Server, path string, w shape.Wish) (int, map[string]jsontext.Value) {
	t.Helper()
	body, err := json.Marshal(w)
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequestWithContext(t.Context(), "POST", "/api/conversations/"+path, bytes.NewReader(body))
	out := httptest.NewRecorder()
	s.ServeHTTP(out, r)
	return out.Code, result[map[string]jsontext.Value](t, out.Body.String())
}

// A wish means what the flags of "conversation compact" mean: what the page tries is
// what the command line says, warnings and quoted summaries included, and no model
// is called for it.
func TestAWishIsACommand(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TENFOLD_STORE", "sqlite://"+filepath.Join(dir, "t.db"))
	t.Setenv("XDG_CONFIG_HOME", dir)
	config := asksFile(t, dir, "")
	run := func(args ...string) string {
		t.Helper()
		return tenfoldAs(t, "", append(args, config...)...)
	}
	run("c", "import", "testdata/bakery.jsonl")
	id := strings.TrimSpace(readFile(t, filepath.Join(dir, "t.db.active")))
	check := func(w shape.Wish, flags ...string) {
		t.Helper()
		want := result[map[string]any](t, run(append([]string{"c", "compact", "--dry-run", "--json"}, flags...)...))
		code, trial := posted(t, api(t, config...), id+"/plan", w)
		got := result[map[string]any](t, string(trial["report"]))
		if code != 200 || !reflect.DeepEqual(got, want) {
			t.Errorf("%v: %d\n%v\nthe command line says\n%v", flags, code, got, want)
		}
	}
	check(shape.Wish{})
	check(shape.Wish{Strategies: []string{"strip-tools:over=100", "strip-reasoning"}, Keep: "1"}, "--strategy", "strip-tools:over=100", "--strategy", "strip-reasoning", "--keep", "1")
	check(shape.Wish{Profile: "heavy", To: "2"}, "--profile", "heavy", "--to", "2")
	check(shape.Wish{Target: "30%"}, "--target", "30%")
	check(shape.Wish{From: "1", To: "-2", Profile: "light"}, "--from", "1", "--to", "-2", "--profile", "light")
	check(shape.Wish{To: "2", Summary: "Bread."}, "--to", "2", "--summary", "Bread.")
	check(shape.Wish{To: "99", Strategies: []string{"summarize"}, Focus: "rye"}, "--to", "99", "--strategy", "summarize", "--focus", "rye")
	// What a conversation keeps has no model called (M1a).
	run("c", "compact", "--to", "0", "--cfg", "conversation.compaction.default_profile=heavy", "--cfg", "conversation.compaction.summarizer_model=demo/other", "--strategy", "strip-reasoning")
	check(shape.Wish{To: "2"}, "--to", "2")
	if text := run("c", "compact", "--dry-run", "--json", "--to", "2"); !strings.Contains(text, "cannot make demo/writer be called") {
		t.Errorf("nothing is said of the model: %s", text)
	}
	for name, w := range map[string]shape.Wish{
		"both":     {Profile: "heavy", Strategies: []string{"micro"}},
		"range":    {From: "5", To: "2"},
		"bound":    {From: "someday"},
		"tangents": {Strategies: []string{"classify-tangents"}},
		"profile":  {Profile: "no-such"},
		"outside":  {From: "77"},
	} {
		code, said := posted(t, api(t, config...), id+"/plan", w)
		if code/100 != 4 || len(said["hint"]) < 5 || said["report"] != nil {
			t.Errorf("%s: %d %s", name, code, said)
		}
	}
}

// A model that the person configured writes a summary that they asked for, and a
// conversation's wish does not; files of what was not stored are gone.
func TestAWishMayCallTheConfiguredModel(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TENFOLD_STORE", "sqlite://"+filepath.Join(dir, "t.db"))
	t.Setenv("XDG_CONFIG_HOME", dir)
	const answer = `{"answer":{"summary":"The dough was made and baked.","active_files":[],"open_tasks":[]},"usage":{"input":1300,"output":40}}` + "\n"
	config := asksFile(t, dir, strings.Repeat(answer, 4))
	tenfoldAs(t, "", append([]string{"c", "import", "testdata/bakery.jsonl"}, config...)...)
	id := strings.TrimSpace(readFile(t, filepath.Join(dir, "t.db.active")))
	s := api(t, config...)
	code, said := posted(t, s, id+"/compactions", shape.Wish{Strategies: []string{"summarize"}, To: "2"})
	if code != 200 || !strings.Contains(string(said["compactions"]), `"model":"demo/writer"`) {
		t.Fatalf("%d %s", code, said)
	}
	files, err := os.ReadDir(filepath.Join(dir, "t.sessions"))
	if err != nil || len(files) == 0 {
		t.Errorf("no artifacts: %v", err)
	}
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
