package browser

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"tenfold"
	"tenfold/session"
	"tenfold/store/sqlite"
)

// A Server is "tenfold serve" over a store of its own.
type Server struct {
	// URL is where the page is, without a path.
	URL string
	// Dir is a directory of its own: the working directory of the program.
	Dir string
	// Service works on the store beside the program, as other programs do.
	Service *session.Service

	t       testing.TB
	args    []string
	address string
	process *exec.Cmd
	// invitation is the address that signs a browser in, until cookie is there.
	invitation string
	signingIn  sync.Mutex
	cookie     *http.Cookie
	stderr     bytes.Buffer
	left       io.Reader
}

// Serve starts the program over an empty store, with further flags of "tenfold
// serve".
func Serve(t testing.TB, flags ...string) *Server {
	t.Helper()
	s := &Server{t: t, Dir: t.TempDir(), args: flags, address: "127.0.0.1:0"}
	st, err := sqlite.Open(t.Context(), s.store())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	s.Service = session.NewService(st)
	s.Start()
	t.Cleanup(func() { s.Stop() })
	return s
}

func (s *Server) store() string { return filepath.Join(s.Dir, "store.db") }

// Configure replaces the person's configuration, in TOML. The program reads it when
// it starts.
func (s *Server) Configure(toml string) {
	s.t.Helper()
	s.write(filepath.Join(s.Dir, "home", "tenfold", "config.toml"), toml)
}

func (s *Server) write(name, content string) {
	s.t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// command is the program on the store.
func (s *Server) command(ctx context.Context, args ...string) *exec.Cmd {
	program, err := os.Executable()
	if err != nil {
		s.t.Fatal(err)
	}
	c := exec.CommandContext(ctx, program, args...) //nolint:gosec // itself
	c.Dir = s.Dir
	home := filepath.Join(s.Dir, "home")
	c.Env = []string{
		asProgram + "=1", "TENFOLD_STORE=sqlite://" + s.store(), "HOME=" + home, "XDG_CONFIG_HOME=" + home, "XDG_DATA_HOME=" + home,
		"PATH=" + os.Getenv("PATH"), "TZ=UTC", "GORACE=atexit_sleep_ms=0",
	}
	return c
}

// Run runs a command line on the store, and gives what it prints.
func (s *Server) Run(args ...string) string {
	s.t.Helper()
	c := s.command(s.t.Context(), args...)
	var errs bytes.Buffer
	c.Stderr = &errs
	out, err := c.Output()
	if err != nil {
		s.t.Fatalf("tenfold %s: %v\n%s", strings.Join(args, " "), err, errs.String())
	}
	return string(out)
}

// Start starts the program, at the address that it had before.
func (s *Server) Start() {
	s.t.Helper()
	s.process = s.command(context.WithoutCancel(s.t.Context()), append([]string{"serve", "--json", "--no-open", "--addr", s.address}, s.args...)...)
	s.process.Stderr = &s.stderr
	out, err := s.process.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := s.process.Start(); err != nil {
		s.t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	line, err := lines.ReadBytes('\n')
	var said struct {
		Address string `json:"address"`
		URL     string `json:"url"`
	}
	if err == nil {
		err = json.Unmarshal(line, &said)
	}
	if err != nil {
		_ = s.process.Wait()
		s.t.Fatalf("tenfold serve says %q, %v\n%s", line, err, s.stderr.String())
	}
	s.left, s.address, s.URL = lines, said.Address, "http://"+said.Address
	s.cookie, s.invitation = nil, said.URL
}

// signIn opens the invitation, and gives the cookie of who is signed in. The
// invitation is for one browser: its cookie goes to every tab. Several subtests may
// want it at once.
func (s *Server) signIn(t testing.TB) *http.Cookie {
	t.Helper()
	s.signingIn.Lock()
	defer s.signingIn.Unlock()
	if s.cookie != nil {
		return s.cookie
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.invitation, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	got, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = got.Body.Close()
	if len(got.Cookies()) != 1 {
		t.Fatalf("the invitation gives %s, %v", got.Status, got.Header)
	}
	s.cookie = got.Cookies()[0]
	return s.cookie
}

// Stop ends the program as Ctrl-C does, and has it end well. It does nothing where it
// has ended.
func (s *Server) Stop() {
	s.t.Helper()
	if s.process == nil {
		return
	}
	began := time.Now()
	_ = s.process.Process.Signal(os.Interrupt)
	_, _ = io.Copy(io.Discard, s.left)
	err := s.process.Wait()
	s.process = nil
	if err != nil || time.Since(began) > 2*time.Minute {
		s.t.Errorf("tenfold serve ended after %s: %v\n%s", time.Since(began), err, s.stderr.String())
	}
}

// Create stores a conversation.
func (s *Server) Create(id, title string, entries ...tenfold.Entry) *session.Session {
	s.t.Helper()
	c, err := s.Service.Create(s.t.Context(), session.Create{ID: id, Title: title, Entries: entries})
	if err != nil {
		s.t.Fatal(err)
	}
	return c
}

// Call asks the API as the page does, and gives the status and the body.
func (s *Server) Call(method, path, body string) (int, string) {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), method, s.URL+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	r.AddCookie(s.signIn(s.t))
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	got, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer got.Body.Close()
	data, err := io.ReadAll(got.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return got.StatusCode, string(data)
}
