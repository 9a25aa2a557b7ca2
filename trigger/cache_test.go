package trigger_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unsafe"

	"pgregory.net/rapid"

	_ "tenfold/internal/seed" // cases are drawn alike every time
	"tenfold/trigger"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// planned is a plan that takes so many tokens out, with others behind them,
// while the cache was last used some time ago.
func planned(going, behind int, ago time.Duration) trigger.Cache {
	return trigger.Cache{
		Planned: true, Going: going, Behind: behind, Touched: noon.Add(-ago), Now: noon,
		Lifetime: 5 * time.Minute, Read: 0.30, Write: 3.75,
	}
}

func TestCacheAwareBranches(t *testing.T) {
	unknown := planned(1999, 0, time.Hour)
	unknown.Lifetime, unknown.Read, unknown.Write = 0, 0, 0
	never := planned(2000, 10_000, 0)
	never.Touched = time.Time{}
	long := planned(2000, 10_000, 10*time.Minute)
	long.Lifetime = time.Hour
	free := planned(20_000, 10_000, 0)
	free.Write = free.Read
	tests := []struct {
		name  string
		when  trigger.CacheAware
		cache trigger.Cache
		fires bool
		want  string
	}{
		{"no plan", trigger.CacheAware{}, trigger.Cache{}, false, "nothing is planned whose tokens could go"},
		{
			"warm, too few",
			trigger.CacheAware{},
			planned(19_999, 40_000, time.Minute), false,
			"19999 tokens to go of at least 20000, 40000 rewritten behind them, warm until 12:04:00 UTC, pays after 24 requests",
		},
		{
			"warm, enough",
			trigger.CacheAware{},
			planned(20_000, 40_000, time.Minute), true,
			"20000 tokens to go, 40000 rewritten behind them, warm until 12:04:00 UTC, pays after 24 requests",
		},
		{
			"warm to the last second",
			trigger.CacheAware{},
			planned(2000, 10_000, 5*time.Minute), false,
			"2000 tokens to go of at least 20000, 10000 rewritten behind them, warm until 12:00:00 UTC, pays after 58 requests",
		},
		{
			"cold, enough",
			trigger.CacheAware{},
			planned(2000, 10_000, 5*time.Minute+time.Second), true,
			"2000 tokens to go, 10000 rewritten behind them, cold since 11:59:59 UTC, pays at once",
		},
		{
			"cold for days",
			trigger.CacheAware{},
			planned(2000, 10_000, 48*time.Hour), true,
			"2000 tokens to go, 10000 rewritten behind them, cold since 2026-02-27 12:05:00 UTC, pays at once",
		},
		{
			"cold, crumbs, no prices",
			trigger.CacheAware{},
			unknown, false,
			"1999 tokens to go of at least 2000, 0 rewritten behind them, cold since 11:05:00 UTC",
		},
		{
			"never used",
			trigger.CacheAware{},
			never, true,
			"2000 tokens to go, 10000 rewritten behind them, nothing cached, pays at once",
		},
		{
			"a provider that keeps it for an hour",
			trigger.CacheAware{},
			long, false,
			"2000 tokens to go of at least 20000, 10000 rewritten behind them, warm until 12:50:00 UTC, pays after 58 requests",
		},
		{
			"a time of one's own",
			trigger.CacheAware{ColdAfter: 9 * time.Minute},
			long, true,
			"2000 tokens to go, 10000 rewritten behind them, cold since 11:59:00 UTC, pays at once",
		},
		{
			"a least of one's own",
			trigger.CacheAware{ClearAtLeast: 500},
			planned(500, 100, 0), true,
			"500 tokens to go, 100 rewritten behind them, warm until 12:05:00 UTC, pays after 3 requests",
		},
		{
			"which counts when cold too",
			trigger.CacheAware{ClearAtLeast: 500},
			planned(499, 0, time.Hour), false,
			"499 tokens to go of at least 500, 0 rewritten behind them, cold since 11:05:00 UTC, pays at once",
		},
		{
			"writing costs nothing more",
			trigger.CacheAware{},
			free, true,
			"20000 tokens to go, 10000 rewritten behind them, warm until 12:05:00 UTC, pays at once",
		},
		{
			"a view that grows",
			trigger.CacheAware{},
			planned(-30, 10, time.Hour), false,
			"-30 tokens to go of at least 2000, 10 rewritten behind them, cold since 11:05:00 UTC",
		},
		{
			"a clock that went back",
			trigger.CacheAware{},
			planned(2000, 10_000, -time.Hour), false,
			"2000 tokens to go of at least 20000, 10000 rewritten behind them, warm until 13:05:00 UTC, pays after 58 requests",
		},
	}
	for _, tt := range tests {
		fires, why := tt.when.Fires(trigger.View{Cache: tt.cache})
		if fires != tt.fires || why != tt.want {
			t.Errorf("%s: %v, %q; want %v, %q", tt.name, fires, why, tt.fires, tt.want)
		}
	}
}

func someCache(t *rapid.T) (trigger.CacheAware, trigger.Cache) {
	when := trigger.CacheAware{
		ClearAtLeast: rapid.IntRange(0, 50_000).Draw(t, "at least"),
		ColdAfter:    time.Duration(rapid.IntRange(0, 3600).Draw(t, "cold after")) * time.Second,
	}
	c := planned(rapid.IntRange(-1000, 60_000).Draw(t, "going"), rapid.IntRange(0, 200_000).Draw(t, "behind"),
		time.Duration(rapid.IntRange(-100, 7200).Draw(t, "ago"))*time.Second)
	c.Lifetime = time.Duration(rapid.IntRange(0, 3600).Draw(t, "lifetime")) * time.Second
	return when, c
}

// A cache gets cold while the machine sleeps, and what Go measures time by stands still.
func TestCacheAwareWhileTheMachineSleeps(t *testing.T) {
	touched := time.Now()
	now := touched.Add(time.Hour)
	*(*int64)(unsafe.Add(unsafe.Pointer(&now), 8)) -= int64(time.Hour)
	if now.Sub(touched) != 0 {
		t.Skip("times are made otherwise")
	}
	if cold, why := (trigger.CacheAware{}).Cold(trigger.Cache{Touched: touched, Now: now}); !cold {
		t.Error(why)
	}
}

// What fires goes on firing when more would go, and when the cache gets colder.
func TestCacheAwareIsMonotone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		when, c := someCache(t)
		fires, why := when.Fires(trigger.View{Cache: c})
		more, colder := c, c
		more.Going += rapid.IntRange(0, 50_000).Draw(t, "more")
		colder.Touched = colder.Touched.Add(-time.Duration(rapid.IntRange(0, 7200).Draw(t, "colder")) * time.Second)
		for _, next := range []trigger.Cache{more, colder} {
			if still, then := when.Fires(trigger.View{Cache: next}); fires && !still {
				t.Fatalf("%s: %q, but not %q", when, why, then)
			}
		}
		for _, words := range []string{"tokens to go", "rewritten behind them"} {
			if !strings.Contains(why, words) {
				t.Fatalf("%q does not say %q", why, words)
			}
		}
	})
}

// The first n that is said to pay is the first for which n·k/s > (w−r)/r.
func TestPaysIsTheFirstRequestThatDoes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k, s := rapid.IntRange(1, 60_000).Draw(t, "going"), rapid.IntRange(1, 200_000).Draw(t, "behind")
		read, write := 30, rapid.IntRange(1, 2000).Draw(t, "write")
		c := trigger.Cache{Planned: true, Going: k, Behind: s, Read: float64(read) / 100, Write: float64(write) / 100}
		pays := func(n int) bool { return n*k*read > (write-read)*s }
		n := max((write-read)*s/(k*read)-1, 1)
		for !pays(n) {
			n++
		}
		want := fmt.Sprintf("pays after %d requests", n)
		if n == 1 {
			want = "pays at once"
		}
		if (write-read)*s%(k*read) == 0 {
			t.Skip("on the edge, where fractions may round either way")
		}
		if got, ok := c.Pays(false); !ok || got != want {
			t.Fatalf("%q, %v; want %q", got, ok, want)
		}
	})
}

// A plan under which nothing goes, or one whose price is not known, is not said to pay.
func TestPaysIsNotSaidOfNothing(t *testing.T) {
	c := trigger.Cache{Planned: true, Going: 10, Behind: 100, Read: 0.3, Write: 3}
	if _, known := c.Pays(false); !known {
		t.Fatal("it is not known")
	}
	nothing, free := c, c
	nothing.Going, free.Read = 0, 0
	for _, c := range []trigger.Cache{nothing, free} {
		for _, cold := range []bool{false, true} {
			if words, known := c.Pays(cold); known {
				t.Errorf("%+v %s", c, words)
			}
		}
	}
}

// A time of another day is said with its day.
func TestColdSaysOfWhichDayATimeIs(t *testing.T) {
	touched := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	when := trigger.CacheAware{ColdAfter: time.Minute}
	for after, want := range map[time.Duration]string{
		time.Minute + 24*time.Hour - time.Second: "cold since 03:05:05 UTC",
		time.Minute + 24*time.Hour:               "cold since 2026-01-02 03:05:05 UTC",
	} {
		if _, got := when.Cold(trigger.Cache{Touched: touched, Now: touched.Add(after)}); got != want {
			t.Errorf("after %v: %q, want %q", after, got, want)
		}
	}
}

func TestCacheNotation(t *testing.T) {
	tests := []struct{ text, want string }{
		{"cache", "cache()"},
		{"cache()", "cache()"},
		{"cache(20k)", "cache(20k)"}, // the time is left to the provider
		{"cache( 15k , 90s )", "cache(15k, 1m30s)"},
		{"Cache(20K, 1h)", "cache(20k, 1h)"},
		{"cache(2000k, 1h0m5s)", "cache(2000000, 1h0m5s)"},
		{"any(80%, cache())", "any(80%, cache())"},
		{"all(turns(3), any(cache(20k, 5m), off))", "all(turns(3), any(cache(20k, 5m), off))"},
	}
	for _, tt := range tests {
		when, err := trigger.Parse(tt.text)
		if err != nil {
			t.Errorf("%q: %v", tt.text, err)
			continue
		}
		if when.String() != tt.want {
			t.Errorf("%q reads as %s, want %s", tt.text, when, tt.want)
		}
		again, err := trigger.Parse(when.String())
		if err != nil || again.String() != when.String() {
			t.Errorf("%s does not round-trip: %v, %v", when, again, err)
		}
	}
	for _, text := range []string{"cache(5m)", "cache(2m, 5m)", "cache(20k, )", "cache(20k, 5)", "cache(20k, -5m)", "cache(20k, 0s)", "cache(x)", "cache(20k, 5m, 3)", "cache(0)", "cache(,5m)"} {
		if when, err := trigger.Parse(text); err == nil {
			t.Errorf("%q reads as %s", text, when)
		}
	}
}

// A plan is needed where the answer hangs on it, and nowhere else.
func TestNeedsPlan(t *testing.T) {
	tests := []struct {
		text   string
		tokens int
		want   bool
	}{
		{"80%", 10, false},
		{"cache()", 10, true},
		{"any(80%, cache())", 10, true},
		{"any(80%, cache())", 199_000, false},
		{"all(80%, cache())", 10, false},
		{"all(80%, cache())", 199_000, true},
		{"all(off, any(cache(), always))", 10, false},
		{"any(cache(), always)", 10, false},
	}
	for _, tt := range tests {
		when, err := trigger.Parse(tt.text)
		if err != nil {
			t.Fatal(err)
		}
		if got := trigger.NeedsPlan(when, trigger.View{Tokens: tt.tokens, Window: 200_000}); got != tt.want {
			t.Errorf("%s with %d tokens: %v", tt.text, tt.tokens, got)
		}
	}
}

func ExampleCacheAware() {
	when := trigger.CacheAware{ClearAtLeast: 20_000, ColdAfter: 5 * time.Minute}
	fires, why := when.Fires(trigger.View{Cache: trigger.Cache{
		Planned: true, Going: 3100, Behind: 41_000,
		Touched: time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC), Now: time.Date(2026, 3, 1, 9, 20, 0, 0, time.UTC),
		Read: 0.30, Write: 3.75,
	}})
	fmt.Println(fires, "–", why)
	// Output: true – 3100 tokens to go, 41000 rewritten behind them, cold since 09:05:00 UTC, pays at once
}
