package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"tenfold/internal/cli/command"
	"tenfold/internal/cli/terminal"
	"tenfold/internal/corpustest"
	"tenfold/store/memory"
	"tenfold/store/remote"
)

// TestScripts runs the promises of the command line, one script for each
// command and for each kind of mistake.
func TestScripts(t *testing.T) {
	runScripts(t, "*.txtar", nil)
}

// TestScriptsOnAServer runs those of the "conversation" commands with their
// conversations on another machine, and with TENFOLD_TEST_ALL all of them.
func TestScriptsOnAServer(t *testing.T) {
	which := "conversation_[pu]*.txtar"
	if corpustest.All() {
		which = "*.txtar"
	}
	runScripts(t, which, func(env *testscript.Env) {
		server := httptest.NewServer(remote.Handler(memory.New()))
		env.Defer(server.Close)
		env.Setenv("TENFOLD_STORE", server.URL)
	})
}

// runScripts runs scripts one after the other: a line that begins with "tenfold" is
// run by this process, which then has the script's directory and environment, as
// starting one takes longer than what most lines do. "exec tenfold" is a process, for
// what is about standard input, a terminal or a program of its own. Under the race
// detector some of the scripts are run; CI runs them all without it.
func runScripts(t *testing.T, which string, more func(*testscript.Env)) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "script", which))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	names := namesSet(t, files)
	if corpustest.UnderRace && !corpustest.All() {
		some := files[:0]
		for i := 3; i < len(files); i += 8 {
			some = append(some, files[i])
		}
		files = some
	}
	bin := program(t)
	testscript.RunT(oneByOne{t}, testscript.Params{
		Files:         files,
		UpdateScripts: os.Getenv("UPDATE_SCRIPTS") != "",
		Setup: func(env *testscript.Env) error {
			env.Setenv("XDG_DATA_HOME", filepath.Join(env.WorkDir, "data"))
			env.Setenv("XDG_CONFIG_HOME", filepath.Join(env.WorkDir, "config"))
			env.Setenv("PATH", bin+string(filepath.ListSeparator)+env.Getenv("PATH"))
			env.Setenv(childEnv, "1")
			env.Setenv("TZ", "UTC")
			env.Setenv("TERM", "xterm-256color")
			for _, name := range []string{"testdata/bakery.jsonl", "../../examples/session.jsonl"} {
				data, err := os.ReadFile(filepath.FromSlash(name))
				if err != nil {
					return err
				}
				if err := os.WriteFile(filepath.Join(env.WorkDir, filepath.Base(name)), data, 0o600); err != nil {
					return err
				}
			}
			if more != nil {
				more(env)
			}
			for _, v := range env.Vars {
				name, _, _ := strings.Cut(v, "=")
				names[name] = true
			}
			return nil
		},
		Condition: func(name string) (bool, error) {
			if name != "server" {
				return false, errors.New("no such condition")
			}
			return more != nil, nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"serve": startServer,
			"tenfold": func(ts *testscript.TestScript, neg bool, args []string) {
				environ := []string{"PWD=" + ts.MkAbs(".")}
				for name := range names {
					if value := ts.Getenv(name); value != "" {
						environ = append(environ, name+"="+value)
					}
				}
				code := runHere(ts, environ, args)
				if neg == (code == command.ExitOK) {
					ts.Fatalf("exit code %d", code)
				}
			},
		},
	})
}

// oneByOne is a test whose scripts do not run beside each other.
type oneByOne struct{ *testing.T }

func (t oneByOne) Parallel()     {}
func (t oneByOne) Verbose() bool { return testing.Verbose() }
func (t oneByOne) Run(name string, f func(testscript.T)) {
	t.T.Run(name, func(t *testing.T) { f(oneByOne{t}) })
}

// program gives a directory with the test binary in it by the program's name, for
// PATH.
func program(t *testing.T) string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	binary, err := os.ReadFile(exe)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	name := filepath.Join(dir, "tenfold")
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	if err := os.WriteFile(name, binary, 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

// namesSet gives the names of the environment that scripts set.
func namesSet(t *testing.T, files []string) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	for _, file := range files {
		script, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range regexp.MustCompile(`(?m)^(?:\[.*\] )?env (.*)$`).FindAllSubmatch(script, -1) {
			for _, m := range regexp.MustCompile(`(\w+)=`).FindAllSubmatch(line[1], -1) {
				names[string(m[1])] = true
			}
		}
	}
	return names
}

// runHere runs a command line as [Main] does, but in this process, which has the
// directory and the environment of the script for as long, and gives the exit code.
func runHere(ts *testscript.TestScript, environ, args []string) int {
	dir, err := os.Getwd()
	ts.Check(err)
	work, was := ts.MkAbs("."), os.Environ()
	in, out, errs := os.Stdin, os.Stdout, os.Stderr
	defer func() {
		os.Stdin, os.Stdout, os.Stderr = in, out, errs
		setEnviron(was)
		ts.Check(os.Chdir(dir))
	}()
	os.Stdin, os.Stdout, os.Stderr = scratch(ts), scratch(ts), scratch(ts)
	setEnviron(environ)
	ts.Check(os.Chdir(work))
	code := Run(context.Background(), args, terminal.New(os.Stdin, os.Stdout, os.Stderr))
	said(ts, os.Stdout, ts.Stdout())
	said(ts, os.Stderr, ts.Stderr())
	ts.Check(os.Stdin.Close())
	return code
}

func setEnviron(environ []string) {
	os.Clearenv()
	for _, v := range environ {
		name, value, _ := strings.Cut(v, "=")
		_ = os.Setenv(name, value) // Windows has names that cannot be set
	}
}

// scratch gives an empty file that has no name.
func scratch(ts *testscript.TestScript) *os.File {
	f, err := os.CreateTemp("", "std")
	ts.Check(err)
	ts.Check(os.Remove(f.Name()))
	return f
}

// said passes on what was written to a file, and closes it.
func said(ts *testscript.TestScript, f *os.File, to io.Writer) {
	_, err := f.Seek(0, io.SeekStart)
	ts.Check(err)
	_, err = io.Copy(to, f)
	ts.Check(err)
	ts.Check(f.Close())
}

// startServer is a command of the scripts, "serve NAME ANSWER…": a server that gives
// one answer a request, files in the form of HTTP bodies, the last one again and
// again. A file whose name begins with a number has that status. The address is
// in $NAME, and what was asked is in NAME.txt: method, path, key and body.
func startServer(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: serve NAME ANSWER…")
	}
	name, answers := args[0], args[1:]
	var bodies [][]byte
	for _, file := range answers {
		bodies = append(bodies, []byte(ts.ReadFile(file)))
	}
	log := ts.MkAbs(name + ".txt")
	asked := make(chan int, 1)
	asked <- 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := <-asked
		defer func() { asked <- n + 1 }()
		body, _ := io.ReadAll(r.Body)
		var line bytes.Buffer
		line.WriteString(r.Method + " " + r.URL.Path + " " + r.Header.Get("Authorization") + r.Header.Get("X-Api-Key") + "\n")
		line.Write(append(body, '\n'))
		f, err := os.OpenFile(log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err == nil {
			_, _ = f.Write(line.Bytes())
			_ = f.Close()
		}
		n = min(n, len(bodies)-1)
		status, _, _ := strings.Cut(answers[n], "-")
		code, err := strconv.Atoi(status)
		if err != nil {
			code = http.StatusOK
		}
		w.Header().Set("Content-Type", "text/event-stream")
		w.WriteHeader(code)
		_, _ = w.Write(bodies[n])
	}))
	ts.Defer(s.Close)
	ts.Setenv(name, s.URL)
}
