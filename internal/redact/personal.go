package redact

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	mail = "[e-mail]"
	user = "[user]"
)

// withoutMails replaces addresses of people.
func withoutMails(text string, counts *Counts) string {
	var b strings.Builder
	kept := 0
	for at := 0; ; at++ {
		next := strings.IndexByte(text[at:], '@')
		if next < 0 {
			break
		}
		at += next
		from, to := at, at+1
		for from > kept && at-from < 64 {
			r, size := utf8.DecodeLastRuneInString(text[kept:from])
			if !strings.ContainsRune(".+-%_", r) && !unicode.IsDigit(r) && !unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic) {
				break
			}
			from -= size
		}
		from += escapeLength(text, from, at)
		for from < at && strings.IndexByte(".-+%", text[from]) >= 0 {
			from++
		}
		for to < len(text) && to-at < 255 && (isPartOfWord(text[to]) && text[to] != '_' || text[to] == '-' || text[to] == '.') {
			to++
		}
		domain := strings.TrimRight(text[at+1:to], ".-")
		if to = at + 1 + len(domain); isMail(text[from:at], domain) {
			counts[Email]++
			b.WriteString(text[kept:from])
			b.WriteString(mail)
			kept = to
			at = to - 1
		}
	}
	if kept == 0 {
		return text
	}
	b.WriteString(text[kept:])
	return b.String()
}

// Names at which nobody reads, and endings of domains that nobody has: those that
// are reserved, and those of files (icon@2x.png) and of systemd's units.
var (
	nobody    = strings.Fields("noreply no-reply donotreply git hg svn user username name you your.email youremail email test example")
	noDomains = strings.Fields(`example.com example.org example.net test invalid localhost local example png jpg jpeg gif svg webp ico js mjs cjs ts tsx
		jsx css py rb go rs java kt swift php html json yaml yml toml md txt sh service socket timer target internal`)
)

func isMail(local, domain string) bool {
	dot := strings.LastIndexByte(domain, '.')
	if local == "" || dot <= 0 || len(domain)-dot < 3 || strings.Contains(domain, "..") || strings.ContainsAny(domain[dot+1:], "0123456789-") {
		return false
	}
	domain = strings.ToLower(domain)
	return !slices.Contains(nobody, strings.ToLower(local)) &&
		!slices.ContainsFunc(noDomains, func(end string) bool { return domain == end || strings.HasSuffix(domain, "."+end) })
}

// homes are what stands before a name in the path of a home directory. In a file's
// name that stands for a path, "-" is in the place of each separator.
var homes = []struct {
	before string
	dashed bool
}{{"/home/", false}, {"/Users/", false}, {`\Users\`, false}, {"-home-", true}, {"-Users-", true}}

// Names of home directories that tell of nobody.
var nobodys = strings.Fields(`user users username name you me root runner ubuntu debian node app admin administrator shared public default vscode codespace
	developer dev agent sandbox jovyan circleci travis build builder docker vagrant linuxbrew git work workspace project test tester openhands coder example
	alice bob`)

// withoutUsers replaces names of home directories.
func withoutUsers(text string, counts *Counts) string {
	var b strings.Builder
	kept := 0
	for at := 0; at < len(text); {
		next := strings.IndexAny(text[at:], `hU`)
		if next < 0 {
			break
		}
		at += next
		to := at + 1
		for _, h := range homes {
			if rest := text[max(at-1, 0):]; at > kept && strings.HasPrefix(rest, h.before) {
				from := at - 1 + len(h.before)
				for h.before[0] == '\\' && strings.HasPrefix(text[from:], `\`) {
					from++ // as JSON has it, and JSON within JSON
				}
				end := from
				for end < len(text) && end-from < 64 && (isPartOfWord(text[end]) || !h.dashed && (text[end] == '-' || text[end] == '.' || text[end] > 127)) {
					end++
				}
				if name := strings.TrimRight(text[from:end], "."); isUser(name, h.dashed, text[end:], text[:at-1]) {
					counts[User]++
					b.WriteString(text[kept:from])
					b.WriteString(user)
					kept = from + len(name)
				}
				to = max(to, from)
			}
		}
		at = to
	}
	if kept == 0 {
		return text
	}
	b.WriteString(text[kept:])
	return b.String()
}

// isUser reports whether what stands in the place of a home directory's name is one.
func isUser(name string, dashed bool, after, before string) bool {
	if len(name) < 2 || slices.Contains(nobodys, strings.ToLower(name)) {
		return false
	}
	if dashed { // words with dashes have "home" in them too: only a whole path counts
		return strings.HasPrefix(after, "-") && isRoot(before, '-')
	}
	return isRoot(before, '/') // else a path on a web site: /home/page.html
}

// mounts are directories that homes may stand under, besides a drive's letter, which
// may stand under some of them.
var mounts = strings.Fields("var export usr private mnt cygdrive System/Volumes/Data")

// isRoot reports whether homes stand at the end of a path: at none, or where a disk is
// mounted (C:, C%3A, /c, /mnt/c, /var; with dashes C-).
func isRoot(before string, separator byte) bool {
	if separator == '-' && strings.HasSuffix(before, "-") {
		return isDrive(before[:len(before)-1])
	}
	if n := len(before) - 2; n >= 0 && before[n] == separator && isDrive(before) {
		before = before[:n]
	}
	for _, m := range mounts {
		if rest, ok := strings.CutSuffix(before, string(separator)+strings.ReplaceAll(m, "/", string(separator))); ok {
			before = rest
			break
		}
	}
	return before == "" || !isPartOfWord(before[len(before)-1]) || strings.HasSuffix(before, "%3A") || endsInStyle(before)
}

// isDrive reports whether a text ends in a letter alone.
func isDrive(text string) bool {
	n := len(text) - 1
	return n >= 0 && (text[n]|0x20) >= 'a' && (text[n]|0x20) <= 'z' && (n == 0 || !isPartOfWord(text[n-1]))
}
