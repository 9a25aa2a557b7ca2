package keeper_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tenfold"
	"tenfold/body"
	"tenfold/internal/proxy"
	"tenfold/internal/proxy/keeper"
	_ "tenfold/internal/seed" // cases are drawn alike every time
)

// world has clients do what clients do, and holds the keeper to its laws.
type world struct {
	*place
	t       *rapid.T
	idles   bool
	clients []*talker
	n       int
	// restarts counts those of the proxy.
	restarts int
	// answering tells that some request is under way.
	answering bool
	told      [][]string // everything that some client's history ever said
}

// A talker is one history of a client.
type talker struct {
	*client
	last string // sent
	// state are the changes of the store before that, begun and undone the epochs then.
	state         []string
	begun, undone int
	grew          bool // the history only grew since
	open          string
	base          [][]string // what its first message may stand for, after compactions of its own
	// thoughtless is a client that sends no thinking back.
	thoughtless bool
}

var marks = regexp.MustCompile(`#\d+#`)

func (w *world) mark() string { w.n++; return fmt.Sprintf("#%d#", w.n) }

// tokens are the marks of a history in order.
func tokens(messages []string) (out []string) {
	for _, m := range messages {
		out = append(out, marks.FindAllString(m, -1)...)
	}
	return slices.Compact(out)
}

// tell notes what a history says, and what it is together with what its first message
// stands for.
func (w *world) tell(c *talker, messages []string) {
	w.told = append(w.told, tokens(messages))
	for _, b := range c.base {
		w.told = append(w.told, append(slices.Clone(b), tokens(messages[1:])...))
	}
}

// compact has a client compact by itself. It may not take the answer; without one it
// has a summary of the vendor's.
func (w *world) compact(c *talker) {
	if len(c.messages) == 0 || c.open != "" {
		return
	}
	w.tell(c, c.messages)
	asking := *c.client
	asking.messages, asking.header = slices.Clone(c.messages), c.header.Clone()
	asking.header.Set("X-Claude-Code-Request-Class", "compaction")
	asking.user("Write a summary.")
	ex := asking.send()
	keeper.Rest(w.k, false)
	if ex.Answer() == nil {
		w.taken(&asking, ex)
	}
	ex.Done(200, false)
	w.pass(2 * time.Second) // another client in the same log may not see it earlier
	if !rapid.Bool().Draw(w.t, "takes") {
		return
	}
	text := "a summary of the vendor's " + w.mark()
	base := [][]string{tokens(c.messages)}
	for _, b := range c.base {
		base = append(base, append(slices.Clone(b), tokens(c.messages[1:])...))
	}
	if a := ex.Answer(); a == nil {
		base = nil
	} else if text = summaryOf(w.t, a.Body); len(marks.FindAllString(text, 1)) == 0 {
		w.t.Fatalf("the summary says nothing: %q", text)
	}
	c.messages, c.base, c.last, c.grew = nil, base, "", false
	c.user("Go on from here.\n" + text)
	w.request(c)(200, said("done "+w.mark()), false, true)
}

// taken holds what goes to the vendor to what it takes (B1).
func (w *world) taken(c *client, ex proxy.Exchange) (sent string, list []string) {
	sent = string(ex.Body())
	if err := body.Anthropic().Check(ex.Body()); err != nil {
		w.t.Fatalf("the vendor refuses: %v\ncame: %s\nwent: %s", err, c.body(), sent)
	}
	list = messagesOf(w.t, sent)
	for i, m := range list {
		for _, found := range signature.FindAllStringSubmatch(m, -1) {
			if found[1] != bound(c.system, list[:i]) {
				w.t.Fatalf("thinking in message %d is bound to another prefix (B1)\ncame: %s\nwent: %s", i, c.body(), sent)
			}
		}
	}
	return sent, list
}

// changes are the entries of the store that begin epochs, and how many of them take
// something back.
func (w *world) changes() (out []string, undone int) {
	seen := map[string]bool{}
	for _, id := range w.conversations() {
		for e := range w.open(id).Log().Entries() {
			switch k := e.Payload.Kind(); k {
			case tenfold.KindCompaction, tenfold.KindCompactionRevoked:
				if !seen[e.ID] {
					seen[e.ID] = true
					out = append(out, e.ID)
					if k == tenfold.KindCompactionRevoked {
						undone++
					}
				}
			}
		}
	}
	slices.Sort(out)
	return out, undone
}

// epochs is how many the keeper says that it has begun; no two keepers say the same.
func (w *world) epochs() (n int) {
	n = w.restarts << 20
	for _, c := range w.k.Status() {
		n += c.Epochs
	}
	return n
}

// bound is the signature of what is thought after messages.
func bound(system string, messages []string) string {
	h := sha256.New()
	for _, m := range append([]string{system}, messages...) {
		_, _ = fmt.Fprintf(h, "%d %s", len(m), m)
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

var signature = regexp.MustCompile(`"signature":"([0-9a-f]*)"`)

// request sends what the history says, and holds what goes to the vendor to the laws.
func (w *world) request(c *talker) (finish func(status int, blocks string, cut, keep bool)) {
	was, _ := w.changes()
	ex := c.send()
	begun := w.epochs() // what is compacted from here on, the next request shows
	keeper.Rest(w.k, false)
	sent, list := w.taken(c.client, ex)

	now, undone := w.changes()
	same := slices.Equal(now, c.state) || begun == c.begun && undone == c.undone
	if c.grew && c.last != "" && same && !begins(w.t, c.last, sent) {
		before, i := messagesOf(w.t, c.last), 0
		for i < min(len(before), len(list)) && before[i] == list[i] {
			i++
		}
		w.t.Fatalf("a request of an epoch does not begin with the one before it (X3), from message %d\nbefore: %s\nnow: %s", i, before[i:], list[min(i, len(list)):])
	}
	c.last, c.grew, c.state, c.undone, c.begun = sent, true, was, undone, begun
	w.tell(c, c.messages)
	return func(status int, blocks string, cut, keep bool) {
		if status == 200 {
			blocks = strings.ReplaceAll(blocks, "SIGNED", bound(c.system, list))
			answer := fmt.Sprintf(`{"id":"m","type":"message","role":"assistant","model":"m","content":[%s],"stop_reason":"end_turn","usage":{"input_tokens":%d,"cache_read_input_tokens":%d,"output_tokens":%d}}`,
				blocks, len(sent)/16, len(sent)*3/16, len(blocks)/4)
			if cut {
				answer = answer[:len(answer)/2]
			}
			if l := ex.Heard(); l != nil {
				_, _ = l.Write([]byte(answer))
			}
		}
		ex.Done(status, cut || rapid.Bool().Draw(w.t, "hangs up"))
		keeper.Rest(w.k, w.idles)
		message := `{"role":"assistant","content":[` + blocks + `]}`
		w.tell(c, append(slices.Clone(c.messages), message))
		if status == 200 && keep {
			if c.thoughtless {
				message = thoughts.ReplaceAllString(message, "")
			}
			c.messages = append(c.messages, message)
		}
	}
}

var thoughts = regexp.MustCompile(`\{"type":"thinking"[^}]*\},`)

// step has a client say something, and the model answer.
func (w *world) step(c *talker) {
	if c.open != "" {
		size := rapid.SampledFrom([]int{10, 400, 3000, 9000}).Draw(w.t, "size")
		text := w.mark() + " " + file(0, size)
		c.messages = append(c.messages, fmt.Sprintf(`{"role":"user","content":[{"type":"tool_result","tool_use_id":"%s","content":[%s]}]}`, c.open, said(text)))
		c.open = ""
	} else {
		c.user("Look at " + w.mark() + strings.Repeat(" please", rapid.SampledFrom([]int{0, 3, 300}).Draw(w.t, "words")))
	}
	for {
		finish := w.request(c)
		w.meanwhile(c)
		mark := w.mark()
		id, blocks := "", said("done "+mark)
		if rapid.Bool().Draw(w.t, "call") {
			id = "toolu_" + strings.Trim(mark, "#")
			blocks = `{"type":"thinking","thinking":"hm","signature":"SIGNED"},` + said("I look "+mark) + fmt.Sprintf(`,{"type":"tool_use","id":"%s","name":"Read","input":{"file_path":"/w/%s.go", "n": 1.0}}`, id, id)
		}
		switch rapid.SampledFrom([]string{"whole", "whole", "whole", "whole", "cut", "overloaded", "lost"}).Draw(w.t, "answer") {
		case "cut":
			finish(200, blocks, true, false)
		case "overloaded":
			finish(529, blocks, false, false)
		case "lost":
			finish(200, blocks, false, false)
		default:
			finish(200, blocks, false, true)
			c.open = id
			return
		}
	}
}

// meanwhile has something happen before a request is answered.
func (w *world) meanwhile(c *talker) {
	if w.answering {
		return
	}
	w.answering = true
	switch other := w.clients[rapid.IntRange(0, len(w.clients)-1).Draw(w.t, "other")]; rapid.SampledFrom([]string{"", "", "", "undo", "step"}).Draw(w.t, "meanwhile") {
	case "undo":
		w.undo()
		w.pass(2 * time.Second)
	case "step":
		if other != c {
			w.step(other)
		}
	}
	w.answering = false
}

// asked are the messages that begin turns.
func (c *talker) asked() (at []int) {
	for i, m := range c.messages {
		if strings.HasPrefix(m, `{"role":"user","content":[{"type":"text"`) {
			at = append(at, i)
		}
	}
	return at
}

func (w *world) rewind(c *talker) {
	if at := c.asked(); len(at) > 1 {
		c.messages = slices.Clone(c.messages[:rapid.SampledFrom(at[1:]).Draw(w.t, "to")])
		c.open, c.grew = "", false
	}
}

// edit changes an old message; thinking behind it goes, as a vendor wants it.
func (w *world) edit(c *talker) {
	if at := c.asked(); len(at) > 0 {
		i := rapid.SampledFrom(at).Draw(w.t, "message")
		if i == 0 {
			c.base = nil
		}
		c.messages = slices.Clone(c.messages)
		c.messages[i] = `{"role":"user","content":[` + said("Edited "+w.mark()) + `]}`
		for j := i; j < len(c.messages); j++ {
			c.messages[j] = thoughts.ReplaceAllString(c.messages[j], "")
		}
		c.grew = false
	}
}

func (w *world) undo() {
	for _, id := range w.conversations() {
		s := w.open(id)
		if _, err := s.Undo(context.Background()); err == nil {
			return
		}
	}
}

// told tells whether some history began with these.
func (w *world) says(list []string) bool {
	return slices.ContainsFunc(w.told, func(h []string) bool { return len(list) <= len(h) && slices.Equal(list, h[:len(list)]) })
}

// X2, X3, B1: whatever clients do, requests of an epoch begin alike, the vendor
// takes each, and no conversation of the store mixes two histories.
func TestX3LawsHoldWhateverClientsDo(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := &world{place: newPlace(t), t: t}
		w.ticks()
		w.stands = rapid.Bool().Draw(t, "stands")
		w.idles = rapid.Bool().Draw(t, "idle") // everything is stored as soon as it is heard
		for i := range rapid.IntRange(1, 2).Draw(t, "clients") {
			name := []string{"one", "two"}[i]
			c := newClient(w.place, name)
			c.moves = true
			if rapid.Bool().Draw(t, "nameless") {
				c.header.Del("X-Claude-Code-Session-Id")
			}
			c.updates = w.idles
			w.clients = append(w.clients, &talker{client: c, thoughtless: rapid.Bool().Draw(t, "thoughtless")})
		}
		for range rapid.IntRange(1, 25).Draw(t, "actions") {
			c := w.clients[rapid.IntRange(0, len(w.clients)-1).Draw(t, "client")]
			switch rapid.SampledFrom([]string{"step", "step", "step", "step", "step", "step", "rewind", "edit", "fork", "restart", "undo", "wait", "second", "compact", "back", "ahead"}).Draw(t, "action") {
			case "step":
				w.step(c)
			case "rewind":
				w.rewind(c)
			case "edit":
				w.edit(c)
			case "fork":
				if len(w.clients) < 4 {
					two := *c.client
					two.messages = slices.Clone(c.messages)
					w.clients = append(w.clients, &talker{client: &two, open: c.open, base: c.base, thoughtless: c.thoughtless})
				}
			case "compact":
				w.compact(c)
			case "restart":
				if rapid.Bool().Draw(t, "crashes") { // what was heard and is not stored yet is lost
					keeper.Rest(w.k, false)
					w.k = nil
				}
				w.restart()
				w.restarts++
			case "undo":
				w.undo()
				w.pass(2 * time.Second)
			case "wait":
				w.pass(6 * time.Minute)
				if rapid.Bool().Draw(t, "cools") {
					keeper.Cool(w.k)
				}
			case "second":
				w.pass(time.Second)
			case "back": // the machine's clock, which was wrong
				w.sleep(-time.Hour)
			case "ahead":
				w.sleep(time.Hour)
			}
		}
		w.close()
		if f := w.failures(); len(f) > 0 {
			t.Fatalf("failures: %q", f)
		}
		for _, id := range w.conversations() {
			var list []string
			p := w.open(id).Projection()
			for e := range p.Log().Entries() {
				if e.Branch == "" && e.Payload.Kind().Visible() && !p.Rewound(e.Seq) {
					raw, err := tenfold.MarshalPayload(e.Payload)
					if err != nil {
						t.Fatal(err)
					}
					list = append(list, string(raw))
				}
			}
			if found := tokens(list); !w.says(found) {
				t.Fatalf("conversation %s mixes histories: %v", id, found)
			}
		}
	})
}
