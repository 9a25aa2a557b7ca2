package session_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"tenfold/transcript"
)

// A speech is what one side says at once.
type speech struct{ role, text string }

// A dialogue is a conversation for a file to hold.
type dialogue []speech

// newDialogue makes one of words: "s" is the system's, then the person and the
// model take turns.
func newDialogue(words ...string) dialogue {
	var t dialogue
	roles := []string{"user", "assistant"}
	for _, w := range words {
		if text, ok := strings.CutPrefix(w, "system "); ok {
			t = append(t, speech{"system", text})
			continue
		}
		t = append(t, speech{roles[0], w})
		roles[0], roles[1] = roles[1], roles[0]
	}
	return t
}

// said are the texts that the story of the dialogue holds: a system prompt is
// configuration.
func (t dialogue) said() []string {
	var texts []string
	for _, l := range t {
		if l.role != "system" {
			texts = append(texts, l.text)
		}
	}
	return texts
}

func object(members ...any) map[string]any {
	o := map[string]any{}
	for i := 0; i+1 < len(members); i += 2 {
		o[members[i].(string)] = members[i+1]
	}
	return o
}

func encoded(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return append(data, '\n')
}

// each makes a list with one value for each speech.
func (t dialogue) each(value func(i int, l speech) any) []any {
	list := []any{}
	for i, l := range t {
		if v := value(i, l); v != nil {
			list = append(list, v)
		}
	}
	return list
}

// rows makes JSON lines.
func rows(first []any, list ...any) []byte {
	var out []byte
	for _, v := range slices.Concat(first, list) {
		out = append(out, encoded(v)...)
	}
	return out
}

// texts joins a text for each speech.
func (t dialogue) texts(text func(l speech) string) []byte {
	var b strings.Builder
	for _, l := range t {
		b.WriteString(text(l))
	}
	return []byte(b.String())
}

func plainMessage(_ int, l speech) any { return object("role", l.role, "content", l.text) }

func blocks(kind, text string) []any { return []any{object("type", kind, "text", text)} }

// system gives the system prompt, and the dialogue without it.
func (t dialogue) system() (string, dialogue) {
	if len(t) > 0 && t[0].role == "system" {
		return t[0].text, t[1:]
	}
	return "", t
}

func geminiContent(_ int, l speech) any {
	return object("role", strings.Replace(l.role, "assistant", "model", 1), "parts", []any{object("text", l.text)})
}

func responsesItem(_ int, l speech) any {
	kind := "input_text"
	if l.role == "assistant" {
		kind = "output_text"
	}
	return object("type", "message", "role", l.role, "content", blocks(kind, l.text))
}

// A shape is one form in which a format without ids of its own keeps a dialogue.
type shape struct {
	format transcript.Format
	name   string // of the file
	write  func(t dialogue) []byte
}

// shapes are all of them.
func shapes() []shape {
	stamp := func(i int) string { return fmt.Sprintf("2026-01-02T03:%02d:%02d.000Z", i/60, i%60) }
	return []shape{
		{transcript.OpenAIChat, "request.json", func(t dialogue) []byte {
			return encoded(object("model", "m", "messages", t.each(plainMessage)))
		}},
		{transcript.OpenAIChat, "messages.json", func(t dialogue) []byte { return encoded(t.each(plainMessage)) }},
		{transcript.OpenAIChat, "lines.jsonl", func(t dialogue) []byte { return rows(t.each(plainMessage)) }},
		{transcript.OpenAIChat, "session-1.json", func(t dialogue) []byte { // an id that anybody may give
			return encoded(object("session_id", "1", "messages", t.each(plainMessage)))
		}},
		{transcript.AnthropicBody, "request.json", func(t dialogue) []byte {
			system, rest := t.system()
			return encoded(object("model", "m", "max_tokens", 9, "system", system, "messages", rest.each(func(_ int, l speech) any {
				return object("role", l.role, "content", []any{object("type", "text", "text", l.text, "cache_control", object("type", "ephemeral"))})
			})))
		}},
		{transcript.GeminiBody, "request.json", func(t dialogue) []byte {
			system, rest := t.system()
			return encoded(object("systemInstruction", object("parts", []any{object("text", system)}), "contents", rest.each(geminiContent)))
		}},
		{transcript.GeminiResponses, "chat.responses", func(t dialogue) []byte {
			var list []any
			for _, l := range t {
				if l.role != "system" {
					list = append(list, object("method", "generateContent", "response", object("candidates", []any{
						object("content", object("role", "model", "parts", []any{object("text", l.text)}), "finishReason", "STOP"),
					})))
				}
			}
			return rows(list)
		}},
		{transcript.OpenAIResponses, "request.json", func(t dialogue) []byte {
			system, rest := t.system()
			return encoded(object("model", "m", "instructions", system, "input", rest.each(responsesItem)))
		}},
		{transcript.OpenAIResponses, "items.json", func(t dialogue) []byte { _, rest := t.system(); return encoded(rest.each(responsesItem)) }},
		{transcript.LiteLLM, "call.json", func(t dialogue) []byte {
			return encoded(object("messages", t.each(func(_ int, l speech) any { return object("role", l.role, "content", blocks("text", l.text)) }),
				"kwargs", object("temperature", 0), "context_window", 1000, "response", nil, "latency_sec", 1))
		}},
		{transcript.AgentDojo, "run.json", func(t dialogue) []byte {
			return encoded(object("suite_name", "s", "pipeline_name", "p", "run_id", "run-7", "messages", t.each(func(_ int, l speech) any {
				return object("role", l.role, "content", []any{object("type", "text", "content", l.text)})
			})))
		}},
		{transcript.Cline, "api_conversation_history.json", func(t dialogue) []byte {
			_, rest := t.system()
			return encoded(rest.each(func(i int, l speech) any {
				return object("role", l.role, "content", blocks("text", l.text), "ts", 1750000000000+i)
			}))
		}},
		{transcript.JP, "17123456789-talk/events.json", jpEvents},
		{transcript.JP, "talk/events.json", jpEvents},
		{transcript.SWEAgent, "run.traj", func(t dialogue) []byte {
			return encoded(object("environment", "e", "trajectory", []any{}, "info", object("steps", len(t)), "history", t.each(func(_ int, l speech) any {
				return object("role", l.role, "content", l.text, "agent", "primary")
			})))
		}},
		{transcript.OpenHands, "events.json", func(t dialogue) []byte {
			return encoded(t.each(func(i int, l speech) any {
				source, action := strings.Replace(l.role, "assistant", "agent", 1), "message"
				if l.role == "system" {
					source, action = "agent", "system"
				}
				return object("id", i, "timestamp", stamp(i)[:19], "source", source, "action", action, "args", object("content", l.text))
			}))
		}},
		{transcript.InspectEval, "log.json", func(t dialogue) []byte {
			return encoded(object("version", 2, "status", "success", "eval", object("eval_id", "ev1", "task", "t", "model", "a/b"), "plan", object(), "results", object(),
				"samples", []any{object("id", 1, "epoch", 1, "input", "q", "target", "t", "messages", t.each(func(_ int, l speech) any {
					return object("role", l.role, "content", l.text, "source", "input")
				}))}))
		}},
		{transcript.WhoAndWhen, "crafted.json", func(t dialogue) []byte {
			_, rest := t.system()
			return encoded(object("question", "q", "ground_truth", "g", "mistake_agent", "a", "mistake_step", "1", "mistake_reason", "r", "history", rest.each(func(_ int, l speech) any {
				return object("role", strings.Replace(l.role, "user", "human", 1), "content", l.text)
			})))
		}},
		{transcript.LoCoMo, "talk.json", func(t dialogue) []byte {
			_, rest := t.system()
			return encoded([]any{object("sample_id", "conv-1", "qa", []any{}, "conversation", object("speaker_a", "Ada", "speaker_b", "Ben",
				"session_1_date_time", "1:56 pm on 8 May, 2025", "session_1", rest.each(func(i int, l speech) any {
					return object("speaker", map[string]string{"user": "Ada", "assistant": "Ben"}[l.role], "dia_id", fmt.Sprintf("D1:%d", i+1), "text", l.text)
				})))})
		}},
		{transcript.Aider, ".aider.chat.history.md", func(t dialogue) []byte {
			_, rest := t.system()
			return append([]byte("\n# aider chat started at 2026-04-05 06:08:00\n\n> Main model: maker/model-a with diff edit format  \n\n"), rest.texts(func(l speech) string {
				if l.role == "user" {
					return "#### " + l.text + "  \n\n"
				}
				return l.text + "\n\n"
			})...)
		}},
		{transcript.SpecStory, "session.md", func(t dialogue) []byte {
			_, rest := t.system()
			return append([]byte("<!-- Generated by SpecStory, Markdown v2.1.0 -->\n\n# 2026-05-06 07:08:09Z\n\n"), rest.texts(func(l speech) string {
				head := map[string]string{"user": "_**User (2026-05-06 07:08:09Z)**_", "assistant": "_**Agent (model-a 2026-05-06 07:08:10Z)**_"}[l.role]
				return head + "\n\n" + l.text + "\n\n---\n\n"
			})...)
		}},
		{transcript.Plain, "talk.txt", func(t dialogue) []byte {
			return t.texts(func(l speech) string {
				return map[string]string{"user": "User", "assistant": "Assistant", "system": "System"}[l.role] + ": " + l.text + "\n"
			})
		}},
		{transcript.Plain, "few-shot.jsonl", func(t dialogue) []byte {
			_, rest := t.system()
			return encoded(object("messages_display", strings.TrimSuffix(string(rest.texts(func(l speech) string { return l.role + ": " + l.text + "\n" })), "\n")))
		}},
		{transcript.Tenfold, "log.jsonl", func(t dialogue) []byte {
			_, rest := t.system()
			return rows(rest.each(func(i int, l speech) any {
				return object("id", fmt.Sprintf("e%d-%s", i, l.text), "time", stamp(i), "kind", l.role+"_message", "text", l.text)
			}))
		}},
		{transcript.ClaudeCode, "session.jsonl", func(t dialogue) []byte {
			_, rest := t.system()
			return rows(rest.each(func(i int, l speech) any {
				content := any(l.text)
				if l.role == "assistant" {
					content = blocks("text", l.text)
				}
				return object("type", l.role, "uuid", fmt.Sprintf("u%d", i), "parentUuid", parent(i), "timestamp", stamp(i), "message", object("role", l.role, "content", content))
			}))
		}},
		{transcript.Codex, "rollout.jsonl", func(t dialogue) []byte {
			_, rest := t.system()
			return rows([]any{object("timestamp", stamp(0), "type", "session_meta", "payload", object("cwd", "/"))}, rest.each(func(i int, l speech) any {
				return object("timestamp", stamp(i), "type", "response_item", "payload", responsesItem(i, l))
			})...)
		}},
		{transcript.Pi, "session.jsonl", func(t dialogue) []byte {
			_, rest := t.system()
			return rows(rest.each(func(i int, l speech) any {
				return object("type", "message", "id", fmt.Sprintf("p%d", i), "parentId", parentOf("p", i), "timestamp", stamp(i),
					"message", object("role", l.role, "content", blocks("text", l.text), "api", "a", "provider", "p", "model", "m", "usage", object("input", 1)))
			}))
		}},
		{transcript.GeminiCLI, "chat.json", func(t dialogue) []byte {
			_, rest := t.system()
			return encoded(object("projectHash", "ab", "startTime", stamp(0), "lastUpdated", stamp(len(t)), "messages", rest.each(func(i int, l speech) any {
				return object("id", fmt.Sprintf("g%d", i), "timestamp", stamp(i), "type", strings.Replace(l.role, "assistant", "gemini", 1), "content", l.text)
			})))
		}},
		{transcript.QwenCode, "chat.jsonl", func(t dialogue) []byte {
			_, rest := t.system()
			return rows(rest.each(func(i int, l speech) any {
				role := map[string]string{"user": "user", "assistant": "model"}[l.role]
				return object("uuid", fmt.Sprintf("u%d", i), "parentUuid", parent(i), "timestamp", stamp(i), "type", l.role,
					"message", object("role", role, "parts", []any{object("text", l.text)}))
			}))
		}},
		{transcript.CopilotCLI, "events.jsonl", func(t dialogue) []byte {
			_, rest := t.system()
			return rows(rest.each(func(i int, l speech) any {
				return object("type", l.role+".message", "id", fmt.Sprintf("e%d", i), "parentId", parentOf("e", i), "timestamp", stamp(i),
					"data", object("content", l.text, "messageId", fmt.Sprintf("m%d", i), "attachments", []any{}, "toolRequests", []any{}))
			}))
		}},
		{transcript.OpenCode, "session.json", func(t dialogue) []byte {
			_, rest := t.system()
			return encoded(object("info", object("title", "t"), "messages", rest.each(func(i int, l speech) any {
				id := fmt.Sprintf("msg_%d", i)
				return object("info", object("role", l.role, "id", id, "time", object("created", 1780000000000+i, "completed", 1780000000001+i)),
					"parts", []any{object("type", "text", "text", l.text, "id", "prt_"+id, "messageID", id)})
			})))
		}},
	}
}

func jpEvents(t dialogue) []byte {
	_, rest := t.system()
	return encoded(append([]any{object("type", "config_delta", "timestamp", "2026-01-02 03:04:05", "delta", object())}, rest.each(func(i int, l speech) any {
		name := map[string]string{"user": "chat_request", "assistant": "chat_response"}[l.role]
		member := map[string]string{"user": "content", "assistant": "message"}[l.role]
		return object("type", name, "timestamp", fmt.Sprintf("2026-01-02 03:%02d:%02d", i/60, i%60), member, l.text)
	})...))
}

func parent(i int) any { return parentOf("u", i) }

func parentOf(prefix string, i int) any {
	if i == 0 {
		return nil
	}
	return fmt.Sprintf("%s%d", prefix, i-1)
}

// Every format that may hold a conversation without an id is in the table.
// Crush's database has one for each.
func TestEveryFormatWithoutIDsHasAShape(t *testing.T) {
	for _, f := range transcript.Formats() {
		has := slices.ContainsFunc(shapes(), func(s shape) bool { return s.format == f.Format })
		if f.Import && !has && f.Format != transcript.Crush {
			t.Errorf("there is no shape of %s", f.Format)
		}
	}
}

// Each shape is read as its format, without an id that is a conversation's own,
// and holds what was written.
func TestShapes(t *testing.T) {
	for _, s := range shapes() {
		t.Run(string(s.format)+"/"+s.name, func(t *testing.T) {
			want := newDialogue("system be kind", "alpha", "beta", "gamma", "delta")
			in := s.read(t, "/home/ada/"+s.name, want)
			if in.Named {
				t.Errorf("%s is the conversation's own id", in.ID)
			}
			if got := saidIn(in.Log); !slices.Equal(got, want.said()) {
				t.Errorf("it says %q", got)
			}
		})
	}
}
