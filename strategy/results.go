package strategy

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"tenfold"
	"tenfold/tool"
)

// micro is S-10: results that are neither among the newest nor small become
// "[Previous: used tool]". The overlay names each call, so that moving the
// boundary costs what it clears and shows nothing again.
type micro struct {
	keepRecent   int
	over         tenfold.Size
	clearAtLeast int
	recall       bool
	// exempt are the tools left alone, if they are listed.
	listed bool
	exempt []string
}

func (s micro) Name() string {
	name := fmt.Sprintf("micro:keep_recent=%d,over=%s", s.keepRecent, s.over)
	if s.clearAtLeast > 0 {
		name += fmt.Sprintf(",clear_at_least=%d", s.clearAtLeast)
	}
	if s.listed {
		name += ",exempt=" + strings.Join(s.exempt, "+")
	}
	if s.recall {
		name += ",recall=true"
	}
	return name
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

func (s micro) Propose(_ context.Context, p *tenfold.Projection, o Options) ([]tenfold.Compaction, error) {
	recent := s.recent(p)
	leave := o.sparing(exemptByDefault)
	if s.listed {
		leave.exempt = func(name string) bool { return slices.Contains(s.exempt, name) }
	}
	first, last := p.Log().Extent(o.Range)
	picks := make([]pick, 0, max(last-first, 0)/8)
	cleared := tenfold.CallPolicy{Action: tenfold.Strip, Response: true}
	// An overlay that names a call says all there is to say of it, so
	// arguments that are stripped are said to stay so.
	both := tenfold.CallPolicy{Action: tenfold.Strip, Request: true, Response: true}
	for c := range p.Calls(first, last) {
		shown := c.Response == tenfold.Kept || c.Response == tenfold.Trimmed
		if c.Result == 0 || c.Result >= recent || !shown || p.Log().Size(c.Result) <= s.over || leave.alone(c.Tool) {
			continue
		}
		one := pick{c.Seq, c.Result, &cleared}
		if c.Request == tenfold.Stripped {
			one.policy = &both
		}
		picks = append(picks, one)
	}
	c, ok := selectively(p, o, picks, tenfold.Compaction{Strategy: s.Name(), Source: o.Source}, tenfold.ToolPolicy{Stub: "previous", Recall: s.recall})
	if !ok {
		o.Notef("no result in turns %s is older than the newest %d and larger than %s bytes", o.Range, s.keepRecent, s.over)
		return nil, nil
	}
	if s.clearAtLeast > 0 {
		if gain := p.Tokens() - o.lay(p, c).Tokens(); gain < s.clearAtLeast {
			o.Notef("clearing results would free %d tokens, less than %d", gain, s.clearAtLeast)
			return nil, nil
		}
	}
	return []tenfold.Compaction{c}, nil
}

// recent is the seq from which on results are among the newest that stay.
// What is hidden altogether is no result any more; what became a stub is.
func (s micro) recent(p *tenfold.Projection) int64 {
	l, left := p.Log(), s.keepRecent
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

func (s micro) with(key, value string) (Strategy, error) {
	var err error
	switch key {
	case "keep_recent":
		s.keepRecent, err = parseCount(key, value)
	case "over":
		s.over, err = parseSize(key, value)
	case "clear_at_least":
		s.clearAtLeast, err = parseTokenCount(key, value)
	case "exempt":
		s.listed, s.exempt = true, parseNames(value)
	case "recall":
		s.recall, err = parseBool(key, value)
	default:
		err = errNoParameter(key, "keep_recent", "over", "clear_at_least", "exempt", "recall")
	}
	return s, err
}

// purgeErrors strips the inputs of failed calls once they are some turns old:
// that it failed, and how, stays; what did not work need not be read again.
type purgeErrors struct{ after int }

func (s purgeErrors) Name() string { return fmt.Sprintf("purge-errors:after=%d", s.after) }

func (s purgeErrors) Propose(_ context.Context, p *tenfold.Projection, o Options) ([]tenfold.Compaction, error) {
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
		if turn, _, _ := l.Where(c.Seq); r.Payload.(tenfold.ToolResult).IsError && newest-turn >= s.after {
			picks = append(picks, pick{c.Seq, c.Result, &strip})
		}
	}
	c, ok := selectively(p, o, picks, tenfold.Compaction{Strategy: s.Name(), Source: o.Source}, tenfold.ToolPolicy{})
	if !ok {
		o.Notef("no call in turns %s failed %d turns ago or earlier with input left to strip", o.Range, s.after)
		return nil, nil
	}
	return []tenfold.Compaction{c}, nil
}

func (s purgeErrors) with(key, value string) (Strategy, error) {
	if key != "after" {
		return nil, errNoParameter(key, "after")
	}
	var err error
	s.after, err = parseCount(key, value)
	return s, err
}
