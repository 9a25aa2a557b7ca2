package cli

import (
	"bufio"
	"bytes"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tenfold/body"
	"tenfold/internal/cli/command"
	"tenfold/internal/cli/terminal"
	"tenfold/internal/corpustest"
	"tenfold/session"
	"tenfold/store/sqlite"
	"tenfold/test/modelserver"
	"tenfold/token"
	"tenfold/transcript"
)

// takenOver are the clients whose sessions are taken over, with how their own
// tools are called to read a file and to run a command, and a sample that stands
// in for a real session.
var takenOver = []struct {
	client, sample string
	read, Run      modelserver.Block
}{
	{"claude-code", "../../examples/session.jsonl", modelserver.Call("Read", `{"file_path":"a.txt"}`), modelserver.Call("Bash", `{"command":"echo took-$((40+2))"}`)},
	{"codex", "codex/session.jsonl", modelserver.Call("exec_command", `{"cmd":"cat a.txt"}`), modelserver.Call("shell", `{"command":["bash","-lc","echo took-$((40+2))"]}`)},
	{"opencode", "opencode/session.json", modelserver.Call("read", `{"filePath":"a.txt"}`), modelserver.Call("bash", `{"command":"echo took-$((40+2))"}`)},
	{"pi", "pi/linear.jsonl", modelserver.Call("read", `{"path":"a.txt"}`), modelserver.Call("bash", `{"command":"echo took-$((40+2))"}`)},
	{"gemini-cli", "gemini-cli/lines.jsonl", modelserver.Call("read_file", `{"file_path":"a.txt"}`), modelserver.Call("run_shell_command", `{"command":"echo took-$((40+2))"}`)},
}

// A wire is a vendor's API and the settings of a provider that speaks it.
var takeOverWires = []struct {
	settings string
	path     string
	profile  body.Profile
}{
	{`type = "anthropic"`, "", body.Anthropic()},
	{"type = \"openai\"\napi = \"responses\"", "/v1", body.OpenAIResponses()},
	{"type = \"openai\"\napi = \"chat\"", "/v1", body.OpenAIChat()},
	{`type = "gemini"`, "", body.Gemini()},
}

// A session of each of five agents is taken over and goes on for three steps, on
// each of the four wires: the first request, and each other one, is valid for the
// provider and within the window; calls by the names of the agent's own tools are
// served; the session that was imported stays as the agent's file says.
func TestTakeOver(t *testing.T) {
	const window = 32_000
	for i, one := range takenOver {
		t.Run(one.client, func(t *testing.T) {
			path := sessionToTakeOver(t, one.client, one.sample)
			for j, wire := range takeOverWires {
				// Each session goes to one wire, and to all of them on demand.
				if !corpustest.All() && j != i%len(takeOverWires) && one.client != "claude-code" {
					continue
				}
				t.Run(wire.profile.Name, func(t *testing.T) {
					server := modelserver.New(modelserver.Sequence(
						modelserver.Calls(one.read), modelserver.Calls(one.Run), modelserver.Text("It says bread."), modelserver.Text("Still bread."),
					))
					h := httptest.NewServer(server)
					defer h.Close()
					dir := t.TempDir()
					t.Setenv("TAKE_OVER_KEY", "k")
					config := fmt.Sprintf("[model]\nname = \"srv/m\"\n[models.\"srv/m\"]\ncontext_window = %d\n[providers.srv]\napi_key_env = \"TAKE_OVER_KEY\"\n%s\nbase_url = %q\n", window, wire.settings, h.URL+wire.path)
					for name, text := range map[string]string{"c.toml": config, "a.txt": "bread\n"} {
						if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
							t.Fatal(err)
						}
					}
					t.Setenv("TENFOLD_STORE", "sqlite://"+filepath.Join(dir, "t.db"))
					t.Chdir(dir)
					out, errs, code := ask(t, "--resume", path, "--allow", "shell", "go on")
					if code != command.ExitOK || out != "It says bread.\n" {
						t.Fatalf("the exit code is %d\n%s\n%s", code, out, errs)
					}
					out, errs, code = ask(t, "and now?")
					if code != command.ExitOK || out != "Still bread.\n" {
						t.Fatalf("afterwards the exit code is %d\n%s\n%s", code, out, errs)
					}
					requests := server.Main()
					if len(requests) != 4 || len(server.Problems()) > 0 {
						t.Fatalf("%d requests, problems: %v", len(requests), server.Problems())
					}
					for n, r := range requests {
						if wrong := wire.profile.Check(r.Body); len(wrong) > 0 {
							t.Errorf("request %d: %v", n, wrong[0])
						}
						if used := token.O200k().Count(string(r.Body)); used > window {
							t.Errorf("request %d has %d tokens, for a window of %d", n, used, window)
						}
					}
					last := string(requests[2].Body)
					if !strings.Contains(last, "bread") || !strings.Contains(last, "took-42") {
						t.Errorf("the calls were not served: %s", last[max(0, len(last)-2000):])
					}
					checkTakenOver(t, dir, one.client, path, window)
				})
			}
		})
	}
}

// sessionToTakeOver is a real session of the corpus, of a size that does not take
// long, or the sample that comes with the tests.
func sessionToTakeOver(t *testing.T, client, sample string) string {
	t.Helper()
	if corpustest.Dir() == "" {
		path, err := filepath.Abs(filepath.Join("..", "..", "transcript", "testdata", sample))
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	files := corpustest.Files(t, client)
	i := slices.IndexFunc(files, func(f corpustest.File) bool {
		return f.Bytes < 1<<20 && f.Conversations == 1 && f.Calls > 0
	})
	if corpustest.All() {
		i = 0 // the largest
	}
	return files[max(i, 0)].Path
}

// checkTakenOver looks at what is stored: the conversation as it was imported, and
// the copy that went on.
func checkTakenOver(t *testing.T, dir, client, path string, window int) {
	t.Helper()
	st, err := sqlite.Open(t.Context(), filepath.Join(dir, "t.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	service := session.NewService(st)
	active, err := command.ActiveFile(filepath.Join(dir, "t.db.active")).Get()
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for c, err := range service.List(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		seen++
		s, err := service.Open(t.Context(), c.ID)
		if err != nil {
			t.Fatal(err)
		}
		if c.ID == active {
			if used := s.Projection().Totals().All().After; used > window {
				t.Errorf("the view has %d tokens", used)
			}
			for _, p := range body.Profiles() {
				data, err := p.Write(s.Projection())
				if err != nil {
					t.Fatal(err)
				}
				if wrong := p.Check(data); len(wrong) > 0 {
					t.Errorf("%s: %v", p.Name, wrong[0])
				}
			}
			continue
		}
		var file transcript.Collector
		f, err := transcript.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		err = transcript.Import(t.Context(), f.Source, transcript.Format(client), &file)
		_ = f.Close()
		if err != nil {
			t.Fatal(err)
		}
		if want := int64(len(file.Conversations[0].Entries)); s.Log().Version() != want {
			t.Errorf("what was imported has %d entries now, the file %d", s.Log().Version(), want)
		}
	}
	if seen != 2 {
		t.Errorf("there are %d conversations", seen)
	}
}

// ask runs "tenfold query" here.
func ask(t *testing.T, args ...string) (out, errs string, code int) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	term := &terminal.Terminal{In: strings.NewReader(""), Out: bufio.NewWriter(&stdout), Err: &stderr}
	code = Run(t.Context(), append([]string{"query", "--config", "c.toml"}, args...), term)
	return stdout.String(), stderr.String(), code
}
