package sqlite

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"tenfold"
	"tenfold/store"
)

// D2: into a file that was removed, moved or replaced while it was open nothing is
// written that would be lost without a word; once it is back appends go on.
func TestD2NothingIsWrittenIntoAFileThatIsGone(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the system keeps a file that is open")
	}
	path := filepath.Join(t.TempDir(), "store.db")
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	say := func(id string) error {
		return s.Create(t.Context(), store.Conversation{ID: id}, tenfold.Entry{ID: id, Payload: tenfold.AssistantMessage{Text: "words"}})
	}
	if err := say("a"); err != nil {
		t.Fatal(err)
	}
	refused := func(how string) {
		t.Helper()
		err := say(how)
		if err == nil || !strings.Contains(err.Error(), "removed or replaced") || !strings.Contains(err.Error(), "start it again") {
			t.Errorf("%s: %v", how, err)
		}
	}
	if err := os.Rename(path, path+".away"); err != nil {
		t.Fatal(err)
	}
	refused("moved")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	refused("replaced")
	if err := os.Rename(path+".away", path); err != nil {
		t.Fatal(err)
	}
	if err := say("b"); err != nil {
		t.Errorf("put back: %v", err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	refused("removed")
}
