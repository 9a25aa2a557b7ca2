package telemetry

import (
	"context"
	"net/http"
	"slices"
	"time"

	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// methods are the methods that are told; there is no end to those that clients make
// up.
var methods = []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodDelete}

// Method is a method of HTTP as it is told: one of few.
func Method(of string) string {
	if slices.Contains(methods, of) {
		return of
	}
	return other
}

// BeginRequest counts a request as under way until end is called, which is told the
// pattern of its route and its status.
func BeginRequest(ctx context.Context, of string) (end func(ctx context.Context, route string, status int)) {
	in := using()
	if in == nil {
		return func(context.Context, string, int) {}
	}
	start, active := time.Now(), with(context.Background(), keyMethod.String(Method(of)))
	in.active.Add(ctx, 1, active)
	return func(ctx context.Context, route string, status int) {
		in.active.Add(ctx, -1, active)
		in.request.Record(ctx, time.Since(start).Seconds(), with(ctx, keyMethod.String(Method(of)), keyRoute.String(route), keyStatus.Int(status)))
	}
}

// TraceRequest begins the span of a request that was let in: only then does the
// trace that it says it belongs to count.
func TraceRequest(r *http.Request) (on *http.Request, end func(route string, status int)) {
	in := using()
	if in == nil {
		return r, func(string, int) {}
	}
	ctx := propagation.TraceContext{}.Extract(r.Context(), propagation.HeaderCarrier(r.Header))
	ctx, span := in.span(ctx, Method(r.Method), trace.WithSpanKind(trace.SpanKindServer), trace.WithAttributes(keyMethod.String(Method(r.Method))))
	about(ctx, span)
	return r.WithContext(ctx), func(route string, status int) {
		span.SetName(Method(r.Method) + " " + route)
		span.SetAttributes(keyRoute.String(route), keyStatus.Int(status))
		if status >= http.StatusInternalServerError {
			span.SetStatus(codes.Error, "")
		}
		span.End()
	}
}

// Forwarded tells of a request that went through the proxy: to which of the
// configured upstreams, and the status of what came back; 0 where it was cut.
func Forwarded(ctx context.Context, upstream string, status int, took time.Duration) {
	if in := using(); in != nil {
		in.forwarded.Record(ctx, took.Seconds(), with(ctx, keyUpstream.String(upstream), keyStatus.Int(status)))
	}
}

// EpochBegan tells that the proxy shows a compaction from here on.
func EpochBegan() {
	if in := using(); in != nil {
		in.epochs.Add(context.Background(), 1)
	}
}
