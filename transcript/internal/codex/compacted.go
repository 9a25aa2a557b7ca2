package codex

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
	"tenfold/transcript/internal/engine"
	"tenfold/transcript/internal/intake"
)

// compacted writes what a model sees.
func (x *codexWriter) compacted() {
	p := x.view.Projection
	system, settings := x.sessionRecords()
	config := p.Config()
	if system == nil && config.System != p.Continuation() {
		x.warn.NoForm(tenfold.Entry{Payload: tenfold.ConfigDelta{}}, intake.Codex)
	}
	var base *codexText
	if system != nil {
		base = &codexText{config.System}
	}
	x.begin(x.view.ID+" compacted", base)
	switch {
	case settings != nil:
		x.Line(string(settings))
	default:
		x.settings(config.Model)
	}
	if rest, ok := x.continuation(); ok && system == nil {
		x.response(codexOut{Type: "message", Role: "developer", Content: []codexBlock{{Type: "input_text", Text: &rest}}})
	}
	histories := x.histories()
	for it := range p.Items() {
		if it.Branch != "" {
			x.warn.NoForm(tenfold.Entry{Branch: it.Branch, Payload: it.Payload}, intake.Codex)
			continue
		}
		raw, _ := p.Log().Entry(it.Seq)
		x.at(raw.Time)
		if item := x.unchanged(it, raw, histories); item != nil {
			x.noteWritten(it.Payload, x.record.Look(string(item)).Peek("type"))
			x.response(item)
		} else {
			for _, out := range x.items(it.Payload, x.record.shape(raw.Source)) {
				x.response(out)
			}
		}
		x.repeatForInterface(it.Payload)
	}
}

// sessionRecords finds what a rollout said about its session: its system
// prompt, nil when the conversation came from elsewhere, and the line with its
// settings of last.
func (x *codexWriter) sessionRecords() (system *string, settings []byte) {
	for group := range engine.Groups(x.view.Projection.Log().Entries()) {
		for _, e := range group {
			d, ok := e.Payload.(tenfold.ConfigDelta)
			if !ok || e.Source == "" {
				continue
			}
			switch x.record.Look(e.Source).Peek("type") {
			case "session_meta":
				system = d.System
			case "turn_context":
				if line, ok := x.record.line(group, false); ok {
					settings = line
				}
			}
		}
	}
	return system, settings
}

// continuation is what summaries add to the system prompt (P4): where Codex
// brings its own, that has to be said elsewhere.
func (x *codexWriter) continuation() (string, bool) {
	raw := ""
	for e := range x.view.Projection.Log().Entries() {
		if d, ok := e.Payload.(tenfold.ConfigDelta); ok && d.System != nil {
			raw = *d.System
		}
	}
	rest := strings.TrimSpace(strings.TrimPrefix(x.view.Projection.Config().System, raw))
	return rest, rest != ""
}

// histories gives the items that compactions of Codex put into the history, by
// the ids of their entries.
func (x *codexWriter) histories() map[string]jsontext.Value {
	found := map[string]jsontext.Value{}
	for group := range engine.Groups(x.view.Projection.Log().Entries()) {
		if !slices.ContainsFunc(group, func(e tenfold.Entry) bool { _, ok := historyIndex(e.ID); return ok }) {
			continue
		}
		line, ok := x.record.line(group, false)
		if !ok {
			continue
		}
		root := x.record.Look(string(line))
		if root.Peek("type") != "compacted" {
			continue
		}
		items := root.Object("payload").Items("replacement_history")
		count := map[int]int{}
		for _, e := range group {
			if i, ok := historyIndex(e.ID); ok {
				count[i]++
			}
		}
		for _, e := range group {
			if i, ok := historyIndex(e.ID); ok && count[i] == 1 && i < len(items) {
				found[e.ID] = slices.Clone(jsontext.Value(items[i].Of(x.record.Raw)))
			}
		}
	}
	return found
}

// unchanged gives the item of an entry as it was, when the projection shows
// the entry as it was, and nil otherwise.
func (x *codexWriter) unchanged(it tenfold.Item, raw tenfold.Entry, histories map[string]jsontext.Value) jsontext.Value {
	if it.Seq == 0 || it.By != "" || it.Noted {
		return nil
	}
	if res, ok := it.Payload.(tenfold.ToolResult); ok && !x.written[res.CallID].same {
		return nil // its call was written anew, and so is this
	}
	item := histories[it.ID]
	if item == nil {
		item = x.record.item(raw)
	}
	if call, ok := it.Payload.(tenfold.ToolCall); ok && item != nil && x.uses[call.CallID] > 0 {
		return nil // the id is taken
	}
	return item
}

// noteWritten remembers calls and results that were written as they were.
func (x *codexWriter) noteWritten(p tenfold.Payload, typ string) {
	switch p := p.(type) {
	case tenfold.ToolCall:
		x.uses[p.CallID]++
		output := "function_call_output"
		switch typ {
		case "custom_tool_call":
			output = "custom_tool_call_output"
		case "tool_search_call":
			output = "tool_search_output"
		}
		x.written[p.CallID] = codexCall{id: p.CallID, output: output, same: true}
	case tenfold.ToolResult:
		delete(x.written, p.CallID)
	}
}
