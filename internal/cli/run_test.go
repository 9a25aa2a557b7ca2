package cli

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"tenfold/test/modelserver"
)

// The terminal is the client's: what net/http logs by itself of an upstream that
// says more than it was asked is not printed there, and with --verbose no more than
// what the proxy reports (X8).
func TestRunIsSilent(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("the client here is a script of bash")
	}
	for _, flags := range [][]string{nil, {"--verbose"}} {
		up, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = up.Close() })
		heard := make(chan bool)
		go func() {
			for first := true; ; first = false {
				conn, err := up.Accept()
				if err != nil {
					return
				}
				if _, err := http.ReadRequest(bufio.NewReader(conn)); err != nil {
					return
				}
				const answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
				if !first {
					<-heard
					_, _ = io.WriteString(conn, answer)
					continue
				}
				// At once, or the next request may come on this connection before it.
				_, _ = io.WriteString(conn, answer+"HTTP/1.1 200 OK\r\n\r\nnobody asked for this")
				go func() {
					_, _ = io.Copy(io.Discard, conn) // until it is hung up
					close(heard)
				}()
			}
		}()
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "claude"), []byte(`#!/usr/bin/env bash
url=${ANTHROPIC_BASE_URL#http://}; host=${url%%/*}
for i in 1 2; do
  exec 3<>"/dev/tcp/${host%:*}/${host#*:}"
  printf 'GET /%s/v1/models HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n' "${url#*/}" "$host" >&3
  cat <&3
done
`), 0o700); err != nil {
			t.Fatal(err)
		}
		c := child(t, filepath.Join(dir, "store.db"), append(append([]string{"run"}, flags...), "claude")...)
		c.Env = append(c.Env, "PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"), "HOME="+dir, "ANTHROPIC_BASE_URL=http://"+up.Addr().String())
		var out, errs bytes.Buffer
		c.Stdout, c.Stderr = &out, &errs
		if err := c.Run(); err != nil || strings.Count(out.String(), "200 OK") != 2 {
			t.Fatalf("%v: %s%s", err, out.String(), errs.String())
		}
		for line := range strings.Lines(errs.String()) {
			if flags == nil || !strings.Contains(line, "msg=request ") {
				t.Errorf("run %q prints %s", flags, line)
			}
		}
	}
}

// A client that is run by another one has the base URL of that one's proxy: what it says goes past
// that to the vendor, and is stored once, as its own.
func TestRunInsideRun(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("the client here is a script of bash")
	}
	up := httptest.NewServer(modelserver.New(modelserver.Sequence(modelserver.Text("A loaf takes a night."))))
	t.Cleanup(up.Close)
	dir := t.TempDir()
	store := filepath.Join(dir, "store.db")
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "claude"), []byte(`#!/usr/bin/env bash
if [ -z "$INNER" ]; then
  mkdir inner; cd inner
  INNER=1 "$TENFOLD_EXE" run claude
  exit
fi
url=${ANTHROPIC_BASE_URL#http://}; host=${url%%/*}
body='{"model":"claude-sonnet-4-5","max_tokens":99,"tools":[{"name":"bake","input_schema":{"type":"object"}}],"messages":[{"role":"user","content":"How long does a loaf take?"}]}'
exec 3<>"/dev/tcp/${host%:*}/${host#*:}"
printf 'POST /%s/v1/messages HTTP/1.1\r\nHost: %s\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s' "${url#*/}" "$host" "${#body}" "$body" >&3
cat <&3
`), 0o700); err != nil {
		t.Fatal(err)
	}
	ran := func(args ...string) string {
		c := child(t, store, args...)
		c.Dir = dir
		c.Env = append(c.Env, "PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"), "HOME="+dir, "ANTHROPIC_BASE_URL="+up.URL, "TENFOLD_EXE="+exe)
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return string(out)
	}
	if out := ran("run", "claude"); !strings.Contains(out, "A loaf takes a night.") {
		t.Fatal(out)
	}
	list := ran("conversation", "ls", "--json")
	if strings.Count(list, `"id":`) != 1 || !strings.Contains(list, filepath.Join(filepath.Base(dir), "inner")) {
		t.Errorf("the store has %s", list)
	}
}
