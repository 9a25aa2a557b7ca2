package postgres

import (
	"context"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"tenfold/internal/pause"
)

const (
	// channel is what stores tell each other on. A payload is the name of the
	// store that tells, and the keys of logs it changed.
	channel = "tenfold"
	// pollTime is how often a watch looks for itself: a store that ended
	// between its commit and its word to others told nobody.
	pollTime = 5 * time.Second
	// tellPause is how long a store that has just told collects what it has to tell
	// next: each telling is a transaction, and wakes all processes that listen.
	tellPause = 50 * time.Millisecond
	// maxPayload is below the 8000 bytes that PostgreSQL takes.
	maxPayload = 7900
)

// listen wakes watchers of what other stores tell, on a connection of its
// own. When that is lost it makes another.
func (d *Database) listen(ctx context.Context) {
	wait := firstPause
	for ctx.Err() == nil {
		if d.receive(ctx) {
			wait = firstPause
		}
		_ = pause.For(ctx, wait)
		wait = min(2*wait, pollTime)
	}
}

// receive listens until the connection is lost, and reports whether there was
// one. Trouble with it is told by the watchers, who read.
func (d *Database) receive(ctx context.Context) bool {
	conn, err := pgx.ConnectConfig(ctx, d.conn)
	if err != nil {
		return false
	}
	defer func() {
		closing, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_ = conn.Close(closing)
	}()
	if _, err := conn.Exec(ctx, "LISTEN "+channel); err != nil {
		return false
	}
	d.hub.WakeAll() // for what came before
	for {
		n, err := conn.WaitForNotification(ctx)
		if err != nil {
			return true
		}
		words := strings.Fields(n.Payload)
		if len(words) == 0 || words[0] == d.self {
			continue
		}
		for _, word := range words[1:] {
			if key, err := strconv.ParseInt(word, 10, 64); err == nil {
				d.hub.Wake(key)
			}
		}
	}
}

// A notifier tells other stores which logs changed. It does so after the
// commit, in a transaction of its own: PostgreSQL holds a lock of the whole
// database from NOTIFY until its transaction is on disk, so that appends that
// notify would commit one after the other (T8).
type notifier struct {
	mu   sync.Mutex
	keys map[int64]struct{}
	wake chan struct{}
	end  chan struct{}
	done chan struct{}
}

// wake has watchers here and elsewhere hear of a log.
func (d *Database) wake(key int64) {
	d.hub.Wake(key)
	d.tidier.noteAppended(key)
	d.told.mu.Lock()
	if d.told.keys == nil {
		d.told.keys = map[int64]struct{}{}
	}
	d.told.keys[key] = struct{}{}
	d.told.mu.Unlock()
	select {
	case d.told.wake <- struct{}{}:
	default:
	}
}

// notify is the notifier's goroutine.
func (d *Database) notify() {
	defer close(d.told.done)
	for {
		select {
		case <-d.told.wake:
			d.notifyOthers()
		case <-d.told.end:
			d.notifyOthers()
			return
		}
		select {
		case <-time.After(tellPause):
		case <-d.told.end:
		}
	}
}

// notifySQL does not wait for its commit to be on disk: there is nothing to
// lose. The setting ends with the transaction, which is the statement.
const notifySQL = `
SELECT pg_notify('` + channel + `', p)
FROM (SELECT set_config('synchronous_commit', 'off', true)) AS lazy, unnest($1::text[]) AS p`

func (d *Database) notifyOthers() {
	d.told.mu.Lock()
	keys := d.told.keys
	d.told.keys = nil
	d.told.mu.Unlock()
	if len(keys) == 0 {
		return
	}
	var payloads []string
	payload := []byte(d.self)
	for key := range keys {
		if len(payload) > maxPayload-30 {
			payloads = append(payloads, string(payload))
			payload = payload[:len(d.self)]
		}
		payload = strconv.AppendInt(append(payload, ' '), key, 10)
	}
	payloads = append(payloads, string(payload))
	ctx, cancel := context.WithTimeout(context.Background(), pollTime)
	defer cancel()
	// Who does not hear of it finds it when it next looks.
	_, _ = d.pool.Exec(ctx, notifySQL, payloads)
}
