package cli

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"tenfold/internal/report"
	"tenfold/session"
	"tenfold/strategy"
)

// forkConversation is "tenfold conversation fork".
type forkConversation struct {
	*app
	rangeFlags
	last, until int
	compact     string
	stay        bool
}

func (a *app) forkCommand() *cobra.Command {
	k := &forkConversation{app: a}
	c := a.onConversation(&cobra.Command{
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
	k.flags, k.given = c, c.Flags().Changed
	f := c.Flags()
	f.IntVar(&k.last, "last", 0, "keep only the last `N` turns")
	f.IntVar(&k.until, "until", 0, "last `TURN` to keep; -3 is 3 turns\nbefore the last (default: all)")
	f.StringVar(&k.compact, "compact", "", "compact the copy with a `PROFILE`")
	f.Lookup("compact").NoOptDefVal = asConfigured
	f.BoolVar(&k.stay, "no-activate", false, "do not activate the copy")
	a.completeProfiles(c, "compact")
	return c
}

// asConfigured stands for the profile that the configuration names.
const asConfigured = "configured"

type forkJSON struct {
	Conversation string         `json:"conversation"`
	From         string         `json:"from"`
	Turns        int            `json:"turns"`
	Entries      int            `json:"entries"`
	Report       *compactReport `json:"report,omitzero"`
}

func (k *forkConversation) check(args []string) error {
	changed := k.given
	if changed("last") && k.last < 1 {
		return usage("invalid --last value "+quote(strconv.Itoa(k.last)), "write --last 5")
	}
	if changed("compact") && len(args) == 1 {
		if _, err := strategy.FindProfile(args[0]); err == nil {
			return usage(quote(args[0])+" is a profile, not an ID", "write --compact="+args[0])
		}
	}
	return nil
}

func (k *forkConversation) run(ctx context.Context, s *session.Session) error {
	compacts := k.given("compact")
	var req session.Request
	if compacts { // an error here must not leave a fork behind
		k.profile = strings.TrimPrefix(k.compact, asConfigured)
		if err := k.prepare(k.app, &req, s.ID(), s.Projection()); err != nil {
			return err
		}
		defer k.asked.discard()
	}
	f := session.Fork{Title: forkTitle(s.Title()), Last: k.last}
	if k.given("until") {
		until, err := k.untilIn(s.Log().Turns())
		if err != nil {
			return err
		}
		f.Until = &until
	}
	fork, err := k.workspace.service.Fork(ctx, s, f)
	if err != nil {
		return err
	}
	out := forkJSON{Conversation: fork.ID(), From: s.ID()}
	if compacts {
		if out.Report, err = k.compactFork(ctx, fork, req); err != nil { // then the fork does not stay
			return errors.Join(err, k.workspace.service.Delete(context.WithoutCancel(ctx), fork.ID()))
		}
	}
	if !k.stay {
		if err := k.workspace.active.set(fork.ID()); err != nil {
			return err
		}
	}
	if k.JSON {
		out.Turns, out.Entries = fork.Log().Turns(), int(fork.Log().Version())
		return k.Emit(out)
	}
	return k.printID(fork.ID(), !k.stay)
}

// compactFork compacts the copy, and prints the report beside the result.
func (k *forkConversation) compactFork(ctx context.Context, fork *session.Session, req session.Request) (*compactReport, error) {
	done, err := fork.Compact(ctx, req)
	if err != nil {
		k.asked.flushNotes()
		return nil, err
	}
	if done.Outcome == session.Applied {
		k.asked.keep(done.Plan.Compactions)
	}
	r := &compactReport{Report: report.Compacted(fork, done, req.Target)}
	if err := r.Refusal(req, k.asked.name); err != nil {
		k.asked.flushNotes()
		return nil, err
	}
	k.annotate(k.app, r)
	if !k.JSON && !k.Quiet {
		b := k.aside()
		b.printReport(r)
		_ = b.Flush()
		k.printNotes(r)
	}
	return r, nil
}

// untilIn resolves --until for a conversation of so many turns.
func (k *forkConversation) untilIn(turns int) (int, error) {
	until := k.until
	if until < 0 {
		until += turns - 1
	}
	switch {
	case turns == 0:
		return 0, usage("--until "+strconv.Itoa(k.until)+": the conversation has no turns", "omit --until")
	case until < 0 || until >= turns:
		return 0, usage("--until "+strconv.Itoa(k.until)+": no such turn", "the conversation has "+turnWords(0, turns-1))
	}
	return until, nil
}

// forkTitle tells a fork from what it was made of.
func forkTitle(title string) string {
	const mark = " (fork)"
	if title == "" || strings.HasSuffix(title, mark) {
		return title
	}
	return title + mark
}
