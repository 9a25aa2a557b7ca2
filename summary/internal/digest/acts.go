package digest

import (
	"slices"

	"tenfold/internal/number"
)

// An act is what a call did of a tool of which nothing is known ([tool.Does]). To an agent
// that books or orders it is what changed files are to one that writes code.
type act struct {
	call  *call
	words string
}

const (
	// actsMost is how many acts are told, and actsOfOne how many of one tool before those of others.
	actsMost, actsOfOne = 12, 3
)

// actItems tells what calls of unknown tools did, the newest first: the last few of each,
// then more of them as far as there are few of all.
func (l *Ledger) actItems(s *items) {
	all, of, told := map[string]int{}, map[string]int{}, map[string]bool{}
	ranks := map[int]int{} // of those that are told, by their places
	for _, a := range l.acts {
		all[a.call.name]++
	}
	for _, pass := range []struct{ most, rank int }{{actsOfOne, rankCheck}, {actsMost, rankCommand}} {
		for i, a := range slices.Backward(l.acts) {
			if quoted := a.call.quoted(); len(told) < actsMost && of[a.call.name] < pass.most && !told[quoted] {
				told[quoted], ranks[i] = true, pass.rank
				of[a.call.name]++
			}
		}
	}
	for i, a := range slices.Backward(l.acts) {
		rank, tells := ranks[i]
		if !tells {
			continue
		}
		rest := ""
		if name := a.call.name; all[name] > of[name] {
			rest = ", the last of " + number.CountOf(all[name], "call", "calls")
			all[name] = 0
		}
		s.add(inCommands, rank, len(l.ran)+len(l.acts)-i, "- %s: %s, turn %d%s\n", a.call.quoted(), a.words, a.call.turn, rest)
	}
}
