// Package tool holds what is known about tools; it runs none of them.
//
// One table names the tools of the agents whose transcripts come in, and our
// own: what a tool does, which argument is the path, what a call reads and
// what it changes ([Lookup], [Tool.Call]), how its calls are best shortened
// ([Hints]). [Settings] are what a configuration says on top (semantics H1).
// A [Subsumer] tells whether a later call makes an earlier one needless; an
// [Asker] asks the tool itself (H2).
//
// Everything here errs on one side: a call about which something is not known
// may have changed anything.
package tool

import (
	"slices"
	"strings"

	"tenfold"
)

// Kind is what a tool does.
type Kind string

// The kinds of tools.
const (
	// Reads gives what stands in a file.
	Reads Kind = "read"
	// Lists names files, Searches finds text in them; both speak of a tree.
	Lists    Kind = "list"
	Searches Kind = "search"
	// Edits changes a part of a file, Writes puts a whole one, Patches does
	// either to several, named in a patch.
	Edits   Kind = "edit"
	Writes  Kind = "write"
	Patches Kind = "patch"
	// Editor reads, edits or writes: its argument "command" says which.
	Editor Kind = "editor"
	// Shell runs a command, Checks a compiler or linter.
	Shell  Kind = "shell"
	Checks Kind = "check"
	// Fetches asks the network.
	Fetches Kind = "fetch"
	// Plans keeps a plan or todos, Asks asks a person, Skills loads
	// instructions, Thinks says something to itself or to the reader.
	Plans  Kind = "plan"
	Asks   Kind = "ask"
	Skills Kind = "skill"
	Thinks Kind = "think"
	// Acts does something else, nobody knows what to.
	Acts Kind = "act"
)

// Dedup says when the older of two equal calls of a tool may go (S-3).
type Dedup uint8

// The answers.
const (
	// DedupNever: equal calls need not have equal answers.
	DedupNever Dedup = iota
	// DedupUnchanged: unless a call between them may have changed the answer.
	DedupUnchanged
	// DedupAlways: a configuration said so of this tool (H1).
	DedupAlways
)

// Subsumption says how to tell that a later call makes an earlier, different
// one of the same tool needless (H2, H3).
type Subsumption uint8

// The ways.
const (
	SubsumesNever Subsumption = iota
	// SubsumesLines: by the lines of the file that either reads (H3).
	SubsumesLines
	// SubsumesAsk: by asking the tool, through a [Subsumer] (H2).
	SubsumesAsk
)

// A Tool is what is known about one tool.
type Tool struct {
	Name string
	Kind Kind
	// Agents names who has it, parted by spaces.
	Agents string
	// Path names the argument that holds the path; alternatives are parted
	// by "|". Its value is a path or a list of them.
	Path string
	// Limit is how many lines a read gives that asks for no limit; 0 for all.
	Limit int
	// FromZero tells that an argument "offset" counts from 0.
	FromZero bool
	// Hint is how its calls are best shortened (H1).
	Hint     tenfold.Hint
	Dedup    Dedup
	Subsumes Subsumption
	// Exempt tools say what stands nowhere else: skills, tasks, todos,
	// questions. Their calls are left alone.
	Exempt bool
}

// Lookup finds a tool by its name: as it is written, else in whatever case.
// What is not in the table, MCP tools among them, is false: nothing is known
// about it, and its calls may change anything.
func Lookup(name string) (Tool, bool) {
	if t, ok := table()[name]; ok {
		return t, true
	}
	t, ok := folded()[strings.ToLower(name)]
	return t, ok
}

// All lists the tools of the table, in its order. The slice is the caller's.
func All() []Tool { return slices.Clone(tools()) }

// A Call is what one call of a tool reads and changes, as its arguments say.
type Call struct {
	// Kind is the tool's, or of an editor what this call of it does.
	Kind Kind
	// Reads are the files it reads. A call of a kind that reads and names
	// none may read any.
	Reads []Access
	// Changes are the files it changes; nil with Unknown unset means none.
	Changes []string
	// Moves is set where relative paths may mean others after the call.
	Moves bool
	// Unknown is set where the call may change anything.
	Unknown bool
}

// Call reads the arguments of a call. Broken arguments have an unknown effect
// where the tool can have one.
func (t Tool) Call(arguments string) Call {
	c := Call{Kind: t.Kind}
	switch t.Kind {
	case Lists, Searches, Checks, Fetches, Plans, Asks, Skills, Thinks:
		return c
	case Reads, Edits, Writes, Patches, Editor, Shell:
	default:
		c.Unknown = true
		return c
	}
	a := parse(arguments)
	if t.Kind == Editor {
		c.Kind = editorKind(a.text("command"))
	}
	switch c.Kind {
	case Reads:
		c.Reads = t.accesses(a)
	case Edits, Writes:
		for _, p := range a.paths(t.Path) {
			c.Changes = append(c.Changes, p.Path)
		}
		c.Unknown = len(c.Changes) == 0
	case Patches:
		for _, op := range patchOperations(a.patch()) {
			c.Changes = append(c.Changes, op.Path)
		}
		c.Unknown = len(c.Changes) == 0
	case Shell:
		return shellCall(a)
	default:
		c.Unknown = true
	}
	return c
}

// editorKind is what a call of an editor with subcommands does.
func editorKind(command string) Kind {
	switch command {
	case "view":
		return Reads
	case "create":
		return Writes
	case "str_replace", "insert", "undo_edit":
		return Edits
	}
	return Acts
}
