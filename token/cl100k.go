package token

// splitCl100k returns the end of the piece at i by the rules of cl100k_base.
// In words, the first that fits:
//
//   - a contraction;
//   - a word: at most one character that is not a letter, number or line break,
//     then letters;
//   - one to three numbers;
//   - at most one space, then punctuation, then line breaks;
//   - white space (see space).
func splitCl100k(b []byte, i int) int {
	if j := asciiLetter(b, i); j >= 0 {
		return lettersCl100k(b, j)
	}
	class, width := classAt(b, i)
	switch class {
	case classLower, classUpper, classLetter:
		return lettersCl100k(b, i)
	case classNumber:
		return numbers(b, i)
	case classBreak:
		return space(b, i)
	}

	if b[i] == '\'' {
		if end := contraction(b, i); end > i {
			return end
		}
	}
	j := i + width
	next, _ := classAt(b, j)
	switch next {
	case classLower, classUpper, classLetter:
		return lettersCl100k(b, j)
	}
	if class == classSpace && (b[i] != ' ' || next != classOther && next != classMark) {
		return space(b, i)
	}
	end := punctuation(b, j)
	for end < len(b) && (b[end] == '\r' || b[end] == '\n') {
		end++
	}
	return end
}

// lettersCl100k returns the end of the run of letters at i.
func lettersCl100k(b []byte, i int) int {
	for {
		i = letterRun(b, i)
		if i < len(b) && b[i] < 0x80 {
			return i
		}
		class, width := classAt(b, i)
		if class != classUpper && class != classLower && class != classLetter {
			return i
		}
		i += width
	}
}
