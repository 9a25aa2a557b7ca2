package eval

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"tenfold"
	"tenfold/internal/runes"
	"tenfold/session"
	"tenfold/store/memory"
	"tenfold/tool"
)

// A Found says how often a search of the log finds what a view hides and later work
// uses (live §5): whether it is among the first three findings. What an agent would
// type is not known, so three queries that it could make are asked:
//
//   - Name: the name that is used, of a path its last part.
//   - Around: the rarest other names of the same tool input, at most four: an agent
//     that has forgotten the name itself. Not asked where there are none.
//   - Edit: for an edit whose old text is hidden, the last part of the file's path and
//     the first name of the old text.
//
// A name counts as found where one of the newest six entries of the prefix that hold
// it is found, by itself or as the other half of a call; an old text where a call or
// its result has it contiguous.
type Found struct {
	Name   Share `json:"name"`
	Around Share `json:"around"`
	Edit   Share `json:"edit"`
	// Read is the share of the hidden old texts that the first answers to the
	// three findings of Edit show, of at most 2,000 tokens each.
	Read Share `json:"read"`
}

// firstFindings is how many findings count, and mostAround how many names a query of
// neighbours has.
const (
	firstFindings = 3
	mostAround    = 4
)

// Found measures how often a search finds what a view hides, of what the requests
// within a horizon use.
func (c *Cut) Found(ctx context.Context, v *View, horizon int) (Found, error) {
	var f Found
	st := memory.New()
	defer func() { _ = st.Close() }()
	s, err := session.NewService(st, session.WithCounter(c.log.Counter())).Create(ctx, session.Create{ID: "prefix", Entries: slices.Collect(c.log.Entries())})
	if err != nil {
		return f, err
	}
	shown := c.find(v)
	for i := range c.carried {
		k := &c.carried[i]
		if !k.within(horizon) || shown[i].readable {
			continue
		}
		has := func(seq int64) bool {
			return slices.ContainsFunc(k.found, func(o occurrence) bool { return o.seq == seq })
		}
		f.Name.add(1, c.finds(s, lastPart(c.session.atoms[k.atom]), has))
		if query := c.rarestNamesBeside(k); query != "" {
			f.Around.add(1, c.finds(s, query, has))
		}
	}
	ready := c.readyEdits(v)
	for i, e := range c.edits {
		if !reaches(horizon, e.after) || ready[i] {
			continue
		}
		has := func(seq int64) bool {
			of := c.entry(seq)
			return of != nil && strings.Contains(plain(of.text), e.old)
		}
		query := e.query(c.session)
		f.Edit.add(1, c.finds(s, query, has))
		read := false
		for _, found := range s.Lookup(query, firstFindings) {
			ref, err := session.ParseRef(found.Ref)
			if err != nil {
				return f, err
			}
			passage, err := s.Read(ref, 0)
			if err != nil {
				return f, err
			}
			for _, piece := range passage.Pieces {
				read = read || strings.Contains(plain(piece.Text), e.old)
			}
		}
		f.Read.add(1, read)
	}
	return f, nil
}

// finds reports whether one of the first findings, or the other half of its call, is
// what is looked for.
func (c *Cut) finds(s *session.Session, query string, wanted func(seq int64) bool) bool {
	return slices.ContainsFunc(s.Lookup(query, firstFindings), func(f session.Finding) bool {
		return wanted(f.Seq) || wanted(c.log.Pair(f.Seq))
	})
}

// rarestNamesBeside gives the rarest other names of the tool input that uses an atom.
func (c *Cut) rarestNamesBeside(k *carriedAtom) string {
	s := c.session
	for i := range s.entries {
		e := &s.entries[i]
		if e.request != c.last+k.after || e.kind != tenfold.KindToolCall || !slices.Contains(e.atoms, k.atom) {
			continue
		}
		df := map[int32]int{}
		for _, id := range c.from {
			if id >= 0 {
				for _, a := range s.entries[id].atoms {
					df[a]++
				}
			}
		}
		name := s.atoms[k.atom]
		var others []int32
		for _, a := range e.atoms {
			if other := s.atoms[a]; df[a] > 0 && !strings.Contains(other, name) && !strings.Contains(name, other) {
				others = append(others, a)
			}
		}
		slices.SortStableFunc(others, func(a, b int32) int { return df[a] - df[b] })
		var words []string
		for _, a := range others[:min(len(others), mostAround)] {
			words = append(words, lastPart(s.atoms[a]))
		}
		return strings.Join(words, " ")
	}
	return ""
}

// query is what an agent would type that wants to edit a text it no longer sees.
func (e carriedEdit) query(s *Session) string {
	var words []string
	at, _ := s.log.Entry(e.seq)
	if call, ok := at.Payload.(tenfold.ToolCall); ok {
		known, _ := tool.Lookup(call.Name)
		for _, op := range known.Operations(call.Arguments) {
			words = append(words, lastPart(op.Path))
			break
		}
	}
	name := ""
	for line := range strings.Lines(e.old) {
		eachAtom(line, func(atom string) { name = cmp.Or(name, lastPart(atom)) })
	}
	if name == "" { // what it begins with
		name, _, _ = strings.Cut(strings.TrimSpace(e.old), "\n")
		name = name[:runes.Last(name, 60)]
	}
	return strings.Join(append(words, name), " ")
}

// lastPart is the last part of a path, and any other name itself.
func lastPart(name string) string {
	if name == "" {
		return ""
	}
	return path.Base(strings.ReplaceAll(name, `\`, "/"))
}

// foundTable sums up what a search finds, a line for each policy.
func (r *Result) foundTable() Table {
	t := Table{
		Title: "Found again by a search",
		About: "Of what the requests of the main horizon use and a view hides, over all cuts: among the first three findings for the name (a path's last part); for the rarest " +
			"other names of the same tool input; for an edit's file and the first name of its old text. read: old texts that the first answers to these three show.",
		Columns: []string{"name", "around", "edit", "read"},
	}
	for _, p := range r.Options.Policies {
		var all [4]Share
		asked := false
		for i := range r.Sessions {
			for _, c := range r.Sessions[i].Cells {
				if c.Policy != p.text || c.Found == nil {
					continue
				}
				asked = true
				for j, one := range [...]Share{c.Found.Name, c.Found.Around, c.Found.Edit, c.Found.Read} {
					all[j].Part += one.Part
					all[j].Whole += one.Whole
				}
			}
		}
		row := TableRow{Name: p.text}
		for _, share := range all {
			cell := missing
			if v, ok := share.Value(); ok {
				cell = fmt.Sprintf("%.3f (%.0f/%.0f)", v, share.Part, share.Whole)
			}
			row.Cells = append(row.Cells, cell)
		}
		if asked {
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}
