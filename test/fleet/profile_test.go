//go:build unix

package fleet

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

// profiled says whether to find what costs: TENFOLD_TEST_FLEET_PROFILE is a directory for
// profiles of the servers' processors.
func profiled() bool { return os.Getenv("TENFOLD_TEST_FLEET_PROFILE") != "" }

// profiler is added to the program: between two SIGUSR1 it writes a profile.
const profiler = `package main

import (
	"os"
	"os/signal"
	"runtime/pprof"
	"strconv"
	"syscall"
	"time"
)

func init() {
	told := make(chan os.Signal, 1)
	signal.Notify(told, syscall.SIGUSR1)
	go func() {
		for {
			<-told
			f, err := os.Create(os.Getenv("FLEET_TEST_PROFILE") + "/cpu." + strconv.Itoa(os.Getpid()) + "." + strconv.FormatInt(time.Now().Unix(), 10))
			if err == nil && pprof.StartCPUProfile(f) == nil {
				<-told
				pprof.StopCPUProfile()
				_ = f.Close()
			}
		}
	}()
}
`

// profile has the servers write profiles until the function that it gives is called, and
// tells what the database did meanwhile.
func (l *load) profile(name string) (stopped func()) {
	if !profiled() {
		return func() {}
	}
	ctx := l.t.Context()
	signal := func() {
		for _, s := range l.servers {
			_ = s.cmd.Process.Signal(syscall.SIGUSR1)
		}
		time.Sleep(200 * time.Millisecond)
	}
	if _, err := l.pool.Exec(ctx, "CREATE EXTENSION IF NOT EXISTS pg_stat_statements; SELECT pg_stat_statements_reset()"); err != nil {
		l.t.Fatal(err)
	}
	signal()
	samples, stop := map[string]int{}, make(chan struct{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			case <-time.After(50 * time.Millisecond):
			}
			rows, err := l.pool.Query(ctx, "SELECT coalesce(wait_event_type || ' ' || wait_event, 'running') || ': ' || left(regexp_replace(query, '\\s+', ' ', 'g'), 40) FROM pg_stat_activity WHERE state = 'active' AND pid <> pg_backend_pid()")
			if err != nil {
				continue
			}
			var what string
			_, _ = pgx.ForEachRow(rows, []any{&what}, func() error { samples[what]++; return nil })
		}
	}()
	return func() {
		close(stop)
		<-done
		signal()
		for what, n := range samples {
			if n > 10 {
				l.t.Logf("%s: %5d samples: %s", name, n, what)
			}
		}
		rows, err := l.pool.Query(ctx, "SELECT calls, total_exec_time, wal_bytes::bigint, left(regexp_replace(query, '\\s+', ' ', 'g'), 120) FROM pg_stat_statements ORDER BY total_exec_time DESC LIMIT 15")
		if err != nil {
			l.t.Fatal(err)
		}
		var calls, wal int64
		var ms float64
		var query string
		_, _ = pgx.ForEachRow(rows, []any{&calls, &ms, &wal, &query}, func() error {
			l.t.Logf("%s: %7d calls, %8.0f ms, %6.3f ms each, %6d bytes of WAL each: %s", name, calls, ms, ms/float64(calls), wal/max(calls, 1), strings.TrimSpace(query))
			return nil
		})
	}
}

// A use is what an append takes of processors: it says more than a clock does on a
// machine that others use too.
type use struct{ servers, database, writers time.Duration }

func (u use) all() time.Duration { return u.servers + u.database + u.writers }

func (u use) String() string {
	round := func(d time.Duration) time.Duration { return d.Round(time.Microsecond) }
	return fmt.Sprintf("servers %v, database %v, writers %v an append, together %v", round(u.servers), round(u.database), round(u.writers), round(u.all()))
}

// processors measures from now on until used is called.
func (l *load) processors() (used func(appends int) use) {
	pid := 0
	if err := l.pool.QueryRow(l.t.Context(), "SELECT split_part(pg_read_file('postmaster.pid'), chr(10), 1)::integer").Scan(&pid); err != nil {
		l.t.Fatal(err)
	}
	now := func() (u use) {
		for _, s := range l.servers {
			if s.running() {
				u.servers += processorOf(strconv.Itoa(s.cmd.Process.Pid))
			}
		}
		all, _ := filepath.Glob("/proc/[0-9]*")
		for _, dir := range all {
			if fields := statOf(filepath.Base(dir)); len(fields) > 1 && fields[1] == strconv.Itoa(pid) {
				u.database += processorOf(filepath.Base(dir))
			}
		}
		u.writers = processorOf("self")
		return u
	}
	begun := now()
	return func(appends int) use {
		u, n := now(), time.Duration(appends)
		return use{(u.servers - begun.servers) / n, (u.database - begun.database) / n, (u.writers - begun.writers) / n}
	}
}

// statOf gives the fields of a process from its state on.
func statOf(pid string) []string {
	b, err := os.ReadFile("/proc/" + pid + "/stat")
	if err != nil {
		return nil // it has ended
	}
	_, rest, _ := strings.Cut(string(b), ") ")
	return strings.Fields(rest)
}

func processorOf(pid string) (d time.Duration) {
	if fields := statOf(pid); len(fields) > 12 {
		for _, ticks := range fields[11:13] {
			n, _ := strconv.Atoi(ticks)
			d += time.Duration(n) * 10 * time.Millisecond
		}
	}
	return d
}
