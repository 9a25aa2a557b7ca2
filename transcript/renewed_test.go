package transcript

import (
	"strings"
	"testing"

	"tenfold"
	"tenfold/transcript/internal/engine"
)

// P5a, P8a: where the context that a client brings anew began the view, the note
// that stood in it stands in the next message, once.
func TestP5aP8aTheNoteMovesOnWhenContextIsLeftOut(t *testing.T) {
	said := func(text string, purpose tenfold.Purpose) tenfold.Entry {
		return tenfold.Entry{Payload: tenfold.UserMessage{Parts: tenfold.Text(text), Purpose: purpose}}
	}
	l := tenfold.NewLog()
	if _, err := l.Append(
		tenfold.Entry{Payload: tenfold.TurnStart{}},
		said("<environment_context>\n<cwd>/src</cwd>\n</environment_context>", tenfold.Context),
		said("Look at it.", tenfold.Request),
		tenfold.Entry{Payload: tenfold.ToolCall{CallID: "c", Name: "Read", Arguments: `{}`}},
		tenfold.Entry{Payload: tenfold.ToolResult{CallID: "c", Parts: tenfold.Text(strings.Repeat("a line of it\n", 200))}},
		tenfold.Entry{Payload: tenfold.AssistantMessage{Text: "Looked."}},
	); err != nil {
		t.Fatal(err)
	}
	p := tenfold.Project(l).With(tenfold.Compaction{ToolCalls: &tenfold.ToolPolicy{Action: tenfold.Strip, Response: true}})
	note := strings.TrimSpace(p.Note())
	if first := p.List()[0]; note == "" || !first.Noted {
		t.Fatalf("the note is %q, and the first item %+v", note, first)
	}
	for _, to := range []Format{ClaudeCode, Codex, OpenCode, Pi, GeminiCLI} {
		var out strings.Builder
		if _, err := Export(&out, to, View{Conversation: Conversation{ID: "c", Format: Codex}, Projection: p, Compacted: true}); err != nil {
			t.Fatal(err)
		}
		again, err := importText(t, "session.jsonl", out.String())
		if err != nil {
			t.Fatalf("%s: %v", to, err)
		}
		var texts []string
		for it := range projected(t, again.Entries).Items() {
			if m, ok := it.Payload.(tenfold.UserMessage); ok {
				texts = append(texts, tenfold.TextLines(m))
			}
		}
		all := strings.Join(texts, "\n---\n")
		if strings.Count(all, note) != 1 || strings.Contains(all, "<cwd>") || !strings.Contains(all, "Look at it.") {
			t.Errorf("%s: it comes back as %q", to, all)
		}
	}
}

// P8a: an element that mentions itself is one element; two of them with words of
// somebody between are not.
func TestP8aAnElementMayMentionItself(t *testing.T) {
	for text, want := range map[string]bool{
		"<collaboration_mode># Default\nIt ends with a new `<collaboration_mode>...</collaboration_mode>`.\n</collaboration_mode>": true,
		"<tools>a</tools>":                      true,
		"<tools>a</tools> and <tools>b</tools>": false,
		"<tools>a</tools> and more":             false,
		"<tools>a":                              false,
		"<tools>a <tools>b</tools>":             false,
	} {
		if got := engine.Renewed(tenfold.UserMessage{Parts: tenfold.Text(text)}); got != want {
			t.Errorf("%q: %t", text, got)
		}
	}
}

// What a view hides has no signature to lose.
func TestOnlyReasoningThatIsShownLosesSignatures(t *testing.T) {
	t.Parallel()
	log := tenfold.NewLog()
	signed := tenfold.Reasoning{Text: "hm", Provider: "anthropic", Signature: "c2ln"}
	if _, err := log.Append(
		tenfold.Entry{Payload: tenfold.TurnStart{}}, tenfold.Entry{Payload: tenfold.UserMessage{Parts: tenfold.Text("do it")}},
		tenfold.Entry{Payload: signed}, tenfold.Entry{Payload: tenfold.AssistantMessage{Text: "done"}},
		tenfold.Entry{Payload: tenfold.TurnStart{}}, tenfold.Entry{Payload: tenfold.UserMessage{Parts: tenfold.Text("and that")}},
		tenfold.Entry{Payload: signed}, tenfold.Entry{Payload: tenfold.AssistantMessage{Text: "too"}},
		tenfold.Entry{Payload: tenfold.Compaction{ToTurn: 1, Reasoning: &tenfold.Policy{Action: tenfold.Strip}}},
	); err != nil {
		t.Fatal(err)
	}
	for _, to := range []Format{Codex, OpenCode, Pi, GeminiCLI} {
		for _, compacted := range []bool{true, false} {
			var out strings.Builder
			v := View{Conversation: Conversation{ID: "c", Format: ClaudeCode}, Projection: tenfold.Project(log), Compacted: compacted}
			warnings, err := Export(&out, to, v)
			if told := strings.Contains(strings.Join(warnings, "; "), "reasoning"); err != nil || told == compacted || strings.Contains(out.String(), "c2ln") {
				t.Errorf("%s, compacted %v: %q, %v\n%s", to, compacted, warnings, err, out.String())
			}
		}
	}
}

// P4: a summary that stands in the system prompt is written, and no prompt is left out.
func TestP4ASummaryInTheSystemPromptIsNotLeftOut(t *testing.T) {
	t.Parallel()
	for _, system := range []string{"", "Be brief."} {
		log := tenfold.NewLog()
		if _, err := log.Append(
			tenfold.Entry{Payload: tenfold.ConfigDelta{Model: "m", System: &system}},
			tenfold.Entry{Payload: tenfold.TurnStart{}}, tenfold.Entry{Payload: tenfold.UserMessage{Parts: tenfold.Text("do it")}},
			tenfold.Entry{Payload: tenfold.AssistantMessage{Text: "done"}},
			tenfold.Entry{Payload: tenfold.Compaction{Summary: &tenfold.Summary{Text: "It was done.", Placement: tenfold.PlaceSystem}}},
		); err != nil {
			t.Fatal(err)
		}
		for _, to := range []Format{ClaudeCode, Codex} {
			var out strings.Builder
			warnings, err := Export(&out, to, View{Conversation: Conversation{ID: "c"}, Projection: tenfold.Project(log), Compacted: true})
			if told := strings.Contains(strings.Join(warnings, "; "), "system prompt"); err != nil || told != (system != "") || !strings.Contains(out.String(), "It was done.") {
				t.Errorf("%s with %q: %q, %v\n%s", to, system, warnings, err, out.String())
			}
		}
	}
}
