package atom_test

import (
	"fmt"
	"strings"
	"testing"

	"tenfold/atom"
)

// A call looks at what a message names: the issue by its number however it is asked for, a
// page by its address, a ticket by its key, a document by its path.
func TestSubjects(t *testing.T) {
	for _, c := range []struct {
		message, arguments string
		want               bool
	}{
		{"solve https://example.org/a/oven/issues/7670 please", `{"command":"gh issue view 7670 --repo a/oven"}`, true},
		{"solve https://example.org/a/oven/issues/7670.", `{"owner":"a","repo":"oven","issue_number":7670}`, true},
		{"review PR #142", `{"command":"gh pr diff 142"}`, true},
		{"review PR #142", `{"command":"curl https://api.example.org/repos/a/oven/pulls/142/files"}`, true},
		{"review PR #142", `{"command":"sed -n 142p oven.go"}`, false},
		{"review PR #142", `{"command":"gh pr view 1421"}`, false},
		{"review PR #142", `{"command":"gh run view 142"}`, false},
		{"do OVEN-12 now", `{"issueId":"OVEN-12"}`, true},
		{"do OVEN-12 now", `{"issueId":"OVEN-123"}`, false},
		{"look at https://example.org/heat, then bake", `{"url":"https://example.org/heat","prompt":"all"}`, true},
		{"look at https://example.org/heat", `{"url":"https://example.org/heater"}`, false},
		{"do what @docs/plan.md says", `{"path":"/src/oven/docs/plan.md"}`, true},
		{"do what ./plan.md says", `{"path":"/src/oven/other-plan.md"}`, true}, // nobody knows
		{"do what plan.md says", `{"path":"/src/oven/replan.md"}`, false},
		{"mind the AGENTS.md and docs/README.md", `{"path":"/src/AGENTS.md","other":"docs/README.md"}`, false},
		{"bake 42 loaves", `{"command":"gh issue view 42"}`, false},
	} {
		got := false
		for _, s := range atom.Subjects(c.message) {
			got = got || s.In(c.arguments)
		}
		if got != c.want {
			t.Errorf("%q: %s looks at it: %t", c.message, c.arguments, got)
		}
	}
}

// A message may name a thing thousands of times, and a call be long: neither is read for ever.
func TestSubjectsAreFew(t *testing.T) {
	if got := atom.Subjects(strings.Repeat("pr 12 ", 10_000)); len(got) != 1 || got[0].In(strings.Repeat("-", 5000)+" pr 12") {
		t.Errorf("%d of them: %+v", len(got), got)
	}
	var many strings.Builder
	for n := range 1000 {
		fmt.Fprintf(&many, "OVEN-%d ", n)
	}
	if got := atom.Subjects(many.String()); len(got) > 16 {
		t.Errorf("%d of them", len(got))
	}
}
