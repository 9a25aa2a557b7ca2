package tenant

import (
	"context"
	"strconv"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

// A Meter knows what a tenant uses. Each server has its own: entries and bytes are
// the sums of the database, some seconds old, and what this server added since. So
// no append waits for another's count; in turn a tenant may get past a limit by what
// other servers add meanwhile. Where what this one added is a good part of the room
// that was left, others may have added as much: the sums are read again then.
type Meter struct {
	registry *Registry
	tenant   int

	mu      sync.Mutex
	bucket  bucket
	base    use       // as the database had it
	offset  use       // what the base holds of total
	total   use       // what was added here, and is being added
	pending use       // what is being added
	read    time.Time // when the base was; zero for never
	good    time.Duration
	took    time.Duration // to read it
	reading chan struct{} // has room for the one who reads
}

// use is what is used of both limits that add up.
type use struct{ entries, bytes int64 }

func (u use) plus(v use) use  { return use{u.entries + v.entries, u.bytes + v.bytes} }
func (u use) minus(v use) use { return use{u.entries - v.entries, u.bytes - v.bytes} }

// How long sums are good for: at least usageFresh, and so long that adding them up
// takes no more than a hundredth of the time; near a limit so long that it takes no
// more than a fifth. Near is where what was added here is a quarter of the room left.
const (
	usageFresh = 5 * time.Second
	usageShare = 100
	nearShare  = 4
	nearPart   = 4
)

// old tells whether the sums are to be read again.
func (m *Meter) old(l Limits) bool {
	near := func(limit *int64, base, added int64) bool {
		return limit != nil && added > 0 && nearPart*added >= *limit-base
	}
	good, added := m.good, m.total.minus(m.offset)
	if near(l.Entries, m.base.entries, added.entries) || near(l.Bytes, m.base.bytes, added.bytes) {
		good = min(good, nearShare*m.took)
	}
	return time.Since(m.read) >= good
}

// NewMeter gives the meter of a tenant.
func NewMeter(r *Registry, tenant int) *Meter {
	return &Meter{registry: r, tenant: tenant, reading: make(chan struct{}, 1)}
}

// Request counts a request, or refuses it.
func (m *Meter) Request(ctx context.Context) error {
	l, err := m.registry.Limits(ctx, m.tenant)
	if err != nil || l.RequestsPerSecond == nil {
		return err
	}
	m.mu.Lock()
	wait, ok := m.bucket.take(*l.RequestsPerSecond, time.Now())
	m.mu.Unlock()
	if ok {
		return nil
	}
	return &LimitError{Limit: limitRequests, Most: rateText(*l.RequestsPerSecond), After: wait}
}

// Add has room for entries, or refuses them. Call done with whether they were
// written. Size gives their bytes, and is called only where that counts.
func (m *Meter) Add(ctx context.Context, entries int, size func() int64) (done func(written bool), err error) {
	l, err := m.registry.Limits(ctx, m.tenant)
	if err != nil || l.Entries == nil && l.Bytes == nil || entries == 0 {
		return func(bool) {}, err
	}
	u := use{entries: int64(entries)}
	if l.Bytes != nil {
		u.bytes = size()
	}
	if err := m.refresh(ctx, l); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.base.plus(m.total).minus(m.offset).plus(u)
	switch {
	case l.Entries != nil && now.entries > *l.Entries:
		return nil, &LimitError{Limit: limitEntries, Most: strconv.FormatInt(*l.Entries, 10), After: quotaAfter}
	case l.Bytes != nil && now.bytes > *l.Bytes:
		return nil, &LimitError{Limit: limitBytes, Most: strconv.FormatInt(*l.Bytes, 10), After: quotaAfter}
	}
	m.total, m.pending = m.total.plus(u), m.pending.plus(u)
	return func(written bool) {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.pending = m.pending.minus(u)
		if !written {
			m.total = m.total.minus(u)
		}
	}, nil
}

// refresh reads the sums where they are old. One reads; the others go by those of
// before, if there are any.
func (m *Meter) refresh(ctx context.Context, l Limits) error {
	m.mu.Lock()
	old, none := m.old(l), m.read.IsZero()
	m.mu.Unlock()
	if !old {
		return nil
	}
	if none {
		select {
		case m.reading <- struct{}{}:
		case <-ctx.Done():
			return ctx.Err()
		}
	} else {
		select {
		case m.reading <- struct{}{}:
		default:
			return nil
		}
	}
	defer func() { <-m.reading }()
	m.mu.Lock()
	begun, offset := time.Now(), m.total.minus(m.pending)
	done := !m.read.IsZero() && !m.old(l) // by another, meanwhile
	m.mu.Unlock()
	if done {
		return nil
	}
	var sum use
	err := m.registry.db.As(ctx, m.tenant, func(ctx context.Context, tx pgx.Tx) error {
		// A conversation without entries counts as one: there may be no end of them.
		return tx.QueryRow(ctx, "SELECT coalesce(sum(greatest(version, 1)), 0)::bigint, coalesce(sum(bytes), 0)::bigint FROM tenfold_conversations WHERE tenant_id = $1",
			m.tenant).Scan(&sum.entries, &sum.bytes)
	})
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	// What was written while the sums were read counts twice until the next time:
	// rather that than not at all.
	m.base, m.offset, m.read = sum, offset, time.Now()
	m.took = m.read.Sub(begun)
	m.good = max(usageFresh, usageShare*m.took)
	return nil
}

// Usage is what a tenant uses by the sums of the database.
type Usage struct {
	Conversations int64 `json:"conversations"`
	Entries       int64 `json:"entries"`
	Bytes         int64 `json:"bytes"`
}

// Usage adds up what a tenant uses now.
func (r *Registry) Usage(ctx context.Context, tenant int) (u Usage, err error) {
	err = r.db.As(ctx, tenant, func(ctx context.Context, tx pgx.Tx) error {
		return tx.QueryRow(ctx, "SELECT count(*), coalesce(sum(version), 0)::bigint, coalesce(sum(bytes), 0)::bigint FROM tenfold_conversations WHERE tenant_id = $1",
			tenant).Scan(&u.Conversations, &u.Entries, &u.Bytes)
	})
	return u, err
}
