// Package storetest is the one suite that every store passes (D1). A store's
// own test calls [Run] with a way to open an empty store:
//
//	func TestStore(t *testing.T) {
//		storetest.Run(t, func(t *testing.T) store.Store { return memory.New() })
//	}
//
// Each test of the suite names the sentence of the contract, or the rule of
// the semantics, that it holds the store to.
package storetest

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tenfold"
	"tenfold/store"
)

// An Option tells the suite more about a store.
type Option func(*suite)

// Reopen is for stores that outlive the program: it closes s and opens what it
// kept again. The suite then also looks at what is left.
func Reopen(reopen func(t *testing.T, s store.Store) store.Store) Option {
	return func(s *suite) { s.reopen = reopen }
}

// Second is for stores that several processes share: it opens what s keeps a
// second time. The suite then also looks at what one sees of the other.
func Second(second func(t *testing.T, s store.Store) store.Store) Option {
	return func(s *suite) { s.second = second }
}

type suite struct {
	open   func(t *testing.T) store.Store
	reopen func(t *testing.T, s store.Store) store.Store
	second func(t *testing.T, s store.Store) store.Store
}

// Run runs the suite. open gives an empty store; the suite closes it.
func Run(t *testing.T, open func(t *testing.T) store.Store, opts ...Option) {
	s := &suite{open: open}
	for _, opt := range opts {
		opt(s)
	}
	for _, test := range []struct {
		name string
		run  func(t *testing.T, s *suite, st store.Store)
	}{
		{"Create", testCreate},
		{"CreateWithEntries", testCreateWithEntries},
		{"NotFound", testNotFound},
		{"Listing", testListing},
		{"Pages", testPages},
		{"FarTimes", testFarTimes},
		{"ListingEndsEarly", testListingEndsEarly},
		{"Titles", testTitles},
		{"Origins", testOrigins},
		{"OriginsMany", testOriginsMany},
		{"Delete", testDelete},
		{"OddNames", testOddNames},
		{"Prefixes", testPrefixes},
		{"Handles", testHandles},
		{"Appends", testAppends},
		{"Model", testModel},
		{"EntriesAfter", testEntriesAfter},
		{"Atomic", testAtomic},
		{"Cancelled", testCancelled},
		{"Ownership", testOwnership},
		{"Payloads", testPayloads},
		{"Envelopes", testEnvelopes},
		{"Texts", testTexts},
		{"Huge", testHuge},
		{"ManyEntries", testManyEntries},
		{"Search", testSearch},
		{"SearchSyntax", testSearchSyntax},
		{"SearchOrder", testSearchOrder},
		{"SearchLimit", testSearchLimit},
		{"SearchFarBack", testSearchFarBack},
		{"SearchSnippet", testSearchSnippet},
		{"SearchDeleted", testSearchDeleted},
		{"SearchGrowing", testSearchGrowing},
		{"SearchScripts", testSearchScripts},
		{"ManyConversations", testManyConversations},
		{"PrefixReads", testPrefixReads},
		{"Contention", testContention},
		{"NestedCalls", testNestedCalls},
		{"Watch", testWatch},
		{"WatchEnds", testWatchEnds},
		{"WatchSlow", testWatchSlow},
		{"WatchDeleted", testWatchDeleted},
		{"WatchClosed", testWatchClosed},
		{"WatchWriters", testWatchWriters},
		{"WatchElsewhere", testWatchElsewhere},
		{"Close", testClose},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			st := s.open(t)
			t.Cleanup(func() {
				if err := st.Close(); err != nil {
					t.Errorf("close: %v", err)
				}
			})
			test.run(t, s, st)
		})
	}
	if s.reopen != nil {
		t.Run("Reopen", func(t *testing.T) {
			t.Parallel()
			testReopen(t, s)
		})
	}
}

// tb is what the suite asks of a test, *testing.T or *rapid.T.
type tb interface {
	Context() context.Context
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// ok ends the test on an error.
func ok(t tb, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// start is the time of the suite's first entry.
var start = time.Date(2026, 3, 1, 12, 0, 0, 123456789, time.UTC)

// say gives an entry of one text.
func say(id, text string) tenfold.Entry {
	return tenfold.Entry{ID: id, Time: start, Payload: tenfold.AssistantMessage{Text: text}}
}

// create makes conversations.
func create(t tb, st store.Store, ids ...string) {
	t.Helper()
	for _, id := range ids {
		ok(t, st.Create(t.Context(), store.Conversation{ID: id, Title: "title of " + id, Created: start}))
	}
}

// add appends to whatever is there, and returns the version.
func add(t tb, st store.Store, id string, entries ...tenfold.Entry) int64 {
	t.Helper()
	v, err := st.Append(t.Context(), store.Batch{Conversation: id, Expected: store.AnyVersion, Entries: entries, Now: start})
	ok(t, err)
	return v
}

// read gives the whole log.
func read(t tb, st store.Store, id string) []tenfold.Entry {
	t.Helper()
	return readAfter(t, st, id, 0)
}

func readAfter(t tb, st store.Store, id string, after int64) []tenfold.Entry {
	t.Helper()
	entries, err := collect(t.Context(), st, id, after)
	ok(t, err)
	return entries
}

func collect(ctx context.Context, st store.Store, id string, after int64) (entries []tenfold.Entry, err error) {
	for e, err := range st.Entries(ctx, id, after) {
		if err != nil {
			return entries, err
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// everyCall calls each method but Watch and Close on a conversation that there is, and
// gives their errors.
func everyCall(ctx context.Context, st store.Store, id string) map[string]error {
	_, add := st.Append(ctx, store.Batch{Conversation: id, Expected: store.AnyVersion, Entries: []tenfold.Entry{say("another", "x")}})
	_, get := st.Conversation(ctx, id)
	_, read := collect(ctx, st, id, 0)
	_, search := st.Search(ctx, store.Query{Text: "x"})
	_, page := st.Page(ctx, nil, 10)
	_, prefix := st.WithPrefix(ctx, id, 10)
	_, handle := st.WithHandle(ctx, store.Handle(id))
	_, imported := st.Imported(ctx, "key")
	var listed error
	for _, err := range st.Conversations(ctx) {
		listed = err
	}
	return map[string]error{
		"Create": st.Create(ctx, store.Conversation{ID: id + "another"}), "Conversation": get, "Conversations": listed, "Page": page,
		"WithPrefix": prefix, "WithHandle": handle, "Imported": imported, "SetTitle": st.SetTitle(ctx, id, "x"), "Append": add,
		"Entries": read, "Search": search, "Delete": st.Delete(ctx, id, store.AnyVersion),
	}
}

// list gives the ids of the listing.
func list(t tb, st store.Store) (ids []string) {
	t.Helper()
	for c, err := range st.Conversations(t.Context()) {
		ok(t, err)
		ids = append(ids, c.ID)
	}
	return ids
}

// numbered gives the entries the seqs a log gives them.
func numbered(entries []tenfold.Entry) []tenfold.Entry {
	out := make([]tenfold.Entry, len(entries))
	for i, e := range entries {
		e.Seq = int64(i + 1)
		out[i] = e
	}
	return out
}

// wantLog checks a whole log.
func wantLog(t tb, st store.Store, id string, want ...tenfold.Entry) {
	t.Helper()
	got := read(t, st, id)
	if len(got) != len(want) {
		t.Fatalf("log %s has %d entries, not %d", id, len(got), len(want))
	}
	for i, e := range numbered(want) {
		if diff := cmp.Diff(e, got[i]); diff != "" {
			t.Fatalf("entry %d of log %s (-want +got):\n%s", i+1, id, diff)
		}
	}
	c, err := st.Conversation(t.Context(), id)
	ok(t, err)
	if c.Version != int64(len(want)) {
		t.Fatalf("log %s has version %d and %d entries", id, c.Version, len(want))
	}
}
