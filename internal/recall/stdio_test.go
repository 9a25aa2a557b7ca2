package recall_test

import (
	"bufio"
	"bytes"
	"io"
	"strings"
	"testing"

	"tenfold/internal/recall"
)

// A line that is not a message is answered with an error, and the server goes on.
func TestTheServerOutlivesWhatItCannotRead(t *testing.T) {
	in, write := io.Pipe()
	read, out := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- recall.Server{}.MCP().Run(t.Context(), recall.Stdio(in, out)) }()
	answers := bufio.NewReader(read)
	for _, c := range [][2]string{
		{`{bad`, `-32700`},
		{`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`, `"serverInfo"`},
		{"\n" + `"` + strings.Repeat("long ", 2<<20) + `"`, `longer than 4194304 bytes`},
		{`0`, `-32600`},
		{`{"jsonrpc":"1.0","id":"five","method":"ping"}`, `"id":"five"`},
		{`{"jsonrpc":"2.0","id":{"six":6},"method":"ping"}`, `"id":null`},
		{`[[0]]`, `-32600`},
		{`[{"jsonrpc":"2.0","id":7,"method":"ping"}]`, `"id":7,"result"`},
		{`{"jsonrpc":"2.0","id":8,"method":"ping"} {}`, `-32700`},
		{`{"jsonrpc":"2.0","id":9,"method":"ping"}`, `"id":9,"result"`},
	} {
		go func() { _, _ = io.WriteString(write, c[0]+"\n") }()
		if answer, err := answers.ReadString('\n'); err != nil || !strings.Contains(answer, c[1]) || !strings.Contains(answer, `"jsonrpc":"2.0"`) {
			t.Fatalf("%.60s is answered with %q (%v), not %s", c[0], answer, err, c[1])
		}
	}
	_ = write.Close()
	_ = read.Close()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// What was asked before the input ended is answered, a last line without its newline too.
func TestAllThatWasAskedIsAnsweredBeforeTheEnd(t *testing.T) {
	in := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"ping"}
{"jsonrpc":"2.0","id":2,"method":"ping"}
{"jsonrpc":"2.0","id":3,"method":"tools/list"}`
	for range 20 {
		var out bytes.Buffer
		if err := (recall.Server{}).MCP().Run(t.Context(), recall.Stdio(strings.NewReader(in), &out)); err != nil {
			t.Fatal(err)
		}
		for _, id := range []string{`"id":1,"result"`, `"id":2,"result"`, `"id":3,"result"`} {
			if !strings.Contains(out.String(), id) {
				t.Fatalf("there is no %s in\n%s", id, out.String())
			}
		}
	}
}
