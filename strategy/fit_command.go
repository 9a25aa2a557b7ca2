package strategy

import (
	"slices"
	"strings"

	"tenfold"
	"tenfold/atom"
	"tenfold/excerpt"
	"tenfold/tool"
)

// command is [commandLine], which is asked for again with each try.
func (f *fitting) command(c toolCall) []tenfold.LineRange {
	lines, known := f.commands[c.seq]
	if !known {
		if f.commands == nil {
			f.commands = map[int64][]tenfold.LineRange{}
		}
		lines = commandLine(c.call)
		f.commands[c.seq] = lines
	}
	return lines
}

// commandLine gives the first line of a command that is too long to stay in its call's
// arguments, as a line of their bodies: output, or that there was some, says nothing
// where nobody knows of what. None for other calls.
func commandLine(call tenfold.ToolCall) []tenfold.LineRange {
	t, _ := tool.Lookup(call.Name)
	if t.Kind != tool.Shell {
		return nil
	}
	command, _ := t.Command(call.Arguments)
	number := 1
	for _, text := range tenfold.ArgumentTexts(call.Arguments) {
		switch {
		case !text.Body:
		case command != "" && (strings.Contains(text.Text, command) || strings.Contains(command, text.Text)):
			for line := range strings.Lines(text.Text) {
				if strings.TrimSpace(line) != "" {
					return []tenfold.LineRange{shortRange(number, line)}
				}
				number++
			}
			return nil
		default:
			number += len(slices.Collect(strings.Lines(text.Text)))
		}
	}
	return nil
}

// notIn leaves of what is kept of a call's bodies the passages that a result which stays
// whole does not show, as that of an edit may which prints the file or the change as a diff.
func (f *fitting) notIn(c toolCall, k excerpt.Kept) []tenfold.LineRange {
	if len(k.Body) == 0 || !k.Whole {
		return k.Body
	}
	shown := map[string]bool{"": true}
	bare := func(line string) string { return strings.TrimSpace(line[atom.Gutter(line):]) }
	var diff atom.Diff
	for line := range strings.Lines(tenfold.TextLines(payloadOf[tenfold.ToolResult](f.p.Log(), c.result))) {
		line = strings.TrimRight(line, "\r\n")
		if diff.Has(line) {
			line = strings.TrimPrefix(line, "+")
		}
		shown[bare(line)] = true
	}
	var lines []bool
	for _, text := range tenfold.ArgumentTexts(c.call.Arguments) {
		for line := range strings.Lines(text.Text) {
			if text.Body {
				lines = append(lines, shown[bare(strings.TrimRight(line, "\r\n"))])
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(k.Body), func(r tenfold.LineRange) bool {
		return r.First >= 1 && r.Last <= len(lines) && !slices.Contains(lines[r.First-1:r.Last], false)
	})
}
