package acp_test

import (
	"context"
	"iter"
	"strings"
	"testing"

	sdk "github.com/coder/acp-go-sdk"

	"tenfold"
	"tenfold/agent"
	"tenfold/internal/acp"
	"tenfold/problem"
	"tenfold/session"
)

func TestCommandsOfThePerson(t *testing.T) {
	t.Parallel()
	focus, said := "none", ""
	h := newHost(func(_ *played, _ context.Context, parts []tenfold.Part) iter.Seq2[agent.Event, error] {
		said = parts[0].Text
		return events()
	})
	make1 := h.agents
	h.agents = func(s *session.Session, o acp.Open) *played {
		p := make1(s, o)
		p.compact = func(_ context.Context, text string) iter.Seq2[agent.Event, error] {
			focus = text
			return events(
				agent.Event{Compaction: &session.Decision{Action: session.Exceeded, Problem: &problem.Error{Problem: "too large", Hint: "start a new session"}}},
				agent.Event{Compaction: &session.Decision{Action: session.Wait, By: session.ByPerson, Reason: "a compaction is under way"}},
			)
		}
		return p
	}
	c := connect(t, h)
	id := c.begin(t)
	c.say(t, id, "\n /compact the names of files")
	c.say(t, id, "/undo")
	got := outline(c.updates(id))
	for _, want := range []string{"The context is full, and compacting it failed | too large⏎⏎start a new session⏎⏎Nothing was changed.", "Nothing was compacted | a compaction is under way", "There is no compaction to undo."} {
		if !strings.Contains(got, want) {
			t.Errorf("not shown: %s\n%s", want, got)
		}
	}
	if focus != "the names of files" {
		t.Errorf("the focus is %q", focus)
	}
	for _, text := range []string{"/etc/passwd is a file", "compact", "/compacted?"} {
		if c.say(t, id, text); said != text {
			t.Errorf("%q was taken for a command", text)
		}
	}
}

func TestPromptsBecomeParts(t *testing.T) {
	t.Parallel()
	var got []tenfold.Part
	h := newHost(func(_ *played, _ context.Context, parts []tenfold.Part) iter.Seq2[agent.Event, error] {
		got = parts
		return events()
	})
	c := connect(t, h)
	id := c.begin(t)
	prompt := func(blocks ...sdk.ContentBlock) error {
		_, err := c.Prompt(t.Context(), sdk.PromptRequest{SessionId: id, Prompt: blocks})
		return err
	}
	resource := sdk.EmbeddedResourceResource{TextResourceContents: &sdk.TextResourceContents{Uri: "file:///project/a%20b.go", Text: "package a"}}
	if err := prompt(
		sdk.TextBlock("Look at "), sdk.ResourceLinkBlock("c.go", "file:///project/c.go"), sdk.TextBlock(" and"), sdk.ResourceBlock(resource),
		sdk.ImageBlock("aGk=", "image/png"), sdk.TextBlock("please "), sdk.ResourceLinkBlock("x", "https://x.example/y"),
	); err != nil {
		t.Fatal(err)
	}
	text := ""
	for _, p := range got {
		if p.File != nil {
			text += "[" + p.File.URI + "]"
		}
		text += p.Text
	}
	compare(t, text, "Look at @/project/c.go and\n<file path=\"/project/a b.go\">\npackage a\n</file>\n[data:image/png;base64,aGk=]please @https://x.example/y")
	if err := prompt(sdk.TextBlock("/undo"), sdk.ImageBlock("aGk=", "image/png")); err != nil || len(got) != 2 {
		t.Errorf("a message with an image was taken for a command: %v, %v", got, err)
	}
	pdf := sdk.EmbeddedResourceResource{BlobResourceContents: &sdk.BlobResourceContents{Uri: "file:///project/a.pdf", Blob: "aGk=", MimeType: new("application/pdf")}}
	if err := prompt(sdk.ResourceBlock(pdf)); err != nil || len(got) != 1 || *got[0].File != (tenfold.File{Type: tenfold.PartFile, Name: "/project/a.pdf", MediaType: "application/pdf", URI: "data:application/pdf;base64,aGk="}) {
		t.Errorf("a file became %+v, %v", got, err)
	}
	// Nothing that was sent is left out without a word, nor sent on where it would be
	// refused each time.
	for _, bad := range []sdk.ContentBlock{sdk.AudioBlock("aGk=", "audio/wav"), sdk.ImageBlock("!", "image/png"), sdk.ImageBlock("", "image/png")} {
		if err := prompt(sdk.TextBlock("look"), bad); err == nil {
			t.Errorf("taken: %+v", bad)
		}
	}
	for _, blank := range [][]sdk.ContentBlock{{}, {sdk.TextBlock("")}, {sdk.TextBlock(" \n"), sdk.TextBlock("\t")}} {
		if err := prompt(blank...); err == nil {
			t.Errorf("an empty prompt was taken: %v", blank)
		}
	}
}

// What is long is shown in part: of what a running call prints the end, of a result
// both ends. The log has the whole.
func TestLongTextsAreShownInPart(t *testing.T) {
	t.Parallel()
	long := "FIRST " + strings.Repeat("ä", 100_000) + " LAST"
	h := newHost(func(*played, context.Context, []tenfold.Part) iter.Seq2[agent.Event, error] {
		return events(
			entry(tenfold.ToolCall{CallID: "c", Name: "fs_create_file", Arguments: `{"path":"a","content":"` + long + `"}`}),
			agent.Event{Output: &agent.Output{CallID: "c", Text: long}}, agent.Event{Output: &agent.Output{CallID: "c", Text: "!"}},
			entry(textResult("c", long)),
		)
	})
	c := connect(t, h)
	id := c.begin(t)
	c.say(t, id, "go")
	var shown []string
	for _, u := range c.updates(id) {
		switch {
		case u.ToolCall != nil && len(u.ToolCall.Content) != 0:
			t.Error("the whole file is shown")
		case u.ToolCallUpdate != nil:
			shown = append(shown, u.ToolCallUpdate.Content[0].Content.Content.Text.Text)
		}
	}
	for i, want := range []struct {
		begin, end string
		most       int
	}{{"```\nä", " LAST\n```", 4200}, {"```\nä", " LAST!\n```", 4200}, {"```\nFIRST ä", "ä LAST\n```", 33_000}} {
		if text := shown[i]; !strings.HasPrefix(text, want.begin) || !strings.HasSuffix(text, want.end) || len(text) > want.most || strings.Contains(text, "\uFFFD") {
			t.Errorf("%d bytes are shown: %.30q … %q", len(text), text, text[len(text)-20:])
		}
	}
}
