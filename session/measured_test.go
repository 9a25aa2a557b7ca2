package session_test

import (
	"testing"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace/noop"

	"tenfold/internal/logtest"
	"tenfold/session"
	"tenfold/store/memory"
	"tenfold/strategy"
)

// A plan that was prepared ahead, as jobs and live conversations have it, is measured as
// one that a person saw: what it takes out of the view is counted.
func TestACommitIsMeasured(t *testing.T) {
	spans := tracetest.NewInMemoryExporter()
	otel.SetTracerProvider(trace.NewTracerProvider(trace.WithSyncer(spans)))
	t.Cleanup(func() { otel.SetTracerProvider(noop.NewTracerProvider()) })
	s, err := session.NewService(memory.New()).Create(t.Context(), session.Create{Entries: logtest.Long(400)})
	if err != nil {
		t.Fatal(err)
	}
	r := session.Request{Strategies: []strategy.Strategy{strategy.StripTools{}}}
	plan, err := s.Plan(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	c, _, err := s.Commit(t.Context(), r, plan)
	if err != nil || c.Outcome != session.Applied {
		t.Fatalf("%+v, %v", c, err)
	}
	before, after := c.Plan.Sizes()
	for _, span := range spans.GetSpans() {
		for _, a := range span.Attributes {
			if span.Name == "tenfold.apply" && a.Key == "tenfold.tokens.freed" && a.Value.AsInt64() == int64(before-after) && before > after {
				return
			}
		}
	}
	t.Errorf("%d to %d tokens, and no span tells", before, after)
}
