package engine

import (
	"cmp"
	"context"

	"tenfold"
	"tenfold/transcript/internal/intake"
	"tenfold/transcript/internal/walk"
)

// Session is the import of a session that a client keeps as records of JSON: what
// the formats of such clients share.
type Session struct {
	Emitter
	Src  intake.Source
	Scan walk.Scanner
	// Over says that what stands before is hidden to the end of its turn: what a
	// model sees next needs another.
	Over  bool
	Shown bool // a model saw something
}

// NewSession begins an import of which the turns are followed.
func NewSession(src intake.Source, sink intake.Sink, format intake.Format) Session {
	return Session{
		Emitter: Emitter{Sink: sink, Place: &RootLog{}, Conv: intake.Conversation{Format: format}}, Src: src, Scan: walk.Scanner{Cost: walk.BlockCost},
	}
}

// ReadLines reads the source line by line: parse walks over a line with the
// session's scanner, take uses what it found and is given the line's number.
func (s *Session) ReadLines(ctx context.Context, parse func(raw []byte), take func(line int) error) error {
	r := intake.NewLineReader(ctx, s.Src)
	err := r.Records(s.Conv.Format, func(raw []byte) error {
		parse(raw)
		return s.Scan.Err
	}, func() error { return take(r.Number) })
	if err != nil {
		return err
	}
	return s.Finish()
}

// ReadOne reads a source that is one record over several lines.
func (s *Session) ReadOne(ctx context.Context, parse func(raw []byte), take func(line int) error) error {
	return intake.WithDocument(ctx, s.Src, s.Conv.Format, func(d intake.Document) error {
		if parse(d.Raw); s.Scan.Err != nil {
			return d.Broken(s.Scan.Err)
		}
		if err := take(0); err != nil {
			return err
		}
		return s.Finish()
	})
}

// Finish closes the conversation, which has a name by now.
func (s *Session) Finish() error {
	if !s.Shown {
		s.Warn.Add(0, "file without messages: the conversation is empty", "")
	}
	s.Conv.ID = cmp.Or(s.Conv.ID, intake.NameID(s.Src.Name, s.Conv.Format))
	return s.End()
}

// Named names the conversation by an id that its tool gave it; where there is none,
// after the source and its first record.
func (s *Session) Named(id string, first []byte) {
	if s.Conv.Named = id != ""; s.Conv.Named {
		s.Conv.ID = intake.ConversationID(id)
	} else {
		s.Conv.ID = intake.ContentID(s.Src.Name, s.Conv.Format, first)
	}
}

// Open opens a turn for what a person said.
func (s *Session) Open(id string) {
	s.Over = false
	s.Turn(id)
}

// Show hands on an entry that a model sees, in a turn that is not hidden.
func (s *Session) Show(e tenfold.Entry) error {
	if e.Branch == "" && (s.Over || !s.Turned) {
		s.Open(e.ID)
	}
	s.Shown = true
	return s.Emit(e)
}

// KeepValue keeps a line that is no object.
func (s *Session) KeepValue(line int, raw []byte) error {
	s.Warn.Add(line, "line is not a JSON object and was kept as it is", "lines are not JSON objects and were kept as they are")
	return s.Keep(s.Ids.Record("", raw), tenfold.Kind(string(s.Conv.Format)+".value"), raw)
}
