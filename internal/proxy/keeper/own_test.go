package keeper_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"pgregory.net/rapid"

	"tenfold"
	"tenfold/body"
	"tenfold/internal/proxy"
	"tenfold/internal/proxy/keeper"
	"tenfold/internal/proxy/wire"

	"tenfold/strategy"
)

// compact has Claude Code compact by itself, and gives the summary it is told.
func (c *client) compact() string {
	c.t.Helper()
	asking := *c
	asking.messages = slices.Clone(c.messages)
	asking.header = c.header.Clone()
	asking.header.Set("X-Claude-Code-Request-Class", "compaction")
	asking.user("Write a summary of the conversation.")
	ex := asking.send()
	a := ex.Answer()
	if a == nil {
		c.t.Fatalf("the compaction is not answered; failures %q", c.failures())
	}
	ex.Done(200, false)
	return summaryOf(c.t, a.Body)
}

// summaryOf is the summary in an answer of ours.
func summaryOf(t rapid.TB, answer []byte) string {
	t.Helper()
	var a struct {
		Content []struct {
			Text string `json:"text"`
		} `json:"content"`
	}
	if err := json.Unmarshal(answer, &a, json.RejectUnknownMembers(false)); err != nil || len(a.Content) != 1 {
		t.Fatalf("%v: %s", err, answer)
	}
	text, ok := strings.CutPrefix(a.Content[0].Text, "<summary>\n")
	text, end := strings.CutSuffix(text, "\n</summary>")
	if !ok || !end {
		t.Fatalf("the answer is %q", a.Content[0].Text)
	}
	return text
}

// logOf counts what the one conversation of the store says.
func (p *place) logOf() (turns, results, compactions int) {
	p.t.Helper()
	ids := p.conversations()
	if len(ids) != 1 {
		p.t.Fatalf("%d conversations", len(ids))
	}
	l := p.open(ids[0]).Log()
	for e := range l.Entries() {
		switch e.Payload.(type) {
		case tenfold.ToolResult:
			results++
		case tenfold.Compaction:
			compactions++
		}
	}
	return l.Turns(), results, compactions
}

// X4: a compaction of Claude Code's own is answered with our view; the history that
// begins with it is the same conversation, also after a restart, and nothing of it
// comes into the log twice (C5).
func TestX4ClaudeCodeCompactsByItself(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	c := newClient(p, "one")
	for range 6 {
		c.turn(1500)
	}
	for round := range 3 {
		text := c.compact()
		if !strings.Contains(text, "file_1.go") || strings.Contains(text, "[Summary of previous") {
			t.Errorf("the summary is %q", text)
		}
		c.messages = nil
		c.user("This session is being continued from a previous conversation.\n" + text + "\nGo on.")
		c.answered(c.send(), said("I go on."))
		for range 5 {
			sent := c.turn(1500)
			if strings.Count(sent[0], "This session is being continued") != 1 {
				t.Fatalf("what is sent does not begin with the summary: %s", sent[0])
			}
		}
		if round == 1 {
			p.restart()
		}
	}
	p.close()
	turns, results, compactions := p.logOf()
	// "Go on" is part of what stands for the log, not of the log.
	if turns != 21 || results != 21 || compactions < 3 {
		t.Errorf("the log has %d turns, %d results, %d compactions", turns, results, compactions)
	}
	if f := p.failures(); len(f) > 0 {
		t.Errorf("failures: %q", f)
	}
}

// X4: a client that does not take our answer is shown its history, shortened; and
// an undo brings back what the summary stood for.
func TestX4SummaryThatIsNotTakenAndUndone(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	c := newClient(p, "one")
	for range 6 {
		c.turn(1500)
	}
	c.compact()
	sent := c.turn(100)
	if !strings.Contains(sent[0], "[Earlier parts") || c.status().Epochs != 1 {
		t.Errorf("the history is shown as %s", sent[0])
	}
	text := c.compact()
	c.messages = nil
	c.user("Continued.\n" + text)
	c.answered(c.send(), said("I go on."))
	keeper.Rest(p.k, true)
	id := p.conversations()[0]
	p.undo(id)
	p.pass(2 * time.Second)
	before := len(text)
	c.user("And now?")
	ex := c.send()
	first := messagesOf(t, string(ex.Body()))[0]
	if len(first) < 2*before || !strings.Contains(first, "Continued.") || strings.Count(first, "needs") < 6*30 {
		t.Errorf("after the undo it begins with %d characters, had %d: failures %q", len(first), before, p.failures())
	}
	c.answered(ex, said("fine"))
	p.close()
}

// X4, X3: two histories differ in a message that the summary of neither shows. A client
// that takes the one goes on with that one, also where it is rewound later, and after a
// restart: the summary of the other, which it never took, says the same.
func TestX4SummariesThatSayTheSame(t *testing.T) {
	t.Parallel()
	for _, restart := range []string{"", "before it goes on", "before it is rewound"} {
		c := newClient(newPlace(t), "one")
		ask := func(text, answer string) {
			c.user(text)
			c.answered(c.send(), said(answer))
			keeper.Rest(c.k, true)
		}
		ask("Begin with this.", "done")
		c.turn(400)
		ask("Look at it again."+strings.Repeat(" please", 300), "done")
		first := c.compact()
		c.messages[2] = strings.Replace(c.messages[2], "please", "soon", 1)
		for i, m := range c.messages { // as a vendor wants it
			c.messages[i] = thoughts.ReplaceAllString(m, "")
		}
		second := c.compact()
		if cut := func(s string) string { _, s, _ = strings.Cut(s, "\n"); return s }; cut(first) != cut(second) || first == second {
			t.Fatalf("the summaries are %q and %q", first, second)
		}
		c.messages = nil
		if restart == "before it goes on" {
			c.restart()
		}
		ask("Go on from here.\n"+second, "I go on.")
		ask("And then?", "this")
		ask("And now?", "those")
		c.messages = c.messages[:2]
		if restart == "before it is rewound" {
			c.restart()
		}
		ask("Or else?", "that")
		c.close()
		for _, id := range c.conversations() {
			all := ""
			p := c.open(id).Projection()
			for e := range p.Log().Entries() {
				if !p.Rewound(e.Seq) {
					all += fmt.Sprintf("%s %v\n", e.ID, e.Payload)
				}
			}
			if strings.Contains(all, "go, please.") && strings.Contains(all, "I go on") {
				t.Errorf("restarted %q: a conversation mixes two histories:\n%s", restart, all)
			}
		}
		if n := len(c.conversations()); n != 1 {
			t.Errorf("restarted %q: %d conversations", restart, n)
		}
	}
}

// X4: compacted once more after an undo, the view is what the client says itself: its
// request goes as it came, and that is another epoch.
func TestX4TheViewThatTheClientHas(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.live.Auto.Strategies = []strategy.Strategy{strategy.StripTools{}} // which leaves the same of a turn each time
	c := newClient(p, "one")
	c.turn(9000)
	c.user("Good.")
	c.answered(c.send(), said("Fine."))
	text := c.compact()
	c.messages = nil
	ask := func() (asItCame bool, epochs int) {
		c.user("And now?")
		ex := c.send()
		asItCame = string(ex.Body()) == string(c.body())
		c.answered(ex, said("fine"))
		keeper.Rest(c.k, true)
		return asItCame, c.status().Epochs
	}
	c.user("Continued.\n" + text)
	c.answered(c.send(), said("I go on."))
	_, taken := ask()
	if _, err := c.open(c.conversations()[0]).Undo(t.Context()); err != nil {
		t.Fatal(err)
	}
	c.pass(2 * time.Second)
	came, undone := ask()
	if came || undone != taken+1 {
		t.Errorf("after the undo it goes as it came %v, in epoch %d after %d", came, undone, taken)
	}
	c.compact()
	if came, epochs := ask(); !came || epochs != undone+1 {
		t.Errorf("compacted again it goes as it came %v, in epoch %d after %d", came, epochs, undone)
	}
	c.close()
}

// X4: what a history begins with is found after a restart behind later compactions:
// those that the client asked for and did not take, and those that came by themselves.
func TestX4SummaryBehindLaterCompactions(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	c := newClient(p, "one")
	for range 6 {
		c.turn(1500)
	}
	text := c.compact()
	c.messages = nil
	c.user("Continued.\n" + text)
	c.answered(c.send(), said("I go on."))
	for range 3 {
		for range 5 {
			c.turn(1500)
		}
		c.compact()
	}
	last := c.turn(100)
	p.restart()
	if sent := c.turn(100); !begins(t, last[1], sent[0]) {
		t.Errorf("after a restart it does not go on\nbefore: %s\nnow: %s", last[1], sent[0])
	}
	p.close()
	if turns, _, compactions := p.logOf(); turns != 23 || compactions < 4 {
		t.Errorf("the log has %d turns, %d compactions", turns, compactions)
	}
}

// X4: where a client names no session, nothing would tell after a restart whose history
// a summary begins: its compaction goes to the vendor.
func TestX4NamelessClientsCompactAsTheyDo(t *testing.T) {
	t.Parallel()
	c := newClient(newPlace(t), "one")
	c.header.Del("X-Claude-Code-Session-Id")
	for range 6 {
		c.turn(1500)
	}
	c.header.Set("X-Claude-Code-Request-Class", "compaction")
	c.user("Write a summary.")
	ex := c.send()
	if ex.Answer() != nil {
		t.Error("it is answered")
	}
	c.answered(ex, said("a summary"))
	c.close()
}

// codex talks to a keeper as Codex does.
type codex struct {
	*place
	header http.Header
	items  []string
	n      int
}

func newCodex(p *place) *codex {
	return &codex{place: p, header: http.Header{"Session-Id": {"s1"}, "Thread-Id": {"t1"}, "Authorization": {"Bearer x"}}}
}

func (c *codex) begin() {
	c.n++
	c.items = append(c.items, fmt.Sprintf(`{"type":"message","id":"msg_dev_%d","role":"developer","content":[{"type":"input_text","text":"Be brief."}]}`, c.n))
}

func (c *codex) send(more ...string) proxy.Exchange {
	items := strings.Join(append(slices.Clone(c.items), more...), ",")
	raw := `{"model":"gpt-5","stream":false,"store":false,"input":[` + items + `]}`
	return c.k.Take(context.Background(), proxy.Incoming{
		Protocol: wire.OpenAIResponses{}, Kind: wire.Generate, Path: "/v1/responses", Header: c.header, Client: "codex", Dir: "/w", Body: []byte(raw),
	})
}

func (c *codex) answered(ex proxy.Exchange, items ...string) {
	c.t.Helper()
	sent := string(ex.Body())
	if err := body.OpenAIResponses().Check(ex.Body()); err != nil {
		c.t.Fatalf("the vendor refuses the request: %v\n%s", err, sent)
	}
	if strings.Contains(sent, "tenfold.1.") {
		c.t.Fatalf("the vendor is sent a handle: %s", sent)
	}
	if l := ex.Heard(); l != nil {
		_, _ = fmt.Fprintf(l, `{"id":"resp_%d","object":"response","status":"completed","model":"gpt-5","output":[%s],"usage":{"input_tokens":%d,"input_tokens_details":{"cached_tokens":%d},"output_tokens":10,"total_tokens":%d}}`,
			c.n, strings.Join(items, ","), len(sent)/4, len(sent)/5, len(sent)/4+10)
	}
	ex.Done(200, false)
	keeper.Rest(c.k, false)
	c.items = append(c.items, items...)
}

func (c *codex) turn(size int) (sent []string) {
	c.n++
	c.items = append(c.items, fmt.Sprintf(`{"type":"message","id":"msg_u%d","role":"user","content":[{"type":"input_text","text":"Look at file_%d.go, please."}]}`, c.n, c.n))
	ex := c.send()
	sent = append(sent, string(ex.Body()))
	c.answered(ex, fmt.Sprintf(`{"type":"function_call","id":"fc_%d","call_id":"call_%d","name":"shell","arguments":"{\"command\":\"cat file_%d.go\"}"}`, c.n, c.n, c.n))
	c.items = append(c.items, fmt.Sprintf(`{"type":"function_call_output","call_id":"call_%d","output":%s}`, c.n, quoted(file(c.n, size))))
	ex = c.send()
	sent = append(sent, string(ex.Body()))
	c.answered(ex, fmt.Sprintf(`{"type":"message","id":"msg_a%d","role":"assistant","status":"completed","content":[{"type":"output_text","text":"file %d is read","annotations":[]}]}`, c.n, c.n))
	return sent
}

// compact has Codex compact by itself: it keeps what the person said, and the one
// item of the answer.
func (c *codex) compact() {
	c.t.Helper()
	ex := c.send(`{"type":"compaction_trigger"}`)
	a := ex.Answer()
	if a == nil {
		c.t.Fatalf("the compaction is not answered; failures %q", c.failures())
	}
	var answer struct {
		Output []struct {
			Type      string `json:"type"`
			Encrypted string `json:"encrypted_content"`
		} `json:"output"`
	}
	if err := json.Unmarshal(a.Body, &answer, json.RejectUnknownMembers(false)); err != nil || len(answer.Output) != 1 || answer.Output[0].Type != "compaction" {
		c.t.Fatalf("%v: the answer is %s", err, a.Body)
	}
	ex.Done(200, false)
	was := c.items
	c.items = nil
	c.begin()
	for _, it := range was {
		if strings.Contains(it, `"role":"user"`) {
			c.items = append(c.items, it)
		}
	}
	c.items = append(c.items, fmt.Sprintf(`{"type":"compaction","id":"cmp_%d","encrypted_content":%s}`, c.n, quoted(answer.Output[0].Encrypted)))
}

// X4: a compaction of Codex's own is answered with a handle, which the vendor is
// sent the view for: the same bytes in each request, after a restart the same view.
func TestX4CodexCompactsByItself(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	c := newCodex(p)
	c.begin()
	for range 6 {
		c.turn(1500)
	}
	for round := range 3 {
		c.compact()
		last := ""
		for i := range 4 {
			for _, sent := range c.turn(1500) {
				if last != "" && !strings.HasPrefix(sent, strings.TrimSuffix(last, "]}")) && c.status().Epochs == round+1 {
					t.Fatalf("a request does not begin with the one before it:\n%s\n%s", last, sent)
				}
				if strings.Count(sent, "file_2.go, please") != 1 || !strings.Contains(sent, "compacted") {
					t.Fatalf("the vendor is sent %s", sent)
				}
				last = sent
			}
			if round == 1 && i == 1 {
				p.restart()
				last = ""
			}
		}
	}
	p.close()
	turns, results, compactions := p.logOf()
	if turns != 19 || results != 18 || compactions < 3 { // the first is what stands before a request
		t.Errorf("the log has %d turns, %d results, %d compactions", turns, results, compactions)
	}
	if f := p.failures(); len(f) > 0 {
		t.Errorf("failures: %q", f)
	}
}

// X4, X5: Codex knows the size of its context by the last answer. Where that filled it, and
// the turn's end has compacted, Codex asks for a compaction all the same: it is told the view
// that there is, and nothing more is taken from it.
func TestX4CodexCompactsRightAfterUs(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	c := newCodex(p)
	c.begin()
	made := 0
	for ; made == 0 && c.n < 40; _, _, made = p.logOf() {
		c.turn(1500)
		keeper.Rest(p.k, true)
	}
	c.compact()
	sent := c.turn(100)[0]
	if _, _, now := p.logOf(); made == 0 || now != made {
		t.Errorf("%d compactions, then %d", made, now)
	}
	if !strings.Contains(sent, "compacted") || strings.Count(sent, "file_2.go, please") != 1 {
		t.Errorf("the vendor is sent %s", sent)
	}
	c.compact() // with an answer since
	if _, _, now := p.logOf(); now <= made {
		t.Error("later it is not compacted any more")
	}
	p.close()
	if f := p.failures(); len(f) > 0 {
		t.Errorf("failures: %q", f)
	}
}

// X4: a handle is a claim: of a conversation that is another client's nothing is
// shown.
func TestX4HandlesOfOthersAreNotExpanded(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	c := newCodex(p)
	c.begin()
	for range 6 {
		c.turn(1500)
	}
	c.compact()
	c.turn(100)
	for _, restart := range []bool{false, true} {
		if restart {
			p.restart()
		}
		stranger := *c
		stranger.items = slices.Clone(c.items)
		stranger.header = http.Header{"Session-Id": {"s2"}, "Thread-Id": {"t2"}}
		raw := `{"model":"gpt-5","input":[` + strings.Join(stranger.items, ",") + `]}`
		ex := p.k.Take(t.Context(), proxy.Incoming{Protocol: wire.OpenAIResponses{}, Kind: wire.Generate, Path: "/v1/responses", Header: stranger.header, Client: "codex", Dir: "/other", Body: []byte(raw)})
		if string(ex.Body()) != raw {
			t.Errorf("a stranger is shown %s", ex.Body())
		}
		ex.Done(400, false)
	}
	p.close()
}
