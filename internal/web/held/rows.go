package held

import (
	"cmp"
	"unicode/utf8"

	"tenfold"
	"tenfold/internal/web/look"
	"tenfold/internal/web/shape"
	"tenfold/token"
	"tenfold/tool"
)

// View is the projection whose readers have the entries of a branch: fates are
// theirs. It stays current with the log.
func (o *Conversation) View(branch string) *tenfold.Projection {
	root := o.Session.Projection()
	if branch == "" {
		return root
	}
	if o.views == nil {
		o.views = map[string]*tenfold.Projection{}
	}
	p := o.views[branch]
	if p == nil {
		p = tenfold.ProjectBranch(root.Log(), branch)
		o.views[branch] = p
	}
	p.Advance()
	return p
}

// Figures is how the provider counts, by what the log says (T3).
func (o *Conversation) Figures() token.Scale { return o.calibration.Scale(o.Session.Log()) }

// RowOf describes an entry in a line.
func (o *Conversation) RowOf(e tenfold.Entry, scale token.Scale) shape.Row {
	l, view := o.Session.Log(), o.View(e.Branch)
	turn, step, _ := l.Where(e.Seq)
	fate, by, after := view.Fate(e.Seq)
	text := look.Text(e.Payload)
	r := shape.Row{
		Seq: e.Seq, ID: e.ID, Kind: string(e.Payload.Kind()), Turn: turn, Step: step, Branch: e.Branch, At: e.Time.UTC(),
		Label: look.Label(l, e), Text: look.Line(text, look.LineLength), Length: utf8.RuneCountInString(text),
		Fate: fate.String(), By: by, Why: view.Why(e.Seq).String(), Before: scale.Tokens(e.Tokens), After: scale.Tokens(after),
		Pair: l.Pair(e.Seq), Pinned: view.Pinned(e.Seq),
	}
	switch p := e.Payload.(type) {
	case tenfold.ToolCall:
		r.Tool = p.Name
		if answer, ok := l.Entry(r.Pair); ok {
			r.Outcome = outcomeOf(p.Name, answer)
		}
	case tenfold.ToolResult:
		c, _ := l.CallOf(e.Seq)
		r.Tool, r.Outcome = c.Name, outcomeOf(c.Name, e)
	}
	return r
}

// outcomeOf is how a call ended (L12), as "conversation show" counts it.
func outcomeOf(name string, e tenfold.Entry) string {
	r, ok := e.Payload.(tenfold.ToolResult)
	if !ok {
		return ""
	}
	return cmp.Or(string(tool.OutcomeOf(name, r)), "unknown")
}

// Rows are those from a seq on, at most so many.
func (o *Conversation) Rows(from int64, limit int) []shape.Row {
	scale := o.Figures()
	all := make([]shape.Row, 0, limit)
	for e := range o.Session.Log().After(max(from, 1) - 1) {
		if len(all) == limit {
			break
		}
		all = append(all, o.RowOf(e, scale))
	}
	return all
}
