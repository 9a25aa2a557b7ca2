package transcript

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tenfold"
	"tenfold/internal/corpustest"
	"tenfold/internal/logtest"
	"tenfold/transcript/internal/intake"
	"tenfold/transcript/internal/native"
)

// extremes are numbers that a file may hold where a count, a place, a size, a
// time or an amount stands.
var extremes = []string{
	"-1", "-9223372036854775808", "9223372036854775807", "9223372036854775808", "4294967296", "2147483648", "1e308", "-1e308", "1e999", "0.5", "-0",
}

var jsonNumber = regexp.MustCompile(`([:,\[]\s*)(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)(\s*[,\]}])`)

// checkFigures checks that nothing which is summed over a log wraps around, and
// that what a file says is in proportion to what it holds.
func checkFigures(tb tester, got Collected) {
	tb.Helper()
	log := tenfold.NewLog()
	spent := 0
	for _, e := range got.Entries {
		if _, err := log.Append(e); err != nil {
			tb.Fatal(err)
		}
		if u, ok := e.Payload.(tenfold.Usage); ok {
			for _, n := range []int{u.Input, u.Output, u.CacheRead, u.CacheWrite} {
				if n < 0 {
					tb.Errorf("entry %s: usage %+v", e.ID, u)
				}
				spent += n
			}
			if u.Cost != nil && !(*u.Cost >= 0 && *u.Cost < 1e9) {
				tb.Errorf("entry %s cost %v", e.ID, *u.Cost)
			}
		}
		if year := e.Time.Year(); !e.Time.IsZero() && (year < 1678 || year > 2261) {
			tb.Errorf("entry %s is of %v", e.ID, e.Time)
		}
	}
	sum := 0
	for e := range log.Entries() {
		if !intake.PossibleTokens(&e) {
			tb.Errorf("entry %s is %d tokens", e.ID, e.Tokens)
		}
		if e.Payload.Kind().Visible() {
			sum += e.Tokens
		}
	}
	all := tenfold.Project(log).Totals().All()
	if spent < 0 || log.Tokens() != sum || all.Before < 0 || all.After < 0 {
		tb.Errorf("%d tokens were spent, the log has %d, its entries %d, its totals are %+v", spent, log.Tokens(), sum, all)
	}
}

// Whatever numbers stand in a file, nothing wraps around (B7).
func TestSamplesNumbers(t *testing.T) {
	t.Parallel()
	corpustest.Unraced(t)
	for _, w := range samples(t, "") {
		if intake.NewHead(w.data, w.path).JSON.Shape == intake.ShapeText || !jsonNumber.Match(w.data) {
			continue
		}
		for _, n := range extremes {
			t.Run(w.path+"/"+n, func(t *testing.T) {
				// Twice, for numbers side by side share what is between them.
				data := jsonNumber.ReplaceAll(w.data, []byte("${1}"+n+"${3}"))
				data = jsonNumber.ReplaceAll(data, []byte("${1}"+n+"${3}"))
				got, err := w.read(data, w.format)
				var ours *Error
				if err != nil && !errors.As(err, &ours) {
					t.Fatal(err)
				}
				for _, c := range got {
					checkLaws(t, c)
					checkFigures(t, c)
				}
			})
		}
	}
}

// The same of our own format, which has numbers of every kind: in overlays of
// every policy, in usage, in token counts.
func TestTenfoldNumbers(t *testing.T) {
	numbers := append([]string{"0", "1", "7", "100"}, extremes...)
	rapid.Check(t, func(t *rapid.T) {
		entries := logtest.Entries(25).Draw(t, "entries")
		var out bytes.Buffer
		if err := native.WriteTenfold(&out, Conversation{ID: "c", Created: time.Unix(0, 0)}, slices.Values(entries)); err != nil {
			t.Fatal(err)
		}
		head, lines, _ := strings.Cut(out.String(), "\n")
		text := jsonNumber.ReplaceAllStringFunc(lines, func(s string) string {
			if !rapid.Bool().Draw(t, "change") {
				return s
			}
			return jsonNumber.ReplaceAllString(s, "${1}"+rapid.SampledFrom(numbers).Draw(t, "number")+"${3}")
		})
		var k Collector
		src := Source{Name: "x.jsonl", Reader: strings.NewReader(head + "\n" + text)}
		if err := Import(t.Context(), src, Tenfold, &k); err != nil {
			var ours *Error
			if !errors.As(err, &ours) {
				t.Fatal(err)
			}
			return
		}
		for _, c := range k.Conversations {
			checkFigures(t, c)
			log := tenfold.NewLog()
			if _, err := log.Append(c.Entries...); err != nil {
				t.Fatal(err)
			}
			checkViews(t, log)
		}
	})
}

// Numbers that cannot be are taken out, those that can stay.
func TestAmend(t *testing.T) {
	for _, tt := range []struct {
		payload tenfold.Payload
		tokens  int
		want    int
	}{
		{tenfold.AssistantMessage{Text: "hello"}, 1, 1},
		{tenfold.AssistantMessage{Text: "hello"}, -5, 0},
		{tenfold.AssistantMessage{Text: "hello"}, 1 << 40, 0},
		{tenfold.AssistantMessage{Text: "hello"}, 5000, 5000},
		{tenfold.AssistantMessage{Text: "hello"}, 20_000_000, 0},
		{tenfold.AssistantMessage{Text: strings.Repeat("a", 20_000_000)}, 20_000_000, 20_000_000},
		{tenfold.TurnStart{}, 7, 7},
	} {
		e := tenfold.Entry{ID: "e", Tokens: tt.tokens, Payload: tt.payload}
		if changed := intake.Amend(&e); e.Tokens != tt.want || changed != (tt.tokens != tt.want) {
			t.Errorf("%.40s with %d tokens: %d, want %d", fmt.Sprint(tt.payload), tt.tokens, e.Tokens, tt.want)
		}
	}
	const said = `{"seq":1,"id":"u","kind":"user_message","text":"hello","tokens":-7}` + "\n" +
		`{"seq":2,"id":"c","kind":"usage","model":"m","input":-1,"output":5,"cost":-2}` + "\n"
	got, err := importText(t, "x.jsonl", said)
	if err != nil || len(got.Entries) != 2 || got.Entries[0].Tokens != 0 || got.Entries[1].Payload.(tenfold.Usage) != (tenfold.Usage{Model: "m", Output: 5}) {
		t.Errorf("%+v, %v", got.Entries, err)
	}
	if want := []string{"2 entries had impossible numbers, which are left out"}; !slices.Equal(got.Warnings, want) {
		t.Errorf("warnings are %q, want %q", got.Warnings, want)
	}
}
