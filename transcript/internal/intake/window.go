package intake

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
)

const (
	LineChunk = 64 << 10
	// LineKeep is the largest buffer kept after its record was read.
	LineKeep = 4 << 20
)

// Window is the part of a source that is read and not used yet. Its buffer
// grows to the longest record and shrinks again.
type Window struct {
	ctx        context.Context
	src        Source
	buf        []byte
	start, end int   // buf[start:end] is not used yet
	base       int64 // offset of buf[0] in the source
	eof        bool
	// what the window holds records of, for a message.
	what string
}

func NewWindow(ctx context.Context, src Source, what string) Window {
	return Window{ctx: ctx, src: src, what: what}
}

// Rest is what is read and not used yet.
func (w *Window) Rest() []byte { return w.buf[w.start:w.end] }

// Offset is where the rest begins in the source.
func (w *Window) Offset() int64 { return w.base + int64(w.start) }

// fill reads on, after making room; io.EOF when there is no more.
func (w *Window) fill() error {
	if w.eof {
		return io.EOF
	}
	if err := w.ctx.Err(); err != nil {
		return err
	}
	if err := w.makeRoom(); err != nil {
		return err
	}
	n, err := w.src.Reader.Read(w.buf[w.end:])
	w.end += n
	w.src.count(n)
	if w.src.Progress != nil && n > 0 {
		w.src.Progress(w.base + int64(w.end))
	}
	switch {
	case err == nil:
		return nil
	case errors.Is(err, io.EOF):
		w.eof = true
		if n == 0 {
			return io.EOF
		}
		return nil
	}
	if errors.As(err, new(*Error)) {
		return err // it says which file it is about
	}
	return fmt.Errorf("read %s: %w", w.src.Name, err)
}

// makeRoom makes room to read into: it moves the rest to the front, into a smaller
// buffer when a long record is over, into a larger one when it fills this one.
func (w *Window) makeRoom() error {
	have := w.end - w.start
	switch {
	case len(w.buf) > LineKeep && have < LineChunk:
		w.move(make([]byte, 2*LineChunk))
	case w.start > 0 && have < len(w.buf)/2:
		w.move(w.buf)
	case w.end == len(w.buf):
		limit := w.src.limits().Record
		if have >= limit {
			return &Error{
				Name: w.src.Name, Err: fmt.Errorf("%s is longer than %s", w.what, sizeText(int64(limit))),
				Hint: "this is hardly a transcript; check what wrote the file",
			}
		}
		// While two buffers are there, the larger one is not twice what is
		// needed.
		size := have + max(LineChunk, have)
		if have > 4*LineKeep {
			size = have + have/4
		}
		// A record cannot be longer than what is left of the source, and the end
		// of that is to be seen.
		if left := w.src.Size - w.base - int64(w.end); w.src.Size > 0 && left >= 0 {
			size = int(min(int64(size), int64(have)+left+512))
		}
		w.move(make([]byte, min(size, limit+LineChunk)))
	}
	return nil
}

func (w *Window) move(to []byte) {
	n := copy(to, w.buf[w.start:w.end])
	w.base += int64(w.start)
	w.buf, w.start, w.end = to, 0, n
}

// DropMark leaves a byte order mark at the beginning of the source out.
func (w *Window) DropMark() error {
	for w.base == 0 && w.start == 0 && w.end < len(Bom) && bytes.HasPrefix(Bom, w.Rest()) {
		if err := w.fill(); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
	}
	if w.base == 0 && w.start == 0 && bytes.HasPrefix(w.Rest(), Bom) {
		w.start = len(Bom)
	}
	return nil
}
