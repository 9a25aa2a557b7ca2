package transcript

import (
	"slices"
	"strings"
	"testing"

	"tenfold"
)

// codexFrom exports entries whole, of which the first has a source.
func codexFrom(t *testing.T, source string, list ...tenfold.Payload) string {
	t.Helper()
	c := Collected{Conversation: Conversation{ID: "made", Format: "x"}}
	for i, p := range list {
		c.Entries = append(c.Entries, tenfold.Entry{ID: "e" + string(rune('a'+i)), Payload: p, Source: source})
		source = ""
	}
	text, _ := exportText(t, Codex, c, true)
	return string(text)
}

// A session's directory and provider are those of the original, and nothing is
// said of what is not known.
func TestCodexMakesNothingUp(t *testing.T) {
	said := []tenfold.Payload{tenfold.ConfigDelta{Model: "m-1"}, tenfold.TurnStart{}, tenfold.UserMessage{Parts: tenfold.Text("hi")}}
	for source, want := range map[string]string{
		`{"info":{"directory":"/srv/shop"}}`:     `"cwd":"/srv/shop"`,
		`{"directory":"C:\\\\work"}`:             `"cwd":"C:\\\\work"`,
		`{"info":{"path":{"cwd":"/srv/inner"}}}`: `"cwd":"/srv/inner"`,
		`{"type":"user","cwd":"/home/dev"}`:      `"cwd":"/home/dev"`,
		`{"type":"user","cwd":"no directory"}`:   `"cwd":""`,
		``:                                       `"cwd":""`,
		`{"type":"session_meta","payload":{"cwd":"/a","model_provider":"local"}}`: `"model_provider":"local"`,
	} {
		text := codexFrom(t, source, said...)
		if !strings.Contains(text, want) {
			t.Errorf("%s: no %s in\n%s", source, want, text)
		}
		for _, made := range []string{"sandbox", "approval", `"model_provider":"openai"`} {
			if strings.Contains(text, made) {
				t.Errorf("%s: %s is made up in\n%s", source, made, text)
			}
		}
	}
}

// Context that Codex brings anew is left out, as whole messages alone.
func TestCodexLeavesItsContextToItself(t *testing.T) {
	user := func(texts ...string) tenfold.UserMessage {
		m := tenfold.UserMessage{Synthetic: true}
		for _, text := range texts {
			m.Parts = append(m.Parts, tenfold.TextPart(text))
		}
		return m
	}
	agents := "# AGENTS.md instructions for /x\n\n<INSTRUCTIONS>\nBe kind.\n</INSTRUCTIONS>"
	env := "<environment_context>\n<cwd>/x</cwd>\n</environment_context>"
	gone := []tenfold.Payload{
		user(env), user(agents, env), user("<user_instructions>\nBe kind.\n</user_instructions>"),
		user("<permissions instructions>\nAsk.\n</permissions instructions>"), user("<skills_instructions>none</skills_instructions>"),
	}
	stays := []tenfold.Payload{
		user(env, "and a word"), user(env + " and a word"), user("<skill>\nHow to sew.\n</skill>"),
		user(env + "\nTell me of </environment_context>"), user("<turn_aborted>\nby hand\n</turn_aborted>"), user("Summary of it."),
	}
	text := codexFrom(t, "", append([]tenfold.Payload{tenfold.TurnStart{}, user("first")}, append(gone, stays...)...)...)
	again, err := importText(t, "", text)
	if err != nil {
		t.Fatal(err)
	}
	got := allSaid(t, again)
	if len(got) != 1+len(stays) {
		t.Errorf("it says %q", got)
	}
}

// A whole export writes an overlay that Codex has a form for, and names others.
func TestCodexWritesOverlaysOrNamesThem(t *testing.T) {
	c := Collected{Conversation: Conversation{ID: "made", Format: OpenAIChat}}
	for i, p := range []tenfold.Payload{
		tenfold.TurnStart{},
		tenfold.UserMessage{Parts: tenfold.Text("one")},
		tenfold.AssistantMessage{Text: "first"},
		tenfold.TurnStart{},
		tenfold.UserMessage{Parts: tenfold.Text("two")},
		tenfold.Pin{Entries: []string{"eb"}},
		tenfold.Compaction{ToTurn: 0, Source: "user", Turns: tenfold.Omit},
		tenfold.Compaction{ToTurn: 0, Source: "user", Summary: &tenfold.Summary{Text: "They began.", Placement: tenfold.PlaceMessage}},
		tenfold.AssistantMessage{Text: "second"},
	} {
		c.Entries = append(c.Entries, tenfold.Entry{ID: "e" + string(rune('a'+i)), Payload: p})
	}
	text, warnings := exportText(t, Codex, c, false)
	if got := strings.Count(string(text), `"type":"compacted"`); got != 1 || !strings.Contains(string(text), "They began.") {
		t.Errorf("%d compactions in\n%s", got, text)
	}
	for _, want := range []string{"1 compaction has no form in codex and is left out", "1 pin has no form in codex and is left out"} {
		if !slices.Contains(warnings, want) {
			t.Errorf("no warning %q in %q", want, warnings)
		}
	}
	again, err := importText(t, "", string(text))
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(allSaid(t, again), " "); !strings.Contains(got, "They began.") || strings.Contains(got, "assistant|first") {
		t.Errorf("it says %q", got)
	}
}
