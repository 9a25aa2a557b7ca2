package summary_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"tenfold"
	"tenfold/provider"
	"tenfold/strategy"
	"tenfold/summary"
)

// A model that hangs is given up at the deadline, and nothing is left running.
func TestDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		model := summary.Model{Provider: &played{}, Timeout: time.Minute}
		_, err := model.Summarize(t.Context(), requestOf(long(t), 0, 2))
		if provider.KindOf(err) != provider.TimedOut || !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != time.Minute {
			t.Errorf("%v after %s", err, time.Since(began))
		}
		made, failed := compact(t, long(t), summary.Ladder{model, digest{}}, 0, 2)
		if len(made.Compactions) != 1 || !strings.Contains(notesOf(made), "no answer within 1m0s") || provider.KindOf(failed[0]) != provider.TimedOut {
			t.Errorf("%s %v", notesOf(made), failed)
		}
		// Parts share the deadline; two of three calls wait for a slot.
		model.Window, model.MaxTokens = 3000, 200
		began = time.Now()
		if _, err := model.Summarize(t.Context(), requestOf(long(t), 0, 3)); provider.KindOf(err) != provider.TimedOut || time.Since(began) != time.Minute {
			t.Errorf("%v after %s", err, time.Since(began))
		}
	})
}

// Ctrl-C: nothing is stored, nothing takes over, nothing is left running.
func TestCancel(t *testing.T) {
	defer goleak.VerifyNone(t)
	dir := t.TempDir()
	for name, m := range map[string]*played{
		"while it hangs":     {},
		"while it answers":   {delay: time.Hour, answer: func(int, provider.Request) ([]provider.Event, error) { return says("x"), nil }},
		"after it was wrong": {delay: 20 * time.Millisecond, answer: func(int, provider.Request) ([]provider.Event, error) { return says("pkg/none/a.go"), nil }},
	} {
		for _, window := range []int{0, 3000} {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
				defer cancel()
				model := summary.Model{Provider: m, Window: window, MaxTokens: 200}
				s := summary.Recorded{Of: summary.Ladder{model, digest{}}, Artifacts: summary.Directory(dir), Now: at}
				made, err := strategy.Pipeline{parsed(t, "summarize")}.Plan(ctx, tenfold.Project(long(t)), strategy.Options{Range: tenfold.Range{ToTurn: 3}, Summarizer: s})
				if !errors.Is(err, context.DeadlineExceeded) || len(made.Compactions) != 0 || len(list(t, dir)) != 0 {
					t.Errorf("%s, window %d: %v, %+v, %v", name, window, err, made.Compactions, list(t, dir))
				}
			})
		}
		m.mu.Lock()
		if m.running != 0 {
			t.Errorf("%s: %d calls still run", name, m.running)
		}
		m.mu.Unlock()
	}
}

// The first part that fails ends the others.
func TestPartsFailTogether(t *testing.T) {
	down := &provider.Error{Kind: provider.Overloaded, Model: "test/model"}
	m := &played{answer: func(n int, _ provider.Request) ([]provider.Event, error) { return nil, down }}
	_, err := summary.Model{Provider: m, Window: 2600, MaxTokens: 100}.Summarize(t.Context(), requestOf(long(t), 0, 3))
	if provider.KindOf(err) != provider.Overloaded || len(m.asked) > 3 {
		t.Errorf("%v after %d calls", err, len(m.asked))
	}
}
