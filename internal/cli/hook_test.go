package cli

import (
	"bufio"
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"tenfold/internal/cli/command"
	"tenfold/internal/cli/live"
	"tenfold/internal/cli/terminal"
	"tenfold/internal/hook"
)

// echo is a client that answers with what it is asked.
type echo struct{}

func (echo) About() hook.About { return hook.About{Name: "echo", Title: "Echo"} }

func (echo) Handle(ctx context.Context, h *hook.Host, event string, in []byte) ([]byte, error) {
	if event != "compact" {
		return nil, hook.ErrUnknownEvent
	}
	_, err := h.Service(ctx)
	return in, err
}

func (echo) Files(hook.Place) ([]hook.File, error) { return nil, nil }

// An agent is answered whatever it says, and always with exit code 0 (V7).
func TestV7HookAlwaysAnswers(t *testing.T) {
	for _, c := range []struct {
		args, in, want, store string
	}{
		{args: "hook echo compact", in: `{"a":1}`, want: `{"a":1}`},
		{args: "hook echo compact --from-a-newer-adapter=1 -z", in: `{"a":1}`, want: `{"a":1}`},
		{args: "hook echo compact", in: `{"a":1}`, want: "{}", store: "sqlite:///dev/null/x"},
		{args: "hook echo compact", in: `{"a":`, want: "{}"},
		{args: "hook echo compact", in: "", want: "{}"},
		{args: "hook echo other", want: "{}"},
		{args: "hook ekho compact", want: "{}"},
		{args: "hook echo", want: "{}"},
		{args: "hook", want: "{}"},
	} {
		t.Run(c.args, func(t *testing.T) {
			t.Setenv("XDG_DATA_HOME", t.TempDir())
			t.Setenv("XDG_CONFIG_HOME", t.TempDir())
			t.Setenv("TENFOLD_STORE", c.store)
			var out, errs bytes.Buffer
			a := &command.App{
				Terminal: &terminal.Terminal{In: strings.NewReader(c.in), Out: bufio.NewWriter(&out), Err: &errs},
				Now:      time.Now, Clients: []hook.Client{echo{}},
			}
			code := Execute(t.Context(), a, strings.Fields(c.args))
			if got := strings.TrimSpace(out.String()); got != c.want || code != command.ExitOK || errs.Len() > 0 {
				t.Errorf("the answer is %s, the exit code %d, the errors %s; want %s", got, code, &errs, c.want)
			}
			all, err := live.Host(a).Failures(10)
			if failed := c.want == hook.Nothing && c.in != ""; err != nil || (failed && len(all) != 1) {
				t.Errorf("the record is %+v, %v", all, err)
			}
		})
	}
}
