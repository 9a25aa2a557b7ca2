package pi

import (
	"context"
	"os"

	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
	"tenfold/internal/hook"
	"tenfold/session"
	"tenfold/strategy"
	"tenfold/summary"
)

// A compaction is what pi takes for its own.
type compaction struct {
	Summary      string  `json:"summary"`
	FirstKept    string  `json:"firstKeptEntryId"`
	TokensBefore int     `json:"tokensBefore"`
	Details      details `json:"details"`
}

// details are kept with a compaction, for the adapter.
type details struct {
	Tenfold ours `json:"tenfold"`
}

type ours struct {
	Version      int    `json:"version"`
	Conversation string `json:"conversation"`
	// Line is what the person is told.
	Line string `json:"line,omitzero"`
	// View is a list of messages, or of ids of entries whose messages they are.
	View []jsontext.Value `json:"view"`
}

// detailsVersion is the shape of details.
const detailsVersion = 1

// compact answers session_before_compact.
func compact(ctx context.Context, h *hook.Host, e input) (any, error) {
	a, err := e.ask()
	if err != nil {
		return nil, err
	}
	v, err := h.Compact(ctx, a)
	if err != nil || (v.Outcome != session.Applied && v.After >= v.Before) {
		return nil, err
	}
	data := a.Data
	if a.Path != "" {
		if data, err = os.ReadFile(a.Path); err != nil {
			return nil, err
		}
	}
	branch := readBranch(data)
	list, err := messages(v, branch)
	if err != nil {
		return nil, err
	}
	text, err := digest(ctx, v.Projection(), e.FirstKept, e.Focus)
	if err != nil {
		return nil, err
	}
	return map[string]compaction{"compaction": {
		Summary: text, FirstKept: e.FirstKept, TokensBefore: e.TokensBefore,
		Details: details{ours{Version: detailsVersion, Conversation: v.ID(), Line: v.Line, View: list}},
	}}, nil
}

// digest writes what a pi without the adapter sends for all there is before an
// entry.
func digest(ctx context.Context, p *tenfold.Projection, until, focus string) (string, error) {
	l := p.Log()
	r := strategy.SummaryRequest{Log: l, Focus: focus}
	for e := range l.Entries() {
		if e.ID == until || e.MessageID == until {
			break
		}
		r.Entries = append(r.Entries, e)
		r.Range.ToTurn, _, _ = l.Where(e.Seq)
	}
	out, err := summary.Digest{}.Summarize(ctx, r)
	if out.Text == "" && err == nil {
		out.Text = "Nothing was said before this point that later work needs."
	}
	return out.Text, err
}
