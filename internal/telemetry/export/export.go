// Package export sends what the package telemetry measures where the operator says:
// to a collector by OTLP over HTTP, by the OTEL_* variables that all programs with
// OpenTelemetry know, and to whoever reads a Prometheus endpoint. It is the one
// package with the SDK of OpenTelemetry, and only the program uses it.
//
// Nothing leaves the machine by itself: OpenTelemetry's default is a collector on
// localhost:4318, but here no address is asked unless a variable names it.
package export

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/go-logr/logr"
	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/prometheus/otlptranslator"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	otelprometheus "go.opentelemetry.io/otel/exporters/prometheus"
	metricnoop "go.opentelemetry.io/otel/metric/noop"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"
	"go.opentelemetry.io/otel/sdk/trace"
	tracenoop "go.opentelemetry.io/otel/trace/noop"

	"tenfold/internal/telemetry"
	"tenfold/problem"
)

// Options say what is exported.
type Options struct {
	// Version is that of the program.
	Version string
	// Prometheus has [Exports.Metrics] answer.
	Prometheus bool
	// LabelTenants has the names of tenants be attributes.
	LabelTenants bool
	// Log is told what could not be sent; nil is silent.
	Log *slog.Logger
}

// Exports are under way until they are stopped.
type Exports struct {
	// Metrics answers who reads the metrics as Prometheus does; nil if that is not
	// wanted.
	Metrics http.Handler

	stops []func(context.Context) error
}

// Start sets the providers of this process, if anything is to be exported. Stop it
// at the end, or the last of it is lost.
func Start(ctx context.Context, o Options) (*Exports, error) {
	e := &Exports{}
	traces, err := endpoint("TRACES")
	if err != nil {
		return nil, err
	}
	metrics, err := endpoint("METRICS")
	if err != nil {
		return nil, err
	}
	if traces == "" && metrics == "" && !o.Prometheus {
		return e, nil
	}
	o.tell()
	about, err := resource.New(
		ctx,
		// No arguments of the process: the store's URL may be among them.
		resource.WithAttributes(telemetry.Service(o.Version, uuid.NewString())...),
		resource.WithTelemetrySDK(), resource.WithFromEnv(),
	)
	if err != nil && !errors.Is(err, resource.ErrPartialResource) {
		return nil, failed("OTEL_RESOURCE_ATTRIBUTES", "write KEY=VALUE,KEY=VALUE", err)
	}
	if traces != "" {
		sender, err := otlptracehttp.New(ctx)
		if err != nil {
			return nil, failed("OTEL_EXPORTER_OTLP_TRACES_*", "check the variables that begin so", err)
		}
		p := trace.NewTracerProvider(trace.WithBatcher(sender), trace.WithResource(about))
		otel.SetTracerProvider(p)
		e.stops = append(e.stops, p.Shutdown)
	}
	if err := e.measure(ctx, o, metrics != "", about); err != nil {
		return nil, errors.Join(err, e.Stop(ctx))
	}
	telemetry.LabelTenants(o.LabelTenants)
	return e, nil
}

// measure sets the provider of metrics.
func (e *Exports) measure(ctx context.Context, o Options, send bool, about *resource.Resource) error {
	options := []metric.Option{metric.WithResource(about)}
	if send {
		sender, err := otlpmetrichttp.New(ctx)
		if err != nil {
			return failed("OTEL_EXPORTER_OTLP_METRICS_*", "check the variables that begin so", err)
		}
		options = append(options, metric.WithReader(metric.NewPeriodicReader(sender)))
	}
	if o.Prometheus {
		registry := prometheus.NewRegistry()
		reader, err := otelprometheus.New(otelprometheus.WithRegisterer(registry), otelprometheus.WithoutScopeInfo(),
			otelprometheus.WithTranslationStrategy(otlptranslator.UnderscoreEscapingWithSuffixes))
		if err == nil {
			err = errors.Join(registry.Register(collectors.NewGoCollector()), registry.Register(collectors.NewProcessCollector(collectors.ProcessCollectorOpts{})))
		}
		if err != nil {
			return failed("the Prometheus endpoint", "", err)
		}
		options = append(options, metric.WithReader(reader))
		e.Metrics = promhttp.HandlerFor(registry, promhttp.HandlerOpts{EnableOpenMetrics: true, MaxRequestsInFlight: 4})
	}
	if len(options) == 1 {
		return nil
	}
	p := metric.NewMeterProvider(options...)
	otel.SetMeterProvider(p)
	e.stops = append(e.stops, p.Shutdown)
	return nil
}

// stopWait is how long the last of it may take to be sent.
const stopWait = 3 * time.Second

// Stop sends what is left and ends the exports; the providers do nothing from then
// on. A collector that is away holds nothing up for longer than a few seconds.
func (e *Exports) Stop(ctx context.Context) error {
	if len(e.stops) == 0 {
		return nil
	}
	otel.SetTracerProvider(tracenoop.NewTracerProvider())
	otel.SetMeterProvider(metricnoop.NewMeterProvider())
	telemetry.LabelTenants(false)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopWait)
	defer cancel()
	var all error
	for _, stop := range e.stops {
		all = errors.Join(all, stop(ctx))
	}
	e.stops = nil
	return all
}

// tell has OpenTelemetry report to the log: it would write to standard error.
func (o Options) tell() {
	log := o.Log
	log = cmp.Or(log, slog.New(slog.DiscardHandler))
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) {
		log.Warn("telemetry was not exported", "error", reason(err))
	}))
	otel.SetLogger(logr.FromSlogHandler(quiet{log.Handler()}))
}

// quiet lets only errors through: the SDK reports its settings too.
type quiet struct{ slog.Handler }

// Enabled implements [slog.Handler].
func (q quiet) Enabled(ctx context.Context, l slog.Level) bool {
	return l >= slog.LevelError && q.Handler.Enabled(ctx, l)
}

// reason is what can be said of an error: an URL may hold a password, and what a
// collector answered is a stranger's.
func reason(err error) string {
	if u, ok := errors.AsType[*url.Error](err); ok {
		return u.Err.Error()
	}
	text, _, _ := strings.Cut(err.Error(), ":")
	return text
}

// endpoint is the address that a signal goes to; empty for nowhere.
func endpoint(signal string) (string, error) {
	if strings.EqualFold(os.Getenv("OTEL_SDK_DISABLED"), "true") {
		return "", nil
	}
	name := "OTEL_" + signal + "_EXPORTER"
	exporter := os.Getenv(name)
	if exporter == "none" {
		return "", nil
	}
	if exporter != "" && exporter != "otlp" {
		return "", failed(name, "use otlp or none; for Prometheus, use --metrics-addr", errors.New("unknown exporter"))
	}
	variables := []string{"OTEL_EXPORTER_OTLP_" + signal + "_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"}
	at := slices.IndexFunc(variables, func(v string) bool { return os.Getenv(v) != "" })
	if at < 0 {
		if exporter == "otlp" {
			return "", failed(name, "set OTEL_EXPORTER_OTLP_ENDPOINT to the address of your collector: none is assumed", errors.New("no endpoint"))
		}
		return "", nil
	}
	address := os.Getenv(variables[at])
	if u, err := url.Parse(address); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", failed(variables[at], "write http://HOST:4318 or https://HOST", errors.New("expected a URL"))
	}
	for _, v := range []string{"OTEL_EXPORTER_OTLP_" + signal + "_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"} {
		if p := os.Getenv(v); p != "" {
			if p != "http/protobuf" && p != "http/json" {
				return "", failed(v, "use http/protobuf, at the collector's port for HTTP (4318)", errors.New("unsupported protocol"))
			}
			break
		}
	}
	return address, nil
}

// failed names the variable and not its value, which may be a secret.
func failed(subject, hint string, err error) error {
	return &problem.Error{Op: "export telemetry:", Subject: subject, Hint: hint, Code: "telemetry", Err: err}
}
