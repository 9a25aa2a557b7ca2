package remote

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"tenfold"
	"tenfold/store"
	"tenfold/store/memory"
)

// A server that says nothing any more, without the connection knowing, is asked
// again.
func TestWatchLeavesASilentServer(t *testing.T) {
	t.Parallel()
	st := memory.New()
	if err := st.Create(t.Context(), store.Conversation{ID: "a"}, tenfold.Entry{ID: "1", Payload: tenfold.TurnStart{}}); err != nil {
		t.Fatal(err)
	}
	var asked atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if asked.Add(1) > 1 {
			Handler(st).ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", contentType)
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}))
	t.Cleanup(server.Close)
	c, err := Open(server.URL, "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	c.silence = 20 * time.Millisecond
	for e, err := range c.Watch(t.Context(), "a", 0) {
		if err != nil || e.ID != "1" || asked.Load() < 2 {
			t.Errorf("the watch gives %q, %v, asked %d times", e.ID, err, asked.Load())
		}
		break
	}
}

// A server whose machine is gone does not keep anybody waiting: it is an error that
// says where to look.
func TestCreateLeavesASilentServer(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	}))
	t.Cleanup(server.Close)
	c, err := Open(server.URL, "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	transport, ok := c.client.Transport.(*http.Transport)
	if !ok || transport.ResponseHeaderTimeout != answerWithin {
		t.Fatal("a client waits for ever")
	}
	transport.ResponseHeaderTimeout = 20 * time.Millisecond
	err = c.Create(t.Context(), store.Conversation{ID: "a"})
	if err == nil || !strings.Contains(err.Error(), "check that the server runs") {
		t.Errorf("a server that says nothing gives %v", err)
	}
}

// Who waits for a server that was reached and says nothing is told so, once.
func TestSilenceIsTold(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	}))
	t.Cleanup(server.Close)
	var told []error
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	c, err := Open(server.URL, "", WithWaiting(func(most time.Duration, why error) {
		if told = append(told, why); most != answerWithin {
			t.Errorf("it is waited for %v", most)
		}
		cancel()
	}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	c.slow = 10 * time.Millisecond
	if _, err := c.Conversation(ctx, "a"); !errors.Is(err, context.Canceled) {
		t.Errorf("told of, it ends with %v", err)
	}
	ctx, cancel = context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, err := c.Conversation(ctx, "a"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("it ends with %v", err)
	}
	if len(told) != 1 || !errors.Is(told[0], errSilent) {
		t.Errorf("told %v", told)
	}
}
