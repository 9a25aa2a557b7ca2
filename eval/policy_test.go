package eval_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"tenfold/eval"
)

// working is a session with enough of everything: six turns of a request and ten
// calls, each of which reads a file of ten lines and changes one.
func working(t testing.TB) *talk {
	k := newTalk(t)
	for turn := range 6 {
		k.user(fmt.Sprintf("please see to part_%02d of it", turn))
		for n := range 10 {
			var text strings.Builder
			for line := range 10 {
				fmt.Fprintf(&text, "line %d of many says that name_%d_%d_%d is set here\n", line, turn, n, line)
			}
			path := fmt.Sprintf("src/file%d.go", (turn*7+n)%13)
			k.call("Read", "file_path", path).gives(text.String())
			// Names come back a turn later, and after three calls.
			k.call("Edit", "file_path", path, "new_string", fmt.Sprintf("name_%d_%d_3 = name_%d_%d_7", turn-1, n, turn, n-3)).gives("done")
		}
		k.says("that is that")
	}
	return k
}

// Budgets are held, and more budget recalls no less.
func TestBudgets(t *testing.T) {
	c := working(t).cut(50)
	for _, name := range []string{"suffix", "atoms", "clairvoyant"} {
		last := 0.0
		for _, target := range []int{2, 5, 10, 20, 50} {
			v := view(t, c, fmt.Sprintf("%s:target=%d%%", name, target))
			if v.Tokens > c.Tokens()*target/100 {
				t.Errorf("%s keeps %d tokens of %d at %d %%", name, v.Tokens, c.Tokens(), target)
			}
			present := value(t, c.Score(v, eval.All).Recalls[0].Presence)
			if present < last {
				t.Errorf("%s shows %g at %d %%, %g at less", name, present, target, last)
			}
			last = present
		}
	}
	if got := value(t, c.Score(view(t, c, "clairvoyant:target=50%"), eval.All).Recalls[0].Strict); got != 1 {
		t.Errorf("one who knows the future recalls %g", got)
	}
	r := c.Score(view(t, c, "atoms:target=50%"), eval.All).Recalls[0]
	if p, cur := value(t, r.Presence), value(t, r.CUR); p != 1 || cur > .6 {
		t.Errorf("a list of names has presence %g, CUR %g", p, cur)
	}
	if v := view(t, c, "suffix:target=400"); v.Tokens > 400 || v.Tokens < 300 {
		t.Errorf("a suffix of 400 tokens has %d", v.Tokens)
	}
}

// No policy recalls more than one that knows what is to come, by the budget.
func TestClairvoyantLooksNoFartherThanAsked(t *testing.T) {
	c := working(t).cut(50)
	near := c.Score(view(t, c, "clairvoyant:target=90%,horizon=4"), 4, eval.All)
	if got := value(t, near.Recalls[0].CUR); got != 1 {
		t.Errorf("within its horizon it recalls %g", got)
	}
	if got := value(t, near.Recalls[1].CUR); got >= 1 {
		t.Errorf("beyond its horizon it recalls %g", got)
	}
}

// Keeping the newest results and the windows are the strategies of those names,
// and the newest ten of head-tail are left alone.
func TestBaselinesAreStrategies(t *testing.T) {
	c := working(t).cut(50)
	if a, b := view(t, c, "keep-newest-5"), view(t, c, "micro:keep_recent=5,over=0"); a.Tokens != b.Tokens {
		t.Errorf("keep-newest-5 keeps %d tokens, micro %d", a.Tokens, b.Tokens)
	}
	target := c.Tokens() / 4
	if a, b := view(t, c, fmt.Sprintf("window:target=%d", target)), view(t, c, fmt.Sprintf("token-window:n=%d", target)); a.Tokens != b.Tokens || a.Tokens == c.Tokens() {
		t.Errorf("window keeps %d tokens, token-window %d", a.Tokens, b.Tokens)
	}
	k := newTalk(t).user("go")
	long := strings.Repeat("a long line of many words that says nothing at all\n", 100)
	for range 15 {
		k.runs("cat", long)
	}
	c = k.runs("grep", "x").runs("ls", "x").cut(95)
	v := view(t, c, "head-tail")
	whole := 0
	for it := range v.Projection.Items() {
		if it.Tokens > 1000 {
			whole++
		}
	}
	if whole != 9 { // and the short result of grep
		t.Errorf("%d long results stand whole, want 9", whole)
	}
}

// A summary is read wherever it stands, in the system prompt too.
func TestSummariesAreRead(t *testing.T) {
	c := working(t).cut(50)
	for _, policy := range []string{"summarize", "hard-reset"} {
		v := view(t, c, policy)
		if v.Tokens == 0 || v.Tokens > c.Tokens()/2 {
			t.Fatalf("%s keeps %d tokens of %d", policy, v.Tokens, c.Tokens())
		}
		if got := value(t, c.Score(v, eval.All).Trail); got < .5 {
			t.Errorf("%s: of the changed files %g are told", policy, got)
		}
	}
}

func TestParsePolicy(t *testing.T) {
	for text, family := range map[string]string{
		"none": "none", "keep-newest-10": "keep-newest-10", "head-tail": "head-tail",
		"suffix:target=10%": "suffix", "clairvoyant:horizon=30,target=5%": "clairvoyant:horizon=30",
		"micro": "micro", "micro:keep_recent=3": "micro:keep_recent=3", "auto": "auto",
	} {
		p, err := eval.ParsePolicy(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if p.String() != text || p.Family() != family {
			t.Errorf("%s is read as %s of %s, want %s", text, p, p.Family(), family)
		}
	}
	for _, text := range []string{
		"", "nonesuch", "none:x=1", "keep-newest-", "keep-newest-x", "keep-newest-3:x=1", "suffix", "suffix:target=0", "suffix:target=x",
		"suffix:target=10%,horizon=3", "clairvoyant:target=10%,horizon=0", "micro:nonesuch=1", "atoms:10%",
	} {
		if _, err := eval.ParsePolicy(text); err == nil {
			t.Errorf("%q is taken for a policy", text)
		}
	}
}

// What is offered by name can be read, and no name is there twice.
func TestNamedPolicies(t *testing.T) {
	for _, list := range [][]string{eval.Defaults(), eval.Frontier()} {
		for i, text := range list {
			if _, err := eval.ParsePolicy(text); err != nil {
				t.Error(err)
			}
			if slices.Contains(list[:i], text) {
				t.Errorf("%s is there twice", text)
			}
		}
	}
	for _, b := range eval.Baselines() {
		text := b.Name
		if b.Budget {
			text += ":target=10%"
		}
		if _, err := eval.ParsePolicy(text); err != nil {
			t.Error(err)
		}
	}
}
