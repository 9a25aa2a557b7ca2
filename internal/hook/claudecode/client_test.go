package claudecode_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
	"tenfold/body"
	"tenfold/internal/config"
	"tenfold/internal/hook"
	"tenfold/internal/hook/claudecode"
	"tenfold/internal/logtest"
	"tenfold/session"
	"tenfold/store/memory"
	"tenfold/transcript"
)

// newHost makes a host over a store in memory.
func newHost(tb testing.TB) *hook.Host {
	tb.Helper()
	st := memory.New()
	return &hook.Host{
		Open: func(context.Context) (*session.Service, error) { return session.NewService(st), nil },
		Configure: func(dir string) (*config.Effective, error) {
			l, err := config.Read(config.Sources{Dir: dir})
			if err != nil {
				return nil, err
			}
			return l.With()
		},
		Data: tb.TempDir(), Version: "test", Now: time.Now,
	}
}

// client plays Claude Code: it keeps a session's file and what of it is the
// conversation.
type client struct {
	testing.TB
	file string
	rows []line
	made int
}

// line is a line of the file that is a message.
type line struct {
	Type    string `json:"type"`
	UUID    string `json:"uuid"`
	Stamp   string `json:"timestamp"`
	Session string `json:"sessionId"`
	Message struct {
		ID      string         `json:"id,omitzero"`
		Model   string         `json:"model,omitzero"`
		Role    string         `json:"role"`
		Content jsontext.Value `json:"content"`
	} `json:"message"`
}

// block is one of a message.
type block struct {
	Type    string         `json:"type"`
	Text    string         `json:"text,omitzero"`
	ID      string         `json:"id,omitzero"`
	Name    string         `json:"name,omitzero"`
	Input   jsontext.Value `json:"input,omitzero"`
	CallID  string         `json:"tool_use_id,omitzero"`
	Content jsontext.Value `json:"content,omitzero"`
	Error   bool           `json:"is_error,omitzero"`
	Source  jsontext.Value `json:"source,omitzero"`
}

// begin writes entries as a session of Claude Code.
func begin(tb testing.TB, entries []tenfold.Entry) *client {
	tb.Helper()
	l := tenfold.NewLog()
	if _, err := l.Append(entries...); err != nil {
		tb.Fatal(err)
	}
	var b bytes.Buffer
	v := transcript.View{Conversation: transcript.Conversation{ID: "0b0e1c1e-0000-4000-8000-000000000001", Named: true}, Projection: tenfold.Project(l)}
	if _, err := transcript.Export(&b, transcript.ClaudeCode, v); err != nil {
		tb.Fatal(err)
	}
	return open(tb, b.Bytes())
}

func open(tb testing.TB, data []byte) *client {
	tb.Helper()
	c := &client{TB: tb, file: filepath.Join(tb.TempDir(), "0b0e1c1e-0000-4000-8000-000000000001.jsonl")}
	for text := range bytes.Lines(data) {
		c.add(bytes.TrimSpace(text))
	}
	return c
}

// add adds a line to the file.
func (c *client) add(text []byte) {
	c.Helper()
	f, err := os.OpenFile(c.file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		c.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	if _, err := f.Write(append(slices.Clone(text), '\n')); err != nil {
		c.Fatal(err)
	}
	var l line
	if json.Unmarshal(text, &l) == nil && (l.Type == "user" || l.Type == "assistant") && l.Message.Role != "" {
		c.rows = append(c.rows, l)
	}
}

// say adds a message of blocks.
func (c *client) say(role, message string, blocks ...block) {
	c.Helper()
	c.made++
	l := line{Type: role, UUID: fmt.Sprintf("00000000-0000-4000-9000-%012d", c.made), Stamp: "2027-01-01T00:00:00.000Z", Session: "0b0e1c1e-0000-4000-8000-000000000001"}
	l.Message.ID, l.Message.Role = message, role
	data, err := json.Marshal(blocks)
	if err != nil {
		c.Fatal(err)
	}
	l.Message.Content = data
	text, err := json.Marshal(l)
	if err != nil {
		c.Fatal(err)
	}
	c.add(text)
}

func (l line) blocks() []block {
	var all []block
	if l.Message.Content.Kind() == '"' {
		var text string
		_ = json.Unmarshal(l.Message.Content, &text)
		return []block{{Type: "text", Text: text}}
	}
	_ = json.Unmarshal(l.Message.Content, &all)
	return all
}

func textIn(content jsontext.Value) string {
	var text string
	if content.Kind() == '"' {
		_ = json.Unmarshal(content, &text)
		return text
	}
	var parts []block
	_ = json.Unmarshal(content, &parts)
	for _, p := range parts {
		text += p.Text
	}
	return text
}

// rowsOf is what the plug-in sends.
func (c *client) rowsOf() []map[string]any {
	var rows []map[string]any
	for _, l := range c.rows {
		text, results := "", []string{}
		for _, b := range l.blocks() {
			switch b.Type {
			case "text":
				text += b.Text
			case "tool_use":
				text += string(b.Input)
			case "tool_result":
				results = append(results, b.CallID)
				text += textIn(b.Content)
			}
		}
		n := len(utf16.Encode([]rune(text)))
		if l.Message.Role != "user" {
			text = ""
		}
		runes := []rune(text)
		rows = append(rows, map[string]any{"h": l.UUID, "r": l.Message.Role, "t": string(runes[:min(len(runes), 200)]), "n": n, "d": results})
	}
	return rows
}

// ask has an event answered.
func (c *client) ask(h *hook.Host, trigger string, more map[string]any) (answer, error) {
	c.Helper()
	event := map[string]any{"version": "2.1.332", "session": "x", "transcript": c.file, "dir": c.TempDir(), "trigger": trigger, "rows": c.rowsOf()}
	for k, v := range more {
		event[k] = v
	}
	in, err := json.Marshal(event)
	if err != nil {
		c.Fatal(err)
	}
	var a answer
	out, err := claudecode.Client{}.Handle(c.Context(), h, "session.compact", in)
	if err == nil && len(out) > 0 {
		err = json.Unmarshal(out, &a)
	}
	return a, err
}

// take replaces the conversation as Claude Code does: a boundary, then the
// messages, each in a line of its own.
func (c *client) take(a answer) {
	c.Helper()
	old := c.rows
	c.rows = nil
	c.made++
	c.add(fmt.Appendf(nil, `{"type":"system","subtype":"compact_boundary","uuid":"00000000-0000-4000-9000-%012d","timestamp":"2027-01-01T00:00:00.000Z","sessionId":"0b0e1c1e-0000-4000-8000-000000000001","compactMetadata":{"trigger":"manual"}}`, c.made))
	for i, m := range a.Messages {
		switch {
		case m.Keep != nil:
			c.say(old[*m.Keep].Message.Role, old[*m.Keep].Message.ID, old[*m.Keep].blocks()...)
		case len(m.Uses) > 0:
			c.say("assistant", fmt.Sprint("made-", i), block{Type: "tool_use", ID: m.Uses[0].ID, Name: m.Uses[0].Tool, Input: m.Uses[0].Input})
		case len(m.Results) > 0:
			text, _ := json.Marshal(m.Results[0].Text)
			c.say("user", "", block{Type: "tool_result", CallID: m.Results[0].ID, Content: text, Error: m.Results[0].Error})
		case m.Role == "assistant":
			c.say("assistant", fmt.Sprint("made-", i), block{Type: "text", Text: m.Text})
		default:
			c.say("user", "", block{Type: "text", Text: m.Text})
		}
	}
}

// sent is the conversation as a request has it: blocks of one side in a message.
func (c *client) sent() []byte {
	c.Helper()
	type message struct {
		Role    string  `json:"role"`
		Content []block `json:"content"`
	}
	var all []message
	for _, l := range c.rows {
		if n := len(all); n == 0 || all[n-1].Role != l.Message.Role {
			all = append(all, message{Role: l.Message.Role})
		}
		m := &all[len(all)-1]
		for _, b := range l.blocks() {
			if b.Content.Kind() == '"' { // a short form of a list with one text
				content, err := json.Marshal([]block{{Type: "text", Text: textIn(b.Content)}})
				if err != nil {
					c.Fatal(err)
				}
				b.Content = content
			}
			m.Content = append(m.Content, b)
		}
	}
	data, err := json.Marshal(map[string]any{"messages": all})
	if err != nil {
		c.Fatal(err)
	}
	return data
}

// valid holds that the provider takes what the client would send (P10).
func (c *client) valid() {
	c.Helper()
	if bad := body.Anthropic().Check(c.sent()); len(bad) > 0 {
		c.Errorf("the provider would refuse it: %v", bad)
	}
}

// told is what a body says, without ids of blocks and thinking.
func told(tb testing.TB, data []byte) []string {
	tb.Helper()
	var b struct {
		Messages []struct {
			Role    string         `json:"role"`
			Content jsontext.Value `json:"content"`
		} `json:"messages"`
	}
	if err := json.Unmarshal(data, &b); err != nil {
		tb.Fatal(err)
	}
	var all []string
	for _, m := range b.Messages {
		l := line{}
		l.Message.Content = m.Content
		for _, block := range l.blocks() {
			switch block.Type {
			case "text":
				if text := strings.TrimSpace(block.Text); text != "" {
					all = append(all, m.Role+": "+text)
				}
			case "tool_use":
				all = append(all, "call "+block.ID+" "+block.Name+" "+canonical(block.Input))
			case "tool_result":
				all = append(all, fmt.Sprintf("result %s %v %s", block.CallID, block.Error, strings.TrimSpace(textIn(block.Content))))
			case "thinking", "redacted_thinking":
			default:
				all = append(all, m.Role+" "+block.Type)
			}
		}
	}
	return all
}

func canonical(v jsontext.Value) string {
	w := slices.Clone(v)
	if err := w.Canonicalize(); err != nil {
		return string(v)
	}
	return string(w)
}

// stored gives the conversation that the host keeps of the file.
func (c *client) stored(h *hook.Host) *session.Session {
	c.Helper()
	s, err := h.Import(c.Context(), hook.Ask{Format: transcript.ClaudeCode, Path: c.file})
	if err != nil {
		c.Fatal(err)
	}
	return s
}

// isView holds that what the client goes on from is the projection in the store,
// after a heading; B1: without thinking.
func (c *client) isView(h *hook.Host, headings int) {
	c.Helper()
	c.valid()
	if bytes.Contains(c.sent(), []byte(`"thinking"`)) {
		c.Error("thinking from before the change is sent")
	}
	data, err := body.Anthropic().Write(c.stored(h).Projection())
	if err != nil {
		c.Fatal(err)
	}
	got := told(c, c.sent())
	found := 0
	for i, text := range got {
		if rest, ok := strings.CutPrefix(text, "user: Tenfold: "); ok {
			found++
			_, rest, _ = strings.Cut(rest, "replace the conversation up to here.]")
			got[i] = "user: " + strings.TrimSpace(rest)
		}
	}
	got = slices.DeleteFunc(got, func(text string) bool { return text == "user: " })
	if want := told(c, data); !slices.Equal(got, want) {
		for i := range max(len(got), len(want)) {
			if i >= len(got) || i >= len(want) || got[i] != want[i] {
				c.Errorf("differs from the projection at %d of %d and %d:\n got %.300q\nwant %.300q", i, len(got), len(want), got[i:min(i+1, len(got))], want[i:min(i+1, len(want))])
				break
			}
		}
	}
	if found != headings {
		c.Errorf("%d headings", found)
	}
}

// long is a conversation with requests, calls and thinking.
func long(tb testing.TB) *client { return begin(tb, logtest.Long(400)) }
