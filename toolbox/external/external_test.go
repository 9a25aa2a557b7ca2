package external_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tenfold"
	"tenfold/problem"
	"tenfold/toolbox"
	"tenfold/toolbox/external"
)

func script(t *testing.T, text string, change ...func(*external.Spec)) *external.Tool {
	t.Helper()
	s := external.Spec{Name: "mine", Description: "Mine.", Command: []string{"sh", "-c", text}, Dir: t.TempDir(), Timeout: 5 * time.Minute}
	for _, c := range change {
		c(&s)
	}
	x, err := external.New(s)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func TestH2CallsOfPrograms(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, script, arguments, want, fails string }{
		{"the document", "cat", `{"a":[1, "é"]}`, `{"tool":{"name":"mine","action":"run","arguments":{"a":[1,"é"]}}}`, ""},
		{"no arguments", "cat", "", `{"tool":{"name":"mine","action":"run","arguments":{}}}`, ""},
		{"text", "echo ' plain'; echo noise >&2", "{}", "plain", ""},
		{"nothing", "true", "{}", "[no output]", ""},
		{"content", `printf %s '{"content":"a\nb"}'`, "{}", "a\nb", ""},
		{"content and more", `echo '{"content":"a","is_error":false,"other":1}'`, "{}", "a", ""},
		{"other JSON", `echo '{"temperature":4}'`, "{}", `{"temperature":4}`, ""},
		{"content of another type", `echo '{"content":[1,2]}'`, "{}", "[1,2]", ""},
		{"success", `echo '{"type":"success","content":"ok"}'`, "{}", "ok", ""},
		{"its error", `echo '{"content":"bad","is_error":true}'`, "{}", "", "bad"},
		{"its error by type", `echo '{"type":"error","message":"no such city"}'`, "{}", "", "no such city"},
		{"it asks back", `echo '{"type":"needs_input","content":"sure?"}'`, "{}", "", "sure?"},
		{"exit code", `echo part; echo why >&2; exit 3`, "{}", "", "mine failed: exit status 3\npart\nwhy\n"},
		{"exit code beside success", `echo '{"content":"fine"}'; exit 1`, "{}", "", "mine failed: exit status 1\nfine"},
		{"codes", `printf '\033[31mred\033[0m\n'`, "{}", "red", ""},
		{"not JSON", "cat", `{"a":`, "", "the arguments are not a valid JSON object"},
		{"not an object", "cat", `[1]`, "", "the arguments are not a valid JSON object"},
		{"twice", "cat", `{"a":1,"a":2}`, "", "the arguments are not a valid JSON object"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			x := script(t, c.script)
			r, err := x.Run(t.Context(), toolbox.Call{Arguments: c.arguments})
			if c.fails != "" {
				if err == nil || err.Error() != c.fails {
					t.Errorf("error %v, want %q", err, c.fails)
				}
				return
			}
			if err != nil || len(r.Parts) != 1 || r.Parts[0].Text != c.want || r.Outcome != tenfold.Success {
				t.Errorf("%+v, %v", r, err)
			}
		})
	}
}

func TestProgramsAreBounded(t *testing.T) {
	t.Parallel()
	x := script(t, "seq 100000", func(s *external.Spec) { s.Limit = 1000 })
	r, err := x.Run(t.Context(), toolbox.Call{})
	if err != nil || len(r.Parts[0].Text) > 1000 || !strings.Contains(r.Parts[0].Text, "left out") {
		t.Errorf("%+v, %v", r, err)
	}
	// Of an answer without end a part is told.
	for limit := time.Second; ; limit *= 4 { // until it is one that the machine keeps the beginning in
		x = script(t, `printf '{"content":"'; yes | head -c 1000000; sleep 60`, func(s *external.Spec) { s.Timeout = limit })
		_, err := x.Run(t.Context(), toolbox.Call{})
		told := fmt.Sprint(err)
		if !strings.HasPrefix(told, fmt.Sprintf("mine did not end within %s\n", limit)) || !strings.Contains(told, "left out") {
			if limit < 20*time.Second {
				continue
			}
			t.Errorf("%.300s", told)
		}
		if len(told) > 9000 {
			t.Errorf("%d bytes are told of", len(told))
		}
		break
	}
	ctx, cancel := context.WithCancel(t.Context())
	var heard string
	_, err = script(t, "echo begun >&2; sleep 60").Run(ctx, toolbox.Call{Output: func(text string) { heard += text; cancel() }})
	if !errors.Is(err, context.Canceled) || heard != "begun\n" {
		t.Errorf("%v, %q", err, heard)
	}
	if _, err := x.Run(t.Context(), toolbox.Call{Contained: true}); err == nil || !strings.Contains(err.Error(), "not contained") {
		t.Errorf("contained: %v", err)
	}
}

func TestProgramsHaveNoKeys(t *testing.T) {
	t.Setenv("X_API_KEY", "sk")
	t.Setenv("THEIRS", "sk")
	x := script(t, "env", func(s *external.Spec) { s.Env, s.Secrets = []string{"GIVEN=yes"}, []string{"THEIRS"} })
	r, err := x.Run(t.Context(), toolbox.Call{})
	if err != nil || strings.Contains(r.Parts[0].Text, "=sk") || !strings.Contains(r.Parts[0].Text, "GIVEN=yes") {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestDefinitionAndIntent(t *testing.T) {
	t.Parallel()
	x := script(t, "cat")
	if got, want := x.Definition(), (tenfold.ToolDefinition{Name: "mine", Description: "Mine.", Schema: `{"properties":{},"type":"object"}`}); got != want {
		t.Errorf("%+v", got)
	}
	in, err := x.Intent("{\"a\":\"\\u001b\",\n\"b\":1}")
	if err != nil || in.Effect != toolbox.Unknown || in.Subject != `{"a":"\u001b",↵ "b":1}` {
		t.Errorf("%+v, %v", in, err)
	}
	if _, err := x.Intent("nothing"); err == nil {
		t.Error("no JSON was taken")
	}
}

func TestBadSpecs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "prog"), []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		spec external.Spec
		want string
	}{
		{external.Spec{Name: "a b", Command: []string{"sh"}}, "tool a b: invalid name"},
		{external.Spec{Name: strings.Repeat("x", 65), Command: []string{"sh"}}, "invalid name"},
		{external.Spec{Command: []string{"sh"}}, "invalid name"},
		{external.Spec{Name: "a", Command: []string{"sh"}, Schema: "[]"}, "tool a: the schema of its arguments is not a JSON object"},
		{external.Spec{Name: "a"}, "tool a: no command is given"},
		{external.Spec{Name: "a", Command: []string{"./prog"}, Dir: dir}, "tool a: ./prog: a relative path means another file in each directory"},
		{external.Spec{Name: "a", Command: []string{"no-such-program-here"}}, "executable file not found"},
	} {
		_, err := external.New(c.spec)
		var p *problem.Error
		if err == nil || !strings.Contains(err.Error(), c.want) || !errors.As(err, &p) || p.Hint == "" {
			t.Errorf("%+v: %v, want %q", c.spec, err, c.want)
		}
	}
	if _, err := external.New(external.Spec{Name: "a", Command: []string{filepath.Join(dir, "prog")}}); err != nil {
		t.Error(err)
	}
}

func FuzzArguments(f *testing.F) {
	for _, seed := range []string{"", "{}", `{"a":1}`, "[]", `{"a":"\u001b"}`, "{\"a\":\"\xff\"}", `{"a":1}{}`} {
		f.Add(seed)
	}
	x, err := external.New(external.Spec{Name: "mine", Command: []string{"true"}})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, arguments string) {
		in, _ := x.Intent(arguments)
		if in.Effect != toolbox.Unknown || strings.ContainsAny(in.Subject, "\n\x1b\x00") {
			t.Fatalf("%+v", in)
		}
	})
}
