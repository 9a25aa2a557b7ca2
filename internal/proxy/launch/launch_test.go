package launch_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"tenfold/internal/config"
	"tenfold/internal/proxy/launch"
)

// A row is how one client is started for one user.
type row struct {
	client string
	env    map[string]string
	files  map[string]string // below the home
	args   []string

	// upstreams are where requests go in the end.
	upstreams map[string]string
	// sets are variables of the start; BASE/NAME stands for an upstream's base URL.
	sets map[string]string
	// flags are the arguments; SCRATCH stands for the directory of the run.
	flags []string
	// written are files of the run.
	written map[string]string
	note    string
}

const api = "https://api.anthropic.com"

func rows() map[string]row {
	codex := map[string]string{"openai": "https://api.openai.com/v1", "chatgpt": "https://chatgpt.com/backend-api/codex"}
	gemini := map[string]string{"gemini": "https://generativelanguage.googleapis.com", "codeassist": "https://cloudcode-pa.googleapis.com"}
	quiet := map[string]string{"RUST_LOG": "error,codex_api::endpoint::responses_websocket=off"}
	claude := map[string]string{"ANTHROPIC_BASE_URL": "BASE/anthropic", "CLAUDE_CODE_GATEWAY_HINT_HEADERS": "1"}
	first := with(claude, "_CLAUDE_CODE_ASSUME_FIRST_PARTY_BASE_URL", "1")
	settings := []string{"--settings", "SCRATCH/settings.json"}
	ours := map[string]string{"settings.json": `{"env":{"ANTHROPIC_BASE_URL":"BASE/anthropic"}}`}
	vendors := map[string]string{
		"anthropic": api, "openai": "https://api.openai.com/v1", "openai-codex": "https://chatgpt.com/backend-api",
		"google": "https://generativelanguage.googleapis.com/v1beta", "openrouter": "https://openrouter.ai/api/v1",
		"groq": "https://api.groq.com/openai/v1", "xai": "https://api.x.ai/v1", "deepseek": "https://api.deepseek.com",
	}
	return map[string]row{
		"claude": {
			client: "claude", args: []string{"-p", "--", "hi"},
			upstreams: map[string]string{"anthropic": api}, sets: first, written: ours, flags: slices.Concat(settings, []string{"-p", "--", "hi"}),
		},
		"claude with a base URL": {
			client: "claude-code", env: map[string]string{"ANTHROPIC_BASE_URL": "http://gateway:8080/x"},
			upstreams: map[string]string{"anthropic": "http://gateway:8080/x"}, sets: claude, written: ours, flags: settings,
		},
		"claude whose settings win over the environment": {
			client: "claude", env: map[string]string{"ANTHROPIC_BASE_URL": "http://a", "CLAUDE_CONFIG_DIR": "~/cc"},
			files:     map[string]string{"cc/settings.json": "{// mine\n\"env\":{\"ANTHROPIC_BASE_URL\":\"http://b\",},}"},
			upstreams: map[string]string{"anthropic": "http://b"}, sets: claude, written: ours, flags: settings,
		},
		"claude with settings of its own": {
			client: "claude", env: map[string]string{"_CLAUDE_CODE_ASSUME_FIRST_PARTY_BASE_URL": "0"},
			files:     map[string]string{".claude/settings.json": `{"env":{"ANTHROPIC_BASE_URL":"http://b"}}`},
			args:      []string{"-p", "--settings", `{"model":"opus","env":{"A":"1","ANTHROPIC_BASE_URL":"https://api.anthropic.com"}}`, "hi"},
			upstreams: map[string]string{"anthropic": api}, sets: claude,
			written: map[string]string{"settings.json": `{"env":{"A":"1","ANTHROPIC_BASE_URL":"BASE/anthropic"},"model":"opus"}`},
			flags:   []string{"-p", "--settings", "SCRATCH/settings.json", "hi"},
		},
		"claude with settings that cannot be read": {
			client: "claude", args: []string{"--settings={", "--settings", "x"},
			upstreams: map[string]string{"anthropic": api}, sets: first, flags: []string{"--settings={", "--settings", "x"},
		},
		"codex": {
			client: "codex", args: []string{"exec", "hi"}, upstreams: codex, sets: quiet,
			flags: []string{"-c", `openai_base_url="BASE/openai"`, "exec", "hi"},
		},
		"codex with providers": {
			client: "codex", env: map[string]string{"CODEX_HOME": "~/cx", "RUST_LOG": "debug"},
			files:     map[string]string{"cx/config.toml": "openai_base_url = \"http://a/v1\"\n[model_providers.local]\nbase_url = \"http://l/v1\"\n[model_providers.\"o'dd\"]\nbase_url = \"http://o\"\n[model_providers.none]\nname = \"x\"\n"},
			upstreams: map[string]string{"openai": "http://a/v1", "provider-local": "http://l/v1"},
			flags: []string{
				"-c", `openai_base_url="BASE/openai"`, "-c", `model_providers.local.base_url="BASE/provider-local"`,
				"-c", "model_providers.local.supports_websockets=false",
			},
		},
		"gemini": {
			client: "gemini", files: map[string]string{".gemini/settings.json": `{"security":{"auth":{"selectedType":"oauth-personal"}}}`},
			upstreams: gemini, sets: map[string]string{"GOOGLE_GEMINI_BASE_URL": "BASE/gemini", "CODE_ASSIST_ENDPOINT": "BASE/codeassist"},
		},
		"gemini with base URLs": {
			client: "gemini", env: map[string]string{"GOOGLE_VERTEX_BASE_URL": "http://v", "GEMINI_CLI_HOME": "~/g"},
			files:     map[string]string{"g/.gemini/.env": "X=1\nexport GOOGLE_GEMINI_BASE_URL = 'http://a' # mine\nCODE_ASSIST_ENDPOINT=http://c # theirs"},
			upstreams: map[string]string{"gemini": "http://a", "codeassist": "http://c", "vertex": "http://v"},
			sets:      map[string]string{"GOOGLE_GEMINI_BASE_URL": "BASE/gemini", "CODE_ASSIST_ENDPOINT": "BASE/codeassist", "GOOGLE_VERTEX_BASE_URL": "BASE/vertex"},
		},
		"gemini that would sign in to a gateway": {
			client: "gemini", env: map[string]string{"GEMINI_API_KEY": "k"},
			upstreams: gemini, sets: map[string]string{"CODE_ASSIST_ENDPOINT": "BASE/codeassist"}, note: "selectedType",
		},
		"opencode without keys": {client: "opencode", upstreams: map[string]string{}, sets: map[string]string{"OPENCODE_CONFIG_CONTENT": "{}"}},
		"opencode": {
			client: "opencode", env: map[string]string{"OPENAI_API_KEY": "k", "PORT": "81", "OPENCODE_CONFIG_CONTENT": `{"model":"m","provider":{"own":{"options":{"timeout":1}}}}`},
			files: map[string]string{
				".local/share/opencode/auth.json":   `{"anthropic":{"type":"api","key":"secret"}}`,
				".config/opencode/opencode.jsonc":   `{"provider":{"own":{"options":{"baseURL":"http://own:{env:PORT}/v1"}}}} // mine`,
				"demo/opencode.json":                `{"provider":{"strange":{"options":{"baseURL":"http://evil"}}}}`,
				".config/opencode/unread/what.json": `{"provider":{"other":{"options":{"baseURL":"http://x"}}}}`,
			},
			upstreams: map[string]string{"openai": "https://api.openai.com/v1", "anthropic": api + "/v1", "own": "http://own:81/v1"},
			sets: map[string]string{"OPENCODE_CONFIG_CONTENT": `{"model":"m","provider":{"anthropic":{"options":{"baseURL":"BASE/anthropic"}},` +
				`"openai":{"options":{"baseURL":"BASE/openai"}},"own":{"options":{"baseURL":"BASE/own","timeout":1}}}}`},
		},
		"pi": {
			client: "pi", args: []string{"-p", "hi"}, files: map[string]string{".pi/agent/models.json": `{"providers":{"anthropic":{"baseUrl":"http://mine"},"none":{},"bad":{"baseUrl":"ftp://x"}}}`},
			upstreams: with(vendors, "anthropic", "http://mine"),
			sets: map[string]string{"TENFOLD_RUN_PI": `{"anthropic":"BASE/anthropic","deepseek":"BASE/deepseek","google":"BASE/google","groq":"BASE/groq",` +
				`"openai":"BASE/openai","openai-codex":"BASE/openai-codex","openrouter":"BASE/openrouter","xai":"BASE/xai"}`},
			flags: []string{"--extension", "SCRATCH/tenfold-run.js", "-p", "hi"},
		},
		"pi that talks to no model": {client: "pi", args: []string{"list"}, upstreams: vendors, flags: []string{"list"}},
		"behind a proxy of the user's": {
			client: "pi", args: []string{"config"}, env: map[string]string{"https_proxy": "http://corp:3128", "NO_PROXY": "intern"}, upstreams: vendors,
			sets: map[string]string{"NO_PROXY": "intern,127.0.0.1", "no_proxy": "intern,127.0.0.1"}, flags: []string{"config"},
		},
	}
}

func with(m map[string]string, name, value string) map[string]string {
	out := map[string]string{name: value}
	for n, v := range m {
		if n != name {
			out[n] = v
		}
	}
	return out
}

// Live §4: each client is led to us for one run, and requests go where the user's
// own configuration says, never where a project's does.
func TestStart(t *testing.T) {
	for name, r := range rows() {
		t.Run(name, func(t *testing.T) {
			home, scratch := t.TempDir(), t.TempDir()
			for file, text := range r.files {
				file = filepath.Join(home, filepath.FromSlash(file))
				if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			t.Chdir(t.TempDir())
			c, err := launch.Find(r.client)
			if err != nil {
				t.Fatal(err)
			}
			user := launch.User{Home: home, Env: func(name string) (string, bool) { v, ok := r.env[name]; return v, ok }}
			upstreams := c.Upstreams(user, r.args)
			got := map[string]string{}
			for name, u := range upstreams {
				got[name] = u.String()
			}
			if d := cmp.Diff(r.upstreams, got); d != "" {
				t.Errorf("upstreams (-want +got)\n%s", d)
			}
			before := slices.Clone(r.args)
			s, err := c.Start(user, r.args, launch.Target{Base: func(u string) string { return "BASE/" + u }, Upstreams: upstreams, Scratch: scratch})
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(before, r.args); d != "" {
				t.Errorf("the user's arguments changed: %s", d)
			}
			sets := with(r.sets, launch.Running, c.Format)
			if d := cmp.Diff(sets, s.Env); d != "" {
				t.Errorf("environment (-want +got)\n%s", d)
			}
			// The client's tools may be commands of ours.
			if _, err := config.Read(config.Sources{Environ: s.Environ(nil)}); err != nil {
				t.Errorf("what the client starts cannot be configured: %v", err)
			}
			flags := append([]string{}, s.Args...)
			for i := range flags {
				flags[i] = strings.ReplaceAll(filepath.ToSlash(flags[i]), filepath.ToSlash(scratch), "SCRATCH")
			}
			if d := cmp.Diff(append([]string{}, r.flags...), flags); d != "" {
				t.Errorf("arguments (-want +got)\n%s", d)
			}
			for file, want := range r.written {
				data, err := os.ReadFile(filepath.Join(scratch, file))
				if err != nil || string(data) != want {
					t.Errorf("%s says %s (%v), want %s", file, data, err, want)
				}
			}
			if (s.Note == "") != (r.note == "") || !strings.Contains(s.Note, r.note) {
				t.Errorf("note %q, want one of %q", s.Note, r.note)
			}
		})
	}
}

// A start's variables replace the user's, and no other.
func TestEnviron(t *testing.T) {
	s := launch.Start{Env: map[string]string{"B": "2", "A": "1"}}
	got := s.Environ([]string{"A=0", "AB=7", "=C:=x", "B=", "A=3"})
	if d := cmp.Diff([]string{"AB=7", "=C:=x", "A=1", "B=2"}, got); d != "" {
		t.Error(d)
	}
}

// Whatever the files of a user's say, a client can be started, and every base URL is
// an address.
func FuzzStart(f *testing.F) {
	f.Add(`{"env":{"ANTHROPIC_BASE_URL":7},"provider":{"a":{"options":[]}},"providers":{"b":null},"security":"x"}`)
	f.Add(`{"provider":{"a":{"options":{"baseURL":"http://[::1"}}},"providers":{"b":{"baseUrl":"http://x/?q"}}}`)
	f.Add("openai_base_url = 7\n[model_providers.x]\nbase_url=\"javascript:x\"")
	f.Add("GOOGLE_GEMINI_BASE_URL='\nCODE_ASSIST_ENDPOINT=\"")
	f.Fuzz(func(t *testing.T, text string) {
		home := t.TempDir()
		for _, file := range []string{".claude/settings.json", ".codex/config.toml", ".gemini/.env", ".gemini/settings.json", ".config/opencode/opencode.json", ".pi/agent/models.json"} {
			file = filepath.Join(home, filepath.FromSlash(file))
			_ = os.MkdirAll(filepath.Dir(file), 0o700)
			_ = os.WriteFile(file, []byte(text), 0o600)
		}
		user := launch.User{Home: home, Env: func(name string) (string, bool) {
			return text, name == "OPENCODE_CONFIG_CONTENT" || name == "ANTHROPIC_BASE_URL"
		}}
		for _, c := range launch.Clients() {
			args := []string{"--settings", text, text}
			ups := c.Upstreams(user, args)
			for name, u := range ups {
				if u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
					t.Errorf("%s: upstream %s is %v", c.Name, name, u)
				}
			}
			if _, err := c.Start(user, args, launch.Target{Base: func(string) string { return "http://b" }, Upstreams: ups, Scratch: t.TempDir()}); err != nil {
				t.Errorf("%s: %v", c.Name, err)
			}
		}
	})
}

// What pi's extension is given is JSON of names and addresses.
func TestPiBasesAreJSON(t *testing.T) {
	c, err := launch.Find("pi")
	if err != nil {
		t.Fatal(err)
	}
	user := launch.User{Home: t.TempDir(), Env: func(string) (string, bool) { return "", false }}
	s, err := c.Start(user, nil, launch.Target{Base: func(string) string { return "http://a\"b" }, Upstreams: c.Upstreams(user, nil), Scratch: t.TempDir()})
	var bases map[string]string
	if err != nil || json.Unmarshal([]byte(s.Env["TENFOLD_RUN_PI"]), &bases) != nil || bases["anthropic"] != "http://a\"b" {
		t.Errorf("%v: %s", err, s.Env["TENFOLD_RUN_PI"])
	}
}
