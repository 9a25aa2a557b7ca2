package tool_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"tenfold/tool"
)

func changesOf(t *testing.T, line, dir string) (told, after string) {
	t.Helper()
	arguments, err := json.Marshal(map[string]string{"command": line})
	if err != nil {
		t.Fatal(err)
	}
	known, _ := tool.Lookup("Bash")
	changes, after := known.LineChanges(string(arguments), dir)
	var all []string
	for _, c := range changes {
		one := fmt.Sprintf("%s %s", c.Op, c.Path)
		if c.Text != "" {
			one += fmt.Sprintf(" %q", c.Text)
		}
		if c.Sure {
			one += " sure"
		}
		all = append(all, one)
	}
	return strings.Join(all, ", "), after
}

func TestLineChanges(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"go test ./... 2>&1 | tail -5", ""},
		{"go test ./... > /dev/null 2> err.txt", ""},
		{"make > /tmp/out.log", ""},
		{"cat > /tmp/msg.txt <<'EOF'\nx\nEOF", ""},
		{"make > /tmp/w/out.txt", "written /tmp/w/out.txt sure"},
		{"cat > a.go <<'EOF'\npackage a // it's \"x\" > y\nEOF\ngo vet a.go", `written a.go "package a // it's \"x\" > y\n" sure`},
		{"go vet && cat > a.go <<EOF\nx\nEOF", `written a.go "x\n"`},
		{"cat <<-EOF >> a.go\n\tx\n\tEOF", `modified a.go "\tx\n" sure`},
		{"cat <<A > a <<B\n1\nA\n2\nB\n", `written a "2\n" sure`},
		{"echo 'x y' >> notes.md", `modified notes.md "x y" sure`},
		{"echo $X > notes.md", "written notes.md sure"},
		{`git commit -m "$(cat <<'EOF'` + "\nDon't (write > to this file\nEOF\n)\" && touch done", "modified done"},
		{"tee a.txt b.txt <<EOF\nx\nEOF", `written a.txt "x\n" sure, written b.txt "x\n" sure`},
		{"ls | tee -a log.txt", "modified log.txt"},
		{"sed -i 's/a/b/' x.go y.go", "modified x.go, modified y.go"},
		{"sed -i '' 's/a/b/' x.go", "modified x.go"},
		{"sed -i.bak -e 's/a/b/' -e 's/c/d/' x.go", "modified x.go"},
		{"sed -n '1,3p' x.go", ""},
		{"perl -pi -e 's/a/b/' x.go", "modified x.go"},
		{"mv a.go b.go", "deleted a.go, created b.go"},
		{"git mv a.go b.go pkg", "deleted a.go, created pkg/a.go, deleted b.go, created pkg/b.go"},
		{"mv a.go docs", "deleted a.go, created docs/a.go"},
		{"mv theme/* modes/", "deleted theme/*"},
		{"cp a.go ../b/", "written ../b/a.go"},
		{"rm -rf old x*.tmp && ls", "deleted old, deleted x*.tmp"},
		{"jq . a.json > a.tmp && mv a.tmp a.json", "created a.json"},
		{"git apply <<'P'\n--- a/x.go\n+++ b/x.go\n@@ -1 +1 @@\n-a\n+b\n--- /dev/null\n+++ b/new.go\n@@ -0,0 +1 @@\n+x\nP", "modified x.go, created new.go"},
		{"git apply --cached <<'P'\n--- a/x.go\n+++ b/x.go\nP", ""},
		{"apply_patch <<'P'\n*** Begin Patch\n*** Update File: x.go\n@@\n-a\n+b\n*** End Patch\nP", "modified x.go"},
		{"git checkout -- a.go b.go; git restore c.go; git restore --staged d.go; git checkout main", "restored a.go, restored b.go, restored c.go"},
		{"git -C sub checkout -- a.go && touch b", "restored sub/a.go, modified b"},
		{"git reset --hard HEAD", "restored ."},
		{"python3 - <<'PY'\np='a.py'\ns=open(p).read()\nopen(p,'w').write(s)\nPY", "modified a.py"},
		{"python3 -c \"open('b.py', 'w').write('x')\"", "written b.py"},
		{"python3 - <<'PY'\nfrom pathlib import Path\nf = Path('a.py')\nf.write_text('x')\nPath('b.py').write_text('y')\nopen('c.txt')\nPY", "written a.py, written b.py"},
		{"python3 - <<'PY'\nfor f in ['a.py', 'b.py']:\n  s = open(f).read()\n  open(f, 'w').write(s)\nPY", "modified a.py, modified b.py"},
		{"node -e \"require('fs').writeFileSync('a.json', '{}')\"", "written a.json"},
		{"python3 - \"$f\" <<'PY'\nimport sys\nopen(sys.argv[1],'w').write('x')\nPY", ""},
		{"cd sub && sed -i s/a/b/ x.go", "modified sub/x.go"},
		{"(cd sub && touch x) && touch y", "modified sub/x, modified y"},
		{"cd $D && touch x && touch /w/y", "modified /w/y"},
		{"D=/w/t; cd \"$D\"; touch x $D/y ${D}/z", "modified /w/t/x, modified /w/t/y, modified /w/t/z"},
		{"cd sub; cd -; touch x", "modified x"},
		{"for f in a b; do sed -i s/a/b/ $f; done; touch x", "modified x"},
		{"if [ -f x ]; then rm x; fi", "deleted x"},
		{"bash -c 'touch x'", "modified x"},
		{"touch {a,b}.txt", ""},
		{"# mv a b\nls", ""},
		{"echo 'unclosed > x", ""},
	} {
		if got, _ := changesOf(t, c.line, ""); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.line, got, c.want)
		}
	}
}

func TestLineChangesDirectory(t *testing.T) {
	for _, c := range []struct{ line, dir, want string }{
		{"cd /w/a", "", "/w/a"},
		{"cd sub && ls", "/w/a", "/w/a/sub"},
		{"cd ..", "/w/a", "/w"},
		{"(cd sub)", "/w/a", "/w/a"},
		{"cd $X", "/w/a", tool.Elsewhere},
		{"cd sub", tool.Elsewhere, tool.Elsewhere},
		{"cd /w", tool.Elsewhere, "/w"},
		{"ls", "/w/a", "/w/a"},
	} {
		if _, got := changesOf(t, c.line, c.dir); got != c.want {
			t.Errorf("%s in %s: in %s, want %s", c.line, c.dir, got, c.want)
		}
	}
}

// A transcript is a stranger's: no line takes longer to read than its length asks for.
func TestLineChangesTime(t *testing.T) {
	for _, part := range []string{"(", "$(", "\"$(", "`", "<(", "$((", "a<<E\n", "a <<E;", "${", "'", "\"", "{", "cd a;", "x=aa; x=$x$x;", "touch a; rm b;", "open(a", "for a in ["} {
		begun := time.Now()
		changesOf(t, "touch x; "+strings.Repeat(part, 1<<20/len(part)), "")
		if took := time.Since(begun); took > time.Minute { // it takes a second, or for ever
			t.Errorf("%q takes %s", part, took)
		}
	}
}
