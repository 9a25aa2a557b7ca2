package engine

import (
	"errors"
	"strings"
	"testing"

	"tenfold/transcript/internal/intake"
	"tenfold/transcript/internal/walk"
)

// brittle is a writer that breaks once.
type brittle struct {
	text   strings.Builder
	broken error
}

func (b *brittle) Write(p []byte) (int, error) {
	if err := b.broken; err != nil {
		b.broken = nil
		return 0, err
	}
	return b.text.Write(p)
}

func TestOutKeepsItsFirstError(t *testing.T) {
	full := errors.New("the disk is full")
	w := &brittle{broken: full}
	out := NewOut(w)
	out.Line(strings.Repeat("x", 2*intake.LineChunk))
	out.JSON(map[string]int{"a": 1})
	out.Fail(errors.New("a later one"))
	if err := out.Done(); !errors.Is(err, full) || w.text.Len() > 0 {
		t.Errorf("%v, and %d bytes were written after it", err, w.text.Len())
	}
	out = NewOut(w)
	out.JSON(map[string]int{"b": 2, "a": 1})
	out.Line("end")
	if err := out.Done(); err != nil || w.text.String() != "{\"a\":1,\"b\":2}\nend\n" {
		t.Errorf("%v, written %q", err, w.text.String())
	}
}

func TestShapeReadsWhatOthersName(t *testing.T) {
	var a, b string
	var s walk.Scanner
	s.Reset([]byte(`{"a":"1","c":{"b":"no"},"b":"2"}`))
	walk.Shape{"a", &a}.Read(&s, walk.Shape{"b", &b})
	if s.End(); s.Err != nil || a != "1" || b != "2" {
		t.Error(s.Err, a, b)
	}
	var rest []string
	s.Reset([]byte(`{"a":"1","c":3,"b":"2"}`))
	walk.Shape{"a", &a}.ReadAll(&s, func(name []byte) {
		rest = append(rest, string(name))
		s.Value()
	})
	if got := strings.Join(rest, " "); s.Err != nil || got != `"c" "b"` {
		t.Error(s.Err, got)
	}
}
