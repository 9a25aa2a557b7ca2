package hook

import (
	"bytes"
	"fmt"
	"os"
	"slices"

	"tenfold/internal/jsonedit"
)

// Uninstall takes an adapter away: every file is as it was before, byte for byte.
// From a file that a person changed since, only what was added is removed; a file
// of our own that was changed is renamed.
func (h *Host) Uninstall(i Install, dryRun bool) ([]Change, error) {
	if !dryRun {
		unlock, err := h.lock()
		if err != nil {
			return nil, err
		}
		defer unlock()
	}
	var changes []change
	for _, w := range slices.Backward(i.Files) {
		ch, err := w.planRemoval()
		if err != nil {
			return nil, err
		}
		changes = append(changes, ch)
	}
	if dryRun {
		return summaries(changes), nil
	}
	if err := apply(changes); err != nil {
		return summaries(changes), err
	}
	removeDirs(i.Dirs)
	i.Files = nil
	return summaries(changes), h.record(i)
}

// planRemoval works out what becomes of a file.
func (w Written) planRemoval() (change, error) {
	data, there, err := fileAt(w.Path)
	if err != nil {
		return change{}, err
	}
	ch := change{Change: Change{Path: w.Path, Action: "unchanged"}, before: data, after: data}
	if info, err := os.Stat(w.Path); err == nil {
		ch.mode = info.Mode().Perm() // to be put back with
	}
	switch {
	case !there:
		ch.before, ch.Note = nil, "it is gone already"
	case w.own() && sum(data) == w.After:
		ch.Action, ch.after = "remove", nil
	case w.own():
		if ch.rename, err = freeName(w.Path); err != nil {
			return ch, err
		}
		ch.Action, ch.Note = "rename", "it was changed since it was installed; it is kept as "+ch.rename
	default:
		w.planTakingOut(&ch)
	}
	return ch, nil
}

// planTakingOut works out what a file of the person becomes.
func (w Written) planTakingOut(ch *change) {
	after, exact := w.without(ch.before)
	ch.Action, ch.after = "restore", append([]byte{}, after...) // not nil, which is not a file
	switch {
	case w.Made && blank(after):
		ch.Action, ch.after = "remove", nil
	case bytes.Equal(after, ch.before):
		ch.Action, ch.Note = "keep", "what Tenfold added is not in it any more"
	case w.Before == "":
		ch.Action = "edit"
	case !exact:
		ch.Action, ch.Note = "edit", "it was changed since it was installed; only what Tenfold added is removed"
	}
}

// without is a text without what was added to it. Exact says that it is the text
// that there was before.
func (w Written) without(text []byte) (out []byte, exact bool) {
	if sum(text) == w.After {
		if before, ok := jsonedit.Undo(text, w.Inserted); ok && sum(before) == w.Before {
			return before, true
		}
	}
	for _, e := range slices.Backward(w.Edits) {
		text, _ = jsonedit.Remove(text, e.At, e.Value, e.Append)
	}
	return text, sum(text) == w.Before
}

// blank tells a text that says nothing.
func blank(text []byte) bool {
	text = bytes.Join(bytes.Fields(text), nil)
	return len(text) == 0 || bytes.Equal(text, []byte("{}"))
}

// freeName finds a name beside a file that is not in use.
func freeName(path string) (string, error) {
	for n := range 100 {
		name := path + ".changed"
		if n > 0 {
			name = fmt.Sprintf("%s.changed-%d", path, n+1)
		}
		if _, err := os.Lstat(name); os.IsNotExist(err) {
			return name, nil
		}
	}
	return "", fmt.Errorf("%s: too many changed copies beside it", path)
}
