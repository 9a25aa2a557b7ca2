package script_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tenfold"
	"tenfold/body"
	"tenfold/provider"
	"tenfold/provider/providertest"
	"tenfold/provider/script"
)

func TestAnswersComeInOrder(t *testing.T) {
	call := tenfold.ToolCall{CallID: "c", Name: "read", Arguments: "{}"}
	m := script.New(script.Calls(call), script.Text("done"))
	first, err := provider.Collect(t.Context(), m, provider.Request{View: providertest.View(t)})
	if err != nil || first.Stop != provider.StopTools || first.Blocks[0] != tenfold.Payload(call) || first.MessageID != "script-1" {
		t.Errorf("%+v, %v", first, err)
	}
	second, err := provider.Collect(t.Context(), m, provider.Request{View: providertest.View(t), MaxTokens: 5})
	if err != nil || second.Stop != provider.StopEnd || second.Text() != "done" || second.Usage.Input == 0 || second.Usage.Output != 1 {
		t.Errorf("%+v, %v", second, err)
	}
	if _, err := provider.Collect(t.Context(), m, provider.Request{}); provider.KindOf(err) != provider.Invalid {
		t.Errorf("after the last answer: %v", err)
	}
	shown := m.Shown()
	if len(shown) != 3 || !strings.Contains(shown[0].Body, providertest.Said) || shown[1].MaxTokens != 5 || shown[2].Body != "" {
		t.Errorf("shown %+v", shown)
	}
}

func TestAnswersAreChosen(t *testing.T) {
	m := script.Choose(func(s script.Shown) script.Answer {
		if strings.Contains(s.Body, `"contents"`) {
			return script.Text("gemini")
		}
		return script.Text("other")
	}).As("gemini/x", body.Gemini())
	got, err := provider.Collect(t.Context(), m, provider.Request{View: providertest.View(t)})
	if err != nil || got.Text() != "gemini" || m.Name() != "gemini/x" {
		t.Errorf("%+v, %v", got, err)
	}
	if n, err := m.Count(t.Context(), provider.Request{View: providertest.View(t)}); err != nil || n.Tokens == 0 || n.Exact {
		t.Errorf("%+v, %v", n, err)
	}
}

func TestTextsComeInPieces(t *testing.T) {
	text := "añb→c"
	for size := range len(text) + 2 {
		m := script.New(script.Answer{Blocks: []tenfold.Payload{tenfold.Reasoning{Text: text}, tenfold.AssistantMessage{Text: text}}, Chunk: size})
		var said, thought []string
		for e, err := range m.Stream(t.Context(), provider.Request{}) {
			if err != nil {
				t.Fatal(err)
			}
			if e.Text != "" {
				said = append(said, e.Text)
			}
			if e.Reasoning != "" {
				thought = append(thought, e.Reasoning)
			}
		}
		if strings.Join(said, "") != text || strings.Join(thought, "") != text || (size == 1 && len(said) != 5) {
			t.Errorf("pieces of %d: %q, %q", size, said, thought)
		}
		for _, piece := range said {
			if strings.ContainsRune(piece, '�') || !strings.Contains(text, piece) {
				t.Errorf("a piece of %d is %q", size, piece)
			}
		}
	}
}

func TestErrorsComeWhereTheyAreWritten(t *testing.T) {
	wrong := errors.New("wrong")
	for at := range 7 {
		m := script.New(script.Answer{Blocks: []tenfold.Payload{tenfold.AssistantMessage{Text: "one"}}, Err: wrong, At: at})
		events := 0
		var last error
		for _, err := range m.Stream(t.Context(), provider.Request{}) {
			if last = err; err == nil {
				events++
			}
		}
		if !errors.Is(last, wrong) || events != min(at, 4) { // delta, block, usage, stop
			t.Errorf("at %d: %d events, %v", at, events, last)
		}
	}
}

func TestTimePassesAndEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		m := script.New(script.Answer{Blocks: []tenfold.Payload{tenfold.AssistantMessage{Text: "ab"}}, Chunk: 1, Before: time.Minute, Each: time.Second}, script.Answer{Hang: true})
		if _, err := provider.Collect(t.Context(), m, provider.Request{}); err != nil || time.Since(begin) != 66*time.Second {
			t.Errorf("%v after %v", err, time.Since(begin))
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		if _, err := provider.Collect(ctx, m, provider.Request{}); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
	})
	var waited time.Duration
	m := script.New(script.Answer{Before: time.Hour}).Waiting(func(_ context.Context, d time.Duration) error { waited += d; return nil })
	if _, err := provider.Collect(t.Context(), m, provider.Request{}); err != nil || waited != time.Hour {
		t.Errorf("%v, %v", waited, err)
	}
}
