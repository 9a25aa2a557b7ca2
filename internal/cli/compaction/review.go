package compaction

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"

	"tenfold"
	"tenfold/internal/cli/command"
	"tenfold/internal/cli/terminal"
	"tenfold/strategy"
)

// reviewed is a summarizer whose summaries a person reviews.
type reviewed struct {
	*command.App
	of  strategy.Summarizer
	yes bool
}

// Summarize implements [strategy.Summarizer].
func (v *reviewed) Summarize(ctx context.Context, r strategy.SummaryRequest) (strategy.SummaryResult, error) {
	written, err := v.of.Summarize(ctx, r)
	if err != nil || written.CutOff || written.Declined || tenfold.Blank(written.Text) {
		return written, err // refused anyway
	}
	written.Reviewed = !v.yes
	v.Say(v.PaintErr(terminal.Bold, "Summary of turns "+r.Range.String()+":") + "\n\n  " +
		strings.ReplaceAll(terminal.Visible(strings.Trim(written.Text, "\n")), "\n", "\n  ") + "\n\n") // indented: no line of it can be taken for the question
	for !v.yes {
		answer, err := v.Ask(ctx, "[a]ccept, [e]dit or [d]rop? ")
		switch {
		case errors.Is(err, io.EOF):
			answer = "drop"
		case err != nil:
			return written, err
		}
		switch answer {
		case "a", "accept", "y", "yes":
			return written, nil
		case "e", "edit":
			written.Text, err = editText(ctx, v.App, written.Text)
			written.Dropped = tenfold.Blank(written.Text)
			return written, err
		case "d", "drop", "n", "no":
			written.Dropped = true
			return written, nil
		}
	}
	return written, nil
}

// editText opens a text in the person's editor, and returns what they saved.
func editText(ctx context.Context, a *command.App, text string) (string, error) {
	file, err := os.CreateTemp("", "tenfold-*.md")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.Remove(file.Name()) }()
	_, err = file.WriteString(text + "\n")
	if closing := file.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return "", err
	}
	if err := a.Edit(ctx, file.Name()); err != nil {
		return "", err
	}
	saved, err := os.ReadFile(file.Name())
	if errors.Is(err, os.ErrNotExist) {
		return "", nil
	}
	return strings.TrimRight(string(saved), "\r\n"), err
}
