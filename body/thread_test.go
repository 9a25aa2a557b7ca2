package body_test

import (
	"cmp"
	"strings"
	"testing"

	diff "github.com/google/go-cmp/cmp"

	"tenfold/body"
)

// wire is a conversation as one provider has it: what a request says, by short words.
// "u" is a request of the person, "r1" reasoning with the signature s1, "h1" hidden such,
// "a" an answer, "c1" a call and "o1" its result, "k1" one of a tool that takes text and
// "p1" its result.
type wire struct {
	profile body.Profile
	request func(words string) string
}

func threadWires() []wire {
	block := func(of map[byte]string, word string) string { return strings.ReplaceAll(of[word[0]], "#", word[1:]) }
	join := func(of map[byte]string, words string) (list []string) {
		for word := range strings.FieldsSeq(words) {
			list = append(list, block(of, word))
		}
		return list
	}
	// turns puts what one role says after another into one message, for the providers
	// that want it so.
	turns := func(of map[byte]string, words, model, parts string) string {
		var list []string
		was := ""
		for word := range strings.FieldsSeq(words) {
			role := model
			if strings.Contains("uop", word[:1]) {
				role = "user"
			}
			if role == was {
				list[len(list)-1] += "," + block(of, word)
				continue
			}
			list, was = append(list, `{"role":"`+role+`","`+parts+`":[`+block(of, word)), role
		}
		return strings.Join(list, "]},") + "]}"
	}
	anthropic := map[byte]string{
		'u': `{"type":"text","text":"ask#"}`, 'a': `{"type":"text","text":"say#"}`, 'r': `{"type":"thinking","thinking":"","signature":"s#"}`, 'h': `{"type":"redacted_thinking","data":"s#"}`,
		'c': `{"type":"tool_use","id":"c#","name":"t","input":{}}`, 'o': `{"type":"tool_result","tool_use_id":"c#","content":[{"type":"text","text":"out"}]}`,
	}
	responses := map[byte]string{
		'u': `{"type":"message","role":"user","content":[{"type":"input_text","text":"ask#"}]}`, 'a': `{"type":"message","role":"assistant","content":[{"type":"output_text","text":"say#"}]}`,
		'r': `{"type":"reasoning","summary":[],"encrypted_content":"s#"}`,
		'k': `{"type":"custom_tool_call","call_id":"c#","name":"t","input":""}`, 'p': `{"type":"custom_tool_call_output","call_id":"c#","output":"out"}`,
		'c': `{"type":"function_call","call_id":"c#","name":"t","arguments":"{}"}`, 'o': `{"type":"function_call_output","call_id":"c#","output":"out"}`,
	}
	gemini := map[byte]string{
		'u': `{"text":"ask#"}`, 'a': `{"text":"say#"}`, 'r': `{"thoughtSignature":"s#"}`,
		'c': `{"functionCall":{"id":"c#","name":"t","args":{}}}`, 'o': `{"functionResponse":{"id":"c#","name":"t","response":{}}}`,
	}
	for _, of := range []map[byte]string{anthropic, responses, gemini} {
		for word, like := range map[byte]byte{'h': 'r', 'k': 'c', 'p': 'o'} { // where there are none of their own
			of[word] = cmp.Or(of[word], of[like])
		}
	}
	return []wire{
		{body.Anthropic(), func(words string) string {
			return `{"messages":[` + turns(anthropic, words, "assistant", "content") + `]}`
		}},
		{body.OpenAIResponses(), func(words string) string { return `{"input":[` + strings.Join(join(responses, words), ",") + `]}` }},
		{body.Gemini(), func(words string) string {
			// A signature stands on the part behind it.
			return strings.ReplaceAll(`{"contents":[`+turns(gemini, words, "model", "parts")+`]}`, `"},{"`, `","`)
		}},
	}
}

const (
	elsewhere = "the reasoning is bound to a different conversation"
	gap       = "the reasoning before it is not what it was made with"
	unasked   = "the reasoning answers a request that was not sent"
)

// Live B1 and B4: reasoning stays behind the very prefix that it was made with, in an
// unbroken run at the end.
func TestB4ReasoningStaysWhereItWasMade(t *testing.T) {
	for name, c := range map[string]struct {
		sent []string
		want []string // of the last request
	}{
		"it grows":             {[]string{"u1", "u1 r1 c1 o1", "u1 r1 c1 o1 r2 a1 u2", "u1 r1 c1 o1 r2 a1 u2 r3 a2 u3"}, nil},
		"the oldest goes":      {[]string{"u1", "u1 r1 c1 o1", "u1 r1 c1 o1 r2 a1 u2", "u1 c1 o1 r2 a1 u2"}, nil},
		"all goes":             {[]string{"u1", "u1 r1 c1 o1", "u1 r1 c1 o1 r2 a1 u2", "u9 c1 o1 a1 u2"}, nil},
		"the prefix changes":   {[]string{"u1", "u1 r1 c1 o1", "u9 r1 c1 o1"}, []string{elsewhere}},
		"a gap":                {[]string{"u1", "u1 r1 c1 o1", "u1 r1 c1 o1 r2 c2 o2", "u1 r1 c1 o1 r2 c2 o2 r3 a1 u2", "u1 r1 c1 o1 c2 o2 r3 a1 u2"}, []string{gap}},
		"put back":             {[]string{"u1", "u1 r1 c1 o1", "u1 c1 o1", "u1 c1 o1 r2 a1 u2", "u1 r1 c1 o1 r2 a1 u2"}, []string{gap}},
		"it answers nothing":   {[]string{"u1", "u1 a1 u2 r1 a2 u3"}, []string{unasked}},
		"a resumed beginning":  {[]string{"u1 r1 a1 u2 r2 a2 u3", "u1 r1 a1 u2 r2 a2 u3 r3 a3 u4"}, nil},
		"it says a text first": {[]string{"u1", "u1 a1 r1 c1 o1", "u1 a1 r1 c1 o1 a2 r2 c2 o2"}, nil},
		"it calls first":       {[]string{"u1", "u1 c1 r1 c2 o1 o2", "u1 c1 r1 c2 o1 o2 r2 a1 u2"}, nil},
		"a text is called":     {[]string{"u1", "u1 k1 r1 k2 p1 p2", "u1 k1 r1 k2 p1 p2 a1 u2"}, nil},
		"a hidden one":         {[]string{"u1", "u1 h1 c1 o1", "u9 h1 c1 o1"}, []string{elsewhere}},
		"another conversation": {[]string{"u1", "u1 r1 a1 u2", "u5", "u5 r1 a1 u2"}, []string{elsewhere}},
	} {
		for _, w := range threadWires() {
			thread := w.profile.Thread()
			for i, words := range c.sent {
				var got, want []string
				for _, v := range thread.Check([]byte(w.request(words))) {
					got = append(got, v.Problem)
				}
				if i == len(c.sent)-1 {
					want = c.want
				}
				if d := diff.Diff(want, got); d != "" {
					t.Errorf("%s, %s, request %d, %s (-want +got):\n%s", w.profile.Name, name, i, w.request(words), d)
				}
			}
		}
	}
}

// Live V1: marks for the cache and the spacing of JSON are no content; the system prompt
// and the tools are.
func TestB4WhatReasoningIsBoundTo(t *testing.T) {
	const (
		ask   = `{"role":"user","content":[{"type":"text","text":"go"}]}`
		think = `,{"role":"assistant","content":[{"type":"thinking","thinking":"","signature":"s"},{"type":"text","text":"ok"}]},{"role":"user","content":[{"type":"text","text":"on"}]}`
	)
	for next, want := range map[string]int{
		`{"system":"be","messages":[` + ask + think + `]}`: 0,
		`{"messages":[{"content":[{"text":"go","type":"text","cache_control":{"type":"ephemeral"}}],  "role":"user"}` + think + `],"system":"be"}`: 0,
		`{"system":"be good","messages":[` + ask + think + `]}`:                                               1,
		`{"system":"be","tools":[{"name":"t"}],"messages":[` + ask + think + `]}`:                             1,
		`{"system":"be","messages":[{"role":"user","content":[{"type":"text","text":"stop"}]}` + think + `]}`: 1,
	} {
		thread := body.Anthropic().Thread()
		for i, request := range []string{`{"system":"be","messages":[` + ask + `]}`, `{"system":"be","messages":[` + ask + think + `]}`, next} {
			if got := thread.Check([]byte(request)); len(got) != want*(i/2) {
				t.Errorf("%s: %v, want %d", request, got, want)
			}
		}
	}
}
