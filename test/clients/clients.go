// Package clients starts the real agents that Tenfold is tried with: Claude
// Code, Codex, opencode, pi and Gemini CLI, pinned in package.json and
// installed beside it by npm ("npm install"). Each runs offline in an empty home
// against a [modelserver.Server], without a terminal.
//
// Only tests import it. Starting the clients some two hundred times takes
// minutes, so the tests run where TENFOLD_REQUIRE_CLIENTS=1 is in the
// environment, as in CI; elsewhere they skip and say so.
package clients

import (
	"cmp"
	"context"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"tenfold/internal/proxy/launch"
	"tenfold/test/modelserver"
)

// A Client is one of the agents.
type Client struct {
	// Name is what Tenfold calls its format.
	Name string
	// Wire is what it speaks with the server here.
	Wire modelserver.Wire
	// Reads and Runs are its tools that read a file and run a command, with
	// their arguments.
	Reads func(path string) modelserver.Block
	Runs  func(command string) modelserver.Block

	bin string
	// program is another version of it to start; empty is the one of npm.
	program string
	// prepare writes the configuration that points it at the server.
	prepare func(p *Place) error
	env     func(p *Place) []string
	// piped is set for one that is given its prompts on standard input.
	piped bool
	// begin and resume give the arguments that begin a session, or go on with
	// one.
	begin  func(prompt string) []string
	resume func(s Session, prompt string) []string
	// sessions is a pattern of the files it keeps, below the home.
	sessions string
	// take puts a file that Tenfold wrote where the client looks for it.
	take func(p *Place, file string) Session
}

// A Session is a conversation that a client keeps.
type Session struct {
	ID   string
	Path string // its file; empty for opencode, which keeps a database
}

// A Place is where a client runs: an empty home, a small project and a server.
type Place struct {
	tb     testing.TB
	Client Client
	Home   string
	Dir    string
	URL    string
	Server *modelserver.Server
	// pure has opencode start without plug-ins, for a client that has one.
	pure  bool
	extra []string // of the client's environment
	// lead is what leads the client elsewhere, as "tenfold run" does.
	lead launch.Start
	// runner is a command that starts the client, instead of its own: "tenfold run".
	runner []string
}

// shared is a directory that the tests have in common, and remove.
var shared string

// wait is how long one run of a client may take on a busy machine.
const wait = 3 * time.Minute

// required skips a test that starts clients where they are not required.
func required(tb testing.TB) {
	tb.Helper()
	if os.Getenv("TENFOLD_REQUIRE_CLIENTS") == "" {
		tb.Skip("starts clients: run with TENFOLD_REQUIRE_CLIENTS=1")
	}
}

// At makes a place for a client, and skips the test where clients are not
// required.
func At(tb testing.TB, c Client, s *modelserver.Server) *Place {
	tb.Helper()
	required(tb)
	if c.path() == "" {
		tb.Fatal(c.Name + " is not installed: run npm install in test/clients and test/clients/older")
	}
	h := httptest.NewServer(s)
	tb.Cleanup(h.Close)
	// Short names: some clients make file names of directories.
	root, err := os.MkdirTemp("", "tf")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = os.RemoveAll(root) })
	root, err = filepath.EvalSymlinks(root)
	if err != nil {
		tb.Fatal(err)
	}
	p := &Place{tb: tb, Client: c, Home: filepath.Join(root, "home"), Dir: filepath.Join(root, "demo"), URL: h.URL, Server: s}
	p.Write(filepath.Join(p.Dir, "go.mod"), "module demo\n\ngo 1.26\n")
	p.Write(filepath.Join(p.Dir, "greet.go"), "package demo\n\n// Greet greets.\nfunc Greet(name string) string { return \"hello \" + name }\n"+
		strings.Repeat("\n// The house greets whoever comes in by the front door, and nobody who leaves by it.\n", 20))
	for _, dir := range []string{p.Home, p.temporary()} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			tb.Fatal(err)
		}
	}
	if err := c.prepare(p); err != nil {
		tb.Fatal(err)
	}
	return p
}

// Write writes a file and the directories it needs.
func (p *Place) Write(name, text string) {
	p.tb.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		p.tb.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		p.tb.Fatal(err)
	}
}

func (p *Place) read(name string) string {
	p.tb.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		p.tb.Fatal(err)
	}
	return string(data)
}

// Begin begins a session with a prompt, and gives it with what was printed.
func (p *Place) Begin(prompt string) (Session, string) {
	p.tb.Helper()
	before := p.Sessions()
	out := p.must(prompt, p.Client.begin(prompt))
	for _, s := range p.Sessions() {
		if !known(before, s.ID) {
			return s, out
		}
	}
	p.tb.Fatalf("%s kept no session: %s", p.Client.Name, out)
	return Session{}, out
}

func known(list []Session, id string) bool {
	return slices.ContainsFunc(list, func(s Session) bool { return s.ID == id })
}

// Resume goes on with a session.
func (p *Place) Resume(s Session, prompt string) string {
	p.tb.Helper()
	return p.must(prompt, p.Client.resume(s, prompt))
}

// Take has the client know a session that Tenfold wrote to a file.
func (p *Place) Take(file string) Session {
	p.tb.Helper()
	return p.Client.take(p, file)
}

// Run runs the client and gives what it printed; a failure fails the test.
func (p *Place) Run(args ...string) string {
	p.tb.Helper()
	return p.must("", args)
}

func (p *Place) must(prompt string, args []string) string {
	p.tb.Helper()
	out, err := p.Try(prompt, args...)
	if err != nil {
		p.tb.Fatalf("%s %q: %v\n%s", p.Client.Name, args, err, out)
	}
	return out
}

// Try runs the client, and gives what it printed on both streams and whether
// it failed. The prompt is what a piped client reads.
func (p *Place) Try(prompt string, args ...string) (string, error) {
	return p.start(p.Client.path(), prompt, args...)
}

// start runs a program where and as the client runs.
func (p *Place) start(program, prompt string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), wait)
	defer cancel()
	words := slices.Concat([]string{program}, p.lead.Args, args)
	if p.runner != nil {
		words = slices.Concat(p.runner, args)
	}
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Dir = p.Dir
	if p.Client.piped {
		cmd.Stdin = strings.NewReader(prompt)
	}
	cmd.WaitDelay = time.Minute
	cmd.Env = p.environment()
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// environment is what the client finds in its environment.
func (p *Place) environment() []string {
	// opencode believes PWD rather than the directory it runs in.
	return p.lead.Environ(append([]string{
		"HOME=" + p.Home, "PWD=" + p.Dir, "TERM=xterm-256color", "NO_COLOR=1", "LANG=C.UTF-8",
		"PATH=" + binaries() + string(os.PathListSeparator) + os.Getenv("PATH"),
		// What they leave, some of them megabytes at each start, goes with the place; what Node.js
		// compiled, which all may use, with the tests.
		"TMPDIR=" + p.temporary(), "CLAUDE_CODE_TMPDIR=" + p.temporary(), "NODE_COMPILE_CACHE=" + shared,
		// Nothing is to be installed while it runs, nor tried again for a minute.
		"NPM_CONFIG_REGISTRY=http://127.0.0.1:9", "NPM_CONFIG_FETCH_RETRIES=0",
		"TENFOLD_CONVERSATION_COMPACTION_HOOK_TIME_LIMIT=" + wait.String(), // see patient
	}, slices.Concat(p.Client.env(p), p.extra)...))
}

// patient has an adapter wait for Tenfold as long as the tests wait for a client: what
// a busy machine does not do in time is not what they are about.
func (p *Place) patient(adapter string) {
	p.tb.Helper()
	text := p.read(adapter)
	p.Write(adapter, limits.ReplaceAllString(text, "${1}"+strconv.FormatInt(wait.Milliseconds(), 10)))
	if p.read(adapter) == text {
		p.tb.Fatalf("%s has no limit", adapter)
	}
}

// limits are those of the adapters.
var limits = regexp.MustCompile(`(const (?:limit|SLOW) = )[\d_]+`)

// data is where Tenfold keeps what it stores and is configured.
func (p *Place) data() string { return filepath.Join(filepath.Dir(p.Home), "tenfold") }

// temporary is the directory for temporary files, of the client and of Tenfold.
func (p *Place) temporary() string { return filepath.Join(filepath.Dir(p.Home), "tmp") }

// binaries is where npm puts the clients' commands.
func binaries() string {
	_, file, _, _ := runtime.Caller(0) //nolint:dogsled // the file alone is wanted
	return filepath.Join(filepath.Dir(file), "node_modules", ".bin")
}

func (c Client) path() string {
	name := cmp.Or(c.program, filepath.Join(binaries(), c.bin))
	if _, err := os.Stat(name); err != nil {
		return ""
	}
	return name
}

// Sessions lists what the client keeps, in the order of its files' names.
func (p *Place) Sessions() []Session {
	p.tb.Helper()
	if p.Client.sessions == "" {
		return p.opencodeSessions()
	}
	files, err := filepath.Glob(filepath.Join(p.Home, filepath.FromSlash(p.Client.sessions)))
	if err != nil {
		p.tb.Fatal(err)
	}
	var list []Session
	for _, file := range files {
		list = append(list, Session{ID: idOf(file), Path: file})
	}
	return list
}

// idOf is the id in the name of a session's file: what follows the time.
func idOf(file string) string {
	name := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	const uuid = 36
	if len(name) > uuid {
		return name[len(name)-uuid:]
	}
	return name
}
