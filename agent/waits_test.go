package agent_test

import (
	"context"
	"database/sql"
	"errors"
	"iter"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tenfold"
	"tenfold/agent"
	"tenfold/provider"
	"tenfold/provider/script"
	"tenfold/store"
	"tenfold/store/memory"
	"tenfold/store/sqlite"
	"tenfold/toolbox"
)

// An answer that breaks off is gone on with after a wait, a longer one each time and
// three times in a row at most; what came of it stands in the log once, and the model
// is told that it was cut off.
func TestBrokenAnswersAreGoneOnWithAfterAWait(t *testing.T) {
	t.Parallel()
	broken := func(text string) script.Answer {
		a := script.Text(text)
		a.Chunk, a.At, a.Err = 4, 2, &provider.Error{Kind: provider.CutOff, Model: "m", Message: "the connection ended"}
		return a
	}
	for times := range 5 {
		synctest.Test(t, func(t *testing.T) {
			answers := []script.Answer{broken("one and two"), broken("two and three"), broken("three and four"), broken("four and five")}[:times]
			k := begin(t, script.New(append(answers, script.Text("the end"))...))
			began := time.Now()
			events, err := k.run("Count.")
			waited := []time.Duration(nil)
			for _, e := range events {
				if e.Waiting != nil {
					waited = append(waited, e.Waiting.After)
					if why := e.Waiting.Err.Error(); why != "the answer broke off: m: cut off: the connection ended" {
						t.Errorf("it waits because %q", why)
					}
				}
			}
			want := []time.Duration{time.Second, 2 * time.Second, 4 * time.Second}[:min(times, 3)]
			var all time.Duration
			for _, d := range want {
				all += d
			}
			if !slices.Equal(waited, want) || time.Since(began) != all {
				t.Errorf("broken off %d times it waits %v, %v in all; want %v", times, waited, time.Since(began), want)
			}
			if fails := times > 3; (err != nil) != fails || fails && provider.KindOf(err) != provider.CutOff {
				t.Errorf("broken off %d times: %v", times, err)
			}
			said := strings.Join(slices.DeleteFunc(k.shows(), func(line string) bool { return !strings.HasPrefix(line, "assistant: ") }), "\n")
			for i, text := range []string{"one and", "two and", "three an", "four and"} {
				if n := strings.Count(said, "assistant: "+text); n != min(max(times-i, 0), 1) {
					t.Errorf("broken off %d times, %q stands %d times in the log:\n%s", times, text, n, said)
				}
			}
			if times <= 3 && !strings.HasSuffix(said, "assistant: the end") {
				t.Errorf("broken off %d times, the log ends with:\n%s", times, said)
			}
		})
	}
}

// lockedStore is a store that another process has locked once, as entries are read.
type lockedStore struct {
	store.Store
	locked bool
}

func (s *lockedStore) Entries(ctx context.Context, id string, after int64) iter.Seq2[tenfold.Entry, error] {
	if !s.locked {
		return s.Store.Entries(ctx, id, after)
	}
	s.locked = false
	return func(yield func(tenfold.Entry, error) bool) { yield(tenfold.Entry{}, store.ErrLocked) }
}

// A compaction that finds the store locked as it begins is made when the lock is gone.
func TestCompactionWaitsForTheStore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		st := &lockedStore{Store: memory.New()}
		k := beginIn(t, st, long(12, script.Text("Done.")), big, func(o *agent.Options) { o.Live.Request.Options.Window = 8000 })
		var happened []string
		for e, err := range k.Run(t.Context(), tenfold.TextPart("Go.")) {
			switch {
			case err != nil:
				t.Fatal(err)
			case e.Waiting != nil:
				happened = append(happened, "waiting")
			case e.Compaction != nil:
				st.locked = happened == nil
				happened = append(happened, string(e.Compaction.Action))
			}
		}
		if want := []string{"compact", "waiting", "compacted"}; len(happened) < 3 || !slices.Equal(happened[:3], want) {
			t.Errorf("%q happened, want %q", happened, want)
		}
	})
}

// otherProcess is a connection of another process to a store's file, as far as SQLite
// can tell.
func otherProcess(t *testing.T, path string) func(statement string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	c, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = errors.Join(c.Close(), db.Close()) })
	return func(statement string) {
		if _, err := c.ExecContext(context.WithoutCancel(t.Context()), statement); err != nil {
			t.Error(err)
		}
	}
}

// Another process has the store locked while a call runs, and for long after it: the run
// says what is wrong, where, and what to try; it goes on by itself when the lock is
// gone, with the result that it had. Where the person does not wait, it ends with that
// error, and the next run goes on: nothing that was told of is lost, no call runs twice.
func TestStoreIsLockedForLong(t *testing.T) {
	t.Parallel()
	for name, patience := range map[string]time.Duration{"waited for": time.Hour, "interrupted": 15 * time.Second} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "store.db")
				st, err := sqlite.Open(t.Context(), path)
				if err != nil {
					t.Fatal(err)
				}
				defer st.Close()
				other := otherProcess(t, path)
				ran, free := 0, make(chan struct{})
				k := beginIn(t, st, script.New(script.Calls(call("1", "edits")), script.Text("Done.")), tool("edits", toolbox.Edits, func(context.Context, toolbox.Call) (toolbox.Result, error) {
					ran++
					other("BEGIN IMMEDIATE")
					go func() {
						time.Sleep(35 * time.Second)
						other("ROLLBACK")
						close(free)
					}()
					return says("edited")
				}))
				ctx, stop := context.WithTimeout(t.Context(), patience)
				defer stop()
				began, told := time.Now(), int64(0)
				var waits []string
				var end agent.Event
				for e, fault := range k.Run(ctx, tenfold.TextPart("Go.")) {
					err = fault
					switch end = e; {
					case e.Appended != nil:
						told = e.Appended.Seq
					case e.Waiting != nil:
						if waits = append(waits, e.Waiting.Err.Error()); e.Waiting.After <= 0 {
							t.Error("it tries again without a pause")
						}
					}
				}
				if told != k.Session().Log().Version() {
					t.Errorf("told of %d entries, %d are stored", told, k.Session().Log().Version())
				}
				for _, text := range []string{path, "locked", "another process", "end it"} {
					if len(waits) == 0 || !strings.Contains(waits[0], text) {
						t.Errorf("it does not say %q: %q", text, waits)
					}
				}
				if name == "waited for" {
					if err != nil || end.Stop == nil || end.Stop.Reason != agent.Answered || len(waits) != 3 || time.Since(began) < 35*time.Second {
						t.Errorf("it ends with %+v, %v after %v, and waited %d times", end.Stop, err, time.Since(began), len(waits))
					}
				} else {
					if !errors.Is(err, store.ErrLocked) || !strings.Contains(err.Error(), path) {
						t.Errorf("it ends with %v", err)
					}
					<-free
					if stop := k.stop(); stop.Reason != agent.Answered {
						t.Errorf("the next run ends with %+v", stop)
					}
				}
				log := strings.Join(k.shows(), "\n")
				result := map[string]string{"waited for": "result 1: edited", "interrupted": "error 1: Interrupted: the program that ran the call ended"}[name]
				if ran != 1 || !strings.HasSuffix(log, "assistant: Done.\nusage") || strings.Count(log, result) != 1 {
					t.Errorf("the call ran %d times; the log:\n%s", ran, log)
				}
			})
		})
	}
}
