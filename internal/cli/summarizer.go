package cli

import (
	"strings"

	"tenfold/internal/config"
	"tenfold/strategy"
	"tenfold/summary"
)

// summarizer chooses who writes the summaries that strategies ask for (M1a): who
// the command line says, else the digest, which needs no model. It is the one
// place that chooses. No model can be asked in this release; where the
// configuration names one, told says who writes instead.
func summarizer(e *config.Effective, all []chosen, writer strategy.Summarizer) (by strategy.Summarizer, told string, err error) {
	summarises := false
	for _, c := range all {
		summarises = summarises || strategy.Summarises(c.Strategy)
		if needsModel(c.Strategy) {
			return nil, "", usage(c.by+": it needs a model, and none can be asked in this release",
				"the strategies that need none are "+strings.Join(mechanical(), ", "))
		}
	}
	if writer != nil {
		return writer, "", nil
	}
	if name := summaryModel(e, all); summarises && name != "" {
		told = "the model " + quote(name) + " is not asked in this release: the digest writes the summary"
	}
	return summary.Digest{}, told, nil
}

// summaryModel is the model that the configuration names for summaries.
func summaryModel(e *config.Effective, all []chosen) string {
	for _, c := range all {
		if p, ok := c.Strategy.(strategy.Profile); ok && p.Summary != nil {
			if set := e.Conversation.Compaction.Profiles[p.Title]; set.Summary.Model != "" {
				return string(set.Summary.Model)
			}
		}
	}
	return string(e.Conversation.Compaction.SummarizerModel)
}

// needsModel reports whether a strategy can do nothing without a model: the
// digest can stand in for a writer of summaries, and for nobody else.
func needsModel(s strategy.Strategy) bool {
	return strategy.NeedsModel(s) && !strategy.Summarises(s)
}
