package terminal_test

import (
	"testing"

	"tenfold/internal/cli/terminal"
)

func TestTag(t *testing.T) {
	for id, want := range map[string]string{
		"": "", "/": "/", "cmp_1": "cmp_1", "cmp_1234567": "cmp_1234567", "cmp_0198-abcdef": "cmp_…abcdef",
		"cmp_before-走る東京": "cmp_…東京", "cmp_before-é走る": "cmp_…走る",
		"line:60b0b47e1681a3fd/dropped": "line:…81a3fd/dropped", "line:37246ab923519ddb": "line:…519ddb",
		"7d1f6a30-0000-4000-8000-00000000beef": "…00beef", "a/path/that/ends/in/a/very-long-name-of-no-use": "…no-use",
	} {
		if got := terminal.Tag(id); got != want {
			t.Errorf("Tag(%q) = %q, want %q", id, got, want)
		}
	}
}
