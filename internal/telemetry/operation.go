package telemetry

import (
	"context"
	"strings"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"
)

// An Operation is under way. The zero value measures nothing.
type Operation struct {
	in    *instruments
	op    Op
	span  trace.Span
	start time.Time
}

// Begin begins an operation on a conversation; end it with [Operation.End]. While
// nobody listens it gives the context as it is.
func Begin(ctx context.Context, op Op, conversation string) (context.Context, Operation) {
	in := using()
	if in == nil {
		return ctx, Operation{}
	}
	ctx = InConversation(ctx, conversation)
	ctx, span := in.span(ctx, string(op))
	about(ctx, span)
	return ctx, Operation{in, op, span, time.Now()}
}

func (o Operation) End(ctx context.Context, how Outcome) {
	if o.in == nil {
		return
	}
	o.in.operation.Record(ctx, time.Since(o.start).Seconds(), with(ctx, keyOperation.String(string(o.op)), keyOutcome.String(string(how))))
	o.span.SetAttributes(keyOutcome.String(string(how)))
	ended(o.span, how)
}

// Appended tells that an append has written entries.
func (o Operation) Appended(ctx context.Context, entries int) {
	if o.in != nil {
		o.in.entries.Add(ctx, int64(entries), with(ctx))
		o.span.SetAttributes(keyEntries.Int(entries))
	}
}

// Freed tells how many tokens a compaction that was written takes out of the view.
func (o Operation) Freed(ctx context.Context, tokens int) {
	if o.in != nil {
		o.in.freed.Add(ctx, int64(max(tokens, 0)), with(ctx))
		o.span.SetAttributes(keyFreed.Int(tokens), keyCompacted.Bool(true))
	}
}

// ended ends a span. Its status has no description: that would be a message, which
// may quote a conversation.
func ended(span trace.Span, how Outcome) {
	switch how {
	case Failed, Conflict:
		span.SetStatus(codes.Error, "")
		span.SetAttributes(keyErrorType.String(string(how)))
	}
	span.End()
}

// what the context of an operation knows.
type (
	conversationKey struct{}
	tenantKey       struct{}
)

// mostID is how many bytes of an id a trace has at most: ids are chosen by clients.
const mostID = 128

// InConversation has the spans of what follows name the conversation. It is in
// traces only.
func InConversation(ctx context.Context, id string) context.Context {
	if id == "" || !On() || ctx.Value(conversationKey{}) == id {
		return ctx
	}
	return context.WithValue(ctx, conversationKey{}, id)
}

var labelTenants atomic.Bool

// LabelTenants says whether the names of tenants are attributes of metrics and
// traces. They are not unless the operator wants them: each is a series more of every
// metric, and names the customer to whoever sees the metrics.
func LabelTenants(on bool) { labelTenants.Store(on) }

// InTenant has what follows be counted for a tenant, if the operator wants that.
func InTenant(ctx context.Context, name string) context.Context {
	if name == "" || !labelTenants.Load() || !On() {
		return ctx
	}
	return context.WithValue(ctx, tenantKey{}, name)
}

// about gives a span what its context knows.
func about(ctx context.Context, span trace.Span) {
	if !span.IsRecording() {
		return
	}
	if id, ok := ctx.Value(conversationKey{}).(string); ok {
		// A collector refuses all that comes with a text that is not UTF-8.
		span.SetAttributes(keyConversation.String(strings.ToValidUTF8(id[:min(len(id), mostID)], "\uFFFD")))
	}
	if name, ok := ctx.Value(tenantKey{}).(string); ok {
		span.SetAttributes(keyTenant.String(name))
	}
}

// with gives attributes of a metric, and the tenant where it is one.
func with(ctx context.Context, attributes ...attribute.KeyValue) metric.MeasurementOption {
	if name, ok := ctx.Value(tenantKey{}).(string); ok {
		attributes = append(attributes, keyTenant.String(name))
	}
	return metric.WithAttributes(attributes...)
}
