package summary

import (
	"math"
	"slices"
	"strings"

	"tenfold/atom"
)

// redacted stands for a secret.
const redacted = "[redacted]"

// Redact replaces what looks like a secret: keys of well-known forms, what
// stands after a name such as api_key or password, tokens of HTTP
// authorisation, passwords in URLs, and private keys. It errs on both sides: a
// secret in another form stays.
func Redact(text string) string {
	text = withoutPrivateKeys(text)
	var b strings.Builder
	kept := 0
	for i := 0; i < len(text); {
		if !isSecretByte(text[i]) {
			i++
			continue
		}
		from := i
		for i < len(text) && isSecretByte(text[i]) {
			i++
		}
		secret := strings.TrimRight(text[from:i], ".=/-")
		if strings.HasPrefix(text[i:], ":") {
			if end := userinfoEnd(text, from, i); end > 0 {
				b.WriteString(text[kept:i+1] + redacted)
				kept, i = end, end
				continue
			}
		}
		if len(secret) < shortest {
			continue
		}
		// "key=value" is one run where the name has no quotes.
		if name, value, ok := strings.Cut(secret, "="); ok && isKeyName(name) && looksRandom(value) {
			from += len(name) + 1
			secret = value
		} else if !isSecret(text, from, secret) {
			continue
		}
		b.WriteString(text[kept:from] + redacted)
		kept = from + len(secret)
	}
	if kept == 0 {
		return text
	}
	b.WriteString(text[kept:])
	return b.String()
}

func isSecretByte(c byte) bool { return atom.IsWord(c) || strings.IndexByte("-+/=.~", c) >= 0 }

func isSecret(text string, at int, run string) bool {
	return isKnownSecret(run) || (namedSecret(text, at) && looksRandom(run))
}

// prefixes are how keys of well-known makers begin, by how long what follows is
// at least.
var prefixes = []struct {
	least int
	of    []string
}{
	{16, []string{"sk_live_", "sk_test_", "rk_live_", "pk_live_", "xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xapp-", "AKIA", "ASIA"}},
	{18, []string{"glpat-"}},
	{20, []string{"sk-", "ya29."}},
	{28, []string{"shpat_"}},
	{30, []string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "AIza", "npm_", "hf_", "gsk_"}},
	{40, []string{"pypi-", "dop_v1_", "SG.", "xai-", "AGE-SECRET-KEY-"}},
}

func isKnownSecret(s string) bool {
	for _, p := range prefixes {
		for _, prefix := range p.of {
			if rest, ok := strings.CutPrefix(s, prefix); ok && len(rest) >= p.least && entropy(rest) > 2.5 && strings.ContainsAny(rest, "0123456789") {
				return true
			}
		}
	}
	// A JSON web token: three parts, the first two objects in base64.
	return strings.HasPrefix(s, "eyJ") && strings.Count(s, ".") == 2 && strings.Contains(s, ".eyJ") && len(s) > 40
}

// shortest is the fewest characters of a secret.
const shortest = 12

// looksRandom reports whether a value is long and no word: most of a secret's
// characters differ.
func looksRandom(s string) bool {
	return len(s) >= shortest && entropy(s) >= 3 && (strings.ContainsAny(s, "0123456789") || len(s) >= 24)
}

// entropy is the entropy of a text, in bits for each byte.
func entropy(s string) float64 {
	var counts [256]int
	for i := range len(s) {
		counts[s[i]]++
	}
	sum := 0.0
	for _, n := range counts {
		if n > 0 {
			p := float64(n) / float64(len(s))
			sum -= p * math.Log2(p)
		}
	}
	return sum
}

// namedSecret reports whether what stands before a value names it as a secret:
// `"api_key": "…"`, `TOKEN=…`, `Authorization: Bearer …`.
func namedSecret(text string, at int) bool {
	end := at
	for end > 0 && at-end < 8 && strings.IndexByte(` "'\:=>`, text[end-1]) >= 0 {
		end--
	}
	if end == at {
		return false
	}
	from := end
	for from > 0 && end-from < 64 && (isSecretByte(text[from-1]) && text[from-1] != '=') {
		from--
	}
	name := text[from:end]
	switch strings.ToLower(name) {
	case "bearer", "basic":
		return true
	}
	return strings.ContainsAny(text[end:at], ":=") && isKeyName(name)
}

var (
	keyNames = strings.Fields(`apikey token secret secretkey password passwd accesskey privatekey authorization credential credentials accesskeyid
		authkey signingkey`)
	keySigns = strings.NewReplacer("-", "", "_", "", ".", "")
)

// isKeyName reports whether a name is that of a secret.
func isKeyName(name string) bool {
	name = strings.ToLower(keySigns.Replace(name))
	return slices.ContainsFunc(keyNames, func(end string) bool { return strings.HasSuffix(name, end) })
}

// userinfoEnd is where the password in "scheme://user:password@" ends, 0 where
// there is none; the user stands before at.
func userinfoEnd(text string, from, at int) int {
	if !strings.Contains(text[max(from-3, 0):at], "//") {
		return 0
	}
	for i := at + 1; i < len(text) && i-at < 200; i++ {
		switch c := text[i]; {
		case c == '@':
			if i == at+1 {
				return 0
			}
			return i
		case c <= ' ' || c == '/' || c == '"' || c == '\'':
			return 0
		}
	}
	return 0
}

// longestKey is more than the PEM of any private key.
const longestKey = 16 << 10

// withoutPrivateKeys replaces what stands between the lines of PEM; up to the
// end where the last line is missing.
func withoutPrivateKeys(text string) string {
	const begin, is, end = "-----BEGIN ", "PRIVATE KEY-----", "-----END "
	var b strings.Builder
	for {
		i := strings.Index(text, begin)
		if i < 0 {
			break
		}
		i += len(begin)
		b.WriteString(text[:i])
		text = text[i:]
		head := strings.Index(text[:min(len(text), 40)], is)
		if head < 0 {
			continue
		}
		head += len(is)
		size := strings.Index(text[head:min(len(text), head+longestKey)], end)
		if size < 0 {
			if size = len(text) - head; size > longestKey {
				continue
			}
		}
		b.WriteString(text[:head] + redacted)
		text = text[head+size:]
	}
	if b.Len() == 0 {
		return text
	}
	return b.String() + text
}
