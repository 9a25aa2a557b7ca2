package mcpclient

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// However a program's output is cut, messages come whole, and the rest is told elsewhere.
func TestMessagesAmongOtherLines(t *testing.T) {
	t.Parallel()
	const in = "[info] ready {\n" + `{"a":"\"}\\","b":[{"c":"{"}]}` + "\n}\n\n \"x\n" + `{"d":` + "\n" + `1}` + "\r\nbye"
	for name, from := range map[string]io.Reader{"at once": strings.NewReader(in), "byte by byte": iotest.OneByteReader(strings.NewReader(in))} {
		var others bytes.Buffer
		got, err := io.ReadAll(&messages{from: from, others: &others})
		if err != nil {
			t.Fatal(err)
		}
		if kept := strings.Join(strings.Fields(string(got)), ""); kept != `{"a":"\"}\\","b":[{"c":"{"}]}{"d":1}` || others.String() != "[info] ready {\n}\n\"x\nbye" {
			t.Errorf("%s: kept %q, and of others %q", name, got, others.String())
		}
	}
}
