package cli

// The rules of the terminal. This file owns it; no other writes to it.
//
//   - Results go to standard output, and nothing else does: the report, the
//     list, the JSON. Whatever is piped on is a result.
//   - Notices, warnings, errors and progress go to standard error. --quiet
//     drops all but errors; --json drops notices and warnings, for there the
//     results hold them and standard error is JSON as well: an error, or a
//     warning about the configuration that no result holds.
//   - Questions are asked on standard error and answered on standard input,
//     and only where standard input is a terminal. Where it is none the
//     command wants a flag instead of an answer, and never waits.
//   - An error is "error:" with what happened, lower case and without a final
//     period, then "hint:" with what to try. With --json it is one object.
//   - Colour goes only to a standard output or error that is a terminal, and
//     only while NO_COLOR is unset. It carries no meaning alone.
//   - A terminal that TERM calls dumb or unknown, or does not name, gets text
//     alone: no colour, no progress, no pager.
//   - On a terminal lines are broken between words, never within a number or a
//     name, and what goes on is indented. See broken.
//   - Text that came from a transcript is made visible before it is written:
//     it could hold sequences that steer the terminal. See visible.
//   - What may be long goes through a pager where standard output is a
//     terminal: $TENFOLD_PAGER, else $PAGER, else less. See page.
//   - What a model said is Markdown, and rendered where there is colour.
//     Elsewhere it stands as it was written.
//   - Progress is drawn only on a terminal, and only once the work has taken
//     half a second. Whoever writes to standard error ends it first.

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
	// width is standard output's in columns; 0 when it is no terminal.
	width int
	// errWidth is standard error's.
	errWidth int

	// plain is for terminals that take no escape sequences.
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

// escapes reports whether terminals of a kind take escape sequences. On Windows
// they do, and have no kind.
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

// printf writes a piece of a result.
func (t *terminal) printf(format string, args ...any) {
	_, _ = fmt.Fprintf(t.out, format, args...) // flush tells of errors
}

// narrowest is the width for which lines are broken at least.
const narrowest = 20

// line writes a line of a result; what is too wide for the terminal goes on
// below, indented.
func (t *terminal) line(indent int, text string) {
	if t.width > 0 {
		text = broken(text, max(t.width, narrowest), indent)
	}
	t.printf("%s\n", text)
}

// emit writes a result as one line of JSON.
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

// emitLine writes a result that is a line of JSON already.
func (t *terminal) emitLine(line []byte) {
	_, _ = t.out.Write(append(visibleJSON(line), '\n'))
}

// flush brings results out.
func (t *terminal) flush() error {
	if err := t.out.Flush(); err != nil {
		_, hint := fileTrouble(err, "check the output path")
		return hinted(fmt.Errorf("write to standard output: %w", err), "output", hint)
	}
	return nil
}

// aside is the same terminal with standard error for results: while what was
// asked for itself goes to standard output.
func (a *app) aside() *app {
	b, t := *a, *a.terminal
	t.out = bufio.NewWriter(t.err)
	t.outTTY, t.outColour, t.width = t.errTTY, t.errColour, t.errWidth
	b.terminal = &t
	return &b
}

// noticef tells something that is no result.
func (t *terminal) noticef(format string, args ...any) {
	if !t.quiet && !t.json {
		t.note("", fmt.Sprintf(format, args...))
	}
}

// warn tells something that the user should look at.
func (t *terminal) warn(text string) {
	if !t.quiet && !t.json {
		t.note(t.paintErr(yellow, "warning:")+" ", visibleLine(text))
	}
}

// say writes to standard error.
func (t *terminal) say(text string) {
	t.progress.end()
	_ = t.out.Flush() // in the order in which things were said
	_, _ = io.WriteString(t.err, text)
}

// note writes a line to standard error, broken as lines of results are.
func (t *terminal) note(head, text string) {
	if t.errWidth > 0 {
		text = broken(head+text, max(t.errWidth, narrowest), ansi.StringWidth(head))
		head = ""
	}
	t.say(head + text + "\n")
}

// fail tells an error and gives the exit code.
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

// confirm asks a question and waits for a yes. Where nobody can answer it is
// the error.
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

// ask asks a question and gives the answer in lower case. Where the answers
// end it is io.EOF.
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

// The colours, by what they are for.
type colour uint8

const (
	faint colour = iota
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

// paint colours a short text without line breaks for standard output.
func (t *terminal) paint(c colour, text string) string {
	if !t.outColour || text == "" {
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
