package keeper_test

import (
	"slices"
	"strings"
	"testing"

	"tenfold/internal/proxy/keeper"
)

// X4: Claude Code asks for the summary in the message that has the last results, its host says
// something behind it, and the last answer is left out, which it keeps. That is the same
// conversation, through a proxy that was started since too, and nobody asked for a summary in it.
func TestX4TheSummaryIsAskedForAmongResults(t *testing.T) {
	t.Parallel()
	const asks = "Write a summary of the conversation."
	for _, restarted := range []bool{false, true} {
		p := newPlace(t)
		c := newClient(p, "one")
		for range 6 {
			c.turn(1500)
		}
		for range 2 {
			keeper.Rest(p.k, true)
			if restarted {
				p.restart()
			}
			n := len(c.messages) - 1
			answer := c.messages[n]
			asking := *c
			asking.header = c.header.Clone()
			asking.header.Set("X-Claude-Code-Request-Class", "compaction")
			results, ok := strings.CutSuffix(c.messages[n-1], "]}")
			if !ok || !strings.Contains(results, "tool_result") {
				t.Fatalf("the last message is %s", results)
			}
			asking.messages = append(slices.Clone(c.messages[:n-1]), results+","+said(asks)+"]}", `{"role":"system","content":[`+said(c.left())+`]}`)
			ex := asking.send()
			a := ex.Answer()
			if a == nil {
				t.Fatalf("the compaction is not answered; failures %q", c.failures())
			}
			ex.Done(200, false)
			text := summaryOf(t, a.Body)
			if strings.Contains(text, asks) || !strings.Contains(text, "file_1.go") {
				t.Errorf("restarted %v: the summary is %q", restarted, text)
			}
			if restarted {
				p.restart()
			}
			c.messages = nil
			c.user("This session is being continued from a previous conversation.\n" + text)
			c.messages = append(c.messages, answer)
			for range 3 {
				if sent := c.turn(1500); strings.Contains(sent[0], asks) || strings.Count(sent[0], "This session is being continued") != 1 {
					t.Fatalf("restarted %v: what is sent is %s", restarted, sent[0])
				}
			}
		}
		p.close()
		if turns, results, compactions := p.logOf(); turns != 12 || results != 12 || compactions < 2 {
			t.Errorf("restarted %v: the log has %d turns, %d results, %d compactions", restarted, turns, results, compactions)
		}
		if said := strings.Join(texts(p.open(p.conversations()[0]), true), "\n"); strings.Contains(said, asks) || strings.Count(said, "file 9 is read") != 1 {
			t.Errorf("restarted %v: the view says %s", restarted, said)
		}
		if f := p.failures(); len(f) > 0 {
			t.Errorf("restarted %v: failures: %q", restarted, f)
		}
	}
}

// X2, X4: a client copies a session that it compacted, and that was compacted since, and goes on in
// the copy through a proxy of its own: it is shown what the original was.
func TestX4ACopyOfACompactedSession(t *testing.T) {
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
	for c.status().Edited == 0 && c.n < 40 {
		c.turn(1500)
	}
	shown := c.turn(100)[1]
	if c.status().Edited == 0 {
		t.Fatalf("nothing was compacted since: %s", shown)
	}
	p.restart()
	c.header.Set("X-Claude-Code-Session-Id", "two")
	if sent := c.turn(100)[0]; !begins(t, shown, sent) {
		t.Errorf("the copy is shown %s\nand the original was %s", sent, shown)
	}
	p.close()
	if n := len(p.conversations()); n != 2 {
		t.Errorf("%d conversations", n)
	}
	if f := p.failures(); len(f) > 0 {
		t.Errorf("failures: %q", f)
	}
}

// X4, X5: Claude Code knows the size of its context by the last answer, as Codex does: it is told the view that there is, for which no model
// is asked, and goes on in the same conversation, through a proxy that was started since too.
func TestX4ClaudeCodeCompactsRightAfterUs(t *testing.T) {
	t.Parallel()
	for _, restarted := range []bool{false, true} {
		p := newPlace(t)
		c := newClient(p, "one")
		made := 0
		for ; made == 0 && c.n < 40; _, _, made = p.logOf() {
			c.turn(1500)
			keeper.Rest(p.k, true)
		}
		if restarted {
			p.restart()
		}
		text := c.compact()
		if restarted {
			p.restart()
		}
		c.messages = nil
		c.user("Continued.\n" + text)
		c.answered(c.send(), said("I go on."))
		sent := c.turn(100)[0]
		if _, _, now := p.logOf(); made == 0 || now != made {
			t.Errorf("restarted %v: %d compactions, then %d", restarted, made, now)
		}
		if !strings.Contains(sent, "compacted") || strings.Count(sent, "file_2.go, please") != 1 {
			t.Errorf("restarted %v: the vendor is sent %s", restarted, sent)
		}
		p.close()
		if f := p.failures(); len(f) > 0 {
			t.Errorf("restarted %v: failures: %q", restarted, f)
		}
	}
}
