package attack

import (
	"maps"
	"net/http"
	"regexp"
	"strings"
)

// volatile are headers that differ each time.
var volatile = map[string]bool{"Date": true, "Content-Length": true, "X-Request-Id": true, "Traceparent": true}

// What differs each time in a body: times, and ids that are drawn.
var drawn = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|fresh-\d{6}|tf_\d+_[a-z2-7]{12}_[a-z2-7]{52}|"id":"[a-z2-7]{12}"`)

func masked(body string) string { return drawn.ReplaceAllString(body, "*") }

func merged(x, y http.Header) http.Header {
	all := maps.Clone(x)
	maps.Copy(all, y)
	return all
}

// alike is a value of the same length and shape that nobody has.
func alike(value string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r < 'z', r >= '0' && r < '9', r >= 'A' && r < 'Z':
			return r + 1
		case r == 'z', r == 'Z':
			return r - 25
		case r == '9':
			return '0'
		}
		return r
	}, value)
}

// sentMark stands for what was sent.
const sentMark = "SENT"

// without takes out of an answer what was sent, so that two can be compared.
func (a answer) without(sent string) answer {
	out := answer{a.status, http.Header{}, strings.ReplaceAll(a.body, sent, sentMark)}
	for name, values := range a.header {
		for _, v := range values {
			out.header[name] = append(out.header[name], strings.ReplaceAll(v, sent, sentMark))
		}
	}
	return out
}
