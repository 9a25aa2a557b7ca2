package compaction

import (
	"slices"

	"github.com/google/uuid"

	"tenfold"
	"tenfold/internal/cli/command"
	"tenfold/internal/cli/display"
	"tenfold/internal/record"
	"tenfold/strategy"
)

// sourceFile is the source of the overlays that "compact FILE" makes: the next
// run on the same conversation replaces them and no others.
const sourceFile = "file"

// fileOverlays are the live overlays that "compact FILE" made.
func fileOverlays(p *tenfold.Projection) []tenfold.Overlay {
	return slices.DeleteFunc(display.LiveOverlays(p), func(o tenfold.Overlay) bool { return o.Compaction.Source != sourceFile })
}

// revoke returns entries that revoke overlays, the newest first, as part of a
// command.
func revoke(a *command.App, overlays []tenfold.Overlay, command string) []tenfold.Entry {
	var entries []tenfold.Entry
	for _, o := range slices.Backward(overlays) {
		entries = append(entries, tenfold.Entry{
			ID: "rev_" + uuid.Must(uuid.NewV7()).String(), Time: a.Now().UTC(),
			Payload: tenfold.CompactionRevoked{Target: o.ID, Command: command},
		})
	}
	return entries
}

// withoutFileOverlays is the conversation as it was before any run of "compact
// FILE".
func withoutFileOverlays(a *command.App, p *tenfold.Projection) *tenfold.Projection {
	if live := fileOverlays(p); len(live) > 0 {
		return p.Snapshot().Preview(revoke(a, live, "")...) // which outlives what is written next
	}
	return p
}

// replacement returns the entries that replace the overlays of earlier runs with
// those of a plan, and the overlays in effect after that. If both are the same
// there is nothing to write.
func replacement(a *command.App, l *command.Workspace, now *tenfold.Projection, plan strategy.Plan) (write, overlays []tenfold.Entry) {
	live := fileOverlays(now)
	if slices.EqualFunc(live, plan.Compactions, func(o tenfold.Overlay, c tenfold.Compaction) bool { return record.Same(o.Compaction, c) }) {
		for _, o := range live {
			if e, ok := now.Log().Lookup(o.ID); ok {
				overlays = append(overlays, e)
			}
		}
		return nil, overlays
	}
	command := l.Service.NewCommand()
	overlays = l.Service.Overlays(plan, command)
	return append(revoke(a, live, command), overlays...), overlays
}
