package cli

import (
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"tenfold/internal/report"
	"tenfold/internal/web"
	"tenfold/session"
)

// wished reads what a person chose on the page as the flags of "tenfold
// conversation compact" are read, so that both mean the same. The app is for this
// one request.
func (a *app) wished(s *session.Session, w web.Wish, dry bool) (out web.Prepared, err error) {
	k := &compactConversation{app: a}
	c := &cobra.Command{}
	k.register(a, c)
	k.registerSummary(c)
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
		return out, flagError(c, err)
	}
	k.dryRun = dry
	if out.Request, err = k.request(w.To); err != nil {
		return out, err
	}
	if err := errors.Join(k.words(), k.outside(s.Log().Turns())); err != nil {
		return out, err
	}
	if err := k.prepare(a, &out.Request, s.ID(), s.Projection()); err != nil {
		return out, err
	}
	if slices.ContainsFunc(out.Request.Strategies, needsModel) {
		return out, usage("classify-tangents asks a person which turns to omit", `run "tenfold conversation compact --strategy classify-tangents" on a terminal`)
	}
	k.asked.stored, k.asked.storedLog = liveOverlays(s.Projection()), s.Log()
	out.Model = k.asked.name
	out.Finish = func(r *report.Report) error {
		defer k.asked.discard()
		if r == nil {
			k.asked.flushNotes()
			return nil
		}
		one := &compactReport{Report: *r}
		err := k.finish(one, out.Request)
		*r = one.Report
		return err
	}
	return out, k.summary(&out.Request)
}
