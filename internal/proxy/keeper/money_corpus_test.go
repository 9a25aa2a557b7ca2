package keeper_test

import (
	"context"
	"encoding/json"
	"math"
	"net/http"
	"testing"
	"time"

	"tenfold"
	"tenfold/body"
	"tenfold/eval/replay"
	"tenfold/internal/corpustest"
	"tenfold/internal/proxy"
	"tenfold/internal/proxy/keeper"
	"tenfold/internal/proxy/wire"
	"tenfold/session"
	"tenfold/strategy"
	"tenfold/transcript"
)

// A bill adds up what requests cost with a vendor's prompt cache of five minutes.
type bill struct {
	t       *testing.T
	chains  []wire.Sum // of the last request
	at      time.Time
	dollars float64
}

// send pays for a request, as Anthropic has it for Claude Sonnet 4.5: a token is
// taken to have four bytes.
func (b *bill) send(request []byte, at time.Time) (read, written int) {
	b.t.Helper()
	r, err := wire.Anthropic{}.Scan("/v1/messages", request, nil)
	if err != nil {
		b.t.Fatal(err)
	}
	warm := len(b.chains) > 0 && !at.After(b.at.Add(5*time.Minute))
	common, chains := 0, []wire.Sum{}
	for i, m := range r.Messages {
		if warm && common == i && i < len(b.chains) && b.chains[i] == m.Chain {
			common = i + 1
		}
		chains = append(chains, m.Chain)
	}
	total := len(request) / 4
	if common > 0 {
		read = r.Messages[common-1].To / 4
	}
	written = total - read
	b.dollars += (float64(read)*0.30 + float64(written)*3.75) / 1e6
	b.chains, b.at = chains, at
	return read, written
}

// requestsOf are the bodies that a client sends of a conversation, and when.
func requestsOf(t *testing.T, l *tenfold.Log) (bodies [][]byte, times []time.Time) {
	t.Helper()
	grown := tenfold.NewLog(tenfold.WithCounter(tenfold.Chars4{}))
	p := tenfold.Project(grown)
	turn, step := -1, -1
	var last time.Time
	for e := range l.Entries() {
		switch e.Payload.(type) {
		case tenfold.AssistantMessage, tenfold.ToolCall:
			if at, s, _ := l.Where(e.Seq); at != turn || s != step {
				turn, step = at, s
				p.Advance()
				raw, err := body.Anthropic().Write(p)
				if err != nil {
					t.Fatal(err)
				}
				bodies = append(bodies, append([]byte(`{"model":"claude-sonnet-4-5","max_tokens":100,`), raw[1:]...))
				times = append(times, last)
			}
		}
		if e.Payload.Kind().Visible() {
			last = e.Time
		}
		if _, err := grown.Append(e); err != nil {
			t.Fatal(err)
		}
	}
	return bodies, times
}

// plainLog is a recorded conversation as a client without thinking would have it: no
// usage, no compactions, no reasoning, so that each request begins with the one
// before.
func plainLog(t *testing.T, f corpustest.File) *tenfold.Log {
	t.Helper()
	file, err := transcript.Open(f.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var all transcript.Collector
	if err := transcript.Import(t.Context(), file.Source, "", &all); err != nil {
		t.Fatal(err)
	}
	l := tenfold.NewLog(tenfold.WithCounter(tenfold.Chars4{}))
	for _, e := range all.Conversations[0].Entries {
		switch e.Payload.(type) {
		case tenfold.TurnStart, tenfold.UserMessage, tenfold.AssistantMessage, tenfold.ToolCall, tenfold.ToolResult:
			if e.Branch == "" {
				e.Tokens = 0
				if _, err := l.Append(e); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	return l
}

// live V2, §6: recorded sessions sent as real requests through the keeper cost no
// more than without it, every request is one that the vendor takes, and the bill is
// about the one that the replay of the money table comes to.
func TestV2RecordedSessionsThroughTheKeeper(t *testing.T) {
	t.Parallel()
	tried, edited, cold := 0, 0, 0
	for _, f := range corpustest.Files(t, "claude-code") {
		if f.Summaries > 0 || f.Calls < 20 || (!corpustest.All() && (tried == 2 || f.Calls > 150 || corpustest.UnderRace && tried == 1)) {
			continue // a client's own compaction is another matter (X4)
		}
		l := plainLog(t, f)
		bodies, times := requestsOf(t, l)
		tried++
		p := newPlace(t)
		p.live = session.Live{
			Request: session.Request{Options: strategy.Options{Window: 200_000}, Bounds: tenfold.Bounds{Tail: &tenfold.Tail{Turns: 3, Tokens: 20_000}}},
			Micro:   session.LiveMicro{Enabled: true, Strategy: strategy.Micro{KeepRecent: 10, Over: 800}, ClearAtLeast: 20_000, ColdAfter: 5 * time.Minute},
			Auto:    session.LiveAuto{Enabled: true},
		}
		p.restart()
		without, with := bill{t: t}, bill{t: t}
		for i, raw := range bodies {
			if times[i].After(p.clock()) || i == 0 {
				keeper.Rest(p.k, times[i].Sub(p.clock()) > time.Minute) // what was heard is stored after a while
				p.pass(times[i].Sub(p.clock()))
				cold += keeper.Cool(p.k)
			}
			without.send(raw, p.clock())
			ex := p.k.Take(context.Background(), proxy.Incoming{
				Protocol: wire.Anthropic{}, Kind: wire.Generate, Path: "/v1/messages", Body: raw,
				Header: http.Header{"Authorization": {"Bearer x"}, "X-Claude-Code-Session-Id": {f.Name}},
			})
			if !corpustest.UnderRace || i%8 == 0 { // which takes most of the time
				if broken := body.Anthropic().Check(ex.Body()); len(broken) > 0 && len(body.Anthropic().Check(raw)) == 0 {
					t.Fatalf("%s: request %d: the vendor refuses it: %v", f.Name, i+1, broken)
				}
			}
			read, written := with.send(ex.Body(), p.clock())
			if heard := ex.Heard(); heard != nil {
				_, _ = heard.Write(answerOf(t, bodies, i, read, written))
			}
			ex.Done(http.StatusOK, false)
			keeper.Rest(p.k, false)
		}
		status := p.status()
		edited += status.Edited
		model, err := replay.Live(t.Context(), l, replay.LiveOptions{Live: p.live, Model: "claude-sonnet-4-5"})
		if err != nil {
			t.Fatal(err)
		}
		ratio, modelled := with.dollars/without.dollars, model.With.Dollars/model.Without.Dollars
		t.Logf("%s: %d requests, $%.3f without, $%.3f through the keeper (%.3f; by the replay %.3f), %d epochs, %+v", f.Name, len(bodies), without.dollars, with.dollars, ratio, modelled, status.Epochs, p.failures())
		if with.dollars > without.dollars*1.001 {
			t.Errorf("%s: dearer", f.Name)
		}
		if math.Abs(ratio-modelled) > 0.10 {
			t.Errorf("%s: %.3f of the cost through the keeper, %.3f by the replay", f.Name, ratio, modelled)
		}
		p.close()
	}
	if tried > 0 && (edited == 0 || cold == 0) {
		t.Errorf("%d requests were edited, %d times a cache got cold", edited, cold)
	}
}

// answerOf is the vendor's answer to a request: what the next one has of it.
func answerOf(t *testing.T, bodies [][]byte, i, read, written int) []byte {
	t.Helper()
	content := json.RawMessage(`[{"type":"text","text":"done"}]`)
	if i+1 < len(bodies) {
		var this, next struct {
			Messages []struct {
				Role    string          `json:"role"`
				Content json.RawMessage `json:"content"`
			} `json:"messages"`
		}
		if err := json.Unmarshal(bodies[i], &this); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(bodies[i+1], &next); err != nil {
			t.Fatal(err)
		}
		if n := len(this.Messages); n < len(next.Messages) && next.Messages[n].Role == "assistant" {
			content = next.Messages[n].Content
		}
	}
	answer, err := json.Marshal(map[string]any{
		"id": "msg", "type": "message", "role": "assistant", "model": "claude-sonnet-4-5", "content": content, "stop_reason": "end_turn",
		"usage": map[string]int{"input_tokens": 1, "cache_read_input_tokens": read, "cache_creation_input_tokens": written, "output_tokens": 10},
	})
	if err != nil {
		t.Fatal(err)
	}
	return answer
}
