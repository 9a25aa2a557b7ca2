package tenfold_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tenfold"
	"tenfold/body"
	"tenfold/internal/logtest"
)

// thoughts gives the ids of the signed reasoning that a view shows.
func thoughts(p *tenfold.Projection) string {
	var ids []string
	for it := range p.Items() {
		if r, ok := it.Payload.(tenfold.Reasoning); ok && r.Signature != "" {
			ids = append(ids, it.ID)
		}
	}
	return strings.Join(ids, " ")
}

func model(name string) tenfold.Entry { return entry(tenfold.ConfigDelta{Model: name}) }

func thought(id string) tenfold.Entry {
	return named(id, tenfold.Reasoning{Text: id, Provider: "anthropic", Signature: "sig-" + id})
}

// thinking is three turns of work with a call each, and reasoning in every step.
func thinking() []tenfold.Entry {
	var list []tenfold.Entry
	for i := range 3 {
		id := func(s string) string { return fmt.Sprintf("%s%d", s, i) }
		list = append(
			list, start(), named(id("u"), tenfold.UserMessage{Parts: tenfold.Text(id("ask "))}),
			thought(id("t")), named(id("c"), tenfold.ToolCall{CallID: id("call"), Name: "run", Arguments: `{}`}),
			named(id("r"), tenfold.ToolResult{CallID: id("call"), Parts: tenfold.Text(strings.Repeat("line\n", 9))}),
			thought(id("x")), named(id("a"), tenfold.AssistantMessage{Text: id("done ")}),
		)
	}
	return list
}

// P10a: thinking is bound to its prefix, as the rules B1 to B4 of live.md say.
func TestB1ThinkingGoesWithThePrefixItWasMadeUnder(t *testing.T) {
	strip := &tenfold.ToolPolicy{Action: tenfold.Strip, Response: true}
	only := func(turn int, c tenfold.Compaction) tenfold.Entry {
		c.FromTurn, c.ToTurn = turn, turn
		return overlay("o", c)
	}
	later := []tenfold.Entry{start(), user("more"), thought("n")}
	system, tools := "Be brief.", []tenfold.ToolDefinition{{Name: "run"}, {Name: "idle"}}
	all := "t0 x0 t1 x1 t2 x2"
	for name, tt := range map[string]struct {
		then []tenfold.Entry
		want string
	}{
		"nothing":           {nil, all},
		"a stub":            {[]tenfold.Entry{only(1, tenfold.Compaction{ToolCalls: strip})}, ""},
		"what is new stays": {append([]tenfold.Entry{only(1, tenfold.Compaction{ToolCalls: strip})}, later...), "n"},
		"a summary in the middle": {
			append([]tenfold.Entry{only(1, tenfold.Compaction{Summary: &tenfold.Summary{Text: "S"}})}, later...), "n",
		},
		// What stands before the change is still what it was, and the rest is hidden
		// together with what it belongs to.
		"a summary of the end": {
			append([]tenfold.Entry{only(2, tenfold.Compaction{Summary: &tenfold.Summary{Text: "S"}})}, later...), "t0 x0 t1 x1 n",
		},
		"turns left out":      {append([]tenfold.Entry{only(2, tenfold.Compaction{Turns: tenfold.Omit})}, later...), "t0 x0 t1 x1 n"},
		"a summary in system": {[]tenfold.Entry{only(2, tenfold.Compaction{Summary: &tenfold.Summary{Text: "S", Placement: tenfold.PlaceSystem}})}, ""},
		"an empty range":      {[]tenfold.Entry{only(9, tenfold.Compaction{ToolCalls: strip})}, all},
		"too small to touch":  {[]tenfold.Entry{only(1, tenfold.Compaction{ToolCalls: &tenfold.ToolPolicy{Action: tenfold.Strip, Response: true, Over: 5000}})}, all},
		"reasoning of a turn": {[]tenfold.Entry{only(1, tenfold.Compaction{Reasoning: &tenfold.Policy{Action: tenfold.Strip}})}, "t2 x2"},
		"undone":              {[]tenfold.Entry{only(1, tenfold.Compaction{ToolCalls: strip}), revoke("v", "o")}, all},
		// What changes nothing does not keep the view from being as it was.
		"undone, and one that changes nothing": {
			[]tenfold.Entry{
				only(1, tenfold.Compaction{ToolCalls: strip}), revoke("v", "o"),
				overlay("p", tenfold.Compaction{FromTurn: 9, ToTurn: 9, ToolCalls: strip}),
			}, all,
		},
		"undone after an answer": {
			append([]tenfold.Entry{only(1, tenfold.Compaction{ToolCalls: strip})}, append(later, revoke("v", "o"))...), "",
		},
		"redone": {
			append([]tenfold.Entry{only(1, tenfold.Compaction{ToolCalls: strip})}, append(later, revoke("v", "o"), revoke("w", "v"))...), "n",
		},
		"never put back": {
			append([]tenfold.Entry{only(0, tenfold.Compaction{Reasoning: &tenfold.Policy{Action: tenfold.Strip}})}, append(later, revoke("v", "o"))...), "t1 x1 t2 x2 n",
		},
		"another system prompt":         {[]tenfold.Entry{entry(tenfold.ConfigDelta{System: &system})}, ""},
		"other tools":                   {[]tenfold.Entry{entry(tenfold.ConfigDelta{Tools: &tools})}, ""},
		"another model":                 {[]tenfold.Entry{entry(tenfold.ConfigDelta{Model: "m"})}, all},
		"another model of the provider": {[]tenfold.Entry{model("a/small"), model("a/large")}, all},
		"another provider":              {[]tenfold.Entry{model("a/large"), model("b/large")}, ""},
		"another provider and back": {
			[]tenfold.Entry{model("a/large"), start(), user("u"), thought("p"), model("b/large"), start(), user("v"), say("x"), model("a/large")}, all + " p",
		},
		"another provider, thinking, and back": {
			[]tenfold.Entry{model("a/large"), model("b/large"), start(), user("v"), thought("q"), model("a/large"), start(), user("u"), thought("r")}, "r",
		},
		"pruned tools": {
			[]tenfold.Entry{
				entry(tenfold.ConfigDelta{Tools: &tools}), thought("n"), say("ok"),
				only(2, tenfold.Compaction{ToolDefinitions: &tenfold.ToolDefinitionPolicy{Action: tenfold.Prune, Names: []string{"idle"}}}),
			}, "",
		},
		"a pin that changes nothing": {[]tenfold.Entry{pin("r0")}, all},
		"a pin that brings back": {
			append([]tenfold.Entry{only(1, tenfold.Compaction{ToolCalls: strip})}, append(later, pin("c1"))...), "",
		},
		"and its end": {
			append([]tenfold.Entry{only(1, tenfold.Compaction{ToolCalls: strip})}, append(later, pin("c1"), unpin("c1"))...), "n",
		},
		"a pin on thinking": {[]tenfold.Entry{only(1, tenfold.Compaction{ToolCalls: strip}), pin("t2")}, ""},
		"a result that came late": {
			[]tenfold.Entry{
				start(), user("u"), thought("p"), call("open", "run", `{}`), user("well?"), thought("q"), say("wait"),
				result("open", "late"), thought("s"), say("now"),
			}, "s",
		},
		// What it hides is left out whatever is summarised, and its text comes and goes.
		"a summary beneath an omission": {
			append([]tenfold.Entry{overlay("s", tenfold.Compaction{Summary: &tenfold.Summary{Text: "S"}}), only(0, tenfold.Compaction{Turns: tenfold.Omit})}, append(later, revoke("v", "s"))...), "",
		},
		"a result on a branch that came late": {
			[]tenfold.Entry{on("scout", call("aside", "run", `{}`)), start(), user("u"), thought("p"), say("wait"), on("scout", result("aside", "late"))}, all + " p",
		},
		"results of one step that came late": {
			[]tenfold.Entry{start(), user("u"), in("m", call("a", "run", `{}`)), in("m", thought("q")), in("m", call("b", "run", `{}`)), result("a", "1"), result("b", "2")},
			all + " q",
		},
		"results of one step": {
			[]tenfold.Entry{start(), user("u"), in("m", thought("p")), in("m", call("a", "run", `{}`)), result("a", "1"), in("m", thought("q")), in("m", call("b", "run", `{}`)), result("b", "2")},
			all + " p q",
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := project(t, append(thinking(), tt.then...)...)
			same(t, "thinking", thoughts(p), tt.want)
			for e := range p.Log().Entries() {
				r, ok := e.Payload.(tenfold.Reasoning)
				if ok && r.Signature != "" && p.Why(e.Seq) == tenfold.ReasonBound {
					fate, _, tokens := p.Fate(e.Seq)
					same(t, e.ID, fmt.Sprint(fate, tokens), "omitted 0")
				}
			}
		})
	}
}

// Reasoning that nobody signed is text, and bound to nothing.
func TestB1UnsignedReasoningIsText(t *testing.T) {
	p := project(t, start(), user("u"), think("hm"), call("c", "run", `{}`), result("c", "r"), think("so"), say("a"),
		overlay("o", tenfold.Compaction{ToolCalls: &tenfold.ToolPolicy{Action: tenfold.Strip, Response: true}}))
	same(t, "hm", fateOf(p, 3), "kept")
	same(t, "so", fateOf(p, 6), "kept")
}

// B2: the thinking of the open tool loop stays where nothing before it changed, or
// all of it goes.
func TestB2TheOpenLoopKeepsItsThinkingWholeOrNot(t *testing.T) {
	loop := []tenfold.Entry{start(), user("u"), thought("p"), call("a", "run", `{}`), result("a", strings.Repeat("x\n", 50)), thought("q"), call("b", "run", `{}`), result("b", "2")}
	work := append(thinking(), loop...)
	bare := project(t, append(work, overlay("o", tenfold.Compaction{ToTurn: 9, Reasoning: &tenfold.Policy{Action: tenfold.Strip}}))...)
	same(t, "reasoning alone", thoughts(bare), "p q")
	cut := project(t, append(work, overlay("o", tenfold.Compaction{ToTurn: 2, Summary: &tenfold.Summary{Text: "S"}}))...)
	same(t, "a summary before it", thoughts(cut), "")
	same(t, "its calls", strings.Count(strings.Join(wire(t, body.Anthropic(), cut), "\n"), "call "), 2)
	both := project(t, append(work, overlay("o", tenfold.Compaction{ToTurn: 9, Reasoning: &tenfold.Policy{Action: tenfold.Strip}, ToolCalls: &tenfold.ToolPolicy{Action: tenfold.Strip, Response: true}}))...)
	same(t, "results in it", thoughts(both), "")
}

// P10: what a sub-agent does meanwhile leaves the loop of its caller open, and a later request
// of the caller's closes the loop of a sub-agent that did not end.
func TestP10ALoopIsOpenWhoeverWorksMeanwhile(t *testing.T) {
	bare := overlay("o", tenfold.Compaction{Reasoning: &tenfold.Policy{Action: tenfold.Strip}})
	aside := func(id string) []tenfold.Entry {
		return []tenfold.Entry{on("scout", user("look")), on("scout", thought(id)), on("scout", call("look"+id, "read", `{}`))}
	}
	entries := slices.Concat([]tenfold.Entry{start(), user("u"), thought("p"), call("a", "task", `{}`)}, aside("q"), []tenfold.Entry{on("scout", result("lookq", "r")), on("scout", say("seen")), bare})
	same(t, "the caller's", thoughts(project(t, entries...)), "p")
	entries = slices.Concat([]tenfold.Entry{start()}, aside("q"), []tenfold.Entry{user("never mind"), bare})
	same(t, "an abandoned one", thoughts(tenfold.ProjectBranch(logWith(t, entries...), "scout")), "")
}

// B1: an overlay that changes nothing of what is seen unbinds nothing, however long that is.
func TestB1WhatIsHiddenAlreadyMayBeCoveredAgain(t *testing.T) {
	for _, calls := range []int{3, 1200} {
		entries := []tenfold.Entry{start(), user("go")}
		for i := range calls {
			id := fmt.Sprint("c", i)
			entries = append(entries, call(id, "run", `{}`), result(id, strings.Repeat("line\n", 9)))
		}
		entries = append(
			entries, summary("s", 0, 0, "S"), start(), user("more"), thought("t"), say("done"),
			overlay("o", tenfold.Compaction{ToolCalls: &tenfold.ToolPolicy{Action: tenfold.Strip, Response: true}}),
		)
		same(t, fmt.Sprint(calls, " calls"), thoughts(project(t, entries...)), "t")
	}
}

// B1: a result that comes late changes nothing of a view that hides its call.
func TestB1ALateResultOfAHiddenCallUnbindsNothing(t *testing.T) {
	late := []tenfold.Entry{start(), user("first"), call("late", "t", `{}`), say("meanwhile"), start(), user("second"), overlay("o", tenfold.Compaction{Turns: tenfold.Omit}), thought("n")}
	same(t, "hidden", thoughts(project(t, append(late, result("late", "r"))...)), "n")
	same(t, "shown", thoughts(project(t, append(late, revoke("r", "o"), thought("m"), result("late", "r"))...)), "")
}

// B4: whatever is compacted, undone, pinned and answered late, and whenever: each
// request of a conversation is one that the provider takes after those before.
func TestB4EveryRequestOfAGrowingConversationIsTaken(t *testing.T) {
	kept, tried := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		tried++
		g := grow(t)
		for range rapid.IntRange(10, 60).Draw(t, "events") {
			g.event(t)
		}
		kept += g.kept
	})
	if kept < tried/2 {
		t.Errorf("%d pieces of reasoning were sent again: nothing was tried", kept)
	}
}

// growing is a conversation with a model that signs what it thinks.
type growing struct {
	log      *tenfold.Log
	p        *tenfold.Projection
	provider string
	threads  map[string]*body.Thread
	open     []string // calls
	before   int      // how many of them are of earlier responses
	overlays []string
	n, kept  int
	message  string
	asked    bool // something came that a model answers
}

func grow(t *rapid.T) *growing {
	g := &growing{log: tenfold.NewLog(), threads: map[string]*body.Thread{}}
	g.p = tenfold.Project(g.log)
	g.provider = rapid.SampledFrom([]string{"anthropic", "openai", "gemini"}).Draw(t, "provider")
	g.add(t, tenfold.ConfigDelta{Model: "gemini-3-pro"})
	g.add(t, tenfold.UserMessage{Parts: tenfold.Text("begin")})
	g.asked = true
	return g
}

func (g *growing) add(t *rapid.T, p tenfold.Payload) string {
	g.n++
	e := tenfold.Entry{ID: fmt.Sprintf("id%d", g.n), Payload: p}
	switch p.Kind() {
	case tenfold.KindReasoning, tenfold.KindAssistantMessage, tenfold.KindToolCall:
		e.MessageID = g.message
	}
	if _, err := g.log.Append(e); err != nil {
		t.Fatal(err)
	}
	g.p.Advance()
	return e.ID
}

func (g *growing) event(t *rapid.T) {
	switch rapid.SampledFrom([]string{"respond", "respond", "respond", "respond", "respond", "answer", "answer", "answer", "ask", "ask", "compact", "undo", "pin", "system"}).Draw(t, "event") {
	case "respond":
		g.respond(t)
	case "answer":
		if n := len(g.open); n > 0 {
			i := rapid.IntRange(0, n-1).Draw(t, "call")
			g.add(t, tenfold.ToolResult{CallID: g.open[i], Parts: tenfold.Text(strings.Repeat("a line\n", rapid.IntRange(0, 40).Draw(t, "lines")))})
			g.asked = g.asked || i >= g.before
			g.open = slices.Delete(g.open, i, i+1)
			if i < g.before {
				g.before--
			}
		}
	case "ask":
		g.add(t, tenfold.TurnStart{})
		g.add(t, tenfold.UserMessage{Parts: tenfold.Text(fmt.Sprintf("and %d", g.n))})
		g.asked = true
	case "compact":
		g.overlays = append(g.overlays, g.add(t, logtest.Compaction().Draw(t, "overlay")))
	case "undo":
		if len(g.overlays) > 0 {
			g.overlays = append(g.overlays, g.add(t, tenfold.CompactionRevoked{Target: rapid.SampledFrom(g.overlays).Draw(t, "target")}))
		}
	case "pin":
		ids := []string{fmt.Sprintf("id%d", rapid.IntRange(1, g.n).Draw(t, "id"))}
		if rapid.Bool().Draw(t, "on") {
			g.add(t, tenfold.Pin{Entries: ids})
		} else {
			g.add(t, tenfold.Unpin{Entries: ids})
		}
	case "system":
		system := fmt.Sprintf("Be %d.", rapid.IntRange(0, 2).Draw(t, "system"))
		g.add(t, tenfold.ConfigDelta{System: &system})
	}
}

// endsInRequest reports whether the view ends in something that a model answers: where
// a summary or an omission hides the last of it, who asks has to ask again.
func (g *growing) endsInRequest() bool {
	var last tenfold.Item
	for it := range g.p.Items() {
		last = it
	}
	switch last.Payload.(type) {
	case tenfold.UserMessage, tenfold.ToolResult:
		return true
	}
	return false
}

// respond sends the view, and takes in an answer.
func (g *growing) respond(t *rapid.T) {
	if !g.asked || !g.endsInRequest() {
		return
	}
	for _, f := range body.Profiles() {
		if g.threads[f.Name] == nil {
			g.threads[f.Name] = f.Thread()
		}
		sent, err := f.Write(g.p)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range g.threads[f.Name].Check(sent) {
			t.Fatalf("%s: %s\n%s", f.Name, v, sent)
		}
		g.kept += strings.Count(string(sent), "sig-")
	}
	g.message = fmt.Sprintf("m%d", g.n)
	think := func() {
		g.add(t, tenfold.Reasoning{Text: "hm", Provider: g.provider, Signature: fmt.Sprintf("sig-%d", g.n), Encrypted: fmt.Sprintf("sig-%d", g.n)})
	}
	if rapid.IntRange(0, 3).Draw(t, "thinks") > 0 {
		think()
	}
	calls := rapid.IntRange(0, 2).Draw(t, "calls")
	if calls == 0 || rapid.Bool().Draw(t, "says") {
		g.add(t, tenfold.AssistantMessage{Text: fmt.Sprintf("said %d", g.n)})
	}
	g.before = len(g.open)
	for range calls {
		id := fmt.Sprintf("call%d", g.n)
		g.add(t, tenfold.ToolCall{CallID: id, Name: "run", Arguments: `{"command":"go test"}`})
		g.open = append(g.open, id)
	}
	g.asked = false
}

// B1: what the model said in signed words (Anthropic's progress updates) goes on as words where
// what stood before them changed. Then what was thought after them was thought under something else.
func TestB1SignedWordsOutliveTheirSignature(t *testing.T) {
	said := func(id string) tenfold.Entry {
		return named(id, tenfold.AssistantMessage{Text: "say " + id, Signature: "sig-" + id})
	}
	work := []tenfold.Entry{
		start(), user("u"), said("s0"), call("a", "run", `{}`), result("a", strings.Repeat("x\n", 50)),
		thought("t1"), said("s1"), call("b", "run", `{}`), result("b", "2"), say("done"),
		start(), user("v"), thought("t2"), said("s2"), call("c", "run", `{}`), result("c", "3"),
	}
	texts := &tenfold.TextPolicy{Action: tenfold.Selective, Rest: tenfold.Omit}
	for name, tt := range map[string]struct {
		overlay tenfold.Compaction
		signed  string // what keeps its signature
		said    string // the words that are shown
	}{
		"nothing changed":       {tenfold.Compaction{FromTurn: 7, ToTurn: 9}, "s0 t1 s1 t2 s2", "s0 s1 s2"},
		"a result was stripped": {tenfold.Compaction{ToTurn: 0, ToolCalls: &tenfold.ToolPolicy{Action: tenfold.Strip, Response: true}}, "", "s0 s1 s2"},
		"reasoning alone went":  {tenfold.Compaction{ToTurn: 0, Reasoning: &tenfold.Policy{Action: tenfold.Strip}}, "", "s0 s1 s2"},
		"the words went":        {tenfold.Compaction{ToTurn: 0, Texts: texts}, "", "s2"},
		"a summary":             {tenfold.Compaction{ToTurn: 0, Summary: &tenfold.Summary{Text: "S"}}, "", "s2"},
	} {
		t.Run(name, func(t *testing.T) {
			p := project(t, append(slices.Clone(work), overlay("o", tt.overlay), start(), user("w"), thought("n"), said("m"))...)
			var signed, shown []string
			for it := range p.Items() {
				switch m := it.Payload.(type) {
				case tenfold.Reasoning:
					signed = append(signed, it.ID)
				case tenfold.AssistantMessage:
					if m.Signature != "" {
						signed = append(signed, it.ID)
					}
					if strings.HasPrefix(m.Text, "say ") {
						shown = append(shown, it.ID)
					}
				}
			}
			same(t, "signed", strings.Join(signed, " "), strings.TrimSpace(tt.signed+" n m"))
			same(t, "said", strings.Join(shown, " "), tt.said+" m")
		})
	}
}

// P13: a compaction of no turn changes nothing: what was thought before one that is undone counts
// again, though such a one came in between.
func TestP13AnEmptyRangeBindsNothing(t *testing.T) {
	p := project(t, start(), user("u"), thought("t"), call("a", "run", `{}`), result("a", "long"), say("done"),
		overlay("strip", tenfold.Compaction{ToTurn: 0, ToolCalls: &tenfold.ToolPolicy{Action: tenfold.Strip, Response: true}}),
		overlay("none", tenfold.Compaction{FromTurn: 7, ToTurn: 9, ToolCalls: &tenfold.ToolPolicy{Action: tenfold.Strip, Response: true}}),
		revoke("undo", "strip"))
	if fate, _, _ := p.Fate(3); fate != tenfold.Kept {
		t.Errorf("what was thought is %s: %s", fate, p.Why(3))
	}
}

// B1: a result that comes while an overlay hides its call changes nothing that is seen, and what is
// seen once that is undone: it is not what was seen before.
func TestB1AResultComesWhileItsCallIsHidden(t *testing.T) {
	entries := []tenfold.Entry{
		start(), user("u"), call("a", "run", `{}`), start(), user("v"), thought("t"), call("b", "run", `{}`), result("b", "2"),
		overlay("hides", tenfold.Compaction{ToTurn: 0, ToolCalls: &tenfold.ToolPolicy{Action: tenfold.Omit}}),
		start(), user("w"), thought("under it"), say("done"), result("a", "late"),
	}
	shown := func(p *tenfold.Projection) (ids string) {
		for it := range p.Items() {
			if it.Payload.Kind() == tenfold.KindReasoning {
				ids += it.ID + " "
			}
		}
		return ids
	}
	same(t, "behind what hides the call", shown(project(t, entries...)), "under it ")
	same(t, "undone", shown(project(t, append(entries, revoke("undo", "hides"))...)), "")
	same(t, "without what was thought since", shown(project(t, append(slices.Concat(entries[:9], entries[13:]), revoke("undo", "hides"))...)), "")
	same(t, "nothing came", shown(project(t, append(slices.Clone(entries[:9]), revoke("undo", "hides"))...)), "t ")
}

// What still has its signature stands behind what it was made under, in order and without a gap: else
// its provider refuses the request (P10a).
func TestP10aSignedGoesBackUnderItsPrefix(t *testing.T) {
	isSigned := func(p tenfold.Payload) bool {
		p, _ = tenfold.Value(p)
		switch p := p.(type) {
		case tenfold.Reasoning:
			return p.Signature != "" || p.Encrypted != ""
		case tenfold.AssistantMessage:
			return p.Signature != ""
		}
		return false
	}
	before := func(p *tenfold.Projection, seq int64) (list []tenfold.Item) {
		turn, step, _ := p.Log().Where(seq)
		for it := range p.Items() {
			if it.Payload.Kind() == tenfold.KindToolResult && it.Turn == turn && it.Step == step {
				continue // it answers the response that this is of
			}
			if it.Seq == seq {
				break
			}
			if it.Payload.Kind() != tenfold.KindReasoning && it.Added != tenfold.AddedOpening {
				it.Noted, it.Tokens = false, 0
				list = append(list, it)
			}
		}
		return list
	}
	law(t, func(t *rapid.T, entries []tenfold.Entry) {
		l := tenfold.NewLog()
		p := tenfold.Project(l)
		made := map[int64][]tenfold.Item{}
		for _, e := range entries {
			if _, err := l.Append(e); err != nil {
				t.Fatal(err)
			}
			p.Advance()
			for e := range l.After(l.Version() - 1) {
				if isSigned(e.Payload) {
					made[e.Seq] = before(p, e.Seq)
				}
			}
		}
		for it := range p.Items() {
			if m, ok := it.Payload.(tenfold.AssistantMessage); !ok || m.Signature == "" {
				continue
			}
			mustEqual(t, it.ID+" follows", made[it.Seq], before(p, it.Seq))
		}
	})
}
