package token

import (
	"encoding/binary"
	"math/bits"
)

// An encoding first splits a text into pieces and then encodes each piece on
// its own. The rules are regular expressions in the published encodings; here
// they are scanners that find the end of the piece at i without an engine.
// They run over valid UTF-8.

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// between returns a word with the high bit of each byte of w set that is
// ASCII and from lo to hi.
func between(w uint64, lo, hi byte) uint64 {
	low := w &^ highs
	return (low + uint64(0x80-lo)*ones) &^ (low + uint64(0x7F-hi)*ones) &^ w & highs
}

// asciiLetter returns where the first letter of a word is if a piece begins
// at i with an ASCII letter, or with a space and one, else -1. That is most
// pieces of most texts, and both encodings agree on it.
func asciiLetter(b []byte, i int) int {
	c := b[i]
	if c == ' ' && i+1 < len(b) {
		i++
		c = b[i]
	}
	if (c|0x20)-'a' < 26 {
		return i
	}
	return -1
}

// lowerRun returns the end of the run of ASCII lower-case letters at i.
func lowerRun(b []byte, i int) int {
	for i+8 <= len(b) {
		m := between(binary.LittleEndian.Uint64(b[i:i+8]), 'a', 'z') ^ highs
		if m != 0 {
			return i + bits.TrailingZeros64(m)>>3
		}
		i += 8
	}
	for i < len(b) && b[i]-'a' < 26 {
		i++
	}
	return i
}

// upperRun returns the end of the run of ASCII upper-case letters at i.
func upperRun(b []byte, i int) int {
	for i < len(b) && b[i]-'A' < 26 {
		i++
	}
	return i
}

// letterRun returns the end of the run of ASCII letters at i.
func letterRun(b []byte, i int) int {
	for i+8 <= len(b) {
		m := between(binary.LittleEndian.Uint64(b[i:i+8])|0x20*ones, 'a', 'z') ^ highs
		if m != 0 {
			return i + bits.TrailingZeros64(m)>>3
		}
		i += 8
	}
	for i < len(b) && (b[i]|0x20)-'a' < 26 {
		i++
	}
	return i
}

// contraction returns the end of one of 's 't 're 've 'm 'll 'd, in either
// case, at i, or i. The reference folds case by Unicode, where the long s is
// an s too.
func contraction(b []byte, i int) int {
	if i+1 >= len(b) || b[i] != '\'' {
		return i
	}
	var second byte
	if i+2 < len(b) {
		second = b[i+2]
	}
	switch b[i+1] | 0x20 {
	case 's', 't', 'm', 'd':
		return i + 2
	case 'r', 'v':
		if second|0x20 == 'e' {
			return i + 3
		}
	case 'l':
		if second|0x20 == 'l' {
			return i + 3
		}
	case 0xC5 | 0x20:
		if b[i+1] == 0xC5 && second == 0xBF {
			return i + 3
		}
	}
	return i
}

// numbers returns the end of the up to three numbers at i.
func numbers(b []byte, i int) int {
	for range 3 {
		class, width := classAt(b, i)
		if class != classNumber {
			break
		}
		i += width
	}
	return i
}

// punctuation returns the end of the run at i of what is neither space, nor
// letter, nor number.
func punctuation(b []byte, i int) int {
	for {
		class, width := classAt(b, i)
		if class != classOther && class != classMark {
			return i
		}
		i += width
	}
}

// space returns the end of the white space piece at i: up to the last line
// break of the run; else, in a run that ends the text, all of it; else all
// but the last character, which belongs to what follows.
func space(b []byte, i int) int {
	end, last, lineEnd := i, i, i
	for {
		class, width := classAt(b, end)
		if class != classSpace && class != classBreak {
			if lineEnd > i {
				return lineEnd
			}
			if class == classEnd || last == i {
				return end
			}
			return last
		}
		last = end
		end += width
		if class == classBreak {
			lineEnd = end
		}
	}
}
