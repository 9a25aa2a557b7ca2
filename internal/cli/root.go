package cli

import (
	"bufio"
	"context"
	"math/rand/v2"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tenfold/internal/cli/terminal"
	"tenfold/internal/hook"
	"tenfold/strategy"
)

// app is what the commands of one run share.
type app struct {
	*terminal.Terminal
	storeURL  string
	settings  settingFlags
	now       func() time.Time
	workspace *workspace // opened by the first command that needs it
	// summarizer writes summaries; nil while no model is configured.
	summarizer strategy.Summarizer
	// whose distinguishes the paths of this run from those of others that share
	// the store; empty for this person on this machine.
	whose string
	// stored is the number of conversations imported so far.
	stored int
	// then runs at the very end in the place of this program, and gives the exit
	// code.
	then func(context.Context) (int, error)
	// clients are the agents that can be installed for.
	clients []hook.Client
}

func (a *app) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "tenfold",
		Short: "Compact conversations with language models without losing anything",
		Long: `Tenfold shortens conversations of language models and their agents. It keeps
every word: a compaction is an overlay that changes what a model sees, and it
can be undone.

Give it a session that an agent saved, and it shows what can be dropped and how
much that saves. It keeps the conversation in a store. "tenfold conversation"
shows it, compacts it differently, undoes compactions, and exports it in the
formats of providers and agents. "tenfold config" shows and changes the
configuration.

Results go to standard output, everything else to standard error. With --json,
results and errors are JSON, one object per line. The exit code is 0 on success,
1 on failure, 2 for an invalid command line, and 130 if the command was
interrupted. A command that fails or is interrupted leaves nothing half done.`,
		Example: `  tenfold compact session.jsonl
  tenfold compact session.jsonl --out short.json --to anthropic
  tenfold conversation ls`,
		Version:       version(),
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cobra.ArbitraryArgs,
		RunE:          group,
		PersistentPreRunE: func(c *cobra.Command, _ []string) error {
			return a.settings.check(c)
		},
	}
	root.SetVersionTemplate("tenfold {{.Version}}\n")
	root.SetFlagErrorFunc(flagError)
	root.SetUsageTemplate(strings.Replace(root.UsageTemplate(), " for more information about a command.", " to learn more about a command.", 1))
	root.SetHelpFunc(a.help)
	flags := root.PersistentFlags()
	flags.StringVar(&a.storeURL, "store", "", "`URL` of the store: sqlite:///absolute/path.db,\nsqlite://relative.db, postgres://user@host/database,\nhttps://host of a server, or memory:\n(default: $TENFOLD_STORE, or\ntenfold/tenfold.db in your data directory)")
	a.settings.register(root)
	flags.BoolVar(&a.JSON, "json", false, "print results and errors as JSON, one object per\nline")
	flags.BoolVarP(&a.Quiet, "quiet", "q", false, "suppress notices, warnings and progress")
	_ = root.RegisterFlagCompletionFunc("cfg", a.completeKeys("="))
	root.AddCommand(
		a.compactCommand(), a.queryCommand(), a.resumeCommand(), a.conversationCommand(), a.installCommand(), a.uninstallCommand(), a.hookCommand(),
		a.recallCommand(), a.mcpCommand(), a.acpCommand(), a.runCommand(), a.proxyCommand(), a.serveCommand(), a.configCommand(), a.labCommand(), a.doctorCommand(), a.manCommand(),
	)
	root.SetHelpCommand(a.helpCommand())
	explainCompletion(root)
	return root
}

// group runs a command that only has subcommands: it shows its help, and
// refuses anything that is not a command.
func group(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return c.Help()
	}
	hint := `"` + c.CommandPath() + ` --help" lists the commands`
	if !c.HasAvailableSubCommands() {
		hint = `"` + c.CommandPath() + ` --help" shows its help`
	}
	c.SuggestionsMinimumDistance = 2
	if near := c.SuggestionsFor(args[0]); len(near) > 0 {
		hint = "did you mean " + c.CommandPath() + " " + strings.Join(near, " or ") + "?"
	}
	for _, inner := range c.Commands() { // "tenfold undo"
		for _, deeper := range inner.Commands() {
			if deeper.Name() == args[0] {
				hint = "did you mean " + deeper.CommandPath() + "?"
			}
		}
	}
	return usage("unknown command "+quote(args[0])+" for "+c.CommandPath(), hint)
}

// arguments checks the number of arguments; most below zero is no limit.
func arguments(least, most int, what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		hint := "usage: " + c.UseLine()
		switch {
		case len(args) < least:
			return usage(c.CommandPath()+" requires "+what, hint)
		case most >= 0 && len(args) > most:
			return usage(c.CommandPath()+": unexpected argument "+quote(args[most]), hint)
		}
		return nil
	}
}

// version is the version of the build.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return "0.1.0-devel"
	}
	return info.Main.Version
}

// close closes the store, if one was opened.
func (a *app) close() error {
	if a.workspace == nil {
		return nil
	}
	return a.workspace.store.Close()
}

// raceTries is how often a write is tried that another writer preempts, so that
// as many concurrent writers all succeed.
const raceTries = 20

// retried runs f again if another writer came first, after a random delay that
// grows, so that writers do not keep in step.
func retried(ctx context.Context, f func() error) error {
	for i := 1; ; i++ {
		err := f()
		if i == raceTries || !lostRace(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(rand.N(time.Duration(i) * 2 * time.Millisecond)):
		}
	}
}

// aside is the same app with results on standard error, because standard output
// has the converted conversation.
func (a *app) aside() *app {
	b, t := *a, *a.Terminal
	t.Out = bufio.NewWriter(t.Err)
	t.OutTTY, t.OutColour, t.Width = t.ErrTTY, t.ErrColour, t.ErrWidth
	b.Terminal = &t
	return &b
}
