package clients

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tenfold/internal/corpustest"
	"tenfold/internal/hook"
	"tenfold/internal/hook/claudecode"
	"tenfold/test/modelserver"
)

// TestPluginClaudeCodeOlderVersions tries the first version that runs function hooks
// for everybody, and one that has settings hooks alone. They are 230 MB each, so that
// they are installed by hand.
func TestPluginClaudeCodeOlderVersions(t *testing.T) {
	if !corpustest.All() {
		t.Skip("two more Claude Codes: run with TENFOLD_TEST_ALL=1")
	}
	for version, replaces := range map[string]bool{"2.1.287": true, "2.1.250": false} {
		t.Run(version, func(t *testing.T) {
			c := ClaudeCode()
			name := "claude-" + strings.ReplaceAll(version, ".", "-")
			c.bin = filepath.Join("..", "..", "older", "node_modules", name, "bin", "claude.exe")
			if c.path() == "" {
				t.Skipf("npm install --prefix test/clients/older --no-save %s@npm:@anthropic-ai/claude-code@%s", name, version)
			}
			p := placed(t, c, func(p *Place) modelserver.Script {
				return modelserver.Sequence(append(steps(p, 1, 6, "I counted."), modelserver.Text("<summary>The module was counted.</summary>"), modelserver.Text("Good."))...)
			})
			exe, err := program()
			if err != nil {
				t.Fatal(err)
			}
			files, err := claudecode.Client{}.Files(hook.Place{Scope: hook.User, Home: p.Home, Dir: p.Dir, Binary: exe, Version: version, Getenv: func(string) string { return "" }})
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range files {
				p.Write(f.Path, string(f.Content))
			}
			p.extra = []string{"CLAUDE_CODE_ENABLE_FUNCTION_HOOKS=1"} // what their vendor turns on from afar
			p.talk("Count with care.", "/compact", "Go on.")
			if failures, err := os.ReadFile(filepath.Join(p.data(), "tenfold", "failures.jsonl")); err == nil && len(bytes.TrimSpace(failures)) > 0 {
				t.Errorf("failures recorded: %s", failures)
			}
			requests := p.Server.Main()
			last := string(requests[len(requests)-1].Body)
			if replaces {
				if _, headings := unheaded(History(p.last(), false)); headings != 1 {
					t.Errorf("the last request has %d headings:\n%.3000s", headings, last)
				}
				return
			}
			if !strings.Contains(last, "The module was counted.") || !strings.Contains(last, "Tenfold keeps the whole conversation") {
				t.Error("the last request lacks the summary or the digest")
			}
		})
	}
}
