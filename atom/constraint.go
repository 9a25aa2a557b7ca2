package atom

import (
	"strings"
	"sync"
)

// ConstraintAt gives where in a line a standing constraint is first stated, by
// [ConstraintPatterns]; -1 where none is.
func ConstraintAt(line string) int { return constraints().At(line) }

// StatesConstraint reports whether a text states a constraint anywhere, by
// [ConstraintPatterns]. Patterns do not reach over the ends of lines.
func StatesConstraint(text string) bool {
	for line := range strings.SplitSeq(text, "\n") {
		if ConstraintAt(line) >= 0 {
			return true
		}
	}
	return false
}

var constraints = sync.OnceValue(func() Phrases {
	all := make([]string, len(constraintPatterns))
	for i, p := range constraintPatterns {
		all[i] = p.Phrase
	}
	return NewPhrases(all...)
})
