package launch

import (
	"cmp"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/pelletier/go-toml/v2"
)

// Clients lists the agents that can be started.
func Clients() []Client {
	return []Client{
		{
			Name: "claude", Format: "claude-code", Program: "claude", Install: "npm install -g @anthropic-ai/claude-code",
			upstreams: claudeUpstreams, point: pointClaude,
		},
		{
			Name: "codex", Format: "codex", Program: "codex", Install: "npm install -g @openai/codex",
			upstreams: codexUpstreams, point: pointCodex,
		},
		{
			Name: "gemini", Format: "gemini-cli", Program: "gemini", Install: "npm install -g @google/gemini-cli",
			upstreams: geminiUpstreams, point: pointGemini,
		},
		{
			Name: "opencode", Format: "opencode", Program: "opencode", Install: "npm install -g opencode-ai",
			upstreams: opencodeUpstreams, point: pointOpencode,
		},
		{
			Name: "pi", Format: "pi", Program: "pi", Install: "npm install -g @earendil-works/pi-coding-agent",
			upstreams: piUpstreams, point: pointPi,
			direct: []string{"install", "remove", "uninstall", "update", "list", "config"},
		},
	}
}

const anthropic = "https://api.anthropic.com"

// claudeUpstreams knows the one base URL of Claude Code. Its settings win over the
// environment, and those of --settings over the user's.
func claudeUpstreams(u User, args []string) map[string]string {
	base := u.get("ANTHROPIC_BASE_URL")
	_, _, given := claudeSettings(args)
	for _, text := range [][]byte{read(filepath.Join(u.dir("CLAUDE_CONFIG_DIR", ".claude"), "settings.json")), given} {
		if set := textAt(decode(text), "env", "ANTHROPIC_BASE_URL"); set != "" {
			base = set
		}
	}
	base = cmp.Or(base, anthropic)
	return map[string]string{"anthropic": base}
}

// claudeSettings finds the --settings that the user gives, where it stands in the
// arguments, and how many arguments it takes up; at is -1 if there is none. The
// last one counts, as for Claude Code.
func claudeSettings(args []string) (at, n int, text []byte) {
	at = -1
	value := ""
	for i, arg := range args {
		if arg == "--" {
			break
		}
		if v, ok := strings.CutPrefix(arg, "--settings="); ok {
			at, n, value = i, 1, v
		} else if arg == "--settings" && i+1 < len(args) {
			at, n, value = i, 2, args[i+1]
		}
	}
	if strings.HasPrefix(strings.TrimSpace(value), "{") {
		return at, n, []byte(value)
	}
	if at < 0 {
		return at, 0, nil
	}
	return at, n, read(value)
}

// pointClaude leads Claude Code by settings as well as by the environment: those of
// the user and of a project have an environment too, which wins over ours. It takes
// one --settings, so that the user's is put into ours.
func pointClaude(u User, to Target, s *Start) error {
	upstream := to.Upstreams["anthropic"]
	if upstream == nil {
		return nil // Claude Code says what is wrong with the address
	}
	base := to.Base("anthropic")
	s.Env["ANTHROPIC_BASE_URL"] = base
	s.Env["CLAUDE_CODE_GATEWAY_HINT_HEADERS"] = "1" // X2: what each request is for
	if upstream.Host == "api.anthropic.com" && u.get("_CLAUDE_CODE_ASSUME_FIRST_PARTY_BASE_URL") == "" {
		// Otherwise it leaves out what it asks of that host alone.
		s.Env["_CLAUDE_CODE_ASSUME_FIRST_PARTY_BASE_URL"] = "1"
	}
	at, n, given := claudeSettings(s.Args)
	settings := map[string]any{}
	if at >= 0 {
		var ok bool
		if settings, ok = decode(given).(map[string]any); !ok {
			return nil // Claude Code says what is wrong with it
		}
	}
	env, ok := settings["env"].(map[string]any)
	if !ok {
		env = map[string]any{}
	}
	env["ANTHROPIC_BASE_URL"] = base
	settings["env"] = env
	// A file: arguments can be seen by every user of the machine.
	file, err := writeJSON(to.Scratch, "settings.json", settings)
	if err != nil {
		return err
	}
	if at >= 0 {
		s.Args = slices.Delete(s.Args, at, at+n)
	} else {
		at = 0
	}
	s.Args = slices.Insert(s.Args, at, "--settings", file)
	return nil
}

// codexConfig is what matters of a config.toml.
type codexConfig struct {
	BaseURL   string `toml:"openai_base_url"`
	Providers map[string]struct {
		BaseURL string `toml:"base_url"`
	} `toml:"model_providers"`
}

// codexName is a key of TOML that needs no quotes.
var codexName = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

// codexUpstreams are the built-in provider's, whose two addresses Codex chooses
// between by how the user signed in, and those of the user's own providers.
func codexUpstreams(u User, _ []string) map[string]string {
	var c codexConfig
	// What is wrong with the file, Codex says.
	_ = toml.Unmarshal(read(filepath.Join(u.dir("CODEX_HOME", ".codex"), "config.toml")), &c)
	all := map[string]string{"openai": c.BaseURL}
	if c.BaseURL == "" {
		all["openai"], all["chatgpt"] = "https://api.openai.com/v1", "https://chatgpt.com/backend-api/codex"
	}
	for name, p := range c.Providers {
		if p.BaseURL != "" && codexName.MatchString(name) {
			all[codexProvider+name] = p.BaseURL
		}
	}
	return all
}

// codexProvider begins the names of upstreams of the user's own providers.
const codexProvider = "provider-"

// pointCodex keeps the provider "openai", so that threads of before resume. Its
// WebSocket cannot be turned off: it is refused, and what Codex logs of that to the
// terminal is kept away.
func pointCodex(u User, to Target, s *Start) error {
	var flags []string
	set := func(key, value string) { flags = append(flags, "-c", key+"="+value) }
	if to.Upstreams["openai"] != nil {
		set("openai_base_url", `"`+to.Base("openai")+`"`)
	}
	for _, upstream := range slices.Sorted(maps.Keys(to.Upstreams)) {
		if name, ok := strings.CutPrefix(upstream, codexProvider); ok {
			set("model_providers."+name+".base_url", `"`+to.Base(upstream)+`"`)
			set("model_providers."+name+".supports_websockets", "false")
		}
	}
	s.Args = slices.Concat(flags, s.Args)
	if _, ok := u.Env("RUST_LOG"); !ok {
		s.Env["RUST_LOG"] = "error,codex_api::endpoint::responses_websocket=off"
	}
	return nil
}

// geminiVariables are those that lead Gemini CLI to its services, with the names of
// upstreams and where they are by default.
var geminiVariables = []struct{ variable, upstream, base string }{
	{"GOOGLE_GEMINI_BASE_URL", "gemini", "https://generativelanguage.googleapis.com"},
	{"CODE_ASSIST_ENDPOINT", "codeassist", "https://cloudcode-pa.googleapis.com"},
	{"GOOGLE_VERTEX_BASE_URL", "vertex", ""}, // whose default depends on the place
}

func geminiUpstreams(u User, _ []string) map[string]string {
	all := map[string]string{}
	for _, v := range geminiVariables {
		if base := u.geminiEnv(v.variable); base != "" {
			all[v.upstream] = base
		} else if v.base != "" {
			all[v.upstream] = v.base
		}
	}
	return all
}

// geminiHome is where Gemini CLI keeps its settings.
func (u User) geminiHome() string { return filepath.Join(u.dir("GEMINI_CLI_HOME"), ".gemini") }

// geminiEnv looks up a variable as Gemini CLI does: in the environment, then in the
// user's .env.
func (u User) geminiEnv(name string) string {
	if v, ok := u.Env(name); ok {
		return v
	}
	for _, file := range []string{filepath.Join(u.geminiHome(), ".env"), filepath.Join(u.dir("GEMINI_CLI_HOME"), ".env")} {
		if text := read(file); text != nil {
			return dotenv(text, name)
		}
	}
	return ""
}

// dotenv looks up a variable in a text of lines NAME=VALUE.
func dotenv(text []byte, name string) string {
	value := ""
	for line := range strings.Lines(string(text)) {
		key, v, ok := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "export "), "=")
		if !ok || strings.TrimSpace(key) != name {
			continue
		}
		v = strings.TrimSpace(v)
		if len(v) > 1 && strings.ContainsRune("\"'`", rune(v[0])) {
			v, _, _ = strings.Cut(v[1:], v[:1])
		} else {
			v, _, _ = strings.Cut(v, " #")
		}
		value = strings.TrimSpace(v)
	}
	return value
}

// pointGemini leads Gemini CLI by variables. One of them makes it sign in to a
// gateway, and fail, where no setting says how it signs in.
func pointGemini(u User, to Target, s *Start) error {
	for _, v := range geminiVariables {
		if to.Upstreams[v.upstream] != nil {
			s.Env[v.variable] = to.Base(v.upstream)
		}
	}
	settings := decode(read(filepath.Join(u.geminiHome(), "settings.json")))
	if textAt(settings, "security", "auth", "selectedType")+textAt(settings, "selectedAuthType") != "" ||
		u.geminiEnv("GOOGLE_GEMINI_BASE_URL") != "" || u.geminiEnv("GOOGLE_GENAI_USE_GCA") == "true" || u.geminiEnv("GOOGLE_GENAI_USE_VERTEXAI") == "true" {
		return nil
	}
	delete(s.Env, "GOOGLE_GEMINI_BASE_URL")
	if u.geminiEnv("GEMINI_API_KEY") != "" {
		s.Note = "Gemini CLI runs without compaction: its settings do not say how you sign in; choose it once with /auth in Gemini CLI, or set security.auth.selectedType to \"gemini-api-key\" in ~/.gemini/settings.json"
	}
	return nil
}

// writeJSON writes a value to a file that only the user can read.
func writeJSON(dir, name string, v any) (string, error) {
	data, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		return "", err
	}
	file := filepath.Join(dir, name)
	return file, os.WriteFile(file, data, 0o600)
}
