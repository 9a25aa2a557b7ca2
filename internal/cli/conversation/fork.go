package conversation

import (
	"context"
	"errors"
	"strconv"

	"github.com/spf13/cobra"

	"tenfold/internal/cli/command"
	"tenfold/internal/cli/compaction"
	"tenfold/internal/cli/terminal"
	"tenfold/internal/report"
	"tenfold/session"
	"tenfold/strategy"
)

// Fork is "tenfold conversation fork".
type Fork struct {
	*command.App
	compaction.Flags
	last, until int
	compact     string
	stay        bool
}

func forkCommand(a *command.App) *cobra.Command {
	k := &Fork{App: a}
	c := a.OnConversation(&cobra.Command{
		Use:   "fork [ID] [flags]",
		Short: "Copy a conversation",
		Long: `Copies a conversation with its compactions, makes the copy the active
conversation, and prints its id. The original is not changed.

--until omits later turns, and what was done to the conversation since; --last
then keeps only the last turns of the rest. Summaries that mention omitted turns
are omitted as well.

--compact also compacts the copy, with the default profile or the one named, and
prints the report to standard error.`,
		Example: `  tenfold conversation fork
  tenfold conversation fork --until 7
  tenfold conversation fork --last 5 --compact=light
  new=$(tenfold conversation fork --compact --quiet)`,
		PreRunE: func(_ *cobra.Command, args []string) error { return k.check(args) },
	}, func(ctx context.Context, s *session.Session) error { return k.run(ctx, s) })
	k.Command, k.Given = c, c.Flags().Changed
	f := c.Flags()
	f.IntVar(&k.last, "last", 0, "keep only the last `N` turns")
	f.IntVar(&k.until, "until", 0, "last `TURN` to keep; -3 is 3 turns\nbefore the last (default: all)")
	f.StringVar(&k.compact, "compact", "", "compact the copy with a `PROFILE`")
	f.Lookup("compact").NoOptDefVal = AsConfigured
	f.BoolVar(&k.stay, "no-activate", false, "do not activate the copy")
	a.CompleteProfiles(c, "compact")
	return c
}

// AsConfigured stands for the profile that the configuration names.
const AsConfigured = "configured"

// ProfileOf is the profile that a value of --compact names; empty is the configured one.
func ProfileOf(compact string) string {
	if compact == AsConfigured {
		return ""
	}
	return compact
}

type forkJSON struct {
	Conversation string             `json:"conversation"`
	From         string             `json:"from"`
	Turns        int                `json:"turns"`
	Entries      int                `json:"entries"`
	Report       *compaction.Report `json:"report,omitzero"`
}

func (k *Fork) check(args []string) error {
	changed := k.Given
	if changed("last") && k.last < 1 {
		return command.Usage("invalid --last value "+command.Quote(strconv.Itoa(k.last)), "write --last 5")
	}
	if changed("compact") && len(args) == 1 {
		if _, err := strategy.FindProfile(args[0]); err == nil {
			return command.Usage(command.Quote(args[0])+" is a profile, not an ID", "write --compact="+args[0])
		}
	}
	return nil
}

func (k *Fork) run(ctx context.Context, s *session.Session) error {
	compacts := k.Given("compact")
	var req session.Request
	if compacts { // an error here must not leave a fork behind
		k.Profile = ProfileOf(k.compact)
		if err := k.Prepare(k.App, &req, s.ID(), s.Projection()); err != nil {
			return err
		}
		defer k.Writers.Discard()
	}
	f := session.Fork{Title: compaction.ForkTitle(s.Title()), Last: k.last}
	if k.Given("until") {
		until, err := k.untilIn(s.Log().Turns())
		if err != nil {
			return err
		}
		f.Until = &until
	}
	fork, err := k.Workspace.Service.Fork(ctx, s, f)
	if err != nil {
		return err
	}
	out := forkJSON{Conversation: fork.ID(), From: s.ID()}
	if compacts {
		if out.Report, err = k.Compact(ctx, fork, req); err != nil { // then the fork does not stay
			return errors.Join(err, k.Workspace.Service.Delete(context.WithoutCancel(ctx), fork.ID()))
		}
	}
	if !k.stay {
		if err := k.Workspace.Active.Set(fork.ID()); err != nil {
			return err
		}
	}
	if k.JSON {
		out.Turns, out.Entries = fork.Log().Turns(), int(fork.Log().Version())
		return k.Emit(out)
	}
	return printID(k.App, fork.ID(), !k.stay)
}

// Compact compacts the copy, and prints the report beside the result.
func (k *Fork) Compact(ctx context.Context, fork *session.Session, req session.Request) (*compaction.Report, error) {
	done, err := fork.Compact(ctx, req)
	if err != nil {
		k.Writers.FlushNotes()
		return nil, err
	}
	if done.Outcome == session.Applied {
		k.Writers.Keep(done.Plan.Compactions)
	}
	r := &compaction.Report{Report: report.Compacted(fork, done, req.Target)}
	if err := r.Refusal(req, k.Writers.Name); err != nil {
		k.Writers.FlushNotes()
		return nil, err
	}
	k.Annotate(k.App, r)
	if !k.JSON && !k.Quiet {
		b := k.Aside()
		compaction.PrintReport(b, r)
		_ = b.Flush()
		compaction.PrintNotes(k.App, r)
	}
	return r, nil
}

// untilIn resolves --until for a conversation of so many turns.
func (k *Fork) untilIn(turns int) (int, error) {
	until := k.until
	if until < 0 {
		until += turns - 1
	}
	switch {
	case turns == 0:
		return 0, command.Usage("--until "+strconv.Itoa(k.until)+": the conversation has no turns", "omit --until")
	case until < 0 || until >= turns:
		return 0, command.Usage("--until "+strconv.Itoa(k.until)+": no such turn", "the conversation has "+report.TurnWords(0, turns-1))
	}
	return until, nil
}

// printID prints the id of a new conversation and nothing else, for scripts.
func printID(a *command.App, id string, active bool) error {
	return a.Result(map[string]string{"conversation": id}, func() {
		a.Printf("%s\n", terminal.Word(id))
		if active {
			a.NoticeActivef("conversation %s is now active", terminal.Word(id))
		}
	})
}
