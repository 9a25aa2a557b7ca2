package redact

import (
	"regexp"
	"strings"
)

// longestKey is more than the PEM of any private key.
const longestKey = 16 << 10

// putty is a private key as PuTTY keeps it.
var putty = regexp.MustCompile(`(Private-Lines: [0-9]+)([^:]+?)(Private-MAC|:|\z)`)

// keyLines is as much of a private key as there is, where its last line is not.
var keyLines = regexp.MustCompile(`^(?:(?:\s|\\[rn])*[A-Za-z0-9+/]{32,}={0,2})+(?:(?:\s|\\[rn])+[A-Za-z0-9+/]+={0,2}(?:\s|\\[rn]))?`)

// withoutPrivateKeys replaces what stands between the lines of PEM, and of PuTTY; up to
// the end where the last line is missing.
func withoutPrivateKeys(text string, counts *Counts) string {
	if strings.Contains(text, "Private-Lines: ") {
		text = putty.ReplaceAllStringFunc(text, func(key string) string {
			part := putty.FindStringSubmatch(key)
			if part[2] == redacted || len(part[2]) > longestKey {
				return key
			}
			counts[PrivateKey]++
			return part[1] + redacted + part[3]
		})
	}
	const begin, end = "-----BEGIN ", "-----END "
	var b strings.Builder
	for {
		i := strings.Index(text, begin)
		if i < 0 {
			break
		}
		i += len(begin)
		b.WriteString(text[:i])
		text = text[i:]
		head := 0
		for _, is := range []string{"PRIVATE KEY-----", "PRIVATE KEY BLOCK-----"} {
			if at := strings.Index(text[:min(len(text), 48)], is); at >= 0 {
				head = at + len(is)
			}
		}
		if head == 0 {
			continue
		}
		size := strings.Index(text[head:min(len(text), head+longestKey)], end)
		if size < 0 {
			if size = len(text) - head; size > longestKey { // a key that was cut, or only its first line
				size = len(keyLines.FindString(text[head : head+longestKey]))
			}
		}
		if strings.TrimSpace(text[head:head+size]) == redacted || size == 0 {
			continue
		}
		counts[PrivateKey]++
		b.WriteString(text[:head] + redacted)
		text = text[head+size:]
	}
	if b.Len() == 0 {
		return text
	}
	return b.String() + text
}
