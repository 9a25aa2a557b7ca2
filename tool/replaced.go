package tool

import (
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Replaced gives the texts that an edit replaces, as its arguments name them:
// the old strings of an edit or of several, the context and the lines that go of
// each hunk of a patch. Nil where there are none.
func Replaced(arguments string) []string {
	var all []string
	a := parse(arguments)
	for _, name := range replacedNames {
		all = appendReplaced(all, a.text(name))
	}
	for _, name := range []string{"edits", "operations", "changes"} {
		var edits []map[string]jsontext.Value
		if a.members[name] == nil || json.Unmarshal(a.members[name], &edits) != nil {
			continue
		}
		for _, edit := range edits {
			for _, name := range replacedNames {
				old, _ := stringOf(edit[name])
				all = appendReplaced(all, old)
			}
		}
	}
	if patch := a.patch(); strings.Contains(patch, "*** Begin Patch") {
		all = hunks(all, patch)
	}
	return all
}

// replacedNames are the arguments that hold what an edit replaces.
var replacedNames = []string{"old_string", "oldString", "oldText", "old_str", "old"}

func appendReplaced(all []string, text string) []string {
	if text == "" {
		return all
	}
	return append(all, text)
}

// hunks adds what each hunk of a patch replaces.
func hunks(all []string, patch string) []string {
	var old strings.Builder
	for line := range strings.Lines(patch + "\n***") {
		switch line[0] {
		case ' ', '-':
			old.WriteString(line[1:])
		case '@', '*':
			if text := old.String(); strings.TrimSpace(text) != "" {
				all = append(all, text)
			}
			old.Reset()
		}
	}
	return all
}
