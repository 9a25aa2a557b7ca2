package toolbox_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tenfold"
	"tenfold/containment"
	"tenfold/toolbox"
)

func TestMain(m *testing.M) {
	containment.Enter()
	os.Exit(inOneDirectory(m))
}

// inOneDirectory runs the tests with a directory for temporary files of their own: that of a
// contained command's cache stays when the command has ended.
func inOneDirectory(m *testing.M) int {
	dir, err := os.MkdirTemp("", "toolbox")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	if err := os.Setenv("TMPDIR", dir); err != nil {
		panic(err)
	}
	return m.Run()
}

// reporter is a test, a fuzz target or a property.
type reporter interface {
	Helper()
	Context() context.Context
	Errorf(format string, args ...any)
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// A bench is a workspace with its tools.
type bench struct {
	reporter
	dir   string
	tools map[string]toolbox.Tool
}

func newBench(t testing.TB, o toolbox.Options) *bench {
	t.Helper()
	return benchAt(t, t.TempDir(), o)
}

func benchAt(t reporter, dir string, o toolbox.Options) *bench {
	t.Helper()
	tools, err := toolbox.Builtin(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{t, dir, map[string]toolbox.Tool{}}
	for _, tool := range tools {
		b.tools[tool.Definition().Name] = tool
	}
	return b
}

// put writes a file of the workspace as somebody else would.
func (b *bench) put(name, content string) {
	b.Helper()
	path := filepath.Join(b.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		b.Fatal(err)
	}
}

func (b *bench) get(name string) string {
	b.Helper()
	data, err := os.ReadFile(filepath.Join(b.dir, filepath.FromSlash(name)))
	if err != nil {
		b.Fatal(err)
	}
	return string(data)
}

func (b *bench) link(target, name string) {
	b.Helper()
	if err := os.Symlink(target, filepath.Join(b.dir, filepath.FromSlash(name))); err != nil {
		b.Fatal(err)
	}
}

// arguments writes pairs of names and values as JSON.
func arguments(pairs ...any) string {
	members := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		members[pairs[i].(string)] = pairs[i+1]
	}
	text, err := json.Marshal(members)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// call runs a tool and gives the text that the model gets, an error's as well.
func (b *bench) call(tool string, pairs ...any) string {
	b.Helper()
	r, err := b.run(tool, toolbox.Call{Arguments: arguments(pairs...)})
	if err != nil {
		return "error: " + err.Error()
	}
	return textOf(r)
}

func (b *bench) run(tool string, c toolbox.Call) (toolbox.Result, error) {
	b.Helper()
	return b.tools[tool].Run(b.Context(), c)
}

func textOf(r toolbox.Result) string {
	var texts []string
	for _, p := range r.Parts {
		texts = append(texts, p.Text)
	}
	return strings.Join(texts, "\n")
}

// want fails unless a call's text holds each of the pieces, and none that begin
// with "!".
func (b *bench) want(got string, pieces ...string) {
	b.Helper()
	for _, piece := range pieces {
		if not, ok := strings.CutPrefix(piece, "!"); ok == strings.Contains(got, not) {
			b.Errorf("got %q, want %q", got, piece)
		}
	}
}

func TestDefinitionsAreValidAndAlwaysTheSame(t *testing.T) {
	t.Parallel()
	one, other := newBench(t, toolbox.Options{}), newBench(t, toolbox.Options{})
	names := []string{"fs_read_file", "fs_list_files", "fs_find_files", "fs_grep_files", "fs_create_file", "fs_modify_file", "shell", "git_diff", "git_commit"}
	if len(one.tools) != len(names) {
		t.Errorf("%d tools, want %d", len(one.tools), len(names))
	}
	for _, name := range names {
		d := one.tools[name].Definition()
		if d != other.tools[name].Definition() {
			t.Errorf("%s is described in two ways", name)
		}
		var s struct {
			Type       string
			Properties map[string]struct{ Type, Description string }
			Required   []string
		}
		if err := json.Unmarshal([]byte(d.Schema), &s); err != nil || s.Type != "object" || len(s.Properties) == 0 || d.Description == "" {
			t.Errorf("%s: %v in %s", name, err, d.Schema)
		}
		for _, r := range s.Required {
			if s.Properties[r].Description == "" {
				t.Errorf("%s requires %s and does not describe it", name, r)
			}
		}
	}
}

func TestArguments(t *testing.T) {
	t.Parallel()
	b := newBench(t, toolbox.Options{})
	b.put("a", "1\n2\n3\n")
	for raw, want := range map[string]string{
		`{"path":"a","start_line":2,"end_line":2}`:          "2\t2\n",
		`{"path":"a","start_line":"2","end_line":2.0}`:      "2\t2\n",
		`{"path":"a","start_line":null,"end_line":1e0}`:     "1\t1\n",
		`{"path":"a","start_line":2.5}`:                     "argument \"start_line\" must be a whole number, not 2.5",
		`{"path":"a","start_line":1e300}`:                   "must be a whole number",
		`{"path":"a","start_line":99999999999999999999999}`: "must be a whole number",
		`{"path":"a","start_line":"NaN"}`:                   "must be a whole number, not NaN",
		`{"path":"a","start_line":true}`:                    "must be a whole number, not true",
		`{"path":"a","start_line":[1]}`:                     "must be a whole number",
		`{"path":"a","start_line":-1}`:                      "lines count from 1",
		`{"path":["a"]}`:                                    `argument "path" must be a string`,
		`{"path":null}`:                                     `argument "path" is missing; fs_read_file takes path, [start_line], [end_line]`,
		`{}`:                                                `argument "path" is missing`,
		``:                                                  `argument "path" is missing`,
		`{"path":"a","offset":3}`:                           `fs_read_file has no argument "offset"; it takes path, [start_line], [end_line]`,
		`{"path":"a","path":"b"}`:                           "not a valid JSON object",
		`{"path":"a"`:                                       "not a valid JSON object",
		`["a"]`:                                             "not a valid JSON object",
		`null`:                                              `argument "path" is missing`,
		"{\"path\":\"a\xff\"}":                              "not a valid JSON object",
		`{"Path":"a"}`:                                      `has no argument "Path"`,
	} {
		r, err := b.run("fs_read_file", toolbox.Call{Arguments: raw})
		got := textOf(r)
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, want) {
			t.Errorf("%s: got %q, want %q", raw, got, want)
		}
		in, intentErr := b.tools["fs_read_file"].Intent(raw)
		if (intentErr == nil) != (in.Effect == toolbox.Reads) {
			t.Errorf("%s: intent %+v with error %v", raw, in, intentErr)
		}
	}
}

func FuzzArguments(f *testing.F) {
	for _, seed := range []string{`{}`, `{"path":"a"}`, `{"path":"../x","start_line":1e9}`, `{"command":"x","timeout":-1}`, `{"pattern":"(","path":"."}`, "{\"path\":\"\\u0000\"}", `{"path":"\ud800"}`, `{"message":"é"}`} {
		f.Add(seed)
	}
	b := newBench(f, toolbox.Options{})
	f.Fuzz(func(t *testing.T, raw string) {
		for name, tool := range b.tools {
			in, err := tool.Intent(raw)
			again, errAgain := tool.Intent(raw)
			if (err == nil) != (errAgain == nil) || in.Subject != again.Subject {
				t.Fatalf("%s: two intents", name)
			}
			if err == nil && in.Effect == "" {
				t.Fatalf("%s: no effect", name)
			}
			if strings.ContainsAny(in.Subject, "\n\r\x1b\x00") || len([]rune(in.Subject)) > 201*10 {
				t.Fatalf("%s: subject %q", name, in.Subject)
			}
			for _, p := range in.Paths {
				if !filepath.IsLocal(filepath.FromSlash(p)) {
					t.Fatalf("%s: path %q", name, p)
				}
			}
			if err != nil && strings.ContainsAny(err.Error(), "\x1b\x00") {
				t.Fatalf("%s: error %q", name, err)
			}
		}
	})
}

func TestIntents(t *testing.T) {
	t.Parallel()
	b := newBench(t, toolbox.Options{})
	b.put("real/f", "x")
	b.link("real", "dir")
	b.link(".git/config", "notes")
	for _, c := range []struct {
		tool, raw string
		want      toolbox.Intent
	}{
		{"fs_read_file", arguments("path", "x/./y/../f"), toolbox.Intent{Effect: toolbox.Reads, Paths: []string{"x/f"}, Subject: "x/./y/../f"}},
		{"fs_read_file", arguments("path", b.dir+"/f"), toolbox.Intent{Effect: toolbox.Reads, Paths: []string{"f"}, Subject: b.dir + "/f"}},
		{"fs_modify_file", arguments("path", "dir/f", "old", "a", "new", "b"), toolbox.Intent{Effect: toolbox.Edits, Paths: []string{"dir/f", "real/f"}, Subject: "dir/f"}},
		{"fs_create_file", arguments("path", "notes", "content", ""), toolbox.Intent{Effect: toolbox.Edits, Paths: []string{"notes", ".git/config"}, Subject: "notes"}},
		{"fs_list_files", `{}`, toolbox.Intent{Effect: toolbox.Reads, Paths: []string{"."}, Subject: "."}},
		{"fs_grep_files", arguments("pattern", "a\nb", "path", "x"), toolbox.Intent{Effect: toolbox.Reads, Paths: []string{"x"}, Subject: "a↵ b in x"}},
		{"shell", arguments("command", "rm -rf /\x1b[2J\u202e"), toolbox.Intent{Effect: toolbox.Commands, Command: "rm -rf /\x1b[2J\u202e", Subject: `rm -rf /\x1b[2J\u202e`}},
		{"git_diff", `{}`, toolbox.Intent{Effect: toolbox.Reads, Paths: []string{"."}, Subject: "."}},
		{"git_commit", arguments("message", "it's"), toolbox.Intent{Effect: toolbox.Commands, Command: `git add --all . && git commit --message='it'\''s'`, Subject: "it's"}},
	} {
		in, err := b.tools[c.tool].Intent(c.raw)
		if err != nil {
			t.Errorf("%s: %v", c.tool, err)
		}
		if got, want := arguments("i", in), arguments("i", c.want); got != want {
			t.Errorf("%s: got %s, want %s", c.tool, got, want)
		}
	}
}

func TestAWorkspaceMustBeADirectory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "f")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{file, filepath.Join(dir, "none")} {
		if _, err := toolbox.Builtin(bad, toolbox.Options{}); err == nil {
			t.Errorf("%s was taken", bad)
		}
	}
}

// outcomes checks that results say how they ended.
func (b *bench) outcome(tool string, want tenfold.Outcome, pairs ...any) string {
	b.Helper()
	r, err := b.run(tool, toolbox.Call{Arguments: arguments(pairs...)})
	if err != nil || r.Outcome != want {
		b.Errorf("%s ended with %q and %v, want %q", tool, r.Outcome, err, want)
	}
	return textOf(r)
}
