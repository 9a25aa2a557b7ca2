package excerpt

import (
	"slices"
	"strings"
)

// A value of settings is of what stands above it, farther out: in YAML and JSON the keys, in
// TOML and INI a section, in a plan of Terraform the resource. "replicas: 3" alone is of
// nobody knows what (fit.md F6).

// outline finds what the lines of settings stand under, as a text is read.
type outline struct {
	textLines []textLine
	keys      []key // each farther in than the one before
	// named is the line that names the document, "name" under "metadata"; kind the one
	// that says of what kind it is.
	named, kind int32
	metadata    bool // the key that the document's first lines are under
	// section is the section of TOML or INI; where it waits, a line has yet to show that it is one.
	section int32
	waits   bool
}

// key is a line that others may stand under.
type key struct {
	margin, number int32
	item           bool // of a list
	sure           bool // what follows has shown that it is one
}

const (
	// deepestKey is how many keys deep lines are that are looked at, longestKey how many
	// bytes a key has at most.
	deepestKey, longestKey = 16, 60
	// directKeys is how far in a key is kept with those that it is directly in; of one farther
	// in the item of a list that it is in is told, or the second key.
	directKeys = 2
)

func (h *outline) line(line, bare string, number int32) {
	switch {
	case bare == "" || bare[0] == '#' || len(bare) > maxHead:
		return
	case bare == "---":
		h.keys, h.named, h.kind = h.keys[:0], 0, 0
		return
	case h.ofSection(line, bare, number):
		return
	}
	m, rest, item := margin(line), bare, false
	for strings.HasPrefix(rest, "- ") {
		rest, item = strings.TrimLeft(rest[2:], " "), true
	}
	name, value, isKey := cutKey(rest)
	for n := len(h.keys); n > 0; n-- {
		if up := h.keys[n-1]; up.margin < m && (up.sure || isKey || item) || up.margin == m && item && !up.item {
			h.keys[n-1].sure = true
			break
		}
		h.keys = h.keys[:n-1]
	}
	depth := len(h.keys)
	if depth > 0 {
		under(h.textLines, number, h.keys[depth-1].number)
	}
	if isKey && !item {
		h.ofDocument(name, value, m, number)
	}
	opens := isKey && (item || openers[value] || strings.HasPrefix(value, "&") && !strings.Contains(value, " ")) ||
		strings.HasSuffix(bare, "{") && isBlock(bare)
	if !opens || depth == deepestKey {
		return
	}
	if depth > directKeys || item {
		h.skip(number, item)
	}
	h.keys = append(h.keys, key{margin: m, number: number, item: item, sure: rest[0] == '"' || strings.IndexByte("{|>", bare[len(bare)-1]) >= 0 || strings.HasSuffix(value, "-")})
}

// openers are what stands behind a key that others stand under.
var openers = map[string]bool{"": true, "|": true, "|-": true, "|+": true, ">": true, ">-": true, ">+": true, "{": true, "[": true}

// skip puts a key far in under the item of a list that it is in, else under the second of all.
func (h *outline) skip(number int32, item bool) {
	up := h.named
	if n := len(h.keys); n > 0 && (up == 0 || !item) {
		up = h.keys[min(1, n-1)].number
	}
	for _, k := range slices.Backward(h.keys) {
		if k.item {
			up = k.number
			break
		}
	}
	if up > 0 && up != number {
		h.textLines[number-1].head = up
	}
}

// ofDocument takes in a key that may name the document, and puts the outermost ones under that.
func (h *outline) ofDocument(name, value string, m, number int32) {
	switch {
	case m == 0:
		h.metadata = name == "metadata"
		if name == "kind" {
			h.kind = number
		}
		under(h.textLines, number, h.named)
	case name == "name" && value != "" && h.metadata && h.named == 0 && len(h.keys) == 1:
		h.named = number
		h.textLines[number-1].head = h.kind
	}
}

// ofSection reports whether a line is of a section of TOML or INI.
func (h *outline) ofSection(line, bare string, number int32) bool {
	if line[0] == '[' && isSection(bare) {
		h.section, h.waits, h.keys = number, true, h.keys[:0]
		return true
	}
	if h.section == 0 {
		return false
	}
	name, _, ok := strings.Cut(bare, "=")
	if name = strings.TrimRight(name, " "); h.waits && (!ok || name == "" || strings.ContainsAny(name, " ()<>{}")) {
		h.section = 0
		return false
	}
	h.waits = false
	under(h.textLines, number, h.section)
	return true
}

// isSection reports whether a line is "[tool.ruff]", "[[bin]]", `[remote "origin"]`.
func isSection(bare string) bool {
	name := strings.TrimRight(strings.TrimLeft(bare, "["), "]")
	if len(bare)-len(name) < 2 || !strings.HasSuffix(bare, "]") || name == "" || len(name) > longestKey || strings.Count(name, " ") > 1 {
		return false
	}
	return !strings.ContainsAny(name, "(){}[]<>=,;|`*&$\\!?%+#")
}

// isBlock reports whether a line begins a block of Terraform: `resource "a" "b" {`, with the
// sign of a plan before it or without.
func isBlock(bare string) bool {
	word, rest, _ := strings.Cut(strings.TrimLeft(bare, "+-~/ "), " ")
	switch word {
	case "resource", "data", "module", "provider", "variable", "output":
		return strings.HasPrefix(rest, `"`)
	}
	return false
}

// cutKey cuts "key: value"; false for what is no line of YAML or JSON.
func cutKey(text string) (name, value string, ok bool) {
	at := strings.IndexByte(text, ':')
	if strings.HasPrefix(text, `"`) {
		if end := strings.IndexByte(text[1:], '"'); end >= 0 && strings.HasPrefix(text[end+2:], ":") {
			at = end + 2
		}
	}
	if at <= 0 || at > longestKey || at+1 < len(text) && text[at+1] != ' ' {
		return "", "", false
	}
	name, value = text[:at], strings.TrimSpace(text[at+1:])
	if name[0] != '"' && strings.ContainsAny(name, " \t(){}[]<>=,;|`'\"") {
		return "", "", false
	}
	return name, value, true
}
