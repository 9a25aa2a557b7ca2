// Package live reads how conversations are compacted while they run from the
// configuration. Plug-ins, the proxy and the agent share it.
package live

import (
	"fmt"
	"time"

	"tenfold"
	"tenfold/internal/config"
	"tenfold/session"
	"tenfold/strategy"
	"tenfold/trigger"
)

// Settings are those of the keys conversation.compaction.auto and micro, for a
// conversation with a model; an empty name is the configured model. No summarizer
// is set: whoever may call a model sets it in Request.Options.
func Settings(c config.Config, model string) (session.Live, error) {
	auto, micro := c.Conversation.Compaction.Auto, c.Conversation.Compaction.Micro
	tail := c.Tail()
	out := session.Live{
		Request: session.Request{
			Bounds:  tenfold.Bounds{Tail: &tail},
			Options: strategy.Options{Tools: c.ToolSettings(), Subsumer: Subsumer(c), Window: c.Window(model)},
		},
		Micro: session.LiveMicro{Enabled: micro.Enabled, ClearAtLeast: int(micro.ClearAtLeast), ColdAfter: time.Duration(micro.ColdAfter)},
		Auto:  session.LiveAuto{Enabled: auto.Enabled, MaxAttempts: int(auto.MaxAttemptsPerTurn)},
		Turns: int(auto.Turns),
	}
	s, err := c.Strategy("micro")
	if err != nil {
		return out, fmt.Errorf("conversation.compaction.micro: %w", err)
	}
	out.Micro.Strategy, _ = s.(strategy.Micro)
	if auto.Threshold != "" {
		if out.Auto.Trigger, err = trigger.Parse(string(auto.Threshold)); err != nil {
			return out, fmt.Errorf("conversation.compaction.auto.threshold: %w", err)
		}
	}
	for _, text := range auto.Strategy {
		s, err := c.Strategy(text)
		if err != nil {
			return out, fmt.Errorf("conversation.compaction.auto.strategy: %w", err)
		}
		out.Auto.Strategies = append(out.Auto.Strategies, s)
	}
	return out, nil
}
