package tool_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	_ "tenfold/internal/seed" // cases are drawn alike every time
	"tenfold/tool"
)

func TestAmends(t *testing.T) {
	for _, c := range []struct {
		was, is string
		want    bool
	}{
		{`{"a":1,"b":[1,2],"c":"x"}`, `{"c":"y","b":[1, 2.0],"a":1}`, true},
		{`{"a":1,"b":2,"c":3}`, `{"a":1,"b":2}`, true},
		{`{"a":1,"b":2}`, `{"a":1,"b":2,"c":3}`, true},
		{`{"a":1,"b":2,"c":3}`, `{"a":1,"b":2,"d":3}`, false}, // one is not there, and one is new
		{`{"a":1,"b":2,"c":3}`, `{"a":1,"b":2,"c":3}`, false}, // nothing is amended
		{`{"a":1,"b":2,"c":3}`, `{"a":1,"b":4,"c":4}`, false},
		{`{"a":1,"b":2}`, `{"a":1,"b":3}`, false}, // as likely as not it is about something else
		{`{"owner":"o","repo":"r","pullNumber":5}`, `{"owner":"o","repo":"r","pullNumber":6}`, false},
		{`{"a":1,"b":2,"user_id":3}`, `{"a":1,"b":2,"user_id":4}`, false},
		{`{"a":1,"b":2,"id":3}`, `{"a":1,"b":2,"id":4}`, false},
		{`{"a":1,"b":2,"userID":3}`, `{"a":1,"b":2,"userID":4}`, false},
		{`{"to":"ann","subject":"s","body":"b"}`, `{"to":"bob","subject":"s","body":"b"}`, false},
		{`{"a":1,"b":2,"file-name":"x"}`, `{"a":1,"b":2,"file-name":"y"}`, false},
		{`{"a":1,"b":2,"file_paths":["x"]}`, `{"a":1,"b":2,"file_paths":["y"]}`, false},
		{`{"a":1,"b":2,"imageURLs":"x"}`, `{"a":1,"b":2,"imageURLs":"y"}`, false},
		{`{"a":1,"b":2,"email2":"x"}`, `{"a":1,"b":2,"email2":"y"}`, false},
		{`{"a":1,"b":2,"payment_id":"x"}`, `{"a":1,"b":2,"payment_id":"y"}`, true}, // paid with another card
		{`{"a":1,"b":2,"grid":3}`, `{"a":1,"b":2,"grid":4}`, true},
		{`{"a":1,"b":2,"id":3}`, `{"a":1,"b":2}`, true}, // it was one too many
		{`{"a":1,"b":2,"paid":3}`, `{"a":1,"b":2,"paid":4}`, true},
		{`{"a":1,"b":2,"c":3`, `{"a":1,"b":2,"c":4}`, false},
		{"", "", false},
		{"null", `{"a":1}`, false},
		{`[1,2,3]`, `[1,2,4]`, false},
	} {
		if got := tool.Amends(c.was, c.is); got != c.want {
			t.Errorf("%s, then %s: %t", c.was, c.is, got)
		}
	}
}

// An id that was mistyped is the same thing once it is right; another one is another.
func TestRetypes(t *testing.T) {
	for _, c := range []struct {
		was, is         string
		missing, always bool
	}{
		{`{"order_id":"W2378156"}`, `{"order_id":"#W2378156"}`, true, true},
		{`{"user_id":"Sofia_Kim-7287"}`, `{"user_id":"sofia_kim_7287"}`, true, true},
		{`{"user_id":"sofia_kim_728"}`, `{"user_id":"sofia_kim_7287"}`, true, false},
		{`{"user_id":"sofia_kim_77287"}`, `{"user_id":"sofia_kim_7287"}`, true, false},
		{`{"name":"ovne_a","n":1}`, `{"n":1.0,"name":"oven_a"}`, true, false},
		{`{"order_id":"W2378156"}`, `{"order_id":"W2378157"}`, false, false}, // another order
		{`{"order_id":"W2378156"}`, `{"order_id":"W2378156"}`, false, false},
		{`{"id":"W12"}`, `{"id":"W123"}`, false, false},
		{`{"id":"--"}`, `{"id":"++"}`, false, false},
		{`{"id":"2026-01-15"}`, `{"id":"20260115"}`, true, true},
		{`{"path":"/Oven/heat.go"}`, `{"path":"oven/heat.go"}`, true, true},
		{`{"issue_id":"OVEN-1-23"}`, `{"issue_id":"OVEN-12-3"}`, false, false}, // other signs, another thing
		{`{"path":"oven/heat.go"}`, `{"path":"ovenheat.go"}`, false, false},
		{`{"id":5}`, `{"id":55}`, false, false},
		{`{"id":"abcdef","n":1}`, `{"id":"abcdeff","n":2}`, false, false},
		{`{"note":"abcdef"}`, `{"note":"abcdeff"}`, false, false},
		{`{"id":"abcdef"}`, `{"id":"abcdeff","n":2}`, false, false},
		{`{"id":"abcdef"`, `{"id":"abcdeff"}`, false, false},
	} {
		if got := tool.Retypes(c.was, c.is, true); got != c.missing {
			t.Errorf("%s, then %s, not found: %t", c.was, c.is, got)
		}
		if got := tool.Retypes(c.was, c.is, false); got != c.always {
			t.Errorf("%s, then %s: %t", c.was, c.is, got)
		}
	}
}

// A refusal begins so, whoever writes it; what a tool says does not.
func TestRefused(t *testing.T) {
	for text, want := range map[string]bool{
		"The user doesn't want to proceed with this tool use. The tool use was rejected": true,
		"[Operation Cancelled] Reason: User denied execution.":                           true,
		"partial output\n\nCommand aborted\n":                                            true,
		"Denied: the user said no":                                                       true,
		"Tool call was interrupted.":                                                     false, // by whom, nobody knows
		"Permission for this action was denied by the classifier":                        false,
		"denied: the user is not in the sudoers file":                                    false,
		`{"status":"denied","message":"The user denied this operation."}`:                true,
		`{"status":"denied","reason":"the card's limit"}`:                                false, // by a bank
		"": false,
	} {
		if tool.Refused(text) != want {
			t.Errorf("%q: want %t", text, want)
		}
	}
}

func TestCanonical(t *testing.T) {
	for _, same := range [][]string{
		{"", " ", "{}", "{ }"},
		{`{"a":1,"b":[1,2]}`, "{\"b\" :\n[ 1, 2.0 ], \"a\":1e0}"},
		{"0", "-0", "0.00", "0e9"},
		{"120", "1.2e2", "1200e-1", "12E+1"},
		{"-0.05", "-5e-2"},
		{`"\u00e9\/"`, `"é/"`},
		{"true", " true"},
	} {
		for _, s := range same {
			if tool.Canonical(s) != tool.Canonical(same[0]) {
				t.Errorf("%q and %q differ", s, same[0])
			}
		}
	}
	forms := []string{
		"{}", "[]", "null", "0", `"0"`, "1", "10", "-1", "0.1", "9007199254740993", "9007199254740992", "[1,2]", "[12]", "[2,1]", "[[1],2]", "[1,[2]]", "[[1,2]]",
		`{"a":1}`, `{"a":1,"b":1}`, `{"a":{"b":1}}`, `["a","b"]`, `["a,b"]`, `{"a":"1"}`, `{"cut":"o`, `{"a":1,"a":2}`, `{"a":2,"a":1}`,
		`{} {}`, `"\ud800"`, `"\ud801"`, "1e999999999999", "1e999999999998", "true", "false", `""`, "x",
	}
	seen := map[string]string{}
	for _, s := range forms {
		c := tool.Canonical(s)
		if other, ok := seen[c]; ok {
			t.Errorf("%s and %s are equal: %s", s, other, c)
		}
		seen[c] = s
	}
}

// H3: containment is that of the sets of lines.
func TestH3ContainsIsThatOfTheLines(t *testing.T) {
	const file = 12 // lines
	draw := rapid.Custom(func(t *rapid.T) tool.Access {
		a := tool.Access{Path: "a", From: rapid.IntRange(0, file-1).Draw(t, "from")}
		if rapid.Bool().Draw(t, "bounded") {
			a.To = rapid.IntRange(max(a.From, 1), file-1).Draw(t, "to")
		}
		return a
	})
	holds := func(a tool.Access, line int) bool { return line >= max(a.From, 1) && (a.To == 0 || line <= a.To) }
	rapid.Check(t, func(t *rapid.T) {
		a, b := draw.Draw(t, "a"), draw.Draw(t, "b")
		want := true
		for line := 1; line <= file; line++ {
			want = want && (!holds(b, line) || holds(a, line))
		}
		if got := a.Contains(b); got != want {
			t.Fatalf("%+v contains %+v: %v", a, b, got)
		}
	})
}

func TestH3Lines(t *testing.T) {
	earlier := []string{`{"path":"a","start_line":5,"end_line":9}`, `{"path":"a"}`, `{"path":"a"}`, `{"path":"a"}`, `{`, `{}`}
	later := []string{`{"path":"./a"}`, `{"path":"a","start_line":5}`, `{"path":"b"}`, `{"path":"a","start_line":1}`, `{`, `{}`}
	want := []bool{true, false, false, true, false, false}
	read, _ := tool.Lookup("fs_read_file")
	for i := range want {
		was, is := read.Call(earlier[i]).Reads, read.Call(later[i]).Reads
		if got := len(was) == 1 && len(is) == 1 && is[0].Contains(was[0]); got != want[i] {
			t.Errorf("%s holds %s: %v", later[i], earlier[i], got)
		}
	}
}

// scripted answers by what the later arguments say.
type scripted struct {
	asked atomic.Int32
	seen  []string
}

func (s *scripted) Run(ctx context.Context, name string, stdin []byte) ([]byte, error) {
	s.asked.Add(1)
	s.seen = append(s.seen, name+" "+string(stdin))
	switch {
	case strings.Contains(string(stdin), "FAIL"):
		return []byte(`{"type":"success","content":"true"}`), errors.New("exit status 1")
	case strings.Contains(string(stdin), "HANG"):
		<-ctx.Done()
		return nil, ctx.Err()
	}
	_, answer, _ := strings.Cut(string(stdin), `"later":{"answer":`)
	answer, _, _ = strings.Cut(answer, "}}}}")
	if text, ok := strings.CutPrefix(answer, `"yes"`); ok {
		return []byte(`{"type":"success","content":"true"}` + "\n" + text), nil
	}
	return []byte(answer), nil
}

func TestH2OneDocumentAPair(t *testing.T) {
	s := &scripted{}
	got, err := tool.Asker{Runner: s}.Subsumes(t.Context(), "x", []string{`{ "n" : 1 }`, ""}, []string{`{"answer":"yes"}`, `{"answer":"yes"}`})
	if err != nil || !slices.Equal(got, []bool{true, true}) {
		t.Errorf("got %v %v", got, err)
	}
	want := []string{
		`x {"tool":{"name":"x","action":"subsumes","arguments":{"earlier":{"n":1},"later":{"answer":"yes"}}}}`,
		`x {"tool":{"name":"x","action":"subsumes","arguments":{"earlier":{},"later":{"answer":"yes"}}}}`,
	}
	if !slices.Equal(s.seen, want) {
		t.Errorf("asked %q", s.seen)
	}
}

func TestH2Answers(t *testing.T) {
	for document, want := range map[string]bool{
		`{"type":"success","content":"true"}`:              true,
		" {\"content\":\"true\",\n\"type\":\"success\"}\n": true,
		`{"type":"success","content":"true","took":3}`:     true,
		`{"type":"success","content":"false"}`:             false,
		`{"type":"success","content":true}`:                false,
		`{"type":"success","content":"TRUE"}`:              false,
		`{"type":"success"}`:                               false,
		`{"type":"error","content":"true"}`:                false,
		`{"content":"true"}`:                               false,
		`{"type":"success","content":"true"} {}`:           false,
		`true`:                                             false, `"true"`: false, ``: false, `null`: false, `[]`: false, `{"type":"success","content":"tr`: false,
	} {
		if got := tool.Answer([]byte(document)); got != want {
			t.Errorf("%q is %v", document, got)
		}
	}
}

// A tool that fails, hangs past its limit or answers anything else means no,
// and does not cost a limit a pair.
func TestH2AnythingElseIsNo(t *testing.T) {
	yes, fail, hang := `{"answer":"yes"}`, `{"answer":"FAIL"}`, `{"answer":"HANG"}`
	for name, c := range map[string]struct {
		later []string
		want  []bool
		asked int32
	}{
		"fails once":         {[]string{fail, yes}, []bool{false, true}, 2},
		"fails and fails":    {[]string{fail, fail, fail, yes, yes}, []bool{false, false, false, false, false}, 3},
		"hangs":              {[]string{yes, hang, yes}, []bool{true, false, false}, 2},
		"broken arguments":   {[]string{`{"answer":`, yes}, []bool{false, true}, 1},
		"answers in numbers": {[]string{`{"answer":1}`}, []bool{false}, 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := &scripted{}
			start := time.Now()
			got, err := tool.Asker{Runner: s, Limit: time.Second}.Subsumes(t.Context(), "x", slices.Repeat([]string{"{}"}, len(c.later)), c.later)
			if err != nil || !slices.Equal(got, c.want) || s.asked.Load() != c.asked {
				t.Errorf("%s: got %v %v after %d questions", name, got, err, s.asked.Load())
			}
			if took := time.Since(start); took > time.Second {
				t.Errorf("%s: took %s", name, took)
			}
		})
	}
	if got, err := (tool.Asker{}).Subsumes(t.Context(), "x", []string{"{}"}, []string{"{}"}); err != nil || got[0] {
		t.Errorf("without a runner: %v %v", got, err)
	}
}

func TestH2TheContextEndsIt(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := tool.Asker{Runner: &scripted{}}.Subsumes(ctx, "x", []string{"{}"}, []string{`{"answer":"HANG"}`})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// process runs this test binary as the tool.
type process struct{}

func (process) Run(ctx context.Context, name string, stdin []byte) ([]byte, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, exe)
	cmd.Env = append(os.Environ(), "TENFOLD_TEST_TOOL="+name)
	cmd.Stdin = strings.NewReader(string(stdin))
	cmd.WaitDelay = time.Second
	return cmd.Output()
}

// TestMain is a tool when it is run as one: "child" says yes where the later
// query begins as the earlier, "broken" ends badly, "asleep" never answers.
func TestMain(m *testing.M) {
	switch os.Getenv("TENFOLD_TEST_TOOL") {
	case "":
		os.Exit(m.Run())
	case "broken":
		os.Exit(3)
	case "asleep":
		time.Sleep(time.Hour)
	case "child":
		document, _ := io.ReadAll(bufio.NewReader(os.Stdin))
		var earlier, later string
		_, err := fmt.Sscanf(strings.NewReplacer(`"`, " ", "{", " ", "}", " ").Replace(string(document)),
			" tool : name : child , action : subsumes , arguments : earlier : q : %s , later : q : %s", &earlier, &later)
		fmt.Printf(`{"type":"success","content":"%v"}`, err == nil && strings.HasPrefix(later, earlier))
	}
}

func TestH2ARealProcess(t *testing.T) {
	a := tool.Asker{Runner: process{}, Limit: 5 * time.Minute}
	earlier, later := []string{`{"q":"ab"}`, `{"q":"ab"}`}, []string{`{"q":"abc"}`, `{"q":"xyz"}`}
	got, err := a.Subsumes(t.Context(), "child", earlier, later)
	if err != nil || !slices.Equal(got, []bool{true, false}) {
		t.Errorf("got %v %v", got, err)
	}
	for name, limit := range map[string]time.Duration{"broken": a.Limit, "asleep": 100 * time.Millisecond} {
		a.Limit = limit
		got, err := a.Subsumes(t.Context(), name, earlier, later)
		if err != nil || slices.Contains(got, true) {
			t.Errorf("%s: got %v %v", name, got, err)
		}
	}
}
