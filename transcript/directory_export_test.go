package transcript

import (
	"bytes"
	"os"
	"testing"
)

// A session that is written for another client says where it ran, wherever the records of
// its own tool say that.
func TestExportsSayWhereASessionRan(t *testing.T) {
	for path, want := range map[string]string{
		"testdata/copilot-cli/session.jsonl": `"cwd":"/home/ada/bakery"`,
		"testdata/opencode/compacted.json":   `"cwd":"/srv/shop"`,
		"testdata/codex/session.jsonl":       `"cwd":"/home/dev/greet"`,
	} {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		got, err := importText(t, path, string(data))
		if err != nil {
			t.Fatal(err)
		}
		for _, to := range []Format{Codex, Pi} {
			if first, _, _ := bytes.Cut(exportOf(t, to, got), []byte("\n")); !bytes.Contains(first, []byte(want)) {
				t.Errorf("%s as %s begins with %s", path, to, first)
			}
		}
	}
}
