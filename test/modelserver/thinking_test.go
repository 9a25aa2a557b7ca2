package modelserver_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
	"tenfold/body"
	"tenfold/strategy"
	"tenfold/summary"
	"tenfold/test/modelserver"
)

// Every strategy, at every place of a conversation with a model that thinks: what is
// sent from there on is taken, by the binding that the vendor enforces (B1, B2, B4).
func TestB4EveryStrategyAtEveryPlaceIsTaken(t *testing.T) {
	for _, name := range append(strategy.Names(), "") {
		t.Run("then "+name, func(t *testing.T) {
			t.Parallel()
			kept := 0
			for at := range 9 {
				kept += think(t, name, at)
			}
			if name == "" && kept < 9*20 {
				t.Errorf("only %d blocks of thinking were sent back with nothing compacted", kept)
			}
		})
	}
}

// think lets a conversation of three requests run, compacts it with a strategy
// before the request to the model of a number, and once more later. It gives how
// many thinking blocks were sent.
func think(t *testing.T, name string, at int) int {
	t.Helper()
	s := modelserver.New(func(r modelserver.Request) modelserver.Reply {
		if n := r.N; n%3 < 2 {
			call := modelserver.Call("Read", fmt.Sprintf(`{"path":"dir/file%d.go"}`, n%4))
			return modelserver.Thinking(fmt.Sprintf("thought %d", n), modelserver.Saying("I read on.", modelserver.Calls(call)))
		}
		return modelserver.Thinking("enough", modelserver.Text(strings.Repeat("It is done. ", 20)))
	})
	log := tenfold.NewLog()
	p := tenfold.Project(log)
	add := func(payload tenfold.Payload, message string) {
		if _, err := log.Append(tenfold.Entry{Payload: payload, MessageID: message}); err != nil {
			t.Fatal(err)
		}
		p.Advance()
	}
	system := "You are careful."
	add(tenfold.ConfigDelta{System: &system, Tools: &[]tenfold.ToolDefinition{{Name: "Read"}, {Name: "Idle"}}}, "")
	sent := 0
	for n := range 9 {
		if n%3 == 0 {
			add(tenfold.TurnStart{}, "")
			add(tenfold.UserMessage{Parts: tenfold.Text(fmt.Sprintf("Look at part %d, never at others.", n))}, "")
		}
		if n == at || n == at+3 {
			compact(t, p, name)
			p.Advance()
			if endsInAnswer(p) { // nobody is asked anything: the work is to go on
				add(tenfold.UserMessage{Parts: tenfold.Text("Go on.")}, "")
			}
		}
		data, err := body.Anthropic().Write(p)
		if err != nil {
			t.Fatal(err)
		}
		sent += strings.Count(string(data), `"signature"`)
		status, answer := post(t, s, messages, string(data))
		if status != 200 {
			t.Fatalf("%s before request %d, at request %d: %d %s\n%s", name, at, n, status, answer, data)
		}
		for _, e := range answered(t, answer) {
			add(e.Payload, e.MessageID)
			if c, ok := e.Payload.(tenfold.ToolCall); ok {
				add(tenfold.ToolResult{CallID: c.CallID, Parts: tenfold.Text(strings.Repeat("func work() { return }\n", 60))}, "")
			}
		}
	}
	return sent
}

// endsInAnswer reports whether the last that a view says is the assistant's.
func endsInAnswer(p *tenfold.Projection) bool {
	last := false
	for it := range p.Items() {
		_, last = it.Payload.(tenfold.AssistantMessage)
	}
	return last
}

// compact appends what a strategy proposes for all there is.
func compact(t *testing.T, p *tenfold.Projection, name string) {
	t.Helper()
	if name == "" {
		return
	}
	one, err := strategy.Parse(name)
	if err != nil {
		t.Fatal(err)
	}
	if fit, ok := one.(strategy.Fit); ok {
		fit.Target = strategy.Tokens(600)
		one = fit
	}
	last, _ := p.Log().Turn(p.Log().Turns() - 1)
	to := tenfold.Range{ToTurn: p.Log().Turns() - 1, ToStep: new(last.Steps - 1)} // the request stays (P9)
	plan, err := strategy.Pipeline{one}.Plan(t.Context(), p, strategy.Options{Range: to, Summarizer: summary.Digest{}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range plan.Compactions {
		if _, err := p.Log().Append(tenfold.Entry{Payload: c}); err != nil {
			t.Fatal(err)
		}
	}
}

// answered gives an answer's blocks as entries.
func answered(t *testing.T, answer string) (list []tenfold.Entry) {
	t.Helper()
	var m struct {
		ID      string `json:"id"`
		Content []struct {
			Type      string         `json:"type"`
			Text      string         `json:"text"`
			Thinking  string         `json:"thinking"`
			Signature string         `json:"signature"`
			ID        string         `json:"id"`
			Name      string         `json:"name"`
			Input     jsontext.Value `json:"input"`
		} `json:"content"`
	}
	if err := json.Unmarshal([]byte(answer), &m); err != nil {
		t.Fatal(err)
	}
	for _, b := range m.Content {
		e := tenfold.Entry{MessageID: m.ID}
		switch b.Type {
		case "text":
			e.Payload = tenfold.AssistantMessage{Text: b.Text}
		case "thinking":
			e.Payload = tenfold.Reasoning{Text: b.Thinking, Signature: b.Signature, Provider: "anthropic"}
		case "tool_use":
			e.Payload = tenfold.ToolCall{CallID: b.ID, Name: b.Name, Arguments: string(b.Input)}
		}
		list = append(list, e)
	}
	return list
}
