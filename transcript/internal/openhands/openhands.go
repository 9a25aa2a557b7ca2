package openhands

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
	"tenfold/transcript/internal/engine"
	"tenfold/transcript/internal/intake"
	"tenfold/transcript/internal/walk"
)

func Handler() engine.Handler {
	return engine.Handler{
		Format: intake.OpenHands, About: "OpenHands events (array, JSON lines, output.jsonl, base_state.json)",
		Recognise: recognise, Import: importFile, Homes: []string{".openhands/conversations"}, Mains: []string{"base_state.json"},
	}
}

func recognise(h intake.Head) intake.Confidence {
	if slices.ContainsFunc(h.JSON.Objects, openHandsState) || slices.ContainsFunc(h.JSON.Objects, openHandsRecord) || h.JSON.Mostly(openHandsEvent) {
		return intake.Certain
	}
	return intake.No
}

// openHandsState recognises a base_state.json.
func openHandsState(o intake.Object) bool {
	return o.Inner["agent"].Has("llm") && o.Has("id") && (o.Has("workspace") || o.Has("execution_status") || o.Has("max_iterations") || o.Has("persistence_dir"))
}

// openHandsRecord recognises a record of an output.jsonl.
func openHandsRecord(o intake.Object) bool {
	if list := o.Items["history"]; len(list) > 0 {
		return openHandsEvent(list[0]) || list[0].Has("action") && !list[0].Has("role")
	}
	if o.Inner["test_result"].Has("git_patch") || o.Inner["issue"].Has("owner", "repo", "number") {
		return true
	}
	meta := o.Inner["metadata"]
	return o.Has("instance_id", "instruction") && (meta.Has("agent_class") || meta.Has("llm_config"))
}

// openHandsEvent recognises an event.
func openHandsEvent(o intake.Object) bool {
	switch o.Values["kind"] {
	case "MessageEvent", "ActionEvent", "ObservationEvent", "SystemPromptEvent", "AgentErrorEvent", "Condensation", "CondensationRequest",
		"ConversationStateUpdateEvent", "PauseEvent", "UserRejectObservation":
		return o.Has("id") && o.Has("source")
	}
	switch {
	case o.Has("action") && (o.Has("args", "source") || o.Has("action_risk") || o.Has("is_confirmed")):
		return true
	case o.Has("observation") && (o.Has("source", "extras") || o.Has("content", "command") || o.Has("content", "code")):
		return true
	}
	return false
}

// importFile reads the event logs of OpenHands: those of its first
// versions and those of its SDK, as an array, as JSON lines, as the history in
// the records of a benchmark's output, and as a directory of events.
func importFile(ctx context.Context, src intake.Source, sink intake.Sink) error {
	h := &openHandsFile{ctx: ctx, src: src, sink: sink}
	head, err := h.src.Head()
	if err != nil {
		return err
	}
	look := intake.NewHead(head, src.Name).JSON
	switch {
	case look.Shape == intake.ShapeArray:
		return intake.WithDocument(ctx, h.src, intake.OpenHands, h.array)
	case len(look.Objects) == 1 && openHandsState(look.Objects[0]):
		return intake.WithDocument(ctx, h.src, intake.OpenHands, h.directory)
	case look.Shape == intake.ShapeObject, look.Shape == intake.ShapeLines && len(look.Objects) == 1 && isEventFile(src.Name):
		return intake.WithDocument(ctx, h.src, intake.OpenHands, h.single)
	}
	return h.lines()
}

// openHandsFile is the import of one file, of whatever shape.
type openHandsFile struct {
	ctx   context.Context
	src   intake.Source
	sink  intake.Sink
	names intake.Ids
}

// begin makes the import of one conversation.
func (h *openHandsFile) begin(id string) *openHands {
	o := &openHands{told: map[string]bool{}}
	o.out = engine.Emitter{Sink: h.sink, Place: &engine.RootLog{}, Conv: intake.Conversation{ID: intake.ConversationID(strings.ReplaceAll(h.names.Unique(id), "~", "-")), Format: intake.OpenHands}}
	return o
}

// array reads an array of events.
func (h *openHandsFile) array(doc intake.Document) error {
	var top engine.Finder
	_, items, err := top.Document(doc)
	if err != nil {
		return err
	}
	if len(items) > 0 && top.In(items[0], "history").Found() {
		for _, at := range items {
			if err := h.record(at.Of(top.Raw)); err != nil {
				return err
			}
		}
		return nil
	}
	var first []byte
	if len(items) > 0 {
		first = items[0].Of(top.Raw)
	}
	o := h.begin(intake.ContentID(h.src.Name, intake.OpenHands, first))
	if err := h.events(o, &top, items); err != nil {
		return err
	}
	return o.out.End()
}

// events takes the events of a list.
func (h *openHandsFile) events(o *openHands, f *engine.Finder, items []walk.Span) error {
	for _, at := range items {
		if err := h.ctx.Err(); err != nil {
			return err
		}
		// The oldest histories hold pairs of an action and what came of it.
		if f.Is(at, '[') {
			if err := h.events(o, f, f.List(at)); err != nil {
				return err
			}
			continue
		}
		if err := o.event(at.Of(f.Raw)); err != nil {
			return err
		}
	}
	return nil
}

// lines reads JSON lines: of events, which are one conversation, or of records
// that hold a conversation each.
func (h *openHandsFile) lines() error {
	r := intake.NewLineReader(h.ctx, h.src)
	var f engine.Finder
	var o *openHands
	records, isRecord := 0, false
	err := r.Records(intake.OpenHands, func(raw []byte) error {
		isRecord = f.Read(raw).Get("history").Found()
		if f.Scan.Err == nil && records > 0 && !isRecord {
			return errors.New("the line is not a record with a history, as those before are")
		}
		return f.Scan.Err
	}, func() error {
		if o == nil && isRecord {
			records++
			return h.record(f.Raw)
		}
		if o == nil {
			o = h.begin(intake.ContentID(h.src.Name, intake.OpenHands, f.Raw))
		}
		return o.event(f.Raw)
	})
	switch {
	case err != nil:
		return err
	case o != nil:
		return o.out.End()
	case records == 0:
		return r.Problem(intake.OpenHands, errors.New("there is no event in it"), "restore the file")
	}
	return nil
}

// record reads the conversation of a record of an output.jsonl.
func (h *openHandsFile) record(raw []byte) error {
	var f engine.Finder
	f.Reset(bytes.Clone(raw))
	m := f.Object(f.Root())
	history := m.Items("history")
	id := m.Peek("instance_id")
	var first []byte
	if len(history) > 0 {
		first = history[0].Of(f.Raw)
	}
	if id == "" {
		id = intake.ContentID(h.src.Name, intake.OpenHands, first)
	} else {
		id = intake.ConversationID(id) + "-" + intake.Digest(first)[:8]
	}
	o := h.begin(id)
	if err := h.events(o, &f, history); err != nil {
		return err
	}
	// The pairs of the oldest histories stand in lists of their own.
	var flat []walk.Span
	for _, at := range history {
		if f.Is(at, '[') {
			flat = append(flat, f.List(at)...)
		} else {
			flat = append(flat, at)
		}
	}
	o.out.KeepRest("record", "openhands-events.record", &f, flat)
	return o.out.End()
}

// isEventFile tells the file of one event by its name.
func isEventFile(name string) bool {
	base := filepath.Base(filepath.ToSlash(name))
	return strings.HasPrefix(base, "event-") && strings.HasSuffix(base, ".json")
}

// single reads a file that is one object over several lines.
func (h *openHandsFile) single(doc intake.Document) error {
	var f engine.Finder
	m, _, err := f.Document(doc)
	if err != nil {
		return err
	}
	if m.Get("history").Found() {
		return h.record(f.Raw)
	}
	state := "base_state.json"
	if dir := filepath.Dir(filepath.Dir(h.src.Name)); isEventFile(h.src.Name) && dir != "." {
		state = filepath.Join(dir, state)
	}
	return doc.Problem(0, errors.New("this is one event of a conversation"), "read the whole of it: try "+state+" beside the directory of events")
}

// What is read of a directory of events is bounded.
const eventFiles = 100_000

// directory reads a base_state.json and the events beside it.
func (h *openHandsFile) directory(doc intake.Document) error {
	var f engine.Finder
	if _, _, err := f.Document(doc); err != nil {
		return err
	}
	m := f.Compact(f.Raw)
	id := m.Peek("id")
	id = cmp.Or(id, intake.ContentID(h.src.Name, intake.OpenHands, f.Raw))
	names, err := h.src.List("events")
	if err != nil {
		return &intake.Error{Name: h.src.Name, Format: intake.OpenHands, Err: errors.New("the directory of events cannot be read: " + err.Error()), Hint: "it is \"events\" beside the file"}
	}
	o := h.begin(intake.ConversationID(id))
	o.out.Conv.Named = intake.IsUnique(id)
	_ = o.state(&f, m)
	if len(names) > eventFiles {
		o.out.Warn.Add(0, strconv.Itoa(len(names)-eventFiles)+" events are too many and are left out", "")
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
		data, err := h.src.Sibling("events/" + name)
		if err != nil || data == nil {
			o.out.Warn.Add(0, "event could not be read and is left out", "events could not be read and are left out")
			continue
		}
		data = bytes.TrimSpace(bytes.TrimPrefix(data, intake.Bom))
		if !jsontext.Value(data).IsValid(walk.ScanOptions...) || !utf8.Valid(data) {
			o.out.Warn.Add(0, "event is not JSON and is left out", "events are not JSON and are left out")
			continue
		}
		events++
		if err := o.event(data); err != nil {
			return err
		}
	}
	if events == 0 {
		o.out.Warn.Add(0, "state without events beside it: the conversation is empty", "")
	}
	return o.out.End()
}

// state keeps a base_state.json, and notes what each response cost.
func (o *openHands) state(f *engine.Finder, m engine.Members) error {
	o.spent = map[string]tenfold.Usage{}
	for _, one := range m.Object("stats").Object("usage_to_metrics").List {
		for _, at := range f.List(f.In(one.At, "token_usages")) {
			u := f.Object(at)
			if id := u.Peek("response_id"); id != "" {
				o.spent[id] = tenfold.Usage{
					Model: u.Peek("model"), Input: u.Number("prompt_tokens"), Output: u.Number("completion_tokens"),
					CacheRead: u.Number("cache_read_tokens"), CacheWrite: u.Number("cache_write_tokens"),
				}
			}
		}
	}
	id := o.out.Ids.Unique("state:" + intake.Digest(f.Raw))
	_ = o.out.Keep(id, "openhands-events.state", f.Raw)
	return o.model(id, m.Object("agent").Object("llm").Peek("model"))
}
