package digest

import (
	"slices"
	"strings"

	"tenfold/atom"
)

// withdrawals are how people take back what they asked for last, and forgets how
// they take back what they name.
var (
	withdrawals = atom.NewPhrases("never mind", "nevermind", "scratch that", "forget that", "forget it", "forget my last", "ignore my last", "disregard that",
		"disregard my last", "ignore last message", "ignore the last message", "ignore my previous", "ignore the previous message", "ignore previous message", "strike that", "i take that back", "i take it back", "vergiss das", "vergiss es", "oublie ça", "olvida eso")
	forgets = atom.NewPhrases("forget about", "forget what i said", "forget the", "disregard what i said", "disregard the", "ignore what i said", "i changed my mind about",
		"i no longer want", "we no longer need", "is no longer required", "is no longer needed", "no longer applies", "scrap the")
)

// kept are phrases that say the opposite.
var kept = atom.NewPhrases("don't … forget", "dont … forget", "do not … forget", "never … forget", "can't … forget")

// takeBack marks what a message takes back (M4a). It errs on the side of what was
// demanded: a message must say so in its first sentence, and what it names must
// be in the demand word for word.
func (l *Ledger) takeBack(branch, text string) {
	line, _, _ := strings.Cut(text, "\n")
	said, rest := sentence(line)
	if len(said) < 40 { // sorry
		next, _ := sentence(rest)
		said += " " + next
	}
	if len(said) > wholeMessage || kept.At(said) >= 0 {
		return
	}
	if withdrawals.At(said) >= 0 {
		for _, r := range slices.Backward(l.requests) {
			if r.branch == branch && !r.back {
				r.back = len(r.questions) == 0
				return
			}
		}
		return
	}
	if forgets.At(said) < 0 {
		return
	}
	said, _, _ = strings.Cut(said, ",")
	what := atom.NewFocus(forgetting.Replace(strings.ToLower(said)))
	for _, r := range l.requests {
		if r.branch == branch && !r.long && what.Size() > 0 && what.Matches(r.text) == what.Size() {
			r.back = true
		}
	}
}

// forgetting takes off a withdrawal the words that say that it is one.
var forgetting = strings.NewReplacer(
	"forget", "", "disregard", "", "ignore", "", "what i said", "", "i changed my mind", "", "scrap", "", "no longer", "", "required", "", "needed", "", "need", "", "want", "", "applies", "",
	"actually", "", "requirement", "", "constraint", "", "rule", "",
)
