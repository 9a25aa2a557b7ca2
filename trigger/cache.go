package trigger

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// The settings of [CacheAware] where nothing else is said, and how many tokens
// are worth it once the cache is cold.
const (
	DefaultClearAtLeast = 20_000
	DefaultColdAfter    = 5 * time.Minute
	ColdAtLeast         = 2000
)

// A Cache is what a compaction that has been planned would do to what a
// provider has cached of the prompt. Whoever asks a trigger fills it in: a plan
// and a clock are nothing that counts of a projection could tell. The zero Cache
// says that nothing is planned, and then [CacheAware] does not fire.
type Cache struct {
	// Planned tells that the figures are those of a plan.
	Planned bool
	// Going is how many tokens the plan takes out of the view; less than zero
	// when the view grows.
	Going int
	// Behind is how many tokens of the view as it would be stand at or behind
	// the first change: the provider has to read them anew.
	Behind int
	// Touched is when a request last used the cache; zero when none is known,
	// and then nothing is cached.
	Touched time.Time
	// Now is when the next request would be sent.
	Now time.Time
	// Lifetime is how long the provider keeps what nobody touches; zero when
	// that is not known.
	Lifetime time.Duration
	// Read and Write are what a token costs read from the cache and written to
	// it, in dollars per million; both zero when that is not known.
	Read, Write float64
}

// CacheAware fires when a compaction is worth what it does to a provider's
// prompt cache: when the cache is cold and 2,000 tokens or more would go, or
// when ClearAtLeast or more would. Rewriting an early part of a prompt makes the
// provider read all behind it anew, so that crumbs cost more than they save.
//
// It is a [Trigger] like the others, and it decides by View.Cache, which only
// somebody with a plan can fill in: [NeedsPlan] tells when that matters.
type CacheAware struct {
	// ClearAtLeast is how many tokens must go while the cache is warm; zero is
	// DefaultClearAtLeast.
	ClearAtLeast int
	// ColdAfter is how long an untouched cache is warm; zero is the provider's
	// lifetime, or DefaultColdAfter where that is not known.
	ColdAfter time.Duration
}

// Fires implements [Trigger]. The reason says how many tokens go, how many are
// rewritten behind them, whether the cache is cold, and after how many requests
// it pays.
func (t CacheAware) Fires(v View) (bool, string) {
	c := v.Cache
	if !c.Planned {
		return false, "nothing is planned whose tokens could go"
	}
	cold, words := t.Cold(c)
	least := t.clearAtLeast()
	if cold {
		least = min(least, ColdAtLeast)
	}
	fires := c.Going >= least
	reason := fmt.Sprintf("%d tokens to go", c.Going)
	if !fires {
		reason += fmt.Sprintf(" of at least %d", least)
	}
	reason += fmt.Sprintf(", %d rewritten behind them, %s", c.Behind, words)
	if n, ok := c.Pays(cold); ok {
		reason += ", " + n
	}
	return fires, reason
}

func (t CacheAware) clearAtLeast() int { return cmp.Or(max(t.ClearAtLeast, 0), DefaultClearAtLeast) }

// Cold tells whether the provider has forgotten the prompt, and says so.
func (t CacheAware) Cold(c Cache) (bool, string) {
	if c.Touched.IsZero() {
		return true, "nothing cached"
	}
	// By the wall clock, which goes on while the machine sleeps, as the provider does.
	until := c.Touched.Round(0).Add(cmp.Or(max(t.ColdAfter, 0), max(c.Lifetime, 0), DefaultColdAfter))
	form := "15:04:05 UTC"
	if c.Now.Sub(until).Abs() >= 24*time.Hour {
		form = "2006-01-02 " + form
	}
	at := until.UTC().Format(form)
	if c.Now.After(until) {
		return true, "cold since " + at
	}
	return false, "warm until " + at
}

// Pays says after how many requests the plan has earned what it costs, the next
// one included: the first n with n·k/s > (write−read)/read, where k tokens go
// and s stand behind them. A cold cache is written anew in any case, so that a
// plan then pays at once. False when the prices are not known, or nothing goes.
func (c Cache) Pays(cold bool) (words string, known bool) {
	if c.Going <= 0 || c.Read <= 0 {
		return "", false
	}
	if n := int((c.Write-c.Read)/c.Read*float64(c.Behind)/float64(c.Going)) + 1; n > 1 && !cold {
		return "pays after " + strconv.Itoa(n) + " requests", true
	}
	return "pays at once", true
}

// String is "cache()", with the settings that are not left to their defaults.
func (t CacheAware) String() string {
	var words []string
	if t.ClearAtLeast > 0 || t.ColdAfter > 0 {
		n := number(t.clearAtLeast())
		if strings.HasSuffix(n, "m") { // which reads as minutes there
			n = strconv.Itoa(t.clearAtLeast())
		}
		words = append(words, n)
	}
	if t.ColdAfter > 0 {
		words = append(words, duration(t.ColdAfter))
	}
	return "cache(" + strings.Join(words, ", ") + ")"
}

// duration is the short form of a time: 5m, not 5m0s.
func duration(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// cacheAware reads what stands in the parentheses of cache(…): tokens, then a
// time.
func cacheAware(inner string) (Trigger, error) {
	var t CacheAware
	words := split(inner)
	if len(words) > 2 {
		return nil, fmt.Errorf("cache(%s): write at most tokens and a time, as in cache(20k, 5m)", inner)
	}
	if len(words) > 0 {
		n, err := amount(words[0])
		if err != nil || strings.HasSuffix(words[0], "m") { // a time in the wrong place
			return nil, fmt.Errorf("cache(%s): write tokens first, as in cache(20k, 5m)", inner)
		}
		t.ClearAtLeast = n
	}
	if len(words) > 1 {
		d, err := time.ParseDuration(words[1])
		if err != nil || d <= 0 {
			return nil, fmt.Errorf("cache(%s): %q is not a duration: write 90s, 5m or 1h", inner, words[1])
		}
		t.ColdAfter = d
	}
	return t, nil
}

// NeedsPlan reports whether the answer to the view hangs on what a plan would
// do: it would be another with a [CacheAware] member that fires than with one
// that does not. Where it is false there is no need to plan before asking.
func NeedsPlan(t Trigger, v View) bool { return answerIf(t, v, true) != answerIf(t, v, false) }

// answerIf is the answer where all members that look at a plan answer yes, or no.
func answerIf(t Trigger, v View, planned bool) bool {
	switch t := t.(type) {
	case CacheAware:
		return planned
	case several:
		for _, m := range t.members {
			if answerIf(m, v, planned) != t.all {
				return !t.all
			}
		}
		return t.all
	}
	fires, _ := t.Fires(v)
	return fires
}
