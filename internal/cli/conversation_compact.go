package cli

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"tenfold"
	"tenfold/session"
)

// compactConversation is "tenfold conversation compact".
type compactConversation struct {
	*app
	rangeFlags
	summaryFlags
	to                  string
	fork, inPlace, stay bool
}

func (a *app) conversationCompactCommand() *cobra.Command {
	k := &compactConversation{app: a}
	c := &cobra.Command{
		Use:   "compact [ID] [flags]",
		Short: "Compact a conversation",
		Long: `Compacts a conversation: lays an overlay over a range of its turns, on top of
those that are there. Nothing is deleted; "tenfold conversation undo" takes the
overlay back. The report shows the whole conversation as it is then.

` + rangeHelp + `

` + modelHelp + `

` + summaryHelp + `

--fork leaves the conversation as it is, and compacts a copy of it, which is
active then.`,
		Example: `  tenfold conversation compact
  tenfold conversation compact --dry-run --from 5 --to -3
  tenfold conversation compact --from --strategy strip-reasoning
  tenfold conversation compact --fork --target 10%
  tenfold conversation compact --to 4 --summary "We agreed on rye."`,
		Args:              arguments(0, 1, "one ID"),
		ValidArgsFunction: k.completeIDs(1),
		RunE:              func(c *cobra.Command, args []string) error { return k.run(c.Context(), args) },
	}
	k.register(c)
	k.completeProfiles(c)
	k.registerSummary(c)
	f := c.Flags()
	f.StringVar(&k.to, "to", "", "where the range ends, a `BOUND`")
	f.BoolVar(&k.fork, "fork", false, "compact a new fork instead (default as configured)")
	f.BoolVar(&k.inPlace, "in-place", false, "compact this conversation")
	f.BoolVar(&k.stay, "no-activate", false, "with --fork: do not make the fork active")
	return c
}

func (k *compactConversation) run(ctx context.Context, args []string) error {
	if k.fork && k.inPlace {
		return usage("--fork and --in-place exclude each other", "name one of them")
	}
	req, err := k.request(k.to)
	if err != nil {
		return err
	}
	if err := k.words(); err != nil {
		return err
	}
	s, err := k.session(ctx, args)
	if err != nil {
		return err
	}
	if err := k.outside(s.Log().Turns()); err != nil {
		return err
	}
	e, err := k.effective(extrasOf(s.Log())...)
	if err != nil {
		return err
	}
	if err := k.configure(k.app, &req, e, subject{s.ID(), s.Projection().Config().Model}); err != nil {
		return err
	}
	k.held(k.told)
	defer k.asked.discard()
	if err := k.summary(&req); err != nil {
		return err
	}
	k.asked.stored, k.asked.storedLog = liveOverlays(s.Projection()), s.Log()
	fork := k.fork || (e.Conversation.Compaction.Fork && !k.inPlace)
	if k.stay && !fork {
		return usage("--no-activate is about a fork, and none is made", "add --fork")
	}
	r, err := k.apply(ctx, s, req, fork)
	warnings := k.asked.tellNotes()
	if err != nil {
		return err
	}
	r.quotes, r.warnings, r.said = k.asked.quotes, slices.Concat(k.held(k.told), warnings), k.asked.said
	for _, warning := range k.beyond(r.turns) {
		k.warn(warning)
		r.warnings = append(r.warnings, warning)
	}
	if len(r.compactions) > 0 {
		k.asked.keep(r.plan.Compactions)
	}
	k.unused(r)
	refused := r.refused(req, k.asked.name)
	switch {
	case k.json:
		if err := k.emit(r.json()); err != nil {
			return err
		}
	case refused == nil: // the error says it
		k.report(r)
		k.tellNotes(r)
	}
	return cmp.Or(refused, missed(r))
}

// keepIn has a conversation keep what --cfg says, and gives the entries for that.
func (k *compactConversation) keepIn(ctx context.Context, s *session.Session) (keep []tenfold.Entry, err error) {
	err = retried(ctx, func() error {
		keep, err = k.keepSettings(extrasOf(s.Log())...)
		if err != nil || len(keep) == 0 {
			return err
		}
		if err := s.Append(ctx, keep...); err != nil {
			return errors.Join(err, s.Refresh(ctx))
		}
		return nil
	})
	return keep, err
}

// apply plans and, unless it is a dry run, writes.
func (k *compactConversation) apply(ctx context.Context, s *session.Session, req session.Request, fork bool) (*report, error) {
	if !k.dryRun && fork {
		return k.applyToFork(ctx, s, req)
	}
	r := &report{conversation: s.ID(), dryRun: k.dryRun}
	if k.dryRun {
		plan, err := s.Plan(ctx, req)
		if err != nil {
			return nil, err
		}
		r.plan, r.view = plan, plan.View()
	} else {
		keep, err := k.keepIn(ctx, s)
		if err != nil {
			return nil, err
		}
		r.kept = settingsOf(keep)
		done, err := s.Compact(ctx, req)
		if err != nil {
			return nil, err
		}
		if done.Outcome == session.Superseded {
			return nil, hinted(errors.New("superseded: "+done.Reason), "conflict", "nothing was written; try again")
		}
		for _, o := range done.Overlays {
			r.compactions = append(r.compactions, o.ID)
		}
		r.plan, r.view = done.Plan, s.Projection()
	}
	r.turns, r.entries, r.target = s.Log().Turns(), int(s.Log().Version()), req.Target
	return r, nil
}

// applyToFork plans, and makes the fork with the overlays on it. Where there
// is nothing to do there is no fork.
func (k *compactConversation) applyToFork(ctx context.Context, s *session.Session, req session.Request) (*report, error) {
	plan, err := s.Plan(ctx, req)
	if err != nil {
		return nil, err
	}
	r := &report{
		conversation: s.ID(), plan: plan, view: plan.View(), target: req.Target,
		turns: s.Log().Turns(), entries: int(s.Log().Version()),
	}
	if plan.Nothing != "" {
		return r, nil
	}
	keep, err := k.keepSettings(extrasOf(s.Log())...)
	if err != nil {
		return nil, err
	}
	l := k.workspace
	overlays := l.service.Overlays(plan, l.service.NewCommand())
	made, err := l.service.Fork(ctx, s, session.Fork{Title: forkTitle(s.Title()), Entries: append(keep, overlays...)})
	if err != nil {
		return nil, err
	}
	for _, e := range overlays {
		r.compactions = append(r.compactions, e.ID)
	}
	r.from, r.conversation, r.view, r.entries = s.ID(), made.ID(), made.Projection(), int(made.Log().Version())
	r.kept = settingsOf(keep)
	if k.stay {
		k.noticef("made conversation %s", made.ID())
		return r, nil
	}
	k.noticeActivef("made conversation %s, now the active one", made.ID())
	return r, l.active.set(made.ID())
}
