// Package output keeps what programs print within bounds and fit for a model and
// a terminal: no escape codes, no control characters, valid UTF-8.
package output

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"tenfold/internal/number"
	"tenfold/internal/runes"
)

// forNote is what the note of an omission takes at most.
const forNote = 100

// A Buffer keeps the beginning and the end of what is written to it: errors and
// sums stand at the end, and take two thirds of Limit. It is safe for concurrent
// use; the zero Buffer keeps nothing.
type Buffer struct {
	// Limit is the most bytes that Text gives.
	Limit int

	mu         sync.Mutex
	head, tail []byte
	total      int // bytes written
	lines      int // line ends written
}

// Write never fails.
func (b *Buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := len(p)
	b.total += n
	b.lines += bytes.Count(p, []byte("\n"))
	room := min(max(b.Limit-len(b.head), 0), n)
	b.head = append(b.head, p[:room]...)
	b.tail = append(b.tail, p[room:]...)
	if most := max(b.Limit, 0); len(b.tail) > 2*most { // dropped now and then, so that each byte moves once
		b.tail = append(b.tail[:0], b.tail[len(b.tail)-most:]...)
	}
	return n, nil
}

// Text is what was written, cleaned; where it is longer than the limit, whole
// lines of its beginning and its end around a note of what is left out.
func (b *Buffer) Text() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	rest := string(b.tail)
	if b.total <= len(b.head)+len(b.tail) { // it is all there
		rest = string(b.head) + rest
		if text := Clean(rest); len(text) <= b.Limit {
			return text
		}
	}
	room := b.Limit - forNote
	if room < forNote {
		return Head(Clean(string(b.head)), b.Limit)
	}
	head, tail := Head(Clean(string(b.head)), room/3), Tail(Clean(rest), room-room/3)
	note := "the middle of " + number.Count(b.total, "byte")
	if missing := b.lines - strings.Count(head, "\n") - strings.Count(tail, "\n"); missing > 0 {
		note = fmt.Sprintf("%s, %s in all,", number.Count(missing, "line"), number.Count(b.total, "byte"))
	}
	return strings.TrimRight(head, "\n") + "\n[… " + note + " left out …]\n" + tail
}

// Bound gives a text within a limit, as a Buffer does.
func Bound(text string, limit int) string {
	b := Buffer{Limit: limit}
	_, _ = b.Write([]byte(text))
	return b.Text()
}

// Head is the beginning of a text within so many bytes: whole lines, or, of one
// long line, whole characters.
func Head(text string, most int) string {
	if len(text) <= most {
		return text
	}
	text = text[:runes.Last(text, most)]
	if at := strings.LastIndexByte(text, '\n'); at >= len(text)/2 {
		return text[:at+1]
	}
	return text
}

// Tail is the end of a text within so many bytes: whole lines, or whole
// characters.
func Tail(text string, most int) string {
	if len(text) <= most {
		return text
	}
	text = text[len(text)-max(most, 0):]
	if at := strings.IndexByte(text, '\n'); at >= 0 && at < len(text)/2 {
		return text[at+1:]
	}
	return text[runes.Next(text, 0):]
}

// Clean gives what a terminal would show at last of what a program printed: of a
// line that was written over, the newest state; no escape codes.
func Clean(text string) string {
	if text = strings.ToValidUTF8(text, "\uFFFD"); strings.IndexFunc(text, isControl) < 0 {
		return text
	}
	text = strings.ReplaceAll(ansi.Strip(text), "\r\n", "\n")
	if strings.Contains(text, "\r") {
		lines := strings.Split(text, "\n")
		for i, line := range lines {
			line = strings.TrimRight(line, "\r")
			lines[i] = line[strings.LastIndexByte(line, '\r')+1:]
		}
		text = strings.Join(lines, "\n")
	}
	return strings.Map(func(r rune) rune {
		if isControl(r) {
			return -1
		}
		return r
	}, text)
}

func isControl(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }

// Line gives a text in one line of at most so many characters that is safe to
// show: what cannot be seen, or turns the reading direction, is written out.
func Line(text string, most int) string {
	var b strings.Builder
	n := 0
	for _, r := range text {
		if n++; n > most {
			b.WriteString("…")
			break
		}
		switch {
		case r == '\n':
			b.WriteString("↵ ")
		case r == '\t':
			b.WriteByte(' ')
		case unicode.IsPrint(r):
			b.WriteRune(r)
		default:
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		}
	}
	return b.String()
}

// Capped keeps the first bytes that are written to it, as they are.
type Capped struct {
	Limit int
	strings.Builder
}

// Write never fails.
func (c *Capped) Write(p []byte) (int, error) {
	c.Builder.Write(p[:min(len(p), max(c.Limit-c.Len(), 0))])
	return len(p), nil
}

// Lines hands on what is written to it, line by line and cleaned, to somebody who
// watches. To may be nil.
type Lines struct {
	To      func(text string)
	pending []byte
}

// Write never fails.
func (l *Lines) Write(p []byte) (int, error) {
	if l.To == nil {
		return len(p), nil
	}
	const longest = 4096 // more of one line does not wait for its end
	l.pending = append(l.pending, p...)
	if at := bytes.LastIndexByte(l.pending, '\n'); at >= 0 {
		l.To(Clean(string(l.pending[:at+1])))
		l.pending = append(l.pending[:0], l.pending[at+1:]...)
	} else if len(l.pending) > longest {
		l.Flush()
	}
	return len(p), nil
}

// Flush hands on what is left.
func (l *Lines) Flush() {
	if l.To != nil && len(l.pending) > 0 {
		l.To(Clean(string(l.pending)))
		l.pending = l.pending[:0]
	}
}
