package digest

import (
	"cmp"
	"maps"
	"slices"

	"tenfold/cause"
	"tenfold/tool"
)

// failure is a call that failed, and was not put right.
type failure struct {
	turn  int
	order int // the entry it came with
	// call and spoken are how many calls and requests there had been by then.
	call, spoken int
	// times is how often it failed in a row.
	times int
	// what is the call as it is shown.
	what    string
	command *command
	// name and arguments are those of a call of neither a command nor files.
	name, arguments string
	// checks are those of the command of which no later run has passed.
	checks []verdict
	looks  bool
	// red is set where only the output told of it.
	red bool
	// tests are those that failed, as program tells; none where those may be some.
	program string
	tests   []string
	// misused is set where the command was called in a way it does not know, notFound where
	// what another call named is not there.
	misused, notFound bool
	// words say how it ended, text is the output.
	words, text string
}

// failureKey is what a failure of the call is noted under, and what must
// succeed to close it: the same command, a change of the same path, a read of
// it, or a call of the same tool with the same arguments.
func (c *call) failureKey() string {
	switch {
	case c.command != nil:
		return c.command.key
	case len(c.files) > 0:
		return fileKey(c.files[0])
	}
	return "tool\x00" + c.name + "\x00" + tool.Canonical(c.arguments)
}

func fileKey(f tool.FileOperation) string {
	if f.Op == tool.FileRead {
		return "read\x00" + f.Path
	}
	return "change\x00" + f.Path
}

// addFailure notes that a call failed. A check that failed before, of what this one
// looks at too, is told by this one.
func (l *Ledger) addFailure(c *call, r result) {
	f := &failure{turn: c.turn, order: l.entries, call: l.calls, spoken: l.spoken, times: 1, command: c.command, words: r.quoted(), text: r.text, red: r.red}
	switch {
	case c.command != nil:
		f.what, f.looks, f.checks = code(c.command.text, lineLength), c.command.readsOnly(), slices.Clone(c.command.checks)
		f.program, f.tests = failedTests(r.text)
		if f.misused = cause.Misuse(r.text); hidesResult(c.command.text) {
			f.tests = nil // there may be more
		} else if at := slices.IndexFunc(f.checks, verdict.runsTests); f.program != "" && at > 0 {
			f.checks = f.checks[at:] // those before it passed
		}
	case len(c.files) > 0:
		f.what = code(c.name, lineLength) + " " + code(c.files[0].Path, 2*lineLength)
		f.looks = c.files[0].Op == tool.FileRead
	default:
		f.what, f.name, f.arguments, f.notFound = c.quoted(), c.name, c.arguments, tool.NotFound(r.text)
		f.looks = c.known.Kind == tool.Searches || c.known.Kind == tool.Lists || c.known.Kind == tool.Fetches
	}
	key := c.failureKey()
	if have := l.failures[key]; have != nil {
		f.times += have.times
	}
	l.closeChecks(c.command, func(f *failure) bool {
		was, is := f.command.check, c.command.check
		return is.covers(*was) || was.some == "" && is.some == "" && was.covers(*is)
	})
	l.failures[key] = f
	delete(l.unfollowed, key)
	if len(l.failures) > mostFailures {
		oldest := key
		for k, one := range l.failures {
			if one.order < l.failures[oldest].order {
				oldest = k
			}
		}
		delete(l.failures, oldest)
		l.unfollowed[oldest] = true
	}
}

// closeFailures closes what the success of a call closes. A change of a path closes
// a read of it that failed too: the file is there now. A run that is not known
// to have passed, but shows no failure, closes what only an output told of.
func (l *Ledger) closeFailures(c *call, r result) {
	if len(l.failures) == 0 && len(l.unfollowed) == 0 {
		return
	}
	key := c.failureKey()
	if !r.unsure || l.failures[key] != nil && l.failures[key].red {
		delete(l.failures, key)
	}
	if !r.unsure {
		delete(l.unfollowed, key)
	}
	for _, op := range c.files {
		delete(l.failures, fileKey(op))
		if op.Op != tool.FileRead {
			delete(l.failures, "read\x00"+op.Path)
		}
	}
	l.closeChecks(c.command, func(f *failure) bool {
		if r.unsure && !f.red {
			return false
		}
		f.checks = slices.DeleteFunc(f.checks, func(was verdict) bool {
			return slices.ContainsFunc(c.command.checks, func(is verdict) bool { return is.covers(was) || f.fixedBy(was, is) && !ranNone(r.text) })
		})
		return len(f.checks) == 0
	})
	if !r.unsure {
		maps.DeleteFunc(l.failures, func(_ string, f *failure) bool { return f.putRight(c) })
	}
}

// putRight reports whether the success of a call is of the same thing in another form: of a
// command with other flags or from elsewhere, of a tool with an argument mended.
func (f *failure) putRight(c *call) bool {
	switch {
	case c.command == nil:
		return len(c.files) == 0 && f.name == c.name && (tool.Amends(f.arguments, c.arguments) || tool.Retypes(f.arguments, c.arguments, f.notFound))
	case f.command == nil || len(c.command.alike.Words) == 0:
		return false
	}
	again := f.misused && f.command.alike.SameUse(c.command.alike) || f.command.check == nil && f.command.alike.TriedAgain(c.command.alike)
	return again && sameDir(f.command.dir, c.command.dir)
}

// fixedBy reports whether a check that passed ran all tests again that were seen to
// fail in another, or all tests by the program that told so.
func (f *failure) fixedBy(was, is verdict) bool {
	if !was.runsTests() || !is.runsTests() || f.program != is.name || !sameDir(was.dir, is.dir) {
		return false
	}
	if is.some == "" {
		return is.isComplete() && was.name != is.name
	}
	return len(f.tests) > 0 && len(f.tests) < mostNames && !slices.ContainsFunc(f.tests, func(name string) bool { return !is.selects(name) })
}

// closeChecks closes the failures of checks that a run of a command has
// overtaken.
func (l *Ledger) closeChecks(cmd *command, overtaken func(*failure) bool) {
	if cmd == nil || cmd.check == nil {
		return
	}
	maps.DeleteFunc(l.failures, func(_ string, f *failure) bool {
		return f.command != nil && f.command.check != nil && overtaken(f)
	})
}

// mostFailures is how many failures are open at most: each run is compared with all of them.
const mostFailures = 256

// How many calls and requests may follow a failure before it counts as left
// behind: of a look at something, of other calls. A check can always be run
// again, and stays.
const (
	lookPatience, callPatience = 10, 30
	lookSpoken, callSpoken     = 1, 2
)

// repeatable reports whether a check failed that can be run again at any time. Tests
// that were chosen by name are not: they may be gone.
func (f *failure) repeatable() bool {
	return f.command != nil && f.command.check != nil && f.command.check.some == "" && !f.command.once && !f.misused
}

// abandoned reports whether the work has gone on without a call that failed: a
// command that nobody will run again is not open for ever.
func (l *Ledger) abandoned(f *failure) bool {
	switch {
	case f.repeatable():
		// What it looked at may be gone.
		return len(f.command.check.over) > 0 && slices.ContainsFunc(f.command.check.absoluteScope(), l.isDeleted)
	case f.looks || f.misused:
		return l.calls-f.call > lookPatience || l.spoken-f.spoken > lookSpoken
	}
	return l.calls-f.call > callPatience || l.spoken-f.spoken > callSpoken
}

// forgetAbandoned forgets failures that stay left behind, so that no later call is compared
// with them.
func (l *Ledger) forgetAbandoned() {
	maps.DeleteFunc(l.failures, func(_ string, f *failure) bool { return !f.repeatable() && l.abandoned(f) })
}

// isDeleted reports whether a file was deleted.
func (l *Ledger) isDeleted(p string) bool {
	f := l.files[l.where.key(tool.CleanPath(p))]
	return f != nil && f.last == tool.FileDeleted
}

// openFailures gives what is open, the newest first.
func (l *Ledger) openFailures() []*failure {
	all := slices.DeleteFunc(slices.Collect(maps.Values(l.failures)), l.abandoned)
	slices.SortFunc(all, func(a, b *failure) int { return cmp.Or(cmp.Compare(b.order, a.order), cmp.Compare(a.what, b.what)) })
	return all
}
