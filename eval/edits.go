package eval

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"tenfold"
)

// carriedEdit is an edit after the cut of a text that the prefix showed and
// nothing showed again.
type carriedEdit struct {
	// old is the text it replaces, after how many requests after the cut make
	// it, from 1.
	old   string
	after int
	seq   int64 // of the call, in the session's log
}

// The least an edit has to replace to count, in characters and in words.
const leastEdit, leastEditWords = 12, 2

// findCarriedEdits finds the edits after the cut whose old text is carried over it.
func (c *Cut) findCarriedEdits() {
	var before, since strings.Builder
	put := func(b *strings.Builder, e *entry) {
		b.WriteString(plain(e.text))
		b.WriteString(textEnd)
	}
	entries := c.session.entries
	for i := range entries {
		if entries[i].request <= c.last {
			put(&before, &entries[i])
		}
	}
	for i := range entries {
		e := &entries[i]
		if e.request <= c.last {
			continue
		}
		for _, old := range e.old {
			if strings.Contains(before.String(), old) && !strings.Contains(since.String(), old) {
				c.edits = append(c.edits, carriedEdit{old, e.request - c.last, e.seq})
			}
		}
		if shows(e.kind) || e.kind == tenfold.KindToolCall {
			put(&since, e)
		}
	}
}

// shows reports whether entries of a kind show the model something.
func shows(k tenfold.Kind) bool { return k == tenfold.KindToolResult || k == tenfold.KindUserMessage }

// textEnd parts texts that nothing may span.
const textEnd = "\n\x00"

// replaced gives the texts that a call replaces.
func replaced(c tenfold.ToolCall) []string {
	var found []string
	add := func(old string) {
		old = strings.Trim(plain(old), "\n")
		if utf8.RuneCountInString(strings.TrimSpace(old)) >= leastEdit && len(strings.Fields(old)) >= leastEditWords {
			found = append(found, old)
		}
	}
	eachValue(c.Arguments, func(name, text string) {
		switch name {
		case "old_string", "oldText", "oldString", "old_str", "old":
			add(text)
			return
		}
		if strings.Contains(text, "*** Begin Patch") {
			eachHunk(text, add)
		}
	})
	return found
}

// eachHunk gives the context and minus lines of a patch's hunks.
func eachHunk(patch string, yield func(old string)) {
	var old []string
	end := func() {
		if text := strings.Join(old, "\n"); strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsSpace(r) }) {
			yield(text)
		}
		old = nil
	}
	for line := range strings.SplitSeq(patch, "\n") {
		switch {
		case strings.HasPrefix(line, "@@"), strings.HasPrefix(line, "*** "):
			end()
		case strings.HasPrefix(line, " "), strings.HasPrefix(line, "-"):
			old = append(old, line[1:])
		}
	}
	end()
}

// Old lists the texts that edits within a horizon replace, carried over the cut,
// in the order of the edits: what a chooser's weights are fitted to.
func (c *Cut) Old(horizon int) []string {
	var texts []string
	for _, e := range c.edits {
		if horizon == All || e.after <= horizon {
			texts = append(texts, e.old)
		}
	}
	return texts
}

// Prefix is the log up to the cut. It must not be changed.
func (c *Cut) Prefix() *tenfold.Log { return c.log }
