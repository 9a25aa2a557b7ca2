package browser

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"tenfold"
)

// stream reads events of a conversation, each entry once, through connections that
// break and servers that end.
type stream struct {
	t    *testing.T
	s    *Server
	id   string
	last string
	seqs []int64
	body io.Closer
	read *bufio.Scanner
}

// connect asks for what comes after the last entry that was told.
func (c *stream) connect() {
	c.t.Helper()
	r, err := http.NewRequestWithContext(c.t.Context(), http.MethodGet, c.s.URL+"/api/conversations/"+c.id+"/events?after=0", http.NoBody)
	if err != nil {
		c.t.Fatal(err)
	}
	r.AddCookie(c.s.signIn(c.t))
	if c.last != "" {
		r.Header.Set("Last-Event-ID", c.last)
	}
	got, err := http.DefaultClient.Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { _ = got.Body.Close() })
	if got.StatusCode != http.StatusOK || got.Header.Get("Content-Type") != "text/event-stream" {
		c.t.Fatalf("the stream gives %s, %v", got.Status, got.Header)
	}
	c.body, c.read = got.Body, bufio.NewScanner(got.Body)
}

// until reads until an entry has come, or the connection ends; then it reports false.
func (c *stream) until(seq int64) bool {
	c.t.Helper()
	event, id := "", ""
	for c.read.Scan() {
		line := c.read.Text()
		switch {
		case strings.HasPrefix(line, "event: "):
			event = line[len("event: "):]
		case strings.HasPrefix(line, "id: "):
			id = line[len("id: "):]
		case strings.HasPrefix(line, "data: ") && event == "entry":
			var e struct {
				Entry struct {
					Seq int64 `json:"seq"`
				} `json:"entry"`
			}
			if err := json.Unmarshal([]byte(line[len("data: "):]), &e); err != nil {
				c.t.Fatalf("%q: %v", line, err)
			}
			if strconv.FormatInt(e.Entry.Seq, 10) != id {
				c.t.Fatalf("the event %s tells of entry %d", id, e.Entry.Seq)
			}
			c.last, c.seqs = id, append(c.seqs, e.Entry.Seq)
			if e.Entry.Seq >= seq {
				return true
			}
		case line == "":
			event, id = "", ""
		}
	}
	return false
}

// One stream goes through a connection that drops, a server that ends and starts
// again, a compaction and its undoing meanwhile: no entry is lost or told twice.
func TestAStreamGoesThroughARestart(t *testing.T) {
	t.Parallel()
	s := Serve(t, "--token-file", filepath.Join(t.TempDir(), "token"))
	one := s.Create("one", "one", told("one?", "one.")...)
	cookie := s.signIn(t).Value
	c := &stream{t: t, s: s, id: "one"}
	more := func(turns int) int64 {
		t.Helper()
		for range turns {
			if err := one.Append(t.Context(), told("and then?", strings.Repeat("something else. ", 50))...); err != nil {
				t.Fatal(err)
			}
		}
		return one.Log().Version()
	}
	c.connect()
	if !c.until(more(5)) {
		t.Fatal("the stream ended by itself")
	}
	_ = c.body.Close() // the connection drops
	more(2)
	c.connect()
	if !c.until(more(1)) {
		t.Fatal("the stream ended by itself")
	}
	s.Stop()
	if c.until(1 << 30) {
		t.Fatal("the server has ended")
	}
	_ = c.body.Close()
	s.Run("conversation", "compact", "one", "--strategy", "hard-reset")
	if err := one.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	more(1)
	s.Start()
	if s.signIn(t).Value == cookie || s.URL == "" {
		t.Fatal("it is the same server")
	}
	c.connect()
	s.Run("conversation", "undo", "one")
	if err := one.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !c.until(more(2)) {
		t.Fatal("the stream ended by itself")
	}
	_ = c.body.Close()
	for i, seq := range c.seqs {
		if seq != int64(i+1) {
			t.Fatalf("entry %d comes after %d: %v", seq, i, c.seqs)
		}
	}
	if int64(len(c.seqs)) != one.Log().Version() {
		t.Errorf("%d of %d entries", len(c.seqs), one.Log().Version())
	}
}

// A browser stays signed in, and follows, when the server starts again with the same
// token; without one it says what to do.
func TestAPageLivesThroughARestart(t *testing.T) {
	t.Parallel()
	s := Serve(t, "--token-file", filepath.Join(t.TempDir(), "token"))
	one := s.Create("one", "one", told("one?", "The first answer.")...)
	tab := s.Open(t, "/c/one")
	tab.Bear("ERR_") // while there is no server
	tab.Bear("Failed to")
	tab.WaitText("main", "The first answer.")
	tab.Follows("one")
	s.Stop()
	if err := one.Append(t.Context(), told("two?", "The second answer.")...); err != nil {
		t.Fatal(err)
	}
	s.Start()
	tab.WaitText("main", "The second answer.")
	if err := one.Append(t.Context(), told("three?", "The third answer.")...); err != nil {
		t.Fatal(err)
	}
	tab.WaitText("main", "The third answer.")
	if n := Eval[int](tab, `document.querySelector("main").innerText.split("The second answer.").length - 1`); n != 1 {
		t.Errorf("the second answer is there %d times", n)
	}
}

// An entry of 50 MB is shown in windows: neither the server nor the tab holds it up.
func TestAnEntryOf50MB(t *testing.T) {
	t.Parallel()
	Dear(t)
	s := Serve(t)
	text := strings.Repeat("all work and no play makes a long day. ", 50<<20/39)
	entries := told("Print it all.", "Here it is.")
	entries = append(entries[:2:2], tenfold.Entry{Payload: tenfold.ToolCall{CallID: "c", Name: "print", Arguments: `{}`}, Tokens: 10},
		tenfold.Entry{Payload: tenfold.ToolResult{CallID: "c", Parts: tenfold.Text(text)}, Tokens: 11_000_000}, entries[2])
	s.Create("large", "large", entries...)
	for _, path := range []string{"/rows?from=1&limit=200", "/outline", "/entries/4?offset=49000000&limit=100000", "/entries/4?limit=100000", "/view", "/search?q=nowhere"} {
		began := time.Now()
		status, body := s.Call(http.MethodGet, "/api/conversations/large"+path, "")
		t.Logf("%s: %d, %d bytes in %s", path, status, len(body), time.Since(began))
		if status != http.StatusOK || len(body) > 1<<20 {
			t.Errorf("%s gives %d, %d bytes: %.200s", path, status, len(body), body)
		}
	}
	if status, body := s.Call(http.MethodGet, "/api/conversations/large/entries/4?limit=100001", ""); status != http.StatusUnprocessableEntity {
		t.Errorf("more than a window gives %d, %.200s", status, body)
	}
	tab := s.Open(t, "/c/large#4")
	tab.WaitText("main", "all work and no play")
	if heap := tab.Heap(); heap > 150<<20 {
		t.Errorf("the tab takes %d MB", heap>>20)
	} else {
		t.Logf("the tab takes %d MB", heap>>20)
	}
}

// A log that is shorter than what a tab was told of, as that of a backup, is shown as it
// is now.
func TestATabSeesAnotherLog(t *testing.T) {
	t.Parallel()
	s := Serve(t, "--token-file", filepath.Join(t.TempDir(), "token"))
	s.Create("one", "one", append(told("one?", "The first answer."), told("two?", "The second answer.")...)...)
	tab := s.Open(t, "/c/one")
	tab.Bear("") // the server is away for a while
	tab.WaitText(".timeline", "The second answer.")
	tab.Follows("one")
	s.Stop()
	s.Run("conversation", "rm", "one", "--yes")
	s.Create("one", "one", told("one?", "Another answer.")...)
	s.Start()
	tab.signIn()
	tab.WaitText(".timeline", "Another answer.")
}
