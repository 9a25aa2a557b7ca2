package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"tenfold"
	"tenfold/store"
	"tenfold/store/internal/row"
	"tenfold/store/vault"
)

const createSQL = `
WITH log AS (
	INSERT INTO tenfold_conversations (name, id, title, created, updated, turns, tokens_before, tokens_after, version, origin, mark, tool, directory, ended, bytes, origin_hash, sealed, percent)
	SELECT $1, $2, $3, $4, $14, $5, $6, $7, cardinality($8::bytea[]), $12, $13, $15, $16, $17, $18, $19, $20, $21
	WHERE $20 OR tenfold_plain()
	ON CONFLICT DO NOTHING
	RETURNING tenant_id, key
), written AS (
	INSERT INTO tenfold_entries (tenant_id, conversation, seq, id, meta, text, words)
	SELECT log.tenant_id, log.key, b.seq, b.id, b.meta, b.text, b.words::integer[]
	FROM log, unnest($8::bytea[], $9::bytea[], $10::bytea[], $11::text[])
		WITH ORDINALITY AS b (id, meta, text, words, seq)
)
SELECT count(*) FROM log`

// Create implements [store.Store].
func (s *Store) Create(ctx context.Context, c store.Conversation, entries ...tenfold.Entry) error {
	return s.CreateIn(ctx, c, More{}, entries...)
}

// CreateIn is Create with more in its transaction: nothing of either is done where one
// gives an error.
func (s *Store) CreateIn(ctx context.Context, c store.Conversation, more More, entries ...tenfold.Entry) error {
	cols, err := newColumns(entries)
	if err != nil {
		return fmt.Errorf("create conversation %s: %w", c.ID, err)
	}
	// Done twice, the second time would say that the id is in use.
	err = s.try(ctx, undone, func(ctx context.Context) error {
		return s.withKeys(ctx, func(k *keys) error {
			s.hashWords(cols, k)
			args, err := createArgs(k, c, cols)
			if err != nil {
				return err
			}
			var created bool
			err = s.withPartition(ctx, indexedID(c.ID), func() error {
				return s.write(ctx, &created, more, func(rows pgx.Rows) error {
					var n int64
					err := rows.Scan(&n)
					created = n > 0
					return err
				}, createSQL, args...)
			})
			switch {
			case Code(err) == codeReference:
				return ErrNoTenant // it was erased
			case err == nil && !created:
				return store.ErrExists
			}
			return err
		})
	})
	return s.errors.ExplainFor("create", c.ID, err)
}

// createArgs are the parameters of createSQL.
func createArgs(k *keys, c store.Conversation, cols *columns) ([]any, error) {
	name := indexedID(c.ID)
	a, err := k.aboutOf(name, &c.Title, &c.Origin)
	if err == nil && k.ring != nil {
		cols, err = cols.sealed(k, name, 1)
	}
	if err != nil {
		return nil, err
	}
	return []any{
		name, []byte(c.ID), a.title, row.Nanos(c.Created),
		int64(c.Stats.Turns), int64(c.Stats.TokensBefore), int64(c.Stats.TokensAfter),
		cols.ids, cols.metas, cols.texts, cols.words, a.origin, a.mark, row.Nanos(cmp.Or(c.Updated, c.Created)),
		a.tool, a.directory, row.Nanos(c.Stats.Ended), cols.size, a.hash, k.ring != nil, int64(c.Stats.Percent),
	}, nil
}

// addMonthSQL makes the partition of a conversation's month, or of this month
// when it is not there yet.
const addMonthSQL = `SELECT tenfold_add_month(coalesce((SELECT key >> 40 FROM tenfold_conversations WHERE name = $1), tenfold_month()))`

// withPartition runs what writes entries, again where their partition was missing: a
// program may run for longer than partitions were made for, and a month of
// conversations without entries may be gone.
func (s *Store) withPartition(ctx context.Context, name []byte, write func() error) error {
	err := write()
	if c := Code(err); c != codePartition && c != codeNoTable {
		return err
	}
	if err := s.query(ctx, func(pgx.Rows) error { return nil }, addMonthSQL, name); err != nil {
		return err
	}
	return write()
}

// renameSQL sets a title that is sealed as its conversation is, and gives whether that
// one is sealed.
const renameSQL = `
WITH renamed AS (UPDATE tenfold_conversations SET title = $2 WHERE name = $1 AND sealed = $3)
SELECT sealed FROM tenfold_conversations WHERE name = $1`

// renameSealed seals a conversation that still is in the clear, and renames it.
func (s *Store) renameSealed(ctx context.Context, k *keys, id string, title []byte) error {
	return s.db.begin(ctx, s.tenant, func(ctx context.Context, tx pgx.Tx) error {
		var sealed bool
		err := tx.QueryRow(ctx, "SELECT sealed FROM tenfold_conversations WHERE name = $1 FOR UPDATE", indexedID(id)).Scan(&sealed)
		if err == nil && !sealed {
			_, err = sealConversation(ctx, tx, k, indexedID(id))
		}
		if err == nil {
			_, err = tx.Exec(ctx, renameSQL, indexedID(id), title, true)
		}
		return err
	})
}

// SetTitle implements [store.Store].
func (s *Store) SetTitle(ctx context.Context, id, title string) error {
	err := s.try(ctx, lost, func(ctx context.Context) error {
		return s.withKeys(ctx, func(k *keys) error {
			a, err := k.aboutOf(indexedID(id), &title, nil)
			if err != nil {
				return err
			}
			var found, sealed bool
			err = s.query(ctx, oneRow(&found, &sealed), renameSQL, indexedID(id), a.title, k.ring != nil)
			switch {
			case err == nil && !found:
				err = store.ErrNotFound
			case err == nil && sealed && k.ring == nil:
				err = stale(vault.ErrNoMaster)
			case err == nil && !sealed && k.converting:
				return s.renameSealed(ctx, k, id, a.title)
			case err == nil && !sealed && k.ring != nil:
				err = errNotSealed
			}
			return err
		})
	})
	return s.errors.ExplainFor("rename", id, err)
}

// Delete implements [store.Store].
func (s *Store) Delete(ctx context.Context, id string, expected int64) error {
	return s.DeleteIn(ctx, id, expected, nil)
}

// DeleteIn is Delete with more in its transaction: also runs after the log is gone.
func (s *Store) DeleteIn(ctx context.Context, id string, expected int64, also func(ctx context.Context, tx pgx.Tx) error) error {
	var key int64
	asked := false // an earlier attempt may have come through
	err := s.try(ctx, lost, func(ctx context.Context) error {
		err := s.db.begin(ctx, s.tenant, func(ctx context.Context, tx pgx.Tx) error {
			// The row first: its lock waits for appends under way, so that
			// the next statement sees their entries, and none comes after.
			var version int64
			err := tx.QueryRow(ctx, "DELETE FROM tenfold_conversations WHERE name = $1 RETURNING key, version", indexedID(id)).Scan(&key, &version)
			if err == nil && expected != store.AnyVersion && expected != version {
				err = &store.ConflictError{Conversation: id, Expected: expected, Actual: version}
			}
			if err == nil && version > 0 { // without entries, its month may be gone
				_, err = tx.Exec(ctx, "DELETE FROM "+partition(key)+" WHERE conversation = $1", key)
			}
			if err == nil && also != nil {
				err = also(ctx, tx)
			}
			if errors.Is(err, pgx.ErrNoRows) {
				return store.ErrNotFound
			}
			return err
		})
		if errors.Is(err, store.ErrNotFound) && asked && key != 0 {
			return nil
		}
		asked = true
		return err
	})
	if err == nil {
		s.db.wake(key)
	}
	return s.errors.ExplainFor("delete", id, err)
}
