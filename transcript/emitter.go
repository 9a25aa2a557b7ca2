package transcript

import (
	"time"

	"tenfold"
)

// emitter hands the entries of one conversation on. It counts turns and steps
// as a log does, for overlays; it opens turns, and begins the conversation when
// its first entry comes.
type emitter struct {
	sink Sink
	conv Conversation
	warn warnings
	ids  ids
	// now is the time of the entries from here on that have none.
	now time.Time
	// place follows the root, for formats whose compactions name turns; nil
	// for those that have none.
	place *rootLog
	// turned says that a turn was opened.
	turned bool
	begun  bool
}

// at sets the time of the entries from here on; zero changes nothing.
func (m *emitter) at(t time.Time) {
	if t.IsZero() {
		return
	}
	m.now = t
	if m.conv.Created.IsZero() {
		m.conv.Created = t
	}
}

// emit hands one entry on. It needs an id that [ids.unique] made, or one
// derived from such an id with "/" or "#".
func (m *emitter) emit(e tenfold.Entry) error {
	if err := m.begin(); err != nil {
		return err
	}
	if e.Time.IsZero() {
		e.Time = m.now
	}
	m.place.see(e)
	return m.sink.Entry(e)
}

// turn opens a turn in front of the entry called id.
func (m *emitter) turn(id string) error {
	m.turned = true
	return m.emit(tenfold.Entry{ID: id + "/turn", Payload: tenfold.TurnStart{}})
}

// keep hands on a record that no model sees, whole (L4).
func (m *emitter) keep(id string, name tenfold.Kind, raw []byte) error {
	return m.emit(tenfold.Entry{ID: id, Source: string(raw), Payload: tenfold.Unknown{Name: name}})
}

func (m *emitter) begin() error {
	if m.begun {
		return nil
	}
	m.begun = true
	return m.sink.Begin(m.conv)
}

// end closes the conversation.
func (m *emitter) end() error {
	if err := m.begin(); err != nil {
		return err
	}
	return m.sink.End(m.conv, m.warn.text())
}

// all hands several entries on.
func (m *emitter) all(list []tenfold.Entry) error {
	for _, e := range list {
		if err := m.emit(e); err != nil {
			return err
		}
	}
	return nil
}
