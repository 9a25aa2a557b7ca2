package config

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
)

// workspaceMaySet says of each key whether the file of a workspace that nobody
// trusts may set it. A new key has to be put here: it may not, unless all it does
// is choose among strategies that need no model, or what they keep.
var workspaceMaySet = map[string]bool{
	"model.name": false,

	"conversation.counter": false, // figures that mislead

	"conversation.compaction.default_profile":     true,
	"conversation.compaction.keep_last":           true,
	"conversation.compaction.keep_tokens":         true,
	"conversation.compaction.summarize_threshold": false, // when a model is called
	"conversation.compaction.fork":                false,
	"conversation.compaction.strategy":            true,
	"conversation.compaction.summarizer_model":    false,
	"conversation.compaction.session_dir":         false,

	"conversation.compaction.profiles.NAME.reasoning":             true,
	"conversation.compaction.profiles.NAME.reasoning.policy":      true,
	"conversation.compaction.profiles.NAME.reasoning.over":        true,
	"conversation.compaction.profiles.NAME.tool_calls":            true,
	"conversation.compaction.profiles.NAME.tool_calls.policy":     true,
	"conversation.compaction.profiles.NAME.tool_calls.request":    true,
	"conversation.compaction.profiles.NAME.tool_calls.response":   true,
	"conversation.compaction.profiles.NAME.tool_calls.over":       true,
	"conversation.compaction.profiles.NAME.tool_calls.arguments":  true,
	"conversation.compaction.profiles.NAME.tool_calls.first_line": true,
	"conversation.compaction.profiles.NAME.tool_calls.recall":     true,
	"conversation.compaction.profiles.NAME.attachments":           true,
	"conversation.compaction.profiles.NAME.attachments.policy":    true,
	"conversation.compaction.profiles.NAME.attachments.over":      true,
	"conversation.compaction.profiles.NAME.turns":                 true,
	"conversation.compaction.profiles.NAME.turns.policy":          true,
	"conversation.compaction.profiles.NAME.summary":               true, // by the digest
	"conversation.compaction.profiles.NAME.summary.policy":        true,
	"conversation.compaction.profiles.NAME.summary.model":         false,
	"conversation.compaction.profiles.NAME.summary.max_tokens":    false,
	"conversation.compaction.profiles.NAME.summary.instructions":  false, // words to a model
	"conversation.compaction.profiles.NAME.summary.placement":     true,
	"conversation.compaction.profiles.NAME.summary.budget":        true,
	"conversation.compaction.profiles.NAME.summary.optional":      true,
	"conversation.compaction.profiles.NAME.fit":                   true,

	"conversation.compaction.micro.enabled":        true,
	"conversation.compaction.micro.keep_recent":    true,
	"conversation.compaction.micro.over":           true,
	"conversation.compaction.micro.exempt":         true,
	"conversation.compaction.micro.clear_at_least": true,
	"conversation.compaction.micro.cold_after":     true,

	"conversation.compaction.auto.enabled":               false,
	"conversation.compaction.auto.threshold":             false,
	"conversation.compaction.auto.strategy":              false,
	"conversation.compaction.auto.turns":                 false,
	"conversation.compaction.hook.time_limit":            false,
	"conversation.compaction.hook.trim_over":             false,
	"conversation.compaction.auto.fallback":              false,
	"conversation.compaction.auto.max_attempts_per_turn": false,

	"conversation.tools.NAME.compaction.request":  true,
	"conversation.tools.NAME.compaction.response": true,
	"conversation.tools.NAME.compaction.dedup":    true,
	"conversation.tools.NAME.compaction.subsumes": true,
	"conversation.tools.NAME.compaction.exempt":   true,

	"providers.NAME.type":        false,
	"providers.NAME.file":        false,
	"providers.NAME.base_url":    false,
	"providers.NAME.api_key_env": false,
	"providers.NAME.timeout":     false,
	"providers.NAME.api":         false,

	"agent.system":                                 false,
	"agent.max_steps":                              false,
	"agent.max_tokens":                             false,
	"agent.max_dollars":                            false,
	"agent.max_time":                               false,
	"agent.transcript":                             false,
	"agent.permission.allow":                       false,
	"agent.permission.ask":                         true, // only ever more
	"agent.permission.deny":                        true,
	"agent.permission.containment":                 false,
	"agent.permission.network":                     false,
	"agent.tools.NAME.command":                     false,
	"agent.tools.NAME.description":                 false,
	"agent.tools.NAME.timeout":                     false,
	"agent.tools.NAME.subsumes":                    false,
	"agent.tools.NAME.env":                         false,
	"agent.tools.NAME.parameters.NAME.type":        false,
	"agent.tools.NAME.parameters.NAME.description": false,
	"agent.tools.NAME.parameters.NAME.required":    false,
	"agent.mcp.NAME.command":                       false,
	"agent.mcp.NAME.url":                           false,
	"agent.mcp.NAME.token_env":                     false,
	"agent.mcp.NAME.env":                           false,

	"models.NAME.context_window": false,
	"models.NAME.max_output":     false,
}

// spellings are the ways in which a file can set a key.
func spellings(path []string, value string) map[string]string {
	last := len(path) - 1
	quoted := make([]string, len(path))
	inline := value
	for i, word := range path {
		quoted[i] = quoteTOML(word)
	}
	for _, word := range slices.Backward(path[1:]) {
		inline = "{ " + join([]string{word}) + " = " + inline + " }"
	}
	return map[string]string{
		"dotted": join(path) + " = " + value,
		"table":  "[" + join(path[:last]) + "]\n" + join(path[last:]) + " = " + value,
		"quoted": strings.Join(quoted, " . ") + " = " + value,
		"inline": join(path[:1]) + " = " + inline,
	}
}

// M1a, cli.md: of the file of a workspace each key does what the table says, in
// whatever way it is written, until the file is trusted.
func TestWhatAWorkspaceMaySet(t *testing.T) {
	seen, none := map[string]bool{}, effective(t).Config
	walk(configType, nil, func(path []string, f field) {
		key := strings.Join(path, ".")
		may, listed := workspaceMaySet[key]
		if seen[key] = true; !listed {
			t.Errorf("%s is a key that the table does not know: say there whether a stranger may set it", key)
			return
		}
		value := f.example
		if value == "" { // a policy, as its table has it
			value = quoteTOML(f.words[0])
		}
		at := slices.Clone(path)
		for i := range at {
			if at[i] == "NAME" {
				at[i] = "some name"
			}
		}
		for how, text := range spellings(at, value) {
			l, err := layered(t, "", text, nil, nil)
			if err != nil {
				t.Fatalf("%s: %v\n%s", key, err, text)
			}
			e, err := l.With()
			if err != nil {
				t.Fatal(err)
			}
			n := e.root.at(at)
			if takes := n != nil && n.origin.Kind == Workspace; takes != may {
				t.Errorf("%s, %s: the workspace sets it: %v", key, how, takes)
			}
			if !cmp.Equal(e.Mine, none) {
				t.Errorf("%s, %s: it is taken for the person's own", key, how)
			}
			named := slices.ContainsFunc(e.Notices, func(notice string) bool {
				return strings.Contains(notice, l.Workspace) && strings.Contains(notice, join(at)) && strings.Contains(notice, `"tenfold config trust"`)
			})
			if named == may || (len(l.Ignored) == 0) != may || l.Trust != Untrusted {
				t.Errorf("%s, %s: the notices are %q", key, how, e.Notices)
			}
			// A summary about which it says nothing else is one by the digest.
			left := !reflect.DeepEqual(l.below, l.own) && !slices.Contains(at, "summary")
			if !may && (l.Ignored[0].Key() != join(at) || left) {
				t.Errorf("%s, %s: ignored are %+v; something else is left: %v", key, how, l.Ignored, left)
			}

			trusted, err := trusting(t, "", text, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			if e, err = trusted.With(); err != nil {
				t.Fatal(err)
			}
			if n := e.root.at(at); n == nil || n.origin.Kind != Workspace || len(e.Notices) > 0 || !cmp.Equal(e.Mine, e.Config) {
				t.Errorf("%s, %s: trusted, it has no effect: %q", key, how, e.Notices)
			}
		}
	})
	for key := range maps.Keys(workspaceMaySet) {
		if !seen[key] {
			t.Errorf("there is no key %s any more", key)
		}
	}
}

// What is open is open for its value: a strategy that works with a model alone
// is none that a stranger may choose.
func TestStrategiesThatNeedAModel(t *testing.T) {
	for value, may := range map[string]bool{
		`"micro"`: true, `["strip-tools", "fit"]`: true, `"summarize"`: true, `"auto"`: true, // the digest writes it
		`"classify-tangents"`: false, `["micro", "classify-tangents"]`: false, `"micro classify-tangents"`: false,
	} {
		l, err := layered(t, "", "conversation.compaction.strategy = "+value, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		e, err := l.With()
		if err != nil {
			t.Fatal(err)
		}
		if takes := len(e.Conversation.Compaction.Strategy) > 0; takes != may || (len(e.Notices) == 0) != may {
			t.Errorf("%s: taken %v, %q", value, takes, e.Notices)
		}
	}
}

// A table in the place of a value that needs trust is reported as ignored, too.
func TestATableForAValueIsReported(t *testing.T) {
	l, err := layered(t, "", "model.name = { x = 1 }\nproviders.x = {}\n", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(l.Ignored) != 1 || l.Ignored[0].Key() != "model.name" || !strings.Contains(l.TrustNotice(), "model.name (line 1)") {
		t.Errorf("ignored are %+v", l.Ignored)
	}
	e, err := l.With()
	if _, there := e.Providers["x"]; err != nil || there {
		t.Errorf("an empty provider of a file that is not trusted is taken: %v", err)
	}
}

// What only looks like a key that is known, or could run something, is an error.
func TestWorkspaceFileMistakes(t *testing.T) {
	for text, want := range map[string]string{
		`Model.name = "a/b"`:                                                             "unknown key Model",
		`[MODEL]` + "\n" + `x=1`:                                                         "unknown key MODEL",
		`conversation.compaction.Summarizer_model = "a/b"`:                               "unknown key",
		`conversation.compaction.summarizer-model = "a/b"`:                               "unknown key",
		`conversation.tools.Read.compaction.command = "rm -rf /"`:                        "unknown key",
		`conversation.tools.Read.compaction.subsumes = ["sh", "-c", "x"]`:                "must be true or false",
		`conversation.tools.Read.command = ["sh"]`:                                       "unknown key",
		`conversation.compaction.strategy = "summarize:model=a/b"`:                       "no parameter \"model\"",
		`conversation.compaction.strategy = "auto:model=a/b"`:                            "no parameter \"model\"",
		`conversation.compaction.profiles.default.summary = "openai/gpt-5"`:              "must be",
		`conversation.compaction.profiles = 1`:                                           "must be a table",
		`conversation = [{ compaction = { summarizer_model = "a/b" } }]`:                 "must be a table",
		`[[conversation.compaction]]` + "\n" + `summarizer_model = "a/b"`:                "must be a table",
		"model.name = \"a/b\"\nconversation.compaction.nosuch = 1":                       "unknown key",
		`providers.x.base_url = "http://me:secret@127.0.0.1/"` + "\n" + `model.nam = ""`: "unknown key",
		"\x00": "",
	} {
		_, err := layered(t, "", text, nil, nil)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// A variable's name leads to the names that are the person's own, whatever names
// a stranger's file has.
func TestVariablesAreNotLedAstray(t *testing.T) {
	const variable = "TENFOLD_CONVERSATION_COMPACTION_PROFILES_MY_OWN_SUMMARY_MODEL=anthropic/m"
	own := "[conversation.compaction.profiles.my-own]\nsummary = \"summarize\"\n"
	theirs := "[conversation.compaction.profiles.MY-OWN]\nsummary = \"summarize\"\n[conversation.compaction.profiles.MY_OWN]\nsummary = \"summarize\"\n" +
		"[conversation.compaction.profiles.My-own]\nsummary = \"summarize\"\n[conversation.compaction.profiles.my]\nreasoning = \"strip\"\n"
	for range 20 { // maps have no order
		l, err := layered(t, own, theirs, []string{variable}, nil)
		if err != nil {
			t.Fatal(err)
		}
		e, err := l.With()
		if err != nil {
			t.Fatal(err)
		}
		for name, p := range e.Conversation.Compaction.Profiles {
			if want := map[bool]ModelName{true: "anthropic/m"}[name == "my-own"]; p.Summary.Model != want {
				t.Fatalf("profile %q has the model %q", name, p.Summary.Model)
			}
		}
	}
}

// A workspace's file that is not a small file is not read, and one that is written
// to be slow is not slow.
func TestHostileWorkspaceFiles(t *testing.T) {
	for name, text := range map[string]string{
		"large":          "# " + strings.Repeat("x", maxWorkspaceFile),
		"deep":           strings.Repeat("a.", maxWorkspaceFile/3) + "b = 1",
		"deep table":     "[" + strings.Repeat("a.", maxWorkspaceFile/3) + "b]\nx = 1",
		"deep, known":    "conversation.compaction.profiles" + strings.Repeat(".a", maxWorkspaceFile/3) + " = 1",
		"deep inline":    "x = " + strings.Repeat("{a=", 9000) + "1" + strings.Repeat("}", 9000),
		"deep arrays":    "x = " + strings.Repeat("[", 100_000),
		"long":           strings.Repeat("a", maxWorkspaceFile-10) + " = 1",
		"long and many":  "[" + strings.Repeat("a", maxWorkspaceFile/2) + "]\n" + manyKeys(maxWorkspaceFile/20),
		"deprecated":     "conversation.compaction.protected_turns" + strings.Repeat(".a", maxWorkspaceFile/3) + " = 1\nx = 1",
		"long, a value":  "model.name = \"" + strings.Repeat("a", maxWorkspaceFile-20) + "\"\nx = 1",
		"long, a policy": "conversation.compaction.profiles.x.reasoning = \"" + strings.Repeat("a", maxWorkspaceFile/2) + "\"",
	} {
		var err error
		allocated := testing.AllocsPerRun(1, func() { _, err = layered(t, "", text, nil, nil) })
		if err == nil || len(err.Error()) > 2000 {
			t.Errorf("%s: %.100q", name, fmt.Sprint(err))
		}
		if allocated > 40*maxWorkspaceFile/10 {
			t.Errorf("%s: %.0f allocations", name, allocated)
		}
	}
	// Keys that may not be set are told within bounds.
	l, err := layered(t, "", "[models]\n"+strings.ReplaceAll(manyKeys(5000), " =", ".context_window =")+strings.Repeat("b", 90_000)+".context_window = 1\n", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if e, err := l.With(); err != nil || len(e.Notices) != 1 || len(e.Notices[0]) > 2000 || !strings.Contains(e.Notices[0], "4993 more") {
		t.Errorf("%v, %.3000q", err, e.Notices)
	}

	s := sourcesOf(t, "", "x = 1", nil, nil)
	file := WorkspaceFile(s.Dir)
	for name, lead := range leads(t) {
		lead(file)
		if _, err := Read(s); err == nil || !strings.Contains(err.Error(), "not a regular file") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// leads have a file be something else than a file.
func leads(t *testing.T) map[string]func(file string) {
	lead := func(made func(file string) error) func(string) {
		return func(file string) {
			if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
			if err := made(file); err != nil {
				t.Skip(err)
			}
		}
	}
	return map[string]func(string){
		"device": lead(func(file string) error { return os.Symlink("/dev/zero", file) }),
		"pipe":   lead(func(file string) error { return exec.CommandContext(t.Context(), "mkfifo", file).Run() }),
	}
}

// A person's own file may be a pipe, as a shell gives it for what a command prints; but
// neither a device nor a pipe that nobody writes to is read without end.
func TestOwnFileEnds(t *testing.T) {
	s := sourcesOf(t, "x = 1", "", nil, nil)
	leads := leads(t)
	leads["device"](s.User)
	if _, err := Read(s); err == nil || !strings.Contains(err.Error(), "larger than 4096 KiB") {
		t.Error(err)
	}
	leads["pipe"](s.User)
	synctest.Test(t, func(t *testing.T) { // its clock passes at once
		if _, err := Read(s); err == nil || !strings.Contains(err.Error(), "nothing came through the pipe") {
			t.Error(err)
		}
	})
	said := make(chan error, 1)
	go func() { said <- os.WriteFile(s.User, []byte("model.name = \"anthropic/piped\"\n"), 0o600) }()
	l, err := Read(s)
	if err != nil || <-said != nil {
		t.Fatal(err)
	}
	if e, err := l.With(); err != nil || e.Model.Name != "anthropic/piped" {
		t.Errorf("%v, %q", err, e.Model.Name)
	}
}

func manyKeys(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "k%d = 1\n", i)
	}
	return b.String()
}

// A file is trusted where it lies and as it is: not with another content, not
// elsewhere, not over a link, and not after it was revoked.
func TestTrust(t *testing.T) {
	const text = "model.name = \"ours/m\"\n"
	s := sourcesOf(t, "", text, nil, nil)
	root := filepath.Dir(filepath.Dir(s.Dir))
	file := WorkspaceFile(s.Dir)
	state := func(dir string) TrustState {
		t.Helper()
		at := s
		at.Dir = dir
		l, err := Read(at)
		if err != nil {
			t.Fatal(err)
		}
		e, err := l.With()
		if err != nil {
			t.Fatal(err)
		}
		if (e.Model.Name == "ours/m") != (l.Trust == Trusted) || (len(e.Notices) == 0) != (l.Trust == Trusted) {
			t.Errorf("it is %s, and the model is %q; %q", l.Trust, e.Model.Name, e.Notices)
		}
		if l.Trust == Changed && !strings.Contains(e.Notices[0], "has changed since you trusted it") {
			t.Errorf("the notice is %q", e.Notices)
		}
		return l.Trust
	}
	expect := func(what, dir string, want TrustState) {
		t.Helper()
		if got := state(dir); got != want {
			t.Errorf("%s: %s, want %s", what, got, want)
		}
	}
	expect("at first", s.Dir, Untrusted)
	if err := s.Trust.Add(file, []byte(text)); err != nil {
		t.Fatal(err)
	}
	expect("trusted", s.Dir, Trusted)
	expect("from the top", root, Trusted)
	if err := os.Symlink(root, root+"-link"); err != nil {
		t.Skip(err)
	}
	expect("over a link to the workspace", filepath.Join(root+"-link", "deep"), Trusted)

	other := root + "-other"
	writeFile(t, FileOf(other), text)
	expect("the same elsewhere", other, Untrusted)
	if err := os.RemoveAll(filepath.Join(other, workspaceDir)); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(root, workspaceDir), filepath.Join(other, workspaceDir)); err != nil {
		t.Fatal(err)
	}
	expect("a directory that leads to it", other, Untrusted)
	if !Led(FileOf(other)) || Led(file) || Led(FileOf(t.TempDir())) {
		t.Error("links in a workspace are not told apart")
	}
	if err := os.Remove(filepath.Join(other, workspaceDir)); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(other, workspaceDir), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(file, FileOf(other)); err != nil {
		t.Fatal(err)
	}
	expect("a file that leads to it", other, Untrusted)
	if !Led(FileOf(other)) {
		t.Error("a link is taken for a file")
	}

	writeFile(t, file, text+"# more\n")
	expect("changed", s.Dir, Changed)
	if all, err := s.Trust.List(); err != nil || len(all) != 1 || all[0] != (TrustedFile{Place(file), Changed}) {
		t.Errorf("%v, %v", all, err)
	}
	writeFile(t, file, text)
	expect("as it was", s.Dir, Trusted)
	if had, err := s.Trust.Revoke(file); !had || err != nil {
		t.Errorf("%v, %v", had, err)
	}
	if had, err := s.Trust.Revoke(file); had || err != nil {
		t.Errorf("%v, %v", had, err)
	}
	expect("revoked", s.Dir, Untrusted)

	// A record that is none, or is another file's, trusts nothing.
	if err := s.Trust.Add(FileOf(other), []byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(s.Trust.file(Place(FileOf(other))), s.Trust.file(Place(file))); err != nil {
		t.Fatal(err)
	}
	expect("another file's record", s.Dir, Untrusted)
	writeFile(t, s.Trust.file(Place(file)), "no JSON")
	expect("no record", s.Dir, Untrusted)
	if all, err := s.Trust.List(); err != nil || len(all) != 0 {
		t.Errorf("%v, %v", all, err)
	}
	s.Trust = ""
	expect("nobody's trust", s.Dir, Untrusted)
	if err := s.Trust.Add(file, nil); err == nil {
		t.Error("nobody trusts it")
	}
}

// Without a home, or in one that is a relative path, the user's file and what is trusted would be
// what the working directory comes with, which is a stranger's.
func TestTheUsersFilesAreNotInTheWorkingDirectory(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", "")
	t.Setenv("AppData", "")
	for _, home := range []string{"", ".", "home"} {
		t.Setenv("HOME", home)
		if file, err := UserFile(); file != "" || err == nil {
			t.Errorf("HOME=%q: the user's file is %q, %v", home, file, err)
		}
		if trust, err := UserTrust(); trust != "" || err == nil {
			t.Errorf("HOME=%q: what is trusted is in %q, %v", home, trust, err)
		}
	}
}
