package clients

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"tenfold"
	"tenfold/internal/proxy/wire"
	"tenfold/test/modelserver"
)

// Codex takes our answer to its own compaction for the model's, keeps the handle in
// its session and sends it back ever after, resumed too (live X4).
func TestX4CodexTakesAHandleOfOurs(t *testing.T) {
	t.Parallel()
	c := Codex()
	full := modelserver.Calls(c.Runs("true"))
	full.Usage = &modelserver.Usage{Input: 60000, Output: 10}
	s := modelserver.New(modelserver.Sequence(full, modelserver.Text("It ran."), modelserver.Text("Again.")))
	p := At(t, c, s)
	handle := wire.Handle{Conversation: "01a20829-7d1f-7dd2-9a0d-783bcccc2c57", Epoch: "cmp_01a20829-7dfa"}
	var answered atomic.Int32
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, h *http.Request) {
		body, _ := io.ReadAll(h.Body)
		if r, err := (wire.OpenAIResponses{}).Scan(h.URL.Path, body, nil); err == nil && wire.Triggered(r) {
			answered.Add(1)
			kind, answer := wire.AnswerHandle(r, handle, tenfold.Usage{Model: r.Model, Input: 900, Output: 20})
			w.Header().Set("Content-Type", kind)
			_, _ = w.Write(answer)
			return
		}
		h.Body = io.NopCloser(bytes.NewReader(body))
		s.ServeHTTP(w, h)
	}))
	t.Cleanup(front.Close)
	p.Write(filepath.Join(p.Home, ".codex", "config.toml"),
		"openai_base_url = \""+front.URL+"/v1\"\nsandbox_mode = \"danger-full-access\"\nmodel_auto_compact_token_limit = 50000\n")
	session, out := p.Begin("Run true.")
	out += p.Resume(session, "And again.")
	if !strings.Contains(out, "It ran.") || !strings.Contains(out, "Again.") || answered.Load() != 1 {
		t.Errorf("%d compactions were answered: %s", answered.Load(), out)
	}
	requests := s.Main()
	if len(requests) != 3 {
		t.Fatalf("%d requests came", len(requests))
	}
	for i, q := range requests {
		r, err := wire.OpenAIResponses{}.Scan("/v1/responses", q.Body, nil)
		if err != nil {
			t.Fatal(err)
		}
		placed := wire.Handles(r)
		if i == 0 {
			if len(placed) > 0 {
				t.Errorf("the first holds %+v", placed)
			}
			continue
		}
		// What follows the handle is what came after the compaction.
		if len(placed) != 1 || placed[0].Handle != handle || len(r.Messages)-1-placed[0].Message != 2*(i-1) {
			t.Errorf("request %d of %d items holds %+v", i, len(r.Messages), placed)
		}
	}
}

// triggered is how often Codex asked for a compaction of its own that was answered: none
// reaches the model.
func (f *front) triggered() (n int) {
	asks := func(body []byte) bool {
		r, err := wire.OpenAIResponses{}.Scan("/v1/responses", bytes.TrimSpace(body), nil)
		return err == nil && wire.Triggered(r)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, sent := range f.sent {
		if asks(sent) {
			n++
		}
	}
	for _, r := range f.Server.Requests() {
		if asks(r.Body) {
			n--
		}
	}
	return n
}

// Codex goes by the usage of the last answer. Where that passes the proxy's limit and its own,
// it compacts at the next turn, right after the proxy did: it is told what there is, and the
// view is not halved once more (live X4, X5).
func TestX4RunCodexRightAfterOurCompaction(t *testing.T) {
	t.Parallel()
	f := proxied(t, Codex(), nil, func(p *Place) modelserver.Script {
		full := modelserver.Text("I counted.")
		full.Usage = &modelserver.Usage{Input: 40_000, Output: 10}
		steps := counting(p, 1, 3, "")
		return modelserver.Sequence(append(steps[:3], full, modelserver.Text("I counted on."), modelserver.Text("That is all."))...)
	})
	config := filepath.Join(f.Home, ".codex", "config.toml")
	f.Write(config, "model_auto_compact_token_limit = 30000\n"+f.read(config))
	s, out := f.Begin("Count with care.")
	out += f.Resume(s, "Count on.")
	out += f.Resume(s, "And once more.")
	for _, answer := range []string{"I counted.", "I counted on.", "That is all."} {
		if !strings.Contains(out, answer) {
			t.Errorf("Codex does not say %q: %s", answer, out)
		}
	}
	made, asked := f.compactions(t), f.triggered()
	if asked != 1 || len(made) != 1 || !strings.Contains(made[0], "the threshold is") {
		t.Errorf("Codex asked %d times for a compaction; made are %q", asked, made)
	}
	if s := f.holds(t); s.edited == 0 || s.faults > 0 {
		t.Errorf("%+v of %+v", s, f.keeper.Status())
	}
}
