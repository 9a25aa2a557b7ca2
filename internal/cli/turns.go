package cli

import (
	"strconv"
	"strings"
)

// turnRange is the value of --turns: "3..7", "3..", "..7", "5", and with
// numbers below zero so many turns before the last.
type turnRange struct {
	from, to *int
}

func parseTurns(text string) (turnRange, error) {
	var r turnRange
	from, to, isRange := strings.Cut(text, "..")
	if !isRange {
		to = from
	}
	bad := usage("--turns: "+quote(text)+" is no range of turns", "write 3..7, 3.., ..7, 5 or -2..")
	for _, end := range []struct {
		text  string
		place **int
	}{{from, &r.from}, {to, &r.to}} {
		if end.text == "" {
			continue
		}
		n, err := strconv.Atoi(end.text)
		if err != nil {
			return r, bad
		}
		*end.place = &n
	}
	if r.from == nil && r.to == nil && text != ".." {
		return r, bad
	}
	return r, nil
}

// in settles the range for a conversation of so many turns.
func (r turnRange) in(turns int) (from, to int, err error) {
	from, to = 0, max(turns-1, 0)
	settle := func(n int) int {
		if n < 0 {
			return max(turns-1+n, 0)
		}
		return n
	}
	if r.from != nil {
		from = settle(*r.from)
	}
	if r.to != nil {
		to = settle(*r.to)
	}
	hint := "the conversation has " + turnWords(0, max(turns-1, 0))
	if turns == 0 {
		hint = "the conversation has no turns"
	}
	switch {
	case from > to:
		return from, to, usage("--turns begins at turn "+strconv.Itoa(from)+" and ends at turn "+strconv.Itoa(to), hint)
	case from >= max(turns, 1):
		return from, to, usage("--turns: there is no turn "+strconv.Itoa(from), hint)
	}
	return from, to, nil
}
