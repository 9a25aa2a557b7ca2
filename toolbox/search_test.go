package toolbox_test

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tenfold/toolbox"
)

// git runs git in the workspace as the person would.
func (b *bench) git(args ...string) string {
	b.Helper()
	cmd := exec.CommandContext(b.Context(), "git", append([]string{"-c", "user.name=P", "-c", "user.email=p@example.org", "-c", "commit.gpgsign=false"}, args...)...)
	cmd.Dir = b.dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		b.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return string(out)
}

func TestListFiles(t *testing.T) {
	t.Parallel()
	b := newBench(t, toolbox.Options{})
	b.want(b.call("fs_list_files"), "no files in .")
	b.put("b.go", "")
	b.put("a/x.go", "")
	b.put("a/deep/er/y.go", "")
	b.put(".hidden", "")
	b.put(".svn/entries", "")
	b.put("odd\nname\x1b[2J", "")
	b.link("b.go", "link")
	b.link("a", "dirlink")
	if got, want := b.call("fs_list_files"), ".hidden\na/deep/er/y.go\na/x.go\nb.go\ndirlink\nlink\nodd↵ name\\x1b[2J\n"; got != want {
		t.Errorf("got %q", got)
	}
	if got, want := b.call("fs_list_files", "path", "./a/"), "a/deep/er/y.go\na/x.go\n"; got != want {
		t.Errorf("got %q", got)
	}
	b.want(b.call("fs_list_files", "path", "dirlink"), "dirlink/deep/er/y.go\ndirlink/x.go\n")
	b.want(b.call("fs_list_files", "path", "b.go"), "b.go\n")
	b.want(b.call("fs_list_files", "path", "c"), "error: c does not exist")
	b.want(b.call("fs_list_files", "path", "../"), "error: ../ is outside the workspace")

	// With git: what it ignores is left out, unless that is all there is.
	b.git("init", "-q")
	b.put(".gitignore", "*.log\nbuild/\n")
	b.put("a/x.log", "")
	b.put("build/out", "")
	b.put("gone", "")
	b.git("add", "gone", "b.go")
	if err := os.Remove(filepath.Join(b.dir, "gone")); err != nil {
		t.Fatal(err)
	}
	b.want(b.call("fs_list_files"), "a/x.go\n", "b.go\n", ".gitignore\n", "!x.log", "!build", "!gone", "!.git/")
	b.want(b.call("fs_list_files", "path", "build"), "build/out\n")
	b.want(b.call("fs_list_files", "path", ".git"), ".git/config\n", ".git/HEAD\n")
}

func TestLongListsAreFolded(t *testing.T) {
	t.Parallel()
	b := newBench(t, toolbox.Options{})
	for i := range 300 {
		b.put(fmt.Sprintf("big/f%03d", i), "")
	}
	for i := range 60 {
		b.put(fmt.Sprintf("mid/sub%d/f", i), "")
	}
	b.put("small/a/b", "")
	got := b.call("fs_list_files")
	b.want(got, "big/ (300 files)\n", "mid/ (60 files)\n", "small/ (1 file)\n", "[361 files in all]\n", "!big/f")
	b.want(b.call("fs_list_files", "path", "mid"), "mid/sub0/f\n", "mid/sub59/f\n")
	got = b.call("fs_list_files", "path", "big")
	b.want(got, "big/f000\n", "big/f199\n", "[100 more; narrow the path or the pattern]", "!big/f200")
	short := benchAt(t, b.dir, toolbox.Options{Limit: 1000})
	if got := short.call("fs_list_files", "path", "big"); len(got) > 1000 || !strings.Contains(got, " more; narrow") {
		t.Errorf("%d bytes: %q", len(got), got)
	}
}

// Every file of a tree is either listed or counted once, whatever the tree.
func TestListsAccountForEveryFile(t *testing.T) {
	t.Parallel()
	counted := regexp.MustCompile(`/ \(([\d,]+) files?\)$`)
	rapid.Check(t, func(t *rapid.T) {
		part := rapid.SampledFrom([]string{"a", "a-", "中", "a.", "b", "c", "é", "dd"})
		all := map[string]bool{}
		for range rapid.IntRange(1, 12).Draw(t, "dirs") {
			dir := strings.Join(rapid.SliceOfN(part, 1, 4).Draw(t, "dir"), "/")
			n := rapid.IntRange(1, 60).Draw(t, "files")
			for i := range n {
				name := fmt.Sprintf("%s/f%d", dir, i)
				all[name] = true
			}
		}
		rows := toolbox.Outline(slices.Sorted(maps.Keys(all)))
		first, _, _ := strings.Cut(rows[0], "/")
		last, _, _ := strings.Cut(rows[len(rows)-1], "/")
		if len(rows) > 200 && first != last { // a directory of many files alone is not folded
			t.Fatalf("%d rows", len(rows))
		}
		for _, row := range rows {
			if m := counted.FindStringSubmatch(row); m != nil {
				n, prefix := 0, strings.TrimSuffix(row, m[0])+"/"
				for name := range all {
					if strings.HasPrefix(name, prefix) {
						n++
						delete(all, name)
					}
				}
				if fmt.Sprint(n) != m[1] {
					t.Fatalf("%s has %d", row, n)
				}
				continue
			}
			if !all[row] {
				t.Fatalf("%s is listed twice or does not exist", row)
			}
			delete(all, row)
		}
		if len(all) > 0 {
			t.Fatalf("not listed: %v", all)
		}
	})
}

func TestFindFiles(t *testing.T) {
	t.Parallel()
	b := newBench(t, toolbox.Options{})
	for _, name := range []string{"a.go", "x/a.go", "x/y/a_test.go", "x/y/z/b.txt", "x/[b].go"} {
		b.put(name, "")
	}
	for pattern, want := range map[string]string{
		"*.go":          "a.go\nx/[b].go\nx/a.go\nx/y/a_test.go\n",
		"./a.go":        "a.go\nx/a.go\n",
		"x/*.go":        "x/[b].go\nx/a.go\n",
		"x/**/*.go":     "x/[b].go\nx/a.go\nx/y/a_test.go\n",
		"**/y/**":       "x/y/a_test.go\nx/y/z/b.txt\n",
		"x/**/z/**/b.*": "x/y/z/b.txt\n",
		"[ab].go":       "a.go\nx/a.go\n",
		`x/\[b\].go`:    "x/[b].go\n",
		"x/y":           "no file matches x/y among 5 files\n",
		"[!a].go":       "no file matches [!a].go among 5 files\n",
		"{a,b}":         "no file matches {a,b} among 5 files\n",
		"../*":          "no file matches ../* among 5 files\n",
		"[z-a]":         "error: invalid pattern [z-a]; use names",
		"":              "error: invalid pattern",
	} {
		if got := b.call("fs_find_files", "pattern", pattern); got != want && (!strings.HasPrefix(want, "error") || !strings.HasPrefix(got, want)) {
			t.Errorf("%s: got %q, want %q", pattern, got, want)
		}
	}
	b.want(b.call("fs_find_files", "pattern", "y/*.go", "path", "x"), "x/y/a_test.go\n")
	b.want(b.call("fs_find_files", "pattern", strings.Repeat("**/", 400)), "error")
}

// A glob says what the definition of ** by trying everything says.
func TestGlobsMatchAsDefined(t *testing.T) {
	t.Parallel()
	var naive func(p, n []string) bool
	naive = func(p, n []string) bool {
		switch {
		case len(p) == 0:
			return len(n) == 0
		case p[0] == "**":
			return (len(p) > 1 && naive(p[1:], n)) || (len(n) > 0 && (naive(p, n[1:]) || len(p)+len(n) == 2))
		case len(n) == 0:
			return false
		}
		ok, _ := path.Match(p[0], n[0])
		return ok && naive(p[1:], n[1:])
	}
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "*", "**", "a*", "?"}), 2, 7).Draw(t, "pattern")
		name := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "ab"}), 1, 8).Draw(t, "name")
		got, err := toolbox.MatchGlob(strings.Join(parts, "/"), strings.Join(name, "/"))
		if err != nil || got != naive(parts, name) {
			t.Fatalf("%v matches %v: %v, %v", parts, name, got, err)
		}
	})
}

// A class stands for one character of a name, and for those that are not in it only where
// it begins so.
func TestGlobClasses(t *testing.T) {
	t.Parallel()
	for pattern, names := range map[string]string{
		"/x[a!]y": "/xay /x!y", "/x[!a]y": "/xby /x!y /x^y /x-y", "/x[^a]y": "/xby /x!y /x^y /x-y", "/x[a-c]y": "/xay /xby", "/x[!]y": "/x!y",
		"/x[!-b]y": "/xay /x!y /x^y", "/x[!-]y": "/xay /xby /x!y /x^y",
	} {
		var got []string
		for _, name := range []string{"/xay", "/xby", "/x!y", "/x^y", "/x-y", "/x/y"} {
			if ok, _ := toolbox.MatchGlob(pattern, name); ok {
				got = append(got, name)
			}
		}
		if strings.Join(got, " ") != names {
			t.Errorf("%s matches %q, want %q", pattern, got, names)
		}
	}
}

func TestGrepFiles(t *testing.T) {
	t.Parallel()
	b := newBench(t, toolbox.Options{})
	b.put("a.go", "func A() {}\r\nfunc B() {}\n")
	b.put("sub/b.txt", "a func\nnothing\n"+strings.Repeat("x", 3000)+"needle"+strings.Repeat("y", 3000)+"\n")
	b.put("bin", "func\x00")
	b.put("latin", "caf\xe9 func\n")
	b.link("a.go", "alias")
	for _, c := range []struct {
		args []any
		want string
	}{
		{[]any{"pattern", "func [AB]"}, "a.go:1:func A() {}\na.go:2:func B() {}\n[1 file not searched: binary, too large or not readable]\n"},
		{[]any{"pattern", `\{\}$`, "path", "a.go"}, "a.go:1:func A() {}\na.go:2:func B() {}\n"},
		{[]any{"pattern", "func A", "path", "alias"}, "alias:1:func A() {}\n"},
		{[]any{"pattern", "^a", "path", "sub"}, "sub/b.txt:1:a func\n"},
		{[]any{"pattern", "(?i)FUNC", "files", "*.txt"}, "sub/b.txt:1:a func\n"},
		{[]any{"pattern", "caf. func", "files", "latin"}, "latin:1:caf\uFFFD func\n"},
		{[]any{"pattern", "needle"}, "sub/b.txt:3:…" + strings.Repeat("x", 80) + "needle" + strings.Repeat("y", 154) + "…\n[1 file not searched: binary, too large or not readable]\n"},
		{[]any{"pattern", "zzz", "path", "sub"}, "no match in 1 file\n"},
		{[]any{"pattern", "("}, "error: invalid pattern: error parsing regexp: missing closing ): `(`"},
		{[]any{"pattern", "a", "files", "[b-a]"}, "error: invalid pattern [b-a]; use names with *, ?, [a-z] and ** between slashes"},
		{[]any{"pattern", "a", "path", "none"}, "error: none does not exist"},
	} {
		if got := b.call("fs_grep_files", c.args...); got != c.want {
			t.Errorf("%v: got %q, want %q", c.args, got, c.want)
		}
	}
	hidden := toolbox.Call{Arguments: arguments("pattern", "func"), Hidden: func(path string) bool { return path != "a.go" && path != "bin" }}
	if r, err := b.run("fs_grep_files", hidden); err != nil || textOf(r) != "a.go:1:func A() {}\na.go:2:func B() {}\n[1 file not searched: binary, too large or not readable]\n[2 files not searched: denied by a rule]\n" {
		t.Errorf("with hidden files: %q, %v", textOf(r), err)
	}
	// Nor does a link lead to one.
	b.put("kept/key", "func secret\n")
	b.link("kept", "way")
	if err := os.Mkdir(filepath.Join(b.dir, "two"), 0o700); err != nil {
		t.Fatal(err)
	}
	b.link("../kept/key", "two/link")
	hidden.Hidden = func(path string) bool { return strings.HasPrefix(path, "kept/") }
	for _, dir := range []string{"kept", "way", "two"} {
		hidden.Arguments = arguments("pattern", "func", "path", dir)
		if r, err := b.run("fs_grep_files", hidden); err != nil || textOf(r) != "no match in 0 files\n[1 file not searched: denied by a rule]\n" {
			t.Errorf("hidden files below %s: %q, %v", dir, textOf(r), err)
		}
	}
	// What is denied is not even read: of many large files that took all the time of the search.
	b.put("late", "before\n")
	hidden.Arguments = arguments("pattern", "asked", "path", "late")
	hidden.Hidden = func(string) bool { b.put("late", "asked\n"); return false }
	if r, err := b.run("fs_grep_files", hidden); err != nil || !strings.HasPrefix(textOf(r), "late:1:asked\n") {
		t.Errorf("it was read before it was asked about: %q, %v", textOf(r), err)
	}
	b.put("many", strings.Repeat("hit\n", 500))
	b.put("more", strings.Repeat("hit\n", 2000))
	b.want(b.call("fs_grep_files", "pattern", "hit"), "many:100:hit\n", "[100 of 2,500 matching lines in 2 files; narrow the pattern or the path]", "!many:101")
	short := benchAt(t, b.dir, toolbox.Options{Limit: 1000})
	if got := short.call("fs_grep_files", "pattern", "hit"); len(got) > 1000 {
		t.Errorf("%d bytes", len(got))
	}
}

// What may not be read is named: a list or a search without it would pass for whole.
func TestUnreadableDirectoriesAreNamed(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 || runtime.GOOS == "windows" {
		t.Skip("everything may be read here")
	}
	b := newBench(t, toolbox.Options{})
	b.put("open/a.txt", "needle\n")
	b.put("shut/b.txt", "needle\n")
	shut := filepath.Join(b.dir, "shut")
	if err := os.Chmod(shut, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(shut, 0o700) })
	const told = "[not readable: shut/]\n"
	for tool, want := range map[string]string{"fs_list_files": "open/a.txt\n", "fs_find_files": "open/a.txt\n", "fs_grep_files": "open/a.txt:1:needle\n"} {
		pattern := map[string]string{"fs_find_files": "*.txt", "fs_grep_files": "needle"}[tool]
		arguments := []any{"pattern", pattern}
		if pattern == "" {
			arguments = nil
		}
		if got := b.call(tool, arguments...); got != want+told {
			t.Errorf("%s gives %q", tool, got)
		}
	}
	b.want(b.call("fs_find_files", "pattern", "*.go"), "no file matches *.go among 1 file\n"+told)
	b.want(b.call("fs_list_files", "path", "shut"), "error: shut: permission denied")

	// What git knows of it is listed, and said to be not searched.
	if err := os.Chmod(shut, 0o700); err != nil {
		t.Fatal(err)
	}
	b.git("init", "-q")
	b.git("add", ".")
	if err := os.Chmod(shut, 0); err != nil {
		t.Fatal(err)
	}
	if got := b.call("fs_list_files"); got != "open/a.txt\nshut/b.txt\n" {
		t.Errorf("with git the list is %q", got)
	}
	b.want(b.call("fs_grep_files", "pattern", "needle"), "open/a.txt:1:needle\n[1 file not searched: binary, too large or not readable]\n")
}
