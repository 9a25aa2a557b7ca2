package strategy

import (
	"context"
	"fmt"
	"slices"

	"tenfold"
	"tenfold/tool"
)

// DedupTools omits calls that a later call repeats. That is a call of the same tool
// with equal arguments, or one that reads at least the same lines, with nothing
// between the two that may have changed the answer. The later call stays. It
// proposes nothing where no call is repeated.
//
// Source: the conversation compaction of JP, its RFD 064 (semantics S-3).
type DedupTools struct {
	// Shell includes shell commands that only read.
	Shell bool `param:"shell"`
}

// Name implements [Strategy].
func (s DedupTools) Name() string { return textForm("dedup-tools", s) }

// Propose implements [Strategy] with one selective overlay.
func (s DedupTools) Propose(ctx context.Context, p *tenfold.Projection, o Options) ([]tenfold.Compaction, error) {
	v := readView(p, o)
	if s.Shell {
		for _, u := range v.uses {
			// A setting says no as well as yes, and is heard first.
			if u.tool.Kind == tool.Shell && o.Tools[u.tool.Name].Dedup == nil {
				u.tool.Dedup = tool.DedupUnchanged
			}
		}
	}
	gone := v.repeated()
	for u := range v.contained(func(u *use) bool { return u.tool.Subsumes == tool.SubsumesLines && v.isEligible(u) }, byTool) {
		gone[u] = true
	}
	if err := v.askSubsumers(ctx, o.Subsumer, gone); err != nil {
		return nil, err
	}
	made := v.proposeWishes(s, o, tenfold.ToolPolicy{}, func(u *use) wish { return wish{omit: gone[u]} })
	if made == nil {
		return o.proposeNothing("no call in turns %s is repeated by a later one", o.Range)
	}
	return made, nil
}

// Supersede shortens what later calls made outdated. Those are reads of a file that
// was read again or changed since, and edits of a file that was read in full or
// written anew since. It proposes nothing where there are none.
//
// Source: the strategy "supersede writes" in opencode's Dynamic Context Pruning.
type Supersede struct {
	// Recall ends each stub with a reference that lets a model ask for the
	// original (A9).
	Recall bool `param:"recall"`
}

// Name implements [Strategy].
func (s Supersede) Name() string { return textForm("supersede", s) }

// Propose implements [Strategy] with one selective overlay.
func (s Supersede) Propose(_ context.Context, p *tenfold.Projection, o Options) ([]tenfold.Compaction, error) {
	v := readView(p, o)
	hints := o.Hints
	if hints == nil {
		hints = o.Tools.Hints()
	}
	held, files := v.contained(v.mayTouch, anyTool), v.lastOf()
	made := v.proposeWishes(s, o, tenfold.ToolPolicy{Recall: s.Recall, Primary: tool.Primary(p.ToolNames())}, func(u *use) wish {
		switch {
		case !v.mayTouch(u):
			return wish{}
		case held[u] && u.tool.Kind != tool.Shell:
			return wish{omit: true}
		case held[u], files.outdated(u):
			return v.fitWish(u, wish{response: true}, hints[u.tool.Name])
		case files.written(u):
			return v.fitWish(u, wish{request: true}, hints[u.tool.Name])
		}
		return wish{}
	})
	if made == nil {
		return o.proposeNothing("nothing in turns %s was read again, changed or written anew later", o.Range)
	}
	return made, nil
}

// wish is what is to become of a call: it goes, or sides of it are stripped.
type wish struct{ omit, request, response bool }

// wishes are the policies of calls that are treated alike.
type wishes map[wish]*tenfold.CallPolicy

func (all wishes) policy(w wish) *tenfold.CallPolicy {
	if all[w] == nil {
		all[w] = &tenfold.CallPolicy{Action: tenfold.Strip, Request: w.request, Response: w.response}
		if w.omit {
			all[w] = &tenfold.CallPolicy{Action: tenfold.Omit}
		}
	}
	return all[w]
}

// proposeWishes makes the overlay that does what is wished of each call in the range;
// of the zero wish nothing.
func (v *view) proposeWishes(s Strategy, o Options, policy tenfold.ToolPolicy, wished func(*use) wish) []tenfold.Compaction {
	var picks []pick
	alike := wishes{}
	left := map[*step]int{} // calls that stay
	for _, u := range v.uses {
		if !hidden(v.p, u.seq) && (!v.inRange(u) || !wished(u).omit) {
			left[u.step]++
		}
	}
	for _, u := range v.uses {
		if !v.inRange(u) {
			continue
		}
		w := wished(u)
		if w.omit && left[u.step] == 0 && v.saidIn(u.step) {
			// Words without the calls that they announce teach a model to announce alone
			// (live §6): one call of the step stays, with a stub for its result.
			w = v.fitWish(u, wish{response: true}, tenfold.Hint{})
			left[u.step]++
		}
		if w != (wish{}) {
			picks = append(picks, pick{u.seq, u.result, alike.policy(w)})
		}
	}
	return selectively(s, v.p, o, picks, policy)
}

func (v *view) inRange(u *use) bool { return v.first <= u.seq && u.seq <= v.last }

// saidIn reports whether the view shows what the agent said in a step, before its calls.
func (v *view) saidIn(s *step) bool {
	l := v.p.Log()
	turn, n, _ := l.Where(s.from)
	for seq := s.from - 1; seq > 0; seq-- {
		if t, m, _ := l.Where(seq); t != turn || m != n {
			return false
		}
		e, _ := l.Entry(seq)
		if m, ok := e.Payload.(tenfold.AssistantMessage); ok && v.p.Reads(seq) && !tenfold.Blank(m.Text) && !hidden(v.p, seq) {
			return true
		}
	}
	return false
}

// mayTouch reports whether a call is one to look at: it succeeded, something of it
// is seen, and its tool has no wish to be left alone.
func (v *view) mayTouch(u *use) bool {
	return u.ok && !u.tool.Exempt && !hidden(v.p, u.seq) && !hidden(v.p, u.result)
}

// isEligible reports whether a call is one that S-3 looks at.
func (v *view) isEligible(u *use) bool {
	unchanged := u.tool.Dedup == tool.DedupUnchanged && !u.does.Unknown && len(u.does.Changes) == 0
	return v.mayTouch(u) && (unchanged || u.tool.Dedup == tool.DedupAlways)
}

// fitWish fits a wish to the tool's hint (H1) and to what earlier overlays did:
// the new one wins on the whole call, so that it says again what they
// stripped. The zero wish when nothing is left to do.
func (v *view) fitWish(u *use, w wish, hint tenfold.Hint) wish {
	fates := v.fates(u)
	w.request = w.request && hint.Request != tenfold.Keep && fates[0] != tenfold.Stripped
	w.response = w.response && hint.Response != tenfold.Keep && fates[1] != tenfold.Stripped
	switch {
	case w == wish{}:
		return w
	case w.response && hint.Response == tenfold.Remove:
		return wish{omit: true}
	case fates[1] == tenfold.Trimmed && !w.response, fates[0] == tenfold.Trimmed && !w.request:
		return wish{} // a trim cannot be said beside a strip
	}
	w.request = w.request || fates[0] == tenfold.Stripped
	w.response = w.response || fates[1] == tenfold.Stripped
	return w
}

// same tells calls apart that may be compared: those between which nothing
// changed what they say.
type same struct {
	branch, tool, what string
	since              int64
}

// byTool and anyTool say whether only calls of one tool are compared.
const (
	byTool  = true
	anyTool = false
)

// repeated finds the calls that a later equal one repeats. One map does, since
// equal calls with nothing between them have equal keys.
func (v *view) repeated() map[*use]bool {
	gone := map[*use]bool{}
	type later struct {
		whole int // bytes of the longest answer that is shown whole; -1 for none
		fates map[[2]tenfold.Fate]bool
	}
	seen := map[same]*later{}
	for i := len(v.uses) - 1; i >= 0; i-- {
		u := v.uses[i]
		since, ok := v.changeNumber(u)
		if !ok || !v.isEligible(u) {
			continue
		}
		key := same{u.branch, u.tool.Name, tool.Canonical(u.call.Arguments), since}
		l := seen[key]
		if l == nil {
			l = &later{whole: -1, fates: map[[2]tenfold.Fate]bool{}}
			seen[key] = l
		}
		fates := v.fates(u)
		if l.fates[fates] || u.answeredBy(l.whole) {
			gone[u] = true
		}
		switch whole := v.shownWhole(u); {
		case whole:
			l.whole = max(l.whole, u.size())
		case fates[1] == tenfold.Stripped:
			// Of two stubs alike either says as much.
			l.fates[fates] = true
		}
	}
	return gone
}

// askSubsumers asks tools that know more than the table does (H2) which other calls go.
// Each call is compared with the next of its tool and with the last, so that n
// calls cost at most 2n questions.
func (v *view) askSubsumers(ctx context.Context, s tool.Subsumer, gone map[*use]bool) error {
	if s == nil {
		return nil
	}
	groups := map[same][]*use{}
	var order []same
	for _, u := range v.uses {
		since, ok := v.changeNumber(u)
		if u.tool.Subsumes != tool.SubsumesAsk || u.tool.Exempt || !ok || gone[u] || !v.shownWhole(u) {
			continue
		}
		key := same{branch: u.branch, tool: u.tool.Name, since: since}
		if groups[key] == nil {
			order = append(order, key)
		}
		groups[key] = append(groups[key], u)
	}
	type batch struct {
		uses           []*use
		earlier, later []string
	}
	batches := map[string]*batch{}
	var names []string
	for _, key := range order {
		b := batches[key.tool]
		if b == nil {
			b = &batch{}
			batches[key.tool] = b
			names = append(names, key.tool)
		}
		group := groups[key]
		end := len(group) - 1
		for i, u := range group[:end] {
			if u.seq < v.first || u.seq > v.last {
				continue
			}
			for _, later := range slices.Compact([]int{i + 1, end}) {
				b.uses = append(b.uses, u)
				b.earlier = append(b.earlier, u.call.Arguments)
				b.later = append(b.later, group[later].call.Arguments)
			}
		}
	}
	for _, name := range names {
		b := batches[name]
		if len(b.uses) == 0 {
			continue
		}
		answers, err := s.Subsumes(ctx, name, b.earlier, b.later)
		if err != nil {
			return fmt.Errorf("ask %s which of its calls subsume others: %w", name, err)
		}
		for i, yes := range answers[:min(len(answers), len(b.uses))] {
			if yes {
				gone[b.uses[i]] = true
			}
		}
	}
	return nil
}

// file is a path as calls of one branch name it.
type file struct{ branch, path string }

// lastCalls are the seqs of the last calls that succeeded, by file.
type lastCalls struct{ changed, rewritten, read map[file]int64 }

// lastOf finds when each file was last changed, written anew, and read in full
// with the answer still to be seen.
func (v *view) lastOf() lastCalls {
	l := lastCalls{changed: map[file]int64{}, rewritten: map[file]int64{}, read: map[file]int64{}}
	for _, u := range v.uses {
		if !u.ok {
			continue
		}
		for _, p := range u.does.Changes {
			at := file{u.branch, p}
			l.changed[at] = u.seq
			if u.does.Kind == tool.Writes {
				l.rewritten[at] = u.seq
			}
		}
		if len(u.does.Reads) == 0 || !v.shownWhole(u) || u.mayBePartial() {
			continue
		}
		for _, a := range u.does.Reads {
			if a.Whole() {
				l.read[file{u.branch, a.Path}] = u.seq
			}
		}
	}
	return l
}

// outdated reports whether all files a call read were changed later.
func (l lastCalls) outdated(u *use) bool {
	for _, a := range u.does.Reads {
		if l.changed[file{u.branch, a.Path}] <= u.seq {
			return false
		}
	}
	return len(u.does.Reads) > 0
}

// written reports whether all files a call changed were read in full or
// written anew later.
func (l lastCalls) written(u *use) bool {
	for _, p := range u.does.Changes {
		at := file{u.branch, p}
		if max(l.read[at], l.rewritten[at]) <= u.seq {
			return false
		}
	}
	return len(u.does.Changes) > 0 && !u.does.Unknown
}
