package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"

	"tenfold/strategy"
)

// reviewed is a summarizer whose summaries a person looks at before they
// count.
type reviewed struct {
	*app
	of  strategy.Summarizer
	yes bool
}

// Summarize implements [strategy.Summarizer].
func (v *reviewed) Summarize(ctx context.Context, r strategy.SummaryRequest) (strategy.SummaryResult, error) {
	written, err := v.of.Summarize(ctx, r)
	if err != nil || written.CutOff || written.Declined || strings.TrimSpace(written.Text) == "" {
		return written, err // refused anyway
	}
	v.say(v.paintErr(bold, "The summary of turns "+r.Range.String()+":") + "\n\n" + visible(strings.Trim(written.Text, "\n")) + "\n\n")
	for !v.yes {
		answer, err := v.ask(ctx, "[a]ccept, [e]dit or [d]rop it? ")
		switch {
		case errors.Is(err, io.EOF):
			answer = "drop" // nobody is there any more
		case err != nil:
			return written, err
		}
		switch answer {
		case "a", "accept", "y", "yes":
			return written, nil
		case "e", "edit":
			written.Text, err = edit(ctx, v.terminal, written.Text)
			written.Dropped = strings.TrimSpace(written.Text) == ""
			return written, err
		case "d", "drop", "n", "no":
			written.Dropped = true
			return written, nil
		}
	}
	return written, nil
}

// edit lets the person change a text in their editor, and gives what they
// saved.
func edit(ctx context.Context, t *terminal, text string) (string, error) {
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
	c := editor(ctx, file.Name())
	// Standard output may be a pipe; standard error is where people look.
	c.Stdin, c.Stdout, c.Stderr = t.in, t.err, t.err
	if err := c.Run(); err != nil {
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		return "", hinted(fmt.Errorf("the editor failed, and nothing was stored: %w", err), "editor", "set VISUAL or EDITOR to the editor you want")
	}
	saved, err := os.ReadFile(file.Name())
	if errors.Is(err, os.ErrNotExist) {
		return "", nil
	}
	return strings.TrimRight(string(saved), "\r\n"), err
}

// editor is the command that edits a file: what $VISUAL or $EDITOR says, which
// may be a command with arguments.
func editor(ctx context.Context, file string) *exec.Cmd {
	name := os.Getenv("VISUAL")
	if name == "" {
		name = os.Getenv("EDITOR")
	}
	if runtime.GOOS == "windows" {
		words := strings.Fields(name)
		if len(words) == 0 {
			words = []string{"notepad"}
		}
		return exec.CommandContext(ctx, words[0], append(words[1:], file)...) //nolint:gosec // the person's own editor
	}
	if name == "" {
		name = "vi"
	}
	return exec.CommandContext(ctx, "sh", "-c", name+` "$@"`, "sh", file) //nolint:gosec // the person's own editor
}
