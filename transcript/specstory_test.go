package transcript

import (
	"strings"
	"testing"

	"tenfold"
)

// What SpecStory writes of a call for people gives the arguments that the tool was
// called with, as far as they stand there: a command, a path, a pattern.
func TestSpecStoryCalls(t *testing.T) {
	for name, tt := range map[string]struct{ kind, asked, arguments, result string }{
		"a command":      {"shell", "\n\n`go test ./...`\n\n```text\nok\n```\n", `{"command":"go test ./..."}`, "ok"},
		"what it is for": {"shell", "\nRun the `fast` tests\n\n`go test -run 'a|b' ./... | sed 's/`x`/y/'`\n\n```text\nok\n```\n", "{\"command\":\"go test -run 'a|b' ./... | sed 's/`x`/y/'\",\"description\":\"Run the `fast` tests\"}", "ok"},
		"lines":          {"shell", "\nCommit\n\n```bash\ngit add -A\ngit commit\n```\n\n```text\ndone\n```\n", `{"command":"git add -A\ngit commit","description":"Commit"}`, "done"},
		"prose":          {"shell", "\nno code\n", `{"input":"no code"}`, ""},
		"not closed":     {"shell", "\n\n`ls\n", "{\"input\":\"`ls\"}", ""},
		"empty":          {"shell", "\n\n``\n", "{\"input\":\"``\"}", ""},
		"a file":         {"read", "\n `./a b.go`\n\n```text\nx\n```\n", `{"file_path":"./a b.go"}`, "x"},
		"a page":         {"read", "\n `https://example.org/a`\n", `{"url":"https://example.org/a"}`, ""},
		"two":            {"read", "\n `a` `b`\n", "{\"input\":\"`a` `b`\"}", ""},
		"a pattern":      {"search", "\n pattern `a|\"b\"`\n", `{"pattern":"a|\"b\""}`, ""},
		"below a path":   {"search", "\n path `./pkg` pattern `spi/*.go`\n", `{"pattern":"spi/*.go","path":"./pkg"}`, ""},
		"a question":     {"generic", "\n**Which?**\n\nOptions:\n- **A** - one\n\n\n**Answer:** A\n", `{"input":"**Which?**\n\nOptions:\n- **A** - one"}`, "A"},
		"nothing":        {"write", "\n\n```text\nupdated\n```\n", `{}`, "updated"},
		"asked to read":  {"read", "\nRead file: `./a.ts`\n", `{"file_path":"./a.ts"}`, ""},
		"asked to edit":  {"write", "\nEdit file: `./a.ts`\n", `{"file_path":"./a.ts"}`, ""},
		"edited":         {"write", "\n\n```text\nThe file /a b.go has been updated. All of it.\n```\n", `{"file_path":"/a b.go"}`, "The file /a b.go has been updated. All of it."},
		"written":        {"write", "\n\n```go\npackage a\n```\n\n```text\nFile created successfully at: /a.go (file state is current)\n```\n", `{"file_path":"/a.go","content":"package a"}`, "File created successfully at: /a.go (file state is current)"},
		"not written":    {"write", "\n\n```go\npackage a\n```\n\n```text\nrejected\n```\n", "{\"input\":\"```go\\npackage a\\n```\"}", "rejected"},
		"a diff":         {"write", "\n**Chunk 1**\n```diff\n+a\n```\n\n```text\nThe file a.go has been updated.\n```\n", "{\"file_path\":\"a.go\",\"input\":\"**Chunk 1**\\n```diff\\n+a\\n```\"}", "The file a.go has been updated."},
	} {
		t.Run(name, func(t *testing.T) {
			text := "_**User**_\n\nDo it\n\n---\n\n_**Agent (m)**_\n\n<tool-use data-tool-type=\"" + tt.kind + "\" data-tool-name=\"T\"><details>\n<summary>Tool use: **T**</summary>\n" + tt.asked + "</details></tool-use>\n"
			var k Collector
			if err := Import(t.Context(), Source{Name: "a.md", Reader: strings.NewReader(text)}, SpecStory, &k); err != nil {
				t.Fatal(err)
			}
			c := k.Conversations[0]
			checkLaws(t, c)
			if got := rebuildText(t, c.Entries); got != text {
				t.Errorf("rebuilt: %q", got)
			}
			for _, e := range c.Entries {
				switch p := e.Payload.(type) {
				case tenfold.ToolCall:
					if p.Name != "T" || p.Arguments != tt.arguments {
						t.Errorf("%s", p.Arguments)
					}
				case tenfold.ToolResult:
					if got := tenfold.TextLines(p); got != tt.result {
						t.Errorf("%q", got)
					}
				}
			}
		})
	}
}
