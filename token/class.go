package token

import _ "embed"

// The classes of characters that the split rules tell apart. Marks are
// neither letters nor numbers nor space, but o200k_base also takes them as
// letters of either case.
const (
	classOther  = iota
	classSpace  // white space without \r and \n
	classBreak  // \r and \n
	classNumber // N
	classUpper  // Lu, Lt
	classLower  // Ll
	classLetter // Lm, Lo: of either case
	classMark   // M
	classEnd    // not a character: the end of the text
)

// classes gives the class of every code point in two stages: for each block
// of 128 code points the number of a block of classes, then those blocks. It
// was asked of the reference itself (see gen), so that it follows that
// implementation's edition of Unicode whatever Go's is.
//
//go:embed data/classes.bin
var classes string

const classBlocks = 0x110000 / 128

func classOf(r rune) uint8 {
	return classes[classBlocks+int(classes[r>>7])<<7+int(r&127)]
}

// classAt returns the class of the character of b at i and its width in
// bytes. The text is valid UTF-8.
func classAt(b []byte, i int) (class uint8, width int) {
	if i >= len(b) {
		return classEnd, 0
	}
	c := b[i]
	switch {
	case c < 0x80:
		return classes[classBlocks+int(c)], 1
	case c < 0xE0:
		return classOf(rune(c&0x1F)<<6 | rune(b[i+1]&0x3F)), 2
	case c < 0xF0:
		return classOf(rune(c&0x0F)<<12 | rune(b[i+1]&0x3F)<<6 | rune(b[i+2]&0x3F)), 3
	default:
		return classOf(rune(c&0x07)<<18 | rune(b[i+1]&0x3F)<<12 | rune(b[i+2]&0x3F)<<6 | rune(b[i+3]&0x3F)), 4
	}
}
