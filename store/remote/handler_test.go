package remote

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"tenfold/store"
	"tenfold/store/memory"
)

// asking is a request of a method as a client sends it, of which the server is told how
// long it is.
func asking(t *testing.T, path string, p parameters, long int64, through func(io.Reader) io.Reader) *http.Request {
	t.Helper()
	var b bytes.Buffer
	w := newWriter(&b)
	w.json(object, p)
	w.frame(end)
	if err := w.flush(); err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/api/store/"+path, through(&b))
	r.ContentLength = long
	return r
}

// A gated reader waits before its first byte, and says that it is asked for it.
type gated struct {
	io.Reader
	asked, open chan struct{}
}

func (g *gated) Read(b []byte) (int, error) {
	select {
	case g.asked <- struct{}{}:
	default:
	}
	<-g.open
	return g.Reader.Read(b)
}

// Of long requests one is in memory at a time, whether they say that they are long or not
// how long; short ones do not wait for it.
func TestOneLongRequestAtATime(t *testing.T) {
	t.Parallel()
	st := memory.New()
	defer st.Close()
	h := Handler(st)
	create := func(id string) parameters {
		return parameters{Conversation: newConversation(store.Conversation{ID: id})}
	}
	plain := func(r io.Reader) io.Reader { return r }
	first := &gated{asked: make(chan struct{}, 1), open: make(chan struct{})}
	done := make(chan struct{})
	go func() {
		defer close(done)
		h.ServeHTTP(httptest.NewRecorder(), asking(t, pathCreate, create("first"), longRequest, func(r io.Reader) io.Reader {
			first.Reader = r
			return first
		}))
	}()
	<-first.asked
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, long := range []int64{longRequest, -1} {
		h.ServeHTTP(httptest.NewRecorder(), asking(t, pathCreate, create("second"), long, func(io.Reader) io.Reader {
			return readerFunc(func([]byte) (int, error) {
				t.Errorf("one of %d bytes is read beside another", long)
				return 0, io.EOF
			})
		}).WithContext(ended))
	}
	h.ServeHTTP(httptest.NewRecorder(), asking(t, pathCreate, create("short"), longRequest-1, plain))
	if _, err := st.Conversation(t.Context(), "short"); err != nil {
		t.Errorf("a short one waits: %v", err)
	}
	close(first.open)
	<-done
	h.ServeHTTP(httptest.NewRecorder(), asking(t, pathCreate, create("third"), -1, plain))
	for _, id := range []string{"first", "third"} {
		if _, err := st.Conversation(t.Context(), id); err != nil {
			t.Error(err)
		}
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(b []byte) (int, error) { return f(b) }
