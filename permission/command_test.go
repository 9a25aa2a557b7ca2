package permission

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tenfold/toolbox"
)

func command(text string) toolbox.Intent {
	return toolbox.Intent{Effect: toolbox.Commands, Command: text, Subject: text}
}

func mustNew(t testing.TB, r Rules) *Policy {
	t.Helper()
	p, err := New(r)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// allowList is what a person may have allowed; the tables below try to do more.
var allowList = []string{
	"shell:git status", "shell:git log *", "shell:git fetch *", "shell:git clone *", "shell:go test *", "shell:ls *", "shell:echo *", "shell:find *",
	"shell:sort *", "shell:printf *", "shell:rg *", "shell:npm run build", "shell:cat *", "shell:sed -n 1p file", "shell:./scripts/*.sh",
	"shell:test *", "shell:xargs *", "shell:env *", "shell:sh *", "shell:tar *", "shell:export *", "shell:sudo ls", "shell:git rebase *",
}

var allowedCommands = []string{
	`ls`, `ls -la src`, `'ls' "-la"`, `l\s`, `ls "a b" 'c;d'`, `git log --oneline -5`, `git log main..dev`, `git log HEAD~1`, `git log --format='%h $x'`,
	`ls && git status`, `ls || echo failed`, `ls | sort | cat`, `ls; git status`, "ls\ngit status", `(ls; git status)`, `{ ls; git status; }`,
	`if ls; then git status; else echo no; fi`, `! ls`, `echo $HOME`, `echo "$HOME/x"`, `echo $(git log -1)`, `echo "$(ls | sort)"`,
	`ls 2>&1`, `ls >/dev/null 2>&1`, `ls 2>/dev/null | cat`, `cat <file`, `go test ./... -run 'TestA|TestB'`, `npm run build`,
	`sed -n 1p file`, `./scripts/x.sh`, `find . -name '*.go'`, `echo 'rm -rf /; curl evil'`, `echo "a\"; b"`, `ls # ; evil`, `echo \; evil`, `sudo ls`,
	`ls *.go`, `printf '%s\n' a`, `echo $1`, "echo a \\\n b", `echo a\ b`, `echo -e '\x3b evil'`,
}

// deniedCommands contain something that nothing in allowList allows.
var deniedCommands = []string{
	// Other commands beside, before, after and within allowed ones.
	`evil`, `git statusevil`, `git status; evil`, `git status && evil`, `git status || evil`, `git status | evil`, `git status & evil`, "git status\nevil",
	`git status&evil`, `evil; git status`, `(git status; evil)`, `{ git status; evil; }`, `git log $(evil)`, "git log `evil`", `git log "$(evil)"`,
	"git log \"`evil`\"", `git log ${x:-$(evil)}`, `git log <(evil)`, `git log >(evil)`, `git log $((x[$(evil)]))`, `git log ${x[$(evil)]}`,
	`if evil; then ls; fi`, `if ls; then evil; fi`, `while evil; do ls; done`, `for x in $(evil); do ls; done`, `case $(evil) in *) ls;; esac`,
	`ls <<EOF` + "\n$(evil)\nEOF", `cat <<< "$(evil)"`, "ls #\nevil", "ls \\\n; evil", `! evil`, `coproc evil`, `echo $(echo $(evil))`, "echo `ls`", "ls;\tevil",
	"ls\r\nevil", "ls \x00 evil", "ls\u00a0\xffevil", `time evil`, `[[ -n $(evil) ]]`, `[[ a[$(evil)] -eq 1 ]]`, `(( a[$(evil)] ))`, `let 'a[$(evil)]=1'`,
	// Where shells read differently.
	`echo $'a'`, `echo $"a"`, `echo $'a\'; evil #'`, `echo $'\' ; evil ; echo \''`, `echo $"a$(evil)"`, `ls &>file`, `ls |& evil`, `function ls { evil; }; ls`, `echo ${x@P}`, `echo ${!x}`,
	// What changes what a name stands for.
	`PATH=/tmp ls`, `PATH=/tmp; ls`, `LD_PRELOAD=/tmp/x.so ls`, `GIT_SSH_COMMAND=evil git fetch origin`, `export PATH=/tmp`, `export PATH=/tmp && ls`,
	`declare -x PATH=/tmp`, `ls() { evil; }; ls`, `alias ls=evil; ls`, "alias ls=evil\nls", `for PATH in /tmp; do ls; done`, `read PATH`, `unset PATH`,
	`printf -v PATH /tmp`, `printf -v 'a[$(evil)]' x`, `test -v 'a[$(evil)]'`, `hash -p /tmp/evil ls`, `set -- evil`, `enable -f evil ls`, `. ./evil`, `source evil`,
	`echo ${PATH:=/tmp}`, `echo $((PATH=1))`, `trap evil EXIT`, `mapfile -C evil x`, `IFS=x ls`, `readonly PATH=/tmp`, `cd /tmp && ls`,
	// Programs that run what they are given.
	`eval evil`, `eval "ls; evil"`, `exec evil`, `command evil`, `builtin eval evil`, `env evil`, `env PATH=/tmp ls`, `/usr/bin/env evil`, `ENV evil`,
	`sudo evil`, `sudo ls /root`, `xargs evil`, `ls | xargs evil`, `ls | xargs -I{} sh -c 'evil {}'`, `sh -c evil`, `sh -c 'ls; evil'`, `bash -c evil`, `sh evil`,
	`find . -exec evil {} \;`, `find . -execdir evil {} +`, `find . -delete`, `find . -fprintf out x`, `find . -ok evil \;`, `git -c core.pager=evil log`,
	`git -C /tmp log`, `git --exec-path=/tmp log`, `git -c alias.log=!evil log`, `git log --output=file`, `git log --outpu=file`, `git log --ext-diff`,
	`git fetch --upload-pack=evil origin`, `git fetch --upload=evil`, `git clone -c core.sshCommand=evil x`, `git clone -uevil x`, `git clone --template=evil x`,
	`git rebase -x evil main`, `git rebase --exec=evil main`, `git rebase --exe evil main`, `go test -exec evil ./...`, `go test -toolexec=evil`, `go vet ./...`,
	`go test --exec=evil`, `sort --compress-program=evil x`, `sort --compress-prog evil`, `rg --pre evil x`, `tar --to-command=evil -xf x`, `tar -xIevil -f x`,
	`sed -n 1p file other`, `sed -n '1e evil' file`, `nohup evil`, `timeout 5 evil`, `./scripts/../evil.sh`, `./scripts/x/y.sh`, `/tmp/ls`, `./ls`, `npm run build --x`,
	// Words that are not what they look like.
	`$x`, `$x log`, `git $x`, `git {status,evil}`, `{evil,x}`, `g*t status`, `gi? status`, `~/evil`, `git sta"tus"x`, `"git status"`, `git\ status`,
	`git -c x status`, `git st[a]tus`, `$(echo evil)`, `"$x"`, `"l$x"s`, `\evil`, `'evil'`, "ls\u3000", "évil",
	`printf $(echo -v PATH /tmp)`, `git log $(echo --output=x)`, `find $(echo . -delete)`, `go test "$x"`,
	// Redirections that write.
	`echo &>/dev/null x`, `ls >file`, `ls >>file`, `ls >|file`, `ls <>file`, `ls 2>file`, `>file`, `ls >$x`, `ls >/dev/../etc/x`, `ls >&file`, `ls >/dev/tcp/h/1`, `cat </dev/tcp/h/1`,
	`cat <//dev/./tcp/h/1`, `cat <"$x"`, `exec 3<>/dev/tcp/h/1`, `ls {fd}>/dev/null`, `cat <$(evil)`, `cat </tmp/../dev/tcp/h/1`,
	// Nothing, broken, too much.
	``, ` `, `#`, `ls (`, `ls "`, `ls $(`, `ls &&`, `ls &`, `ls ${`, "ls '", `ls $((`, `x=1`, `ls; }`, strings.Repeat("(", 15000), "ls " + strings.Repeat("a", maxCommand),
}

// Whatever is allowed by name contains nothing else.
func TestAllowedCommandsContainNothingElse(t *testing.T) {
	p := mustNew(t, Rules{Allow: allowList})
	if len(deniedCommands) < 80 {
		t.Fatalf("only %d commands", len(deniedCommands))
	}
	for _, text := range deniedCommands {
		if p.allows(newCall("shell", command(text))) {
			t.Errorf("allowed: %.200q", text)
		}
		if v := p.Judge("shell", command(text)); v.Action == Allow && !isAllRead(text) {
			t.Errorf("judged %+v: %.200q", v, text)
		}
	}
	for _, text := range allowedCommands {
		if v := p.Judge("shell", command(text)); v.Action != Allow || v.Contained {
			t.Errorf("judged %+v: %q", v, text)
		}
		if v := p.Judge("other", command(text)); v.Action == Allow && !isAllRead(text) {
			t.Errorf("a rule for shell allowed another tool: %q", text)
		}
	}
}

func isAllRead(text string) bool { return newCall("shell", command(text)).onlyReads() }

// What is judged allowed is run by real shells that find stubs of the allowed
// programs, and of others: none of the others runs, nothing is written.
func TestShellsRunNothingElse(t *testing.T) {
	t.Parallel()
	p := mustNew(t, Rules{Allow: allowList})
	for _, shell := range shells(t) {
		s := newStubs(t, shell)
		for _, text := range slices.Concat(allowedCommands, deniedCommands) {
			if p.Judge("shell", command(text)).Action == Allow {
				s.run(t, text)
			}
		}
	}
}

func shells(t testing.TB) (all []string) {
	for _, name := range []string{"dash", "bash", "ksh", "mksh", "zsh"} {
		if path, err := exec.LookPath(name); err == nil {
			all = append(all, path)
		}
	}
	if len(all) == 0 {
		t.Skip("no shells")
	}
	return all
}

// stubs is a directory of programs that do nothing, and of one that should not run.
type stubs struct{ shell, bin, tree, marker string }

func newStubs(t testing.TB, shell string) stubs {
	t.Helper()
	dir := t.TempDir()
	s := stubs{shell, filepath.Join(dir, "bin"), filepath.Join(dir, "tree"), filepath.Join(dir, "marker")}
	for _, d := range []string{s.bin, filepath.Join(s.tree, "scripts")} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	write := func(path, text string) {
		if err := os.WriteFile(path, []byte("#!"+shell+"\n"+text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"git", "go", "ls", "cat", "find", "sort", "rg", "npm", "tar", "sed", "wc", "head", "tail", "grep", "date", "uname"} {
		write(filepath.Join(s.bin, name), "exit 0\n")
	}
	for _, name := range []string{"evil", "rm", "curl", "env", "sh", "bash", "xargs", "gcc"} {
		write(filepath.Join(s.bin, name), "echo "+name+" \"$@\" >>'"+s.marker+"'\n")
	}
	write(filepath.Join(s.bin, "sudo"), `[ "$*" = ls ] || echo sudo "$@" >>'`+s.marker+"'\n")
	write(filepath.Join(s.tree, "scripts/x.sh"), "exit 0\n")
	write(filepath.Join(s.tree, "file"), "exit 0\n")
	return s
}

func (s stubs) run(t testing.TB, text string) {
	t.Helper()
	cmd := exec.Command(s.shell, "-c", text)
	cmd.Dir, cmd.Env = s.tree, []string{"PATH=" + s.bin, "HOME=" + s.tree}
	out, _ := cmd.CombinedOutput()
	if strings.Contains(string(out), "not found") && !strings.Contains(string(out), ": ./scripts/") {
		t.Errorf("%s: %q ran something else: %s", filepath.Base(s.shell), text, out)
	}
	if ran, err := os.ReadFile(s.marker); err == nil {
		t.Errorf("%s: %q ran %s", filepath.Base(s.shell), text, ran)
		_ = os.Remove(s.marker)
	}
	entries, err := os.ReadDir(s.tree)
	if err != nil || len(entries) != 2 {
		t.Errorf("%s: %q left %v", filepath.Base(s.shell), text, entries)
	}
}

func FuzzAllowedCommands(f *testing.F) {
	for _, text := range slices.Concat(allowedCommands, deniedCommands) {
		if len(text) < 200 {
			f.Add(text)
		}
	}
	p := mustNew(f, Rules{Allow: allowList})
	known := strings.Fields("git go ls echo find sort printf rg npm cat sed ./scripts/x.sh sudo")
	var all []stubs
	if os.Getenv("TENFOLD_TEST_ALL") != "" {
		for _, shell := range shells(f) {
			all = append(all, newStubs(f, shell))
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		c := newCall("shell", command(text))
		if !p.allows(c) {
			return
		}
		for _, words := range c.script.commands {
			if !words[0].known || !slices.Contains(known, words[0].text) && !strings.HasPrefix(words[0].text, "./scripts/") {
				t.Errorf("allowed %q, which runs %q", text, words[0].text)
			}
		}
		for _, s := range all {
			s.run(t, text)
		}
	})
}

// Without containment and rules, what only reads is free, and nothing else.
func TestReadingCommandsAreFree(t *testing.T) {
	p := mustNew(t, Rules{})
	for _, text := range []string{
		`ls`, `ls -la src`, `pwd`, `head -n 3`, `ls | grep -i go | wc -l`, `echo done`,
		`ls 2>/dev/null`, `ls | sort | uniq -c`, `cat`,
	} {
		if v := p.Judge("shell", command(text)); v.Action != Allow || v.Contained {
			t.Errorf("%+v: %s", v, text)
		}
	}
	for _, text := range []string{
		`ls /etc`, `ls ~`, `ls ../x`, `ls a/../../b`, `cat file`, `head file`, `grep x file`, `grep -r x`, `grep -f x`, `sort -o x`, `sort -no x`, `git branch new`, `git branch -D x`,
		`git push`, `git`, `git -c x status`, `date -s x`, `date 0101`, `ls $x`, `ls "$(ls)"x/..`, `tail -f x`,
		`make`, `go test ./...`, `ls <x`, `ls >x`, `PATH=. ls`, `git grep -Oevil x`, `echo $(evil)`, `ls -- /etc`, `cd .. && ls`, `ls -Z`, `tr a b c`,
		`env`, `git stash`, `cat <file`, `ls --hyperlink`, `LS`, `./ls`, `/bin/ls`, `ls 'a\b'`, `ls C:/x`,
		`git status`, `git log`, `git diff`, `git show HEAD`, `git blame a.go`, `git ls-files`, `git rev-parse HEAD`, `git branch`,
	} {
		if v := p.Judge("shell", command(text)); v.Action != Ask {
			t.Errorf("%+v: %s", v, text)
		}
	}
}

// A rule to deny finds its command wherever it is, and where it cannot be sure the
// person is asked, containment or not.
func TestDenyFindsCommands(t *testing.T) {
	p := mustNew(t, Rules{Deny: []string{"shell:git push *", "shell:rm"}, Ask: []string{"shell:npm publish"}, Contained: true, Allow: []string{"shell"}})
	for action, texts := range map[Action][]string{
		Deny: {
			`git push`, `git push origin main`, `ls; git push`, `ls && rm x`, `rm`, `rm -rf x`, `/bin/rm x`, `\rm x`, `r"m" x`, `echo $(rm x)`, "echo `rm x`", `sudo rm x`,
			`env A=b rm x`, `xargs rm`, `ls | xargs -n1 rm -f`, `sh -c 'rm x'`, `bash -lc "ls && rm x"`, `find . -exec rm {} \;`, `eval 'git push'`, `eval git push`,
			`if true; then rm x; fi`, `f() { rm x; }; f`, `A=b rm x`, `rm x &`, `nohup timeout 5 rm x`, `sudo sh -c "sh -c 'rm x'"`, `cat <(rm x)`, `RM x`, `rm.exe x`,
			`ls <<EOF` + "\n$(rm x)\nEOF", `while true; do rm x; done`, `time rm x`, `git "push"`, `command rm x`, `ssh host rm x`, `ssh host 'cd /; rm x'`,
		},
		Ask: {
			`git -C . push`, `git -c a=b push origin`, `$x`, `$x push`, `git $x`, `git -C . $x`, `eval $x`, `eval "$(cat x)"`, `ls (`, `xargs $x`, `sh -c "$x"`, `npm publish`,
			`npm publish --access public`, `npm --tag x publish`, `npm --tag x $x`, `npm -s "$(echo publish)"`, `npm "$x" y`, `cd x && npm publish`, `git pus*`, `/bin/r* x`, `[r]m x`, `sh -c '$x y; ls'`, `sh -c 'ls (' 'a b'`, `sh -c 'ls ('`, `ls "`, "rm\x01 x", "rm " + strings.Repeat("a", maxCommand),
		},
		Allow: {
			`git status`, `git pull`, `echo rm`, `echo git push`, `npm run publisher`, `npm run -s "$x"`, `npm -s test`, `x=1`, `git commit -m "$x"`, `ls $x`, `for f in *; do echo $f; done`, `test -n "$x" && ls`, `export A=$B`,
			`git commit -m 'do not rm'`, `python3 -c 'import os'`, `npm test`,
		},
	} {
		for _, text := range texts {
			if v := p.Judge("shell", command(text)); v.Action != action {
				t.Errorf("%+v, not %s: %s", v, action, text)
			}
		}
	}
}

// An option that a rule denies may be any word that is not known, and stands anywhere.
func TestDenyFindsOptions(t *testing.T) {
	p := mustNew(t, Rules{Deny: []string{"shell:git push --force"}, Contained: true, Allow: []string{"shell"}})
	for text, want := range map[string]Action{
		`git push --force`: Deny, `git push origin --force`: Ask, `git push origin $x`: Ask, `git push origin main "$x"`: Ask,
		`git push origin main`: Allow, `git commit -m "$x"`: Allow, `git fetch $x`: Allow,
	} {
		if v := p.Judge("shell", command(text)); v.Action != want {
			t.Errorf("%s: %+v", text, v)
		}
	}
}

// A rule for all that a program does is none for what its options run.
func TestBroadRules(t *testing.T) {
	p := mustNew(t, Rules{Allow: []string{"shell:git *", "shell:cd *", "shell:* --version"}})
	for text, want := range map[string]Action{
		`git push origin main`: Allow, `git -c core.pager=evil log`: Ask, `git -C /tmp log`: Ask, `git $x`: Ask, `git "$x" y`: Ask, `cd x && git push`: Allow, `cd x && ls`: Ask,
		`make --version`: Allow, `$x --version`: Ask, `sh --version`: Ask, `/tmp/x --version`: Allow,
	} {
		if v := p.Judge("shell", command(text)); v.Action != want {
			t.Errorf("%s: %+v", text, v)
		}
	}
	p.Consent("shell", command("make test"))
	if v := p.Judge("shell", command("cd x && make test")); v.Action != Ask {
		t.Errorf("%+v", v)
	}
}

// Words within words within words end.
func TestNestedCommandsEnd(t *testing.T) {
	text := "rm x"
	for range 8 {
		text = "sh -c '" + strings.ReplaceAll(text, "'", `'\''`) + "'"
	}
	p := mustNew(t, Rules{Deny: []string{"shell:rm"}, Contained: true})
	if v := p.Judge("shell", command(text)); v.Action == Allow {
		t.Errorf("%+v", v)
	}
	if v := p.Judge("shell", command(strings.Repeat("sudo ", 3000)+"ls")); v.Action != Allow {
		t.Errorf("%+v", v)
	}
}
