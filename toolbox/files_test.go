package toolbox_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"pgregory.net/rapid"

	_ "tenfold/internal/seed" // cases are drawn alike every time
	"tenfold/toolbox"
)

var hashWord = regexp.MustCompile(`hash ([0-9a-f]{8})`)

func TestReadFile(t *testing.T) {
	t.Parallel()
	b := newBench(t, toolbox.Options{Limit: 4000})
	b.put("a.go", "one\ntwo\n\nfour")
	b.put("empty", "")
	b.put("crlf", "a\r\nb\r\n")
	b.put("mixed", "a\r\nb\n")
	b.put("bom", "\uFEFFa\n")
	b.put("latin", "caf\xe9\n")
	b.put("binary", "\x89PNG\r\n\x1a\n\x00\x00")
	b.put("wide", strings.Repeat("é", 3000)+"\nnext\n")
	b.put("long", strings.Repeat("line\n", 5000))
	for _, c := range []struct {
		name     string
		from, to int
		want     []string
	}{
		{"a.go", 0, 0, []string{"a.go: lines 1-4 of 4, hash ", ", no newline at the end\n1\tone\n2\ttwo\n3\t\n4\tfour\n"}},
		{"a.go", 2, 3, []string{"a.go: lines 2-3 of 4", "\n2\ttwo\n3\t\n", "!four"}},
		{"./a.go", 4, 900, []string{"a.go: lines 4-4 of 4", "\n4\tfour\n"}},
		{"a.go", 5, 0, []string{"error: a.go has only 4 lines"}},
		{"a.go", 3, 2, []string{"error: end_line 2 is before start_line 3"}},
		{"a.go", -1, 2, []string{"error: lines count from 1"}},
		{"empty", 0, 0, []string{"empty is empty, hash e3b0c442"}},
		{"crlf", 0, 0, []string{"lines 1-2 of 2", ", line ends are CRLF\n1\ta\n2\tb\n"}},
		{"mixed", 0, 0, []string{", some line ends are CRLF\n1\ta\n2\tb\n"}},
		{"bom", 0, 0, []string{", begins with a byte order mark\n1\ta\n"}},
		{"latin", 0, 0, []string{", not valid UTF-8", "1\tcaf\uFFFD\n"}},
		{"binary", 0, 0, []string{"error: binary is a binary file (image/png, 10 bytes)"}},
		{"wide", 0, 0, []string{"é [… 6,000 bytes in all]\n2\tnext\n", "!\uFFFD"}},
		{"long", 0, 0, []string{"lines 1-", " of 5000", "[cut here; go on with start_line "}},
		{"long", 4999, 0, []string{"lines 4999-5000 of 5000", "\n5000\tline\n", "!cut here"}},
		{".", 0, 0, []string{"error: . is a directory; list it with fs_list_files"}},
		{"A.go", 0, 0, []string{"error: A.go does not exist; did you mean a.go?"}},
		{"sub/deep/a.go", 0, 0, []string{"error: sub/deep/a.go does not exist"}},
		{"a.go/x", 0, 0, []string{"error: a.go/x: not a directory"}},
		{"a\x00b", 0, 0, []string{"error: a path cannot hold a NUL byte"}},
		{"~/x", 0, 0, []string{"error: ~/x: ~ is not expanded"}},
		{strings.Repeat("x", 5000), 0, 0, []string{"error: xxx", "file name too long"}},
	} {
		got := b.call("fs_read_file", "path", c.name, "start_line", c.from, "end_line", c.to)
		b.want(got, c.want...)
		if len(got) > 4000 {
			t.Errorf("%s: %d bytes", c.name, len(got))
		}
	}
	// What is cut is there when it is asked for.
	got := b.call("fs_read_file", "path", "long")
	var next int
	if _, err := fmt.Sscanf(got[strings.Index(got, "[cut here"):], "[cut here; go on with start_line %d]", &next); err != nil || next < 100 {
		t.Fatalf("%d, %v", next, err)
	}
	b.want(b.call("fs_read_file", "path", "long", "start_line", next), fmt.Sprintf("\n%d\tline\n", next))
}

func TestFilesThatAreNotRegular(t *testing.T) {
	t.Parallel()
	b := newBench(t, toolbox.Options{})
	if err := syscall.Mkfifo(filepath.Join(b.dir, "pipe"), 0o600); err != nil {
		t.Skip(err)
	}
	huge, err := os.Create(filepath.Join(b.dir, "huge"))
	if err == nil {
		err = huge.Truncate(1 << 40) // takes no space
	}
	if err != nil {
		t.Fatal(err)
	}
	huge.Close()
	b.link("/dev/zero", "device")
	b.link("pipe", "alias")
	b.link("loop", "loop")
	const noFile = "not a regular file but a device, pipe or socket"
	b.want(b.call("fs_read_file", "path", "pipe"), noFile)
	b.want(b.call("fs_read_file", "path", "alias"), noFile)
	b.want(b.call("fs_read_file", "path", "device"), "device is outside the workspace")
	b.want(b.call("fs_read_file", "path", "huge"), "huge is too large (1048576 MB; the limit is 32 MB)")
	b.want(b.call("fs_read_file", "path", "loop"), "loop leads through too many symbolic links")
	b.want(b.call("fs_create_file", "path", "pipe", "content", "x"), noFile)
	b.want(b.call("fs_create_file", "path", ".", "content", "x"), ". is a directory")
	b.want(b.call("fs_modify_file", "path", "pipe", "old", "x", "new", "y"), noFile)
	b.want(b.call("fs_grep_files", "pattern", "."), "no match in 0 files", "2 files not searched")
}

func TestCreateFile(t *testing.T) {
	t.Parallel()
	b := newBench(t, toolbox.Options{})
	b.want(b.call("fs_create_file", "path", "new/dir/f", "content", "a\nb\n"), "created new/dir/f: 2 lines, hash ")
	if b.get("new/dir/f") != "a\nb\n" {
		t.Error("not what was written")
	}
	// What it wrote itself it may replace, until somebody else changes it.
	b.want(b.call("fs_create_file", "path", "new/dir/f", "content", "c"), "replaced new/dir/f: 1 line, was 2 lines; hash ")
	b.put("new/dir/f", "other")
	b.want(b.call("fs_create_file", "path", "new/dir/f", "content", "d"), "error: new/dir/f exists already (1 line, hash ", "you have not read all of it as it is now")
	b.want(b.call("fs_create_file", "path", "new/dir/f/g", "content", "d"), "error: new/dir/f/g cannot be made: a directory in its path is a file")
	b.want(b.call("fs_read_file", "path", "new/dir/f"), "other")
	b.want(b.call("fs_create_file", "path", "new/dir/f", "content", "d"), "replaced new/dir/f")

	// A part of a file is not the file.
	b.put("part", "1\n2\n3\n")
	b.call("fs_read_file", "path", "part", "start_line", 2)
	b.want(b.call("fs_create_file", "path", "part", "content", "x"), "exists already")
	b.call("fs_read_file", "path", "part")
	b.call("fs_read_file", "path", "part", "end_line", 1)
	b.want(b.call("fs_create_file", "path", "part", "content", "x"), "replaced part")

	// Through links: to the file that they name.
	b.link("new/dir/f", "link")
	b.link("missing", "dangling")
	b.call("fs_read_file", "path", "link")
	b.want(b.call("fs_create_file", "path", "link", "content", "by link"), "replaced link")
	b.want(b.call("fs_create_file", "path", "dangling", "content", "new"), "created dangling")
	if b.get("new/dir/f") != "by link" || b.get("missing") != "new" {
		t.Error("a link was replaced, not its file")
	}
	// Nothing is left behind.
	left, err := filepath.Glob(filepath.Join(b.dir, "*", "*", ".tenfold-*"))
	if err != nil || len(left) > 0 {
		t.Error(left, err)
	}
}

func TestModesAreKept(t *testing.T) {
	t.Parallel()
	b := newBench(t, toolbox.Options{})
	b.put("run.sh", "echo a\n")
	path := filepath.Join(b.dir, "run.sh")
	if err := os.Chmod(path, 0o751); err != nil {
		t.Fatal(err)
	}
	b.want(b.call("fs_modify_file", "path", "run.sh", "old", "a", "new", "b"), "modified run.sh")
	if info, err := os.Stat(path); err != nil || info.Mode() != 0o751 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if err := os.Chmod(path, 0o444); err != nil {
		t.Fatal(err)
	}
	b.want(b.call("fs_modify_file", "path", "run.sh", "old", "b", "new", "c"), "error: run.sh is read-only")
	b.call("fs_read_file", "path", "run.sh")
	b.want(b.call("fs_create_file", "path", "run.sh", "content", "c"), "error: run.sh is read-only")
}

func TestModifyFile(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, content, old, new, after, says string }{
		{"once", "a\nb\nc\n", "b", "B\nB", "a\nB\nB\nc\n", "modified f at line 2: 1 line replaced by 2 lines; hash "},
		{"removed", "a\nb\nc\n", "b\n", "", "a\nc\n", "1 line replaced by 0 lines"},
		{"CRLF", "a\r\nb\r\nc\r\n", "a\nb\n", "x\ny\n", "x\r\ny\r\nc\r\n", "modified f at line 1"},
		{"CRLF as it is", "a\r\nb\r\n", "a\r\nb", "x", "x\r\n", "modified f"},
		{"other bytes stay", "caf\xe9\nb\n", "b", "c", "caf\xe9\nc\n", "modified f at line 2"},
		{"binary", "\x00b\x00", "b", "c", "\x00c\x00", "modified f"},
		{"twice", "x = 1\ny\nx = 1\n", "x = 1", "z", "", "error: old occurs more than once in f, at lines 1, 3; add lines around it"},
		{"often", strings.Repeat("x\n", 99), "x", "z", "", "old occurs more than once in f, at lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10;"},
		{"overlapping", "aaa", "aa", "b", "", "old occurs more than once in f, at lines 1, 1;"},
		{"empty", "a", "", "b", "", "error: old is empty"},
		{"same", "a", "a", "a", "", "old and new are the same"},
		{"blanks", "a\n\tif x {\n\t\ty()\n\t}\n", "if x {\n  y()\n}", "", "", "nearest, 3 of 3 lines equal but for white space:\n2\t\tif x {\n3\t\t\ty()\n4\t\t}"},
		{"one line off", "a\nb1\nc\nd\n", "b2\nc\nd\n", "", "", "nearest, 2 of 3 lines equal but for white space:\n2\tb1\n3\tc\n4\td"},
		{"numbers", "a\nb\n", "1\ta\n2\tb\n", "", "", "nearest, 2 of 2 lines equal; leave out the line numbers:\n1\ta\n2\tb"},
		{"nowhere", "a\n", "zzz", "", "", "old does not occur in f; read the file and copy the text"},
		{"case", "Alpha\n", "alpha", "", "", "old does not occur in f"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t, toolbox.Options{})
			b.put("f", c.content)
			b.want(b.call("fs_modify_file", "path", "f", "old", c.old, "new", c.new), c.says)
			want := c.after
			if strings.HasPrefix(c.says, "error") || want == "" {
				want = c.content
			}
			if got := b.get("f"); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

func TestAStaleReadIsKnown(t *testing.T) {
	t.Parallel()
	b := newBench(t, toolbox.Options{})
	b.put("f", "a\nb\n")
	hash := hashWord.FindStringSubmatch(b.call("fs_read_file", "path", "f", "start_line", 1, "end_line", 1))[1]
	b.want(b.call("fs_modify_file", "path", "f", "old", "a", "new", "A", "hash", hash), "modified")
	b.want(b.call("fs_modify_file", "path", "f", "old", "b", "new", "B", "hash", hash), "f has changed since it was read: its hash is ", ", not "+hash+"; read it again")
	b.want(b.call("fs_modify_file", "path", "f", "old", "b", "new", "B"), "modified") // its own changes it knows
	b.put("f", "b\nc\n")
	b.want(b.call("fs_modify_file", "path", "f", "old", "c", "new", "C"), "f has changed since it was read")
	b.call("fs_read_file", "path", "f")
	b.want(b.call("fs_modify_file", "path", "f", "old", "c", "new", "C"), "modified")
	if b.get("f") != "b\nC\n" {
		t.Error(b.get("f"))
	}
	// A file that was never read in this session goes by its text alone.
	other := benchAt(t, b.dir, toolbox.Options{})
	other.want(other.call("fs_modify_file", "path", "f", "old", "C", "new", "D"), "modified")
}

func TestConcurrentEditsLoseNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t, toolbox.Options{})
	const n = 30
	var content strings.Builder
	for i := range n {
		fmt.Fprintf(&content, "<%d>\n", i)
	}
	b.put("f", content.String())
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			b.want(b.call("fs_modify_file", "path", "f", "old", fmt.Sprintf("<%d>", i), "new", fmt.Sprintf("(%d)", i)), "modified")
		})
	}
	wg.Wait()
	if got := b.get("f"); strings.Contains(got, "<") || strings.Count(got, "(") != n {
		t.Errorf("lost edits: %q", got)
	}
}

func TestAFileIsCreatedByOneOfMany(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var many []*bench
	for range 8 {
		many = append(many, benchAt(t, dir, toolbox.Options{})) // as other programs would
	}
	for round := range 40 {
		var created atomic.Int32
		var wg sync.WaitGroup
		start := make(chan struct{})
		for _, b := range many {
			wg.Go(func() {
				<-start
				if strings.HasPrefix(b.call("fs_create_file", "path", fmt.Sprint(round), "content", "x"), "created") {
					created.Add(1)
				}
			})
		}
		close(start)
		wg.Wait()
		if created.Load() != 1 {
			t.Fatalf("a file was created %d times", created.Load())
		}
	}
}

// Whatever directories, files and links there are, and whatever path is named: no
// tool reads, lists or writes anything outside, and what a judge is told of a
// path is where it leads.
func TestNoPathEscapes(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	rounds := 0
	rapid.Check(t, func(t *rapid.T) {
		rounds++
		base := filepath.Join(top, fmt.Sprint(rounds))
		dir, secret := filepath.Join(base, "work"), filepath.Join(base, "secret")
		defer os.RemoveAll(base)
		for _, d := range []string{filepath.Join(dir, "a", "b"), filepath.Join(secret, "a")} {
			if err := os.MkdirAll(d, 0o700); err != nil {
				t.Fatal(err)
			}
		}
		const kept = "TOP SECRET"
		for _, f := range []string{"f", "a/f"} {
			if err := os.WriteFile(filepath.Join(secret, f), []byte(kept), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		part := rapid.SampledFrom([]string{"a", "b", "f", "l", "m", "..", ".", "", "secret", "work", "../..", "~", " ", "é"})
		draw := rapid.Custom(func(t *rapid.T) string {
			p := strings.Join(rapid.SliceOfN(part, 0, 6).Draw(t, "parts"), "/")
			return rapid.SampledFrom([]string{"", "", "", "/", dir + "/", secret + "/", "./", base + "/"}).Draw(t, "start") + p
		})
		for range rapid.IntRange(0, 4).Draw(t, "links") {
			at := filepath.Join(dir, rapid.SampledFrom([]string{"l", "m", "a/l", "a/b/m", "f"}).Draw(t, "at"))
			_ = os.Symlink(draw.Draw(t, "target"), at)
		}
		tools, err := toolbox.Builtin(dir, toolbox.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for range 4 {
			name := draw.Draw(t, "path")
			for _, tool := range tools {
				var raw string
				switch d := tool.Definition().Name; d {
				case "fs_read_file", "fs_list_files":
					raw = arguments("path", name)
				case "fs_grep_files", "fs_find_files":
					raw = arguments("path", name, "pattern", "[S*]*")
				case "fs_create_file":
					raw = arguments("path", name, "content", "mine")
				case "fs_modify_file":
					raw = arguments("path", name, "old", "SECRET", "new", "mine")
				default:
					continue
				}
				in, _ := tool.Intent(raw)
				r, err := tool.Run(t.Context(), toolbox.Call{Arguments: raw})
				if strings.Contains(textOf(r), kept) {
					t.Fatalf("%s of %q gave %q", tool.Definition().Name, name, textOf(r))
				}
				if tool.Definition().Name == "fs_create_file" && err == nil {
					told := filepath.Join(dir, in.Paths[len(in.Paths)-1])
					is, err := filepath.EvalSymlinks(told)
					if data, _ := os.ReadFile(told); err != nil || is != told || string(data) != "mine" {
						t.Fatalf("%q was written to %s (%v), told as %q", name, is, err, in.Paths)
					}
				}
			}
		}
		for _, f := range []string{"f", "a/f"} {
			if data, err := os.ReadFile(filepath.Join(secret, f)); err != nil || string(data) != kept {
				t.Fatalf("changed outside: %q, %v", data, err)
			}
		}
		for d, want := range map[string]int{base: 2, secret: 2, filepath.Join(secret, "a"): 1} {
			if entries, err := os.ReadDir(d); err != nil || len(entries) != want {
				t.Fatalf("%s has %v, %v", d, entries, err)
			}
		}
	})
	if rounds < 50 {
		t.Errorf("only %d rounds", rounds)
	}
}
