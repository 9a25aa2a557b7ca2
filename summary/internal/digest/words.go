package digest

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"tenfold"
	"tenfold/atom"
	"tenfold/purpose"
)

// words collects what the assistant concluded and found: the last words of each
// turn, and sentences on the way there that tell a decision or a finding.
type words struct {
	focus    *atom.Focus
	said     []conclusion // a turn's last words each, in order
	findings []finding
	seen     map[string]bool
	texts    int
}

type conclusion struct {
	turn, place int
	text        string
	// underway is set where calls followed in the turn: it says what comes, not
	// what came of it.
	underway bool
}

// finding is a sentence that tells a decision or a finding.
type finding struct {
	conclusion
	wanted bool // it speaks of the focus
}

// perText is how many places a text has for its sentences.
const perText = 1000

func (x *words) add(turn int, e tenfold.Entry) {
	n := len(x.said)
	switch p := e.Payload.(type) {
	case tenfold.ToolCall:
		if n > 0 && x.said[n-1].turn == turn {
			x.said[n-1].underway = true
		}
	case tenfold.AssistantMessage:
		text := strings.TrimLeft(strings.TrimSpace(p.Text), "-\n ")
		if !purpose.Speaks(text) {
			return
		}
		x.texts++
		c := conclusion{turn: turn, place: x.texts * perText, text: text}
		if n > 0 && x.said[n-1].turn == turn {
			x.findSentences(x.said[n-1])
			x.said[n-1] = c
			return
		}
		x.said = append(x.said, c)
	}
}

// findSentences takes the sentences of a text that tell a decision or a finding, or speak
// of the focus. It is not asked about conclusions: those are quoted for
// themselves.
func (x *words) findSentences(c conclusion) {
	place := c.place
	for line := range strings.SplitSeq(c.text, "\n") {
		line = strings.TrimSpace(line)
		for line != "" && place < c.place+perText-1 {
			var s string
			s, line = sentence(line)
			wanted := x.focus.Matches(s) > 0
			if len(s) > 2*lineLength || (!wanted && (found.At(s) < 0 || narrates(s))) || strings.HasSuffix(s, ":") || x.seen[s] {
				continue
			}
			x.seen[s] = true
			place++
			x.findings = append(x.findings, finding{conclusion{turn: c.turn, place: place, text: s}, wanted})
		}
	}
}

// narrates reports whether a sentence says what the agent is about to do.
func narrates(s string) bool {
	s = strings.ToLower(strings.ReplaceAll(s, "’", "'"))
	for _, start := range []string{"i'm ", "i'll ", "i am ", "i will ", "let me ", "let's ", "now ", "next", "first", "i need to ", "i want to "} {
		if strings.HasPrefix(s, start) {
			return true
		}
	}
	return slices.ContainsFunc([]string{", i'm ", ", i'll ", "; i'm ", "; i'll "}, func(words string) bool { return strings.Contains(s, words) })
}

// found is how decisions and findings are told.
var found = atom.NewPhrases(
	"because", "the reason", "root cause", "the problem is", "the issue is", "the problem was", "the issue was", "the real problem", "the bug is", "the bug was",
	"turns out", "decided", "the cause", "caused by", "confirmed that", "this means that", "weil", "deshalb", "parce que", "porque",
)

// decisionSize is how many characters of the last words of an earlier turn are
// quoted, and wordsSize how many where there is room.
const decisionSize, wordsSize = 400, 1600

// addItems adds conclusions and findings by turns, the newest first. The last
// words of all stand where the work stands, if nobody spoke since.
func (x *words) addItems(s *items, last string) {
	put := func(rank int, c conclusion, text string) int {
		return s.add(inDecisions, rank, c.place, "- turn %d:%s", c.turn, quotedBelow(text))
	}
	for i := len(x.said) - 1; i >= 0; i-- {
		c := x.said[i]
		switch {
		case i == len(x.said)-1 && last != "" && strings.HasSuffix(strings.TrimSpace(last), c.text):
		case !c.underway && !strings.HasSuffix(c.text, ":"):
			rank := rankDecision
			if i == len(x.said)-1 {
				rank = rankLast
			}
			n := put(rank, c, opening(c.text, decisionSize))
			if utf8.RuneCountInString(c.text) > decisionSize {
				s.addInstead(n, rankWords, fmt.Sprintf("- turn %d:%s", c.turn, quotedBelow(opening(c.text, wordsSize))))
			}
		default:
			x.findSentences(c)
		}
	}
	for i := len(x.findings) - 1; i >= 0; i-- {
		f := x.findings[i]
		rank := rankDecision
		if f.wanted {
			rank = rankFocus
		}
		put(rank, f.conclusion, f.text)
	}
}
