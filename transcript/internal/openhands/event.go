package openhands

import (
	"cmp"
	"strings"

	"tenfold"
	"tenfold/transcript/internal/engine"
	"tenfold/transcript/internal/intake"
	"tenfold/transcript/internal/walk"
)

// openHands is the import of one conversation of OpenHands.
type openHands struct {
	out  engine.Emitter
	find engine.Finder
	// told are the responses whose text and cost were told already.
	told      map[string]bool
	spent     map[string]tenfold.Usage // by response
	modelName string

	// An action of the oldest logs has no call id; its observation follows it.
	waits, waitsFor, waitsID string // the call, the action's name, its event

	summary string // of the newest condensation that had one
	handled []handled
	keys    map[string]int // event id → handled
	work    int            // events that condensations looked at
}

// handled is an event that was handed on, for the condensations that name it.
type handled struct {
	entries           []string
	turn, step        int
	visible, user     bool
	forgotten, pinned bool
}

// model notes a model when it is another.
func (o *openHands) model(id, name string) error {
	if name == "" || name == o.modelName {
		return nil
	}
	o.modelName = name
	return o.out.Emit(tenfold.Entry{ID: o.out.Ids.Unique(id + "/model"), Payload: tenfold.ConfigDelta{Model: name}})
}

// event takes one event.
func (o *openHands) event(raw []byte) error {
	f := &o.find
	m := f.Compact(raw)
	key := m.Peek("id")
	id := key
	if at := m.Get("id"); f.Is(at, '0') {
		key = "event-" + string(at.Of(f.Raw))
		id = intake.Numbered(key, f.Raw)
	}
	o.note(key)
	if !intake.PlainID(id) {
		id = "event:" + intake.Digest(f.Raw)
	}
	id = o.out.Ids.Unique(id)
	o.out.At(engine.JpTime(m.Peek("timestamp")))
	switch {
	case m.Get("kind").Found():
		return o.sdkEvent(id, m)
	case f.Is(m.Get("action"), '"'):
		return o.action(id, m)
	case f.Is(m.Get("observation"), '"'):
		return o.observation(id, m)
	}
	return o.out.KeepOdd("event", id, "openhands-events.untyped", f.Raw)
}

// note begins to remember an event.
func (o *openHands) note(key string) {
	if o.keys == nil {
		o.keys = map[string]int{}
	}
	if _, ok := o.keys[key]; !ok && key != "" {
		o.keys[key] = len(o.handled)
	}
	o.handled = append(o.handled, handled{})
}

// put hands on the entries of an event, which share the id of their response.
func (o *openHands) put(id, response string, payloads ...tenfold.Payload) error {
	list := o.find.Record(id, payloads...)
	h := &o.handled[len(o.handled)-1]
	for _, e := range list {
		if response != "" {
			e.MessageID = response
		}
		_ = o.out.Emit(e)
		if e.Payload.Kind().Visible() {
			h.visible = true
			h.user = h.user || e.Payload.Kind() == tenfold.KindUserMessage
			h.entries = append(h.entries, e.ID)
			h.turn, h.step = o.out.Place.Turn, o.out.Place.Step
		}
	}
	return nil
}

// keep hands on an event that no model sees.
func (o *openHands) keep(id, kind string) error {
	return o.out.Keep(id, tenfold.Kind("openhands-events."+cmp.Or(kind, "untyped")), o.find.Raw)
}

// user hands on what a person said.
func (o *openHands) user(id string, parts []tenfold.Part) error {
	o.out.Turn(id)
	return o.put(id, "", tenfold.UserMessage{Parts: parts})
}

// action takes an action of the first versions.
func (o *openHands) action(id string, m engine.Members) error {
	f := &o.find
	action, source, args := m.Peek("action"), m.Peek("source"), m.Get("args")
	in := f.Object(args)
	if !in.Any() {
		in = m // the oldest have their arguments beside the rest
	}
	switch action {
	case "system":
		return o.prompt(id, f.Text(in.Get("content")), in.Get("tools"))
	case "message":
		if source == "agent" {
			return o.put(id, "", tenfold.AssistantMessage{Text: f.Text(in.Get("content"))})
		}
		parts := tenfold.Text(f.Text(in.Get("content")))
		for _, name := range [...]string{"image_urls", "images_urls"} {
			for _, at := range in.Items(name) {
				if f.Is(at, '"') {
					parts = append(parts, tenfold.Part{File: &tenfold.File{Type: tenfold.PartImage, URI: f.Text(at)}})
				}
			}
		}
		return o.user(id, parts)
	case "condensation":
		return o.condense(id, in)
	case "recall", "change_agent_state", "null", "condensation_request", "delegate", "pause", "resume", "stop", "start":
		return o.keep(id, action)
	}
	meta := m.Object("tool_call_metadata")
	if meta.Any() {
		return o.tracked(id, meta, args)
	}
	thought := f.Text(in.Get("thought"))
	if action == "finish" || action == "reject" {
		if thought == "" {
			thought = f.Text(in.Get("final_thought"))
		}
		return o.put(id, "", tenfold.AssistantMessage{Text: thought})
	}
	if source == "user" { // a person ran it, and the model was told
		return o.put(id, "", tenfold.UserMessage{Parts: tenfold.Text("User ran " + action + ": " + in.Peek("command")), Purpose: tenfold.Notice, Synthetic: true})
	}
	var list []tenfold.Payload
	if thought != "" {
		list = append(list, tenfold.AssistantMessage{Text: thought})
	}
	call := tenfold.ToolCall{CallID: "call-" + strings.NewReplacer(":", "-", "~", "-").Replace(id), Name: action, Arguments: o.arguments(in)}
	o.waits, o.waitsFor, o.waitsID = call.CallID, action, string(m.Get("id").Of(f.Raw))
	return o.put(id, call.CallID, append(list, call)...)
}

// arguments gives the arguments of an action that was not a call.
func (o *openHands) arguments(in engine.Members) string {
	b := []byte{'{'}
	for _, one := range in.List {
		switch string(one.Name) {
		case `"command"`, `"code"`, `"path"`, `"content"`, `"url"`, `"start"`, `"end"`, `"browser_actions"`, `"task_list"`, `"name"`, `"arguments"`:
			if len(b) > 1 {
				b = append(b, ',')
			}
			b = append(append(append(b, one.Name...), ':'), one.At.Of(o.find.Raw)...)
		}
	}
	return string(append(b, '}'))
}

// tracked takes an action that the model asked for by a call. Parallel calls
// come as events of their own, each with the whole response.
func (o *openHands) tracked(id string, meta engine.Members, args walk.Span) error {
	f := &o.find
	response := meta.Object("model_response")
	responseID := cmp.Or(response.Peek("id"), id)
	call := tenfold.ToolCall{CallID: meta.Peek("tool_call_id"), Name: meta.Peek("function_name")}
	var message engine.Members
	if choices := response.Items("choices"); len(choices) > 0 {
		message = f.Object(f.In(choices[0], "message"))
	}
	var list []tenfold.Payload
	first := !o.told[responseID]
	if first {
		o.told[responseID] = true
		_ = o.model(id, response.Peek("model"))
		list = f.Thoughts(message.Get("thinking_blocks"))
		if at := message.Get("reasoning_content"); len(list) == 0 && f.Peek(at) != "" {
			list = append(list, tenfold.Reasoning{Text: f.Text(at)})
		}
		if text := f.Words(message.Get("content")); text != "" {
			list = append(list, tenfold.AssistantMessage{Text: text})
		}
	}
	found := false
	for _, at := range message.Items("tool_calls") {
		if f.Peek(f.In(at, "id")) != call.CallID || found {
			continue
		}
		if c, ok := f.Call(at); ok {
			call, found = c, true
		}
	}
	if !found && args.Found() {
		call.Arguments = f.Whole(args)
	}
	if err := o.put(id, responseID, append(list, call)...); err != nil || !first {
		return err
	}
	u := response.Object("usage")
	usage := tenfold.Usage{
		Model: response.Peek("model"), Input: u.Number("prompt_tokens"), Output: u.Number("completion_tokens"),
		CacheRead: u.Object("prompt_tokens_details").Number("cached_tokens"), CacheWrite: u.Number("cache_creation_input_tokens"),
	}
	return o.usage(id, responseID, usage)
}

// usage hands on what a response cost.
func (o *openHands) usage(id, response string, u tenfold.Usage) error {
	if u.Input == 0 && u.Output == 0 {
		return nil
	}
	return o.out.Emit(tenfold.Entry{ID: id + "/usage", MessageID: response, Payload: u})
}

// prompt hands on a system prompt with the definitions of tools, which stay in the event.
func (o *openHands) prompt(id, text string, tools walk.Span) error {
	d := tenfold.ConfigDelta{System: &text}
	cuts := o.find.Cuts
	if list, _ := o.find.Tools(tools); list != nil {
		d.Tools = &list
	}
	o.find.Cuts = cuts
	return o.put(id, "", d)
}

// observation takes what came of an action.
func (o *openHands) observation(id string, m engine.Members) error {
	f := &o.find
	kind := m.Peek("observation")
	switch kind {
	case "agent_state_changed", "recall", "null", "", "condense", "loop_recovery":
		return o.keep(id, kind)
	}
	content := m.Get("content")
	r := tenfold.ToolResult{IsError: kind == "error", Outcome: o.exitCode(m)}
	if meta := m.Object("tool_call_metadata"); meta.Any() {
		r.CallID, r.Parts = meta.Peek("tool_call_id"), f.Parts(content)
		return o.put(id, "", r)
	}
	cause := string(m.Get("cause").Of(f.Raw))
	if o.waits != "" && (kind == o.waitsFor || kind == "error") && (cause == "" || cause == o.waitsID) {
		r.CallID, r.Parts = o.waits, f.Parts(content)
		o.waits = ""
		return o.put(id, "", r)
	}
	if f.Peek(content) == "" {
		return o.keep(id, kind)
	}
	return o.put(id, "", tenfold.UserMessage{Parts: f.Parts(content), Purpose: tenfold.Notice, Synthetic: true})
}

// exitCode reads how a command ended, which versions tell in three places. Less
// than 0 is one that runs on.
func (o *openHands) exitCode(m engine.Members) tenfold.Outcome {
	f := &o.find
	extras := m.Object("extras")
	for _, at := range [...]walk.Span{m.Get("exit_code"), extras.Get("exit_code"), extras.Object("metadata").Get("exit_code"), m.Object("metadata").Get("exit_code")} {
		if f.Is(at, '0') {
			if raw := at.Of(f.Raw); raw[0] != '-' {
				return intake.ExitCode(raw)
			}
			return ""
		}
	}
	return ""
}
