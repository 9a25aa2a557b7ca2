package agent_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"tenfold"
	"tenfold/agent"
	"tenfold/test/modelserver"
	"tenfold/token"
	"tenfold/toolbox"
)

// reads has the model read two files in each of so many steps, and think before
// it; then it answers. Its thoughts name the server.
func reads(name string, steps int) modelserver.Script {
	var n atomic.Int32
	return modelserver.Choose(func(modelserver.Request) modelserver.Reply {
		i := int(n.Add(1))
		thought := fmt.Sprintf("A thought of %s, number %d.", name, i)
		if i%(steps+1) == 0 {
			return modelserver.Thinking(thought, modelserver.Text(fmt.Sprintf("Answer %d of %s.", i, name)))
		}
		return modelserver.Thinking(thought, modelserver.Calls(
			modelserver.Call("fs_read_file", fmt.Sprintf(`{"path":"%s-%d-a"}`, name, i)),
			modelserver.Call("fs_read_file", fmt.Sprintf(`{"path":"%s-%d-b"}`, name, i)),
		))
	})
}

// size is how many tokens a request has, counted apart from our own figures.
func size(r modelserver.Request) int { return token.O200k().Count(string(r.Body)) }

// Each wire, with a key and without one: calls run, the conversation compacts by
// itself, no request is refused and none is over the window, and what one request
// and the next have in common comes from the provider's cache.
func TestEachWireWorksThroughCompactions(t *testing.T) {
	t.Parallel()
	const window = 16_000
	for _, wire := range wires {
		for _, key := range []string{"", "s3cret"} {
			t.Run(string(wire)+" key "+key, func(t *testing.T) {
				t.Parallel()
				server := modelserver.New(reads("local", 4))
				keyed := 0
				m := model(t, "local", wire, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if key != "" && strings.Contains(fmt.Sprint(r.Header), key) {
						keyed++
					}
					if r.Header.Get("Authorization")+r.Header.Get("X-Api-Key")+r.Header.Get("X-Goog-Api-Key") != "" && key == "" {
						t.Error("a server without a key was sent one")
					}
					server.ServeHTTP(w, r)
				}), key)
				a := worker(t, m, agent.Options{Live: live(window), Tools: []toolbox.Tool{reader{lines: 60}}})
				compacted := 0
				for turn := range 8 {
					o := watch(t, a.Run(t.Context(), tenfold.Text(fmt.Sprintf("Question %d.", turn))...))
					if o.err != nil || o.stop.Reason != agent.Answered {
						t.Fatalf("turn %d: %+v, %v", turn, o.stop, o.err)
					}
					compacted += o.compacted()
				}
				if compacted < 2 || len(server.Problems()) > 0 {
					t.Errorf("%d compactions; refused: %v", compacted, problems(server))
				}
				requests := server.Requests()
				if key != "" && keyed != len(requests) {
					t.Errorf("%d of %d requests came with the key", keyed, len(requests))
				}
				cached := 0
				for i, r := range requests {
					if size(r) > window {
						t.Errorf("request %d has %d tokens, the window %d", i, size(r), window)
					}
					if i > 0 && r.Usage.CacheRead > requests[i-1].Usage.All()-128 {
						cached++
					}
				}
				// A compaction begins an epoch; prompts under 1,024 tokens are not kept.
				if least := len(requests) - compacted - 4; cached < least {
					t.Errorf("%d of %d requests read the last one from the cache, with %d compactions", cached, len(requests), compacted)
				}
				holds(t, a)
			})
		}
	}
}

// problems are the refusals of a server, in words.
func problems(s *modelserver.Server) (list []string) {
	for _, r := range s.Problems() {
		list = append(list, fmt.Sprintf("request %d of %s: %s", r.N, r.Wire, r.Problem.Message))
	}
	return list
}

// B1, A2: a conversation goes on with another model, on another wire or on the same
// one of another provider, in the midst of the work and with a smaller window. The
// next request is valid, fits, and holds no thinking of the other; back again it is
// valid as well.
func TestB1TheModelIsSwitchedInTheMidstOfTheWork(t *testing.T) {
	t.Parallel()
	const large, small = 90_000, 12_000
	for _, from := range wires {
		for _, to := range wires {
			for _, when := range []string{"between turns", "between steps"} {
				t.Run(fmt.Sprintf("%s to %s %s", from, to, when), func(t *testing.T) {
					t.Parallel()
					one, other := modelserver.New(reads("one", 5)), modelserver.New(reads("other", 2))
					first, second := model(t, "first", from, one, ""), model(t, "second", to, other, "")
					o := agent.Options{Live: live(large), Tools: []toolbox.Tool{reader{lines: 120}}}
					if when == "between steps" {
						o.Limits.Steps = 4
					}
					a := worker(t, first, o)
					turns := 2
					if when == "between steps" {
						turns = 1
					}
					for turn := range turns {
						got := watch(t, a.Run(t.Context(), tenfold.Text(fmt.Sprintf("Question %d.", turn))...))
						if got.err != nil || (got.stop.Reason != agent.Answered && when == "between turns") {
							t.Fatalf("turn %d: %+v, %v", turn, got.stop, got.err)
						}
					}
					if err := a.Switch(t.Context(), second, live(small)); err != nil {
						t.Fatal(err)
					}
					var parts []tenfold.Part
					if when == "between turns" {
						parts = tenfold.Text("Go on.")
					}
					got := watch(t, a.Run(t.Context(), parts...))
					if got.err != nil || got.stop.Reason != agent.Answered {
						t.Fatalf("after the switch: %+v, %v, refused: %v", got.stop, got.err, problems(other))
					}
					if got.compacted() == 0 {
						t.Error("nothing says that the conversation was compacted for the smaller window")
					}
					requests := other.Requests()
					if len(requests) == 0 || len(problems(other)) > 0 {
						t.Fatalf("%d requests, refused: %v", len(requests), problems(other))
					}
					for i, r := range requests {
						if size(r) > small {
							t.Errorf("request %d has %d tokens, the window %d", i, size(r), small)
						}
						if strings.Contains(string(r.Body), "thought of one") {
							t.Errorf("request %d holds thinking of the other model", i)
						}
					}
					holds(t, a)
					if err := a.Switch(t.Context(), first, live(large)); err != nil {
						t.Fatal(err)
					}
					if got := watch(t, a.Run(t.Context(), tenfold.Text("And back.")...)); got.err != nil || len(problems(one)) > 0 {
						t.Errorf("back again: %+v, %v, refused: %v", got.stop, got.err, problems(one))
					}
					for _, r := range one.Requests() {
						if strings.Contains(string(r.Body), "thought of other") {
							t.Errorf("request %d holds thinking of the other model", r.N)
						}
					}
					holds(t, a)
				})
			}
		}
	}
}
