package tool

import (
	"bytes"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tenfold/internal/rawjson"
)

// arguments are the arguments of a call, read as far as they can be.
type arguments struct {
	members map[string]jsontext.Value
	// bare is what a free-form tool was given in place of an object.
	bare string
}

func parse(text string) arguments {
	var a arguments
	trimmed := strings.TrimSpace(text)
	switch {
	case strings.HasPrefix(trimmed, "{"):
		if rawjson.Unmarshal([]byte(trimmed), &a.members) != nil {
			a.members = nil // cut off in the middle: nothing of it is sure
		}
	case strings.HasPrefix(trimmed, `"`):
		if rawjson.Unmarshal([]byte(trimmed), &a.bare) != nil {
			a.bare = ""
		}
	default:
		a.bare = text
	}
	return a
}

func (a arguments) text(name string) string {
	s, _ := stringOf(a.members[name])
	return s
}

func stringOf(v jsontext.Value) (string, bool) {
	if v.Kind() != '"' {
		return "", false
	}
	if bare := v[1 : len(v)-1]; bytes.IndexByte(bare, '\\') < 0 && utf8.Valid(bare) {
		return string(bare), true
	}
	var s string
	err := json.Unmarshal(v, &s, jsontext.AllowInvalidUTF8(true))
	return s, err == nil
}

// number gives an argument that is a whole number; models write "12" too.
func number(v jsontext.Value) (int, bool) {
	text := string(v)
	if s, ok := stringOf(v); ok {
		text = strings.TrimSpace(s)
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) > 1<<31 {
		return 0, false
	}
	return int(f), true
}

func (a arguments) number(names ...string) (int, bool) {
	for _, name := range names {
		if v, ok := a.members[name]; ok {
			if n, ok := number(v); ok {
				return n, true
			}
		}
	}
	return 0, false
}

// paths gives the paths that the first of the named arguments holds which is
// there: a path, a list of paths, or a list of objects with a path.
func (a arguments) paths(names string) []Access {
	for name := range strings.SplitSeq(names, "|") {
		v, ok := a.members[name]
		if !ok {
			continue
		}
		if found := pathsIn(v); len(found) > 0 {
			return found
		}
	}
	return nil
}

func pathsIn(v jsontext.Value) []Access {
	switch v.Kind() {
	case '"':
		if s, ok := stringOf(v); ok {
			if p := CleanPath(s); p != "" {
				return []Access{{Path: p}}
			}
		}
	case '{':
		var members map[string]jsontext.Value
		if json.Unmarshal(v, &members) != nil {
			return nil
		}
		found := pathsIn(members["path"])
		for i := range found {
			// What else is said of the file are lines of it, in many forms.
			found[i].Part = len(members) > 1
		}
		return found
	case '[':
		var list []jsontext.Value
		if json.Unmarshal(v, &list) != nil {
			return nil
		}
		var all []Access
		for _, one := range list {
			found := pathsIn(one)
			if len(found) == 0 {
				return nil
			}
			all = append(all, found...)
		}
		return all
	}
	return nil
}

// accesses gives what a read reads: its path, and the lines in whichever of
// the usual forms they are asked for.
func (t Tool) accesses(a arguments) []Access {
	found := a.paths(t.Path)
	if len(found) != 1 || found[0].Part {
		return found
	}
	from, to, ok := t.lines(a)
	if !ok {
		found[0].Part = true
		return found
	}
	found[0].From, found[0].To = from, to
	return found
}

// lines reads a range of lines; false where there is one that cannot be read.
func (t Tool) lines(a arguments) (from, to int, ok bool) {
	for _, part := range []string{"line_number", "pages", "cell_id", "chunk", "line_range", "ranges"} {
		if v, there := a.members[part]; there && v.Kind() != 'n' {
			return 0, 0, false // a window around a line, a page: not in lines
		}
	}
	if v, there := a.members["view_range"]; there && v.Kind() != 'n' {
		return viewRange(v)
	}
	start, hasStart := a.number("start_line", "startLine", "start")
	end, hasEnd := a.number("end_line", "endLine", "end")
	if hasStart || hasEnd {
		if start < 0 || end < 0 || (hasEnd && end < max(start, 1)) {
			return 0, 0, false
		}
		return normal(start, end)
	}
	offset, hasOffset := a.number("offset")
	limit, hasLimit := a.number("limit")
	if offset < 0 || limit < 0 {
		return 0, 0, false
	}
	if hasOffset && t.FromZero {
		offset++
	}
	if !hasLimit || limit == 0 {
		limit = t.Limit
	}
	if limit == 0 {
		return normal(offset, 0)
	}
	return normal(offset, max(offset, 1)+limit-1)
}

// normal is the one spelling of a range: the start is 0.
func normal(from, to int) (first, last int, ok bool) {
	if from <= 1 {
		from = 0
	}
	return from, to, true
}

// viewRange reads [first, last], where -1 is the end of the file.
func viewRange(v jsontext.Value) (from, to int, ok bool) {
	var list []int
	if json.Unmarshal(v, &list) != nil || len(list) != 2 || list[0] < 1 {
		return 0, 0, false
	}
	if list[1] == -1 {
		return normal(list[0], 0)
	}
	if list[1] < list[0] {
		return 0, 0, false
	}
	return normal(list[0], list[1])
}

// patch gives the patch of a call that was given one, bare or by name.
func (a arguments) patch() string {
	if a.bare != "" {
		return a.bare
	}
	return a.firstText("patchText", "input", "patch")
}

// firstText gives the first of the named arguments that is a string with
// something in it.
func (a arguments) firstText(names ...string) string {
	for _, name := range names {
		if s := a.text(name); strings.TrimSpace(s) != "" {
			return s
		}
	}
	return ""
}
