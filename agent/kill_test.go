package agent_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"tenfold"
	"tenfold/agent"
	"tenfold/provider/script"
	"tenfold/session"
	"tenfold/store/sqlite"
	"tenfold/strategy"
	"tenfold/toolbox"
)

// The environment of the child: where its session is, and at which event it kills
// itself.
const (
	childDir = "TENFOLD_AGENT_CHILD"
	childAt  = "TENFOLD_AGENT_KILL_AT"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		at, _ := strconv.Atoi(os.Getenv(childAt))
		if _, err := liveTenSteps(dir, at); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// tenSteps are the calls of the responses of a session, the sub-agent's aside.
func tenSteps() [][]tenfold.ToolCall {
	return [][]tenfold.ToolCall{
		{call("s0-a", "look")},
		{call("s1-a", "edit"), call("s1-b", "edit")},
		{call("s2-a", "look"), call("s2-b", "look"), call("s2-c", "sh")},
		{call("s3-a", "task", `{"prompt":"Do a part."}`), call("s3-b", "look")},
		{call("s4-a", "plan", `{"items":[{"text":"a","status":"pending"}]}`)},
		{call("s5-a", "huge")},
		{call("s6-a", "compact")},
		{call("s7-a", "asks")},
		{call("s8-a", "recall", `{"query":"found"}`)},
	}
}

// liveTenSteps lives through the session, from wherever it stands. It writes the
// entries that it was told of, and the calls that it runs, into files before it goes
// on, and dies by SIGKILL at an event; 0 is never. It gives the number of events.
func liveTenSteps(dir string, killAt int) (events int, err error) {
	ctx := context.Background()
	st, err := sqlite.Open(ctx, filepath.Join(dir, "talk.db"))
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	s, err := session.NewService(st, session.WithCounter(tenfold.Chars4{})).OpenOrCreate(ctx, session.Create{ID: "talk"})
	if err != nil {
		return 0, err
	}
	note := func(name, line string) {
		f, err := os.OpenFile(filepath.Join(dir, name), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			panic(err)
		}
		defer func() { _ = f.Close() }()
		_, _ = f.WriteString(line + "\n")
	}
	ran := func(name string, effect toolbox.Effect, lines int) stub {
		return stub{name, effect, func(_ context.Context, c toolbox.Call) (toolbox.Result, error) {
			note("ran", c.ID)
			return toolbox.Result{Parts: tenfold.Text(strings.Repeat("found a line in main.go:7\n", lines))}, nil
		}}
	}
	steps := tenSteps()
	model := script.Choose(func(shown script.Shown) script.Answer {
		said := func(k int) []tenfold.Payload {
			return []tenfold.Payload{tenfold.AssistantMessage{Text: fmt.Sprintf("Step %d.", k)}}
		}
		if strings.Contains(shown.Body, "You are a sub-agent") {
			if strings.Contains(shown.Body, `"id":"sub"`) {
				return script.Text("The part is done.")
			}
			return script.Answer{Blocks: append(said(100), call("sub", "edit"))}
		}
		next := 0
		for k := range steps {
			if strings.Contains(shown.Body, fmt.Sprintf(`"id":"s%d-`, k)) {
				next = k + 1
			}
		}
		if next == len(steps) {
			return script.Text("All is done.")
		}
		a := script.Answer{Blocks: said(next)}
		for _, c := range steps[next] {
			a.Blocks = append(a.Blocks, c)
		}
		return a
	})
	o := agent.Options{
		Model: model, Judge: &judge{}, TrimOver: 300, Live: session.Live{Auto: session.LiveAuto{Enabled: true, Strategies: []strategy.Strategy{strategy.StripTools{}}}},
		Tools: []toolbox.Tool{ran("look", toolbox.Reads, 1), ran("edit", toolbox.Edits, 1), ran("sh", toolbox.Commands, 40), ran("huge", toolbox.Reads, 100), ran("asks", toolbox.Unknown, 1)},
	}
	a, err := agent.New(s, o)
	if err != nil {
		return 0, err
	}
	var parts []tenfold.Part
	if s.Log().Turns() == 0 {
		parts = tenfold.Text("Do ten steps.")
	}
	for e, err := range a.Run(ctx, parts...) {
		if err != nil {
			return events, err
		}
		if events++; events == killAt {
			self, _ := os.FindProcess(os.Getpid())
			_ = self.Kill()
			select {}
		}
		if e.Appended != nil {
			note("told", fmt.Sprintf("%d %s", e.Appended.Seq, e.Appended.ID))
		}
	}
	return events, nil
}

// Issue 18: SIGKILL at every event of a session of ten steps: it resumes, no entry
// that was acknowledged is lost, no call that changes something is run twice, and
// none has two results.
func TestKillAtEveryEvent(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts processes")
	}
	whole := t.TempDir()
	all, err := liveTenSteps(whole, 0)
	if err != nil {
		t.Fatal(err)
	}
	every := 3 // each event is at risk in one of three runs
	if os.Getenv("TENFOLD_TEST_ALL") != "" {
		every = 1
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	first := 1 + os.Getpid()%every
	var resumed atomic.Int64
	var group sync.WaitGroup
	places := make(chan struct{}, 4)
	for at := first; at <= all; at += every {
		group.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			dir, err := os.MkdirTemp(whole, "kill")
			if err != nil {
				t.Error(err)
				return
			}
			child := exec.CommandContext(t.Context(), self)
			child.Env = append(os.Environ(), childDir+"="+dir, childAt+"="+strconv.Itoa(at))
			var out bytes.Buffer
			child.Stderr = &out
			if err := child.Run(); err == nil || child.ProcessState.Exited() {
				t.Errorf("killed at %d: it ended by itself: %v %s", at, err, out.String())
				return
			}
			if n, err := liveTenSteps(dir, 0); err != nil {
				t.Errorf("killed at %d: %v", at, err)
			} else if n > 1 {
				resumed.Add(1)
			}
			holdSurvivor(t, dir, at)
		})
	}
	group.Wait()
	if resumed.Load() < int64(all/every/2) {
		t.Errorf("only %d sessions went on", resumed.Load())
	}
}

// holdSurvivor looks at a session that was killed and went on.
func holdSurvivor(t *testing.T, dir string, at int) {
	t.Helper()
	st, err := sqlite.Open(t.Context(), filepath.Join(dir, "talk.db"))
	if err != nil {
		t.Error(err)
		return
	}
	defer func() { _ = st.Close() }()
	s, err := session.NewService(st).Open(t.Context(), "talk")
	if err != nil {
		t.Error(err)
		return
	}
	read := func(name string) []string {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Error(err)
		}
		return strings.Fields(string(data))
	}
	told := read("told")
	for i := 0; i+1 < len(told); i += 2 {
		seq, _ := strconv.ParseInt(told[i], 10, 64)
		if e, ok := s.Log().Entry(seq); !ok || e.ID != told[i+1] {
			t.Errorf("killed at %d: entry %d is lost", at, seq)
		}
	}
	ran := read("ran")
	results := map[string]int{}
	var problems []string
	for e := range s.Log().Entries() {
		switch p := e.Payload.(type) {
		case tenfold.ToolCall:
			answer, _ := s.Log().Entry(s.Log().Pair(e.Seq))
			result, ok := answer.Payload.(tenfold.ToolResult)
			if !ok {
				problems = append(problems, "no result of "+p.CallID)
				continue
			}
			times := 0
			for _, id := range ran {
				if id == p.CallID {
					times++
				}
			}
			changes := slices.Contains([]string{"edit", "sh", "asks"}, p.Name)
			unfinished := strings.HasPrefix(tenfold.TextLines(result), "Interrupted")
			if changes && (times > 1 || times == 0 && !unfinished) || !changes && p.Name != "plan" && unfinished {
				problems = append(problems, fmt.Sprintf("%s ran %d times: %s", p.CallID, times, tenfold.TextLines(result)))
			}
		case tenfold.ToolResult:
			if results[e.Branch+"/"+p.CallID]++; results[e.Branch+"/"+p.CallID] > 1 || s.Log().Pair(e.Seq) == 0 {
				problems = append(problems, "two results of "+p.CallID)
			}
		}
	}
	if last := lines(s.Log()); !slices.Contains(last[len(last)-2:], "assistant: All is done.") {
		problems = append(problems, "it did not come to its end")
	}
	if len(problems) > 0 {
		t.Errorf("killed at %d: %s\n  %s", at, strings.Join(problems, "; "), strings.Join(lines(s.Log()), "\n  "))
	}
}
