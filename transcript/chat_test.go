package transcript

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"tenfold"
	"tenfold/transcript/internal/chatapi"
)

// Whose messages they are is told by what only one provider writes; where
// nothing is said, they are read as a chat.
func TestDetectMessages(t *testing.T) {
	for _, tt := range []struct {
		text string
		want Format
	}{
		{`[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]`, OpenAIChat},
		{`{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]}`, OpenAIChat},
		{`{"model":"claude-sample","messages":[{"role":"user","content":"a"}]}`, AnthropicBody},
		{`{"model":"gpt-sample","max_tokens":5,"messages":[{"role":"user","content":[{"type":"text","text":"a"}]}]}`, OpenAIChat},
		{`{"messages":[{"role":"user","content":[{"type":"text","text":"a"}]}]}`, AnthropicBody},
		{`{"system":"s","messages":[{"role":"user","content":"a"}]}`, AnthropicBody},
		{`{"messages":[{"role":"system","content":"s"},{"role":"user","content":"a"}]}`, OpenAIChat},
		{`[{"role":"user","content":"a"},{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"n","input":{}}]}]`, AnthropicBody},
		{`[{"role":"user","content":"a"},{"role":"assistant","content":null,"tool_calls":[]}]`, OpenAIChat},
		{`[{"role":"user","parts":[{"text":"a"}]}]`, GeminiBody},
		{`{"contents":[{"parts":[{"text":"a"}]}]}`, GeminiBody},
		{`{"candidates":[{"content":{"parts":[]}}]}`, GeminiBody},
		{`{"choices":[{"message":{"role":"assistant","content":"a"}}]}`, OpenAIChat},
		{`{"id":"m","type":"message","role":"assistant","content":[]}`, AnthropicBody},
		{"{\"messages\":[{\"role\":\"user\",\"content\":\"a\"}]}\n{\"messages\":[{\"role\":\"user\",\"content\":\"b\"}]}", OpenAIChat},
		{`[{"messages":[{"role":"user","content":"a"}]},{"messages":[]}]`, OpenAIChat},
		{`{"method":"generateContent","response":{"candidates":[]}}`, GeminiResponses},
		{`[{"role":"user","content":"a","ts":1}]`, Cline},
		{`{"messages":[{"role":"user","content":"a"}],"kwargs":{},"response":{}}`, LiteLLM},
		{`{"messages":[{"role":"user","content":[{"type":"text","content":"a"}]}]}`, AgentDojo},
		{`{"messages":[{"from":"human","value":"a"}]}`, ""},
		{`{"messages":["a"]}`, ""},
		{`[{"a":1},{"role":"user","content":"a"}]`, ""},
		{`{"role":"admin"}`, ""},
		{`{"type":"message","message":{"role":"user","content":"a"}}`, ""},
	} {
		if got, err := Detect([]byte(tt.text), "x"); got != tt.want {
			t.Errorf("%s: %q, %v; want %q", tt.text, got, err, tt.want)
		}
	}
}

// A list of messages that grew keeps its conversation, its ids and what they
// stand for.
func TestMessagesGrow(t *testing.T) {
	for _, format := range []Format{OpenAIChat, AnthropicBody, GeminiBody, LiteLLM, AgentDojo, Cline} {
		for _, w := range samples(t, format) {
			var whole any
			if json.Unmarshal(w.data, &whole) != nil {
				continue // lines: TestSamplesGrow
			}
			record, _ := whole.(map[string]any)
			list, isList := whole.([]any)
			name := ""
			for _, n := range []string{"messages", "contents"} {
				if l, ok := record[n].([]any); ok {
					name, list = n, l
					// What came last is not said yet in the shorter one.
					delete(record, "response")
					delete(record, "raw_response")
					delete(record, "cost")
				}
			}
			if name == "" && !isList {
				continue
			}
			t.Run(w.path, func(t *testing.T) {
				read := func(n int) []Collected {
					var v any = list[:n]
					if name != "" {
						record[name] = list[:n]
						v = record
					}
					data, err := json.Marshal(v)
					if err != nil {
						t.Fatal(err)
					}
					got, err := w.read(data, format)
					if err != nil {
						t.Fatal(err)
					}
					return got
				}
				now := read(len(list))
				for n := 1; n < len(list); n++ {
					checkGrown(t, read(n), now)
				}
			})
		}
	}
}

// The mark of a prompt cache moves on; the messages stay what they were.
func TestCacheMarksAreNoIdentity(t *testing.T) {
	read := func(text string) Collected {
		got, err := importText(t, "b.json", text)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	before := read(`{"max_tokens":1,"system":"s","messages":[{"role":"user","content":[{"type":"text","text":"a","cache_control":{"type":"ephemeral"}}]}]}`)
	now := read(`{"max_tokens":1,"system":"s","messages":[{"role":"user","content":[{"type":"text","text":"a"}]},{"role":"user","content":[{"cache_control":{"type":"ephemeral"},"type":"text","text":"say \"cache_control\":1"}]}]}`)
	checkGrown(t, []Collected{before}, []Collected{now})
	if len(before.Entries) != 3 || !strings.Contains(before.Entries[2].Source, "ephemeral") {
		t.Errorf("the mark is lost: %+v", before.Entries)
	}
}

func TestWithoutMember(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":1,"x":{"b":[2]},"c":3}`: `{"a":1,"c":3}`,
		`{"x":1,"c":3}`:               `{"c":3}`,
		`{"c":"x","x":1}`:             `{"c":"x"}`,
		`{"c":"\"x\":1","d":"x"}`:     `{"c":"\"x\":1","d":"x"}`,
		`{"x":`:                       `{"x":`,
	} {
		if got := string(chatapi.WithoutMember([]byte(text), "x")); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// A record that is cut off at the end is left out, and told; a strict import takes none
// that is damaged.
func TestTornMessages(t *testing.T) {
	for _, tt := range []struct {
		text, strict, told string
	}{
		{`[{"role":"user","content":"a"},{"role":"assistant","content":"b`, "the JSON is cut off", "record at the end was cut off"},
		{`{"messages":[{"role":"user","content":"a"},{"role":`, "the JSON is cut off", ""}, // no record is whole
		{"{\"role\":\"user\",\"content\":\"a\"}\n{\"role\":\"assi", "x.json:2:14: the JSON is cut off", "line at the end was cut off"},
		{"[\n{\"role\":\"user\",\"content\":\"a\"},\n{\"role\":user}\n]", "x.json:3:9: no valid JSON", "is damaged"},
		{`[{"role":"user","content":"a"}] x`, "no valid JSON", "is damaged"},
	} {
		w := written{OpenAIChat, "x.json", []byte(tt.text)}
		if got, err := w.readAs(Source{Strict: true}, w.data, OpenAIChat); err == nil || len(got) > 0 || !strings.Contains(errorText(err), tt.strict) {
			t.Errorf("%s: a strict import gives %+v, %v, want %s", tt.text, got, err, tt.strict)
		}
		got, err := w.readAs(Source{}, w.data, OpenAIChat)
		switch {
		case tt.told == "" && strings.Contains(errorText(err), tt.strict):
		case err != nil || len(got) != 1 || len(got[0].Warnings) != 1:
			t.Errorf("%s: %+v, %v", tt.text, got, err)
		case !strings.Contains(got[0].Warnings[0], tt.told) || len(got[0].Entries) != 2:
			t.Errorf("%s: %q\n%s", tt.text, got[0].Warnings, describe(got[0].Entries))
		}
	}
}

// Conversations of one source have ids of their own, and those of a grown
// source are the same.
func TestConversationsOfOneSource(t *testing.T) {
	one := `{"messages":[{"role":"system","content":"same"},{"role":"user","content":"a"}]}` + "\n"
	w := written{OpenAIChat, "runs.jsonl", []byte(one + one)}
	two, err := w.read(w.data, OpenAIChat)
	if err != nil {
		t.Fatal(err)
	}
	three, err := w.read([]byte(one+one+one), OpenAIChat)
	if err != nil {
		t.Fatal(err)
	}
	checkGrown(t, two, three)
	ids := map[string]bool{}
	for _, c := range three {
		ids[c.ID] = true
	}
	if len(ids) != 3 {
		t.Errorf("ids are %v", ids)
	}
}

// A system message in front is the prompt; those of other roles, and later ones,
// are messages that keep their roles. None of them is lost.
func TestLeadingSystemMessages(t *testing.T) {
	text := `[{"role":"system","content":"a\n\nb"},{"role":"developer","content":[{"type":"text","text":"c"},{"type":"text","text":"d"}]},{"role":"user","content":"e"},{"role":"system","content":"later"}]`
	got, err := importText(t, "x", text)
	if err != nil {
		t.Fatal(err)
	}
	log := tenfold.NewLog()
	if _, err := log.Append(got.Entries...); err != nil {
		t.Fatal(err)
	}
	if system := tenfold.Project(log).Config().System; system != "a\n\nb" {
		t.Errorf("system is %q", system)
	}
	developer := slices.IndexFunc(got.Entries, func(e tenfold.Entry) bool {
		u, ok := e.Payload.(tenfold.UserMessage)
		return ok && u.Role == "developer" && len(u.Parts) == 2 && u.Parts[0].Text == "c" && u.Parts[1].Text == "d"
	})
	if developer < 0 {
		t.Errorf("no message of the developer's in %+v", got.Entries)
	}
	last := got.Entries[len(got.Entries)-1]
	if u, ok := last.Payload.(tenfold.UserMessage); !ok || !u.Synthetic || !strings.Contains(last.Source, `"role":"system"`) {
		t.Errorf("the later one is %+v", last)
	}
	checkChatSources(t, []byte(text), []Collected{got})
}
