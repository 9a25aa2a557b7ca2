// Package redact replaces what must not leave the machine in a text that somebody
// is going to share: secrets, and what names a person. It goes by the form of a text
// alone, asks nobody, and errs on both sides: a secret in a form that is not listed
// here stays, and what only looks like one goes.
//
// Secrets, of which "[redacted]" is left:
//
//   - key: a key or token of a form that its maker publishes (known.go has the
//     table), a JSON web token, the address of a webhook of Slack or Discord
//   - password: what stands after a name such as api_key, token, secret or password
//     and is long and random ("DB_TOKEN=…", `"api_key": "…"`); after password or
//     passphrase also a short one that is quoted or holds a digit; the password in
//     "scheme://user:password@host", after "curl -u user:", after -p of sshpass, docker
//     login and mysql, and in lines of .netrc and .pgpass
//   - authorization: what follows Bearer, Basic and the header Authorization with its
//     scheme, the "auth" of a registry, and the values of cookies
//   - what is one of these in base64, and the values of a Secret of Kubernetes
//   - private key: what stands between the lines of PEM and of PGP, and the private
//     lines of PuTTY
//
// What names a person:
//
//   - e-mail: addresses, of which "[e-mail]" is left. Those of example.org and its
//     like, of nobody ("noreply@…") and of a login ("git@github.com:…") stay
//   - user: the name of a home directory, of which "[user]" is left: /home/NAME,
//     /Users/NAME, C:\Users\NAME, those where other systems mount them (/mnt/c,
//     /c, /var), and as tools put such a path into a file's name (-home-NAME-src).
//     Names that are nobody's, such as runner or user, stay
//   - word: what the caller names
//
// The escapes of a terminal's colours may stand around all of these, and the ends of
// lines in them: behind a backslash, or where base64 is wrapped.
// A name of a person that stands alone in a text is not found.
package redact

import (
	"regexp"
	"strings"
)

// A Kind is what was found.
type Kind int

// The kinds, in the order in which a report names them.
const (
	Key Kind = iota
	Password
	Authorization
	PrivateKey
	Email
	User
	Word
	kinds
)

// Words name a kind, for one and for several.
func (k Kind) Words() (one, many string) {
	w := [kinds][2]string{
		{"key or token", "keys or tokens"},
		{"password or named secret", "passwords or named secrets"},
		{"authorization", "authorizations"},
		{"private key", "private keys"},
		{"e-mail address", "e-mail addresses"},
		{"user name in a path", "user names in paths"},
		{"given word", "given words"},
	}[k]
	return w[0], w[1]
}

// Counts says how many of each kind were replaced.
type Counts [kinds]int

// All is the sum.
func (c Counts) All() (n int) {
	for _, k := range c {
		n += k
	}
	return n
}

// A Redactor replaces secrets and what names a person, and counts both. It is for one
// goroutine at a time. Make one with [New].
type Redactor struct {
	Counts Counts
	words  *regexp.Regexp
}

// New makes a redactor that replaces some words as well, in any case. A byte of a word that
// is not UTF-8 stands for any such byte, as it does in texts.
func New(words ...string) *Redactor {
	r := &Redactor{}
	var all []string
	for _, w := range words {
		if w = strings.TrimSpace(w); w != "" {
			all = append(all, regexp.QuoteMeta(string([]rune(w))))
		}
	}
	if len(all) > 0 {
		// What is left of others comes first, so that no word is found within.
		marks := regexp.QuoteMeta(redacted) + "|" + regexp.QuoteMeta(mail) + "|" + regexp.QuoteMeta(user)
		r.words = regexp.MustCompile(marks + "|(?i:" + strings.Join(all, "|") + ")")
	}
	return r
}

// Text gives a text without them.
func (r *Redactor) Text(text string) string {
	text = withoutUsers(withoutMails(secrets(text, &r.Counts), &r.Counts), &r.Counts)
	if r.words == nil {
		return text
	}
	return r.words.ReplaceAllStringFunc(text, func(found string) string {
		if found == redacted || found == mail || found == user {
			return found
		}
		r.Counts[Word]++
		return redacted
	})
}

// Secrets gives a text without secrets; what names a person stays.
func Secrets(text string) string {
	var c Counts
	return secrets(text, &c)
}
