package cli

import "tenfold/internal/report"

func theirsWords(t *report.Theirs) string {
	return count(t.Compactions, "compaction", "compactions") + " of the original tool had saved " + thousands(t.Tokens) + " of " + count(t.Raw, "token", "tokens")
}

// printTheirs says what the original tool's compactions had saved.
func (a *app) printTheirs(t *report.Theirs) {
	if t != nil {
		a.fold("Earlier", theirsWords(t))
	}
}
