package redact

import (
	"encoding/base64"
	"math"
	"slices"
	"strings"

	"tenfold/atom"
)

// redacted stands for a secret.
const redacted = "[redacted]"

// secrets replaces secrets in a text and counts them.
func secrets(text string, counts *Counts) string {
	text = withoutKubernetes(withoutPrivateKeys(text, counts), counts)
	if joined, at := unwrapped(text); at != nil {
		text = cutOut(text, spansOf(joined, counts), at)
	}
	return cutOut(text, spansOf(text, counts), nil)
}

// A span is where a secret stands in a text.
type span struct{ from, to int }

// cutOut replaces spans in a text; at says where the bytes of the text in which they
// were found stand in it, nil if that is the same.
func cutOut(text string, spans []span, at []int32) string {
	if len(spans) == 0 {
		return text
	}
	var b strings.Builder
	kept := 0
	for _, s := range spans {
		if at != nil {
			s.from, s.to = int(at[s.from]), int(at[s.to-1])+1
		}
		b.WriteString(text[kept:s.from])
		b.WriteString(redacted)
		kept = s.to
	}
	b.WriteString(text[kept:])
	return b.String()
}

// spansOf finds the secrets in a text, in order, and counts them.
func spansOf(text string, counts *Counts) (spans []span) {
	replace := func(kind Kind, from, to int) {
		counts[kind]++
		spans = append(spans, span{from, to})
	}
	read := 0 // up to where it was looked for base64
	for i := 0; i < len(text); {
		if !secretByte[text[i]] {
			i++
			continue
		}
		from := i
		for i < len(text) && secretByte[text[i]] {
			i++
		}
		from += escapeLength(text, from, i)
		run := text[from:i]
		if strings.HasPrefix(text[i:], ":") {
			if end := userinfoEnd(text, from, i); end > 0 {
				replace(Password, i+1, end)
				i = end
				continue
			}
		}
		nameEnd := from + len(strings.TrimRight(run, "=")) // PASSWORD="…"
		if end := passwordEnd(text, from, nameEnd); end > 0 {
			at, _ := passwordStart(text, from, nameEnd)
			replace(Password, at, end)
			i = end
			continue
		}
		if at, end := loginPassword(text, from, i); end > 0 {
			replace(Password, at, end)
			i = end
			continue
		}
		secret := strings.TrimRight(run, ".=/-")
		name, value, assigned := strings.Cut(run, "=")
		if assigned && isPasswordName(name) && isShortPassword(strings.TrimRight(value, ".=/-")) {
			replace(Password, from+len(name)+1, from+len(secret))
			continue
		}
		if len(secret) < shortest && (!assigned || !isPercent(text[i:])) {
			continue
		}
		if isBotToken(text, from, run) {
			i = from + botToken
			replace(Key, from, i)
			continue
		}
		if at, end := findKnown(secret); end > 0 {
			i = from + end
			replace(Key, from+at, i)
			continue
		}
		if from >= read { // a value that is wrapped is read once
			at := from
			if assigned && strings.Trim(value, "=") != "" {
				at += len(name) + 1
			}
			var encoded bool
			if read, encoded = encodedEnd(text, at, i); encoded {
				replace(Key, at, read)
				i = read
				continue
			}
		}
		if kind, at, end := namedValue(text, from, i); kind != kinds {
			replace(kind, at, end)
			i = max(i, end)
		}
	}
	return spans
}

// namedValue finds the secret in a run that a name tells, in it or before it; kinds
// for none.
func namedValue(text string, from, to int) (kind Kind, at, end int) {
	run := text[from:to]
	secret := strings.TrimRight(run, ".=/-")
	name, value, assigned := strings.Cut(run, "=")
	named := assigned && (isKeyName(name) || isSignature(text, from, name))
	if named {
		value = text[from+len(name)+1 : max(to, percentEnd(text, to))]
	}
	value = strings.TrimRight(value, ".=/-")
	at = from + len(name) + 1
	switch kind := namedSecret(text, from, secret); {
	case named && looksRandom(value),
		assigned && name == "_password" && strings.HasSuffix(text[:from], ":"): // of npm
		return Password, at, at + len(value)
	case assigned && strings.HasSuffix(strings.ToLower(name), "auth") && isBasic(value), assigned && looksRandom(value) && onCookieLine(text, from):
		return Authorization, at, at + len(value)
	case kind != kinds:
		if end := wrappedEnd(text, from, to); end > to {
			return kind, from, end
		}
		return kind, from, max(from+len(secret), percentEnd(text, to))
	case strings.HasPrefix(text[to:], "@") && strings.HasPrefix(run, "//") && looksRandom(run[2:]) && !strings.ContainsAny(run[2:], "./"):
		return Key, from + 2, to
	}
	return kinds, 0, 0
}

var secretByte = func() (all [256]bool) {
	for c := range all {
		all[c] = atom.IsWord(byte(c)) || strings.IndexByte("-+/=.~", byte(c)) >= 0
	}
	return all
}()

// escapeLength is how much of a run belongs to the escape that it ends: of JSON, the
// n of "\nsk-…", of an address, the 3D of "token%3Dsk-…", or of a terminal's style, the 31m of
// "\x1b[31msk-…".
func escapeLength(text string, from, to int) int {
	if from == 0 {
		return 0
	}
	end := from
	for end < to && text[end] >= '0' && text[end] <= '9' {
		end++
	}
	if end < to && text[end] == 'm' && endsInStyle(text[:end+1]) {
		return end + 1 - from
	}
	if isPercent(text[from-1:]) {
		return 2
	}
	if text[from-1] != '\\' {
		return 0
	}
	switch text[from] {
	case 'n', 'r', 't':
		return 1
	case 'u':
		return min(5, to-from)
	}
	return 0
}

// isPercent reports whether a text begins with a byte as addresses write it.
func isPercent(text string) bool {
	const hexes = "0123456789abcdefABCDEF"
	return len(text) > 2 && text[0] == '%' && strings.IndexByte(hexes, text[1]) >= 0 && strings.IndexByte(hexes, text[2]) >= 0
}

// percentEnd is where a value ends whose base64 goes on, as addresses write it, behind a run, 512
// bytes of it at most; 0 for no such.
func percentEnd(text string, to int) (end int) {
	text = text[:min(len(text), to+512)]
	for isPercent(text[to:]) && slices.Contains([]string{"2B", "2F", "3D"}, strings.ToUpper(text[to+1:to+3])) {
		for to += 3; to < len(text) && secretByte[text[to]]; {
			to++
		}
		end = to
	}
	return end
}

// escapes are how what begins a terminal's sequence is written.
var escapes = []string{"\x1b[", `\u001b[`, `\u001B[`, `\x1b[`, `\x1B[`, `\033[`, `\e[`}

// endsInStyle reports whether a text ends in what sets a terminal's colours.
func endsInStyle(text string) bool {
	text, ok := strings.CutSuffix(text, "m")
	if !ok {
		return false
	}
	text = strings.TrimRight(text, "0123456789;")
	return slices.ContainsFunc(escapes, func(e string) bool { return strings.HasSuffix(text, e) })
}

// shortest is the fewest characters of a secret that no form and no quotes tell.
const shortest = 12

// looksRandom reports whether a value is long and no word: most of a secret's
// characters differ.
func looksRandom(s string) bool {
	return len(s) >= shortest && entropy(s) >= 3 && (strings.ContainsAny(s, "0123456789") || len(s) >= 24) && !isExpression(s)
}

// isExpression reports whether a value is code that tells where the secret is from,
// as process.env.API_KEY.
func isExpression(s string) bool {
	if !strings.Contains(s, ".") || strings.ContainsAny(s, "-+/=~") {
		return false
	}
	for name := range strings.SplitSeq(s, ".") {
		if len(name) > 32 || len(name) > 0 && name[0] >= '0' && name[0] <= '9' {
			return false
		}
	}
	return true
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

// mostBetween is the most between a name and its value: two quotes, each of JSON
// within JSON within JSON, and a sign.
const mostBetween = 24

// namedSecret says as what the text before a value names it: `"api_key": "…"`,
// `TOKEN=…`, `Authorization: Bearer …`; kinds for nothing.
func namedSecret(text string, at int, value string) Kind {
	end := at
	for end > 0 && at-end < mostBetween && strings.IndexByte(" \"'`\\:=>", text[end-1]) >= 0 {
		end--
	}
	equals := end == at && at > 3 && strings.EqualFold(text[at-3:at], "%3D")
	if equals {
		end -= 3
	}
	if end == at {
		return kinds
	}
	from := end
	for from > 0 && end-from < 64 && (secretByte[text[from-1]] && text[from-1] != '=') {
		from--
	}
	name := strings.ToLower(text[from+escapeLength(text, from, end) : end])
	switch {
	case name == "basic" && isBasic(value), name == "bearer" && looksRandom(value),
		isAuthorization(text[:from]) && looksRandom(value),
		strings.HasSuffix(name, "auth") && strings.ContainsAny(text[end:at], ":=") && isBasic(value):
		return Authorization
	case !equals && !strings.ContainsAny(text[end:at], ":=") && !strings.HasPrefix(name, "--") || !isKeyName(name) || !looksRandom(value):
		return kinds
	case strings.HasSuffix(name, "authorization"):
		return Authorization
	}
	return Password
}

// isAuthorization reports whether a text ends in the name of that header and its
// colon: the scheme follows.
func isAuthorization(text string) bool {
	const name = "authorization"
	rest := strings.TrimRight(text, " \"'`\\:=")
	at := len(rest) - len(name)
	return at >= 0 && strings.EqualFold(rest[at:], name) && strings.ContainsAny(text[len(rest):], ":=")
}

// isBasic reports whether a value is a name and a password, as the Basic scheme
// sends them.
func isBasic(value string) bool {
	data, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(value, "="))
	return err == nil && strings.Contains(string(data), ":") &&
		!strings.ContainsFunc(string(data), func(r rune) bool { return r < ' ' || r == '\uFFFD' })
}

var (
	keyNames = strings.Fields(`apikey token secret secretkey password passwd passphrase accesskey accountkey privatekey authorization credential
		credentials accesskeyid authkey signingkey encryptionkey masterkey servicekey presharedkey subscriptionkey keybase amzsignature googsignature`)
	keySigns = strings.NewReplacer("-", "", "_", "", ".", "")
)

// isKeyName reports whether a name is that of a secret.
func isKeyName(name string) bool {
	name = strings.ToLower(keySigns.Replace(name))
	return slices.ContainsFunc(keyNames, func(end string) bool { return strings.HasSuffix(name, end) })
}

// isSignature reports whether a value of a query is what signs the address.
func isSignature(text string, from int, name string) bool {
	return name == "sig" && from > 0 && strings.IndexByte("?&", text[from-1]) >= 0
}

// onCookieLine reports whether a header of cookies begins before it on its line.
func onCookieLine(text string, at int) bool {
	line := text[max(at-4096, 0):at]
	line = line[strings.LastIndexByte(line, '\n')+1:]
	i := strings.LastIndex(line, "ookie:")
	return i >= 0 && !strings.ContainsAny(line[i:], `"'`+"`")
}

// botToken is how long what follows the number of a Telegram bot is.
const botToken = 35

// isBotToken reports whether a run begins with that.
func isBotToken(text string, at int, run string) bool {
	if len(run) < botToken || !strings.HasPrefix(run, "AA") || at < 9 || text[at-1] != ':' || len(run) > botToken && isPartOfWord(run[botToken]) {
		return false
	}
	return strings.Trim(text[at-9:at-1], "0123456789") == ""
}

// userinfoEnd is where the password in "scheme://user:password@", or in "curl -u
// user:password", ends, 0 where there is none; the user stands before at.
func userinfoEnd(text string, from, at int) int {
	if strings.HasSuffix(text[:from], " -u ") || strings.HasSuffix(text[:from], " --user ") {
		line := text[max(from-256, 0):from]
		end := at + 1
		for end < len(text) && end-at < 200 && strings.IndexByte(" \t\n\"'\\", text[end]) < 0 {
			end++
		}
		if strings.Contains(line, "curl") && end > at+1 && text[at+1] != '$' && text[at+1] != '[' {
			return end
		}
		return 0
	}
	if !strings.Contains(text[max(from-3, 0):at], "//") {
		return 0
	}
	value := text[at+1 : min(len(text), at+200)]
	if end := strings.IndexAny(value, " \t\r\n/\\\"'"); end >= 0 {
		value = value[:end]
	}
	end := strings.LastIndexByte(value, '@') // it may hold one itself
	if end < 1 || strings.IndexByte("$<{%", value[0]) >= 0 || value[:end] == redacted {
		return 0
	}
	return at + 1 + end
}

// isPasswordName reports whether a name says that what follows is a password.
func isPasswordName(name string) bool {
	return slices.ContainsFunc([]string{"password", "passwd", "passphrase", "_pass", "pwd"}, func(end string) bool {
		return len(name) >= len(end) && strings.EqualFold(name[len(name)-len(end):], end)
	})
}

// isShortPassword reports whether a value that a name calls a password is one: it is
// short, and code would have a name or an expression there.
func isShortPassword(s string) bool {
	return len(s) >= 6 && strings.ContainsAny(s, "0123456789") && !strings.ContainsAny(s, "./")
}

// passwordStart is where the value after a name begins, and whether it is quoted; 0
// for none. The name of a flag or of an environment's variable needs no sign after it.
func passwordStart(text string, from, at int) (start int, quoted bool) {
	name := text[from:at]
	sign := strings.HasPrefix(name, "--") || strings.Contains(name, "_") && strings.ToUpper(name) == name
	for i := at; i < len(text) && i-at < mostBetween; i++ {
		switch text[i] {
		case ':', '=', '>':
			sign = true
		case ',': // of a call: define("PASSWORD", "…")
			sign = sign || strings.IndexByte(`"'`, text[i-1]) >= 0
		case '"', '\'', '\\', ' ':
		default:
			if !sign || i == at {
				return 0, false
			}
			return i, text[i-1] == '"' || text[i-1] == '\''
		}
	}
	return 0, false
}

// passwordEnd is where the password ends that stands after a name; 0 for none. An
// expression, a placeholder or plain words are none.
func passwordEnd(text string, from, at int) int {
	if at == from {
		return 0
	}
	if c := text[at-1] | 0x20; c != 'd' && c != 'e' && c != 's' || !isPasswordName(text[from:at]) {
		return 0
	}
	start, quoted := passwordStart(text, from, at)
	if start == 0 {
		return 0
	}
	if !quoted {
		end := bareEnd(text, start)
		if value := text[start:end]; isShortPassword(value) && !strings.ContainsAny(value, exprChars) {
			return end
		}
		return 0
	}
	quote := text[start-1]
	end := start
	for end < len(text) && end-start < 128 && text[end] != quote && text[end] != '\\' {
		if text[end] <= ' ' || strings.IndexByte(exprChars, text[end]) >= 0 || text[end] == '/' && strings.EqualFold(text[from:at], "pwd") { // a directory
			return 0
		}
		end++
	}
	if end-start < 6 { // a text that is cut off may end in it
		return 0
	}
	for _, c := range []byte(text[start:end]) { // words alone would be a placeholder
		if c >= '0' && c <= '9' || !isPartOfWord(c) && c != '-' && c != '.' {
			return end
		}
	}
	return 0
}

// exprChars tell an expression or a placeholder.
const exprChars = "${}<>()[]*…"

// bareEnd is where a value without quotes ends.
func bareEnd(text string, from int) int {
	if n := strings.IndexAny(text[from:min(len(text), from+128)], " \t\r\n\"'\\<,;&|`"); n >= 0 {
		return from + n
	}
	return min(len(text), from+128)
}
