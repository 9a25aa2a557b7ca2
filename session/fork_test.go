package session_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tenfold"
	"tenfold/session"
	"tenfold/strategy"
	"tenfold/token"
)

func TestFork(t *testing.T) {
	svc := newService(t)
	s := mustCreate(t, svc, 5)
	plan, err := s.Plan(t.Context(), session.Request{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Apply(t.Context(), plan); err != nil {
		t.Fatal(err)
	}
	whole, err := svc.Fork(t.Context(), s, session.Fork{})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(items(s), items(whole)); d != "" {
		t.Errorf("a fork shows something else:\n%s", d)
	}
	last, err := svc.Fork(t.Context(), s, session.Fork{Last: 2})
	if err != nil {
		t.Fatal(err)
	}
	if got := last.Log().Turns(); got != 2 {
		t.Errorf("a fork of the last 2 turns has %d", got)
	}
	until := 1
	early, err := svc.Fork(t.Context(), s, session.Fork{Until: &until})
	if err != nil {
		t.Fatal(err)
	}
	if got := early.Log().Turns(); got != 2 {
		t.Errorf("a fork until turn 1 has %d turns", got)
	}
	beyond := 9
	if _, err := svc.Fork(t.Context(), s, session.Fork{Until: &beyond}); err == nil {
		t.Error("a fork until a turn that is not there was made")
	}
	if s.Log().Turns() != 5 {
		t.Error("forking changed the original")
	}
}

// T3: what prompts held of the turns that a fork leaves out is not what each of its
// requests holds beside the log.
func TestT3ForkOfTheLastTurnsHasNoOlderPrompts(t *testing.T) {
	svc := newService(t)
	s, err := svc.Create(t.Context(), session.Create{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 10 {
		if err := s.Append(
			t.Context(),
			tenfold.Entry{Payload: tenfold.TurnStart{}}, tenfold.Entry{Tokens: 1000, Payload: tenfold.UserMessage{Parts: tenfold.Text("do it")}},
			tenfold.Entry{Payload: tenfold.AssistantMessage{Text: "done"}}, tenfold.Entry{Payload: tenfold.Usage{Model: "m", Input: 500 + 1400*(i+1)}},
		); err != nil {
			t.Fatal(err)
		}
	}
	until := 5
	for want, f := range map[int]session.Fork{500: {Until: &until}, 0: {Last: 5}} {
		fork, err := svc.Fork(t.Context(), s, f)
		if err != nil {
			t.Fatal(err)
		}
		if got := token.Calibrate(fork.Log()).Outside; got < want-50 || got > want+50 {
			t.Errorf("%+v: %d tokens outside", f, got)
		}
	}
}

// Overlays keep their meaning in a fork of the last turns.
func TestForkMovesOverlays(t *testing.T) {
	strip := tenfold.CallPolicy{Action: tenfold.Strip, Response: true}
	for name, policy := range map[string]tenfold.ToolPolicy{
		"by id":    {Calls: map[string]tenfold.CallPolicy{"call3@18": strip}},
		"in group": {Groups: []tenfold.CallGroup{{CallPolicy: strip, Entries: []int64{3, 18}}}},
	} {
		t.Run(name, func(t *testing.T) { forkMovesOverlays(t, policy) })
	}
}

func forkMovesOverlays(t *testing.T, policy tenfold.ToolPolicy) {
	t.Helper()
	policy.Action = tenfold.Selective
	svc := newService(t)
	s := mustCreate(t, svc, 4)
	for _, c := range []tenfold.Compaction{
		{FromTurn: 1, ToTurn: 2, ToolCalls: &tenfold.ToolPolicy{Action: tenfold.Strip, Request: true}},
		{FromTurn: 0, ToTurn: 3, ToolCalls: &policy},
		{FromTurn: 0, ToTurn: 2, Summary: &tenfold.Summary{Text: "of what the fork does not have"}},
	} {
		if err := s.Append(t.Context(), tenfold.Entry{Payload: c}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Undo(t.Context()); err != nil { // the summary; its undoing goes with it
		t.Fatal(err)
	}
	if _, err := s.Redo(t.Context()); err != nil {
		t.Fatal(err)
	}
	fork, err := svc.Fork(t.Context(), s, session.Fork{Last: 2})
	if err != nil {
		t.Fatal(err)
	}
	var fates []string
	for it := range fork.Projection().Items() {
		fates = append(fates, fmt.Sprintf("%d %s %s", it.Turn, it.Payload.Kind(), it.Fate))
	}
	want := []string{
		"0 user_message kept", "0 tool_call kept", "0 tool_result kept", "0 assistant_message kept",
		"1 user_message kept", "1 tool_call kept", "1 tool_result stripped", "1 assistant_message kept",
	}
	if d := cmp.Diff(want, fates); d != "" {
		t.Error(d)
	}
}

// V5: what an overlay leaves alone it leaves alone in a fork, where that has another seq.
func TestV5ForkLeavesTheSameAlone(t *testing.T) {
	svc := newService(t)
	s := mustCreate(t, svc, 4) // five entries a turn
	keeps := &tenfold.Keeps{Entries: []int64{8, 12, 13}}
	if err := s.Append(t.Context(), tenfold.Entry{Payload: tenfold.Compaction{FromTurn: 1, ToTurn: 2, Turns: tenfold.Omit, Keeps: keeps}}); err != nil {
		t.Fatal(err)
	}
	fork, err := svc.Fork(t.Context(), s, session.Fork{Last: 2})
	if err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for it := range fork.Projection().Items() {
		kinds = append(kinds, fmt.Sprint(it.Turn, " ", it.Payload.Kind()))
	}
	want := []string{"0 user_message", "0 tool_call", "0 tool_result", "1 user_message", "1 tool_call", "1 tool_result", "1 assistant_message"}
	if d := cmp.Diff(want, kinds); d != "" {
		t.Error(d)
	}
}

// A9: a mark in a fork of some turns, whose entries have other seqs, refers to the text that
// it stands for, and not to what the original has there.
func TestA9MarksOfAForkReferToItsText(t *testing.T) {
	svc := newService(t)
	s := mustCreate(t, svc, 6)
	ctx := t.Context()
	if _, err := s.Compact(ctx, session.Request{
		Strategies: []strategy.Strategy{strategy.StripTools{}}, Bounds: tenfold.Bounds{Tail: &tenfold.Tail{}},
		Options: strategy.Options{Recall: true, Handle: session.Handle(s.ID())},
	}); err != nil {
		t.Fatal(err)
	}
	for name, f := range map[string]session.Fork{"all": {}, "last": {Last: 3}, "named": {ID: "named", Last: 2}} {
		fork, err := svc.Fork(ctx, s, f)
		if err != nil {
			t.Fatal(err)
		}
		marks := 0
		for it := range fork.Projection().Items() {
			result, ok := it.Payload.(tenfold.ToolResult)
			if !ok {
				continue
			}
			_, mark, marked := strings.Cut(result.Parts[0].Text, "(recall ")
			if !marked {
				continue
			}
			marks++
			ref, err := session.ParseRef(strings.TrimSuffix(mark, ")"))
			if err != nil {
				t.Fatal(err)
			}
			id, err := svc.Resolve(ctx, ref.Conversation, "")
			if err != nil {
				t.Fatal(err)
			}
			of, err := svc.Open(ctx, id)
			if err != nil {
				t.Fatal(err)
			}
			want, _ := fork.Log().Entry(it.Seq)
			if got, _ := of.Log().Entry(ref.From); got.ID != want.ID {
				t.Errorf("%s: the mark of %s refers to %s", name, want.ID, got.ID)
			}
		}
		if marks < 2 {
			t.Errorf("%s: %d marks", name, marks)
		}
	}
}

// V1, P9: an overlay over more turns than a copy has hides the requests of its last turn
// as before, whatever follows there, and one that ended inside that turn leaves them alone.
func TestForkOfAnOverlayThatReachesFurther(t *testing.T) {
	for _, step := range []int{-1, 0} {
		svc := newService(t)
		s := mustCreate(t, svc, 4)
		c := tenfold.Compaction{ToTurn: 2, Turns: tenfold.Omit}
		if step >= 0 {
			c.ToTurn, c.ToStep = 1, &step
		}
		if err := s.Append(t.Context(), tenfold.Entry{ID: fmt.Sprint("c", step), Payload: c}); err != nil {
			t.Fatal(err)
		}
		turn, _ := s.Log().Turn(2)
		epoch := fmt.Sprint("c", step)
		fork, err := svc.Fork(t.Context(), s, session.Fork{Through: turn.First - 1, Epoch: &epoch})
		if err != nil {
			t.Fatal(err)
		}
		if err := fork.Append(t.Context(), tenfold.Entry{ID: "later", Payload: tenfold.UserMessage{Parts: tenfold.Text("and this")}}); err != nil {
			t.Fatal(err)
		}
		for e := range fork.Log().Entries() {
			if !e.Payload.Kind().Visible() {
				continue
			}
			was := tenfold.Kept
			if e.ID != "later" {
				was, _, _ = s.Projection().Fate(e.Seq)
			}
			if is, _, _ := fork.Projection().Fate(e.Seq); is != was {
				t.Errorf("up to step %d: %s is %v in the copy, %v before", step, e.Payload.Kind(), is, was)
			}
		}
	}
}

// V1, P13: where a copy ends inside a turn that an overlay covers, what goes on there is
// shown: the result of a call that waits, with the call, and the steps behind one that is whole.
func TestForkThatGoesOnInsideATurn(t *testing.T) {
	result := tenfold.ToolResult{CallID: "call1", Parts: tenfold.Text("another result")}
	for _, test := range []struct {
		name    string
		through int64 // of an entry of turn 1
		reaches int   // the last turn of the overlay
		next    tenfold.Payload
		hidden  int64 // the last entry that the copy hides
	}{
		{"a call waits", 8, 1, result, 5},
		{"a call waits, and the overlay covers turns behind", 8, 3, result, 5},
		{"its result is there", 9, 1, tenfold.AssistantMessage{Text: "another answer"}, 9},
	} {
		t.Run(test.name, func(t *testing.T) {
			svc := newService(t)
			s := mustCreate(t, svc, 4)
			undone := []tenfold.Entry{{ID: "u", Payload: tenfold.CompactionRevoked{Target: "c"}}, {ID: "r", Payload: tenfold.CompactionRevoked{Target: "u"}}}
			if err := s.Append(t.Context(), append([]tenfold.Entry{{ID: "c", Payload: tenfold.Compaction{ToTurn: test.reaches, Turns: tenfold.Omit}}}, undone...)...); err != nil {
				t.Fatal(err)
			}
			fork, err := svc.Fork(t.Context(), s, session.Fork{Through: test.through})
			if err != nil {
				t.Fatal(err)
			}
			if _, same := fork.Log().Lookup("c"); same != (test.hidden == test.through) {
				t.Errorf("what shows the same has its id: %v", same)
			}
			if err := fork.Append(t.Context(), tenfold.Entry{ID: "next", Payload: test.next}); err != nil {
				t.Fatal(err)
			}
			for e := range fork.Log().Entries() {
				if !e.Payload.Kind().Visible() || e.Payload.Kind() == tenfold.KindUserMessage {
					continue
				}
				want := tenfold.Kept
				if e.Seq <= test.hidden {
					want = tenfold.Omitted
				}
				if is, _, _ := fork.Projection().Fate(e.Seq); is != want {
					t.Errorf("entry %d, %s, is %v, not %v", e.Seq, e.Payload.Kind(), is, want)
				}
			}
		})
	}
}

// V1: a call that waits in a later step of its turn has what stands before its step hidden, and no more.
func TestForkBehindAWaitingCallOfALaterStep(t *testing.T) {
	svc := newService(t)
	call := func(id string) tenfold.Entry {
		return tenfold.Entry{ID: id, MessageID: id, Payload: tenfold.ToolCall{CallID: id, Name: "read"}}
	}
	s, err := svc.Create(t.Context(), session.Create{Entries: []tenfold.Entry{
		{Payload: tenfold.TurnStart{}},
		{Payload: tenfold.UserMessage{Parts: tenfold.Text("go")}},
		call("a"),
		{ID: "ra", Payload: tenfold.ToolResult{CallID: "a"}},
		call("b"),
		{Payload: tenfold.ToolResult{CallID: "b"}},
		{Payload: tenfold.TurnStart{}},
		{Payload: tenfold.UserMessage{Parts: tenfold.Text("go on")}},
		{Payload: tenfold.Compaction{ToTurn: 1, Turns: tenfold.Omit}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	fork, err := svc.Fork(t.Context(), s, session.Fork{Through: 5})
	if err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]tenfold.Fate{"a": tenfold.Omitted, "ra": tenfold.Omitted, "b": tenfold.Kept} {
		e, _ := fork.Log().Lookup(id)
		if is, _, _ := fork.Projection().Fate(e.Seq); is != want {
			t.Errorf("%s is %v, not %v", id, is, want)
		}
	}
}

// What waits where a copy ends is looked for in the turn alone, however long the log is.
func TestForkReadsOneTurnForWhatWaits(t *testing.T) {
	var cost []float64
	for _, turns := range []int{4, 40} {
		s := mustCreate(t, newService(t), turns)
		last, _ := s.Log().Turn(turns - 1)
		for through := last.First; through <= last.Last; through++ {
			e, _ := s.Log().Entry(through)
			call := e.Payload.Kind() == tenfold.KindToolCall
			if waits := s.CallIsPending(turns-1, through); waits != call {
				t.Errorf("behind %s a call waits: %v", e.Payload.Kind(), waits)
			}
			if call {
				cost = append(cost, testing.AllocsPerRun(10, func() { s.CallIsPending(turns-1, through) }))
			}
		}
	}
	if len(cost) != 2 || cost[1] > cost[0]+5 {
		t.Errorf("%v allocations for a short log and a long one", cost)
	}
}

// A call that was taken back waits for nothing, once it was.
func TestForkBehindACallThatWasTakenBack(t *testing.T) {
	s := mustCreate(t, newService(t), 2)
	back := tenfold.Compaction{FromTurn: 2, ToTurn: 2, Turns: tenfold.Omit, Source: tenfold.SourceImport, Strategy: tenfold.StrategyRewind}
	err := s.Append(t.Context(), tenfold.Entry{ID: "t", Payload: tenfold.TurnStart{}}, tenfold.Entry{ID: "u", Payload: tenfold.UserMessage{Parts: tenfold.Text("go")}},
		tenfold.Entry{ID: "c", Payload: tenfold.ToolCall{CallID: "last", Name: "Bash", Arguments: "{}"}}, tenfold.Entry{ID: "back", Payload: back})
	if err != nil {
		t.Fatal(err)
	}
	for behind, want := range map[int64]bool{0: false, 1: true} {
		if waits := s.CallIsPending(2, s.Log().Version()-behind); waits != want {
			t.Errorf("%d before the end a call waits: %v", behind, waits)
		}
	}
}

// V1: a copy of a log up to an entry shows what an epoch showed: what was compacted or
// undone after that stays out.
func TestForkShowsAnEpoch(t *testing.T) {
	svc := newService(t)
	s := mustCreate(t, svc, 4)
	turn, _ := s.Log().Turn(2)
	strip := &tenfold.Policy{Action: tenfold.Strip}
	for _, id := range []string{"first", "second"} {
		if err := s.Append(t.Context(), tenfold.Entry{ID: id, Payload: tenfold.Compaction{FromTurn: 0, ToTurn: 1, Reasoning: strip}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Append(t.Context(), tenfold.Entry{ID: "undo", Payload: tenfold.CompactionRevoked{Target: "first"}}); err != nil {
		t.Fatal(err)
	}
	all, none, first, second, unknown := (*string)(nil), "", "first", "second", "nowhere"
	for _, test := range []struct {
		epoch *string
		live  []string
	}{{all, []string{"second"}}, {&none, nil}, {&first, []string{"first"}}, {&second, []string{"first", "second"}}, {&unknown, nil}} {
		fork, err := svc.Fork(t.Context(), s, session.Fork{Through: turn.First - 1, Epoch: test.epoch})
		if err != nil {
			t.Fatal(err)
		}
		var live []string
		for o := range fork.Projection().Overlays() {
			if o.Live {
				live = append(live, o.ID)
			}
		}
		if !slices.Equal(live, test.live) || fork.Log().Turns() != 2 {
			t.Errorf("with epoch %v %q are live, in %d turns", test.epoch, live, fork.Log().Turns())
		}
	}
}
