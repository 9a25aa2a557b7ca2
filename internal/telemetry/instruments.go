package telemetry

import (
	"context"
	"reflect"
	"strings"
	"sync/atomic"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"
)

// instruments are made of the providers that the program set.
type instruments struct {
	traces  trace.TracerProvider
	metrics metric.MeterProvider
	off     bool // neither listens
	tracer  trace.Tracer
	meter   metric.Meter

	operation, jobWait, jobTotal, model, firstChunk, statement, request, forwarded metric.Float64Histogram

	entries, freed, retries, input, output, cacheRead, cacheWrite, epochs metric.Int64Counter

	cost   metric.Float64Counter
	active metric.Int64UpDownCounter
}

// current are those made last. As the providers, they are the process's.
var current atomic.Pointer[instruments]

// using gives the instruments of the providers as they are set now; nil while nobody
// listens. It allocates only after they have changed.
func using() *instruments {
	traces, metrics := otel.GetTracerProvider(), otel.GetMeterProvider()
	in := current.Load()
	if in == nil || in.traces != traces || in.metrics != metrics {
		in = newInstruments(traces, metrics)
		current.Store(in)
	}
	if in.off {
		return nil
	}
	return in
}

// On reports whether anybody listens: whoever asks can spare itself the work of
// finding out what to say.
func On() bool { return using() != nil }

// idle reports whether a provider does nothing: that of OpenTelemetry until one is
// set, and those of its packages noop.
func idle(provider any) bool {
	t := reflect.TypeOf(provider)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return strings.HasSuffix(t.PkgPath(), "otel/internal/global") || strings.HasSuffix(t.PkgPath(), "/noop")
}

// The limits of buckets, in seconds: statements and appends take a millisecond,
// compactions with a model minutes. Those of models are those of the conventions.
var (
	buckets      = []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 120, 600}
	modelBuckets = []float64{.01, .02, .04, .08, .16, .32, .64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92}
)

func newInstruments(traces trace.TracerProvider, metrics metric.MeterProvider) *instruments {
	in := &instruments{traces: traces, metrics: metrics, off: idle(traces) && idle(metrics)}
	if in.off {
		return in
	}
	in.tracer, in.meter = traces.Tracer(scope), metrics.Meter(scope)
	// An instrument that cannot be made is one that does nothing, and OpenTelemetry's
	// error handler has been told.
	histogram := func(name, about string, limits []float64) metric.Float64Histogram {
		h, _ := in.meter.Float64Histogram(name, metric.WithUnit("s"), metric.WithDescription(about), metric.WithExplicitBucketBoundaries(limits...))
		return h
	}
	counter := func(name, unit, about string) metric.Int64Counter {
		c, _ := in.meter.Int64Counter(name, metric.WithUnit(unit), metric.WithDescription(about))
		return c
	}
	in.operation = histogram(metricOperation, "Operations on conversations, by outcome.", buckets)
	in.jobWait = histogram(metricJobWait, "From the enqueueing of a job to its start.", buckets)
	in.jobTotal = histogram(metricJobTotal, "From the enqueueing of a job to its end.", buckets)
	in.model = histogram(metricModel, "Calls of models.", modelBuckets)
	in.firstChunk = histogram(metricFirstChunk, "From a call of a model to the first piece of its response.", modelBuckets)
	in.statement = histogram(metricStatement, "Statements of the database, as the client sees them.", buckets)
	in.request = histogram(metricRequest, "Requests to the server.", buckets)
	in.forwarded = histogram(metricForwarded, "Requests through the proxy, to their end.", buckets)
	in.entries = counter(metricEntries, "{entry}", "Entries appended to logs.")
	in.freed = counter(metricFreed, "{token}", "Tokens that compactions took out of views.")
	in.retries = counter(metricRetries, "{retry}", "Calls of the database that were tried again.")
	in.input = counter(metricInput, "{token}", "Input tokens that models reported, those of caches included.")
	in.output = counter(metricOutput, "{token}", "Output tokens that models reported.")
	in.cacheRead = counter(metricCacheRead, "{token}", "Input tokens that were read from a provider's cache.")
	in.cacheWrite = counter(metricCacheWrite, "{token}", "Input tokens that were written to a provider's cache.")
	in.epochs = counter(metricEpochs, "{epoch}", "Epochs that the proxy began: from each on, requests show a compaction.")
	in.cost, _ = in.meter.Float64Counter(metricCost, metric.WithUnit("{USD}"), metric.WithDescription("What calls of models cost, where the price is known."))
	in.active, _ = in.meter.Int64UpDownCounter(metricActive, metric.WithUnit("{request}"), metric.WithDescription("Requests under way."))
	return in
}

// span begins a span, which the caller ends.
func (in *instruments) span(ctx context.Context, name string, o ...trace.SpanStartOption) (context.Context, trace.Span) {
	return in.tracer.Start(ctx, name, o...) //nolint:spancheck // as just said
}

// observe has instruments be read each time that somebody asks for the metrics, until
// stop is called.
func (in *instruments) observe(read func(context.Context, metric.Observer), of ...metric.Observable) (stop func()) {
	r, err := in.meter.RegisterCallback(func(ctx context.Context, o metric.Observer) error {
		read(ctx, o)
		return nil
	}, of...)
	if err != nil {
		return func() {}
	}
	return func() { _ = r.Unregister() }
}

// Gauge is a figure that is read when somebody asks for the metrics.
type Gauge func(context.Context) []Reading

// A Reading is one figure of a gauge, with what it is of: the state of jobs or of
// connections.
type Reading struct {
	State string
	Value int64
}
