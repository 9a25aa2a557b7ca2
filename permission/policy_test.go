package permission

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	_ "tenfold/internal/seed" // cases are drawn alike every time
	"tenfold/problem"
	"tenfold/toolbox"
)

func edit(paths ...string) toolbox.Intent {
	return toolbox.Intent{Effect: toolbox.Edits, Paths: paths, Subject: strings.Join(paths, " ")}
}

func read(paths ...string) toolbox.Intent {
	return toolbox.Intent{Effect: toolbox.Reads, Paths: paths}
}

func unknown(subject string) toolbox.Intent {
	return toolbox.Intent{Effect: toolbox.Unknown, Subject: subject}
}

func TestWhatIsFreeWithoutRules(t *testing.T) {
	for _, c := range []struct {
		intent        toolbox.Intent
		plain, inside Action
	}{
		{read("a"), Allow, Allow},
		{read(), Allow, Allow},
		{toolbox.Intent{Effect: toolbox.Converses}, Allow, Allow},
		{edit("a"), Ask, Ask},
		{edit(), Ask, Ask},
		{command("make"), Ask, Allow},
		{command("ls ("), Ask, Allow},
		{command("ls"), Allow, Allow},
		{unknown("x"), Ask, Ask},
		{toolbox.Intent{}, Ask, Ask},
		{toolbox.Intent{Effect: "new"}, Ask, Ask},
	} {
		if v := mustNew(t, Rules{}).Judge("tool", c.intent); v.Action != c.plain || v.Contained || v.Network || v.Reason == "" {
			t.Errorf("%+v: %+v", c.intent, v)
		}
		v := mustNew(t, Rules{Contained: true, Network: true}).Judge("tool", c.intent)
		is := c.intent.Effect == toolbox.Commands
		if v.Action != c.inside || v.Contained != is || v.Network != is {
			t.Errorf("contained: %+v: %+v", c.intent, v)
		}
	}
	if v := mustNew(t, Rules{Contained: true}).Judge("shell", command("make")); v.Network {
		t.Errorf("network without being told: %+v", v)
	}
}

func TestRulesForPathsAndSubjects(t *testing.T) {
	const tool = "fs_modify_file"
	for _, c := range []struct {
		rule    string
		yes, no []toolbox.Intent
	}{
		{"fs_modify_file", []toolbox.Intent{edit("a"), edit(), unknown("")}, nil},
		{"fs_*", []toolbox.Intent{edit("a/b")}, nil},
		{"other", nil, []toolbox.Intent{edit("a")}},
		{"fs_modify_file:*.go", []toolbox.Intent{edit("a.go"), edit("x/y/a.go")}, []toolbox.Intent{edit("a.goo"), edit("a.go/b"), edit()}},
		{"fs_modify_file:docs/*", []toolbox.Intent{edit("docs/a"), edit("docs/a/b"), edit("x/../docs/a")}, []toolbox.Intent{edit("docs/../a"), edit("x/docs/a"), edit("doc/a")}},
		{"fs_modify_file:**/a/*.md", []toolbox.Intent{edit("a/x.md"), edit("b/c/a/x.md")}, []toolbox.Intent{edit("ba/x.md"), edit("x.md")}},
		{"fs_modify_file:a/*", []toolbox.Intent{edit("a/b"), edit("a/b/c")}, []toolbox.Intent{edit("a"), edit("ab")}},
		{"fs_modify_file:a/b c", []toolbox.Intent{edit("a/b c")}, nil},
		{"fs_modify_file:GET https://x/*", []toolbox.Intent{unknown("GET https://x/y/z")}, []toolbox.Intent{unknown("POST https://x/y"), unknown(""), unknown("GET https://xx/")}},
		{"fs_modify_file:drop", []toolbox.Intent{edit("a/drop"), unknown("drop")}, []toolbox.Intent{unknown("a/drop")}},
		{"fs_modify_file:a*b*c", []toolbox.Intent{unknown("abc"), unknown("aXbbYc")}, []toolbox.Intent{unknown("ab"), unknown("abcd"), unknown("ac")}},
	} {
		for _, intent := range c.yes {
			if v := mustNew(t, Rules{Allow: []string{c.rule}}).Judge(tool, intent); v.Action != Allow {
				t.Errorf("allow %s: %+v: %+v", c.rule, intent, v)
			}
			if v := mustNew(t, Rules{Deny: []string{c.rule}, Ask: []string{c.rule}, Allow: []string{c.rule}}).Judge(tool, intent); v.Action != Deny {
				t.Errorf("deny %s: %+v: %+v", c.rule, intent, v)
			}
			if v := mustNew(t, Rules{Ask: []string{c.rule}, Allow: []string{c.rule}}).Judge(tool, intent); v.Action != Ask {
				t.Errorf("ask %s: %+v: %+v", c.rule, intent, v)
			}
		}
		for _, intent := range c.no {
			if v := mustNew(t, Rules{Allow: []string{c.rule}}).Judge(tool, intent); v.Action == Allow {
				t.Errorf("allow %s: %+v: %+v", c.rule, intent, v)
			}
			if v := mustNew(t, Rules{Deny: []string{c.rule}}).Judge(tool, intent); v.Action == Deny {
				t.Errorf("deny %s: %+v: %+v", c.rule, intent, v)
			}
		}
	}
}

// One path decides to deny; all decide to allow.
func TestCallsWithSeveralPaths(t *testing.T) {
	both := edit("a/x", "b/y")
	for _, c := range []struct {
		rules Rules
		want  Action
	}{
		{Rules{Allow: []string{"e:a/*"}}, Ask},
		{Rules{Allow: []string{"e:a/*", "e:b/*"}}, Allow},
		{Rules{Allow: []string{"e"}, Deny: []string{"e:b/*"}}, Deny},
		{Rules{Allow: []string{"e"}, Ask: []string{"e:B/Y"}}, Ask},
	} {
		if v := mustNew(t, c.rules).Judge("e", both); v.Action != c.want {
			t.Errorf("%+v: %+v", c.rules, v)
		}
	}
	if v := mustNew(t, Rules{Allow: []string{"e:a/*"}}).Judge("e", edit("A/x")); v.Action == Allow {
		t.Error("a rule to allow ignored case")
	}
	if v := mustNew(t, Rules{Deny: []string{"r:**/.env"}}).Judge("r", read(`x\.ENV`)); v.Action != Deny {
		t.Errorf("%+v", v)
	}
}

// What other programs obey by themselves is asked about whatever was allowed.
func TestGuardedFilesAreAskedAboutEachTime(t *testing.T) {
	p := mustNew(t, Rules{Allow: []string{"*"}})
	p.Consent("e", edit("a"))
	p.Consent("e", edit(".git/config"))
	for _, name := range []string{".git/hooks/x", "sub/.git/config", ".GIT/config", "a/../.git/x", ".tenfold/config.toml", ".envrc", "x/.vscode/tasks.json", ".devcontainer/devcontainer.json", "x/.pre-commit-config.yaml", ".cargo/config.toml", `.git\config`, ".git. /x", "./.git"} {
		if v := p.Judge("e", edit("a", name)); v.Action != Ask {
			t.Errorf("%s: %+v", name, v)
		}
		if v := p.Judge("e", read(name)); v.Action != Allow {
			t.Errorf("reading %s: %+v", name, v)
		}
	}
	for _, name := range []string{".gitignore", "git/x", ".github/workflows/x", "a.git"} {
		if v := p.Judge("e", edit(name)); v.Action != Allow {
			t.Errorf("%s: %+v", name, v)
		}
	}
}

func TestConsentToEdits(t *testing.T) {
	p := mustNew(t, Rules{Deny: []string{"e:secret"}, Ask: []string{"e:lock"}})
	p.Consent("e", edit("a"))
	for name, want := range map[string]Action{"b/c": Allow, "secret": Deny, "lock": Ask} {
		if v := p.Judge("e", edit(name)); v.Action != want {
			t.Errorf("%s: %+v", name, v)
		}
	}
	if v := p.Judge("create", edit("x")); v.Action != Allow {
		t.Errorf("another tool's edits: %+v", v)
	}
	if v := p.Judge("shell", command("make")); v.Action != Ask {
		t.Errorf("a command: %+v", v)
	}
	if v := p.Judge("e", unknown("x")); v.Action != Ask {
		t.Errorf("what the tool does else: %+v", v)
	}
}

func TestConsentToOtherTools(t *testing.T) {
	p := mustNew(t, Rules{Deny: []string{"srv__x:drop *"}})
	p.Consent("srv__x", unknown("a"))
	for _, c := range []struct {
		tool, subject string
		want          Action
	}{{"srv__x", "b", Allow}, {"srv__y", "a", Ask}, {"srv__x", "drop table", Deny}, {"srv__", "a", Ask}} {
		if v := p.Judge(c.tool, unknown(c.subject)); v.Action != c.want {
			t.Errorf("%+v: %+v", c, v)
		}
	}
}

// Consent to a command is to these words, as a part of others too, but not after a
// change of directory; to more than a simple command, as it stands.
func TestConsentToCommands(t *testing.T) {
	for _, c := range []struct {
		said    string
		yes, no []string
	}{
		{`make test`, []string{`make test`, `make  'test'`, `make test | head -n 3`, `ls && make test`}, []string{`make`, `make test x`, `make test; evil`, `make $x`, `cd x && make test`, `MAKE test`, `"make test"`, `X=1 make test`, `make test >f`, `make test &`}},
		{`rm -rf build`, []string{`rm -rf build`}, []string{`rm -rf`, `rm -rf build x`, `cd / && rm -rf build`, `pushd /; rm -rf build`}},
		{`cd x && rm -rf *`, []string{`cd x && rm -rf *`}, []string{`rm -rf *`, `cd x`, `rm -rf '*'`}},
		{`make >log`, []string{`make >log`}, []string{`make`, `make >log2`}},
		{`A=1 make`, []string{`A=1 make`}, []string{`make`, `A=2 make`}},
		{`sudo make`, []string{`sudo make`, `sudo "make"`}, []string{`make`, `sudo`, `sudo make x`}},
		{`sh -c 'a b'`, []string{`sh -c "a b"`}, []string{`sh -c a b`, `sh -c 'a  b'`}},
		{`echo $x`, []string{`echo $x`}, []string{`echo "$y"; make`}},
		{`ls (`, []string{`ls (`}, []string{`ls ((`}},
		{`make "a\b"`, []string{`make 'a\b'`, `make a\\b`}, []string{`make ab`, `make a\b`}},
		{`make "a\$b"`, []string{`make 'a$b'`, "ma\\\nke a\\$b"}, []string{`make 'a\$b'`, `make a$b`}},
		{`*`, []string{`*`}, []string{`make`, `a b`}},
	} {
		p := mustNew(t, Rules{})
		p.Consent("shell", command(c.said))
		for _, text := range c.yes {
			if v := p.Judge("shell", command(text)); v.Action != Allow {
				t.Errorf("after %q: %q: %+v", c.said, text, v)
			}
		}
		for _, text := range c.no {
			if v := p.Judge("shell", command(text)); v.Action != Ask {
				t.Errorf("after %q: %q: %+v", c.said, text, v)
			}
		}
		if v := p.Judge("other", command(c.said)); v.Action == Allow && !isAllRead(c.said) {
			t.Errorf("%q: allowed another tool: %+v", c.said, v)
		}
	}
}

// What was allowed by name runs outside of containment, the rest inside.
func TestAllowedCommandsRunOutsideContainment(t *testing.T) {
	p := mustNew(t, Rules{Allow: []string{"shell:npm install *"}, Ask: []string{"shell:git push"}, Contained: true})
	p.Consent("shell", command("make deploy"))
	for text, contained := range map[string]bool{"npm install x": false, "make deploy": false, "make": true, "npm install x && make": true, "ls": true} {
		if v := p.Judge("shell", command(text)); v.Action != Allow || v.Contained != contained {
			t.Errorf("%s: %+v", text, v)
		}
	}
	if v := p.Judge("shell", command("git push")); v.Action != Ask || v.Contained {
		t.Errorf("%+v", v)
	}
}

func TestInvalidRules(t *testing.T) {
	for _, text := range []string{"", ":", ":x", "a b", "shell:", "shell: ", "[", "shell:[", "e:a/[", "e:[/b", "\n:x"} {
		_, err := New(Rules{Deny: []string{"ok", text}})
		var p *problem.Error
		if !errors.As(err, &p) || p.Hint == "" || !p.Usage {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// More rules to deny or ask never allow more: what a workspace says can only narrow.
func TestRulesOnlyNarrow(t *testing.T) {
	order := map[Action]int{Allow: 0, Ask: 1, Deny: 2}
	words := rapid.SampledFrom([]string{"ls", "git", "push", "rm", "$x", "*", "-C", ";", "&&", "sudo", "sh -c 'rm x'", "'", "x=1", "cd", "$(rm)", ">f"})
	patterns := rapid.SampledFrom([]string{"shell", "*", "shell:git *", "shell:git push", "shell:rm", "shell:* push", "shell:*", "e:a/**", "e:*", "e"})
	rapid.Check(t, func(t *rapid.T) {
		all := func(name string) []string { return rapid.SliceOfN(patterns, 0, 3).Draw(t, name) }
		r := Rules{Allow: all("allow"), Ask: all("ask"), Deny: all("deny"), Contained: rapid.Bool().Draw(t, "contained")}
		more := r
		more.Ask, more.Deny = append(all("more ask"), r.Ask...), append(all("more deny"), r.Deny...)
		tool, intent := "shell", command(strings.Join(rapid.SliceOfN(words, 0, 6).Draw(t, "words"), " "))
		if rapid.Bool().Draw(t, "edits") {
			tool, intent = "e", edit(rapid.SliceOfN(rapid.SampledFrom([]string{"a/b", "c", ".git/x", ""}), 0, 3).Draw(t, "paths")...)
		}
		p, err := New(r)
		if err != nil {
			t.Fatal(err)
		}
		narrow, err := New(more)
		if err != nil {
			t.Fatal(err)
		}
		if rapid.Bool().Draw(t, "consent") {
			p.Consent(tool, intent)
			narrow.Consent(tool, intent)
		}
		a, b := p.Judge(tool, intent), narrow.Judge(tool, intent)
		if order[b.Action] < order[a.Action] {
			t.Errorf("%+v with more rules is %+v", a, b)
		}
		for _, v := range []Verdict{a, b} {
			if v.Reason == "" || v.Contained && (v.Action != Allow || tool != "shell") {
				t.Errorf("%+v", v)
			}
		}
	})
}

func TestPoliciesAreSafeForConcurrentUse(t *testing.T) {
	p := mustNew(t, Rules{})
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			c := command(fmt.Sprintf("make %d", i))
			p.Consent("shell", c)
			p.Consent("tool", unknown("x"))
			if v := p.Judge("shell", c); v.Action != Allow {
				t.Errorf("%+v", v)
			}
		})
	}
	wg.Wait()
}

func ExampleNew() {
	p, err := New(Rules{Allow: []string{"shell:go test *"}, Deny: []string{"shell:git push *"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, text := range []string{"go test ./...", "go test ./... && make install", "cd x; git push"} {
		v := p.Judge("shell", toolbox.Intent{Effect: toolbox.Commands, Command: text})
		fmt.Printf("%s: %s, because %s\n", text, v.Action, v.Reason)
	}
	// Output:
	// go test ./...: allow, because it was allowed by name
	// go test ./... && make install: ask, because no rule allows it, and it cannot be contained: "tenfold doctor" says why
	// cd x; git push: deny, because the rule shell:git push * denies it
}

// What is asked about in spite of every rule to allow says so, and nothing else does.
func TestFirmIsWhatNoRuleAllows(t *testing.T) {
	t.Parallel()
	rules := Rules{Ask: []string{"fs_modify_file:*.lock"}, Deny: []string{"shell:rm *"}}
	for _, c := range []struct {
		tool   string
		intent toolbox.Intent
	}{
		{"fs_modify_file", edit("a")},
		{"fs_modify_file", edit("a.lock")},
		{"fs_modify_file", edit(".git/config")},
		{"shell", command("$x")},
		{"shell", command("make")},
		{"other", unknown("x")},
	} {
		before, err := New(rules)
		if err != nil {
			t.Fatal(err)
		}
		verdict := before.Judge(c.tool, c.intent)
		rules.Allow = []string{c.tool}
		after, err := New(rules)
		if err != nil {
			t.Fatal(err)
		}
		rules.Allow = nil
		if still := after.Judge(c.tool, c.intent).Action == Ask; verdict.Action != Ask || verdict.Firm != still {
			t.Errorf("%s %v: %+v; with a rule that allows it, asked about: %v", c.tool, c.intent, verdict, still)
		}
	}
}
