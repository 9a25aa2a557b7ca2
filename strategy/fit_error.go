package strategy

import (
	"slices"
	"strings"

	"tenfold"
	"tenfold/atom"
	"tenfold/cause"
	"tenfold/internal/commandline"
	"tenfold/tool"
)

// keepError keeps the last failure, unless it was made good: a later call of
// the tool on the same thing succeeded. What failed before it is history, and so is
// a look that failed many calls ago, or a script that nobody ran again. Of a long one it stays that it failed, with what
// its stub says.
func (f *fitting) keepError(calls []toolCall) {
	var made []tenfold.ToolCall
	for i, c := range slices.Backward(calls) {
		r, _ := f.p.Log().Entry(c.result)
		result, ok := r.Payload.(tenfold.ToolResult)
		if !ok || tool.Underway(result) {
			continue // nobody knows yet
		}
		if !tool.Failed(c.call.Name, c.call.Arguments, result) && (len(calls)-1-i > callPatience || !looksFailed(c.call, result)) {
			made = append(made, c.call)
			continue
		}
		text := tenfold.TextLines(result)
		if tool.Refused(text) {
			continue // a person's word, and no error
		}
		failed := targetOf(c.call)
		failed.misused, failed.notFound = failed.run.Words != nil && cause.Misuse(text), tool.NotFound(text)
		if t, _ := tool.Lookup(c.call.Name); len(calls)-1-i > lookPatience {
			if did := t.Call(c.call.Arguments); failed.misused || !did.Unknown && len(did.Changes) == 0 {
				continue // the work went on without what it looked at
			}
			if len(calls)-1-i > callPatience && c.seq < f.request && !tellsOfTests(text) {
				continue
			}
		}
		if !failed.isMended(c.call.Name, made) {
			st := stance{what: StandsError, whole: r.Tokens <= min(openError, f.limit/errorPart), lines: firstAndLastLines(r.Payload)}
			if st.whole {
				if lines := besidePassed(text); lines != nil {
					st.whole, st.lines = false, lines
				}
			}
			f.keepCall(c.seq, st)
		}
		return
	}
}

// passedPart is the part of the lines of a result, as one in so many, from which on those of
// tests that passed do not stay.
const passedPart = 4

// besidePassed are the lines beside those that name a test that passed, nil where few do: of
// a run with one failure they say nothing of what is to be mended.
func besidePassed(text string) (lines []tenfold.LineRange) {
	number, passed := 0, 0
	for line := range strings.Lines(text) {
		number++
		if bare := atom.Clean(line); strings.HasPrefix(bare, "✔ ") || strings.HasPrefix(bare, "✓ ") || cause.IsProgress(bare) {
			passed++
			continue
		}
		lines = union(lines, []tenfold.LineRange{{First: number, Last: number}})
	}
	if passed*passedPart < number {
		return nil
	}
	return lines
}

// looksFailed reports whether a command that does more than look, of which the host did not
// say how it ended, failed by what it printed.
func looksFailed(c tenfold.ToolCall, r tenfold.ToolResult) bool {
	t, _ := tool.Lookup(c.Name)
	return t.Kind == tool.Shell && r.Ended() == "" && t.Call(c.Arguments).Unknown && cause.EndsRed(tool.Output(r))
}

func tellsOfTests(output string) bool {
	for line := range strings.Lines(output) {
		if line = atom.Clean(line); cause.Proves(line) == cause.Test || cause.SumsUp(line) {
			return true
		}
	}
	return false
}

// A target is what a call is about: its file or its command, else all it says.
type target struct {
	name      string
	run       commandline.Run
	arguments string // of a call of neither
	misused   bool   // the command was called in a way it does not know
	notFound  bool   // what the call named is not there
}

func targetOf(c tenfold.ToolCall) target {
	t, _ := tool.Lookup(c.Name)
	if command, _ := t.Command(c.Arguments); command != "" {
		key := commandline.Key(command)
		return target{name: key, run: commandline.RunOf(key)}
	}
	if ops := t.Operations(c.Arguments); len(ops) > 0 {
		return target{name: ops[0].Path}
	}
	return target{name: c.Arguments, arguments: c.Arguments}
}

// isMended reports whether one of the calls of a tool that went well later, the newest first,
// made good what failed. Only the next ones may have put it right: each is read for that.
func (t target) isMended(name string, later []tenfold.ToolCall) bool {
	for n, c := range later {
		if c.Name != name {
			continue
		}
		if is := targetOf(c); t.madeGood(is) || len(later)-n <= callPatience && t.putRight(is) {
			return true
		}
	}
	return false
}

// madeGood reports whether a later success is of the same thing.
func (t target) madeGood(by target) bool {
	return t.name == by.name || t.run.TriedAgain(by.run) || t.misused && t.run.SameUse(by.run)
}

// putRight reports whether a success says the same in another form, or all but what was wrong.
func (t target) putRight(by target) bool {
	return t.arguments != "" && (tool.Canonical(t.arguments) == tool.Canonical(by.arguments) || tool.Amends(t.arguments, by.arguments) || tool.Retypes(t.arguments, by.arguments, t.notFound))
}
