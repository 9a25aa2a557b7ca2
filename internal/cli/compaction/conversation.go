package compaction

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"tenfold"
	"tenfold/internal/cli/command"
	"tenfold/internal/cli/display"
	"tenfold/internal/cli/terminal"
	"tenfold/internal/report"
	"tenfold/problem"
	"tenfold/session"
	"tenfold/store"
)

// Conversation is "tenfold conversation compact".
type Conversation struct {
	*command.App
	Flags
	summaryFlags
	to                  string
	fork, inPlace, stay bool
}

// ConversationCommand is "tenfold conversation compact".
func ConversationCommand(a *command.App) *cobra.Command {
	k := &Conversation{App: a}
	var req session.Request
	c := a.OnConversation(&cobra.Command{
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
				return command.Exclusive("--fork", "--in-place")
			}
			if req, err = k.Request(k.to); err != nil {
				return err
			}
			return k.Words()
		},
	}, func(ctx context.Context, s *session.Session) error { return k.run(ctx, s, req) })
	compact := c.RunE
	c.RunE = func(c *cobra.Command, args []string) error {
		if k.DryRun { // which makes no store, and upgrades none
			if !a.MayHaveConversations() {
				return &problem.Error{Code: "not_found", Problem: "there are no conversations yet", Hint: `"tenfold conversation import FILE" adds one`}
			}
			if _, err := a.Look(c.Context()); errors.Is(err, store.ErrOlder) {
				return command.Hinted(err, "older", "run it without --dry-run: \"tenfold conversation undo\" undoes the compaction; the upgrade stays, so copy the store before if you may want to go back")
			} else if err != nil {
				return err
			}
		}
		return compact(c, args)
	}
	k.Register(a, c)
	k.RegisterSummary(c)
	f := c.Flags()
	f.StringVar(&k.to, "to", "", "end of the range, a `BOUND`")
	f.BoolVar(&k.fork, "fork", false, "compact a new fork instead (default: as configured)")
	f.BoolVar(&k.inPlace, "in-place", false, "compact this conversation")
	f.BoolVar(&k.stay, "no-activate", false, "with --fork, do not activate the fork")
	return c
}

func (k *Conversation) run(ctx context.Context, s *session.Session, req session.Request) error {
	if err := k.Outside(s.Log().Turns()); err != nil {
		return err
	}
	if err := k.Prepare(k.App, &req, s.ID(), s.Projection()); err != nil {
		return err
	}
	defer k.Writers.Discard()
	if err := k.Summary(&req); err != nil {
		return err
	}
	k.Writers.Stored, k.Writers.StoredLog = display.LiveOverlays(s.Projection()), s.Log()
	e, err := k.Effective(command.ExtrasOf(s.Log())...)
	if err != nil {
		return err
	}
	fork := k.fork || (e.Conversation.Compaction.Fork && !k.inPlace)
	if k.stay && !fork {
		return command.Usage("--no-activate requires --fork", "add --fork")
	}
	var r *Report
	switch {
	case k.DryRun:
		r, err = k.plan(ctx, s, req)
	case fork:
		r, err = k.applyToFork(ctx, s, req)
	default:
		r, err = k.apply(ctx, s, req)
	}
	if err != nil {
		k.Writers.FlushNotes()
		return err
	}
	refused := k.Finish(r, req)
	err = k.Result(r, func() {
		for _, w := range r.Warnings {
			k.Warn(w)
		}
		if refused == nil { // else the error says it
			PrintReport(k.App, r)
			PrintNotes(k.App, r)
		}
	})
	return cmp.Or(err, refused)
}

// Finish adds to a report what was noted while it was made, and gives the error that
// is to be told in its place.
func (k *Conversation) Finish(r *Report, req session.Request) error {
	if len(r.Compactions) > 0 {
		k.Writers.Keep(r.Plan().Compactions)
	}
	k.Annotate(k.App, r)
	k.unused(r)
	return r.Refusal(req, k.Writers.Name)
}

func (k *Conversation) plan(ctx context.Context, s *session.Session, req session.Request) (*Report, error) {
	plan, err := s.Plan(ctx, req)
	if err != nil {
		return nil, err
	}
	r := newReport(s.ID(), s.Log(), plan, plan.View(), req.Target)
	r.DryRun = k.DryRun
	return r, nil
}

func (k *Conversation) apply(ctx context.Context, s *session.Session, req session.Request) (*Report, error) {
	var keep []tenfold.Entry
	err := s.Rewrite(ctx, func() (err error) {
		if keep, err = k.KeepSettings(command.ExtrasOf(s.Log())...); err != nil || len(keep) == 0 {
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
		return nil, command.Hinted(errors.New("superseded: "+done.Reason), "conflict", "nothing was written; try again")
	}
	r := &Report{Report: report.Compacted(s, done, req.Target)}
	r.keeps(keep)
	return r, nil
}

// applyToFork plans, and makes the fork with the overlays on it. If there is
// nothing to compact it makes no fork.
func (k *Conversation) applyToFork(ctx context.Context, s *session.Session, req session.Request) (*Report, error) {
	r, err := k.plan(ctx, s, req)
	if err != nil || r.Nothing != "" {
		return r, err
	}
	keep, err := k.KeepSettings(command.ExtrasOf(s.Log())...)
	if err != nil {
		return nil, err
	}
	l := k.Workspace
	overlays := l.Service.Overlays(r.Plan(), l.Service.NewCommand())
	fork, err := l.Service.Fork(ctx, s, session.Fork{Title: ForkTitle(s.Title()), Entries: append(keep, overlays...)})
	if err != nil {
		return nil, err
	}
	turns := r.Turns
	r = newReport(fork.ID(), fork.Log(), r.Plan(), fork.Projection(), req.Target, idsOf(overlays)...)
	r.From, r.Turns = s.ID(), turns
	r.keeps(keep)
	if k.stay {
		k.Noticef("created conversation %s", terminal.Word(fork.ID()))
		return r, nil
	}
	k.NoticeActivef("created conversation %s, now the active one", fork.ID())
	return r, l.Active.Set(fork.ID())
}

// ForkTitle tells a fork from what it was made of.
func ForkTitle(title string) string {
	const mark = " (fork)"
	if title == "" || strings.HasSuffix(title, mark) {
		return title
	}
	return title + mark
}
