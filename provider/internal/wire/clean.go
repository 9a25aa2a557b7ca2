package wire

import (
	"bytes"
	"strings"
	"unicode"

	"tenfold/internal/rawjson"
	"tenfold/internal/runes"
)

const (
	// maxMessage is the most bytes of an error's message.
	maxMessage = 300
	// quoted is how long a piece of a message must be to count as taken from
	// the conversation.
	quoted = 16
)

// clean makes a message one line of at most 300 bytes, with neither the key nor
// what looks like one, nor anything longer that stands in the request's body.
func (e *Endpoint) clean(message string, body []byte) string {
	message = message[:runes.Last(message, 8*maxMessage)]
	message = strings.ToValidUTF8(message, "�")
	message = strings.Map(func(r rune) rune {
		if !unicode.IsGraphic(r) {
			return ' '
		}
		return r
	}, message)
	words := strings.Fields(message)
	for i, w := range words {
		if e.secret(w) {
			words[i] = "[key]"
		}
	}
	message = unquote(strings.Join(words, " "), body)
	if len(message) <= maxMessage {
		return message
	}
	return message[:runes.Last(message, maxMessage-len("…"))] + "…"
}

// keyStarts are how keys of providers begin.
var keyStarts = []string{"sk-", "AIza", "gsk_", "xai-", "pplx-", "key-", "sk_", "rk-", "r8_", "hf_", "ya29.", "AQ."}

// secret reports whether a word holds the key, a piece of it, or what looks
// like one.
func (e *Endpoint) secret(word string) bool {
	const piece = 8
	for i := 0; i+piece <= len(e.key); i++ {
		if strings.Contains(word, e.key[i:i+piece]) {
			return true
		}
	}
	if e.key != "" && strings.Contains(word, e.key) {
		return true
	}
	for _, start := range keyStarts {
		if i := strings.Index(word, start); i >= 0 && len(word)-i >= 12 && (i == 0 || !isWord(word[i-1])) {
			return true
		}
	}
	return strings.Contains(word, "****")
}

// unquote leaves out what the message repeats from the body: providers quote
// what they do not like. Every piece of 23 bytes or more is found, some from 16
// on.
func unquote(message string, body []byte) string {
	if len(body) == 0 || len(message) < quoted {
		return message
	}
	within := func(from, to int) bool {
		piece := []byte(message[from:to])
		return bytes.Contains(body, piece) || bytes.Contains(body, inner(piece))
	}
	hide := make([]bool, len(message))
	found := false
	for i := 0; i+quoted <= len(message); i += quoted / 2 {
		if hide[i+quoted-1] || !within(i, i+quoted) {
			continue
		}
		found = true
		from, to := i, i+quoted
		for from > 0 && within(from-1, to) {
			from--
		}
		for to < len(message) && within(from, to+1) {
			to++
		}
		for j := from; j < to; j++ {
			hide[j] = true
		}
	}
	if !found {
		return message
	}
	var b strings.Builder
	hidden := false
	for i, r := range message {
		if hide[i] {
			if !hidden {
				b.WriteString("…")
			}
			hidden = true
			continue
		}
		hidden = false
		b.WriteRune(r)
	}
	return b.String()
}

// inner is how a text stands inside a JSON string.
func inner(text []byte) []byte {
	q := rawjson.Quote(string(text))
	return q[1 : len(q)-1]
}
