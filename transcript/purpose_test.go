package transcript

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"tenfold"
	"tenfold/internal/corpustest"
	"tenfold/purpose"
)

// What each format's importer makes of context and notices stands in the golden
// files of the samples: "context", "notice", "user" and "injected".

// L11 over the corpus: what is a request says something that a person said or
// gave, and a context or a notice is synthetic.
func TestL11CorpusRequestsAreAPersons(t *testing.T) {
	requests, others := 0, 0
	for _, f := range corpustest.Sample(corpustest.Files(t)) {
		for _, c := range conversationsIn(t, f) {
			for _, e := range c.Entries {
				m, ok := e.Payload.(tenfold.UserMessage)
				switch {
				case !ok:
				case m.Purpose != tenfold.Request:
					if others++; !m.Synthetic {
						t.Errorf("%s: %s is %s and not synthetic", f.Name, e.ID, m.Purpose)
					}
				case m.IsRequest():
					requests++
					files := len(m.Attachments) > 0 || slices.ContainsFunc(m.Parts, func(p tenfold.Part) bool { return p.File != nil })
					if said := strings.TrimSpace(tenfold.TextLines(m)) != ""; said && !files && purpose.Said(m) == "" {
						t.Errorf("%s: nothing in request %s is a person's: %.80q", f.Name, e.ID, tenfold.TextLines(m))
					}
				}
			}
		}
	}
	if !corpustest.UnderRace && (requests < 100 || others < 10) { // under it, few files are read
		t.Errorf("%d requests, %d contexts and notices", requests, others)
	}
}

// conversationsIn imports a file of the corpus, or gives nothing where it is not a
// transcript.
func conversationsIn(t *testing.T, f corpustest.File) []Collected {
	t.Helper()
	file, err := Open(f.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	var k Collector
	if Import(t.Context(), file.Source, "", &k) != nil {
		return nil
	}
	return k.Conversations
}

// L11 over the corpus: what a person typed at Claude Code, also while it worked,
// stands in the log as their message, once. A reader of its own looks at the lines.
func TestL11ClaudeCodeCorpusHoldsEachPromptOnce(t *testing.T) {
	corpustest.Unraced(t)
	queued := 0
	for _, f := range corpustest.Files(t, string(ClaudeCode)) {
		typed, removed := typedAtClaude(t, f.Path)
		imported := map[string]int{}
		for _, c := range conversationsIn(t, f) {
			for _, e := range c.Entries {
				if m, ok := e.Payload.(tenfold.UserMessage); ok && e.Branch == "" && m.IsRequest() && len(m.Parts) > 0 {
					imported[m.Parts[0].Text]++
				}
			}
		}
		for text := range removed {
			queued++
			typed[text] = max(typed[text], 1)
		}
		for text, n := range typed {
			if imported[text] != n {
				t.Errorf("%s: %.60q stands %d times, typed %d times", f.Name, text, imported[text], n)
			}
		}
	}
	if queued == 0 {
		t.Error("no message was taken out of a queue")
	}
}

// typedAtClaude counts what a person typed by the lines of a session file, apart
// from the importer: prompts, and attachments with queued commands. Removed are
// texts that were taken out of the queue to be sent in the midst of a turn.
func typedAtClaude(t *testing.T, path string) (typed map[string]int, removed map[string]bool) {
	t.Helper()
	typed, removed = map[string]int{}, map[string]bool{}
	var queue []string
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		var l struct {
			Type, Operation, UUID string
			Content               any
			IsMeta, IsSidechain   bool
			IsCompactSummary      bool
			Message               struct{ Content any }
			Origin                struct{ Kind string }
			Attachment            struct {
				Type, CommandMode string
				Prompt            any
				Origin            struct{ Kind string }
			}
		}
		if json.Unmarshal([]byte(line), &l, json.MatchCaseInsensitiveNames(true)) != nil {
			continue
		}
		switch {
		case l.Type == "user" && !l.IsMeta && !l.IsSidechain && !l.IsCompactSummary && (l.Origin.Kind == "" || l.Origin.Kind == "human"):
			if text := firstText(l.Message.Content); isPersons(text) {
				typed[text]++
			}
		case l.Type == "attachment" && l.Attachment.Type == "queued_command" && l.Attachment.CommandMode != "task-notification":
			if text := firstText(l.Attachment.Prompt); isPersons(text) {
				typed[text]++
			}
		case l.Type == "queue-operation" && l.Operation == "enqueue":
			text, _ := l.Content.(string)
			queue = append(queue, text)
		case l.Type == "queue-operation" && l.Operation == "popAll":
			queue = nil
		case l.Type == "queue-operation" && len(queue) > 0: // the first of a person's, then of the others
			text, named := l.Content.(string)
			i := slices.IndexFunc(queue, func(q string) bool { return named && q == text || !named && isPersons(q) && !strings.HasPrefix(q, "{") })
			i = max(i, 0)
			if text = queue[i]; l.Operation == "remove" && isPersons(text) && !strings.HasPrefix(text, "/") && !strings.HasPrefix(text, "{") {
				removed[text] = true
			}
			queue = slices.Delete(queue, i, i+1)
		}
	}
	return typed, removed
}

// firstText is the first text of a message's content; empty for one that carries
// a result of a tool, or begins with something else.
func firstText(content any) string {
	if text, ok := content.(string); ok {
		return text
	}
	list, _ := content.([]any)
	for i, one := range list {
		block, _ := one.(map[string]any)
		if block["type"] == "tool_result" {
			return ""
		}
		if text, ok := block["text"].(string); ok && i == 0 {
			return text
		}
	}
	return ""
}

// isPersons reports whether a text begins as none of Claude Code's own do.
func isPersons(text string) bool {
	for _, start := range []string{"<command-name>", "<local-", "<bash-", "<task-n", "<system-r", "[Request int", "Caveat: The mess", "Operation stopped by hook"} {
		if strings.HasPrefix(text, start) {
			return false
		}
	}
	return strings.TrimSpace(text) != ""
}

// P8a: a client that brings the environment and the project's instructions anew
// is not given old ones; whatever else the host said it is given.
func TestP8aClientsAreNotGivenWhatTheyBringThemselves(t *testing.T) {
	host := func(text string) tenfold.Entry {
		return tenfold.Entry{Payload: tenfold.UserMessage{Parts: tenfold.Text(text), Purpose: tenfold.Context, Synthetic: true}}
	}
	l := tenfold.NewLog()
	if _, err := l.Append(
		tenfold.Entry{Payload: tenfold.TurnStart{}},
		host("# AGENTS.md instructions for /src\n\n<INSTRUCTIONS>\nUse tabs.\n</INSTRUCTIONS>"),
		host("<environment_context>\n<cwd>/src</cwd>\n</environment_context>"),
		host("<skill>\n<name>deploy</name>\nAsk twice.\n</skill>"),
		tenfold.Entry{Payload: tenfold.UserMessage{Parts: tenfold.Text("Ship it.")}},
		tenfold.Entry{Payload: tenfold.AssistantMessage{Text: "Shipped."}},
	); err != nil {
		t.Fatal(err)
	}
	for _, to := range []Format{ClaudeCode, Codex, OpenCode, Pi, GeminiCLI} {
		for _, compacted := range []bool{false, true} {
			var out strings.Builder
			view := View{Conversation: Conversation{ID: "c", Format: Codex}, Projection: tenfold.Project(l), Compacted: compacted}
			warnings, err := Export(&out, to, view)
			if err != nil {
				t.Fatal(err)
			}
			for text, want := range map[string]bool{"Use tabs.": !compacted, "<cwd>": !compacted, "Ask twice.": true, "Ship it.": true} {
				if to == GeminiCLI && strings.HasPrefix(text, "<") {
					text = `cwd`
				}
				if got := strings.Contains(out.String(), text); got != want {
					t.Errorf("%s, compacted %t: %q is there: %t", to, compacted, text, got)
				}
			}
			if told := strings.Contains(strings.Join(warnings, "\n"), "adds"); told != compacted {
				t.Errorf("%s, compacted %t: warnings %q", to, compacted, warnings)
			}
		}
	}
}

// The note of P5a is in what a client is given although the message that had it is
// not, and who reads that again takes it neither for a person's words nor for a title.
func TestP5aTheNoteOfAnExport(t *testing.T) {
	l := tenfold.NewLog()
	if _, err := l.Append(
		tenfold.Entry{Payload: tenfold.TurnStart{}},
		tenfold.Entry{Payload: tenfold.UserMessage{Parts: tenfold.Text("<environment_context>\n<cwd>/src</cwd>\n</environment_context>"), Purpose: tenfold.Context, Synthetic: true}},
		tenfold.Entry{Payload: tenfold.UserMessage{Parts: tenfold.Text("Ship it.")}},
		tenfold.Entry{Payload: tenfold.ToolCall{CallID: "c", Name: "Bash", Arguments: `{"command":"make"}`}},
		tenfold.Entry{Payload: tenfold.ToolResult{CallID: "c", Parts: tenfold.Text(strings.Repeat("building\n", 99))}},
		tenfold.Entry{Payload: tenfold.AssistantMessage{Text: "Shipped."}},
		tenfold.Entry{Payload: tenfold.Compaction{ToolCalls: &tenfold.ToolPolicy{Action: tenfold.Strip, Response: true}}},
	); err != nil {
		t.Fatal(err)
	}
	view := View{Conversation: Conversation{ID: "c", Format: Codex}, Projection: tenfold.Project(l), Compacted: true}
	for _, to := range []Format{ClaudeCode, Codex, OpenCode, Pi, GeminiCLI, OpenAIChat, AnthropicBody, GeminiBody} {
		var out strings.Builder
		if _, err := Export(&out, to, view); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(out.String(), "[Earlier parts are shortened"); n != 1 {
			t.Errorf("%s: the note is there %d times", to, n)
		}
		var said, titles []string
		var k Collector
		if err := Import(t.Context(), Source{Name: string(to), Reader: strings.NewReader(out.String()), Size: int64(out.Len())}, to, &k); err != nil {
			t.Fatal(err)
		}
		for _, e := range k.Conversations[0].Entries {
			if m, ok := e.Payload.(tenfold.UserMessage); ok {
				if text := purpose.Said(m); text != "" {
					said, titles = append(said, text), append(titles, purpose.Title(m))
				}
			}
		}
		if !slices.Equal(said, []string{"Ship it."}) || !slices.Equal(titles, []string{"Ship it."}) {
			t.Errorf("%s: the person said %q, titles %q", to, said, titles)
		}
	}
}
