package chatapi

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"tenfold"
	"tenfold/transcript/internal/engine"
	"tenfold/transcript/internal/intake"
	"tenfold/transcript/internal/walk"
)

// responsesTypes are types of items, and of blocks, that no other API has.
var responsesTypes = [...]string{
	"function_call", "function_call_output", "custom_tool_call", "custom_tool_call_output", "local_shell_call", "local_shell_call_output",
	"web_search_call", "file_search_call", "tool_search_call", "tool_search_output", "computer_call", "computer_call_output",
	"code_interpreter_call", "image_generation_call", "mcp_call", "mcp_list_tools", "item_reference",
	"input_text", "output_text", "input_image", "input_file",
}

// ResponsesMark reports whether an object can only be an item of the Responses
// API.
func ResponsesMark(o intake.Object) bool {
	switch typ := o.Values["type"]; {
	case slices.Contains(responsesTypes[:], typ), typ == "reasoning" && o.Has("summary"), typ == "compaction" && o.Has("encrypted_content"):
		return true
	}
	return o.Has("role") && slices.ContainsFunc(o.Items["content"], ResponsesMark)
}

// RecogniseResponses leaves a plain list of roles and texts to others.
func RecogniseResponses(h intake.Head) intake.Confidence {
	s := h.JSON
	if len(s.Objects) == 0 {
		return intake.No
	}
	first := s.Objects[0]
	switch s.Shape {
	case intake.ShapeArray:
		if slices.ContainsFunc(s.Objects, ResponsesMark) {
			return intake.Certain
		}
		return intake.No
	case intake.ShapeLines, intake.ShapeObject:
		if responsesEvent(first) {
			return intake.Certain
		}
		if len(s.Objects)+s.Others > 1 {
			return intake.No
		}
	default:
		return intake.No
	}
	items := slices.Concat(first.Items["input"], first.Items["output"])
	input := first.Kinds["input"]
	switch {
	case first.Has("messages") || first.Has("contents"):
		return intake.No
	case first.Values["object"] == "response", slices.ContainsFunc(items, ResponsesMark):
		return intake.Certain
	case (input == '[' || input == '"') && first.Has("instructions"):
		return intake.Certain
	case input == '[' && slices.ContainsFunc(items, func(o intake.Object) bool { return o.Has("role", "content") }):
		return intake.Likely
	case string(bytes.TrimSpace(h.Text())) == `{"input":[]}`:
		return intake.Maybe // what a conversation without items is exported as
	}
	return intake.No
}

// responsesEvent reports whether a line is an event of a stream.
func responsesEvent(o intake.Object) bool {
	return strings.HasPrefix(o.Values["type"], "response.") && (o.Has("response") || o.Has("sequence_number") || o.Has("output_index"))
}

// importResponses reads bodies of OpenAI's Responses API.
func importResponses(ctx context.Context, src intake.Source, sink intake.Sink) error {
	o := responses{ItemTurns: ItemTurns{Emitter: engine.Emitter{Sink: sink}}, src: src}
	o.Conv.Format = intake.OpenAIResponses
	o.items.Scan = &walk.Scanner{Cost: walk.PlaceCost}
	head, err := src.Head()
	if err != nil {
		return err
	}
	if h := intake.NewHead(head, src.Name); len(h.JSON.Objects) > 0 && h.JSON.Shape == intake.ShapeLines && responsesEvent(h.JSON.Objects[0]) {
		return o.events(ctx, src)
	}
	return intake.WithDocument(ctx, src, intake.OpenAIResponses, o.document)
}

// responses reads one conversation.
type responses struct {
	ItemTurns
	src   intake.Source
	items ItemReader
	// message is the id of the response that output items came in.
	message string
	model   string
}

// document reads a body, or a bare list of items.
func (o *responses) document(doc intake.Document) error {
	m, items, err := o.items.Document(doc)
	if err != nil {
		return err
	}
	hint := "it is a body with input or output, or a list of items"
	switch root := o.items.Root(); {
	case len(items) > 0:
		o.Conv.ID = intake.ContentID(o.src.Name, intake.OpenAIResponses, o.compact(items[0]))
		o.list(items, false)
		return o.End()
	case o.items.Is(root, '['):
		return doc.Problem(0, errors.New("there is no item in the list"), hint)
	case !o.items.Is(root, '{'):
		if err := doc.Check(0); err != nil {
			return err
		}
		return doc.Problem(0, errors.New("the document is neither an object nor a list"), hint)
	}
	return o.body(m, doc, hint)
}

// compact is a value without white space between its tokens.
func (o *responses) compact(at walk.Span) []byte {
	return walk.AppendCompact(nil, at.Of(o.items.Raw))
}

// body reads a request, a response, or both in one.
func (o *responses) body(m engine.Members, doc intake.Document, hint string) error {
	f := &o.items
	input, output := m.Get("input"), m.Get("output")
	if !f.IsString(input) && !f.Is(input, '[') && !f.Is(output, '[') {
		return doc.Problem(0, errors.New("the body has neither input nor output"), hint)
	}
	asked, answered := f.List(input), f.List(output)
	first := input
	if len(asked) > 0 {
		first = asked[0]
	} else if !f.IsString(input) && len(answered) > 0 {
		first = answered[0]
	}
	if id := m.Peek("id"); m.Peek("object") == "response" && intake.PlainID(id) {
		o.Conv.ID, o.message = id, id
	} else {
		o.Conv.ID = intake.ContentID(o.src.Name, intake.OpenAIResponses, o.compact(first))
	}
	o.At(UnixTime(float64(m.Number("created_at"))))
	_ = o.config(m)
	if f.IsString(input) {
		id := o.itemID(input)
		u := tenfold.UserMessage{Parts: tenfold.Text(f.Peek(input))}
		_ = o.Show(id, intake.Entries(id, "", string(input.Of(f.Raw)), One(u)))
	}
	o.list(asked, false)
	o.list(answered, true)
	if u, ok := o.usage(m.Get("usage")); ok {
		id := o.Ids.Unique("usage:" + intake.Digest(append([]byte(o.message), o.compact(m.Get("usage"))...)))
		_ = o.Emit(tenfold.Entry{ID: id, MessageID: o.message, Payload: u})
	}
	return o.End()
}

// config hands on what a body sets beside its items; the body is its source.
func (o *responses) config(m engine.Members) error {
	d := o.settings(m)
	cuts := slices.Clone(o.items.Cuts)
	for _, name := range [...]string{"input", "output"} {
		if at := m.Get(name); at.Found() && !o.items.Twice {
			cuts = append(cuts, walk.Cut{Span: at, With: walk.CutValue})
		}
	}
	source := string(walk.AppendCompact(nil, []byte(walk.Splice(o.items.Raw, cuts))))
	return o.Emit(tenfold.Entry{ID: o.Ids.Unique("config:" + intake.Digest([]byte(source))), Source: source, Payload: d})
}

// settings reads what a request or a response says of its model.
func (o *responses) settings(m engine.Members) tenfold.ConfigDelta {
	d := tenfold.ConfigDelta{Model: m.Peek("model")}
	o.model = d.Model
	o.items.Cuts = o.items.Cuts[:0]
	if s := m.Get("instructions"); o.items.IsString(s) {
		system := o.items.Text(s)
		d.System = &system
	}
	if tools := m.Items("tools"); len(tools) > 0 {
		d.Tools = o.toolList(tools)
	}
	return d
}

// customSchema is what a tool that takes plain text is to other providers.
const customSchema = `{"type":"object","properties":{"input":{"type":"string"}},"required":["input"]}`

// toolList reads the tools a model was offered. Those that only OpenAI knows
// are kept as they are.
func (o *responses) toolList(tools []walk.Span) *[]tenfold.ToolDefinition {
	list := []tenfold.ToolDefinition{}
	for _, at := range tools {
		m := o.items.Object(at)
		name, typ := m.Peek("name"), m.Peek("type")
		if typ == "" || (name == "" && (typ == "function" || typ == "custom")) {
			continue
		}
		d := tenfold.ToolDefinition{Name: name}
		if typ == "function" || typ == "custom" {
			d.Description = m.Peek("description")
		}
		switch schema := m.Get("parameters"); {
		case typ != "function":
			d.Provider, d.Data = "openai", walk.OneLine(string(at.Of(o.items.Raw)))
			if typ == "custom" {
				d.Schema = customSchema
			}
		case o.items.Is(schema, '{'):
			d.Schema = walk.OneLine(string(schema.Of(o.items.Raw)))
		}
		list = append(list, d)
	}
	return &list
}

// list turns a list of items into entries.
func (o *responses) list(items []walk.Span, output bool) {
	for _, at := range items {
		_ = o.item(at, o.itemID(at), at, output)
	}
}

// itemID names an item after what it says.
func (o *responses) itemID(at walk.Span) string {
	return o.Ids.Unique("item:" + intake.Digest(o.compact(at)))
}

// item turns one item into entries. Its source is the item, or the record that
// it stands in.
func (o *responses) item(at walk.Span, id string, record walk.Span, output bool) error {
	f := &o.items
	before := f.Twice
	f.Cuts, f.Odd, f.Twice = f.Cuts[:0], false, false
	payloads := f.Item(at)
	twice := f.Twice
	f.Twice = before || twice
	if f.Odd || twice {
		o.Warn.Add(0, "item holds something that is not understood: it is kept, and no model sees it",
			"items hold something that is not understood: it is kept, and no model sees it")
	}
	if len(payloads) == 0 || twice {
		return o.Keep(id, tenfold.Kind("openai-responses."+cmp.Or(f.Peek(f.In(at, "type")), "untyped")), o.compact(record))
	}
	source := string(walk.AppendCompact(nil, []byte(walk.SpliceIn(f.Raw, record, f.Cuts))))
	message := ""
	if output {
		message = o.message
	}
	return o.Show(id, intake.Entries(id, message, source, payloads))
}

// usage reads what a response cost. Cached tokens are a part of the input.
func (o *responses) usage(at walk.Span) (tenfold.Usage, bool) {
	m := o.items.Object(at)
	in := m.Number("input_tokens")
	cached := min(in, m.Object("input_tokens_details").Number("cached_tokens"))
	return tenfold.Usage{Model: o.model, Input: in - cached, CacheRead: cached, Output: m.Number("output_tokens")}, o.items.Is(at, '{')
}

// events reads the events of a response: its items as they are done. All else
// is kept.
func (o *responses) events(ctx context.Context, src intake.Source) error {
	r := intake.NewLineReader(ctx, src)
	var m engine.Members
	err := r.Records(intake.OpenAIResponses, func(raw []byte) error {
		m = o.items.Read(raw)
		return o.items.Scan.Err
	}, func() error {
		if o.Conv.ID == "" {
			response := m.Object("response")
			o.message = response.Peek("id")
			if o.Conv.ID = o.message; !intake.PlainID(o.message) {
				o.Conv.ID, o.message = intake.ContentID(o.src.Name, intake.OpenAIResponses, o.items.Raw), "response"
			}
			o.At(UnixTime(float64(response.Number("created_at"))))
		}
		return o.event(m, o.Ids.Unique("event:"+intake.Digest(o.items.Raw)))
	})
	if err != nil {
		return err
	}
	if !o.Begun {
		return r.Problem(intake.OpenAIResponses, errors.New("there is no event in it"), "was the stream saved?")
	}
	return o.End()
}

func (o *responses) event(m engine.Members, id string) error {
	typ, response := m.Peek("type"), m.Object("response")
	switch typ {
	case "response.created":
		if d := o.settings(response); !o.items.Twice {
			return o.Emit(tenfold.Entry{ID: id, Source: o.items.Done(), Payload: d})
		}
	case "response.output_item.done":
		return o.item(m.Get("item"), id, o.items.Root(), true)
	case "response.completed", "response.incomplete", "response.failed":
		if u, ok := o.usage(response.Get("usage")); ok && !o.items.Twice {
			return o.Emit(tenfold.Entry{ID: id, MessageID: o.message, Source: string(o.items.Raw), Payload: u})
		}
	}
	return o.Keep(id, tenfold.Kind("openai-responses."+cmp.Or(typ, "untyped")), o.items.Raw)
}
