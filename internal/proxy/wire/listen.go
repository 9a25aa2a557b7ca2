package wire

import (
	"errors"

	"tenfold"
	"tenfold/internal/sse"
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
	events sse.Reader
	over   bool // nothing more is read
	answer Response
}

func newListener(d answer.Decoder) *listener {
	l := &listener{decoder: d}
	l.events.Take = l.event
	return l
}

// Write implements [Listener].
func (l *listener) Write(p []byte) (int, error) {
	if l.heard += len(p); l.heard > mostHeard {
		l.over, l.events = true, sse.Reader{}
	}
	if !l.over {
		_, err := l.events.Write(p)
		l.over = err != nil
	}
	return len(p), nil
}

// errOver ends the reading of an answer.
var errOver = errors.New("nothing more is read")

// event gives an event to the decoder.
func (l *listener) event(name string, data []byte) error {
	list := [][]byte{data}
	if l.unwrap != nil {
		list = l.unwrap(data)
	}
	for _, data := range list {
		if l.add(l.decoder.Take(name, data)); l.over {
			return errOver
		}
	}
	return nil
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
	if !l.over && l.events.End() == nil {
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
		noThreads := Span{To: len(body)}.Holds(body, "error_code", "thread_unsupported_request") // the client says it without one
		if (status == 400 || status == 422) && !noThreads {
			return Invalid
		}
	}
	return Passing
}
