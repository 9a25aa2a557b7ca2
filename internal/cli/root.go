package cli

import (
	"context"
	"math/rand/v2"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tenfold/strategy"
)

// app is what the commands of one run share.
type app struct {
	*terminal
	storeURL  string
	settings  settingFlags
	now       func() time.Time
	workspace *workspace // opened by the first command that needs it
	// summarizer writes summaries; nil while no model is configured.
	summarizer strategy.Summarizer
	// whose paths are those of this run, where others share the store; empty
	// for this person on this machine.
	whose string
	// stored is how many conversations of transcripts are in the store now.
	stored int
}

func (a *app) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "tenfold",
		Short: "Compact the conversations of language models, losing nothing",
		Long: `Tenfold shortens the conversations of language models and their agents. It
keeps every word: a compaction is an overlay that says how the conversation is
to be seen, and can be undone.

Give it a session that an agent saved, and it shows what can be dropped and how
much that saves. The conversation is kept in a store; "tenfold conversation"
shows it, compacts it differently, undoes, and writes it in the formats that
providers and agents read. "tenfold config" shows and changes how all of that is
done.

Results go to standard output, everything else to standard error. With --json
results are JSON, one object a line, and so are errors. The exit code is 0 when
all went well, 1 when something failed, 2 when the command line is wrong, and
130 when the command was interrupted, which leaves nothing half done.`,
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
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		hint := `"` + c.CommandPath() + ` --help" lists the flags`
		if near := nearestFlag(c, err); near != "" {
			hint = "did you mean " + near + "?"
		}
		return usage(strings.TrimSuffix(err.Error(), "."), hint)
	})
	root.SetUsageTemplate(strings.Replace(root.UsageTemplate(), " for more information about a command.", " to learn more of a command.", 1))
	root.SetHelpFunc(a.help)
	flags := root.PersistentFlags()
	flags.StringVar(&a.storeURL, "store", "", "where conversations are kept, a `URL`:\nsqlite:///absolute/path.db, sqlite://relative.db,\npostgres://user@host/database or memory:\n(default $TENFOLD_STORE, or\ntenfold/tenfold.db in your data directory)")
	a.settings.register(root)
	flags.BoolVar(&a.json, "json", false, "write results and errors as JSON, one object a line")
	flags.BoolVarP(&a.quiet, "quiet", "q", false, "no notices, warnings or progress")
	_ = root.RegisterFlagCompletionFunc("cfg", a.completeKeys("="))
	root.AddCommand(a.compactCommand(), a.conversationCommand(), a.configCommand(), a.labCommand(), a.doctorCommand(), a.manCommand())
	root.SetHelpCommand(a.helpCommand())
	explainCompletion(root)
	return root
}

// group is what a command does that only holds others: it shows its help, and
// refuses words that are no command.
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

// arguments checks how many words follow a command. Most below zero is no
// limit.
func arguments(least, most int, what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		hint := "write " + c.UseLine()
		switch {
		case len(args) < least:
			return usage(c.CommandPath()+" needs "+what, hint)
		case most == 0 && len(args) > 0:
			return usage(c.CommandPath()+": unexpected argument "+quote(args[0]), hint)
		case most > 0 && len(args) > most:
			return usage(c.CommandPath()+" takes "+what+" and no more, so not "+quote(args[most]), hint)
		}
		return nil
	}
}

// version is what the build says of itself.
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

// raceTries is how often a write that lost a race is tried: as many writers at
// once all get their turn.
const raceTries = 20

// retried runs f again when another writer came first, a little later each
// time, so that writers do not keep in step.
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
