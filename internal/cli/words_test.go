package cli

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tenfold/internal/cli/terminal"
	"tenfold/problem"
	"tenfold/store"
	"tenfold/strategy"
)

func TestTagFor(t *testing.T) {
	for id, want := range map[string]string{
		"cmp_1": "cmp_1", "cmp_0198-abcdef": "cmp_…abcdef", "cmp_before-走る東京": "cmp_…東京", "cmp_before-é走る": "cmp_…走る",
	} {
		if got := tagFor(id); got != want {
			t.Errorf("tagFor(%q) = %q, want %q", id, got, want)
		}
	}
}

func TestNumbers(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 112295: "112,295", 1234567: "1,234,567", -1000: "-1,000", -100: "-100"} {
		if got := thousands(n); got != want {
			t.Errorf("thousands(%d) = %s, want %s", n, got, want)
		}
	}
	for n, want := range map[int]string{0: "0 bytes", 1: "1 byte", 1023: "1,023 bytes", 1024: "1.0 KB", 20 << 10: "20 KB", 3 << 20: "3.0 MB"} {
		if got := size(n); got != want {
			t.Errorf("size(%d) = %s, want %s", n, got, want)
		}
	}
	for _, tt := range []struct {
		before, after int
		want          string
	}{
		{112295, 23104, "79 % smaller"},
		{1000, 999, "under 1 % smaller"},
		{10, 10, ""},
		{10, 12, ""},
		{0, 0, ""},
		{10, 0, "100 % smaller"},
	} {
		if got := smaller(tt.before, tt.after); got != tt.want {
			t.Errorf("smaller(%d, %d) = %q, want %q", tt.before, tt.after, got, tt.want)
		}
	}
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	for d, want := range map[time.Duration]string{
		-time.Hour: "just now", time.Second: "just now", time.Minute: "1 minute ago", 90 * time.Minute: "1 hour ago",
		47 * time.Hour: "1 day ago", 72 * time.Hour: "3 days ago", 60 * 24 * time.Hour: "2026-03-02",
	} {
		if got := ago(now, now.Add(-d)); got != want {
			t.Errorf("ago(%v) = %q, want %q", d, got, want)
		}
	}
}

func TestJoinFrom(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"compact --from 5 a", "compact --from=5 a"},
		{"compact --from -3 a", "compact --from=-3 a"},
		{"compact --from 2d a", "compact --from=2d a"},
		{"compact --from a.jsonl", "compact --from a.jsonl"},
		{"compact --from --to 3", "compact --from --to 3"},
		{"compact a --from", "compact a --from"},
		{"compact --from=5 a", "compact --from=5 a"},
		{"compact -- --from 5", "compact -- --from 5"},
	} {
		if got := joinFrom(strings.Fields(tt.in)); !slices.Equal(got, strings.Fields(tt.want)) {
			t.Errorf("%s becomes %s, want %s", tt.in, strings.Join(got, " "), tt.want)
		}
	}
}

func TestTurns(t *testing.T) {
	for _, tt := range []struct {
		text     string
		from, to int
		fails    bool
	}{
		{"..", 0, 9, false},
		{"3..7", 3, 7, false},
		{"3..", 3, 9, false},
		{"..7", 0, 7, false},
		{"5", 5, 5, false},
		{"-2..", 7, 9, false},
		{"-20..", 0, 9, false},
		{"..99", 0, 99, false},
		{"10", 0, 0, true},
		{"4..3", 0, 0, true},
		{"", 0, 0, true},
		{"a..b", 0, 0, true},
	} {
		from, to := 0, 0
		r, err := parseTurns(tt.text)
		if err == nil {
			from, to, err = r.in(10)
		}
		if (err != nil) != tt.fails || (err == nil && (from != tt.from || to != tt.to)) {
			t.Errorf("--turns %q gives %d..%d, %v", tt.text, from, to, err)
		}
	}
}

func TestSpanWhere(t *testing.T) {
	n := func(i int) *int { return &i }
	for _, tt := range []struct {
		span strategy.Span
		want string
	}{
		{strategy.Span{}, "turn 0"},
		{strategy.Span{FromTurn: 1, ToTurn: 8}, "turns 1..8"},
		{strategy.Span{ToStep: n(41)}, "turn 0, steps 0..41"},
		{strategy.Span{FromStep: n(42)}, "turn 0, from step 42"},
		{strategy.Span{FromStep: n(3), ToStep: n(5)}, "turn 0, steps 3..5"},
		{strategy.Span{FromStep: n(3), ToStep: n(3)}, "turn 0, step 3"},
		{strategy.Span{ToTurn: 2, ToStep: n(5)}, "turns 0..2, to step 5"},
		{strategy.Span{ToTurn: 2, FromStep: n(5)}, "turns 0..2, from step 5"},
		{strategy.Span{ToTurn: 2, FromStep: n(5), ToStep: n(7)}, "turn 0, step 5 to turn 2, step 7"},
	} {
		if got := spanWhere(tt.span); got != tt.want {
			t.Errorf("a span is at %q, want %q", got, tt.want)
		}
	}
}

func TestStorePath(t *testing.T) {
	for _, tt := range []struct {
		url, path       string
		inMemory, fails bool
	}{
		{"sqlite:///abs/path.db", filepath.FromSlash("/abs/path.db"), false, false},
		{"sqlite://rel.db", "rel.db", false, false},
		{"sqlite://a b/rel.db", filepath.FromSlash("a b/rel.db"), false, false},
		{"memory:", "", true, false},
		{"sqlite:", "", false, true},
		{"sqlite:x.db", "", false, true},
		{"postgres://x", "", false, true},
		{"./x.db", "", false, true},
	} {
		path, inMemory, err := storePath(tt.url, "--store")
		if path != tt.path || inMemory != tt.inMemory || (err != nil) != tt.fails {
			t.Errorf("%s is %q, %v, %v", tt.url, path, inMemory, err)
		}
		if err != nil && !explain(err).Usage {
			t.Errorf("%s: %v is no error of usage", tt.url, err)
		}
	}
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	if path, _, err := storePath("", ""); err != nil || !strings.HasSuffix(filepath.ToSlash(path), "/tenfold/tenfold.db") {
		t.Errorf("the default is %q, %v", path, err)
	}
}

func TestShortIDs(t *testing.T) {
	got := shortIDs([]store.Conversation{{ID: "abcdefghij"}, {ID: "abcdefghik"}, {ID: "x"}, {ID: "0123456789"}, {ID: "abcdefghi"}})
	if want := []string{"abcdefghij", "abcdefghik", "x", "01234567", "abcdefghi"}; !slices.Equal(got, want) {
		t.Errorf("ids are shortened to %q, want %q", got, want)
	}
}

// A race that is lost is run again, but not for ever.
func TestRetried(t *testing.T) {
	for _, tt := range []struct{ conflicts, calls int }{{0, 1}, {3, 4}, {100, raceTries}} {
		calls := 0
		err := retried(t.Context(), func() error {
			if calls++; calls <= tt.conflicts {
				return &store.ConflictError{}
			}
			return nil
		})
		if calls != tt.calls || (err != nil) != (tt.conflicts > raceTries) {
			t.Errorf("%d conflicts: %d calls, %v", tt.conflicts, calls, err)
		}
	}
}

func TestNearest(t *testing.T) {
	names := []string{"strategy", "profile", "from", "keep", "keep-last", "dry-run", "no-activate", "to"}
	for word, want := range map[string]string{
		"stategy": "strategy", "profil": "profile", "form": "from", "dryrun": "dry-run", "Profile": "profile",
		"no-actviate": "no-activate", "kepe": "keep", "stra": "strategy", "keeplast": "keep-last", "wide": "", "x": "", "t": "",
	} {
		if got := problem.Nearest(word, names); got != want {
			t.Errorf("%q is taken for %q, want %q", word, got, want)
		}
	}
}

// On a terminal the words asked for stand out in an excerpt, and what would
// steer it does not get through.
func TestMarked(t *testing.T) {
	k := &searchConversation{app: &app{Terminal: &terminal.Terminal{OutColour: true}}}
	got := k.marked("one\x1b two one", [][2]int{{0, 3}, {9, 12}})
	if want := "\x1b[1mone\x1b[m" + `\x1b two ` + "\x1b[1mone\x1b[m"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	k.OutColour = false
	if got := k.marked("one two", [][2]int{{4, 7}}); got != "one two" {
		t.Errorf("%q", got)
	}
}
