package keeper

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"tenfold"
)

// errLeft says that the history goes on otherwise than its log did, and that the log says so
// now, or is another one.
var errLeft = errors.New("the history left the log")

// errForgotten says that a client gave up what it had asked, and that nobody had answered; or that
// somebody removed it.
var errForgotten = errors.New("nobody knows any more what the client asked")

// dropLogTail has the history leave what its log says behind so many messages of a request.
func (t *thread) dropLogTail(ctx context.Context, ex *exchange, messages, upto int) error {
	c := &t.log
	c.story.cut(min(messages, len(c.story.chains)))
	if err := t.goBack(ctx, ex, upto); err != nil {
		return err
	}
	return errLeft
}

// goBack has the history go on behind its story, which the log does otherwise: in the
// log, which is told where the client went back to (X2). Where that cannot be told there, it
// is a copy of the log up to there; where the model answered nothing of it, a conversation of
// its own.
func (t *thread) goBack(ctx context.Context, ex *exchange, upto int) error {
	c := &t.log
	n := len(c.story.chains)
	again := n > 0 && (n == upto || ex.r.Messages[n].Model) // another answer to the same
	done := false
	err := c.session.Rewrite(ctx, func() (err error) {
		if done = false; t.isCurrent() && !t.isTakenBack() && (again || answered(c.session.Log(), c.story.at)) {
			done, err = c.session.Rewind(ctx, c.story.at, "rewound in "+cmp.Or(t.id.tool, t.client, "the client"))
		}
		return err
	})
	switch {
	case err != nil:
		return err
	case done:
		t.k.mu.Lock()
		defer t.k.mu.Unlock()
		t.unfreeze()
		return nil
	case !t.isCurrent() && ex.unanswered(n):
		return errForgotten
	}
	return t.copyOf(ctx, c.session, c.story.at)
}

// unfreeze drops a frozen prefix that stands for more than the story has. The caller holds the
// lock.
func (t *thread) unfreeze() {
	if t.frozen != nil && t.frozen.upto > len(t.log.story.chains) {
		t.frozen, t.epoch, t.due, t.log.epoch = nil, "", true, ""
	}
}

// isCurrent tells whether the history is the one that its client last went on with, of those in
// its log: that one says how the log goes on.
func (t *thread) isCurrent() bool {
	id := t.log.session.ID()
	t.k.mu.Lock()
	defer t.k.mu.Unlock()
	return !slices.ContainsFunc(t.k.all, func(other *thread) bool {
		return other != t && other.shown.ID == id && other.order > t.order
	})
}

// unanswered tells that nothing was answered of what a request says behind so many messages, and
// nothing will be.
func (ex *exchange) unanswered(n int) bool {
	ex.k.mu.Lock()
	defer ex.k.mu.Unlock()
	for _, m := range ex.r.Messages[n:] {
		if m.Model {
			return false
		}
	}
	return ex.done && ex.response.Entries == nil
}

// isTakenBack tells that another history took back in the log what this one says: that one goes on
// there.
func (t *thread) isTakenBack() bool {
	c := &t.log
	return c.session != nil && c.story.at > 0 && c.session.Projection().Rewound(c.story.at)
}

// setAside keeps what a request says behind its story beside the conversation (L7): the
// client gave it up, and nobody answered.
func (t *thread) setAside(ctx context.Context, ex *exchange, upto int) error {
	var entries []tenfold.Entry
	for i := len(t.log.story.chains); i < upto; i++ {
		pieces, err := t.wire(ex).Read(ex.r, i)
		if err != nil {
			return err
		}
		for _, p := range pieces {
			if e := p.Entry; e.Payload.Kind().Visible() && !has(t.log.session.Projection(), e.ID) {
				e.Branch, e.Time = asideBranch, ex.began.UTC()
				entries = append(entries, e)
			}
		}
	}
	return t.log.session.AppendLatest(ctx, entries...)
}
