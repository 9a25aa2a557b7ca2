package problem_test

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"tenfold/problem"
	"tenfold/provider"
	"tenfold/transcript"
)

func Example() {
	err := fmt.Errorf("start: %w", &problem.Error{
		Op: "config trust", Subject: ".tenfold/config.toml", Err: fs.ErrNotExist, Hint: "create it with \"tenfold config edit --workspace\"",
	})
	fmt.Println(err)
	var p *problem.Error
	if errors.As(err, &p) {
		fmt.Println("hint:", p.Hint)
	}
	// Output:
	// start: config trust .tenfold/config.toml: file does not exist
	// hint: create it with "tenfold config edit --workspace"
}

func TestText(t *testing.T) {
	cause := errors.New("cause")
	for want, e := range map[string]*problem.Error{
		"wrong":              {Problem: "wrong"},
		"cause":              {Err: cause},
		"op: wrong":          {Op: "op", Problem: "wrong", Err: cause},
		"subject: cause":     {Subject: "subject", Err: cause, Hint: "do it"},
		"op subject: wrong":  {Op: "op", Subject: "subject", Problem: "wrong"},
		"file.toml:3: wrong": {Subject: "file.toml:3", Problem: "wrong"},
	} {
		if e.Error() != want || (e.Err != nil && !errors.Is(e, cause)) {
			t.Errorf("%q, want %q", e, want)
		}
	}
}

// Errors that callers act on by kind or position have their hints found all the
// same.
func TestOthersAreProblems(t *testing.T) {
	for _, err := range []error{
		&provider.Error{Kind: provider.RateLimited, Model: "a/b", Hint: "wait"},
		&transcript.Error{Name: "x.jsonl", Line: 3, Column: 1, Err: fs.ErrInvalid, Hint: "wait"},
	} {
		var p *problem.Error
		if !errors.As(fmt.Errorf("while reading: %w", err), &p) || p.Hint != "wait" || p.Error() != err.Error() || p.Code == "" {
			t.Errorf("%v is %+v", err, p)
		}
	}
}

func TestNearest(t *testing.T) {
	keys := []string{"keep_last", "keep_tokens", "fork", "strategy"}
	for word, want := range map[string]string{
		"keep_lsat": "keep_last", "KEEP_LAST": "keep_last", "keep": "keep_last", "keep_token": "keep_tokens", "strategi": "strategy",
		"frok": "fork", "quux": "", "": "", "f": "", strings.Repeat("x", 1000): "",
	} {
		if got := problem.Nearest(word, keys); got != want {
			t.Errorf("%q is nearest to %q, want %q", word, got, want)
		}
	}
	if got := problem.DidYouMean("keep_lsat", keys); got != "did you mean keep_last?" {
		t.Error(got)
	}
}
