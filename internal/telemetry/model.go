package telemetry

import (
	"context"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"
)

// A Call is a call of a model under way. A nil one measures nothing.
type Call struct {
	in    *instruments
	span  trace.Span
	start time.Time
	first time.Duration
	about []attribute.KeyValue
}

// CallOf is what is known of a call when it begins.
type CallOf struct {
	// Provider and Model are as the configuration spells them.
	Provider, Model string
	// Compacted tells that the view which is sent shows a compaction.
	Compacted bool
	// MaxTokens is the most the answer may have; 0 where nothing is said.
	MaxTokens int
}

// Usage is what a call used, in tokens, and what it cost in dollars, where that is
// known.
type Usage struct {
	Input, Output, CacheRead, CacheWrite int
	Cost                                 float64
	Priced                               bool
}

// providers have other names in the conventions.
var providers = map[string]string{"gemini": "gcp.gemini"}

// BeginCall begins a call of a model. Callers check [On] before they find out what
// to say of it.
func BeginCall(ctx context.Context, of CallOf) (context.Context, *Call) {
	in := using()
	if in == nil {
		return ctx, nil
	}
	name := of.Provider
	if known, ok := providers[name]; ok {
		name = known
	}
	model := models.bounded(of.Model)
	c := &Call{in: in, start: time.Now(), about: []attribute.KeyValue{
		keyGenAIOperation.String(chat), keyProvider.String(name), keyModel.String(model),
	}}
	ctx, c.span = in.span(ctx, chat+" "+model, trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(c.about...))
	about(ctx, c.span)
	c.span.SetAttributes(keyStream.Bool(true))
	if of.Compacted { // never false, say the conventions
		c.span.SetAttributes(keyCompacted.Bool(true))
	}
	if of.MaxTokens > 0 {
		c.span.SetAttributes(keyMaxTokens.Int(of.MaxTokens))
	}
	return ctx, c
}

// Answered tells that something of the response has come; the first time counts.
func (c *Call) Answered(ctx context.Context) {
	if c != nil && c.first == 0 {
		c.first = time.Since(c.start)
		c.in.firstChunk.Record(ctx, c.first.Seconds(), with(ctx, c.about...))
	}
}

// End ends a call: why the model stopped, or how the call failed.
func (c *Call) End(ctx context.Context, u Usage, stop string, failed Outcome) {
	if c == nil {
		return
	}
	// The conventions count what a cache gave or took as input.
	u.Input += u.CacheRead + u.CacheWrite
	tokens := with(ctx, append(c.about[:len(c.about):len(c.about)], keyModality.String("unknown"))...)
	c.in.input.Add(ctx, int64(u.Input), tokens)
	c.in.output.Add(ctx, int64(u.Output), tokens)
	c.in.cacheRead.Add(ctx, int64(u.CacheRead), tokens)
	c.in.cacheWrite.Add(ctx, int64(u.CacheWrite), tokens)
	c.span.SetAttributes(keyInput.Int(u.Input), keyOutput.Int(u.Output), keyCacheRead.Int(u.CacheRead), keyCacheWrite.Int(u.CacheWrite))
	if u.Priced {
		c.in.cost.Add(ctx, u.Cost, with(ctx, c.about...))
		c.span.SetAttributes(keyCost.Float64(u.Cost))
	}
	if stop != "" {
		c.span.SetAttributes(keyFinish.StringSlice([]string{stop}))
	}
	if c.first > 0 {
		c.span.SetAttributes(keyFirstChunk.Float64(c.first.Seconds()))
	}
	took := c.about
	if failed != "" {
		took = append(took[:len(took):len(took)], keyErrorType.String(string(failed)))
	}
	c.in.model.Record(ctx, time.Since(c.start).Seconds(), with(ctx, took...))
	if failed != "" {
		c.span.SetAttributes(keyErrorType.String(string(failed)))
		ended(c.span, Failed)
		return
	}
	ended(c.span, OK)
}

// names are the first so many values of an attribute that others may choose.
type names struct {
	mu   sync.Mutex
	seen map[string]bool
}

const (
	mostNames = 100
	longest   = 100 // bytes
)

// models are the names of models that were called.
var models names

// bounded gives a name itself, as long as there are few and it looks like one.
func (n *names) bounded(name string) string {
	if len(name) > longest {
		return other
	}
	for _, c := range []byte(name) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && c != '.' && c != '-' && c != '_' && c != '/' && c != ':' && c != '@' {
			return other
		}
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.seen == nil {
		n.seen = map[string]bool{}
	}
	if !n.seen[name] {
		if len(n.seen) == mostNames {
			return other
		}
		n.seen[name] = true
	}
	return name
}
