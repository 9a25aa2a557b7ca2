package session

import (
	"context"

	"tenfold"
)

// Rewind hides what the log says behind an entry, as the client went back to there and
// says something else (live X2): the log keeps both, and a view shows what was said
// last. It is false, and nothing is written, where overlays cannot say so: within a
// response, between a call and its result, where other overlays hide or show turns, and
// where a summary tells of what is taken back. Through 0 is before the first entry; one
// that the log does not have is [ErrNoEntry].
func (s *Session) Rewind(ctx context.Context, through int64, reason string) (done bool, err error) {
	if through < 0 || through > s.log.Version() {
		return false, s.noEntry("rewind to ", through)
	}
	entries := s.rewindOverlays(through, reason)
	if entries == nil {
		return false, nil
	}
	return true, s.Append(ctx, entries...)
}

// rewindOverlays gives the overlays: one that hides the turns from there on, but for what was
// asked in the first of them before, and those that show the steps before that again.
func (s *Session) rewindOverlays(through int64, reason string) []tenfold.Entry {
	l, p := s.log, s.projection
	first := s.nextStoryEntry(through)
	if first == 0 {
		return nil
	}
	for o := range p.Overlays() {
		if o.Live && s.summaryReachesPast(o, through) {
			return nil
		}
	}
	turn, step, _ := l.Where(first)
	begun, _ := l.Turn(turn)
	var asked []int64
	gone := map[int]bool{} // the steps of the turn before, by whether they were taken back already
	for e := range l.After(begun.First - 1) {
		if e.Seq > through {
			break
		}
		if e.Branch != "" || !e.Payload.Kind().Visible() {
			continue
		}
		_, at, _ := l.Where(e.Seq)
		switch was := p.Rewound(e.Seq); {
		case at >= step && !was && e.Payload.Kind() != tenfold.KindUserMessage:
			return nil
		case e.Payload.Kind() != tenfold.KindUserMessage:
			gone[at] = was
		case !was:
			asked = append(asked, e.Seq)
		}
	}
	var entries []tenfold.Entry
	cover := func(to int, toStep *int, turns tenfold.Action) {
		c := tenfold.Compaction{FromTurn: turn, ToTurn: to, ToStep: toStep, Turns: turns, Source: tenfold.SourceImport, Strategy: tenfold.StrategyRewind, Reason: reason}
		if turns == tenfold.Omit && asked != nil {
			c.Keeps = &tenfold.Keeps{Entries: asked}
		}
		entries = append(entries, tenfold.Entry{ID: "cmp_" + s.service.newID(), Payload: c})
	}
	cover(l.Turns()-1, nil, tenfold.Omit)
	hidden := true
	for at := step - 1; at >= 0; at-- {
		if is, answered := gone[at]; answered && is != hidden {
			hidden = is
			cover(turn, &at, map[bool]tenfold.Action{true: tenfold.Omit, false: tenfold.Keep}[hidden])
		}
	}
	now := p.Preview(entries...)
	if !s.onlyTakesBack(now, through) {
		return nil
	}
	hide, _ := entries[0].Payload.(tenfold.Compaction)
	hide.TokensBefore, hide.TokensAfter = p.Tokens(), now.Tokens()
	entries[0].Payload = hide
	return entries
}

// summaryReachesPast reports whether an overlay has a summary that tells of something behind an
// entry: hiding that does not make it unsaid.
func (s *Session) summaryReachesPast(o tenfold.Overlay, through int64) bool {
	next := int64(0)
	if o.Compaction.Summary != nil && o.Last > through {
		next = s.nextStoryEntry(max(through, o.First-1))
	}
	return 0 < next && next <= o.Last
}

// nextStoryEntry is the first entry behind another that is part of what was said; 0 for none.
func (s *Session) nextStoryEntry(after int64) int64 {
	for e := range s.log.After(after) {
		k := e.Payload.Kind()
		if e.Branch == "" && (k.Visible() || k == tenfold.KindTurnStart) && !s.projection.Rewound(e.Seq) {
			return e.Seq
		}
	}
	return 0
}

// onlyTakesBack tells whether a view shows all up to an entry as the session's does, and
// nothing behind it.
func (s *Session) onlyTakesBack(now *tenfold.Projection, through int64) bool {
	if now.Note() != s.projection.Note() {
		return false
	}
	for e := range s.log.Entries() {
		if e.Branch != "" || !e.Payload.Kind().Visible() {
			continue
		}
		fate, by, tokens := now.Fate(e.Seq)
		was, whose, before := s.projection.Fate(e.Seq)
		switch {
		case e.Seq > through && !now.Rewound(e.Seq):
			return false // a result of what was called before
		case e.Seq > through, s.projection.Rewound(e.Seq):
			if fate != tenfold.Omitted && fate != tenfold.Summarised {
				return false
			}
		case was != fate || whose != by || before != tokens:
			return false
		}
	}
	return true
}
