package atom

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

const (
	// pointingWords is how many words a message may have to point at what was said
	// before it; a longer one has its own subject.
	pointingWords = 40
	// fewWords is in how many words a single small letter is a name: "do a".
	fewWords = 6
	// pointedItems is how many items one range of numbers points at.
	pointedItems = 8
)

// An item of a list that can be pointed at by number or letter: "2. Move it",
// "### 2) Move it", "- **Option B** (mine): wait", "**C** — wait".
var listItem = regexp.MustCompile(`^[\s>]*(?:[-*+]\s+)?(?:#+\s*)?[*_(]*` +
	`(?:(?i:option|step|item|point|variant)\s+(\d{1,2}|[A-Ha-h])\b|(\d{1,2}|[A-Ha-h])[*_]*(?:[.):]|\s+[—–-]\s))`)

// What points at items: numbers and single letters, "3", "#3", "1+2", "2-4", "B".
var (
	listNumber = regexp.MustCompile(`(?:^|[\s#(+,/&-])(\d{1,2})(?:\s*(?:-|–|to)\s*(\d{1,2}))?(?:$|[\s),;:!?+/&-]|[.](?:$|\s))`)
	listLetter = regexp.MustCompile(`(?:^|[\s("'])([A-Ha-h])(?:$|[\s).,;:!?"'])`)
)

// What points at items by all that it says, or before it says more of them.
var pointsFirst = regexp.MustCompile(`(?i)^\W*(?:(?:ok|okay|yes|yeah|now|then|and|also)\b\W*)*(?:(?:let['’]?s|please|can you|could you)\s+)*` +
	`(?:(?:do|on|for|about|regarding|fix|address|take|drop|skip|keep|ignore|apply|implement|(?:go|start|begin|continue) with|option|item|point|number)\s+)*#?(?:\d{1,2}|[a-h])\b` +
	`(?:\W*$|\s*[+,:;.&/)–-]|\s+(?:and|or|to|next|first|now|please|then)\b)`)

// PointsFirst reports whether a message begins with the items that it is about, by their
// numbers or letters: "on 4, can you look?", but not "2 tests fail".
func PointsFirst(text string) bool { return pointsFirst.MatchString(text) }

// IsListItem reports whether a line is an item that can be pointed at.
func IsListItem(line string) bool { return listItem.MatchString(line) }

// Pointers gives the numbers and letters in a message that may name items of a list:
// "do 1+2 next". A long message has its own subject, and names none.
func Pointers(text string) (names []string) {
	words := 0
	for range strings.FieldsSeq(text) {
		if words++; words > pointingWords {
			return nil
		}
	}
	for rest := text; strings.ContainsAny(rest, "0123456789"); {
		m := listNumber.FindStringSubmatchIndex(rest)
		if m == nil {
			break
		}
		from, _ := strconv.Atoi(rest[m[2]:m[3]])
		to := from
		if m[4] >= 0 {
			to, _ = strconv.Atoi(rest[m[4]:m[5]])
		}
		for n := from; n <= to && n < from+pointedItems; n++ {
			names = append(names, strconv.Itoa(n))
		}
		rest = rest[max(m[3], m[5]):]
	}
	letters := listLetter.FindAllStringSubmatch(text, -1)
	// Among more words only capitals are names, and "A" only beside another.
	few := words <= fewWords
	others := slices.ContainsFunc(letters, func(m []string) bool { return m[1] >= "B" && m[1] <= "H" })
	for _, m := range letters {
		if few || others && m[1] <= "H" {
			names = append(names, strings.ToLower(m[1]))
		}
	}
	return names
}

// ListItems gives the lines of a text, by their numbers from 1, that are the items which
// names of one list mean: of the last list that has all of them, titles before items and
// items before those under them; else the first of each name.
func ListItems(text string, names []string) (lines []int) {
	type item struct {
		name string
		line int
	}
	type list struct {
		depth, last int // how far it stands in, titles least; and its last number
		items       []item
	}
	var all []item
	var lists []list
	number := 0
	for line := range strings.Lines(text) {
		number++
		m := listItem.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		name := m[1] + m[2] // one of the two
		one := item{strings.ToLower(name), number}
		count, err := strconv.Atoi(name)
		if err != nil {
			count = int(one.name[0])
		}
		bare := strings.TrimLeft(line, " \t>")
		depth := 1 + len(line) - len(bare)
		if bare[0] == '#' {
			depth = 0
		}
		at := len(lists) - 1
		for ; at >= 0 && lists[at].depth != depth; at-- {
		}
		if at < 0 || count <= lists[at].last {
			at, lists = len(lists), append(lists, list{depth: depth})
		}
		lists[at].last, lists[at].items = count, append(lists[at].items, one)
		if slices.Contains(names, one.name) && !slices.ContainsFunc(all, func(other item) bool { return other.name == one.name }) {
			all = append(all, one)
		}
	}
	best, deep := all, -1
	for _, l := range slices.Backward(lists) {
		l.items = slices.DeleteFunc(l.items, func(one item) bool { return !slices.Contains(names, one.name) })
		if len(l.items) == len(all) && (deep < 0 || l.depth < deep) {
			best, deep = l.items, l.depth
		}
	}
	for _, one := range best {
		lines = append(lines, one.line)
	}
	return lines
}
