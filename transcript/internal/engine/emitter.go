package engine

import (
	"cmp"
	"time"

	"tenfold"
	"tenfold/transcript/internal/intake"
	"tenfold/transcript/internal/walk"
)

// Emitter hands the entries of one conversation on. It counts turns and steps
// as a log does, for overlays; it opens turns, and begins the conversation when
// its first entry comes.
//
// Its first error sticks: nothing is handed on after it, and whatever is called
// gives it again. So importers need not look at it before a record's end.
type Emitter struct {
	Sink intake.Sink
	Conv intake.Conversation
	Warn intake.Warnings
	Ids  intake.Ids
	// Now is the time of the entries from here on that have none.
	Now time.Time
	// Place follows the root, for formats whose compactions name turns; nil
	// for those that have none.
	Place *RootLog
	// Turned says that a turn was opened.
	Turned bool
	Begun  bool
	early  []tenfold.Entry
	err    error
}

// At sets the time of the entries from here on; zero changes nothing.
func (m *Emitter) At(t time.Time) {
	if t.IsZero() {
		return
	}
	m.Now = t
	if m.Conv.Created.IsZero() {
		m.Conv.Created = t
	}
}

// Emit hands one entry on, once the conversation has an id: until then entries wait. It
// needs an id that [intake.Ids.Unique] made, or one derived from such an id with "/" or "#".
func (m *Emitter) Emit(e tenfold.Entry) error {
	if m.err != nil {
		return m.err
	}
	if e.Time.IsZero() {
		e.Time = m.Now
	}
	m.Place.See(e)
	if m.Conv.ID == "" {
		m.early = append(m.early, e)
	} else if m.begin() == nil {
		m.err = m.Sink.Entry(e)
	}
	return m.err
}

// Turn opens a turn in front of the entry called id.
func (m *Emitter) Turn(id string) {
	m.Turned = true
	_ = m.Emit(tenfold.Entry{ID: id + "/turn", Payload: tenfold.TurnStart{}})
}

// Keep hands on a record that no model sees, whole (L4).
func (m *Emitter) Keep(id string, name tenfold.Kind, raw []byte) error {
	return m.Emit(tenfold.Entry{ID: id, Source: string(raw), Payload: tenfold.Unknown{Name: name}})
}

// KeepRest keeps what a text holds beside its records, named after what it is,
// and gives its id.
func (m *Emitter) KeepRest(what string, name tenfold.Kind, f *Finder, records []walk.Span) (id string) {
	frame := f.Frame(records)
	id = m.Ids.Unique(what + ":" + intake.Digest(frame))
	_ = m.Keep(id, name, frame)
	return id
}

// KeepOdd keeps a record that could not be understood, and says so: a "message".
func (m *Emitter) KeepOdd(what, id string, name tenfold.Kind, raw []byte) error {
	m.Warn.Odd(0, what)
	return m.Keep(id, name, raw)
}

// Said hands on the entries of a record: what a person said opens a turn.
func (m *Emitter) Said(list []tenfold.Entry) error {
	turned := false
	for _, e := range list {
		if u, ok := e.Payload.(tenfold.UserMessage); ok && !u.Synthetic && !turned {
			turned = true
			m.Turn(e.ID)
		}
		_ = m.Emit(e)
	}
	return m.err
}

// Fail notes an error of what is read, unless there was one.
func (m *Emitter) Fail(err error) {
	m.err = cmp.Or(m.err, err)
}

func (m *Emitter) begin() error {
	if !m.Begun && m.err == nil {
		m.Begun = true
		m.err = m.Sink.Begin(m.Conv)
		for _, e := range m.early {
			if m.err == nil {
				m.err = m.Sink.Entry(e)
			}
		}
		m.early = nil
	}
	return m.err
}

// End closes the conversation.
func (m *Emitter) End() error {
	if m.begin() == nil {
		m.err = m.Sink.End(m.Conv, m.Warn.Text())
	}
	return m.err
}

// All hands several entries on.
func (m *Emitter) All(list []tenfold.Entry) error {
	for _, e := range list {
		_ = m.Emit(e)
	}
	return m.err
}

// ChangeModel hands on that from the record called id on the model is another
// one than last, if it is; "" is unknown.
func (m *Emitter) ChangeModel(id, model string, last *string) {
	if model != "" && model != *last {
		*last = model
		_ = m.Emit(tenfold.Entry{ID: id + "/model", Payload: tenfold.ConfigDelta{Model: model}})
	}
}
