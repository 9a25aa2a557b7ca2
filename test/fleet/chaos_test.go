//go:build unix

package fleet

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"tenfold/internal/corpustest"
)

// chaosTime is how long chaos goes on: as long as the environment says, a minute where
// everything is tried, or a third of one, or a moment in short tests.
func chaosTime(t *testing.T) time.Duration {
	t.Helper()
	if text := os.Getenv("TENFOLD_TEST_FLEET_CHAOS"); text != "" {
		d, err := time.ParseDuration(text)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	switch {
	case testing.Short():
		return 10 * time.Second
	case corpustest.All():
		return time.Minute
	}
	return 20 * time.Second
}

func seed(t *testing.T) uint64 {
	t.Helper()
	n := uint64(1)
	if text := os.Getenv("TENFOLD_TEST_FLEET_SEED"); text != "" {
		var err error
		if n, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("TENFOLD_TEST_FLEET_SEED=%d", n)
	return n
}

// Whatever is killed, cut off and started again, and whatever clocks say: what was
// acknowledged is there, once and in its order, and every conversation can be sent to
// every provider (issue 20). Several tenants have conversations of the same ids, and none
// sees anything of another. How long it takes decides how much is broken, and nothing
// else.
func TestChaos(t *testing.T) {
	t.Parallel()
	long, random := chaosTime(t), rand.New(rand.NewPCG(seed(t), 20))
	// Mostly waiting, where other tests run beside it: as in CI, for two minutes.
	rest, writers := 400*time.Millisecond, 6
	if long > 2*time.Minute {
		rest, writers = 100*time.Millisecond, 9
	}
	f := newFleet(t, 3, false)
	var journals []*journal
	for _, of := range f.tenants {
		journals = append(journals, newJournal(of))
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	stop := make(chan struct{})
	var writing sync.WaitGroup
	var all []*writer
	for i := range writers {
		// The clocks of the writers' machines are off too.
		w := newWriter(t, f, journals[i%len(journals)], i/len(journals), random.Uint64(), time.Duration(i%5%3-1)*time.Hour)
		all = append(all, w)
		writing.Go(func() {
			if err := w.work(ctx, stop, rest); err != nil {
				t.Error(err)
				cancel()
			}
		})
	}
	began := time.Now()
	c := &chaos{fleet: f, random: random, done: map[string]int{}}
	for end := time.Now().Add(long); time.Now().Before(end) && ctx.Err() == nil; {
		pass(ctx.Done(), time.Duration(random.Int64N(int64(3*time.Second))))
		c.breakSomething(ctx)
	}
	broken := time.Since(began)
	c.mend(ctx)
	close(stop)
	writing.Wait()
	mended := time.Since(began)
	jobs := make([][]job, len(journals))
	for i, j := range journals {
		if ctx.Err() == nil {
			jobs[i] = f.drained(ctx, t, j.tenantOf)
			sameEverywhere(ctx, t, f, j)
			apart(ctx, t, f, j)
		}
	}
	cancel()
	for _, w := range all {
		w.watching.Wait()
	}
	for _, s := range f.servers {
		s.kill()
	}
	for i, j := range journals {
		verify(t.Context(), t, f, j, jobs[i])
	}
	t.Logf("chaos of %v, mended after %v, looked at after %v: %v", broken.Round(time.Second), mended.Round(time.Second), time.Since(began).Round(time.Second), c.done)
	for _, j := range journals {
		if j.counts["entries"] == 0 || j.counts["conversations"] == 0 || j.counts["entries watched"] == 0 || len(c.done) == 0 {
			t.Errorf("nothing was done for %s", j.name)
		}
	}
}

// chaos breaks a fleet.
type chaos struct {
	*fleet
	random *rand.Rand
	done   map[string]int
}

func (c *chaos) breakSomething(ctx context.Context) {
	s := c.servers[c.random.IntN(len(c.servers))]
	while := time.Duration(c.random.Int64N(int64(3 * time.Second)))
	var what string
	switch n := c.random.IntN(100); {
	case n < 35:
		what = "servers killed"
		s.kill()
		pass(ctx.Done(), while/4)
	case n < 50:
		what = "connections to the database reset"
		c.way.reset(c.random.Float64(), c.random)
	case n < 60:
		what = "connections to a server reset"
		s.way.reset(c.random.Float64(), c.random)
	case n < 70:
		what = "the line to the database stalled"
		c.way.stall()
		pass(ctx.Done(), while)
		if c.random.IntN(2) == 0 {
			c.way.reset(1, nil) // what was held back is lost
		}
		c.way.heal()
	case n < 75:
		what = "a server out of reach"
		s.way.swallow()
		s.way.reset(1, nil)
		pass(ctx.Done(), while)
		s.way.heal()
	case n < 80:
		what = "a line to a server stalled"
		s.way.stall()
		pass(ctx.Done(), while)
		s.way.heal()
	case n < 90:
		what = "the database killed"
		c.pg.Kill(c.t)
		pass(ctx.Done(), while/2)
		c.pg.Restart(c.t)
	default:
		what = "the database restarted"
		c.pg.Stop(c.t)
		c.pg.Restart(c.t)
	}
	c.done[what]++
	for _, s := range c.servers {
		if !s.running() { // killed, or it could not start without the database
			c.revive(s)
		}
	}
}

// revive starts a server again, perhaps with another clock.
func (c *chaos) revive(s *server) {
	s.kill()
	if clocksOff() {
		s.ahead = time.Duration(c.random.IntN(3)-1) * time.Hour
	}
	s.start()
}

// mend has all work again.
func (c *chaos) mend(ctx context.Context) {
	c.way.heal()
	for _, s := range c.servers {
		s.way.heal()
		eventually(ctx, c.t, "start "+s.name, func() error {
			if !s.running() {
				c.revive(s)
			}
			if _, err := s.get(ctx, c.token, "/api/conversations"); err != nil {
				return fmt.Errorf("%w; it says: %s", err, s.said)
			}
			return nil
		})
	}
}

// get asks a server of its API for whom a token is of.
func (s *server) get(ctx context.Context, token, path string) (string, error) {
	return s.ask(ctx, token, http.MethodGet, path, http.NoBody)
}

func (s *server) ask(ctx context.Context, token, method, path string, body io.Reader) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, s.address()+path, body)
	if err != nil {
		return "", err
	}
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	b, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode >= 300 {
		err = fmt.Errorf("%s: %s", answer.Status, b)
	}
	return string(b), err
}
