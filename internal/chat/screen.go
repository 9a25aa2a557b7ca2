package chat

import (
	"bytes"
	"io"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"tenfold/internal/cli/terminal"
)

// A block is something finished: its lines, for a terminal of that many columns.
type block func(width int) []string

// A screen writes blocks above the live area, in order, and writes the last ones
// again when the width changes.
type screen struct {
	width, height int
	recent        []shown // the last blocks, enough to fill a screen
	queue         []string
	busy          bool // a print or a repaint is under way
	settling      bool // the size changes
	stale         bool // the size has changed since the last repaint
	resizes       int
	printed       int  // lines, up to the first screen
	owned         bool // what is on the screen is all ours
}

// shown is a block, and how many lines it took.
type shown struct {
	block
	lines int
}

// remembered is how many lines are kept to be repainted: more than a screen has.
const remembered = 200

// settleAfter is how long after a change of the size the screen is repainted:
// changes come in rows.
const settleAfter = 60 * time.Millisecond

type (
	printedMsg struct{}
	settledMsg struct{ resizes int }
)

// add queues a block to be written.
func (s *screen) add(b block) {
	lines := fit(b(s.width), s.width)
	s.queue = append(s.queue, lines...)
	s.recent = append(s.recent, shown{b, len(lines)})
	total, most := 0, max(remembered, s.height)
	for i := len(s.recent) - 1; i >= 0; i-- {
		if total += s.recent[i].lines; total >= most {
			s.recent = s.recent[i:]
			break
		}
	}
}

// most is how many lines the live area may have.
func (s *screen) most() int { return max(s.height/3, 4) }

// flush writes what is queued, as much as fits above the live area at once: the
// renderer would push the live area into the scroll-back with more. It counts the
// lines of the frame that it drew last, which may be as many as there may be.
func (s *screen) flush(live int) tea.Cmd {
	switch {
	case s.busy || s.width == 0:
		return nil
	case s.stale && len(s.queue) == 0:
		return s.repaint(live)
	case len(s.queue) == 0 || s.settling:
		return nil
	}
	n := min(len(s.queue), max(s.height-s.most()-1, 1))
	text := strings.Join(s.queue[:n], "\n")
	if text == "" { // would be taken for nothing to print
		text = " "
	}
	s.queue = s.queue[n:]
	s.printed = min(s.printed+n, s.height)
	s.owned = s.owned || s.printed >= s.height
	s.busy = true
	return tea.Sequence(tea.Println(text), func() tea.Msg { return printedMsg{} })
}

// has tells whether that is the size it goes by.
func (s *screen) has(width, height int) bool {
	return s.width == max(width, 4) && s.height == max(height, 4)
}

// resize takes in a new size.
func (s *screen) resize(width, height int) tea.Cmd {
	first := s.width == 0
	if s.has(width, height) {
		return nil
	}
	s.width, s.height = max(width, 4), max(height, 4)
	if first {
		return nil
	}
	s.resizes++
	s.settling = true
	msg := settledMsg{s.resizes}
	return tea.Tick(settleAfter, func(time.Time) tea.Msg { return msg })
}

// settled asks for a repaint, unless the size has changed again.
func (s *screen) settled(msg settledMsg) {
	if msg.resizes == s.resizes {
		s.settling, s.stale = false, true
	}
}

// repaint clears the screen and writes its last lines for the new width. What
// stood on it before the chat began is pushed into the scroll-back first.
func (s *screen) repaint(live int) tea.Cmd {
	s.stale, s.busy = false, true
	// Line by line: of a screen that is cleared at once some terminals, as tmux, put a copy
	// into the scroll-back.
	wipe := ansi.CursorHomePosition + strings.Repeat(ansi.EraseEntireLine+ansi.CursorDown(1), max(s.height-1, 0)) + ansi.EraseScreenBelow + ansi.CursorHomePosition
	if !s.owned {
		wipe = ansi.CursorPosition(1, s.height) + strings.Repeat("\n", s.height) + wipe
	}
	s.owned = true
	var lines []string
	room := max(s.height-live-1, 0)
	for i := len(s.recent) - 1; i >= 0 && len(lines) < room; i-- {
		s.recent[i].lines = 0
		more := fit(s.recent[i].block(s.width), s.width)
		s.recent[i].lines = len(more)
		lines = append(more, lines...)
	}
	text := strings.Join(lines[max(len(lines)-room, 0):], "\n")
	return tea.Sequence(tea.Println(anew+wipe+text), tea.ClearScreen, func() tea.Msg { return printedMsg{} })
}

// anew begins a print that does not go above the live area, but has the screen to itself.
const anew = "\x1b_anew\x1b\\"

// paper is the terminal, as the renderer writes on it. The renderer makes room above the
// live area before it prints, which is cut off where there is to be none. To wipe the screen
// by a write of its own would not do: what is raw comes with the next frame, what is printed
// at once, so that what was printed after it could be wiped away.
type paper struct{ terminalFile }

// terminalFile is what the renderer knows a terminal by.
type terminalFile interface {
	io.ReadWriteCloser
	Fd() uintptr
}

func (p paper) Write(b []byte) (int, error) {
	_, text, found := bytes.Cut(b, []byte(anew))
	if !found {
		text = b
	}
	if _, err := p.terminalFile.Write(text); err != nil {
		return 0, err
	}
	return len(b), nil
}

// fit breaks lines that are as wide as the screen or wider: a terminal that is
// about to wrap would lose the last column. What goes on has the margin, and the
// bar of code and quotes.
func fit(lines []string, width int) []string {
	fitting := make([]string, 0, len(lines))
	for _, line := range lines {
		if ansi.StringWidth(line) < width {
			fitting = append(fitting, line)
			continue
		}
		prefix := margin
		plain := strings.TrimLeft(ansi.Strip(line), " ")
		for _, bar := range [...]string{"▏ ", "│ "} {
			if strings.HasPrefix(plain, bar) {
				prefix += bar
			}
		}
		line = ansi.Hardwrap(line, max(width-1-ansi.StringWidth(prefix), 1), true)
		fitting = append(fitting, strings.Split(strings.ReplaceAll(line, "\n", "\n"+prefix), "\n")...)
	}
	return fitting
}

// margin is the two columns that belong to the program.
const margin = "  "

// sanitise makes a text of a model, a tool or a file safe to show.
func sanitise(text string) string {
	text = terminal.Visible(text)
	if strings.ContainsAny(text, "\t\r") {
		text = strings.NewReplacer("\r\n", "\n", "\t", "    ").Replace(text)
	}
	return text
}

// wrap breaks a text into lines of at most that many columns.
func wrap(text string, width int) []string {
	var lines []string
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		lines = append(lines, strings.Split(terminal.WrapLine(line, max(width, 1), 0), "\n")...)
	}
	return lines
}

// indent puts the margin before each line, and the mark before the first.
func indent(mark string, lines []string) []string {
	indented := make([]string, len(lines))
	for i, line := range lines {
		if indented[i] = line; line != "" {
			indented[i] = margin + line
		}
	}
	if mark != "" && len(lines) > 0 {
		indented[0] = mark + lines[0]
	}
	return indented
}
