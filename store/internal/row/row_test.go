package row_test

import (
	"errors"
	"reflect"
	"testing"
	"time"

	"tenfold"
	"tenfold/internal/record"
	"tenfold/store/internal/row"
)

// L10: a row comes back as it was; of one that is cut short, or of which a byte is another, it
// is said that it is damaged, or it is another entry: never a panic.
func TestL10DamagedRowsAreErrors(t *testing.T) {
	e := tenfold.Entry{
		Seq: 7, ID: "entry", Branch: "scout", MessageID: "msg", Source: `{"line":1}`, Tokens: 300, Time: time.Unix(1_700_000_000, 999).UTC(),
		Payload: tenfold.ToolResult{CallID: "c1", Parts: tenfold.Text("a result"), IsError: true},
	}
	r, err := row.New(e, 100)
	if err != nil {
		t.Fatal(err)
	}
	var d row.Decoder
	if back, err := d.Entry(7, r.Meta, r.Text); err != nil || !reflect.DeepEqual(back, e) {
		t.Errorf("it comes back as %+v, %v", back, err)
	}
	if id, err := row.ID(r.Meta); err != nil || id != "entry" {
		t.Errorf("its id is %q, %v", id, err)
	}
	rec, err := record.New(e.Payload)
	if err != nil {
		t.Fatal(err)
	}
	for n := range len(r.Meta) - len(rec.Head) {
		if _, err := d.Entry(7, r.Meta[:n:n], r.Text); !errors.Is(err, row.ErrDamaged) {
			t.Errorf("the first %d bytes: %v", n, err)
		}
		behind := 2 + len(rec.Kind) + 1 + len(e.ID) // the version and the lengths of kind and id
		if id, err := row.ID(r.Meta[:n:n]); errors.Is(err, row.ErrDamaged) != (n < behind) {
			t.Errorf("the first %d bytes: id %q, %v", n, id, err)
		}
	}
	for i := range r.Meta {
		for _, b := range []byte{0, 1, r.Meta[i] + 1, r.Meta[i] ^ 0x80, 0xff} {
			bad := append([]byte(nil), r.Meta...)
			bad[i] = b
			back, err := d.Entry(7, bad, r.Text)
			if _, same := row.ID(bad); err == nil && same != nil {
				t.Errorf("byte %d as %d: entry %s, whose id is not read: %v", i, b, back.ID, same)
			}
		}
	}
}

// What is larger than a database takes is refused, and what is as large is not.
func TestNewKeepsWithinTheLimit(t *testing.T) {
	for text, fits := range map[string]bool{"12345678": true, "123456789": false} {
		_, err := row.New(tenfold.Entry{ID: "e", Payload: tenfold.AssistantMessage{Text: text}}, 8)
		if (err == nil) != fits {
			t.Errorf("%d bytes of text: %v", len(text), err)
		}
	}
	_, err := row.New(tenfold.Entry{ID: "e", Source: "123456789", Payload: tenfold.AssistantMessage{Text: "1"}}, 8)
	if err == nil {
		t.Error("a source of nine bytes fits into eight")
	}
}
