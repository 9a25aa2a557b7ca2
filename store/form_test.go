package store_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"tenfold"
	"tenfold/internal/logtest"
	"tenfold/internal/record"
	"tenfold/store"
)

// What a store of somebody else keeps of an entry is the entry as every store gives it back.
func TestEncodedEntriesLoseNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		entries := append(logtest.Entries(20).Draw(t, "log"), tenfold.Entry{
			ID: "odd \x00 \xff", Branch: "\xfe", MessageID: "\xff", Source: "no json\n", Time: time.Unix(-1<<40, 7).UTC(),
			Payload: tenfold.ToolResult{CallID: "\xff", Parts: tenfold.Text("\xff\x00 bytes")},
		})
		for i, e := range entries {
			if e.ID == "" {
				e.ID = "e"
			}
			b, err := store.EncodeEntry(e)
			if err != nil {
				t.Fatal(err)
			}
			want := e
			want.Seq, want.Time = int64(i), e.Time.UTC()
			if want.Payload, err = record.Canonical(e.Payload); err != nil {
				t.Fatal(err)
			}
			got, err := store.DecodeEntry(int64(i), b)
			if d := cmp.Diff(want, got); err != nil || d != "" {
				t.Fatalf("%v (-want +got):\n%s", err, d)
			}
			// A record that was cut off, or that is something else, is told or is another entry; it never panics.
			_, _ = store.DecodeEntry(1, b[:rapid.IntRange(0, len(b)).Draw(t, "cut")])
			b[rapid.IntRange(0, len(b)-1).Draw(t, "at")] ^= 0xff
			_, _ = store.DecodeEntry(1, b)
		}
	})
	if _, err := store.EncodeEntry(tenfold.Entry{Payload: tenfold.TurnStart{}}); err == nil {
		t.Error("an entry without id is encoded")
	}
	if _, err := store.DecodeEntry(1, nil); err == nil {
		t.Error("no bytes are an entry")
	}
}
