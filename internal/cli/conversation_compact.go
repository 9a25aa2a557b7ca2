package cli

import (
	"cmp"
	"context"
	"errors"

	"github.com/spf13/cobra"

	"tenfold"
	"tenfold/internal/report"
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
	var req session.Request
	c := a.onConversation(&cobra.Command{
		Use:   "compact [ID] [flags]",
		Short: "Compact a conversation",
		Long: `Compacts a conversation: adds an overlay for a range of its turns, on top of
existing ones. Nothing is deleted; "tenfold conversation undo" undoes it. The
report describes the whole conversation after the compaction.

` + rangeHelp + `

` + modelHelp + `

` + summaryHelp + `

--fork leaves the conversation unchanged and compacts a copy, which becomes the
active conversation.`,
		Example: `  tenfold conversation compact
  tenfold conversation compact --dry-run --from 5 --to -3
  tenfold conversation compact --from --strategy strip-reasoning
  tenfold conversation compact --fork --target 10%
  tenfold conversation compact --to 4 --summary "We agreed on rye."`,
		PreRunE: func(*cobra.Command, []string) (err error) {
			if k.fork && k.inPlace {
				return exclusive("--fork", "--in-place")
			}
			if req, err = k.request(k.to); err != nil {
				return err
			}
			return k.words()
		},
	}, func(ctx context.Context, s *session.Session) error { return k.run(ctx, s, req) })
	k.register(a, c)
	k.registerSummary(c)
	f := c.Flags()
	f.StringVar(&k.to, "to", "", "end of the range, a `BOUND`")
	f.BoolVar(&k.fork, "fork", false, "compact a new fork instead (default: as configured)")
	f.BoolVar(&k.inPlace, "in-place", false, "compact this conversation")
	f.BoolVar(&k.stay, "no-activate", false, "with --fork, do not activate the fork")
	return c
}

func (k *compactConversation) run(ctx context.Context, s *session.Session, req session.Request) error {
	if err := k.outside(s.Log().Turns()); err != nil {
		return err
	}
	if err := k.prepare(k.app, &req, s.ID(), s.Projection()); err != nil {
		return err
	}
	defer k.asked.discard()
	if err := k.summary(&req); err != nil {
		return err
	}
	k.asked.stored, k.asked.storedLog = liveOverlays(s.Projection()), s.Log()
	e, err := k.effective(extrasOf(s.Log())...)
	if err != nil {
		return err
	}
	fork := k.fork || (e.Conversation.Compaction.Fork && !k.inPlace)
	if k.stay && !fork {
		return usage("--no-activate requires --fork", "add --fork")
	}
	var r *compactReport
	switch {
	case k.dryRun:
		r, err = k.plan(ctx, s, req)
	case fork:
		r, err = k.applyToFork(ctx, s, req)
	default:
		r, err = k.apply(ctx, s, req)
	}
	if err != nil {
		k.asked.flushNotes()
		return err
	}
	refused := k.finish(r, req)
	err = k.Result(r, func() {
		for _, w := range r.Warnings {
			k.Warn(w)
		}
		if refused == nil { // else the error says it
			k.printReport(r)
			k.printNotes(r)
		}
	})
	return cmp.Or(err, refused)
}

// finish adds to a report what was noted while it was made, and gives the error that
// is to be told in its place.
func (k *compactConversation) finish(r *compactReport, req session.Request) error {
	if len(r.Compactions) > 0 {
		k.asked.keep(r.Plan().Compactions)
	}
	k.annotate(k.app, r)
	k.unused(r)
	return r.Refusal(req, k.asked.name)
}

func (k *compactConversation) plan(ctx context.Context, s *session.Session, req session.Request) (*compactReport, error) {
	plan, err := s.Plan(ctx, req)
	if err != nil {
		return nil, err
	}
	r := newCompactReport(s.ID(), s.Log(), plan, plan.View(), req.Target)
	r.DryRun = k.dryRun
	return r, nil
}

func (k *compactConversation) apply(ctx context.Context, s *session.Session, req session.Request) (*compactReport, error) {
	var keep []tenfold.Entry
	err := k.write(ctx, s, func() (err error) {
		if keep, err = k.keepSettings(extrasOf(s.Log())...); err != nil || len(keep) == 0 {
			return err
		}
		return s.Append(ctx, keep...)
	})
	if err != nil {
		return nil, err
	}
	done, err := s.Compact(ctx, req)
	if err != nil {
		return nil, err
	}
	if done.Outcome == session.Superseded {
		return nil, hinted(errors.New("superseded: "+done.Reason), "conflict", "nothing was written; try again")
	}
	r := &compactReport{Report: report.Compacted(s, done, req.Target)}
	r.keeps(keep)
	return r, nil
}

// applyToFork plans, and makes the fork with the overlays on it. If there is
// nothing to compact it makes no fork.
func (k *compactConversation) applyToFork(ctx context.Context, s *session.Session, req session.Request) (*compactReport, error) {
	r, err := k.plan(ctx, s, req)
	if err != nil || r.Nothing != "" {
		return r, err
	}
	keep, err := k.keepSettings(extrasOf(s.Log())...)
	if err != nil {
		return nil, err
	}
	l := k.workspace
	overlays := l.service.Overlays(r.Plan(), l.service.NewCommand())
	fork, err := l.service.Fork(ctx, s, session.Fork{Title: forkTitle(s.Title()), Entries: append(keep, overlays...)})
	if err != nil {
		return nil, err
	}
	turns := r.Turns
	r = newCompactReport(fork.ID(), fork.Log(), r.Plan(), fork.Projection(), req.Target, idsOf(overlays)...)
	r.From, r.Turns = s.ID(), turns
	r.keeps(keep)
	if k.stay {
		k.Noticef("created conversation %s", fork.ID())
		return r, nil
	}
	k.noticeActivef("created conversation %s, now the active one", fork.ID())
	return r, l.active.set(fork.ID())
}
