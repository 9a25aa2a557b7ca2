package tool

import "strings"

// Operation is what a call does to one file, as its arguments say.
type Operation string

// The operations. Written is for calls that put a whole file and do not say
// whether there was one.
const (
	FileRead     Operation = "read"
	FileModified Operation = "modified"
	FileWritten  Operation = "written"
	FileCreated  Operation = "created"
	FileDeleted  Operation = "deleted"
	FileRestored Operation = "restored" // by git, to what was committed
)

// A FileOperation is an operation and the file it is on.
type FileOperation struct {
	Path string
	Op   Operation
}

// Operations tells what a call does to which files, in the order in which its
// arguments name them; nil where they name none. What a shell command writes
// is not among it: only what it is known to read.
func (t Tool) Operations(arguments string) []FileOperation {
	var all []FileOperation
	switch t.Kind {
	case Patches:
		return patchOperations(parse(arguments).patch())
	case Reads, Edits, Writes, Editor, Shell:
	default:
		return nil
	}
	c := t.Call(arguments)
	for _, a := range c.Reads {
		all = append(all, FileOperation{a.Path, FileRead})
	}
	op := FileModified
	switch {
	case strings.Contains(strings.ToLower(t.Name), "delete"):
		op = FileDeleted
	case t.Kind == Editor && c.Kind == Writes, strings.Contains(strings.ToLower(t.Name), "create"):
		op = FileCreated
	case c.Kind == Writes:
		op = FileWritten
	}
	for _, p := range c.Changes {
		all = append(all, FileOperation{p, op})
	}
	return all
}

// patchOperations reads the heads of a patch that begins with "*** Begin
// Patch"; a patch in another form has none. A file that is moved is deleted here
// and created there.
func patchOperations(patch string) []FileOperation {
	var all []FileOperation
	for line := range strings.SplitSeq(patch, "\n") {
		head, p, ok := strings.Cut(strings.TrimRight(line, "\r"), ": ")
		if p = CleanPath(p); !ok || p == "" {
			continue
		}
		switch head {
		case "*** Update File":
			all = append(all, FileOperation{p, FileModified})
		case "*** Add File":
			all = append(all, FileOperation{p, FileCreated})
		case "*** Delete File":
			all = append(all, FileOperation{p, FileDeleted})
		case "*** Move to":
			if len(all) > 0 {
				all[len(all)-1].Op = FileDeleted
			}
			all = append(all, FileOperation{p, FileCreated})
		}
	}
	return all
}

// Command gives the command line of a call that runs one, and the directory
// it is told to run in; empty where there is none.
func (t Tool) Command(arguments string) (command, dir string) {
	if t.Kind != Shell {
		return "", ""
	}
	return parse(arguments).command()
}
