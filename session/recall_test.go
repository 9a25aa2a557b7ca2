package session_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tenfold"
	"tenfold/session"
	"tenfold/store"
	"tenfold/store/memory"
	"tenfold/token"
)

func TestA9ParseRef(t *testing.T) {
	for text, want := range map[string]session.Ref{
		"417093:512":                {Conversation: "417093", From: 512, To: 512},
		"512":                       {From: 512, To: 512},
		"512-530":                   {From: 512, To: 530},
		" (recall 417093:512-530) ": {Conversation: "417093", From: 512, To: 530},
		"recall 417093:512":         {Conversation: "417093", From: 512, To: 512},
		"417093:512#40":             {Conversation: "417093", From: 512, To: 512, Line: 40},
		"417093:512#40-80":          {Conversation: "417093", From: 512, To: 512, Line: 40, Last: 80},
		"417093:512#40.2001":        {Conversation: "417093", From: 512, To: 512, Line: 40, Byte: 2001},
		"417093:512-530#7":          {Conversation: "417093", From: 512, To: 530, Line: 7},
		"0198f2ab-77aa:3":           {Conversation: "0198f2ab-77aa", From: 3, To: 3},
	} {
		got, err := session.ParseRef(text)
		if err != nil || got != want {
			t.Errorf("%q is %+v, %v", text, got, err)
		}
		again, err := session.ParseRef(got.String())
		if err != nil || again != got {
			t.Errorf("%+v is written %q and read as %+v, %v", got, got.String(), again, err)
		}
	}
	for _, text := range []string{
		"", "x", "417093:", ":512", "417093:0", "417093:5-4", "417093:5#0", "417093:5#9-8", "417093:5-9#1-2", "../x:3", "417093:5 ; rm", "1:99999999999",
		"417093:5#", strings.Repeat("9", 400), "-x:4", "\x1b[31m:4",
	} {
		if got, err := session.ParseRef(text); err == nil {
			t.Errorf("%q is %+v", text, got)
		} else if strings.ContainsRune(err.Error(), '\x1b') {
			t.Errorf("the error prints a control character: %q", err)
		}
	}
}

// calls is a conversation of calls with results of so many lines, and requests.
func calls(t *testing.T, svc *session.Service, id string, results ...string) *session.Session {
	t.Helper()
	entries := []tenfold.Entry{{Payload: tenfold.TurnStart{}}, {Payload: tenfold.UserMessage{Parts: tenfold.Text("look at it")}}}
	for i, text := range results {
		entries = append(entries,
			tenfold.Entry{Payload: tenfold.ToolCall{CallID: fmt.Sprint("c", i), Name: "Bash", Arguments: fmt.Sprintf(`{"command":"show %d","timeout":5}`, i)}},
			tenfold.Entry{Payload: tenfold.ToolResult{CallID: fmt.Sprint("c", i), Parts: tenfold.Text(text)}})
	}
	s, err := svc.Create(t.Context(), session.Create{ID: id, Entries: append(entries, tenfold.Entry{Payload: tenfold.AssistantMessage{Text: "done"}})})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func ref(t *testing.T, text string) session.Ref {
	t.Helper()
	r, err := session.ParseRef(text)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A9: a reference to a call or to its result gives both, a range all of it, lines
// the lines; and what was given is in the log.
func TestA9Expand(t *testing.T) {
	svc := newService(t)
	s := calls(t, svc, "demo", "one\ntwo\nthree\n", "four")
	h := session.Handle("demo")
	for text, want := range map[string]string{
		"4": "[" + h + ":3 call Bash, turn 0]\ncommand: show 0\ntimeout: 5\n[" + h + ":4 result Bash, turn 0]\none\ntwo\nthree\n",
		"3": "[" + h + ":3 call Bash, turn 0]\ncommand: show 0\ntimeout: 5\n[" + h + ":4 result Bash, turn 0]\none\ntwo\nthree\n",
		"4-6": "[" + h + ":4 result Bash, turn 0]\none\ntwo\nthree\n[" + h + ":5 call Bash, turn 0]\ncommand: show 1\ntimeout: 5\n" +
			"[" + h + ":6 result Bash, turn 0]\nfour\n",
		"4#2":    "[" + h + ":4 result Bash, turn 0, lines 2-3 of 3]\ntwo\nthree\n",
		"4#2-2":  "[" + h + ":4 result Bash, turn 0, lines 2-2 of 3]\ntwo\n",
		"4#1-99": "[" + h + ":4 result Bash, turn 0]\none\ntwo\nthree\n",
		"2":      "[" + h + ":2 user, turn 0]\nlook at it\n",
		"7-9999": "[" + h + ":7 assistant, turn 0]\ndone\n",
	} {
		p, err := s.Expand(t.Context(), ref(t, text), 0)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if got := p.Text(); got != want {
			t.Errorf("%s gives\n%swant\n%s", text, got, want)
		}
	}
	asked := map[string]int{}
	for e := range s.Log().Entries() {
		if r, ok := e.Payload.(tenfold.Recalled); ok {
			for _, id := range r.Entries {
				was, _ := s.Log().Lookup(id)
				asked[fmt.Sprint(was.Seq, r.Lines)]++
			}
		}
	}
	for _, want := range []string{"2 []", "3 []", "4 []", "4 [{2 3 0 0}]", "4 [{2 2 0 0}]", "6 []", "7 []"} {
		if asked[want] == 0 {
			t.Errorf("the log does not tell of %s: %v", want, asked)
		}
	}
	version := s.Log().Version()
	if _, err := s.Read(ref(t, "4"), 0); err != nil || s.Log().Version() != version {
		t.Fatalf("reading is recorded: %v", err)
	}
	for text, want := range map[string]string{"4": "4 []", "4#2.1-2": "4 [{2 2 0 0}]"} {
		p, err := s.Recall(t.Context(), ref(t, text), 0)
		if err != nil || s.Log().Version() != version+1 {
			t.Fatalf("recalling %s: %v, %d entries more", text, err, s.Log().Version()-version)
		}
		version++
		e, _ := s.Log().Entry(version)
		r, _ := e.Payload.(tenfold.Recalled)
		if was, _ := s.Log().Lookup(strings.Join(r.Entries, ",")); fmt.Sprint(was.Seq, r.Lines) != want {
			t.Errorf("%s is recorded as %+v: %s", text, r, p.Text())
		}
	}
	for _, text := range []string{"1", "999", "4#4", "4#1.9999", "8"} {
		if p, err := s.Expand(t.Context(), ref(t, text), 0); err == nil || !errors.Is(err, session.ErrNoEntry) {
			t.Errorf("%s gives %q, %v", text, p.Text(), err)
		}
	}
	if s.Log().Version() != version {
		t.Error("what failed is recorded")
	}
}

// A9, live §5: whatever a log holds, no answer is over its tokens, each goes on
// where the one before ended, and together they are the text, byte for byte.
func TestA9AnswersAreBoundedAndComplete(t *testing.T) {
	counter := token.O200k()
	rapid.Check(t, func(rt *rapid.T) {
		line := rapid.OneOf(
			rapid.StringN(0, 40, 80), rapid.Just(""), rapid.Just(strings.Repeat("x", 9000)), rapid.Just(strings.Repeat("日本語 🙂 ", 900)),
			rapid.Just("[more: 1:2]"), rapid.Just("["+session.Handle("demo")+":3 user, turn 0]"), rapid.SampledFrom([]string{"\r", "\x1b[2J", "if err != nil {", strings.Repeat("[more: ", 500)}),
		)
		var results []string
		for range rapid.IntRange(1, 4).Draw(rt, "results") {
			results = append(results, strings.Join(rapid.SliceOfN(line, 1, 60).Draw(rt, "lines"), "\n"))
		}
		svc := newService(t)
		s := calls(t, svc, "demo", results...)
		defer func() { _ = svc.Delete(t.Context(), "demo") }()
		limit := rapid.SampledFrom([]int{0, 200, 700, 5000}).Draw(rt, "limit")
		text := rapid.SampledFrom([]string{"3", "4", "2-99", "4-6"}).Draw(rt, "reference")
		most := session.RecallTokens
		if limit > 0 {
			most = min(limit, most)
		}
		got := map[int64]string{}
		var order []int64
		for n := 0; text != ""; n++ {
			p, err := s.Expand(t.Context(), ref(t, text), limit)
			if err != nil {
				rt.Fatalf("%s: %v", text, err)
			}
			if c := counter.Count(p.Text()); c > most || c != p.Tokens {
				rt.Fatalf("%s has %d tokens, and says %d; at most %d", text, c, p.Tokens, most)
			}
			if strings.Count(p.Text(), "[more: ") > 1 || n > 4000 || p.Next == text {
				rt.Fatalf("%s goes on with %s:\n%s", text, p.Next, p.Text())
			}
			for _, piece := range p.Pieces {
				got[piece.Seq] += piece.Text
				if !slices.Contains(order, piece.Seq) {
					order = append(order, piece.Seq)
				}
			}
			text = p.Next
		}
		for i, seq := range order {
			e, _ := s.Log().Entry(seq)
			if r, ok := e.Payload.(tenfold.ToolResult); ok && tenfold.TextLines(r) != got[seq] {
				rt.Fatalf("entry %d is %q in parts, and %q", seq, got[seq], tenfold.TextLines(r))
			}
			if i > 0 && seq < order[i-1] {
				rt.Fatalf("the entries come as %v", order)
			}
		}
	})
}

// unlisted is a store whose whole list nobody may read: it may be long.
type unlisted struct{ store.Store }

func (unlisted) Conversations(context.Context) iter.Seq2[store.Conversation, error] {
	panic("the whole list is read")
}

// A reference means the conversation whose handle it has; of none the one at hand;
// of one that is gone a copy that uses it. What is not known is an error that says so.
func TestA9Resolve(t *testing.T) {
	svc := session.NewService(unlisted{memory.New()}, session.WithCounter(tenfold.Chars4{}))
	calls(t, svc, "demo", "one")
	calls(t, svc, "other", "two")
	gone := session.Handle("gone")
	if _, err := svc.Create(t.Context(), session.Create{ID: "fork", Entries: []tenfold.Entry{
		{Payload: tenfold.UserMessage{Parts: tenfold.Text("go")}}, {Payload: tenfold.Compaction{Handle: gone, ToolCalls: &tenfold.ToolPolicy{Action: tenfold.Omit}}},
	}}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, here, want string
		err              error
	}{
		{session.Handle("demo"), "", "demo", nil},
		{session.Handle("demo"), "other", "demo", nil},
		{"", "other", "other", nil},
		{"dem", "", "demo", nil},
		{"demo", "", "demo", nil},
		{gone, "fork", "fork", nil},
		{gone, "demo", "", store.ErrNotFound},
		{gone, "", "", store.ErrNotFound},
		{"nobody", "", "", store.ErrNotFound},
	} {
		got, err := svc.Resolve(t.Context(), c.name, c.here)
		if got != c.want || !errors.Is(err, c.err) {
			t.Errorf("%q beside %q is %q, %v", c.name, c.here, got, err)
		}
	}
	if _, err := svc.Resolve(t.Context(), "", ""); err == nil {
		t.Error("no conversation is one")
	}
	a, b := twins(t)
	calls(t, svc, a, "x")
	calls(t, svc, b, "y")
	if _, err := svc.Resolve(t.Context(), session.Handle(a), ""); !errors.Is(err, session.ErrAmbiguous) {
		t.Errorf("two conversations of one handle: %v", err)
	}
	if got, err := svc.Resolve(t.Context(), session.Handle(a), b); got != b || err != nil {
		t.Errorf("beside one of them it is %q, %v", got, err)
	}
}

// twins are two ids of one handle.
func twins(t *testing.T) (a, b string) {
	t.Helper()
	seen := map[string]string{}
	for i := range 100_000 {
		id := fmt.Sprintf("twin-%d", i)
		if other := seen[session.Handle(id)]; other != "" {
			return other, id
		}
		seen[session.Handle(id)] = id
	}
	t.Fatal("no two ids have the same handle")
	return "", ""
}

// The overlays of a plan name the conversation in their references.
func TestA9PlansNameTheConversation(t *testing.T) {
	s := mustCreate(t, newService(t), 6)
	r := all()
	r.Options.Recall = true
	made, err := s.Plan(t.Context(), r)
	if err != nil || len(made.Compactions) == 0 {
		t.Fatal(made.Nothing, err)
	}
	for _, c := range made.Compactions {
		if c.ToolCalls != nil && (c.Handle != session.Handle(s.ID()) || !c.ToolCalls.Recall) {
			t.Errorf("the handle is %q, recall %v", c.Handle, c.ToolCalls.Recall)
		}
	}
}

// A range gives what the reader of its first entry saw: not what a sub-agent did
// meanwhile, nor usage.
func TestA9RangesKeepToTheirBranch(t *testing.T) {
	svc := newService(t)
	s, err := svc.Create(t.Context(), session.Create{ID: "demo", Entries: []tenfold.Entry{
		{Payload: tenfold.UserMessage{Parts: tenfold.Text("root one")}},
		{Branch: "scout", Payload: tenfold.AssistantMessage{Text: "scout one"}},
		{Payload: tenfold.Usage{Model: "m", Input: 1}},
		{Payload: tenfold.AssistantMessage{Text: "root two"}},
		{Branch: "scout", Payload: tenfold.AssistantMessage{Text: "scout two"}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{"1-5": "root one,root two", "2-5": "scout one,scout two", "4-9": "root two"} {
		p, err := s.Read(ref(t, text), 0)
		var got []string
		for _, piece := range p.Pieces {
			got = append(got, piece.Text)
		}
		if err != nil || strings.Join(got, ",") != want {
			t.Errorf("%s gives %q, %v", text, got, err)
		}
	}
}
