// Package archive writes all conversations of a store as files of JSON lines, and
// reads them back into another store: the same logs, byte for byte, whichever stores
// the two are.
//
// An archive is a directory or a zip file:
//
//	conversations.jsonl          one line a conversation: an [Item]
//	conversations/000001.jsonl   its log, in Tenfold's own format
//	conversations/000001.exact   only where JSON cannot hold some entry's bytes
//
// Files of logs can be read by themselves, as any transcript can.
package archive

import (
	"archive/zip"
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
	"tenfold/internal/number"
	"tenfold/store"
	"tenfold/store/internal/row"
)

// Index is the file that lists the conversations.
const Index = "conversations.jsonl"

// An Item is what an archive says of a conversation beside its log.
type Item struct {
	File    string      `json:"file"`
	ID      Text        `json:"id"`
	Title   Text        `json:"title,omitzero"`
	Created time.Time   `json:"created,omitzero"`
	Updated time.Time   `json:"updated,omitzero"`
	Version int64       `json:"version"`
	Stats   store.Stats `json:"stats,omitzero"`
	Origin  *Origin     `json:"origin,omitempty"`
}

// Origin is a conversation's [store.Origin].
type Origin struct {
	Key       Text `json:"key,omitzero"`
	Mark      Text `json:"mark,omitzero"`
	Tool      Text `json:"tool,omitzero"`
	Directory Text `json:"directory,omitzero"`
}

// Text is a string of any bytes: a JSON string, or {"base64": "…"} where it is not
// UTF-8.
type Text string

type encoded struct {
	Base64 []byte `json:"base64"`
}

// MarshalJSONTo implements [json.MarshalerTo].
func (t Text) MarshalJSONTo(e *jsontext.Encoder) error {
	if utf8.ValidString(string(t)) {
		return e.WriteToken(jsontext.String(string(t)))
	}
	return json.MarshalEncode(e, encoded{[]byte(t)})
}

// UnmarshalJSONFrom implements [json.UnmarshalerFrom].
func (t *Text) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	if d.PeekKind() == '{' {
		var e encoded
		err := json.UnmarshalDecode(d, &e)
		*t = Text(e.Base64)
		return err
	}
	return json.UnmarshalDecode(d, (*string)(t))
}

// exact is an entry as stores keep it, for one that JSON would change.
type exact struct {
	Seq  int64  `json:"seq"`
	Meta []byte `json:"meta"`
	Text []byte `json:"text,omitempty"`
}

// A Sink takes the files of an archive, one at a time.
type Sink interface {
	// Create begins a file, by a name with slashes, and ends the one before.
	Create(name string) (io.Writer, error)
}

// Total says what was written or read.
type Total struct {
	Conversations, Entries int
}

// An UnreadError says which conversations could not be read whole: not to their ends, or
// not their titles and origins. All else was written.
type UnreadError struct{ Conversations []Unread }

// Unread is a conversation that could not be read whole.
type Unread struct {
	ID string
	// Entries is how many come before what cannot be read: they were written.
	Entries int64
	Err     error
}

// Error implements error.
func (e *UnreadError) Error() string {
	text := number.Count(len(e.Conversations), "conversation") + " could not be read whole"
	if len(e.Conversations) > 0 {
		text += ", first " + e.Conversations[0].Err.Error()
	}
	return text
}

// Unwrap gives why each could not.
func (e *UnreadError) Unwrap() []error {
	all := make([]error, len(e.Conversations))
	for i, u := range e.Conversations {
		all[i] = u.Err
	}
	return all
}

// Write writes all conversations of a store. One that is deleted meanwhile is left
// out, and of one that is appended to, what was there when it was read. One that is
// damaged is written as far as it can be read, and those that follow are written: that
// is an [*UnreadError], with a total of all that was written.
func Write(ctx context.Context, st store.Store, to Sink) (Total, error) {
	var all []store.Conversation
	for c, err := range st.Conversations(ctx) {
		if err != nil {
			return Total{}, err
		}
		all = append(all, c)
	}
	var total Total
	var unread UnreadError
	var index bytes.Buffer
	for i, c := range all {
		item := Item{
			File: fmt.Sprintf("conversations/%06d.jsonl", i+1), ID: Text(c.ID), Title: Text(c.Title),
			Created: c.Created, Updated: c.Updated, Stats: c.Stats,
		}
		if c.Origin != (store.Origin{}) {
			item.Origin = &Origin{Text(c.Origin.Key), Text(c.Origin.Mark), Text(c.Origin.Tool), Text(c.Origin.Directory)}
		}
		n, damage, err := writeLog(ctx, st, c, to, item.File)
		if errors.Is(damage, store.ErrNotFound) {
			continue
		}
		if damage != nil && store.MayPass(ctx, damage) {
			err = damage
		}
		if err != nil {
			return total, fmt.Errorf("export conversation %s: %w", c.ID, err)
		}
		if damage == nil && c.Fault != "" {
			damage = errors.New("its title and origin: " + c.Fault)
		}
		if damage != nil {
			unread.Conversations = append(unread.Conversations, Unread{c.ID, n, damage})
		}
		item.Version = n
		line, err := json.Marshal(item, json.Deterministic(true))
		if err != nil {
			return total, err
		}
		index.Write(append(line, '\n'))
		total.Conversations++
		total.Entries += int(n)
	}
	w, err := to.Create(Index)
	if err == nil {
		_, err = w.Write(index.Bytes())
	}
	if err == nil && len(unread.Conversations) > 0 {
		err = &unread
	}
	return total, err
}

// header is the first line of a log in Tenfold's own format.
type header struct {
	Version      int `json:"tenfold"`
	Conversation struct {
		ID      string    `json:"id"`
		Title   string    `json:"title,omitzero"`
		Created time.Time `json:"created,omitzero"`
	} `json:"conversation"`
}

// lenient takes what an entry's own form takes.
var lenient = json.JoinOptions(jsontext.AllowInvalidUTF8(true), json.Deterministic(true))

// writeLog gives how many entries it wrote, and the damage that kept it from more.
func writeLog(ctx context.Context, st store.Store, c store.Conversation, to Sink, name string) (entries int64, damage, err error) {
	file, err := to.Create(name)
	if err != nil {
		return 0, nil, err
	}
	w := bufio.NewWriterSize(file, 256<<10)
	h := header{Version: 1}
	h.Conversation.ID, h.Conversation.Title, h.Conversation.Created = c.ID, c.Title, c.Created.UTC()
	line, err := json.Marshal(h, lenient)
	if err != nil {
		return 0, nil, err
	}
	_, _ = w.Write(append(line, '\n')) // its errors stay until Flush
	var odd bytes.Buffer
	for e, err := range st.Entries(ctx, c.ID, 0) {
		var r row.Row
		if err == nil {
			line, err = tenfold.AppendEntry(line[:0], e)
		}
		if err == nil {
			r, err = row.New(e, 1<<30)
		}
		if err != nil {
			damage = err
			break
		}
		if !holds(line, r) {
			if err := json.MarshalWrite(&odd, exact{e.Seq, r.Meta, []byte(r.Text)}); err != nil {
				return 0, nil, err
			}
			odd.WriteByte('\n')
		}
		_, _ = w.Write(append(line, '\n'))
		entries = e.Seq
	}
	if err := w.Flush(); err != nil || odd.Len() == 0 {
		return entries, damage, err
	}
	if file, err = to.Create(exactOf(name)); err == nil {
		_, err = file.Write(odd.Bytes())
	}
	return entries, damage, err
}

func exactOf(name string) string { return name[:len(name)-len(".jsonl")] + ".exact" }

// holds reports whether the line is all of a row.
func holds(line []byte, want row.Row) bool {
	e, err := tenfold.ParseEntry(line)
	if err != nil {
		return false
	}
	got, err := row.New(e, 1<<30)
	return err == nil && got.Text == want.Text && bytes.Equal(got.Meta, want.Meta)
}

// Zip writes an archive as a zip file, which end completes.
func Zip(w io.Writer) (Sink, func() error) {
	z := zip.NewWriter(w)
	return z, z.Close
}

// Open opens the archive in a directory or a zip file. No name in it leads out of it.
func Open(name string) (fs.FS, io.Closer, error) {
	about, err := os.Stat(name)
	if err != nil {
		return nil, nil, err
	}
	if about.IsDir() {
		root, err := os.OpenRoot(name)
		if err != nil {
			return nil, nil, err
		}
		return root.FS(), root, nil
	}
	z, err := zip.OpenReader(name)
	if err != nil {
		return nil, nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return z, z, nil
}

// maxLine is longer than the line of any entry that a store takes: base64 of the
// longest, and a bit.
var maxLine = base64.StdEncoding.EncodedLen(901 << 20)
