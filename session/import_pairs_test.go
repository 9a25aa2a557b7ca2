package session_test

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"tenfold"
	"tenfold/internal/corpustest"
	"tenfold/session"
	"tenfold/store"
	"tenfold/store/memory"
	"tenfold/store/postgres"
	"tenfold/store/postgres/pgtest"
	"tenfold/store/sqlite"
)

// onEachStore runs a test on every store; make gives an empty one.
func onEachStore(t *testing.T, test func(t *testing.T, empty func(t *testing.T) store.Store)) {
	closing := func(t *testing.T, st store.Store) store.Store {
		t.Cleanup(func() {
			if err := st.Close(); err != nil {
				t.Error(err)
			}
		})
		return st
	}
	t.Run("memory", func(t *testing.T) {
		test(t, func(t *testing.T) store.Store { return closing(t, memory.New()) })
	})
	t.Run("sqlite", func(t *testing.T) {
		test(t, func(t *testing.T) store.Store {
			st, err := sqlite.Open(context.Background(), filepath.Join(t.TempDir(), "store.db"))
			if err != nil {
				t.Fatal(err)
			}
			return closing(t, st)
		})
	})
	t.Run("postgres", func(t *testing.T) {
		server := pgtest.Start(t)
		test(t, func(t *testing.T) store.Store {
			st, err := postgres.Open(context.Background(), server.Database(t))
			if err != nil {
				t.Fatal(err)
			}
			return closing(t, st)
		})
	})
}

// A pair of files that begin alike, in one of all ways.
type pair struct {
	name      string
	was, is   dialogue
	continues bool
	cut       bool
	differs   int // the first turn that does
}

// pairs lists every kind of common beginning.
func pairs() []pair {
	words := []string{"system be kind", "alpha", "beta", "gamma", "delta"}
	whole := newDialogue(words...)
	all := []pair{
		{name: "equal", was: whole, is: whole, continues: true},
		{name: "same first message", was: whole, is: newDialogue(append(slices.Clone(words[:2]), "other")...)},
		{name: "same system prompt", was: whole, is: newDialogue(words[0], "other", "words")},
		{name: "nothing in common", was: whole, is: newDialogue("system be strict", "other", "words")},
		{name: "turned back and on", was: whole, is: newDialogue(append(slices.Clone(words[:3]), "one", "two", "three", "four", "five")...), differs: 1},
		{name: "the same again", was: newDialogue("system be kind", "alpha", "beta"), is: newDialogue("system be kind", "alpha", "beta", "alpha", "beta"), continues: true},
		{name: "one of two that are the same", was: newDialogue("system be kind", "alpha", "beta", "alpha", "beta"), is: newDialogue("system be kind", "alpha", "beta"), cut: true, differs: 1},
	}
	for k := 2; k < len(words); k++ {
		all = append(
			all,
			pair{name: fmt.Sprintf("grown from %d", k-1), was: newDialogue(words[:k]...), is: whole, continues: true},
			pair{name: fmt.Sprintf("cut to %d", k-1), was: whole, is: newDialogue(words[:k]...), cut: true, differs: (k - 1) / 2},
		)
	}
	for k := 1; k < len(words); k++ {
		other := slices.Clone(words)
		other[k] = "rewritten"
		all = append(
			all,
			pair{name: fmt.Sprintf("rewritten at %d", k-1), was: whole, is: newDialogue(other...), differs: (k - 1) / 2},
			pair{name: fmt.Sprintf("other words from %d", k-1), was: whole, is: newDialogue(append(slices.Clone(words[:k]), "one", "two")...), differs: (k - 1) / 2},
		)
	}
	return all
}

// Two files that begin alike are two conversations, whatever they share, in
// every format without ids and on every store; a file is one with what it said
// before only if it goes on with that. No log mixes the two.
func TestFilesThatBeginAlike(t *testing.T) {
	onEachStore(t, func(t *testing.T, empty func(t *testing.T) store.Store) {
		st := empty(t) // one for all, so that names meet
		_, quick := st.(*memory.Store)
		for n, s := range shapes() {
			each := 1
			if !quick { // the stores know nothing of formats
				each = 4
			}
			if corpustest.UnderRace {
				each *= 4
			}
			if !corpustest.All() && n%each > 0 {
				continue
			}
			t.Run(string(s.format)+"/"+s.name, func(t *testing.T) {
				t.Parallel()
				i := newImporter(t, st)
				for n, p := range pairs() {
					// The same file, another day.
					path := fmt.Sprintf("/run%d/%s/%s", n, s.format, s.name)
					first := i.put(s.read(t, path, p.was))
					second := i.put(s.read(t, path, p.is))
					if got := first.ID == second.ID; got != p.continues {
						t.Errorf("%s: the file is %s and then %s", p.name, first.ID, second.ID)
					}
					switch parted := second.Parted; {
					case p.continues != (parted == nil):
						t.Errorf("%s: parted is %+v", p.name, parted)
					case parted != nil && (parted.From != first.ID || parted.Cut != p.cut):
						t.Errorf("%s: parted is %+v, the file was %s", p.name, parted, first.ID)
					case parted != nil && p.differs > 0 && s.turns() && parted.Turn != p.differs:
						t.Errorf("%s: parted at turn %d, not %d", p.name, parted.Turn, p.differs)
					}
					// As it was: the file is the first conversation again.
					if back := i.put(s.read(t, path, p.was)); back.ID != first.ID && !p.continues {
						t.Errorf("%s: turned back to what it was, the file is %s, not %s", p.name, back.ID, first.ID)
					}
					// Another file, and the same file of another person.
					other := s.read(t, path+"/../copy/"+filepath.Base(s.name), p.is)
					if at := i.put(other); at.ID == first.ID || at.ID == second.ID || at.Parted != nil {
						t.Errorf("%s: another file is %s, parted %+v", p.name, at.ID, at.Parted)
					}
					owned := s.read(t, path, p.is)
					owned.Owner = "bob@there"
					if at := i.put(owned); at.ID == first.ID || at.ID == second.ID || at.Parted != nil {
						t.Errorf("%s: another person's file is %s, parted %+v", p.name, at.ID, at.Parted)
					}
				}
				i.end()
			})
		}
	})
}

// turns reports whether the format knows the person from the model.
func (s shape) turns() bool {
	return !strings.HasPrefix(s.name, "talk.json") && !strings.HasSuffix(s.name, ".responses") && string(s.format) != "tenfold" && s.oneTurn() == ""
}

// oneTurn says why all of it is one turn.
func (s shape) oneTurn() string {
	switch s.format {
	case "swe-agent-traj":
		return "the task is the one prompt"
	case "who-and-when":
		return "agents follow"
	}
	return ""
}

// What has no path, such as a pipe, is the same conversation only if it says the
// same as a whole.
func TestWithoutAPath(t *testing.T) {
	for _, s := range shapes() {
		i := newImporter(t, memory.New())
		for _, p := range pairs() {
			first, second := i.put(s.read(t, "", p.was)), i.put(s.read(t, "", p.is))
			if same := p.name == "equal"; (first.ID == second.ID) != same || second.Parted != nil {
				t.Errorf("%s, %s: it is %s and then %s, parted %+v", s.format, p.name, first.ID, second.ID, second.Parted)
			}
		}
		i.end()
	}
}

// Files go through any states, in any order, next to others that begin alike:
// every file is the longest conversation that it continues of those that were
// imported from its path, or else one of its own.
func TestFilesInAnyOrder(t *testing.T) {
	type place struct{ owner, path string }
	rapid.Check(t, func(rt *rapid.T) {
		s := rapid.SampledFrom(shapes()).Draw(rt, "shape")
		i := newImporter(t, memory.New())
		places := []place{{"", "/a/" + s.name}, {"", "/b/" + s.name}, {"eve", "/a/" + s.name}}
		stored := map[place]map[string]dialogue{}
		now := map[place]dialogue{}
		for _, p := range places {
			stored[p] = map[string]dialogue{}
		}
		word := rapid.SampledFrom([]string{"alpha", "beta"}) // so that much is alike
		for range rapid.IntRange(1, 12).Draw(rt, "steps") {
			p := rapid.SampledFrom(places).Draw(rt, "place")
			words := now[p].said()
			switch op := rapid.SampledFrom([]string{"grow", "cut", "rewrite", "restore"}).Draw(rt, "op"); {
			case op == "cut" && len(words) > 1:
				words = words[:rapid.IntRange(1, len(words)-1).Draw(rt, "to")]
			case op == "rewrite" && len(words) > 0:
				words[rapid.IntRange(0, len(words)-1).Draw(rt, "at")] = word.Draw(rt, "word")
			case op == "restore" && len(stored[p]) > 0:
				words = stored[p][rapid.SampledFrom(slices.Sorted(maps.Keys(stored[p]))).Draw(rt, "state")].said()
			default:
				words = append(words, rapid.SliceOfN(word, 1, 3).Draw(rt, "more")...)
			}
			now[p] = newDialogue(words...)
			want, longest := "", -1
			for id, d := range stored[p] {
				if n := len(d); n <= len(words) && slices.Equal(d.said(), words[:n]) && n > longest {
					want, longest = id, n
				}
			}
			in := s.read(t, p.path, now[p])
			in.Owner = p.owner
			at := i.put(in)
			_, known := stored[p][at.ID]
			if (want != "" && at.ID != want) || (want == "" && known) {
				rt.Fatalf("%q at %v is %s, and goes on with %q: %v", words, p, at.ID, want, stored[p])
			}
			if parted := want == "" && len(stored[p]) > 0; parted != (at.Parted != nil) {
				rt.Fatalf("%q at %v is %s, parted %+v", words, p, at.ID, at.Parted)
			}
			stored[p][at.ID] = now[p]
			for other, all := range stored {
				if _, taken := all[at.ID]; taken && other != p {
					rt.Fatalf("%s is of %v and of %v", at.ID, p, other)
				}
			}
		}
		for p, all := range stored {
			for id, d := range all {
				if got := i.says(id); !slices.Equal(got, d.said()) {
					rt.Fatalf("%s of %v says %q, not %q", id, p, got, d.said())
				}
			}
		}
		i.end()
	})
}

// Two people, each in several processes at once, import files of one name that
// begin alike and grow: each has one conversation, which says what the file
// says.
func TestTwoPeopleAtOnce(t *testing.T) {
	onEachStore(t, func(t *testing.T, empty func(t *testing.T) store.Store) {
		st := empty(t)
		for _, s := range shapes() {
			if string(s.format) != "openai-chat" && string(s.format) != "jp" && string(s.format) != "openai-responses" {
				continue // what a format says makes no difference here
			}
			t.Run(string(s.format)+"/"+s.name, func(t *testing.T) {
				words := []string{"system be kind", "alpha", "beta", "gamma", "delta", "epsilon"}
				var mu sync.Mutex
				ids := map[string]map[string]bool{"ada@here": {}, "bob@there": {}}
				var wg sync.WaitGroup
				for owner := range ids {
					for range 3 {
						svc := session.NewService(st, session.WithCounter(tenfold.Chars4{}))
						wg.Go(func() {
							for k := 2; k <= len(words); k++ {
								// Both say the same, until the last word.
								said := slices.Clone(words[:k])
								if k == len(words) {
									said[k-1] = owner
								}
								in := s.read(t, "/home/ada/"+string(s.format)+"/"+s.name, newDialogue(said...))
								in.Owner = owner
								at, err := put(context.Background(), svc, in)
								if err != nil {
									t.Error(err)
									return
								}
								if at.Parted != nil && !at.Parted.Cut {
									t.Errorf("%s parted from %s", at.ID, at.Parted.From)
								}
								if k == len(words) {
									mu.Lock()
									ids[owner][at.ID] = true
									mu.Unlock()
								}
							}
						})
					}
				}
				wg.Wait()
				i := newImporter(t, st)
				for owner, found := range ids {
					if len(found) != 1 {
						t.Errorf("%s has %v", owner, slices.Collect(maps.Keys(found)))
					}
					for id := range found {
						want := append(slices.Clone(words[1:len(words)-1]), owner)
						if got := i.says(id); !slices.Equal(got, want) {
							t.Errorf("%s of %s says %q", id, owner, got)
						}
					}
				}
			})
		}
	})
}
