package transcript

import (
	"strings"

	"tenfold"
)

// config reads what Tenfold models of a JP configuration, whole or partial:
// the model and the system prompt. The rest stays in Extra, instructions
// included, for how JP words them to a model is not in the file.
func (j *jp) config(delta []byte) tenfold.ConfigDelta {
	out := tenfold.ConfigDelta{Extra: string(delta)}
	s := &scanner{}
	s.reset(delta)
	eachMember(s, func(name []byte) {
		if string(name) != `"assistant"` {
			s.value()
			return
		}
		eachMember(s, func(name []byte) {
			switch string(name) {
			case `"system_prompt"`:
				if t, ok := stringOrValue(s); ok {
					out.System = &t
				}
			case `"model"`:
				out.Model = jpModel(s)
			default:
				s.value()
			}
		})
	})
	return out
}

// stringOrValue reads a string, or an object that holds one as its value
// beside a merge strategy.
func stringOrValue(s *scanner) (string, bool) {
	if s.kind() == '"' {
		return s.text(), true
	}
	text, ok := "", false
	eachMember(s, func(name []byte) {
		if string(name) == `"value"` && s.kind() == '"' {
			text, ok = s.text(), true
		} else {
			s.value()
		}
	})
	return text, ok
}

// jpModel reads {"id":"provider/name"} or {"id":{"provider":…,"name":…}}. An
// alias or a provider alone names no model.
func jpModel(s *scanner) string {
	var whole, provider, model string
	eachMember(s, func(name []byte) {
		switch {
		case string(name) == `"id"` && s.kind() == '"':
			whole = s.text()
		case string(name) == `"id"`:
			eachMember(s, func(name []byte) {
				switch string(name) {
				case `"provider"`:
					provider = s.text()
				case `"name"`:
					model = s.text()
				default:
					s.value()
				}
			})
		default:
			s.value()
		}
	})
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
func (j *jp) compaction(e *jpEvent, w *contentWriter) (tenfold.Compaction, bool) {
	from, ok1 := e.turn(e.fromTo)
	to, ok2 := e.turn(e.toTo)
	if !ok1 || !ok2 || from > to {
		return tenfold.Compaction{}, false
	}
	if from, to = j.turns.ours(from, to, j.root.turn); from > to {
		return tenfold.Compaction{}, false
	}
	o := tenfold.Compaction{FromTurn: from, ToTurn: to, Source: "import"}
	text := e.summaryText
	if !text.found() {
		text = e.summary
	}
	if e.isText(text) {
		if t := w.text(text); t != "" {
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

func (e *jpEvent) turn(at span) (int, bool) {
	if !at.found() {
		return 0, false
	}
	n, digits := 0, at.of(e.raw)
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
func (e *jpEvent) policy(at span) (jpPolicy, bool) {
	p := jpPolicy{request: true, response: true}
	if !at.found() {
		return p, false
	}
	s := &scanner{}
	s.reset(at.of(e.raw))
	if s.kind() == '"' {
		p.name = strings.ToLower(s.text())
		return p, s.err == nil
	}
	sides := func(name []byte) {
		switch {
		case string(name) == `"request"`:
			p.request = s.flag()
		case string(name) == `"response"`:
			p.response = s.flag()
		default:
			s.value()
		}
	}
	eachMember(s, func(name []byte) {
		switch string(name) {
		case `"policy"`:
			p.name = strings.ToLower(s.text())
		case `"strip"`, `"omit"`, `"Strip"`, `"Omit"`:
			p.name = strings.ToLower(strings.Trim(string(name), `"`))
			eachMember(s, sides)
		default:
			sides(name)
		}
	})
	return p, s.err == nil && p.name != ""
}
