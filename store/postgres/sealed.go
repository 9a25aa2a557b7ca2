package postgres

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"github.com/jackc/pgx/v5"

	"tenfold"
	"tenfold/store"
	"tenfold/store/internal/row"
	"tenfold/store/vault"
)

// sealed gives the columns of entries that begin a log at a place, sealed.
func (c *columns) sealed(k *keys, name []byte, first int64) (*columns, error) {
	out := *c
	out.metas, out.texts = make([][]byte, len(c.ids)), make([][]byte, len(c.ids))
	s := k.ring.Conversation(name)
	for i := range c.ids {
		var err error
		if out.metas[i], out.texts[i], err = s.Entry(first+int64(i), c.metas[i], stringOf(c.texts[i])); err != nil {
			return nil, err
		}
	}
	return &out, nil
}

// filter gives the columns of some entries.
func (c *columns) filter(keep func(i int) bool) *columns {
	out := &columns{}
	for i := range c.ids {
		if keep(i) {
			out.ids, out.metas, out.texts, out.words = append(out.ids, c.ids[i]), append(out.metas, c.metas[i]), append(out.texts, c.texts[i]), append(out.words, c.words[i])
			out.sizes, out.size = append(out.sizes, c.sizes[i]), out.size+c.sizes[i]
		}
	}
	return out
}

// stringOf is the string of bytes that do not change.
func stringOf(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) } //nolint:gosec // as it says

// An opener reads the rows of one conversation.
type opener struct {
	keys   *keys
	sealer *vault.Sealer
	name   []byte
}

// entry decodes a row, which it may keep but for text. It gives its size as well.
func (o *opener) entry(d *row.Decoder, name []byte, seq int64, meta, text []byte) (tenfold.Entry, int, error) {
	switch {
	case !vault.Sealed(meta):
		if o.keys.ring != nil && !o.keys.converting {
			return tenfold.Entry{}, 0, errNotSealed
		}
		return decode(d, seq, meta, bytes.Clone(text))
	case o.keys.ring == nil:
		return tenfold.Entry{}, 0, stale(vault.ErrNoMaster)
	}
	if o.sealer == nil || !bytes.Equal(o.name, name) {
		o.sealer, o.name = o.keys.ring.Conversation(name), bytes.Clone(name)
	}
	meta, text, err := o.sealer.OpenEntry(seq, meta, text)
	if err != nil {
		return tenfold.Entry{}, 0, openError(err)
	}
	return decode(d, seq, meta, text)
}

// errNotSealed is of a row in the clear where none can be.
var errNotSealed = fmt.Errorf("%w: it is not sealed, and all of this tenant is", vault.ErrTampered)

// openError is the error of what cannot be opened: another program may have made the
// key that opens it.
func openError(err error) error {
	if errors.Is(err, vault.ErrNoKey) {
		return stale(err)
	}
	return err
}

// about is what a conversation's row says beside figures, as it is stored. A nil field
// leaves what is there.
type about struct{ title, origin, mark, tool, directory, hash []byte }

// aboutOf gives the columns of a title and an origin; either may be nil.
func (k *keys) aboutOf(name []byte, title *string, o *store.Origin) (a about, err error) {
	if k.ring == nil {
		if title != nil {
			a.title = []byte(*title)
		}
		if o != nil {
			a.origin, a.mark, a.tool, a.directory = []byte(o.Key), []byte(o.Mark), []byte(o.Tool), []byte(o.Directory)
			a.hash = originHash(o.Key)
		}
		return a, nil
	}
	s := k.ring.Conversation(name)
	if title != nil {
		if a.title = []byte{}; *title != "" {
			a.title, err = s.Field(vault.Title, []byte(*title))
		}
	}
	if o == nil || err != nil {
		return a, err
	}
	a.origin, a.mark, a.tool, a.directory, a.hash = []byte{}, []byte{}, []byte{}, []byte{}, k.originMark(o.Key)
	if *o == (store.Origin{}) {
		return a, nil
	}
	var b []byte
	for _, text := range []string{o.Key, o.Mark, o.Tool, o.Directory} {
		b = append(binary.AppendUvarint(b, uint64(len(text))), text...)
	}
	a.origin, err = s.Field(vault.Origin, b)
	return a, err
}

// originHash is what finds the key of an origin: an index holds no key of any
// length. It is nil, which is NULL, for none.
func originHash(key string) []byte {
	if key == "" {
		return nil
	}
	sum := sha256.Sum256([]byte(key))
	return sum[:]
}

// originMark is originHash where origins are sealed.
func (k *keys) originMark(key string) []byte {
	if key == "" {
		return nil
	}
	return k.ring.Mark([]byte(key))
}

// hashes are those that the origin's key may have in the table.
func (k *keys) hashes(key string) [][]byte {
	switch {
	case k.ring == nil:
		return [][]byte{originHash(key)}
	case k.converting:
		return [][]byte{originHash(key), k.originMark(key)}
	}
	return [][]byte{k.originMark(key)}
}

// open reads the title and the origin of a conversation's row.
func (k *keys) open(name []byte, sealed bool, a about) (title string, o store.Origin, err error) {
	switch {
	case !sealed && k.ring != nil && !k.converting:
		return "", o, errNotSealed
	case !sealed:
		return string(a.title), store.Origin{Key: string(a.origin), Mark: string(a.mark), Tool: string(a.tool), Directory: string(a.directory)}, nil
	case k.ring == nil:
		return "", o, stale(vault.ErrNoMaster)
	case len(a.title) == 0 && len(a.origin) == 0:
		return "", o, nil
	}
	s := k.ring.Conversation(name)
	if len(a.title) > 0 {
		b, err := s.OpenField(vault.Title, a.title)
		if err != nil {
			return "", o, openError(err)
		}
		title = string(b)
	}
	if len(a.origin) == 0 {
		return title, o, nil
	}
	b, err := s.OpenField(vault.Origin, a.origin)
	if err != nil {
		return "", o, openError(err)
	}
	for _, text := range []*string{&o.Key, &o.Mark, &o.Tool, &o.Directory} {
		n, used := binary.Uvarint(b)
		if used <= 0 || n > uint64(len(b)-used) { //nolint:gosec // never negative
			return "", o, vault.ErrTampered
		}
		*text, b = string(b[used:][:n]), b[used:][n:]
	}
	return title, o, nil
}

// appendLocked is an append to a log that is sealed, where the place at which the
// entries will stand is not known: it takes the lock first. It does what repeat does.
func (s *Store) appendLocked(ctx context.Context, k *keys, b store.Batch, c *columns, more More) (now int64, err error) {
	var key int64
	err = s.db.begin(ctx, s.tenant, func(ctx context.Context, tx pgx.Tx) error {
		name := indexedID(b.Conversation)
		var sealed bool
		err := tx.QueryRow(ctx, "SELECT key, version, sealed FROM tenfold_conversations WHERE name = $1 FOR UPDATE", name).Scan(&key, &now, &sealed)
		switch {
		case errors.Is(err, pgx.ErrNoRows):
			return store.ErrNotFound
		case err == nil && !sealed && k.converting:
			_, err = sealConversation(ctx, tx, k, name)
		case err == nil && !sealed:
			err = errNotSealed
		}
		if err != nil {
			return err
		}
		known := map[string]bool{}
		rows, err := tx.Query(ctx, "SELECT id FROM "+partition(key)+" WHERE conversation = $1 AND id = ANY($2::bytea[])", key, c.ids)
		if err != nil {
			return err
		}
		err = readAll(rows, func(rows pgx.Rows) error {
			var id []byte
			err := rows.Scan(&id)
			known[string(id)] = true
			return err
		})
		fresh := c.filter(func(i int) bool { return !known[string(c.ids[i])] })
		switch {
		case err != nil, len(fresh.ids) == 0:
			return err // L9
		case b.Expected != store.AnyVersion && b.Expected != now:
			return &store.ConflictError{Conversation: b.Conversation, Expected: b.Expected, Actual: now} // L8
		}
		at := b
		at.Expected = now
		m, err := newMember(k, at, fresh)
		if err == nil {
			err = within(tx)(ctx, m.read, appendSQL, appendArgs(m)...)
			now = m.version
		}
		if err == nil {
			err = s.runMore(ctx, tx, more)
		}
		return err
	})
	if err == nil {
		s.db.wake(key)
	}
	return now, err
}

// sealConversation seals a conversation that is in the clear, whose row the
// transaction has locked, and gives how many entries it has.
func sealConversation(ctx context.Context, tx pgx.Tx, k *keys, name []byte) (entries int, err error) {
	var key, version int64
	var a about
	err = tx.QueryRow(ctx, "SELECT key, version, title, origin, mark, tool, directory FROM tenfold_conversations WHERE name = $1 AND NOT sealed", name).
		Scan(&key, &version, &a.title, &a.origin, &a.mark, &a.tool, &a.directory)
	if err != nil {
		return 0, err
	}
	w := newWordHasher(k, nil)
	var d row.Decoder
	for seq := int64(0); seq < version; {
		c := &columns{}
		first := seq + 1
		rows, _ := tx.Query(ctx, chunkSQL(key, false), key, seq, version, chunkEntries, chunkBytes)
		err := readAll(rows, func(rows pgx.Rows) error {
			var got int64
			var meta, text []byte
			if err := rows.Scan(&got, &meta, &text); err != nil {
				return err
			}
			e, _, err := decode(&d, got, slices.Clone(meta), slices.Clone(text))
			if err != nil {
				return fmt.Errorf("entry %d: %w", got, err)
			}
			if seq++; got != seq {
				return fmt.Errorf("entry %d is missing", seq)
			}
			c.ids, c.metas, c.texts = append(c.ids, nil), append(c.metas, meta), append(c.texts, text)
			c.words = append(c.words, w.hashArray(tenfold.SearchText(e.Payload)))
			return nil
		})
		if err != nil {
			return 0, err
		}
		if seq < first {
			return 0, fmt.Errorf("entry %d is missing", first)
		}
		sealed, err := c.sealed(k, name, first)
		if err != nil {
			return 0, err
		}
		if _, err := tx.Exec(ctx, `
UPDATE `+partition(key)+` AS e SET meta = b.meta, text = b.text, words = b.words::integer[]
FROM unnest($2::bytea[], $3::bytea[], $4::text[]) WITH ORDINALITY AS b (meta, text, words, place)
WHERE e.conversation = $1 AND e.seq = $5 + b.place - 1`, key, sealed.metas, sealed.texts, sealed.words, first); err != nil {
			return 0, err
		}
	}
	title := string(a.title)
	o := store.Origin{Key: string(a.origin), Mark: string(a.mark), Tool: string(a.tool), Directory: string(a.directory)}
	if a, err = k.aboutOf(name, &title, &o); err != nil {
		return 0, err
	}
	_, err = tx.Exec(ctx, `
UPDATE tenfold_conversations SET sealed = true, title = $2, origin = $3, mark = $4, tool = $5, directory = $6, origin_hash = $7
WHERE key = $1`, key, a.title, a.origin, a.mark, a.tool, a.directory, a.hash)
	return int(version), err
}
