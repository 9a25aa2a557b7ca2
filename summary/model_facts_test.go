package summary_test

import (
	"strings"
	"testing"

	"tenfold/summary"
)

// M3: the ledger stands behind what a model wrote, and each constraint once.
func TestM3LedgerFacts(t *testing.T) {
	l := talk(t, "t", "u Please fix pkg/a.go.\nNever touch the vendor directory.\nAlways run the linter first.",
		`c 1 Edit {"file_path":"pkg/a.go","old_string":"a","new_string":"b"}`, "r 1 ok "+strings.Repeat("and so on ", 600), "a Done.")
	made, _ := compact(t, l, summary.Ladder{summary.Model{Provider: plays(says("pkg/a.go was fixed.")), Facts: summary.LedgerFacts}, summary.Digest{}}, 0, 0)
	if len(made.Compactions) != 1 {
		t.Fatal(made.Nothing)
	}
	s := made.Compactions[0].Summary
	for _, want := range []string{"Never touch the vendor directory.", "Always run the linter first.", "pkg/a.go was fixed."} {
		if s.Model != "test/model" || strings.Count(s.Text, want) != 1 {
			t.Errorf("%q stands %d times in\n%s", want, strings.Count(s.Text, want), s.Text)
		}
	}
	// And where the model fails, the digest.
	made, _ = compact(t, l, summary.Ladder{summary.Model{Provider: plays(says("pkg/none.go was fixed.")), Facts: summary.LedgerFacts}, summary.Digest{}}, 0, 0)
	if len(made.Compactions) != 1 || made.Compactions[0].Summary.Model != "digest" {
		t.Errorf("%+v %s", made.Compactions, notesOf(made))
	}
}
