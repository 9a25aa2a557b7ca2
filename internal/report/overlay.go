package report

import (
	"tenfold"
	"tenfold/internal/config"
	"tenfold/session"
	"tenfold/token"
)

type (
	// An Overlay is a compaction that a log holds.
	Overlay struct {
		ID       string   `json:"id"`
		FromTurn int      `json:"from_turn"`
		ToTurn   int      `json:"to_turn"`
		ToStep   *int     `json:"to_step,omitzero"`
		Slots    []string `json:"slots" doc:"what it changes"`
		Profile  string   `json:"profile,omitzero"`
		Strategy string   `json:"strategy,omitzero"`
		Source   string   `json:"source,omitzero"`
		Live     bool     `json:"live" doc:"false while it is undone"`
		Before   int      `json:"tokens_before,omitzero"`
		After    int      `json:"tokens_after,omitzero"`
		Reason   string   `json:"reason,omitzero"`
		Summary  *Written `json:"summary,omitzero"`
		// Command is shared by the overlays of one command: they are undone
		// together.
		Command string `json:"command,omitzero" doc:"shared by the overlays of one command, which are undone together"`
	}
	// Written says who wrote a summary, and what that cost.
	Written struct {
		Model     string     `json:"model,omitzero"`
		Placement string     `json:"placement,omitzero"`
		Entries   int        `json:"entries,omitzero" doc:"how many it stands for"`
		Tokens    int        `json:"tokens,omitzero" doc:"what they cost"`
		Usage     *Paid      `json:"usage,omitzero"`
		Artifacts *Artifacts `json:"artifacts,omitzero"`
	}
	// Paid is what a model took for a summary.
	Paid struct {
		Model      string `json:"model,omitzero"`
		Input      int    `json:"input"`
		Output     int    `json:"output"`
		CacheRead  int    `json:"cache_read"`
		CacheWrite int    `json:"cache_write"`
		// Cost is in US dollars, left out where it is unknown.
		Cost *float64 `json:"cost,omitzero" doc:"US$, left out where unknown"`
	}
	// Artifacts are the files of a summary.
	Artifacts struct {
		Input   string `json:"input,omitzero"`
		Summary string `json:"summary,omitzero"`
	}
	// A Setting is one that a conversation keeps. Without a value the conversation
	// does not keep it any longer.
	Setting struct {
		Key   string `json:"key"`
		Value any    `json:"value"`
	}
	// Parted says why a transcript became a conversation of its own.
	Parted struct {
		// From is the conversation that it no longer continues.
		From string `json:"from"`
		// Why is "cut" where the transcript is a prefix, else "differs".
		Why  string `json:"why"`
		Turn int    `json:"turn"`
	}
	// A Change is what an undo or a redo did: overlays of a command that replaced
	// others are undone and redone with them, which change the other way.
	Change struct {
		Conversation string    `json:"conversation"`
		DryRun       bool      `json:"dry_run,omitzero"`
		Redone       []Overlay `json:"redone,omitempty"`
		Tokens       Tokens    `json:"tokens" doc:"of the view before and after the change"`
		Undone       []Overlay `json:"undone,omitempty"`
	}
)

// OverlayOf gives an overlay as it is reported.
func OverlayOf(o tenfold.Overlay, scale token.Scale) Overlay {
	c := o.Compaction
	before, after := scale.Sizes(c)
	return Overlay{
		ID: o.ID, FromTurn: c.FromTurn, ToTurn: c.ToTurn, ToStep: c.ToStep, Slots: Slots(c), Profile: c.Profile,
		Strategy: c.Strategy, Source: c.Source, Live: o.Live, Before: before, After: after,
		Reason: c.Reason, Summary: WrittenOf(c.Summary, scale), Command: c.Command,
	}
}

// Slots names what an overlay changes; empty, not nil, for nothing.
func Slots(c tenfold.Compaction) []string {
	names := []string{}
	for _, slot := range []struct {
		name string
		set  bool
	}{
		{"summary", c.Summary != nil},
		{"turns", c.Turns != ""},
		{"reasoning", c.Reasoning != nil},
		{"tool_calls", c.ToolCalls != nil},
		{"texts", c.Texts != nil},
		{"attachments", c.Attachments != nil},
		{"tool_definitions", c.ToolDefinitions != nil},
	} {
		if slot.set {
			names = append(names, slot.name)
		}
	}
	return names
}

// WrittenOf is nil without a summary. The scale is that of the report.
func WrittenOf(s *tenfold.Summary, scale token.Scale) *Written {
	if s == nil {
		return nil
	}
	out := &Written{Model: s.Model, Placement: string(s.Placement), Entries: s.Covers.Entries, Tokens: scale.Tokens(s.Covers.Tokens)}
	if u := s.Usage; u != nil {
		out.Usage = &Paid{u.Model, u.Input, u.Output, u.CacheRead, u.CacheWrite, u.Cost}
	}
	if a := s.Artifacts; a != nil {
		out.Artifacts = &Artifacts{a.Input, a.Summary}
	}
	return out
}

// Settings are settings as they are reported, tables aside.
func Settings(all []config.Setting) []Setting {
	var out []Setting
	for _, s := range all {
		if !s.Table {
			out = append(out, Setting{s.Key(), s.Value})
		}
	}
	return out
}

// SettingsIn are the settings that entries set or remove.
func SettingsIn(entries []tenfold.Entry) []config.Setting {
	var all []config.Setting
	for _, e := range entries {
		if d, ok := e.Payload.(tenfold.ConfigDelta); ok {
			all = append(all, config.SettingsOf(d.Extra)...)
		}
	}
	return all
}

// PartedOf is nil where a transcript continues its conversation.
func PartedOf(p *session.Parting) *Parted {
	if p == nil {
		return nil
	}
	why := "differs"
	if p.Cut {
		why = "cut"
	}
	return &Parted{p.From, why, p.Turn}
}

// Changed reports what an undo or a redo did: p is the projection with it, before
// what the view cost without.
func Changed(conversation string, p *tenfold.Projection, before int, redo bool, overlays []tenfold.Overlay) Change {
	scale := token.Calibrate(p.Log())
	c := Change{Conversation: conversation, Tokens: Scaled(CounterOf(p.Log()), before, p.Tokens(), scale)}
	list := make([]Overlay, len(overlays))
	for i, o := range overlays {
		list[i] = OverlayOf(o, scale)
	}
	if redo {
		c.Redone = list
	} else {
		c.Undone = list
	}
	return c
}
