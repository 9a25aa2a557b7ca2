package export_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"

	"tenfold/internal/telemetry"
	"tenfold/internal/telemetry/export"
	"tenfold/problem"
)

// alone unsets what the environment of the test says to OpenTelemetry.
func alone(t *testing.T) {
	t.Helper()
	for _, v := range os.Environ() {
		if name, _, _ := strings.Cut(v, "="); strings.HasPrefix(name, "OTEL_") {
			t.Setenv(name, "")
		}
	}
}

// A collector keeps what is sent to it, by path.
func collector(t *testing.T) (address string, got func(path string) string) {
	t.Helper()
	var mu sync.Mutex
	all := map[string]string{}
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		all[r.URL.Path] += string(body)
		mu.Unlock()
	}))
	t.Cleanup(s.Close)
	return s.URL, func(path string) string {
		mu.Lock()
		defer mu.Unlock()
		return all[path]
	}
}

func something(t *testing.T) {
	t.Helper()
	ctx, op := telemetry.Begin(t.Context(), telemetry.Append, "conversation")
	op.Appended(ctx, 1)
	op.End(ctx, telemetry.OK)
}

// Without a variable that names a collector nothing is measured, and so nothing is
// sent to the one on this machine that is OpenTelemetry's default.
func TestNothingIsSentUnasked(t *testing.T) {
	for _, variables := range []string{"", "OTEL_SERVICE_NAME=x", "OTEL_TRACES_EXPORTER=none OTEL_METRICS_EXPORTER=none OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:1", "OTEL_SDK_DISABLED=true OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:1"} {
		alone(t)
		for pair := range strings.FieldsSeq(variables) {
			name, value, _ := strings.Cut(pair, "=")
			t.Setenv(name, value)
		}
		e, err := export.Start(t.Context(), export.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if telemetry.On() || e.Metrics != nil {
			t.Errorf("%s: something is measured", variables)
		}
		if err := e.Stop(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

func TestOTLP(t *testing.T) {
	alone(t)
	address, got := collector(t)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", address)
	t.Setenv("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment.name=night")
	e, err := export.Start(t.Context(), export.Options{Version: "1.2.3"})
	if err != nil {
		t.Fatal(err)
	}
	something(t)
	if err := e.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	for path, wants := range map[string][]string{
		"/v1/traces":  {"tenfold.append", "conversation", "1.2.3", "night"},
		"/v1/metrics": {"tenfold.entries.appended", "1.2.3", "night"},
	} {
		for _, want := range wants {
			if !strings.Contains(got(path), want) {
				t.Errorf("%s has no %s", path, want)
			}
		}
	}
	if strings.Contains(got("/v1/metrics"), "conversation") && strings.Contains(got("/v1/metrics"), "gen_ai.conversation.id") {
		t.Error("metrics name a conversation")
	}
	if telemetry.On() {
		t.Error("it is measured after the end")
	}
}

// Each signal may be sent by itself, and a collector that is away holds nobody up.
func TestOneSignal(t *testing.T) {
	alone(t)
	address, got := collector(t)
	t.Setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", address+"/here")
	e, err := export.Start(t.Context(), export.Options{})
	if err != nil {
		t.Fatal(err)
	}
	something(t)
	if err := e.Stop(t.Context()); err != nil || got("/here") == "" || got("/v1/metrics") != "" {
		t.Error(err, "traces go elsewhere, or metrics go too")
	}
}

func TestSettingsThatCannotBe(t *testing.T) {
	for variables, want := range map[string]string{
		"OTEL_TRACES_EXPORTER=jaeger":                                                           "OTEL_TRACES_EXPORTER: unknown exporter",
		"OTEL_METRICS_EXPORTER=otlp":                                                            "OTEL_METRICS_EXPORTER: no endpoint",
		"OTEL_EXPORTER_OTLP_ENDPOINT=collector:4318":                                            "OTEL_EXPORTER_OTLP_ENDPOINT: expected a URL",
		"OTEL_EXPORTER_OTLP_ENDPOINT=http://secret@":                                            "OTEL_EXPORTER_OTLP_ENDPOINT: expected a URL",
		"OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:1 OTEL_EXPORTER_OTLP_PROTOCOL=grpc":       "OTEL_EXPORTER_OTLP_PROTOCOL: unsupported protocol",
		"OTEL_EXPORTER_OTLP_METRICS_ENDPOINT=ftp://x OTEL_EXPORTER_OTLP_ENDPOINT=http://x:4318": "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: expected a URL",
	} {
		alone(t)
		for pair := range strings.FieldsSeq(variables) {
			name, value, _ := strings.Cut(pair, "=")
			t.Setenv(name, value)
		}
		_, err := export.Start(t.Context(), export.Options{})
		var p *problem.Error
		if !errors.As(err, &p) || p.Hint == "" || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", variables, err)
		}
		for pair := range strings.FieldsSeq(variables) {
			name, _, _ := strings.Cut(pair, "=")
			t.Setenv(name, "")
		}
	}
}
