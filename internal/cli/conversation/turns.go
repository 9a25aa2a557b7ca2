package conversation

import (
	"errors"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"tenfold/internal/cli/command"
	"tenfold/internal/report"
)

// turnRange is the value of --turns: "3..7", "3..", "..7" or "5"; negative
// numbers count from the end.
type turnRange struct {
	from, to *int
}

func parseTurns(text string) (r turnRange, err error) {
	from, to, isRange := strings.Cut(text, "..")
	if !isRange {
		to = from
	}
	for _, end := range []struct {
		text  string
		place **int
	}{{from, &r.from}, {to, &r.to}} {
		if end.text == "" && isRange {
			continue
		}
		n, err := strconv.Atoi(end.text)
		if err != nil {
			return r, errors.New("write 3..7, 3.., ..7, 5 or -2..")
		}
		*end.place = &n
	}
	return r, nil
}

// in resolves the range for a conversation of so many turns.
func (r turnRange) in(turns int) (from, to int, err error) {
	last := max(turns-1, 0)
	resolve := func(n *int, missing int) int {
		switch {
		case n == nil:
			return missing
		case *n < 0:
			return max(last+*n, 0)
		}
		return *n
	}
	from, to = resolve(r.from, 0), resolve(r.to, last)
	hint := "the conversation has " + report.TurnWords(0, last)
	if turns == 0 {
		hint = "the conversation has no turns"
	}
	switch {
	case from > to && r.to != nil:
		return from, to, command.Usage("--turns starts at turn "+strconv.Itoa(from)+" and ends at turn "+strconv.Itoa(to), hint)
	case from > last:
		return from, to, command.Usage("--turns: no turn "+strconv.Itoa(from), hint)
	}
	return from, to, nil
}

// turnsFlag adds --turns.
func turnsFlag(c *cobra.Command) *command.Parsed[turnRange] {
	p := &command.Parsed[turnRange]{Text: "..", Value: &turnRange{}, Parse: parseTurns}
	c.Flags().Var(p, "turns", "show only turns `A..B`, both inclusive")
	return p
}
