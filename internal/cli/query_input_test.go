package cli

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"strings"
	"sync"
	"testing"

	"tenfold/internal/cli/terminal"
)

// A noticed calls back once something was written to it.
type noticed struct {
	text bytes.Buffer
	once sync.Once
	call func()
}

func (n *noticed) Write(p []byte) (int, error) {
	n.once.Do(n.call)
	return n.text.Write(p)
}

// Whoever leaves standard input open is told what is waited for.
func TestQueryTellsThatItReadsStandardInput(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"} {
		t.Setenv(name, dir)
	}
	t.Setenv("TENFOLD_STORE", "memory:")
	in, writer := io.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	errs := &noticed{call: func() { _ = writer.Close(); cancel() }} // the model, which is not there, is not waited for
	Run(ctx, []string{"query", "--model", "ollama/none", "--max-steps", "1", "-p", "hello"}, &terminal.Terminal{In: in, Out: bufio.NewWriter(io.Discard), Err: errs})
	if !strings.HasPrefix(errs.text.String(), "reading standard input") {
		t.Errorf("it says %s", errs.text.String())
	}
}
