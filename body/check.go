package body

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tenfold/internal/rawjson"
)

// The checks of this file and its neighbours read bodies afresh, and share
// nothing with the code that writes them.

// report collects violations.
type report struct{ list []Violation }

func (r *report) addf(path, format string, args ...any) {
	r.list = append(r.list, Violation{path, fmt.Sprintf(format, args...)})
}

func at(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }

// read decodes a body into v, or reports why not.
func (r *report) read(path string, data []byte, v any) bool {
	if err := json.Unmarshal(data, v, rawjson.Verbatim); err != nil {
		r.addf(path, "has the wrong shape: %v", err)
		return false
	}
	return true
}

// calls checks call ids: unique, of the right alphabet, each answered at once.
type calls struct {
	seen map[string]bool
	open map[string]bool
}

func newCalls() *calls { return &calls{seen: map[string]bool{}, open: map[string]bool{}} }

// naming says which names a provider takes: of letters, digits and some other
// characters, of a limited length.
type naming struct {
	words string // the same as an expression, for people
	extra string
	most  int // 0 for no limit
	// letter says that the first character is a letter or "_".
	letter bool
}

func (n naming) fits(name string) bool {
	if name == "" || (n.most > 0 && len(name) > n.most) {
		return false
	}
	for i := range len(name) {
		c := name[i]
		letter, digit := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z', '0' <= c && c <= '9'
		if i == 0 && n.letter && !letter && c != '_' {
			return false
		}
		if !letter && !digit && strings.IndexByte(n.extra, c) < 0 {
			return false
		}
	}
	return true
}

func callNames() naming { return naming{words: "^[a-zA-Z0-9_-]+$", extra: "_-"} }

func toolNames() naming {
	return naming{words: "^[a-zA-Z0-9_-]{1,64}$", extra: "_-", most: 64}
}

func geminiToolNames() naming {
	return naming{words: "^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$", extra: "_.:-", most: 64, letter: true}
}

func (c *calls) call(r *report, path, id string) {
	switch {
	case id == "":
		r.addf(path, "a call without an id")
	case !callNames().fits(id):
		r.addf(path, "call id %q has characters other than letters, digits, _ and -", id)
	case c.seen[id]:
		r.addf(path, "call id %q is used twice", id)
	}
	c.seen[id], c.open[id] = true, true
}

func (c *calls) result(r *report, path, id string) {
	if !c.open[id] {
		r.addf(path, "a result for %q, which no call right before it has", id)
	}
	delete(c.open, id)
}

// settled reports the calls that should have their results by now.
func (c *calls) settled(r *report, path string) {
	for id := range c.open {
		r.addf(path, "call %q has no result right after it", id)
		delete(c.open, id)
	}
}

func checkTool(r *report, path, name string, names naming) {
	if !names.fits(name) {
		r.addf(path, "tool name %q does not fit %s", name, names.words)
	}
}

// namedTool is what the checks look at in a tool's definition.
type namedTool struct {
	Name string `json:"name"`
}

// checkTools checks the names of the definitions: fitting, and no two alike.
func checkTools(r *report, tools []namedTool, names naming) {
	seen := map[string]bool{}
	for i, t := range tools {
		checkTool(r, at("tools", i), t.Name, names)
		if seen[t.Name] {
			r.addf(at("tools", i), "tool name %q is used twice", t.Name)
		}
		seen[t.Name] = true
	}
}

func checkObject(r *report, path string, v jsontext.Value) {
	if !v.IsValid(rawjson.Verbatim) || v.Kind() != '{' {
		r.addf(path, "is not a JSON object")
	}
}

func checkText(r *report, path, text string) {
	if strings.TrimFunc(text, notSeen) == "" {
		r.addf(path, "an empty text")
	}
}

// notSeen reports whether a character alone is not text to some provider: they
// strip white space as their languages know it, and what nobody sees.
func notSeen(r rune) bool { return unicode.In(r, unicode.White_Space, unicode.Cc, unicode.Cf) }

// checkBegun reports a body without any message.
func checkBegun(r *report, path string, begun bool) {
	if !begun {
		r.addf(path, "it has no message of the user")
	}
}

// checkAnthropic follows the Messages API: messages begin with the user's
// and alternate; results stand first in the message after their calls; no
// empty text; the system's words stand between the user's and the model's; thinking never
// ends a message; a final assistant text has no white space at its end.
func checkAnthropic(body []byte) []Violation {
	var r report
	var b struct {
		System   *string          `json:"system"`
		Tools    []jsontext.Value `json:"tools"`
		Messages []struct {
			Role    string           `json:"role"`
			Content []jsontext.Value `json:"content"`
		} `json:"messages"`
	}
	if !r.read("body", body, &b) {
		return r.list
	}
	if b.System != nil {
		checkText(&r, "system", *b.System)
	}
	checkTools(&r, functionTools(&r, b.Tools, "custom"), toolNames())
	checkBegun(&r, "messages", len(b.Messages) > 0)
	ids := newCalls()
	want, before := "user", ""
	for i, m := range b.Messages {
		path := at("messages", i)
		switch {
		case m.Role == "system" && before != "":
			if before == "assistant" {
				r.addf(path, "role is %q right after the assistant's", m.Role)
			}
		case m.Role != want && before == "system":
			r.addf(path, "role is %q right after the system's", m.Role)
		case m.Role != want:
			r.addf(path, "role is %q where %q must stand", m.Role, want)
		}
		before = m.Role
		if len(m.Content) == 0 {
			r.addf(path, "an empty message")
		}
		c := anthropicCheck{r: &r, ids: ids, role: m.Role, last: i == len(b.Messages)-1}
		for j, raw := range m.Content {
			c.block(at(path+".content", j), raw, j == len(m.Content)-1)
		}
		if m.Role == "user" {
			ids.settled(&r, path)
		}
		switch m.Role {
		case "user":
			want = "assistant"
		case "assistant":
			want = "user"
		}
	}
	ids.settled(&r, "messages")
	return r.list
}

type anthropicCheck struct {
	r    *report
	ids  *calls
	role string
	last bool // the message is the last one
	said bool // something other than a result came
}

// anthropicShape is what the checks look at in a block.
type anthropicShape struct {
	Type      string         `json:"type"`
	Text      string         `json:"text"`
	Signature string         `json:"signature"`
	Data      string         `json:"data"`
	ID        string         `json:"id"`
	Name      string         `json:"name"`
	Input     jsontext.Value `json:"input"`
	ToolUseID string         `json:"tool_use_id"`
	Content   jsontext.Value `json:"content"`
	IsError   bool           `json:"is_error"`
}

func (c *anthropicCheck) block(path string, raw jsontext.Value, final bool) {
	b, ok := readBlock(c.r, path, raw)
	if !ok {
		return
	}
	switch b.Type {
	case "thinking", "redacted_thinking", "tool_use":
		if c.role != "assistant" {
			c.r.addf(path, "%s in a user message", b.Type)
		}
	case "tool_result":
		c.result(path, b)
		return
	}
	c.said = true
	switch b.Type {
	case "text":
		checkText(c.r, path, b.Text)
		end, _ := utf8.DecodeLastRuneInString(b.Text)
		if final && c.last && c.role == "assistant" && unicode.In(end, unicode.White_Space, unicode.Cc) {
			c.r.addf(path, "the final text ends in white space")
		}
	case "thinking", "redacted_thinking":
		if b.Signature == "" && b.Data == "" {
			c.r.addf(path, "%s without its opaque data", b.Type)
		}
		if final {
			c.r.addf(path, "%s ends the message", b.Type)
		}
	case "tool_use":
		c.ids.call(c.r, path, b.ID)
		checkTool(c.r, path, b.Name, toolNames())
		checkObject(c.r, path+".input", b.Input)
	}
}

func (c *anthropicCheck) result(path string, b anthropicShape) {
	if c.role != "user" || c.said {
		c.r.addf(path, "a result must stand first in a user message")
	}
	c.ids.result(c.r, path, b.ToolUseID)
	// A result holds blocks; other kinds of blocks may hold a text there.
	var content []jsontext.Value
	if len(b.Content) > 0 && !c.r.read(path+".content", b.Content, &content) {
		return
	}
	if b.IsError && len(content) == 0 {
		c.r.addf(path, "a failed result without content")
	}
	for i, raw := range content {
		inner, ok := readBlock(c.r, at(path+".content", i), raw)
		switch {
		case ok && inner.Type == "text":
			checkText(c.r, at(path+".content", i), inner.Text)
		case ok && b.IsError:
			c.r.addf(at(path+".content", i), "%s in a failed result", inner.Type)
		}
	}
}

// readTyped reads a block or an item of one of the given types into v. Of any
// other it reads the type alone, for its other members may have any shape.
func readTyped(r *report, path string, raw jsontext.Value, v any, types ...string) bool {
	var only struct {
		Type string `json:"type"`
	}
	if !r.read(path, raw, &only) {
		return false
	}
	if !slices.Contains(types, only.Type) {
		raw, _ = json.Marshal(only, rawjson.Verbatim)
	}
	return r.read(path, raw, v)
}

func readBlock(r *report, path string, raw jsontext.Value) (b anthropicShape, ok bool) {
	if raw.Kind() != '{' {
		r.addf(path, "is not a block")
		return b, false
	}
	ok = readTyped(r, path, raw, &b, "text", "thinking", "redacted_thinking", "tool_use", "tool_result")
	var image struct {
		Source struct {
			Data string `json:"data"`
		} `json:"source"`
	}
	if b.Type == "image" && json.Unmarshal(raw, &image, rawjson.Verbatim) == nil && len(image.Source.Data) > 5242880 {
		r.addf(path, "an image over 5 MB")
	}
	return b, ok
}
