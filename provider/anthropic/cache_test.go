package anthropic_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"tenfold"
	"tenfold/provider"
	"tenfold/provider/anthropic"
)

// sink takes a request and answers nothing.
type sink struct{ body string }

func (s *sink) RoundTrip(r *http.Request) (*http.Response, error) {
	data, err := io.ReadAll(r.Body)
	s.body = string(data)
	if err != nil {
		return nil, err
	}
	return nil, io.ErrUnexpectedEOF
}

// A conversation that goes on is marked at its end, where the last request ended,
// and behind the tools: never more than four marks, and only where asked for.
func TestTheCacheIsMarkedWhereTheNextRequestGoesOn(t *testing.T) {
	log := tenfold.NewLog()
	add := func(p ...tenfold.Payload) {
		for _, payload := range p {
			if _, err := log.Append(tenfold.Entry{Payload: payload}); err != nil {
				t.Fatal(err)
			}
		}
	}
	tools := []tenfold.ToolDefinition{{Name: "a"}, {Name: "b"}}
	add(tenfold.ConfigDelta{Tools: &tools}, tenfold.TurnStart{}, tenfold.UserMessage{Parts: tenfold.Text("one")})
	ask := func(cache bool) (string, []int) {
		s := &sink{}
		m, err := anthropic.New("anthropic/claude-sonnet-4-5", provider.Options{Key: "k", Client: &http.Client{Transport: s}})
		if err != nil {
			t.Fatal(err)
		}
		_, _ = provider.Collect(t.Context(), m, provider.Request{View: tenfold.Project(log), Cache: cache}) // the network is down
		var body struct {
			Messages []struct {
				Content []map[string]any `json:"content"`
			} `json:"messages"`
		}
		if err := json.Unmarshal([]byte(s.body), &body); err != nil {
			t.Fatal(err)
		}
		var marked []int
		for i, message := range body.Messages {
			for j, block := range message.Content {
				if _, ok := block["cache_control"]; ok {
					marked = append(marked, i)
					if j != len(message.Content)-1 {
						t.Errorf("message %d is marked at block %d of %d", i, j, len(message.Content))
					}
				}
			}
		}
		return s.body, marked
	}
	const mark = `"cache_control":{"type":"ephemeral"}`
	for _, want := range [][]int{{0}, {0, 2}, {2, 4}, {4, 6}} {
		plain, none := ask(false)
		body, marked := ask(true)
		if len(none) != 0 || strings.Contains(plain, "cache_control") {
			t.Errorf("marked without being asked: %s", plain)
		}
		if len(marked) != len(want) || marked[0] != want[0] || marked[len(marked)-1] != want[len(want)-1] {
			t.Errorf("messages %v are marked, want %v", marked, want)
		}
		if strings.Count(body, mark) != len(want)+1 || !strings.Contains(body, `"b","input_schema":{"type":"object","properties":{}},`+mark) {
			t.Errorf("the last tool is not marked, or something else is: %s", body)
		}
		if strings.ReplaceAll(body, ","+mark, "") != plain {
			t.Errorf("marking changed the request\n%s\n%s", body, plain)
		}
		add(
			tenfold.ToolCall{CallID: "x", Name: "a", Arguments: `{}`}, tenfold.ToolCall{CallID: "y", Name: "a", Arguments: `{}`},
			tenfold.ToolResult{CallID: "x", Parts: tenfold.Text("1")}, tenfold.ToolResult{CallID: "y", Parts: tenfold.Text("2")},
		)
	}
}
