package transcript

import (
	"strings"

	"tenfold"
)

// openHands is the import of one conversation of OpenHands.
type openHands struct {
	out  emitter
	find finder
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
	return o.out.emit(tenfold.Entry{ID: o.out.ids.unique(id + "/model"), Payload: tenfold.ConfigDelta{Model: name}})
}

// event takes one event.
func (o *openHands) event(raw []byte) error {
	f := &o.find
	f.reset(raw)
	m := f.object(f.root())
	key := f.peek(m.get("id"))
	id := key
	if at := m.get("id"); f.is(at, '0') {
		key = "event-" + string(at.of(raw))
		id = numbered(key, raw)
	}
	o.note(key)
	if !plainID(id) {
		id = "event:" + digest(raw)
	}
	id = o.out.ids.unique(id)
	o.out.at(jpTime(f.peek(m.get("timestamp"))))
	switch {
	case m.get("kind").found():
		return o.sdkEvent(id, m)
	case f.is(m.get("action"), '"'):
		return o.action(id, m)
	case f.is(m.get("observation"), '"'):
		return o.observation(id, m)
	}
	o.out.warn.add(0, "event could not be understood and was kept as it is", "events could not be understood and were kept as they are")
	return o.out.keep(id, "openhands-events.untyped", raw)
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
	list := o.find.record(id, payloads...)
	h := &o.handled[len(o.handled)-1]
	for _, e := range list {
		if response != "" {
			e.MessageID = response
		}
		if err := o.out.emit(e); err != nil {
			return err
		}
		if e.Payload.Kind().Visible() {
			h.visible = true
			h.user = h.user || e.Payload.Kind() == tenfold.KindUserMessage
			h.entries = append(h.entries, e.ID)
			h.turn, h.step = o.out.place.turn, o.out.place.step
		}
	}
	return nil
}

// keep hands on an event that no model sees.
func (o *openHands) keep(id, kind string) error {
	if kind == "" {
		kind = "untyped"
	}
	return o.out.keep(id, tenfold.Kind("openhands-events."+kind), o.find.raw)
}

// user hands on what a person said.
func (o *openHands) user(id string, parts []tenfold.Part) error {
	if err := o.out.turn(id); err != nil {
		return err
	}
	return o.put(id, "", tenfold.UserMessage{Parts: parts})
}

// action takes an action of the first versions.
func (o *openHands) action(id string, m members) error {
	f := &o.find
	action, source, args := f.peek(m.get("action")), f.peek(m.get("source")), m.get("args")
	in := f.object(args)
	if in == nil {
		in = m // the oldest have their arguments beside the rest
	}
	switch action {
	case "system":
		text := f.text(in.get("content"))
		d := tenfold.ConfigDelta{System: &text}
		if tools := o.tools(in.get("tools")); tools != nil {
			d.Tools = &tools
		}
		return o.put(id, "", d)
	case "message":
		if source == "agent" {
			return o.put(id, "", tenfold.AssistantMessage{Text: f.text(in.get("content"))})
		}
		parts := tenfold.Text(f.text(in.get("content")))
		for _, name := range [...]string{"image_urls", "images_urls"} {
			for _, at := range f.list(in.get(name)) {
				if f.is(at, '"') {
					parts = append(parts, tenfold.Part{File: &tenfold.File{Type: tenfold.PartImage, URI: f.text(at)}})
				}
			}
		}
		return o.user(id, parts)
	case "condensation":
		return o.condense(id, in)
	case "recall", "change_agent_state", "null", "condensation_request", "delegate", "pause", "resume", "stop", "start":
		return o.keep(id, action)
	}
	meta := f.object(m.get("tool_call_metadata"))
	if meta != nil {
		return o.tracked(id, meta, args)
	}
	thought := f.text(in.get("thought"))
	if action == "finish" || action == "reject" {
		if thought == "" {
			thought = f.text(in.get("final_thought"))
		}
		return o.put(id, "", tenfold.AssistantMessage{Text: thought})
	}
	if source == "user" { // a person ran it, and the model was told
		return o.put(id, "", tenfold.UserMessage{Parts: tenfold.Text("User ran " + action + ": " + f.peek(in.get("command"))), Synthetic: true})
	}
	var list []tenfold.Payload
	if thought != "" {
		list = append(list, tenfold.AssistantMessage{Text: thought})
	}
	call := tenfold.ToolCall{CallID: "call-" + strings.NewReplacer(":", "-", "~", "-").Replace(id), Name: action, Arguments: o.arguments(in)}
	o.waits, o.waitsFor, o.waitsID = call.CallID, action, string(m.get("id").of(f.raw))
	return o.put(id, call.CallID, append(list, call)...)
}

// arguments gives the arguments of an action that was no call.
func (o *openHands) arguments(in members) string {
	b := []byte{'{'}
	for _, one := range in {
		switch string(one.name) {
		case `"command"`, `"code"`, `"path"`, `"content"`, `"url"`, `"start"`, `"end"`, `"browser_actions"`, `"task_list"`, `"name"`, `"arguments"`:
			if len(b) > 1 {
				b = append(b, ',')
			}
			b = append(append(append(b, one.name...), ':'), one.at.of(o.find.raw)...)
		}
	}
	return string(append(b, '}'))
}

// tracked takes an action that the model asked for by a call. Parallel calls
// come as events of their own, each with the whole response.
func (o *openHands) tracked(id string, meta members, args span) error {
	f := &o.find
	response := f.object(meta.get("model_response"))
	responseID := f.peek(response.get("id"))
	if responseID == "" {
		responseID = id
	}
	call := tenfold.ToolCall{CallID: f.peek(meta.get("tool_call_id")), Name: f.peek(meta.get("function_name"))}
	var message members
	if choices := f.list(response.get("choices")); len(choices) > 0 {
		message = f.object(f.in(choices[0], "message"))
	}
	var list []tenfold.Payload
	first := !o.told[responseID]
	if first {
		o.told[responseID] = true
		if err := o.model(id, f.peek(response.get("model"))); err != nil {
			return err
		}
		list = f.thoughts(message.get("thinking_blocks"))
		if at := message.get("reasoning_content"); len(list) == 0 && f.peek(at) != "" {
			list = append(list, tenfold.Reasoning{Text: f.text(at)})
		}
		if text := f.words(message.get("content")); text != "" {
			list = append(list, tenfold.AssistantMessage{Text: text})
		}
	}
	found := false
	for _, at := range f.list(message.get("tool_calls")) {
		if f.peek(f.in(at, "id")) != call.CallID || found {
			continue
		}
		if c, ok := f.call(at); ok {
			call, found = c, true
		}
	}
	if !found && args.found() {
		call.Arguments = f.whole(args)
	}
	if err := o.put(id, responseID, append(list, call)...); err != nil || !first {
		return err
	}
	u := f.object(response.get("usage"))
	usage := tenfold.Usage{
		Model: f.peek(response.get("model")), Input: f.number(u.get("prompt_tokens")), Output: f.number(u.get("completion_tokens")),
		CacheRead: f.number(f.in(u.get("prompt_tokens_details"), "cached_tokens")), CacheWrite: f.number(u.get("cache_creation_input_tokens")),
	}
	return o.usage(id, responseID, usage)
}

// usage hands on what a response cost.
func (o *openHands) usage(id, response string, u tenfold.Usage) error {
	if u.Input == 0 && u.Output == 0 {
		return nil
	}
	return o.out.emit(tenfold.Entry{ID: id + "/usage", MessageID: response, Payload: u})
}

// tools reads definitions of tools as OpenAI spells them.
func (o *openHands) tools(at span) []tenfold.ToolDefinition {
	f := &o.find
	var tools []tenfold.ToolDefinition
	for _, item := range f.list(at) {
		m := f.object(item)
		if fn := m.get("function"); fn.found() {
			m = f.object(fn)
		}
		t := tenfold.ToolDefinition{Name: f.peek(m.get("name")), Description: f.peek(m.get("description"))}
		if schema := m.get("parameters"); f.is(schema, '{') {
			t.Schema = string(schema.of(f.raw))
		}
		if t.Name != "" {
			tools = append(tools, t)
		}
	}
	return tools
}

// observation takes what came of an action.
func (o *openHands) observation(id string, m members) error {
	f := &o.find
	kind := f.peek(m.get("observation"))
	switch kind {
	case "agent_state_changed", "recall", "null", "", "condense", "loop_recovery":
		return o.keep(id, kind)
	}
	content := m.get("content")
	if meta := f.object(m.get("tool_call_metadata")); meta != nil {
		return o.put(id, "", tenfold.ToolResult{CallID: f.peek(meta.get("tool_call_id")), Parts: f.parts(content), IsError: kind == "error"})
	}
	cause := string(m.get("cause").of(f.raw))
	if o.waits != "" && (kind == o.waitsFor || kind == "error") && (cause == "" || cause == o.waitsID) {
		r := tenfold.ToolResult{CallID: o.waits, Parts: f.parts(content), IsError: kind == "error"}
		o.waits = ""
		return o.put(id, "", r)
	}
	if f.peek(content) == "" {
		return o.keep(id, kind)
	}
	return o.put(id, "", tenfold.UserMessage{Parts: f.parts(content), Synthetic: true})
}

func (o *openHands) finish() error { return o.out.end() }
