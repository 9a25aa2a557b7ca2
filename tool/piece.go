package tool

import (
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// A Piece is a piece of a file that a call puts in place of another.
type Piece struct {
	Path string
	// Head is what a patch says of where the piece is, behind "@@"; empty
	// otherwise.
	Head string
	// Old and New are the text before and after. Old is empty where a call
	// only adds, or puts a whole file.
	Old, New string
}

// The arguments that hold the text before and after, as the agents spell them.
var (
	oldTexts = []string{"old_string", "oldString", "old_str", "oldText", "old", "search"}
	newTexts = []string{"new_string", "newString", "new_str", "newText", "new", "replace", "content", "file_text", "contents", "text", "new_source"}
)

// Pieces gives what a call changes in files, as its arguments say, in their
// order; nil for calls that change none.
func (t Tool) Pieces(text string) []Piece {
	a := parse(text)
	switch t.Kind {
	case Patches:
		return patchPieces(a.patch())
	case Edits, Writes, Editor:
	default:
		return nil
	}
	paths := a.paths(t.Path)
	if len(paths) != 1 || t.Kind == Editor && editorKind(a.text("command")) == Reads {
		return nil
	}
	path := paths[0].Path
	for _, name := range []string{"edits", "replacements", "patterns"} {
		var list []map[string]jsontext.Value
		if v, ok := a.members[name]; !ok || json.Unmarshal(v, &list) != nil {
			continue
		}
		var all []Piece
		for _, one := range list {
			all = append(all, pieceOf(path, arguments{members: one}))
		}
		return all
	}
	for _, name := range []string{"diff", "patch"} {
		if text := a.text(name); text != "" {
			return blocksIn(path, text)
		}
	}
	return []Piece{pieceOf(path, a)}
}

// notebookPath is the argument that holds the path of a notebook.
const notebookPath = "notebook_path"

// Cell names the cell of a notebook that a call wrote or deleted, by the text of its result
// where it made one; empty for any other call.
func (t Tool) Cell(text, result string) string {
	if t.Kind != Edits || t.Path != notebookPath {
		return ""
	}
	a := parse(text)
	paths := a.paths(t.Path)
	cell := a.text("cell_id")
	if a.text("edit_mode") == "insert" {
		cell, _, _ = strings.Cut(strings.TrimPrefix(result, "Inserted cell "), " ")
		if !strings.HasPrefix(result, "Inserted cell ") {
			return ""
		}
	}
	if len(paths) != 1 || cell == "" {
		return ""
	}
	return paths[0].Path + "#" + cell
}

func pieceOf(path string, a arguments) Piece {
	return Piece{Path: path, Old: a.firstText(oldTexts...), New: a.firstText(newTexts...)}
}

// patchPieces reads the hunks of a patch that begins with "*** Begin Patch". The
// context lines of a hunk are in both of its texts.
func patchPieces(patch string) []Piece {
	var all []Piece
	var before, after strings.Builder
	finish := func() {
		if n := len(all); n > 0 {
			all[n-1].Old += before.String()
			all[n-1].New += after.String()
		}
		before.Reset()
		after.Reset()
	}
	path := ""
	open := false // a hunk of this file
	for line := range strings.SplitSeq(patch, "\n") {
		line = strings.TrimRight(line, "\r")
		if head, p, ok := strings.Cut(line, " File: "); ok && strings.HasPrefix(head, "*** ") {
			path, open = CleanPath(p), false
			continue
		}
		if path == "" || strings.HasPrefix(line, "***") {
			continue
		}
		head, begins := strings.CutPrefix(line, "@@")
		if begins || !open {
			finish()
			open = true
			all = append(all, Piece{Path: path})
		}
		switch {
		case begins:
			all[len(all)-1].Head = strings.TrimSpace(head)
		case strings.HasPrefix(line, "+"):
			after.WriteString(line[1:] + "\n")
		case strings.HasPrefix(line, "-"):
			before.WriteString(line[1:] + "\n")
		default:
			line = strings.TrimPrefix(line, " ")
			before.WriteString(line + "\n")
			after.WriteString(line + "\n")
		}
	}
	finish()
	return all
}

// blocksIn reads blocks of "<<<<<<< SEARCH", "=======" and ">>>>>>> REPLACE",
// in any of their lengths.
func blocksIn(path, text string) []Piece {
	var all []Piece
	var before, after strings.Builder
	var in *strings.Builder // what the lines belong to; nil between blocks
	for line := range strings.SplitSeq(text, "\n") {
		switch trimmed := strings.TrimRight(line, "\r "); {
		case strings.HasPrefix(trimmed, "<<<<") || strings.HasPrefix(trimmed, "----") && strings.HasSuffix(trimmed, "SEARCH"):
			in = &before
		case in == &before && len(trimmed) > 4 && strings.Trim(trimmed, "=") == "":
			in = &after
		case in == &after && (strings.HasPrefix(trimmed, ">>>>") || strings.HasPrefix(trimmed, "++++")):
			all = append(all, Piece{Path: path, Old: before.String(), New: after.String()})
			before.Reset()
			after.Reset()
			in = nil
		case in != nil:
			in.WriteString(line + "\n")
		}
	}
	return all
}
