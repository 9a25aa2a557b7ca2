// Package takeover lets a model go on with a session that another agent began:
// what it called there by the names of that agent's tools is served by the tools
// of this program.
package takeover

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
	"tenfold/internal/rawjson"
	"tenfold/tool"
)

// The tools of this program that others stand for.
const (
	readFile   = "fs_read_file"
	listFiles  = "fs_list_files"
	findFiles  = "fs_find_files"
	grepFiles  = "fs_grep_files"
	createFile = "fs_create_file"
	modifyFile = "fs_modify_file"
	shell      = "shell"
	plan       = "plan"
	task       = "task"
)

// Alias gives the call that does here what a call of another agent's tool asks
// for. Its error is for the model: which tool does that here, and what keeps this
// call from being mapped. Nothing is guessed: a call with an argument that changes
// what it does, and that the tool here does not have, is not mapped.
func Alias(c tenfold.ToolCall) (tenfold.ToolCall, error) {
	t, known := tool.Lookup(c.Name)
	if rest, isMCP := strings.CutPrefix(c.Name, "mcp__"); isMCP && !known {
		c.Name = rest // Claude Code's name of a server's tool
		return c, nil
	}
	if !known {
		return c, fmt.Errorf("there is no tool %q here", c.Name)
	}
	var given arguments
	if rawjson.Unmarshal([]byte(c.Arguments), &given) != nil {
		given = nil
	}
	here := nameOf(t)
	name, does, err := mapped(t, here, c.Arguments, given)
	switch {
	case here == "" || err == nil && name == "":
		return c, fmt.Errorf("there is no tool %q here", t.Name)
	case err != nil:
		return c, fmt.Errorf("there is no tool %q here; use %s: %w", t.Name, cmp.Or(name, here), err)
	}
	out, err := json.Marshal(does, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return c, fmt.Errorf("there is no tool %q here: %w", c.Name, err)
	}
	c.Name, c.Arguments, c.Custom = name, string(out), false
	return c, nil
}

// Name is the tool that does here what another agent's tool of that name does,
// empty where there is none, or where it has the same name.
func Name(theirs string) string {
	t, _ := tool.Lookup(theirs)
	if name := nameOf(t); name != theirs {
		return name
	}
	return ""
}

// byKind are the tools here that do what tools of a kind do.
var byKind = map[tool.Kind]string{
	tool.Reads: readFile, tool.Lists: listFiles, tool.Writes: createFile, tool.Edits: modifyFile, tool.Patches: modifyFile, tool.Editor: modifyFile,
	tool.Shell: shell, tool.Plans: plan,
}

// finders find files by a pattern, where others list a directory; greppers search texts,
// where others search something else.
var (
	finders  = []string{"glob", "find", "find_file"}
	greppers = []string{"grep", "grep_search", "search_file_content", "grep_files", "rg", "search_files", "search_dir"}
)

func nameOf(t tool.Tool) string {
	name := strings.ToLower(t.Name)
	switch {
	case strings.HasPrefix(t.Name, "fs_"):
		return ""
	case t.Kind == tool.Lists && slices.Contains(finders, name):
		return findFiles
	case t.Kind == tool.Searches && slices.Contains(greppers, name):
		return grepFiles
	case t.Kind == tool.Acts && t.Exempt:
		return task
	}
	return byKind[t.Kind]
}

// object is the arguments of a call; no member is added whose value says nothing.
type object map[string]any

func (o object) with(name string, value any) object {
	if value != "" && value != 0 {
		o[name] = value
	}
	return o
}

// mapped gives the tool and the arguments that do what a call asks for. An error says
// what keeps it from being mapped onto the tool that is here for such calls.
func mapped(t tool.Tool, here, text string, a arguments) (name string, out object, err error) {
	switch call := t.Call(text); call.Kind {
	case tool.Reads:
		if len(call.Reads) != 1 {
			return readFile, nil, errors.New("name one file in path")
		}
		r := call.Reads[0]
		if r.Part {
			return readFile, nil, errors.New("say which lines with start_line and end_line")
		}
		return readFile, object{"path": r.Path}.with("start_line", r.From).with("end_line", r.To), nil
	case tool.Lists, tool.Searches:
		for _, narrows := range []string{"type", "ignore", "exclude", "exclude_pattern", "multiline"} {
			if a.set(narrows) {
				return "", nil, errors.New("it has no argument " + narrows)
			}
		}
		path := a.text("path", "dir_path", "directory", "target_directory")
		if here == listFiles {
			return listFiles, object{}.with("path", path), nil
		}
		wanted := a.text("pattern", "query", "regex", "search_term", "file_name")
		switch {
		case wanted == "":
			return "", nil, errors.New("a pattern is required")
		case here == grepFiles && (a.set("literal") || a.set("fixed_strings")):
			return "", nil, errors.New("its pattern is a regular expression")
		case here == grepFiles && (a.set("-i") || a.set("ignoreCase") || a.set("ignore_case")):
			wanted = "(?i)" + wanted
		}
		return here, object{"pattern": wanted}.with("path", path).with("files", a.text("glob", "include", "include_pattern", "file_pattern")), nil
	case tool.Writes, tool.Edits, tool.Patches:
		return edited(t, here, text, a)
	case tool.Shell:
		return commanded(t, text, a)
	case tool.Plans:
		return planned(t, text)
	}
	if here == task {
		prompt := a.text("prompt", "task", "message", "description")
		if prompt == "" {
			return "", nil, errors.New("a prompt is required")
		}
		return task, object{"prompt": prompt}.with("title", a.text("title", "description")), nil
	}
	return "", nil, nil
}

// edited maps a call that changes one place of one file, or puts a whole one.
func edited(t tool.Tool, here, text string, a arguments) (string, object, error) {
	if slices.ContainsFunc([]string{"replace_all", "replaceAll", "allow_multiple"}, a.set) {
		return "", nil, errors.New("it changes one place, so give enough of the text around each")
	}
	pieces := t.Pieces(text)
	if len(pieces) != 1 {
		return "", nil, errors.New("call it once for each place that is to change")
	}
	p, whole := pieces[0], here == createFile
	for _, op := range t.Operations(text) {
		switch op.Op {
		case tool.FileCreated, tool.FileWritten:
			whole = true
		case tool.FileDeleted:
			return "", nil, errors.New("delete and move files with shell")
		}
	}
	if len(t.Operations(text)) != 1 {
		return "", nil, errors.New("call it for one file")
	}
	switch {
	case whole && p.Old == "":
		return createFile, object{"path": p.Path, "content": p.New}, nil
	case p.Old == "":
		return "", nil, errors.New("old is the text that is replaced, and cannot be empty")
	}
	return modifyFile, object{"path": p.Path, "old": p.Old, "new": p.New}, nil
}

// planned maps a call that gives the whole plan.
func planned(t tool.Tool, text string) (string, object, error) {
	p, ok := t.Plan(text)
	if !ok || p.Partial || len(p.Items) == 0 {
		return "", nil, errors.New("give the whole plan, each item with text and status")
	}
	var items []object
	for _, i := range p.Items {
		items = append(items, object{"text": i.Text, "status": cmp.Or(i.Status, "pending")})
	}
	return plan, object{"items": items}, nil
}

// commanded maps a call that runs a command and waits for its end.
func commanded(t tool.Tool, text string, a arguments) (string, object, error) {
	if slices.ContainsFunc([]string{"run_in_background", "is_background", "background"}, a.set) {
		return "", nil, errors.New("it waits for the end of a command; nothing runs in the background")
	}
	line, dir := t.Command(text)
	if strings.TrimSpace(line) == "" {
		return "", nil, errors.New("a command is required")
	}
	if dir != "" && dir != "." {
		line = "cd '" + strings.ReplaceAll(dir, "'", `'\''`) + "' && " + line
	}
	seconds := 0
	if ms, ok := a.number("timeout_ms"); ok {
		seconds = (ms + 999) / 1000
	} else if n, ok := a.number("timeout"); ok {
		// Agents differ in the unit: nobody waits for 17 minutes, or for less than
		// a second.
		if seconds = n; n >= 1000 {
			seconds = (n + 999) / 1000
		}
	}
	return shell, object{"command": line}.with("timeout", max(seconds, 0)), nil
}

// arguments are the members of a call's arguments.
type arguments map[string]jsontext.Value

// text is the first of the named arguments that is a text with something in it.
func (a arguments) text(names ...string) string {
	for _, name := range names {
		var s string
		if json.Unmarshal(a[name], &s, jsontext.AllowInvalidUTF8(true)) == nil && strings.TrimSpace(s) != "" {
			return s
		}
	}
	return ""
}

// set tells that an argument is there and says something but no.
func (a arguments) set(name string) bool {
	switch v := a[name]; v.Kind() {
	case 0, 'n', 'f':
		return false
	case '"':
		return a.text(name) != ""
	default:
		return len(v) > 2 || v.Kind() != '[' && v.Kind() != '{'
	}
}

func (a arguments) number(name string) (int, bool) {
	var n float64
	if err := json.Unmarshal(a[name], &n); err != nil || !(n >= 0 && n < 1<<31) {
		return 0, false
	}
	return int(n), true
}
