package launch

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"tenfold/internal/jsonedit"
)

// A vendor is one that opencode and pi know by themselves and whose wire is read.
type vendor struct {
	name string
	// opencode and pi are the base URLs that these give it; empty is none.
	opencode, pi string
	// keys are variables with which opencode has it.
	keys []string
}

var vendors = []vendor{
	{"anthropic", anthropic + "/v1", anthropic, []string{"ANTHROPIC_API_KEY"}},
	{"openai", "https://api.openai.com/v1", "https://api.openai.com/v1", []string{"OPENAI_API_KEY"}},
	{"openai-codex", "", "https://chatgpt.com/backend-api", nil},
	{
		"google", "https://generativelanguage.googleapis.com/v1beta", "https://generativelanguage.googleapis.com/v1beta",
		[]string{"GOOGLE_GENERATIVE_AI_API_KEY", "GOOGLE_API_KEY", "GEMINI_API_KEY"},
	},
	{"openrouter", "https://openrouter.ai/api/v1", "https://openrouter.ai/api/v1", []string{"OPENROUTER_API_KEY"}},
	{"groq", "https://api.groq.com/openai/v1", "https://api.groq.com/openai/v1", []string{"GROQ_API_KEY"}},
	{"xai", "https://api.x.ai/v1", "https://api.x.ai/v1", []string{"XAI_API_KEY"}},
	{"deepseek", "https://api.deepseek.com", "https://api.deepseek.com", []string{"DEEPSEEK_API_KEY"}},
}

// opencodeConfigs are the user's configurations, the weakest first.
func opencodeConfigs(u User) (all []any) {
	dir := filepath.Join(u.dir("XDG_CONFIG_HOME", ".config"), "opencode")
	files := []string{filepath.Join(dir, "config.json"), filepath.Join(dir, "opencode.json"), filepath.Join(dir, "opencode.jsonc"), u.get("OPENCODE_CONFIG")}
	if own := u.get("OPENCODE_CONFIG_DIR"); own != "" {
		files = append(files, filepath.Join(own, "opencode.json"), filepath.Join(own, "opencode.jsonc"))
	}
	for _, file := range files {
		if file != "" {
			all = append(all, decode(read(file)))
		}
	}
	return append(all, decode([]byte(u.get("OPENCODE_CONFIG_CONTENT"))))
}

// opencodeUpstreams are the vendors that the user has keys for, and the user's own
// providers. A vendor without a key is not touched: opencode would offer its models
// as soon as it is configured.
func opencodeUpstreams(u User, _ []string) map[string]string {
	signed, _ := decode(read(filepath.Join(u.dir("XDG_DATA_HOME", ".local", "share"), "opencode", "auth.json"))).(map[string]any)
	configs := opencodeConfigs(u)
	all := map[string]string{}
	for _, v := range vendors {
		_, has := signed[v.name]
		has = has || u.get(v.keys...) != "" || slices.ContainsFunc(configs, func(c any) bool { return at(c, "provider", v.name) != nil })
		if has && v.opencode != "" {
			all[v.name] = v.opencode
		}
	}
	for _, c := range configs {
		providers, _ := at(c, "provider").(map[string]any)
		for name := range providers {
			if base := textAt(providers, name, "options", "baseURL"); base != "" {
				all[name] = u.expand(base)
			}
		}
	}
	return all
}

// variable is how opencode's configuration names one of the environment.
var variable = regexp.MustCompile(`\{env:([^}]+)\}`)

func (u User) expand(text string) string {
	return variable.ReplaceAllStringFunc(text, func(m string) string { return u.get(variable.FindStringSubmatch(m)[1]) })
}

// pointOpencode leads opencode by a configuration in its environment, which wins
// over all files; what the user has there stays.
func pointOpencode(u User, to Target, s *Start) error {
	const name = "OPENCODE_CONFIG_CONTENT"
	content := map[string]any{}
	if own := u.get(name); own != "" {
		var ok bool
		if content, ok = decode([]byte(own)).(map[string]any); !ok {
			return nil // opencode says what is wrong with it
		}
	}
	for upstream := range to.Upstreams {
		member(member(member(content, "provider"), upstream), "options")["baseURL"] = to.Base(upstream)
	}
	data, err := json.Marshal(content, json.Deterministic(true))
	s.Env[name] = string(data)
	return err
}

// member gives an object's member that is an object; it puts one there if there is
// none.
func member(object map[string]any, name string) map[string]any {
	inner, ok := object[name].(map[string]any)
	if !ok {
		inner = map[string]any{}
		object[name] = inner
	}
	return inner
}

func piUpstreams(u User, _ []string) map[string]string {
	all := map[string]string{}
	for _, v := range vendors {
		if v.pi != "" {
			all[v.name] = v.pi
		}
	}
	models := decode(read(filepath.Join(u.dir("PI_CODING_AGENT_DIR", ".pi", "agent"), "models.json")))
	providers, _ := at(models, "providers").(map[string]any)
	for name := range providers {
		if base := textAt(providers, name, "baseUrl"); base != "" {
			all[name] = base
		}
	}
	return all
}

// piBases is the variable in which pi's extension finds the base URLs.
const piBases = Running + "_PI"

// piExtension has pi's providers talk to other addresses. Their models and how the
// user signs in stay.
const piExtension = `export default function (pi) {
  for (const [name, baseUrl] of Object.entries(JSON.parse(process.env.` + piBases + ` ?? "{}"))) {
    pi.registerProvider(name, { baseUrl });
  }
}
`

// pointPi leads pi by an extension for this run, which wins over models.json.
func pointPi(_ User, to Target, s *Start) error {
	bases := map[string]string{}
	for upstream := range to.Upstreams {
		bases[upstream] = to.Base(upstream)
	}
	data, err := json.Marshal(bases, json.Deterministic(true))
	if err != nil {
		return err
	}
	file := filepath.Join(to.Scratch, "tenfold-run.js")
	if err := os.WriteFile(file, []byte(piExtension), 0o600); err != nil {
		return err
	}
	s.Env[piBases] = string(data)
	s.Args = slices.Concat([]string{"--extension", file}, s.Args)
	return nil
}

// decode reads JSON that a person may have written, comments and all; nil if it is
// none.
func decode(text []byte) any {
	plain, err := jsonedit.Plain(text)
	if err != nil {
		return nil
	}
	var v any
	if json.Unmarshal(plain, &v) != nil {
		return nil
	}
	return v
}

// at gives what members lead to; nil if there is nothing.
func at(v any, members ...string) any {
	for _, m := range members {
		object, _ := v.(map[string]any)
		v = object[m]
	}
	return v
}

// textAt gives the text that members lead to.
func textAt(v any, members ...string) string {
	text, _ := at(v, members...).(string)
	return strings.TrimSpace(text)
}
