package serve

import (
	"bufio"
	"strings"
	"testing"
	"time"

	"tenfold/fleet/job"
	"tenfold/internal/cli/command"
	"tenfold/internal/cli/terminal"
)

// What a model's server said in an error does not control the terminal that lists the job.
func TestJobsAreShownVisible(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	a := &command.App{Terminal: &terminal.Terminal{Out: bufio.NewWriter(&out)}, Now: time.Now}
	showJob(a, job.Info{ID: "3v9q", State: job.Running, Waits: "\x1b[2Jmodel", Error: "refused: \x1b]0;owned\a", Hint: "try\ragain"})
	if err := a.Flush(); err != nil {
		t.Fatal(err)
	}
	if shown := out.String(); strings.ContainsAny(shown, "\x1b\a\r") || !strings.Contains(shown, `refused: \x1b]0;owned`) {
		t.Errorf("%q", shown)
	}
}

func TestAmounts(t *testing.T) {
	for text, want := range map[string]int64{"0": 0, "500": 500, "20k": 20_000, "10G": 1e10, "9M": 9e6, "9T": 9e12, "9223372036854775807": 1<<63 - 1} {
		if got, err := parseAmount(text); err != nil || *got != want {
			t.Errorf("%s is %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"k", "-1", "1.5", "1 k", "1K", "9223372036854775808", "9223372036854775807k", "x", "", "5kk"} {
		if got, err := parseAmount(text); err == nil {
			t.Errorf("%s is %v", text, got)
		}
	}
	if got, err := parseAmount(noLimit); got != nil || err != nil {
		t.Errorf("none is %v, %v", got, err)
	}
	for text, want := range map[string]time.Duration{"0": 0, "30m": 30 * time.Minute, "90d": 90 * 24 * time.Hour, "2w": 14 * 24 * time.Hour} {
		if got, err := parseDuration(text); err != nil || got != want {
			t.Errorf("%s is %s, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "d", "90", "-1d", "0d", "1s", "100000w", "1.5d"} {
		if got, err := parseDuration(text); err == nil {
			t.Errorf("%s is %s", text, got)
		}
	}
}
