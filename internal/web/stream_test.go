package web

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"

	"tenfold"
	"tenfold/internal/web/shape"
	"tenfold/internal/web/talk"
	"tenfold/provider/script"
	"tenfold/session"
	"tenfold/store/memory"
	"tenfold/store/sqlite"
	"tenfold/strategy"
	"tenfold/toolbox"
)

// A follower is a page that follows a conversation: it puts together what it is told.
type follower struct {
	t      testing.TB
	base   string
	last   string // the id of the newest entry, for Last-Event-ID
	cancel context.CancelFunc
	done   chan struct{}

	mu      sync.Mutex
	changed chan struct{}
	entries []shape.Row
	status  []shape.Status
	text    string
	after   int64
	output  string
	texts   []string // as they were when their entries came
}

// open opens a window on the conversation.
func open(t testing.TB, s http.Handler) *follower {
	t.Helper()
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	w := &follower{t: t, base: server.URL, changed: make(chan struct{}, 1)}
	w.connect("?after=0")
	return w
}

// connect begins to follow, after what the window knows.
func (w *follower) connect(query string) {
	w.t.Helper()
	ctx, cancel := context.WithCancel(w.t.Context())
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, w.base+"/api/conversations/talk/events"+query, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	if w.last != "" {
		r.Header.Set("Last-Event-ID", w.last)
	}
	answer, err := http.DefaultClient.Do(r) //nolint:bodyclose // by the goroutine below
	if err != nil || answer.StatusCode != http.StatusOK {
		w.t.Fatal(answer, err)
	}
	w.cancel, w.done = cancel, make(chan struct{})
	go func() {
		defer close(w.done)
		defer func() { _ = answer.Body.Close() }()
		lines := bufio.NewScanner(answer.Body)
		lines.Buffer(nil, 4<<20)
		id, name := "", ""
		for lines.Scan() {
			key, value, _ := strings.Cut(lines.Text(), ": ")
			switch key {
			case "id":
				id = value
			case "event":
				name = value
			case "data":
				w.take(id, name, value)
			}
		}
	}()
	w.t.Cleanup(w.close)
}

// close drops the connection.
func (w *follower) close() {
	w.cancel()
	<-w.done
}

func (w *follower) take(id, name, data string) {
	if all, err := contract(); err != nil {
		w.t.Error(err)
	} else {
		validates(w.t, "event "+name, all["GET /api/conversations/{id}/events 200 text/event-stream"], []byte(data))
	}
	var e shape.Event
	if err := json.Unmarshal([]byte(data), &e); err != nil || e.Name() != name {
		w.t.Errorf("event %q: %v: %s", name, err, data)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.last = id
	switch {
	case e.Entry != nil:
		w.entries = append(w.entries, *e.Entry)
		if e.Entry.Branch == "" && e.Entry.Kind == "assistant_message" && e.Entry.Seq > w.after && w.text != "" {
			w.texts, w.text = append(w.texts, w.text), ""
		}
	case e.Status != nil:
		w.status = append(w.status, *e.Status)
	case e.Text != nil:
		if e.Text.Begins {
			w.text = ""
		}
		w.text, w.after = w.text+e.Text.Text, e.Text.After
	case e.Output != nil:
		if e.Output.Begins {
			w.output = ""
		}
		w.output += e.Output.Text
	}
	select {
	case w.changed <- struct{}{}:
	default:
	}
}

// until waits for what the window is to show.
func (w *follower) until(what string, is func(*follower) bool) {
	w.t.Helper()
	for {
		w.mu.Lock()
		ok := is(w)
		w.mu.Unlock()
		if ok {
			return
		}
		select {
		case <-w.changed:
		case <-w.done:
			w.t.Fatalf("the stream ended before %s", what)
		case <-w.t.Context().Done():
			w.t.Fatalf("never: %s", what)
		}
	}
}

// now is the status that the window shows.
func (w *follower) now() shape.Status {
	if len(w.status) == 0 {
		return shape.Status{}
	}
	return w.status[len(w.status)-1]
}

// whole says whether each entry came once and in order, up to a version.
func (w *follower) whole(version int64) error {
	for i, row := range w.entries {
		if row.Seq != int64(i+1) {
			return fmt.Errorf("entry %d came at place %d", row.Seq, i+1)
		}
	}
	if int64(len(w.entries)) != version {
		return fmt.Errorf("%d entries, not %d", len(w.entries), version)
	}
	return nil
}

// A turn with text, a call that is asked about and one that prints, watched in two
// windows, one of which is opened, dropped and opened again in the middle: both show
// the same.
func TestTwoWindowsShowTheSame(t *testing.T) {
	t.Parallel()
	printed, finish := make(chan struct{}), make(chan struct{})
	prints := handy{"prints", toolbox.Reads, func(_ context.Context, c toolbox.Call) (string, error) {
		c.Output("half ")
		close(printed)
		<-finish
		c.Output("done")
		return "half done", nil
	}}
	said := script.Answer{Blocks: []tenfold.Payload{tenfold.AssistantMessage{Text: "I edit."}, call("1", "edit")}, Chunk: 3}
	stops := script.Answer{Blocks: []tenfold.Payload{tenfold.AssistantMessage{Text: "All is well."}}, Chunk: 4, Hang: true, At: 2}
	s, b := act(t, nil, &acting{
		model: script.New(said, script.Calls(call("2", "prints")), stops), tools: []toolbox.Tool{edit, prints}, judge: &asks{},
	})
	one := open(t, s)
	post(t, s, "/talk/messages", shape.Message{Text: "Do it."}, http.StatusAccepted)
	one.until("a question", func(w *follower) bool { return len(w.now().Waiting) > 0 })
	two := open(t, s)
	two.until("the question", func(w *follower) bool { return len(w.now().Waiting) > 0 && len(w.entries) > 0 })
	if a, b := one.now().Waiting[0], two.now().Waiting[0]; a.ID != b.ID || a.Detail != b.Detail {
		t.Errorf("%+v in one window, %+v in the other", a, b)
	}
	post(t, s, "/talk/questions/"+two.now().Waiting[0].ID, shape.Reply{Answer: "once"}, http.StatusNoContent)
	<-printed
	both := []*follower{one, two}
	for _, w := range both {
		w.until("the output", func(w *follower) bool {
			return w.output == "half " && len(w.now().Running) == 1 && len(w.now().Waiting) == 0
		})
	}
	two.close()
	two.output, two.status = "", nil
	two.connect("?after=0") // Last-Event-ID goes before it
	two.until("the output again", func(w *follower) bool { return w.output == "half " && len(w.now().Running) == 1 })
	close(finish)
	for _, w := range both {
		w.until("half an answer", func(w *follower) bool { return w.text == "All is w" && len(w.now().Running) == 0 && w.after > 0 })
	}
	late := open(t, s)
	late.until("half an answer", func(w *follower) bool { return w.text == "All is w" && w.now().Busy })
	post(t, s, "/talk/stop", nil, http.StatusNoContent)
	for _, w := range append(both, late) {
		w.until("the end", func(w *follower) bool { return w.now().Ended != nil })
		version, err := b.service.Version(t.Context(), "talk")
		if err != nil {
			t.Fatal(err)
		}
		w.until("all entries", func(w *follower) bool { return int64(len(w.entries)) >= version })
		if err := w.whole(version); err != nil {
			t.Error(err)
		}
		if w.now().Ended.Reason != "interrupted" || w.text != "" {
			t.Errorf("%+v, %q is left", w.now().Ended, w.text)
		}
	}
	if got := one.entries[len(one.entries)-2]; got.Kind != "assistant_message" || got.Text != "All is w" || !slices.Equal(two.texts, one.texts[len(one.texts)-len(two.texts):]) {
		t.Errorf("%+v, texts %q and %q", got, one.texts, two.texts)
	}
}

// A conversation that another process writes is shown live: its entries, and the
// state of a compaction that goes on there.
func TestAnotherProcessIsShownLive(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "store.db")
	here, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = here.Close() })
	there, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = there.Close() })
	s, _ := act(t, here, &acting{model: script.New(), judge: &asks{}})
	w := open(t, s)
	w.until("the status", func(w *follower) bool { return w.now().State == "ready" })
	other, err := session.NewService(there, session.WithCounter(tenfold.Chars4{})).Open(t.Context(), "talk")
	if err != nil {
		t.Fatal(err)
	}
	add := func(payloads ...tenfold.Payload) {
		t.Helper()
		var entries []tenfold.Entry
		for _, p := range payloads {
			entries = append(entries, tenfold.Entry{Payload: p})
		}
		if err := other.Append(t.Context(), entries...); err != nil {
			t.Fatal(err)
		}
	}
	add(
		tenfold.TurnStart{}, tenfold.UserMessage{Parts: tenfold.Text("Look.")}, call("1", "Read"),
		tenfold.ToolResult{CallID: "1", Parts: tenfold.Text(strings.Repeat("a cake ", 2000))}, tenfold.AssistantMessage{Text: "A cake."},
		tenfold.Usage{Model: "m", Input: 9000, Output: 10},
	)
	w.until("what was said", func(w *follower) bool {
		return len(w.entries) == 6 && w.now().Tokens == 9010 && w.now().Method == "reported"
	})
	// Its own compaction begins, and comes to nothing.
	planning, plan, ran := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	gate := gated{strategy.Fit{Target: strategy.Tokens(2000)}, func(context.Context) error {
		close(planning)
		<-plan
		return errors.New("no idea")
	}}
	control := other.Control(session.Live{Auto: session.LiveAuto{Strategies: []strategy.Strategy{gate}}})
	d, err := control.Ask(t.Context(), session.Wish{By: session.ByPerson})
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		_, err := control.Run(t.Context(), d)
		ran <- err
	}()
	<-planning
	w.until("compacting", func(w *follower) bool { return w.now().State == "compacting" && w.now().Until.After(w.now().Since) })
	if p := post(t, s, "/talk/messages", shape.Message{Text: "Hi"}, http.StatusConflict); p.Code != "compacting" {
		t.Errorf("%+v", p)
	}
	close(plan)
	if err := <-ran; err != nil {
		t.Error(err)
	}
	w.until("the failure", func(w *follower) bool {
		return strings.Contains(w.now().Failure, "no idea") && len(w.now().Offers) == 3
	})
	if err := w.whole(8); err != nil {
		t.Error(err)
	}
}

// A server that ends in the middle of a turn, and the next: a window that comes back
// misses nothing and sees nothing twice.
func TestAWindowComesBackToAnotherServer(t *testing.T) {
	t.Parallel()
	st := memory.New()
	t.Cleanup(func() { _ = st.Close() })
	s, _ := act(t, st, &acting{model: script.New(script.Calls(call("1", "waits"))), tools: []toolbox.Tool{waits}, judge: &asks{}})
	w := open(t, s)
	post(t, s, "/talk/messages", shape.Message{Text: "Do it."}, http.StatusAccepted)
	w.until("a call that runs", func(w *follower) bool { return len(w.now().Running) == 1 })
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	<-w.done
	s, b := act(t, st, &acting{model: script.New(script.Text("Done.")), tools: []toolbox.Tool{waits}, judge: &asks{}})
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	w.base, w.status = server.URL, nil
	post(t, s, "/talk/messages", shape.Message{Do: talk.DoGoOn}, http.StatusAccepted)
	w.connect("")
	w.until("the end", func(w *follower) bool { return w.now().Ended != nil && w.now().Ended.Reason == "answered" })
	version, err := b.service.Version(t.Context(), "talk")
	if err != nil {
		t.Fatal(err)
	}
	w.until("all entries", func(w *follower) bool { return int64(len(w.entries)) >= version })
	if err := w.whole(version); err != nil {
		t.Error(err)
	}
}
