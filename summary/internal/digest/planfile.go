package digest

import (
	"strings"

	"tenfold"
	"tenfold/atom"
	"tenfold/tool"
)

// planFile is the plan file that was read or written last. It counts as a plan
// while it is worked on.
type planFile struct {
	path         string
	turn, spoken int
	// text is what is in it, as far as calls showed it.
	text string
}

// recentRequests is after how many requests without a look at it a plan file is
// no longer worked on.
const recentRequests = 3

// readPlan takes in what a call that went well shows of a plan file.
func (l *Ledger) readPlan(c *call, f tool.FileOperation, r tenfold.ToolResult) {
	if !tool.IsPlanFile(f.Path) || f.Op == tool.FileDeleted {
		if f.Path == l.planFile.path {
			l.planFile = planFile{}
		}
		return
	}
	p := &l.planFile
	if f.Path != p.path {
		*p = planFile{path: f.Path}
	}
	p.turn, p.spoken = c.turn, l.spoken
	if f.Op == tool.FileRead {
		var text strings.Builder
		for line := range strings.Lines(tool.Output(r)) {
			text.WriteString(line[atom.Gutter(line):])
		}
		if len(tool.Checklist(text.String())) >= len(tool.Checklist(p.text)) { // not a part of it
			p.text = text.String()
		}
		return
	}
	for _, piece := range c.pieces() {
		switch {
		case piece.Path != f.Path && !strings.HasSuffix(f.Path, "/"+piece.Path):
		case piece.Old != "":
			p.text = strings.Replace(p.text, piece.Old, piece.New, 1)
		default:
			p.text = piece.New
		}
	}
}

// planFileItem tells the items of the plan file that is worked on, or where it is.
func (l *Ledger) planFileItem(s *items) {
	p := l.planFile
	if p.path == "" || l.spoken-p.spoken > recentRequests {
		return
	}
	where, when := l.planTime(p.turn, p.spoken)
	if all := tool.Checklist(p.text); len(all) > 0 {
		s.add(inNow, rankState, atPlan, "- plan file %s of %s%s", code(p.path, 2*lineLength), where, steps(all, when))
	} else {
		s.add(inNow, rankState, atPlan, "- plan file %s, seen in %s\n", code(p.path, 2*lineLength), where)
	}
}
