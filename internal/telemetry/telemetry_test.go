package telemetry_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	metricnoop "go.opentelemetry.io/otel/metric/noop"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	tracenoop "go.opentelemetry.io/otel/trace/noop"

	"tenfold/internal/telemetry"
)

// everything does once all that can be measured, with a name of somebody's in
// whatever a stranger chooses.
func everything(ctx context.Context, name string) {
	ctx, op := telemetry.Begin(telemetry.InTenant(ctx, name), telemetry.Append, "conversation")
	op.Appended(ctx, 3)
	op.Freed(ctx, 40)
	statement := telemetry.BeginStatement(ctx, "SELECT '"+name+"' FROM tenfold_entries_2026_11")
	telemetry.EndStatement(statement, "57P01", true)
	telemetry.Retried(ctx, "")
	op.End(ctx, telemetry.Conflict)
	in, call := telemetry.BeginCall(ctx, telemetry.CallOf{Provider: "gemini", Model: "m", Compacted: true, MaxTokens: 9})
	call.Answered(in)
	call.End(in, telemetry.Usage{Input: 1, Output: 2, CacheRead: 4, CacheWrite: 8, Cost: 0.5, Priced: true}, "end", "")
	job, running := telemetry.BeginJob(ctx, telemetry.Carry(ctx), "conversation", time.Now())
	telemetry.EndJob(job, running, time.Now(), telemetry.OK)
	r := httptest.NewRequestWithContext(ctx, name, "/"+name+"?"+name, nil)
	end := telemetry.BeginRequest(ctx, r.Method)
	_, traced := telemetry.TraceRequest(r)
	traced("/api/conversations/{id}", http.StatusInternalServerError)
	end(ctx, "/api/conversations/{id}", http.StatusInternalServerError)
	telemetry.Forwarded(ctx, "anthropic", http.StatusOK, time.Second)
	telemetry.EpochBegan()
}

func TestNothingIsAllocatedWhileNobodyListens(t *testing.T) {
	ctx := t.Context()
	for _, set := range []func(){
		func() {},
		func() {
			otel.SetTracerProvider(tracenoop.NewTracerProvider())
			otel.SetMeterProvider(metricnoop.NewMeterProvider())
		},
	} {
		set()
		telemetry.On() // which makes what is kept
		if n := testing.AllocsPerRun(100, func() {
			on, op := telemetry.Begin(telemetry.InTenant(ctx, "t"), telemetry.Append, "c")
			op.Appended(on, 1)
			op.Freed(on, 1)
			op.End(on, telemetry.OK)
			telemetry.EndStatement(telemetry.BeginStatement(on, "SELECT 1"), "", false)
			telemetry.Retried(on, "")
			if on != ctx {
				t.Fatal("the context is another one")
			}
		}); n != 0 {
			t.Errorf("%v allocations", n)
		}
	}
}

// listening sets providers that keep what they are told.
func listening(t *testing.T) (*metric.ManualReader, *tracetest.InMemoryExporter) {
	t.Helper()
	reader, spans := metric.NewManualReader(), tracetest.NewInMemoryExporter()
	otel.SetTracerProvider(trace.NewTracerProvider(trace.WithSyncer(spans)))
	otel.SetMeterProvider(metric.NewMeterProvider(metric.WithReader(reader)))
	t.Cleanup(func() {
		otel.SetTracerProvider(tracenoop.NewTracerProvider())
		otel.SetMeterProvider(metricnoop.NewMeterProvider())
		telemetry.LabelTenants(false)
	})
	return reader, spans
}

// collected gives the attributes of all points, by name of the metric.
func collected(t *testing.T, reader *metric.ManualReader) map[string]string {
	t.Helper()
	var all metricdata.ResourceMetrics
	if err := reader.Collect(t.Context(), &all); err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, scope := range all.ScopeMetrics {
		for _, m := range scope.Metrics {
			switch data := m.Data.(type) {
			case metricdata.Histogram[float64]:
				for _, p := range data.DataPoints {
					out[m.Name] += p.Attributes.Encoded(attribute.DefaultEncoder()) + ";"
				}
			case metricdata.Sum[int64]:
				for _, p := range data.DataPoints {
					out[m.Name] += p.Attributes.Encoded(attribute.DefaultEncoder()) + "=" + strconv.FormatInt(p.Value, 10) + ";"
				}
			case metricdata.Sum[float64]:
				for _, p := range data.DataPoints {
					out[m.Name] += p.Attributes.Encoded(attribute.DefaultEncoder()) + "=" + strconv.FormatFloat(p.Value, 'f', -1, 64) + ";"
				}
			case metricdata.Gauge[int64]:
				for _, p := range data.DataPoints {
					out[m.Name] += p.Attributes.Encoded(attribute.DefaultEncoder()) + "=" + strconv.FormatInt(p.Value, 10) + ";"
				}
			default:
				t.Errorf("%s is a %T", m.Name, data)
			}
		}
	}
	return out
}

func TestMetrics(t *testing.T) {
	reader, _ := listening(t)
	everything(t.Context(), "canary")
	defer telemetry.ObserveJobs(func(context.Context) []telemetry.Reading { return []telemetry.Reading{{State: "queued", Value: 7}} })()
	stop := telemetry.ObserveConnections(func(context.Context) []telemetry.Reading { return []telemetry.Reading{{State: "used", Value: 2}} }, 16)
	got := collected(t, reader)
	const model = "gen_ai.operation.name=chat,gen_ai.provider.name=gcp.gemini,gen_ai.request.model=m"
	const tokens = model + ",gen_ai.token.modality=unknown"
	for name, want := range map[string]string{
		"tenfold.operation.duration":                             "tenfold.operation=tenfold.append,tenfold.outcome=conflict;tenfold.operation=tenfold.job,tenfold.outcome=ok;",
		"tenfold.entries.appended":                               "=3;",
		"tenfold.compaction.tokens.freed":                        "=40;",
		"tenfold.store.retries":                                  "error.type=connection=1;",
		"tenfold.job.wait.duration":                              ";",
		"tenfold.job.latency":                                    "tenfold.outcome=ok;",
		"tenfold.jobs":                                           "tenfold.job.state=queued=7;",
		"tenfold.model.cost":                                     model + "=0.5;",
		"tenfold.proxy.epochs":                                   "=1;",
		"tenfold.proxy.request.duration":                         "http.response.status_code=200,tenfold.proxy.upstream=anthropic;",
		"gen_ai.client.operation.duration":                       model + ";",
		"gen_ai.client.operation.time_to_first_chunk":            model + ";",
		"gen_ai.client.inference.usage.input_tokens":             tokens + "=13;",
		"gen_ai.client.inference.usage.output_tokens":            tokens + "=2;",
		"gen_ai.client.inference.usage.cache_read.input_tokens":  tokens + "=4;",
		"gen_ai.client.inference.usage.cache_write.input_tokens": tokens + "=8;",
		"db.client.operation.duration":                           "db.collection.name=tenfold_entries,db.operation.name=SELECT,db.response.status_code=57P01,db.system.name=postgresql,error.type=57P01;",
		"db.client.connection.count":                             "db.client.connection.state=used=2;",
		"db.client.connection.max":                               "=16;",
		"http.server.request.duration":                           "http.request.method=_OTHER,http.response.status_code=500,http.route=/api/conversations/{id};",
		"http.server.active_requests":                            "http.request.method=_OTHER=0;",
	} {
		have := strings.Split(got[name], ";")
		slices.Sort(have)
		wanted := strings.Split(want, ";")
		slices.Sort(wanted)
		if !slices.Equal(have, wanted) {
			t.Errorf("%s: %s, not %s", name, got[name], want)
		}
		delete(got, name)
	}
	for name, of := range got {
		t.Errorf("%s is in no table: %s", name, of)
	}
	stop()
	if left := collected(t, reader)["db.client.connection.count"]; left != "" {
		t.Errorf("a pool that is closed is counted: %s", left)
	}
}

func TestSpans(t *testing.T) {
	_, spans := listening(t)
	everything(t.Context(), "canary")
	names := ""
	for _, s := range spans.GetSpans() {
		names += s.Name + "; "
		for _, a := range s.Attributes {
			if strings.Contains(a.Value.String(), "canary") {
				t.Errorf("%s tells %s=%s", s.Name, a.Key, a.Value.String())
			}
		}
		if s.Status.Description != "" || len(s.Events) > 0 {
			t.Errorf("%s: %+v %+v", s.Name, s.Status, s.Events)
		}
	}
	if want := "SELECT tenfold_entries; tenfold.append; chat m; tenfold.job; _OTHER /api/conversations/{id}; "; names != want {
		t.Errorf("spans %s", names)
	}
	all := spans.GetSpans()
	if outer, job := all[1], all[3]; job.SpanContext.TraceID() != outer.SpanContext.TraceID() || all[0].Parent.SpanID() != outer.SpanContext.SpanID() {
		t.Error("what belongs together is in several traces")
	}
	about := map[string]string{}
	for _, s := range all {
		for _, a := range s.Attributes {
			about[s.Name+" "+string(a.Key)] = a.Value.String()
		}
	}
	for key, want := range map[string]string{
		"tenfold.append gen_ai.conversation.id": "conversation", "tenfold.append tenfold.entries": "3", "tenfold.append tenfold.outcome": "conflict",
		"tenfold.append tenfold.tokens.freed": "40", "tenfold.append error.type": "conflict",
		"chat m gen_ai.conversation.id": "conversation", "chat m gen_ai.conversation.compacted": "true", "chat m gen_ai.usage.input_tokens": "13",
		"chat m gen_ai.usage.cache_write.input_tokens": "8", "chat m gen_ai.request.max_tokens": "9", "chat m gen_ai.response.finish_reasons": `["end"]`,
		"chat m tenfold.model.cost": "0.5",
	} {
		if about[key] != want {
			t.Errorf("%s is %q", key, about[key])
		}
	}
}

// The tenant is an attribute only where the operator says so.
func TestTenants(t *testing.T) {
	reader, spans := listening(t)
	everything(t.Context(), "acme")
	for name, of := range collected(t, reader) {
		if strings.Contains(of, "acme") {
			t.Errorf("%s tells the tenant: %s", name, of)
		}
	}
	telemetry.LabelTenants(true)
	spans.Reset()
	everything(t.Context(), "acme")
	if of := collected(t, reader)["tenfold.entries.appended"]; !strings.Contains(of, "tenfold.tenant=acme=3") {
		t.Errorf("it is not counted by tenant: %s", of)
	}
	told := false
	for _, a := range spans.GetSpans()[1].Attributes {
		told = told || string(a.Key) == "tenfold.tenant" && a.Value.AsString() == "acme"
	}
	if !told {
		t.Error("the span does not name the tenant")
	}
}

// However many names of models there are, and whatever they hold, they are few in the
// metrics.
func TestModelsAreFew(t *testing.T) {
	reader, _ := listening(t)
	for i := range 300 {
		ctx, call := telemetry.BeginCall(t.Context(), telemetry.CallOf{Provider: "p", Model: "model-" + strconv.Itoa(i)})
		call.End(ctx, telemetry.Usage{}, "", telemetry.Outcome("timed_out"))
	}
	ctx, call := telemetry.BeginCall(t.Context(), telemetry.CallOf{Provider: "p", Model: "please\nquote this"})
	call.End(ctx, telemetry.Usage{}, "", "")
	of := collected(t, reader)["gen_ai.client.operation.duration"]
	if n := strings.Count(of, ";"); n > 102 || !strings.Contains(of, "_OTHER") || strings.Contains(of, "quote") || !strings.Contains(of, "error.type=timed_out") {
		t.Errorf("%d series: %.300s", n, of)
	}
}

// An id of a client's is a text that a collector takes, wherever it is cut: one that is
// not UTF-8 would take with it all that is sent together.
func TestIDsAreUTF8(t *testing.T) {
	_, spans := listening(t)
	for _, id := range []string{strings.Repeat("é", 200), "x" + strings.Repeat("é", 200), "odd\xff"} {
		ctx, op := telemetry.Begin(t.Context(), telemetry.Open, id)
		op.End(ctx, telemetry.OK)
	}
	if len(spans.GetSpans()) != 3 {
		t.Fatalf("%d spans", len(spans.GetSpans()))
	}
	for _, s := range spans.GetSpans() {
		for _, a := range s.Attributes {
			if text := a.Value.AsString(); !utf8.ValidString(text) || a.Key == "gen_ai.conversation.id" && len(text) < 4 {
				t.Errorf("%s is %q", a.Key, text)
			}
		}
	}
}
