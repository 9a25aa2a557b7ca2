package transcript

import (
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
