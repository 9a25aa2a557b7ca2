package tenfold_test

import (
	"bufio"
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"tenfold"
)

var update = flag.Bool("update", false, "write the golden files anew")

// everyKind is a log with each kind of L3 in its shapes, and an unknown one.
func everyKind() []tenfold.Entry {
	system, cost, step := "Be brief.\nBe kind.", 0.0125, 4
	defs := []tenfold.ToolDefinition{{Name: "read", Description: "Reads a file.", Schema: `{"type":"object"}`}, {Name: "bare"}}
	at := time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)
	entries := []tenfold.Entry{
		{Payload: tenfold.TurnStart{}},
		{Payload: tenfold.UserMessage{Parts: tenfold.Text("läuft <b>\"x\"</b> \u2028")}},
		{Payload: tenfold.UserMessage{
			Parts: []tenfold.Part{
				tenfold.TextPart("see"),
				{File: &tenfold.File{Type: tenfold.PartImage, Name: "a.png", MediaType: "image/png", URI: "data:image/png;base64,iVBORw0KGgo="}},
				{File: &tenfold.File{Type: tenfold.PartFile, Detail: `{"type":"ref"}`}},
			},
			Attachments: []tenfold.Attachment{{Name: "n.md", MediaType: "text/markdown", Content: "# N\n"}}, Synthetic: true,
		}},
		{Payload: tenfold.UserMessage{}},
		{MessageID: "msg_1", Payload: tenfold.Reasoning{Text: "hm", Provider: "anthropic", Signature: "c2ln"}},
		{Payload: tenfold.Reasoning{Provider: "openai", Encrypted: "ZW5j", ItemID: "rs_1"}},
		{Payload: tenfold.Reasoning{Provider: "gemini", Signature: "dGg=", CallID: "c1"}},
		{MessageID: "msg_1", Payload: tenfold.AssistantMessage{Text: "I look.\n"}},
		{MessageID: "msg_1", Payload: tenfold.ToolCall{CallID: "c1", Name: "read", Arguments: `{"path":"a.go","n":1.50}`}},
		{Payload: tenfold.ToolCall{CallID: "c2", Name: "read", Arguments: `{"b": 1}`}},
		{Payload: tenfold.ToolCall{CallID: "c3", Name: "", Arguments: `{"cut":"o`}},
		{Payload: tenfold.ToolResult{CallID: "c1", Parts: tenfold.Text("package a\n")}},
		{Payload: tenfold.ToolResult{CallID: "c2", Parts: []tenfold.Part{tenfold.TextPart("a"), tenfold.TextPart("b")}, IsError: true}},
		{Payload: tenfold.ToolResult{CallID: "c3"}},
		{Branch: "root.scout", Payload: tenfold.ProviderItem{Provider: "anthropic", Role: "assistant", Data: `{"type":"server_tool_use","id":"x"}`}},
		{Payload: tenfold.Approval{State: tenfold.ApprovalDenied, CallID: "c1", Reason: "not now"}},
		{Payload: tenfold.Usage{Model: "m", Input: 10, Output: 2, CacheRead: 3, CacheWrite: 4, Cost: &cost}},
		{Payload: tenfold.ConfigDelta{Model: "m", System: &system, Tools: &defs, Extra: `{"temperature":0.2}`}},
		{Payload: tenfold.ConfigDelta{Extra: `{ "spaced": true }`}},
		{Payload: tenfold.Compaction{
			FromTurn: 1, ToTurn: 12, ToStep: &step, Profile: "heavy", Strategy: "auto", Source: "auto", Reason: "context over 80%",
			TokensBefore: 98211, TokensAfter: 9001,
			Summary: &tenfold.Summary{
				Text: "What was done.", Placement: tenfold.PlaceUser, Heading: "[Before]", Transcript: "s.jsonl",
				Model: "m", Instructions: "short", Covers: tenfold.Covers{Entries: 412, Tokens: 98211},
				Usage:     &tenfold.Usage{Model: "n", Input: 98000, Output: 900, CacheRead: 5, CacheWrite: 6, Cost: &cost},
				Artifacts: &tenfold.Artifacts{Input: "summarizer-input-c-1.md", Summary: "summary-c-1.md"},
			},
			Reasoning: &tenfold.Policy{Action: tenfold.Strip},
			ToolCalls: &tenfold.ToolPolicy{
				Action: tenfold.Strip, Request: true, Over: 2048, FirstLine: true, Recall: true, Stub: "previous",
				Hints: map[string]tenfold.Hint{"write": {Response: tenfold.Remove}, "read": {Request: tenfold.Keep, Response: tenfold.Strip}},
			},
			Attachments:     &tenfold.Policy{Action: tenfold.Strip, Over: 100},
			ToolDefinitions: &tenfold.ToolDefinitionPolicy{Action: tenfold.Prune, Names: []string{"bare"}},
			Turns:           tenfold.Omit,
		}},
		{Payload: tenfold.Compaction{ToTurn: 3, ToolCalls: &tenfold.ToolPolicy{Action: tenfold.Selective, Calls: map[string]tenfold.CallPolicy{
			"a": {Action: tenfold.Keep}, "b@7": {Action: tenfold.Strip, Response: true}, "c": {Action: tenfold.Trim, Head: 400, Tail: 1024}, "d": {Action: tenfold.Omit},
		}}}},
		{Payload: tenfold.CompactionRevoked{Target: "cmp_1"}},
		{Payload: tenfold.CompactionFailed{Error: "no model", Tokens: 130000, Limit: 128000, Exceeded: true, Attempt: "id1"}},
		{Payload: tenfold.CompactionAttempt{State: tenfold.AttemptBegun, Source: "auto", Reason: "over 80%", Focus: "the schema", Seconds: 60}},
		{Payload: tenfold.CompactionAttempt{State: tenfold.AttemptEnded, Attempt: "id1", Reason: "nothing to do"}},
		{Payload: tenfold.Pin{Entries: []string{"id2", "id3"}}},
		{Payload: tenfold.Unpin{Entries: []string{"id3"}}},
		{Payload: tenfold.Unknown{Name: "mood", Data: `{"colour":"blue","n":[1, 2.50]}`}},
		{Source: `{"line": 7, "uuid": "u"}`, Payload: tenfold.AssistantMessage{Text: "from a transcript"}},
		{Source: "not\nJSON", Payload: tenfold.AssistantMessage{}},
		{Payload: tenfold.Recalled{Entries: []string{"id2"}, Lines: []tenfold.LineRange{{First: 2, Last: 5}, {First: 9, Last: 9, To: 4}}}},
	}
	for i := range entries {
		entries[i].Seq, entries[i].ID = int64(i+1), fmt.Sprintf("id%d", i+1)
		entries[i].Time = at.Add(time.Duration(i) * 1500 * time.Millisecond)
	}
	entries[1].Tokens = 6
	entries[3].Time = time.Time{}
	return entries
}

func TestL3JSONFormIsStable(t *testing.T) {
	const path = "testdata/entries.jsonl"
	var got []byte
	for _, e := range everyKind() {
		line, err := tenfold.AppendEntry(got, e)
		if err != nil {
			t.Fatal(err)
		}
		got = append(line, '\n')
	}
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	same(t, path, strings.Split(string(got), "\n"), strings.Split(string(want), "\n"))
}

func TestL3JSONFormReadsBack(t *testing.T) {
	file, err := os.Open("testdata/entries.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	want := everyKind()
	missing := []tenfold.Kind{
		tenfold.KindTurnStart, tenfold.KindUserMessage, tenfold.KindAssistantMessage, tenfold.KindReasoning, tenfold.KindToolCall,
		tenfold.KindToolResult, tenfold.KindProviderItem, tenfold.KindApproval, tenfold.KindUsage, tenfold.KindConfigDelta,
		tenfold.KindCompaction, tenfold.KindCompactionRevoked, tenfold.KindCompactionFailed, tenfold.KindCompactionAttempt, tenfold.KindPin, tenfold.KindUnpin,
		tenfold.KindRecalled,
	}
	lines := bufio.NewScanner(file)
	for i := 0; lines.Scan(); i++ {
		e, err := tenfold.ParseEntry(lines.Bytes())
		if err != nil {
			t.Fatalf("line %d: %v", i+1, err)
		}
		same(t, lines.Text(), e, want[i])
		missing = slices.DeleteFunc(missing, func(k tenfold.Kind) bool { return k == e.Payload.Kind() })
	}
	if len(missing) > 0 {
		t.Errorf("the file shows no %v", missing)
	}
}

func TestL3OpaqueDataIsKeptByteForByte(t *testing.T) {
	for _, raw := range []string{
		`{}`, `{"b":1,"a":2}`, `{"b": 1}`, `{"a":"\u00e9\/"}`, `{"n":1.50e+02}`, `{"a":1,"a":2}`, "{\"a\":\n1}", `[1]`, `null`,
		`{"cut":"o`, "not JSON", "  ", `{"deep":{"s": " spaced "}}`, `"text"`, "\u2028",
	} {
		for _, p := range []tenfold.Payload{
			tenfold.ToolCall{CallID: "c", Name: "t", Arguments: raw},
			tenfold.ProviderItem{Provider: "openai", Data: raw},
			tenfold.Reasoning{Text: raw, Provider: "anthropic", Signature: raw, Encrypted: raw},
			tenfold.ConfigDelta{Extra: raw},
			tenfold.ToolResult{CallID: "c", Parts: tenfold.Text(raw)},
		} {
			line, err := tenfold.AppendEntry(nil, named("x", p))
			if err != nil {
				t.Fatal(err)
			}
			if bytes.ContainsAny(line, "\r\n") {
				t.Errorf("not one line: %s", line)
			}
			e, err := tenfold.ParseEntry(line)
			if err != nil {
				t.Fatal(err)
			}
			same(t, string(line), e.Payload, p)
		}
	}
}

func TestParseEntryTakesShortForms(t *testing.T) {
	for policy, want := range map[string]tenfold.ToolPolicy{
		`"strip"`:            {Action: tenfold.Strip, Request: true, Response: true},
		`"strip-responses"`:  {Action: tenfold.Strip, Response: true},
		`"strip-requests"`:   {Action: tenfold.Strip, Request: true},
		`"omit"`:             {Action: tenfold.Omit},
		`"keep"`:             {Action: tenfold.Keep},
		`{"policy":"strip"}`: {Action: tenfold.Strip, Request: true, Response: true},
		`{"policy":"strip","request":false,"over":2048}`: {Action: tenfold.Strip, Response: true, Over: 2048},
		`{"policy":"strip","arguments":"primary","primary":{"Read":["path"]}}`: {
			Action: tenfold.Strip, Request: true, Response: true, Arguments: tenfold.ArgumentsPrimary, Primary: map[string][]string{"Read": {"path"}},
		},
		`{"policy":"selective","calls":{"c":"trim"}}`: {Action: tenfold.Selective, Calls: map[string]tenfold.CallPolicy{"c": {Action: tenfold.Trim}}},
	} {
		e, err := tenfold.ParseEntry([]byte(`{"id":"o","kind":"compaction","tool_calls":` + policy + `}`))
		if err != nil {
			t.Errorf("%s: %v", policy, err)
			continue
		}
		same(t, policy, *e.Payload.(tenfold.Compaction).ToolCalls, want)
	}
}

func TestParseEntryErrors(t *testing.T) {
	for line, want := range map[string]string{
		``:                                  "read entry",
		`nonsense`:                          "read entry",
		`[]`:                                "an entry is a JSON object",
		`"entry"`:                           "an entry is a JSON object",
		`null`:                              "an entry is a JSON object",
		`{`:                                 "read entry",
		`{"id":"a","kind":"turn_start"`:     "read entry", // torn by a crash (L10)
		`{"id":"a","kind":"turn_st`:         "read entry",
		`{"id":"a","kind"`:                  "read entry",
		`{"id":"a" "kind":"turn_start"}`:    "read entry",
		`{"id":"a","kind":"turn_start"} {}`: "follow the object",
		`{"id":"a","kind":"turn_start"},`:   "follow the object",
		`{}`:                                "an id and a kind",
		`{"id":"a"}`:                        "an id and a kind",
		`{"kind":"turn_start"}`:             "an id and a kind",
		`{"id":"","kind":"turn_start"}`:     "an id and a kind",
		`{"id":7,"kind":"turn_start"}`:      "read entry: id",
		`{"id":"a","kind":7}`:               "read entry: kind",
		`{"id":"a","kind":"turn_start","seq":"one"}`:                                                       "read entry: seq",
		`{"id":"a","kind":"turn_start","seq":1.5}`:                                                         "read entry: seq",
		`{"id":"a","kind":"turn_start","time":"yesterday"}`:                                                "read entry: time",
		`{"id":"a","kind":"turn_start","tokens":[]}`:                                                       "read entry: tokens",
		`{"id":"a","kind":"user_message","text":[]}`:                                                       "entry a",
		`{"id":"a","kind":"tool_result","call_id":{}}`:                                                     "entry a",
		`{"id":"a","kind":"pin","entries":"b"}`:                                                            "entry a",
		`{"id":"a","kind":"compaction","reasoning":"omit"}`:                                                "it is strip or keep",
		`{"id":"a","kind":"compaction","reasoning":"shred"}`:                                               "unknown policy",
		`{"id":"a","kind":"compaction","tool_calls":"trim"}`:                                               "unknown policy",
		`{"id":"a","kind":"compaction","tool_calls":{"policy":"trim"}}`:                                    "it is strip, omit, selective or keep",
		`{"id":"a","kind":"compaction","tool_calls":{"policy":"selective","calls":{"c":"selective"}}}`:     "unknown policy",
		`{"id":"a","kind":"compaction","tool_calls":{"policy":"strip","over":"big"}}`:                      "invalid size",
		`{"id":"a","kind":"compaction","tool_calls":{"policy":"selective","calls":{"c":{"policy":""}}}}`:   "it is keep, strip, trim or omit",
		`{"id":"a","kind":"compaction","turns":"strip"}`:                                                   `unknown policy for turns "strip": it is omit or keep`,
		`{"id":"a","kind":"compaction","summary":{"text":"S","placement":"end"}}`:                          `unknown placement "end": it is pair, system, user or message`,
		`{"id":"a","kind":"compaction","tool_definitions":{"policy":"omit","names":["t"]}}`:                `unknown policy for definitions of tools "omit": it is prune`,
		`{"id":"a","kind":"compaction","tool_calls":{"policy":"strip","stub":"old"}}`:                      `unknown stub "old": it is previous`,
		`{"id":"a","kind":"compaction","tool_calls":{"policy":"strip","marks":"long"}}`:                    `unknown marks "long": it is short`,
		`{"id":"a","kind":"compaction","texts":{"policy":"selective","marks":"long"}}`:                     `unknown marks "long": it is short`,
		`{"id":"a","kind":"compaction","tool_calls":{"policy":"strip","hints":{"t":{"request":"trim"}}}}`:  `unknown hint for arguments "trim": it is keep or strip`,
		`{"id":"a","kind":"compaction","tool_calls":{"policy":"strip","hints":{"t":{"response":"trim"}}}}`: `unknown hint for results "trim": it is keep, strip or remove`,
	} {
		if _, err := tenfold.ParseEntry([]byte(line)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: the error is %v, want one with %q", line, err, want)
		}
	}
}

type foreign struct{}

func (foreign) Kind() tenfold.Kind { return "foreign" }

func TestAppendEntryErrors(t *testing.T) {
	for name, p := range map[string]tenfold.Payload{
		"no payload":              nil,
		"a payload not ours":      foreign{},
		"members that are a list": tenfold.Unknown{Name: "x", Data: `[1]`},
		"members that are broken": tenfold.Unknown{Name: "x", Data: `{"a":`},
	} {
		if out, err := tenfold.AppendEntry([]byte("before"), named("x", p)); err == nil || string(out) != "before" {
			t.Errorf("%s: %q, %v", name, out, err)
		}
	}
	if _, err := logWith(t).Append(tenfold.Entry{ID: "x"}); !errors.Is(err, tenfold.ErrNoPayload) {
		t.Errorf("append gives %v", err)
	}
}
