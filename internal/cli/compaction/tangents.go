package compaction

import (
	"context"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"tenfold/internal/cli/command"
	"tenfold/internal/cli/terminal"
	"tenfold/internal/number"
	"tenfold/session"
	"tenfold/strategy"
)

// confirmTangents has a person confirm which turns to omit (S-13). If that is impossible
// it fails before a model is called.
func (r *Flags) confirmTangents(a *command.App, req *session.Request, by string) error {
	switch {
	case r.DryRun: // it only lists
	case r.yes:
		req.Options.Confirm = func(_ context.Context, named []strategy.Tangent) ([]strategy.Tangent, error) {
			if !a.JSON && !a.Quiet {
				listTangents(a, named)
			}
			return named, nil
		}
	case a.InTTY:
		req.Options.Confirm = func(ctx context.Context, named []strategy.Tangent) ([]strategy.Tangent, error) {
			return confirmTangents(ctx, a, named)
		}
	default:
		return command.Usage(by+": cannot ask which turns to omit: stdin is not a terminal",
			"add --yes to omit all turns that the model names, or --dry-run to list them")
	}
	return nil
}

func listTangents(a *command.App, named []strategy.Tangent) {
	var text strings.Builder
	text.WriteString(a.PaintErr(terminal.Bold, "Off the task:") + "\n")
	turn, tokens := 0, 0
	for _, t := range named {
		turn, tokens = max(turn, len(strconv.Itoa(t.Turn))), max(tokens, len(number.Thousands(t.Tokens)))
	}
	for _, t := range named {
		line := "  turn " + terminal.PadLeft(strconv.Itoa(t.Turn), turn) + "  " + terminal.PadLeft(number.Thousands(t.Tokens), tokens) + " tokens"
		if t.Reason != "" {
			line += "  " + terminal.VisibleLine(t.Reason)
		}
		text.WriteString(line + "\n")
	}
	a.Say(text.String())
}

// confirmTangents asks until the answer is valid.
func confirmTangents(ctx context.Context, a *command.App, named []strategy.Tangent) ([]strategy.Tangent, error) {
	listTangents(a, named)
	for {
		answer, err := a.Ask(ctx, "Omit [a]ll, [n]one, or which turns? ")
		switch {
		case errors.Is(err, io.EOF):
			return nil, nil
		case err != nil:
			return nil, err
		}
		switch answer {
		case "a", "all", "y", "yes":
			return named, nil
		case "n", "none", "no":
			return nil, nil
		}
		if chosen, ok := someOf(named, answer); ok {
			return chosen, nil
		}
	}
}

// someOf parses turns separated by spaces or commas; all must be among those
// named.
func someOf(named []strategy.Tangent, answer string) (chosen []strategy.Tangent, ok bool) {
	for _, word := range strings.FieldsFunc(answer, func(r rune) bool { return r == ' ' || r == ',' }) {
		turn, err := strconv.Atoi(word)
		i := slices.IndexFunc(named, func(t strategy.Tangent) bool { return t.Turn == turn })
		if err != nil || i < 0 {
			return nil, false
		}
		chosen = append(chosen, named[i])
	}
	return chosen, len(chosen) > 0
}
