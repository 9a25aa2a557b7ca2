package summary_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"tenfold"
	"tenfold/provider"
	"tenfold/provider/catalog"
	"tenfold/summary"
)

// vendors speak as their APIs do: how they refuse an answer longer than their
// limit, and how they answer.
var vendors = []struct {
	name, refusal string
	beyond        int // the number stated, less the limit
	answer        string
}{
	{
		"anthropic",
		`{"type":"error","error":{"type":"invalid_request_error","message":"max_tokens: %d > %d, which is the maximum allowed number of output tokens for claude-next"}}`, 0,
		`data: {"type":"message_start","message":{"id":"m","model":"m","usage":{"input_tokens":9,"output_tokens":1}}}` + "\n\n" +
			`data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}` + "\n\n" +
			`data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":%q}}` + "\n\n" +
			`data: {"type":"content_block_stop","index":0}` + "\n\n" +
			`data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":5}}` + "\n\n" + `data: {"type":"message_stop"}` + "\n\n",
	},
	{
		"openai",
		`{"error":{"message":"max_tokens is too large: %d. This model supports at most %d completion tokens, whereas you provided more.","type":"invalid_request_error","param":"max_tokens","code":"invalid_value"}}`, 0,
		`data: {"id":"c","model":"m","choices":[{"index":0,"delta":{"content":%q},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n",
	},
	{
		"gemini",
		`{"error":{"code":400,"message":"Unable to submit request because it has a maxOutputTokens value of %d but the supported range is from 1 (inclusive) to %d (exclusive). Update the value and try again.","status":"INVALID_ARGUMENT"}}`, 1,
		`data: {"candidates":[{"content":{"parts":[{"text":%q}],"role":"model"},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":5}}` + "\n\n",
	},
}

var (
	askedMost = regexp.MustCompile(`"(?:max_tokens|max_completion_tokens|max_output_tokens|maxOutputTokens)":(\d+)`)
	toldMost  = regexp.MustCompile(`Use at most (\d+) tokens`)
)

// limited serves models that answer so many tokens at most, and keeps how many
// each request asked for and told the model.
type limited struct {
	limit, beyond   int
	refusal, answer string

	mu          sync.Mutex
	asked, told []int
}

func (s *limited) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(r.Body)
	if err != nil || !json.Valid(raw) {
		http.Error(w, "no request", http.StatusTeapot)
		return
	}
	number := func(re *regexp.Regexp) int {
		m := re.FindSubmatch(raw)
		if m == nil {
			return 0
		}
		n, _ := strconv.Atoi(string(m[1]))
		return n
	}
	asked, told := number(askedMost), number(toldMost)
	s.mu.Lock()
	s.asked, s.told = append(s.asked, asked), append(s.told, told)
	s.mu.Unlock()
	if asked > s.limit {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		_, _ = fmt.Fprintf(w, s.refusal, asked, s.limit+s.beyond)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = fmt.Fprintf(w, s.answer, `{"summary":"Bugs were fixed.","active_files":[],"open_tasks":[]}`)
}

// M1a: a model that may not answer as much as is asked for is asked again
// within the limit that its provider states, in the words of each.
func TestM1aAnswerFitsTheModel(t *testing.T) {
	for _, v := range vendors {
		open := func(t *testing.T, s *limited) provider.Model {
			t.Helper()
			s.refusal, s.beyond, s.answer = v.refusal, v.beyond, v.answer
			server := httptest.NewServer(s)
			t.Cleanup(server.Close)
			m, err := catalog.Catalog{
				Settings: map[string]catalog.Settings{"x": {Type: v.name, BaseURL: server.URL, KeyEnv: "KEY"}},
				Getenv:   func(string) string { return "a-key-for-the-test" },
			}.Open("x/next")
			if err != nil {
				t.Fatal(err)
			}
			return provider.Retry(m, provider.Policy{})
		}
		t.Run(v.name, func(t *testing.T) {
			s := &limited{limit: 8192}
			got, err := summary.Model{Provider: open(t, s)}.Summarize(t.Context(), requestOf(long(t), 0, 2))
			if err != nil || !strings.Contains(got.Text, "Bugs were fixed.") {
				t.Fatalf("%v, %q", err, got.Text)
			}
			if fmt.Sprint(s.asked, s.told) != "[20000 8192] [20000 8192]" {
				t.Errorf("asked for %v tokens, told %v", s.asked, s.told)
			}
			if notes := strings.Join(got.Notes, "; "); !strings.Contains(notes, "x/next may answer 8192 tokens at most") {
				t.Errorf("notes %q", notes)
			}
		})
		t.Run(v.name+", in parts", func(t *testing.T) {
			s := &limited{limit: 300}
			got, err := summary.Model{Provider: open(t, s), Window: 3000, MaxTokens: 400}.Summarize(t.Context(), requestOf(long(t), 0, 3))
			if err != nil || !strings.Contains(strings.Join(got.Notes, "; "), "parts, which were merged") {
				t.Fatalf("%v, %q", err, got.Notes)
			}
			// Parts that are read at once may each find out; no part is read
			// twice, and the merging knows.
			refused := 0
			for _, asked := range s.asked {
				if asked > s.limit {
					refused++
				}
			}
			if refused > 3 || s.asked[len(s.asked)-1] != 300 {
				t.Errorf("asked for %v tokens", s.asked)
			}
		})
		t.Run(v.name+", a limit that is no help", func(t *testing.T) {
			s := &limited{limit: 0}
			if _, err := (summary.Model{Provider: open(t, s)}).Summarize(t.Context(), requestOf(long(t), 0, 2)); provider.KindOf(err) != provider.Invalid || len(s.asked) > 2 {
				t.Errorf("%v after %v", err, s.asked)
			}
		})
	}
}

// M1a: the limit that the table or the configuration knows is kept from the
// start, whatever address the model has.
func TestM1aAnswerFitsTheTable(t *testing.T) {
	for _, tt := range []struct {
		name               string
		most, output, want int
	}{
		{"openai/gpt-4o", 0, 0, 16_384},
		{"gateway/openai/gpt-4o-mini", 0, 0, 16_384},
		{"openai/gpt-4o", 30_000, 0, 16_384},
		{"openai/gpt-4o", 500, 0, 500},
		{"openai/gpt-4o", 0, 1_000, 1_000},
		{"anthropic/claude-3-haiku-20240307", 0, 0, 4_096},
		{"anthropic/claude-sonnet-4-5", 0, 0, 20_000},
		{"local/unknown", 0, 0, 20_000},
		{"local/unknown", 0, 2_048, 2_048},
	} {
		m := plays(says("Bugs were fixed."))
		m.name = tt.name
		if _, err := (summary.Model{Provider: m, MaxTokens: tt.most, MaxOutput: tt.output}).Summarize(t.Context(), requestOf(long(t), 0, 2)); err != nil {
			t.Fatal(err)
		}
		if q := m.asked[0]; q.MaxTokens != tt.want || !strings.Contains(sent(q), fmt.Sprintf("at most %d tokens", tt.want)) {
			t.Errorf("%s, %d, %d: %d tokens are asked for", tt.name, tt.most, tt.output, q.MaxTokens)
		}
	}
}

// M1a: what a model thinks counts into the most it may answer. One that is known to think has room for
// that beside the summary; one that is not is asked again with room where it thought until it was cut off.
func TestM1aAModelMayThinkFirst(t *testing.T) {
	thought := []provider.Event{{Reasoning: strings.Repeat("hm ", 500)}, {Block: tenfold.Reasoning{Text: "hm"}}, {Stop: provider.StopLength}}
	for _, tt := range []struct {
		name, model    string
		most, window   int
		answers        [][]provider.Event
		asked          []int
		cutOff         bool
		limitedByModel int
	}{
		{name: "known to think", model: "anthropic/claude-opus-5-5", most: 500, answers: [][]provider.Event{says("Bugs were fixed.")}, asked: []int{16_500}},
		{name: "in a window that nobody knows", model: "local/gpt-oss", most: 500, answers: [][]provider.Event{says("Bugs were fixed.")}, asked: []int{500}},
		{name: "in a small window", model: "anthropic/claude-opus-5-5", most: 500, window: 40_000, answers: [][]provider.Event{says("Bugs were fixed.")}, asked: []int{5_500}},
		{name: "may not answer as much", model: "anthropic/claude-opus-5-5", most: 500, limitedByModel: 2_000, answers: [][]provider.Event{says("Bugs were fixed.")}, asked: []int{2_000}},
		{name: "found to think", model: "local/unknown", most: 500, answers: [][]provider.Event{thought, says("Bugs were fixed.")}, asked: []int{500, 16_500}},
		{name: "thinks on", model: "local/unknown", most: 500, answers: [][]provider.Event{thought}, asked: []int{500, 16_500}, cutOff: true},
		{name: "takes the room for words", model: "anthropic/claude-opus-5-5", most: 500, answers: [][]provider.Event{says(strings.Repeat("Bugs were fixed. ", 300))}, asked: []int{16_500}, cutOff: true},
		{name: "said too much", model: "local/unknown", most: 500, answers: [][]provider.Event{stops("Bugs were", provider.StopLength)}, asked: []int{500}, cutOff: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := plays(tt.answers...)
			m.name = tt.model
			got, err := summary.Model{Provider: m, MaxTokens: tt.most, Window: tt.window, MaxOutput: tt.limitedByModel}.Summarize(t.Context(), requestOf(long(t), 0, 2))
			if err != nil || got.CutOff != tt.cutOff {
				t.Fatalf("%v, %+v", err, got)
			}
			var asked []int
			for _, q := range m.asked {
				asked = append(asked, q.MaxTokens)
				if !strings.Contains(sent(q), "at most 500 tokens") {
					t.Errorf("the model is told another limit: %s", sent(q))
				}
			}
			if !slices.Equal(asked, tt.asked) {
				t.Errorf("asked for %v tokens, want %v", asked, tt.asked)
			}
		})
	}
}
