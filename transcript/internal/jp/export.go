package jp

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
	"tenfold/internal/shield"
	"tenfold/transcript/internal/engine"
	"tenfold/transcript/internal/intake"
	"tenfold/transcript/internal/walk"
)

// export writes the events.json of a JP conversation. What was imported
// from one is written as it was; for everything else events are made, overlays
// as RFD 064 shapes them.
func export(w io.Writer, v engine.View) ([]string, error) {
	x := &Export{view: v, Out: engine.NewOut(w), now: v.Created, thoughts: map[string]string{}}
	if x.now.IsZero() {
		x.now = time.Unix(0, 0)
	}
	if v.Compacted {
		x.compacted()
	} else {
		x.whole()
	}
	last := "\n]\n"
	if !x.wrote {
		last = "[]\n"
	}
	x.Write(last)
	return x.warn.Text(), x.Done()
}

type Export struct {
	engine.Out
	view  engine.View
	scan  walk.Scanner
	warn  intake.Warnings
	wrote bool
	now   time.Time
	// thoughts are Gemini's signatures by the call they stand on.
	thoughts map[string]string
	turns    Turns // as the events that are written make them
	buf      jsontext.Value
}

// native reports whether an entry's source is an event of JP.
func (x *Export) native(e tenfold.Entry) bool {
	switch x.view.Format {
	case intake.JP:
		return true
	case intake.Tenfold, "": // it may have been
	default:
		return false
	}
	if u, ok := e.Payload.(tenfold.Unknown); ok {
		return strings.HasPrefix(string(u.Name), "jp.")
	}
	return strings.HasPrefix(e.ID, "event:")
}

// whole writes all that was said.
func (x *Export) whole() {
	records := map[string][]tenfold.Entry{}
	log := x.view.Projection.Log()
	for e := range log.Entries() {
		id := intake.RecordID(e.ID)
		records[id] = append(records[id], e)
	}
	own := map[string]string{} // events rebuilt, by the id of their record
	for id, entries := range records {
		for _, e := range entries {
			if e.Source == "" || !x.native(e) {
				continue
			}
			if event, ok := rebuildJP(&x.scan, e.Source, entries); ok {
				own[id] = event
			}
			break
		}
	}
	x.number(own)
	live := engine.LiveOverlays(log)
	for e := range log.Entries() {
		event, ok := own[intake.RecordID(e.ID)]
		switch c, isOverlay := e.Payload.(tenfold.Compaction); {
		case ok:
			if isOverlay && !live[e.ID] {
				x.warn.Add(0, "undone compaction takes effect again: jp has no form for undoing",
					"undone compactions take effect again: jp has no form for undoing")
			}
			if e.Source != "" {
				x.event(event)
			}
		case isOverlay:
			x.overlay(e, c, live[e.ID])
		case e.ID == "base-config" && e.Source == "":
			x.warn.Add(0, "configuration is in base_config.json beside the events and is not written: copy that file along", "")
		default:
			x.entry(e)
		}
	}
}

// number finds out how JP will number the turns. A turn_start that the importer
// put in is not written.
func (x *Export) number(own map[string]string) {
	log := x.view.Projection.Log()
	for e := range log.Entries() {
		_, native := own[intake.RecordID(e.ID)]
		kind := e.Payload.Kind()
		switch {
		case e.Branch != "" || native && e.Source == "":
		case kind == tenfold.KindTurnStart:
			turn, _, _ := log.Where(e.Seq)
			x.turns.Start(turn)
		case kind.Visible() || native && kind == tenfold.KindApproval:
			x.turns.Holds = true
		}
	}
}

// compacted writes what a model sees, under the configuration in effect.
func (x *Export) compacted() {
	// What is in effect as a whole comes last: a summary placed in the system
	// prompt stands there alone.
	var effective []tenfold.Entry
	for e := range x.view.Projection.Entries() {
		if d, ok := e.Payload.(tenfold.ConfigDelta); ok && d.Extra == "" {
			effective = append(effective, e)
			continue
		}
		if e.Payload.Kind() != tenfold.KindConfigDelta {
			for _, c := range effective {
				x.entry(c)
			}
			effective = nil
		}
		x.entry(e)
	}
	for _, c := range effective { // the view shows nothing else
		x.entry(c)
	}
}

// event writes one event, indented as JP does.
func (x *Export) event(raw string) {
	sep := ",\n  "
	if !x.wrote {
		sep = "[\n  "
	}
	x.wrote = true
	x.buf = append(x.buf[:0], raw...)
	if err := x.buf.Indent(jsontext.WithIndent("  "), jsontext.WithIndentPrefix("  "), jsontext.AllowDuplicateNames(true),
		jsontext.AllowInvalidUTF8(true), jsontext.PreserveRawStrings(true)); err != nil {
		x.Fail(fmt.Errorf("event is not JSON: %w", err))
	}
	x.Write(sep, string(x.buf))
}

// The events, with their members in the order in which JP writes them.
type (
	jpHead struct {
		Time string `json:"timestamp"`
		Type string `json:"type"`
	}
	jpRequest struct {
		jpHead
		Content string `json:"content"`
	}
	jpMessage struct {
		jpHead
		Message string `json:"message"`
	}
	jpReasoning struct {
		jpHead
		Reasoning string            `json:"reasoning"`
		Metadata  map[string]string `json:"metadata,omitzero"`
	}
	jpCall struct {
		jpHead
		ID        string            `json:"id"`
		Name      string            `json:"name"`
		Arguments jsontext.Value    `json:"arguments"`
		Metadata  map[string]string `json:"metadata,omitzero"`
	}
	jpResult struct {
		jpHead
		ID      string `json:"id"`
		Content string `json:"content"`
		IsError bool   `json:"is_error"`
	}
	jpDelta struct {
		Type  string         `json:"type"`
		Time  string         `json:"timestamp"`
		Delta jsontext.Value `json:"delta"`
	}
	jpCompaction struct {
		jpHead
		From      int            `json:"from_turn"`
		To        int            `json:"to_turn"`
		Summary   *jpSummary     `json:"summary,omitzero"`
		Reasoning string         `json:"reasoning,omitzero"`
		Tools     jsontext.Value `json:"tool_calls,omitzero"`
	}
	jpSummary struct {
		Text string `json:"summary"`
	}
)

func (x *Export) head(typ string) jpHead {
	return jpHead{x.now.UTC().Format("2006-01-02 15:04:05.000000"), typ}
}

func (x *Export) marshalled(v any) { x.event(x.Marshal(v)) }

// entry makes the event of one entry.
func (x *Export) entry(e tenfold.Entry) {
	if !e.Time.IsZero() {
		x.now = e.Time
	}
	if e.Branch != "" {
		if e.Payload.Kind().Visible() {
			x.warn.NoForm(e, intake.JP)
		}
		return
	}
	switch p := e.Payload.(type) {
	case tenfold.TurnStart:
		x.marshalled(x.head("turn_start"))
	case tenfold.UserMessage:
		text := intake.Joiner{Between: "\n\n"}
		text.Add(x.Text(p.Parts, text.Between))
		for _, a := range p.Attachments {
			text.Add(a.Element())
		}
		x.marshalled(jpRequest{x.head("chat_request"), text.String()})
	case tenfold.AssistantMessage:
		x.marshalled(jpMessage{x.head("chat_response"), p.Text})
	case tenfold.Reasoning:
		x.reasoning(p)
	case tenfold.ToolCall:
		if !jsontext.Value(p.Arguments).IsValid() {
			x.warn.Add(0, "call has arguments that are not a JSON object: they are written as its input", "calls have arguments that are not a JSON object: they are written as their input")
		}
		event := jpCall{jpHead: x.head("tool_call_request"), ID: p.CallID, Name: p.Name, Arguments: jsontext.Value(EncodeStrings(p.Arguments))}
		if thought, ok := x.thoughts[p.CallID]; ok {
			event.Metadata = map[string]string{"google_thought_signature": thought}
			delete(x.thoughts, p.CallID)
		}
		x.marshalled(event)
	case tenfold.ToolResult:
		content := base64.StdEncoding.EncodeToString([]byte(x.Text(p.Parts, "\n")))
		x.marshalled(jpResult{x.head("tool_call_response"), p.CallID, content, p.IsError})
	case tenfold.ConfigDelta:
		x.config(p)
	case tenfold.ProviderItem, tenfold.Approval, tenfold.Pin, tenfold.Unknown:
		x.warn.NoForm(e, intake.JP)
	}
}

// reasoning writes thinking with its signature, in one layer of base64 as all
// of JP's metadata. Other opaque data has no place.
func (x *Export) reasoning(r tenfold.Reasoning) {
	event := jpReasoning{jpHead: x.head("chat_response"), Reasoning: r.Text}
	signature := base64.StdEncoding.EncodeToString([]byte(r.Signature))
	switch {
	case r.Signature != "" && r.Provider == "gemini" && r.CallID != "" && r.Text == "":
		x.thoughts[r.CallID] = signature
		return
	case r.Signature != "" && r.Provider == "anthropic":
		event.Metadata = map[string]string{"anthropic_thinking_signature": signature}
	case r.Signature != "" && r.Provider == "gemini":
		event.Metadata = map[string]string{"google_thought_signature": signature}
	case r.Text == "" || r.Encrypted != "":
		x.warn.Add(0, "block of encrypted reasoning has no form in jp and is left out", "blocks of encrypted reasoning have no form in jp and are left out")
		if r.Text == "" {
			return
		}
	}
	x.marshalled(event)
}

// Text joins parts; a file is named, for JP's events hold none.
func (x *Export) Text(parts []tenfold.Part, between string) string {
	text := intake.Joiner{Between: between}
	for _, p := range parts {
		if p.File == nil {
			text.Add(p.Text)
			continue
		}
		x.warn.Add(0, "image or file has no form in jp: only its name is written", "images or files have no form in jp: only their names are written")
		if p.File.URI == "" && p.File.Detail != "" {
			text.Add(p.File.Detail)
			continue
		}
		name := cmp.Or(p.File.Name, string(p.File.Type))
		if !strings.HasPrefix(p.File.URI, "data:") && p.File.URI != "" {
			name += " " + p.File.URI
		}
		text.Add("[" + shield.Label(name) + "]")
	}
	return text.String()
}
