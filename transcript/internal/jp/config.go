package jp

import (
	"strings"

	"tenfold"
	"tenfold/transcript/internal/engine"
	"tenfold/transcript/internal/walk"
)

// config reads what Tenfold models of a JP configuration, whole or partial:
// the model and the system prompt. The rest stays in Extra, instructions
// included, for how JP words them to a model is not in the file.
func (j *jp) config(delta []byte) tenfold.ConfigDelta {
	out := tenfold.ConfigDelta{Extra: string(delta)}
	s := &walk.Scanner{}
	s.Reset(delta)
	walk.Shape{"assistant", walk.Inner(
		"system_prompt", func() {
			if t, ok := stringOrValue(s); ok {
				out.System = &t
			}
		},
		"model", func() { out.Model = jpModel(s) },
	)}.Read(s)
	return out
}

// stringOrValue reads a string, or an object that holds one as its value
// beside a merge strategy.
func stringOrValue(s *walk.Scanner) (string, bool) {
	if s.Kind() == '"' {
		return s.Text(), true
	}
	text, ok := "", false
	walk.Shape{"value", func() {
		ok = s.Kind() == '"'
		text = s.Text()
	}}.Read(s)
	return text, ok
}

// jpModel reads {"id":"provider/name"} or {"id":{"provider":…,"name":…}}. An
// alias or a provider alone names no model.
func jpModel(s *walk.Scanner) string {
	var whole, provider, model string
	parts := walk.Shape{"provider", &provider, "name", &model}
	walk.Shape{"id", func() {
		if s.Kind() == '"' {
			whole = s.Text()
		} else {
			parts.Read(s)
		}
	}}.Read(s)
	switch {
	case provider != "" && model != "":
		return provider + "/" + model
	case model != "":
		return model
	case strings.Contains(whole, "/"):
		return whole
	}
	return ""
}

// compaction reads an overlay as RFD 064 shapes it. Its turns are JP's.
func (j *jp) compaction(e *jpEvent, w *engine.Finder) (tenfold.Compaction, bool) {
	from, ok1 := e.turn(e.fromTo)
	to, ok2 := e.turn(e.toTo)
	if !ok1 || !ok2 || from > to {
		return tenfold.Compaction{}, false
	}
	if from, to = j.turns.Ours(from, to, j.Place.Turn); from > to {
		return tenfold.Compaction{}, false
	}
	o := tenfold.Compaction{FromTurn: from, ToTurn: to, Source: tenfold.SourceImport}
	text := e.summaryText
	if !text.Found() {
		text = e.summary
	}
	if e.isText(text) {
		if t := w.Text(text); t != "" {
			o.Summary = &tenfold.Summary{Text: t}
		}
	}
	if p, ok := e.policy(e.reasoning); ok && p.name == "strip" {
		o.Reasoning = &tenfold.Policy{Action: tenfold.Strip}
	}
	if p, ok := e.policy(e.tools); ok {
		switch p.name {
		case "strip":
			o.ToolCalls = &tenfold.ToolPolicy{Action: tenfold.Strip, Request: p.request, Response: p.response}
		case "strip-responses":
			o.ToolCalls = &tenfold.ToolPolicy{Action: tenfold.Strip, Response: true}
		case "strip-requests":
			o.ToolCalls = &tenfold.ToolPolicy{Action: tenfold.Strip, Request: true}
		case "omit":
			o.ToolCalls = &tenfold.ToolPolicy{Action: tenfold.Omit}
		}
	}
	if o.Summary == nil && o.Reasoning == nil && o.ToolCalls == nil {
		return o, false
	}
	return o, true
}

func (e *jpEvent) turn(at walk.Span) (int, bool) {
	if !at.Found() {
		return 0, false
	}
	n, digits := 0, at.Of(e.raw)
	for _, c := range digits {
		if c < '0' || c > '9' || n > 1<<30 {
			return 0, false
		}
		n = 10*n + int(c-'0')
	}
	return n, true
}

type jpPolicy struct {
	name              string
	request, response bool
}

// policy reads "strip", {"policy":"strip",…} or {"strip":{…}}.
func (e *jpEvent) policy(at walk.Span) (jpPolicy, bool) {
	p := jpPolicy{request: true, response: true}
	if !at.Found() {
		return p, false
	}
	s := &walk.Scanner{}
	s.Reset(at.Of(e.raw))
	if s.Kind() == '"' {
		p.name = strings.ToLower(s.Text())
		return p, s.Err == nil
	}
	sides := walk.Shape{"request", &p.request, "response", &p.response}
	named := func(name string) func() {
		return func() {
			p.name = name
			sides.Read(s)
		}
	}
	strip, omit := named("strip"), named("omit")
	walk.Shape{
		"policy", func() { p.name = strings.ToLower(s.Text()) },
		"strip", strip, "Strip", strip, "omit", omit, "Omit", omit,
	}.Read(s, sides)
	return p, s.Err == nil && p.name != ""
}
