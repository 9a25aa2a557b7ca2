package telemetry

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// Carry gives the trace of a context as a line of text, to keep with a job; empty
// where there is none. It says nothing but two random numbers.
func Carry(ctx context.Context) string {
	if !trace.SpanContextFromContext(ctx).IsValid() {
		return ""
	}
	carrier := propagation.MapCarrier{}
	propagation.TraceContext{}.Inject(ctx, carrier)
	return carrier["traceparent"]
}

// BeginJob begins a job that was enqueued at a time, within the trace that
// [Carry] gave then; empty for none. End it with [EndJob].
func BeginJob(ctx context.Context, carried, conversation string, enqueued time.Time) (context.Context, Operation) {
	if in := using(); in != nil {
		ctx = propagation.TraceContext{}.Extract(ctx, propagation.MapCarrier{"traceparent": carried})
		in.jobWait.Record(ctx, since(enqueued), with(ctx))
	}
	return Begin(ctx, Job, conversation)
}

// EndJob ends a job; enqueued as before.
func EndJob(ctx context.Context, o Operation, enqueued time.Time, how Outcome) {
	if o.in != nil {
		o.in.jobTotal.Record(ctx, since(enqueued), with(ctx, keyOutcome.String(string(how))))
	}
	o.End(ctx, how)
}

// since is how long ago something was, by the database's clock or this one's: 0 if it
// is yet to come.
func since(t time.Time) float64 { return max(time.Since(t).Seconds(), 0) }

// ObserveJobs has jobs be counted, by state, until stop is called. It is asked each
// time that somebody reads the metrics.
func ObserveJobs(read Gauge) (stop func()) {
	in := using()
	if in == nil {
		return func() {}
	}
	count, _ := in.meter.Int64ObservableGauge(metricJobs, metric.WithUnit("{job}"), metric.WithDescription("Jobs, by state."))
	return in.observe(func(ctx context.Context, o metric.Observer) {
		for _, r := range read(ctx) {
			o.ObserveInt64(count, r.Value, metric.WithAttributes(keyState.String(r.State)))
		}
	}, count)
}
