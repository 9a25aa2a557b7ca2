package eval_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"tenfold"
	"tenfold/eval"
)

// talk builds a log by hand: what is said, called and answered, in order.
type talk struct {
	t interface {
		Helper()
		Fatal(args ...any)
	}
	entries []tenfold.Entry
	calls   int
}

func (k *talk) add(p tenfold.Payload) *talk {
	k.entries = append(k.entries, tenfold.Entry{ID: fmt.Sprintf("x%d", len(k.entries)+1), Payload: p})
	return k
}

// user opens a turn.
func (k *talk) user(text string) *talk {
	k.add(tenfold.TurnStart{})
	return k.add(tenfold.UserMessage{Parts: tenfold.Text(text)})
}

func (k *talk) says(text string) *talk { return k.add(tenfold.AssistantMessage{Text: text}) }

func (k *talk) thinks(text string) *talk { return k.add(tenfold.Reasoning{Text: text}) }

// call makes a call whose arguments are names and values in turn.
func (k *talk) call(name string, arguments ...string) *talk {
	k.t.Helper()
	k.calls++
	text := "{"
	for i := 0; i < len(arguments); i += 2 {
		if i > 0 {
			text += ","
		}
		text += quoted(k.t, arguments[i]) + ":" + quoted(k.t, arguments[i+1])
	}
	return k.add(tenfold.ToolCall{CallID: fmt.Sprintf("c%d", k.calls), Name: name, Arguments: text + "}"})
}

func quoted(t interface{ Fatal(args ...any) }, s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// gives answers the newest call, or the one that many before it.
func (k *talk) gives(text string, before ...int) *talk {
	n := k.calls
	if len(before) > 0 {
		n -= before[0]
	}
	return k.add(tenfold.ToolResult{CallID: fmt.Sprintf("c%d", n), Parts: tenfold.Text(text)})
}

// runs is a request: a call of a shell and what it prints.
func (k *talk) runs(command, output string) *talk {
	return k.call("Bash", "command", command).gives(output)
}

func (k *talk) log() *tenfold.Log {
	k.t.Helper()
	l := tenfold.NewLog()
	if _, err := l.Append(slices.Clone(k.entries)...); err != nil {
		k.t.Fatal(err)
	}
	return l
}

// cut cuts the conversation after the given percent of its requests.
func (k *talk) cut(percent int) *eval.Cut {
	k.t.Helper()
	c, err := eval.Open(k.log()).Cut(percent)
	if err != nil {
		k.t.Fatal(err)
	}
	return c
}

// view applies a policy.
func view(t testing.TB, c *eval.Cut, policy string) *eval.View {
	t.Helper()
	p, err := eval.ParsePolicy(policy)
	if err != nil {
		t.Fatal(err)
	}
	v, err := c.View(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// carried names what is carried over a cut: what a view of nothing loses.
func carried(c *eval.Cut, horizon int) []string {
	var names []string
	for _, l := range c.Score(c.ViewOfLines(nil), eval.All).Lost {
		if horizon == eval.All || l.After <= horizon {
			names = append(names, l.Atom)
		}
	}
	slices.Sort(names)
	return names
}

func value(t testing.TB, s eval.Share) float64 {
	t.Helper()
	v, ok := s.Value()
	if !ok {
		t.Fatalf("%+v has no value", s)
	}
	return v
}
