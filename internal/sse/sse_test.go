package sse_test

import (
	"errors"
	"fmt"
	"testing"

	"tenfold/internal/sse"
)

func TestEvents(t *testing.T) {
	for _, c := range []struct{ name, stream, want, err string }{
		{"one", "data: {}\n\n", "({})", "<nil>"},
		{"named", "event: a\ndata: 1\n\ndata: 2\n\n", "a(1)(2)", "<nil>"},
		{"lines join", "data: [1,\ndata: 2]\n\n", "([1,\n2])", "<nil>"},
		{"no space", "event:a\ndata:{}\n\n", "a({})", "<nil>"},
		{"carriage returns", "event: a\r\ndata: {}\r\n\r\n", "a({})", "<nil>"},
		{"comments and fields", ": hi\nid: 4\nretry: 5\ndata: {}\n: more\n\n", "({})", "<nil>"},
		{"a name without data", "event: a\n\ndata: {}\n\n", "({})", "<nil>"},
		{"no blank line at the end", "data: {}\n", "({})", "<nil>"},
		{"no end of line", "data: {}", "({})", "<nil>"},
		{"done", "data: [DONE]", "([DONE])", "<nil>"},
		{"cut in the data", "data: {\"a\":", "", "unexpected EOF"},
		{"cut in the field", "data: {}\n\nda", "({})", "unexpected EOF"},
		{"cut with a line", "data: {\"a\":\n", "", "unexpected EOF"},
		{"json", "{\n\"a\": 1}\n", "({\n\"a\": 1}\n)", "<nil>"},
		{"json without an end", "[1", "([1)", "<nil>"},
		{"json behind events", "data: 1\n\n{\"error\":{}}", "(1)({\"error\":{}})", "<nil>"},
		{"nothing", "", "", "<nil>"},
		{"a byte order mark", "\ufeffdata: {}\n\n", "({})", "<nil>"},
		{"json behind a byte order mark", "\ufeff {}", "( {})", "<nil>"},
		{"a carriage return at the end", "data: {}\r\n\r", "({})", "<nil>"},
		{"a comment at the end", "data: {}\n\n: bye", "({})", "unexpected EOF"},
	} {
		got := ""
		r := sse.Reader{Take: func(name string, data []byte) error {
			got += name + "(" + string(data) + ")"
			return nil
		}}
		for i := range len(c.stream) { // however it is cut
			if _, err := r.Write([]byte(c.stream[i : i+1])); err != nil {
				t.Fatal(err)
			}
		}
		whole := ""
		all := sse.Reader{Take: func(name string, data []byte) error {
			whole += name + "(" + string(data) + ")"
			return nil
		}}
		_, _ = all.Write([]byte(c.stream))
		for _, err := range []error{r.End(), all.End()} {
			if fmt.Sprint(err) != c.err {
				t.Errorf("%s: %v, want %s", c.name, err, c.err)
			}
		}
		if got != c.want || whole != c.want {
			t.Errorf("%s: %q, and %q at once; want %q", c.name, got, whole, c.want)
		}
	}
}

// What Take refuses ends the reading, wherever it comes.
func TestTakeEndsTheReading(t *testing.T) {
	over := errors.New("over")
	for stream, want := range map[string]int{"data: 1\n\ndata: 2\n\n": 9, "data: 1\n": 8, "{}": 2} {
		r := sse.Reader{Take: func(string, []byte) error { return over }}
		n, err := r.Write([]byte(stream))
		if err == nil {
			err = r.End()
		}
		if n != want || !errors.Is(err, over) {
			t.Errorf("%q: %d bytes, %v", stream, n, err)
		}
	}
}
