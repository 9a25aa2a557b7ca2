package summary

import (
	"fmt"
	"strings"

	"tenfold"
	"tenfold/tool"
)

// saidIn joins the texts of a content.
func saidIn(parts []tenfold.Part) string {
	if len(parts) == 1 {
		return parts[0].Text
	}
	var texts []string
	for _, p := range parts {
		if p.Text != "" {
			texts = append(texts, p.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// outcome is how a call ended, as the record says (L12).
type outcome struct {
	tenfold.Outcome
	// failed is set where that is a failure: of a search that found nothing it
	// is not.
	failed bool
	// text is the output, without what the host wrote around it.
	text string
}

// outcomeOf reads how a call ended off its result.
func outcomeOf(c *call, r tenfold.ToolResult) outcome {
	return outcome{tool.OutcomeOf(c.name, r), tool.Failed(c.name, c.arguments, r), tool.Output(r)}
}

// exitWords tell the exit code, if it is known.
func (o outcome) exitWords() string {
	if code, ok := o.Code(); ok {
		return fmt.Sprintf(", exit code %d", code)
	}
	return ""
}

// words are how a command ended; "done" where the record does not say.
func (o outcome) words() string {
	switch _, exit := o.Code(); {
	case exit && !o.failed:
		return string(o.Outcome) // of a search, and the like
	case exit:
		return "error" + o.exitWords()
	case o.Outcome == "":
		return "done"
	}
	return string(o.Outcome)
}

// lineLength is how many characters of a tool's line are quoted.
const lineLength = 200

// linesOf gives up to n lines of an output that say something, from the front,
// or from the end backwards. Blank lines and fences say nothing.
func linesOf(text string, n int, fromEnd bool) (lines []string) {
	for len(lines) < n && text != "" {
		var line string
		if fromEnd {
			at := strings.LastIndexByte(text, '\n')
			text, line = text[:max(at, 0)], text[at+1:]
		} else {
			line, text, _ = strings.Cut(text, "\n")
		}
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "```") {
			lines = append(lines, clip(line, lineLength))
		}
	}
	return lines
}
