package agent_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"tenfold"
	"tenfold/agent"
	"tenfold/provider/script"
	"tenfold/session"
	"tenfold/store/memory"
)

var update = flag.Bool("update", false, "write the tables of docs/agent-loop.md")

// A told is a state as the document tells of it: what a log in it ends with, and what
// the loop then does.
type told struct {
	agent.State
	ends, does string
}

func states() []told {
	return []told{
		{agent.Empty, "nothing, or nothing that asks for an answer", "does nothing"},
		{agent.Asked, "a message, or the results of all calls", "compacts if it is time to, and asks the model"},
		{agent.Answering, "a response that did not end", "appends a notice that the answer was cut off, which asks for the rest"},
		{agent.Calling, "calls without results", "runs the calls, those aside that may have been run before"},
		{agent.Said, "a response that ended, and called nothing", "stops"},
	}
}

// What else may happen leads nowhere.
const (
	contextCame  agent.Input = "standing instructions"
	resultCame   agent.Input = "a result, others are open"
	anyOther     agent.Input = "any other entry"
	processBegan agent.Input = "the program is killed and begins anew"
)

func inputs() []agent.Input {
	return []agent.Input{
		agent.MessageCame, contextCame, agent.BlockEnded, agent.CallEnded, agent.UsageCame, resultCame, agent.LastResult, anyOther, processBegan,
	}
}

// ends are logs that end in each state.
func ends() map[agent.State][]tenfold.Entry {
	asked := []tenfold.Entry{{Payload: tenfold.TurnStart{}}, {Payload: tenfold.UserMessage{Parts: tenfold.Text("Go.")}}}
	with := func(entries []tenfold.Entry, more ...tenfold.Payload) []tenfold.Entry {
		for _, p := range more {
			entries = append(entries[:len(entries):len(entries)], tenfold.Entry{Payload: p})
		}
		return entries
	}
	return map[agent.State][]tenfold.Entry{
		agent.Empty: nil, agent.Asked: asked, agent.Answering: with(asked, tenfold.AssistantMessage{Text: "So"}),
		agent.Calling: with(asked, call("a", "look"), call("b", "look"), tenfold.Usage{Input: 1}),
		agent.Said:    with(asked, tenfold.AssistantMessage{Text: "So."}, tenfold.Usage{Input: 1}),
	}
}

// entryOf gives the entries that an input is.
func entryOf(in agent.Input) []tenfold.Payload {
	return map[agent.Input][]tenfold.Payload{
		agent.MessageCame: {tenfold.UserMessage{Parts: tenfold.Text("On.")}}, contextCame: {tenfold.UserMessage{Parts: tenfold.Text("<env>x</env>"), Purpose: tenfold.Context, Synthetic: true}},
		agent.BlockEnded: {tenfold.Reasoning{Text: "Hm."}}, agent.CallEnded: {call("c", "look")}, agent.UsageCame: {tenfold.Usage{Output: 1}},
		resultCame:       {tenfold.ToolResult{CallID: "a", Parts: tenfold.Text("r")}},
		agent.LastResult: {tenfold.ToolResult{CallID: "a", Parts: tenfold.Text("r")}, tenfold.ToolResult{CallID: "b", Parts: tenfold.Text("r")}},
		anyOther:         {tenfold.Approval{State: tenfold.ApprovalRequested, CallID: "a"}}, processBegan: nil,
	}[in]
}

// Every input in every state leads where the table says, for an agent that opens the
// conversation after it.
func TestLoopDoesWhatTheTableSays(t *testing.T) {
	t.Parallel()
	for state, entries := range ends() {
		for _, in := range inputs() {
			st := memory.New()
			s, err := session.NewService(st).Create(t.Context(), session.Create{ID: "talk", Entries: entries})
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range entryOf(in) {
				if err := s.Append(t.Context(), tenfold.Entry{Payload: p}); err != nil {
					t.Fatal(err)
				}
			}
			k := beginIn(t, st, script.New())
			if got, want := k.State(), state.On(in); got != want || agent.StateOf(k.Session().Log()) != want {
				t.Errorf("%s, %s: %s, and %s by the log's end, want %s", state, in, got, agent.StateOf(k.Session().Log()), want)
			}
		}
	}
}

// The tables of docs/agent-loop.md are the loop's. -update writes them.
func TestLoopDocumentShowsTheTable(t *testing.T) {
	t.Parallel()
	const path = "../docs/agent-loop.md"
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var listed, table strings.Builder
	table.WriteString("\n| |")
	for _, s := range states() {
		fmt.Fprintf(&listed, "| %s | %s | %s |\n", s.State, s.ends, s.does)
		fmt.Fprintf(&table, " %s |", s.State)
	}
	table.WriteString("\n|---|" + strings.Repeat("---|", len(states())) + "\n")
	for _, in := range inputs() {
		fmt.Fprintf(&table, "| %s |", in)
		for _, s := range states() {
			if next := s.On(in); next == s.State {
				table.WriteString(" – |")
			} else {
				fmt.Fprintf(&table, " → %s |", next)
			}
		}
		table.WriteString("\n")
	}
	table.WriteString("\n")
	want := string(file)
	for mark, text := range map[string]string{"<!-- the states: ": listed.String(), "<!-- the table: ": table.String()} {
		before, rest, ok := strings.Cut(want, mark)
		line, rest, _ := strings.Cut(rest, "\n")
		_, after, closed := strings.Cut(rest, "<!-- end -->")
		if !ok || !closed {
			t.Fatalf("%s does not mark where %q stands", path, mark)
		}
		want = before + mark + line + "\n" + text + "<!-- end -->" + after
	}
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if string(file) != want {
		t.Errorf("%s is out of date: go test ./agent -run Document -update", path)
	}
}
