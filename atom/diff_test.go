package atom_test

import (
	"strings"
	"testing"

	"tenfold/atom"
)

// Lines of a pasted diff are those of its hunks; each text is what is of one, "+", or not, "-".
func TestLinesOfPastedDiffs(t *testing.T) {
	for text, want := range map[string]string{
		"see\n@@ -1,2 +1,2 @@ func heat()\n keep\n-cold\n+warm\nand never push": "-++++-",
		"@@ -1 +1 @@\n-cold\n+warm\n\\ No newline at end of file\nnever":        "++++-",
		"@@ -1,3 +1,3 @@\n a\n\n-cold\n+warm\n- never push":                     "+++++-",
		"@@ -1,9 +1,9 @@\n a\n-cold\n+warm\n\n- never push\n- nor pull":         "+++++--",
		"@@ -1,9 +1,9 @@\n a\n\n-\tcold\n+\twarm":                               "+++++",
		"@@ -1,9 +1,9 @@\n a\nnever push\n- nor pull":                           "++--",
		"@@ -1,9 +1,9 @@\n a\n@@ -20 +20 @@\n-b\n+c\nnever":                     "+++++-",
		"@@ -1,2 +1,2 @@\n a\n\n@@ -9 +8,0 @@\n- never\nnever":                  "+++++-",
		"@@ -0,0 +1,2 @@\n+a\n+b\n+ c":                                          "+++-",
		"@@ no hunk @@\n- never push":                                           "--",
		"@@ -a,b +c,d @@\n- never push":                                         "--",
		"@@ -3,4\n- never push":                                                 "--",
		"- never push\n+ always pull":                                           "--",
	} {
		var d atom.Diff
		got := ""
		for line := range strings.SplitSeq(text, "\n") {
			if d.Has(line) {
				got += "+"
			} else {
				got += "-"
			}
		}
		if got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
		d = atom.Diff{}
		for line := range strings.Lines(strings.ReplaceAll(text, "\n", "\r\n")) {
			d.Has(line)
		}
	}
	if diff := "@@ -1,2 +1,2 @@\n // never heat\n-a\n+b"; atom.StatesConstraint(diff) || !atom.StatesConstraint(diff+"\nnever heat") {
		t.Error("what a diff says counts, or what stands behind it does not")
	}
}
