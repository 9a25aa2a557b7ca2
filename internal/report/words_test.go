package report_test

import (
	"testing"

	"tenfold"
	"tenfold/internal/report"
)

// What an overlay changes is named in one order, whoever lists it.
func TestSlotWords(t *testing.T) {
	t.Parallel()
	slots := report.Slots(tenfold.Compaction{
		Summary: &tenfold.Summary{}, Turns: tenfold.Omit, Reasoning: &tenfold.Policy{}, ToolCalls: &tenfold.ToolPolicy{},
		Texts: &tenfold.TextPolicy{}, Attachments: &tenfold.Policy{}, ToolDefinitions: &tenfold.ToolDefinitionPolicy{},
	})
	const want = "summary, turns, reasoning, tools, texts, attachments, tool definitions"
	if got := report.SlotWords(slots); got != want {
		t.Errorf("%s, and not %s", got, want)
	}
}
