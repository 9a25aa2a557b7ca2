package config

import (
	"context"
	"errors"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"tenfold"
	"tenfold/internal/cli/command"
	"tenfold/internal/cli/terminal"
	"tenfold/internal/config"
	"tenfold/internal/report"
	"tenfold/problem"
	"tenfold/store"
)

func configShowCommand(a *command.App) *cobra.Command {
	var origin bool
	c := &cobra.Command{
		Use:   "show [KEY] [flags]",
		Short: "Show the configuration in effect",
		Long: `Shows the configuration in effect as TOML, or only KEY. The output is a valid
configuration file. It includes settings stored with the active conversation.
--origin shows where each value comes from, and whether the workspace's file is
trusted.`,
		Example: `  tenfold config show
  tenfold config show conversation.compaction.keep_last --origin
  tenfold config show --json`,
		Args:              command.Arguments(0, 1, "one KEY"),
		ValidArgsFunction: a.CompleteKeys(""),
		RunE: func(c *cobra.Command, args []string) error {
			return configShow(c.Context(), a, strings.Join(args, ""), len(args) > 0, origin)
		},
	}
	c.Flags().BoolVar(&origin, "origin", false, "show where each value comes from")
	return c
}

type originJSON struct {
	Layer string `json:"layer"`
	// Name is a file or a variable.
	Name string `json:"name,omitzero"`
	Line int    `json:"line,omitzero"`
}

type settingJSON struct {
	Key   string `json:"key"`
	Value any    `json:"value"`
	// Trusted tells, of a value of the workspace's file, whether that is trusted.
	Trusted *bool       `json:"trusted,omitzero"`
	Origin  *originJSON `json:"origin"`
}

func configShow(ctx context.Context, a *command.App, key string, named, origin bool) error {
	if named && key == "" {
		return command.Usage("empty KEY", `"tenfold config show" shows all keys`)
	}
	extras, err := activeExtras(ctx, a)
	if err != nil { // a store that does not open takes nothing else with it
		a.Warn("cannot read the settings of the active conversation: " + command.Explain(err).Error())
	}
	e, err := a.Effective(extras...)
	if err != nil {
		return err
	}
	all, err := e.Settings(key)
	if wrong, ok := errors.AsType[*problem.Error](err); ok {
		return command.Usage(wrong.Problem, wrong.Hint)
	}
	if err != nil {
		return err
	}
	if a.JSON {
		return configShowJSON(a, all, key, origin)
	}
	if len(all) == 0 {
		a.Noticef("%s is not set", terminal.VisibleLine(key))
		return nil
	}
	configShowText(a, all, origin)
	return nil
}

func configShowJSON(a *command.App, all []config.Setting, key string, origin bool) error {
	l := a.Settings.Layers
	if len(all) == 0 {
		if err := a.Emit(settingJSON{Key: key}); err != nil {
			return err
		}
	}
	for _, s := range all {
		if s.Table {
			continue
		}
		out := settingJSON{
			Key: s.Key(), Value: s.Value,
			Origin: &originJSON{Layer: s.Origin.Layer(), Name: s.Origin.Name, Line: s.Origin.Line},
		}
		if s.Origin.Kind == config.Workspace {
			trusted := l.Trust == config.Trusted
			out.Trusted = &trusted
		}
		if err := a.Emit(out); err != nil {
			return err
		}
	}
	if origin && l.Workspace != "" {
		return a.Emit(trustJSON{File: l.Workspace, State: l.Trust, Ignored: report.Settings(l.Ignored)})
	}
	return nil
}

func configShowText(a *command.App, all []config.Setting, origin bool) {
	width := 80
	if a.Width > 0 {
		width = min(width, a.Width)
	}
	comment := func(text string) {
		for _, line := range terminal.Wrap(text, width-2) {
			a.Printf("%s\n", a.Paint(terminal.Faint, "# "+terminal.Visible(line)))
		}
	}
	if l := a.Settings.Layers; origin && l.Workspace != "" {
		a.Printf("%s\n", a.Paint(terminal.Faint, "# "+terminal.VisibleLine(l.Workspace)+": "+l.Trust.Words()))
		for _, s := range l.Ignored {
			pair := s.Key()
			if s.Value != nil {
				pair += " = " + s.TOML()
			}
			a.Printf("%s\n", a.Paint(terminal.Faint, "# ignored: "+terminal.VisibleLine(pair)))
		}
	}
	for i, s := range all {
		if s.Table && i > 0 {
			a.Printf("\n")
		}
		if s.Doc != "" && !origin {
			comment(s.Doc)
		}
		if s.Table {
			a.Printf("%s\n", a.Paint(terminal.Bold, "["+terminal.Visible(s.Key())+"]"))
			continue
		}
		name := s.Name()
		if len(all) == 1 {
			name = s.Key()
		}
		pair := terminal.Visible(name + " = " + s.TOML())
		if !origin {
			a.Printf("%s\n", pair)
			continue
		}
		from := "# " + terminal.Visible(s.Origin.String())
		if ansi.StringWidth(pair+from)+2 > width { // then it stands above
			a.Printf("%s\n%s\n", a.Paint(terminal.Faint, from), pair)
			continue
		}
		a.Printf("%s  %s\n", pair, a.Paint(terminal.Faint, from))
	}
}

// activeExtras are the texts in which the active conversation may hold
// settings; none where there is no store yet, or no active conversation.
func activeExtras(ctx context.Context, a *command.App) ([]string, error) {
	if !a.MayHaveConversations() {
		return nil, nil
	}
	if command.IsShared(a.URL()) { // to look there takes a while
		if file, err := command.SharedActive(a.URL()); err != nil {
			return nil, err
		} else if id, err := command.ActiveFile(file).Get(); err != nil || id == "" {
			return nil, err
		}
	}
	l, err := a.Look(ctx) // showing settings upgrades no store
	if err != nil {
		return nil, err
	}
	id, err := l.Active.Get()
	if err != nil || id == "" {
		return nil, err
	}
	var extras []string
	for e, err := range l.Store.Entries(ctx, id, 0) {
		if errors.Is(err, store.ErrNotFound) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		if d, ok := e.Payload.(tenfold.ConfigDelta); ok && d.Extra != "" {
			extras = append(extras, d.Extra)
		}
	}
	return extras, nil
}
