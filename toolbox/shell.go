package toolbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"tenfold"
	"tenfold/containment"
	"tenfold/toolbox/internal/output"
	"tenfold/toolbox/internal/process"
)

var shellTool = &builtin{
	name:  "shell",
	about: "Run a command with bash in the workspace. It has no terminal and no input. Standard output and error come together; of a long output the middle is left out. Processes in the background are stopped when the command ends.",
	parameters: []parameter{
		{name: "command", about: "The command.", required: true},
		{name: "timeout", about: "Time limit in seconds. Default: 120; at most 600.", number: true},
	},
	intent: func(a arguments) Intent {
		return Intent{Effect: Commands, Command: a.texts["command"], Subject: a.texts["command"]}
	},
	run: func(ctx context.Context, w *workspace, a arguments, c Call) (Result, error) {
		command := a.texts["command"]
		switch {
		case strings.TrimSpace(command) == "":
			return Result{}, errors.New("the command is empty")
		case strings.ContainsRune(command, 0):
			return Result{}, errors.New("a command cannot hold a NUL byte")
		}
		limit := w.Timeout
		if seconds, ok := a.numbers["timeout"]; ok {
			if seconds <= 0 {
				return Result{}, fmt.Errorf("timeout must be a number of seconds, not %d", seconds)
			}
			limit = min(time.Duration(seconds)*time.Second, w.MaxTimeout)
		}
		shell, err := exec.LookPath("bash")
		if err != nil {
			if shell, err = exec.LookPath("sh"); err != nil {
				return Result{}, errors.New("this machine has neither bash nor sh")
			}
		}
		cmd, err := w.command(ctx, c, ".", shell, "-c", command)
		if err != nil {
			return Result{}, err
		}
		return w.runForModel(ctx, cmd, limit, c, nil)
	},
}

// command makes a command that runs in a directory of the workspace, without links
// in its path, in containment where the call says so.
func (w *workspace) command(ctx context.Context, c Call, dir string, argv ...string) (*exec.Cmd, error) {
	ctx = context.WithoutCancel(ctx) // package process stops it, with all its group
	at := filepath.Join(w.real, filepath.FromSlash(dir))
	if c.Contained {
		return containment.Command(ctx, argv, at, containment.Grant{Write: []string{w.real}, Hide: w.Hide, Network: c.Network})
	}
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...) //nolint:gosec // to run commands is what it is for
	cmd.Dir = at
	return cmd, nil
}

// runForModel runs a command and gives what a model is told of it.
func (w *workspace) runForModel(ctx context.Context, cmd *exec.Cmd, limit time.Duration, c Call, in []byte) (Result, error) {
	if cmd.Env == nil {
		cmd.Env = process.Environ(w.Secrets)
	}
	kept := output.Buffer{Limit: w.Limit - 400}
	live := output.Lines{To: c.Output}
	end, err := process.Run(ctx, cmd, limit, process.Streams{In: in, Out: io.MultiWriter(&kept, &live)})
	if err != nil {
		return Result{}, err
	}
	live.Flush()
	text, outcome := kept.Text(), tenfold.Exit(end.Code)
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	switch {
	case end.TimedOut:
		text += fmt.Sprintf("[stopped: the time limit of %s was reached]", limit)
		outcome = tenfold.Failed
	case end.Interrupted:
		text += "[stopped: interrupted]"
		outcome = tenfold.Failed
	case end.Code < 0:
		text += "[ended by a signal: " + cmd.ProcessState.String() + "]"
		outcome = tenfold.Failed
	case end.Code > 0:
		text += fmt.Sprintf("[exit code %d]", end.Code)
	case text == "":
		text = "[no output]"
	}
	if c.Contained && outcome.Bad() {
		network := ", no network"
		if c.Network {
			network = ""
		}
		text = strings.TrimSuffix(text, "\n") + "\n[contained: no writes outside the workspace and temporary files" + network + "; the person can allow more]"
	}
	return Result{Parts: tenfold.Text(text), Outcome: outcome}, nil
}
