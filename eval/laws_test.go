package eval_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tenfold/eval"
)

// drawn is a session of random work with few names, so that they come back.
func drawn(t *rapid.T) *talk {
	k := &talk{t: t}
	text := func(most int) string {
		var lines []string
		for range rapid.IntRange(0, most).Draw(t, "lines") {
			var words []string
			for range rapid.IntRange(0, 8).Draw(t, "words") {
				if rapid.IntRange(0, 2).Draw(t, "atom") == 0 {
					words = append(words, fmt.Sprintf("name_%d", rapid.IntRange(0, 20).Draw(t, "name")))
				} else {
					words = append(words, rapid.SampledFrom([]string{"the", "end", "of", "is", "…", "=", "a"}).Draw(t, "word"))
				}
			}
			lines = append(lines, strings.Join(words, " "))
		}
		return strings.Join(lines, "\n")
	}
	k.user("begin " + text(2))
	for range rapid.IntRange(2, 25).Draw(t, "requests") {
		switch rapid.IntRange(0, 6).Draw(t, "kind") {
		case 0:
			k.user("and " + text(3))
		case 1:
			k.says("so " + text(3))
		case 2:
			k.thinks("hm " + text(2))
		default:
			path := fmt.Sprintf("src/f%d.go", rapid.IntRange(0, 3).Draw(t, "file"))
			name := rapid.SampledFrom([]string{"Read", "Edit", "Bash", "own_tool"}).Draw(t, "tool")
			k.call(name, "file_path", path, "command", "run "+text(1), "new_string", text(6))
			if rapid.IntRange(0, 8).Draw(t, "answered") > 0 {
				k.gives(text(8))
			}
		}
	}
	return k
}

var lawPolicies = []string{
	"none", "keep-newest-2", "micro:keep_recent=1,over=20", "head-tail", "strip-tools", "turn-window:n=1", "hard-reset",
	"window:target=20%", "suffix:target=20%", "atoms:target=20%", "clairvoyant:target=20%",
}

// Presence is no less than CUR, and that no less than CUR-strict; nothing left
// out recalls all, everything left out nothing; shares are shares; and it all
// comes out the same again.
func TestMeasureLaws(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		k := drawn(rt)
		s := eval.Open(k.log())
		percent := rapid.IntRange(10, 90).Draw(rt, "percent")
		c, err := s.Cut(percent)
		if err != nil {
			return
		}
		horizons := []int{1, 3, eval.All}
		empty := c.Score(c.ViewOfLines(nil), horizons...)
		lawful(rt, "nothing", empty)
		for i, r := range empty.Recalls {
			if v, ok := r.Presence.Value(); ok && v != 0 {
				rt.Fatalf("nothing recalls %g within %d", v, horizons[i])
			}
		}
		for _, policy := range lawPolicies {
			p, err := eval.ParsePolicy(policy)
			if err != nil {
				rt.Fatal(err)
			}
			v, err := c.View(t.Context(), p)
			if err != nil {
				rt.Fatal(err)
			}
			sc := c.Score(v, horizons...)
			lawful(rt, policy, sc)
			if policy == "none" {
				for _, r := range sc.Recalls {
					if v, ok := r.Strict.Value(); ok && v < 1-1e-9 {
						rt.Fatalf("all of it recalls %g", v)
					}
				}
				if v, _ := sc.Kept.Value(); v != 1 {
					rt.Fatalf("all of it is %g of all", v)
				}
			}
			if err := v.Check(&sc); err != nil || sc.Violations > 0 {
				rt.Fatalf("%s: %d violations, %s, %v", policy, sc.Violations, sc.Problem, err)
			}
			again, err := eval.Open(k.log()).Cut(percent)
			if err != nil {
				rt.Fatal(err)
			}
			w, err := again.View(t.Context(), p)
			if err != nil {
				rt.Fatal(err)
			}
			second := again.Score(w, horizons...)
			sc.Violations = second.Violations
			if !reflect.DeepEqual(sc, second) {
				rt.Fatalf("%s: %+v, then %+v", policy, sc, second)
			}
		}
	})
}

// failer is what a test fails by, one of random logs included.
type failer interface {
	Fatalf(format string, args ...any)
}

func lawful(t failer, policy string, sc eval.Score) {
	last := 0
	for _, r := range sc.Recalls {
		if r.Carried < last {
			t.Fatalf("%s: %d atoms are carried within %d, more within less", policy, r.Carried, r.Horizon)
		}
		last = r.Carried
		if r.Presence.Part < r.CUR.Part || r.CUR.Part < r.Strict.Part || r.ResultOnly.Part > r.CUR.Part+1e-9 {
			t.Fatalf("%s: %+v is out of order", policy, r)
		}
		for _, s := range []eval.Share{r.Presence, r.CUR, r.Strict, r.ResultOnly} {
			within(t, policy, s)
		}
	}
	for _, s := range []eval.Share{sc.Density, sc.User, sc.Trail, sc.Stale} {
		within(t, policy, s)
	}
}

func within(t failer, policy string, s eval.Share) {
	if v, ok := s.Value(); ok && (v < 0 || v > 1+1e-9) {
		t.Fatalf("%s: %g is not a share", policy, v)
	}
}
