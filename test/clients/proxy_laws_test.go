package clients

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"tenfold/test/modelserver"
)

// A sight is a request as it can be seen at both ends of the proxy.
type sight struct {
	pair
	// came and went are the messages that the client sent and that reached the
	// model, byte for byte.
	came, went []string
	// shown is how many messages of went stand for others of the client's, at least.
	shown int
	// told is what the client said; thinking is part of it.
	told []Line
}

// A seen counts what went through a proxy.
type seen struct {
	// edited are requests whose bytes were changed; epochs is how often what the
	// model had read changed although the client's own history only grew; histories
	// counts those that begin anew, as behind a client's own compaction.
	edited, epochs, histories int
	// faults are refusals that the client would have had without us.
	faults int
}

// holds checks what must be so of all requests: what reached the model was never
// refused; nothing but messages is changed, and those behind the shortened ones not
// at all; and within an epoch the shortened ones are the same bytes in each request
// (X1, X3).
func (f *front) holds(t *testing.T) (s seen) {
	t.Helper()
	once := func(n int, format string, args ...any) {
		if !f.told[n] {
			t.Errorf(f.Client.Name+": request %d "+format, append([]any{n}, args...)...)
		}
		f.told[n] = true
	}
	var before []sight
	for _, p := range f.pairs() {
		switch {
		case p.request.Problem == nil:
		case f.atFault(p):
			s.faults++
		default:
			once(p.request.N, "(edited: %v) was refused: %v", p.edited(), p.request.Problem)
		}
		is, why := look(p)
		if why != "" {
			once(p.request.N, "%s", why)
		}
		if p.edited() {
			s.edited++
		}
		if !p.request.Main() {
			continue
		}
		last := is.follows(before)
		before = append(before, is)
		if last == nil {
			s.histories++
			continue
		}
		// As many are ours in both, at least: of those which go as they came by chance,
		// the other request may tell. What is taken out whole leaves no trace but that.
		n, gone := max(last.shown, is.shown), len(is.came)-len(is.went)
		if n > len(is.went) || n > len(last.went) || !slices.Equal(last.went[:n], is.went[:n]) || gone != len(last.came)-len(last.went) {
			s.epochs++
		}
	}
	return s
}

// atFault tells whether a client would have been refused without us as well: what it
// sent reached the model as it came. Gemini CLI's question of which model to ask
// begins anywhere; Claude Code keeps thinking across its own compaction, and drops it.
func (f *front) atFault(p pair) bool {
	switch f.Client.Name {
	case "gemini-cli":
		return !p.edited() && !p.request.Main()
	case "claude-code":
		return !p.edited() && bytes.Contains(p.sent, []byte("This session is being continued from a previous conversation"))
	}
	return false
}

// look compares the two ends of a request, and says what is wrong.
func look(p pair) (is sight, why string) {
	is = sight{pair: p, told: toldBy(p)}
	head, came, tail, err := messagesOf(p.request.Wire, p.sent)
	if err != nil {
		return is, "came as " + err.Error()
	}
	newHead, went, newTail, err := messagesOf(p.request.Wire, p.request.Body)
	if err != nil {
		return is, "went as " + err.Error()
	}
	is.came, is.went = came, went
	if !bytes.Equal(head, newHead) || !bytes.Equal(tail, newTail) {
		return is, "was changed outside its messages"
	}
	is.shown = len(went)
	for n := len(came); n > 0 && is.shown > 0 && came[n-1] == went[is.shown-1]; n-- {
		is.shown--
	}
	switch {
	case !p.edited():
		is.shown = 0
	case is.shown == len(went):
		return is, "ends with a message that the client did not send"
	// Codex's own compaction is a handle of ours, for which the view goes (X4).
	case len(p.request.Body) >= len(p.sent) && !bytes.Contains(p.sent, []byte(`"type":"compaction"`)):
		return is, "grew on its way"
	}
	return is, ""
}

// What look says is wrong of a request that was changed in one way or another.
func TestX1WhatIsWrongIsSeen(t *testing.T) {
	t.Parallel()
	const sent = `{"model":"m", "messages":[{"role":"user","content":"a long one"},{"role":"assistant","content":"b"},{"role":"user","content":"c"}],"max_tokens":9}`
	for _, c := range []struct {
		old, now string
		shown    int
		why      string
	}{
		{"", "", 0, ""},
		{"a long one", "a", 1, ""},
		{`"b"`, `""`, 2, ""},
		{`{"role":"assistant","content":"b"},`, "", 1, ""},
		{`"c"`, `""`, 0, "ends with a message that the client did not send"},
		{`, "messages"`, `,"messages"`, 0, "was changed outside its messages"},
		{"9", "", 0, "was changed outside its messages"},
		{"a long one", "a longer one", 1, "grew on its way"},
	} {
		went := strings.Replace(sent, c.old, c.now, 1)
		is, why := look(pair{sent: []byte(sent), request: modelserver.Request{Wire: modelserver.Anthropic, Body: []byte(went)}})
		if why != c.why || why == "" && (is.shown != c.shown || len(is.came) != 3) {
			t.Errorf("%s: %d messages are ours, %q", went, is.shown, why)
		}
	}
}

// toldBy is the history of a request as its client sent it.
func toldBy(p pair) []Line {
	r, _ := modelserver.Read(p.request.Wire, p.sent)
	return History(r, true)
}

// follows finds the newest request that the client's history goes on from; nil for
// none.
func (s sight) follows(before []sight) *sight {
	for i, b := range slices.Backward(before) {
		if n := len(b.told); n > 0 && n <= len(s.told) && slices.Equal(b.told, s.told[:n]) {
			return &before[i]
		}
	}
	return nil
}

// messagesOf divides a body: its messages, and what stands before and behind them.
func messagesOf(wire modelserver.Wire, body []byte) (head []byte, messages []string, tail []byte, err error) {
	name := cmp.Or(map[modelserver.Wire]string{modelserver.Responses: "input", modelserver.Gemini: "contents"}[wire], "messages")
	d := jsontext.NewDecoder(bytes.NewReader(body))
	if _, err := d.ReadToken(); err != nil {
		return nil, nil, nil, err
	}
	for d.PeekKind() == '"' {
		key, err := d.ReadToken()
		if err != nil {
			return nil, nil, nil, err
		}
		if key.String() != name || d.PeekKind() != '[' {
			if err := d.SkipValue(); err != nil {
				return nil, nil, nil, err
			}
			continue
		}
		if _, err := d.ReadToken(); err != nil {
			return nil, nil, nil, err
		}
		head = body[:d.InputOffset()]
		for d.PeekKind() != ']' {
			v, err := d.ReadValue()
			if err != nil {
				return nil, nil, nil, err
			}
			messages = append(messages, string(v))
		}
		tail = body[d.InputOffset():]
	}
	return head, messages, tail, nil
}
