package cli

import (
	"context"

	"github.com/spf13/cobra"

	"tenfold/session"
	"tenfold/strategy"
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

// apply plans and writes; when another writer came first it plans again, on
// what is there then.
func (k *compactConversation) apply(ctx context.Context, s *session.Session, req session.Request) (*report, error) {
	r := &report{conversation: s.ID(), dryRun: k.dryRun}
	var plan strategy.Plan
	err := retried(ctx, func() error {
		var err error
		if plan, err = s.Plan(ctx, req); err != nil || k.dryRun {
			return err
		}
		made, err := s.Apply(ctx, plan)
		if lostRace(err) {
			if refreshing := s.Refresh(ctx); refreshing != nil {
				return refreshing
			}
		}
		for _, o := range made {
			r.compactions = append(r.compactions, o.ID)
		}
		return err
	})
	r.plan, r.view = plan, plan.After
	if !k.dryRun {
		r.view = s.Projection()
	}
	r.turns, r.entries = s.Log().Turns(), int(s.Log().Version())
	return r, err
}
