package agent

import (
	"bytes"
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
	"tenfold/internal/rawjson"
	"tenfold/toolbox"
)

// An Approver is asked about calls that must be asked about. Approve waits for
// the answer, or for ctx. It may be called for several calls at once.
type Approver interface {
	Approve(ctx context.Context, q Question) (Answer, error)
}

// A Question is about one call.
type Question struct {
	Branch string
	Call   tenfold.ToolCall
	Intent toolbox.Intent
	// Firm says that it is asked each time, whatever the person consented to.
	Firm bool
	// Reason is why it is asked.
	Reason string
}

// An Answer is what the person said.
type Answer struct {
	Allowed bool
	// Always allows such calls for the rest of the session.
	Always bool
	// Reason is what the person said where the call was not allowed. The model is told
	// of it as their words; empty is no without a word.
	Reason string
}

// Detail is all that the call would do, for the person to read: what is left out
// could be what matters. It is a model's text, in several lines.
func (q Question) Detail() string {
	if q.Intent.Command != "" {
		return q.Intent.Command
	}
	text := q.Intent.Subject
	if len(q.Intent.Paths) > 0 && !slices.Equal(q.Intent.Paths, []string{text}) {
		text += "\n" + strings.Join(q.Intent.Paths, "\n")
	}
	if q.Intent.Effect != toolbox.Commands {
		text += "\n" + argumentText(q.Call.Arguments)
	}
	return text
}

// argumentText writes arguments so that a person can read them: all members, texts
// as they are.
func argumentText(arguments string) string {
	members, err := rawjson.Parse([]byte(arguments))
	if err != nil || !jsontext.Value(arguments).IsValid() { // nothing may stand behind them
		return arguments
	}
	var lines []string
	for _, m := range members {
		label := memberName(m.Name) + ": "
		text, err := jsontext.AppendUnquote(nil, m.Value)
		switch {
		case err != nil:
			text = m.Value
		case bytes.ContainsRune(text, '\n'):
			label = strings.TrimSpace(label) + "\n"
		}
		lines = append(lines, label+string(text))
	}
	return strings.Join(lines, "\n")
}

// memberName is a name on one line, so that none passes for the next member.
func memberName(name string) string {
	if strings.Join(strings.Fields(name), " ") == name {
		return name
	}
	return strconv.Quote(name)
}
