package excerpt

import (
	"cmp"
	"slices"
	"strings"
)

// A record is an object in a list, in the JSON that a tool gives with a line for each
// member. Its lines stand under the one that says what it is, and that under the first,
// mostly an id, or a number is kept of nobody knows what (fit.md F6).
type record struct {
	open   int32 // the line that it begins in
	list   bool  // it is a list, not an object
	one    bool  // it is an object in a list
	first  int32 // its first member on one line; 0 for none
	naming int32 // the first that names it; 0 for none
}

// deepest is how deep lists and objects may be in one another that are looked at.
const deepest = 64

// namings are the members that say what a record is.
var namings = []string{"title", "name", "subject", "summary", "headline", "label", "displayName", "display_name", "fullName", "full_name", "path", "question"}

// headRecords gives the lines of a text's records their heads. The first line has a
// number in its entry.
func (ix *Index) headRecords(at *entry, text string, first int32) {
	if start, _, _ := strings.Cut(strings.TrimSpace(text[:min(len(text), maxHead)]), "\n"); start != "[" && start != "{" && start != "[\r" && start != "{\r" {
		return
	}
	textLines := ix.text[at.text.from:]
	var within []record
	closeOne := func(last int32) {
		r := within[len(within)-1]
		within = within[:len(within)-1]
		if !r.one || r.first == 0 {
			return
		}
		head := cmp.Or(r.naming, r.first)
		for n := r.open; n <= last; n++ {
			under(textLines, n, head)
		}
		textLines[head-1].head = r.first
	}
	number := first - 1
	for line := range lines(text) {
		number++
		bare := strings.TrimSpace(line)
		if bare == "" {
			continue
		}
		if (bare[0] == '}' || bare[0] == ']') && len(within) > 0 {
			closeOne(number)
		}
		switch end := bare[len(bare)-1]; {
		case end == '{' || end == '[':
			if len(within) == deepest {
				return
			}
			within = append(within, record{open: number, list: end == '[', one: end == '{' && len(within) > 0 && within[len(within)-1].list})
		case len(within) > 0 && bare[0] == '"' && len(bare) <= maxHead:
			r := &within[len(within)-1]
			if r.first == 0 {
				r.first = number
			}
			key, value, _ := strings.Cut(bare[1:], `"`)
			if r.naming == 0 && strings.HasPrefix(strings.TrimLeft(value, " :"), `"`) && slices.Contains(namings, key) {
				r.naming = number
			}
		}
	}
	for len(within) > 0 {
		closeOne(number)
	}
}
