package web

import (
	"context"

	"tenfold/session"
)

// status is where a conversation stands, by its log.
func (s *Server) status(ctx context.Context, o *opened) (Status, error) {
	if o.control == nil {
		live, err := s.backend.Live(o.session)
		if err != nil {
			return Status{}, err
		}
		o.control = o.session.Control(live)
	}
	now, err := o.control.Status(ctx)
	if err != nil {
		return Status{}, err
	}
	_, source := o.control.Used()
	o.epochs.read(o.session.Log(), o.figures())
	out := Status{
		State: string(now.State), Failure: now.Failure, Tokens: now.Tokens, Window: now.Window, Method: string(source),
		Compactions: now.Compactions, Epoch: max(len(o.epochs.list)-1, 0),
	}
	if now.State == session.Compacting {
		out.Since = now.Since.UTC()
	}
	return out, nil
}
