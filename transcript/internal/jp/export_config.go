package jp

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
	"tenfold/transcript/internal/engine"
	"tenfold/transcript/internal/intake"
	"tenfold/transcript/internal/walk"
)

// config writes a change of the configuration: one of JP's own as it is, of
// others the model and the system prompt.
func (x *Export) config(d tenfold.ConfigDelta) {
	own, event := x.ownConfig(d.Extra)
	switch {
	case event: // of the form that has its keys in the event itself
		x.event(d.Extra)
		return
	case own:
		x.marshalled(jpDelta{"config_delta", x.head("").Time, jsontext.Value(d.Extra)})
		return
	}
	if d.Tools != nil {
		x.warn.Add(0, "list of tools has no form in jp and is left out", "lists of tools have no form in jp and are left out")
	}
	type id struct {
		Provider string `json:"provider"`
		Name     string `json:"name"`
	}
	type model struct {
		ID id `json:"id"`
	}
	var delta struct {
		Assistant struct {
			System *string `json:"system_prompt,omitzero"`
			Model  *model  `json:"model,omitzero"`
		} `json:"assistant"`
	}
	delta.Assistant.System = d.System
	if d.Model != "" {
		provider, name := jpModelID(d.Model)
		if provider == "" {
			x.warn.Add(0, "model is of a provider that jp may not know and is left out", "models are of providers that jp may not know and are left out")
		} else {
			delta.Assistant.Model = &model{id{provider, name}}
		}
	}
	if delta.Assistant.System == nil && delta.Assistant.Model == nil {
		return
	}
	x.marshalled(jpDelta{"config_delta", x.head("").Time, jsontext.Value(x.Marshal(delta))})
}

// jpConfiguration are members of a configuration of JP's.
var jpConfiguration = [...]string{
	"inherit", "config_load_paths", "extends", "assistant", "conversation", "style", "editor", "template",
	"providers", "timestamp", "plugins", "user", "access", "interrupt", "loaded_paths",
}

// ownConfig reports whether a partial configuration is one of JP's, or even a
// whole event.
func (x *Export) ownConfig(extra string) (own, event bool) {
	if !jsontext.Value(extra).IsValid(walk.ScanOptions...) {
		return false, false
	}
	ours, all := 0, 0
	x.scan.Reset([]byte(extra))
	walk.EachMember(&x.scan, func(name []byte) {
		all++
		if slices.Contains(jpConfiguration[:], string(name[1:len(name)-1])) {
			ours++
		}
		if text := x.scan.Text(); string(name) == `"type"` {
			event = text == "config_delta"
		}
	})
	own = x.scan.Err == nil && ours > 0 && 2*ours >= all
	return own, own && event
}

// jpModelID gives a model as JP names it; no provider when there is no telling.
func jpModelID(model string) (provider, name string) {
	if provider, name, ok := strings.Cut(model, "/"); ok && provider != "" && name != "" {
		return provider, name
	}
	return engine.Vendor(model), model
}

// overlay writes a compaction where RFD 064 has a form for all it does.
func (x *Export) overlay(e tenfold.Entry, c tenfold.Compaction, live bool) {
	if !live {
		return // what it hid is there
	}
	var event jpCompaction
	var fits bool
	event.From, event.To, fits = x.turns.Theirs(c.FromTurn, c.ToTurn, x.view.Projection.Log().Turns()-1)
	fits = fits && c.ToStep == nil && c.Texts == nil && c.Attachments == nil && c.ToolDefinitions == nil && c.Turns == ""
	if s := c.Summary; s != nil {
		fits = fits && (s.Placement == "" || s.Placement == tenfold.PlacePair)
		event.Summary = &jpSummary{s.Text}
	}
	if r := c.Reasoning; r != nil {
		fits = fits && r.Action == tenfold.Strip && r.Over == 0
		event.Reasoning = "strip"
	}
	if t := c.ToolCalls; t != nil {
		fits = fits && t.Over == 0 && !t.FirstLine && !t.Recall && t.Stub == "" && t.Arguments == "" && len(t.Hints)+len(t.Calls) == 0
		switch t.Action {
		case tenfold.Omit:
			event.Tools = jsontext.Value(`"omit"`)
		case tenfold.Strip:
			event.Tools = jsontext.Value(x.Marshal(struct {
				Policy   string `json:"policy"`
				Request  bool   `json:"request"`
				Response bool   `json:"response"`
			}{"strip", t.Request, t.Response}))
		default:
			fits = false
		}
	}
	if !fits || (event.Summary == nil && event.Reasoning == "" && event.Tools == nil) {
		x.warn.NoForm(e, intake.JP)
		return
	}
	if !e.Time.IsZero() {
		x.now = e.Time
	}
	event.jpHead = x.head("compaction")
	x.marshalled(event)
}
