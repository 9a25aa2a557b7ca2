package tool_test

import (
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"tenfold/tool"
)

func run(t *testing.T, command string) tool.Call {
	t.Helper()
	arguments, err := json.Marshal(map[string]string{"command": command})
	if err != nil {
		t.Fatal(err)
	}
	shell, _ := tool.Lookup("Bash")
	return shell.Call(string(arguments))
}

// Commands that are known to read, and what.
func TestShellCommandsThatRead(t *testing.T) {
	at := func(a ...tool.Access) []tool.Access { return a }
	for command, want := range map[string][]tool.Access{
		"cat a.go":                 at(tool.Access{Path: "a.go"}),
		"cat -n 'a b.go' c":        at(tool.Access{Path: "a b.go"}, tool.Access{Path: "c"}),
		"nl -ba a.go":              at(tool.Access{Path: "a.go"}),
		"nl -- a.go":               at(tool.Access{Path: "a.go"}),
		"cat a.go 2>/dev/null":     at(tool.Access{Path: "a.go"}),
		"cat a.go 2>&1":            at(tool.Access{Path: "a.go"}),
		"head a.go":                at(tool.Access{Path: "a.go", To: 10}),
		"head -n 20 a.go":          at(tool.Access{Path: "a.go", To: 20}),
		"head -20 a.go":            at(tool.Access{Path: "a.go", To: 20}),
		"tail -n 5 a.go":           at(tool.Access{Path: "a.go", Part: true}),
		"sed -n '5,9p' a.go":       at(tool.Access{Path: "a.go", From: 5, To: 9}),
		"sed -n 5,$p a.go":         nil,
		"sed -n '5,$p' a.go":       at(tool.Access{Path: "a.go", From: 5}),
		"sed -n '7p' a.go":         at(tool.Access{Path: "a.go", From: 7, To: 7}),
		"sed -n '1,3p;8,9p' a.go":  at(tool.Access{Path: "a.go", To: 3}, tool.Access{Path: "a.go", From: 8, To: 9}),
		"ls -la":                   nil,
		"grep -rn 'a;b>c' .":       nil,
		"rg foo | head -5":         nil,
		"cat a.go | grep x | wc":   nil,
		"ls && git status; pwd":    nil,
		"git --no-pager diff HEAD": nil,
		"find . -name '*.go'":      nil,
		"cat *.go":                 nil,
		`echo hello \; there`:      nil,
		"ls > /dev/null":           nil,
	} {
		got := run(t, command)
		if command == "sed -n 5,$p a.go" {
			if !got.Unknown {
				t.Errorf("%s: a variable is believed", command)
			}
			continue
		}
		if got.Unknown || got.Moves {
			t.Errorf("%s: may change something", command)
		}
		if d := cmp.Diff(want, got.Reads); d != "" {
			t.Errorf("%s: %s", command, d)
		}
	}
}

// Everything else may change anything.
func TestShellCommandsWithUnknownEffect(t *testing.T) {
	for _, command := range []string{
		"", "make", "go test ./...", "rm a", "cat a > b", "cat a >> b", "cat a >b", "cat a 2> b", "cat a &> b", "ls >/dev/nullx",
		"cat <(x)", "cat << EOF\nx\nEOF", "cat a; rm b", "cat a && rm b", "cat a | tee b", "cat a & rm b", "cat a\nrm b",
		"$(rm a)", "`rm a`", `cat "$(rm a)"`, "cat \"`rm a`\"", "(rm a)", "{ rm a; }", "X=1 rm a", "! rm a", "cat 'a", `cat a\`,
		"sed -i 's/a/b/' f", "sed -n 'w f' a", "sed 's/a/b/w f' a", "sed -n -i 1p a", "sed -n 1p -i a", "find . -delete",
		"find . -exec rm {} +", "git commit", "git diff --output=x", "git -c x=y diff", "git grep -O'rm x' y", "git", "rg --pre rm x", "env ls", "xargs rm", "sudo ls",
		"awk '{print > \"f\"}' a", "sort -o a b", "uniq a b", "cat a # b", "cat a\\\nb", "cd a; cd b; rm x", "tail -f x", "diff --output=x a b",
	} {
		if got := run(t, command); !got.Unknown || got.Reads != nil {
			t.Errorf("%q is believed: %+v", command, got)
		}
	}
	shell, _ := tool.Lookup("Bash")
	for _, arguments := range []string{"", "{}", `{"command":1}`, `{"command":"cat a`, `{"command":[1]}`} {
		if !shell.Call(arguments).Unknown {
			t.Errorf("%q is believed", arguments)
		}
	}
}

// Where a shell stays, what comes after a cd means other files.
func TestShellMoves(t *testing.T) {
	got := run(t, "cd /r && cat a.go")
	if d := cmp.Diff(tool.Call{Kind: tool.Shell, Moves: true, Reads: []tool.Access{{Path: "/r/a.go"}}}, got); d != "" {
		t.Error(d)
	}
	if got := run(t, "cd /r"); !got.Moves || got.Unknown {
		t.Errorf("cd alone: %+v", got)
	}
	if got := run(t, "cd a* && cat b"); got.Unknown || got.Reads[0].Path == "b" {
		t.Errorf("cd to somewhere: %+v", got)
	}
	shell, _ := tool.Lookup("Bash")
	if does := shell.Call(`{"command":"cd x"}`); !does.Moves {
		t.Error("a move counts as nothing changed")
	}
}

func FuzzShell(f *testing.F) {
	for _, s := range []string{"cat a", "sed -n '1,2p' b 2>&1", "cd x && ls | head -3", `a "b" \c 'd'`} {
		f.Add(s)
	}
	shell, _ := tool.Lookup("Bash")
	f.Fuzz(func(t *testing.T, command string) {
		arguments, err := json.Marshal(map[string]string{"command": command})
		if err != nil {
			return
		}
		if c := shell.Call(string(arguments)); c.Unknown && c.Reads != nil {
			t.Errorf("%q: %+v", command, c)
		}
	})
}
