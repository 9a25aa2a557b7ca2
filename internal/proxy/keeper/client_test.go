package keeper_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"pgregory.net/rapid"

	"tenfold"
	"tenfold/body"
	"tenfold/internal/proxy"
	"tenfold/internal/proxy/keeper"
	"tenfold/internal/proxy/wire"
	"tenfold/session"
	"tenfold/store"
	"tenfold/store/memory"
	"tenfold/strategy"
)

// window is the context of the tests' model; a token is four characters.
const window = 8000

// A place is where clients meet: a store, a clock and a keeper that can be restarted.
type place struct {
	t     rapid.TB
	store store.Store
	k     proxy.Keeper
	live  session.Live
	idle  time.Duration
	spare bool
	dir   string // of what Codex leaves; empty for memory
	// expect is whose conversation the next keeper reads ahead.
	expect keeper.Expected
	// unopened tells that the store cannot be opened.
	unopened atomic.Bool

	mu     sync.Mutex
	now    time.Time
	stands bool // the clock does, between two moments of a test
	failed []string
}

func newPlace(t rapid.TB) *place {
	p := &place{t: t, store: memory.New(), now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), idle: time.Hour}
	p.live = session.Live{
		Request: session.Request{Options: strategy.Options{Window: window}, Bounds: tenfold.Bounds{Tail: &tenfold.Tail{Turns: 1, Tokens: 500}}},
		Micro:   session.LiveMicro{ClearAtLeast: 1000, ColdAfter: 5 * time.Minute},
		Auto:    session.LiveAuto{Enabled: true},
		Turns:   2,
	}
	p.restart()
	return p
}

func (p *place) clock() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.stands {
		p.now = p.now.Add(time.Microsecond)
	}
	return p.now
}

func (p *place) pass(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now = p.now.Add(d)
}

// ticks has the clock be one that Go measures by, too.
func (p *place) ticks() {
	date := p.now
	p.now = time.Now()
	p.sleep(date.Sub(p.now))
}

// sleep is as if the machine slept, or its clock was set: the clock on the wall goes on, or
// back, and that which Go measures by stands still.
func (p *place) sleep(d time.Duration) {
	p.pass(d)
	p.mu.Lock()
	defer p.mu.Unlock()
	*(*int64)(unsafe.Add(unsafe.Pointer(&p.now), 8)) -= int64(d)
}

func (p *place) failures() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.failed)
}

func (p *place) service() *session.Service {
	return session.NewService(p.store, session.WithClock(p.clock), session.WithCounter(tenfold.Chars4{}))
}

// restart closes the keeper, and begins another one on the same store.
func (p *place) restart() {
	p.close()
	p.k = keeper.New(keeper.Options{
		Open: func(context.Context) (*session.Service, error) {
			if p.unopened.Load() {
				return nil, errors.New("no disk")
			}
			return p.service(), nil
		},
		Configure: func(string, string) (session.Live, error) { return p.live, nil },
		Fail: func(_, _, why string) {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.failed = append(p.failed, why)
		},
		Patience: time.Hour, Look: time.Hour, // however much else the machine has to do
		Now: p.clock, Idle: p.idle, Spare: p.spare, Expect: p.expect, Directory: func() (string, error) { return p.dir, nil },
	})
}

func (p *place) close() {
	if p.k != nil {
		if err := p.k.Close(context.Background()); err != nil {
			p.t.Fatal(err)
		}
	}
}

// open opens a conversation of the store.
func (p *place) open(id string) *session.Session {
	p.t.Helper()
	s, err := p.service().Open(context.Background(), id)
	if err != nil {
		p.t.Fatal(err)
	}
	return s
}

// undo has a person undo what was compacted, while the keeper may be writing.
func (p *place) undo(id string) {
	p.t.Helper()
	s := p.open(id)
	if err := s.Rewrite(context.Background(), func() error { _, err := s.UndoAll(context.Background()); return err }); err != nil {
		p.t.Fatal(err)
	}
}

func (p *place) conversations() (ids []string) {
	for c, err := range p.service().List(context.Background()) {
		if err != nil {
			p.t.Fatal(err)
		}
		ids = append(ids, c.ID)
	}
	return ids
}

// A client talks to a keeper as Claude Code does.
type client struct {
	*place
	header   http.Header
	system   string
	messages []string
	n        int
	path     string
	kind     wire.Kind
	// cached is what the vendor has of the last request.
	cached  string
	nocache bool
	hour    bool   // it asks the vendor's cache to live for an hour
	budget  bool   // its host says at the end how much is left, and says less of it later
	thought string // of each last answer
	moves   bool   // no message stands where it stood in the request before
	hasty   bool   // it does not wait until what was heard is stored
	hangsUp bool   // at the last event of an answer
	heard   int    // answers
	threads bool   // it has the vendor keep what was said
	updates bool   // of what the model thinks it wants what that says to the user
	epochs  []int  // how many had begun with each request of its turns
}

func newClient(p *place, name string) *client {
	h := http.Header{"Authorization": {"Bearer secret-of-" + name}}
	if name != "" {
		h.Set("X-Claude-Code-Session-Id", name)
	}
	return &client{place: p, header: h, system: "You are " + name, path: "/v1/messages", kind: wire.Generate}
}

func quoted(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

func (c *client) body() []byte {
	list := slices.Clone(c.messages)
	if n := len(list); n > 0 { // the mark moves with the newest message
		mark := `{"type":"ephemeral"}`
		if c.hour {
			mark = `{"type":"ephemeral","ttl":"1h"}`
		}
		list[n-1] = strings.Replace(list[n-1], `{"type":"text",`, `{"type":"text","cache_control":`+mark+`,`, 1)
	}
	if c.budget {
		list = append(list, fmt.Sprintf(`{"role":"system","content":[%s,%s]}`, said(c.left()), said("First list what you need.")))
	}
	limit := "100"
	if c.moves {
		limit += strings.Repeat("0", len(list)%3)
	}
	if c.threads {
		limit += `,"thread":{"type":"create"}`
	}
	if c.updates {
		limit += `,"thinking":{"type":"adaptive","display":"updates"}`
	}
	return []byte(`{"model":"claude-sonnet-4-5","max_tokens":` + limit + `,"system":` + quoted(c.system) + `,"messages":[` + strings.Join(list, ",") + `]}`)
}

func (c *client) user(text string) {
	c.messages = append(c.messages, `{"role":"user","content":[{"type":"text","text":`+quoted(text)+`}]}`)
}

func (c *client) send() proxy.Exchange {
	return c.k.Take(context.Background(), proxy.Incoming{Protocol: wire.Anthropic{}, Kind: c.kind, Path: c.path, Header: c.header, Body: c.body()})
}

// answered gives the vendor's answer to an exchange: the content's blocks.
func (c *client) answered(ex proxy.Exchange, blocks string) {
	sent := string(ex.Body())
	if err := body.Anthropic().Check(ex.Body()); err != nil {
		c.t.Fatalf("the vendor refuses the request: %v\n%s", err, sent)
	}
	at := 0
	for at < min(len(sent), len(c.cached)) && sent[at] == c.cached[at] {
		at++
	}
	if c.nocache {
		at = 0
	}
	c.cached = sent
	c.heard++
	answer := fmt.Sprintf(`{"id":"msg_%d","type":"message","role":"assistant","model":"claude-sonnet-4-5","content":[%s],"stop_reason":"end_turn","usage":{"input_tokens":%d,"cache_read_input_tokens":%d,"output_tokens":%d}}`,
		c.heard, blocks, (len(sent)-at)/4, at/4, len(blocks)/4)
	if l := ex.Heard(); l != nil {
		_, _ = l.Write([]byte(answer))
	}
	ex.Done(200, c.hangsUp)
	if !c.hasty {
		keeper.Rest(c.k, false)
	}
	if c.budget {
		c.messages = append(c.messages, fmt.Sprintf(`{"role":"system","content":[%s]}`, said(c.left())))
	}
	c.messages = append(c.messages, `{"role":"assistant","content":[`+blocks+`]}`)
}

func (c *client) left() string { return fmt.Sprintf("%d tokens left", 1000000-len(c.messages)) }

func said(text string) string { return `{"type":"text","text":` + quoted(text) + `}` }

// turn is one of the person's, with a call whose result has so many characters. It
// gives what was sent.
func (c *client) turn(size int) (sent []string) {
	c.n++
	c.user(fmt.Sprintf("Look at file_%d.go, please.", c.n))
	ex := c.send()
	sent, c.epochs = append(sent, string(ex.Body())), append(c.epochs, c.status().Epochs)
	c.answered(ex, fmt.Sprintf(`{"type":"thinking","thinking":"hm %d","signature":"c2ln%d"},{"type":"tool_use","id":"toolu_%d","name":"Read","input":{"file_path":"/w/file_%d.go"}}`, c.n, c.n, c.n, c.n))
	c.messages = append(c.messages, fmt.Sprintf(`{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_%d","content":[%s]}]}`, c.n, said(file(c.n, size))))
	ex = c.send()
	sent, c.epochs = append(sent, string(ex.Body())), append(c.epochs, c.status().Epochs)
	c.answered(ex, c.thought+said(fmt.Sprintf("file %d is read", c.n)))
	return sent
}

// file is a file of so many bytes, each line of which is another.
func file(n, size int) string {
	var b strings.Builder
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b, "%c%c%c: a line of file %d that nobody needs\n", 'a'+i/676, 'a'+i/26%26, 'a'+i%26, n)
	}
	return b.String()
}

func (p *place) status() proxy.Conversation {
	all := p.k.Status()
	if len(all) == 0 {
		p.t.Fatal("no conversation")
	}
	return all[0]
}

// messagesOf are those of a request, without cache marks.
func messagesOf(t rapid.TB, raw string) []string {
	t.Helper()
	var r struct {
		Messages []jsontext.Value `json:"messages"`
	}
	if err := json.Unmarshal([]byte(raw), &r, json.RejectUnknownMembers(false)); err != nil {
		t.Fatalf("%v: %s", err, raw)
	}
	out := make([]string, len(r.Messages))
	for i, m := range r.Messages {
		out[i] = strings.ReplaceAll(string(m), `"cache_control":{"type":"ephemeral"},`, "")
	}
	return out
}

// begins tells whether the messages of a request begin with those of another.
func begins(t rapid.TB, with, longer string) bool {
	a, b := messagesOf(t, with), messagesOf(t, longer)
	return len(a) <= len(b) && slices.Equal(a, b[:len(a)])
}
