package provider

import (
	"context"
	"iter"
	"strings"

	"tenfold/internal/telemetry"
)

// Observed gives a model whose calls OpenTelemetry is told of: how long they take,
// what they use and cost, and how they fail; nothing of what is said. Each attempt
// is a call of its own, also where [Retry] makes them: it is one to the provider.
func Observed(m Model) Model { return observed{m} }

type observed struct{ Model }

// Stream implements [Model].
func (o observed) Stream(ctx context.Context, r Request) iter.Seq2[Event, error] {
	if !telemetry.On() {
		return o.Model.Stream(ctx, r)
	}
	return func(yield func(Event, error) bool) {
		vendor, model, _ := strings.Cut(o.Name(), "/")
		ctx, call := telemetry.BeginCall(ctx, telemetry.CallOf{Provider: vendor, Model: model, Compacted: compacted(r), MaxTokens: r.MaxTokens})
		var used telemetry.Usage
		stop, failed := Stop(""), telemetry.Cancelled // of one that the reader leaves
		defer func() { call.End(ctx, used, string(stop), failed) }()
		for e, err := range o.Model.Stream(ctx, r) {
			if err != nil {
				failed = outcome(ctx, err)
				yield(e, err)
				return
			}
			call.Answered(ctx)
			if u := e.Usage; u != nil {
				used = telemetry.Usage{Input: u.Input, Output: u.Output, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite}
				used.Cost, used.Priced = Cost(model, *u)
			}
			if e.Stop != "" {
				stop, failed = e.Stop, ""
			}
			if !yield(e, nil) {
				return
			}
		}
	}
}

// compacted tells whether a request shows a compaction.
func compacted(r Request) bool {
	if r.View != nil {
		for o := range r.View.Overlays() {
			if o.Live {
				return true
			}
		}
	}
	return false
}

// outcome is a word for how a call failed.
func outcome(ctx context.Context, err error) telemetry.Outcome {
	switch kind := KindOf(err); {
	case kind != "":
		return telemetry.Outcome(kind)
	case ctx.Err() != nil:
		return telemetry.Cancelled
	}
	return telemetry.Failed
}
