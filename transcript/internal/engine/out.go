package engine

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/go-json-experiment/json"

	"tenfold/transcript/internal/intake"
	"tenfold/transcript/internal/walk"
)

// Out writes a session's file. Its first error sticks: nothing is written after
// it, and Done tells it.
type Out struct {
	w   *bufio.Writer
	Err error
}

func NewOut(w io.Writer) Out { return Out{w: bufio.NewWriterSize(w, intake.LineChunk)} }

// Fail notes an error, unless there was one.
func (o *Out) Fail(err error) {
	o.Err = cmp.Or(o.Err, err)
}

// Write writes texts as they stand.
func (o *Out) Write(texts ...string) {
	for _, t := range texts {
		if o.Err != nil {
			return
		}
		if _, err := o.w.WriteString(t); err != nil {
			o.Err = fmt.Errorf("write: %w", err)
		}
	}
}

// Line writes a line as it stands.
func (o *Out) Line(line string) { o.Write(line, "\n") }

// JSON writes a value as a line.
func (o *Out) JSON(v any) { o.Line(o.Marshal(v)) }

// Marshal gives a value as JSON, what is no UTF-8 in it too.
func (o *Out) Marshal(v any) string {
	raw, err := json.Marshal(v, append(slices.Clone(walk.ScanOptions), json.Deterministic(true))...)
	o.Fail(err)
	return string(raw)
}

// Done writes what is still held back, and gives the first error.
func (o *Out) Done() error {
	if o.Err == nil {
		o.Err = o.w.Flush()
	}
	return o.Err
}
