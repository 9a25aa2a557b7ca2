package proxy

import (
	"context"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"tenfold/internal/proxy/wire"
)

// X6: an error waits for the Keeper, once; what it does not try again reaches the
// client as it came.
func TestX6RefusalsAreTriedAgainOnce(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var bodies []string
	up := upstream(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		bodies = append(bodies, string(body))
		if string(body) == "broken" {
			panic(http.ErrAbortHandler)
		}
		if string(body) == "the original" {
			_, _ = io.WriteString(w, "ok")
			return
		}
		w.Header().Set("Content-Encoding", "gzip")
		w.Header().Set("Retry-After", "7")
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, packed(t, "gzip", "refused: "+string(body)))
	})
	k := newScribe()
	s := run(t, k, up.URL)
	k.edit = func([]byte) []byte { return []byte("edited") }
	q := question{Method: http.MethodPost, Path: "/messages", Body: "the original"}

	k.again = func(_ int, came []byte) []byte { return came }
	if got := q.ask(t, s.base); got.Status != 200 || got.Body != "ok" {
		t.Error(got)
	}
	if told := until(t, "done", k.done); told != "200 false" || k.heard[0] != "ok" {
		t.Error(told, k.heard)
	}
	k.again = func(int, []byte) []byte { return []byte("edited again") }
	if got := q.ask(t, s.base); got.Status != 400 || got.Body != packed(t, "gzip", "refused: edited again") || got.Header.Get("Retry-After") != "7" {
		t.Error(got)
	}
	if told := until(t, "done", k.done); told != "400 false" {
		t.Error(told)
	}
	k.again = func(int, []byte) []byte { return []byte("broken") }
	if got := q.ask(t, s.base); !got.Failed {
		t.Error(got)
	}
	if told := until(t, "done", k.done); told != "0 true" {
		t.Error(told)
	}
	k.again = nil
	if got := q.ask(t, s.base); got.Status != 400 || got.Body != packed(t, "gzip", "refused: edited") {
		t.Error(got)
	}
	until(t, "done", k.done)
	if want := "edited, the original, edited, edited again, edited, broken, edited"; strings.Join(bodies, ", ") != want {
		t.Errorf("asked %q, want %s", bodies, want)
	}
	if want := "400 refused: edited, 400 refused: edited, 400 refused: edited, 400 refused: edited"; strings.Join(k.refused, ", ") != want {
		t.Errorf("refused %q, want %s", k.refused, want)
	}
}

// X6: an error that is long, or does not end, is not waited for.
func TestX6EndlessErrors(t *testing.T) {
	t.Parallel()
	end := make(chan bool)
	up := upstream(t, func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(529)
		_, _ = io.WriteString(w, strings.Repeat("e", 100))
		_ = http.NewResponseController(w).Flush()
		select {
		case <-end:
		case <-r.Context().Done():
		}
		_, _ = io.WriteString(w, "nd")
	})
	k := newScribe()
	s := run(t, k, up.URL)
	for i, most := range []limits{{errorBytes: 10, errorWait: time.Hour}, {errorBytes: 1000, errorWait: time.Millisecond}} {
		most.read = 100
		most.decoded = 100
		s.limits = most
		res, err := http.Post(s.base+"/messages", "", strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(res.Body, make([]byte, 100)); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			end <- true
			if rest, err := io.ReadAll(res.Body); string(rest) != "nd" || err != nil {
				t.Error(string(rest), err)
			}
		}
		_ = res.Body.Close()
		want := "529 " + strconv.FormatBool(i > 0)
		if told := until(t, "done", k.done); told != want {
			t.Errorf("%q, want %q", told, want)
		}
	}
}

// X4: an answer of ours is the whole response; nothing is sent on.
func TestX4Answers(t *testing.T) {
	t.Parallel()
	up := newPlayer(t)
	k := newScribe()
	k.answer = &Answer{ContentType: "text/event-stream", Body: []byte("data: ours\n\n")}
	s := run(t, k, up.URL)
	got := question{Method: http.MethodPost, Path: "/messages", Body: "{}"}.ask(t, s.base)
	if got.Status != 200 || got.Body != "data: ours\n\n" || got.Header.Get("Content-Type") != "text/event-stream" || len(up.asked()) > 0 {
		t.Error(got)
	}
	if told := until(t, "done", k.done); told != "200 false" {
		t.Error(told)
	}
	k.answer = &Answer{Status: 404, ContentType: "application/json", Body: []byte("{}")}
	if got := (question{Method: http.MethodPost, Path: "/messages", Body: "{}"}).ask(t, s.base); got.Status != 404 || got.Body != "{}" || len(up.asked()) > 0 {
		t.Error(got)
	}
	if told := until(t, "done", k.done); told != "404 false" {
		t.Error(told)
	}
}

// V7: whatever of a Keeper panics, the client sees what it would see without one.
func TestV7PanicsPass(t *testing.T) {
	t.Parallel()
	up := newPlayer(t)
	for _, where := range []string{"Take", "Body", "Answer", "Refused", "Heard", "Write", "Done"} {
		s := run(t, &breaking{Keeper: newScribe(), where: where}, up.URL)
		for _, status := range []int{200, 400} {
			up.play(script{Status: status, Framing: "length", Chunks: []string{"said"}, Cut: -1})
			got := question{Method: http.MethodPost, Path: "/messages", Body: "{}"}.ask(t, s.base)
			if asked := up.asked(); got.Status != status || got.Body != "said" || len(asked) != 1 || asked[0].Body != "{}" {
				t.Errorf("%s: %v, asked %v", where, got, asked)
			}
		}
	}
}

// breaking is a Keeper that panics in one place.
type breaking struct {
	Keeper
	where string
}

func (b *breaking) at(where string) {
	if b.where == where {
		panic("broken")
	}
}

func (b *breaking) Take(ctx context.Context, in Incoming) Exchange {
	b.at("Take")
	x, _ := b.Keeper.Take(ctx, in).(*scribbled)
	return &brokenExchange{x, b}
}

type brokenExchange struct {
	*scribbled
	b *breaking
}

func (x *brokenExchange) Body() []byte    { x.b.at("Body"); return x.scribbled.Body() }
func (x *brokenExchange) Answer() *Answer { x.b.at("Answer"); return x.scribbled.Answer() }
func (x *brokenExchange) Refused(status int, body []byte) []byte {
	x.b.at("Refused")
	return x.scribbled.Refused(status, body)
}
func (x *brokenExchange) Heard() wire.Listener { x.b.at("Heard"); return x }
func (x *brokenExchange) Write(p []byte) (int, error) {
	x.b.at("Write")
	return x.scribbled.Write(p)
}
func (x *brokenExchange) Done(int, bool) { x.b.at("Done") }
