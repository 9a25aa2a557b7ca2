package config

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"tenfold/permission"
	"tenfold/problem"
	"tenfold/toolbox"
)

const agentFile = `
[agent]
system = "You are careful."
max_steps = 5
max_tokens = "2k"
max_dollars = 1
max_time = "1h"
transcript = false

[agent.permission]
allow = ["shell:go test *", "fs_*"]
ask = ["shell:git push"]
deny = ["shell:rm"]
containment = "off"
network = true

[agent.tools.lookup]
command = ["lookup", "--json"]
description = "Looks up."
timeout = "3s"
[agent.tools.lookup.parameters.id]
description = "Which."
required = true
[agent.tools.lookup.parameters.deep]
type = "boolean"

[agent.mcp.files]
command = ["server"]
env = ["FILES_TOKEN"]
[agent.mcp.web]
url = "https://example.com/mcp"
token_env = "WEB_TOKEN"
`

func agentOf(t *testing.T, user, workspace string, environ, flags []string) *Effective {
	t.Helper()
	l, err := layered(t, user, workspace, environ, flags)
	if err != nil {
		t.Fatal(err)
	}
	e, err := l.With()
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestTheAgentsConfiguration(t *testing.T) {
	none := agentOf(t, "", "", nil, nil)
	if a := none.Agent; a.MaxSteps != 250 || !a.Transcript || a.Permission.Containment != "auto" || a.Permission.Network || a.MaxTime != 0 {
		t.Errorf("by default: %+v", a)
	}
	e := agentOf(t, agentFile, "", nil, nil)
	a := e.Agent
	if a.System != "You are careful." || a.MaxSteps != 5 || a.MaxTokens != 2000 || a.MaxDollars != 1 || time.Duration(a.MaxTime) != time.Hour || a.Transcript {
		t.Errorf("%+v", a)
	}
	const schema = `{"type":"object","properties":{"deep":{"type":"boolean"},"id":{"type":"string","description":"Which."}},"required":["id"]}`
	tool := a.Tools["lookup"]
	if got := tool.Schema(); got != schema || !slices.Equal(tool.Command, []string{"lookup", "--json"}) || time.Duration(tool.Timeout) != 3*time.Second {
		t.Errorf("%+v, %s", tool, got)
	}
	if m := a.MCP; m["files"].Command[0] != "server" || m["files"].Env[0] != "FILES_TOKEN" || m["web"].URL != "https://example.com/mcp" || m["web"].TokenEnv != "WEB_TOKEN" {
		t.Errorf("%+v", m)
	}
	if d := e.Dangling(); len(d) > 0 {
		t.Errorf("%v", d)
	}
	bad := agentOf(t, "[agent.tools.x]\ntimeout = \"1s\"\n[agent.mcp.y]\n[agent.mcp.z]\ncommand = [\"a\"]\nurl = \"https://b/\"\n", "", nil, nil)
	if d := bad.Dangling(); len(d) != 3 || d[0].Hint == "" {
		t.Errorf("%v", d)
	}
}

func TestPermissionRules(t *testing.T) {
	e := agentOf(t, agentFile, "", nil, nil)
	r := e.PermissionRules([]string{"shell:make"}, true)
	if !slices.Equal(r.Allow, []string{"shell:go test *", "fs_*", "shell:make"}) || !slices.Equal(r.Ask, []string{"shell:git push"}) ||
		!slices.Equal(r.Deny, []string{"shell:rm"}) || r.Contained || !r.Network {
		t.Errorf("%+v", r)
	}
	if len(e.Agent.Permission.Allow) != 2 {
		t.Error("the configuration changed")
	}
	for containable, want := range map[bool]bool{true: true, false: false} {
		if r := agentOf(t, "", "", nil, nil).PermissionRules(nil, containable); r.Contained != want || r.Network {
			t.Errorf("%v: %+v", containable, r)
		}
	}
}

// The file of a workspace adds to what is asked and denied, and takes nothing away,
// trusted or not; the environment and flags are the person's, and replace.
func TestAWorkspaceOnlyNarrows(t *testing.T) {
	const theirs = "[agent.permission]\nask = []\ndeny = [\"fs_*\"]\n"
	push := toolbox.Intent{Effect: toolbox.Commands, Command: "git push"}
	rm := toolbox.Intent{Effect: toolbox.Commands, Command: "rm x"}
	edit := toolbox.Intent{Effect: toolbox.Edits, Paths: []string{"a"}}
	for name, read := range map[string]func(*testing.T, string, string, []string, []string) (*Layers, error){"untrusted": layered, "trusted": trusting} {
		for _, user := range []string{agentFile, ""} {
			l, err := read(t, user, theirs, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			e, err := l.With(`{"tenfold":{"agent":{"permission":{"deny":[],"allow":["*"]}}}}`)
			if err != nil {
				t.Fatal(err)
			}
			p, err := permission.New(e.PermissionRules([]string{"*"}, false))
			if err != nil {
				t.Fatal(err)
			}
			want := permission.Allow
			if user != "" {
				want = permission.Ask
			}
			if v := p.Judge("shell", push); v.Action != want {
				t.Errorf("%s: push: %+v", name, v)
			}
			if v := p.Judge("fs_modify_file", edit); v.Action != permission.Deny {
				t.Errorf("%s: edit: %+v", name, v)
			}
			if v := p.Judge("shell", rm); (v.Action == permission.Deny) != (user != "") {
				t.Errorf("%s: rm: %+v", name, v)
			}
		}
	}
	e := agentOf(t, agentFile, theirs, []string{"TENFOLD_AGENT_PERMISSION_ASK=shell:a, shell:b c"}, []string{`agent.permission.deny=[]`})
	if p := e.Agent.Permission; !slices.Equal(p.Ask, []string{"shell:a", "shell:b c"}) || len(p.Deny) != 0 {
		t.Errorf("%+v", p)
	}
	e = agentOf(t, agentFile, "agent.permission.allow = [\"*\"]\nagent.permission.network = true\nagent.tools.lookup.command = [\"evil\"]\nagent.mcp.x.command = [\"evil\"]\n", nil, nil)
	if len(e.Agent.Permission.Allow) != 2 || e.Agent.Tools["lookup"].Command[0] != "lookup" || len(e.Agent.MCP) != 2 || len(e.Notices) != 1 {
		t.Errorf("%+v, %q", e.Agent, e.Notices)
	}
}

func TestMistakesInTheAgentsConfiguration(t *testing.T) {
	for text, want := range map[string]string{
		`agent.permission.allow = ["shell:["]`:          "not a valid pattern",
		`agent.permission.allow = "shell"`:              "must be a list of rules",
		`agent.permission.allow = [1]`:                  "must be a list of rules",
		`agent.permission.deny = [":x"]`:                "not the name of a tool",
		`agent.permission.containment = "on"`:           `must be "auto" or "off"`,
		`agent.tools.x.command = []`:                    "must be a list of texts",
		`agent.tools.x.command = "x y"`:                 "must be a list of texts",
		`agent.tools.x.parameters.y.type = "int"`:       "must be",
		`agent.mcp.x.env = ["sk-abcdefghij1234567890"]`: "looks like an API key",
		`agent.mcp.x.url = "http://me:secret@x/"`:       "",
		`agent.max_dollars = -1`:                        "must be an amount in dollars",
		`agent.max_dollars = nan`:                       "must be an amount in dollars",
		`agent.max_dollars = 2e9`:                       "must be an amount in dollars",
		`agent.max_steps = -1`:                          "must be a whole number",
		`agent.permissions.allow = []`:                  "did you mean agent.permission?",
	} {
		_, err := layered(t, text, "", nil, nil)
		var p *problem.Error
		if !errors.As(err, &p) || !strings.Contains(err.Error()+p.Hint, want) || strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "sk-abc") {
			t.Errorf("%s: %v", text, err)
		}
	}
}
