package transcript

import (
	"context"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"tenfold"
	"tenfold/purpose"
	"tenfold/transcript/internal/cline"
)

func importCline(t *testing.T, name, text string, dir fstest.MapFS) Collected {
	t.Helper()
	var k Collector
	if err := Import(context.Background(), Source{Name: name, Reader: strings.NewReader(text), Siblings: dir}, "", &k); err != nil {
		t.Fatal(err)
	}
	if len(k.Conversations) != 1 || k.Conversations[0].Format != Cline {
		t.Fatalf("%d conversations: %+v", len(k.Conversations), k.Conversations)
	}
	checkLaws(t, k.Conversations[0])
	return k.Conversations[0]
}

// shownTexts gives what the model sees of entries, a line for each item.
func shownTexts(t *testing.T, entries []tenfold.Entry) string {
	t.Helper()
	log := tenfold.NewLog()
	if _, err := log.Append(entries...); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for it := range tenfold.Project(log).Items() {
		switch p := it.Payload.(type) {
		case tenfold.UserMessage:
			b.WriteString("user " + p.Parts[0].Text)
		case tenfold.AssistantMessage:
			b.WriteString("assistant " + p.Text)
		case tenfold.ToolCall:
			b.WriteString("call " + p.CallID)
		case tenfold.ToolResult:
			b.WriteString("result " + p.CallID)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// What Roo hides is hidden, what it shows in its place is shown, and undone
// condensations hide nothing.
func TestClineProjection(t *testing.T) {
	say := func(role, text, more string) string {
		return `{"role":"` + role + `","content":[{"type":"text","text":"` + text + `"}],"ts":1750000000000` + more + `}`
	}
	for _, tt := range []struct {
		name, want string
		messages   []string
	}{
		{"condensed, the first message kept", "user task\nuser sum\nassistant c\n", []string{
			say("user", "task", ""),
			say("assistant", "a", `,"condenseParent":"k"`), say("user", "b", `,"condenseParent":"k"`),
			say("user", "sum", `,"isSummary":true,"condenseId":"k"`), say("assistant", "c", ""),
		}},
		{"condensed twice", "user sum2\nuser e\n", []string{
			say("user", "task", `,"condenseParent":"k1"`), say("assistant", "a", `,"condenseParent":"k1"`),
			say("user", "sum1", `,"isSummary":true,"condenseId":"k1","condenseParent":"k2"`),
			say("assistant", "c", `,"condenseParent":"k2"`), say("user", "d", `,"condenseParent":"k2"`),
			say("user", "sum2", `,"isSummary":true,"condenseId":"k2"`), say("user", "e", ""),
		}},
		{"truncated", "user task\nuser hidden: 2\nassistant c\n", []string{
			say("user", "task", ""),
			say("assistant", "a", `,"truncationParent":"x"`), say("user", "b", `,"truncationParent":"x"`),
			say("user", "hidden: 2", `,"isTruncationMarker":true,"truncationId":"x"`), say("assistant", "c", ""),
		}},
		{"the summary was taken out", "user task\nassistant a\nuser b\n", []string{
			say("user", "task", ""), say("assistant", "a", `,"condenseParent":"gone"`), say("user", "b", `,"truncationParent":"gone"`),
		}},
		{"a summary of nothing", "user sum\nassistant a\n", []string{
			say("user", "sum", `,"isSummary":true,"condenseId":"k"`), say("assistant", "a", ""),
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text := "[" + strings.Join(tt.messages, ",") + "]"
			got := importCline(t, "tasks/1750000000000/"+cline.History, text, nil)
			if have := shownTexts(t, got.Entries); have != tt.want {
				t.Errorf("the model sees\n%swant\n%s%s", have, tt.want, describe(got.Entries))
			}
			if !strings.HasPrefix(got.ID, "1750000000000-") {
				t.Errorf("id is %q", got.ID)
			}
			checkChatSources(t, []byte(text), []Collected{got})
			// Undone, all messages are there again.
			log := tenfold.NewLog()
			if _, err := log.Append(got.Entries...); err != nil {
				t.Fatal(err)
			}
			bare, err := View{Projection: tenfold.Project(log)}.Shown()
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range []string{"task", "a", "b", "c", "d", "e"} {
				if strings.Contains(text, `"text":"`+want+`"`) && !strings.Contains(seenAll(bare), "\""+want+"\"") {
					t.Errorf("%q is gone: %s", want, seenAll(bare))
				}
			}
		})
	}
}

func seenAll(p *tenfold.Projection) string {
	var all strings.Builder
	for it := range p.Items() {
		switch p := it.Payload.(type) {
		case tenfold.UserMessage:
			all.WriteString(`"` + p.Parts[0].Text + `"`)
		case tenfold.AssistantMessage:
			all.WriteString(`"` + p.Text + `"`)
		}
	}
	return all.String()
}

func TestClineSiblings(t *testing.T) {
	history, err := os.ReadFile("testdata/cline/api_conversation_history.json")
	if err != nil {
		t.Fatal(err)
	}
	ui := `[{"ts":1750000000500,"type":"say","say":"api_req_started","text":"{\"request\":\"r\",\"tokensIn\":10,\"tokensOut\":2,\"cacheReads\":5,\"cost\":0.5}"},
		{"ts":1750000002500,"type":"say","say":"api_req_started","text":"{\"request\":\"cancelled\"}"},
		{"ts":1750000004000,"type":"say","say":"condense_context","contextCondense":{"cost":0.01,"prevContextTokens":900,"newContextTokens":90,"summary":"s","condenseId":"k1"}},
		{"ts":1750000099000,"type":"say","say":"api_req_started","text":"{\"tokensIn\":7}"}]`
	got := importCline(t, cline.History, string(history), fstest.MapFS{"ui_messages.json": {Data: []byte(ui)}})
	out := describe(got.Entries)
	for _, want := range []string{"usage request:1750000000500   10/2/5/0\n", "import condense 900→90\n", "usage request:1750000099000   7/0/0/0\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not there:\n%s", want, out)
		}
	}
	if n := strings.Count(out, "\nusage "); n != 3 { // two requests and the condensation
		t.Errorf("%d usages\n%s", n, out)
	}

	text, err := os.ReadFile("testdata/cline/s1.messages.json")
	if err != nil {
		t.Fatal(err)
	}
	compaction := `{"version":1,"source_message_count":2,"source_prefix_hash":"h","messages":[{"role":"user","content":[{"type":"text","text":"It was about"}]},{"role":"assistant","content":"paint."}]}`
	got = importCline(t, "s1.messages.json", string(text), fstest.MapFS{"s1.compaction.json": {Data: []byte(compaction)}})
	if have, want := shownTexts(t, got.Entries), "user It was about\n\npaint.\nuser Green\n"; have != want {
		t.Errorf("the model sees\n%swant\n%s", have, want)
	}
	for data, want := range map[string]string{
		`{"version":`: "could not be read", `{"version":1}`: "was not understood",
		strings.Replace(compaction, ":2,", ":9,", 1): "more messages than there are",
	} {
		got = importCline(t, "s1.messages.json", string(text), fstest.MapFS{"s1.compaction.json": {Data: []byte(data)}})
		if len(got.Warnings) != 1 || !strings.Contains(got.Warnings[0], want) {
			t.Errorf("%s: %q, want %s", data, got.Warnings, want)
		}
	}
}

// A task that grew and was condensed keeps the ids of its messages.
func TestClineGrows(t *testing.T) {
	before := `[{"role":"user","content":"task","ts":1},{"role":"assistant","content":[{"type":"text","text":"a"}],"ts":2}]`
	now := `[{"role":"user","content":"task","ts":1,"condenseParent":"k"},{"role":"assistant","content":[{"type":"text","text":"a"}],"ts":2,"condenseParent":"k"},
		{"role":"user","content":"sum","ts":3,"isSummary":true,"condenseId":"k"}]`
	checkGrown(t, []Collected{importCline(t, "t/"+cline.History, before, nil)}, []Collected{importCline(t, "t/"+cline.History, now, nil)})
}

// What older tools say of a call stands in the user's place: it is nobody's request, also
// where its heading stands apart from it; what a person says of the call is.
func TestClineTellsResultsFromThePerson(t *testing.T) {
	message := func(role string, texts ...string) string {
		blocks := make([]string, len(texts))
		for i, text := range texts {
			blocks[i] = `{"type":"text","text":"` + text + `"}`
		}
		return `{"role":"` + role + `","content":[` + strings.Join(blocks, ",") + `],"ts":1750000000000}`
	}
	const details = `<environment_details>\nfiles\n</environment_details>`
	c := importCline(t, cline.History, "["+strings.Join([]string{
		message("user", `<task>\nMend the gate.\n</task>`, details),
		message("assistant", `<read_file>\n<path>gate</path>\n</read_file>`),
		message("user", `[read_file for 'gate'] Result:`, `It must never open.`, details),
		message("assistant", `<write_to_file>\n<path>gate</path>\n</write_to_file>`),
		message("user", `[write_to_file for 'gate'] Result:`, `The user denied this operation and provided the following feedback:\n<feedback>\nOnly oil it.\n</feedback>`, details),
		message("assistant", "Oiled."),
		message("user", `[read_file for 'gate'] Result:\nshut`, `[TASK RESUMPTION] It was interrupted.`),
		message("user", `[TASK RESUMPTION] It was interrupted.\n\nNew instructions for task continuation:\n<user_message>\nPaint it.\n</user_message>`),
	}, ",")+"]", nil)
	var said []string
	turns := 0
	for _, e := range c.Entries {
		switch p := e.Payload.(type) {
		case tenfold.TurnStart:
			turns++
		case tenfold.UserMessage:
			if words := purpose.Said(p); words != "" {
				said = append(said, words)
			}
		}
	}
	if got := strings.Join(said, " "); got != "Mend the gate. Only oil it. Paint it." || turns != 3 {
		t.Errorf("%d turns: %s", turns, got)
	}
}

// What a person says of a call that they let run is a message of theirs where the API
// knows calls, too: it stands in the result there. What a command printed is not.
func TestClineTakesWhatThePersonSaysOutOfResults(t *testing.T) {
	const feedback = `The user provided the following feedback:\n<feedback>\nOpen the sluice.\n</feedback>`
	const approved = `The user approved this operation and provided the following context:\n<feedback>\nOil it first.\n</feedback>`
	for name, c := range map[string]struct{ tool, result, rest, said string }{
		"a command that runs": {
			"execute_command", `Command is still running in the user's terminal.\nHere's the output so far:\n1 gate\n\n` + feedback,
			"Command is still running in the user's terminal.\nHere's the output so far:\n1 gate", "Open the sluice.",
		},
		"what it printed":      {"execute_command", `Command is still running in terminal.\n` + feedback + `\n\nYou will be updated.`, "", ""},
		"a file":               {"read_file", `Command is still running` + feedback, "", ""},
		"an approval":          {"write_to_file", approved + `\n\nCreated.`, "Created.", "Oil it first."},
		"an approval as JSON":  {"write_to_file", `{\"status\":\"approved\",\"message\":\"The user approved\",\"feedback\":\"Oil it first.\"}\n\nCreated.`, "Created.", "Oil it first."},
		"an approval alone":    {"write_to_file", `{\"status\":\"approved\",\"message\":\"The user approved\"}`, "", ""},
		"not the end of Cline": {"attempt_completion", `The user has provided feedback on the results.\n<feedback>\nPaint it.\n</feedback>`, " ", "Paint it."},
		"not the end of Roo":   {"attempt_completion", `<user_message>\nPaint it.\n</user_message>`, " ", "Paint it."},
		"an answer":            {"ask_followup_question", `<user_message>\nRed.\n</user_message>`, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := importCline(t, cline.History, `[{"role":"user","content":[{"type":"text","text":"<task>\nMend.\n</task>"}],"ts":1},
				{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"`+c.tool+`","input":{}}],"ts":2},
				{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":[{"type":"text","text":"`+c.result+`"}]},
				{"type":"text","text":"<environment_details>\nfiles\n</environment_details>"}],"ts":3}]`, nil)
			rest, said, turns := "", "", 0
			for _, e := range got.Entries {
				switch p := e.Payload.(type) {
				case tenfold.TurnStart:
					turns++
				case tenfold.ToolResult:
					rest = p.Parts[0].Text
				case tenfold.UserMessage:
					said = purpose.Said(p)
				}
			}
			want, n := strings.TrimSpace(c.rest), 2
			if c.said == "" {
				want, n = strings.NewReplacer(`\n`, "\n", `\"`, `"`).Replace(c.result), 1
			}
			if rest != want || said != c.said || turns != n {
				t.Errorf("%d turns, said %q, the result is %q", turns, said, rest)
			}
		})
	}
}
