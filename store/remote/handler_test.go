package remote

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

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

// Of long requests one is in memory at a time, whether they say that they are long or turn
// out to be; short ones do not wait for it, nor those that do not say how long they are.
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
	came := 0
	endless := func(io.Reader) io.Reader {
		return io.MultiReader(bytes.NewReader(binary.AppendUvarint([]byte{object}, most)), readerFunc(func(b []byte) (int, error) {
			came += len(b)
			return len(b), nil
		}))
	}
	for long, most := range map[int64]int{longRequest: 0, -1: longRequest + 1<<20} {
		came = 0
		if h.ServeHTTP(httptest.NewRecorder(), asking(t, pathCreate, create("second"), long, endless).WithContext(ended)); came > most {
			t.Errorf("of one that says %d bytes %d are read beside another", long, came)
		}
	}
	for id, long := range map[string]int64{"short": longRequest - 1, "unknown": -1} {
		h.ServeHTTP(httptest.NewRecorder(), asking(t, pathCreate, create(id), long, plain))
		if _, err := st.Conversation(t.Context(), id); err != nil {
			t.Errorf("a short one waits: %v", err)
		}
	}
	close(first.open)
	<-done
	last := &timed{ResponseRecorder: httptest.NewRecorder()}
	if h.ServeHTTP(last, asking(t, pathCreate, create("third"), longRequest, plain)); last.set == 0 || !last.until.IsZero() {
		t.Errorf("when all has come there is a time for what is done with it: %v, set %d times", last.until, last.set)
	}
	for _, id := range []string{"first", "third"} {
		if _, err := st.Conversation(t.Context(), id); err != nil {
			t.Error(err)
		}
	}
}

// A client that sends no more of a long request does not keep others waiting for ever: each
// piece has a time to come, and what is done with the whole has none.
func TestALongRequestHasATimeToCome(t *testing.T) {
	t.Parallel()
	var times []time.Time
	began := time.Now()
	b := &body{
		Reader: readerFunc(func(p []byte) (int, error) { return min(len(p), longRequest), nil }), ctx: t.Context(), room: make(chan struct{}, 1),
		until: func(at time.Time) error { times = append(times, at); return nil },
	}
	piece := make([]byte, longRequest)
	for i, want := range []int{0, 1, 2} {
		if _, err := b.Read(piece); err != nil || len(times) != want {
			t.Fatalf("piece %d: %v, %d times set", i, err, len(times))
		}
	}
	b.end()
	b.free()
	if len(times) != 3 || times[0].Before(began.Add(mostSilent)) || times[1].Before(times[0]) || !times[2].IsZero() || len(b.room) > 0 {
		t.Errorf("times %v, and %d in the room", times, len(b.room))
	}
}

// A timed recorder knows until when the request may come.
type timed struct {
	*httptest.ResponseRecorder

	set   int
	until time.Time
}

func (w *timed) SetReadDeadline(at time.Time) error {
	w.set++
	w.until = at
	return nil
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(b []byte) (int, error) { return f(b) }
