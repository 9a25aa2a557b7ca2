package excerpt

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"tenfold"
	"tenfold/internal/logtest"
)

// naive takes the best of all that fits, looking at everything each time.
func (c *chooser) naive() {
	c.takeOpenings()
	for {
		var best *ranked
		for i := range c.all {
			if c.all[i].taken {
				continue
			}
			if r := c.rank(int32(i)); r.gain > 0 && r.cost <= c.left && (best == nil || r.before(*best)) {
				best = &r
			}
		}
		if best == nil {
			return
		}
		c.take(*best)
	}
}

// F6: looking again only at what comes to the front takes the same things in the
// same order as looking at everything.
func TestF6TheLazyChoiceIsTheNaiveOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		entries := logtest.Entries(48).Draw(t, "log")
		if rapid.Bool().Draw(t, "long") {
			entries = logtest.Long(rapid.IntRange(20, 150).Draw(t, "n"))
		}
		l := tenfold.NewLog(tenfold.WithCounter(tenfold.Chars4{}))
		if _, err := l.Append(entries...); err != nil {
			t.Fatal(err)
		}
		ix := NewIndex()
		ix.Advance(tenfold.Project(l))
		o := Options{From: 1, To: l.Version(), Budget: rapid.IntRange(20, 4000).Draw(t, "budget"), Edits: rapid.IntRange(0, 200).Draw(t, "edits")}
		lazy := ix.begin(o)
		lazy.run()
		all := ix.begin(o)
		all.naive()
		if !slices.Equal(lazy.picks, all.picks) {
			t.Fatalf("lazily %v\nlooking at all %v", lazy.picks, all.picks)
		}
	})
}
