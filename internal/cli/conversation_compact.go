package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"tenfold/session"
)

// compactConversation is "tenfold conversation compact".
type compactConversation struct {
	*app
	rangeFlags
	to string
}

func (a *app) conversationCompactCommand() *cobra.Command {
	k := &compactConversation{app: a}
	c := &cobra.Command{
		Use:   "compact [ID] [flags]",
		Short: "Compact a conversation",
		Long: `Compacts a conversation: lays an overlay over a range of its turns, on top of
those that are there. Nothing is deleted; "tenfold conversation undo" takes the
overlay back. The report shows the whole conversation as it is then.

` + rangeHelp,
		Example: `  tenfold conversation compact
  tenfold conversation compact --dry-run --from 5 --to -3
  tenfold conversation compact --from --strategy strip-reasoning`,
		Args:              arguments(0, 1, "one ID"),
		ValidArgsFunction: k.completeIDs(1),
		RunE:              func(c *cobra.Command, args []string) error { return k.run(c.Context(), args) },
	}
	k.register(c)
	k.completeProfiles(c)
	c.Flags().StringVar(&k.to, "to", "", "where the range ends, a `BOUND`")
	return c
}

func (k *compactConversation) run(ctx context.Context, args []string) error {
	req, err := k.request(k.to)
	if err != nil {
		return err
	}
	s, err := k.session(ctx, args)
	if err != nil {
		return err
	}
	if err := k.configure(ctx, s, &req); err != nil {
		return err
	}
	r, err := k.apply(ctx, s, req)
	if err != nil {
		return err
	}
	if k.json {
		return k.emit(r.json())
	}
	k.report(r)
	return nil
}

// configure fills in what the configuration says for this conversation, and has
// the conversation keep what --cfg says.
func (k *compactConversation) configure(ctx context.Context, s *session.Session, req *session.Request) error {
	extras := extrasOf(s.Log())
	e, err := k.effective(extras...)
	if err != nil {
		return err
	}
	if err := k.rangeFlags.configure(req, e, s.Projection().Config().Model); err != nil || k.dryRun {
		return err
	}
	return retried(ctx, func() error {
		keep, err := k.keepSettings(extrasOf(s.Log())...)
		if err != nil || len(keep) == 0 {
			return err
		}
		if err := s.Append(ctx, keep...); err != nil {
			return errors.Join(err, s.Refresh(ctx))
		}
		return nil
	})
}

// apply plans and, unless it is a dry run, writes.
func (k *compactConversation) apply(ctx context.Context, s *session.Session, req session.Request) (*report, error) {
	r := &report{conversation: s.ID(), dryRun: k.dryRun}
	if k.dryRun {
		req.Options.DryRun = true
		plan, err := s.Plan(ctx, req)
		if err != nil {
			return nil, err
		}
		r.plan, r.view = plan, plan.After
	} else {
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
	r.turns, r.entries = s.Log().Turns(), int(s.Log().Version())
	return r, nil
}
