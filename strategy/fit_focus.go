package strategy

import (
	"strings"

	"tenfold"
	"tenfold/atom"
	"tenfold/internal/number"
)

// noteFocus says how much of the conversation a focus is about, and how much of
// that the view shows.
func (f *fitting) noteFocus() {
	if f.focus.Empty() {
		return
	}
	found, shown := map[string]bool{}, map[string]bool{}
	for e := range f.p.Log().Entries() {
		if e.Payload.Kind().Visible() && e.Payload.Kind() != tenfold.KindReasoning && f.p.Reads(e.Seq) {
			f.addFocusLines(e.Payload, found)
		}
	}
	if len(found) == 0 {
		f.o.Notef("nothing in the conversation is about the focus")
		return
	}
	for it := range f.view.Items() {
		f.addFocusLines(it.Payload, shown)
	}
	for line := range shown {
		if !found[line] {
			delete(shown, line) // a mark, or a part of a line
		}
	}
	f.o.Notef("the focus is about %s lines of the conversation, and %s of them are in the view", number.Thousands(len(found)), number.Thousands(len(shown)))
}

// addFocusLines adds the lines of a text that the focus is about, without blanks and marks
// of cuts at their ends.
func (f *fitting) addFocusLines(p tenfold.Payload, to map[string]bool) {
	for line := range strings.Lines(tenfold.SearchText(p)) {
		if line = strings.Trim(line, "… \t\r\n"); f.focus.Matches(line) > 0 {
			to[line] = true
		}
	}
}

// newFocus reads the focus of a plan; nil without one.
func newFocus(text string) *atom.Focus {
	if text == "" {
		return nil
	}
	return atom.NewFocus(text)
}
