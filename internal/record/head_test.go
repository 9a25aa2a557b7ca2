package record

import (
	"testing"
)

// Read by hand or not, a head says the same.
func TestPlainHead(t *testing.T) {
	for object, want := range map[string]bool{
		`{}`:                             true,
		`{"plain":true}`:                 true,
		`{"call_id":"c1","name":"read"}`: true,
		`{"plain":true,"call_id":"","is_error":true}`: true,
		`{"phase":"commentary"}`:                      true,
		`{"plain":true,"synthetic":true}`:             true,
		`{"provider":"openai","signature":"s","encrypted":"e","item_id":"i","call_id":"c"}`: true,
		`{"plain":false}`:    false,
		`{"call_id":"a\"b"}`: false,
		`{"call_id":"é"}`:    false,
		`{"call_id": "c1"}`:  false,
		`{"call_id":"c1",}`:  false,
		`{"call_id":"c1"`:    false,
		`{"call_id":"c1"}x`:  false,
		`{"call_id"}`:        false,
		`{,}`:                false,
		`{"new":1}`:          false,
		``:                   false,
	} {
		got, ok := plainHead(object)
		if ok != want {
			t.Errorf("%s is plain: %v", object, ok)
		}
		if full, err := unmarshalHead([]byte(object)); ok && (err != nil || got != full) {
			t.Errorf("%s reads as %+v by hand, and as %+v, %v", object, got, full, err)
		}
	}
}

func FuzzPlainHead(f *testing.F) {
	f.Add(`{"plain":true,"call_id":"c1","name":"read"}`)
	f.Fuzz(func(t *testing.T, object string) {
		got, ok := plainHead(object)
		if !ok {
			return
		}
		if full, err := unmarshalHead([]byte(object)); err != nil || got != full {
			t.Errorf("%s reads as %+v by hand, and as %+v, %v", object, got, full, err)
		}
	})
}
