package atom

import (
	"slices"
	"strings"
)

// IsShortAnswer reports whether a message says nothing without what it answers:
// few words of agreement or choice, or that point at what was said; or a sentence
// that begins with a plain yes or no.
func IsShortAnswer(text string) bool {
	words := strings.Fields(strings.ToLower(strings.Trim(text, " \t\r\n.!")))
	if len(words) == 0 || len(words) > 12 || len(text) > 100 || strings.Contains(text, "\n") {
		return false
	}
	word := strings.Trim(words[0], ".,;:!)(")
	if len(words) > 5 || len(text) > 60 {
		return slices.Contains(deciding, word)
	}
	if len(word) == 1 && len(words) <= 3 || strings.Trim(word, "0123456789") == "" {
		return true
	}
	return slices.Contains(agreeing, word) || slices.ContainsFunc(words, func(w string) bool { return slices.Contains(pointing, strings.Trim(w, ".,;:!)(")) })
}

var agreeing = strings.Fields(`
	yes yeah yep yup y no nope nah n ok okay k sure go right correct agreed exactly both either neither all none first second third option
	approve approved accept accepted confirmed confirm proceed continue fine good great perfect lgtm please do ja nein doch genau beide oui non
	si sí vale claro sim não`)

// deciding are words that only an answer begins with.
var deciding = strings.Fields("yes yeah yep yup no nope nah ja nein doch oui non si sí sim não")

// pointing are words that mean what the other said.
var pointing = strings.Fields("it that this them those these one ones same")
