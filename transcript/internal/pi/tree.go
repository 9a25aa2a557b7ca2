package pi

import (
	"slices"
	"strconv"

	"tenfold"
	"tenfold/transcript/internal/engine"
	"tenfold/transcript/internal/intake"
)

// piNode is a line's place in the tree.
type piNode struct {
	segment    int32
	turn, step int32 // of the place after it; turn is -1 before any
	shown      bool  // it has an entry that a model sees
	user       bool  // that entry is a user's message
	reply      bool  // it is a response
}

// piSegment is a stretch of lines of which each hangs below the one before. A
// line that hangs from elsewhere begins the next one, and a turn of its own.
type piSegment struct {
	base int32 // the node its first line hangs from, -1 for none
	turn int   // its first turn
}

// piRun is the part of a segment that a path goes through: its beginning to
// the node last.
type piRun struct{ segment, last int32 }

// piCompaction is a compaction with the place its range ends on.
type piCompaction struct {
	node       int32
	id         string
	turn, step int // step is -1 for the whole turn
	revocation string
	times      int
}

// less reports whether the compaction covers less than another.
func (c piCompaction) less(o piCompaction) bool {
	if c.turn != o.turn {
		return c.turn < o.turn
	}
	return o.step < 0 && c.step >= 0 || c.step >= 0 && c.step < o.step
}

// attach enters a line into the tree. Where it hangs from another line than
// the last one, the person went back: what came after that line is hidden, and
// what it came from shows again.
func (p *pi) attach(r *Record, id string) {
	parent := p.leaf
	if r.hasParent && r.Typ != "" {
		switch at, ok := p.byID[r.parent]; {
		case r.parent == "":
			parent = -1
		case ok:
			parent = at
		default:
			p.Warn.Add(r.line, "line has a missing parent and was read as a child of the line before it",
				"lines have missing parents and were read as children of the lines before them")
		}
	}
	n := int32(len(p.nodes)) //nolint:gosec // an import has far fewer entries
	if n == 0 || parent != p.leaf {
		if n > 0 {
			p.jump(parent, id)
		}
		first := 0
		if p.Place.Opened {
			first = p.Place.Turn + 1
		}
		p.segments = append(p.segments, piSegment{base: parent, turn: first})
		p.Over = n > 0
	}
	p.nodes = append(p.nodes, piNode{segment: int32(len(p.segments) - 1)}) //nolint:gosec // an import has far fewer entries
	p.records = append(p.records, n)
	p.leaf = n
	if r.id != "" {
		p.byID[r.id] = n
	}
}

// runs gives the path to a node, from the root; false when the tree is so
// tangled that following it would take forever.
func (p *pi) runs(n int32) ([]piRun, bool) {
	var path []piRun
	for n >= 0 {
		if p.walked++; p.walked > intake.WalkLimit {
			return nil, false
		}
		s := p.nodes[n].segment
		path = append(path, piRun{s, n})
		n = p.segments[s].base
	}
	slices.Reverse(path)
	return path, true
}

func (p *pi) warnTreeTooLarge() {
	p.Warn.Add(p.rec.line, "abandoned branch stays visible: the tree is too large to tell what belongs to it",
		"abandoned branches stay visible: the tree is too large to tell what belongs to them")
}

// jump makes the path to the node at all there is to see.
func (p *pi) jump(at int32, id string) {
	old, ok := p.runs(p.leaf)
	path, ok2 := p.runs(at)
	if !ok || !ok2 {
		p.warnTreeTooLarge()
		return
	}
	p.placeCompactions(path, id)
	if !p.Place.Opened {
		return
	}
	i := 0
	for i < len(old) && i < len(path) && old[i] == path[i] {
		i++
	}
	from := p.diverges(old, path, i)
	var shows []tenfold.Compaction
	for k, r := range path[i:] {
		first, last := max(from, p.segments[r.segment].turn), p.nodes[r.last]
		if int(last.turn) < first {
			continue
		}
		next := p.after(r.last)
		if k == 0 && next == nil && first == from && i < len(old) && old[i].segment == r.segment && old[i].last >= r.last {
			from = int(last.turn) + 1 // whole turns that show as they are
			continue
		}
		o := p.rewound(first, int(last.turn), tenfold.Keep)
		if next != nil {
			step := int(last.step)
			if next.step == last.step && p.onlyAsked(r.last) {
				// The range ends inside its turn, which shields the request (P9).
				if int(last.turn) > first {
					shows = append(shows, p.rewound(first, int(last.turn)-1, tenfold.Keep))
				}
				o = p.rewound(int(last.turn), int(last.turn), tenfold.Omit)
				step = 1 << 30
			} else if next.step == last.step {
				p.Warn.Add(p.rec.line, "branch was abandoned within a step; that step stays visible",
					"branches were abandoned within a step; those steps stay visible")
			}
			o.ToStep = &step
		}
		shows = append(shows, o)
	}
	if from > p.Place.Turn {
		return
	}
	p.Warn.Add(p.rec.line, "abandoned branch is hidden",
		"abandoned branches are hidden")
	p.leave(id, p.rewound(from, p.Place.Turn, tenfold.Omit), shows)
}

// leave hides what was left, and shows again what of it the path goes through.
func (p *pi) leave(id string, hide tenfold.Compaction, shows []tenfold.Compaction) {
	if len(shows) > 0 && shows[0].Turns == tenfold.Omit && shows[0].FromTurn == hide.FromTurn {
		// The turn in which the branch was left is shielded in its own range.
		hide.FromTurn++
	}
	if hide.FromTurn <= hide.ToTurn {
		_ = p.Emit(tenfold.Entry{ID: id + "/left", Payload: hide})
	}
	for k, o := range shows {
		_ = p.Emit(tenfold.Entry{ID: id + "/left/" + strconv.Itoa(k), Payload: o})
		if p.walked += len(p.dropped); p.walked > intake.WalkLimit {
			p.warnTreeTooLarge()
			return
		}
		for _, turn := range p.dropped {
			if o.Turns == tenfold.Keep && o.FromTurn <= turn && turn <= o.ToTurn {
				hide := brokenOff(turn)
				_ = p.Emit(tenfold.Entry{ID: id + "/dropped/" + strconv.Itoa(turn), Payload: hide})
			}
		}
	}
}

// drop hides the turn of a response that broke off.
func (p *pi) drop(id string) {
	p.Warn.Add(p.rec.line, "interrupted response is hidden, as pi no longer sends it",
		"interrupted responses are hidden, as pi no longer sends them")
	p.Over = true
	p.dropped = append(p.dropped, p.Place.Turn)
	_ = p.Emit(tenfold.Entry{ID: id + "/dropped", Payload: brokenOff(p.Place.Turn)})
}

func brokenOff(turn int) tenfold.Compaction { return engine.Hidden(turn, turn, "broke off in pi") }

// rewound makes an overlay that hides turns of an abandoned branch, or shows
// those of a path again.
func (p *pi) rewound(from, to int, turns tenfold.Action) tenfold.Compaction {
	return tenfold.Compaction{FromTurn: from, ToTurn: to, Turns: turns, Source: tenfold.SourceImport, Reason: "branch left in pi"}
}

// diverges is the first turn in which two paths differ that share i runs.
func (p *pi) diverges(old, path []piRun, i int) int {
	switch {
	case i < len(old) && i < len(path) && old[i].segment == path[i].segment:
		return max(int(p.nodes[min(old[i].last, path[i].last)].turn), p.segments[old[i].segment].turn)
	case i < len(old) && i < len(path):
		return min(p.segments[old[i].segment].turn, p.segments[path[i].segment].turn)
	case i < len(old):
		return p.segments[old[i].segment].turn
	case i < len(path):
		return p.segments[path[i].segment].turn
	}
	return p.Place.Turn + 1
}

// after is the next visible line in a node's segment and turn; nil when there
// is none.
func (p *pi) after(n int32) *piNode {
	at := p.nodes[n]
	for i := n + 1; int(i) < len(p.nodes); i++ {
		next := &p.nodes[i]
		if p.walked++; p.walked > intake.WalkLimit || next.segment != at.segment || next.turn != at.turn {
			return nil
		}
		if next.shown {
			return next
		}
	}
	return nil
}

// onlyAsked reports whether a node's turn holds nothing up to it but messages
// of users.
func (p *pi) onlyAsked(n int32) bool {
	at := p.nodes[n]
	for i := n; i >= 0; i-- {
		b := p.nodes[i]
		if p.walked++; p.walked > intake.WalkLimit {
			return false
		}
		if b.segment != at.segment || b.turn != at.turn {
			return true
		}
		if b.shown && !b.user {
			return false
		}
	}
	return true
}

// on reports whether a node lies on a path.
func on(path []piRun, n, segment int32) bool {
	return slices.ContainsFunc(path, func(r piRun) bool { return r.segment == segment && n <= r.last })
}

// placeCompactions revokes the compactions that do not lie on a path and gives back
// those that do: pi looks at the last one on it.
func (p *pi) placeCompactions(path []piRun, id string) {
	if p.walked += len(p.compacts) * len(path); p.walked > intake.WalkLimit {
		p.warnTreeTooLarge()
		return
	}
	live := make([]bool, len(p.compacts))
	for i := range p.compacts {
		c := &p.compacts[i]
		if !on(path, c.node, p.nodes[c.node].segment) {
			continue
		}
		live[i] = true
		for k := range i {
			live[k] = live[k] && !c.less(p.compacts[k])
		}
	}
	for i := range p.compacts {
		p.revoke(&p.compacts[i], live[i], id)
	}
}

// revoke takes a compaction back, or gives it back.
func (p *pi) revoke(c *piCompaction, live bool, id string) {
	if live == (c.revocation == "") {
		return
	}
	target := c.id
	if live {
		target = c.revocation
	}
	c.times++
	revocation := id + "/revoked/" + c.id + "/" + strconv.Itoa(c.times)
	if c.revocation = ""; !live {
		c.revocation = revocation
	}
	_ = p.Emit(tenfold.Entry{ID: revocation, Payload: tenfold.CompactionRevoked{Target: target}})
}

// compaction makes an overlay of a compaction: its summary stands for all of
// the path before the first line that was kept. One that Tenfold made hides
// nothing: its overlays are in the store, and its summary is only for a pi that
// no longer has the adapter (C5).
func (p *pi) compaction(r *Record, id string) error {
	if r.ours {
		return p.unknown(r, id)
	}
	w := engine.Finder{Scan: &p.Scan, Raw: r.raw}
	if !w.IsString(r.Summary) {
		p.Warn.Add(r.line, "compaction came without a summary: nothing is hidden", "compactions came without a summary: nothing is hidden")
		return p.unknown(r, id)
	}
	text := CompactionSummary(w.Text(r.Summary))
	if !p.Place.Opened {
		// What it stands for is in no line before; the model saw the text.
		p.Warn.Add(r.line, "compaction covers an earlier file: its summary is kept as a message", "compactions cover an earlier file: their summaries are kept as messages")
		return p.showSynthetic(r, id, tenfold.Request, tenfold.Text(text), w.Cuts)
	}
	c := piCompaction{node: p.leaf, id: id, turn: p.Place.Turn, step: -1}
	if kept := p.firstKept(r); kept != nil {
		switch {
		case kept.step > 0:
			c.turn, c.step = int(kept.turn), int(kept.step)-1
		case kept.turn > 0:
			c.turn = int(kept.turn) - 1
		default:
			p.Warn.Add(r.line, "compaction kept all there was: nothing is hidden", "compactions kept all there was: nothing is hidden")
			return p.unknown(r, id)
		}
	} else {
		p.Over = true
	}
	for i := range p.compacts {
		if old := &p.compacts[i]; old.revocation == "" && c.less(*old) {
			p.revoke(old, false, id)
		}
	}
	o := engine.Summarised(c.turn, "compacted in pi", text)
	o.TokensBefore = r.tokens
	if c.step >= 0 {
		o.ToStep = &c.step
	}
	p.compacts = append(p.compacts, c)
	_ = p.Emit(tenfold.Entry{ID: id, Source: w.Done(), Payload: o})
	r.Msg.model = p.model
	return p.usage(&r.Msg, id)
}

// firstKept is the first visible line of the path that a compaction kept; nil
// when it kept none.
func (p *pi) firstKept(r *Record) *piNode {
	kept := int32(-1)
	if at, ok := p.byID[r.firstKept]; ok && r.firstKept != "" {
		kept = at
	} else if i := p.Scan.Number(r.FirstIndex); r.FirstIndex.Found() && i < len(p.records) {
		kept = p.records[i]
	}
	path, ok := p.runs(p.leaf)
	if kept < 0 || !ok {
		return nil
	}
	found := false
	for _, run := range path {
		if !found && run.segment != p.nodes[kept].segment {
			continue
		}
		from := kept
		if found {
			from = 0
		}
		found = true
		for n := from; n <= run.last; n++ {
			if p.walked++; p.walked > 10*intake.WalkLimit {
				return nil
			}
			if p.nodes[n].segment == run.segment && p.nodes[n].shown {
				return &p.nodes[n]
			}
		}
	}
	return nil
}
