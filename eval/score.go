package eval

import (
	"slices"
	"strings"

	"tenfold"
	"tenfold/body"
)

// A Share is a part of a whole, neither below 0 nor above 1. The zero Share is
// of nothing, and has no value.
type Share struct{ Part, Whole float64 }

// Value is the share as a number; false where there is nothing to have a share
// of.
func (s Share) Value() (float64, bool) {
	if s.Whole <= 0 {
		return 0, false
	}
	return s.Part / s.Whole, true
}

func (s *Share) add(weight float64, in bool) {
	s.Whole += weight
	if in {
		s.Part += weight
	}
}

// A Recall is how much of what is carried over a cut, within one horizon, a
// view still shows.
type Recall struct {
	// Horizon is in requests; [All] for all that follow.
	Horizon int `json:"horizon"`
	// Carried is how many atoms are carried.
	Carried int `json:"carried"`
	// Presence, CUR and Strict are shares of the weight of the carried atoms,
	// ResultOnly is CUR of those that only results held.
	Presence   Share `json:"presence"`
	CUR        Share `json:"cur"`
	Strict     Share `json:"cur_strict"`
	ResultOnly Share `json:"cur_result_only"`
	// EDR, edit-ready recall, is a share of Edits, those whose old text is
	// carried.
	Edits int   `json:"edits"`
	EDR   Share `json:"edr"`
}

// A Score is what is measured of one view.
type Score struct {
	// Kept is the view's tokens over the prefix's. Stubs and marks can make it
	// more than 1.
	Kept Share `json:"kept"`
	// Recalls has an item for each horizon asked for.
	Recalls []Recall `json:"recall"`
	// Runs is the median run of kept lines, over 1; Marks, Density, User, Trail
	// and Stale are shares, all as the package comment says.
	Runs    Share `json:"run"`
	Marks   Share `json:"marks"`
	Density Share `json:"density"`
	User    Share `json:"user_verbatim"`
	Trail   Share `json:"artifact_trail"`
	Stale   Share `json:"stale"`
	// Violations is how much providers find wrong with the view.
	Violations Checked `json:"violations"`
	// Problem is the first violation, in words.
	Problem string `json:"problem,omitzero"`
	// Lost are the carried atoms that stand in no readable line, in the order
	// in which they are used.
	Lost []Lost `json:"lost,omitzero"`
}

// Checked is how many violations there are; -1 where nobody looked, or where
// what was measured cannot be sent.
type Checked int

// A Lost atom is one that a request uses and the view does not show as its
// source does.
type Lost struct {
	Atom string `json:"atom"`
	// After is how many requests after the cut use it first, from 1.
	After  int     `json:"after"`
	Weight float64 `json:"weight"`
	// Present is set where it stands in the view all the same, in a line that
	// nobody could tell its meaning from.
	Present bool `json:"present"`
	// ResultOnly is set where nothing but tool results held it.
	ResultOnly bool `json:"result_only"`
}

// stands says how well an atom stands in a view.
type stands struct{ present, readable, strict bool }

// Score measures a view for each of the horizons.
func (c *Cut) Score(v *View, horizons ...int) Score {
	sc := Score{Kept: Share{float64(v.Tokens), float64(c.tokens)}, Violations: -1}
	found := c.find(v)
	ready := c.readyEdits(v)
	for _, h := range horizons {
		r := Recall{Horizon: h}
		for i := range c.carried {
			k := &c.carried[i]
			if !k.within(h) {
				continue
			}
			r.Carried++
			r.Presence.add(k.weight, found[i].present)
			r.CUR.add(k.weight, found[i].readable)
			r.Strict.add(k.weight, found[i].strict)
			if k.resultOnly {
				r.ResultOnly.add(k.weight, found[i].readable)
			}
		}
		for i, e := range c.edits {
			if reaches(h, e.after) {
				r.Edits++
				r.EDR.add(1, ready[i])
			}
		}
		sc.Recalls = append(sc.Recalls, r)
	}
	for i, k := range c.carried {
		if !found[i].readable {
			sc.Lost = append(sc.Lost, Lost{c.session.atoms[k.atom], k.after, k.weight, found[i].present, k.resultOnly})
		}
	}
	sc.Runs, sc.Marks = c.readability(v)
	sc.Density = v.density()
	shown := v.bySeq()
	sc.User = c.userShare(shown)
	sc.Trail = c.lastStateShare(shown)
	for seq, tokens := range v.costs {
		if c.stale[seq] {
			sc.Stale.Part += float64(tokens)
		}
	}
	sc.Stale.Whole = float64(v.Tokens)
	sc.Stale.Part = min(sc.Stale.Part, sc.Stale.Whole)
	return sc
}

// Check asks the provider profiles about a view that can be sent (P10), and
// puts the answer into its score.
func (v *View) Check(sc *Score) error {
	if v.Projection == nil {
		return nil
	}
	sc.Violations = 0
	for _, profile := range body.Profiles() {
		body, err := profile.Write(v.Projection)
		if err != nil {
			return err
		}
		wrong := profile.Check(body)
		if sc.Violations == 0 && len(wrong) > 0 {
			sc.Problem = profile.Name + ": " + wrong[0].String()
		}
		sc.Violations += Checked(len(wrong))
	}
	return nil
}

// readyEdits tells which edits could be made from a view alone.
func (c *Cut) readyEdits(v *View) []bool {
	ready := make([]bool, len(c.edits))
	if len(c.edits) == 0 {
		return ready
	}
	text := v.text()
	for i, e := range c.edits {
		ready[i] = strings.Contains(text, e.old)
	}
	return ready
}

// find tells how the carried atoms stand in a view.
func (c *Cut) find(v *View) []stands {
	found := make([]stands, len(c.carried))
	seen := map[int32]bool{}
	for _, l := range v.lines {
		if seen[l.line] {
			continue
		}
		seen[l.line] = true
		for _, a := range c.session.lines[l.line].atoms {
			if int(a) >= len(c.carriedAt) {
				continue // an atom that only a summary has
			}
			i := c.carriedAt[a]
			if i < 0 || found[i].readable && found[i].strict {
				continue
			}
			found[i].present = true
			readable, strict := c.reads(&c.carried[i], l.line)
			found[i].readable = found[i].readable || readable
			found[i].strict = found[i].strict || strict
		}
	}
	// In nearly the whole line is nothing where no line is readable.
	for i := range found {
		found[i].strict = found[i].strict && found[i].readable
	}
	return found
}

// reads tells whether a line of a view shows an atom as a source of it does.
func (c *Cut) reads(k *carriedAtom, shown int32) (readable, strict bool) {
	for _, o := range k.found {
		if o.line == shown {
			return true, true
		}
	}
	for _, o := range k.found {
		r, s := c.matches(k, o.line, shown)
		readable, strict = readable || r, strict || s
	}
	return readable, strict
}

// What of a source line's words must stand beside an atom, in tenths: less of a
// line with more words than a long one has. And how many words the view's line
// may have beside a short one.
const (
	shortTenths = 6
	longTenths  = 3
	longWords   = 30
	crowd       = 60
	bareOthers  = 2
)

// matches compares a line of a view with a line that holds the atom.
func (c *Cut) matches(k *carriedAtom, source, shown int32) (readable, strict bool) {
	from, in := c.session.wordsOf(source), c.session.wordsOf(shown)
	same, had := common(from, in, k.words)
	tenths := longTenths
	if len(from) <= longWords {
		tenths = shortTenths
	}
	readable = same*10 >= len(from)*tenths && (len(from) > longWords || len(in) <= crowd)
	others := without(from, k.words)
	if others == 0 {
		return readable, without(in, k.words) <= bareOthers
	}
	return readable, had*10 >= others*tenths && same*2 >= len(in)
}

// What makes a line dense: more atoms than so much of its characters. Lines of
// fewer characters do not count.
const (
	denseTenths = 6
	denseLine   = 12
)

func (v *View) density() Share {
	var d Share
	for _, l := range v.lines {
		if one := &v.cut.session.lines[l.line]; one.chars >= denseLine {
			d.add(float64(one.chars), one.atomChars*10 > one.chars*denseTenths)
		}
	}
	return d
}

// bySeq gives the lines shown of each entry.
func (v *View) bySeq() map[int64][]int32 {
	shown := map[int64][]int32{}
	for _, l := range v.lines {
		shown[l.seq] = append(shown[l.seq], l.line)
	}
	return shown
}

// shortMessage is up to how many tokens a typed message counts for the share
// of those that stand whole.
const shortMessage = 500

// userShare is the share of short typed messages whose lines all stand.
func (c *Cut) userShare(shown map[int64][]int32) Share {
	var sc Share
	for e := range c.log.Entries() {
		m, ok := e.Payload.(tenfold.UserMessage)
		of := c.entry(e.Seq)
		if !ok || !m.IsRequest() || of == nil || e.Tokens > shortMessage || len(of.lines) == 0 {
			continue
		}
		sc.add(1, inOrder(of.lines, shown[e.Seq]))
	}
	return sc
}

// inOrder reports whether all of a stand in b, in their order.
func inOrder(a, b []int32) bool {
	for _, one := range b {
		if len(a) > 0 && a[0] == one {
			a = a[1:]
		}
	}
	return len(a) == 0
}

// lastStateShare is the share of changed files of which the view tells the last state.
func (c *Cut) lastStateShare(shown map[int64][]int32) Share {
	var sc Share
	for _, f := range c.files {
		named := slices.ContainsFunc(shown[f.last], func(l int32) bool { return names(c.session.lines[l].text, f.path) })
		of := wordsOf(f.path)
		told := slices.ContainsFunc(shown[0], func(l int32) bool {
			return names(c.session.lines[l].text, f.path) && without(c.session.wordsOf(l), of) > 0
		})
		sc.add(1, named || told)
	}
	return sc
}

// names reports whether a line names a path, which is cleaned: with slashes,
// whatever the line has, and a drive in lower case.
func names(line, path string) bool {
	if strings.Contains(line, path) {
		return true
	}
	if _, below, ok := strings.Cut(path, ":/"); ok {
		path = "/" + below
	}
	return strings.Contains(line, `\`) && strings.Contains(strings.ReplaceAll(line, `\`, "/"), path)
}
