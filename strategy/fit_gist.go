package strategy

import (
	"cmp"
	"slices"
	"strings"

	"tenfold"
	"tenfold/atom"
	"tenfold/cause"
)

// gistLines is what always stays of a long message of the person: how it begins and ends, and
// the statements in it that demand something, up to the size of a short message; of a log
// that was pasted the first errors, for it stands nowhere else.
func (f *fitting) gistLines(text string) []tenfold.LineRange {
	lines := union(union(f.leadLines(text), f.demandLines(text, shortMessage)), endLines(text))
	for _, line := range cause.Logged(text, pastedErrors) {
		lines = union(lines, []tenfold.LineRange{shortRange(line.Number, line.Text)})
	}
	return lines
}

// pastedErrors is how many kinds of errors stay of a log that a person pasted.
const pastedErrors = 4

// longestEnd is how many bytes are left of the end of a long message.
const longestEnd = 200

// endLines is how a text ends: its last lines as far as they are short, from the first that
// somebody wrote in words. What is wanted often stands behind what was pasted; what ends
// in a paste says nothing there.
func endLines(text string) []tenfold.LineRange {
	lines := strings.Split(strings.TrimRight(text, " \t\r\n"), "\n")
	first, room := 0, longestEnd
	for number := len(lines); number > 0; number-- {
		line := strings.TrimSpace(lines[number-1])
		if room -= len(line); room < 0 || strings.HasPrefix(line, "```") {
			break
		}
		if len(strings.Fields(line)) > 2 && !strings.ContainsAny(line, "={}<>|;\\") && !strings.Contains(line, "://") || strings.ContainsAny(line, "。！？") {
			first = number
		}
	}
	if first == 0 {
		return nil
	}
	return []tenfold.LineRange{{First: first, Last: len(lines)}}
}

// leadLines is how a text begins: its first lines as far as they are short, at least the
// first or the beginning of that. People say what they want before they paste.
func (f *fitting) leadLines(text string) []tenfold.LineRange {
	var r tenfold.LineRange
	number, room := 0, longestBeginning
	for line := range strings.Lines(text) {
		number++
		blank := strings.TrimSpace(line) == ""
		if r.First == 0 && !blank {
			r.First = number
			if r.Last = number; len(line) > longestBeginning {
				r.To = longestBeginning
				break
			}
		}
		if room -= len(line); room < 0 {
			break
		}
		if !blank {
			r.Last = number
		}
	}
	if r.First == 0 {
		return nil
	}
	return []tenfold.LineRange{r}
}

// demand is a line that states a constraint, or a sentence of a long one.
type demand struct {
	of, lines tenfold.LineRange // of: what the line is about, if that is apart
	tokens    int
	rank      int
}

// What a text insists on comes first, what it says again last, as a log does that was
// pasted.
const (
	insisted = iota
	asked
	repeated
)

// longestItem is how many bytes a line has that stays whole for what it demands where not
// all that the text demands has room; of a longer one the sentences stay that do.
const longestItem = 160

// leastRepeated is how many bytes two demands have in common to be one: "must pass" is of
// many things.
const leastRepeated = 40

// demandLines are the lines of a text that state constraints, of long lines the sentences, for
// at most so many tokens: what it insists on first, and of the rest as many as there is room for.
func (f *fitting) demandLines(text string, tokens int) (found []tenfold.LineRange) {
	all, left := f.demandsOf(text, longestBeginning), tokens
	for _, d := range all {
		left -= d.tokens
	}
	if left < 0 {
		all = f.demandsOf(text, longestItem)
	}
	slices.SortStableFunc(all, func(a, b demand) int { return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.tokens, b.tokens)) })
	for _, d := range all {
		if d.tokens > tokens {
			continue
		}
		tokens -= d.tokens
		if d.of.To > 0 {
			found = union(found, []tenfold.LineRange{d.of})
		}
		found = union(found, []tenfold.LineRange{d.lines})
	}
	return found
}

// demandsOf lists what a text demands, of lines longer than so many bytes the sentences.
func (f *fitting) demandsOf(text string, longest int) (all []demand) {
	counter, number, seen := f.p.Log().Counter(), 0, map[string]bool{}
	var pasted atom.Diff
	for line := range strings.Lines(text) {
		if number++; pasted.Has(line) {
			continue
		}
		line = strings.TrimRight(line, "\r\n")
		line = line[:min(len(line), longestLooked)]
		for from := 0; from < len(line); {
			at := constraintFrom(line, from)
			if at < 0 {
				break
			}
			r, of := tenfold.LineRange{First: number, Last: number}, tenfold.LineRange{First: number, Last: number}
			start, end := statement(line, at)
			show := line
			if len(line) > longest {
				if r.From, r.To = start, end; from == 0 && r.From > 0 {
					of.To = subject(line[:r.From])
				}
				show = line[:of.To] + line[r.From:r.To]
			}
			d := demand{of, r, counter.Count(show) + 1, asked}
			if atom.Insists(show) {
				d.rank = insisted
			}
			if said := line[at:end]; len(said) >= leastRepeated {
				if seen[said] {
					d.rank = repeated
				}
				seen[said] = true
			}
			all = append(all, d)
			if from = r.To; from == 0 {
				break
			}
		}
	}
	return all
}

// constraintFrom is where in a line, behind a place, a constraint is stated next; -1 where none
// is. Where one is near, what stands far behind is not read: a line may state thousands.
func constraintFrom(line string, from int) int {
	const near, phrase = 1 << 10, 1 << 8 // a phrase is no longer
	for window := near; ; window *= 4 {
		end := min(from+window, len(line))
		at := atom.ConstraintAt(line[from:end])
		switch {
		case at >= 0 && (end == len(line) || at+phrase < window):
			return from + at
		case end == len(line):
			return -1
		}
	}
}

// longestSubject is how many bytes the subject of an item has at most.
const longestSubject = 80

// subject is how many bytes of a line tell what an item of a list is about, as its name
// and a colon do: "Use when someone asks" says nothing without. 0 for none.
func subject(line string) int {
	bare := strings.TrimLeft(line, " \t")
	end := strings.Index(bare, ": ")
	if item := strings.HasPrefix(bare, "- ") || strings.HasPrefix(bare, "* "); !item || end < 0 || end > longestSubject {
		return 0
	}
	return len(line) - len(bare) + end + 1
}

// statement is where the sentence around a place in a line begins and ends.
func statement(line string, at int) (from, to int) {
	ends := func(i int) bool {
		if slices.ContainsFunc([]string{"。", "！", "？"}, func(mark string) bool { return strings.HasSuffix(line[:i+1], mark) }) {
			return true
		}
		return strings.IndexByte(".!?", line[i]) >= 0 && (i+1 == len(line) || line[i+1] == ' ')
	}
	for from = at; from > 0 && !ends(from-1); from-- {
	}
	for to = at; to < len(line) && !ends(to); to++ {
	}
	from += len(line[from:at]) - len(strings.TrimLeft(line[from:at], " "))
	return from, min(to+1, len(line))
}
