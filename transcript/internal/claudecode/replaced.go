package claudecode

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"tenfold/transcript/internal/chatapi"
	"tenfold/transcript/internal/engine"
)

// Tenfold replaces a running conversation with its view (live.md §3): after a
// boundary without a summary stands a message that says so, and after it the
// view. What the view shows is in the file already, whole, before the boundary;
// so the view's messages are kept as they are and are no entries that a model
// sees, or the log would tell the same story twice. That the model saw a view is
// known to the store that made it.

const (
	replacedMark = "Tenfold: "
	replacedEnd  = " below replace the conversation up to here.]"
)

// Replaced words the message before a view of n messages: a line for the person,
// then how far the view goes.
func Replaced(line string, n int) string {
	messages := "messages"
	if n == 1 {
		messages = "message"
	}
	if !strings.HasPrefix(line, replacedMark) {
		line = replacedMark + line
	}
	return fmt.Sprintf("%s\n[The %d %s%s", line, n, messages, replacedEnd)
}

// replacedCount reads how many messages of a view follow; false for any other text.
func replacedCount(text string) (int, bool) {
	if !strings.HasPrefix(text, replacedMark) {
		return 0, false
	}
	_, rest, ok := strings.Cut(text, "\n[The ")
	rest, _, ended := strings.Cut(rest, replacedEnd)
	number, word, _ := strings.Cut(rest, " ")
	n, err := strconv.Atoi(number)
	if !ok || !ended || err != nil || n < 0 || (word != "messages" && word != "message") {
		return 0, false
	}
	return n, true
}

// replacement is a view that is being read.
type replacement struct {
	// awaited is set from a boundary to the message after it.
	awaited bool
	// left is how many messages of the view are to come. All were made before the
	// boundary was.
	left  int
	until time.Time
}

// replaced reports whether a message belongs to a view of Tenfold's, or is the one
// before it.
func (c *claude) replaced(l *claudeLine, m *chatapi.BlockMessage, role string) bool {
	r := &c.view
	if r.awaited {
		r.awaited = false
		if role != "user" || l.summary {
			return false
		}
		n, ok := replacedCount(c.firstText(l, m))
		if r.left = n; ok {
			c.pend = nil // the overlay is in the store that made the view
		}
		return ok
	}
	if r.left == 0 {
		return false
	}
	if !r.until.IsZero() && l.time().After(r.until) {
		r.left = 0 // fewer messages were written than announced
		return false
	}
	r.left--
	return true
}

// firstText is the text that a message begins with.
func (c *claude) firstText(l *claudeLine, m *chatapi.BlockMessage) string {
	w := engine.Finder{Scan: &c.Scan, Raw: l.raw}
	if m.IsText() {
		return w.Text(m.Content)
	}
	for i := range m.Blocks {
		if b := &m.Blocks[i]; b.Typ == "text" && w.IsString(b.Text) {
			text, _ := c.Scan.Unquote(b.Text)
			return text
		}
	}
	return ""
}
