package strategy

import (
	"context"
	"fmt"
	"strconv"

	"tenfold"
)

// stripReasoning is S-1.
type stripReasoning struct{}

func (stripReasoning) Name() string { return "strip-reasoning" }

func (stripReasoning) Propose(_ context.Context, _ *tenfold.Projection, o Options) ([]tenfold.Compaction, error) {
	return []tenfold.Compaction{o.Range.On(tenfold.Compaction{
		Strategy: "strip-reasoning", Source: o.Source,
		Reasoning: &tenfold.Policy{Action: tenfold.Strip},
	})}, nil
}

// stripTools is S-2: tool calls strip, with hints and size gate.
type stripTools struct {
	name              string
	request, response bool
	firstLine         bool
	over              tenfold.Size
}

func (s stripTools) Name() string { return s.name }

func (s stripTools) Propose(_ context.Context, p *tenfold.Projection, o Options) ([]tenfold.Compaction, error) {
	return []tenfold.Compaction{o.Range.On(tenfold.Compaction{
		Strategy: s.name, Source: o.Source,
		ToolCalls: &tenfold.ToolPolicy{
			Action: tenfold.Strip, Request: s.request, Response: s.response,
			Over: s.over, FirstLine: s.firstLine, Hints: o.Hints.For(p.ToolNames()),
		},
	})}, nil
}

func (s stripTools) with(key, value string) (Strategy, error) {
	var err error
	switch key {
	case "over":
		s.over, err = tenfold.ParseSize(value)
	case "request":
		s.request, err = strconv.ParseBool(value)
	case "response":
		s.response, err = strconv.ParseBool(value)
	case "first_line":
		s.firstLine, err = strconv.ParseBool(value)
	default:
		return nil, fmt.Errorf("no parameter %q: there are over, request, response, first_line", key)
	}
	if err != nil {
		return nil, fmt.Errorf("%s=%s: write a size (2KB) for over, true or false for the others", key, value)
	}
	return s, nil
}
