package atom

import "strings"

// The lengths of a code, in bytes, and how many digits it ends with at least.
const (
	minCode, maxCode = 5, 64
	codeDigits       = 2
)

// isCode reports whether words and joints are a [Code].
func isCode(run string) bool {
	if len(run) < minCode || len(run) > maxCode {
		return false
	}
	if name, host, ok := strings.Cut(run, "@"); ok {
		return name != "" && strings.Contains(host, ".") && !strings.ContainsAny(host, "@+~") && IsWord(host[0])
	}
	return isNumbered(run) || isAddress(run)
}

// isNumbered reports whether a run is capitals and digits joined by hyphens, the first
// part with a capital and the last of digits: "S-2025-0481".
func isNumbered(run string) bool {
	joints, named := 0, false
	for i := range len(run) {
		switch c := classes[run[i]]; {
		case c == digit:
		case c == capital:
			named = named || joints == 0
		case run[i] == '-' && i+1 < len(run) && run[i+1] != '-':
			joints++
		default:
			return false
		}
	}
	last := run[strings.LastIndexByte(run, '-')+1:]
	return named && joints > 0 && strings.Trim(last, "0123456789") == "" && len(last) >= codeDigits
}

// isAddress reports whether a run is four numbers of a byte joined by points.
func isAddress(run string) bool {
	parts := 0
	for part := range strings.SplitSeq(run, ".") {
		if parts++; part == "" || len(part) > 3 || strings.Trim(part, "0123456789") != "" || len(part) == 3 && part > "255" {
			return false
		}
	}
	return parts == 4
}
