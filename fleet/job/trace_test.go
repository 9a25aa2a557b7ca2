package job_test

import (
	"context"
	"slices"
	"sync"
	"testing"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/sdk/trace"
	api "go.opentelemetry.io/otel/trace"
	"go.uber.org/goleak"

	"tenfold/fleet/job"
	"tenfold/store"
)

func TestMain(m *testing.M) {
	otel.SetTracerProvider(trace.NewTracerProvider(trace.WithSpanProcessor(&attempts)))
	goleak.VerifyTestMain(m)
}

// attempts keeps the traces of the attempts of all tests.
var attempts traces

type traces struct {
	mu  sync.Mutex
	ids []api.TraceID
}

func (*traces) OnStart(context.Context, trace.ReadWriteSpan) {}
func (*traces) Shutdown(context.Context) error               { return nil }
func (*traces) ForceFlush(context.Context) error             { return nil }

func (a *traces) OnEnd(s trace.ReadOnlySpan) {
	if s.Name() == "tenfold.job" {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.ids = append(a.ids, s.SpanContext().TraceID())
	}
}

func (a *traces) has(id api.TraceID) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Contains(a.ids, id)
}

// traced makes a compaction due within a trace, and has it done.
func traced(t *testing.T, st store.Store, jobs job.Jobs, id api.TraceID, start func()) {
	t.Helper()
	parent := api.NewSpanContext(api.SpanContextConfig{TraceID: id, SpanID: api.SpanID{1}, TraceFlags: api.FlagsSampled})
	dueIn(api.ContextWithSpanContext(t.Context(), parent), t, st, "a")
	start()
	eventually(t, "the job ends", ended(t, jobs))
	eventually(t, "its trace ends", func() bool { return attempts.has(id) })
}

func testTrace(t *testing.T, url string) {
	f := open(t, url)
	traced(t, f.st, f.jobs, api.TraceID{1}, func() { f.start(t, worker(1)) })
}

func TestLocalTrace(t *testing.T) {
	t.Parallel()
	alone(t, func(t *testing.T, l *job.Local, plain store.Store) {
		traced(t, l.Store(plain), l, api.TraceID{2}, func() { l.Start(plain, worker(1)) })
	})
}
