package transcript

import (
	"context"
	"strings"
	"testing"

	"tenfold"
	"tenfold/body"
	"tenfold/internal/corpustest"
	"tenfold/transcript/internal/engine"
	"tenfold/transcript/internal/intake"
)

// eachCorpusFile runs f on every file of a format, imported.
func eachCorpusFile(t *testing.T, format Format, f func(t *testing.T, path string, want corpustest.File, got Collected)) {
	n := 0
	for _, file := range corpustest.Sample(corpustest.Files(t, string(format))) {
		n++
		t.Run(file.Name, func(t *testing.T) {
			got := importFile(t, file.Path)
			f(t, file.Path, file, got)
		})
	}
	if n == 0 {
		t.Fatalf("the corpus index names no %s file", format)
	}
}

// importAll imports the conversations of a file, of whatever format.
func importAll(tb testing.TB, path string) []Collected {
	tb.Helper()
	f, err := Open(path)
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	var k Collector
	if err := Import(context.Background(), f.Source, "", &k); err != nil {
		tb.Fatal(err)
	}
	return k.Conversations
}

func importFile(tb testing.TB, path string) Collected {
	tb.Helper()
	all := importAll(tb, path)
	if len(all) != 1 {
		tb.Fatalf("%d conversations, want 1", len(all))
	}
	return all[0]
}

func importText(tb testing.TB, name, text string) (Collected, error) {
	tb.Helper()
	return importOf(tb, Source{Name: name, Reader: strings.NewReader(text), Size: int64(len(text))})
}

// importStrict is importText to which a damaged record is an error.
func importStrict(tb testing.TB, name, text string) (Collected, error) {
	tb.Helper()
	return importOf(tb, Source{Name: name, Reader: strings.NewReader(text), Size: int64(len(text)), Strict: true})
}

func importOf(tb testing.TB, src Source) (Collected, error) {
	tb.Helper()
	var k Collector
	if err := Import(tb.Context(), src, "", &k); err != nil {
		return Collected{}, err
	}
	return k.Conversations[0], nil
}

// checkLaws checks what holds for every import.
func checkLaws(tb testing.TB, got Collected) {
	tb.Helper()
	if !intake.PlainID(got.ID) {
		tb.Errorf("conversation id %q is not plain", got.ID)
	}
	seen := map[string]bool{}
	log := tenfold.NewLog()
	var root engine.RootLog
	for _, e := range got.Entries {
		if e.ID == "" || seen[e.ID] {
			tb.Errorf("id %q is empty or not unique", e.ID)
		}
		seen[e.ID] = true
		if e.Payload == nil {
			tb.Fatalf("entry %s has no payload", e.ID)
		}
		if _, err := log.Append(e); err != nil {
			tb.Fatal(err)
		}
		root.See(e)
		_, late := e.Payload.(tenfold.ToolResult) // stands where its call does
		if turn, step, _ := log.Where(log.Version()); e.Branch == "" && e.Payload.Kind().Visible() && !late && (turn != root.Turn || step != root.Step) {
			tb.Errorf("entry %s stands at %d/%d (L5, L6), the importer counts %d/%d", e.ID, turn, step, root.Turn, root.Step)
		}
		if intake.Amend(&e) {
			tb.Errorf("entry %s has a number that cannot be", e.ID)
		}
	}
	checkRoundTrip(tb, got)
	checkViews(tb, log)
}

// tester is a test, or a property of one.
type tester interface {
	Helper()
	Errorf(format string, args ...any)
	Fatal(args ...any)
}

// checkViews checks that every provider would take the conversation: as it
// was, and as the tool's own compactions leave it (P10).
func checkViews(tb tester, log *tenfold.Log) {
	tb.Helper()
	p := tenfold.Project(log)
	views := []*tenfold.Projection{p}
	if len(engine.LiveOverlays(log)) > 0 { // without any, it is as it was
		bare, err := View{Projection: p}.Shown()
		if err != nil {
			tb.Fatal(err)
		}
		views = append(views, bare)
	}
	for _, profile := range body.Profiles() {
		for _, view := range views {
			body, err := profile.Write(view)
			if err != nil {
				tb.Fatal(err)
			}
			if v := profile.Check(body); len(v) > 0 && anyVisible(view) {
				tb.Errorf("%s: %d violations, the first: %s", profile.Name, len(v), v[0])
			}
		}
	}
}

// anyVisible tells views from empty ones, which no provider takes.
func anyVisible(p *tenfold.Projection) bool {
	for range p.Items() {
		return true
	}
	return false
}
