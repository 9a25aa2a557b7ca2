package cli

import (
	"tenfold"
	"tenfold/strategy"
	"tenfold/token"
)

// theirsJSON is what compactions of the tool that wrote a session had saved: it
// is none of what ours save.
type theirsJSON struct {
	Compactions int `json:"compactions"`
	// Tokens is what they saved of Raw, what the whole log costs.
	Tokens int `json:"tokens"`
	Raw    int `json:"raw"`
}

// newTheirsJSON is nil where the tool had compacted nothing.
func newTheirsJSON(view *tenfold.Projection, scale token.Scale) *theirsJSON {
	if view == nil {
		return nil
	}
	theirs := strategy.SavedByTool(view)
	if theirs.Compactions == 0 {
		return nil
	}
	return &theirsJSON{theirs.Compactions, scale.Tokens(theirs.Tokens), scale.Tokens(view.Totals().All().Before)}
}

func (t *theirsJSON) words() string {
	return count(t.Compactions, "compaction", "compactions") + " of the original tool had saved " + thousands(t.Tokens) + " of " + count(t.Raw, "token", "tokens")
}

// printTheirs says what the original tool's compactions had saved.
func (a *app) printTheirs(t *theirsJSON) {
	if t != nil {
		a.fold("Earlier", t.words())
	}
}
