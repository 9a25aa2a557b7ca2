package keeper_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tenfold/body"
	"tenfold/internal/corpustest"
	"tenfold/internal/proxy"
	"tenfold/internal/proxy/keeper"
	"tenfold/internal/proxy/wire"
	"tenfold/store/memory"
)

// A dialect is how a client of one wire says things: one message of the history each,
// with what no log models among it.
type dialect struct {
	protocol wire.Protocol
	path     string
	client   string // that was started through us
	request  string // with a verb for the messages
	user     func(text string) string
	call     func(n int) string
	result   func(n int, text string) string
	said     func(n int) string
	response func(message string, input, cached int) string
	check    func(raw []byte) []body.Violation
}

var dialects = map[string]dialect{
	"anthropic": {
		protocol: wire.Anthropic{}, path: "/v1/messages", request: `{"model":"claude-sonnet-4-5","max_tokens":100,"messages":[%s]}`,
		user: func(text string) string { return `{"role":"user","content":[` + said(text) + `]}` },
		call: func(n int) string {
			return fmt.Sprintf(`{"role":"assistant","content":[{"type":"text","text":"I look.","x_own":{"a": 1}},{"type":"tool_use","id":"call_%d","x_own":2,"name":"Read","input":{"file_path": "/w/file_%d.go", "n": 1.0}}]}`, n, n)
		},
		result: func(n int, text string) string {
			return fmt.Sprintf(`{"role":"user","content":[{"type":"tool_result","tool_use_id":"call_%d","content":[%s],"x_own":1}]}`, n, said(text))
		},
		said: func(n int) string {
			return fmt.Sprintf(`{"role":"assistant","content":[%s]}`, said(fmt.Sprintf("file %d is read", n)))
		},
		response: func(message string, input, cached int) string {
			return fmt.Sprintf(`{"id":"m","type":"message","model":"m","stop_reason":"end_turn","usage":{"input_tokens":%d,"cache_read_input_tokens":%d,"output_tokens":9},%s`, input-cached, cached, message[1:])
		},
		check: body.Anthropic().Check,
	},
	"chat": {
		protocol: wire.OpenAIChat{}, path: "/v1/chat/completions", request: `{"model":"gpt-4o","messages":[{"role":"system","content":"Be brief."},%s]}`,
		user: func(text string) string { return `{"role":"user","content":` + quoted(text) + `}` },
		call: func(n int) string {
			return fmt.Sprintf(`{"role":"assistant","content":"I look.","x_own":[%d],"tool_calls":[{"id":"call_%d","type":"function","function":{"name":"read_file","arguments":"{\"path\": \"file_%d.go\"}"}}]}`, n, n, n)
		},
		result: func(n int, text string) string {
			return fmt.Sprintf(`{"role":"tool","tool_call_id":"call_%d","content":%s}`, n, quoted(text))
		},
		said: func(n int) string { return fmt.Sprintf(`{"role":"assistant","content":"file %d is read"}`, n) },
		response: func(message string, input, cached int) string {
			return fmt.Sprintf(`{"id":"c","object":"chat.completion","model":"gpt-4o","choices":[{"index":0,"finish_reason":"stop","message":%s}],"usage":{"prompt_tokens":%d,"prompt_tokens_details":{"cached_tokens":%d},"completion_tokens":9,"total_tokens":%d}}`, message, input, cached, input+9)
		},
		check: body.OpenAIChat().Check,
	},
	"responses": {
		protocol: wire.OpenAIResponses{}, path: "/v1/responses", client: "codex", request: `{"model":"gpt-5","store":false,"input":[%s]}`,
		user: func(text string) string {
			return `{"type":"message","id":"msg_own","role":"user","content":[{"type":"input_text","text":` + quoted(text) + `}]}`
		},
		call: func(n int) string {
			return fmt.Sprintf(`{"type":"function_call","id":"fc_%d","status":"completed","call_id":"call_%d","name":"shell","arguments":"{\"command\": \"cat file_%d.go\"}"}`, n, n, n)
		},
		result: func(n int, text string) string {
			return fmt.Sprintf(`{"type":"function_call_output","id":"fco_%d","call_id":"call_%d","output":%s}`, n, n, quoted(text))
		},
		said: func(n int) string {
			return fmt.Sprintf(`{"type":"message","id":"msg_a%d","role":"assistant","status":"completed","phase":"final","content":[{"type":"output_text","x_own":[1, 2],"text":"file %d is read","annotations":[]}]}`, n, n)
		},
		response: func(message string, input, cached int) string {
			return fmt.Sprintf(`{"id":"r","object":"response","status":"completed","model":"gpt-5","output":[%s],"usage":{"input_tokens":%d,"input_tokens_details":{"cached_tokens":%d},"output_tokens":9,"total_tokens":%d}}`, message, input, cached, input+9)
		},
		check: body.OpenAIResponses().Check,
	},
	"gemini": {
		protocol: wire.Gemini{}, path: "/v1beta/models/gemini-2.5-pro:generateContent", request: `{"contents":[%s]}`,
		user: func(text string) string { return `{"role":"user","parts":[{"text":` + quoted(text) + `}]}` },
		call: func(n int) string {
			return fmt.Sprintf(`{"role":"model","parts":[{"text":"I look.","x_own":true},{"functionCall":{"id":"call_%d","name":"read_file","args":{"absolute_path": "/w/file_%d.go"}}}]}`, n, n)
		},
		result: func(n int, text string) string {
			return fmt.Sprintf(`{"role":"user","parts":[{"functionResponse":{"id":"call_%d","name":"read_file","response":{"output":%s}}}]}`, n, quoted(text))
		},
		said: func(n int) string { return fmt.Sprintf(`{"role":"model","parts":[{"text":"file %d is read"}]}`, n) },
		response: func(message string, input, cached int) string {
			return fmt.Sprintf(`{"candidates":[{"index":0,"finishReason":"STOP","content":%s}],"usageMetadata":{"promptTokenCount":%d,"cachedContentTokenCount":%d,"candidatesTokenCount":9,"totalTokenCount":%d}}`, message, input, cached, input+9)
		},
		check: body.Gemini().Check,
	},
}

// thinking gives a dialect whose model thinks before each of its answers.
func thinking(d dialect) dialect {
	think := func(n int) string { return fmt.Sprintf(`{"type":"thinking","thinking":"hm","signature":"c2ln%d"},`, n) }
	before := func(answer func(int) string) func(int) string {
		return func(n int) string {
			return strings.Replace(answer(n), `"content":[`, `"content":[`+think(n), 1)
		}
	}
	if d.path == "/v1/responses" {
		before = func(answer func(int) string) func(int) string {
			return func(n int) string {
				return fmt.Sprintf(`{"type":"reasoning","id":"rs_%d","summary":[],"encrypted_content":"c2ln%d"},`, n, n) + answer(n)
			}
		}
	}
	d.call, d.said = before(d.call), before(d.said)
	return d
}

// A speaker is a client of one wire.
type speaker struct {
	*place
	dialect
	header   http.Header
	messages []string
	sent     []string
	restarts func() bool
	left     bool
	hasty    bool // it does not wait until what was heard is stored
}

func (s *speaker) ask(more ...string) proxy.Exchange {
	if s.restarts() {
		s.restart()
	}
	raw := fmt.Sprintf(s.request, strings.Join(append(slices.Clone(s.messages), more...), ","))
	return s.k.Take(context.Background(), proxy.Incoming{
		Protocol: s.protocol, Kind: wire.Generate, Path: s.path, Header: s.header, Dir: "/w", Client: s.client, Body: []byte(raw),
	})
}

// takes sends what was said, and has the model answer.
func (s *speaker) takes(answer string) {
	ex := s.ask()
	sent := string(ex.Body())
	if err := s.check(ex.Body()); len(err) > 0 || strings.Contains(sent, "tenfold.1.") {
		s.t.Fatalf("the vendor refuses: %v\n%s", err, sent)
	}
	s.sent = append(s.sent, sent)
	if l := ex.Heard(); l != nil {
		_, _ = l.Write([]byte(s.response(answer, len(sent)/4, len(sent)/5)))
	}
	ex.Done(200, false)
	keeper.Rest(s.k, !s.hasty)
	s.messages = append(s.messages, answer)
}

// compacts has a client of OpenAI's responses compact as Codex does.
func (s *speaker) compacts() {
	ex := s.ask(`{"type":"compaction_trigger"}`)
	a := ex.Answer()
	if ex.Done(200, false); a == nil {
		return // nothing is to be compacted
	}
	s.left = true
	s.messages = []string{`{"type":"message","role":"developer","content":[{"type":"input_text","text":"Be brief."}]}`, handleItem.FindString(string(a.Body))}
}

var handleItem = regexp.MustCompile(`\{"type":"compaction"[^}]*\}`)

// A step is what a client does in a turn.
type step struct {
	size    int
	compact bool // by itself, before
	wait    time.Duration
}

func (s *speaker) plays(steps []step) {
	for n, st := range steps {
		s.pass(st.wait)
		if st.wait > 0 && st.size != 50 { // else the request comes before that is done
			keeper.Cool(s.k)
		}
		if st.compact && s.path == "/v1/responses" {
			s.compacts()
		}
		s.messages = append(s.messages, s.user(fmt.Sprintf("Look at file_%d.go, please.", n)))
		s.takes(s.call(n))
		s.messages = append(s.messages, s.result(n, file(n, st.size)))
		s.takes(s.said(n))
	}
	s.close()
	if f := s.failures(); len(f) > 0 {
		s.t.Fatalf("failures: %q", f)
	}
}

func newSpeaker(t rapid.TB, dir string, d dialect, restarts func() bool) *speaker {
	p := newPlace(t)
	p.dir = dir
	p.restart()
	return &speaker{place: p, dialect: d, header: http.Header{"Session-Id": {"s1"}, "Thread-Id": {"t1"}, "Authorization": {"Bearer x"}}, restarts: restarts}
}

// A play is what a client does, and whether the proxy is restarted before each of its
// requests.
type play struct {
	steps    []step
	restarts []bool
}

func drawPlay(seed uint64) play {
	r := rand.New(rand.NewPCG(seed, 17))
	p := play{steps: make([]step, 5+r.IntN(12)), restarts: make([]bool, 80)}
	for i := range p.steps {
		p.steps[i] = step{size: []int{50, 900, 2500, 6000}[r.IntN(4)], compact: i > 2 && r.IntN(5) == 0}
		if r.IntN(5) == 0 {
			p.steps[i].wait = 6 * time.Minute
		}
	}
	for i := range p.restarts {
		p.restarts[i] = r.IntN(2) == 0
	}
	return p
}

// X3: whenever the proxy is restarted, or lets go of what is only in its store, the
// vendor is sent the same bytes as without, on every wire, also after compactions of
// Codex's own.
func TestX3RestartsChangeNoByte(t *testing.T) {
	t.Parallel()
	tries := 8
	if corpustest.UnderRace {
		tries = 3
	}
	if os.Getenv("TENFOLD_TEST_ALL") != "" {
		tries = 400
	}
	all := maps.Clone(dialects)
	all["anthropic, thinking"], all["responses, thinking"] = thinking(dialects["anthropic"]), thinking(dialects["responses"])
	for name, d := range all {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			shortened, left := 0, 0
			for seed := range tries {
				p := drawPlay(uint64(seed))
				never := newSpeaker(t, t.TempDir(), d, func() bool { return false })
				never.plays(p.steps)
				n := 0
				often := newSpeaker(t, t.TempDir(), d, func() bool { n++; return p.restarts[n] })
				often.plays(p.steps)
				spare := newSpeaker(t, t.TempDir(), d, func() bool { return false })
				spare.store, spare.spare = memory.New(memory.Packed()), true
				spare.restart()
				spare.plays(p.steps)
				for i := range never.sent {
					if never.sent[i] != often.sent[i] {
						t.Fatalf("seed %d: request %d of %d is another one after a restart\nwithout: %.2000s\nwith: %.2000s", seed, i, len(never.sent), never.sent[i], often.sent[i])
					}
					if never.sent[i] != spare.sent[i] {
						t.Fatalf("seed %d: request %d of %d is another one after a rest\nwithout: %.2000s\nwith: %.2000s", seed, i, len(never.sent), never.sent[i], spare.sent[i])
					}
				}
				if a, b := never.conversations(), spare.conversations(); len(a) != len(b) {
					t.Fatalf("seed %d: %d conversations, after rests %d", seed, len(a), len(b))
				}
				if strings.Contains(never.sent[len(never.sent)-1], "[Earlier parts") {
					shortened++
				}
				if never.left {
					left++
				}
			}
			if shortened < tries/3 || d.path == "/v1/responses" && left < tries/3 {
				t.Errorf("of %d conversations %d were compacted, %d by the client", tries, shortened, left)
			}
		})
	}
}

// X2a: what Codex left to us is sent as it sent it: ids of its own, spacing, and items
// that no log knows. X6: also where the vendor refuses a shortened request.
func TestX2aWhatCodexLeftStaysItsOwn(t *testing.T) {
	t.Parallel()
	for _, restart := range []bool{false, true} {
		s := newSpeaker(t, t.TempDir(), dialects["responses"], func() bool { return restart })
		unknown := `{"type":"new_thing","id":"x_1", "payload": {"a":[1, 2.0]}}`
		s.messages = append(s.messages, unknown)
		steps := slices.Repeat([]step{{size: 900}}, 12)
		steps[5].compact, steps[9].compact = true, true
		s.plays(steps)
		last := s.sent[len(s.sent)-1]
		for _, want := range []string{unknown, `"id":"fc_11"`, `"id":"msg_a3"`, `{\"command\": \"cat file_10.go\"}`} {
			if !strings.Contains(last, want) {
				t.Errorf("restarted %v: %s is gone from %s", restart, want, last)
			}
		}
		s.k, s.restarts = nil, func() bool { return false }
		s.restart()
		s.messages = append(s.messages, s.user("And now?"))
		ex := s.ask()
		again := string(ex.Refused(400, []byte(`{"error":{"message":"bad item","type":"invalid_request_error"}}`)))
		if strings.Contains(again, "tenfold.1.") || strings.Contains(again, "[compacted]") || strings.Count(again, "that nobody needs") < 12*20 {
			t.Errorf("refused, it is tried with %s", again)
		}
		ex.Done(400, false)
		s.close()
	}
}

// X4, X8: the file of what Codex left is its owner's, few are kept, one that was
// changed is not read, and where it is gone the log says what it held.
func TestX4FilesOfWhatCodexLeft(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"there", "changed", "gone"} {
		s := newSpeaker(t, t.TempDir(), dialects["responses"], func() bool { return false })
		steps := slices.Repeat([]step{{size: 900}}, 14)
		for i := 4; i < len(steps); i += 2 {
			steps[i].compact = i < 13
		}
		s.plays(steps[:13])
		files, err := filepath.Glob(filepath.Join(s.dir, "*"))
		if err != nil || len(files) != 4 {
			t.Fatalf("%v: %q", err, files)
		}
		for _, f := range files {
			if info, err := os.Stat(f); err != nil || info.Mode().Perm() != 0o600 && os.PathSeparator == '/' {
				t.Errorf("%v: %v", err, info.Mode())
			}
			switch how {
			case "gone":
				err = os.Remove(f)
			case "changed":
				err = os.WriteFile(f, []byte(`{"type":"message","role":"user","content":"Mallory was here."}`), 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		s.k = nil
		s.restart()
		s.messages = append(s.messages, s.user("And now?"))
		s.takes(s.said(99))
		last := s.sent[len(s.sent)-1]
		if strings.Contains(last, "Mallory") || !strings.Contains(last, "Look at file_0.go") || strings.Contains(last, `"id":"fc_11"`) != (how == "there") {
			t.Errorf("%s: it is sent %s", how, last)
		}
		s.close()
		if n := len(s.conversations()); n != 1 {
			t.Errorf("%s: %d conversations", how, n)
		}
	}
}
