package cli

// The rules of the terminal. Only this file writes to it.
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
//     See broken.
//   - Text from transcripts is made visible first: it may contain sequences that
//     control the terminal. See visible.
//   - Long output goes through a pager. See page.
//   - What a model said is rendered as Markdown if there is colour.
//   - Progress is drawn on a terminal once the work has taken half a second, and
//     ends before anything else is written to standard error.

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

// terminal is standard input, output and error, and what may go where.
type terminal struct {
	in  io.Reader
	out *bufio.Writer
	err io.Writer

	inTTY, outTTY, errTTY bool
	outColour, errColour  bool
	// width is the columns of standard output; 0 if it is not a terminal.
	width    int
	errWidth int

	// plain is set for terminals without escape sequences.
	plain bool

	json, quiet bool
	lines       *bufio.Reader // of answers
	progress    *progress     // under way
}

func newTerminal(in, out, errs *os.File) *terminal {
	t := &terminal{in: in, out: bufio.NewWriterSize(out, 64<<10), err: errs}
	t.inTTY = term.IsTerminal(int(in.Fd()))
	t.outTTY = term.IsTerminal(int(out.Fd()))
	t.errTTY = term.IsTerminal(int(errs.Fd()))
	t.plain = !escapes(os.Getenv("TERM"))
	colour := os.Getenv("NO_COLOR") == "" && !t.plain
	t.outColour, t.errColour = t.outTTY && colour, t.errTTY && colour
	if t.outTTY {
		t.width = columns(out)
	}
	if t.errTTY {
		t.errWidth = columns(errs)
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

// printf prints a part of a result.
func (t *terminal) printf(format string, args ...any) {
	_, _ = fmt.Fprintf(t.out, format, args...) // flush reports errors
}

// narrowest is the least width that lines are wrapped for.
const narrowest = 20

// line prints a line of a result, wrapped with an indent.
func (t *terminal) line(indent int, text string) {
	if t.width > 0 {
		text = broken(text, max(t.width, narrowest), indent)
	}
	t.printf("%s\n", text)
}

// twoParts prints two texts on a line, or on two if the terminal is narrow.
func (t *terminal) twoParts(c colour, first, second string) {
	if t.width > 0 && ansi.StringWidth(first+second)+3 > t.width {
		t.line(4, t.paint(c, first))
		t.line(4, "    "+t.paint(c, second))
		return
	}
	t.printf("%s   %s\n", t.paint(c, first), t.paint(c, second))
}

// result prints what a command did: as JSON, or as text prints it.
func (t *terminal) result(v any, text func()) error {
	if t.json {
		return t.emit(v)
	}
	text()
	return nil
}

// emit prints a result as one line of JSON.
func (t *terminal) emit(v any) error {
	line, err := marshalLine(v)
	if err != nil {
		return fmt.Errorf("write JSON: %w", err)
	}
	t.emitLine(line)
	return nil
}

func marshalLine(v any) ([]byte, error) {
	return json.Marshal(v, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
}

// emitLine prints a result that is a line of JSON already.
func (t *terminal) emitLine(line []byte) {
	_, _ = t.out.Write(append(visibleJSON(line), '\n'))
}

// flush writes buffered results.
func (t *terminal) flush() error {
	if err := t.out.Flush(); err != nil {
		_, hint := fileTrouble(err, "check the output path")
		return hinted(fmt.Errorf("write to standard output: %w", err), "output", hint)
	}
	return nil
}

// aside is the same app with results on standard error, because standard output
// has the converted conversation.
func (a *app) aside() *app {
	b, t := *a, *a.terminal
	t.out = bufio.NewWriter(t.err)
	t.outTTY, t.outColour, t.width = t.errTTY, t.errColour, t.errWidth
	b.terminal = &t
	return &b
}

// noticef prints a notice.
func (t *terminal) noticef(format string, args ...any) {
	if !t.quiet && !t.json {
		t.note("", fmt.Sprintf(format, args...))
	}
}

// warn prints a warning.
func (t *terminal) warn(text string) {
	if !t.quiet && !t.json {
		t.note(t.paintErr(yellow, "warning:")+" ", visibleLine(text))
	}
}

// say writes to standard error.
func (t *terminal) say(text string) {
	t.progress.end()
	_ = t.out.Flush() // keep the order
	_, _ = io.WriteString(t.err, text)
}

// note prints a wrapped line to standard error.
func (t *terminal) note(head, text string) {
	if t.errWidth > 0 {
		text = broken(head+text, max(t.errWidth, narrowest), ansi.StringWidth(head))
		head = ""
	}
	t.say(head + text + "\n")
}

// fail prints an error and returns the exit code.
func (t *terminal) fail(err error) int {
	if errors.Is(err, errTold) {
		return exitFailed
	}
	f := explain(err)
	if t.json {
		t.failJSON(f)
	} else {
		t.note(t.paintErr(red, "error:")+" ", visibleLine(f.Error()))
		if f.Hint != "" {
			t.note(t.paintErr(faint, "hint:")+"  ", visibleLine(f.Hint))
		}
	}
	if f.Usage {
		return exitUsage
	}
	return exitFailed
}

func (t *terminal) failJSON(f *problem.Error) {
	type errorJSON struct {
		Code    string `json:"code"`
		Message string `json:"message"`
		Hint    string `json:"hint"`
	}
	line, err := marshalLine(map[string]errorJSON{"error": {f.Code, f.Error(), f.Hint}})
	if err != nil {
		line = []byte(`{"error":{"code":"failed","message":"","hint":""}}`)
	}
	t.say(string(visibleJSON(line)) + "\n")
}

// confirm asks a question and waits for a yes. Without a terminal it returns the
// given error.
func (t *terminal) confirm(ctx context.Context, question string, unanswerable error) (bool, error) {
	if !t.inTTY {
		return false, unanswerable
	}
	answer, err := t.ask(ctx, question+" [y/N] ")
	switch {
	case errors.Is(err, io.EOF):
		return false, nil
	case err != nil:
		return false, err
	}
	return answer == "y" || answer == "yes", nil
}

// ask asks a question and returns the answer in lower case, io.EOF at the end of
// input.
func (t *terminal) ask(ctx context.Context, question string) (string, error) {
	t.say(question)
	type said struct {
		line string
		err  error
	}
	if t.lines == nil { // one reader, or what it read ahead would be lost
		t.lines = bufio.NewReader(t.in)
	}
	answer := make(chan said, 1)
	go func() { // reading cannot be interrupted
		line, err := t.lines.ReadString('\n')
		answer <- said{line, err}
	}()
	select {
	case <-ctx.Done():
		t.say("\n")
		return "", ctx.Err()
	case a := <-answer:
		if a.err != nil && strings.TrimSpace(a.line) == "" {
			t.say("\n")
			return "", a.err
		}
		return strings.ToLower(strings.TrimSpace(a.line)), nil
	}
}

// The text styles.
type colour uint8

const (
	normal colour = iota
	faint
	bold
	red
	yellow
	green
	cyan
	italic
)

func (c colour) style() lipgloss.Style {
	s := lipgloss.NewStyle()
	switch c {
	case bold:
		return s.Bold(true)
	case italic:
		return s.Italic(true)
	case red:
		return s.Foreground(lipgloss.Red)
	case yellow:
		return s.Foreground(lipgloss.Yellow)
	case green:
		return s.Foreground(lipgloss.Green)
	case cyan:
		return s.Foreground(lipgloss.Cyan)
	}
	return s.Faint(true)
}

// paint styles a text without line breaks for standard output.
func (t *terminal) paint(c colour, text string) string {
	if !t.outColour || c == normal || text == "" {
		return text
	}
	return c.style().Render(text)
}

func (t *terminal) paintErr(c colour, text string) string {
	if !t.errColour || text == "" {
		return text
	}
	return c.style().Render(text)
}
