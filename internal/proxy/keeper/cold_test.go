package keeper_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tenfold/internal/proxy"
	"tenfold/internal/proxy/keeper"
	"tenfold/internal/proxy/wire"
	"tenfold/session"
	"tenfold/store"
	"tenfold/strategy"
)

// V2c, X9: what is free in a cold cache is done as it gets cold, and the first request
// after that waits for no plan, reads what it adds and edits no more than the answer that
// it brings back; also where the proxy was started anew in between.
func TestX9WhatIsColdIsDoneAtRest(t *testing.T) {
	t.Parallel()
	for _, one := range []struct {
		name, thought          string
		spare, restart, asleep bool
	}{
		{name: "an answer"},
		{name: "a thought", thought: `{"type":"thinking","thinking":"hm","signature":"Ym91bmQ"},`},
		{name: "spare", spare: true},
		{name: "restart", restart: true},
		{name: "asleep", asleep: true},
	} {
		t.Run(one.name, func(t *testing.T) {
			t.Parallel()
			var done work
			c := newClient(newPlace(t), "one")
			c.thought, c.spare = one.thought, one.spare
			c.live.Turns = 10
			c.live.Auto.Strategies = []strategy.Strategy{planned{work: &done}}
			pass := c.pass
			if one.asleep {
				c.now, pass = time.Now(), c.sleep
			}
			c.restart()
			for range 8 {
				c.turn(1500)
			}
			keeper.Rest(c.k, true)
			if pass(4 * time.Minute); keeper.Cool(c.k) != 0 || done.plans.Load() > 0 {
				t.Error("it is taken to be cold too early")
			}
			if pass(2 * time.Minute); keeper.Cool(c.k) != 1 || done.plans.Load() == 0 || c.status().Epochs != 0 {
				t.Errorf("%d plans, %+v", done.plans.Load(), c.status())
			}
			if keeper.Cool(c.k) != 0 {
				t.Error("it gets cold twice")
			}
			if one.restart {
				c.restart()
			}
			plans, read, edited := done.plans.Load(), done.read.Load(), done.edited.Load()
			c.user("And now?")
			ex := c.k.Take(context.Background(), proxy.Incoming{Protocol: counted{wire.Anthropic{}, &done}, Kind: c.kind, Path: c.path, Header: c.header, Body: c.body()})
			out := string(ex.Body())
			if !strings.Contains(out, "[Earlier parts") || strings.Contains(out, "Ym91bmQ") {
				t.Errorf("what is sent is %s", out)
			}
			plans, read, edited = done.plans.Load()-plans, done.read.Load()-read, done.edited.Load()-edited
			if plans > 0 || (read > 3 || edited > 1) && !one.spare && !one.restart {
				t.Errorf("it waited for %d plans, for %d messages read and %d edited", plans, read, edited)
			}
			c.answered(ex, said("fine"))
			c.close()
			if f := c.failures(); len(f) > 0 {
				t.Errorf("failures: %q", f)
			}
		})
	}
}

// V2c, X9: a proxy that was not there as the cache got cold reads the conversation that
// is likely to be gone on with while its client starts, and plans what is free: the request
// that follows waits for no plan. What others did meanwhile counts, and other conversations
// are other ones.
func TestX9WhatIsExpectedIsReadAhead(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"resumed", "recent", "pinned meanwhile", "warm", "another directory", "another conversation"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var done work
			c := newClient(newPlace(t), "one")
			c.live.Turns = 10
			c.live.Auto.Strategies = []strategy.Strategy{planned{work: &done}}
			c.restart()
			for range 8 {
				c.turn(1500)
			}
			c.close()
			id := c.status().ID
			switch c.expect.Tool = "claude-code"; name {
			case "another directory":
				c.expect.Directory = "/other"
			case "recent": // nobody knows whose client comes
				c.expect = keeper.Expected{Recent: keeper.Recent}
			}
			if name != "warm" {
				c.pass(6 * time.Minute)
			}
			file := session.Create{ID: "of a file", Origin: store.Origin{Key: "k", Mark: "m", Tool: "claude-code"}}
			if _, err := c.service().Create(t.Context(), file); err != nil { // a newer one, imported
				t.Fatal(err)
			}
			c.k = nil
			c.restart()
			got, plans := keeper.Ahead(c.k), done.plans.Load()
			if is := map[bool][]string{false: {id}}[name == "another directory"]; !slices.Equal(got, is) {
				t.Fatalf("%q was read ahead, want %q", got, is)
			}
			if is := name != "warm" && name != "another directory"; plans > 0 != is {
				t.Errorf("%d plans were made ahead", plans)
			}
			if name == "pinned meanwhile" {
				if err := c.open(id).Pin(t.Context(), 3); err != nil {
					t.Fatal(err)
				}
			}
			if name == "another conversation" {
				c.header.Set("X-Claude-Code-Session-Id", "two")
				c.messages = nil
			}
			c.user("And now?")
			ex := c.send()
			if is := name == "pinned meanwhile" || name == "another directory"; done.plans.Load() > plans != is {
				t.Errorf("the request waited for %d plans", done.plans.Load()-plans)
			}
			if is := name != "warm" && name != "another conversation"; strings.Contains(string(ex.Body()), "[Earlier parts") != is {
				t.Errorf("what is sent is %s", ex.Body())
			}
			c.answered(ex, said("fine"))
			c.turn(100)
			c.close()
			if held := keeper.Ahead(c.k); held != nil {
				t.Errorf("%s is still held", held)
			}
			if n, f := len(c.conversations()), c.failures(); n != map[bool]int{false: 2, true: 3}[name == "another conversation"] || len(f) > 0 {
				t.Errorf("%d conversations, failures: %q", n, f)
			}
		})
	}
}

// X9: a proxy reads the few conversations that went through one last, of its client in the
// directory where it knows that, no more of them than there is memory for, and none of a file.
func TestX9WhatIsRecentIsReadAhead(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	create := func(id, key, mark string, tokens int) {
		p.pass(time.Minute)
		tool, directory := "claude-code", "/w"
		if id == "b" || id == "d" || id == "huge" {
			tool = "pi"
		}
		if id == "c" {
			directory = "/other"
		}
		c := store.Conversation{ID: id, Created: p.clock(), Origin: store.Origin{Key: key, Mark: mark, Tool: tool, Directory: directory}, Stats: store.Stats{TokensBefore: tokens}}
		if err := p.store.Create(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	for _, one := range []struct {
		id, key, mark string
		tokens        int
	}{
		{"f", "k", "", 1},
		{"e", "k", "", 1},
		{"d", "k", "", 1},
		{"huge", "k", "", 3 << 20},
		{"of a file", "k", "m", 1},
		{"c", "k", "", 1},
		{"of nobody", "", "", 1},
		{"b", "k", "", 1},
	} {
		create(one.id, one.key, one.mark, one.tokens)
	}
	p.expect.Recent = keeper.Recent
	p.restart()
	if got := keeper.Ahead(p.k); !slices.Equal(got, []string{"b", "c", "d", "e"}) {
		t.Errorf("%q are read ahead", got)
	}
	p.close()
	if got := keeper.Ahead(p.k); got != nil {
		t.Errorf("%q are held after the end", got)
	}
	p.k, p.expect = nil, keeper.Expected{Tool: "claude-code", Directory: "/w", Recent: keeper.Recent}
	p.restart()
	if got := keeper.Ahead(p.k); !slices.Equal(got, []string{"e", "f"}) {
		t.Errorf("of a client %q are read ahead", got)
	}
	p.close()
}

// V2c, X9: what is read ahead while the vendor's cache is warm is planned for as that gets
// cold, and let go of where nobody goes on with it.
func TestV2cWhatIsReadAheadGetsCold(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var done work
		p := newPlace(t)
		p.now, p.live.Turns = time.Now(), 10
		p.live.Auto.Strategies = []strategy.Strategy{planned{work: &done}}
		p.restart()
		c := newClient(p, "one")
		for range 8 {
			c.turn(1500)
		}
		c.close()
		p.expect.Recent, c.k = keeper.Recent, nil
		p.restart()
		wait := func(d time.Duration) { p.pass(d); time.Sleep(d); synctest.Wait() }
		if len(keeper.Ahead(p.k)) != 1 || done.plans.Load() > 0 {
			t.Errorf("%d plans while the cache is warm", done.plans.Load())
		}
		wait(6 * time.Minute)
		plans := done.plans.Load()
		if plans == 0 {
			t.Error("nothing is planned as the cache gets cold")
		}
		if wait(30 * time.Minute); done.plans.Load() > plans {
			t.Errorf("%d plans more", done.plans.Load()-plans)
		}
		if wait(time.Hour); keeper.Ahead(p.k) != nil {
			t.Error("it is held for good")
		}
		p.close()
	})
}

// V2c: a keeper does so by itself, once, when the lifetime of the cache is over, and not
// while a request is under way or a tool runs.
func TestV2cTheCacheGetsColdByItself(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"at rest", "a tool runs", "a request came", "closed"} {
		synctest.Test(t, func(t *testing.T) {
			var done work
			p := newPlace(t)
			p.now, p.idle, p.live.Turns = time.Now(), time.Second, 10
			p.live.Auto.Strategies = []strategy.Strategy{planned{work: &done}}
			p.restart()
			c := newClient(p, "one")
			for range 8 {
				c.turn(1500)
				time.Sleep(2 * time.Second)
				p.pass(2 * time.Second)
			}
			wait := func(d time.Duration) { time.Sleep(d); p.pass(d); synctest.Wait() }
			switch name {
			case "a tool runs":
				c.user("Look.")
				c.answered(c.send(), `{"type":"tool_use","id":"toolu_x","name":"Read","input":{}}`)
			case "closed":
				p.close()
			}
			wait(4 * time.Minute)
			if name == "a request came" {
				c.user("And now?")
				c.send()
			}
			p.pass(3 * time.Minute)
			time.Sleep(3 * time.Minute)
			synctest.Wait()
			if want := name == "at rest"; done.plans.Load() > 0 != want {
				t.Errorf("%s: %d plans", name, done.plans.Load())
			}
			c.close()
		})
	}
}

// The bytes of a request are kept until the cache gets cold, the next one comes, or the
// history goes on without it, and only as many as there is room for.
func TestX9WhatIsHeldIsLetGo(t *testing.T) {
	t.Parallel()
	c := newClient(newPlace(t), "one")
	for range 6 {
		c.turn(1500)
	}
	held := func(when string, want int) {
		t.Helper()
		if keeper.Rest(c.k, false); keeper.Held(c.k) != want {
			t.Errorf("%s %d bytes are held, want %d", when, keeper.Held(c.k), want)
		}
	}
	sent := 0
	ask := func() {
		c.user("And now?")
		ex := c.send()
		held("as the next request comes", 0)
		sent = len(c.body())
		c.answered(ex, said("fine"))
		keeper.Rest(c.k, true)
		held("at rest", sent)
	}
	ask()
	ask()
	text := c.compact()
	c.messages = nil
	c.user("Continued.\n" + text)
	ex := c.send()
	held("as the history begins with a summary", 0)
	c.answered(ex, said("I go on."))
	ask()
	c.pass(6 * time.Minute)
	keeper.Cool(c.k)
	held("when it is cold", 0)
	const known = 256 // histories in memory
	sizes := 0
	for i := range known + 9 {
		two := newClient(c.place, fmt.Sprint("client ", i))
		two.user("Hello.")
		if i >= 9 {
			sizes += len(two.body())
		}
		ex := two.send()
		two.answered(ex, said("Hi."))
		keeper.Rest(c.k, true)
	}
	c.close() // what is forgotten is let go by a job of its own
	held("of those that are known", sizes)
}

// V2c, X4: what the client compacted by itself, and did not take, is no reason to pass when
// the cache gets cold: the story has more by then than the last request had.
func TestV2cColdBehindAnOwnCompaction(t *testing.T) {
	t.Parallel()
	c := newClient(newPlace(t), "one")
	for range 6 {
		c.turn(1500)
	}
	keeper.Rest(c.k, true)
	c.compact()
	if c.pass(6 * time.Minute); keeper.Cool(c.k) != 1 {
		t.Error("the cache does not get cold")
	}
	c.user("And now?")
	ex := c.send()
	if out := string(ex.Body()); !strings.Contains(out, "[Earlier parts") {
		t.Errorf("what is sent is %s", out)
	}
	c.answered(ex, said("fine"))
	c.close()
	if f := c.failures(); len(f) > 0 {
		t.Errorf("failures: %q", f)
	}
}

// X3: a client keeps the vendor's cache warm with its last request once more, which asks for no answer
// (https://platform.claude.com/docs/en/build-with-claude/prompt-caching). The same bytes go, nothing is
// taken back, and nothing is compacted as though the cache were cold.
func TestX3KeptWarm(t *testing.T) {
	t.Parallel()
	c := filled(t)
	last := c.turn(100)[1]
	epochs := c.status().Epochs
	for range 3 {
		c.pass(4 * time.Minute)
		all := c.messages
		c.messages = all[:len(all)-1]
		ex := c.k.Take(t.Context(), proxy.Incoming{
			Protocol: wire.Anthropic{}, Kind: c.kind, Path: c.path, Header: c.header,
			Body: bytes.Replace(c.body(), []byte(`"max_tokens":100`), []byte(`"max_tokens":0`), 1),
		})
		c.messages = all
		if sent := string(ex.Body()); strings.Replace(sent, `"max_tokens":0`, `"max_tokens":100`, 1) != last {
			t.Fatalf("what is sent is %s\nwant %s", sent, last)
		}
		_, _ = fmt.Fprintf(ex.Heard(), `{"id":"warm","type":"message","role":"assistant","model":"m","content":[],"stop_reason":"max_tokens","usage":{"input_tokens":0,"cache_read_input_tokens":%d,"output_tokens":0}}`, len(last)/4)
		ex.Done(200, false)
		keeper.Rest(c.k, false)
	}
	c.pass(4 * time.Minute)
	if next := c.turn(100)[0]; !begins(t, last, next) || c.status().Epochs != epochs {
		t.Errorf("%d epochs began; what is sent is %s", c.status().Epochs-epochs, next)
	}
	c.close()
	if turns, results, _ := c.logOf(); turns != c.n || results != c.n || len(c.conversations()) != 1 || len(c.failures()) > 0 {
		t.Errorf("%d conversations; one has %d turns, %d results of %d; %q", len(c.conversations()), turns, results, c.n, c.failures())
	}
}
