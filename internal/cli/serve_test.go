package cli

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// serve is a command of the scripts, "serve NAME ANSWER…": a server that gives
// one answer a request, files in the form of HTTP bodies, the last one again and
// again. A file whose name begins with a number has that status. The address is
// in $NAME, and what was asked is in NAME.txt: method, path, key and body.
func serve(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: serve NAME ANSWER…")
	}
	name, answers := args[0], args[1:]
	var bodies [][]byte
	for _, file := range answers {
		bodies = append(bodies, []byte(ts.ReadFile(file)))
	}
	log := ts.MkAbs(name + ".txt")
	asked := make(chan int, 1)
	asked <- 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := <-asked
		defer func() { asked <- n + 1 }()
		body, _ := io.ReadAll(r.Body)
		var line bytes.Buffer
		line.WriteString(r.Method + " " + r.URL.Path + " " + r.Header.Get("Authorization") + r.Header.Get("X-Api-Key") + "\n")
		line.Write(append(body, '\n'))
		f, err := os.OpenFile(log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err == nil {
			_, _ = f.Write(line.Bytes())
			_ = f.Close()
		}
		n = min(n, len(bodies)-1)
		status, _, _ := strings.Cut(answers[n], "-")
		code, err := strconv.Atoi(status)
		if err != nil {
			code = http.StatusOK
		}
		w.Header().Set("Content-Type", "text/event-stream")
		w.WriteHeader(code)
		_, _ = w.Write(bodies[n])
	}))
	ts.Defer(s.Close)
	ts.Setenv(name, s.URL)
}
