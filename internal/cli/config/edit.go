package config

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"tenfold/internal/cli/command"
	"tenfold/internal/cli/terminal"
	"tenfold/internal/config"
	"tenfold/internal/outfile"
)

func configEditCommand(a *command.App) *cobra.Command {
	var workspace bool
	c := &cobra.Command{
		Use:   "edit [flags]",
		Short: "Edit a configuration file",
		Long: `Opens your configuration file, or the workspace's, in $VISUAL or $EDITOR. A new
file contains all defaults as comments.

You edit a copy. It replaces the file only if it is valid; otherwise you can
edit it again, or leave the file unchanged and keep the copy.

A workspace's file that is new, or was trusted before, is trusted after the
edit; see "tenfold config trust".`,
		Example: `  tenfold config edit
  EDITOR="code --wait" tenfold config edit --workspace`,
		RunE: func(c *cobra.Command, _ []string) error { return configEdit(c.Context(), a, workspace) },
	}
	c.Flags().BoolVar(&workspace, "workspace", false, "edit the workspace's file: the nearest in a parent\ndirectory, else .tenfold/config.toml here")
	return c
}

func configEdit(ctx context.Context, a *command.App, workspace bool) error {
	kind, name, err := fileToEdit(a, workspace)
	if err != nil {
		return err
	}
	before, err := config.ReadFile(kind, name)
	fresh := errors.Is(err, fs.ErrNotExist)
	if fresh {
		before, err = newFile()
	}
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "tenfold-")
	if err != nil {
		return err
	}
	draft := filepath.Join(dir, "config.toml")
	if err := os.WriteFile(draft, before, 0o600); err != nil {
		return err
	}
	after, err := edited(ctx, a, kind, name, draft)
	if err != nil {
		return err
	}
	changed := fresh || !bytes.Equal(before, after)
	if now, err := config.ReadFile(kind, name); changed && err == nil && (fresh || !bytes.Equal(now, before)) {
		return command.Hinted(errors.New("config edit "+name+": another program changed it meanwhile; it is left as it is"), "conflict",
			"your edit is kept in "+draft+": edit again, and take from it what is missing")
	}
	if changed {
		if err := outfile.Write(name, after, 0o600); err != nil {
			return command.Hinted(fmt.Errorf("config edit: %w", err), "config", "your edit is kept in "+draft)
		}
	}
	_ = os.RemoveAll(dir)
	if kind == config.Workspace {
		if err := keepTrust(a, name, fresh, before, after); err != nil {
			return err
		}
	}
	if a.JSON {
		return a.Emit(map[string]any{"file": name, "changed": changed})
	}
	switch {
	case fresh:
		a.Noticef("created %s", terminal.VisibleLine(name))
	case changed:
		a.Noticef("changed %s", terminal.VisibleLine(name))
	default:
		a.Noticef("%s is unchanged", terminal.VisibleLine(name))
	}
	return nil
}

// keepTrust goes on trusting a file that was trusted before it was edited here,
// and one that is new: then nobody else has written in it.
func keepTrust(a *command.App, name string, fresh bool, before, after []byte) error {
	trust := a.Settings.Sources().Trust
	if trust != "" && (fresh || trust.State(name, before) == config.Trusted) {
		return trust.Add(name, after)
	}
	if closed, err := config.NeedsTrust(name, after); err == nil && len(closed) > 0 {
		a.Warn(terminal.VisibleLine(name) + ` is not trusted, so part of it is ignored: run "tenfold config trust"`)
	}
	return nil
}

// edited has the draft edited until it is right, and gives it.
func edited(ctx context.Context, a *command.App, kind config.Kind, name, draft string) ([]byte, error) {
	for {
		if err := a.Edit(ctx, draft); err != nil {
			_ = os.RemoveAll(filepath.Dir(draft))
			return nil, err
		}
		after, err := os.ReadFile(draft)
		if err != nil {
			return nil, err
		}
		err = config.CheckFile(kind, name, after)
		if err == nil {
			return after, nil
		}
		rejected := command.Explain(err)
		rejected.Hint = strings.TrimSuffix("the file is unchanged, and your edit is kept in "+draft+"; "+rejected.Hint, "; ")
		if !a.InTTY {
			return nil, rejected
		}
		a.Warn(rejected.Error())
		again, err := a.Confirm(ctx, "edit it again?", rejected)
		if err != nil || !again {
			return nil, rejected
		}
	}
}

// fileToEdit is the file in question; it need not be there.
func fileToEdit(a *command.App, workspace bool) (config.Kind, string, error) {
	s := a.Settings.Sources()
	switch {
	case workspace && s.Named:
		return 0, "", command.Exclusive("--workspace", "--config")
	case workspace:
		if s.Dir == "" {
			return 0, "", errors.New("there is no working directory")
		}
		name := cmp.Or(config.WorkspaceFile(s.Dir), config.FileOf(s.Dir))
		if config.Led(name) {
			return 0, "", command.Hinted(errors.New("config edit "+name+": reached through a link inside the workspace"), "config", "edit the file it leads to")
		}
		return config.Workspace, name, nil
	case s.User == "":
		return 0, "", command.Hinted(errors.New("config edit: no home directory"), "config", "name a file with --config")
	}
	return config.User, s.User, nil
}

// newFile is what a file begins with: all defaults, as comments.
func newFile() ([]byte, error) {
	l, err := config.Read(config.Sources{})
	if err != nil {
		return nil, err
	}
	e, err := l.With()
	if err != nil {
		return nil, err
	}
	all, err := e.Settings("")
	var b bytes.Buffer
	b.WriteString("# Tenfold's configuration. Uncomment a line to set it; those here are the\n# defaults. \"tenfold config show --origin\" shows what is in effect.\n")
	for _, s := range all {
		if s.Table {
			b.WriteString("\n")
		}
		if s.Doc != "" {
			for _, line := range terminal.Wrap(s.Doc, 76) {
				b.WriteString("## " + line + "\n")
			}
		}
		if s.Table {
			b.WriteString("[" + s.Key() + "]\n")
			continue
		}
		b.WriteString("# " + s.Name() + " = " + s.TOML() + "\n")
	}
	return b.Bytes(), err
}
