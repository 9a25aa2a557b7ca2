package compaction

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"tenfold/internal/cli/command"
	"tenfold/internal/cli/terminal"
	"tenfold/internal/cli/transcripts"
	"tenfold/internal/outfile"
	"tenfold/transcript"
)

// Resuming is "tenfold resume CLIENT".
type Resuming struct {
	File
	bound string // of --to
	exec  bool
}

// resumeTarget is the size of what is resumed, unless flags say how to compact.
const resumeTarget = "10%"

// ResumeCommand is "tenfold resume".
func ResumeCommand(a *command.App) *cobra.Command {
	k := &Resuming{File: File{Flags: Flags{}, App: a}}
	c := &cobra.Command{
		Use:   "resume CLIENT [ID] [flags]",
		Short: "Compact a client's session and resume it",
		Long: `Compacts a session of a client, writes the result among the client's sessions,
as a new one, and prints the command that resumes it. --exec runs that command,
if the session is one of this directory. The original session is not changed.

The session is the newest one of this directory; with --last the newest one of
any directory; with ID the one whose id begins with ID. If nothing says how to
compact it, the target is ` + resumeTarget + ` of what a model sees now.

` + command.Sentence("Clients: "+strings.Join(Resumable(), ", ")+". opencode keeps its sessions in a database, so the session is imported with its own command.") + `

` + rangeHelp + `

` + modelHelp,
		Example: `  tenfold resume claude-code
  tenfold resume codex --target 20k --exec
  tenfold resume pi 0199b2f4`,
		Args: command.Arguments(1, 2, "a client"),
		RunE: func(c *cobra.Command, args []string) error { return k.run(c.Context(), args) },
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return Resumable(), cobra.ShellCompDirectiveNoFileComp
		},
	}
	k.Register(a, c)
	c.Flags().StringVar(&k.bound, "to", "", "end of the range, a `BOUND`")
	c.Flags().BoolVar(&k.last, "last", false, "take the client's newest session of any directory")
	c.Flags().BoolVar(&k.exec, "exec", false, "run the command that resumes the session")
	return c
}

// Resumable lists the tools whose sessions can be resumed.
func Resumable() (names []string) {
	for _, f := range transcript.Resumable() {
		names = append(names, string(f))
	}
	return names
}

func (k *Resuming) run(ctx context.Context, args []string) error {
	client := args[0]
	if !slices.Contains(Resumable(), client) {
		return command.Usage("unknown client "+command.Quote(client), "clients: "+strings.Join(Resumable(), ", "))
	}
	id := ""
	if len(args) > 1 {
		id = args[1]
	}
	switch {
	case len(args) > 1 && k.last:
		return command.Exclusive("ID", "--last")
	case len(args) > 1 && id == "":
		return command.Usage("empty ID", "omit it for the newest session of this directory")
	case k.exec && k.DryRun:
		return command.Exclusive("--exec", "--dry-run")
	}
	if given := k.Command.Flags().Changed; !given("target") && !given("profile") && !given("strategy") {
		if err := k.Command.Flags().Set("target", resumeTarget); err != nil {
			return err
		}
	}
	req, err := k.begin(k.bound)
	if err != nil {
		return err
	}
	req.Options.Renewed = transcript.Renewed(transcript.Format(client))
	k.Format, k.Here = client, !k.last && id == ""
	all, err := transcripts.Kept(ctx, k.App, transcript.Format(client))
	if err != nil {
		return err
	}
	s, err := k.Session(ctx, all, id)
	if err != nil {
		return err
	}
	k.Chose(s)
	to := &keeping{App: k.App, of: *s}
	if k.exec {
		if err := to.runnable(); err != nil {
			return err
		}
	}
	if k.DryRun {
		return k.all(ctx, []string{s.Path}, req, nil)
	}
	if err := k.all(ctx, []string{s.Path}, req, to); err != nil || !k.exec {
		return err
	}
	k.Then = to.execute
	return nil
}

// Session finds the session that is asked for.
func (k *Resuming) Session(ctx context.Context, all []transcript.Session, id string) (*transcript.Session, error) {
	if id == "" {
		return k.Newest(ctx, all)
	}
	var found []*transcript.Session
	for i := range all {
		s := &all[i]
		if inside := s.Agent && s.Only != ""; inside { // a branch of another conversation
			continue
		}
		if s.Named(ctx, id) {
			if s.ID == id {
				return s, nil
			}
			found = append(found, s)
		}
	}
	switch len(found) {
	case 0:
		return nil, command.Hinted(errors.New("find session "+command.Quote(id)+" of "+k.Format+": no such session"), "not_found",
			"omit the ID for the newest session of this directory; \"tenfold compact --format "+k.Format+"\" shows a list on a terminal")
	case 1:
		return found[0], nil
	}
	return nil, command.Hinted(errors.New("find session "+command.Quote(id)+" of "+k.Format+": "+strconv.Itoa(len(found))+" sessions begin with it"), "ambiguous", "write more of the ID")
}

// keeping puts a compacted session among those of a client.
type keeping struct {
	*command.App
	of transcript.Session

	commands [][]string
}

func (to *keeping) many() (ok bool, format string) { return false, string(to.of.Format) }

func (to *keeping) piped() bool { return false }

// mostCopies is how many compacted copies of one state of a session are told
// apart by a number.
const mostCopies = 1000

// write exports a conversation under an id of its own. A file that is there with
// the same content is taken as it is; one that says something else, as when the
// client went on with it, is left alone and another id taken.
func (to *keeping) write(_ *command.App, r *Report, views []transcript.View) error {
	v := views[0]
	version := strconv.FormatInt(v.Projection.Version(), 10)
	original := v.ID
	for n := range mostCopies {
		// Derived, so that running the command again finds what it wrote.
		v.ID = uuid.NewSHA1(uuid.NameSpaceOID, []byte("tenfold resume "+original+" "+version+" "+strconv.Itoa(n))).String()
		var data bytes.Buffer
		warnings, err := transcript.Export(&data, to.of.Format, v)
		if err != nil {
			return err
		}
		path, err := to.place(v.ID, data.Bytes())
		if err != nil {
			return err
		}
		there, err := os.ReadFile(path)
		if err == nil && !bytes.Equal(there, data.Bytes()) {
			continue
		}
		if errors.Is(err, fs.ErrNotExist) {
			err = to.put(path, data.Bytes())
		}
		if err != nil {
			return err
		}
		to.commands = transcript.Continue(to.of.Format, path, data.Bytes())
		r.Warnings, r.Path = append(r.Warnings, warnings...), path
		for _, words := range to.commands {
			r.Resume = append(r.Resume, transcript.ShellCommand(words))
		}
		if dir, ok := to.elsewhere(); ok {
			r.Resume = slices.Insert(r.Resume, 0, transcript.ShellCommand([]string{"cd", dir}))
		}
		return nil
	}
	return command.Hinted(errors.New("write the session: there are too many copies of it"), "exists", "remove those that you do not need")
}

// place is the file for a session: where the client looks, or for one that takes
// sessions in by a command, beside the store.
func (to *keeping) place(id string, data []byte) (string, error) {
	if path := transcript.Keep(to.of.Format, to.of.Path, data); path != "" {
		return path, nil
	}
	if transcript.Continue(to.of.Format, "", data) == nil {
		return "", errors.New("write the session: the export has no id")
	}
	store, err := command.DefaultStore()
	if err != nil {
		return "", err
	}
	return filepath.Join(filepath.Dir(store), "resume", id+".json"), nil
}

// put writes the file. It is a little older than the session that it was made
// from, so that the newest session is still that one until the client goes on with
// the copy.
func (to *keeping) put(path string, data []byte) error {
	if err := outfile.Write(path, data, 0o600); err != nil {
		return err
	}
	before := to.of.Changed.Add(-time.Second)
	return os.Chtimes(path, before, before)
}

// elsewhere is the directory that the session belongs to, if it is another one
// than this.
func (to *keeping) elsewhere() (string, bool) {
	dir := to.of.Directory
	names, err := transcripts.HereNames()
	return dir, filepath.IsAbs(dir) && err == nil && !slices.Contains(names, dir)
}

// runnable says why the client cannot be run here. It is not run in a directory
// that only a transcript names.
func (to *keeping) runnable() error {
	name := transcript.Program(to.of.Format)
	if _, err := exec.LookPath(name); err != nil {
		return command.Hinted(errors.New("run "+name+": it is not installed, or not in PATH"), "not_found",
			"install "+string(to.of.Format)+", or omit --exec to see the command")
	}
	if dir, ok := to.elsewhere(); ok {
		return command.Hinted(errors.New("run "+name+": the session ran in "+dir), "elsewhere", "change to that directory first, or omit --exec to see the command")
	}
	return nil
}

// execute runs the commands: the last in the place of this process where the
// system can do that. It gives the exit code.
func (to *keeping) execute(ctx context.Context) (int, error) {
	last := len(to.commands) - 1
	for _, words := range to.commands[:last] {
		c := exec.CommandContext(ctx, words[0], words[1:]...) //nolint:gosec // the client's own command, with the path of a file
		c.Stdout, c.Stderr = os.Stderr, os.Stderr
		if err := c.Run(); err != nil {
			return command.ExitFailed, command.Hinted(errors.New("run "+terminal.VisibleLine(strings.Join(words, " "))+": "+err.Error()), "failed", "run it yourself to see what is wrong")
		}
	}
	return replace(to.commands[last])
}

// replace runs a command in the place of this program; where the system has no
// such thing, it runs it and gives its exit code.
func replace(words []string) (int, error) {
	program, err := exec.LookPath(words[0])
	if err != nil {
		return command.ExitFailed, err
	}
	err = syscall.Exec(program, words, os.Environ()) //nolint:gosec // the client's own command, with the id of a session
	if runtime.GOOS != "windows" {
		return command.ExitFailed, err
	}
	// An interrupt is the client's, so no context ends it.
	c := exec.Command(program, words[1:]...) //nolint:gosec,noctx // as above
	c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stdout, os.Stderr
	err = c.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exit.ExitCode(), nil
	}
	if err != nil {
		return command.ExitFailed, err
	}
	return command.ExitOK, nil
}
