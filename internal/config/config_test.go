package config

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pelletier/go-toml/v2"

	"tenfold"
	"tenfold/problem"
	"tenfold/strategy"
	"tenfold/token"
)

// layered reads a user's and a workspace's text, variables and flags. Nobody
// trusts the workspace's file.
func layered(t *testing.T, user, workspace string, environ, flags []string) (*Layers, error) {
	t.Helper()
	return Read(sourcesOf(t, user, workspace, environ, flags))
}

func sourcesOf(t *testing.T, user, workspace string, environ, flags []string) Sources {
	t.Helper()
	dir := t.TempDir()
	deep := filepath.Join(dir, "w", "deep", "er")
	if err := os.MkdirAll(deep, 0o700); err != nil {
		t.Fatal(err)
	}
	s := Sources{User: filepath.Join(dir, "user.toml"), Dir: deep, Environ: environ, Flags: flags, Trust: Trust(filepath.Join(dir, "trusted"))}
	for name, text := range map[string]string{s.User: user, FileOf(filepath.Join(dir, "w")): workspace} {
		if text != "" {
			writeFile(t, name, text)
		}
	}
	return s
}

// trusting is layered with the workspace's file trusted.
func trusting(t *testing.T, user, workspace string, environ, flags []string) (*Layers, error) {
	t.Helper()
	s := sourcesOf(t, user, workspace, environ, flags)
	if name := WorkspaceFile(s.Dir); name != "" {
		if err := s.Trust.Add(name, []byte(workspace)); err != nil {
			t.Fatal(err)
		}
	}
	return Read(s)
}

func writeFile(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestLayers(t *testing.T) {
	const at = "conversation.compaction."
	user := "[conversation.compaction]\nkeep_last = 1\nkeep_tokens = \"1k\"\n[conversation.compaction.profiles.default]\ntool_calls = \"omit\"\n" +
		"[models.\"my-model\"]\ncontext_window = 5\n"
	workspace := "conversation.compaction = { keep_last = 2, micro = { over = \"2KB\" } }\n"
	for _, tt := range []struct {
		name           string
		environ, flags []string
		extras         []string
		key            string
		value          any
		origin         string
	}{
		{name: "default", key: at + "summarize_threshold", value: 0.5, origin: "default"},
		{name: "user", key: at + "keep_tokens", value: "1k", origin: "user.toml:3"},
		{name: "workspace over user", key: at + "keep_last", value: int64(2), origin: "config.toml:1"},
		{name: "tables merge", key: at + "micro.keep_recent", value: int64(10), origin: "default"},
		{name: "inline tables too", key: at + "micro.over", value: "2KB", origin: "config.toml:1"},
		{name: "profiles merge", key: at + "profiles.default.reasoning", value: "strip", origin: "default"},
		{name: "values replace", key: at + "profiles.default.tool_calls", value: "omit", origin: "user.toml:5"},
		{
			name: "environment over files", environ: []string{"TENFOLD_CONVERSATION_COMPACTION_KEEP_LAST=4"},
			key: at + "keep_last", value: int64(4), origin: "TENFOLD_CONVERSATION_COMPACTION_KEEP_LAST",
		},
		{
			name: "a name in a variable", environ: []string{"TENFOLD_CONVERSATION_TOOLS_FS_READ_FILE_COMPACTION_DEDUP=false"},
			key: "conversation.tools.fs_read_file.compaction.dedup", value: false, origin: "TENFOLD_CONVERSATION_TOOLS_FS_READ_FILE_COMPACTION_DEDUP",
		},
		{
			name: "a name that is there", environ: []string{"TENFOLD_MODELS_MY_MODEL_CONTEXT_WINDOW=7"},
			key: "models.my-model.context_window", value: int64(7), origin: "TENFOLD_MODELS_MY_MODEL_CONTEXT_WINDOW",
		},
		{
			name: "a list in a variable", environ: []string{"TENFOLD_CONVERSATION_COMPACTION_MICRO_EXEMPT=skill, ask"},
			key: at + "micro.exempt", value: []any{"skill", "ask"}, origin: "TENFOLD_CONVERSATION_COMPACTION_MICRO_EXEMPT",
		},
		{
			name: "other variables are none", environ: []string{"TENFOLD_STORE=memory:", "TENFOLD_RUN=claude-code", "TENFOLD_MASTER_KEY_FILE=key", "TENFOLD_REQUIRE_POSTGRES=1", "OTHER=1"},
			key: at + "keep_tokens", value: "1k", origin: "user.toml:3",
		},
		{
			name: "conversation over environment", environ: []string{"TENFOLD_CONVERSATION_COMPACTION_KEEP_LAST=4"},
			extras: []string{`{"temperature":1}`, `{"tenfold":{"conversation":{"compaction":{"keep_last":5}}}}`},
			key:    at + "keep_last", value: int64(5), origin: "conversation",
		},
		{
			name: "flag over conversation", flags: []string{at + "keep_last=6"},
			extras: []string{`{"tenfold":{"conversation":{"compaction":{"keep_last":5}}}}`},
			key:    at + "keep_last", value: int64(6), origin: "flag --cfg",
		},
		{
			name: "the last flag", flags: []string{at + "keep_last=6", at + "keep_last=7"},
			key: at + "keep_last", value: int64(7), origin: "flag --cfg",
		},
		{name: "text in a flag", flags: []string{at + "keep_tokens=off"}, key: at + "keep_tokens", value: "off", origin: "flag --cfg"},
		{name: "TOML in a flag", flags: []string{at + `strategy=["strip-reasoning", "micro"]`}, key: at + "strategy", value: []any{"strip-reasoning", "micro"}, origin: "flag --cfg"},
		{name: "a table in a flag", flags: []string{at + `profiles.mine={reasoning="keep"}`}, key: at + "profiles.mine.reasoning", value: "keep", origin: "flag --cfg"},
		{name: "a quoted name in a flag", flags: []string{`models."gpt-4.1".context_window=9`}, key: `models."gpt-4.1".context_window`, value: int64(9), origin: "flag --cfg"},
		{name: "a value that holds =", flags: []string{at + "strategy=micro:keep_recent=5"}, key: at + "strategy", value: "micro:keep_recent=5", origin: "flag --cfg"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l, err := layered(t, user, workspace, tt.environ, tt.flags)
			if err != nil {
				t.Fatal(err)
			}
			e, err := l.With(tt.extras...)
			if err != nil {
				t.Fatal(err)
			}
			all, err := e.Settings(tt.key)
			if err != nil || len(all) != 1 {
				t.Fatalf("%d settings, %v", len(all), err)
			}
			if diff := cmp.Diff(tt.value, all[0].Value); diff != "" {
				t.Error(diff)
			}
			if got := all[0].Origin.String(); !strings.HasSuffix(got, tt.origin) {
				t.Errorf("it is from %s, want %s", got, tt.origin)
			}
		})
	}
}

func TestErrors(t *testing.T) {
	const at = "conversation.compaction."
	for _, tt := range []struct {
		name, text, flag, variable string
		want, hint                 string
	}{
		{name: "near", text: "[conversation.compaction]\nkeep_lsat = 3", want: "user.toml:2:1: unknown key conversation.compaction.keep_lsat", hint: "did you mean conversation.compaction.keep_last?"},
		{name: "elsewhere", text: "keep_last = 3", want: "user.toml:1:1: unknown key keep_last", hint: "did you mean conversation.compaction.keep_last?"},
		{name: "table", text: "\n[conversation.compacton]\nkeep_last = 3", want: "user.toml:2:15: unknown key conversation.compacton", hint: "did you mean conversation.compaction?"},
		{name: "inline", text: "conversation.compaction.profiles.x = { resoning = 1 }", want: "user.toml:1:40: unknown key conversation.compaction.profiles.x.resoning", hint: "did you mean conversation.compaction.profiles.x.reasoning?"},
		{name: "far", text: "[model]\nquux = 3", want: "user.toml:2:1: unknown key model.quux", hint: `known keys in model are name; remove this one, or update Tenfold if a newer version knows it`},
		{name: "flag", flag: at + "keep_lst=3", want: "flag --cfg: unknown key conversation.compaction.keep_lst", hint: "did you mean conversation.compaction.keep_last?"},
		{name: "variable", variable: "TENFOLD_CONVERSATION_COMPACTION_KEEP_LSAT=1", want: "TENFOLD_CONVERSATION_COMPACTION_KEEP_LSAT: no such key", hint: "did you mean TENFOLD_CONVERSATION_COMPACTION_KEEP_LAST?"},
		{name: "far variable", variable: "TENFOLD_X=1", want: "TENFOLD_X: no such key", hint: `"tenfold config show" lists the keys; a variable is TENFOLD_ and a key in capitals, with _ for each dot`},

		{name: "number", text: "[conversation.compaction]\n  keep_last = \"three\"", want: `user.toml:2:3: conversation.compaction.keep_last must be a whole number from 0 on, not "three"`, hint: "write, for example, keep_last = 3"},
		{name: "negative", flag: at + "keep_last=-1", want: "flag --cfg: conversation.compaction.keep_last must be a whole number from 0 on, not -1", hint: "write, for example, keep_last = 3"},
		{name: "number in a variable", variable: "TENFOLD_CONVERSATION_COMPACTION_KEEP_LAST=x", want: `TENFOLD_CONVERSATION_COMPACTION_KEEP_LAST: conversation.compaction.keep_last must be a whole number from 0 on, not "x"`, hint: "write, for example, keep_last = 3"},
		{name: "tokens", flag: at + "keep_tokens=lots", want: `flag --cfg: conversation.compaction.keep_tokens must be a number of tokens, as in 20000 or "20k", or "off", not "lots"`, hint: `write, for example, keep_tokens = "20k"`},
		{name: "bool", flag: at + "fork=yes", want: `flag --cfg: conversation.compaction.fork must be true or false, not "yes"`, hint: "write, for example, fork = true"},
		{name: "share", flag: at + "summarize_threshold=50", want: `flag --cfg: conversation.compaction.summarize_threshold must be a share over 0 and at most 1, as in 0.5 or "50%", not 50`, hint: "write, for example, summarize_threshold = 0.5"},
		{name: "size", flag: at + "micro.over=2XB", want: `flag --cfg: conversation.compaction.micro.over must be a size in bytes, as in 800 or "2KB", not "2XB"`, hint: "write, for example, over = 800"},
		{name: "duration", flag: at + "micro.cold_after=5", want: `flag --cfg: conversation.compaction.micro.cold_after must be a time, as in "90s", "5m" or "1h", not 5`, hint: `write, for example, cold_after = "5m"`},
		{name: "threshold", flag: at + "auto.threshold=0.8", want: `flag --cfg: conversation.compaction.auto.threshold must be a threshold: "80%" of the window, "150k" tokens used, "-20k" left, "cache(20k, 5m)" by the prompt cache, or "off", not "0.8"`, hint: `write, for example, threshold = "80%"`},
		{name: "choice", flag: at + "auto.fallback=other", want: `flag --cfg: conversation.compaction.auto.fallback must be "digest" or "none", not "other"`, hint: `write, for example, fallback = "digest"`},
		{name: "policy", flag: at + "profiles.x.reasoning=omit", want: `flag --cfg: conversation.compaction.profiles.x.reasoning must be "strip" or "keep", or a table, not "omit"`, hint: `write, for example, reasoning = "strip"`},
		{name: "policy in a table", flag: at + `profiles.x.tool_calls={policy="trim"}`, want: `flag --cfg: conversation.compaction.profiles.x.tool_calls.policy must be "strip", "strip-responses", "strip-requests", "omit" or "keep", not "trim"`, hint: `write, for example, policy = "strip"`},
		{name: "unknown strategy", flag: at + "strategy=stripe", want: `flag --cfg: conversation.compaction.strategy: unknown strategy "stripe"`, hint: "choose one of " + strings.Join(strategy.Names(), ", ")},
		{name: "parameter", flag: at + "strategy=micro:keep=5", want: `flag --cfg: conversation.compaction.strategy: strategy micro: no parameter "keep": there are keep_recent, over, clear_at_least, exempt, recall`, hint: `write, for example, strategy = "auto"`},
		{name: "model", flag: "model.name=gpt", want: `flag --cfg: model.name must be a model, as PROVIDER/MODEL, not "gpt"`, hint: `write, for example, name = "anthropic/claude-sonnet-5-5"`},
		{name: "no table", text: "conversation = 1", want: "user.toml:1:1: conversation must be a table, not 1", hint: "write [conversation] with keys under it"},
		{name: "no table of names", text: "models = 1", want: "user.toml:1:1: models must be a table, not 1", hint: "write [models.NAME] with keys under it"},
		{name: "a table", text: "[conversation.compaction.keep_last]\nx = 1", want: "user.toml:1:26: conversation.compaction.keep_last must be a whole number from 0 on, not a table", hint: "write, for example, keep_last = 3"},
		{name: "a date", text: "model.name = 2020-01-01", want: "user.toml:1:7: model.name must be a model, as PROVIDER/MODEL, not a date", hint: `write, for example, name = "anthropic/claude-sonnet-5-5"`},
		{name: "syntax", text: "[model]\nname = gpt", want: "user.toml:2:8: ", hint: `put strings in quotes and lists in [ ]; "tenfold config show" is an example`},
		{name: "twice", text: "[model]\nname = \"\"\nname = \"\"", want: "user.toml:3:1: ", hint: `put strings in quotes and lists in [ ]; "tenfold config show" is an example`},
		{name: "no flag", flag: "keep_last", want: "flag --cfg: expected KEY=VALUE", hint: "write, for example, --cfg conversation.compaction.keep_last=5"},
		{name: "no TOML", flag: at + "strategy=[1", want: "flag --cfg: conversation.compaction.strategy: the value is not valid TOML", hint: "check its quotes and brackets: a value that begins with one is read as TOML"},

		{name: "key", flag: "providers.x.api_key_env=sk-proj-abc123", want: "flag --cfg: providers.x.api_key_env: " + errKey.Error(), hint: `write, for example, api_key_env = "ANTHROPIC_API_KEY"`},
		{name: "key without a dash", text: "[providers.x]\napi_key_env = \"AIzaSyA1b2c3d4e5f6g7h8i9\"", want: "user.toml:2:1: providers.x.api_key_env: " + errKey.Error(), hint: `write, for example, api_key_env = "ANTHROPIC_API_KEY"`},
		{name: "key of letters", variable: "TENFOLD_PROVIDERS_X_API_KEY_ENV=" + strings.Repeat("a1", 20), want: "TENFOLD_PROVIDERS_X_API_KEY_ENV: providers.x.api_key_env: " + errKey.Error(), hint: `write, for example, api_key_env = "ANTHROPIC_API_KEY"`},
		{name: "no key", text: "[providers.x]\napi_key_env = \"\"", want: "user.toml:2:1: providers.x.api_key_env must be the name of an environment variable", hint: `write, for example, api_key_env = "ANTHROPIC_API_KEY"`},
		{name: "key list", text: "[providers.x]\napi_key_env = [\"sk-1\"]", want: "user.toml:2:1: providers.x.api_key_env must be the name of an environment variable", hint: `write, for example, api_key_env = "ANTHROPIC_API_KEY"`},
		{name: "key where none goes", text: "[providers.x]\napi_key = \"sk-abc123\"", want: "user.toml:2:1: unknown key providers.x.api_key", hint: "did you mean providers.x.api_key_env?"},
		{name: "password", flag: "providers.x.base_url=https://me:hunter2@host/", want: "flag --cfg: providers.x.base_url: holds a user or a password; keep it in the environment and name the variable in api_key_env", hint: `write, for example, base_url = "http://localhost:11434/v1"`},
		{name: "query", flag: "providers.x.base_url=http://127.0.0.1:1/admin/x?y=", want: "flag --cfg: providers.x.base_url: must not have a query or a fragment", hint: `write, for example, base_url = "http://localhost:11434/v1"`},
		{name: "address", flag: "providers.x.base_url=host", want: "flag --cfg: providers.x.base_url: must begin with http:// or https:// and a host", hint: `write, for example, base_url = "http://localhost:11434/v1"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var environ, flags []string
			if tt.variable != "" {
				environ = []string{tt.variable}
			}
			if tt.flag != "" {
				flags = []string{tt.flag}
			}
			_, err := layered(t, tt.text, "", environ, flags)
			e, ok := err.(*problem.Error)
			if !ok {
				t.Fatalf("the error is %v", err)
			}
			got := e.Error()
			if i := strings.Index(got, "user.toml:"); i >= 0 {
				got = got[i:]
			}
			if got != tt.want && (!strings.HasSuffix(tt.want, ": ") || !strings.HasPrefix(got, tt.want)) {
				t.Errorf("the error is\n%s\nwant\n%s", got, tt.want)
			}
			if e.Hint != tt.hint {
				t.Errorf("the hint is\n%s\nwant\n%s", e.Hint, tt.hint)
			}
			for _, secret := range []string{"sk-", "AIza", "a1a1", "hunter2"} {
				if strings.Contains(e.Error()+e.Hint, secret) {
					t.Errorf("%s is shown", secret)
				}
			}
		})
	}
}

func explained(err error) string {
	var p *problem.Error
	if !errors.As(err, &p) {
		return ""
	}
	return p.Hint
}

func TestFilesThatAreNotThere(t *testing.T) {
	none := filepath.Join(t.TempDir(), "none.toml")
	if _, err := Read(Sources{User: none}); err != nil {
		t.Errorf("without a user's file: %v", err)
	}
	if _, err := Read(Sources{User: none, Named: true}); !os.IsNotExist(err) {
		t.Errorf("a file that was named and is not there gives %v", err)
	}
}

func TestDeprecated(t *testing.T) {
	l, err := layered(t, "[conversation.compaction]\nprotected_turns = 5\n[conversation.compaction.auto]\ncooldown_seconds = \"x\"", "", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	e, err := l.With()
	if err != nil || len(e.Notices) != 2 || !strings.HasSuffix(e.Notices[0], "user.toml:4: conversation.compaction.auto.cooldown_seconds no longer has any effect; remove it") ||
		!strings.HasSuffix(e.Notices[1], "user.toml:2: conversation.compaction.protected_turns no longer has any effect; use keep_last") {
		t.Errorf("the notices are %q, %v", e.Notices, err)
	}
}

// What comes with the program is what the packages below do by themselves.
func TestDefaultsAreThoseOfThePackages(t *testing.T) {
	e := effective(t)
	if got := e.Tail(); got != tenfold.DefaultTail() {
		t.Errorf("the tail is %v", got)
	}
	built := strategy.Profiles()
	for name, want := range built {
		got, err := e.Profile(name)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("profile %s: %v\n%s", name, err, diff)
		}
	}
	if len(e.ProfileNames()) != len(built) || e.Conversation.Compaction.DefaultProfile != strategy.DefaultProfile {
		t.Errorf("the profiles are %q", e.ProfileNames())
	}
	for _, name := range strategy.Names() {
		want, err := strategy.Parse(name)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := e.Strategy(name); err != nil || got.Name() != want.Name() {
			t.Errorf("strategy %s is %v, %v", name, got, err)
		}
	}
	if !slices.Equal(e.Conversation.Compaction.Micro.Exempt, usualExempt) {
		t.Errorf("exempt are %q", e.Conversation.Compaction.Micro.Exempt)
	}
	if e.Window("") != token.FallbackWindow || e.Window("gpt-4.1") != 1_047_576 || e.ToolSettings() != nil || e.Dangling() != nil {
		t.Error("windows, tools or references are other than without a configuration")
	}
}

func effective(t *testing.T, flags ...string) *Effective {
	t.Helper()
	l, err := Read(Sources{Flags: flags})
	if err != nil {
		t.Fatal(err)
	}
	e, err := l.With()
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestToolCalls(t *testing.T) {
	strip := func(request, response bool) *tenfold.ToolPolicy {
		return &tenfold.ToolPolicy{Action: tenfold.Strip, Request: request, Response: response}
	}
	over := strip(true, false)
	over.Over = 2048
	for value, want := range map[string]*tenfold.ToolPolicy{
		"strip": strip(true, true), "strip-responses": strip(false, true), "strip-requests": strip(true, false),
		"omit": {Action: tenfold.Omit}, "keep": {Action: tenfold.Keep},
		`{policy="strip",request=true,response=true}`: strip(true, true),
		`{response=false, over="2KB"}`:                over,
		`{policy="omit"}`:                             {Action: tenfold.Omit},
	} {
		p, err := effective(t, "conversation.compaction.profiles.x.tool_calls="+value).Profile("x")
		if diff := cmp.Diff(want, p.ToolCalls); err != nil || diff != "" {
			t.Errorf("%s: %v\n%s", value, err, diff)
		}
	}
}

func TestUse(t *testing.T) {
	const at = "conversation.compaction."
	e := effective(
		t, at+"keep_last=1", at+"keep_tokens=off", at+"summarize_threshold=25%", at+"micro.keep_recent=4", at+"micro.exempt=ask",
		at+"profiles.x.summary={instructions=\"Be short.\",placement=\"system\"}", at+"profiles.x.turns=keep",
		"conversation.tools.shell.compaction.exempt=true", "conversation.tools.shell.compaction.response=remove",
		"models.mine.context_window=10", "model.name=local/mine", at+"default_profile=none",
	)
	if got := e.Tail(); got != (tenfold.Tail{Turns: 1}) {
		t.Errorf("the tail is %v", got)
	}
	for text, want := range map[string]string{
		"micro":               "micro:keep_recent=4,over=800,exempt=ask",
		"micro:keep_recent=6": "micro:keep_recent=6,over=800,exempt=ask",
		"auto":                "auto:summarize_threshold=0.25",
		"turn-window:n=2":     "turn-window:n=2",
	} {
		if s, err := e.Strategy(text); err != nil || s.Name() != want {
			t.Errorf("%s is %v, %v", text, s, err)
		}
	}
	p, err := e.Profile("x")
	want := strategy.Profile{Title: "x", Turns: tenfold.Keep, Summary: &strategy.ProfileSummary{Placement: tenfold.PlaceSystem, Instructions: "Be short."}}
	if diff := cmp.Diff(want, p); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
	if _, err := e.Profile("y"); err == nil || err.Error() != `unknown profile "y"` || explained(err) != "choose one of default, heavy, light, tenfold, x" {
		t.Errorf("an unknown profile gives %v", err)
	}
	if s := e.ToolSettings()["shell"]; s.Exempt == nil || !*s.Exempt || s.Response != tenfold.Remove || s.Check() != nil {
		t.Errorf("the shell's settings are %v", s)
	}
	if e.Window("") != 10 || e.Window("gpt-4o") != 128_000 {
		t.Errorf("windows are %d and %d", e.Window(""), e.Window("gpt-4o"))
	}
	refs := e.Dangling()
	if len(refs) != 2 || refs[0].Problem != `no profile "none"` || refs[1].Problem != `no provider "local"` {
		t.Errorf("dangling are %v", refs)
	}
}

// The example of the design is valid by the types and by the schema, and the
// schema refuses what the types refuse.
func TestSchema(t *testing.T) {
	text, err := os.ReadFile("testdata/design.toml")
	if err != nil {
		t.Fatal(err)
	}
	s, err := Schema()
	if err != nil {
		t.Fatal(err)
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	valid := func(text []byte) (bySchema, byTypes error) {
		var v map[string]any
		if err := toml.Unmarshal(text, &v); err != nil {
			t.Fatal(err)
		}
		plain, err := json.Marshal(v) // as a validator of JSON has it
		if err == nil {
			err = json.Unmarshal(plain, &v)
		}
		if err != nil {
			t.Fatal(err)
		}
		return resolved.Validate(v), CheckFile(User, "x.toml", text)
	}
	for _, good := range [][]byte{text, defaultsText} {
		if bySchema, byTypes := valid(good); bySchema != nil || byTypes != nil {
			t.Errorf("schema: %v; types: %v", bySchema, byTypes)
		}
	}
	for _, bad := range []string{
		"x = 1", "model.nam = \"a/b\"", "model.name = \"a\"", "conversation.compaction.keep_last = -1", "conversation.compaction.keep_tokens = 0",
		"conversation.compaction.fork = 1", "conversation.compaction.profiles.x.reasoning = \"omit\"", "conversation.compaction.profiles.x.tool_calls = { over = \"x\" }",
		"conversation.compaction.summarize_threshold = 2", "models.x.context_window = 0", "providers.x.api = \"other\"", "providers.x.base_url = \"http://h/x?y=\"", "providers.x.base_url = \"http://me@h/\"", "providers.x.api_key_env = \"sk-1\"",
		"conversation.compaction.micro.cold_after = \"x\"", "conversation.tools.x.compaction.response = \"omit\"",
	} {
		if bySchema, byTypes := valid([]byte(bad)); bySchema == nil || byTypes == nil {
			t.Errorf("%s: schema: %v; types: %v", bad, bySchema, byTypes)
		}
	}
	walk(configType, nil, func(path []string, f field) {
		in := s
		for _, key := range path {
			if in = in.Properties[key]; in == nil {
				break // under a name
			}
		}
		if in != nil && in.Description != f.doc {
			t.Errorf("%s is described as %q", join(path), in.Description)
		}
		if f.doc == "" || (f.example == "" && len(path) > 0 && path[len(path)-1] != "policy") {
			t.Errorf("%s lacks a description or an example", join(path))
			return
		}
		inner := slices.Clone(path)
		for i := range inner {
			if inner[i] == "NAME" {
				inner[i] = "name"
			}
		}
		if _, err := layered(t, join(inner)+" = "+f.example, "", nil, nil); err != nil {
			t.Errorf("the example of %s: %v", join(path), err)
		}
	})
}

// What is shown is a configuration, and the same one.
func TestSettingsAreTheConfiguration(t *testing.T) {
	l, err := Read(Sources{User: "testdata/design.toml"})
	if err != nil {
		t.Fatal(err)
	}
	e, err := l.With()
	if err != nil {
		t.Fatal(err)
	}
	all, err := e.Settings("")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, s := range all {
		if s.Table {
			b.WriteString("[" + s.Key() + "]\n")
			continue
		}
		b.WriteString(s.Name() + " = " + s.TOML() + "\n")
	}
	name := filepath.Join(t.TempDir(), "shown.toml")
	if err := os.WriteFile(name, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	again, err := Read(Sources{User: name})
	if err != nil {
		t.Fatalf("%v\n%s", err, b.String())
	}
	f, err := again.With()
	if diff := cmp.Diff(e.Config, f.Config); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
}

func FuzzFile(f *testing.F) {
	text, err := os.ReadFile("testdata/design.toml")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add(defaultsText)
	f.Add([]byte("a.b = { c = [1, { d = 2 }] }\n[[x]]\n"))
	f.Fuzz(func(_ *testing.T, text []byte) { _ = CheckFile(User, "x", text) })
}

func FuzzFlag(f *testing.F) {
	f.Add("conversation.compaction.keep_last=5")
	f.Add(`models."a=b".context_window=1`)
	f.Add(`conversation.compaction.profiles.x={reasoning="strip"}`)
	f.Fuzz(func(t *testing.T, text string) {
		l, err := Read(Sources{Flags: []string{text}})
		if err != nil {
			return
		}
		if extra, _, err := l.Delta(); err != nil {
			t.Errorf("%q: %v", text, err)
		} else if e, err := l.With(extra); err != nil || len(e.Notices) > 1 {
			t.Errorf("%q kept as %s: %v", text, extra, err)
		}
	})
}
