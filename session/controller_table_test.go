package session_test

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"tenfold"
	"tenfold/session"
	"tenfold/store/memory"
)

// inState brings a conversation into a state by what stands in its log then,
// within the window or over it.
func inState(r *running, s session.State) {
	r.turn()
	begun := tenfold.Entry{ID: "att", Time: r.clock.now, Payload: tenfold.CompactionAttempt{State: tenfold.AttemptBegun, Source: "auto", Seconds: 60}}
	switch s {
	case session.Ready:
		r.call(500)
	case session.Wanted:
		r.add(tenfold.ToolCall{CallID: "open", Name: "Read", Arguments: `{}`})
		r.want(r.ask(session.Wish{By: session.ByModel, Focus: "the schema"}), session.Wait, session.Wanted)
		r.answer("open", 500)
	case session.Compacting:
		r.append(begun)
	case session.Tried:
		r.append(begun)
		r.add(tenfold.CompactionAttempt{State: tenfold.AttemptEnded, Attempt: "att", Reason: "nothing to do"})
	case session.Closed:
		r.call(window + 1)
		r.add(tenfold.CompactionFailed{Error: "no model", Exceeded: true})
	}
}

func (r *running) append(e tenfold.Entry) {
	r.t.Helper()
	if err := r.c.Appended(r.t.Context(), e); err != nil {
		r.t.Fatal(err)
	}
}

// apply has an input happen, and gives the answer where there is one.
func apply(r *running, in session.Input) session.Action {
	wish := func(by session.Asker, open bool) session.Action {
		if open {
			r.add(tenfold.ToolCall{CallID: fmt.Sprint("late", r.n), Name: "Read", Arguments: `{}`})
		}
		d, err := r.c.Ask(r.t.Context(), session.Wish{By: by})
		if err != nil {
			r.t.Fatal(err)
		}
		return d.Action
	}
	switch in {
	case session.TurnBegins:
		r.add(tenfold.TurnStart{})
	case session.EntryAppended:
		r.add(tenfold.Usage{})
	case session.WishRecorded:
		r.add(tenfold.CompactionAttempt{State: tenfold.AttemptWanted, Source: "model"})
	case session.AttemptBegins:
		r.append(tenfold.Entry{ID: "other", Time: r.clock.now, Payload: tenfold.CompactionAttempt{State: tenfold.AttemptBegun, Source: "user", Seconds: 60}})
	case session.AttemptDone:
		r.add(tenfold.Compaction{Command: "att", Source: "auto", Reasoning: &tenfold.Policy{Action: tenfold.Strip}})
	case session.AttemptEnds:
		r.add(tenfold.CompactionAttempt{State: tenfold.AttemptEnded, Attempt: "att", Reason: "nothing to do"})
	case session.AttemptFails:
		r.add(tenfold.CompactionFailed{Error: "no model", Attempt: attemptOf(r)})
	case session.AttemptAgain:
		r.live.Auto.MaxAttempts = 2
		r.reopen()
		r.add(tenfold.CompactionFailed{Error: "no model", Attempt: "att"})
	case session.AttemptFailsAt:
		r.add(tenfold.CompactionFailed{Error: "no model", Attempt: attemptOf(r), Exceeded: true})
	case session.TimeOver:
		r.clock.pass(time.Hour)
	case session.RequestFits:
		r.add(tenfold.Usage{Input: 100})
		return r.next().Action
	case session.RequestDue:
		r.say()
		r.add(tenfold.Usage{Input: 9000})
		return r.next().Action
	case session.RequestUndone:
		r.say()
		r.undo("undone")
		r.add(tenfold.Usage{Input: 9000})
		return r.next().Action
	case session.RequestOver:
		r.add(tenfold.Usage{Input: window + 1})
		return r.next().Action
	case session.ClientAsks:
		return wish(session.ByClient, false)
	case session.ModelAsks:
		return wish(session.ByModel, false)
	case session.ModelAsksOpen:
		return wish(session.ByModel, true)
	case session.PersonAsks:
		return wish(session.ByPerson, false)
	case session.PersonAsksOpen:
		return wish(session.ByPerson, true)
	default:
		r.t.Fatalf("no test has the input %q happen", in)
	}
	return ""
}

// undo has a person undo a compaction that was not an attempt's.
func (r *running) undo(id string) {
	r.append(tenfold.Entry{ID: id, Time: r.clock.now, Payload: tenfold.Compaction{Source: "micro", Reasoning: &tenfold.Policy{Action: tenfold.Strip}}})
	r.add(tenfold.CompactionRevoked{Target: id, Command: "cmd_" + id})
}

// attemptOf is the attempt under way, if there is one.
func attemptOf(r *running) string {
	if r.status().State == session.Compacting {
		return "att"
	}
	return ""
}

// A1–A9, V7: every input in every state has the answer and the state that the
// table says, in a controller that was there and in one opened after.
func TestControllerDoesWhatTheTableSays(t *testing.T) {
	for _, state := range session.States() {
		for _, in := range session.Inputs() {
			r := run(t, memory.New())
			inState(r, state)
			if got := r.status().State; got != state {
				t.Fatalf("the test makes %s of a conversation that is to be %s", got, state)
			}
			want := state.On(in)
			if in == session.AttemptFailsAt {
				r.call(window + 1) // it takes a view over the window
			}
			answer := apply(r, in)
			for _, when := range []string{"", " reopened"} {
				// Closed is what Tried is over the window, so that a view may
				// show either.
				got := r.status().State
				if answer != want.Answer || got != want.Next && (want.Next != session.Tried || got != session.Closed) {
					t.Errorf("%s, %s%s: %q, then %s; want %q, then %s", state, in, when, answer, got, want.Answer, want.Next)
				}
				r.reopen()
			}
		}
	}
}

// Every state and every input is in the table, once.
func TestControllerTableIsWhole(t *testing.T) {
	for _, state := range session.States() {
		for _, in := range session.Inputs() {
			if tr := state.On(in); !slices.Contains(session.States(), tr.Next) {
				t.Errorf("%s, %s: no state follows", state, in)
			}
		}
	}
}

var update = flag.Bool("update", false, "write the table of docs/controller.md")

// The table of docs/controller.md is that of the controller. -update writes it.
func TestControllerDocumentShowsTheTable(t *testing.T) {
	const path, begin, end = "../docs/controller.md", "<!-- the table: go test ./session -run Document -update -->\n", "<!-- end -->\n"
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(file), begin)
	_, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatalf("%s does not mark where the table stands", path)
	}
	var b strings.Builder
	b.WriteString("\n| |")
	for _, s := range session.States() {
		fmt.Fprintf(&b, " %s |", s)
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(session.States())) + "\n")
	for _, in := range session.Inputs() {
		fmt.Fprintf(&b, "| %s |", in)
		for _, s := range session.States() {
			switch tr := s.On(in); {
			case tr.Answer == "" && tr.Next == s:
				b.WriteString(" – |")
			case tr.Answer == "":
				fmt.Fprintf(&b, " → %s |", tr.Next)
			case tr.Next == s:
				fmt.Fprintf(&b, " **%s** |", tr.Answer)
			default:
				fmt.Fprintf(&b, " **%s** → %s |", tr.Answer, tr.Next)
			}
		}
		b.WriteString("\n")
	}
	b.WriteString("\n")
	want := before + begin + b.String() + end + after
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if string(file) != want {
		t.Errorf("%s is out of date: go test ./session -run Document -update", path)
	}
}
