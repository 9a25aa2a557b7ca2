package eval

import (
	"slices"
	"strings"

	"tenfold"
	"tenfold/atom"
)

// readability tells how a view reads (fit.md F7): in what runs the lines stand that
// are kept of results and texts, and how many of its lines are marks.
func (c *Cut) readability(v *View) (runs, marks Share) {
	if v.Projection == nil {
		return Share{}, Share{}
	}
	var lengths []int
	total, bare := 0, 0
	for it := range v.Projection.Items() {
		if it.Seq == 0 {
			n := countLines(textOf(it.Payload))
			total, bare = total+n, bare+n
			continue
		}
		call := it.Payload.Kind() == tenfold.KindToolCall
		s := sourceOf(c, it.Seq)
		at, run := -1, 0
		end := func() {
			for range run {
				lengths = append(lengths, run)
			}
			run = 0
		}
		for text := range strings.SplitSeq(textOf(it.Payload), "\n") {
			if text = strings.TrimSpace(atom.WithoutEscapes(text)); text == "" {
				continue
			}
			total++
			next, ok := s.find(text, at)
			gap := false
			if line := headless(text); line != text {
				text, gap = line, true
				next, ok = s.find(text, at)
			}
			if line := strings.TrimSpace(strings.TrimPrefix(text, "…")); !ok && line != text {
				gap = true // the run begins with its mark
				next, ok = s.find(line, at)
				text = line
			}
			if line := strings.TrimSpace(strings.TrimSuffix(text, "…")); !ok && line != text {
				next, ok = s.find(line, at)
			}
			switch {
			case !ok:
				end()
				if !s.holdsPart(text) {
					bare++
				}
				continue
			case gap, next != at+1:
				end()
			}
			if at = next; !call {
				run++
			}
		}
		end()
	}
	if total > 0 {
		marks = Share{float64(bare), float64(total)}
	}
	if len(lengths) > 0 {
		slices.Sort(lengths)
		runs = Share{float64(lengths[len(lengths)/2]), 1}
	}
	return runs, marks
}

// headless is a line without the name of the argument that it is from, which stands at
// its start where few lines are left of it.
func headless(text string) string {
	if name, ok := strings.CutPrefix(text, "[argument"); ok {
		if _, line, ok := strings.Cut(name, "] "); ok && line != "…" {
			return line
		}
	}
	return text
}

func countLines(text string) int {
	n := 0
	for line := range strings.SplitSeq(text, "\n") {
		if strings.TrimSpace(line) != "" {
			n++
		}
	}
	return n
}

// source is the lines of a raw entry that say anything, with those of its call.
type source struct {
	lines []string
	at    map[string][]int
}

func sourceOf(c *Cut, seq int64) source {
	s := source{at: map[string][]int{}}
	take := func(e *entry) {
		if e == nil {
			return
		}
		for _, l := range e.lines {
			if text := strings.TrimSpace(atom.WithoutEscapes(c.session.lines[l].text)); text != "" {
				s.at[text] = append(s.at[text], len(s.lines))
				s.lines = append(s.lines, text)
			}
		}
	}
	if e := c.entry(seq); e != nil && e.kind == tenfold.KindToolResult {
		take(c.entry(c.log.Pair(seq)))
	}
	take(c.entry(seq))
	return s
}

// find is the next place of a line after another; before it where there is
// none, for what a call wrote may stand after what it printed.
func (s source) find(text string, after int) (int, bool) {
	places := s.at[text]
	if len(places) == 0 {
		return 0, false
	}
	for _, at := range places {
		if at > after {
			return at, true
		}
	}
	return places[0], true
}

// holdsPart reports whether a line is more than a mark: some words in a row of
// it are those of a line.
func (s source) holdsPart(text string) bool {
	words := strings.Fields(text)
	const enough = 3
	for i := range words {
		if i+enough > len(words) {
			break
		}
		part := strings.Join(words[i:i+enough], " ")
		if slices.ContainsFunc(s.lines, func(l string) bool { return strings.Contains(l, part) }) {
			return true
		}
	}
	return slices.ContainsFunc(s.lines, func(l string) bool { return len(l) > 3 && strings.HasSuffix(text, l) })
}
