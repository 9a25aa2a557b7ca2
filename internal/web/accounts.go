package web

import (
	"context"
	"errors"
	"hash/maphash"
	"sync"
	"time"

	"tenfold"
	"tenfold/eval/replay"
	"tenfold/provider"
	"tenfold/session"
	"tenfold/store"
)

// accounts know what each conversation of the store cost. Reading all logs takes a
// while, so they are read in the background, one after the other, once somebody
// asks, and again only where they went on.
type accounts struct {
	service *session.Service
	census  *census
	prices  provider.Prices
	alive   context.Context //nolint:containedctx // of the server: it ends the reading
	working sync.WaitGroup

	mu      sync.Mutex
	of      map[string]*account
	running bool
	// seen tells which conversation a response was found in first: a fork and a
	// resumed session hold copies, which were paid once.
	seen map[uint64]string
	seed maphash.Seed
}

func newAccounts(alive context.Context, service *session.Service, census *census) *accounts {
	return &accounts{
		service: service, census: census, prices: provider.Shipped(), alive: alive,
		of: map[string]*account{}, seen: map[uint64]string{}, seed: maphash.MakeSeed(),
	}
}

// account is what one conversation cost, up to a version of its log.
type account struct {
	row   store.Conversation
	spent map[span]*spent
	// copied is the part of dollars for what another conversation has already.
	dollars, copied float64
	// net is what its compactions saved less what they cost, by the price of model;
	// last is when it was answered last.
	net   float64
	model string
	last  time.Time
	// own is set where it has compactions, so that what is new changes net.
	own bool
	// failed is up to where its log could not be read, and again when to try that again.
	failed int64
	again  time.Time
}

// failureStays is for how long a log that could not be read is left alone.
const failureStays = time.Minute

// span is a quarter of an hour, which days of every zone are made of, and what
// answered in it; copied for responses that another conversation has already.
type span struct {
	quarter int64
	model   string
	copied  bool
}

const quarter = 15 * time.Minute

type spent struct {
	responses, priced                    int
	dollars                              float64
	input, cacheRead, cacheWrite, output int
}

// current reports whether an account is that of a log as it stands, or later, or whether
// there is no use in reading it now.
func (a *account) current(c store.Conversation) bool {
	return a != nil && a.row.Created.Equal(c.Created) && (a.row.Version >= c.Version || a.failed >= c.Version && time.Now().Before(a.again))
}

// dollars is what the responses of a conversation cost, as far as it was read, and once is
// that without those another holds; what is not read is from now on.
func (a *accounts) dollars(c store.Conversation) (all, once float64) {
	a.mu.Lock()
	one := a.of[c.ID]
	a.mu.Unlock()
	if !one.current(c) {
		a.readChanged()
	}
	if one == nil {
		return 0, 0
	}
	return one.dollars, one.dollars - one.copied
}

// readChanged has what went on read.
func (a *accounts) readChanged() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.running || a.alive.Err() != nil {
		return
	}
	a.running = true
	a.working.Go(func() {
		a.readAll()
		a.mu.Lock()
		defer a.mu.Unlock()
		a.running = false
	})
}

func (a *accounts) readAll() {
	all, _, err := a.census.list(a.alive)
	if err != nil {
		return // whoever asks lists them too, and is told
	}
	there := map[string]bool{}
	for _, c := range all {
		there[c.ID] = true
	}
	a.forget(there)
	for _, c := range all {
		a.mu.Lock()
		known := a.of[c.ID]
		a.mu.Unlock()
		if known.current(c) {
			continue
		}
		one, err := a.read(c, known)
		if a.alive.Err() != nil {
			return
		}
		if errors.Is(err, store.ErrUnavailable) {
			return // whoever asks next has it read
		}
		if err != nil { // it says what it said
			one = &account{row: c}
			one.row.Version = -1
			if known != nil && known.row.Created.Equal(c.Created) {
				*one = *known
			}
			one.failed, one.again = c.Version, time.Now().Add(failureStays)
		}
		a.mu.Lock()
		a.of[c.ID] = one
		a.mu.Unlock()
	}
}

// forget lets go of what is not there any more. Copies of its responses are the
// originals then: who holds some is read anew.
func (a *accounts) forget(there map[string]bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	gone := false
	for id := range a.of {
		if !there[id] {
			delete(a.of, id)
			gone = true
		}
	}
	for id, one := range a.of {
		if gone && one.copies() {
			delete(a.of, id)
		}
	}
}

// copies reports whether some responses are in another conversation too.
func (a *account) copies() bool {
	for at := range a.spent {
		if at.copied {
			return true
		}
	}
	return false
}

// read makes the account of a conversation. Of one that was read before, and has no
// compactions, only what is new is read.
func (a *accounts) read(c store.Conversation, before *account) (*account, error) {
	if before != nil && before.spent != nil && !before.own && before.row.Created.Equal(c.Created) && before.row.Version < c.Version {
		one := *before
		one.row, one.spent, one.again = c, map[span]*spent{}, time.Time{}
		for at, sum := range before.spent {
			both := *sum
			one.spent[at] = &both
		}
		for e, err := range a.service.Entries(a.alive, c.ID, before.row.Version) {
			if err != nil {
				return nil, err
			}
			if _, compacts := e.Payload.(tenfold.Compaction); compacts {
				return a.readWhole(c)
			}
			a.add(&one, e)
			one.row.Version = e.Seq
		}
		return &one, nil
	}
	return a.readWhole(c)
}

func (a *accounts) readWhole(c store.Conversation) (*account, error) {
	s, err := a.service.Open(a.alive, c.ID)
	if err != nil {
		return nil, err
	}
	one := &account{row: c, spent: map[span]*spent{}}
	one.row.Version = s.Log().Version()
	for e := range s.Log().Entries() {
		_, compacts := e.Payload.(tenfold.Compaction)
		one.own = one.own || compacts
		a.add(one, e)
	}
	m, err := replay.MoneyOf(a.alive, s.Log(), replay.Options{Prices: a.prices})
	if err != nil {
		return nil, err
	}
	if one.model = m.Model; m.Own != nil {
		one.net = m.Own.Net()
	}
	return one, nil
}

// add takes in a response.
func (a *accounts) add(one *account, e tenfold.Entry) {
	u, ok := e.Payload.(tenfold.Usage)
	if !ok {
		return
	}
	at := span{e.Time.UnixNano() / int64(quarter), u.Model, a.copied(one.row.ID, e, u)}
	sum := one.spent[at]
	if sum == nil {
		sum = &spent{}
		one.spent[at] = sum
	}
	sum.responses++
	sum.input += u.Input
	sum.cacheRead += u.CacheRead
	sum.cacheWrite += u.CacheWrite
	sum.output += u.Output
	if dollars, known := a.prices.Cost(u.Model, u); known {
		sum.priced++
		sum.dollars += dollars
		one.dollars += dollars
		if at.copied {
			one.copied += dollars
		}
	}
	if e.Time.After(one.last) {
		one.last = e.Time
	}
}

// copied reports whether a response was found in another conversation.
func (a *accounts) copied(id string, e tenfold.Entry, u tenfold.Usage) bool {
	type response struct {
		id, model     string
		at            int64
		input, output int
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	key := maphash.Comparable(a.seed, response{e.ID, u.Model, e.Time.UnixNano(), u.Input, u.Output})
	first, found := a.seen[key]
	if !found || a.of[first] == nil && first != id {
		a.seen[key] = id
		return false
	}
	return first != id
}
