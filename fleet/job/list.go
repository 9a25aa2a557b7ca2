package job

import (
	"cmp"
	"context"
	"crypto/aes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"tenfold"
)

// Of gives the jobs of a tenant, by its number.
func (q *Queue) Of(tenant int) Jobs { return &jobs{q, tenant} }

type jobs struct {
	queue  *Queue
	tenant int
}

// states are River's by ours.
var states = map[State][]string{
	Queued: {"available", "pending"}, Scheduled: {"scheduled"}, Running: {"running"}, Retrying: {"retryable"},
	Completed: {"completed"}, Cancelled: {"cancelled"}, Failed: {"discarded"},
}

// shownAs is ours of River's. A job that waits for its next attempt by River's word
// is available where the pause is short.
func shownAs(state string, due time.Time, failed bool, now time.Time) State {
	if state == "available" && due.After(now) {
		if failed {
			return Retrying
		}
		return Scheduled
	}
	for ours, rivers := range states {
		if slices.Contains(rivers, state) {
			return ours
		}
	}
	return Queued
}

const countSQL = `
SELECT state::text, scheduled_at > now() AND state = 'available', coalesce(cardinality(errors), 0) > 0, count(*) FROM ~.river_job
WHERE (args->>'tenant')::integer = $1 AND ($2 = '' OR args->>'conversation' = $2) GROUP BY 1, 2, 3`

const columnsSQL = `
SELECT id, state::text, attempt, max_attempts, created_at, attempted_at, finalized_at, scheduled_at, args, errors[cardinality(errors)], metadata, now()
FROM ~.river_job WHERE (args->>'tenant')::integer = $1 `

// listSQL lists in an order that new jobs do not change.
const listSQL = columnsSQL + `AND id < $2 AND ($3 = '' OR args->>'conversation' = $3) AND (cardinality($4::text[]) = 0 OR state::text = ANY($4)) ORDER BY id DESC LIMIT $5`

const oneSQL = columnsSQL + `AND id = $2`

func (j *jobs) List(ctx context.Context, f Filter) (out Page, err error) {
	out.Counts = map[State]int{}
	if !mayHave(f.Conversation) {
		return out, nil
	}
	t, err := j.queue.of(ctx, j.tenant)
	if err != nil {
		return out, err
	}
	begin := int64(1)<<62 - 1
	if f.Cursor != "" {
		var ok bool
		if begin, ok = t.riverID(f.Cursor); !ok {
			return out, notFound("list", f.Cursor)
		}
	}
	err = j.queue.asTenant(ctx, j.tenant, func(ctx context.Context, tx pgx.Tx) error {
		page, before := Page{Counts: map[State]int{}}, begin
		rows, _ := tx.Query(ctx, j.queue.sql(countSQL), j.tenant, f.Conversation) // its error is that of the rows
		var state string
		var later, failed bool
		var n int
		now := time.Unix(0, 0)
		if _, err := pgx.ForEachRow(rows, []any{&state, &later, &failed, &n}, func() error {
			due := now
			if later {
				due = now.Add(1)
			}
			page.Counts[shownAs(state, due, failed, now)] += n
			return nil
		}); err != nil {
			return err
		}
		limit := cmp.Or(f.Limit, defaultLimit)
		for len(page.Jobs) <= limit {
			rows, _ := tx.Query(ctx, j.queue.sql(listSQL), j.tenant, before, f.Conversation, rivers(f.States), limit+1)
			found, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (Info, error) { return scan(row, t, &before) })
			if err != nil {
				return err
			}
			for _, one := range found {
				if len(f.States) == 0 || slices.Contains(f.States, one.State) {
					page.Jobs = append(page.Jobs, one)
				}
			}
			if len(found) <= limit {
				break
			}
		}
		if len(page.Jobs) > limit {
			page.Jobs = page.Jobs[:limit]
			page.Next = page.Jobs[limit-1].ID
		}
		out = page
		return nil
	})
	return out, err
}

// rivers are the states of River that the wanted ones may be.
func rivers(wanted []State) []string {
	all := []string{}
	for _, s := range wanted {
		all = append(all, states[s]...)
		if s == Retrying || s == Scheduled {
			all = append(all, "available")
		}
	}
	return all
}

// scan reads a row; id is set to River's.
func scan(row pgx.CollectableRow, t *tenant, id *int64) (Info, error) {
	var state string
	var began, ended *time.Time
	var failure, args, metadata []byte
	var now time.Time
	out := Info{Kind: Kind}
	if err := row.Scan(id, &state, &out.Attempt, &out.Attempts, &out.Created, &began, &ended, &out.Due, &args, &failure, &metadata, &now); err != nil {
		return out, err
	}
	var a arguments
	var e rivertype.AttemptError
	var m map[string]json.RawMessage
	if err := errors.Join(json.Unmarshal(args, &a), json.Unmarshal(metadata, &m)); err != nil {
		return out, err
	}
	if failure != nil {
		if err := json.Unmarshal(failure, &e); err != nil {
			return out, err
		}
	}
	out.ID, out.Conversation, out.Policy, out.Version, out.Why = t.publicID(*id), a.Conversation, a.Policy, a.Version, why(a.Tokens, a.Limit)
	out.State = shownAs(state, out.Due, failure != nil, now)
	for _, when := range []struct{ to, from *time.Time }{{&out.Created, &out.Created}, {&out.Due, &out.Due}, {&out.Began, began}, {&out.Ended, ended}} {
		if when.from != nil {
			*when.to = when.from.UTC()
		}
	}
	out.fillNotes(e, m)
	return out, nil
}

// fillNotes fills in what was noted with a job.
func (out *Info) fillNotes(e rivertype.AttemptError, m map[string]json.RawMessage) {
	var how ended
	if m["output"] != nil && json.Unmarshal(m["output"], &how) == nil {
		out.Outcome, out.Reason, out.Compactions, out.Before, out.After = how.Outcome, how.Reason, how.Compactions, how.Before, how.After
	}
	for key, value := range m {
		var u tenfold.Usage
		if strings.HasPrefix(key, spentKey) && json.Unmarshal(value, &u) == nil {
			out.Cost = added(out.Cost, u.Cost)
		}
	}
	if out.State != Completed && out.Outcome == "" {
		out.Error, out.Hint, _ = strings.Cut(strings.TrimPrefix(e.Error, "JobCancelError: "), "\n") // River's word
		if e.Error == river.ErrJobCancelledRemotely.Error() || out.State == Cancelled && m["cancel_attempted_at"] != nil {
			out.Error, out.Hint = byPerson, ""
		}
	}
	out.Waits = map[State]string{
		Queued: "a free worker, and room among the tenant's jobs", Retrying: "the pause after a failed attempt", Scheduled: "the end of another compaction",
	}[out.State]
	if out.State == Running && m["cancel_attempted_at"] != nil {
		out.Waits = ending
	}
}

// byPerson is why a job was cancelled that a person cancelled, and ending what one waits
// for that runs until its worker has heard of it.
const (
	byPerson = "cancelled by a person"
	ending   = "the end of its attempt, which a person cancelled"
)

// asTenant runs f in a transaction of the tenant, again where nothing was done.
func (q *Queue) asTenant(ctx context.Context, tenant int, f func(ctx context.Context, tx pgx.Tx) error) error {
	return q.db.AsOn(ctx, q.pool, tenant, f)
}

// fullSQL tells whether a tenant has as many other jobs that wait as it may have.
const fullSQL = `
SELECT coalesce((SELECT max_jobs FROM tenfold_tenants WHERE id = $1) <= (
	SELECT count(*) FROM ~.river_job WHERE finalized_at IS NULL AND (args->>'tenant')::integer = $1 AND id <> $2
), false)`

func (j *jobs) Retry(ctx context.Context, id string) (Info, error) {
	return j.change(ctx, "retry", id, retryable, func(tx pgx.Tx, id int64) error {
		var full bool
		if err := tx.QueryRow(ctx, j.queue.sql(fullSQL), j.tenant, id).Scan(&full); err != nil {
			return err
		}
		if full {
			return errFull
		}
		// A person's cancelling is over.
		_, err := tx.Exec(ctx, j.queue.sql("UPDATE ~.river_job SET metadata = metadata - 'cancel_attempted_at' - 'output' WHERE id = $1"), id)
		if err == nil {
			_, err = j.queue.client.JobRetryTx(ctx, tx, id)
		}
		return err
	})
}

func (j *jobs) Cancel(ctx context.Context, id string) (Info, error) {
	return j.change(ctx, "cancel", id, State.Open, func(tx pgx.Tx, id int64) error {
		_, err := j.queue.client.JobCancelTx(ctx, tx, id)
		return err
	})
}

// change does it where the state allows it, and gives the job as it is then.
func (j *jobs) change(ctx context.Context, op, shown string, allowed func(State) bool, do func(tx pgx.Tx, id int64) error) (out Info, err error) {
	t, err := j.queue.of(ctx, j.tenant)
	if err != nil {
		return out, err
	}
	id, err := j.findID(ctx, t, op, shown)
	if err != nil {
		return out, err
	}
	read := func(tx pgx.Tx, lock string) error {
		rows, _ := tx.Query(ctx, j.queue.sql(oneSQL)+lock, j.tenant, id)
		out, err = pgx.CollectExactlyOneRow(rows, func(row pgx.CollectableRow) (Info, error) { return scan(row, t, &id) })
		if errors.Is(err, pgx.ErrNoRows) {
			err = notFound(op, shown)
		}
		return err
	}
	err = j.queue.asTenant(ctx, j.tenant, func(ctx context.Context, tx pgx.Tx) error {
		err := read(tx, " FOR UPDATE")
		if err == nil && !allowed(out.State) {
			err = refused(op, shown, out.State)
		}
		if err == nil {
			err = do(tx, id)
		}
		if err == nil {
			err = read(tx, "")
		}
		return err
	})
	return out, err
}

// mostShortened is among how many jobs, the newest, an id may be shortened. Ids are made
// of River's by a key: those that begin alike have nothing in common in the table, and
// all that are looked at are made anew.
const mostShortened = 100_000

// longEnough is how much of an id is taken for one where there are jobs that are not
// looked at: none of millions begins so by chance.
const longEnough = 10

// findID is River's id of the job that a tenant names, by the id that it was shown or by
// its beginning.
func (j *jobs) findID(ctx context.Context, t *tenant, op, shown string) (id int64, err error) {
	if id, ok := t.riverID(shown); ok {
		return id, nil
	}
	if len(shown) < shortest || len(shown) >= idCode.EncodedLen(aes.BlockSize) {
		return 0, notFound(op, shown)
	}
	found, looked, most := 0, 0, j.queue.mostShortened
	err = j.queue.asTenant(ctx, j.tenant, func(ctx context.Context, tx pgx.Tx) error {
		found, looked = 0, 0
		rows, _ := tx.Query(ctx, j.queue.sql("SELECT id FROM ~.river_job WHERE (args->>'tenant')::integer = $1 ORDER BY id DESC LIMIT $2"), j.tenant, most+1)
		var one int64
		_, err := pgx.ForEachRow(rows, []any{&one}, func() error {
			if looked++; looked <= most && strings.HasPrefix(t.publicID(one), strings.ToLower(shown)) {
				id = one
				found++
			}
			return nil
		})
		return err
	})
	switch {
	case err != nil:
		return 0, err
	case looked > most && (found == 0 || len(shown) < longEnough):
		return 0, tooShort(op, shown, most)
	case found == 0:
		return 0, notFound(op, shown)
	case found > 1:
		return 0, ambiguous(op, shown)
	}
	return id, nil
}

// mayHave reports whether a conversation may have jobs: PostgreSQL has no text such as
// some ids, and a job of those is not enqueued.
func mayHave(conversation string) bool {
	return utf8.ValidString(conversation) && !strings.ContainsRune(conversation, 0)
}

// EraseAll deletes the jobs of a tenant in a transaction, and says how many there were.
func (q *Queue) EraseAll(ctx context.Context, tx pgx.Tx, tenant int) (int64, error) {
	tag, err := tx.Exec(ctx, q.sql("DELETE FROM ~.river_job WHERE (args->>'tenant')::integer = $1"), tenant)
	return tag.RowsAffected(), err
}

// Erase deletes those of one conversation.
func (q *Queue) Erase(ctx context.Context, tx pgx.Tx, tenant int, conversation string) (int64, error) {
	if !mayHave(conversation) {
		return 0, nil
	}
	tag, err := tx.Exec(ctx, q.sql("DELETE FROM ~.river_job WHERE (args->>'tenant')::integer = $1 AND args->>'conversation' = $2"), tenant, conversation)
	return tag.RowsAffected(), err
}
