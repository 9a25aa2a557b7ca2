package proxy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tenfold/internal/outfile"
	"tenfold/problem"
)

// A Process is a running proxy, as it announces itself and tells of itself.
type Process struct {
	PID int `json:"pid"`
	// Address is the listener's, HOST:PORT.
	Address string    `json:"address"`
	Started time.Time `json:"started"`
	Version string    `json:"version,omitzero"`
	// Client and Dir are those of "tenfold run".
	Client string `json:"client,omitzero"`
	Dir    string `json:"dir,omitzero"`
	// Conversations are the newest first; Problem says why they are not known.
	Conversations []Conversation `json:"conversations"`
	Problem       string         `json:"problem,omitzero"`
}

// announcement is the file by which other processes of the same person find a
// proxy.
type announcement struct {
	Process Process `json:"process"`
	Token   string  `json:"token"`
}

// announced is how the files of announcements end.
const announced = ".proxy.json"

// Announce writes a file in a directory, so that [Processes] finds the server. It
// is removed by the function returned.
func (s *Server) Announce(dir string, p Process) (remove func(), err error) {
	failed := func(err error) error {
		return &problem.Error{Op: "announce the proxy in", Subject: dir, Err: err, Hint: "check the directory's permissions"}
	}
	p.Conversations = nil
	data, err := json.Marshal(announcement{p, s.status})
	if err != nil {
		return nil, failed(err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, failed(err)
	}
	name := filepath.Join(dir, s.name(p.PID)+announced)
	out, err := outfile.Create(name, 0o600)
	if err != nil {
		return nil, failed(err)
	}
	defer out.Abandon()
	if _, err := out.Write(data); err != nil {
		return nil, failed(err)
	}
	if err := out.Commit(); err != nil {
		return nil, failed(err)
	}
	return func() { _ = os.Remove(name) }, nil
}

// name is what files of a process are called that others tidy up after.
func (s *Server) name(pid int) string { return fmt.Sprintf("%d-%s", pid, s.status[:8]) }

// Scratch makes an empty directory for what a client is given, which may hold
// secrets of the person's. Where the process is killed, [Processes] removes it with the
// announcement.
func (s *Server) Scratch(pid int) (string, error) {
	dir := scratch(s.name(pid))
	return dir, os.Mkdir(dir, 0o700)
}

func scratch(name string) string { return filepath.Join(os.TempDir(), "tenfold-run-"+name) }

// forget removes what a process left that ended without doing so.
func forget(announcement string) {
	_ = os.Remove(announcement)
	_ = os.RemoveAll(scratch(strings.TrimSuffix(filepath.Base(announcement), announced)))
}

// writeStatus tells of the conversations.
func (s *Server) writeStatus(w http.ResponseWriter) {
	all := []Conversation{}
	if s.keeper != nil {
		all = append(all, s.keeper.Status()...)
	}
	body, err := json.Marshal(all, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		refuse(w, http.StatusInternalServerError, "the status cannot be written")
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(body)
}

// Bounds of what is read of an announcement and of a status.
const (
	longestAnnouncement = 64 << 10
	longestStatus       = 16 << 20
	statusWait          = 10 * time.Second
)

// Processes asks all proxies that announced themselves in a directory, the one
// that was started last first. Files that a proxy could not remove are.
func Processes(ctx context.Context, dir string) ([]Process, error) {
	ctx, cancel := context.WithTimeout(ctx, statusWait)
	defer cancel()
	return processes(ctx, dir)
}

func processes(ctx context.Context, dir string) ([]Process, error) {
	files, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, &problem.Error{Op: "read", Subject: dir, Err: err, Hint: "check the directory's permissions"}
	}
	found := make([]*Process, len(files))
	var asked sync.WaitGroup
	for i, f := range files {
		if strings.HasSuffix(f.Name(), announced) && f.Type().IsRegular() {
			asked.Go(func() { found[i] = ask(ctx, filepath.Join(dir, f.Name())) })
		}
	}
	asked.Wait()
	var all []Process
	for _, p := range found {
		if p != nil {
			all = append(all, *p)
		}
	}
	slices.SortFunc(all, func(a, b Process) int { return b.Started.Compare(a.Started) })
	return all, nil
}

// ask asks the proxy of an announcement. A file that nothing stands behind is
// removed, and gives nil.
func ask(ctx context.Context, name string) *Process {
	data, err := readFile(name)
	if err != nil {
		return nil
	}
	var a announcement
	if json.Unmarshal(data, &a) != nil || a.Token == "" {
		forget(name)
		return nil
	}
	p := &a.Process
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+p.Address+statusPath+a.Token, nil)
	if err != nil {
		forget(name)
		return nil
	}
	// Never by way of a proxy: the token is nobody else's business.
	transport := &http.Transport{DisableKeepAlives: true}
	res, err := transport.RoundTrip(r)
	var dial *net.OpError
	switch {
	case errors.As(err, &dial) && dial.Op == "dial" && !dial.Timeout():
		forget(name)
		return nil
	case err != nil:
		p.Problem = "does not answer"
		return p
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK { // another program has the port now
		forget(name)
		return nil
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, longestStatus))
	if err == nil {
		err = json.Unmarshal(body, &p.Conversations, jsontext.AllowInvalidUTF8(true))
	}
	if err != nil {
		p.Problem = "answers what this version cannot read"
	}
	return p
}

func readFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return io.ReadAll(io.LimitReader(f, longestAnnouncement))
}
