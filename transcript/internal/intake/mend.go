package intake

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"tenfold/transcript/internal/walk"
)

// mend cuts what is damaged out of a document that is not JSON: items of the
// outermost arrays in it, which are its records, and what a crash cut off at
// the end. What is left is JSON. It reports whether it could; each record that
// went is told under the terms of [Intake.skip].
func (d *Document) mend() bool {
	in := d.src.Care()
	before := in.skips + in.tears
	m := &mender{Document: d, out: make([]byte, 0, len(d.Raw))}
	for at := m.space(0); at < len(d.Raw) && !m.torn; at = m.space(at) {
		whole := len(m.out)
		var err error
		if at, err = m.value(at, 0); err != nil {
			if whole == 0 || !m.cutOff(err) {
				return false
			}
			m.tear(at)
			m.out = m.out[:whole] // the last of several values
		}
		m.out = append(m.out, '\n')
	}
	if in.skips+in.tears == before {
		return false
	}
	d.Raw = m.out
	return true
}

// mender writes a document again as it goes through it.
type mender struct {
	*Document
	out   []byte
	items int
	torn  bool
}

func (m *mender) space(at int) int {
	for at < len(m.Raw) && isSpace(m.Raw[at]) {
		at++
	}
	return at
}

func (m *mender) cutOff(err error) bool {
	_, cause := JSONProblem(err)
	return errors.Is(cause, ErrCutOff)
}

// tear notes that the document is cut off behind a place.
func (m *mender) tear(at int) {
	m.torn = true
	m.src.Care().leaveTornOut("record", bytes.Count(m.Raw[:min(at, len(m.Raw))], []byte("\n"))+1)
}

// value writes the value that begins at a place, and gives where it ends.
func (m *mender) value(at, depth int) (end int, err error) {
	switch m.Raw[at] {
	case '[':
		return m.array(at, depth)
	case '{':
		return m.object(at, depth)
	}
	return m.scalar(at)
}

func (m *mender) scalar(at int) (end int, err error) {
	dec := jsontext.NewDecoder(bytes.NewBuffer(m.Raw[at:]), walk.ScanOptions...)
	v, err := dec.ReadValue()
	if err != nil {
		return at, err
	}
	m.out = append(m.out, v...)
	return at + int(dec.InputOffset()), nil
}

// mendDepth is how deep in objects the arrays of records may stand.
const mendDepth = 8

func (m *mender) object(at, depth int) (end int, err error) {
	if depth == mendDepth {
		return m.scalar(at)
	}
	m.out = append(m.out, '{')
	at++
	for first := true; ; first = false {
		whole := len(m.out)
		at, err = m.member(at, depth, first)
		switch {
		case err == nil && m.torn:
			m.out = append(m.out, '}')
			return at, nil
		case errors.Is(err, io.EOF):
			m.out = append(m.out, '}')
			return at, nil
		case err != nil && m.items > 0 && m.cutOff(err):
			m.tear(at)
			m.out = append(m.out[:whole], '}')
			return at, nil
		case err != nil:
			return at, err
		}
	}
}

// member writes a member of an object; io.EOF behind the last.
func (m *mender) member(at, depth int, first bool) (end int, err error) {
	next := func(want byte) error {
		if at = m.space(at); at == len(m.Raw) {
			return io.ErrUnexpectedEOF
		}
		if c := m.Raw[at]; c != want {
			return &jsontext.SyntacticError{ByteOffset: int64(at), Err: errors.New("unexpected character")}
		}
		at++
		return nil
	}
	if next('}') == nil {
		return at, io.EOF
	}
	if !first {
		if err := next(','); err != nil {
			return at, err
		}
		m.out = append(m.out, ',')
	}
	if err := next('"'); err != nil {
		return at, err
	}
	if at, err = m.scalar(at - 1); err != nil {
		return at, err
	}
	if err := next(':'); err != nil {
		return at, err
	}
	m.out = append(m.out, ':')
	if at = m.space(at); at == len(m.Raw) {
		return at, io.ErrUnexpectedEOF
	}
	return m.value(at, depth+1)
}

// array writes the items of an array that are whole.
func (m *mender) array(at, depth int) (end int, err error) {
	in := m.src.Care()
	r := &ArrayReader{Window: Window{src: m.src, buf: m.Raw, start: at, end: len(m.Raw), eof: true}, Word: "record", inner: depth > 0}
	r.lines = bytes.Count(m.Raw[:at], []byte("\n"))
	r.lineAt = int64(bytes.LastIndexByte(m.Raw[:at], '\n') + 1)
	m.out = append(m.out, '[')
	defer func() { m.out = append(m.out, ']') }()
	for n := 0; ; {
		item, err := r.Next()
		if errors.Is(err, io.EOF) {
			return r.start, nil
		}
		if err == nil {
			err = r.Check(item)
		}
		if err == nil {
			if n > 0 {
				m.out = append(m.out, ',')
			}
			m.out = append(m.out, item...)
			in.Record()
			n++
			m.items++
			continue
		}
		tears, from := in.tears, r.start
		switch err := r.Damaged(err, m.format); {
		case err == nil:
		case !errors.Is(err, io.EOF):
			return r.start, err
		case in.tears > tears:
			m.torn = true
			return len(m.Raw), nil
		default: // the last item is the damaged one
			if end, ok := m.closing(from, depth); ok {
				return end, nil
			}
			m.torn = depth > 0
			return len(m.Raw), nil
		}
	}
}

// closing finds where an array ends whose last items are damaged: at a "]"
// with which the rest of the document is JSON again.
func (m *mender) closing(from, depth int) (end int, ok bool) {
	const tries = 16
	at := len(m.Raw)
	for range tries {
		if at = bytes.LastIndexByte(m.Raw[from:at], ']') + from; at < from {
			break
		}
		rest := strings.Repeat(`{"":`, depth) + "[" + string(m.Raw[at:])
		if jsontext.Value(rest).IsValid(walk.ScanOptions...) {
			return at + 1, true
		}
	}
	return 0, false
}
