package web

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"

	"tenfold"
	"tenfold/internal/report"
	"tenfold/internal/web/held"
	"tenfold/internal/web/look"
	"tenfold/internal/web/shape"
	"tenfold/session"
	"tenfold/strategy"
)

func (s *Server) declareCompact() {
	const one = "/conversations/{id}"
	declare(s, operation(http.MethodPost, "plan", one+"/plan", "Report what a compaction would do, without calling a model or writing"), s.plan)
	declare(s, operation(http.MethodPost, "undo", one+"/undo", "Undo the newest compacting command"), s.undo)
	declare(s, operation(http.MethodPost, "redo", one+"/redo", "Re-apply what was undone last"), s.redo)
	declareEmpty(s, operation(http.MethodPut, "pin", one+"/pins/{seq}", "Pin an entry, and the other half of a call and its result"), func(ctx context.Context, in *pinned) error {
		return s.pin(ctx, in, true)
	})
	declareEmpty(s, operation(http.MethodDelete, "unpin", one+"/pins/{seq}", "Unpin an entry"), func(ctx context.Context, in *pinned) error {
		return s.pin(ctx, in, false)
	})
}

// wished is a wish about a conversation.
type wished struct {
	InConversation
	Body shape.Wish
}

// plan makes the dry run of "tenfold conversation compact".
func (s *Server) plan(ctx context.Context, in *wished) (out shape.Trial, err error) {
	var raw *tenfold.Projection
	var request session.Request
	err = s.planned(ctx, in, func(o *held.Conversation, p Prepared, _ strategy.Plan, r report.Report) {
		out = trialOf(r, o)
		// What is measured takes a while, and is of the log as it is now.
		raw, request = o.Session.Projection().Snapshot(), p.Request
	})
	if err == nil {
		out.Measured, err = measure(ctx, raw.Log(), request)
	}
	return out, err
}

// planned makes the plan of a wish, writes nothing, and gives it to f with its report.
func (s *Server) planned(ctx context.Context, in *wished, f func(*held.Conversation, Prepared, strategy.Plan, report.Report)) error {
	return s.sessions.With(ctx, in.ID, func(o *held.Conversation) error {
		if err := atVersion(o.Session, in.Body.Version); err != nil {
			return err
		}
		p, err := s.backend.Request(o.Session, in.Body, true)
		if err != nil {
			return err
		}
		plan, err := o.Session.Plan(ctx, p.Request)
		if err != nil {
			_ = p.Finish(nil)
			return err
		}
		r := report.New(o.Session.ID(), o.Session.Log(), plan, plan.View(), p.Request.Target)
		r.DryRun = true
		if err := p.Finish(&r); err != nil {
			return err
		}
		f(o, p, plan, r)
		return nil
	})
}

// trialOf says entry by entry what a plan would do. Entries of branches that it does
// not touch are as they are for their own readers.
func trialOf(r report.Report, o *held.Conversation) shape.Trial {
	now, scale := o.Session.Projection(), o.Figures()
	t := shape.Trial{Report: r, Version: now.Version(), Changed: now.Changed(r.View()), Fates: look.Fates(), Fate: make([]int, now.Version()), After: make([]int, now.Version())}
	for e := range o.Session.Log().Entries() {
		view := r.View()
		if !view.Reads(e.Seq) {
			view = o.View(e.Branch)
		}
		fate, _, after := view.Fate(e.Seq)
		t.Fate[e.Seq-1], t.After[e.Seq-1] = int(fate), scale.Tokens(after)
	}
	return t
}

// atVersion refuses a log that is not the one that a person looked at; 0 takes any.
func atVersion(s *session.Session, version int64) error {
	if now := s.Log().Version(); version != 0 && version != now {
		return moved(version, now, "read the new entries and try again, or leave out the version")
	}
	return nil
}

// moved is a log that is at another version than the one a request names.
func moved(expected, actual int64, hint string) *shape.Problem {
	p := conflict("the conversation has "+strconv.FormatInt(actual, 10)+" entries now, not "+strconv.FormatInt(expected, 10), hint)
	p.Expected, p.Actual = &expected, &actual
	return p
}

func conflict(detail, hint string) *shape.Problem {
	return shape.NewProblem(http.StatusConflict, "conflict", detail, hint)
}

// compact is "tenfold conversation compact --in-place". Where a model may be asked
// it works on a session of its own: everything else goes on meanwhile.
func (s *Server) compact(ctx context.Context, in *compacting) (out report.Report, err error) {
	if err := s.writable(); err != nil {
		return out, err
	}
	alone := ""
	err = s.with(ctx, in.ID, func(o *session.Session) error {
		p, err := s.prepared(o, in)
		if err != nil {
			return err
		}
		if p.Model != "" {
			alone = o.ID()
			return p.Finish(nil)
		}
		out, err = applied(ctx, o, p)
		return err
	})
	if err != nil || alone == "" {
		return out, err
	}
	o, err := s.service.Open(ctx, alone)
	if err != nil {
		return out, err
	}
	p, err := s.prepared(o, in)
	if err != nil {
		return out, err
	}
	return applied(ctx, o, p)
}

func (s *Server) prepared(o *session.Session, in *compacting) (Prepared, error) {
	request, again := "", false
	if in.Key != "" {
		wish, err := json.Marshal(in.Body.Wish, json.Deterministic(true))
		if err != nil {
			return Prepared{}, err
		}
		request = requestID(in.Key) + "-" + keyed(string(wish), "wish")
		if again, err = isRepeated(o, in.Key, request); err != nil {
			return Prepared{}, err
		}
	}
	if !again {
		if err := atVersion(o, in.Body.Version); err != nil {
			return Prepared{}, err
		}
	}
	p, err := s.backend.Request(o, in.Body.Wish, false)
	p.Request.ID = request
	return p, err
}

// isRepeated reports whether a log has the overlays of a request. One that has those of
// another request with the same key is refused.
func isRepeated(o *session.Session, key, request string) (again bool, err error) {
	for overlay := range o.Projection().Overlays() {
		switch made := overlay.Compaction.Command; {
		case made == request:
			again = true
		case strings.HasPrefix(made, requestID(key)):
			return false, keyReused()
		}
	}
	return again, nil
}

// applied compacts. What was looked at is what is planned over; entries that come
// meanwhile are dealt with as for every compaction (D3).
func applied(ctx context.Context, o *session.Session, p Prepared) (report.Report, error) {
	done, err := o.Compact(ctx, p.Request)
	if err == nil && done.Outcome == session.Superseded {
		err = conflict("superseded: "+done.Reason, "nothing was written; try again")
	}
	if err == nil && done.Outcome == session.Vetoed {
		err = conflict(done.Reason, "nothing was written")
	}
	if err != nil {
		_ = p.Finish(nil)
		return report.Report{}, err
	}
	r := report.Compacted(o, done, p.Request.Target)
	return r, p.Finish(&r)
}

// undoing says what is undone or redone.
type undoing struct {
	InConversation
	Body struct {
		All    bool `json:"all,omitempty" doc:"undo every overlay in effect"`
		One    bool `json:"one,omitempty" doc:"undo only the newest overlay"`
		DryRun bool `json:"dry_run,omitempty" doc:"report what would change without writing"`
		Seen
	}
}

// Seen is what somebody was shown who agreed to it. Huma looks into exported types
// alone.
type Seen struct {
	Overlays []string `json:"overlays,omitempty" maxItems:"10000" doc:"ids of all that a dry run said would be undone and redone: where it would be others by now, that is a conflict, and nothing is written; where it was done already, as by the same request, that is the answer"`
}

// refuseChanged refuses a change that is not the one that was seen.
func (s Seen) refuseChanged(would report.Change) error {
	if s.Overlays == nil {
		return nil
	}
	var now []string
	for _, o := range slices.Concat(would.Undone, would.Redone) {
		now = append(now, o.ID)
	}
	slices.Sort(now)
	if !slices.Equal(now, slices.Sorted(slices.Values(s.Overlays))) {
		return conflict("the compactions have changed: it would be another one now", "look again; nothing was written")
	}
	return nil
}

// done gives the overlays that were seen where all of them are undone, or redone, already:
// a browser may send a request twice.
func (s Seen) done(p *tenfold.Projection, redo bool) (all []tenfold.Overlay) {
	for o := range p.Overlays() {
		if o.Live == redo && slices.Contains(s.Overlays, o.ID) {
			all = append(all, o)
		}
	}
	if len(all) < len(s.Overlays) {
		return nil
	}
	return all
}

// redoing says what is redone.
type redoing struct {
	InConversation
	Body struct {
		One    bool `json:"one,omitempty" doc:"re-apply only the overlay undone last"`
		DryRun bool `json:"dry_run,omitempty" doc:"report what would change without writing"`
		Seen
	}
}

func (s *Server) undo(ctx context.Context, in *undoing) (report.Change, error) {
	b, do := in.Body, (*session.Session).Undo
	switch {
	case b.All && b.One:
		return report.Change{}, shape.Refused("all and one cannot be used together", "use one of them")
	case b.All:
		do = (*session.Session).UndoAll
	case b.One:
		do = (*session.Session).UndoOne
	}
	return s.change(ctx, in.ID, turning{all: b.All, one: b.One}, b.DryRun, b.Seen, do)
}

func (s *Server) redo(ctx context.Context, in *redoing) (report.Change, error) {
	b, do := in.Body, (*session.Session).Redo
	if b.One {
		do = (*session.Session).RedoOne
	}
	return s.change(ctx, in.ID, turning{redo: true, one: b.One}, b.DryRun, b.Seen, do)
}

// turning is what is undone or redone.
type turning struct{ redo, all, one bool }

// change undoes or redoes, or says what that would do.
func (s *Server) change(ctx context.Context, id string, t turning, dry bool, seen Seen, do func(*session.Session, context.Context) ([]tenfold.Overlay, error)) (out report.Change, err error) {
	on := s.write
	if dry {
		on = s.with
	}
	err = on(ctx, id, func(o *session.Session) error {
		if done := seen.done(o.Projection(), t.redo); len(done) > 0 && !dry {
			out = report.Changed(o.ID(), o.Projection(), o.Projection().Tokens(), t.redo, done)
			return nil
		}
		would, err := s.previewUndo(o, t)
		if err == nil {
			err = seen.refuseChanged(would)
		}
		if out = would; err != nil || dry {
			return err
		}
		before := o.Projection().Tokens()
		changed, err := do(o, ctx)
		if err == nil {
			out = report.Changed(o.ID(), o.Projection(), before, t.redo, changed)
		}
		return err
	})
	return out, err
}

// previewUndo says what an undo or a redo would do.
func (s *Server) previewUndo(o *session.Session, t turning) (out report.Change, err error) {
	next, nothing := (*tenfold.Projection).Undo, session.ErrNothingToUndo
	switch {
	case t.redo && t.one:
		next, nothing = (*tenfold.Projection).RedoOne, session.ErrNothingToRedo
	case t.redo:
		next, nothing = (*tenfold.Projection).Redo, session.ErrNothingToRedo
	case t.one:
		next = (*tenfold.Projection).UndoOne
	}
	p := o.Projection()
	before := p.Tokens()
	var changed []tenfold.Overlay
	for changes := next(p); len(changes) > 0; changes = next(p) {
		var entries []tenfold.Entry
		for _, c := range changes {
			changed = append(changed, c.Overlay)
			entries = append(entries, tenfold.Entry{ID: s.service.NewCommand(), Payload: tenfold.CompactionRevoked{Target: c.Target}})
		}
		if p = p.Preview(entries...); !t.all {
			break
		}
	}
	if len(changed) == 0 {
		return out, nothing
	}
	out = report.Changed(o.ID(), p, before, t.redo, changed)
	out.DryRun = true
	return out, nil
}

// pinned names an entry.
type pinned struct {
	InConversation
	Seq int64 `path:"seq" minimum:"1" doc:"the entry's number"`
}

func (s *Server) pin(ctx context.Context, in *pinned, on bool) error {
	return s.write(ctx, in.ID, func(o *session.Session) error {
		if err := session.Pinnable(o.Log(), in.Seq); err != nil {
			return err
		}
		change := session.ToPin(o.Projection(), []int64{in.Seq}, on)
		switch {
		case len(change) == 0: // it is so already
			return nil
		case on:
			return o.Pin(ctx, change...)
		}
		return o.Unpin(ctx, change...)
	})
}
