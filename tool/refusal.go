package tool

import "strings"

// Refusal reports whether a failed result is a person's word rather than a
// tool's: the call was refused, and the person said what to do instead. Claude
// Code writes it so; agents that record an approval need no such look.
func Refusal(result string) bool {
	return strings.HasPrefix(result, "The user doesn't want to") && strings.Contains(result, "the user said:")
}
