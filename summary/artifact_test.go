package summary_test

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"tenfold/internal/logtest"
	"tenfold/strategy"
	"tenfold/summary"
)

func at() time.Time { return time.Date(2026, 2, 3, 4, 5, 6, 7, time.UTC) }

func TestM5Artifacts(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "session")
	secret := "sk-" + strings.Repeat("a1B2c3", 8)
	l := talk(t, "t", "u the key is "+secret, "a "+strings.Repeat("noted ", 400))
	s := summary.Recorded{Of: digest{"The key " + secret + " was noted."}, Artifacts: summary.Directory(dir), Conversation: "../c/1", Now: at}
	made, _ := compact(t, l, s, 0, 0)
	if len(made.Compactions) != 1 {
		t.Fatal(made.Nothing)
	}
	kept := made.Compactions[0].Summary.Artifacts
	if kept == nil {
		t.Fatal("the stored summary does not say where its artifacts are")
	}
	for path, want := range map[string]string{
		kept.Input: "[turn 000] USER:\nthe key is [redacted]\n", kept.Summary: "The key [redacted] was noted.\n",
	} {
		data, err := os.ReadFile(path)
		if err != nil || !strings.HasPrefix(string(data), want) || strings.Contains(string(data), secret) {
			t.Errorf("%s: %q, %v", path, data, err)
		}
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != 0o600 || filepath.Dir(path) != dir {
			t.Errorf("%s: %v, %v", path, info, err)
		}
	}
	if name := filepath.Base(kept.Input); name != "summarizer-input-__c_1-905ba823-20260203T040506Z.md" {
		t.Error(name)
	}
	if files, err := summary.Directory(dir).Of("../c/1"); err != nil || !slices.Equal(files, []string{kept.Input, kept.Summary}) {
		t.Errorf("its files are %v, %v", files, err)
	}
	// What is refused, or only tried, leaves nothing behind.
	before := len(list(t, dir))
	s.Of = digest{strings.Repeat("too long ", 4000)}
	if made, _ := compact(t, l, s, 0, 0); len(made.Compactions) != 0 {
		t.Error("a summary that is no smaller was taken")
	}
	s.Of = digest{}
	if _, err := s.Summarize(t.Context(), strategy.SummaryRequest{Log: l, DryRun: true}); err != nil {
		t.Error(err)
	}
	if after := list(t, dir); len(after) != before {
		t.Errorf("%v", after)
	}
}

// The files of a conversation are found by their names, those of a program that
// was killed included, and no others: ids may begin with ids.
func TestM5ArtifactsOfAConversation(t *testing.T) {
	dir := summary.Directory(t.TempDir())
	const stamp = "20260203T040506Z"
	long := strings.Repeat("long", 25)
	mine := map[string][]string{
		"a": {
			"summary-a-" + stamp + ".md", "summary-a-" + stamp + "-2.md", "summarizer-input-a-" + stamp + ".md",
			".summary-a-" + stamp + ".md.1.part", ".summarizer-input-a-" + stamp + "-3.md.12.part",
		},
		"a-2":        {"summary-a-2-" + stamp + ".md"},
		"a-" + stamp: {"summary-a-" + stamp + "-" + stamp + ".md"},
		long:         {"summary-" + long + "-" + stamp + ".md"}, // of release 0.1
	}
	others := []string{
		"summary-a.md", "summary-a-b-" + stamp + ".md", "summary-a-20261303T040506Z.md", "summary-a-" + stamp + "-x.md", "summary-a-" + stamp + ".txt",
		"notes-a-" + stamp + ".md", "summary-a-" + stamp + ".md.part", ".summary-a-" + stamp + ".md.x.part", "summary-b_c-" + stamp + ".md",
	}
	for _, names := range append(slices.Collect(maps.Values(mine)), others) {
		for _, name := range names {
			if err := os.WriteFile(filepath.Join(string(dir), name), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	for id, names := range mine {
		var want []string
		for _, name := range names {
			want = append(want, filepath.Join(string(dir), name))
		}
		slices.Sort(want)
		if files, err := dir.Of(id); err != nil || !slices.Equal(files, want) {
			t.Errorf("of %s are %v, %v", id, files, err)
		}
	}
	for _, id := range []string{"b:c", "", "other"} {
		if files, err := dir.Of(id); err != nil || len(files) > 0 {
			t.Errorf("of %q are %v, %v", id, files, err)
		}
	}
	if files, err := summary.Directory(filepath.Join(string(dir), "nowhere")).Of("a"); err != nil || files != nil {
		t.Errorf("where there is no directory: %v, %v", files, err)
	}
}

func list(t *testing.T, dir string) []string {
	t.Helper()
	found, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range found {
		names = append(names, f.Name())
	}
	return names
}

type full struct{}

func (full) Write(string, []byte) (string, error) { return "", errors.New("disk is full") }

func TestM5ArtifactsThatCannotBeWritten(t *testing.T) {
	made, _ := compact(t, long(t), summary.Recorded{Of: digest{}, Artifacts: full{}, Now: at}, 0, 2)
	if len(made.Compactions) != 1 || made.Compactions[0].Summary.Artifacts != nil || !strings.Contains(notesOf(made), "disk is full") {
		t.Errorf("%+v, %s", made.Compactions, notesOf(made))
	}
}

func TestM5DirectoryIsSafe(t *testing.T) {
	base := t.TempDir()
	dir := filepath.Join(base, "d")
	d := summary.Directory(dir)
	for _, name := range []string{"../out.md", "/etc/out.md", "a/b.md", "..", "", ".hidden", "nul\x00.md", strings.Repeat("n", 400) + ".md", "same.md", "same.md", "same.md"} {
		path, err := d.Write(name, []byte(name))
		if err != nil || filepath.Dir(path) != dir || len(filepath.Base(path)) > 130 {
			t.Errorf("%q is written to %q, %v", name, path, err)
			continue
		}
		if data, err := os.ReadFile(path); err != nil || string(data) != name {
			t.Errorf("%q holds %q, %v", path, data, err)
		}
	}
	if outside := list(t, base); len(outside) != 1 {
		t.Errorf("beside the directory: %v", outside)
	}
	// A link that lies in wait is not followed.
	if err := os.Symlink(filepath.Join(base, "victim"), filepath.Join(dir, "trap.md")); err != nil {
		t.Skip(err)
	}
	if path, err := d.Write("trap.md", []byte("x")); err != nil || filepath.Base(path) != "trap-2.md" {
		t.Errorf("%q, %v", path, err)
	}
	if _, err := os.Stat(filepath.Join(base, "victim")); err == nil {
		t.Error("the link was followed")
	}
	for _, name := range list(t, dir) {
		if strings.HasSuffix(name, ".part") {
			t.Errorf("%s is left behind", name)
		}
	}
}

func TestM5DirectoryWritesAtOnce(t *testing.T) {
	d := summary.Directory(t.TempDir())
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if _, err := d.Write("s.md", []byte("x")); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if got := list(t, string(d)); len(got) != 8 {
		t.Errorf("%v", got)
	}
}

// megabytes asks for a summary of about so many bytes.
func megabytes(tb testing.TB, size int) strategy.SummaryRequest {
	tb.Helper()
	return requestOf(logtest.Megabytes(tb, size), 0, 0)
}

// X4: what a client left of a conversation is a file of that conversation, and of none
// whose name begins with its name.
func TestDirectoryListsHistories(t *testing.T) {
	t.Parallel()
	dir := summary.Directory(t.TempDir())
	long := strings.Repeat("x", 128)
	for _, conversation := range []string{"c-1", "c-1-2", "c", long} {
		name := summary.HistoryName(conversation, 12, [8]byte{1, 0xab})
		path, err := dir.Write(name, []byte("[]"))
		if err != nil || filepath.Base(path) != name {
			t.Fatalf("%s is written as %s: %v", name, path, err)
		}
	}
	for _, name := range []string{"history-c-1-12-zz00000000000000.json", "history-c-1--01ab000000000000.json", "history-c-1-12-01ab.json", "history-c-1-12-01ab000000000000.md"} {
		if _, err := dir.Write(name, nil); err != nil {
			t.Fatal(err)
		}
	}
	for _, conversation := range []string{"c-1", "c-1-2", "c", long} {
		files, err := dir.Of(conversation)
		if err != nil || len(files) != 1 || filepath.Base(files[0]) != summary.HistoryName(conversation, 12, [8]byte{1, 0xab}) {
			t.Errorf("of %s there are %q: %v", conversation, files, err)
		}
	}
}
