//go:build unix

// Package fleet runs a fleet of real processes: a PostgreSQL server of the system's
// binaries, and programs as "tenfold serve" starts them, with agents that work through
// them as on other machines. TestChaos breaks what it can and looks whether anything
// was lost, doubled or spoilt; TestLoad measures.
//
// The environment says how much:
//
//	TENFOLD_TEST_FLEET_CHAOS=30m   how long chaos goes on (20 seconds)
//	TENFOLD_TEST_FLEET_SEED=7      what is drawn at random; printed at the start
//	TENFOLD_TEST_FLEET_CLOCKS=1    servers whose clocks are an hour off, each its own way:
//	                               the program is built over another standard library
//	TENFOLD_TEST_FLEET_RACE=1      servers with the race detector
//	TENFOLD_TEST_FLEET_LOAD=1      the load of issue 20, with a table of figures
//	TENFOLD_TEST_FLEET_PROFILE=/d  profiles of the servers in a directory, and what the
//	                               database did
package fleet

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"tenfold/store/postgres/pgtest"
)

// A fleet is a database and the programs that serve it.
type fleet struct {
	t       testing.TB
	dir     string
	pg      *pgtest.Server
	direct  string // the database's URL, past all that breaks
	way     *cut   // between the programs and the database
	token   string
	program string
	servers []*server
	tenants []*tenantOf
}

// due is from how many tokens on a conversation is compacted by a job.
const due = 4000

// configuration has conversations become due early.
const configuration = `
[conversation.compaction]
keep_tokens = "1k"

[conversation.compaction.auto]
threshold = "4000"
`

// patience is how long something may take on a busy machine before it is taken for
// broken.
const patience = 2 * time.Minute

// newFleet starts a database and so many programs. The lines between them can be cut
// unless they are straight.
func newFleet(t testing.TB, servers int, straight bool, settings ...string) *fleet {
	t.Helper()
	f := &fleet{t: t, dir: t.TempDir(), token: strings.Repeat("a-token-of-tests-", 3)}
	var err error
	if f.program, err = program(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(f.dir, "token"), []byte(f.token), 0o600); err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(f.dir, "tenfold", "config.toml")
	if err := os.MkdirAll(filepath.Dir(config), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(config, []byte(configuration), 0o600); err != nil {
		t.Fatal(err)
	}
	f.pg = pgtest.Start(t, settings...)
	f.direct = f.pg.Database(t)
	u, err := url.Parse(f.direct)
	if err != nil {
		t.Fatal(err)
	}
	if !straight {
		f.way = newCut(t, "unix", filepath.Join(u.Query().Get("host"), ".s.PGSQL.5432"))
		u.Host, u.RawQuery = f.way.address(), "sslmode=disable"
	}
	f.tenants = f.withTenants()
	for i := range servers {
		s := &server{fleet: f, name: fmt.Sprintf("server%d", i), store: u.String()}
		if !straight {
			s.way = newCut(t, "tcp", "")
		}
		f.servers = append(f.servers, s)
		t.Cleanup(s.kill)
	}
	for _, s := range f.servers {
		if s.start(); !s.running() {
			t.Fatalf("%s does not start", s.name)
		}
	}
	return f
}

// A server is one program. Its methods are for one goroutine.
type server struct {
	*fleet
	name  string
	store string
	ahead time.Duration // its clock is
	way   *cut          // before it, which keeps its address when it starts again; nil for none
	at    string        // where it listens itself
	cmd   *exec.Cmd
	said  *lastWords
	ended chan struct{} // when the process has
}

// start starts it. It is up when start returns, unless it ended.
func (s *server) start() {
	s.t.Helper()
	home := filepath.Join(s.dir, s.name)
	s.cmd = exec.Command(s.program, "serve", "--addr", "127.0.0.1:0", "--token-file", filepath.Join(s.dir, "token"), "--no-open", "--json")
	s.cmd.Env = []string{
		"HOME=" + home, "XDG_DATA_HOME=" + home, "XDG_CONFIG_HOME=" + s.dir, "XDG_STATE_HOME=" + home, "TENFOLD_STORE=" + s.store,
		"FLEET_TEST_PROFILE=" + os.Getenv("TENFOLD_TEST_FLEET_PROFILE"),
		"FLEET_TEST_CLOCK_AHEAD=" + fmt.Sprint(int64(s.ahead.Seconds())),
	}
	s.cmd.Dir = s.dir
	s.said = &lastWords{}
	s.cmd.Stderr = s.said
	out, err := s.cmd.StdoutPipe()
	if err == nil {
		err = s.cmd.Start()
	}
	if err != nil {
		s.t.Fatal(err)
	}
	up := make(chan string, 1)
	ended := make(chan struct{})
	s.ended = ended
	cmd := s.cmd
	go func() {
		defer close(ended)
		lines := bufio.NewScanner(out)
		var all []byte
		for lines.Scan() {
			all = append(all, lines.Bytes()...)
			var says struct{ Address string }
			if json.Unmarshal(all, &says) == nil && says.Address != "" {
				up <- says.Address
				break
			}
		}
		for lines.Scan() {
		}
		_ = cmd.Wait()
	}()
	select {
	case s.at = <-up:
		if s.way != nil {
			s.way.lead(s.at)
		}
	case <-ended:
		// As where the database is away: whoever started it starts it again.
		s.t.Logf("%s ended: %s", s.name, s.said)
	case <-time.After(patience):
		s.t.Fatalf("%s does not start: %s", s.name, s.said)
	}
}

// running reports whether the process goes on.
func (s *server) running() bool {
	if s.cmd == nil {
		return false
	}
	select {
	case <-s.ended:
		return false
	default:
		return true
	}
}

// kill ends it with SIGKILL, as a crash would.
func (s *server) kill() {
	if s.cmd != nil {
		_ = s.cmd.Process.Kill() // it may have ended
		<-s.ended
		s.cmd = nil
	}
}

// address is where others reach it.
func (s *server) address() string {
	if s.way != nil {
		return "http://" + s.way.address()
	}
	return "http://" + s.at
}

// lastWords keeps the end of what a program says.
type lastWords struct {
	mu   sync.Mutex
	text []byte
}

func (w *lastWords) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.text = append(w.text, b...)
	w.text = w.text[max(0, len(w.text)-64<<10):]
	return len(b), nil
}

func (w *lastWords) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return string(w.text)
}

// program builds the program, once, without cgo as CI has done before, so that little is
// left to do. It is removed when all tests have ended.
var program = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "fleet")
	if err != nil {
		return "", err
	}
	built = dir
	args, cgo := []string{"build", "-ldflags=-s -w", "-o", filepath.Join(dir, "tenfold")}, "0"
	if os.Getenv("TENFOLD_TEST_FLEET_RACE") == "1" {
		args, cgo = append(args, "-race"), "1"
	}
	if clocksOff() || profiled() {
		file, err := overlay(dir)
		if err != nil {
			return "", err
		}
		args = append(args, "-overlay", file)
	}
	cmd := exec.CommandContext(context.Background(), "go", append(args, "tenfold/cmd/tenfold")...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED="+cgo)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build: %w\n%s", err, out)
	}
	return filepath.Join(dir, "tenfold"), nil
})

var built string // the directory; empty until then

func TestMain(m *testing.M) {
	code := m.Run()
	if built != "" {
		_ = os.RemoveAll(built)
	}
	os.Exit(code)
}

func clocksOff() bool { return os.Getenv("TENFOLD_TEST_FLEET_CLOCKS") == "1" }

// overlay says what the program is built of in the place of its own files, and writes
// that.
func overlay(dir string) (string, error) {
	files, replace := map[string]string{}, map[string]string{}
	if clocksOff() {
		name, text, err := otherClock()
		if err != nil {
			return "", err
		}
		files["time.go"], replace[name] = text, filepath.Join(dir, "time.go")
	}
	if profiled() {
		root, err := filepath.Abs("../..")
		if err != nil {
			return "", err
		}
		files["profiler.go"], replace[filepath.Join(root, "cmd", "tenfold", "profiler.go")] = profiler, filepath.Join(dir, "profiler.go")
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	files["overlay.json"] = string(text)
	for name, text := range files {
		err = errors.Join(err, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	return filepath.Join(dir, "overlay.json"), err
}

// otherClock gives the file of the standard library with the clock, changed: it is ahead
// by FLEET_TEST_CLOCK_AHEAD seconds. All of the program, and whatever library it is made
// of, takes that for the time. Timers and durations go by the monotonic clock, as they
// do on a machine whose clock is off.
func otherClock() (name, text string, err error) {
	root, err := exec.CommandContext(context.Background(), "go", "env", "GOROOT").Output()
	if err != nil {
		return "", "", err
	}
	name = filepath.Join(string(bytes.TrimSpace(root)), "src", "time", "time.go")
	source, err := os.ReadFile(name)
	text = string(source)
	for _, change := range [][2]string{
		{"func Now() Time {\n\tsec, nsec, mono := runtimeNow()\n", "\tsec += testAhead\n"},
		{"import (\n", "\t\"syscall\"\n"},
	} {
		if err == nil && strings.Count(text, change[0]) != 1 {
			err = fmt.Errorf("the time package of this Go has another clock: no %q", change[0])
		}
		text = strings.Replace(text, change[0], change[0]+change[1], 1)
	}
	return name, text + `
var testAhead = func() (n int64) {
	s, _ := syscall.Getenv("FLEET_TEST_CLOCK_AHEAD")
	for _, c := range []byte(s) {
		if c >= '0' && c <= '9' {
			n = n*10 + int64(c-'0')
		}
	}
	if len(s) > 0 && s[0] == '-' {
		n = -n
	}
	return n
}()
`, err
}

// eventually tries until it works, or fails the test.
func eventually(ctx context.Context, t testing.TB, what string, try func() error) {
	t.Helper()
	var err error
	for begun := time.Now(); time.Since(begun) < patience; {
		if err = try(); err == nil {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(100 * time.Millisecond):
		}
	}
	t.Fatalf("%s: %v", what, err)
}
