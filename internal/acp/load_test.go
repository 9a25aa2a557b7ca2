package acp_test

import (
	"context"
	"iter"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	sdk "github.com/coder/acp-go-sdk"

	"tenfold"
	"tenfold/agent"
	"tenfold/internal/acp"
	"tenfold/provider/script"
	"tenfold/session"
)

func TestALoadedConversationIsShownWhole(t *testing.T) {
	t.Parallel()
	h := newHost(nil)
	s, err := h.service.Create(t.Context(), session.Create{})
	if err != nil {
		t.Fatal(err)
	}
	var entries []tenfold.Entry
	for _, p := range []tenfold.Payload{
		tenfold.ConfigDelta{},
		tenfold.TurnStart{},
		tenfold.UserMessage{Parts: []tenfold.Part{{Text: "the rules"}}, Purpose: tenfold.Context, Synthetic: true},
		tenfold.UserMessage{Parts: []tenfold.Part{{Text: "What is in a?"}}, Purpose: tenfold.Request},
		tenfold.Reasoning{Text: "hm"},
		tenfold.Reasoning{Encrypted: "xx", Provider: "anthropic"},
		tenfold.ToolCall{CallID: "1", Name: "Read", Arguments: `{"file_path":"/project/a"}`},
		textResult("1", "A"),
		tenfold.AssistantMessage{Text: "A."},
		tenfold.Compaction{ToTurn: 0, Command: "x", Reason: "asked", TokensBefore: 900, TokensAfter: 90, Turns: tenfold.Omit},
		tenfold.Compaction{ToTurn: 0, Command: "x", TokensBefore: 90, TokensAfter: 80, Reasoning: &tenfold.Policy{Action: tenfold.Strip}},
		tenfold.CompactionFailed{Error: "no progress"},
		tenfold.TurnStart{},
		tenfold.UserMessage{Parts: []tenfold.Part{{Text: "And b?"}}, Purpose: tenfold.Request},
		tenfold.ToolCall{CallID: "2", Name: "Read", Arguments: `{"file_path":"b"}`},
	} {
		entries = append(entries, tenfold.Entry{Payload: p})
	}
	if err := s.Append(t.Context(), entries...); err != nil {
		t.Fatal(err)
	}
	c := connect(t, h)
	id := sdk.SessionId(s.ID())
	if _, err := c.LoadSession(t.Context(), sdk.LoadSessionRequest{SessionId: id, Cwd: "/project", McpServers: []sdk.McpServer{}}); err != nil {
		t.Fatal(err)
	}
	whole := outline(c.updates(id))
	compare(t, whole, `
user: What is in a?
thought: hm
call 1 [read, pending] Read /project/a
update 1 completed | `+"```⏎A⏎```"+`
agent: A.
call compaction-1 [other, completed] Compacted: 900 → 90 tokens | asked
call compaction-2 [other, failed] Compacting failed | no progress⏎⏎Nothing was changed. /compact tries again.
user: And b?
call 2 [read, pending] Read b
update 2 failed
command: /compact
command: /undo`)
	if _, err := c.ResumeSession(t.Context(), sdk.ResumeSessionRequest{SessionId: id, Cwd: "/project"}); err != nil {
		t.Fatal(err)
	}
	if rest := strings.TrimPrefix(outline(c.updates(id)), whole); rest != "command: /compact\ncommand: /undo\n" {
		t.Errorf("resuming shows\n%s", rest)
	}
	for _, unknown := range []string{"", "nobody"} {
		if _, err := c.LoadSession(t.Context(), sdk.LoadSessionRequest{SessionId: sdk.SessionId(unknown), Cwd: "/project", McpServers: []sdk.McpServer{}}); err == nil {
			t.Errorf("loaded the conversation %q", unknown)
		}
	}
	if _, err := c.LoadSession(t.Context(), sdk.LoadSessionRequest{SessionId: id, Cwd: "work", McpServers: []sdk.McpServer{}}); err == nil {
		t.Error("took a relative working directory")
	}
}

// A session that is being opened when the editor goes is closed as well.
func TestASessionOpenedTooLateIsClosed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		opening, release := make(chan struct{}), make(chan struct{})
		h := newHost(nil)
		h.opened = func(acp.Open) error {
			close(opening)
			<-release
			return nil
		}
		c := connect(t, h)
		go func() {
			_, _ = c.NewSession(context.WithoutCancel(t.Context()), sdk.NewSessionRequest{Cwd: "/project", McpServers: []sdk.McpServer{}})
		}()
		<-opening
		c.hangUp()
		if err := <-c.served; err != nil {
			t.Fatal(err)
		}
		close(release)
		soon(t, "the session to be closed", func() bool {
			h.mu.Lock()
			defer h.mu.Unlock()
			return len(h.closed) == 1
		})
	})
}

func TestConversationsAreListedByDirectory(t *testing.T) {
	t.Parallel()
	h := newHost(nil)
	c := connect(t, h)
	all := map[sdk.SessionId]bool{}
	for range 3 {
		all[c.begin(t)] = true
	}
	if r, err := c.ListSessions(t.Context(), sdk.ListSessionsRequest{Cwd: sdk.Ptr("/elsewhere")}); err != nil || len(r.Sessions) != 0 {
		t.Errorf("elsewhere: %+v, %v", r, err)
	}
	for _, cwd := range []*string{nil, sdk.Ptr("/project")} {
		r, err := c.ListSessions(t.Context(), sdk.ListSessionsRequest{Cwd: cwd})
		if err != nil || len(r.Sessions) != 3 {
			t.Errorf("listed %+v, %v", r.Sessions, err)
		}
		for _, s := range r.Sessions {
			if !all[s.SessionId] || s.Cwd != "/project" || s.UpdatedAt == nil {
				t.Errorf("listed %+v", s)
			}
		}
	}
}

// What another program added to the conversation is shown before the answer to the next
// prompt, and while it is given: all of it once, and what the person typed here not again.
func TestWhatOthersAddedIsShown(t *testing.T) {
	t.Parallel()
	h := newHost(nil)
	var other *session.Session
	add := func(payloads ...tenfold.Payload) {
		for _, p := range payloads {
			if err := other.AppendLatest(context.Background(), tenfold.Entry{Payload: p}); err != nil {
				t.Error(err)
			}
		}
	}
	said := func(text string) tenfold.Payload { return tenfold.UserMessage{Parts: tenfold.Text(text)} }
	model := script.Choose(func(s script.Shown) script.Answer {
		if strings.Contains(s.Body, "meanwhile") && !strings.Contains(s.Body, "said while") {
			add(tenfold.TurnStart{}, said("It is said while the model answers."), tenfold.AssistantMessage{Text: "So it is."})
		}
		return script.Text("I see.")
	})
	h.agents = func(s *session.Session, _ acp.Open) *played {
		a, err := agent.New(s, agent.Options{Model: model})
		if err != nil {
			t.Error(err)
		}
		return &played{s: s, run: func(ctx context.Context, parts []tenfold.Part) iter.Seq2[agent.Event, error] {
			return a.Run(ctx, parts...)
		}}
	}
	c := connect(t, h)
	id := c.begin(t)
	var err error
	if other, err = h.service.Open(t.Context(), string(id)); err != nil {
		t.Fatal(err)
	}
	c.say(t, id, "Begin.")
	add(tenfold.TurnStart{}, said("What is in a?"),
		tenfold.ToolCall{CallID: "1", Name: "Read", Arguments: `{"file_path":"/project/a"}`}, textResult("1", "A"), tenfold.AssistantMessage{Text: "A."})
	c.say(t, id, "Go on, meanwhile.")
	c.say(t, id, "Once more.")
	add(tenfold.TurnStart{}, said("And b?"))
	c.say(t, id, "/undo")
	whole := outline(slices.DeleteFunc(c.updates(id), func(u sdk.SessionUpdate) bool {
		return u.UsageUpdate != nil || u.AvailableCommandsUpdate != nil || u.SessionInfoUpdate != nil
	}))
	compare(t, whole, `
agent: I see.
user: What is in a?
call 1 [read, pending] Read /project/a
update 1 completed | `+"```⏎A⏎```"+`
agent: A.
agent: I see.
user: It is said while the model answers.
agent: So it is.
agent: I see.
user: And b?
agent: *There is no compaction to undo.*`)
}
