package transcript

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"tenfold"
	"tenfold/internal/corpustest"
)

func imported(t *testing.T, path string, as Format) Collected {
	t.Helper()
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	var k Collector
	if err := Import(context.Background(), f.Source, as, &k); err != nil {
		t.Fatal(err)
	}
	if len(k.Conversations) != 1 {
		t.Fatalf("%d conversations", len(k.Conversations))
	}
	return k.Conversations[0]
}

func viewOf(t *testing.T, c Collected) View {
	t.Helper()
	l := tenfold.NewLog()
	if _, err := l.Append(c.Entries...); err != nil {
		t.Fatal(err)
	}
	return View{Conversation: c.Conversation, Projection: tenfold.Project(l)}
}

// A directory of JP's that is exported again holds the same files.
func TestJPCorpusDirectories(t *testing.T) {
	for _, file := range corpustest.Sample(corpustest.Files(t, "jp")) {
		if filepath.Base(file.Path) != "events.json" {
			continue
		}
		t.Run(file.Name, func(t *testing.T) {
			c := imported(t, file.Path, "")
			path, _, err := ExportDirectory(t.TempDir(), JP, viewOf(t, c))
			if err != nil {
				t.Fatal(err)
			}
			again := imported(t, filepath.Join(path, "events.json"), "")
			if again.Title != c.Title || !reflect.DeepEqual(again.Entries, c.Entries) {
				t.Errorf("%q with %d entries comes back as %q with %d", c.Title, len(c.Entries), again.Title, len(again.Entries))
			}
			if _, err := os.Stat(filepath.Join(path, "metadata.json")); err != nil {
				t.Error(err)
			}
			before, _ := filepath.Split(file.Name)
			if id, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(before), "archive-"), "-"); len(filepath.Base(path)) < len(id) {
				t.Errorf("%s is named %s", before, filepath.Base(path))
			}
		})
	}
}

// JP finds a configuration in each directory: beside the events, or as their
// first. A name that is taken is left alone.
func TestJPDirectoryOfAnother(t *testing.T) {
	got, err := importText(t, "a.jsonl", new(session).user("u1", `"bake \"rye\" bread/../../x"`).assistant("a1", "m1", call("t1")).String())
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	path, _, err := ExportDirectory(dir, JP, viewOf(t, got))
	if err != nil {
		t.Fatal(err)
	}
	if filepath.Dir(path) != dir {
		t.Errorf("%s is not in %s", path, dir)
	}
	for _, name := range []string{"events.json", "metadata.json"} {
		if _, err := os.Stat(filepath.Join(path, name)); err != nil {
			t.Error(err)
		}
	}
	events, _ := os.ReadFile(filepath.Join(path, "events.json"))
	if _, err := os.Stat(filepath.Join(path, "base_config.json")); err != nil && !strings.Contains(string(events[:80]), "config_delta") {
		t.Error("there is no configuration")
	}
	if _, _, err := ExportDirectory(dir, JP, viewOf(t, got)); err == nil || !strings.Contains(errorText(err), "is there already") {
		t.Errorf("a second one: %v", err)
	}
	if _, _, err := ExportDirectory(dir, Codex, viewOf(t, got)); err == nil {
		t.Error("Codex keeps no directories")
	}
	if list, _ := os.ReadDir(dir); len(list) != 1 {
		t.Errorf("there are %v", list)
	}
}
