package sqlite

import (
	"context"
	"path/filepath"
	"testing"

	"tenfold/store"
	"tenfold/store/storetest"
)

// opened gives a store in a new file, closed when the test ends.
func opened(t testing.TB, opts ...Option) *Store {
	t.Helper()
	s, err := Open(context.Background(), filepath.Join(t.TempDir(), "new", "store.db"), opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func TestStore(t *testing.T) {
	for name, opts := range map[string][]Option{"index": nil, "no index": {WithoutIndex()}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storetest.Run(t, func(t *testing.T) store.Store { return opened(t, opts...) },
				storetest.Reopen(func(t *testing.T, s store.Store) store.Store {
					if err := s.Close(); err != nil {
						t.Fatal(err)
					}
					again, err := Open(context.Background(), s.(*Store).path, opts...)
					if err != nil {
						t.Fatal(err)
					}
					return again
				}),
				storetest.Second(func(t *testing.T, s store.Store) store.Store {
					second, err := Open(context.Background(), s.(*Store).path, opts...)
					if err != nil {
						t.Fatal(err)
					}
					return second
				}))
		})
	}
}
