package session

import (
	"cmp"
	"time"

	"tenfold"
)

// past is what a log says of its compactions, read once, entry by entry.
type past struct {
	version int64
	state   State
	// attempt is the one under way, begun when, held when for so long, and over then if
	// nobody ended it.
	attempt     string
	begun, held time.Time
	lease       time.Duration
	// turned tells that a turn began while it was under way.
	turned bool
	// attempts counts those of the turn that began by themselves, asked those that a
	// model asked for.
	attempts, asked int
	wish            Wish
	failure         string
	epoch           Epoch
	balance         balance
	// undone tells that the last who changed the view undid a compaction, by the
	// command undo; newest is the command of the newest compaction.
	undone       bool
	undo, newest string
	// longest is how many tokens the longest answer took, answer those of the newest
	// one, in this step of the log.
	longest, answer int
	turn, step      int
}

// read takes in what is new in the log.
func (p *past) read(s *Session, maxAttempts int, lifetime time.Duration, limit int) {
	if p.version == 0 {
		p.state = Ready
	}
	for e := range s.log.After(p.version) {
		p.version = e.Seq
		if e.Branch == "" {
			p.add(s.log, e, maxAttempts)
			p.measure(s.log, e)
			p.balance.add(s.log, e, lifetime, limit)
		}
	}
}

// measure adds an entry to the answer that it is part of.
func (p *past) measure(l *tenfold.Log, e tenfold.Entry) {
	if isAnswer(e.Payload.Kind()) {
		if turn, step, _ := l.Where(e.Seq); turn != p.turn || step != p.step {
			p.turn, p.step, p.answer = turn, step, 0
		}
		p.answer += e.Tokens
		p.longest = max(p.longest, p.answer)
	}
}

func (p *past) add(l *tenfold.Log, e tenfold.Entry, maxAttempts int) {
	in := EntryAppended
	if BeginsEpoch(e) {
		p.epoch = Epoch{e.ID, e.Seq}
	}
	switch payload := e.Payload.(type) {
	case tenfold.TurnStart:
		in = TurnBegins
		p.turned = p.state == Compacting
		p.attempts, p.asked = 0, 0
		if p.state != Compacting {
			p.failure = ""
		}
	case tenfold.CompactionAttempt:
		in = p.addAttempt(e, payload, maxAttempts)
	case tenfold.Compaction:
		if payload.AtBirth() || payload.Rewinds() {
			break
		}
		p.undone, p.newest = false, payload.Command
		own := p.state == Compacting && payload.Command == p.attempt
		if own || p.state != Compacting && payload.Source != sourceMicro && payload.Source != tenfold.SourceImport {
			in = AttemptDone
			p.attempts, p.asked, p.failure = 0, 0, ""
		}
	case tenfold.CompactionRevoked:
		p.revoked(l, payload)
	case tenfold.CompactionFailed:
		if p.state == Compacting && payload.Attempt != p.attempt {
			break // of somebody else
		}
		p.failure = payload.Error
		switch {
		case payload.Attempt != "" && p.attempts < maxAttempts:
			in = AttemptAgain
		case payload.Exceeded:
			in = AttemptFailsAt
		default:
			in = AttemptFails
		}
	}
	was := p.state
	p.state = p.state.On(in).Next
	if was == Compacting && p.state != Compacting && p.turned {
		p.state = p.state.On(TurnBegins).Next // which it was too busy for
		p.turned = false
	}
}

// revoked notes whether a revocation is an undo, and none that makes room for another
// compaction, follows the client's own record or gives something back.
func (p *past) revoked(l *tenfold.Log, r tenfold.CompactionRevoked) {
	target, _ := l.Lookup(r.Target)
	c, ok := target.Payload.(tenfold.Compaction)
	switch {
	case r.Command != "" && (r.Command == p.newest || r.Command == p.undo):
	case ok && c.Source != tenfold.SourceImport:
		p.undone, p.undo = true, r.Command
	case !ok:
		p.undone = false
	}
}

func (p *past) addAttempt(e tenfold.Entry, a tenfold.CompactionAttempt, maxAttempts int) Input {
	switch a.State {
	case tenfold.AttemptWanted:
		p.wish = Wish{By: Asker(a.Source), Reason: a.Reason, Focus: a.Focus}
		return WishRecorded
	case tenfold.AttemptBegun:
		p.attempt, p.begun, p.turned = e.ID, e.Time, false
		p.hold(e, a)
		switch Asker(a.Source) {
		case ByPerson:
			p.attempts = maxAttempts // allowed whatever was tried (A3); none follows by itself if it fails (A6)
		case ByModel:
			p.asked++ // too early, perhaps: one that is needed later in a long turn still begins by itself
		default:
			p.attempts++
		}
		return AttemptBegins
	case tenfold.AttemptHeld:
		if a.Attempt == p.attempt {
			p.hold(e, a)
		}
	case tenfold.AttemptEnded:
		if a.Attempt == p.attempt {
			p.failure = a.Reason
			return AttemptEnds
		}
	}
	return EntryAppended
}

// hold notes for how long an attempt keeps others from the conversation.
func (p *past) hold(e tenfold.Entry, a tenfold.CompactionAttempt) {
	p.held, p.lease = e.Time, time.Duration(a.Seconds)*time.Second
}

// over is when the attempt's time is over, unless it is held for longer by then.
func (p *past) over() time.Time { return p.held.Add(p.lease) }

// timeOver tells whether the time of the newest attempt is over. One that is so far
// ahead was dated by a clock that is wrong, of another machine: it would hold the
// conversation up for as long as that is ahead.
func (p *past) timeOver(now time.Time) bool { return now.Sub(p.held).Abs() > p.lease }

// interrupted is the failure of an attempt of which nobody recorded the end.
const interrupted = "it was interrupted"

// state is where the controller stands by the log and the clock.
func (c *Controller) state() State {
	p := &c.past
	p.read(c.session, c.live.Auto.MaxAttempts, c.Lifetime(), c.limit())
	if p.state != Compacting || !p.timeOver(c.session.service.now()) {
		return p.state
	}
	// Whoever made the attempt did not live to end it. The log stays as it is:
	// every reader comes to the same by the clock.
	p.failure = interrupted
	state := p.state.On(TimeOver).Next
	if p.turned {
		p.failure = ""
		state = state.On(TurnBegins).Next
	}
	return cmp.Or(state, Ready)
}

// openCall tells whether a call of the step under way has no result.
func (c *Controller) openCall() bool {
	return !c.idle && openCall(c.session.projection)
}

func openCall(p *tenfold.Projection) bool {
	l := p.Log()
	turn, step := -1, 0
	for seq := l.Version(); seq > 0; seq-- {
		e, _ := l.Entry(seq)
		if e.Branch != "" || !e.Payload.Kind().Visible() || p.Rewound(seq) {
			continue
		}
		t, s, _ := l.Where(seq)
		if turn < 0 {
			turn, step = t, s
		}
		if t != turn || s != step {
			return false
		}
		if e.Payload.Kind() == tenfold.KindToolCall && l.Pair(seq) == 0 {
			return true
		}
	}
	return false
}

// betweenTurns tells whether the agent's loop stands still: the model has not
// answered in the last turn yet, or has said its last word in it (A2).
func (c *Controller) betweenTurns() bool {
	return c.idle || betweenTurns(c.session.projection)
}

func betweenTurns(p *tenfold.Projection) bool {
	l := p.Log()
	last := l.Turns() - 1
	newest := true
	for seq := l.Version(); seq > 0; seq-- {
		e, _ := l.Entry(seq)
		if e.Branch != "" || !e.Payload.Kind().Visible() || p.Rewound(seq) {
			continue
		}
		if turn, _, _ := l.Where(seq); turn < last {
			return true
		}
		switch e.Payload.(type) {
		case tenfold.AssistantMessage:
			if newest {
				return !openCall(p)
			}
			return false
		case tenfold.ToolCall, tenfold.Reasoning:
			return false
		}
		newest = false
	}
	return true
}
