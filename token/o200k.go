package token

// splitO200k returns the end of the piece at i by the rules of o200k_base. In
// words, the first that fits:
//
//   - a word: at most one character that is not a letter, number or line break,
//     then upper-case letters, then lower-case ones, then a contraction;
//     one of the two runs may be empty, letters without case and marks count
//     as both;
//   - one to three numbers;
//   - at most one space, then punctuation, then line breaks and slashes;
//   - white space (see space).
func splitO200k(b []byte, i int) int {
	if j := asciiLetter(b, i); j >= 0 {
		return asciiWordO200k(b, i, j)
	}
	class, width := classAt(b, i)
	switch class {
	case classLower, classUpper:
		if width == 1 {
			return asciiWordO200k(b, i, i)
		}
		return wordO200k(b, i, i)
	case classLetter:
		return wordO200k(b, i, i)
	case classNumber:
		return numbers(b, i)
	case classBreak:
		return space(b, i)
	}

	// A space, a mark or punctuation: all of them may begin a word.
	j := i + width
	next, nextWidth := classAt(b, j)
	switch next {
	case classLower, classUpper:
		if nextWidth == 1 && class != classMark {
			return asciiWordO200k(b, i, j)
		}
		return wordO200k(b, i, j)
	case classLetter, classMark:
		return wordO200k(b, i, j)
	}
	switch class {
	case classMark:
		return contraction(b, j) // a mark is a word on its own
	case classSpace:
		if next != classOther || b[i] != ' ' {
			return space(b, i)
		}
	}
	end := punctuation(b, j)
	for end < len(b) && (b[end] == '\r' || b[end] == '\n' || b[end] == '/') {
		end++
	}
	return end
}

// asciiWordO200k is wordO200k for a word that begins with an ASCII letter.
func asciiWordO200k(b []byte, i, j int) int {
	end := lowerRun(b, upperRun(b, j))
	if end < len(b) {
		if b[end] == '\'' {
			return contraction(b, end)
		}
		if b[end] >= 0x80 {
			return wordO200k(b, i, j)
		}
	}
	return end
}

// wordO200k returns the end of the word whose letters begin at j, which is
// one; i is the beginning of the piece.
func wordO200k(b []byte, i, j int) int {
	end, both := j, -1
	class, width := classAt(b, end)
	for class == classUpper || class == classLetter || class == classMark {
		end += width
		if class != classUpper {
			both = end
		}
		class, width = classAt(b, end)
	}
	switch {
	case class == classLower:
		for class == classLower || class == classLetter || class == classMark {
			end += width
			class, width = classAt(b, end)
		}
	case both >= 0:
		// There has to be a lower-case letter: the last that can be taken
		// for one ends the word, and upper-case letters after it are left.
		end = both
	case i < j:
		// A mark in front of upper-case letters can be taken for one too.
		if class, _ := classAt(b, i); class == classMark {
			end = j
		}
	}
	return contraction(b, end)
}
