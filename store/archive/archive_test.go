package archive_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"tenfold"
	"tenfold/store"
	"tenfold/store/archive"
	"tenfold/store/internal/row"
	"tenfold/store/memory"
	"tenfold/store/sqlite"
)

var start = time.Date(2026, 3, 1, 12, 0, 0, 123456789, time.UTC)

// filled gives a store of conversations that are hard to write as JSON.
func filled(t *testing.T) store.Store {
	t.Helper()
	st := memory.New()
	add := func(c store.Conversation, entries ...tenfold.Entry) {
		if err := st.Create(t.Context(), c, entries...); err != nil {
			t.Fatal(err)
		}
	}
	add(store.Conversation{ID: "empty"})
	add(store.Conversation{
		ID: "odd\xff\x00id", Title: "a \xfe title", Created: start, Updated: start.Add(time.Hour),
		Stats:  store.Stats{Turns: 2, TokensBefore: 30, TokensAfter: 4, Ended: start.Add(time.Minute)},
		Origin: store.Origin{Key: "k\xff", Mark: "m", Tool: "codex", Directory: "/home/\xfe"},
	},
		tenfold.Entry{ID: "1", Time: start, Branch: "root.b", MessageID: "m", Source: "not json\n", Tokens: 7, Payload: tenfold.UserMessage{Parts: tenfold.Text("plain")}},
		tenfold.Entry{ID: "2\xff", Payload: tenfold.AssistantMessage{Text: "not UTF-8: \xff\x00"}},
		tenfold.Entry{ID: "3", Source: `{"a":1,"a":2}`, Payload: tenfold.ToolCall{CallID: "c", Name: "n", Arguments: `{"a": "\ud800"}`}},
		tenfold.Entry{ID: "4", Payload: tenfold.AssistantMessage{Text: "and one more"}})
	var many []tenfold.Entry
	for i := range 300 {
		many = append(many, tenfold.Entry{ID: fmt.Sprint("e", i), Time: start, Payload: tenfold.AssistantMessage{Text: strings.Repeat("x", i*10)}})
	}
	add(store.Conversation{ID: "many", Title: "many", Created: start}, many...)
	return st
}

// contents is all that a store says of its conversations.
func contents(t *testing.T, st store.Store) map[string]any {
	t.Helper()
	all := map[string]any{}
	for c, err := range st.Conversations(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		var log []string
		for e, err := range st.Entries(t.Context(), c.ID, 0) {
			if err != nil {
				t.Fatal(err)
			}
			r, err := row.New(e, 1<<30)
			if err != nil {
				t.Fatal(err)
			}
			log = append(log, fmt.Sprintf("%d %q %q", e.Seq, r.Meta, r.Text))
		}
		all[c.ID] = []any{c, log}
	}
	return all
}

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	from := filled(t)
	want := contents(t, from)
	if len(want) != 3 {
		t.Fatalf("%d conversations", len(want))
	}
	place := filepath.Join(t.TempDir(), "dir")
	dir, endDir, err := archive.Directory(place)
	if err != nil {
		t.Fatal(err)
	}
	file := place + ".zip"
	var b bytes.Buffer
	zipped, endZip := archive.Zip(&b)
	for _, to := range []struct {
		archive.Sink
		end func() error
	}{{dir, endDir}, {zipped, endZip}} {
		total, err := archive.Write(t.Context(), from, to)
		if err := errors.Join(err, to.end()); err != nil || total != (archive.Total{Conversations: 3, Entries: 304}) {
			t.Fatalf("wrote %+v, %v", total, err)
		}
	}
	if err := os.WriteFile(file, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := archive.Directory(place); err == nil {
		t.Error("an archive is written over another")
	}
	for _, name := range []string{place, file} {
		for kind, open := range map[string]func() (store.Store, error){
			"memory": func() (store.Store, error) { return memory.New(), nil },
			"sqlite": func() (store.Store, error) { return sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "tenfold.db")) },
		} {
			to, err := open()
			if err != nil {
				t.Fatal(err)
			}
			files, closer, err := archive.Open(name)
			if err != nil {
				t.Fatal(err)
			}
			total, err := archive.Read(t.Context(), files, to)
			if err != nil || total != (archive.Total{Conversations: 3, Entries: 304}) {
				t.Fatalf("read %+v of %s, %v", total, name, err)
			}
			if diff := cmp.Diff(want, contents(t, to)); diff != "" {
				t.Errorf("%s into %s (-want +got):\n%s", name, kind, diff)
			}
			small := memory.New()
			if _, err := archive.ReadBy(t.Context(), files, small, 1000); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, contents(t, small)); diff != "" {
				t.Errorf("in small batches (-want +got):\n%s", diff)
			}
			if _, err := archive.Read(t.Context(), files, to); !errors.Is(err, store.ErrExists) {
				t.Errorf("a second time: %v", err)
			}
			if err := errors.Join(closer.Close(), to.Close()); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// What is damaged is an error that names the line, and leaves no half log.
func TestDamaged(t *testing.T) {
	t.Parallel()
	const log = "conversations/000001.jsonl"
	index := `{"file":"` + log + `","id":"a","version":2}` + "\n"
	const one, two = `{"tenfold":1,"conversation":{"id":"a"}}` + "\n" + `{"seq":1,"id":"1","kind":"turn_start"}` + "\n", `{"seq":2,"id":"2","kind":"turn_start"}` + "\n"
	for name, test := range map[string]struct{ index, log, exact string }{
		"no index":        {"", one + two, ""},
		"cut":             {index, one, ""},
		"cut in a batch":  {strings.Replace(index, "2}", "9}", 1), one + two + `{"seq":3,"id":"3","kind":"turn_start"}`, ""},
		"longer":          {index, one + two + `{"seq":3,"id":"3","kind":"turn_start"}`, ""},
		"out of order":    {index, one + `{"seq":3,"id":"2","kind":"turn_start"}`, ""},
		"not an entry":    {index, one + `{"seq":2}`, ""},
		"not JSON":        {index, one + `hush`, ""},
		"no log":          {index, "", ""},
		"an odd exact":    {index, one + two, `{"seq":2,"meta":"AAAA"}`},
		"a broken exact":  {index, one + two, `{`},
		"leads elsewhere": {`{"file":"../../etc/passwd.jsonl","id":"a","version":2}`, one + two, ""},
		"is no log":       {`{"file":"` + archive.Index + `x","id":"a","version":2}`, one + two, ""},
		"an index of odd": {"[]", one + two, ""},
	} {
		files := fstest.MapFS{}
		for name, text := range map[string]string{archive.Index: test.index, log: test.log, "conversations/000001.exact": test.exact} {
			if text != "" {
				files[name] = &fstest.MapFile{Data: []byte(text)}
			}
		}
		st := memory.New()
		_, err := archive.ReadBy(t.Context(), files, st, 50)
		if err == nil || strings.Contains(err.Error(), "hush") {
			t.Errorf("%s: %v", name, err)
		}
		if left := contents(t, st); len(left) > 0 {
			t.Errorf("%s leaves %v", name, left)
		}
	}
	good := fstest.MapFS{archive.Index: {Data: []byte(index)}, log: {Data: []byte(one + two)}}
	if _, err := archive.Read(t.Context(), good, memory.New()); err != nil {
		t.Errorf("undamaged: %v", err)
	}
}

// A torn store has conversations that cannot be read beyond some entry.
type torn struct {
	store.Store
	at  map[string]int64
	err error
}

func (s torn) Entries(ctx context.Context, id string, after int64) iter.Seq2[tenfold.Entry, error] {
	return func(yield func(tenfold.Entry, error) bool) {
		for e, err := range s.Store.Entries(ctx, id, after) {
			if at, ok := s.at[id]; ok && e.Seq > at {
				yield(tenfold.Entry{}, s.err)
				return
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// untitled is a store that cannot read the title of one conversation.
type untitled struct{ store.Store }

func (u untitled) Conversations(ctx context.Context) iter.Seq2[store.Conversation, error] {
	return func(yield func(store.Conversation, error) bool) {
		for c, err := range u.Store.Conversations(ctx) {
			if c.ID == "many" {
				c.Title, c.Fault = "", "it was changed"
			}
			if !yield(c, err) {
				return
			}
		}
	}
}

// One damaged conversation does not keep the others from being written, nor what comes
// before the damage; a store that cannot be reached ends it all.
func TestWriteWhatCanBeRead(t *testing.T) {
	t.Parallel()
	whole := filled(t)
	want := contents(t, whole)
	broken := errors.New("the row is damaged")
	from := torn{whole, map[string]int64{"many": 17, "odd\xff\x00id": 0}, broken}
	var b bytes.Buffer
	sink, end := archive.Zip(&b)
	total, err := archive.Write(t.Context(), from, sink)
	var unread *archive.UnreadError
	if !errors.As(err, &unread) || !errors.Is(err, broken) || total != (archive.Total{Conversations: 3, Entries: 17}) {
		t.Fatalf("wrote %+v, %v", total, err)
	}
	got := map[string]int64{}
	for _, u := range unread.Conversations {
		got[u.ID] = u.Entries
	}
	if diff := cmp.Diff(from.at, got); diff != "" {
		t.Errorf("what is not whole (-want +got):\n%s", diff)
	}
	if err := end(); err != nil {
		t.Fatal(err)
	}
	files, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	to := memory.New()
	if total, err := archive.Read(t.Context(), files, to); err != nil || total.Entries != 17 {
		t.Fatalf("read %+v, %v", total, err)
	}
	if left := contents(t, to); !cmp.Equal(left["empty"], want["empty"]) || len(left) != 3 {
		t.Errorf("read back: %v", left)
	}

	sink, _ = archive.Zip(io.Discard)
	total, err = archive.Write(t.Context(), untitled{whole}, sink)
	if !errors.As(err, &unread) || len(unread.Conversations) != 1 || unread.Conversations[0].ID != "many" || unread.Conversations[0].Entries != 300 || total.Conversations != 3 {
		t.Errorf("without a title: %+v, %v", total, err)
	}

	from.err = fmt.Errorf("read: %w", store.ErrUnavailable)
	sink, _ = archive.Zip(io.Discard)
	if _, err := archive.Write(t.Context(), from, sink); !errors.Is(err, store.ErrUnavailable) || errors.As(err, &unread) {
		t.Errorf("without the store: %v", err)
	}
}

// A link in a directory leads nowhere.
func TestLinks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Symlink("/etc/hostname", filepath.Join(dir, archive.Index)); err != nil {
		t.Skip(err)
	}
	files, closer, err := archive.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer closer.Close()
	if _, err := fs.ReadFile(files, archive.Index); err == nil {
		t.Error("a link out of the archive is followed")
	}
}

func FuzzRead(f *testing.F) {
	f.Add(`{"file":"a.jsonl","id":{"base64":"/w=="},"version":1,"origin":{"key":"k"}}`, "{}\n"+`{"seq":1,"id":"1","kind":"assistant_message","text":"t"}`, `{"seq":1,"meta":"AQ==","text":"YQ=="}`)
	f.Fuzz(func(t *testing.T, index, log, odd string) {
		files := fstest.MapFS{archive.Index: {Data: []byte(index)}, "a.jsonl": {Data: []byte(log)}, "a.exact": {Data: []byte(odd)}}
		st := memory.New()
		if _, err := archive.Read(context.Background(), files, st); err != nil {
			return
		}
		// What is taken can be written and read again.
		var b bytes.Buffer
		sink, end := archive.Zip(&b)
		if _, err := archive.Write(context.Background(), st, sink); err != nil {
			t.Fatal(err)
		}
		if err := end(); err != nil {
			t.Fatal(err)
		}
	})
}
