package excerpt

import (
	"strings"

	"tenfold/cause"
)

// A stack trace says what went wrong in one line and where in others: a place is kept with
// what went wrong there, and that with the first place in code that is no library's (fit.md F6).

// traces finds the heads of a text's stack traces as it is read.
type traces struct {
	textLines []textLine
	// last has the lines read last that name no place.
	last [lookBack]struct {
		number int32
		text   string
	}
	seen int
	// error is the line of the error whose places come, first that of the whole trace.
	error, first int32
	placed       bool // the line before this one is a place
	// python is where a trace of Python begins, whose error comes last, margin how far it
	// is indented, own its last place that is no library's.
	python, own int32
	margin      int32
	// pytest are the places of a test of pytest that failed, whose error stands below them.
	pytest []int32
}

// lookBack is how many lines above the first place of a trace its error may be.
const lookBack = 8

func (h *traces) line(line string, number int32) {
	bare := strings.TrimSpace(line)
	switch {
	case h.python > 0:
		h.linePython(line, bare, number)
		return
	case strings.HasPrefix(bare, "Traceback (most recent call last)"):
		h.python, h.margin, h.own = number, margin(line), 0
		return
	case bare == "":
		return
	}
	h.linePytest(bare, number)
	place := cause.IsPlace(line)
	if !place {
		h.last[h.seen%lookBack].number, h.last[h.seen%lookBack].text = number, bare
		h.seen++
		h.placed = false
		return
	}
	if !h.placed {
		h.findError()
	}
	if h.placed = true; h.error == 0 {
		return
	}
	under(h.textLines, number, h.error)
	if strings.HasPrefix(bare, "/") {
		under(h.textLines, number-1, number) // of Go: the function stands above its place
	}
	if !cause.IsForeignPlace(line) {
		under(h.textLines, h.error, number)
	}
}

// findError finds the error of the places that begin, and puts the first of a trace under
// the one that led to it.
func (h *traces) findError() {
	was := h.error
	h.error = 0
	for n := h.seen - 1; n >= 0 && n >= h.seen-lookBack; n-- {
		if one := h.last[n%lookBack]; cause.NamesError(one.text) {
			if h.error = one.number; was > 0 && strings.HasPrefix(one.text, "Caused by") {
				h.textLines[h.first-1].head = h.error
				return
			}
			break
		}
	}
	h.first = h.error
}

// mostPlaces is how many places of a test are remembered.
const mostPlaces = 16

// linePytest takes in a line that may be of what pytest prints of a test that failed:
// "test_oven.py:12: in heat" above "E   ValueError: no flour".
func (h *traces) linePytest(bare string, number int32) {
	switch {
	case strings.HasPrefix(bare, "E   ") && len(h.pytest) > 0:
		for _, n := range h.pytest {
			under(h.textLines, n, number)
		}
		under(h.textLines, number, h.pytest[len(h.pytest)-1])
		h.pytest = h.pytest[:0]
	case strings.HasPrefix(bare, "____"):
		h.pytest = h.pytest[:0]
	case len(h.pytest) < mostPlaces && isPytest(bare):
		h.pytest = append(h.pytest, number)
	}
}

// isPytest reports whether a line is "test_oven.py:12:" or "test_oven.py:12: in heat".
func isPytest(bare string) bool {
	file, rest, ok := strings.Cut(bare, ".py:")
	if !ok || file == "" || strings.IndexByte(file, ' ') >= 0 {
		return false
	}
	_, rest, ok = strings.Cut(rest, ":")
	return ok && (rest == "" || strings.HasPrefix(rest, " in "))
}

// linePython takes in a line of a trace of Python.
func (h *traces) linePython(line, bare string, number int32) {
	if m := margin(line); m > h.margin || bare == "" {
		if strings.HasPrefix(bare, `File "`) && !cause.IsForeignPlace(line) {
			h.own = number
		}
		return
	}
	for n := h.python; n < number; n++ {
		under(h.textLines, n, number)
	}
	if h.own > 0 {
		under(h.textLines, number, h.own)
	}
	h.python = 0
}
