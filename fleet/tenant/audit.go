package tenant

import (
	"cmp"
	"context"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"tenfold/problem"
	"tenfold/store/postgres"
)

// Operator is the Token of an [Actor] who runs the server.
const Operator = "operator"

// An Actor is who did something.
type Actor struct {
	// Token is the id of the token, or [Operator].
	Token string `json:"token"`
	Label string `json:"label,omitzero"`
}

// An Event is a line of the audit log of a tenant. It holds no text of a
// conversation.
type Event struct {
	At    time.Time `json:"at"`
	Actor Actor     `json:"actor"`
	// Action is what was done, such as "token revoke", "compact" or "delete".
	Action string `json:"action"`
	// Subject is the id of a conversation or of a token; it may be empty.
	Subject string `json:"subject,omitzero"`
	// Outcome is "done", or why it was not, or what it came to.
	Outcome string `json:"outcome"`
}

// Done is the outcome of what was done.
const Done = "done"

// Record adds an event to the audit log of a tenant, at the time of the database. No
// outcome is [Done].
func (r *Registry) Record(ctx context.Context, tenant int, e Event) error {
	return r.db.As(ctx, tenant, func(ctx context.Context, tx pgx.Tx) error { return record(ctx, tx, tenant, e) })
}

// record adds an event in a transaction of the tenant.
func record(ctx context.Context, tx pgx.Tx, tenant int, e Event) error {
	s := recording(tenant, e)
	_, err := tx.Exec(ctx, s.SQL, s.Args...)
	return err
}

// RecordIn gives what adds an event to the log of a tenant in a transaction, which is the
// tenant's from then on.
func RecordIn(tenant int, e Event) func(ctx context.Context, tx pgx.Tx) error {
	return func(ctx context.Context, tx pgx.Tx) error { return recordFor(ctx, tx, tenant, e) }
}

// recordFor adds an event to the log of a tenant in a transaction of the operator, which
// is the tenant's from then on.
func recordFor(ctx context.Context, tx pgx.Tx, tenant int, e Event) error {
	if _, err := tx.Exec(ctx, "SELECT set_config('tenfold.tenant', $1, true)", strconv.Itoa(tenant)); err != nil {
		return err
	}
	return record(ctx, tx, tenant, e)
}

// hereSQL is the condition that a tenant is there: of one that was erased nothing is left,
// also where a server has not heard of that yet.
const hereSQL = " WHERE $1 = 0 OR EXISTS (SELECT FROM tenfold_tenants WHERE id = $1)"

// recording is the statement that adds an event.
func recording(tenant int, e Event) postgres.Statement {
	return postgres.Statement{SQL: "INSERT INTO tenfold_audit (tenant_id, actor, action, subject, outcome) SELECT $1::integer, $2, $3, $4::bytea, $5" + hereSQL, Args: []any{
		tenant, plain(e.Actor.Token + " " + e.Actor.Label), e.Action, []byte(e.Subject), plain(cmp.Or(e.Outcome, Done)),
	}}
}

// longestText bounds what the audit log keeps of a text, in bytes.
const longestText = 500

// plain makes a text fit for a column, which holds no zero bytes and nothing that is
// not UTF-8, and for a terminal.
func plain(text string) string {
	if len(text) > longestText {
		text = text[:longestText]
	}
	return strings.Map(func(r rune) rune {
		if r == utf8.RuneError || unicode.IsControl(r) {
			return '\uFFFD'
		}
		return r
	}, text)
}

// A Page says which events are wanted.
type Page struct {
	// Since leaves out what was before; the zero time leaves out nothing.
	Since time.Time
	// Cursor goes on where an earlier page ended; empty begins with the newest.
	Cursor string
	// Limit is the most events; 0 is [DefaultPage].
	Limit int
}

// DefaultPage is how many events a page has that sets no limit.
const DefaultPage = 100

// Events lists the audit log of a tenant, the newest first, and gives the cursor of
// the page after this one, empty where it is the last. The cursor is a time and how
// many events of that time were given: numbers of rows would tell of other tenants.
func (r *Registry) Events(ctx context.Context, tenant int, p Page) (all []Event, next string, err error) {
	since, until, skip := time.Unix(0, 0), farAway, 0
	if !p.Since.IsZero() {
		since = p.Since
	}
	if p.Cursor != "" {
		if until, skip, err = parseCursor(p.Cursor); err != nil {
			return nil, "", err
		}
	}
	if p.Limit <= 0 {
		p.Limit = DefaultPage
	}
	all, err = query(ctx, r, tenant, func(row pgx.Row) (e Event, err error) {
		var actor string
		var subject []byte
		err = row.Scan(&e.At, &actor, &e.Action, &subject, &e.Outcome)
		e.Actor.Token, e.Actor.Label, _ = strings.Cut(actor, " ")
		e.Subject, e.At = string(subject), e.At.UTC()
		return e, err
	}, `SELECT at, actor, action, subject, outcome FROM tenfold_audit
		WHERE tenant_id = $1 AND at BETWEEN $2 AND $3 ORDER BY at DESC, id DESC OFFSET $4 LIMIT $5`, tenant, since, until, skip, p.Limit+1)
	if len(all) > p.Limit {
		all = all[:p.Limit]
		next = cursorAfter(all, until, skip)
	}
	return all, next, err
}

// farAway is after all events.
var farAway = time.Date(9000, 1, 1, 0, 0, 0, 0, time.UTC)

// cursorAfter is the cursor behind the last of some events, which began behind skip
// events of the time until.
func cursorAfter(all []Event, until time.Time, skip int) string {
	last := all[len(all)-1].At
	n := 0
	for _, e := range all {
		if e.At.Equal(last) {
			n++
		}
	}
	if last.Equal(until) {
		n += skip
	}
	return strconv.FormatInt(last.UnixMicro(), 10) + "." + strconv.Itoa(n)
}

func parseCursor(text string) (at time.Time, skip int, err error) {
	micros, count, _ := strings.Cut(text, ".")
	n, err := strconv.ParseInt(micros, 10, 64)
	if err == nil {
		skip, err = strconv.Atoi(count)
	}
	if at = time.UnixMicro(n); err != nil || skip < 0 || n < 0 || at.After(farAway) {
		return at, 0, &problem.Error{Op: "read the audit log", Code: "usage", Usage: true, Problem: "unknown cursor " + quote(text), Hint: `take "next" of the page before`}
	}
	return at, skip, nil
}

// longestLabel is in characters.
const longestLabel = 100

// validLabel refuses what would not stand on a line.
func validLabel(label string) error {
	if strings.TrimSpace(label) == "" || utf8.RuneCountInString(label) > longestLabel || plain(label) != label {
		return &problem.Error{Op: "create token", Code: "usage", Usage: true, Problem: "invalid label", Hint: "say in up to 100 characters what the token is for, such as \"ci\""}
	}
	return nil
}
