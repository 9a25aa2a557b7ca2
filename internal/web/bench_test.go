package web

import (
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"testing"
	"time"

	"tenfold"
	"tenfold/internal/logtest"
	"tenfold/internal/web/held"
	"tenfold/session"
	"tenfold/store/sqlite"
)

// long is a server over SQLite with a conversation of n entries in it, most of them
// compacted.
func long(b *testing.B, n int) (*Server, *session.Service) {
	b.Helper()
	st, err := sqlite.Open(b.Context(), b.TempDir()+"/store.db")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = st.Close() })
	s, service := server(b, st)
	open := created(b, service, "one", logtest.Long(n-1))
	strip := tenfold.ToolPolicy{Action: tenfold.Strip, Request: true, Response: true}
	if err := open.Append(b.Context(), tenfold.Entry{Payload: tenfold.Compaction{ToTurn: open.Log().Turns() - 3, ToolCalls: &strip}}); err != nil {
		b.Fatal(err)
	}
	return s, service
}

// ask is one request, without the test's own validation.
func ask(b *testing.B, s http.Handler, path string) int {
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequestWithContext(b.Context(), http.MethodGet, "/api/conversations/one"+path, nil))
	if w.Code != http.StatusOK {
		b.Fatalf("%s: %d %s", path, w.Code, w.Body)
	}
	return w.Body.Len()
}

// sizes are the lengths of the conversations that are measured.
var sizes = []int{1_000, 100_000}

// BenchmarkWindow is 200 rows from anywhere, from the request to the last byte; each
// looks at the store whether there is more.
func BenchmarkWindow(b *testing.B) {
	for _, n := range sizes {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			s, _ := long(b, n)
			ask(b, s, "")
			var took []time.Duration
			for b.Loop() {
				from := 1 + rand.IntN(n-200)
				began := time.Now()
				ask(b, s, "/rows?limit=200&from="+strconv.Itoa(from))
				took = append(took, time.Since(began))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
		})
	}
}

// BenchmarkOutline is the whole outline of an opened conversation.
func BenchmarkOutline(b *testing.B) {
	for _, n := range sizes {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			s, _ := long(b, n)
			size := ask(b, s, "/outline")
			for b.Loop() {
				ask(b, s, "/outline")
			}
			b.ReportMetric(float64(size)/1024, "KB")
		})
	}
}

// BenchmarkCold is the first answer about a conversation that nobody had open, by
// operation.
func BenchmarkCold(b *testing.B) {
	for _, n := range sizes {
		s, service := long(b, n)
		for _, path := range []string{"", "/rows?from=" + strconv.Itoa(n-150), "/outline", "/view"} {
			b.Run(strconv.Itoa(n)+path, func(b *testing.B) {
				for b.Loop() {
					s.sessions = held.NewShelf().Of(service)
					ask(b, s, path)
				}
			})
		}
	}
}

// BenchmarkView is what a model sees of an opened conversation.
func BenchmarkView(b *testing.B) {
	for _, n := range sizes {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			s, _ := long(b, n)
			for b.Loop() {
				ask(b, s, "/view")
			}
		})
	}
}

// BenchmarkAppend is what it costs to take in one entry of a followed conversation
// and to say what it changed.
func BenchmarkAppend(b *testing.B) {
	for _, n := range sizes {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			s, service := long(b, n)
			open, err := service.Open(b.Context(), "one")
			if err != nil {
				b.Fatal(err)
			}
			var known looks
			var p topic
			p.news = make(chan struct{})
			tell := func() {
				if err := s.sessions.With(b.Context(), "one", func(o *held.Conversation) error { return s.publish(b.Context(), &p, o, &known) }); err != nil {
					b.Fatal(err)
				}
			}
			tell()
			for b.Loop() {
				b.StopTimer()
				if err := open.Append(b.Context(), tenfold.Entry{Payload: tenfold.AssistantMessage{Text: "one more"}}); err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
				tell()
			}
		})
	}
}
