package summary

import (
	"slices"
	"strings"
	"sync"

	"tenfold"
	"tenfold/atom"
)

// exchanges collects what the assistant concluded and decided: the last text
// of each turn, and sentences that give a reason.
type exchanges struct {
	focus     []string
	said      []conclusion // a turn's last text each, in order
	decisions []decision
	seen      map[string]bool
	texts     int
}

type conclusion struct {
	turn, place int
	text        string
}

// decision is a sentence that gives a reason.
type decision struct {
	conclusion
	wanted bool // it speaks of the focus
}

func newExchanges(focus string) *exchanges {
	x := &exchanges{seen: map[string]bool{}}
	for _, w := range atom.Prose(focus) {
		if len(w.Text) > 3 && !slices.Contains(x.focus, w.Text) {
			x.focus = append(x.focus, w.Text)
		}
	}
	return x
}

// perText is how many places a text has for its sentences.
const perText = 1000

func (x *exchanges) add(turn int, e tenfold.Entry) {
	m, ok := e.Payload.(tenfold.AssistantMessage)
	if !ok {
		return
	}
	text := strings.TrimSpace(m.Text)
	if text == "" {
		return
	}
	x.texts++
	c := conclusion{turn, x.texts * perText, text}
	if n := len(x.said); n > 0 && x.said[n-1].turn == turn {
		x.decide(x.said[n-1])
		x.said[n-1] = c
		return
	}
	x.said = append(x.said, c)
}

// decide takes the sentences of a text that give reasons. It is asked about
// texts that are no conclusions; those are quoted for themselves.
func (x *exchanges) decide(c conclusion) {
	place := c.place
	for line := range strings.SplitSeq(c.text, "\n") {
		line = strings.TrimSpace(line)
		for line != "" && place < c.place+perText-1 {
			var s string
			s, line = sentence(line)
			wanted := x.wants(s)
			if len(s) > 2*lineLength || (!wanted && reasonPhrases().At(s) < 0) || x.seen[s] {
				continue
			}
			x.seen[s] = true
			place++
			x.decisions = append(x.decisions, decision{conclusion{c.turn, place, s}, wanted})
		}
	}
}

func (x *exchanges) wants(s string) bool {
	return len(x.focus) > 0 && slices.ContainsFunc(atom.Prose(s), func(w atom.Spoken) bool { return slices.Contains(x.focus, w.Text) })
}

// reasonPhrases is how decisions and findings are told.
var reasonPhrases = sync.OnceValue(func() atom.Phrases {
	return atom.NewPhrases(
		"because", "since the", "the reason", "root cause", "the problem is", "the issue is", "the problem was", "the issue was", "the bug",
		"turns out", "decided", "chose", "i'll use", "we'll use", "instead of", "rather than", "so that", "therefore", "this means", "which means",
		"weil", "deshalb", "parce que", "porque",
	)
})

// How many characters of conclusions are quoted: of the last, of others.
const (
	lastSize  = 1200
	otherSize = 400
)

// addItems adds the exchanges, most valuable first: the last conclusion, what
// the focus asks for, then conclusions and decisions by turns, the newest
// first.
func (x *exchanges) addItems(s *items) {
	put := func(rank, size int, c conclusion) {
		s.add(inExchanges, rank, c.place, "- turn %d, assistant:\n%s", c.turn, quote(clip(c.text, size)))
	}
	d := len(x.decisions) - 1
	for i, c := range slices.Backward(x.said) {
		if i == len(x.said)-1 {
			put(rankLast, lastSize, c)
		} else {
			put(rankExchange, otherSize, c)
		}
		for ; d >= 0 && x.decisions[d].turn >= c.turn; d-- {
			one := x.decisions[d]
			rank := rankExchange
			if one.wanted {
				rank = rankDetail
			}
			put(rank, len(one.text), one.conclusion)
		}
	}
}
