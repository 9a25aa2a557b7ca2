package strategy

import (
	"slices"
	"strings"

	"tenfold"
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
