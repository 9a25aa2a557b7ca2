package postgres

import (
	"bytes"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"tenfold/store"
	"tenfold/store/internal/row"
)

// Appends of a tenant that come while others are being written wait for these, and
// are then written together: one round trip, one statement, one commit (T8). One that
// cannot be written with others, or the group with it, is written alone: nobody's
// trouble is another's.
const (
	// maxGroup is how many appends are written together at most.
	maxGroup = 64
	// maxGroups is how many groups are written at a time. More leave less to write
	// together: two cost the database a quarter more for each append.
	maxGroups = 1
	// maxTogether is how many bytes an append may have that is written with others,
	// who wait for it.
	maxTogether = 256 << 10
	// slow is after how long nobody waits any more for those that are being written,
	// such as on a connection that was lost without a word.
	slow = 100 * time.Millisecond
	// gather is how long after a group its members, who were answered, and those who
	// came meanwhile are waited for at most, and no longer than it took: they are then
	// one group again, and not two by turns, of which each has its statement and its
	// commit.
	gather = 5 * time.Millisecond
)

// groupSQL has a group wait no longer than that for a row that somebody has locked,
// and each of it then wait alone.
const groupSQL = "SELECT set_config('tenfold.tenant', $1, true), set_config('lock_timeout', '100ms', true)"

// A member is an append of a group, as the statement takes it, and what came of it.
type member struct {
	*columns
	about
	stats
	name     []byte
	expected int64
	now      *int64
	sealed   bool
	more     More

	group        *group
	done         chan struct{} // closed when all else is set
	key, version int64
	written      bool
	err          error
}

// newMember makes the member of a batch. What is to be sealed needs the version that
// the batch expects.
func newMember(k *keys, b store.Batch, c *columns) (*member, error) {
	m := &member{
		columns: c, name: indexedID(b.Conversation), expected: b.Expected, now: row.Nanos(b.Now), stats: statsOf(b.Stats), sealed: k.ring != nil,
		done: make(chan struct{}),
	}
	var err error
	if m.about, err = k.aboutOf(m.name, nil, b.Origin); err == nil && m.sealed {
		m.columns, err = c.sealed(k, m.name, b.Expected+1)
	}
	return m, err
}

// read reads the row of the statement for the only member.
func (m *member) read(rows pgx.Rows) error {
	var nth int64
	m.written = true
	return rows.Scan(&nth, &m.key, &m.version)
}

// A group is members that are written together.
type group struct {
	ctx     context.Context
	cancel  context.CancelFunc
	members []*member
	left    int // who wait for it
}

// read reads a row of the statement.
func (g *group) read(rows pgx.Rows) error {
	var nth, key, version int64
	err := rows.Scan([]any{&nth, &key, &version, nil}[:len(rows.RawValues())]...)
	if err == nil {
		m := g.members[nth-1]
		m.key, m.version, m.written = key, version, true
	}
	return err
}

// A grouper has few groups be written at a time, beside those that take long. Those
// that do more than append have one of their own: nobody else waits for that.
type grouper struct {
	mu       sync.Mutex
	waiting  []*member
	writing  int
	expected int       // how many may come after the last group
	late     time.Time // from when on nobody waits for them
}

// groupDone makes room for another group, and gives how long those who may come again are
// waited for.
func (g *grouper) groupDone(members int, took time.Duration) time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.writing--
	wait := min(took, gather)
	g.expected, g.late = min(members+len(g.waiting), maxGroup), time.Now().Add(wait)
	return wait
}

// allGathered reports whether those who are likely to come are there, or late.
func (g *grouper) allGathered() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.waiting) >= g.expected || !time.Now().Before(g.late)
}

// appendInGroup writes an append with others. It was written, or was not because of its
// log alone, where there is no error.
func (s *Store) appendInGroup(ctx context.Context, m *member) error {
	g := &s.grouper
	if !m.more.none() {
		g = &s.doing
	}
	g.mu.Lock()
	g.waiting = append(g.waiting, m)
	g.mu.Unlock()
	s.nextGroup(ctx, g)
	select {
	case <-m.done:
		return m.err
	case <-ctx.Done():
		if g.withdraw(m) {
			<-m.done // so that nothing is written once the caller is told
			if m.err == nil {
				return nil
			}
		}
		return ctx.Err()
	}
}

// withdraw has a member no longer wait. What nobody waits for is not written, or given up:
// it reports whether that is under way.
func (g *grouper) withdraw(m *member) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if m.group == nil {
		g.waiting = slices.DeleteFunc(g.waiting, func(w *member) bool { return w == m })
		return false
	}
	m.group.left--
	if m.group.left == 0 {
		m.group.cancel()
	}
	return m.group.left == 0
}

// nextGroup begins to write those who wait, if anybody does and there is room.
func (s *Store) nextGroup(ctx context.Context, from *grouper) {
	if !from.allGathered() {
		return // whoever comes tries, and so does the end of the wait
	}
	ctx = context.WithoutCancel(ctx) // that of one of many
	if g := from.next(ctx); g != nil {
		go s.writeGroup(from, g)
	}
}

// next takes a group of those who wait: of each log one.
func (g *grouper) next(ctx context.Context) *group {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.writing == maxGroups || len(g.waiting) == 0 {
		return nil
	}
	g.writing++
	out := &group{}
	names := map[string]bool{}
	var later []*member
	for _, m := range g.waiting {
		if len(out.members) == maxGroup || names[string(m.name)] {
			later = append(later, m)
			continue
		}
		names[string(m.name)] = true
		out.members, m.group = append(out.members, m), out
	}
	g.waiting = later
	// Groups lock rows in one order, so that none waits for another that waits for it.
	slices.SortFunc(out.members, func(a, b *member) int { return bytes.Compare(a.name, b.name) })
	out.left = len(out.members)
	out.ctx, out.cancel = context.WithCancel(ctx)
	return out
}

// writeGroup writes a group, and answers its members.
func (s *Store) writeGroup(from *grouper, g *group) {
	defer g.cancel()
	var once sync.Once
	begun := time.Now()
	next := func() {
		once.Do(func() {
			wait := from.groupDone(len(g.members), time.Since(begun))
			s.nextGroup(g.ctx, from)
			time.AfterFunc(wait, func() { s.nextGroup(g.ctx, from) })
		})
	}
	late := time.AfterFunc(slow, next)
	err := s.attempt(g.ctx, func(ctx context.Context) error {
		var b pgx.Batch
		b.Queue(groupSQL, s.setting)
		if g.onlyStates() {
			return s.writeWhole(ctx, &b, g)
		}
		b.Queue(appendSQL, appendArgs(g.members...)...)
		if from == &s.grouper {
			return s.send(ctx, s.db.pool, &b, g.read)
		}
		return pgx.BeginFunc(ctx, s.db.pool, func(tx pgx.Tx) error {
			if err := s.send(ctx, tx, &b, g.read); err != nil {
				return err
			}
			var more []More
			for _, m := range g.members {
				if m.written {
					more = append(more, m.more)
				}
			}
			return s.runMore(ctx, tx, more...)
		})
	})
	late.Stop()
	next()
	for _, m := range g.members {
		if m.err = err; err != nil {
			m.written = false
		}
		close(m.done)
	}
}

// onlyStates reports whether what its members do besides is statements, for all of them.
func (g *group) onlyStates() bool {
	return !slices.ContainsFunc(g.members, func(m *member) bool { return m.more.Queue != nil || m.more.none() })
}

// writeWhole writes a group and does the statements of its members in one round trip,
// which is possible where all of it is written. Else each member is then written alone.
func (s *Store) writeWhole(ctx context.Context, b *pgx.Batch, g *group) error {
	b.Queue(wholeSQL, appendArgs(g.members...)...).Query(func(rows pgx.Rows) error { return readAll(rows, g.read) })
	for _, m := range g.members {
		for _, st := range m.more.Statements {
			b.Queue(st.SQL, st.Args...)
		}
	}
	return s.db.pool.SendBatch(ctx, b).Close()
}
