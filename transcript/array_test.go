package transcript

import (
	"context"
	"errors"
	"io"
	"os"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"tenfold/internal/corpustest"
	"tenfold/transcript/internal/intake"
)

// However the bytes come, the items are the same.
func TestArrayReader(t *testing.T) {
	text := ` [ {"a":"]}\\","b":[{"c":"\\\"]"}]} , "x\\\"y",7 ,true,[[],{}], "" ]  `
	want := []string{`{"a":"]}\\","b":[{"c":"\\\"]"}]}`, `"x\\\"y"`, `7`, `true`, `[[],{}]`, `""`}
	for name, in := range map[string]io.Reader{
		"whole":       strings.NewReader(text),
		"bytes":       iotest.OneByteReader(strings.NewReader(text)),
		"halves":      iotest.HalfReader(strings.NewReader(text)),
		"eof at once": iotest.DataErrReader(strings.NewReader(text)),
	} {
		r := &intake.ArrayReader{Window: intake.NewWindow(t.Context(), Source{Reader: in}, "the item")}
		var got []string
		for {
			item, err := r.Next()
			if err != nil {
				if !errors.Is(err, io.EOF) {
					t.Errorf("%s: %v", name, err)
				}
				break
			}
			if !strings.HasPrefix(text[r.Mark.At:], string(item)) {
				t.Errorf("%s: %s does not stand at %d", name, item, r.Mark.At)
			}
			got = append(got, string(item))
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %q", name, got)
		}
	}
}

func TestJPByBytes(t *testing.T) {
	files := corpustest.Files(t, string(JP))
	smallest := files[len(files)-1]
	want := importFile(t, smallest.Path)
	f, err := os.Open(smallest.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	var k Collector
	if err := Import(context.Background(), Source{Name: smallest.Path, Reader: iotest.OneByteReader(f)}, JP, &k); err != nil {
		t.Fatal(err)
	}
	if got := k.Conversations[0]; !reflect.DeepEqual(got.Entries, want.Entries) {
		t.Errorf("%d entries, want %d", len(got.Entries), len(want.Entries))
	}
}
