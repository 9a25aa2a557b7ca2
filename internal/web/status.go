package web

import (
	"context"
	"time"

	"tenfold"
	"tenfold/agent"
	"tenfold/internal/cli/terminal"
	"tenfold/internal/web/held"
	"tenfold/internal/web/shape"
	"tenfold/internal/web/talk"
	"tenfold/session"
	"tenfold/token"
)

// status is where a conversation stands: by its log, whoever writes it, and by what
// an agent of this server does in it.
func (s *Server) status(ctx context.Context, o *held.Conversation) (shape.Status, error) {
	if o.Control == nil { // refresh lets go of it where the configuration changes
		live, err := s.backend.Live(o.Session)
		if err != nil {
			return shape.Status{}, err
		}
		o.Control = o.Session.Control(live)
	}
	out, wanted := shape.Status{Running: []shape.Running{}, Waiting: []shape.Question{}, Offers: []shape.Offer{}}, ""
	c := s.live.Peek(o.Session.ID())
	if c != nil { // before the log's: what ended has then left its state there
		wanted = c.Now(&out)
	}
	now, err := o.Control.Status(ctx)
	if err != nil {
		return shape.Status{}, err
	}
	o.Epochs.Read(o.Session.Log(), o.Figures())
	out.State, out.Failure = string(now.State), terminal.Visible(now.Failure)
	out.Tokens, out.Window, out.Compactions, out.Epoch = now.Tokens, now.Window, now.Compactions, max(len(o.Epochs.List)-1, 0)
	_, source := o.Control.Used()
	if out.Method = string(source); source == token.Provider {
		out.Method = agent.Reported
	}
	if now.State == session.Compacting {
		out.Since, out.Until = now.Since.Round(time.Microsecond).UTC(), now.Until.Round(time.Microsecond).UTC()
	}
	again := now.Until
	all := offers(out, wanted)
	if len(all) == 0 && !out.Busy && out.Ended == nil && now.State != session.Compacting && session.ToolOf(o.Row) == "" {
		if last, stopped := stoppedAt(o.Session.Log()); stopped && time.Since(last) < unattended {
			again = last.Add(unattended)
		} else if stopped {
			all = unfinished()
		}
	}
	if c != nil && !again.IsZero() {
		c.WakeAt(again)
	}
	if len(all) > 0 {
		if meta := s.backend.Meta(); meta.Agent && !meta.ReadOnly {
			out.Offers = all
		}
	}
	return out, nil
}

// unattended is how long nothing came of an answer of which nobody here knows who
// gives it, for it to count as stopped: by the end of a server, or of a program.
const unattended = 30 * time.Second

// stoppedAt is when the last thing came into a log that ends in the middle of an
// answer.
func stoppedAt(l *tenfold.Log) (last time.Time, stopped bool) {
	e, some := l.Entry(l.Version())
	if !some {
		return last, false
	}
	switch agent.StateOf(l) {
	case agent.Asked, agent.Answering, agent.Calling:
		return e.Time, true
	case agent.Empty, agent.Said:
	}
	return last, false
}

// unfinished is what can be done about an answer that did not end.
func unfinished() []shape.Offer {
	return []shape.Offer{{Do: talk.DoGoOn, Words: "go on"}, {Do: "write", Words: "continue"}}
}

// offers are what a person can do, as in the chat on a terminal. Where the context is
// full there is no going on (A6).
func offers(s shape.Status, wanted string) []shape.Offer {
	ended := shape.Ended{}
	if s.Ended != nil {
		ended = *s.Ended
	}
	compact, again := shape.Offer{Do: talk.DoCompact, Words: "retry compaction"}, shape.Offer{Do: talk.DoGoOn, Words: "retry"}
	if wanted == talk.DoCompact {
		again = compact
	}
	write, fresh := shape.Offer{Do: "write", Words: "continue"}, shape.Offer{Do: "new", Words: "new session"}
	switch closed := s.State == string(session.Closed) || ended.Reason == string(agent.Exceeded); {
	case s.Busy || s.State == string(session.Compacting):
		return nil
	case closed:
		return []shape.Offer{compact, fresh}
	case ended.Reason == talk.ReasonFailed:
		return []shape.Offer{again, write, fresh}
	case s.Failure != "" || ended.Reason == talk.ReasonNotCompacted:
		return []shape.Offer{compact, write, fresh}
	case ended.Reason == string(agent.Limited), ended.Reason == string(agent.CutOff), ended.Reason == string(agent.Interrupted) && wanted != talk.DoCompact:
		return unfinished()
	}
	return nil
}
