package engine

import (
	"testing"

	"tenfold/transcript/internal/walk"
)

func TestRefill(t *testing.T) {
	raw := []byte(`{"a":"","b":null,"c":"kept","d":null}`)
	var a, b, c, d walk.Span
	var s walk.Scanner
	s.Reset(raw)
	walk.Shape{"a", &a, "b", &b, "c", &c, "d", &d}.Read(&s)
	r := Finder{Raw: raw}
	r.PutWhole(b, `{"x": 1}`)
	r.Put(a, "say \"so\"")
	r.Put(c, "another")
	r.PutWhole(d, "not JSON")
	r.Put(walk.Span{}, "nowhere")
	if got, want := r.Done(), `{"a":"say \"so\"","b":{"x": 1},"c":"kept","d":null}`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
