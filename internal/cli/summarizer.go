package cli

import (
	"strings"

	"tenfold/internal/config"
	"tenfold/strategy"
)

// summarizer chooses who writes the summaries that strategies ask for (M1a): who
// the command line says, if it does. It is the one place that chooses. Nobody
// else writes any in this release, so strategies that do nothing without one are
// refused.
func summarizer(_ *config.Effective, all []chosen, writer strategy.Summarizer) (strategy.Summarizer, error) {
	for _, c := range all {
		if strategy.NeedsModel(c.Strategy) && (writer == nil || !strategy.Summarises(c.Strategy)) {
			return nil, usage(c.by+": it needs a model to write a summary, and none can be set in this release",
				"the strategies that need none are "+strings.Join(mechanical(), ", "))
		}
	}
	return writer, nil
}
