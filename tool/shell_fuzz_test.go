package tool_test

import (
	"encoding/json"
	"testing"

	"tenfold/tool"
)

// No command line of a stranger's breaks the reading of it.
func FuzzLineChanges(f *testing.F) {
	for _, line := range []string{
		"cat > a.go <<'EOF'\nx\nEOF\n", "a=$(b `c` \"$(d)\") && mv ${a}/x y{1,2} 2>&1 | tee -a \\\nz", "(cd x; sed -i '' -e s/a/b/ *.go) &", "python3 - <<P\nopen('a','w')\nP", "<<<", "${", "$", "a<<", "\"$(", ">&", "git -C", "git -C x", "1>", "2>", "bash -c",
	} {
		f.Add(line, "/w")
	}
	known, _ := tool.Lookup("Bash")
	f.Fuzz(func(t *testing.T, line, dir string) {
		arguments, err := json.Marshal(map[string]string{"command": line})
		if err != nil {
			t.Skip()
		}
		changes, _ := known.LineChanges(string(arguments), dir)
		for _, c := range changes {
			if c.Path == "" || c.Op == "" {
				t.Errorf("%+v", c)
			}
		}
	})
}
