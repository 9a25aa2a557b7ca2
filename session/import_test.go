package session_test

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"testing"

	"tenfold"
	"tenfold/session"
	"tenfold/store"
	"tenfold/transcript"
)

// read imports a dialogue in the shape from a path.
func (s shape) read(tb testing.TB, path string, t dialogue) session.Import {
	tb.Helper()
	all := importBytes(tb, path, s.format, s.write(t))
	if len(all) != 1 || all[0].Format != s.format {
		tb.Fatalf("%d conversations of %v in\n%s", len(all), all, s.write(t))
	}
	return newImport(tb, path, all[0])
}

func importBytes(tb testing.TB, path string, format transcript.Format, data []byte) []transcript.Collected {
	tb.Helper()
	var k transcript.Collector
	if err := transcript.Import(tb.Context(), transcript.Source{Name: path, Reader: bytes.NewReader(data)}, format, &k); err != nil {
		tb.Fatalf("%v in\n%s", err, data)
	}
	return k.Conversations
}

func newImport(tb testing.TB, path string, c transcript.Collected) session.Import {
	tb.Helper()
	l := tenfold.NewLog(tenfold.WithCounter(tenfold.Chars4{}))
	if _, err := l.Append(c.Entries...); err != nil {
		tb.Fatal(err)
	}
	return session.Import{ID: c.ID, Title: c.Title, Named: c.Named, Path: path, Log: l}
}

// saidIn are the texts of a log that a model sees, in order.
func saidIn(l *tenfold.Log) []string {
	var texts []string
	for e := range l.Entries() {
		switch p := e.Payload.(type) {
		case tenfold.UserMessage:
			texts = append(texts, p.Parts[0].Text)
		case tenfold.AssistantMessage:
			texts = append(texts, p.Text)
		}
	}
	return texts
}

// put imports, again while others come first.
func put(ctx context.Context, svc *session.Service, in session.Import) (*session.Located, error) {
	for {
		at, err := svc.Locate(ctx, in)
		if err == nil {
			err = at.Store(ctx)
		}
		var lost *store.ConflictError
		if !errors.As(err, &lost) {
			return at, err
		}
	}
}

// An importer imports into a store, and checks with each import what holds for
// all of them: the conversation says what the source says and nothing else, and
// importing it again changes nothing. In the end no other has changed.
type importer struct {
	testing.TB
	svc *session.Service
	// versions are those that each conversation is to have.
	versions map[string]int64
}

func newImporter(tb testing.TB, st store.Store) *importer {
	return &importer{tb, session.NewService(st, session.WithCounter(tenfold.Chars4{})), map[string]int64{}}
}

func (i *importer) put(in session.Import) *session.Located {
	i.Helper()
	at, err := put(i.Context(), i.svc, in)
	if err != nil {
		i.Fatal(err)
	}
	if got, want := saidIn(at.Session.Log()), saidIn(in.Log); !slices.Equal(got, want) {
		i.Errorf("conversation %s says %q, and what was imported %q", at.ID, got, want)
	}
	i.versions[at.ID] = at.Session.Log().Version()
	again, err := put(i.Context(), i.svc, in)
	if err != nil {
		i.Fatal(err)
	}
	if again.ID != at.ID || len(again.Fresh) > 0 || again.Parted != nil || again.Session.Log().Version() != i.versions[at.ID] {
		i.Errorf("importing %s again gives %s with %d entries, parted %+v", at.ID, again.ID, len(again.Fresh), again.Parted)
	}
	return at
}

func (i *importer) says(id string) []string {
	i.Helper()
	s, err := i.svc.Open(i.Context(), id)
	if err != nil {
		i.Fatal(err)
	}
	return saidIn(s.Log())
}

// end checks that what was imported is as it was then.
func (i *importer) end() {
	i.Helper()
	stored := map[string]int64{}
	for c, err := range i.svc.List(i.Context()) {
		if err != nil {
			i.Fatal(err)
		}
		stored[c.ID] = c.Version
	}
	for id, version := range i.versions {
		if stored[id] != version {
			i.Errorf("conversation %s has %d entries, not %d", id, stored[id], version)
		}
	}
}
