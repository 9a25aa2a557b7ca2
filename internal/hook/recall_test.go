package hook_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tenfold"
	"tenfold/internal/hook"
	"tenfold/internal/logtest"
	"tenfold/internal/recall"
	"tenfold/transcript"
)

// named is the adapter under the name of a client.
type named struct {
	adapter
	name string
}

func (n named) About() hook.About {
	about := n.adapter.About()
	about.Name = n.name
	return about
}

// Live §5: install gives a model recall, where it has MCP as a server, and says when
// to use it; uninstall leaves every file as it was. Without it there is none.
func TestA9InstallGivesRecall(t *testing.T) {
	for client, server := range map[string]string{"claude-code": ".claude/skills/tenfold/.mcp.json", "opencode": "opencode.json", "pi": ""} {
		for _, scope := range []hook.Scope{hook.User, hook.Project} {
			home, dir := t.TempDir(), t.TempDir()
			p := hook.Place{Scope: scope, Home: home, Dir: dir, Binary: "/opt/tenfold", Getenv: func(string) string { return "" }}
			root := dir
			if scope == hook.User {
				root = home
				if client == "opencode" {
					server = ".config/opencode/opencode.json"
				}
			} else if client == "opencode" {
				server = "opencode.json"
			}
			if server != "" {
				if err := os.MkdirAll(filepath.Dir(filepath.Join(root, server)), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			if client == "opencode" { // a person's own, with a server of theirs
				if err := os.WriteFile(filepath.Join(root, server), []byte("{\n  // mine\n  \"mcp\": {\"other\": {}},\n}\n"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			before := tree(t, root)
			h, _ := newHost(t)
			c := named{adapter{content: "x", version: 1}, client}
			if _, err := h.Install(c, p, false); err != nil {
				t.Fatalf("%s: %v", client, err)
			}
			after := tree(t, root)
			skills := 0
			for path, text := range after {
				if strings.HasSuffix(path, filepath.Join(recall.SkillName, "SKILL.md")) && strings.Contains(text, "/opt/tenfold recall ID") {
					skills++
				}
			}
			if skills != 1 {
				t.Errorf("%s, %s: %d skills", client, scope, skills)
			}
			if server != "" && !strings.Contains(after[filepath.FromSlash(server)], `"/opt/tenfold"`) {
				t.Errorf("%s, %s: %s is %q", client, scope, server, after[filepath.FromSlash(server)])
			}
			all, err := h.Installs()
			if err != nil || len(all) != 1 {
				t.Fatal(all, err)
			}
			if _, err := h.Uninstall(all[0], false); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(before, tree(t, root)); diff != "" {
				t.Errorf("%s, %s: uninstall leaves\n%s", client, scope, diff)
			}
			p.NoRecall = true
			if _, err := h.Install(c, p, false); err != nil {
				t.Fatal(err)
			}
			for path := range tree(t, root) {
				if strings.Contains(path, recall.SkillName) {
					t.Errorf("%s without recall has %s", client, path)
				}
			}
			// Whoever looks later was not told that the person refused it.
			p.NoRecall = false
			if state := h.StateOf(c, installed(t, h), p); state != hook.Current {
				t.Errorf("%s without recall is %s", client, state)
			}
		}
	}
}

// A9, and live §6: a view names references where the client's model has recall, and
// only there.
func TestA9ViewsNameReferencesOnlyWithRecall(t *testing.T) {
	here, elsewhere := t.TempDir(), t.TempDir()
	refs := func(h *hook.Host, dir string) (n int) {
		v, err := h.Compact(t.Context(), hook.Ask{Format: transcript.ClaudeCode, Path: writeTranscript(t, logtest.Long(300)), Dir: dir, Window: 20_000, Person: true})
		if err != nil || v.Projection().Totals().All().After == v.Projection().Totals().All().Before {
			t.Fatal(err, "nothing was compacted")
		}
		for it := range v.Projection().Items() {
			n += strings.Count(tenfold.SearchText(it.Payload), "(recall ")
		}
		return n
	}
	h, _ := newHost(t)
	c := named{adapter{content: "x", version: 1}, "claude-code"}
	p := hook.Place{Scope: hook.Project, Home: t.TempDir(), Dir: here, Binary: "/opt/tenfold", Getenv: func(string) string { return "" }}
	if n := refs(h, here); n > 0 {
		t.Errorf("%d references before anything was installed", n)
	}
	if _, err := h.Install(c, p, false); err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]bool{here: true, filepath.Join(here, "sub"): true, elsewhere: false, here + "-other": false} {
		h2, _ := newHost(t)
		h2.Data = h.Data
		if n := refs(h2, dir); n > 0 != want {
			t.Errorf("in %s there are %d references", dir, n)
		}
	}
	h3, _ := newHost(t)
	h3.Data = h.Data
	if err := os.RemoveAll(filepath.Join(here, ".claude")); err != nil {
		t.Fatal(err)
	}
	if n := refs(h3, here); n > 0 {
		t.Errorf("%d references to tools that somebody removed", n)
	}
}

// A path may have spaces, and pi's model has a shell alone: no tool is named to it.
func TestA9InstructionsAreOnesThatTheModelCanFollow(t *testing.T) {
	for client, tools := range map[string]bool{"claude-code": true, "opencode": true, "pi": false} {
		p := hook.Place{Scope: hook.User, Home: t.TempDir(), Binary: "/opt/my tools/tenfold", Getenv: func(string) string { return "" }}
		h, _ := newHost(t)
		if _, err := h.Install(named{adapter{content: "x", version: 1}, client}, p, false); err != nil {
			t.Fatal(err)
		}
		for path, text := range tree(t, p.Home) {
			if filepath.Base(path) != "SKILL.md" {
				continue
			}
			if !strings.Contains(text, "`'/opt/my tools/tenfold' recall ID`") {
				t.Errorf("%s: no shell runs the command of\n%s", client, text)
			}
			if strings.Contains(text, "`expand`") != tools {
				t.Errorf("%s: that it has the tools is %v, and it is told\n%s", client, tools, text)
			}
		}
	}
}
