package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"tenfold"
	"tenfold/problem"
)

// played is a server that answers what was written before, and keeps what it was
// asked.
type played struct {
	answers []answer
	asked   []*http.Request
	bodies  []string
}

type answer struct {
	status     int
	body, wait string
	cut        bool // the connection breaks off behind the body
}

func (p *played) RoundTrip(r *http.Request) (*http.Response, error) {
	body, _ := io.ReadAll(r.Body)
	p.asked, p.bodies = append(p.asked, r), append(p.bodies, string(body))
	a := p.answers[min(len(p.asked), len(p.answers))-1]
	if a.status == 0 {
		return nil, errors.New("connection refused")
	}
	var sent io.Reader = strings.NewReader(a.body)
	if a.cut {
		sent = io.MultiReader(sent, iotest.ErrReader(io.ErrUnexpectedEOF))
	}
	resp := &http.Response{Status: fmt.Sprint(a.status), StatusCode: a.status, Header: http.Header{}, Body: io.NopCloser(sent), Request: r}
	if a.wait != "" {
		resp.Header.Set("Retry-After", a.wait)
	}
	return resp, nil
}

func playing(t *testing.T, answers ...answer) (*Client, *played) {
	t.Helper()
	p := &played{answers: answers}
	c, err := New("https://fleet.example.com/tenfold/", "secret", WithHTTPClient(&http.Client{Transport: p}))
	if err != nil {
		t.Fatal(err)
	}
	return c, p
}

func TestOnlyWhatIsSafeIsSentAgain(t *testing.T) {
	t.Parallel()
	batch := Batch{Entries: Log(tenfold.TurnStart{})}
	add := func(ctx context.Context, c *Client) error { _, err := c.Append(ctx, "a/b", nil, batch); return err }
	undo := func(ctx context.Context, c *Client) error { _, err := c.Undo(ctx, "c", UndoingBody{}); return err }
	read := func(ctx context.Context, c *Client) error { _, err := c.Meta(ctx); return err }
	stop := func(ctx context.Context, c *Client) error { return c.Stop(ctx, "c") }
	body := func(ctx context.Context, c *Client) error {
		_, err := c.Body(ctx, "a", ProjectionParams{}, nil)
		return err
	}
	cut := answer{status: 200, body: `{"version":"cut o`, cut: true}
	broken, busy, done := answer{}, answer{status: 503, body: `{"detail":"busy"}`}, answer{status: 200, body: `{}`}
	limited, refused := answer{status: 429, body: `{"detail":"slow"}`, wait: "7"}, answer{status: 409, body: `{"detail":"no"}`}
	for _, one := range []struct {
		do      func(context.Context, *Client) error
		answers []answer
		sent    int
		fails   bool
		waits   time.Duration // at least
	}{
		{add, []answer{broken, busy, done}, 3, false, 150 * time.Millisecond},
		{add, []answer{limited, done}, 2, false, 7 * time.Second},
		{add, []answer{broken}, 4, true, 350 * time.Millisecond},
		{add, []answer{refused}, 1, true, 0},
		{add, []answer{{status: 503, wait: "3600"}, done}, 2, false, longestWait},
		{read, []answer{broken, {status: 502}, {status: 504}, done}, 4, false, 0},
		{read, []answer{cut, done}, 2, false, 0},
		{read, []answer{cut}, 4, true, 0},
		{read, []answer{{status: 200, body: `{"version":`}, done}, 1, true, 0}, // which is what it answers
		{body, []answer{cut, {status: 404}}, 2, true, 0},
		{add, []answer{cut, cut, done}, 3, false, 0},
		{undo, []answer{cut, done}, 1, true, 0},
		{stop, []answer{{status: 200, cut: true}, done}, 1, true, 0},
		{undo, []answer{broken, done}, 1, true, 0},
		{undo, []answer{busy, done}, 1, true, 0},
		{stop, []answer{{status: 204}}, 1, false, 0},
		{stop, []answer{{status: 302}}, 1, true, 0}, // to where a proxy has people sign in
	} {
		synctest.Test(t, func(t *testing.T) {
			c, p := playing(t, one.answers...)
			began := time.Now()
			err := one.do(t.Context(), c)
			if took := time.Since(began); len(p.asked) != one.sent || (err != nil) != one.fails || took < one.waits || took > one.waits+longestWait {
				t.Errorf("%v: sent %d times in %v, %v", one.answers, len(p.asked), took, err)
			}
			if r := p.asked[0]; r.Header.Get("Authorization") != "Bearer secret" || !strings.HasPrefix(r.URL.String(), "https://fleet.example.com/tenfold/api/") {
				t.Errorf("%s with %v", r.URL, r.Header)
			}
			key := p.asked[0].Header.Get(keyHeader)
			for i, r := range p.asked {
				if r.Header.Get(keyHeader) != key || p.bodies[i] != p.bodies[0] {
					t.Errorf("repeated with another key or body: %q, %s", r.Header.Get(keyHeader), p.bodies[i])
				}
			}
			if strings.Contains(p.asked[0].URL.Path, "entries") && (len(key) < 20 || p.asked[0].URL.EscapedPath() != "/tenfold/api/conversations/a%2Fb/entries") {
				t.Errorf("key %q at %s", key, p.asked[0].URL)
			}
		})
	}
}

func TestNothingIsSentAgainToWhoDoesNotWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, p := playing(t, answer{status: 429, wait: "20"})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := c.Meta(ctx); err == nil || len(p.asked) != 1 {
			t.Errorf("sent %d times, %v", len(p.asked), err)
		}
	})
}

func TestAProblemIsAnError(t *testing.T) {
	t.Parallel()
	c, p := playing(t, answer{status: 409, body: `{"title":"x","status":1,"detail":"it moved","hint":"read on","code":"conflict","expected":0,"actual":7}`},
		answer{status: 404, body: "<html>"}, answer{status: 400, body: `{"other":1}`}, answer{status: 200, body: `{"version":`}, answer{status: 303})
	key := "mine"
	_, err := c.Append(t.Context(), "c", &AppendParams{IdempotencyKey: key}, Batch{Expected: new(int64), Entries: Log(tenfold.TurnStart{})})
	var got *Problem
	var said *problem.Error
	if !errors.As(err, &got) || got.Status != 409 || *got.Expected != 0 || *got.Actual != 7 || got.Error() != "it moved" ||
		!errors.As(err, &said) || said.Hint != "read on" || said.Code != "conflict" {
		t.Errorf("%+v", err)
	}
	if want := `{"entries":[{"kind":"turn_start"}],"expected":0}`; p.bodies[0] != want || p.asked[0].Header.Get(keyHeader) != key {
		t.Errorf("sent %s, not %s", p.bodies[0], want)
	}
	for _, status := range []int64{404, 400} {
		if _, err = c.Meta(t.Context()); !errors.As(err, &got) || got.Status != status || got.Detail == "" || got.Hint == "" {
			t.Errorf("%+v", err)
		}
	}
	if _, err = c.Meta(t.Context()); err == nil {
		t.Error("half an answer is taken for one")
	}
	if _, err = c.Meta(t.Context()); err == nil {
		t.Error("a redirection is taken for an answer")
	}
	if _, err := c.Append(t.Context(), "c", nil, Batch{Entries: []LogEntry{{}}}); err == nil {
		t.Error("an entry without a payload is sent")
	}
}

func TestAddressesThatAreRefused(t *testing.T) {
	t.Parallel()
	for address, ok := range map[string]bool{
		"https://a.example": true, "http://127.0.0.1:7": true, "http://localhost:7/x/": true, "http://[::1]:7": true,
		"http://a.example": false, "ftp://a": false, "a": false, "https://": false, "https://u:secret@a": false, "https://a?b": false, "https://a#b": false, "http://127.0.0.1.example.com": false, "": false,
	} {
		_, err := New(address, "t")
		var said *problem.Error
		if (err == nil) != ok || (err != nil && (!errors.As(err, &said) || said.Hint == "" || strings.Contains(err.Error(), "secret"))) {
			t.Errorf("%q: %v", address, err)
		}
	}
}

func TestEventsAreRead(t *testing.T) {
	t.Parallel()
	for stream, want := range map[string][]int64{
		"retry: 1000\nid: 4\n\n": {4},
		"retry: 1\nid: 4\n\nid: 5\nevent: entry\ndata: {\"entry\":{\"seq\":5}}\n\n: still here\n\nevent: status\ndata: {\"status\":{}}\n\nid: 6\ndata: {\"entry\":": {5, 5, 0},
		"id: 5\ndata: {\"version\":1,\ndata: \"changed\":2}\n\n": {5, 0},
		"id: 5\n\nid: ": {5}, "id: x\n\n": {-1}, "data: x\n\n": {-1}, ":\nid: 9\n:\ndata:{}\n:\n\n": {9, 0}, "data:" + strings.Repeat(" ", longestEvent) + "\n\n": {-1},
	} {
		after, got := int64(3), []int64(nil)
		err := read(&http.Response{Body: io.NopCloser(strings.NewReader(stream))}, &after, func(e Event) bool {
			seq := int64(0)
			if e.Entry != nil {
				seq = e.Entry.Seq
			}
			got = append(got, seq)
			return true
		})
		if got = slices.Insert(got, 0, after); err != nil {
			got = []int64{-1}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%.100q gives %v, not %v: %v", stream, got, want, err)
		}
	}
}
