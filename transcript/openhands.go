package transcript

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf8"

	"tenfold"
)

// openHandsImporter reads the event logs of OpenHands: those of its first
// versions and those of its SDK, as an array, as JSON lines, as the history in
// the records of a benchmark's output, and as a directory of events.
type openHandsImporter struct{}

func openHandsHandler() handler {
	return handler{
		format: OpenHands, about: "OpenHands events (array, JSON lines, output.jsonl, base_state.json)",
		importer: openHandsImporter{}, homes: []string{".openhands/conversations"}, mains: []string{"base_state.json"},
	}
}

// Recognise implements [Importer].
func (openHandsImporter) Recognise(h Head) Confidence {
	ours, seen := 0, 0
	for _, o := range h.json.objects {
		if openHandsState(o) {
			return Certain
		}
		if openHandsRecord(o) {
			return Certain
		}
		switch {
		case openHandsEvent(o):
			seen, ours = seen+1, ours+1
		case o.whole:
			seen++ // the head may end in the last
		}
	}
	if seen > 0 && 2*ours > seen {
		return Certain
	}
	return No
}

// openHandsState recognises a base_state.json.
func openHandsState(o object) bool {
	return o.inner["agent"].has("llm") && o.has("id") && (o.has("workspace") || o.has("execution_status") || o.has("max_iterations") || o.has("persistence_dir"))
}

// openHandsRecord recognises a record of an output.jsonl.
func openHandsRecord(o object) bool {
	if list := o.items["history"]; len(list) > 0 {
		return openHandsEvent(list[0]) || list[0].has("action") && !list[0].has("role")
	}
	if o.inner["test_result"].has("git_patch") || o.inner["issue"].has("owner", "repo", "number") {
		return true
	}
	meta := o.inner["metadata"]
	return o.has("instance_id", "instruction") && (meta.has("agent_class") || meta.has("llm_config"))
}

// openHandsEvent recognises an event.
func openHandsEvent(o object) bool {
	switch o.values["kind"] {
	case "MessageEvent", "ActionEvent", "ObservationEvent", "SystemPromptEvent", "AgentErrorEvent", "Condensation", "CondensationRequest",
		"ConversationStateUpdateEvent", "PauseEvent", "UserRejectObservation":
		return o.has("id") && o.has("source")
	}
	switch {
	case o.has("action") && (o.has("args", "source") || o.has("action_risk") || o.has("is_confirmed")):
		return true
	case o.has("observation") && (o.has("source", "extras") || o.has("content", "command") || o.has("content", "code")):
		return true
	}
	return false
}

// Import implements [Importer].
func (openHandsImporter) Import(ctx context.Context, src Source, sink Sink) error {
	h := &openHandsFile{ctx: ctx, src: src, sink: sink}
	head, err := h.src.head()
	if err != nil {
		return err
	}
	look := newHead(head, src.Name).json
	switch {
	case look.shape == shapeArray:
		return withDocument(ctx, h.src, OpenHands, h.array)
	case len(look.objects) == 1 && openHandsState(look.objects[0]):
		return withDocument(ctx, h.src, OpenHands, h.directory)
	case look.shape == shapeObject, look.shape == shapeLines && len(look.objects) == 1 && isEventFile(src.Name):
		return withDocument(ctx, h.src, OpenHands, h.single)
	}
	return h.lines()
}

// openHandsFile is the import of one file, of whatever shape.
type openHandsFile struct {
	ctx   context.Context
	src   Source
	sink  Sink
	names ids
	buf   []byte
}

// begin makes the import of one conversation.
func (h *openHandsFile) begin(id string) *openHands {
	o := &openHands{told: map[string]bool{}}
	o.out = emitter{sink: h.sink, place: &rootLog{}, conv: Conversation{ID: conversationID(strings.ReplaceAll(h.names.unique(id), "~", "-")), Format: OpenHands}}
	return o
}

// array reads an array of events.
func (h *openHandsFile) array(doc document) error {
	var top finder
	top.reset(bytes.TrimSpace(doc.raw))
	items := top.list(top.root())
	if top.scan.err == nil {
		top.scan.token()
		top.scan.end()
	}
	if top.scan.err != nil {
		return doc.broken(top.scan.err)
	}
	if len(items) > 0 && top.in(items[0], "history").found() {
		for _, at := range items {
			if err := h.record(at.of(top.raw)); err != nil {
				return err
			}
		}
		return nil
	}
	var first []byte
	if len(items) > 0 {
		first = items[0].of(top.raw)
	}
	o := h.begin(contentID(h.src.Name, OpenHands, first))
	if err := h.events(o, &top, items); err != nil {
		return err
	}
	return o.finish()
}

// events takes the events of a list.
func (h *openHandsFile) events(o *openHands, f *finder, items []span) error {
	for _, at := range items {
		if err := h.ctx.Err(); err != nil {
			return err
		}
		// The oldest histories hold pairs of an action and what came of it.
		if f.is(at, '[') {
			if err := h.events(o, f, f.list(at)); err != nil {
				return err
			}
			continue
		}
		h.buf = appendCompact(h.buf[:0], at.of(f.raw))
		if err := o.event(h.buf); err != nil {
			return err
		}
	}
	return nil
}

// lines reads JSON lines: of events, which are one conversation, or of records
// that hold a conversation each.
func (h *openHandsFile) lines() error {
	r := newLineReader(h.ctx, h.src)
	var f finder
	var line []byte
	var o *openHands
	records := 0
	err := r.records(OpenHands, func(raw []byte) error {
		line = raw
		f.reset(raw)
		f.scan.reset(raw)
		f.scan.value()
		f.scan.end()
		if f.scan.err == nil && records > 0 && !f.in(f.root(), "history").found() {
			return errors.New("the line is no record with a history, as those before are")
		}
		return f.scan.err
	}, func() error {
		if o == nil && f.in(f.root(), "history").found() {
			records++
			return h.record(line)
		}
		if o == nil {
			o = h.begin(contentID(h.src.Name, OpenHands, line))
		}
		h.buf = appendCompact(h.buf[:0], line)
		return o.event(h.buf)
	})
	switch {
	case err != nil:
		return err
	case o != nil:
		return o.finish()
	case records == 0:
		return r.problem(OpenHands, errors.New("there is no event in it"), "restore the file")
	}
	return nil
}

// record reads the conversation of a record of an output.jsonl.
func (h *openHandsFile) record(raw []byte) error {
	var f finder
	f.reset(bytes.Clone(raw))
	m := f.object(f.root())
	history := f.list(m.get("history"))
	id := f.peek(m.get("instance_id"))
	var first []byte
	if len(history) > 0 {
		first = history[0].of(f.raw)
	}
	if id == "" {
		id = contentID(h.src.Name, OpenHands, first)
	} else {
		id = conversationID(id) + "-" + digest(first)[:8]
	}
	o := h.begin(id)
	if err := h.events(o, &f, history); err != nil {
		return err
	}
	// The pairs of the oldest histories stand in lists of their own.
	var flat []span
	for _, at := range history {
		if f.is(at, '[') {
			flat = append(flat, f.list(at)...)
		} else {
			flat = append(flat, at)
		}
	}
	frame := f.frame(flat)
	if err := o.out.keep(o.out.ids.unique("record:"+digest(frame)), "openhands-events.record", frame); err != nil {
		return err
	}
	return o.finish()
}

// isEventFile tells the file of one event by its name.
func isEventFile(name string) bool {
	base := filepath.Base(filepath.ToSlash(name))
	return strings.HasPrefix(base, "event-") && strings.HasSuffix(base, ".json")
}

// single reads a file that is one object over several lines.
func (h *openHandsFile) single(doc document) error {
	var f finder
	f.reset(bytes.TrimSpace(doc.raw))
	m := f.object(f.root())
	if f.scan.err == nil && m != nil {
		f.scan.end()
	}
	if f.scan.err != nil {
		return doc.broken(f.scan.err)
	}
	if m.get("history").found() {
		return h.record(f.raw)
	}
	state := "base_state.json"
	if dir := filepath.Dir(filepath.Dir(h.src.Name)); isEventFile(h.src.Name) && dir != "." {
		state = filepath.Join(dir, state)
	}
	return doc.problem(h.src, OpenHands, 0, errors.New("this is one event of a conversation"), "read the whole of it: try "+state+" beside the directory of events")
}

// What is read of a directory of events is bounded.
const eventFiles = 100_000

// directory reads a base_state.json and the events beside it.
func (h *openHandsFile) directory(doc document) error {
	var f finder
	f.reset(appendCompact(nil, bytes.TrimSpace(doc.raw)))
	m := f.object(f.root())
	if f.scan.err == nil && m != nil {
		f.scan.end()
	}
	if f.scan.err != nil {
		return doc.broken(f.scan.err)
	}
	id := f.peek(m.get("id"))
	if id == "" {
		id = contentID(h.src.Name, OpenHands, f.raw)
	}
	names, err := h.src.list("events")
	if err != nil {
		return &Error{Name: h.src.Name, Format: OpenHands, Err: errors.New("the directory of events cannot be read: " + err.Error()), Hint: "it is \"events\" beside the file"}
	}
	o := h.begin(conversationID(id))
	o.out.conv.Named = isUnique(id)
	if err := o.state(&f, m); err != nil {
		return err
	}
	if len(names) > eventFiles {
		o.out.warn.add(0, strconv.Itoa(len(names)-eventFiles)+" events are too many and are left out", "")
		names = names[:eventFiles]
	}
	events := 0
	for _, name := range names {
		if err := h.ctx.Err(); err != nil {
			return err
		}
		if !isEventFile(name) {
			continue
		}
		data, err := h.src.sibling("events/" + name)
		if err != nil || data == nil {
			o.out.warn.add(0, "event could not be read and is left out", "events could not be read and are left out")
			continue
		}
		data = bytes.TrimSpace(bytes.TrimPrefix(data, bom))
		var scan scanner
		scan.reset(data)
		scan.value()
		scan.end()
		if scan.err != nil || !utf8.Valid(data) {
			o.out.warn.add(0, "event is no JSON and is left out", "events are no JSON and are left out")
			continue
		}
		events++
		h.buf = appendCompact(h.buf[:0], data)
		if err := o.event(h.buf); err != nil {
			return err
		}
	}
	if events == 0 {
		o.out.warn.add(0, "state without events beside it: the conversation is empty", "")
	}
	return o.finish()
}

// state keeps a base_state.json, and notes what each response cost.
func (o *openHands) state(f *finder, m members) error {
	o.spent = map[string]tenfold.Usage{}
	for _, one := range f.object(f.in(m.get("stats"), "usage_to_metrics")) {
		for _, at := range f.list(f.in(one.at, "token_usages")) {
			u := f.object(at)
			if id := f.peek(u.get("response_id")); id != "" {
				o.spent[id] = tenfold.Usage{
					Model: f.peek(u.get("model")), Input: f.number(u.get("prompt_tokens")), Output: f.number(u.get("completion_tokens")),
					CacheRead: f.number(u.get("cache_read_tokens")), CacheWrite: f.number(u.get("cache_write_tokens")),
				}
			}
		}
	}
	id := o.out.ids.unique("state:" + digest(f.raw))
	if err := o.out.keep(id, "openhands-events.state", f.raw); err != nil {
		return err
	}
	return o.model(id, f.peek(f.in(f.in(m.get("agent"), "llm"), "model")))
}
