package cli

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"tenfold/session"
	"tenfold/strategy"
)

// forkConversation is "tenfold conversation fork".
type forkConversation struct {
	*app
	flags      *cobra.Command
	last       int
	until      int
	compact    string
	noActivate bool
}

func (a *app) forkCommand() *cobra.Command {
	k := &forkConversation{app: a}
	c := &cobra.Command{
		Use:   "fork [ID] [flags]",
		Short: "Make a new conversation from this one",
		Long: `Copies a conversation, compactions included, into a new one, makes that the
active one, and prints its id. The old one stays as it is.

--until leaves out the turns after one, and what was done to the conversation
since; --last then keeps only so many turns of the rest. Summaries that tell of
turns left out are left out as well.

--compact compacts the new conversation at once, with the default profile or
the one named, and tells on standard error what that saved.`,
		Example: `  tenfold conversation fork
  tenfold conversation fork --until 7
  tenfold conversation fork --last 5 --compact=light
  new=$(tenfold conversation fork --compact --quiet)`,
		Args:              arguments(0, 1, "one ID"),
		ValidArgsFunction: a.completeIDs(1),
		RunE:              func(c *cobra.Command, args []string) error { return k.run(c.Context(), args) },
	}
	k.flags = c
	f := c.Flags()
	f.IntVar(&k.last, "last", 0, "keep only the last `N` turns")
	f.IntVar(&k.until, "until", 0, "the last `TURN` to keep; -3 is 3 turns\nbefore the last (default all)")
	f.StringVar(&k.compact, "compact", "", "compact the new one, with a `PROFILE`")
	f.Lookup("compact").NoOptDefVal = asConfigured
	f.BoolVar(&k.noActivate, "no-activate", false, "leave the active conversation as it is")
	k.completeProfilesOf(c, "compact")
	return c
}

// asConfigured stands for the profile that the configuration names.
const asConfigured = "configured"

type forkJSON struct {
	Conversation string      `json:"conversation"`
	From         string      `json:"from"`
	Turns        int         `json:"turns"`
	Entries      int         `json:"entries"`
	Report       *reportJSON `json:"report,omitzero"`
}

func (k *forkConversation) run(ctx context.Context, args []string) error {
	changed := k.flags.Flags().Changed
	if changed("last") && k.last < 1 {
		return usage("--last "+strconv.Itoa(k.last)+" keeps no turn", "write --last 5")
	}
	if changed("compact") && len(args) == 1 {
		if _, err := strategy.FindProfile(args[0]); err == nil {
			return usage(quote(args[0])+" is a profile, and stands where an ID does", "write --compact="+args[0])
		}
	}
	s, err := k.session(ctx, args)
	if err != nil {
		return err
	}
	var req session.Request
	var r rangeFlags
	if changed("compact") { // a wrong name must not leave a fork behind
		e, err := k.effective(extrasOf(s.Log())...)
		if err != nil {
			return err
		}
		r.flags, r.profile = k.flags, strings.TrimPrefix(k.compact, asConfigured)
		if err := r.configure(k.app, &req, e, subject{s.ID(), s.Projection().Config().Model}); err != nil {
			return err
		}
		k.held(r.told)
		defer r.asked.discard()
	}
	f := session.Fork{Title: forkTitle(s.Title()), Last: k.last}
	if changed("until") {
		if f.Until, err = k.untilIn(s.Log().Turns()); err != nil {
			return err
		}
	}
	fork, err := k.workspace.service.Fork(ctx, s, f)
	if err != nil {
		return err
	}
	out := forkJSON{Conversation: fork.ID(), From: s.ID()}
	if changed("compact") {
		done, err := fork.Compact(ctx, req)
		warnings := r.asked.tellNotes()
		if err != nil { // a fork that is not what was asked for does not stay
			return errors.Join(err, k.workspace.service.Delete(context.WithoutCancel(ctx), fork.ID()))
		}
		if done.Outcome == session.Applied {
			r.asked.keep(done.Plan.Compactions)
		}
		report := newReport(fork, done)
		if err := report.refused(req, r.asked.name); err != nil {
			return errors.Join(err, k.workspace.service.Delete(context.WithoutCancel(ctx), fork.ID()))
		}
		report.warnings, report.said = slices.Concat(k.held(r.told), warnings), r.asked.said
		if k.json {
			compacted := report.json()
			out.Report = &compacted
		} else if !k.quiet {
			b := k.aside()
			b.report(report)
			_ = b.flush()
			k.tellNotes(report)
		}
	}
	if !k.noActivate {
		if err := k.workspace.active.set(fork.ID()); err != nil {
			return err
		}
	}
	if k.json {
		out.Turns, out.Entries = fork.Log().Turns(), int(fork.Log().Version())
		return k.emit(out)
	}
	return k.answerID(fork.ID(), !k.noActivate)
}

// untilIn settles --until for a conversation of so many turns.
func (k *forkConversation) untilIn(turns int) (*int, error) {
	until := k.until
	if until < 0 {
		until += turns - 1
	}
	switch {
	case turns == 0:
		return nil, usage("--until "+strconv.Itoa(k.until)+": the conversation has no turns", "leave it out")
	case until < 0 || until >= turns:
		return nil, usage("--until "+strconv.Itoa(k.until)+": there is no such turn", "the conversation has "+turnWords(0, turns-1))
	}
	return &until, nil
}

// forkTitle tells a fork from what it was made of.
func forkTitle(title string) string {
	const mark = " (fork)"
	if title == "" || strings.HasSuffix(title, mark) {
		return title
	}
	return title + mark
}

// newReport is the report of a compaction that was made.
func newReport(s *session.Session, done session.Result) *report {
	r := &report{
		conversation: s.ID(), turns: s.Log().Turns(), entries: int(s.Log().Version()),
		plan: done.Plan, view: s.Projection(),
	}
	for _, o := range done.Overlays {
		r.compactions = append(r.compactions, o.ID)
	}
	return r
}
