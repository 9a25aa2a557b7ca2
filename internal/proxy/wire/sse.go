package wire

import (
	"bytes"
	"slices"
)

// mostHeard is how much of one event, or of an answer that is no stream, is kept:
// what is longer is not an answer that a client could use.
const mostHeard = 64 << 20

// events takes server-sent events apart as their bytes come in, however they are
// cut. A body that is JSON and no stream is one event without a name.
type events struct {
	take func(name string, data []byte)

	line  []byte // that has not ended yet
	name  string
	data  []byte
	some  bool // there was data
	plain bool // the body is JSON
	begun bool
	lost  bool // there was too much of something
}

// Write takes the next bytes.
func (e *events) Write(p []byte) (int, error) {
	n := len(p)
	if e.lost {
		return n, nil
	}
	if !e.begun {
		rest := bytes.TrimLeft(p, " \t\r\n\xef\xbb\xbf")
		if len(rest) == 0 {
			return n, nil
		}
		e.begun, e.plain = true, rest[0] == '{' || rest[0] == '['
	}
	for !e.plain {
		i := bytes.IndexByte(p, '\n')
		if i < 0 {
			break
		}
		line := p[:i]
		if len(e.line) > 0 {
			line = append(e.line, line...)
		}
		e.line = e.line[:0]
		e.one(bytes.TrimSuffix(line, []byte("\r")))
		p = p[i+1:]
	}
	e.line = append(e.line, p...)
	if len(e.line)+len(e.data) > mostHeard {
		*e = events{take: e.take, lost: true}
	}
	return n, nil
}

// one takes a line of a stream.
func (e *events) one(line []byte) {
	if len(line) == 0 {
		e.give()
		return
	}
	field, value, _ := bytes.Cut(line, []byte(":"))
	value = bytes.TrimPrefix(value, []byte(" "))
	switch string(field) {
	case "event":
		e.name = string(value)
	case "data":
		if e.some {
			e.data = append(e.data, '\n')
		}
		e.data, e.some = append(e.data, value...), true
	}
}

func (e *events) give() {
	if e.some {
		e.take(e.name, e.data)
	}
	if cap(e.data) > 1<<20 {
		e.data = nil
	}
	e.name, e.data, e.some = "", e.data[:0], false
}

// close gives what has no blank line after it. It reports whether all was read.
func (e *events) close() bool {
	switch {
	case e.lost:
	case e.plain:
		e.take("", slices.Clip(e.line))
	default:
		e.one(bytes.TrimSuffix(e.line, []byte("\r")))
		e.give()
	}
	e.line, e.data = nil, nil
	return !e.lost
}
