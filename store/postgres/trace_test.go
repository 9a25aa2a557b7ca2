package postgres

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric/noop"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"tenfold"
	"tenfold/store"
	"tenfold/store/postgres/pgtest"
)

// testReady: a store is ready while its server answers and its schema is one that
// the program knows.
func testReady(t *testing.T, server *pgtest.Server) {
	url := server.Database(t)
	s := opened(t, url)
	if err := s.Ready(t.Context(), true); err != nil {
		t.Errorf("a store just opened: %v", err)
	}
	super := superuser(t, url)
	for _, c := range [][2]string{
		{"UPDATE tenfold_compat SET oldest = oldest + 1000", "UPDATE tenfold_compat SET oldest = oldest - 1000"},
		{"UPDATE " + versions + " SET is_applied = false WHERE version_id = (SELECT max(version_id) FROM " + versions + ")", "UPDATE " + versions + " SET is_applied = true"},
	} {
		for i, sql := range c {
			if _, err := super.Exec(t.Context(), sql); err != nil {
				t.Fatal(err)
			}
			if err := s.Ready(t.Context(), true); (err == nil) != (i == 1) {
				t.Errorf("after %s: %v", sql, err)
			}
		}
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Ready(over, false); err == nil {
		t.Error("it is ready for somebody who has gone")
	}
	standby := opened(t, url+"&default_transaction_read_only=on")
	if err := standby.Ready(t.Context(), false); err != nil {
		t.Errorf("one that is only read: %v", err)
	}
	if err := standby.Ready(t.Context(), true); err == nil {
		t.Error("one that cannot be written is ready for writers")
	}
}

// testSeen: statements, connections and what is tried again are measured and logged,
// and nothing of what is in them.
func testSeen(t *testing.T, server *pgtest.Server) {
	reader := metric.NewManualReader()
	otel.SetMeterProvider(metric.NewMeterProvider(metric.WithReader(reader)))
	defer otel.SetMeterProvider(noop.NewMeterProvider())
	var log bytes.Buffer
	s := opened(t, server.Database(t), WithLog(slog.New(slog.NewTextHandler(&log, nil))))
	if err := s.Create(t.Context(), store.Conversation{ID: "canary", Title: "canary"}, tenfold.Entry{ID: "canary", Time: time.Unix(1, 0), Tokens: 1, Payload: tenfold.UserMessage{Parts: []tenfold.Part{{Text: "canary"}}}}); err != nil {
		t.Fatal(err)
	}
	for _, err := range s.Entries(t.Context(), "canary", 0) {
		if err != nil {
			t.Fatal(err)
		}
	}
	tries := 0
	if err := s.try(t.Context(), lost, func(context.Context) error {
		if tries++; tries == 1 {
			return fmt.Errorf("canary: %w", io.ErrUnexpectedEOF)
		}
		return nil
	}); err != nil || tries != 2 {
		t.Fatal(err, tries)
	}
	var all metricdata.ResourceMetrics
	if err := reader.Collect(t.Context(), &all); err != nil {
		t.Fatal(err)
	}
	text := ""
	for _, m := range all.ScopeMetrics[0].Metrics {
		text += m.Name + " "
		if h, ok := m.Data.(metricdata.Histogram[float64]); ok {
			for _, p := range h.DataPoints {
				text += p.Attributes.Encoded(attribute.DefaultEncoder()) + " "
			}
		}
	}
	for _, want := range []string{"db.client.operation.duration", "db.operation.name=INSERT", "db.collection.name=tenfold_entries", "db.operation.name=SELECT", "db.client.connection.count", "db.client.connection.max", "tenfold.store.retries"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in %s", want, text)
		}
	}
	if !strings.Contains(log.String(), "trying again") {
		t.Errorf("the log does not tell of what was tried again: %s", &log)
	}
	if strings.Contains(text+log.String(), "canary") {
		t.Errorf("what is measured or logged quotes the store: %s%s", text, &log)
	}
}
