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
func ResponsesMark(o engine.Object) bool {
	switch typ := o.Values["type"]; {
	case slices.Contains(responsesTypes[:], typ), typ == "reasoning" && o.Has("summary"), typ == "compaction" && o.Has("encrypted_content"):
		return true
	}
	return o.Has("role") && slices.ContainsFunc(o.Items["content"], ResponsesMark)
}

// RecogniseResponses leaves a plain list of roles and texts to others.
func RecogniseResponses(h engine.Head) engine.Confidence {
	s := h.JSON
	if len(s.Objects) == 0 {
		return engine.No
	}
	first := s.Objects[0]
	switch s.Shape {
	case engine.ShapeArray:
		if slices.ContainsFunc(s.Objects, ResponsesMark) {
			return engine.Certain
		}
		return engine.No
	case engine.ShapeLines, engine.ShapeObject:
		if responsesEvent(first) {
			return engine.Certain
		}
		if len(s.Objects)+s.Others > 1 {
			return engine.No
		}
	default:
		return engine.No
	}
	items := slices.Concat(first.Items["input"], first.Items["output"])
	input := first.Kinds["input"]
	switch {
	case first.Has("messages") || first.Has("contents"):
		return engine.No
	case first.Values["object"] == "response", slices.ContainsFunc(items, ResponsesMark):
		return engine.Certain
	case (input == '[' || input == '"') && first.Has("instructions"):
		return engine.Certain
	case input == '[' && slices.ContainsFunc(items, func(o engine.Object) bool { return o.Has("role", "content") }):
		return engine.Likely
	case string(bytes.TrimSpace(h.Text())) == `{"input":[]}`:
		return engine.Maybe // what a conversation without items is exported as
	}
	return engine.No
}

// responsesEvent reports whether a line is an event of a stream.
func responsesEvent(o engine.Object) bool {
	return strings.HasPrefix(o.Values["type"], "response.") && (o.Has("response") || o.Has("sequence_number") || o.Has("output_index"))
}

// importResponses reads bodies of OpenAI's Responses API.
func importResponses(ctx context.Context, src engine.Source, sink engine.Sink) error {
	o := responses{ItemTurns: ItemTurns{Emitter: engine.Emitter{Sink: sink}}, src: src}
	o.Conv.Format = engine.OpenAIResponses
	o.items.Scan, o.scan.Cost = &o.scan, walk.PlaceCost
	head, err := src.Head()
	if err != nil {
		return err
	}
	if h := engine.NewHead(head, src.Name); len(h.JSON.Objects) > 0 && h.JSON.Shape == engine.ShapeLines && responsesEvent(h.JSON.Objects[0]) {
		return o.events(ctx, src)
	}
	return engine.WithDocument(ctx, src, engine.OpenAIResponses, o.document)
}

// responses reads one conversation.
type responses struct {
	ItemTurns
	src   engine.Source
	scan  walk.Scanner
	tree  walk.Tree
	items ItemReader
	// message is the id of the response that output items came in.
	message string
	model   string
}

// document reads a body, or a bare list of items.
func (o *responses) document(doc engine.Document) error {
	root := o.tree.Read(&o.scan, doc.Raw)
	if o.scan.Err != nil {
		return doc.Broken(o.scan.Err)
	}
	hint := "it is a body with input or output, or a list of items"
	switch root.Kind() {
	case '[':
		o.Conv.ID = engine.ContentID(o.src.Name, engine.OpenAIResponses, walk.AppendCompact(nil, root.First().Raw()))
		if !root.First().Found() {
			return doc.Problem(0, errors.New("there is no item in the list"), hint)
		}
		_ = o.list(root, false)
		return o.End()
	case '{':
	default:
		return doc.Problem(0, errors.New("the document is neither an object nor a list"), hint)
	}
	return o.body(root, doc, hint)
}

// body reads a request, a response, or both in one.
func (o *responses) body(root walk.Node, doc engine.Document, hint string) error {
	input, output := root.Get("input"), root.Get("output")
	if !input.IsText() && input.Kind() != '[' && output.Kind() != '[' {
		return doc.Problem(0, errors.New("the body has neither input nor output"), hint)
	}
	first := input
	if input.Kind() == '[' && input.First().Found() {
		first = input.First()
	} else if !input.IsText() && output.First().Found() {
		first = output.First()
	}
	response := root.Text("object") == "response"
	if id := root.Text("id"); response && engine.PlainID(id) {
		o.Conv.ID, o.message = id, id
	} else {
		o.Conv.ID = engine.ContentID(o.src.Name, engine.OpenAIResponses, walk.AppendCompact(nil, first.Raw()))
	}
	o.At(UnixTime(float64(root.Number("created_at"))))
	_ = o.config(root)
	if input.IsText() {
		o.items.Cuts = o.items.Cuts[:0]
		u := tenfold.UserMessage{Parts: tenfold.Text(o.items.Text(input))}
		id := o.itemID(input)
		_ = o.Show(id, engine.Entries(id, "", string(input.Raw()), One(u)))
	} else {
		_ = o.list(input, false)
	}
	_ = o.list(output, true)
	if u, ok := o.usage(root.Get("usage")); ok {
		id := o.Ids.Unique("usage:" + engine.Digest(walk.AppendCompact([]byte(o.message), root.Get("usage").Raw())))
		_ = o.Emit(tenfold.Entry{ID: id, MessageID: o.message, Payload: u})
	}
	return o.End()
}

// config hands on what a body sets beside its items; the body is its source.
func (o *responses) config(root walk.Node) error {
	d := o.settings(root)
	cuts := slices.Clone(o.items.Cuts)
	for _, name := range [...]string{"input", "output"} {
		if n := root.Get(name); n.Found() && !o.tree.Twice {
			cuts = append(cuts, walk.Cut{Span: n.At(), With: walk.CutValue})
		}
	}
	source := string(walk.AppendCompact(nil, []byte(walk.Splice(root.T.Raw, cuts))))
	return o.Emit(tenfold.Entry{ID: o.Ids.Unique("config:" + engine.Digest([]byte(source))), Source: source, Payload: d})
}

// settings reads what a request or a response says of its model.
func (o *responses) settings(n walk.Node) tenfold.ConfigDelta {
	d := tenfold.ConfigDelta{Model: n.Text("model")}
	o.model = d.Model
	o.items.Cuts = o.items.Cuts[:0]
	if s := n.Get("instructions"); s.IsText() {
		system := o.items.Text(s)
		d.System = &system
	}
	if tools := n.Get("tools"); List(tools).Found() {
		d.Tools = toolList(tools)
	}
	return d
}

// customSchema is what a tool that takes plain text is to other providers.
const customSchema = `{"type":"object","properties":{"input":{"type":"string"}},"required":["input"]}`

// toolList reads the tools a model was offered. Those that only OpenAI knows
// are kept as they are.
func toolList(tools walk.Node) *[]tenfold.ToolDefinition {
	list := []tenfold.ToolDefinition{}
	for n := tools.First(); n.Found(); n = n.Next() {
		if n.Kind() != '{' {
			continue
		}
		name, typ := n.Text("name"), n.Text("type")
		if typ == "" || (name == "" && (typ == "function" || typ == "custom")) {
			continue
		}
		if typ != "function" {
			d := tenfold.ToolDefinition{Name: name, Provider: "openai", Data: walk.OneLine(string(n.Raw()))}
			if typ == "custom" {
				d.Description, d.Schema = n.Text("description"), customSchema
			}
			list = append(list, d)
			continue
		}
		d := tenfold.ToolDefinition{Name: n.Text("name"), Description: n.Text("description")}
		if p := n.Get("parameters"); p.Kind() == '{' {
			d.Schema = walk.OneLine(string(p.Raw()))
		}
		list = append(list, d)
	}
	return &list
}

// list turns a list of items into entries.
func (o *responses) list(items walk.Node, output bool) error {
	for n := List(items); n.Found(); n = n.Next() {
		if err := o.item(n, o.itemID(n), n, output); err != nil {
			return err
		}
	}
	return nil
}

// itemID names an item after what it says.
func (o *responses) itemID(n walk.Node) string {
	return o.Ids.Unique("item:" + engine.Digest(walk.AppendCompact(nil, n.Raw())))
}

// item turns one item into entries. Its source is the item, or the record that
// it stands in.
func (o *responses) item(n walk.Node, id string, record walk.Node, output bool) error {
	before := o.tree.Twice
	o.tree.Twice = false
	o.items.Cuts, o.items.Odd = o.items.Cuts[:0], false
	payloads := o.items.Item(n)
	twice := o.tree.Twice
	o.tree.Twice = before || twice
	if o.items.Odd || twice {
		o.Warn.Add(0, "item holds something that is not understood: it is kept, and no model sees it",
			"items hold something that is not understood: it is kept, and no model sees it")
	}
	if len(payloads) == 0 || twice {
		return o.Keep(id, tenfold.Kind("openai-responses."+cmp.Or(n.Text("type"), "untyped")), walk.AppendCompact(nil, record.Raw()))
	}
	from := record.At().From
	for i := range o.items.Cuts {
		c := &o.items.Cuts[i]
		c.From, c.To = c.From-from, c.To-from
	}
	source := string(walk.AppendCompact(nil, []byte(walk.Splice(record.Raw(), o.items.Cuts))))
	message := ""
	if output {
		message = o.message
	}
	return o.Show(id, engine.Entries(id, message, source, payloads))
}

// usage reads what a response cost. Cached tokens are a part of the input.
func (o *responses) usage(n walk.Node) (tenfold.Usage, bool) {
	if n.Kind() != '{' {
		return tenfold.Usage{}, false
	}
	in := n.Number("input_tokens")
	cached := min(in, n.Get("input_tokens_details").Number("cached_tokens"))
	return tenfold.Usage{Model: o.model, Input: in - cached, CacheRead: cached, Output: n.Number("output_tokens")}, true
}

// events reads the events of a response: its items as they are done. All else
// is kept.
func (o *responses) events(ctx context.Context, src engine.Source) error {
	r := engine.NewLineReader(ctx, src)
	var root walk.Node
	var line []byte
	err := r.Records(engine.OpenAIResponses, func(raw []byte) error {
		line = raw
		root = o.tree.Read(&o.scan, raw)
		return o.scan.Err
	}, func() error {
		if o.Conv.ID == "" {
			o.message = root.Get("response").Text("id")
			if o.Conv.ID = o.message; !engine.PlainID(o.message) {
				o.Conv.ID, o.message = engine.ContentID(o.src.Name, engine.OpenAIResponses, root.Raw()), "response"
			}
			o.At(UnixTime(float64(root.Get("response").Number("created_at"))))
		}
		return o.event(root, o.Ids.Unique("event:"+engine.Digest(line)))
	})
	if err != nil {
		return err
	}
	if !o.Begun {
		return r.Problem(engine.OpenAIResponses, errors.New("there is no event in it"), "was the stream saved?")
	}
	return o.End()
}

func (o *responses) event(root walk.Node, id string) error {
	typ := root.Text("type")
	response := root.Get("response")
	switch typ {
	case "response.created":
		if d := o.settings(response); !o.tree.Twice {
			return o.Emit(tenfold.Entry{ID: id, Source: walk.Splice(root.Raw(), o.items.Cuts), Payload: d})
		}
	case "response.output_item.done":
		return o.item(root.Get("item"), id, root, true)
	case "response.completed", "response.incomplete", "response.failed":
		if u, ok := o.usage(response.Get("usage")); ok && !o.tree.Twice {
			return o.Emit(tenfold.Entry{ID: id, MessageID: o.message, Source: string(root.Raw()), Payload: u})
		}
	}
	return o.Keep(id, tenfold.Kind("openai-responses."+cmp.Or(typ, "untyped")), root.Raw())
}
