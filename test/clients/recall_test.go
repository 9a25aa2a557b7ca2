package clients

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tenfold/internal/recall"
	"tenfold/test/modelserver"
)

// recalling gives a client's model recall as install does, over the store that the
// tests look into.
func (p *Place) recalling() {
	env := p.Client.env
	data := filepath.Join(filepath.Dir(p.Home), "tenfold")
	p.Client.env = func(p *Place) []string {
		return append(env(p), "XDG_DATA_HOME="+data, "XDG_CONFIG_HOME="+filepath.Join(p.Home, ".config"))
	}
	exe, err := program()
	if err != nil {
		p.tb.Fatal(err)
	}
	r, err := recall.Register(p.Client.Name, exe)
	if err != nil {
		p.tb.Fatal(err)
	}
	switch p.Client.Name {
	case "claude-code":
		plugin := filepath.Join(p.Home, ".claude", "skills", "tenfold")
		p.Write(filepath.Join(plugin, ".claude-plugin", "plugin.json"), `{"name":"tenfold","version":"1.0.0","description":"Compacts."}`)
		p.Write(filepath.Join(plugin, ".mcp.json"), r.Text)
		p.Write(filepath.Join(p.Home, ".claude", "settings.json"), `{"permissions":{"allow":["mcp__plugin_tenfold_tenfold"]}}`)
		p.Write(filepath.Join(plugin, "skills", recall.SkillName, "SKILL.md"), recall.Instructions)
	case "opencode":
		name := filepath.Join(p.Home, filepath.FromSlash(r.Path))
		p.Write(name, strings.TrimSuffix(p.read(name), "}")+`,"mcp":{"tenfold":`+r.Value+`}}`)
		p.Write(filepath.Join(filepath.Dir(name), "skill", recall.SkillName, "SKILL.md"), recall.Instructions)
	}
}

var found = regexp.MustCompile(`^\[(\d{6}:\d+)`)

// TestA9ModelsRecallOverMCP holds that the model of a real client finds and expands,
// with the tools that it is given, what its view no longer shows.
func TestA9ModelsRecallOverMCP(t *testing.T) {
	for _, c := range []struct {
		client Client
		prefix string
	}{
		{ClaudeCode(), "mcp__plugin_tenfold_tenfold__"},
		{OpenCode(), "tenfold_"},
	} {
		t.Run(c.client.Name, func(t *testing.T) {
			t.Parallel()
			var answers []string
			p := placed(t, c.client, func(p *Place) modelserver.Script {
				read := modelserver.Calls(p.Client.Reads(filepath.Join(p.Dir, "greet.go")))
				return modelserver.Choose(func(r modelserver.Request) modelserver.Reply {
					var results []string // a client may say something after the last
					for _, m := range r.Messages {
						if answered(m) {
							results = append(results, textOf(m))
						}
					}
					asks := slices.ContainsFunc(r.Messages, func(m modelserver.Message) bool { return strings.Contains(textOf(m), "the greeting begin with") })
					switch n := len(results); {
					case !asks && n == 0:
						return read
					case !asks:
						return modelserver.Text("The module demo has one function, Greet.")
					case n == 0:
						return modelserver.Calls(call(c.prefix+"search", map[string]any{"query": "greet.go Greet", "limit": 2}))
					}
					answers = results
					if m := found.FindStringSubmatch(results[0]); len(results) == 1 && m != nil {
						return modelserver.Calls(call(c.prefix+"expand", map[string]any{"id": m[1]}))
					}
					return modelserver.Text("With hello.")
				})
			})
			p.recalling()
			s, _ := p.Begin("What does this module do?")
			id := p.stored(s)
			p.Begin("What did the greeting begin with?")
			if len(answers) != 2 || !strings.Contains(answers[1], `return "hello " + name`) {
				t.Errorf("the model is answered %q", answers)
			}
			p.last()
			out, _ := p.tenfold("conversation", "print", id)
			if !strings.Contains(out, "recalled ") {
				t.Error("what was expanded is not in the log")
			}
		})
	}
}
