package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// More is what an append does besides, in its transaction. Appends that are written
// together do theirs together: statements in one round trip, and each queue once.
type More struct {
	// Statements run after the entries were written.
	Statements []Statement
	// Queue, if set, is given Due.
	Queue Queue
	Due   any
}

// A Statement is SQL with its arguments. Where it fails, nothing is appended.
type Statement struct {
	SQL  string
	Args []any
}

// A Queue keeps what appends make due, in their transaction: of all that are written
// together at once. It is comparable.
type Queue interface {
	Enqueue(ctx context.Context, tx pgx.Tx, tenant int, due []any) error
}

func (m More) none() bool { return len(m.Statements) == 0 && m.Queue == nil }

// runMore does more of appends that were written.
func (s *Store) runMore(ctx context.Context, tx pgx.Tx, all ...More) error {
	var b pgx.Batch
	due := map[Queue][]any{}
	for _, m := range all {
		for _, st := range m.Statements {
			b.Queue(st.SQL, st.Args...)
		}
		if m.Queue != nil {
			due[m.Queue] = append(due[m.Queue], m.Due)
		}
	}
	if b.Len() > 0 {
		if err := tx.SendBatch(ctx, &b).Close(); err != nil {
			return err
		}
	}
	for q, all := range due {
		if err := q.Enqueue(ctx, tx, s.tenant, all); err != nil {
			return err
		}
	}
	return nil
}
