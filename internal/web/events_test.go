package web

import (
	"bufio"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json"

	"tenfold"
	"tenfold/internal/logtest"
	"tenfold/internal/web/shape"
	"tenfold/session"
	"tenfold/store/memory"
	"tenfold/store/sqlite"
)

// A sent event is one as a browser reads it.
type sent struct {
	name, id string
	event    shape.Event
}

// eventsIn reads a stream.
func eventsIn(r io.Reader) func(yield func(sent) bool) {
	return func(yield func(sent) bool) {
		in := bufio.NewReader(r)
		var e sent
		data := ""
		for {
			line, err := in.ReadString('\n')
			if err != nil {
				return
			}
			line = strings.TrimSuffix(line, "\n")
			field, value, _ := strings.Cut(line, ": ")
			switch field {
			case "event":
				e.name = value
			case "id":
				e.id = value
			case "data":
				data = value
			}
			if line == "" {
				if data != "" {
					if json.Unmarshal([]byte(data), &e.event) != nil || !yield(e) {
						return
					}
				}
				e, data = sent{id: e.id}, ""
			}
		}
	}
}

// follow connects to a stream; f is given events until it returns false.
func follow(ctx context.Context, url, last string, f func(sent) bool) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	if last != "" {
		r.Header.Set("Last-Event-ID", last)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return errors.New(answer.Status)
	}
	for e := range eventsIn(answer.Body) {
		if !f(e) {
			break
		}
	}
	return nil
}

// A copied outline is what a page has of a log: by the stream alone, but that it asks
// for the outline again where it is told to.
type copied struct {
	fate  []string
	after []int
	pair  []int64
	told  int // that older entries are others now
}

func (p *copied) take(t *testing.T, s *Server, id string, e shape.Event) {
	p.fate, p.after, p.pair = append(p.fate, e.Entry.Fate), append(p.after, e.Entry.After), append(p.pair, e.Entry.Pair)
	if e.Changed == 0 {
		return
	}
	p.told++
	o := get[shape.Outline](t, s, "/api/conversations/"+id+"/outline?from="+strconv.FormatInt(e.Changed, 10), http.StatusOK)
	for i, fate := range o.Fate {
		if at := int(o.From) - 1 + i; at < len(p.fate) {
			p.fate[at], p.after[at], p.pair[at] = o.Fates[fate], o.After[i], o.Pair[i]
		}
	}
}

// Connections drop, the server is started again, and the conversation is compacted,
// undone and calibrated in between: each entry comes once, in order, and what is
// known of the older ones is what is so.
func TestNoEntryIsLostOrDoubled(t *testing.T) {
	t.Parallel()
	st, err := sqlite.Open(t.Context(), t.TempDir()+"/store.db")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	s, service := server(t, st)
	var current atomic.Pointer[Server]
	current.Store(s)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { current.Load().ServeHTTP(w, r) }))
	t.Cleanup(web.Close)
	random := rand.New(rand.NewPCG(1, 19))
	entries := logtest.Long(600)
	open := created(t, service, "one", entries[:1])
	url := web.URL + "/api/conversations/one/events?after=0"
	writer, stop := context.WithCancel(t.Context())
	defer stop()
	written := make(chan struct{})
	go func() {
		defer close(written)
		writeAll(writer, t, open, entries[1:], rand.New(rand.NewPCG(2, 19)))
	}()
	defer func() { <-written }()
	var known copied
	last, drops, ended := "", 0, false
	for !ended {
		left := 1 + random.IntN(90)
		if len(known.fate) > 400 {
			left = 1000 // what is known is not put right by coming back
		}
		err := follow(t.Context(), url, last, func(e sent) bool {
			if last = e.id; e.event.Entry == nil {
				return true
			}
			if seq := e.event.Entry.Seq; seq != int64(len(known.fate))+1 || strconv.FormatInt(seq, 10) != e.id {
				t.Errorf("entry %d (id %s) after %d", seq, e.id, len(known.fate))
				return false
			}
			known.take(t, current.Load(), "one", e.event)
			left--
			ended = e.event.Entry.ID == "the last"
			return left > 0 && !ended
		})
		if err != nil || t.Failed() {
			t.Fatal(err)
		}
		if drops++; drops%3 == 0 && !ended {
			old := current.Swap(New(Options{Backend: &lent{service: session.NewService(st)}}))
			_ = old.Close()
		}
	}
	t.Cleanup(func() { _ = current.Load().Close() })
	o := get[shape.Outline](t, current.Load(), "/api/conversations/one/outline", http.StatusOK)
	if len(o.Fate) != len(known.fate) || drops < 4 {
		t.Fatalf("%d entries told, %d there, %d connections", len(known.fate), len(o.Fate), drops)
	}
	for i, fate := range o.Fate {
		if known.fate[i] != o.Fates[fate] || known.after[i] != o.After[i] || known.pair[i] != o.Pair[i] {
			t.Fatalf("entry %d is told to be %s with %d tokens, and is %s with %d", i+1, known.fate[i], known.after[i], o.Fates[fate], o.After[i])
		}
	}
	if got := get[shape.Conversation](t, current.Load(), "/api/conversations/one", http.StatusOK); got.Tokens.Method != "calibrated" || len(got.Compactions) < 3 {
		t.Errorf("too little happened: %+v", got.Tokens)
	}
	t.Logf("%d connections, %d entries, %d changes of older ones", drops, len(o.Fate), known.told)
}

// writeAll appends in bits, as an agent does, with compactions, undoing, pins and
// usage between them.
func writeAll(ctx context.Context, t *testing.T, s *session.Session, entries []tenfold.Entry, random *rand.Rand) {
	input := 1000
	for n := 0; len(entries) > 0; n++ {
		size := min(1+random.IntN(12), len(entries))
		err := s.Append(ctx, entries[:size]...)
		entries = entries[size:]
		switch {
		case err != nil:
		case len(entries) > 400: // a provider's count is learnt between changes of the view
			input += 700 + random.IntN(900)
			err = s.Append(ctx, tenfold.Entry{Payload: tenfold.Usage{Model: "claude-sonnet-4-5", Input: input, Output: 9}})
		case n%9 == 1, n%9 == 3:
			input += 700 + random.IntN(900)
			err = s.Append(ctx, tenfold.Entry{Payload: tenfold.Usage{Model: "claude-sonnet-4-5", Input: input, Output: 9}})
		case n%9 == 5:
			strip := tenfold.ToolPolicy{Action: tenfold.Strip, Request: true, Response: true}
			err = s.Append(ctx, tenfold.Entry{Payload: tenfold.Compaction{ToTurn: s.Log().Turns() - 1, ToolCalls: &strip}})
		case n%9 == 7:
			if _, err = s.Undo(ctx); errors.Is(err, session.ErrNothingToUndo) {
				err = nil
			}
		case n%9 == 8:
			err = s.Pin(ctx, 1+random.Int64N(s.Log().Version()))
		}
		if err != nil {
			t.Error(err)
			break
		}
		if n%4 == 0 {
			time.Sleep(time.Millisecond) // else all is there before anybody connects
		}
	}
	if err := s.Append(ctx, tenfold.Entry{ID: "the last", Payload: tenfold.AssistantMessage{Text: "done"}}); err != nil {
		t.Error(err)
	}
}

// Who was away is told with the first entry that anything before it may be another
// one, and with no other entry.
func TestWhoWasAwayLooksAgain(t *testing.T) {
	t.Parallel()
	s, service := server(t, nil)
	created(t, service, "one", logtest.Long(1000))
	web := httptest.NewServer(s)
	t.Cleanup(web.Close)
	var seqs, changed []int64
	err := follow(t.Context(), web.URL+"/api/conversations/one/events?after=99", "299", func(e sent) bool {
		if e.event.Entry != nil {
			if seqs = append(seqs, e.event.Entry.Seq); e.event.Changed != 0 {
				changed = append(changed, e.event.Entry.Seq, e.event.Changed)
			}
		}
		return len(seqs) < 701
	})
	if err != nil || len(seqs) != 701 || seqs[0] != 300 || seqs[700] != 1000 || !slices.Equal(changed, []int64{300, 1}) {
		t.Errorf("%v, %d entries from %v, changed %v", err, len(seqs), seqs[:1], changed)
	}
}

// A place that the log does not have is one of another log: nobody waits for entries
// there that would never be told.
func TestAPlaceThatTheLogDoesNotHave(t *testing.T) {
	t.Parallel()
	s, service := server(t, nil)
	created(t, service, "one", logtest.Long(5))
	for _, place := range []string{"?after=6", "?after=9000000000"} {
		p := answerOf[shape.Problem](t, asked(t, s, "GET", "/api/conversations/one/events"+place, "", ""), 409)
		if p.Code != "conflict" || p.Hint == "" || p.Actual == nil || *p.Actual != 5 {
			t.Errorf("%s: %+v", place, p)
		}
	}
	web := httptest.NewServer(s)
	t.Cleanup(web.Close)
	if err := follow(t.Context(), web.URL+"/api/conversations/one/events?after=1", "6", func(sent) bool { return false }); err == nil || !strings.HasPrefix(err.Error(), "409") {
		t.Errorf("Last-Event-ID: %v", err)
	}
	if err := follow(t.Context(), web.URL+"/api/conversations/one/events?after=5", "", func(sent) bool { return false }); err != nil {
		t.Error(err)
	}
}

// A conversation that was made anew with the id of one that was deleted is another one:
// who followed the first is not told of the second, and who asks for the first, by when
// it was created, is refused.
func TestAStreamIsOfOneConversation(t *testing.T) {
	t.Parallel()
	s, service := server(t, nil)
	created(t, service, "one", logtest.Long(30))
	web := httptest.NewServer(s)
	t.Cleanup(web.Close)
	outline := get[shape.Outline](t, s, "/api/conversations/one/outline", http.StatusOK)
	if c, rows := get[shape.Conversation](t, s, "/api/conversations/one", http.StatusOK), get[shape.Rows](t, s, "/api/conversations/one/rows", http.StatusOK); c.Created.IsZero() ||
		!c.Created.Equal(outline.Created) || !c.Created.Equal(rows.Created) {
		t.Fatalf("created %s, by the outline %s, by the rows %s", c.Created, outline.Created, rows.Created)
	}
	url := web.URL + "/api/conversations/one/events?created=" + outline.Created.Format(time.RFC3339Nano)
	seen := int64(0)
	err := follow(t.Context(), url, "", func(e sent) bool { // until it ends
		if e.event.Entry != nil {
			seen = max(seen, e.event.Entry.Seq)
			return true
		}
		err := service.Delete(t.Context(), "one")
		created(t, service, "one", logtest.Long(60))
		return err == nil
	})
	if err != nil || seen > 0 {
		t.Errorf("%v; the stream tells of entry %d of another conversation", err, seen)
	}
	if err := follow(t.Context(), url, "30", func(sent) bool { return false }); err == nil || !strings.HasPrefix(err.Error(), "409") {
		t.Errorf("who comes back gets %v", err)
	}
}

// stuck is a reader that takes nothing.
type stuck struct{ block chan struct{} }

func (s stuck) Write([]byte) (int, error) {
	<-s.block
	return 0, io.ErrClosedPipe
}

// quickReader is a reader in memory.
type quickReader struct {
	mu   sync.Mutex
	text strings.Builder
	woke chan struct{}
}

func (h *quickReader) Write(data []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.text.Write(data)
}

func (h *quickReader) flush() error {
	select {
	case h.woke <- struct{}{}:
	default:
	}
	return nil
}

func (h *quickReader) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.text.String()
}

// Time stands still while nothing happens, so that waiting costs nothing.
func TestAStreamLivesAndEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		st := memory.New()
		defer st.Close()
		service := session.NewService(st)
		s := New(Options{Backend: &lent{service: service}})
		open := created(t, service, "one", logtest.Long(30))
		topic, err := s.topics.join(t.Context(), "one")
		if err != nil {
			t.Fatal(err)
		}
		slow, quick := stuck{make(chan struct{})}, &quickReader{woke: make(chan struct{}, 1)}
		ended := make(chan error, 2)
		go func() { ended <- s.stream(t.Context(), topic, 30, slow, func() error { return nil }) }()
		go func() { ended <- s.stream(t.Context(), topic, 30, quick, quick.flush) }()
		synctest.Wait()
		if got := quick.String(); strings.Count(got, "event: status\n") != 1 || !strings.HasPrefix(got, "retry: 1000\nid: 30\n\n") {
			t.Errorf("at first %q", got)
		}
		// Nobody waits for the reader that takes nothing.
		if err := open.Append(t.Context(), tenfold.Entry{Payload: tenfold.AssistantMessage{Text: "and bad \xff text"}}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if got := quick.String(); !strings.Contains(got, "id: 31\nevent: entry\n") || !strings.Contains(got, "and bad \ufffd text") {
			t.Errorf("after an append %q", got)
		}
		time.Sleep(heartbeat + time.Second)
		synctest.Wait()
		if got := quick.String(); strings.Count(got, ": still here\n\n") != 1 {
			t.Errorf("after a while %q", got)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		close(slow.block)
		<-ended
		<-ended
		s.topics.leave(topic)
	})
}

// A conversation that is deleted ends its streams, and one that is not there has
// none.
func TestAStreamEndsWithItsConversation(t *testing.T) {
	t.Parallel()
	s, service := server(t, nil)
	created(t, service, "one", logtest.Long(30))
	web := httptest.NewServer(s)
	t.Cleanup(web.Close)
	url := web.URL + "/api/conversations/one/events"
	err := follow(t.Context(), url, "", func(sent) bool { // until it ends
		return service.Delete(t.Context(), "one") == nil
	})
	if err != nil {
		t.Error(err)
	}
	get[shape.Problem](t, s, "/api/conversations/one/events", http.StatusNotFound)
	s.topics.mu.Lock()
	defer s.topics.mu.Unlock()
	if len(s.topics.open) > 0 {
		t.Errorf("%d topics are left", len(s.topics.open))
	}
}

// deadlined is a writer that takes note of deadlines.
type deadlined struct {
	httptest.ResponseRecorder
	until []time.Time
}

func (d *deadlined) SetWriteDeadline(at time.Time) error {
	d.until = append(d.until, at)
	return nil
}

// Each write has its own time, so that a reader who takes nothing is dropped.
func TestWritesHaveATime(t *testing.T) {
	t.Parallel()
	w := &deadlined{ResponseRecorder: *httptest.NewRecorder()}
	r := reader{w, http.NewResponseController(w)}
	before := time.Now()
	if _, err := r.Write([]byte("x")); err != nil {
		t.Fatal(err)
	}
	if err := r.flush(); err != nil {
		t.Fatal(err)
	}
	if len(w.until) != 2 || slices.ContainsFunc(w.until, func(at time.Time) bool {
		return at.Before(before.Add(slowReader)) || at.After(time.Now().Add(slowReader))
	}) {
		t.Errorf("deadlines %v", w.until)
	}
}

// What a topic does not keep is read from the log, without gap.
func TestATopicKeepsSoMuch(t *testing.T) {
	t.Parallel()
	event := func(seq int64) told { return told{seq, make([]byte, keptBytes/10)} }
	var p topic
	p.version = 100
	for seq := int64(101); seq <= 120; seq++ {
		p.addEvents([]told{event(seq)}, seq)
	}
	events, behind := p.since(115)
	if behind || len(events) != 5 || events[0].seq != 116 {
		t.Errorf("after 115: %d events, behind %v", len(events), behind)
	}
	if events, behind := p.since(110); behind || len(events) != 10 {
		t.Errorf("after 110: %d events, behind %v", len(events), behind)
	}
	for _, seq := range []int64{0, 100, 109} {
		if _, behind := p.since(seq); !behind {
			t.Errorf("after %d nothing is missing", seq)
		}
	}
	if events, behind := p.since(120); behind || len(events) > 0 {
		t.Error("there is more than all")
	}
	p.addEvents([]told{event(130)}, 130) // 121 to 129 were too many at once
	if _, behind := p.since(125); !behind {
		t.Error("a gap is told as if there was none")
	}
	if events, behind := p.since(129); behind || len(events) != 1 {
		t.Error("after a gap")
	}
}

// BenchmarkThousandStreams measures how long one append takes to reach a thousand
// open streams of one conversation, over TCP, and what each of them costs in memory,
// both ends of the connection included.
func BenchmarkThousandStreams(b *testing.B) {
	const readers = 1000
	st, err := sqlite.Open(b.Context(), b.TempDir()+"/store.db")
	if err != nil {
		b.Fatal(err)
	}
	defer st.Close()
	service := session.NewService(st)
	s := New(Options{Backend: &lent{service: service}})
	open := created(b, service, "one", logtest.Long(10_000))
	web := httptest.NewServer(s)
	defer web.Close()
	defer s.Close()
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	var got atomic.Int64
	var ready sync.WaitGroup
	ready.Add(readers)
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	http.DefaultTransport.(*http.Transport).MaxIdleConns = readers
	for range readers {
		go func() {
			first := true
			_ = follow(ctx, web.URL+"/api/conversations/one/events", "", func(e sent) bool {
				if first {
					first = false
					ready.Done()
				}
				if e.event.Entry != nil {
					got.Add(1)
				}
				return true
			})
		}()
	}
	ready.Wait()
	runtime.GC()
	runtime.ReadMemStats(&after)
	b.ResetTimer()
	for n := 1; b.Loop(); n++ {
		if err := open.Append(ctx, tenfold.Entry{Payload: tenfold.AssistantMessage{Text: "one more"}}); err != nil {
			b.Fatal(err)
		}
		for got.Load() < int64(n)*readers {
			time.Sleep(100 * time.Microsecond)
		}
	}
	b.ReportMetric(float64(after.HeapInuse+after.StackInuse-before.HeapInuse-before.StackInuse)/readers/1024, "KB/stream")
}
