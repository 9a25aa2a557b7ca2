package session

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"tenfold"
	"tenfold/store"
	"tenfold/token"
	"tenfold/trigger"
)

// WithDue has a service tell its store, with each append, whether a compaction is
// due by it: a store with a queue has it made in the background, by
// [Session.Background]. live gives how a conversation is compacted by itself; it is
// asked when a session first appends, and again when the conversation's
// configuration changed. Where it gives an error nothing is due: an append does not
// fail for that.
//
// What is asked is what [Controller.Next] asks, of the totals alone, so that an
// append costs the same in a short and in a long log.
func WithDue(live func(*Session) (Live, error)) Option { return func(s *Service) { s.live = live } }

// dueness is what a session keeps in order to tell what is due.
type dueness struct {
	control *Controller // nil until the first append, and after a new configuration
	policy  string
	told    store.Work // what the store was last told
}

// appended is told of each entry that the log has got.
func (d *dueness) appended(e tenfold.Entry) {
	if _, ok := e.Payload.(tenfold.ConfigDelta); ok {
		d.control = nil // another model, and settings of the conversation
	}
}

// outlook is where a conversation stands before an append.
type outlook struct {
	session *Session
	view    trigger.View
	tokens  int // of the view, as the log counts them
}

// outlook looks before an append, at the cost of what came since the last; nil
// where nothing can be due.
func (s *Session) outlook() *outlook {
	if s.service.live == nil {
		return nil
	}
	d := &s.dueness
	if d.control == nil {
		live, err := s.service.live(s)
		if err != nil {
			return nil
		}
		d.control = s.Control(live)
		d.policy = d.control.Policy()
	}
	if !d.control.live.Auto.Enabled || d.control.state() != Ready || d.control.past.undone {
		return nil
	}
	return &outlook{s, d.control.triggerView(), s.projection.Tokens()}
}

// Policy says what a compaction that begins by itself would run, and when.
func (c *Controller) Policy() string {
	names := make([]string, len(c.live.Auto.Strategies))
	for i, s := range c.live.Auto.Strategies {
		names[i] = s.Name()
	}
	return strings.Join(names, ", ") + " at " + c.live.Auto.Trigger.String()
}

// stepShare is by which share of its limit a view has to grow for a plan that came
// to nothing to be made again.
const stepShare = 0.1

// workDue gives what is due by a batch, unless the store was told already.
func (o *outlook) workDue(with *tenfold.Projection, batch []tenfold.Entry, scale token.Scale) *store.Work {
	if o == nil || slices.ContainsFunc(batch, trigger.ChangesView) {
		return nil // the next append tells what the view is then
	}
	d := &o.session.dueness
	v := o.view
	grown := scale.Tokens(max(with.Tokens()-o.tokens, 0))
	v.Tokens += grown
	if v.Reported > 0 {
		v.Since += grown
	}
	for _, e := range batch {
		if u, ok := e.Payload.(tenfold.Usage); ok && e.Branch == "" {
			v.Reported, v.Since = u.Prompt()+u.Output, 0
		}
	}
	tokens, _ := v.Used()
	fires, _ := d.control.live.Auto.Trigger.Fires(v)
	if tight := float64(tokens) > (1-reserve)*float64(v.Room()); !tight && (!fires || !betweenTurns(with)) {
		return nil // A2
	}
	limit := trigger.Limit(d.control.live.Auto.Trigger, v.Room())
	w := store.Work{
		Prefix: prefixKey(o.session.id, d.control.past.epoch), Policy: d.policy, Step: growthStep(tokens, limit), Tokens: tokens, Limit: limit,
	}
	if t := d.told; t.Prefix == w.Prefix && t.Policy == w.Policy && t.Step == w.Step {
		return nil
	}
	return &w
}

func growthStep(tokens, limit int) int {
	return max(tokens-limit, 0) / max(int(stepShare*float64(limit)), 1)
}

// prefixKey names the view with which an epoch began, which a provider has cached: in
// a log that only grows, the entry that began the epoch says which view that is.
func prefixKey(conversation string, e Epoch) string {
	sum := sha256.Sum256([]byte(conversation + "\x00" + e.ID))
	return hex.EncodeToString(sum[:12])
}
