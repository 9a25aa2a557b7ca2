package summary

import (
	"strings"
	"unicode"

	"tenfold/atom"
)

// What is not found need not mislead: this file looks at it a second time, by
// looser rules, and at what a summary says of the user's words and of counts.

// wrongs are what misleads: a reason for each atom that does, and counts.
type wrongs struct {
	atoms  []Misleading
	counts []Stranger
}

func (c *collector) misleading(found []bool) wrongs {
	w := wrongs{atoms: make([]Misleading, len(c.atoms))}
	said, counts := newQuotes(), newCounted(c.counts)
	loose := newHasher()
	loose.fold = true
	var paths, quoted []int
	var looseAtoms []mention
	for i, a := range c.atoms {
		switch {
		case a.kind == AtomQuotation && a.claims&claimsUser != 0:
			quoted = append(quoted, i)
			said.want(a.text)
		case a.kind == AtomPath && !found[i] && a.claims.exists() && isPlace(a.text):
			paths = append(paths, i)
			looseAtoms = append(looseAtoms, looser(a))
		}
	}
	if len(paths)+len(quoted) == 0 && counts == nil {
		return w
	}
	s, u := newScanner(loose, looseAtoms), units{}
	for piece, by := range sources(c.request) {
		if len(paths) > 0 {
			loose.read(&u, piece)
			s.scan(&u)
		}
		if len(quoted) > 0 && by == byUser {
			said.scan(piece)
		}
		if counts != nil {
			counts.scan(piece)
		}
	}
	for n, i := range paths {
		if !s.found(looseAtoms[n]) {
			w.atoms[i] = InventedPath
		}
	}
	for _, i := range quoted {
		if said.invented(c.atoms[i].text) {
			w.atoms[i] = InventedQuotation
		}
	}
	if counts != nil {
		w.counts = c.wrongCounts(found, counts)
	}
	return w
}

// wrongCounts lists the counts that the log contradicts, each once.
func (c *collector) wrongCounts(found []bool, counts *counted) []Stranger {
	strange := map[string]bool{}
	for i, a := range c.atoms {
		if a.kind == AtomNumber && !found[i] {
			strange[a.text] = true
		}
	}
	var wrong []Stranger
	told := map[string]bool{}
	for _, one := range c.counts {
		words := one.words()
		if !told[words] && counts.contradicts(one, strange[one.text]) {
			told[words] = true
			wrong = append(wrong, Stranger{AtomNumber, words, ContradictedNumber})
		}
	}
	return wrong
}

// isPlace reports whether a text that is written like a path can only be one:
// not an address, a pattern, a placeholder, or words with slashes between.
func isPlace(text string) bool {
	if strings.Contains(text, "://") || strings.ContainsAny(text, "*?<>{}$%#@=+|,()[]\x00") || strings.Contains(text, "...") || strings.Contains(strings.ToUpper(text), "REDACTED") {
		return false
	}
	slashed := strings.ReplaceAll(text, `\`, "/")
	name := slashed[strings.LastIndexByte(strings.TrimRight(slashed, "/"), '/')+1:]
	stem, extension, dotted := strings.Cut(strings.TrimLeft(name, "."), ".")
	if name == slashed {
		return isSourceFile(name)
	}
	if dotted && stem != "" {
		last := extension[strings.LastIndexByte(extension, '.')+1:]
		return !domains[last] && last == strings.ToLower(last) && strings.ContainsFunc(last, unicode.IsLetter)
	}
	segments := strings.Count(strings.Trim(slashed, "/"), "/") + 1
	if strings.HasPrefix(slashed, "/") || strings.HasPrefix(slashed, "~/") || strings.HasPrefix(slashed, "./") || strings.HasPrefix(slashed, "../") {
		return segments > 2
	}
	return strings.HasSuffix(slashed, "/") && segments > 1
}

// isSourceFile reports whether a word without a slash is the name of a file,
// and not a method of an object.
func isSourceFile(name string) bool {
	for kind, span := range atom.Scan(name) {
		return kind == atom.Path && span.Start == 0 && span.End == len(name)
	}
	return false
}

// domains end names of hosts.
var domains = wordSet(`com org net edu gov io ai app dev`)

// looser is an atom for a path that may be put together from a directory and
// a name that are both in the source.
func looser(a mention) mention {
	slashed := strings.Trim(strings.ReplaceAll(a.text, `\`, "/"), "/")
	a.ways = [][]string{{a.text}}
	if at := strings.LastIndexByte(slashed, '/'); at > 0 {
		a.ways = append(a.ways, []string{slashed[:at], slashed[at+1:]})
	}
	return a
}
