package remote_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"tenfold"
	"tenfold/store"
	"tenfold/store/memory"
	"tenfold/store/remote"
	"tenfold/store/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// served is a client of a server of its own over a store.
func served(t testing.TB, st store.Store) *remote.Store {
	t.Helper()
	server := httptest.NewServer(remote.Handler(st))
	t.Cleanup(server.Close)
	return dial(t, server.URL)
}

func dial(t testing.TB, address string) *remote.Store {
	t.Helper()
	c, err := remote.Open(address, "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func TestStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) store.Store { return served(t, memory.New()) })
}

// whimsical breaks off every few answers: before the request was looked at, after it
// was done, or in the middle of the answer.
func whimsical(h http.Handler) http.Handler {
	var mu sync.Mutex
	random := rand.New(rand.NewPCG(1, 2))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		whim, at := random.IntN(8), random.IntN(200)
		mu.Unlock()
		switch {
		case strings.HasSuffix(r.URL.Path, "/create"): // which is not tried again
		case whim == 0:
			panic(http.ErrAbortHandler)
		case whim == 1:
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		case whim == 2:
			if !strings.HasSuffix(r.URL.Path, "/watch") { // which would go on
				h.ServeHTTP(httptest.NewRecorder(), r)
			}
			panic(http.ErrAbortHandler)
		case whim == 3:
			w = &cutting{w, at}
		}
		h.ServeHTTP(w, r)
	})
}

// cutting breaks off after so many bytes.
type cutting struct {
	http.ResponseWriter
	left int
}

func (c *cutting) Unwrap() http.ResponseWriter { return c.ResponseWriter }

func (c *cutting) Write(b []byte) (int, error) {
	if c.left -= len(b); c.left < 0 {
		_, _ = c.ResponseWriter.Write(b[:max(0, len(b)+c.left)])
		_ = http.NewResponseController(c.ResponseWriter).Flush()
		panic(http.ErrAbortHandler)
	}
	return c.ResponseWriter.Write(b)
}

// Whatever is lost on the way, what was acknowledged is there, once (D2, L8, L9), and
// whoever watches misses nothing and sees nothing twice.
func TestBrokenConnections(t *testing.T) {
	t.Parallel()
	st := memory.New()
	server := httptest.NewServer(whimsical(remote.Handler(st)))
	t.Cleanup(server.Close)
	c := dial(t, server.URL)
	c.Insist(5 * time.Minute)
	ids := storetest.Conversations(t, c, 3)
	ctx, cancel := context.WithCancel(t.Context())
	seen := map[string][]int64{}
	var watchers sync.WaitGroup
	var mu sync.Mutex
	for _, id := range ids {
		watchers.Go(func() {
			for e, err := range c.Watch(ctx, id, 0) {
				if err != nil {
					t.Errorf("watch %s: %v", id, err)
					return
				}
				mu.Lock()
				seen[id] = append(seen[id], e.Seq)
				mu.Unlock()
			}
		})
	}
	wins, err := storetest.Contend(t.Context(), c, "w", 4, ids, func(done int) bool { return done < 40 })
	if err != nil {
		t.Fatal(err)
	}
	storetest.CheckWins(t, c, ids, wins)
	for _, id := range ids {
		about, err := st.Conversation(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		for n := 0; int64(n) < about.Version; {
			time.Sleep(time.Millisecond)
			mu.Lock()
			n = len(seen[id])
			mu.Unlock()
		}
		for i, seq := range seen[id] {
			if seq != int64(i+1) {
				t.Fatalf("the watch of %s gives entry %d as number %d", id, seq, i+1)
			}
		}
	}
	cancel()
	watchers.Wait()
}

// A watch outlives its server, goes on after the last entry it gave, and knows
// another conversation of the same id.
func TestWatchOutlivesItsServer(t *testing.T) {
	t.Parallel()
	st := memory.New()
	var down atomic.Bool
	h := remote.Handler(st)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if down.Load() {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		h.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	c := dial(t, server.URL)
	c.Insist(5 * time.Minute)
	begun := time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)
	say := func(id string) {
		t.Helper()
		_, err := st.Append(t.Context(), store.Batch{
			Conversation: "a", Expected: store.AnyVersion, Entries: []tenfold.Entry{{ID: id, Payload: tenfold.AssistantMessage{Text: id}}},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := st.Create(t.Context(), store.Conversation{ID: "a", Created: begun}); err != nil {
		t.Fatal(err)
	}
	say("1")
	var got []string
	for e, err := range c.Watch(t.Context(), "a", 0) {
		if err != nil {
			if !errors.Is(err, store.ErrNotFound) {
				t.Errorf("the watch of a conversation that was made anew ends with %v", err)
			}
			break
		}
		switch got = append(got, e.ID); e.ID {
		case "1":
			down.Store(true)
			server.CloseClientConnections()
			say("2")
			time.AfterFunc(50*time.Millisecond, func() { down.Store(false) })
		case "2":
			down.Store(true)
			server.CloseClientConnections()
			if err := errors.Join(st.Delete(t.Context(), "a", store.AnyVersion), st.Create(t.Context(), store.Conversation{ID: "a", Created: begun.Add(1)})); err != nil {
				t.Fatal(err)
			}
			say("other 1")
			say("other 2")
			say("other 3")
			down.Store(false)
		}
	}
	if !slices.Equal(got, []string{"1", "2"}) {
		t.Errorf("the watch gives %q", got)
	}
}

// What a server is asked for goes to that server alone.
func TestToken(t *testing.T) {
	t.Parallel()
	var elsewhere atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere.Add(1) }))
	t.Cleanup(other.Close)
	var tokens []string
	status := http.StatusUnauthorized
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		tokens = append(tokens, r.Header.Get("Authorization"))
		w.Header().Set("Location", other.URL)
		w.WriteHeader(status)
		_, _ = w.Write([]byte(`{"detail":"who are you?"}`))
	}))
	t.Cleanup(server.Close)
	c, err := remote.Open(server.URL+"/", "secret")
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Conversation(t.Context(), "a")
	if err == nil || !strings.Contains(err.Error(), "401 Unauthorized: who are you?") || !strings.Contains(err.Error(), "TENFOLD_TOKEN") || strings.Contains(err.Error(), "secret") {
		t.Errorf("refused: %v", err)
	}
	status = http.StatusTemporaryRedirect
	if _, err = c.Conversation(t.Context(), "a"); err == nil || elsewhere.Load() > 0 {
		t.Errorf("a redirect is followed: %v", err)
	}
	if !slices.Equal(tokens, []string{"Bearer secret", "Bearer secret"}) {
		t.Errorf("the server got %q", tokens)
	}
}

func TestAddresses(t *testing.T) {
	t.Parallel()
	for address, ok := range map[string]bool{
		"https://sessions.example.com": true, "https://h/base/": true, "http://127.0.0.1:80": true, "http://[::1]:80": true, "http://localhost": true,
		"http://sessions.example.com": false, "http://127.0.0.1.example.com": false, "https://user:secret@h": false, "https://h/?token=secret": false,
		"https://": false, "ftp://h": false, "https://h#secret": false, "https://%zz": false, "": false,
	} {
		c, err := remote.Open(address, "")
		if (err == nil) != ok {
			t.Errorf("%s: %v", address, err)
		}
		if err != nil && strings.Contains(err.Error(), "user:secret") {
			t.Errorf("the error shows the password: %v", err)
		}
		if c != nil {
			_ = c.Close()
		}
	}
}

// A server that cannot be reached is an error with a hint once patience is over, and
// what was begun can be given up before.
func TestUnreachable(t *testing.T) {
	t.Parallel()
	c := dial(t, "http://127.0.0.1:1")
	c.Insist(0)
	err := c.Create(t.Context(), store.Conversation{ID: "a"})
	if err == nil || !strings.Contains(err.Error(), "check that the server runs") {
		t.Errorf("create: %v", err)
	}
	c.Insist(5 * time.Minute)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := c.Conversation(ctx, "a"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("given up: %v", err)
	}
}

// Who waits for a server that cannot be reached is told so, once.
func TestWaitingIsTold(t *testing.T) {
	t.Parallel()
	var told []error
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	c, err := remote.Open("http://127.0.0.1:1", "", remote.WithWaiting(func(_ time.Duration, why error) {
		told = append(told, why)
		cancel()
	}))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	c.Insist(5 * time.Minute)
	if _, err := c.Conversation(ctx, "a"); !errors.Is(err, context.Canceled) {
		t.Errorf("told of, it ends with %v", err)
	}
	c.Insist(1500 * time.Millisecond)
	if _, err := c.Conversation(t.Context(), "a"); err == nil {
		t.Error("it is reached")
	}
	if len(told) != 1 || told[0] == nil {
		t.Errorf("told %v", told)
	}
}

// FuzzRequest: no bytes bring the server down, and a request that is cut writes
// nothing.
func FuzzRequest(f *testing.F) {
	whole := recorded(f)
	for _, b := range whole {
		f.Add("append", b)
		f.Add("append", b[:len(b)-2])
		f.Add("entries", b)
	}
	f.Add("watch", []byte("\x01\x02{}\x03\x00"))
	f.Fuzz(func(t *testing.T, method string, body []byte) {
		st := memory.New()
		if err := st.Create(t.Context(), store.Conversation{ID: "a"}); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		if method == "watch" {
			cancel()
		}
		defer cancel()
		r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/", bytes.NewReader(body))
		r.URL.Path = "/api/store/" + method
		remote.Handler(st).ServeHTTP(httptest.NewRecorder(), r)
		c, err := st.Conversation(t.Context(), "a")
		if method == "append" && err == nil && c.Version > 0 && !bytes.HasSuffix(body, []byte{3, 0}) && !bytes.Contains(body, []byte{3, 0}) {
			t.Errorf("a request without an end wrote %d entries", c.Version)
		}
	})
}

// recorded are bodies as a client sends them.
func recorded(tb testing.TB) (bodies [][]byte) {
	tb.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, err := io.ReadAll(r.Body)
		if err != nil {
			tb.Error(err)
		}
		bodies = append(bodies, b)
		w.WriteHeader(http.StatusTeapot)
	}))
	defer server.Close()
	c, err := remote.Open(server.URL, "")
	if err != nil {
		tb.Fatal(err)
	}
	defer c.Close()
	for _, p := range []tenfold.Payload{tenfold.AssistantMessage{Text: "a\xff"}, tenfold.ToolCall{CallID: "c", Name: "n", Arguments: "{}"}} {
		b := store.Batch{Conversation: "a", Entries: []tenfold.Entry{{ID: "1", Payload: p}}, Stats: &store.Stats{}}
		if _, err := c.Append(tb.Context(), b); err == nil {
			tb.Error("a teapot takes entries")
		}
	}
	return bodies
}

// An answer that is cut anywhere is not an answer.
func TestCutAnswers(t *testing.T) {
	t.Parallel()
	st := memory.New()
	if err := st.Create(t.Context(), store.Conversation{ID: "a"}, tenfold.Entry{ID: "1", Payload: tenfold.AssistantMessage{Text: "needle"}}); err != nil {
		t.Fatal(err)
	}
	var short atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		whole := httptest.NewRecorder()
		remote.Handler(st).ServeHTTP(whole, r)
		w.Header().Set("Content-Type", whole.Header().Get("Content-Type"))
		b := whole.Body.Bytes()
		_, _ = w.Write(b[:max(0, len(b)-int(short.Load()))])
	}))
	t.Cleanup(server.Close)
	c := dial(t, server.URL)
	for left := range 60 {
		short.Store(int32(left))
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		if left == 0 {
			cancel()
			ctx, cancel = context.WithCancel(t.Context())
		}
		hits, err := c.Search(ctx, store.Query{Text: "needle"})
		if (err == nil) != (left == 0) {
			t.Fatalf("without its last %d bytes the answer is %v, %v", left, hits, err)
		}
		cancel()
	}
}
