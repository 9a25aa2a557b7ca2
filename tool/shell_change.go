package tool

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// A LineChange is what a command line does to a file. Its path may be a
// pattern where the file is deleted or restored, or a directory.
type LineChange struct {
	FileOperation
	// Text is what is put there, as far as the line says it.
	Text string
	// Sure is set where it happened however the line ended, Last where the last
	// command of the line does it.
	Sure, Last bool
}

// longest is how long a path may be, and mostChanges how many files a line
// changes: a transcript is a stranger's.
const longest, mostChanges = 4096, 200

// Elsewhere is the directory that nobody knows.
const Elsewhere = "?"

// LineChanges gives what the command line of a call does to files, in its order,
// and the directory that the shell is in after it; dir is the one it is in
// before, empty for that of the session. It knows the commands that agents write
// files with. Paths are relative to the session's directory, or absolute.
func (t Tool) LineChanges(arguments, dir string) (changes []LineChange, after string) {
	line, told := t.Command(arguments)
	if told != "" {
		dir = joinPath(dir, told)
	}
	if !strings.Contains(line, "cd ") && !changing().MatchString(line) {
		return nil, dir
	}
	l := lineReader{dir: dir}
	l.read(line, 0)
	return l.changes, l.dir
}

// changing is what a line has in it that changes files. Most have nothing of it.
var changing = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`>|\b(sed|perl|mv|cp|rm|tee|touch|apply|patch|apply_patch|restore|checkout|reset|python\d?|node|ruby)\b|pushd`)
})

type lineReader struct {
	changes   []LineChange
	dir, last string
	outer     []string // directories of the subshells around
	unsure    bool     // a command came that may have ended the line
	outputs   bool     // it is output that is put somewhere
	cmd       *shellCommand
	final     bool
}

func (l *lineReader) read(line string, deep int) {
	all := readShell(line).all
	for i, c := range all {
		for range c.open {
			l.outer = append(l.outer, l.dir)
		}
		l.cmd, l.final = c, deep == 0 && i == len(all)-1
		l.command(deep)
		for range min(c.close, len(l.outer)) {
			l.dir = l.outer[len(l.outer)-1]
			l.outer = l.outer[:len(l.outer)-1]
		}
	}
}

// put notes a change of a path as the line writes it.
func (l *lineReader) put(op Operation, w shellWord, text string) {
	p := CleanPath(w.text)
	if len(l.changes) >= mostChanges || len(p) > longest || !w.known || p == "" || strings.HasPrefix(p, "/dev/") || w.glob && op != FileDeleted && op != FileRestored {
		return
	}
	if !IsAbs(p) && !strings.HasPrefix(p, "~") && l.dir == Elsewhere {
		return
	}
	if p = joinPath(l.dir, p); path.Dir(p) == "/tmp" { // where programs put what nobody keeps
		return
	}
	if op == FileDeleted { // what the line itself made is nothing to tell
		if at := slices.IndexFunc(l.changes, func(c LineChange) bool { return c.Path == p && (c.Op == FileWritten || c.Op == FileCreated) }); at >= 0 {
			l.changes = slices.Delete(l.changes, at, at+1)
			return
		}
	}
	l.changes = append(l.changes, LineChange{FileOperation{p, op}, text, l.outputs && !l.unsure, l.final})
}

func (l *lineReader) putAll(op Operation, words []shellWord) {
	for _, w := range words {
		l.put(op, w, "")
	}
}

// command takes in one command.
func (l *lineReader) command(deep int) {
	words := l.cmd.words
	for len(words) > 0 && slices.Contains([]string{"sudo", "env", "command", "exec", "nohup", "do", "then"}, words[0].text) {
		words = words[1:]
	}
	name := ""
	if len(words) > 0 && words[0].known {
		name, words = path.Base(words[0].text), words[1:]
	}
	text := l.cmd.body
	if name == "echo" || name == "printf" {
		text = joined(words)
	}
	l.outputs = true
	for i, w := range slices.Concat(l.cmd.to, l.cmd.add) {
		op := FileWritten
		if i >= len(l.cmd.to) {
			op = FileModified
		}
		l.put(op, w, text)
	}
	operands, flags := split(words)
	switch name {
	case "cd", "pushd":
		l.move(operands)
		return
	case "", "cat", "echo", "printf", "mkdir", "set":
		return
	case "tee":
		op := FileWritten
		if slices.Contains(flags, "-a") {
			op = FileModified
		}
		for _, w := range operands {
			l.put(op, w, l.cmd.body)
		}
		return
	}
	l.outputs = false
	switch name {
	case "touch":
		l.putAll(FileModified, operands)
	case "sed", "perl":
		l.inPlace(words, operands, flags)
	case "mv", "cp":
		l.copied(name == "mv", operands)
	case "rm", "unlink":
		l.putAll(FileDeleted, operands)
	case "git":
		l.git(words)
	case "patch", "apply_patch", "applypatch":
		l.patched(l.cmd.body)
	case "bash", "sh", "zsh":
		if len(operands) > 0 && operands[0].known && deep < deepest && slices.ContainsFunc(flags, func(f string) bool { return strings.HasSuffix(f, "c") }) {
			dir, cmd := l.dir, l.cmd
			l.read(operands[0].text, deep+1)
			l.dir, l.cmd = dir, cmd
		}
	default:
		if strings.HasPrefix(name, "python") || name == "node" || name == "ruby" {
			text := l.cmd.body
			if len(operands) > 0 && text == "" && (slices.Contains(flags, "-c") || slices.Contains(flags, "-e")) {
				text = operands[0].text
			}
			l.script(text)
		}
	}
	l.unsure = true
}

func joined(words []shellWord) string {
	var all []string
	for _, w := range words {
		if !w.known {
			return ""
		}
		if len(all) > 0 || !strings.HasPrefix(w.text, "-") {
			all = append(all, w.text)
		}
	}
	return strings.Join(all, " ")
}

// split parts the options of a command from what it works on.
func split(words []shellWord) (operands []shellWord, flags []string) {
	for i, w := range words {
		if w.text == "--" {
			return append(operands, words[i+1:]...), flags
		}
		if strings.HasPrefix(w.text, "-") && len(w.text) > 1 {
			flags = append(flags, w.text)
		} else if w.text != "-" {
			operands = append(operands, w)
		}
	}
	return operands, flags
}

func (l *lineReader) move(operands []shellWord) {
	was := l.dir
	switch {
	case len(operands) == 0 || !operands[0].known || operands[0].glob || operands[0].text == "~":
		l.dir = Elsewhere
		if len(operands) == 0 && len(l.cmd.words) > 1 && l.cmd.words[1].text == "-" && l.last != "" {
			l.dir = l.last
		}
	case IsAbs(CleanPath(operands[0].text)) || l.dir != Elsewhere:
		l.dir = joinPath(l.dir, CleanPath(operands[0].text))
	}
	if len(l.dir) > longest {
		l.dir = Elsewhere
	}
	l.last = cmp.Or(was, ".")
}

// inPlace knows sed -i and perl -pi: the script comes first unless an option
// gives it, and BSD's sed wants the ending of a copy in a word of its own.
func (l *lineReader) inPlace(words, operands []shellWord, flags []string) {
	if !slices.ContainsFunc(flags, func(f string) bool {
		return strings.HasPrefix(f, "--in-place") || !strings.HasPrefix(f, "--") && strings.Contains(f, "i")
	}) {
		return
	}
	if len(operands) > 0 && operands[0].text == "" {
		operands = operands[1:]
	}
	given := 0 // scripts that an option gives
	for i, w := range words {
		if i+1 < len(words) && (w.text == "-e" || w.text == "-f" || strings.HasPrefix(w.text, "-") && !strings.HasPrefix(w.text, "--") && strings.HasSuffix(w.text, "e")) {
			given++
		}
	}
	l.putAll(FileModified, operands[min(max(given, 1), len(operands)):])
}

// copied knows cp and mv. A target that does not look like a file where the
// source does is a directory.
func (l *lineReader) copied(moved bool, operands []shellWord) {
	if len(operands) < 2 {
		return
	}
	sources, target := operands[:len(operands)-1], operands[len(operands)-1]
	for _, w := range sources {
		to := target
		if len(sources) > 1 || strings.HasSuffix(to.text, "/") || path.Base(to.text) == "." || path.Base(to.text) == ".." || path.Ext(to.text) == "" && path.Ext(w.text) != "" {
			to.text += "/" + path.Base(w.text)
			to.known, to.glob = to.known && w.known, to.glob || w.glob
		}
		if moved {
			l.put(FileDeleted, w, "")
			l.put(FileCreated, to, "")
		} else {
			l.put(FileWritten, to, "")
		}
	}
}

func (l *lineReader) git(words []shellWord) {
	dir := l.dir
	defer func() { l.dir = dir }()
	for len(words) > 1 && strings.HasPrefix(words[0].text, "-") {
		if words[0].text == "-C" {
			l.move(words[1:2])
			words = words[1:]
		}
		words = words[1:]
	}
	if len(words) == 0 {
		return
	}
	operands, flags := split(words[1:])
	index := slices.Contains(flags, "--cached") || slices.Contains(flags, "--staged") && !slices.Contains(flags, "--worktree")
	switch words[0].text {
	case "mv":
		l.copied(true, operands)
	case "rm":
		if !index {
			l.putAll(FileDeleted, operands)
		}
	case "apply":
		if !index && !slices.Contains(flags, "--check") && !slices.Contains(flags, "--stat") {
			l.patched(l.cmd.body)
		}
	case "restore":
		if !index {
			l.putAll(FileRestored, operands)
		}
	case "checkout":
		if at := slices.IndexFunc(words, func(w shellWord) bool { return w.text == "--" }); at >= 0 {
			l.putAll(FileRestored, words[at+1:])
		} else if len(operands) == 1 && operands[0].text == "." {
			l.putAll(FileRestored, operands)
		}
	case "reset":
		if slices.Contains(flags, "--hard") {
			l.put(FileRestored, shellWord{text: ".", known: true}, "")
		}
	}
}

// patched reads the files that a patch names.
func (l *lineReader) patched(patch string) {
	for _, op := range patchOperations(patch) {
		l.put(op.Op, shellWord{text: op.Path, known: true}, "")
	}
	was := ""
	for line := range strings.SplitSeq(patch, "\n") {
		if p, ok := strings.CutPrefix(line, "--- "); ok {
			was = p
		}
		p, ok := strings.CutPrefix(line, "+++ ")
		if !ok || was == "" {
			continue
		}
		op := FileModified
		switch {
		case strings.HasPrefix(p, "/dev/null"):
			op, p = FileDeleted, was
		case strings.HasPrefix(was, "/dev/null"):
			op = FileCreated
		}
		p, _, _ = strings.Cut(p, "\t")
		if strings.HasPrefix(p, "a/") || strings.HasPrefix(p, "b/") {
			p = p[2:]
		}
		l.put(op, shellWord{text: strings.TrimRight(p, "\r "), known: true}, "")
		was = ""
	}
}

// What scripts write files with: a name or a path in quotes, and how.
const quotedOrName = `(?:pathlib\.)?(?:Path\()?[rb]?(?:["']([^"'\n]+)["']|(\w+))\)?`

var (
	scriptNames = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?m)(?:^|;)[ \t]*(?:const |let |var )?(\w+)[ \t]*=[ \t]*(?:pathlib\.)?(?:Path\()?[rb]?["']([^"'\n{]+)["']\)?[ \t]*(?:;|$|#)`)
	})
	scriptLoops  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`for (\w+) in [\[(]([^\])]+)[\])]`) })
	scriptQuoted = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`["']([^"'\n{]+)["']`) })
	scriptWrites = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\bopen\(\s*` + quotedOrName + `\s*,\s*(?:mode\s*=\s*)?["']([wax])|` + quotedOrName + `\.write_(?:text|bytes)\(|(?:writeFileSync|writeFile|appendFileSync|File\.write)\(\s*` + quotedOrName)
	})
)

// script reads which files a script writes whose text the line holds.
func (l *lineReader) script(text string) {
	if text == "" {
		return
	}
	names := map[string][]string{}
	for _, m := range scriptNames().FindAllStringSubmatch(text, -1) {
		names[m[1]] = append(names[m[1]], m[2])
	}
	for _, m := range scriptLoops().FindAllStringSubmatch(text, -1) {
		for _, q := range scriptQuoted().FindAllStringSubmatch(m[2], -1) {
			names[m[1]] = append(names[m[1]], q[1])
		}
	}
	op := FileWritten
	if strings.Contains(text, "read") { // it mends what it read
		op = FileModified
	}
	seen := map[string]bool{}
	for _, m := range scriptWrites().FindAllStringSubmatch(text, -1) {
		paths := []string{m[1] + m[4] + m[6]}
		if name := m[2] + m[5] + m[7]; name != "" {
			paths = names[name]
		}
		how := op
		if m[3] == "a" {
			how = FileModified
		}
		for _, p := range paths {
			if !seen[p] {
				seen[p] = true
				l.put(how, shellWord{text: p, known: !strings.ContainsAny(p, "{}%$")}, "")
			}
		}
	}
}
