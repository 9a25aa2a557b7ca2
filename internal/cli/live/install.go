package live

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tenfold/internal/cli/command"
	"tenfold/internal/cli/terminal"
	"tenfold/internal/hook"
)

// install is "tenfold install CLIENT".
type install struct {
	*command.App
	scope  string
	dryRun bool
	list   bool
	// without leaves out recall.
	without bool
}

// InstallCommand is "tenfold install".
func InstallCommand(a *command.App) *cobra.Command {
	k := &install{App: a}
	c := &cobra.Command{
		Use:   "install CLIENT [flags]",
		Short: "Have a running agent's compactions answered by Tenfold",
		Long: `Installs a plug-in into an agent. From then on the agent's own compaction,
manual or automatic, is answered by Tenfold: at once, without a model, and it
can be undone. The conversation is kept in the store, where "tenfold
conversation" shows it.

` + command.Sentence("The agents are: "+strings.Join(knownClients(a), ", ")+".") + `

The agent's model gets the tools of "tenfold mcp", or where it has no MCP the
command "tenfold recall", and a skill that says when to use them.

No file of yours is overwritten. Tenfold adds files of its own, and adds entries
to the agent's JSON configuration; "tenfold uninstall" takes both away again and
leaves every file as it was. Installing again renews the plug-in.

If Tenfold fails, is too slow or is removed, the agent does what it does without
it. "tenfold doctor" shows what failed.`,
		Example: `  tenfold install claude-code
  tenfold install opencode --scope project --dry-run
  tenfold install --list`,
		Args:              command.Arguments(0, 1, "a client"),
		ValidArgsFunction: completeClients(a),
		RunE: func(c *cobra.Command, args []string) error {
			switch {
			case k.list && len(args) > 0:
				return command.Usage("--list takes no client", "usage: tenfold install --list")
			case k.list:
				return k.printList(c.Context())
			case len(args) == 0:
				return command.Usage("tenfold install requires a client", "the clients are "+strings.Join(knownClients(k.App), ", "))
			}
			return k.run(c.Context(), args[0])
		},
	}
	c.Flags().StringVar(&k.scope, "scope", string(hook.User), "`SCOPE` to install for: user, or project for the current\ndirectory")
	c.Flags().BoolVar(&k.dryRun, "dry-run", false, "show what would be written, write nothing")
	c.Flags().BoolVar(&k.list, "list", false, "list the agents, their versions, and what is installed")
	c.Flags().BoolVar(&k.without, "no-recall", false, "do not give the model tools to look up what was shortened")
	command.Complete(c, "scope", string(hook.User), string(hook.Project))
	return c
}

// UninstallCommand is "tenfold uninstall".
func UninstallCommand(a *command.App) *cobra.Command {
	k := &install{App: a}
	c := &cobra.Command{
		Use:   "uninstall CLIENT [flags]",
		Short: "Remove Tenfold's plug-in from an agent",
		Long: `Removes what "tenfold install" added, everywhere it was installed, and leaves
every file as it was before, byte for byte. From a file that you changed since,
only what Tenfold added is removed; a plug-in that you changed is renamed.

Conversations stay in the store.`,
		Example: `  tenfold uninstall claude-code
  tenfold uninstall pi --scope project`,
		Args:              command.Arguments(1, 1, "a client"),
		ValidArgsFunction: completeClients(a),
		RunE:              func(_ *cobra.Command, args []string) error { return k.remove(args[0]) },
	}
	c.Flags().StringVar(&k.scope, "scope", "", "`SCOPE` to remove it from: user, or project for the current\ndirectory (default: all)")
	c.Flags().BoolVar(&k.dryRun, "dry-run", false, "show what would be changed, change nothing")
	command.Complete(c, "scope", string(hook.User), string(hook.Project))
	return c
}

func knownClients(a *command.App) []string {
	names := make([]string, len(a.Clients))
	for i, c := range a.Clients {
		names[i] = c.About().Name
	}
	return names
}

// place is where a client's adapter goes.
func place(scope, version string) (hook.Place, error) {
	p := hook.Place{Scope: hook.Scope(scope), Getenv: os.Getenv, Version: version}
	if p.Scope != hook.User && p.Scope != hook.Project {
		return p, command.Usage("invalid --scope value "+command.Quote(scope), "write user or project")
	}
	var err error
	if p.Home, err = command.HomeDirectory(); err != nil {
		return p, err
	}
	if p.Dir, err = command.WorkingDirectory(); err != nil {
		return p, err
	}
	p.Binary, err = hook.Binary()
	return p, err
}

// installJSON is what install and uninstall did for one place.
type installJSON struct {
	Client   string        `json:"client"`
	Scope    hook.Scope    `json:"scope"`
	Dir      string        `json:"dir,omitzero"`
	Version  string        `json:"version,omitzero"`
	Support  hook.Support  `json:"support,omitzero"`
	DryRun   bool          `json:"dry_run"`
	Changes  []hook.Change `json:"changes"`
	Warnings []string      `json:"warnings,omitempty"`
}

func (k *install) run(ctx context.Context, name string) error {
	c, err := findClient(k.App, name)
	if err != nil {
		return err
	}
	about := c.About()
	found := hook.Find(ctx, about)
	p, err := place(k.scope, found.Version)
	if err != nil {
		return err
	}
	p.NoRecall = k.without
	out := installJSON{Client: name, Scope: p.Scope, Version: found.Version, Support: about.Supports(found.Version), DryRun: k.dryRun}
	if p.Scope == hook.Project {
		out.Dir = p.Dir
	}
	switch {
	case found.Path == "":
		out.Support = ""
		out.Warnings = append(out.Warnings, about.Title+" was not found on the PATH")
	case out.Support == hook.TooOld:
		return command.Hinted(fmt.Errorf("install %s: version %s is too old, %s or newer is required", name, found.Version, about.Since), "too_old", "update "+about.Title)
	case out.Support == hook.Newer:
		out.Warnings = append(out.Warnings, "the plug-in was tested with "+about.Title+" up to "+about.Tested+", not with "+found.Version)
	}
	if out.Changes, err = Host(k.App).Install(c, p, k.dryRun); err != nil {
		return err
	}
	return k.report(out, "installed for "+about.Title, "restart "+about.Title+" to load the plug-in")
}

func (k *install) remove(name string) error {
	c, err := findClient(k.App, name)
	if err != nil {
		return err
	}
	p, err := place(cmp.Or(k.scope, string(hook.User)), "")
	if err != nil {
		return err
	}
	h := Host(k.App)
	all, err := h.InstallsOf(c, p)
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(i hook.Install) bool {
		return k.scope != "" && (i.Scope != p.Scope || p.Scope == hook.Project && i.Dir != p.Dir)
	})
	if len(all) == 0 {
		return command.Hinted(fmt.Errorf("uninstall %s: it is not installed%s", name, map[bool]string{true: " there"}[k.scope != ""]), "not_found", `"tenfold install --list" lists what is`)
	}
	for _, i := range all {
		out := installJSON{Client: name, Scope: i.Scope, Dir: i.Dir, Version: i.Version, DryRun: k.dryRun}
		if out.Changes, err = h.Uninstall(i, k.dryRun); err != nil {
			return err
		}
		if err := k.report(out, "removed from "+c.About().Title, ""); err != nil {
			return err
		}
	}
	return nil
}

// report prints what was done for one place.
func (k *install) report(out installJSON, done, then string) error {
	for _, w := range out.Warnings {
		k.Warn(w)
	}
	if k.JSON {
		return k.Emit(out)
	}
	changed := false
	for _, c := range out.Changes {
		changed = changed || c.Action != "unchanged"
		k.Printf("%s  %s\n", terminal.Pad(c.Action, 9), terminal.VisibleLine(c.Path))
		if c.Note != "" {
			k.Printf("%s  %s\n", terminal.Pad("", 9), k.Paint(terminal.Faint, terminal.VisibleLine(c.Note)))
		}
	}
	where := ", " + string(out.Scope) + " scope"
	if out.Dir != "" {
		where = ", in " + terminal.VisibleLine(out.Dir)
	}
	switch {
	case k.dryRun:
		k.Noticef("dry run: nothing was written")
	case !changed:
		k.Noticef("nothing to do: already %s%s", done, where)
	default:
		k.Noticef("%s%s", done, where)
		if then != "" {
			k.Noticef("%s", then)
		}
	}
	return nil
}

// clientJSON is one client of "install --list".
type clientJSON struct {
	Client    string          `json:"client"`
	Title     string          `json:"title"`
	Path      string          `json:"path,omitzero"`
	Version   string          `json:"version,omitzero"`
	Support   hook.Support    `json:"support,omitzero"`
	Since     string          `json:"since"`
	Tested    string          `json:"tested"`
	Installed []installedJSON `json:"installed"`
}

type installedJSON struct {
	Scope hook.Scope `json:"scope"`
	Dir   string     `json:"dir,omitzero"`
	State hook.State `json:"state"`
	// NoRecall says that the model was not to have the tools of recall.
	NoRecall bool `json:"no_recall,omitzero"`
}

// renewal says what brings a plug-in up to date as it was installed. A changed one
// is only installed again when it is put aside.
func (i installedJSON) renewal(client string) string {
	flags, where := "", ""
	if i.Dir != "" {
		flags, where = " --scope project", " in "+i.Dir
	}
	again := `"tenfold install ` + client + flags
	if i.NoRecall {
		again += " --no-recall"
	}
	if i.State == hook.Changed {
		return `run "tenfold uninstall ` + client + flags + `", then ` + again + `"` + where
	}
	return "run " + again + `"` + where
}

// listClients looks at all clients: what is on this machine, and what is installed.
func listClients(ctx context.Context, a *command.App) ([]clientJSON, error) {
	h := Host(a)
	list := make([]clientJSON, 0, len(a.Clients))
	for _, c := range a.Clients {
		about, found := c.About(), hook.Find(ctx, c.About())
		one := clientJSON{
			Client: about.Name, Title: about.Title, Path: found.Path, Version: found.Version,
			Since: about.Since, Tested: about.Tested, Installed: []installedJSON{},
		}
		if found.Path != "" {
			one.Support = about.Supports(found.Version)
		}
		p, err := place(string(hook.User), found.Version)
		if err != nil {
			return nil, err
		}
		all, err := h.InstallsOf(c, p)
		if err != nil {
			return nil, err
		}
		for _, i := range all {
			one.Installed = append(one.Installed, installedJSON{i.Scope, i.Dir, h.StateOf(c, i, p), i.NoRecall})
		}
		list = append(list, one)
	}
	return list, nil
}

func (k *install) printList(ctx context.Context) error {
	list, err := listClients(ctx, k.App)
	if err != nil {
		return err
	}
	for _, one := range list {
		err := k.Result(one, func() {
			k.Line(14, k.Paint(terminal.Bold, terminal.Pad(one.Client, 12))+"  "+one.foundWords())
			for _, i := range one.Installed {
				k.Line(14, terminal.Pad("", 14)+i.words())
			}
			if len(one.Installed) == 0 {
				k.Line(14, terminal.Pad("", 14)+"not installed")
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// foundWords says which version is on this machine.
func (c clientJSON) foundWords() string {
	switch {
	case c.Path == "":
		return c.Title + " was not found on the PATH"
	case c.Version == "":
		return c.Title + ", version unknown"
	case c.Support == hook.TooOld:
		return c.Title + " " + c.Version + ", too old: " + c.Since + " or newer is required"
	case c.Support == hook.Newer:
		return c.Title + " " + c.Version + ", newer than tested (" + c.Tested + ")"
	}
	return c.Title + " " + c.Version
}

// words says where a plug-in is installed, and how it stands.
func (i installedJSON) words() string {
	where := "user scope"
	if i.Dir != "" {
		where = "project " + terminal.VisibleLine(i.Dir)
	}
	return "installed, " + where + ": " + map[hook.State]string{
		hook.Current: "current", hook.Outdated: "differs from what this build of Tenfold installs, install it again",
		hook.Changed: "changed by somebody", hook.Missing: "files are missing, install it again",
	}[i.State]
}
