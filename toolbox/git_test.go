package toolbox_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tenfold"
	"tenfold/containment"
	"tenfold/toolbox"
)

func newRepository(t *testing.T) *bench {
	t.Helper()
	b := newBench(t, toolbox.Options{})
	b.git("init", "-q")
	b.git("config", "user.name", "P")
	b.git("config", "user.email", "p@example.org")
	b.git("config", "commit.gpgsign", "false")
	return b
}

func TestGitDiff(t *testing.T) {
	t.Parallel()
	b := newRepository(t)
	b.put("a.txt", "one\n")
	b.put("sub/new", "x\n")
	b.want(b.call("git_diff"), "no changes in .\n[not known to git:]\na.txt\nsub/\n")
	b.git("add", "a.txt")
	b.want(b.call("git_diff"), "+one", "sub/") // before the first commit
	b.git("commit", "-qm", "first")
	b.put("a.txt", "two\n")
	got := b.outcome("git_diff", tenfold.Success)
	b.want(got, "-one\n+two\n", "[not known to git:]\nsub/\n")
	b.git("add", "a.txt")
	b.want(b.call("git_diff", "path", "a.txt"), "-one\n+two\n", "!sub")
	b.want(b.call("git_diff", "path", "sub"), "no changes in sub\n[not known to git:]\nsub/\n")
	b.want(b.call("git_diff", "path", "--output=evil"), "no changes in --output=evil")
	b.want(b.call("git_diff", "path", ".."), "error: .. is outside the workspace")
	b.put("a.txt", strings.Repeat("long line\n", 20000))
	if got := b.call("git_diff"); len(got) > 32<<10 || !strings.Contains(got, "left out …]") {
		t.Errorf("%d bytes", len(got))
	}
	b.want(newBench(t, toolbox.Options{}).call("git_diff"), "error: git: not a git repository")
}

// What a rule denies is left out of the diff of a directory, whatever it was renamed to or from.
func TestGitDiffShowsNothingHidden(t *testing.T) {
	t.Parallel()
	b := newRepository(t)
	b.put("work/a", "plain\n")
	b.put("work/odd*[x]", "secret one\n")
	b.put("kept", strings.Repeat("secret two\n", 20))
	b.git("add", ".")
	b.git("commit", "-qm", "first")
	b.put("work/a", "plainer\n")
	b.put("work/odd*[x]", "secret three\n")
	b.git("mv", "kept", "work/shown")
	b.put("work/shown", strings.Repeat("secret two\n", 20)+"more\n")
	sub := benchAt(t, filepath.Join(b.dir, "work"), toolbox.Options{}) // whose paths are not the repository's
	for _, c := range []struct {
		bench  *bench
		hidden []string
		want   []string
	}{
		{b, []string{"work/odd*[x]", "work/shown"}, []string{"+plainer", "-secret two", "[2 files not shown: denied by a rule]\n", "!secret one", "!secret three", "!more"}},
		{b, []string{"work/odd*[x]", "kept"}, []string{"+plainer", "+more", "+secret two", "[2 files not shown: denied by a rule]\n", "!-secret", "!three"}},
		{sub, []string{"a", "odd*[x]", "shown"}, []string{"no changes in .\n[3 files not shown: denied by a rule]\n"}},
		{sub, nil, []string{"+plainer", "+secret three", "!denied"}},
	} {
		call := toolbox.Call{Arguments: "{}", Hidden: func(path string) bool { return slices.Contains(c.hidden, path) }}
		r, err := c.bench.run("git_diff", call)
		if err != nil {
			t.Fatal(err)
		}
		b.want(textOf(r), c.want...)
	}
}

// A command has only so much room, so a directory with nothing but denied files is left out
// by its name; what is shown is not left out with what is denied beside it.
func TestGitDiffLeavesOutDirectories(t *testing.T) {
	t.Parallel()
	hidden := []string{"data/a/1", "data/a/2", "data/b/c/3", "src/key", "src/keys/4", "was/file"}
	for want, shown := range map[string][]string{
		"data src was":                         nil,
		"data src/key src/keys was/file":       {"src/main", "was"},
		"data/a data/b/c src/key src/keys was": {"src/main", "data/b/x"},
	} {
		got := strings.ReplaceAll(strings.Join(toolbox.Excluding(hidden, shown), " "), ":(exclude,literal)", "")
		if got != want {
			t.Errorf("beside %q are left out %q, want %q", shown, got, want)
		}
	}
}

// A path is a path, whatever git would take it for: none leads out of the workspace.
func TestGitDiffTakesPathsAsTheyAre(t *testing.T) {
	t.Parallel()
	b := newRepository(t)
	b.put("outside", "old\n")
	b.put("work/in", "old\n")
	b.put("work/:odd", "old\n")
	b.git("add", ".")
	b.git("commit", "-qm", "first")
	b.put("outside", "secret\n")
	b.put("other", "secret\n")
	b.put("work/in", "inside\n")
	b.put("work/:odd", "odd\n")
	sub := benchAt(t, filepath.Join(b.dir, "work"), toolbox.Options{})
	for _, path := range []string{":", ":/", ":(top)", ":(top)outside", ":!in", "i*", ":/other"} {
		b.want(sub.call("git_diff", "path", path), "no changes in ", "!secret", "!+inside", "!+odd", "![not known")
	}
	b.want(sub.call("git_diff", "path", ":odd"), "+odd", "!+inside")
	b.want(sub.call("git_diff"), "+odd", "+inside", "!secret")
}

func TestGitCommit(t *testing.T) {
	t.Parallel()
	b := newRepository(t)
	b.put("a", "1\n")
	b.put("b", "1\n")
	b.git("add", "a")
	b.want(b.outcome("git_commit", tenfold.Success, "message", "Only a\n\n-- it's \"the body\""), "Only a", "1 file changed", "create mode 100644 a")
	b.want(b.outcome("git_commit", tenfold.Success, "message", "All"), "create mode 100644 b")
	b.want(b.git("log", "--format=%B%an"), "All\n", "Only a\n\n-- it's \"the body\"\n", "P\n")
	if containment.Check(containment.Grant{Write: []string{b.dir}}) == nil {
		b.put("c", "1\n")
		if r, err := b.run("git_commit", toolbox.Call{Arguments: arguments("message", "Contained"), Contained: true}); err != nil || r.Outcome != tenfold.Success {
			t.Errorf("%q, %v", textOf(r), err)
		}
	}
	b.want(b.outcome("git_commit", "exit 1", "message", "Nothing"), "nothing to commit", "[exit code 1]")
	if err := os.Mkdir(filepath.Join(b.dir, "empty"), 0o700); err != nil {
		t.Fatal(err)
	}
	inner := benchAt(t, filepath.Join(b.dir, "empty"), toolbox.Options{})
	inner.git("init", "-q") // a repository without a commit cannot be added
	b.want(b.outcome("git_commit", "exit 128", "message", "With it"), "does not have a commit", "!nothing")
	if err := os.RemoveAll(inner.dir); err != nil {
		t.Fatal(err)
	}
	b.want(b.call("git_commit", "message", " "), "error: the message is empty")
	b.put(".git/hooks/pre-commit", "#!/bin/sh\necho refused by hook; exit 1\n")
	if err := os.Chmod(filepath.Join(b.dir, ".git/hooks/pre-commit"), 0o700); err != nil {
		t.Fatal(err)
	}
	b.put("a", "2\n")
	b.want(b.outcome("git_commit", "exit 1", "message", "Hooked"), "refused by hook")
}

// A repository comes from a stranger: looking at it runs nothing that it names,
// and shows nothing from outside.
func TestLookingAtARepositoryRunsNothing(t *testing.T) {
	t.Parallel()
	b := newRepository(t)
	b.put("a.txt", "one\n")
	b.put(".gitattributes", "* filter=f=g.h diff=d\n")
	b.git("add", ".")
	b.git("commit", "-qm", "first")
	mark := filepath.Join(b.dir, "..", filepath.Base(b.dir)+"-ran")
	program := filepath.Join(b.dir, "evil")
	b.put("evil", "#!/bin/sh\necho $0 $@ >> '"+mark+"'\ncat\n")
	if err := os.Chmod(program, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"core.fsmonitor", "diff.external", "diff.d.command", "diff.d.textconv", "filter.f=g.h.clean", "filter.f=g.h.process", "core.pager", "pager.diff", "core.sshCommand"} {
		b.git("config", key, program)
	}
	b.git("config", "filter.f=g.h.required", "true")
	for _, hook := range []string{"post-index-change", "fsmonitor-watchman", "post-checkout"} {
		b.put(".git/hooks/"+hook, "#!/bin/sh\nexec "+program+"\n")
		if err := os.Chmod(filepath.Join(b.dir, ".git/hooks", hook), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.RemoveAll(mark); err != nil { // what the set-up ran
		t.Fatal(err)
	}
	b.put("a.txt", "two\n")
	b.want(b.call("git_diff"), "-one\n+two\n")
	b.call("fs_list_files")
	b.call("fs_grep_files", "pattern", "two")
	if ran, err := os.ReadFile(mark); err == nil {
		t.Errorf("ran:\n%s", ran)
	}
	status := exec.CommandContext(t.Context(), "git", "status")
	status.Dir = b.dir
	_ = status.Run() // the trap works
	if _, err := os.ReadFile(mark); err != nil {
		t.Error("the test would see nothing")
	}

	secret := t.TempDir()
	if err := os.WriteFile(filepath.Join(secret, "a.txt"), []byte("SECRET\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	b.git("config", "core.worktree", secret)
	b.want(b.call("git_diff"), "error: the work tree of this repository is not the workspace", "!SECRET")
}

func TestGitIgnoresItsEnvironment(t *testing.T) {
	other := newRepository(t)
	other.put("theirs", "x\n")
	other.git("add", ".")
	b := newRepository(t)
	b.put("ours", "x\n")
	t.Setenv("GIT_DIR", filepath.Join(other.dir, ".git"))
	t.Setenv("GIT_EXTERNAL_DIFF", "/bin/false")
	b.want(b.call("git_diff"), "ours", "!theirs")
}
