package tenfold_test

import (
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode"

	"tenfold"
	"tenfold/body"
	"tenfold/internal/corpustest"
	"tenfold/internal/logtest"
	"tenfold/internal/record"
)

// pointer gives a pointer to a payload; a nil one where it is to be nil.
func pointer(p tenfold.Payload, isNil bool) tenfold.Payload {
	at := reflect.New(reflect.TypeOf(p))
	at.Elem().Set(reflect.ValueOf(p))
	if isNil {
		at = reflect.Zero(at.Type())
	}
	return at.Interface().(tenfold.Payload)
}

// L3: a pointer to a payload is that payload, wherever payloads come in.
func TestL3PointersStandForTheirPayloads(t *testing.T) {
	want, got := tenfold.NewLog(), tenfold.NewLog()
	preview := tenfold.Project(tenfold.NewLog())
	var pointers []tenfold.Entry
	for _, e := range everyKind() {
		pe := e
		pe.Payload = pointer(e.Payload, false)
		pointers = append(pointers, pe)
		if _, err := want.Append(e); err != nil {
			t.Fatal(err)
		}
		c := tenfold.Chars4{}
		same(t, "tokens", tenfold.CountPayload(c, pe.Payload), tenfold.CountPayload(c, e.Payload))
		same(t, "search text", tenfold.SearchText(pe.Payload), tenfold.SearchText(e.Payload))
		same(t, "lines", tenfold.TextLines(pe.Payload), tenfold.TextLines(e.Payload))
		line, err := tenfold.AppendEntry(nil, e)
		again, errAgain := tenfold.AppendEntry(nil, pe)
		if err != nil || errAgain != nil {
			t.Fatal(err, errAgain)
		}
		same(t, "line", string(again), string(line))
		r, err := record.New(pe.Payload)
		if err != nil {
			t.Fatal(err)
		}
		back, err := r.Payload()
		if err != nil {
			t.Fatal(err)
		}
		same(t, "record", back, e.Payload)
		back, err = record.Canonical(pe.Payload)
		if err != nil {
			t.Fatal(err)
		}
		same(t, "canonical", back, e.Payload)
	}
	was := slices.Clone(pointers)
	if n, err := got.Append(pointers...); err != nil || n != len(pointers) {
		t.Fatal(n, err)
	}
	same(t, "the caller's entries", pointers, was)
	same(t, "log", slices.Collect(got.Entries()), slices.Collect(want.Entries()))
	same(t, "items", items(tenfold.Project(got)), items(tenfold.Project(want)))
	same(t, "preview", items(preview.Preview(pointers...)), items(tenfold.Project(want)))
}

// A payload of somebody else's type would be kept by no store.
type embedding struct{ tenfold.UserMessage }

func TestL3WhatIsNoPayloadIsRefused(t *testing.T) {
	refused := map[error][]tenfold.Payload{
		tenfold.ErrNoPayload:   {nil},
		tenfold.ErrPayloadType: {embedding{}, &embedding{}, (*embedding)(nil)},
	}
	for _, e := range everyKind() {
		refused[tenfold.ErrNoPayload] = append(refused[tenfold.ErrNoPayload], pointer(e.Payload, true))
	}
	for want, payloads := range refused {
		for _, p := range payloads {
			l := tenfold.NewLog()
			if n, err := l.Append(user("a"), tenfold.Entry{ID: "mine", Payload: p}); !errors.Is(err, want) || n != 0 || l.Version() != 0 || !strings.Contains(err.Error(), `"mine"`) {
				t.Errorf("%T: %d added, %v", p, n, err)
			}
			if _, err := tenfold.AppendEntry(nil, tenfold.Entry{ID: "mine", Payload: p}); !errors.Is(err, want) {
				t.Errorf("%T as a line: %v", p, err)
			}
			if _, err := record.New(p); !errors.Is(err, want) {
				t.Errorf("%T as a record: %v", p, err)
			}
			if _, err := record.Canonical(p); !errors.Is(err, want) {
				t.Errorf("%T: %v", p, err)
			}
			same(t, "nothing to count", tenfold.CountPayload(tenfold.Chars4{}, p), 0)
			same(t, "preview", len(items(project(t).Preview(tenfold.Entry{Payload: p}))), 0)
		}
	}
}

// What no store could give back is refused before it is in a log.
func TestCanonicalRefusesWhatCannotBeReadBack(t *testing.T) {
	inf := math.Inf(1)
	for _, p := range []tenfold.Payload{
		tenfold.Compaction{Reasoning: &tenfold.Policy{}},
		tenfold.Compaction{Reasoning: &tenfold.Policy{Action: tenfold.Strip, Over: -1}},
		tenfold.Compaction{ToolCalls: &tenfold.ToolPolicy{Action: "shred"}},
		tenfold.Compaction{ToolCalls: &tenfold.ToolPolicy{Action: tenfold.Selective, Calls: map[string]tenfold.CallPolicy{"c": {}}}},
		tenfold.Compaction{Texts: &tenfold.TextPolicy{Action: tenfold.Selective, Rest: tenfold.Strip}},
		tenfold.Usage{Cost: &inf},
		tenfold.Unknown{},
		tenfold.Unknown{Name: "mood", Data: "blue"},
		tenfold.Unknown{Name: tenfold.KindCompaction, Data: `{"reasoning":"shred"}`},
	} {
		if got, err := record.Canonical(p); err == nil {
			t.Errorf("%#v became %#v", p, got)
		}
		if got, err := record.New(p); err == nil {
			t.Errorf("the record of %#v is %#v", p, got)
		}
	}
	for p, what := range map[tenfold.Payload]string{
		tenfold.Unknown{}: "the payload could", tenfold.Unknown{Name: "mood", Data: "blue"}: "the mood could", tenfold.Usage{Cost: &inf}: "the usage could",
	} {
		if _, err := record.Canonical(p); err == nil || !strings.HasPrefix(err.Error(), what) {
			t.Errorf("the error about %#v is %v", p, err)
		}
	}
	// What is no UTF-8 is as JSON has it; a text that stands apart is as it was.
	const cut = "halb \xe8\xb5"
	for p, want := range map[tenfold.Payload]tenfold.Payload{
		tenfold.CompactionFailed{Error: cut}:                             tenfold.CompactionFailed{Error: "halb \ufffd\ufffd"},
		tenfold.ToolCall{Name: cut}:                                      tenfold.ToolCall{Name: "halb \ufffd\ufffd"},
		tenfold.AssistantMessage{Text: cut}:                              tenfold.AssistantMessage{Text: cut},
		tenfold.Unknown{Name: "assistant_message", Data: `{"text":"a"}`}: tenfold.AssistantMessage{Text: "a"},
	} {
		got, err := record.Canonical(p)
		if err != nil {
			t.Fatal(err)
		}
		same(t, "canonical", got, want)
	}
}

// P1: numbers that no log goes by do no harm in a projection.
func TestP1OddNumbersAreHarmless(t *testing.T) {
	odd := []int{-1, math.MinInt, math.MaxInt, math.MaxInt32 + 1}
	for _, n := range odd {
		step, size := n, tenfold.Size(n)
		lines := []tenfold.LineRange{{First: n, Last: n, From: n, To: n}, {First: 1, Last: n}, {First: n, Last: 1}}
		fold := &tenfold.Folded{Calls: n, From: int64(n), To: int64(n)}
		trim := tenfold.CallPolicy{Action: tenfold.Trim, Head: size, Tail: size, Lines: lines, Body: lines, Folded: fold}
		for _, c := range []tenfold.Compaction{
			{FromTurn: n, ToTurn: n, Turns: tenfold.Omit},
			{ToTurn: 9, ToStep: &step, Summary: &tenfold.Summary{Text: "S"}},
			{ToStep: &step, Reasoning: &tenfold.Policy{Action: tenfold.Strip, Over: size}},
			{ToTurn: 9, ToolCalls: &tenfold.ToolPolicy{Action: tenfold.Strip, Request: true, Response: true, Over: size}},
			{ToTurn: 9, ToolCalls: &tenfold.ToolPolicy{Action: tenfold.Selective, Calls: map[string]tenfold.CallPolicy{"c": trim}}},
			{ToTurn: 9, Attachments: &tenfold.Policy{Action: tenfold.Strip, Over: size}},
			{ToTurn: 9, Texts: &tenfold.TextPolicy{Action: tenfold.Selective, Entries: map[int64]tenfold.TextTrim{
				int64(n): {Action: tenfold.Trim}, 2: {Action: tenfold.Trim, Lines: lines, Folded: fold}, 7: {Action: tenfold.Trim, Lines: lines},
			}}},
		} {
			p := project(
				t, start(), user("go\non"), think("hm"), call("c", "t", `{"body":"`+strings.Repeat(`line\n`, 80)+`"}`),
				result("c", strings.Repeat("line\n", 300)), start(), say("done\nwell"), tenfold.Entry{Tokens: n, Payload: tenfold.AssistantMessage{Text: "x"}},
				overlay("o", c),
			)
			if p.Tokens() < 0 {
				t.Errorf("%d: %d tokens", n, p.Tokens())
			}
			for _, f := range body.Profiles() {
				for _, v := range f.Check([]byte(bodyOf(t, f, p))) {
					t.Errorf("%d %+v: %s: %s", n, c, f.Name, v)
				}
			}
		}
	}
}

// P10: the writers hold empty what the validators do, character by character,
// so that no body with a blank text leaves.
func TestP10BlankIsWhatTheValidatorsRefuse(t *testing.T) {
	blank := 0
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if r >= 0xD800 && r < 0xE000 {
			continue
		}
		if !corpustest.All() && !unicode.In(r, unicode.Cc, unicode.Cf, unicode.Z) && (r > 0xFFFF || corpustest.UnderRace && r > 0x2FFF) {
			continue // letters and signs far from the blanks: no race hides there
		}
		text := string(r)
		refused := len(body.OpenAIChat().Check(chatSaying(text))) > 0
		if refused != tenfold.Blank(text) {
			t.Errorf("%U: a validator refuses it: %v, it is blank: %v", r, refused, tenfold.Blank(text))
		}
		if unicode.IsSpace(r) && !refused {
			t.Errorf("%U is white space and taken", r)
		}
		if refused {
			blank++
		}
	}
	if blank < 100 {
		t.Errorf("%d characters are blank", blank)
	}
	for _, text := range append(logtest.Blanks, "") {
		same(t, text, tenfold.Blank(text), true)
		same(t, text, tenfold.Blank(text+"."+text), false)
	}
}

func chatSaying(text string) []byte {
	quoted, _ := tenfold.MarshalPayload(tenfold.AssistantMessage{Text: text})
	quoted = quoted[len(`{"text":`) : len(quoted)-1]
	return slices.Concat([]byte(`{"messages":[{"role":"user","content":`), quoted, []byte(`}]}`))
}

// P10: wherever a blank text stands, no provider is given it.
func TestP10NoBlankTextLeaves(t *testing.T) {
	for _, blank := range logtest.Blanks {
		file := tenfold.File{Type: tenfold.PartFile, Name: "f", Detail: blank}
		system := blank
		for name, entries := range map[string][]tenfold.Entry{
			"final answer":   {user("go"), say("ok"), say(blank)},
			"only an answer": {user("go"), say(blank)},
			"end of answer":  {user("go"), say("ok" + blank)},
			"request":        {user(blank), say("ok")},
			"alone":          {user(blank)},
			"part":           {entry(tenfold.UserMessage{Parts: []tenfold.Part{tenfold.TextPart("go"), tenfold.TextPart(blank), {File: &file}}})},
			"result":         {user("go"), call("c", "t", `{}`), result("c", blank)},
			"failure":        {user("go"), call("c", "t", `{}`), failed("c", blank)},
			"arguments":      {user("go"), call("c", "t", blank), result("c", "r")},
			"reasoning":      {user("go"), signed("openai", blank), say("ok")},
			"system":         {entry(tenfold.ConfigDelta{System: &system}), user("go")},
			"item":           {user("go"), entry(tenfold.ProviderItem{Provider: "gemini", Role: "user", Data: `{"text":"` + strings.Trim(blank, "\n\x1c") + `"}`}), say("ok")},
			"signed item":    {user("go"), entry(tenfold.ProviderItem{Provider: "gemini", Role: "assistant", Data: `{"text":"","thoughtSignature":"s"}`}), say("ok")},
			"summary":        {start(), user("go"), start(), user("on"), overlay("o", tenfold.Compaction{Summary: &tenfold.Summary{Text: blank, Heading: blank}})},
			"heading":        {start(), user("go"), start(), user("on"), overlay("o", tenfold.Compaction{Summary: &tenfold.Summary{Text: "S", Heading: blank}})},
			"lines kept": {user("go\n" + blank + "\nx"), say("a\n" + blank + "\nx"), overlay("o", tenfold.Compaction{Texts: &tenfold.TextPolicy{
				Action: tenfold.Selective, Marks: tenfold.MarksShort, Rest: tenfold.Keep, Entries: map[int64]tenfold.TextTrim{
					1: {Action: tenfold.Trim, Lines: []tenfold.LineRange{{First: 2, Last: 2}}}, 2: {Action: tenfold.Trim, Lines: []tenfold.LineRange{{First: 2, Last: 2}}},
				},
			}})},
		} {
			p := project(t, entries...)
			for _, f := range body.Profiles() {
				b := bodyOf(t, f, p)
				for _, v := range f.Check([]byte(b)) {
					t.Errorf("%s %q: %s: %s\n%s", name, blank, f.Name, v, b)
				}
			}
		}
	}
}
