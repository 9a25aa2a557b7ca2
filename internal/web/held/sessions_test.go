package held

import (
	"errors"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"tenfold/internal/logtest"
	"tenfold/session"
	"tenfold/store"
	"tenfold/store/memory"
)

// created stores a conversation.
func created(t *testing.T, service *session.Service, id string) {
	t.Helper()
	if _, err := service.Create(t.Context(), session.Create{ID: id, Entries: logtest.Long(5)}); err != nil {
		t.Fatal(err)
	}
}

// use asks for a conversation.
func use(t *testing.T, s *Sessions, id string) {
	t.Helper()
	if err := s.With(t.Context(), id, func(*Conversation) error { return nil }); err != nil {
		t.Fatal(err)
	}
}

// So many conversations are kept open, those used last, of all stores together.
func TestTheOldestAreLetGoOf(t *testing.T) {
	t.Parallel()
	shelf := NewShelf()
	services := []*session.Service{session.NewService(memory.New()), session.NewService(memory.New())}
	stores := []*Sessions{shelf.Of(services[0]), shelf.Of(services[1])}
	for i := range mostOpen + 10 {
		id := "c" + strconv.Itoa(i)
		created(t, services[i%2], id)
		use(t, stores[i%2], id)
		use(t, stores[0], "c0")
	}
	if n := len(stores[0].open) + len(stores[1].open); n != mostOpen {
		t.Errorf("%d are open", n)
	}
	if last := "c" + strconv.Itoa(mostOpen+9); !stores[0].Holds("c0") || stores[1].Holds("c1") || !stores[1].Holds(last) {
		t.Error("those used last are not those that are open")
	}
	// One may be as long as it likes. The next long one takes the place of many.
	long := stores[0].open["c0"]
	for i, n := range []int64{3 * mostEntries, mostEntries} {
		long.size = n
		for _, one := range []int{50, 61} {
			use(t, stores[one%2], "c"+strconv.Itoa(one))
		}
		if open := stores[0].open["c0"] == long; open != (i == 0) {
			t.Errorf("of %d entries it is open: %v", n, open)
		}
		stores[1].open["c61"].size = 2 * mostEntries
	}
	// What is closed counts no more.
	if stores[1].Close(); len(shelf.all) != 1 || len(stores[1].open) > 0 {
		t.Errorf("%d stores on the shelf, %d conversations of the closed one", len(shelf.all), len(stores[1].open))
	}
}

// What is gone from its store goes from memory as it is asked for.
func TestWhatIsGoneIsForgotten(t *testing.T) {
	t.Parallel()
	service := session.NewService(memory.New())
	s := NewShelf().Of(service)
	created(t, service, "one")
	use(t, s, "one")
	if err := service.Delete(t.Context(), "one"); err != nil {
		t.Fatal(err)
	}
	if err := s.With(t.Context(), "one", func(*Conversation) error { return nil }); !errors.Is(err, store.ErrNotFound) || s.Holds("one") {
		t.Errorf("%v, held: %t", err, s.Holds("one"))
	}
}

// What nobody asks for does not stay in memory: it may be gone from the store.
func TestWhatNobodyAsksForIsLetGo(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service := session.NewService(memory.New())
		s := NewShelf().Of(service)
		created(t, service, "one")
		use(t, s, "one")
		for range 3 {
			time.Sleep(longestIdle - time.Second)
			if !s.Holds("one") {
				t.Fatal("it is not kept while it is used")
			}
			use(t, s, "one")
		}
		time.Sleep(longestIdle + time.Second)
		if s.Holds("one") {
			t.Error("it is still in memory")
		}
	})
}
