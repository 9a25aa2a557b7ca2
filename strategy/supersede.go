package strategy

import (
	"context"

	"tenfold"
	"tenfold/tool"
)

// Supersede shortens what a later call left behind: reads of a file that was
// read again or changed, and what was written into a file that was read in full
// or written anew since. It proposes nothing where there is no such call.
type Supersede struct {
	// Recall ends each stub with a reference by which a model can ask for what
	// it stands for (A9).
	Recall bool
}

// Name implements [Strategy].
func (s Supersede) Name() string { return written("supersede", s.parameters()) }

func (s *Supersede) parameters() []parameter { return []parameter{flag("recall", &s.Recall)} }

// Propose implements [Strategy] with one selective overlay.
func (s Supersede) Propose(_ context.Context, p *tenfold.Projection, o Options) ([]tenfold.Compaction, error) {
	v := look(p, o.Tools)
	hints := o.Hints
	if hints == nil {
		hints = o.Tools.Hints()
	}
	held := v.contained(v.mayShorten, anyTool)
	files := v.lastOf()
	first, last := p.Log().Extent(o.Range)
	var picks []pick
	alike := map[want]*tenfold.CallPolicy{}
	for _, u := range v.uses {
		if u.seq < first || u.seq > last || !v.mayShorten(u) {
			continue
		}
		var w want
		switch {
		case held[u] && u.tool.Kind != tool.Shell:
			w.omit = true
		case held[u], files.outdated(u):
			w.response = true
		case files.written(u):
			w.request = true
		}
		if w, ok := v.onTop(u, w, hints[u.tool.Name]); ok {
			if alike[w] == nil {
				alike[w] = w.policy()
			}
			picks = append(picks, pick{u.seq, u.result, alike[w]})
		}
	}
	c, ok := selectively(p, o, picks, tenfold.Compaction{Strategy: s.Name(), Source: o.Source}, tenfold.ToolPolicy{Recall: s.Recall})
	if !ok {
		o.Notef("nothing in turns %s was read again, changed or written anew later", o.Range)
		return nil, nil
	}
	return []tenfold.Compaction{c}, nil
}

// mayShorten reports whether a call is one to look at: it succeeded, something
// of it is seen, and its tool may be touched.
func (v *view) mayShorten(u *use) bool {
	return u.ok && !u.tool.Exempt && !hidden(v.p, u.seq) && !hidden(v.p, u.result)
}

// want is what is to become of a call: it goes, or sides of it are stripped.
type want struct{ omit, request, response bool }

func (w want) policy() *tenfold.CallPolicy {
	if w.omit {
		return &tenfold.CallPolicy{Action: tenfold.Omit}
	}
	return &tenfold.CallPolicy{Action: tenfold.Strip, Request: w.request, Response: w.response}
}

// onTop fits a wish to the tool's hint (H1) and to what earlier overlays did:
// the new one wins on the whole call, so that it says again what they
// stripped. False when nothing is left to do.
func (v *view) onTop(u *use, w want, hint tenfold.Hint) (want, bool) {
	if w.omit {
		return w, true
	}
	fates := v.fates(u)
	w.request = w.request && hint.Request != tenfold.Keep && fates[0] != tenfold.Stripped
	w.response = w.response && hint.Response != tenfold.Keep && fates[1] != tenfold.Stripped
	if !w.request && !w.response {
		return w, false
	}
	if w.response && hint.Response == tenfold.Remove {
		return want{omit: true}, true
	}
	if fates[1] == tenfold.Trimmed && !w.response || fates[0] == tenfold.Trimmed && !w.request {
		return w, false // a trim cannot be said beside a strip
	}
	w.request = w.request || fates[0] == tenfold.Stripped
	w.response = w.response || fates[1] == tenfold.Stripped
	return w, true
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
		if len(u.does.Reads) == 0 || !v.shownWhole(u) || u.cut() {
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
