package eval

import (
	"cmp"
	"maps"
	"slices"
)

// A Row is what one policy came to over the sessions of a group, for one
// horizon.
type Row struct {
	Policy, Family string
	// Horizon is in requests; [All] for all.
	Horizon int
	// Figures are those of each [Measure].
	Figures [measures]Estimate
	// Edits is how many edits there are over all cuts within the horizon, Ready
	// how many of them the views are ready for.
	Edits, Ready int
	Violations   Checked
}

// A Group is some of a run's sessions, or of their cuts.
type Group struct {
	// By says what the group is by: "all", "format", "source" or "cut"; Name
	// which of them it is.
	By   string `json:"by"`
	Name string `json:"name"`
	Rows []Row  `json:"rows"`
}

// Summary joins the figures of a run.
type Summary struct {
	// Sessions, Sources and Cuts are how many were measured, Skipped how many
	// sessions were left out.
	Sessions int `json:"sessions"`
	Sources  int `json:"sources"`
	Cuts     int `json:"cuts"`
	Skipped  int `json:"skipped"`
	// Groups are all, then by format, by source and by cut.
	Groups []Group `json:"groups"`
	// Equals tells how little each family keeps at the recall of a baseline.
	Equals []Equal `json:"equal_recall"`
	Worst  []Case  `json:"worst"`
	// HeldOut is what holding plans against later requests came to, by policy.
	HeldOut []HeldOutRow `json:"held_out,omitzero"`
	// Spending is what the input costs, by model asked for and policy.
	Spending []Spending `json:"money"`
	// Live is what the input costs through a proxy, by way and provider.
	Live []LiveSpending `json:"live,omitzero"`
}

// Summarise joins the figures of a run: a session's over its cuts, a source's
// over its sessions, all sources'.
func (r *Result) Summarise() Summary {
	s := Summary{}
	formats, sources := map[string]bool{}, map[string]bool{}
	for i := range r.Sessions {
		one := &r.Sessions[i]
		if len(one.Cells) == 0 {
			s.Skipped++
			continue
		}
		s.Sessions++
		s.Cuts += len(one.Cells) / len(r.Options.Policies)
		formats[string(one.Format)], sources[one.Source] = true, true
	}
	s.Sources = len(sources)
	all := func(*SessionResult, *Cell) bool { return true }
	s.Groups = append(s.Groups, r.group("all", "all", all))
	for _, name := range slices.Sorted(maps.Keys(formats)) {
		s.Groups = append(s.Groups, r.group("format", name, func(one *SessionResult, _ *Cell) bool { return string(one.Format) == name }))
	}
	for _, name := range slices.Sorted(maps.Keys(sources)) {
		s.Groups = append(s.Groups, r.group("source", name, func(one *SessionResult, _ *Cell) bool { return one.Source == name }))
	}
	for _, cut := range r.Options.Cuts {
		s.Groups = append(s.Groups, r.group("cut", percentWords(cut), func(_ *SessionResult, c *Cell) bool { return c.Cut == cut }))
	}
	s.Equals = equals(s.Groups[0].Rows)
	if len(r.Options.Live) == 0 { // no command shows how a live conversation stood at a cut
		s.Worst = r.worst()
	}
	s.HeldOut = r.heldOut()
	s.Spending = r.spend()
	s.Live = r.liveSpending()
	return s
}

// group makes the rows of the cells that are in it.
func (r *Result) group(by, name string, in func(*SessionResult, *Cell) bool) Group {
	g := Group{By: by, Name: name}
	for i, p := range r.Options.Policies {
		for h, horizon := range r.Options.Horizons {
			row := Row{Policy: p.text, Family: p.family, Horizon: horizon, Violations: -1}
			for _, m := range Measures() {
				of := m.info().of
				row.Figures[m] = estimate(r.samples(i, in, func(c *Cell) Share { return of(c, h) }))
			}
			r.each(i, in, func(_ *SessionResult, c *Cell) {
				row.Edits += int(c.Recalls[h].EDR.Whole)
				row.Ready += int(c.Recalls[h].EDR.Part)
				if c.Violations >= 0 {
					row.Violations = max(row.Violations, 0) + c.Violations
				}
			})
			g.Rows = append(g.Rows, row)
		}
	}
	return g
}

// each goes over the cells of a policy, by its index.
func (r *Result) each(policy int, in func(*SessionResult, *Cell) bool, do func(*SessionResult, *Cell)) {
	for i := range r.Sessions {
		s := &r.Sessions[i]
		for j := policy; j < len(s.Cells); j += len(r.Options.Policies) {
			if c := &s.Cells[j]; in(s, c) {
				do(s, c)
			}
		}
	}
}

// samples gives a policy's figure of each session that has it.
func (r *Result) samples(policy int, in func(*SessionResult, *Cell) bool, figure func(*Cell) Share) []sample {
	var out []sample
	var at *SessionResult
	var values []float64
	put := func() {
		if len(values) > 0 {
			out = append(out, sample{at.Source, mean(values)})
		}
		values = values[:0]
	}
	r.each(policy, in, func(s *SessionResult, c *Cell) {
		if s != at {
			put()
			at = s
		}
		if v, ok := figure(c).Value(); ok {
			values = append(values, v)
		}
	})
	put()
	return out
}

// A Case is a cut of a session at which a policy did badly.
type Case struct {
	Name         string  `json:"transcript"`
	Conversation string  `json:"conversation"`
	Policy       string  `json:"policy"`
	Cut          int     `json:"cut"`
	Horizon      int     `json:"horizon"`
	Kept         float64 `json:"kept"`
	CUR          float64 `json:"cur"`
}

// worstCases is how many of them are named for each policy.
const worstCases = 5

// worst finds where each policy recalls the least, for the middle one of the
// horizons.
func (r *Result) worst() []Case {
	h := r.Options.reportHorizon()
	var all []Case
	for i, p := range r.Options.Policies {
		var cases []Case
		r.each(i, func(*SessionResult, *Cell) bool { return true }, func(s *SessionResult, c *Cell) {
			cur, ok := c.Recalls[h].CUR.Value()
			if kept, _ := c.Kept.Value(); ok {
				cases = append(cases, Case{s.Name, s.Conversation, p.text, c.Cut, r.Options.Horizons[h], kept, cur})
			}
		})
		slices.SortStableFunc(cases, func(a, b Case) int { return cmp.Compare(a.CUR, b.CUR) })
		all = append(all, cases[:min(worstCases, len(cases))]...)
	}
	return all
}

// reportHorizon is the horizon a short report tells of: 30 requests if that is among
// them, else the first.
func (o Options) reportHorizon() int {
	return max(slices.Index(o.Horizons, 30), 0)
}

// Main is the horizon that a short report tells of.
func (o Options) Main() int { return o.Horizons[o.reportHorizon()] }

// Focus is the policy whose worst cases a short report names: fit at 10 % if
// that is among them, else the first strategy, else the first policy.
func (o Options) Focus() string {
	focus := o.Policies[0].text
	for _, p := range slices.Backward(o.Policies) {
		if !p.baseline {
			focus = p.text
		}
	}
	for _, p := range o.Policies {
		if p.text == "fit:target=10%" {
			focus = p.text
		}
	}
	return focus
}
