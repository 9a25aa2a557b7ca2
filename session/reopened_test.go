package session_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"tenfold"
	"tenfold/body"
	"tenfold/internal/logtest"
	"tenfold/session"
	"tenfold/store"
	"tenfold/store/memory"
	"tenfold/store/postgres/pgtest"
	"tenfold/store/sqlite"
)

// stores opens an empty store of each kind, and says how to look at it again.
// PostgreSQL is asked for by running the whole test, not -short.
func stores(t *testing.T, each func(t *testing.T, st store.Store)) {
	t.Run("memory", func(t *testing.T) { each(t, memory.New()) })
	t.Run("sqlite", func(t *testing.T) {
		st, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "a.db"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = st.Close() })
		each(t, st)
	})
	t.Run("postgres", func(t *testing.T) {
		if testing.Short() {
			t.Skip("it takes a server")
		}
		each(t, openPostgres(t, pgtest.Start(t).Database(t)))
	})
}

// wantReopened holds the log of a session to what its store gives back.
func wantReopened(t fataler, svc *session.Service, s *session.Session) {
	again, err := svc.Open(context.Background(), s.ID())
	if err != nil {
		t.Fatalf("open again: %v", err)
	}
	here, there := slices.Collect(s.Log().Entries()), slices.Collect(again.Log().Entries())
	if d := cmp.Diff(there, here); d != "" {
		t.Fatalf("the log in memory is another than the stored one (-stored +memory):\n%s", d)
	}
	if d := cmp.Diff(again.Projection().Totals(), s.Projection().Totals()); d != "" {
		t.Fatalf("totals (-stored +memory):\n%s", d)
	}
	for _, f := range body.Profiles() {
		mine, err := f.Write(s.Projection())
		theirs, errAgain := f.Write(again.Projection())
		if err != nil || errAgain != nil || string(mine) != string(theirs) {
			t.Fatalf("%s: %v %v\n%s\n%s", f.Name, err, errAgain, theirs, mine)
		}
	}
}

// L2, D2: for every payload the log in memory is the log that the store gives
// back: pointers, texts cut inside a character, ids used twice, odd numbers.
func TestD2TheLogInMemoryIsTheLogReopened(t *testing.T) {
	stores(t, func(t *testing.T, st store.Store) {
		svc := session.NewService(st, session.WithCounter(tenfold.Chars4{}))
		rapid.Check(t, func(t *rapid.T) {
			entries := logtest.Entries(24).Draw(t, "log")
			for i := range entries {
				if rapid.IntRange(0, 2).Draw(t, "cut") == 0 {
					entries[i].Payload = cutInside(t, entries[i].Payload)
				}
			}
			first := rapid.IntRange(0, len(entries)).Draw(t, "created with")
			s, err := svc.Create(context.Background(), session.Create{Entries: entries[:first]})
			if err != nil {
				t.Fatal(err)
			}
			for rest := entries[first:]; len(rest) > 0; {
				n := rapid.IntRange(1, len(rest)).Draw(t, "batch")
				if err := s.Append(context.Background(), rest[:n]...); err != nil {
					t.Fatal(err)
				}
				rest = rest[n:]
			}
			wantReopened(t, svc, s)
		})
	})
}

// cutInside ends some texts of a payload inside a character.
func cutInside(t *rapid.T, p tenfold.Payload) tenfold.Payload {
	v := reflect.ValueOf(p)
	if v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	out := reflect.New(v.Type()).Elem()
	out.Set(v)
	for i := range out.NumField() {
		if f := out.Field(i); f.Type() == reflect.TypeFor[string]() && p.Kind() != "later.kind" && rapid.Bool().Draw(t, "field") {
			f.SetString(f.String() + "\xe8\xb5")
		}
	}
	return out.Interface().(tenfold.Payload)
}

// L3, L9: whatever a log would not keep is refused whole, and what was wrong is
// said; nothing is written.
func TestL3SessionsRefuseWhatNoStoreKeeps(t *testing.T) {
	svc := newService(t)
	s := mustCreate(t, svc, 1)
	version := s.Log().Version()
	fine := tenfold.Entry{ID: "fine", Payload: &tenfold.AssistantMessage{Text: "x"}}
	for _, test := range []struct {
		payload tenfold.Payload
		want    error
		words   string
	}{
		{nil, tenfold.ErrNoPayload, "no payload"},
		{(*tenfold.UserMessage)(nil), tenfold.ErrNoPayload, "UserMessage"},
		{struct{ tenfold.UserMessage }{}, tenfold.ErrPayloadType, "not a payload"},
		{tenfold.Compaction{Reasoning: &tenfold.Policy{Action: "shred"}}, nil, "shred"},
	} {
		bad := []tenfold.Entry{fine, {ID: "bad", Payload: test.payload}}
		_, errCreate := svc.Create(t.Context(), session.Create{ID: "other", Entries: bad})
		for _, err := range []error{s.Append(t.Context(), bad...), errCreate} {
			if err == nil || (test.want != nil && !errors.Is(err, test.want)) || !strings.Contains(err.Error(), test.words) || !strings.Contains(err.Error(), `"bad"`) {
				t.Errorf("%T: %v", test.payload, err)
			}
		}
		if _, err := svc.Open(t.Context(), "other"); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("%T: a conversation was made: %v", test.payload, err)
		}
	}
	if s.Log().Version() != version {
		t.Errorf("version %d became %d", version, s.Log().Version())
	}
	wantReopened(t, svc, s)
	if err := s.Append(t.Context(), fine); err != nil || s.Log().Version() != version+1 {
		t.Errorf("a pointer is refused: %v", err)
	}
	wantReopened(t, svc, s)
}

// A6: the record of a failure keeps whole characters of the error, wherever it
// is cut, and is the same in memory and reopened.
func TestA6ALongErrorIsCutBetweenCharacters(t *testing.T) {
	for extra := range 4 {
		svc := newService(t)
		s := mustCreate(t, svc, 3)
		words := strings.Repeat("x", extra) + strings.Repeat("走る", 400)
		if _, err := s.Compact(t.Context(), summarised(t, fails(errors.New(words)))); err == nil {
			t.Fatal("it did not fail")
		}
		got := failures(s)
		if len(got) != 1 || len(got[0].Error) > 1000+len("…") || !strings.HasSuffix(got[0].Error, "…") || strings.ContainsRune(got[0].Error, '\ufffd') {
			t.Fatalf("%+v", got)
		}
		if whole, _, _ := strings.Cut(got[0].Error, "…"); !strings.Contains(fmt.Sprintf("strategy summarize: summarize turns 0..2: %s", words), whole) {
			t.Errorf("%q is not the beginning of the error", got[0].Error)
		}
		wantReopened(t, svc, s)
	}
}

// fataler is a test or a property.
type fataler interface {
	Fatalf(format string, args ...any)
}

// T2: what an entry costs is counted once, and stored with it.
func TestT2EntriesAreStoredCounted(t *testing.T) {
	st := memory.New()
	s, err := session.NewService(st).Create(t.Context(), session.Create{Entries: []tenfold.Entry{{Payload: tenfold.UserMessage{Parts: tenfold.Text("count this")}}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Append(t.Context(), tenfold.Entry{Payload: tenfold.AssistantMessage{Text: "counted"}}); err != nil {
		t.Fatal(err)
	}
	stored := 0
	for e, err := range st.Entries(t.Context(), s.ID(), 0) {
		if known, _ := s.Log().Entry(e.Seq); err != nil || e.Tokens == 0 || e.Tokens != known.Tokens {
			t.Errorf("entry %d is stored with %d tokens, not %d: %v", e.Seq, e.Tokens, known.Tokens, err)
		}
		stored++
	}
	if stored != 2 {
		t.Errorf("%d entries are stored", stored)
	}
}
