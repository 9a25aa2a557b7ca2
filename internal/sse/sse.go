// Package sse reads server-sent events as they come.
package sse

import (
	"bytes"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"tenfold/internal/rawjson"
)

// A Reader gives Take the events of a stream that is written to it: the name of each,
// where it has one, and its data, until Take returns. A body that is JSON and no stream is
// one event without a name. An error of Take's ends the reading.
type Reader struct {
	Take func(name string, data []byte) error

	line  []byte // under way
	name  string // of the event under way
	data  []byte // of the event under way
	some  bool   // it has data
	plain bool   // the body is JSON
}

// Write implements [io.Writer].
func (r *Reader) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		if r.plain {
			r.data = append(r.data, rest...)
			break
		}
		line, behind, ends := bytes.Cut(rest, []byte("\n"))
		if !ends {
			r.line = append(r.line, line...)
			break
		}
		if len(r.line) > 0 {
			r.line = append(r.line, line...)
			line = r.line
		}
		if err := r.read(line); err != nil {
			return len(p) - len(behind), err
		}
		if r.line, rest = r.line[:0], behind; r.plain {
			r.data = append(r.data, '\n')
		}
	}
	return len(p), nil
}

// End gives the last event, which may lack the blank line after it as long as it is
// whole: else it is [io.ErrUnexpectedEOF].
func (r *Reader) End() error {
	line := bytes.TrimSuffix(r.line, []byte("\r"))
	if len(r.line) > 0 {
		if err := r.read(line); err != nil {
			return err
		}
	}
	switch {
	case r.plain:
		return r.Take("", r.data)
	case r.some && (string(r.data) == "[DONE]" || jsontext.Value(r.data).IsValid(rawjson.Lenient)):
		return r.read(nil)
	case r.some || len(line) > 0:
		return io.ErrUnexpectedEOF
	}
	return nil
}

// read reads a line; a blank one ends an event.
func (r *Reader) read(line []byte) error {
	line = bytes.TrimPrefix(bytes.TrimSuffix(line, []byte("\r")), []byte("\ufeff"))
	if len(line) == 0 {
		name, some := r.name, r.some
		if r.name, r.some = "", false; !some {
			return nil
		}
		data := r.data
		r.data = r.data[:0]
		return r.Take(name, data)
	}
	if start := bytes.TrimLeft(line, " \t"); len(start) > 0 && (start[0] == '{' || start[0] == '[') && !r.some {
		r.plain, r.data = true, append(r.data, line...)
		return nil
	}
	field, value, _ := bytes.Cut(line, []byte(":"))
	value = bytes.TrimPrefix(value, []byte(" "))
	switch string(field) {
	case "event":
		r.name = string(value)
	case "data":
		if r.some {
			r.data = append(r.data, '\n')
		}
		r.data, r.some = append(r.data, value...), true
	}
	return nil
}
