package excerpt

import (
	"slices"

	"tenfold/atom"
)

// An Ingredient is a part of how lines are chosen that can be left out, to
// see what it is good for.
type Ingredient string

// The ingredients.
const (
	// Model is the fitted chance that an atom is used again; without it age
	// and number of mentions stand for it.
	Model Ingredient = "model"
	// Coverage lets an atom count once; without it each line is worth the sum
	// of its atoms.
	Coverage Ingredient = "coverage"
	// Lines are what is chosen; without them whole results and messages are.
	Lines Ingredient = "lines"
	// Blocks are neighbouring lines that are taken together for what they may be
	// edited; without them lines alone are.
	Blocks Ingredient = "blocks"
	// Stale keeps atoms from counting on reads of files that were edited
	// later.
	Stale Ingredient = "stale"
	// Recent lets an atom count on its last five entries alone.
	Recent Ingredient = "recent"
	// Cost divides what a line is worth by what it costs.
	Cost Ingredient = "cost"
	// Always is what stays whatever it is worth: short messages of the
	// person, the last step, the plan, the open error.
	Always Ingredient = "always"
	// Changes takes the call that changed each file last before anything else.
	Changes Ingredient = "edits"
	// Conclusions are how the last words of each turn begin, and what the model said on
	// the way there; without them these are worth what their names are.
	Conclusions Ingredient = "conclusions"
)

// Ingredients lists them.
func Ingredients() []Ingredient {
	return []Ingredient{Coverage, Model, Lines, Blocks, Stale, Recent, Cost, Always, Changes, Conclusions}
}

// Options say what to choose from, and how much.
type Options struct {
	// From and To are the seqs of the entries to choose from, inclusive.
	From, To int64
	// Since is the first entry that is looked at, beside those in Before, which are
	// in order: so a choice takes time with these, and not with the log. Zero looks at
	// all.
	Since  int64
	Before []int64
	// Whole reports whether an entry stands in the view as it is anyway. Nil
	// means that none does.
	Whole func(seq int64) bool
	// Hidden reports whether an entry cannot be shown. Nil means none.
	Hidden func(seq int64) bool
	// Left reports whether a line of an entry may be chosen. Nil means that each may.
	Left func(seq int64, line int) bool
	// Open are calls whose openings are taken before anything else, the first
	// ones first, for a part of the budget.
	Open []Opening
	// Budget is how many tokens the choice may cost, roughly: lines are
	// weighed by their share of their entry's tokens.
	Budget int
	// Edits is how much blocks that may be edited next count against names that
	// may be used next, in percent; 0 means 35.
	Edits int
	// Focus is what a person wants to be kept: lines that it is about are worth
	// more, and so are those of files whose paths are. Nil for none.
	Focus *atom.Focus
	// Without leaves ingredients out.
	Without []Ingredient
}

func (o *Options) without(i Ingredient) bool { return slices.Contains(o.Without, i) }

// defaultEdits is the weight of blocks that leaves the most names while enough text
// to edit stays (docs/quality.md): less keeps more names, more keeps more text.
const defaultEdits = 35

// An Opening is a call that is to be seen to have been made, for its name and
// short arguments; and, where they do not name a path, the line that does.
type Opening struct {
	Seq  int64
	Path string
}
