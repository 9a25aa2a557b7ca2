package web

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"tenfold"
	"tenfold/internal/report"
	"tenfold/internal/web/shape"
	"tenfold/session"
	"tenfold/store"
	"tenfold/store/memory"
)

// paid are responses of a model at certain times, with a known price: a dollar for
// each million tokens read, five for each written.
func paid(prefix, model string, at ...time.Time) []tenfold.Entry {
	all := []tenfold.Entry{{ID: prefix, Payload: tenfold.TurnStart{}}, {ID: prefix + "u", Payload: tenfold.UserMessage{Parts: tenfold.Text("go")}}}
	for i, when := range at {
		all = append(all,
			tenfold.Entry{ID: fmt.Sprintf("%s%da", prefix, i), Time: when, Payload: tenfold.AssistantMessage{Text: "done"}},
			tenfold.Entry{ID: fmt.Sprintf("%s%db", prefix, i), Time: when, Payload: tenfold.Usage{Model: model, Input: 1_000_000, Output: 100_000}})
	}
	return all
}

const priced, unpriced = "claude-haiku-4-5", "no-such-model"

// settled asks for spendings until all logs are read.
func settled(t *testing.T, s http.Handler, query string) shape.Spendings {
	t.Helper()
	get[shape.Spendings](t, s, "/api/money?"+query, http.StatusOK)
	synctest.Wait()
	out := get[shape.Spendings](t, s, "/api/money?"+query, http.StatusOK)
	if out.Reading != 0 {
		t.Fatalf("%d are still read", out.Reading)
	}
	return out
}

func keys(all shape.Spendings) string {
	var list []string
	for _, g := range all.Items {
		list = append(list, fmt.Sprintf("%s %d/%d $%.2f", g.Key, g.Priced, g.Responses, g.Dollars))
	}
	return strings.Join(list, ", ")
}

func TestSpendingsAddUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, service := server(t, nil)
		night := time.Date(2026, 3, 1, 23, 30, 0, 0, time.UTC)
		first := created(t, service, "a", paid("a", priced, night, night.Add(time.Hour)))
		created(t, service, "b", paid("b", unpriced, night.Add(48*time.Hour)))
		if got := get[shape.Spendings](t, s, "/api/money?zone=UTC", http.StatusOK); got.Reading != 2 || got.Of != 2 || len(got.Items) != 0 {
			t.Errorf("before anything is read: %+v", got)
		}
		expect := func(query, want string) {
			t.Helper()
			if got := keys(settled(t, s, query)); got != want {
				t.Errorf("%s: %s, not %s", query, got, want)
			}
		}
		expect("zone=UTC", "2026-03-01 1/1 $1.50, 2026-03-02 1/1 $1.50, 2026-03-03 0/1 $0.00")
		expect("zone=Asia/Tokyo", "2026-03-02 2/2 $3.00, 2026-03-04 0/1 $0.00")
		expect("by=model", priced+" 2/2 $3.00, "+unpriced+" 0/1 $0.00")
		expect("by=conversation", "a 2/2 $3.00, b 0/1 $0.00")
		expect("by=project", " 2/3 $3.00")
		expect("zone=UTC&since=2026-03-02T00:00:00Z&until=2026-03-03T00:00:00Z", "2026-03-02 1/1 $1.50")
		if got := settled(t, s, "").Total; got.Responses != 3 || got.Dollars != 3 || got.Input != 3_000_000 || got.Output != 300_000 {
			t.Errorf("%+v", got)
		}
		// What goes on is read on; a fork holds the same responses, which were paid once.
		if err := first.Append(t.Context(), paid("c", priced, night.Add(2*time.Hour))...); err != nil {
			t.Fatal(err)
		}
		expect("by=conversation", "a 3/3 $4.50, b 0/1 $0.00")
		fork, err := service.Fork(t.Context(), first, session.Fork{ID: "f"})
		if err != nil {
			t.Fatal(err)
		}
		expect("by=model", priced+" 3/3 $4.50, "+unpriced+" 0/1 $0.00")
		expect("by=conversation", "a 3/3 $4.50, f 3/3 $4.50, b 0/1 $0.00")
		if list := get[shape.Conversations](t, s, "/api/conversations?sort=dollars&totals=true", http.StatusOK); list.Items[2].ID != "b" || list.Items[0].Dollars != 4.5 || list.Items[1].Dollars != 4.5 || list.Sums.Dollars != 4.5 {
			t.Errorf("%+v, in all %+v", list.Items, list.Sums)
		}
		if err := service.Delete(t.Context(), "a"); err != nil {
			t.Fatal(err)
		}
		if err := fork.Append(t.Context(), paid("d", priced, night)...); err != nil {
			t.Fatal(err)
		}
		expect("by=model", priced+" 4/4 $6.00, "+unpriced+" 0/1 $0.00")
		for _, bad := range []string{"zone=Nowhere/Here", "since=soon", "by=weather"} {
			if p := get[shape.Problem](t, s, "/api/money?"+bad, statusOf(bad)); p.Hint == "" {
				t.Errorf("%s: %+v", bad, p)
			}
		}
	})
}

func statusOf(query string) int {
	if strings.HasPrefix(query, "by=") {
		return http.StatusUnprocessableEntity
	}
	return http.StatusBadRequest
}

// What compactions saved is told on the day of the last response, and may be less
// than nothing.
func TestWhatCompactionsSavedIsPartOfSpendings(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, service := server(t, nil)
		begin := time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)
		entries := []tenfold.Entry{
			{ID: "t", Time: begin, Payload: tenfold.TurnStart{}},
			{ID: "u", Time: begin, Payload: tenfold.UserMessage{Parts: tenfold.Text(strings.Repeat("a long request with many words ", 4000))}},
		}
		add := func(i int, p tenfold.Payload) {
			entries = append(entries, tenfold.Entry{ID: fmt.Sprintf("e%d-%s", i, p.Kind()), Time: begin.Add(time.Duration(i) * time.Minute), Payload: p})
		}
		for i := range 8 {
			if i == 2 { // what stands behind the change is written anew
				add(i, tenfold.TurnStart{})
				add(i, tenfold.UserMessage{Parts: tenfold.Text(strings.Repeat("more of the same ", 2000))})
			}
			if i == 4 {
				add(i, tenfold.TurnStart{})
				add(i, tenfold.UserMessage{Parts: tenfold.Text("and now?")})
				add(i, tenfold.Compaction{ToTurn: 0, Turns: tenfold.Omit, Source: "user"})
			}
			add(i, tenfold.AssistantMessage{Text: "done"})
			add(i, tenfold.Usage{Model: priced, Input: 20_000, Output: 10})
		}
		created(t, service, "c", entries)
		got := settled(t, s, "zone=UTC")
		m := get[report.Money](t, s, "/api/conversations/c/money?ours=true", http.StatusOK)
		if len(got.Items) != 1 || got.Items[0].Saved == 0 || m.Own == nil || m.Own.Rewriting == 0 || got.Items[0].Saved != m.Own.Net || got.Total.Saved != m.Own.Net {
			t.Errorf("%+v, the conversation says %+v", got, m.Own)
		}
		if m.Recorded.Responses != 8 || m.Recorded.Dollars != got.Total.Dollars || m.Ours == nil || m.Model != priced {
			t.Errorf("%+v", m)
		}
		created(t, service, "empty", nil)
		if m := get[report.Money](t, s, "/api/conversations/empty/money", http.StatusOK); m.Recorded.Responses != 0 || m.Own != nil {
			t.Errorf("%+v", m)
		}
	})
}

// away is a store whose logs cannot be read for now.
type away struct {
	store.Store
	why atomic.Pointer[error]
}

func (s *away) Entries(ctx context.Context, id string, after int64) iter.Seq2[tenfold.Entry, error] {
	if why := s.why.Load(); why != nil {
		return func(yield func(tenfold.Entry, error) bool) { yield(tenfold.Entry{}, *why) }
	}
	return s.Store.Entries(ctx, id, after)
}

func TestSpendingsOutliveALostConnection(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		st := &away{Store: memory.New()}
		defer func() { _ = st.Close() }()
		s, service := server(t, st)
		created(t, service, "a", paid("a", priced, time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)))
		st.why.Store(new(store.ErrUnavailable))
		get[shape.Spendings](t, s, "/api/money?zone=UTC", http.StatusOK)
		synctest.Wait()
		st.why.Store(nil)
		if got := keys(settled(t, s, "zone=UTC")); got != "2026-03-01 1/1 $1.50" {
			t.Errorf("once the store is back: %s", got)
		}
	})
}

// A log that cannot be read for now, for whatever reason, costs what it is known to have
// cost, and is read again in a while.
func TestSpendingsOutliveALogThatCannotBeRead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		st := &away{Store: memory.New()}
		defer func() { _ = st.Close() }()
		s, service := server(t, st)
		day := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
		one := created(t, service, "a", paid("a", priced, day))
		const first, both = "2026-03-01 1/1 $1.50", "2026-03-01 1/1 $1.50, 2026-03-02 1/1 $1.50"
		for _, c := range []struct {
			name, failing, read string
			more                []tenfold.Entry
		}{{"at first", "", first, nil}, {"when it went on", first, both, paid("b", priced, day.Add(24*time.Hour))}} {
			if err := one.Append(t.Context(), c.more...); err != nil {
				t.Fatal(err)
			}
			st.why.Store(new(errors.New("no more memory")))
			if got := keys(settled(t, s, "zone=UTC")); got != c.failing {
				t.Errorf("%s, while it cannot be read: %q", c.name, got)
			}
			st.why.Store(nil)
			time.Sleep(failureStays)
			if got := keys(settled(t, s, "zone=UTC")); got != c.read {
				t.Errorf("%s, once it can: %q", c.name, got)
			}
		}
	})
}
