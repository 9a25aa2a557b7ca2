package serve

import (
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"tenfold/internal/cli/command"
	"tenfold/internal/cli/compaction"
	"tenfold/internal/cli/display"
	"tenfold/internal/report"
	"tenfold/internal/web"
	"tenfold/internal/web/shape"
	"tenfold/session"
)

// wished reads what a person chose on the page as the flags of "tenfold
// conversation compact" are read, so that both mean the same. The app is for this
// one request.
func wished(a *command.App, s *session.Session, w shape.Wish, dry bool) (out web.Prepared, err error) {
	k := &compaction.Conversation{App: a}
	c := &cobra.Command{}
	k.Register(a, c)
	k.RegisterSummary(c)
	var flags []string
	for _, f := range []struct{ name, value string }{
		{"profile", w.Profile}, {"from", w.From}, {"keep", w.Keep}, {"target", w.Target}, {"focus", w.Focus}, {"summary", w.Summary},
	} {
		if f.value != "" {
			flags = append(flags, "--"+f.name+"="+f.value)
		}
	}
	for _, text := range w.Strategies {
		flags = append(flags, "--strategy="+text)
	}
	if err := c.ParseFlags(flags); err != nil {
		return out, command.FlagError(c, err)
	}
	k.DryRun = dry
	if out.Request, err = k.Request(w.To); err != nil {
		return out, err
	}
	if err := errors.Join(k.Words(), k.Outside(s.Log().Turns())); err != nil {
		return out, err
	}
	if err := k.Prepare(a, &out.Request, s.ID(), s.Projection()); err != nil {
		return out, err
	}
	if slices.ContainsFunc(out.Request.Strategies, compaction.NeedsModel) {
		return out, command.Usage("classify-tangents asks a person which turns to omit", `run "tenfold conversation compact --strategy classify-tangents" on a terminal`)
	}
	k.Writers.Stored, k.Writers.StoredLog = display.LiveOverlays(s.Projection()), s.Log()
	out.Model = k.Writers.Name
	out.Finish = func(r *report.Report) error {
		defer k.Writers.Discard()
		if r == nil {
			k.Writers.FlushNotes()
			return nil
		}
		one := &compaction.Report{Report: *r}
		err := k.Finish(one, out.Request)
		*r = one.Report
		return err
	}
	return out, k.Summary(&out.Request)
}
