package keeper_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"tenfold/internal/proxy"
	"tenfold/internal/proxy/keeper"
	"tenfold/internal/proxy/wire"
	"tenfold/strategy"
	"tenfold/summary"
)

// A crowd is clients of one identity and one beginning, each with the history that it
// says: they go back, leave one another, lose answers, and meet proxies that were killed.
type crowd struct {
	*place
	dialect
	r      *rand.Rand
	said   [][]string // by client
	n      int        // turns
	edited int
}

var fileNumber = regexp.MustCompile(`file[_ ](\d+)\b`)

func numbers(text string) map[string]bool {
	out := map[string]bool{}
	for _, m := range fileNumber.FindAllStringSubmatch(text, -1) {
		out[m[1]] = true
	}
	return out
}

// asks has a client ask, and tells whether it has the answer.
func (c *crowd) asks(i int, answer string) bool {
	raw := fmt.Sprintf(c.request, strings.Join(c.said[i], ","))
	ex := c.k.Take(context.Background(), proxy.Incoming{
		Protocol: c.protocol, Kind: wire.Generate, Path: c.path, Dir: "/w", Client: c.client, Body: []byte(raw),
		Header: http.Header{"Session-Id": {"s1"}, "Thread-Id": {"t1"}},
	})
	if sent := string(ex.Body()); sent != raw {
		c.edited++
		if bad := c.check(ex.Body()); len(bad) > 0 {
			c.t.Errorf("the vendor refuses: %v\n%s", bad, sent)
		}
		own := numbers(raw)
		for n := range numbers(sent) {
			if !own[n] {
				c.t.Errorf("file %s is of another history: %s", n, sent)
			}
		}
	}
	how := c.r.IntN(12) // an error, a cut, an answer that the client loses
	if l := ex.Heard(); l != nil && how != 0 {
		text := c.response(answer, len(ex.Body())/4, 0)
		if how == 1 {
			text = text[:len(text)/2]
		}
		_, _ = l.Write([]byte(text))
	}
	ex.Done(map[bool]int{true: 529, false: 200}[how == 0], how < 3)
	if c.r.IntN(3) == 0 {
		keeper.Rest(c.k, c.r.IntN(2) == 0)
	}
	if how < 3 {
		return false
	}
	c.said[i] = append(c.said[i], answer)
	return true
}

// turn is one of a client's, after something that may happen before it.
func (c *crowd) turn(i int) {
	switch c.r.IntN(10) {
	case 0:
		c.said[i] = slices.Clone(c.said[i][:max(len(c.said[i])-4*c.r.IntN(5), 0)])
	case 1:
		if len(c.said) < 3 {
			c.said = append(c.said, slices.Clone(c.said[i]))
		}
	case 2:
		c.k = nil // it was killed
		c.restart()
	case 3:
		c.pass(6 * time.Minute)
		keeper.Cool(c.k)
	}
	c.n++
	before := len(c.said[i])
	c.said[i] = append(c.said[i], c.user(fmt.Sprintf("Look at file_%d.go, please.", c.n)))
	if c.asks(i, c.call(c.n)) {
		c.said[i] = append(c.said[i], c.result(c.n, file(c.n, []int{900, 2500, 6000}[c.r.IntN(3)])))
		if c.asks(i, c.dialect.said(c.n)) {
			return
		}
	}
	c.said[i] = c.said[i][:before] // it gives up
}

// X2: of several clients of one beginning none is told what another said, nor of what it
// took back itself, by no line for calls that are not shown and by no summary.
func TestX2NobodyIsToldWhatAnotherSaid(t *testing.T) {
	t.Parallel()
	tries := 6
	if os.Getenv("TENFOLD_TEST_ALL") != "" {
		tries = 200
	}
	all := maps.Clone(dialects)
	all["anthropic"] = thinking(dialects["anthropic"])
	for name, d := range all {
		for _, by := range [][]strategy.Strategy{nil, {strategy.Summarize{}}} {
			t.Run(fmt.Sprint(name, by), func(t *testing.T) {
				t.Parallel()
				edited := 0
				for seed := range tries {
					c := &crowd{place: newPlace(t), dialect: d, r: rand.New(rand.NewPCG(uint64(seed), 7)), said: [][]string{nil}}
					c.live.Auto.Strategies, c.live.Request.Options.Summarizer = by, summary.Digest{}
					for range 30 {
						c.turn(c.r.IntN(len(c.said)))
					}
					c.close()
					if edited += c.edited; t.Failed() {
						t.Fatalf("seed %d", seed)
					}
				}
				if edited < 3*tries {
					t.Errorf("%d requests were edited", edited)
				}
			})
		}
	}
}
