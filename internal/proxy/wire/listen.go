package wire

import (
	"bytes"

	"tenfold"
	"tenfold/provider"
	"tenfold/provider/answer"
)

// mostHeard bounds how much of one answer is read: no answer of a model is longer.
const mostHeard = 64 << 20

// listener implements [Listener] with a vendor's decoder.
type listener struct {
	decoder answer.Decoder
	// unwrap gives the parts of an event that the decoder takes; nil takes it whole.
	unwrap func(data []byte) [][]byte

	heard  int
	line   []byte // under way
	name   string // of the event under way
	data   []byte // of the event under way
	some   bool   // it has data
	plain  bool   // the body is JSON and no stream
	over   bool   // nothing more is read
	answer Response
}

// Write implements [Listener].
func (l *listener) Write(p []byte) (int, error) {
	n := len(p)
	if l.heard += n; l.heard > mostHeard {
		l.over, l.line, l.data = true, nil, nil
	}
	for len(p) > 0 && !l.over {
		end := bytes.IndexByte(p, '\n')
		if end < 0 || l.plain {
			l.line = append(l.line, p...)
			break
		}
		if len(l.line) == 0 {
			l.readLine(p[:end])
		} else {
			l.line = append(l.line, p[:end]...)
			l.readLine(l.line)
			l.line = l.line[:0]
		}
		if p = p[end+1:]; l.plain {
			l.line = append(l.line, '\n')
		}
	}
	return n, nil
}

// readLine reads a line of a stream.
func (l *listener) readLine(line []byte) {
	line = bytes.TrimSuffix(line, []byte("\r"))
	if len(line) == 0 {
		if l.some {
			l.event()
		}
		l.name = ""
		return
	}
	if start := bytes.TrimLeft(line, " \t\ufeff"); len(start) > 0 && (start[0] == '{' || start[0] == '[') && !l.some {
		l.plain, l.data = true, append(l.data, line...)
		return
	}
	field, value, _ := bytes.Cut(line, []byte(":"))
	value = bytes.TrimPrefix(value, []byte(" "))
	switch string(field) {
	case "event":
		l.name = string(value)
	case "data":
		if l.some {
			l.data = append(l.data, '\n')
		}
		l.data, l.some = append(l.data, value...), true
	}
}

// event gives the event under way to the decoder.
func (l *listener) event() {
	data := l.data
	l.data, l.some = l.data[:0], false
	list := [][]byte{data}
	if l.unwrap != nil {
		list = l.unwrap(data)
	}
	for _, data := range list {
		if l.over {
			return
		}
		events, err := l.decoder.Take(l.name, data)
		l.add(events, err)
	}
}

func (l *listener) add(events []provider.Event, err error) {
	for _, e := range events {
		if e.Block != nil {
			l.answer.Entries = append(l.answer.Entries, tenfold.Entry{MessageID: e.MessageID, Payload: e.Block})
		}
		if e.Usage != nil {
			l.answer.Usage, l.answer.Known = *e.Usage, true
		}
		if e.Stop != "" {
			l.answer.Whole, l.over = true, true
		}
	}
	l.over = l.over || err != nil
}

// Response implements [Listener].
func (l *listener) Response() Response {
	if len(l.line) > 0 && !l.plain && !l.over {
		l.readLine(l.line)
		l.line = nil
	}
	if l.plain {
		l.data, l.some = append(l.data, l.line...), true
	}
	if l.some && !l.over {
		l.event()
	}
	if !l.over {
		l.add(l.decoder.End())
	}
	l.over = true
	return l.answer
}

// RefusalOf says what an error of a vendor means.
func RefusalOf(status int, body []byte) Refusal {
	switch answer.ErrorKind(status, body) {
	case provider.TooLarge:
		return TooLong
	case provider.Invalid:
		if status == 400 || status == 422 {
			return Invalid
		}
	}
	return Passing
}
