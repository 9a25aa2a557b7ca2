// Package terminal is what the command line may write to a terminal, and how. Its
// rules:
//
//   - Results go to standard output, and nothing else does.
//   - Notices, warnings, errors and progress go to standard error. --quiet
//     suppresses all but errors. --json suppresses notices and warnings, which
//     are part of the results then; standard error is JSON as well: an error, or
//     a warning about the configuration that no result contains.
//   - Questions are asked on standard error and answered on standard input, only
//     if it is a terminal. Otherwise the command requires a flag and never waits.
//   - An error is "error:" and what happened, lower case and without a final
//     period, then "hint:" and what to try. With --json it is one object.
//   - Colour is used on terminals only, and only if NO_COLOR is unset. It never
//     carries meaning alone.
//   - If TERM is empty, dumb or unknown, there is no colour, progress or pager.
//   - On a terminal lines are wrapped between words and continued with an indent.
//     See [WrapLine].
//   - Text from transcripts is made visible first: it may contain sequences that
//     control the terminal. See [Visible].
//   - Long output goes through a pager. See [Terminal.Page].
//   - What a model said is rendered as Markdown if there is colour.
//   - Progress is drawn on a terminal once the work has taken half a second, and
//     ends before anything else is written to standard error.
package terminal

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/term"

	"tenfold/problem"
)

// Terminal is standard input, output and error, and what may go where.
type Terminal struct {
	In  io.Reader
	Out *bufio.Writer
	Err io.Writer

	InTTY, OutTTY, ErrTTY bool
	OutColour, ErrColour  bool
	// Width is the columns of standard output; 0 if it is not a terminal.
	Width    int
	ErrWidth int

	// plain is set for terminals without escape sequences.
	plain bool

	JSON, Quiet bool
	lines       *bufio.Reader // of answers
	Progress    *Progress     // under way
}

func New(in, out, errs *os.File) *Terminal {
	t := &Terminal{In: in, Out: bufio.NewWriterSize(out, 64<<10), Err: errs}
	t.InTTY = term.IsTerminal(int(in.Fd()))
	t.OutTTY = term.IsTerminal(int(out.Fd()))
	t.ErrTTY = term.IsTerminal(int(errs.Fd()))
	t.plain = !escapes(os.Getenv("TERM"))
	colour := os.Getenv("NO_COLOR") == "" && !t.plain
	t.OutColour, t.ErrColour = t.OutTTY && colour, t.ErrTTY && colour
	if t.OutTTY {
		t.Width = columns(out)
	}
	if t.ErrTTY {
		t.ErrWidth = columns(errs)
	}
	return t
}

// escapes reports whether a kind of terminal supports escape sequences. On
// Windows TERM is empty.
func escapes(kind string) bool {
	switch kind {
	case "":
		return runtime.GOOS == "windows"
	case "dumb", "unknown":
		return false
	}
	return true
}

func columns(f *os.File) int {
	if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
		return width
	}
	return 80
}

// Printf prints a part of a result.
func (t *Terminal) Printf(format string, args ...any) {
	_, _ = fmt.Fprintf(t.Out, format, args...) // flush reports errors
}

// narrowest is the least width that lines are wrapped for.
const narrowest = 20

// Line prints a line of a result, wrapped with an indent.
func (t *Terminal) Line(indent int, text string) {
	if t.Width > 0 {
		text = WrapLine(text, max(t.Width, narrowest), indent)
	}
	t.Printf("%s\n", text)
}

// TwoParts prints two texts on a line, or on two if the terminal is narrow.
func (t *Terminal) TwoParts(c Colour, first, second string) {
	if t.Width > 0 && ansi.StringWidth(first+second)+3 > t.Width {
		t.Line(4, t.Paint(c, first))
		t.Line(4, "    "+t.Paint(c, second))
		return
	}
	t.Printf("%s   %s\n", t.Paint(c, first), t.Paint(c, second))
}

// Result prints what a command did: as JSON, or as text prints it.
func (t *Terminal) Result(v any, text func()) error {
	if t.JSON {
		return t.Emit(v)
	}
	text()
	return nil
}

// Emit prints a result as one line of JSON.
func (t *Terminal) Emit(v any) error {
	line, err := MarshalLine(v)
	if err != nil {
		return fmt.Errorf("write JSON: %w", err)
	}
	t.EmitLine(line)
	return nil
}

// MarshalLine formats a result as one line of JSON.
func MarshalLine(v any, options ...json.Options) ([]byte, error) {
	return json.Marshal(v, json.JoinOptions(options...), json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
}

// EmitLine prints a result that is a line of JSON already.
func (t *Terminal) EmitLine(line []byte) {
	_, _ = t.Out.Write(append(VisibleJSON(line), '\n'))
}

// CodeOutput is the code of errors of flush.
const CodeOutput = "output"

// Flush writes buffered results.
func (t *Terminal) Flush() error {
	if err := t.Out.Flush(); err != nil {
		return &problem.Error{Code: CodeOutput, Op: "write to", Subject: "standard output", Err: err}
	}
	return nil
}

// Noticef prints a notice.
func (t *Terminal) Noticef(format string, args ...any) {
	if !t.Quiet && !t.JSON {
		t.Note("", fmt.Sprintf(format, args...))
	}
}

// Warn prints a warning.
func (t *Terminal) Warn(text string) {
	if !t.Quiet && !t.JSON {
		t.Note(t.PaintErr(Yellow, "warning:")+" ", VisibleLine(text))
	}
}

// Say writes to standard error.
func (t *Terminal) Say(text string) {
	t.Progress.End()
	_ = t.Out.Flush() // keep the order
	_, _ = io.WriteString(t.Err, text)
}

// Note prints a wrapped line to standard error.
func (t *Terminal) Note(head, text string) {
	if t.ErrWidth > 0 {
		text = WrapLine(head+text, max(t.ErrWidth, narrowest), ansi.StringWidth(head))
		head = ""
	}
	t.Say(head + text + "\n")
}

// Confirm asks a question and waits for a yes. Without a terminal it returns the
// given error.
func (t *Terminal) Confirm(ctx context.Context, question string, unanswerable error) (bool, error) {
	if !t.InTTY {
		return false, unanswerable
	}
	answer, err := t.Ask(ctx, question+" [y/N] ")
	switch {
	case errors.Is(err, io.EOF):
		return false, nil
	case err != nil:
		return false, err
	}
	return answer == "y" || answer == "yes", nil
}

// Ask asks a question and returns the answer in lower case, io.EOF at the end of
// input.
func (t *Terminal) Ask(ctx context.Context, question string) (string, error) {
	t.Say(question)
	type said struct {
		line string
		err  error
	}
	if t.lines == nil { // one reader, or what it read ahead would be lost
		t.lines = bufio.NewReader(t.In)
	}
	answer := make(chan said, 1)
	go func() { // reading cannot be interrupted
		line, err := t.lines.ReadString('\n')
		answer <- said{line, err}
	}()
	select {
	case <-ctx.Done():
		t.Say("\n")
		return "", ctx.Err()
	case a := <-answer:
		if a.err != nil && strings.TrimSpace(a.line) == "" {
			t.Say("\n")
			return "", a.err
		}
		return strings.ToLower(strings.TrimSpace(a.line)), nil
	}
}

// The text styles.
type Colour uint8

const (
	Normal Colour = iota
	Faint
	Bold
	Red
	Yellow
	Green
	Cyan
	italic
)

func (c Colour) style() lipgloss.Style {
	s := lipgloss.NewStyle()
	switch c {
	case Bold:
		return s.Bold(true)
	case italic:
		return s.Italic(true)
	case Red:
		return s.Foreground(lipgloss.Red)
	case Yellow:
		return s.Foreground(lipgloss.Yellow)
	case Green:
		return s.Foreground(lipgloss.Green)
	case Cyan:
		return s.Foreground(lipgloss.Cyan)
	}
	return s.Faint(true)
}

// Paint styles a text without line breaks for standard output.
func (t *Terminal) Paint(c Colour, text string) string {
	if !t.OutColour || c == Normal || text == "" {
		return text
	}
	return c.style().Render(text)
}

func (t *Terminal) PaintErr(c Colour, text string) string {
	if !t.ErrColour || text == "" {
		return text
	}
	return c.style().Render(text)
}
