package strategy

import (
	"slices"

	"tenfold/tool"
)

// stretch is the lines of a file that a read shows.
type stretch struct {
	tool.Access
	size int
}

// mostStretches bounds what is kept of one file, so that a file read in ever
// so many pieces costs no more than others. Beyond it a saving may be missed.
const mostStretches = 512

// contained finds the reads that a later one holds line by line (H3), among
// those that eligible names, with nothing between the two that may have
// changed the file. Going back from the end it keeps, for each file, the
// stretches that no other holds: their beginnings and ends rise together, so
// that one look finds the one that could hold a read.
func (v *view) contained(eligible func(*use) bool, oneTool bool) map[*use]bool {
	found := map[*use]bool{}
	later := map[same][]stretch{}
	for i := len(v.uses) - 1; i >= 0; i-- {
		u := v.uses[i]
		if len(u.does.Reads) == 0 || !u.ok {
			continue
		}
		since, unchanged := v.changeNumber(u)
		if !unchanged {
			continue
		}
		key := same{branch: u.branch, since: since}
		if oneTool {
			key.tool = u.tool.Name
		}
		held := true
		for _, a := range u.does.Reads {
			key.what = a.Path
			held = held && u.heldBy(later[key], a)
		}
		if held && eligible(u) {
			found[u] = true
		}
		if held || !v.shownWhole(u) || u.mayBePartial() {
			continue
		}
		for _, a := range u.does.Reads {
			key.what = a.Path
			later[key] = insert(later[key], stretch{a, u.size()})
		}
	}
	return found
}

// heldBy reports whether one of the stretches holds the lines of a.
func (u *use) heldBy(list []stretch, a tool.Access) bool {
	i, exact := slices.BinarySearchFunc(list, a.From, func(s stretch, from int) int { return s.From - from })
	if !exact {
		i--
	}
	if a.Part {
		i = 0 // only the whole file holds what nobody knows the place of
	}
	return i >= 0 && i < len(list) && list[i].Contains(a) && u.answeredBy(list[i].size)
}

// insert adds a stretch that none of the list holds, and takes out those that
// it holds; of too many the farthest goes. Stretches whose lines nobody knows hold nothing.
func insert(list []stretch, s stretch) []stretch {
	if s.Part {
		return list
	}
	i, _ := slices.BinarySearchFunc(list, s.From, func(t stretch, from int) int { return t.From - from })
	if i > 0 && list[i-1].Contains(s.Access) || i < len(list) && list[i].Contains(s.Access) {
		return list
	}
	j := i
	for j < len(list) && s.Contains(list[j].Access) {
		j++
	}
	list = slices.Replace(list, i, j, s)
	switch {
	case len(list) <= mostStretches:
		return list
	case i < len(list)/2:
		return list[:len(list)-1]
	default:
		return slices.Delete(list, 0, 1)
	}
}
