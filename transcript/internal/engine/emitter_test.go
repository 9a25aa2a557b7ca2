package engine

import (
	"errors"
	"testing"

	"tenfold"
	"tenfold/transcript/internal/intake"
)

// brokenSink fails at its second entry, and counts what comes.
type brokenSink struct{ calls int }

var errFull = errors.New("full")

func (s *brokenSink) Begin(intake.Conversation) error { return nil }

func (s *brokenSink) Entry(tenfold.Entry) error {
	if s.calls++; s.calls > 1 {
		return errFull
	}
	return nil
}

func (s *brokenSink) End(intake.Conversation, []string) error {
	s.calls++
	return nil
}

// The first error of a sink sticks: nothing comes to it any more, and every call
// gives the error again.
func TestEmitterKeepsItsFirstError(t *testing.T) {
	var s brokenSink
	m := Emitter{Sink: &s, Conv: intake.Conversation{ID: "c"}}
	m.Turn("a")
	m.Turn("b")
	m.ChangeModel("c", "model", new(string))
	for name, err := range map[string]error{
		"emit": m.Emit(tenfold.Entry{ID: "d"}), "keep": m.Keep("e", "kind", nil), "all": m.All([]tenfold.Entry{{ID: "f"}}), "end": m.End(),
	} {
		if !errors.Is(err, errFull) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if s.calls != 2 {
		t.Errorf("the sink got %d calls", s.calls)
	}
}
