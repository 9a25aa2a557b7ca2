package strategy

import (
	"context"
	"slices"

	"tenfold"
	"tenfold/tool"
)

// Micro makes "[Previous: used tool]" of results that are neither among the
// newest nor small (semantics S-10). The overlay names each call, so that moving
// the boundary costs what it clears and shows nothing again. It proposes nothing
// where no result is old and large enough.
type Micro struct {
	// KeepRecent is how many of the newest results stay; 0 is 10, and below 0
	// none do.
	KeepRecent int
	// Over leaves what is no larger as it is; 0 is 800 bytes, and below 0 none
	// is.
	Over tenfold.Size
	// ClearAtLeast is how many tokens must come free for anything to be done.
	ClearAtLeast int
	// Exempt are the tools left alone; nil is those that hold state or
	// instructions rather than information.
	Exempt []string
	// Recall ends each stub with a reference by which a model can ask for what
	// it stands for (A9).
	Recall bool
}

// Name implements [Strategy].
func (s Micro) Name() string { return written("micro", s.parameters()) }

func (s *Micro) parameters() []parameter {
	return []parameter{
		count("keep_recent", &s.KeepRecent, 10), size("over", &s.Over, 800), tokens("clear_at_least", &s.ClearAtLeast, 0),
		toolNames("exempt", &s.Exempt), flag("recall", &s.Recall),
	}
}

// spared remembers which tools' calls are left alone.
type spared struct {
	o Options
	// exempt answers for tools of which the configuration says nothing.
	exempt func(name string) bool
	known  map[string]bool
	// last is the name asked for last, if asked, and yes the answer.
	last       string
	asked, yes bool
}

// alone reports whether results of a tool stay as they are: they are state or
// instructions rather than information, or the tool wishes so (P5, H1).
func (s *spared) alone(name string) bool {
	if s.asked && name == s.last {
		return s.yes
	}
	yes, ok := s.known[name]
	if !ok {
		yes = s.ask(name)
		s.known[name] = yes
	}
	s.last, s.asked, s.yes = name, true, yes
	return yes
}

func (s *spared) ask(name string) bool {
	var yes bool
	if set := s.o.Tools[name].Exempt; set != nil {
		yes = *set
	} else {
		yes = s.exempt(name)
	}
	return yes || s.o.Hints[name].Response == tenfold.Keep
}

// exemptByDefault knows the tools of the table, and by name those that carry
// skills, tasks, todos, questions and their answers elsewhere (S-10).
func exemptByDefault(name string) bool {
	switch name {
	case "skill", "task", "todo_write", "todo_read", "ask", "ask_user", "LoadSkill", "Task", "TodoWrite", "TodoRead", "Ask":
		return true
	}
	return tool.Settings(nil).Tool(name).Exempt
}

func (o Options) sparing(exempt func(string) bool) *spared {
	return &spared{o: o, exempt: exempt, known: map[string]bool{}}
}

// Propose implements [Strategy].
func (s Micro) Propose(_ context.Context, p *tenfold.Projection, o Options) ([]tenfold.Compaction, error) {
	keep, over := number(s.KeepRecent, 10), number(s.Over, 800)
	recent := newestResults(p, keep)
	leave := o.sparing(exemptByDefault)
	if s.Exempt != nil {
		leave.exempt = func(name string) bool { return slices.Contains(s.Exempt, name) }
	}
	first, last := p.Log().Extent(o.Range)
	picks := make([]pick, 0, max(last-first, 0)/8)
	cleared := tenfold.CallPolicy{Action: tenfold.Strip, Response: true}
	// An overlay that names a call says all there is to say of it, so
	// arguments that are stripped are said to stay so.
	both := tenfold.CallPolicy{Action: tenfold.Strip, Request: true, Response: true}
	for c := range p.Calls(first, last) {
		shown := c.Response == tenfold.Kept || c.Response == tenfold.Trimmed
		if c.Result == 0 || c.Result >= recent || !shown || p.Log().Size(c.Result) <= over || leave.alone(c.Tool) {
			continue
		}
		one := pick{c.Seq, c.Result, &cleared}
		if c.Request == tenfold.Stripped {
			one.policy = &both
		}
		picks = append(picks, one)
	}
	c, ok := selectively(p, o, picks, tenfold.Compaction{Strategy: s.Name(), Source: o.Source}, tenfold.ToolPolicy{Stub: "previous", Recall: s.Recall})
	if !ok {
		o.Notef("no result in turns %s is older than the newest %d and larger than %s bytes", o.Range, keep, over)
		return nil, nil
	}
	if s.ClearAtLeast > 0 {
		if gain := p.Tokens() - o.lay(p, c).Tokens(); gain < s.ClearAtLeast {
			o.Notef("clearing results would free %d tokens, less than %d", gain, s.ClearAtLeast)
			return nil, nil
		}
	}
	return []tenfold.Compaction{c}, nil
}

// newestResults is the seq from which on results are among the newest that
// stay. What is hidden altogether is no result any more; what became a stub is.
func newestResults(p *tenfold.Projection, keep int) int64 {
	l, left := p.Log(), keep
	seq := p.Version() + 1
	for seq > 1 && left > 0 {
		seq--
		if l.Pair(seq) > 0 && l.Pair(seq) < seq && p.Reads(seq) && !hidden(p, seq) {
			left--
		}
	}
	if left > 0 {
		return 0
	}
	return seq
}

// PurgeErrors strips the inputs of failed calls once they are some turns old:
// that it failed, and how, stays; what did not work need not be read again. It
// proposes nothing where no such call has input left.
type PurgeErrors struct {
	// After is how many turns ago a call failed at the least; 0 is 4, and below
	// 0 each counts.
	After int
}

// Name implements [Strategy].
func (s PurgeErrors) Name() string { return written("purge-errors", s.parameters()) }

func (s *PurgeErrors) parameters() []parameter { return []parameter{count("after", &s.After, 4)} }

// Propose implements [Strategy].
func (s PurgeErrors) Propose(_ context.Context, p *tenfold.Projection, o Options) ([]tenfold.Compaction, error) {
	after := number(s.After, 4)
	l := p.Log()
	newest := l.Turns() - 1
	var picks []pick
	strip := tenfold.CallPolicy{Action: tenfold.Strip, Request: true}
	for c := range callsIn(p, o.Range) {
		// A policy for a single call says all there is to say of both sides,
		// so that a touched call is left as somebody else asked.
		if c.Result == 0 || c.Request != tenfold.Kept || c.Response != tenfold.Kept {
			continue
		}
		r, _ := l.Entry(c.Result)
		if turn, _, _ := l.Where(c.Seq); r.Payload.(tenfold.ToolResult).IsError && newest-turn >= after {
			picks = append(picks, pick{c.Seq, c.Result, &strip})
		}
	}
	c, ok := selectively(p, o, picks, tenfold.Compaction{Strategy: s.Name(), Source: o.Source}, tenfold.ToolPolicy{})
	if !ok {
		o.Notef("no call in turns %s failed %d turns ago or earlier with input left to strip", o.Range, after)
		return nil, nil
	}
	return []tenfold.Compaction{c}, nil
}
