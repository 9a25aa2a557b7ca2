package process_test

import (
	"context"
	"os/exec"
	"strings"
	"testing"
	"time"

	"tenfold/toolbox/internal/process"
)

func TestRun(t *testing.T) {
	t.Parallel()
	run := func(script, in string) (end process.End, out, problems string) {
		t.Helper()
		var o, e strings.Builder
		cmd := exec.CommandContext(context.Background(), "sh", "-c", script)
		end, err := process.Run(t.Context(), cmd, 5*time.Minute, process.Streams{In: []byte(in), Out: &o, Err: &e})
		if err != nil {
			t.Fatal(err)
		}
		return end, o.String(), e.String()
	}
	if end, out, problems := run("cat; echo bad >&2; exit 4", "given"); end != (process.End{Code: 4}) || out != "given" || problems != "bad\n" {
		t.Errorf("%+v, %q, %q", end, out, problems)
	}
	// A program that reads none of a long input does not hold up anything.
	if end, _, _ := run("exit 0", strings.Repeat("x", 1<<20)); end != (process.End{}) {
		t.Errorf("%+v", end)
	}
	if end, out, _ := run("wc -c", strings.Repeat("x", 1<<20)); end.Code != 0 || strings.TrimSpace(out) != "1048576" {
		t.Errorf("%+v, %q", end, out)
	}
	if _, err := process.Run(t.Context(), exec.CommandContext(context.Background(), "/does/not/exist"), time.Minute, process.Streams{Out: &strings.Builder{}}); err == nil {
		t.Error("what does not exist was started")
	}
}

// sluggish takes its time for the first piece.
type sluggish struct {
	pieces, bytes int
}

func (s *sluggish) Write(b []byte) (int, error) {
	if s.pieces++; s.pieces == 1 {
		time.Sleep(700 * time.Millisecond)
	}
	s.bytes += len(b)
	return len(b), nil
}

// What a program said is read to its end though it has ended before, and is not
// waited for.
func TestOutputOutlivesItsProgram(t *testing.T) {
	t.Parallel()
	var out sluggish
	cmd := exec.CommandContext(context.Background(), "sh", "-c", "head -c 60000 /dev/zero")
	if _, err := process.Run(t.Context(), cmd, 5*time.Minute, process.Streams{Out: &out}); err != nil || out.bytes != 60_000 {
		t.Errorf("%d bytes in %d pieces, %v", out.bytes, out.pieces, err)
	}
}
