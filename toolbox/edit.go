package toolbox

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"tenfold/atom"
	"tenfold/internal/number"
	"tenfold/toolbox/internal/output"
)

var createTool = &builtin{
	name:  "fs_create_file",
	about: "Write a new file of the workspace, directories included. A file that exists is replaced only if it is as you last read or wrote it.",
	parameters: []parameter{
		{name: "path", about: "The file, relative to the workspace.", required: true},
		{name: "content", about: "All of its content.", required: true},
	},
	intent: onPath(Edits),
	run: func(_ context.Context, w *workspace, a arguments, _ Call) (Result, error) {
		w.writing.Lock()
		defer w.writing.Unlock()
		old, err := w.load(a.texts["path"])
		exists := err == nil
		if !exists {
			if _, gone := w.root.Stat(old.real); old.real == "" || gone == nil { // no such place; or a directory, a device, or too large
				return Result{}, err
			}
		} else if w.known(old) != (sight{old.hash(), true}) {
			return Result{}, fmt.Errorf("%s exists already (%s, hash %s) and you have not read all of it as it is now; change it with fs_modify_file, or read it before you replace it", show(old.name), old.size(), old.hash())
		} else if err := old.writable(); err != nil {
			return Result{}, err
		}
		f := file{old.place, old.mode, []byte(a.texts["content"])}
		if err := w.store(f, !exists); err != nil {
			if errors.Is(err, fs.ErrExist) {
				err = fmt.Errorf("%s was created by somebody else just now; read it first", show(f.name))
			}
			return Result{}, err
		}
		w.see(f, true)
		if exists {
			return answer("replaced %s: %s, was %s; hash %s", show(f.name), f.size(), old.size(), f.hash())
		}
		return answer("created %s: %s, hash %s", show(f.name), f.size(), f.hash())
	},
}

var modifyTool = &builtin{
	name:  "fs_modify_file",
	about: "Replace one piece of text in a file of the workspace. The old text must occur exactly once: copy it from the file, without line numbers, with enough lines around it. Refused if the file has changed since you last read it.",
	parameters: []parameter{
		{name: "path", about: "The file, relative to the workspace.", required: true},
		{name: "old", about: "The text to be replaced, exactly as it stands in the file.", required: true},
		{name: "new", about: "The text that replaces it; empty removes it.", required: true},
		{name: "hash", about: "The file's hash as fs_read_file gave it; the call is refused if the file has another."},
	},
	intent: onPath(Edits),
	run: func(_ context.Context, w *workspace, a arguments, _ Call) (Result, error) {
		w.writing.Lock()
		defer w.writing.Unlock()
		f, err := w.load(a.texts["path"])
		if err == nil {
			err = f.writable()
		}
		if err != nil {
			return Result{}, err
		}
		was := f.hash()
		seen := w.known(f)
		if given := a.texts["hash"]; given != "" {
			seen.hash = given // the model says what it goes by
		}
		if seen.hash != "" && seen.hash != was {
			return Result{}, fmt.Errorf("%s has changed since it was read: its hash is %s, not %s; read it again", show(f.name), was, show(seen.hash))
		}
		at, old, replacement, err := f.find(a.texts["old"], a.texts["new"])
		if err != nil {
			return Result{}, err
		}
		data := string(f.data)
		first := strings.Count(data[:at], "\n") + 1
		f.data = []byte(data[:at] + replacement + data[at+len(old):])
		if err := w.store(f, false); err != nil {
			return Result{}, err
		}
		w.see(f, seen.whole)
		return answer("modified %s at line %d: %s replaced by %s; hash %s", show(f.name), first, number.Count(lineCount(old), "line"), number.Count(lineCount(replacement), "line"), f.hash())
	},
}

// lineCount is how many lines a text is on; none where it is empty.
func lineCount(text string) int {
	if text == "" {
		return 0
	}
	return strings.Count(strings.TrimSuffix(text, "\n"), "\n") + 1
}

// size says how large a file is, in words.
func (f file) size() string {
	if f.kind() != "" {
		return number.Count(len(f.data), "byte")
	}
	return number.Count(lineCount(string(f.data)), "line")
}

func (f file) writable() error {
	if f.mode&0o200 == 0 {
		return fmt.Errorf("%s is read-only", show(f.name))
	}
	return nil
}

// find gives where the old text stands, and both texts with the line ends of the
// file.
func (f file) find(old, replacement string) (at int, asIs, by string, err error) {
	switch old {
	case "":
		return 0, "", "", errors.New("old is empty; name the text to be replaced")
	case replacement:
		return 0, "", "", errors.New("old and new are the same")
	}
	data := string(f.data)
	if !strings.Contains(data, old) && strings.Contains(data, "\r\n") {
		old, replacement = withCRLF(old), withCRLF(replacement)
	}
	var places []int
	var lines []string
	for from := 0; len(places) < 10; from++ { // also where it overlaps itself, as "aa" in "aaa"
		next := strings.Index(data[from:], old)
		if next < 0 {
			break
		}
		from += next
		places, lines = append(places, from), append(lines, strconv.Itoa(strings.Count(data[:from], "\n")+1))
	}
	switch len(places) {
	case 0:
		return 0, "", "", fmt.Errorf("old does not occur in %s%s", show(f.name), f.nearest(old))
	case 1:
		return places[0], old, replacement, nil
	}
	return 0, "", "", fmt.Errorf("old occurs more than once in %s, at lines %s; add lines around it", show(f.name), strings.Join(lines, ", "))
}

func withCRLF(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\n", "\r\n")
}

// nearest says where a text almost stands, or what else is the matter with it.
func (f file) nearest(old string) string {
	lines, _ := f.lines()
	wanted := strings.Split(strings.Trim(strings.ReplaceAll(old, "\r\n", "\n"), "\n"), "\n")
	if len(lines)*len(wanted) > 20_000_000 {
		return ""
	}
	plain := func(line string) string { return strings.Join(strings.Fields(line), " ") }
	hint := "equal but for white space:"
	if !slices.ContainsFunc(wanted, func(line string) bool { return atom.Gutter(line) == 0 }) {
		hint = "equal; leave out the line numbers:"
		for i, line := range wanted {
			wanted[i] = line[atom.Gutter(line):]
		}
	}
	best, most := 0, 0
	for i := range lines {
		score := 0
		for j := 0; j < len(wanted) && i+j < len(lines); j++ {
			if want := plain(wanted[j]); want != "" && want == plain(lines[i+j]) {
				score++
			}
		}
		if score > most {
			best, most = i, score
		}
	}
	if most == 0 {
		return "; read the file and copy the text"
	}
	text := fmt.Sprintf("; nearest, %d of %s %s", most, number.Count(len(wanted), "line"), hint)
	for i := best; i < min(best+len(wanted), best+20, len(lines)); i++ {
		text += fmt.Sprintf("\n%d\t%s", i+1, output.Head(lines[i], 300))
	}
	return text
}
