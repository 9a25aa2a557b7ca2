package live_test

import (
	"os"
	"testing"
	"time"

	"tenfold/internal/config"
	"tenfold/internal/live"
	"tenfold/strategy"
	"tenfold/tool"
)

// The keys of auto and micro are what the controller goes by.
func TestSettingsAreThoseOfTheConfiguration(t *testing.T) {
	read := func(settings ...string) (config.Config, error) {
		all, err := config.Read(config.Sources{Flags: settings})
		if err != nil {
			return config.Config{}, err
		}
		e, err := all.With()
		if err != nil {
			return config.Config{}, err
		}
		return e.Config, nil
	}
	c, err := read()
	if err != nil {
		t.Fatal(err)
	}
	got, err := live.Settings(c, "claude-sonnet-4-5")
	if err != nil {
		t.Fatal(err)
	}
	if !got.Auto.Enabled || got.Auto.Trigger.String() != "80%" || len(got.Auto.Strategies) != 1 || targeted(got.Auto.Strategies[0]) ||
		got.Auto.MaxAttempts != 1 || got.Turns != 30 {
		t.Errorf("auto is %+v, %d turns", got.Auto, got.Turns)
	}
	if m := got.Micro; !m.Enabled || m.Strategy.KeepRecent != 10 || m.Strategy.Over != 800 || m.ClearAtLeast != 20_000 || m.ColdAfter != 5*time.Minute {
		t.Errorf("micro is %+v", m)
	}
	if got.Request.Options.Window != 200_000 || got.Request.Bounds.Tail.Tokens != 20_000 {
		t.Errorf("shared is %+v", got.Request)
	}
	const at = "conversation.compaction."
	c, err = read(
		at+"auto.enabled=false", at+"auto.threshold=any(-20k, turns(9))", at+"auto.strategy=strip-tools auto", at+"auto.turns=7", at+"auto.max_attempts_per_turn=3",
		at+"micro.enabled=false", at+"micro.keep_recent=4", at+"micro.clear_at_least=5k", at+"micro.cold_after=1h", at+"keep_tokens=9k", "models.small.context_window=32768",
	)
	if err != nil {
		t.Fatal(err)
	}
	if got, err = live.Settings(c, "small"); err != nil {
		t.Fatal(err)
	}
	if a := got.Auto; a.Enabled || a.Trigger.String() != "any(-20k, turns(9))" || len(a.Strategies) != 2 || strategy.Summarises(a.Strategies[0]) || !strategy.Summarises(a.Strategies[1]) || a.MaxAttempts != 3 || got.Turns != 7 {
		t.Errorf("auto is %+v, %d turns", a, got.Turns)
	}
	if m := got.Micro; m.Enabled || m.Strategy.KeepRecent != 4 || m.ClearAtLeast != 5000 || m.ColdAfter != time.Hour {
		t.Errorf("micro is %+v", m)
	}
	if got.Request.Options.Window != 32_768 || got.Request.Bounds.Tail.Tokens != 9000 {
		t.Errorf("shared is %+v", got.Request)
	}
}

// targeted tells of a strategy that is not a fit whose target is left open.
func targeted(s strategy.Strategy) bool {
	fit, ok := s.(strategy.Fit)
	return !ok || fit.Target.Set()
}

// H2: the programs that the person says can answer are asked, and no others.
func TestH2WhoIsAsked(t *testing.T) {
	subsumer := func(settings ...string) tool.Subsumer {
		all, err := config.Read(config.Sources{Flags: append(settings, `agent.tools.oven.command=["sh", "-c", "echo '{\"type\":\"success\",\"content\":\"true\"}'"]`)})
		if err != nil {
			t.Fatal(err)
		}
		e, err := all.With()
		if err != nil {
			t.Fatal(err)
		}
		got, err := live.Settings(e.Config, "")
		if err != nil {
			t.Fatal(err)
		}
		return got.Request.Options.Subsumer
	}
	if s := subsumer("conversation.tools.oven.compaction.subsumes=true"); s != nil {
		t.Errorf("a setting of calls has a program asked: %+v", s)
	}
	s := subsumer("agent.tools.oven.subsumes=true", `agent.tools.tap.command=["sh", "-c", "echo asked >tap"]`)
	for name, want := range map[string]bool{"oven": true, "tap": false, "sink": false} {
		if got, err := s.Subsumes(t.Context(), name, []string{"{}"}, []string{"{}"}); err != nil || got[0] != want {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	if _, err := os.Stat("tap"); err == nil {
		t.Error("a program that was not named was run")
	}
}
