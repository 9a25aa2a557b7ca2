package proxy

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// A proxy is found by its file, tells what its Keeper knows, and is gone with it;
// files that nothing stands behind are removed, and all else in the directory stays.
func TestProcesses(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "proxies")
	if all, err := Processes(t.Context(), dir); err != nil || len(all) > 0 {
		t.Fatalf("no directory: %v, %v", all, err)
	}
	day := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	announce := func(s *Server, address string, hour int) func() {
		t.Helper()
		remove, err := s.Announce(dir, Process{PID: os.Getpid(), Address: address, Started: day.Add(time.Duration(hour) * time.Hour), Client: "fake", Dir: "/work"})
		if err != nil {
			t.Fatal(err)
		}
		return remove
	}
	first, second := run(t, newScribe(), "http://127.0.0.1:1"), run(t, nil, "http://127.0.0.1:1")
	announce(first.Server, first.address, 1)
	remove := announce(second.Server, second.address, 2)
	announce(NewServer(Options{}), first.address, 3) // another program has its port now
	killed := NewServer(Options{})
	announce(killed, "127.0.0.1:1", 4)
	for _, server := range []*Server{first.Server, killed} {
		given, err := server.Scratch(os.Getpid())
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = os.RemoveAll(given) }()
		if err := os.WriteFile(filepath.Join(given, "settings.json"), []byte("{}"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	announce(NewServer(Options{}), "no address", 5)
	for name, text := range map[string]string{"torn.proxy.json": "{", "empty.proxy.json": `{"process":{}}`, "notes.txt": "mine"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	all, err := processes(t.Context(), dir)
	if err != nil || len(all) != 2 || all[0].Address != second.address || all[1].Address != first.address {
		t.Fatalf("%v, %v", all, err)
	}
	if c := all[1].Conversations; len(c) != 1 || c[0].ID != "a" || all[1].Client != "fake" || !all[1].Started.Equal(day.Add(time.Hour)) || all[1].Problem != "" {
		t.Errorf("%+v", all[1])
	}
	if c := all[0].Conversations; c == nil || len(c) > 0 {
		t.Errorf("%+v", all[0])
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 3 {
		t.Errorf("files left: %v, %v", files, err)
	}
	for _, f := range files {
		if info, err := f.Info(); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
			t.Errorf("%s can be read by others: %v, %v", f.Name(), info.Mode(), err)
		}
	}
	for server, stays := range map[*Server]bool{first.Server: true, killed: false} {
		if _, err := os.Stat(scratch(server.name(os.Getpid()))); (err == nil) != stays {
			t.Errorf("the files of a client stay: %v, want %v", err == nil, stays)
		}
	}
	remove()
	if all, err = processes(t.Context(), dir); err != nil || len(all) != 1 {
		t.Errorf("%v, %v", all, err)
	}
}

// A proxy that stands still is shown as one, and its file stays.
func TestProcessesThatDoNotAnswer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	go func() {
		conn, err := l.Accept()
		if err == nil {
			_ = conn.Close()
		}
	}()
	if _, err := NewServer(Options{}).Announce(dir, Process{Address: l.Addr().String()}); err != nil {
		t.Fatal(err)
	}
	all, err := Processes(t.Context(), dir)
	if err != nil || len(all) != 1 || all[0].Problem == "" {
		t.Fatalf("%v, %v", all, err)
	}
	if files, _ := os.ReadDir(dir); len(files) != 1 {
		t.Error(files)
	}
}

// X8: what stands in the directory and on the port of an announcement is a stranger's: it
// is read within bounds, links are not followed, and what answers something else is
// said to.
func TestX8AnnouncementsAreStrangers(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "proxies")
	answer := "[]"
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, answer) }))
	defer other.Close()
	s := NewServer(Options{})
	if _, err := s.Announce(dir, Process{Address: strings.TrimPrefix(other.URL, "http://"), Conversations: []Conversation{{ID: "private"}}}); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(dir); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o700 {
		t.Errorf("others can look into the directory: %v, %v", info.Mode(), err)
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	name := filepath.Join(dir, files[0].Name())
	raw, err := os.ReadFile(name)
	if err != nil || strings.Contains(string(raw), "private") {
		t.Errorf("the file says %s: %v", raw, err)
	}
	if err := os.Symlink(name, filepath.Join(dir, "link"+announced)); err != nil && runtime.GOOS != "windows" {
		t.Fatal(err)
	}
	// Spaces do not count in JSON: only the bound tells that the end is missing.
	if err := os.WriteFile(filepath.Join(dir, "long"+announced), append([]byte(strings.Repeat(" ", longestAnnouncement)), raw...), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ answer, problem string }{
		{"[]", ""}, {"<html>", "cannot read"}, {`[{"id":1}]`, "cannot read"}, {strings.Repeat(" ", longestStatus) + "[]", "cannot read"},
	} {
		answer = tt.answer
		all, err := processes(t.Context(), dir) // however long a starved machine takes
		if err != nil || len(all) != 1 || !strings.Contains(all[0].Problem, tt.problem) || (all[0].Problem == "") != (tt.problem == "") {
			t.Errorf("to %.10q: %+v, %v", tt.answer, all, err)
		}
	}
}

func TestUpstreams(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		said []string
		want map[string]string
	}{
		{nil, map[string]string{"anthropic": "https://api.anthropic.com", "openai": "https://api.openai.com/v1", "chatgpt": "https://chatgpt.com/backend-api/codex", "gemini": "https://generativelanguage.googleapis.com", "codeassist": "https://cloudcode-pa.googleapis.com"}},
		{[]string{"http://gw:1/a"}, map[string]string{"anthropic": "http://gw:1/a", "openai": "http://gw:1/a/v1", "chatgpt": "http://gw:1/a/backend-api/codex", "gemini": "http://gw:1/a", "codeassist": "http://gw:1/a"}},
		{[]string{"openai=http://one/x", "http://gw"}, map[string]string{"openai": "http://one/x", "anthropic": "http://gw", "chatgpt": "http://gw/backend-api/codex"}},
		{[]string{"http://gw/a", "http://gw/b"}, map[string]string{"openai": "http://gw/b/v1", "anthropic": "http://gw/b"}},
		{[]string{"lab=http://lab/v1"}, map[string]string{"lab": "http://lab/v1", "openai": "https://api.openai.com/v1"}},
		{[]string{"http://gw/a=b"}, map[string]string{"anthropic": "http://gw/a=b"}},
		{[]string{"ftp://x"}, nil},
		{[]string{"openai="}, nil},
		{[]string{""}, nil},
		{[]string{"http://"}, nil},
		{[]string{"http://:80"}, nil},
		{[]string{"http://gw?key=1"}, nil},
		{[]string{"http://gw#a"}, nil},
		{[]string{"../x=http://gw"}, nil},
		{[]string{"a b=http://gw"}, nil},
		{[]string{"http://user:secret@gw?key=secret"}, nil},
	} {
		all, err := Upstreams(tt.said)
		if (err == nil) != (tt.want != nil) {
			t.Errorf("%q: %v, %v", tt.said, all, err)
			continue
		}
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("repeats a secret: %v", err)
		}
		for name, want := range tt.want {
			if got := all[name]; got == nil || got.String() != want || !strings.HasPrefix(got.Path+"/", "/") {
				t.Errorf("%q: %s is %v, want %s", tt.said, name, got, want)
			}
		}
	}
}

// An upstream's own user and password are sent, unless the client has a key.
func TestX1UpstreamWithAPassword(t *testing.T) {
	t.Parallel()
	up := newPlayer(t)
	up.play(script{Status: 200, Framing: "length", Cut: -1})
	s := run(t, nil, strings.Replace(up.URL, "http://", "http://me:secret@", 1))
	question{Method: "GET", Path: "/x"}.ask(t, s.base)
	question{Method: "GET", Path: "/x", Header: map[string][]string{"Authorization": {"Bearer mine"}}}.ask(t, s.base)
	asked := up.asked()
	if got := asked[0].Header.Get("Authorization"); !strings.HasPrefix(got, "Basic ") {
		t.Error(got)
	}
	if got := asked[1].Header.Get("Authorization"); got != "Bearer mine" {
		t.Error(got)
	}
	if _, err := url.Parse(asked[0].URI); err != nil || strings.Contains(asked[0].URI, "secret") {
		t.Error(asked[0].URI)
	}
}
