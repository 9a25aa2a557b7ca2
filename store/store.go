// Package store keeps logs. A [Store] holds many conversations, each an
// append-only log of entries with compare-and-swap appends (semantics L8),
// idempotent by entry id (L9), durable once acknowledged (D2), and searchable
// as raw text (D4).
//
// The stores are its sub-packages: memory; sqlite, the embedded default; and
// postgres, for many machines.
// All of them pass the one suite in storetest (D1). Programs use a store
// through package session, the only writer of logs.
package store

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"strings"
	"time"

	"tenfold"
	"tenfold/internal/number"
)

// A Store keeps conversations. All methods are safe for concurrent use, by
// goroutines and, where the store is on disk, by processes. Entries and
// slices handed in are not kept or changed; those handed out belong to the
// caller. Texts come back byte for byte, UTF-8 or not, and pointers to payloads as
// what they point to: [EncodeEntry] writes entries so. Every error says what was tried, on which conversation, and wraps what
// went wrong; ErrNotFound, ErrExists and *ConflictError are the ones a caller
// can act on. A sequence may be run again, and all methods may be called from
// inside one. A seq to read after that is below 0 counts as 0.
type Store interface {
	// Create adds a conversation whose log begins with the given entries, in
	// one step: all of it or nothing. Version of c is not looked at, and
	// Updated is Created where there is none. An id in use is ErrExists.
	Create(ctx context.Context, c Conversation, entries ...tenfold.Entry) error

	// Conversation gives what is known about one, or ErrNotFound.
	Conversation(ctx context.Context, id string) (Conversation, error)

	// Conversations lists all, the one last appended to first, ties by id.
	// An error ends the sequence. Here, in a Page, WithPrefix and WithHandle one whose title
	// or origin is damaged has a Fault; where it is asked for, that is an error.
	Conversations(ctx context.Context) iter.Seq2[Conversation, error]

	// Page lists at most limit of the conversations behind a place in the order of
	// Conversations; nil is before the first. What it costs does not grow with
	// those that it does not list. Ids that are longer than 128 bytes may stand
	// otherwise among those of one time.
	Page(ctx context.Context, after *Place, limit int) ([]Conversation, error)

	// WithPrefix lists at most limit of the conversations whose ids begin with
	// prefix, in any order. What it costs does not grow with the others.
	WithPrefix(ctx context.Context, prefix string, limit int) ([]Conversation, error)

	// WithHandle lists the conversations of a [Handle], in the order of Conversations.
	// What it costs does not grow with the others.
	WithHandle(ctx context.Context, handle string) ([]Conversation, error)

	// Imported lists the conversations whose origin has the key, in the order
	// of Conversations; none for an empty key. What it costs does not grow
	// with the conversations of other origins.
	Imported(ctx context.Context, key string) ([]Conversation, error)

	// SetTitle renames a conversation, or gives ErrNotFound.
	SetTitle(ctx context.Context, id, title string) error

	// Delete removes a conversation and its whole log, or gives ErrNotFound.
	// Unless expected is AnyVersion, a log whose version is another stays, and it
	// is a *ConflictError: who says what was removed has read all of it.
	Delete(ctx context.Context, id string, expected int64) error

	// Append adds a batch in one step: all of it or nothing. Entries whose
	// id the log already holds are left out first (L9); when none is left,
	// nothing is written and nothing conflicts. Else, unless b.Expected is
	// AnyVersion, a log whose version is not b.Expected refuses the batch
	// with a *ConflictError (L8). The store numbers the entries; their Seq
	// is not looked at. When Append returns nil the entries survive a crash.
	// It returns the log's version after the append. An unknown conversation
	// is ErrNotFound; an entry without id or payload is an error, and so is one that
	// could not be read back, such as an overlay with an unknown word.
	Append(ctx context.Context, b Batch) (version int64, err error)

	// Entries reads the log's entries with after < seq, in order. A log read
	// while others append is a prefix of what it becomes. An unknown
	// conversation is ErrNotFound; an error ends the sequence.
	Entries(ctx context.Context, id string, after int64) iter.Seq2[tenfold.Entry, error]

	// Watch reads the log's entries with after < seq, in order, and goes on
	// with those appended later, by whichever program: each comes once, soon
	// after it was acknowledged, and none is left out. The sequence ends when
	// ctx does, without an error; when the conversation is deleted, even if its id
	// is used again, or is unknown, with ErrNotFound; and with an error when the store is closed.
	// Who is slow to take entries holds up nobody.
	Watch(ctx context.Context, id string, after int64) iter.Seq2[tenfold.Entry, error]

	// Search finds entries by their raw text (tenfold.SearchText), hidden
	// ones included (D4). Best hits come first, then later entries; where thousands
	// match, a store may look at those of the newest conversations alone. A text
	// with no word in it finds nothing; an unknown conversation is
	// ErrNotFound. Entries that are damaged are left out: where any were come upon, the hits
	// among the others come with an *UnreadError.
	Search(ctx context.Context, q Query) ([]Hit, error)

	// Close waits for appends under way, and frees what the store holds. The
	// other methods give ErrClosed afterwards.
	Close() error
}

// Conversation is what a store knows of one log.
type Conversation struct {
	ID    string
	Title string
	// Created is when it began: for one that was imported, long before it was
	// put in the store.
	Created time.Time
	// Updated is when the last append came. It never goes back: the clocks of programs
	// differ.
	Updated time.Time
	// Version is the last seq of the log: the number of its entries.
	Version int64
	// Stats are as of the last batch that carried any.
	Stats Stats
	// Origin is as of Create, or of the last batch that carried one.
	Origin Origin
	// Fault says why the title and the origin cannot be read, which are then empty; it is
	// empty where they can.
	Fault string
}

// handles is how many handles there are. Six digits are two tokens, which each stub of
// a view pays.
const handles = 1_000_000

// Handle is the short name of a conversation in references: six digits made of its id,
// so that it never changes. Two conversations may have the same, one pair in a million.
func Handle(id string) string { return fmt.Sprintf("%06d", HandleNumber(id)) }

// HandleNumber is the number that a handle writes: the first eight bytes of the SHA-256
// of the id, as a number, modulo a million.
func HandleNumber(id string) int64 {
	sum := sha256.Sum256([]byte(id))
	return int64(binary.BigEndian.Uint64(sum[:]) % handles)
}

// ParseHandle gives the number of a handle, and whether a text is one.
func ParseHandle(text string) (int64, bool) {
	if len(text) != 6 || strings.Trim(text, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil
}

// A Place is that of a conversation in a listing: it changes with every append.
type Place struct {
	Updated time.Time
	ID      string
}

// Place is where a listing has the conversation.
func (c *Conversation) Place() *Place { return &Place{c.Updated, c.ID} }

// Compare tells which of two places a listing has first.
func (p *Place) Compare(q *Place) int {
	return cmp.Or(q.Updated.Compare(p.Updated), cmp.Compare(p.ID, q.ID))
}

// An Origin remembers what a conversation was imported from, so that importing
// the same again finds it, and that a listing shows it. A store keeps the texts as
// they are; package session says what they mean.
type Origin struct {
	// Key names what was imported; empty for a conversation that was not.
	Key string
	// Mark tells how much of it the log holds.
	Mark string
	// Tool is whose session it was, as the formats of package transcript are
	// called, and Directory where that ran, by the transcript's own word. Both are
	// empty where they are not known, and a fork has those of what it was made of.
	Tool, Directory string
}

// Stats are figures about a log that listings show, so that no log must be
// opened to list it.
type Stats struct {
	Turns int
	// TokensBefore and TokensAfter are estimates, which Percent converts: how many tokens
	// the conversation's provider counts for 100 of them (semantics T3); 0 where too
	// little is known.
	TokensBefore int
	TokensAfter  int
	Percent      int
	// Ended is the time of the last entry that a model may see; zero where there is
	// none.
	Ended time.Time
}

// AnyVersion as the expected version appends to whatever is there.
const AnyVersion int64 = -1

// A Batch is entries to append to one conversation.
type Batch struct {
	Conversation string
	// Expected is the version the writer read, or AnyVersion.
	Expected int64
	Entries  []tenfold.Entry
	// Stats, if set, are the conversation's figures after the append.
	Stats *Stats
	// Origin, if set, is the conversation's after the append.
	Origin *Origin
	// Now is the time of the append, for Updated.
	Now time.Time
	// Due, if set, is work that the append makes due.
	Due *Work
}

// A Query asks for entries that hold all words of Text; words in double
// quotes must stand together. There are no other operators.
type Query struct {
	Text string
	// Conversation limits the search to one; empty searches all.
	Conversation string
	// Limit is the most hits to return; 0 means DefaultLimit.
	Limit int
}

// DefaultLimit is how many hits a query returns that sets no limit.
const DefaultLimit = 50

// A Hit is one entry found.
type Hit struct {
	Conversation string
	Entry        tenfold.Entry
	// Snippet is a line of text around the first match, with no line breaks, of a
	// kilobyte at most.
	Snippet string
}

// ErrNotFound says that a conversation is not in the store.
var ErrNotFound = errors.New("no such conversation")

// ErrExists says that a conversation's id is in use.
var ErrExists = errors.New("conversation exists")

// ErrLocked says that another process keeps the store from being written to: nothing
// was written, and the same may be tried again.
var ErrLocked = errors.New("the store is locked")

// ErrUnavailable says that the server of the store cannot be reached for now, or did not
// answer in time. What was asked for may have been done.
var ErrUnavailable = errors.New("the store cannot be reached")

// ErrClosed says that the store was closed.
var ErrClosed = errors.New("the store is closed")

// ErrOlder says that a store is of an earlier release, or has no tables yet, and was to be
// opened as it is.
var ErrOlder = errors.New("the store does not have this program's schema")

// Older is the [ErrOlder] of a store that has a schema; 0 is none.
func Older(has, newest int64) error {
	if has == 0 {
		return fmt.Errorf("%w: it has no tables yet", ErrOlder)
	}
	return fmt.Errorf("%w: it has schema %d, and this program uses %d", ErrOlder, has, newest)
}

// UnreadError says that a search left out entries that cannot be read. What it found among
// the others comes with it.
type UnreadError struct {
	// Entries is how many it came upon, and First says which the first was and why.
	Entries int
	First   error
}

// Error implements error.
func (e *UnreadError) Error() string {
	return number.CountOf(e.Entries, "damaged entry", "damaged entries") + " left out, first " + e.First.Error()
}

// Unwrap gives the reason of the first.
func (e *UnreadError) Unwrap() error { return e.First }

// ConflictError says that another writer came first (L8): nothing was
// written. Read the log from Expected on, plan again, and append again.
type ConflictError struct {
	Conversation string
	Expected     int64
	Actual       int64
}

// Error implements error.
func (e *ConflictError) Error() string {
	return fmt.Sprintf("conversation %s is at version %d, not %d: another writer came first", e.Conversation, e.Actual, e.Expected)
}
