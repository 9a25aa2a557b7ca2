package config

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"tenfold/internal/cli/command"
	"tenfold/internal/cli/terminal"
	"tenfold/internal/config"
	"tenfold/internal/report"
)

func configTrustCommand(a *command.App) *cobra.Command {
	var list, revoke bool
	c := &cobra.Command{
		Use:   "trust [FILE] [flags]",
		Short: "Trust the configuration file of a workspace",
		Long: `Trusts the workspace's file: the nearest in the working directory or a parent,
or FILE. Read it first: all of its settings take effect.

A file that is not trusted can only set strategies, profiles, tails and hints
for tools. Models, anything that calls a model, providers, addresses, keys,
scripts and directories in it are ignored with a warning, since a workspace
often comes from somebody else.

Trust is stored in your configuration directory, by the absolute path and the
content of the file: a changed file must be trusted again.`,
		Example: `  tenfold config trust
  tenfold config trust --list
  tenfold config trust --revoke ~/src/project`,
		Args: command.Arguments(0, 1, "one FILE"),
		RunE: func(_ *cobra.Command, args []string) error {
			trust, err := config.UserTrust()
			if err != nil {
				return command.Hinted(errors.New("config trust: no home directory"), "config", "set HOME")
			}
			switch {
			case list && (revoke || len(args) > 0):
				return command.Usage("--list cannot be used with FILE or --revoke", "omit them")
			case list:
				return listTrusted(a, trust)
			}
			name, err := workspaceFile(args)
			switch {
			case err != nil:
				return err
			case revoke:
				return distrust(a, trust, name)
			}
			return trustFile(a, trust, name)
		},
	}
	c.Flags().BoolVar(&list, "list", false, "list trusted files")
	c.Flags().BoolVar(&revoke, "revoke", false, "stop trusting the file")
	c.MarkFlagsMutuallyExclusive("list", "revoke")
	return c
}

// trustJSON is a workspace's file and what a person said of it.
type trustJSON struct {
	File  string            `json:"file"`
	State config.TrustState `json:"state"`
	// Settings are those that have an effect because the file is trusted.
	Settings []report.Setting `json:"settings,omitempty"`
	// Ignored are those that have none, because it is not.
	Ignored []report.Setting `json:"ignored,omitempty"`
}

// workspaceFile finds the file of a workspace that is named, or the one that is
// found upward.
func workspaceFile(args []string) (string, error) {
	const hint = "a workspace's file is .tenfold/config.toml; name it, or its workspace"
	if len(args) == 0 {
		dir, err := command.WorkingDirectory()
		if err != nil {
			return "", err
		}
		if name := config.WorkspaceFile(dir); name != "" {
			return name, nil
		}
		return "", command.Hinted(errors.New("config trust: no workspace file here or above"), "not_found", hint)
	}
	name, err := filepath.Abs(args[0])
	if err != nil {
		return "", err
	}
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		name = config.FileOf(name)
	}
	if name != config.FileOf(filepath.Dir(filepath.Dir(name))) {
		return "", command.Usage("config trust "+command.Quote(args[0])+": not the file of a workspace", hint)
	}
	return name, nil
}

func trustFile(a *command.App, trust config.Trust, name string) error {
	text, err := config.ReadFile(config.Workspace, name)
	if err != nil {
		return err
	}
	settings, err := config.NeedsTrust(name, text)
	if err != nil {
		return err
	}
	if err := trust.Add(name, text); err != nil {
		return err
	}
	if a.JSON {
		return a.Emit(trustJSON{File: config.Place(name), State: config.Trusted, Settings: report.Settings(settings)})
	}
	a.Noticef("trusted %s", terminal.VisibleLine(config.Place(name)))
	for _, s := range settings {
		a.Noticef("  %s", terminal.VisibleLine(s.Key()+" = "+s.TOML()))
	}
	return nil
}

func distrust(a *command.App, trust config.Trust, name string) error {
	had, err := trust.Revoke(name)
	switch {
	case err != nil:
		return err
	case !had:
		return command.Hinted(errors.New("config trust "+config.Place(name)+": not trusted"), "not_found", `"tenfold config trust --list" lists the files that are`)
	case a.JSON:
		return a.Emit(trustJSON{File: config.Place(name), State: config.Untrusted})
	}
	a.Noticef("no longer trusted: %s", terminal.VisibleLine(config.Place(name)))
	return nil
}

func listTrusted(a *command.App, trust config.Trust) error {
	all, err := trust.List()
	if err != nil {
		return err
	}
	for _, f := range all {
		err := a.Result(trustJSON{File: f.Path, State: f.State}, func() {
			a.Printf("%s  %s\n", terminal.Pad(string(f.State), len(config.Untrusted)), terminal.VisibleLine(f.Path))
		})
		if err != nil {
			return err
		}
	}
	if len(all) == 0 && !a.JSON {
		a.Noticef("no file is trusted")
	}
	return nil
}
