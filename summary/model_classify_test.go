package summary_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tenfold"
	"tenfold/provider"
	"tenfold/strategy"
	"tenfold/summary"
)

func classifyRequest(l *tenfold.Log, turns ...int) strategy.ClassifyRequest {
	r := strategy.ClassifyRequest{Log: l, Turns: turns}
	for e := range l.Entries() {
		if turn, _, _ := l.Where(e.Seq); slices.Contains(turns, turn) {
			r.Entries = append(r.Entries, e)
		}
	}
	return r
}

func TestS13Classifier(t *testing.T) {
	m := plays(says(`{"tangents":[{"turn":1,"reason":"the\n weather \u001b[31m"},{"turn":1,"reason":"again"},{"turn":3,"reason":"current"},{"turn":99,"reason":"none"},{"turn":-1,"reason":""},{"reason":"no turn"},{"turn":0,"reason":"` + strings.Repeat("long ", 100) + `"}]}`))
	c := summary.Classifier{Model: summary.Model{Provider: m}}
	r := classifyRequest(long(t), 0, 1, 3)
	r.Focus = "bug 300"
	got, err := c.Classify(t.Context(), r)
	if err != nil || len(got) != 2 || got[0].Turn != 1 || got[0].Reason != "the weather [31m" || got[1].Turn != 0 || len([]rune(got[1].Reason)) != 200 {
		t.Errorf("%+v, %v", got, err)
	}
	text := sent(m.asked[0])
	for _, want := range []string{"[turn 001] USER:", "off the task: 0, 1?", "bug 300", "<request>\nPlease fix bug 400"} {
		if !strings.Contains(text, want) {
			t.Errorf("the request lacks %q", want)
		}
	}
	if strings.Contains(text, "[turn 003]") || strings.Contains(text, "[turn 002]") || !strings.Contains(m.asked[0].Schema, "tangents") || !m.asked[0].NoTools {
		t.Error("the current turn, or one that was not asked about, is shown")
	}
	// Nothing to ask about: nobody is asked.
	if got, err := c.Classify(t.Context(), classifyRequest(long(t), 3)); err != nil || len(got) != 0 || len(m.asked) != 1 {
		t.Errorf("%+v, %v", got, err)
	}
}

// The person confirms; a dry run and a refusal leave all turns.
func TestS13ClassifierInAPlan(t *testing.T) {
	m := plays(says("```json\n{\"tangents\":[{\"turn\":0,\"reason\":\"aside\"},{\"turn\":1,\"reason\":\"aside\"}]}\n```"))
	o := strategy.Options{
		Range: tenfold.Range{ToTurn: 3}, Classifier: summary.Classifier{Model: summary.Model{Provider: m}},
		Confirm: func(_ context.Context, named []strategy.Tangent) ([]strategy.Tangent, error) { return named[:1], nil },
	}
	made, err := strategy.Pipeline{parsed(t, "classify-tangents")}.Plan(t.Context(), tenfold.Project(long(t)), o)
	if err != nil || len(made.Compactions) != 1 || made.Compactions[0].FromTurn != 0 || made.Compactions[0].ToTurn != 0 || made.Compactions[0].Turns != tenfold.Omit {
		t.Errorf("%+v, %v", made.Compactions, err)
	}
}

func TestS13ClassifierFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, tt := range []struct {
			name  string
			model summary.Model
			want  string
		}{
			{"prose", summary.Model{Provider: plays(says("Turn 1, I think."))}, "broken JSON"},
			{"another object", summary.Model{Provider: plays(says(`{"turns":[1]}`))}, "broken JSON"},
			{"broken", summary.Model{Provider: plays(says(`{"tangents":[{"turn":1`))}, "broken JSON"},
			{"cut off", summary.Model{Provider: plays(stops(`{"tangents":[]}`, provider.StopLength))}, "cut off"},
			{"declined", summary.Model{Provider: plays(stops("", provider.StopRefused))}, "declined"},
			{"hangs", summary.Model{Provider: &played{}, Timeout: time.Minute}, "timed out"},
			{"does not fit", summary.Model{Provider: plays(says("x")), Window: 300}, "do not fit the model"},
		} {
			got, err := summary.Classifier{Model: tt.model}.Classify(t.Context(), classifyRequest(long(t), 0, 1, 2))
			if err == nil || !strings.Contains(err.Error(), tt.want) || len(got) != 0 {
				t.Errorf("%s: %+v, %v", tt.name, got, err)
			}
		}
	})
}

// Long turns are shortened until they fit.
func TestS13ClassifierShortens(t *testing.T) {
	m := plays(says(`{"tangents":[]}`))
	c := summary.Classifier{Model: summary.Model{Provider: m, Window: 2500, MaxTokens: 200}}
	if _, err := c.Classify(t.Context(), classifyRequest(long(t), 0, 1, 2)); err != nil {
		t.Fatal(err)
	}
	if text := sent(m.asked[0]); !strings.Contains(text, " characters]") || !strings.Contains(text, fmt.Sprintf("[turn %03d] ASSISTANT:", 2)) || m.asked[0].View.Tokens() > 2300 {
		t.Errorf("%d tokens:\n%.400s", m.asked[0].View.Tokens(), text)
	}
}
