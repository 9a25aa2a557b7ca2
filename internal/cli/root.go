package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tenfold/internal/cli/command"
	"tenfold/internal/cli/compaction"
	"tenfold/internal/cli/config"
	"tenfold/internal/cli/conversation"
	"tenfold/internal/cli/lab"
	"tenfold/internal/cli/live"
	"tenfold/internal/cli/query"
	"tenfold/internal/cli/serve"
)

// Root is the tree of all commands.
func Root(a *command.App) *cobra.Command {
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
		Version:       command.Version(),
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cobra.ArbitraryArgs,
		RunE:          command.Group,
		PersistentPreRunE: func(c *cobra.Command, _ []string) error {
			if c.Flags().Changed("store") && a.StoreURL == "" { // a variable that is not set, in most cases
				return command.NotAStore("--store", a.StoreURL)
			}
			return a.Settings.Check(c)
		},
	}
	root.SetVersionTemplate("tenfold {{.Version}}\n")
	root.SetFlagErrorFunc(command.FlagError)
	root.SetUsageTemplate(strings.Replace(root.UsageTemplate(), " for more information about a command.", " to learn more about a command.", 1))
	root.SetHelpFunc(func(c *cobra.Command, _ []string) { help(a, c) })
	flags := root.PersistentFlags()
	flags.StringVar(&a.StoreURL, "store", "", "`URL` of the store: sqlite:///absolute/path.db,\nsqlite://relative.db, postgres://user@host/database,\nhttps://host of a server, or memory:\n(default: $TENFOLD_STORE, or\ntenfold/tenfold.db in your data directory)")
	a.Settings.Register(root)
	flags.BoolVar(&a.JSON, "json", false, "print results and errors as JSON, one object per\nline")
	flags.BoolVarP(&a.Quiet, "quiet", "q", false, "suppress notices, warnings and progress")
	_ = root.RegisterFlagCompletionFunc("cfg", a.CompleteKeys("="))
	root.AddCommand(
		compaction.Command(a), query.Command(a), compaction.ResumeCommand(a), conversation.Command(a), live.InstallCommand(a), live.UninstallCommand(a), live.HookCommand(a),
		live.RecallCommand(a), live.MCPCommand(a), query.ACPCommand(a), live.RunCommand(a), live.ProxyCommand(a), serve.Command(a), serve.TenantCommand(a), serve.TokenCommand(a), serve.JobsCommand(a), config.Command(a), lab.Command(a), live.DoctorCommand(a), manCommand(a),
	)
	usual(root)
	root.SetHelpCommand(helpCommand())
	explainCompletion(root)
	return root
}

// usual gives commands what most have: no arguments, and none that a shell completes by
// the names of files, unless their usage names one.
func usual(c *cobra.Command) {
	if c.Args == nil {
		c.Args = command.Arguments(0, 0, "")
	}
	if c.ValidArgsFunction == nil && !c.HasSubCommands() && !slices.ContainsFunc([]string{"FILE", "TRANSCRIPT", "MESSAGE"}, func(word string) bool { return strings.Contains(c.Use, word) }) {
		c.ValidArgsFunction = cobra.NoFileCompletions
	}
	for _, inner := range c.Commands() {
		usual(inner)
	}
}
