package tenfold

import (
	"math"
	"slices"
	"strings"
)

const (
	packBits = 6
	packLen  = 1 << packBits
)

// packed is a list of short strings, numbered from 1: ids. Every 64 of them
// are joined to one string of which they are parts, which takes half the room
// of strings of their own and costs nothing to read.
type packed struct {
	packs list[pack]
	open  []string // those that make no whole pack yet
}

// pack holds 64 strings in one. Most ids are of one length; else the ends say
// where each stops. What is too long for that stands apart.
type pack struct {
	joined string
	length int
	ends   *[packLen]uint16
	apart  []string
}

// at gives string i.
func (l *packed) at(i int32) string {
	i--
	if full := i >> packBits; full < l.packs.n {
		return l.packs.at(full + 1).text(int(i & (packLen - 1)))
	}
	return l.open[i&(packLen-1)]
}

func (p *pack) text(i int) string {
	switch {
	case p.apart != nil:
		return p.apart[i]
	case p.ends == nil:
		return p.joined[i*p.length : (i+1)*p.length]
	case i == 0:
		return p.joined[:p.ends[0]]
	}
	return p.joined[p.ends[i-1]:p.ends[i]]
}

// push appends a string. It overwrites nothing that a shorter copy of the list
// holds.
func (l *packed) push(s string) {
	if l.open == nil && l.packs.n > 0 {
		l.open = make([]string, 0, packLen)
	}
	if l.open = append(l.open, s); len(l.open) == packLen {
		l.packs.append(newPack(l.open))
		l.open = nil
	}
}

func newPack(list []string) pack {
	var ends [packLen]uint16
	size, alike := 0, true
	for i, s := range list {
		if size += len(s); size > math.MaxUint16 {
			return pack{apart: list}
		}
		ends[i] = uint16(size)
		alike = alike && len(s) == len(list[0])
	}
	p := pack{joined: strings.Join(list, ""), length: len(list[0])}
	if !alike {
		p.ends = &ends
	}
	return p
}

// fork gives a list with the same strings, to which others can be appended.
func (l *packed) fork() packed {
	return packed{packs: l.packs.fork(), open: slices.Clip(l.open)}
}
