// Package fitnames makes names of calls and tools fit what providers take.
package fitnames

import (
	"cmp"
	"strconv"
	"strings"
)

// A Unique gives names of at most so many bytes, each but once: of equal
// ones the second ends in "_2", the third in "_3".
type Unique struct {
	Most  int
	taken map[string]bool
	// next is the number to try next, by what stands before it and how many
	// digits it has: those below are taken.
	next map[stem]int
}

type stem struct {
	name   string
	digits int
}

// Give takes a name no longer than names may be, and gives it or another.
func (u *Unique) Give(name string) string {
	if u.taken == nil {
		u.taken, u.next = map[string]bool{}, map[stem]int{}
	}
	whole := name
	for digits, least := 1, 2; u.taken[name]; digits, least = digits+1, pow10(digits) {
		at := stem{whole[:min(len(whole), u.Most-digits-1)], digits}
		n := max(u.next[at], least)
		for n < pow10(digits) {
			if name = at.name + "_" + strconv.Itoa(n); !u.taken[name] {
				break
			}
			n++
		}
		u.next[at] = n
	}
	u.taken[name] = true
	return name
}

func pow10(n int) int {
	p := 1
	for range n {
		p *= 10
	}
	return p
}

// Fit brings a name into what every provider takes: it keeps letters, digits, "_" and "-"; others
// become "_", and what is too long is cut.
func Fit(raw string, most int, empty string) string {
	raw = cmp.Or(raw, empty)
	name := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-':
			return r
		}
		return '_'
	}, raw)
	if len(name) > most {
		name = name[:most]
	}
	return name
}
