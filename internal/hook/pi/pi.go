// Package pi answers the events of pi (live.md §3). Its adapter hands over
// where the conversation is kept; pi's own compaction is then answered with our
// view of it.
//
// pi keeps a compaction as a summary, the first entry that it kept, and details
// that are an extension's own. The details hold the view as a list of messages:
// of those that are as they were only the id. From then on the adapter gives
// pi, for each request, the view in place of all there was before the
// compaction: the same bytes each time (V1). The summary is what a pi without
// the adapter sends instead: a digest of what is older than the messages that
// pi itself would have kept.
package pi

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tenfold/internal/hook"
	"tenfold/transcript"
)

// Client answers the events of pi.
type Client struct{}

var _ hook.Client = Client{}

func (Client) About() hook.About {
	return hook.About{Name: "pi", Title: "pi", Commands: []string{"pi"}, Since: "0.74.0", Tested: "1.6.0", Adapter: 1}
}

func (Client) Handle(ctx context.Context, h *hook.Host, event string, in []byte) ([]byte, error) {
	var e input
	if err := json.Unmarshal(in, &e); err != nil {
		return nil, fmt.Errorf("read the event: %w", err)
	}
	h.Saw(e.Pi)
	var out any
	var err error
	switch event {
	case "session_before_compact":
		out, err = compact(ctx, h, e)
	case "session_start":
		out, err = start(ctx, h, e)
	case "tool_result":
		out, err = birth(ctx, h, e)
	default:
		return nil, hook.ErrUnknownEvent
	}
	if out == nil || err != nil {
		return nil, err
	}
	return json.Marshal(out)
}

// An input is what the adapter sends: where the conversation is, and what the
// event says.
type input struct {
	// Pi is pi's version.
	Pi string `json:"pi"`
	// Path is the session's file; Lines are those of a session without one.
	Path  string           `json:"path"`
	Lines []jsontext.Value `json:"lines"`
	Cwd   string           `json:"cwd"`
	// Window and Used are tokens, 0 where they are unknown.
	Window int `json:"window"`
	Used   int `json:"used"`

	// Reason is "manual", "threshold", "overflow", or "cold"; versions before
	// 0.79.10 give none.
	Reason       string `json:"reason"`
	Focus        string `json:"focus"`
	FirstKept    string `json:"firstKept"`
	TokensBefore int    `json:"tokensBefore"`

	// Last is when the last response came.
	Last time.Time `json:"last"`

	result
}

// ask is what the host is asked.
func (e input) ask() (hook.Ask, error) {
	a := hook.Ask{Format: transcript.Pi, Path: e.Path, Dir: e.Cwd, Trigger: "auto", Focus: e.Focus, Window: e.Window, Used: e.Used}
	switch {
	case e.Path != "" && !filepath.IsAbs(e.Path):
		return a, errors.New("the path of the session is not absolute")
	case e.Path == "" && len(e.Lines) == 0:
		return a, errors.New("the event names no session")
	case e.Path == "":
		for _, line := range e.Lines {
			if err := line.Compact(); err != nil {
				return a, err
			}
			a.Data = append(append(a.Data, line...), '\n')
		}
	}
	if a.Person = e.Reason == "manual"; a.Person || e.Reason == "cold" {
		a.Trigger = e.Reason
	}
	return a, nil
}
