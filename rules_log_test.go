package tenfold_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tenfold"
)

// The rules of semantics, one by one. The files rules_*_test.go name each rule
// in the test that holds it; laws_test.go holds the same over generated logs.

// entry makes an entry; the log gives it the id "e" and its seq.
func entry(p tenfold.Payload) tenfold.Entry { return tenfold.Entry{Payload: p} }

func named(id string, p tenfold.Payload) tenfold.Entry { return tenfold.Entry{ID: id, Payload: p} }

func on(branch string, e tenfold.Entry) tenfold.Entry { e.Branch = branch; return e }

// in says which response of the model a block came in.
func in(message string, e tenfold.Entry) tenfold.Entry { e.MessageID = message; return e }

func start() tenfold.Entry { return entry(tenfold.TurnStart{}) }

func user(text string) tenfold.Entry {
	return entry(tenfold.UserMessage{Parts: tenfold.Text(text)})
}

func say(text string) tenfold.Entry { return entry(tenfold.AssistantMessage{Text: text}) }

func think(text string) tenfold.Entry { return entry(tenfold.Reasoning{Text: text}) }

func signed(provider, text string) tenfold.Entry {
	return entry(tenfold.Reasoning{Text: text, Provider: provider, Signature: "c2ln", Encrypted: "ZW5j"})
}

func call(id, tool, arguments string) tenfold.Entry {
	return entry(tenfold.ToolCall{CallID: id, Name: tool, Arguments: arguments})
}

func result(id, text string) tenfold.Entry {
	return entry(tenfold.ToolResult{CallID: id, Parts: tenfold.Text(text)})
}

func failed(id, text string) tenfold.Entry {
	return entry(tenfold.ToolResult{CallID: id, Parts: tenfold.Text(text), IsError: true})
}

func overlay(id string, c tenfold.Compaction) tenfold.Entry { return named(id, c) }

func summary(id string, from, to int, text string) tenfold.Entry {
	return overlay(id, tenfold.Compaction{FromTurn: from, ToTurn: to, Summary: &tenfold.Summary{Text: text}})
}

func revoke(id, target string) tenfold.Entry {
	return named(id, tenfold.CompactionRevoked{Target: target})
}

func pin(ids ...string) tenfold.Entry { return entry(tenfold.Pin{Entries: ids}) }

func unpin(ids ...string) tenfold.Entry { return entry(tenfold.Unpin{Entries: ids}) }

func logWith(t testing.TB, entries ...tenfold.Entry) *tenfold.Log {
	t.Helper()
	return newLog(t, entries)
}

func project(t testing.TB, entries ...tenfold.Entry) *tenfold.Projection {
	t.Helper()
	return tenfold.Project(newLog(t, entries))
}

// session is a log with a bit of everything: turn 0 is entries 1-7, turn 1
// entries 8-12.
func session() []tenfold.Entry {
	return []tenfold.Entry{
		start(), user("fix it"), signed("anthropic", "hm"), call("c1", "read", `{"path":"a.go"}`), result("c1", "package a"), think("so"), say("fixed"),
		start(), entry(tenfold.UserMessage{Parts: tenfold.Text("and this"), Attachments: []tenfold.Attachment{{Name: "b.md", Content: "notes"}}}),
		call("c2", "shell", `{"command":"go test"}`), failed("c2", "FAIL"), say("broken"),
	}
}

func show(p tenfold.Payload) string {
	text := func(parts []tenfold.Part) string {
		var out []string
		for _, p := range parts {
			if p.File != nil {
				out = append(out, "<"+p.File.Name+">")
				continue
			}
			out = append(out, p.Text)
		}
		return strings.Join(out, "|")
	}
	switch p := p.(type) {
	case tenfold.UserMessage:
		s := "user: " + text(p.Parts)
		for _, a := range p.Attachments {
			s += " +" + a.Name
		}
		return s
	case tenfold.AssistantMessage:
		return "assistant: " + p.Text
	case tenfold.Reasoning:
		return "thinking: " + p.Text
	case tenfold.ToolCall:
		return "call " + p.CallID + " " + p.Name + " " + p.Arguments
	case tenfold.ToolResult:
		if p.IsError {
			return "error " + p.CallID + " " + text(p.Parts)
		}
		return "result " + p.CallID + " " + text(p.Parts)
	case tenfold.ProviderItem:
		return "item " + p.Provider + " " + p.Data
	}
	return string(p.Kind())
}

// view is what the model sees, without the note of P5a.
func view(p *tenfold.Projection) []string {
	out := []string{}
	for it := range p.Items() {
		out = append(out, show(withoutNote(it.Payload)))
	}
	return out
}

// withoutNote is a payload without the note of P5a, for tests of other rules.
func withoutNote(p tenfold.Payload) tenfold.Payload {
	if m, ok := p.(tenfold.UserMessage); ok && len(m.Parts) > 0 && tenfold.IsNote(m.Parts[0].Text) {
		m.Parts = m.Parts[1:]
		return m
	}
	return p
}

func same(t testing.TB, what string, got, want any) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}

func sees(t testing.TB, p *tenfold.Projection, want ...string) {
	t.Helper()
	if want == nil {
		want = []string{}
	}
	same(t, "the model sees", view(p), want)
}

func fateOf(p *tenfold.Projection, seq int64) string {
	f, by, _ := p.Fate(seq)
	return strings.TrimSpace(f.String() + " " + by)
}

func TestL1SeqsCountFromOneWithoutGaps(t *testing.T) {
	l := logWith(t, tenfold.Entry{Seq: 40, Payload: tenfold.TurnStart{}}, user("a"), user("b"))
	want := int64(0)
	for e := range l.Entries() {
		if want++; e.Seq != want {
			t.Errorf("entry %s has seq %d, want %d", e.ID, e.Seq, want)
		}
	}
	if want != 3 {
		t.Errorf("the log has %d entries, want 3", want)
	}
}

func TestL1OrderIsSeqNeverTime(t *testing.T) {
	late := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	first, second := user("first"), user("second")
	first.Time, second.Time = late, late.Add(-time.Hour)
	p := project(t, first, second)
	sees(t, p, "user: first", "user: second")
}

func TestL1TimesAreUTCAndIDsNeverChange(t *testing.T) {
	zone := time.FixedZone("here", 2*60*60)
	e := named("mine", tenfold.TurnStart{})
	e.Time = time.Date(2026, 3, 1, 12, 0, 0, 7, zone)
	l := logWith(t, e, user("a"))
	got, ok := l.Lookup("mine")
	if !ok || got.Seq != 1 {
		t.Fatalf("Lookup gives %v, %v", got, ok)
	}
	same(t, "time", got.Time, time.Date(2026, 3, 1, 10, 0, 0, 7, time.UTC))
	if _, err := l.Append(user("b")); err != nil {
		t.Fatal(err)
	}
	again, _ := l.Entry(1)
	same(t, "entry", again, got)
}

func TestL2NothingIsEditedByWhatIsAppended(t *testing.T) {
	l := logWith(t, start(), user("a"), call("c1", "read", `{"path":"a"}`), result("c1", "long"), say("done"))
	before := slices.Collect(l.Entries())
	for _, e := range []tenfold.Entry{
		summary("s", 0, 0, "S"), revoke("undo", "s"), revoke("redo", "undo"), pin("e2"), unpin("e2"),
		overlay("o", tenfold.Compaction{Turns: tenfold.Omit, ToolCalls: &tenfold.ToolPolicy{Action: tenfold.Omit}}),
	} {
		if _, err := l.Append(e); err != nil {
			t.Fatal(err)
		}
		tenfold.Project(l)
		same(t, "log", slices.Collect(l.Entries())[:len(before)], before)
	}
}

func TestL3KindsTheModelSees(t *testing.T) {
	seen := map[tenfold.Kind]bool{
		tenfold.KindUserMessage: true, tenfold.KindAssistantMessage: true, tenfold.KindReasoning: true,
		tenfold.KindToolCall: true, tenfold.KindToolResult: true, tenfold.KindProviderItem: true,
		tenfold.KindTurnStart: false, tenfold.KindApproval: false, tenfold.KindUsage: false,
		tenfold.KindConfigDelta: false, tenfold.KindCompaction: false, tenfold.KindCompactionRevoked: false,
		tenfold.KindCompactionFailed: false, tenfold.KindCompactionAttempt: false, tenfold.KindPin: false, tenfold.KindUnpin: false, tenfold.KindRecalled: false, "later": false,
	}
	for kind, want := range seen {
		if kind.Visible() != want {
			t.Errorf("%s is visible: %v, want %v", kind, kind.Visible(), want)
		}
	}
	system := "Be brief."
	p := project(
		t, start(), user("a"), call("c", "read", `{}`), entry(tenfold.Approval{State: tenfold.ApprovalGranted, CallID: "c"}),
		result("c", "text"), entry(tenfold.Usage{Input: 4}), entry(tenfold.ConfigDelta{System: &system}),
		entry(tenfold.CompactionFailed{Error: "no"}), entry(tenfold.CompactionAttempt{State: tenfold.AttemptWanted}), pin(), unpin(), revoke("r", "nothing"),
		entry(tenfold.Recalled{Entries: []string{"e3"}}), entry(tenfold.ProviderItem{Provider: "openai", Data: `{"type":"x"}`}), think("hm"), say("done"),
	)
	sees(t, p, "user: a", "call c read {}", "result c text", `item openai {"type":"x"}`, "thinking: hm", "assistant: done")
}

func TestL4UnknownKindsAreSkippedAndKept(t *testing.T) {
	line := `{"seq":2,"id":"x","kind":"mood","tokens":5,"colour":"blue","nested":{"a":[1, 2.50]}}`
	e, err := tenfold.ParseEntry([]byte(line))
	if err != nil {
		t.Fatal(err)
	}
	same(t, "payload", e.Payload, tenfold.Payload(tenfold.Unknown{Name: "mood", Data: `{"colour":"blue","nested":{"a":[1, 2.50]}}`}))
	l := logWith(t, user("a"), e, say("b"))
	p := tenfold.Project(l)
	sees(t, p, "user: a", "assistant: b")
	if got := l.Turns(); got != 1 {
		t.Errorf("%d turns, want 1", got)
	}
	if turn, step, _ := l.Where(3); turn != 0 || step != 0 {
		t.Errorf("the answer stands in turn %d step %d, want 0, 0", turn, step)
	}
	stored, _ := l.Lookup("x")
	again, err := tenfold.AppendEntry(nil, stored)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "line", string(again), line)
}

func turnsOf(l *tenfold.Log) []string {
	var out []string
	for i := range l.Turns() {
		turn, _ := l.Turn(i)
		out = append(out, fmt.Sprintf("%d: %d-%d", turn.Index, turn.First, turn.Last))
	}
	return out
}

func TestL5Turns(t *testing.T) {
	for name, c := range map[string]struct {
		entries []tenfold.Entry
		want    []string
	}{
		"an empty log has none":                      {nil, nil},
		"what nobody sees makes none":                {[]tenfold.Entry{entry(tenfold.Usage{Input: 1})}, nil},
		"entries before the first start are turn 0":  {[]tenfold.Entry{user("a"), say("b"), start(), user("c")}, []string{"0: 1-2", "1: 3-4"}},
		"a turn runs to the next start":              {[]tenfold.Entry{start(), user("a"), say("b"), start(), user("c"), say("d")}, []string{"0: 1-3", "1: 4-6"}},
		"without a start all is turn 0":              {[]tenfold.Entry{user("a"), say("b"), user("c")}, []string{"0: 1-3"}},
		"a user message alone opens no turn":         {[]tenfold.Entry{start(), user("a"), say("b"), user("c")}, []string{"0: 1-4"}},
		"two starts in a row make an empty turn":     {[]tenfold.Entry{start(), start(), user("a")}, []string{"0: 1-1", "1: 2-3"}},
		"the agent loop is one turn":                 {[]tenfold.Entry{start(), user("a"), call("c", "t", `{}`), result("c", "r"), call("d", "t", `{}`), result("d", "r"), say("b")}, []string{"0: 1-7"}},
		"configuration before it keeps it leading":   {[]tenfold.Entry{entry(tenfold.ConfigDelta{Model: "m"}), start(), user("a")}, []string{"0: 1-3"}},
		"a start on a branch opens no turn (L7)":     {[]tenfold.Entry{start(), user("a"), on("scout", start()), on("scout", user("b"))}, []string{"0: 1-4"}},
		"a compaction between turns belongs to one":  {[]tenfold.Entry{start(), user("a"), summary("s", 0, 0, "S"), start(), user("b")}, []string{"0: 1-3", "1: 4-5"}},
		"a trailing start is a turn with no message": {[]tenfold.Entry{start(), user("a"), start()}, []string{"0: 1-2", "1: 3-3"}},
	} {
		t.Run(name, func(t *testing.T) { same(t, "turns", turnsOf(logWith(t, c.entries...)), c.want) })
	}
}

func TestL5LeadingTurnStartOpensTurn0(t *testing.T) {
	l := logWith(t, start(), user("a"))
	if turn, _, ok := l.Where(1); !ok || turn != 0 {
		t.Errorf("the leading turn_start stands in turn %d, want 0", turn)
	}
	if turn, _, ok := l.Where(2); !ok || turn != 0 {
		t.Errorf("the first message stands in turn %d, want 0", turn)
	}
	if _, ok := l.Turn(1); ok {
		t.Error("there is a turn 1")
	}
}

func TestL5TurnKnowsWhenItStarted(t *testing.T) {
	at := time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC)
	second := user("a")
	second.Time = at
	turn, ok := logWith(t, start(), second).Turn(0)
	if !ok || !turn.Started.Equal(at) {
		t.Errorf("turn 0 started %v, want the first time there is, %v", turn.Started, at)
	}
}

// steps gives "turn.step" of each entry.
func steps(l *tenfold.Log) string {
	var out []string
	for e := range l.Entries() {
		turn, step, _ := l.Where(e.Seq)
		out = append(out, fmt.Sprintf("%d.%d", turn, step))
	}
	return strings.Join(out, " ")
}

// rewind takes back what the model said in turn 0.
func rewind() tenfold.Entry {
	return entry(tenfold.Compaction{Turns: tenfold.Omit, Source: tenfold.SourceImport, Strategy: tenfold.StrategyRewind})
}

// change is what an operator changes of the tools, in mid-conversation.
func change() tenfold.Entry {
	return entry(tenfold.ProviderItem{Provider: "anthropic", Role: "system", Data: `{"type":"tool_removal","tool":{"type":"tool_reference","name":"t"}}`})
}

func TestL6Steps(t *testing.T) {
	for name, c := range map[string]struct {
		entries []tenfold.Entry
		want    string
	}{
		"a response and its results are one step":         {[]tenfold.Entry{start(), user("a"), think("h"), say("b"), call("c", "t", `{}`), result("c", "r")}, "0.0 0.0 0.0 0.0 0.0 0.0"},
		"the next response is the next step":              {[]tenfold.Entry{start(), user("a"), call("c", "t", `{}`), result("c", "r"), say("b")}, "0.0 0.0 0.0 0.0 0.1"},
		"parallel calls stay in one step":                 {[]tenfold.Entry{user("a"), call("c", "t", `{}`), call("d", "t", `{}`), result("c", "r"), result("d", "r"), say("b")}, "0.0 0.0 0.0 0.0 0.0 0.1"},
		"steps count from 0 inside each turn":             {[]tenfold.Entry{start(), user("a"), call("c", "t", `{}`), result("c", "r"), say("b"), start(), user("d"), say("e")}, "0.0 0.0 0.0 0.0 0.1 1.0 1.0 1.0"},
		"another message id is another response":          {[]tenfold.Entry{user("a"), in("m1", say("b")), in("m2", call("c", "t", `{}`)), result("c", "r")}, "0.0 0.0 0.1 0.1"},
		"one message id is one response, results between": {[]tenfold.Entry{user("a"), in("m1", call("c", "t", `{}`)), result("c", "r"), in("m1", call("d", "t", `{}`)), result("d", "r"), in("m2", say("b"))}, "0.0 0.0 0.0 0.0 0.0 0.1"},
		"a user message amid a turn begins a step":        {[]tenfold.Entry{start(), user("a"), say("b"), user("c"), say("d")}, "0.0 0.0 0.0 0.1 0.1"},
		"a late result stands with its call":              {[]tenfold.Entry{user("a"), call("c", "t", `{}`), call("d", "t", `{}`), result("d", "r"), say("b"), result("c", "r")}, "0.0 0.0 0.0 0.0 0.1 0.0"},
		"an orphan result moves nothing":                  {[]tenfold.Entry{user("a"), say("b"), result("x", "r"), say("c")}, "0.0 0.0 0.0 0.0"},
		"an answer after a rewind is the next step":       {[]tenfold.Entry{user("a"), say("b"), rewind(), say("c"), user("d")}, "0.0 0.0 0.0 0.1 0.2"},
		"an operator's change of tools is no response":    {[]tenfold.Entry{user("a"), change(), say("b"), user("c"), change(), say("d")}, "0.0 0.0 0.0 0.1 0.1 0.1"},
		"branches have steps of their own":                {[]tenfold.Entry{user("a"), call("c", "t", `{}`), on("scout", user("go")), on("scout", call("c", "t", `{}`)), on("scout", result("c", "r")), on("scout", say("b")), result("c", "r"), say("d")}, "0.0 0.0 0.0 0.0 0.0 0.1 0.0 0.1"},
	} {
		t.Run(name, func(t *testing.T) { same(t, "steps", steps(logWith(t, c.entries...)), c.want) })
	}
}

func TestL6ResultAnswersTheNearestOpenCallOfItsID(t *testing.T) {
	l := logWith(t, user("a"), call("c", "t", `1`), result("c", "one"), call("c", "t", `2`), result("c", "two"), result("c", "three"))
	for call, want := range map[int64]int64{2: 3, 4: 5, 6: 0, 1: 0, 99: 0} {
		if got := l.Pair(call); got != want {
			t.Errorf("entry %d is paired with %d, want %d", call, got, want)
		}
	}
	open := logWith(t, user("a"), in("m1", call("c", "t", `1`)), in("m2", call("c", "t", `2`)), result("c", "two"), result("c", "one"))
	if got := open.Pair(3); got != 4 {
		t.Errorf("the call of the newer step is answered by %d, want 4", got)
	}
	again := logWith(t, user("a"), call("c", "t", `1`), rewind(), call("c", "t", `2`), result("c", "two"))
	if got := again.Pair(4); got != 5 {
		t.Errorf("a call that was made again after a rewind is answered by %d, want 5", got)
	}
	parallel := logWith(t, user("a"), call("c", "t", `1`), call("c", "t", `2`), result("c", "one"), result("c", "two"))
	if got := parallel.Pair(2); got != 4 {
		t.Errorf("of two calls of one step the first is answered by %d, want 4", got)
	}
}

func TestL7ReaderSeesRootItselfAndItsAncestors(t *testing.T) {
	branches := []string{"", "orch", "orch.x", "orch.x.deep", "orch.y", "orchestra", "orchestra.x"}
	entries := make([]tenfold.Entry, 0, len(branches))
	for _, b := range branches {
		entries = append(entries, on(b, user("of "+b)))
	}
	l := logWith(t, entries...)
	for reader, want := range map[string][]string{
		"":            {""},
		"orch":        {"", "orch"},
		"orch.x":      {"", "orch", "orch.x"},
		"orch.x.deep": {"", "orch", "orch.x", "orch.x.deep"},
		"orch.y":      {"", "orch", "orch.y"},
		"orchestra":   {"", "orchestra"},
		"orchestra.x": {"", "orchestra", "orchestra.x"},
		"orchid":      {""},
		"other":       {""},
	} {
		p := tenfold.ProjectBranch(l, reader)
		var lines []string
		for _, b := range want {
			lines = append(lines, "user: of "+b)
		}
		sees(t, p, lines...)
		for i, b := range branches {
			if got := p.Reads(int64(i + 1)); got != slices.Contains(want, b) {
				t.Errorf("reader %q reads branch %q: %v", reader, b, got)
			}
		}
	}
}

func TestL7WindowBudgetsCountRootEntriesOnly(t *testing.T) {
	big := strings.Repeat("word ", 400)
	p := project(t, start(), user("a"), say("b"), on("scout", user(big)), on("scout", say(big)), start(), user("c"), on("scout", say(big)), say("d"))
	r, ok, why, err := p.Resolve(tenfold.Bounds{Tail: &tenfold.Tail{Turns: 1, Tokens: 100}})
	if err != nil || !ok {
		t.Fatalf("no range: %s, %v", why, err)
	}
	same(t, "range", r.String(), "0..0")
}

func TestL8VersionIsTheLastSeq(t *testing.T) {
	l := tenfold.NewLog()
	if l.Version() != 0 {
		t.Errorf("an empty log has version %d", l.Version())
	}
	for i, e := range []tenfold.Entry{start(), user("a"), summary("s", 0, 0, "S")} {
		if _, err := l.Append(e); err != nil {
			t.Fatal(err)
		}
		if want := int64(i + 1); l.Version() != want {
			t.Errorf("version %d, want %d", l.Version(), want)
		}
	}
	p := tenfold.Project(l)
	if _, err := l.Append(say("later")); err != nil {
		t.Fatal(err)
	}
	if p.Version() != 3 {
		t.Errorf("the projection of version 3 says %d", p.Version())
	}
	if p.Advance(); p.Version() != 4 {
		t.Errorf("advanced to %d, want 4", p.Version())
	}
}

// A seq that no log can have is behind the end, or before the beginning.
func TestL1AfterTakesAnySeq(t *testing.T) {
	l := logWith(t, start(), user("a"))
	for seq, want := range map[int64]int{math.MinInt64: 2, -1: 2, 0: 2, 1: 1, 2: 0, math.MaxInt64: 0} {
		if got := len(slices.Collect(l.After(seq))); got != want {
			t.Errorf("%d entries after %d, want %d", got, seq, want)
		}
	}
}

func TestL8ARefusedAppendWritesNothing(t *testing.T) {
	l := logWith(t, user("a"))
	n, err := l.Append(user("b"), tenfold.Entry{ID: "bad"}, user("c"))
	if !errors.Is(err, tenfold.ErrNoPayload) || n != 0 || l.Version() != 1 {
		t.Errorf("append gave %d, %v and version %d", n, err, l.Version())
	}
}

func TestL9KnownIDIsNoOpNotAnError(t *testing.T) {
	l := tenfold.NewLog()
	for _, c := range []struct {
		batch   []tenfold.Entry
		added   int
		version int64
	}{
		{[]tenfold.Entry{named("u1", user("a").Payload)}, 1, 1},
		{[]tenfold.Entry{named("u1", user("another").Payload)}, 0, 1},
		{[]tenfold.Entry{named("u1", user("a").Payload), named("u2", say("b").Payload)}, 1, 2},
		{[]tenfold.Entry{named("u3", say("c").Payload), named("u3", say("c").Payload)}, 1, 3},
		{[]tenfold.Entry{on("scout", named("u3", say("on a branch").Payload))}, 0, 3},
		{nil, 0, 3},
	} {
		added, err := l.Append(c.batch...)
		if err != nil || added != c.added || l.Version() != c.version {
			t.Errorf("append added %d, %v, version %d; want %d, version %d", added, err, l.Version(), c.added, c.version)
		}
	}
	sees(t, tenfold.Project(l), "user: a", "assistant: b", "assistant: c")
}
