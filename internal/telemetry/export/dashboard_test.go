package export_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"tenfold/internal/telemetry"
	"tenfold/internal/telemetry/export"
)

// exposed gives the labels of each metric that a program shows after it has done one
// of everything.
func exposed(t *testing.T) map[string][]string {
	t.Helper()
	alone(t)
	e, err := export.Start(t.Context(), export.Options{Prometheus: true, Version: "1"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = e.Stop(t.Context()) }()
	ctx, op := telemetry.Begin(t.Context(), telemetry.Compact, "c")
	op.Appended(ctx, 1)
	op.Freed(ctx, 1)
	op.End(ctx, telemetry.OK)
	telemetry.EndStatement(telemetry.BeginStatement(ctx, "SELECT 1 FROM tenfold_entries"), "57P01", true)
	telemetry.Retried(ctx, "")
	defer telemetry.ObserveConnections(func(context.Context) []telemetry.Reading { return []telemetry.Reading{{State: "used", Value: 1}} }, 2)()
	defer telemetry.ObserveJobs(func(context.Context) []telemetry.Reading { return []telemetry.Reading{{State: "failed", Value: 1}} })()
	in, call := telemetry.BeginCall(ctx, telemetry.CallOf{Provider: "p", Model: "m"})
	call.Answered(in)
	call.End(in, telemetry.Usage{Input: 1, Output: 1, CacheRead: 1, CacheWrite: 1, Cost: 1, Priced: true}, "", telemetry.Failed)
	job, running := telemetry.BeginJob(ctx, "", "c", time.Now())
	telemetry.EndJob(job, running, time.Now(), telemetry.OK)
	telemetry.BeginRequest(ctx, http.MethodGet)(ctx, "/x", http.StatusOK)
	telemetry.Forwarded(ctx, "u", http.StatusOK, time.Second)
	telemetry.EpochBegan()
	w := httptest.NewRecorder()
	e.Metrics.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil))
	all := map[string][]string{}
	for _, m := range regexp.MustCompile(`(?m)^([a-zA-Z_:]+)(?:\{(.*)\})? `).FindAllStringSubmatch(w.Body.String(), -1) {
		all[m[1]] = append(all[m[1]], "job", "instance")
		for _, l := range regexp.MustCompile(`([a-z_]+)="`).FindAllStringSubmatch(m[2], -1) {
			all[m[1]] = append(all[m[1]], l[1])
		}
	}
	return all
}

// Whatever the dashboard and the alert rules ask for is what a program shows.
func TestDashboard(t *testing.T) {
	const deploy = "../../../deploy/grafana/"
	text, err := os.ReadFile(deploy + "tenfold.json")
	if err != nil {
		t.Fatal(err)
	}
	var board struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal(text, &board); err != nil {
		t.Fatal(err)
	}
	asked := map[string]string{}
	for _, p := range board.Panels {
		for _, target := range p.Targets {
			asked[target.Expr] = p.Title
		}
	}
	rules, err := os.ReadFile(deploy + "alerts.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`(?m)^ +expr: (.*)$`).FindAllStringSubmatch(string(rules), -1) {
		asked[m[1]] = "alert"
	}
	if len(asked) < 40 {
		t.Fatalf("found only %d queries", len(asked))
	}
	shown := exposed(t)
	quoted, word := regexp.MustCompile(`"[^"]*"`), regexp.MustCompile(`[a-zA-Z_$][a-zA-Z_]*`)
	language := []string{"histogram_quantile", "sum", "max", "by", "le", "rate", "m", "$__rate_interval"}
	for expr, title := range asked {
		var labels, names []string
		for _, w := range word.FindAllString(quoted.ReplaceAllString(expr, ""), -1) {
			switch {
			case slices.Contains(language, w):
			case shown[w] != nil:
				names, labels = append(names, w), append(labels, shown[w]...)
			default:
				names = append(names, w)
			}
		}
		for _, w := range names {
			if shown[w] == nil && !slices.Contains(labels, w) {
				t.Errorf("%s: %s asks for %s, which nothing shows", title, expr, w)
			}
		}
		if len(labels) == 0 || !strings.Contains(expr, "(") {
			t.Errorf("%s: %s asks for no metric", title, expr)
		}
	}
}
