package transcript

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"tenfold"
)

func openaiResponsesHandler() handler {
	return handler{
		format: OpenAIResponses, about: "OpenAI responses bodies",
		importer: openaiResponses{}, exporter: bodyExporter{"openai-responses"},
	}
}

// openaiResponses reads bodies of OpenAI's Responses API.
type openaiResponses struct{}

// responsesTypes are types of items, and of blocks, that no other API has.
var responsesTypes = [...]string{
	"function_call", "function_call_output", "custom_tool_call", "custom_tool_call_output", "local_shell_call", "local_shell_call_output",
	"web_search_call", "file_search_call", "tool_search_call", "tool_search_output", "computer_call", "computer_call_output",
	"code_interpreter_call", "image_generation_call", "mcp_call", "mcp_list_tools", "item_reference",
	"input_text", "output_text", "input_image", "input_file",
}

// responsesMark reports whether an object can only be an item of the Responses
// API.
func responsesMark(o object) bool {
	switch typ := o.values["type"]; {
	case slices.Contains(responsesTypes[:], typ), typ == "reasoning" && o.has("summary"), typ == "compaction" && o.has("encrypted_content"):
		return true
	}
	return o.has("role") && slices.ContainsFunc(o.items["content"], responsesMark)
}

// Recognise implements [Importer]. A plain list of roles and texts is taken by
// others.
func (openaiResponses) Recognise(h Head) Confidence {
	s := h.json
	if len(s.objects) == 0 {
		return No
	}
	first := s.objects[0]
	switch s.shape {
	case shapeArray:
		if slices.ContainsFunc(s.objects, responsesMark) {
			return Certain
		}
		return No
	case shapeLines, shapeObject:
		if responsesEvent(first) {
			return Certain
		}
		if len(s.objects)+s.others > 1 {
			return No
		}
	default:
		return No
	}
	items := slices.Concat(first.items["input"], first.items["output"])
	input := first.kinds["input"]
	switch {
	case first.has("messages") || first.has("contents"):
		return No
	case first.values["object"] == "response", slices.ContainsFunc(items, responsesMark):
		return Certain
	case (input == '[' || input == '"') && first.has("instructions"):
		return Certain
	case input == '[' && slices.ContainsFunc(items, func(o object) bool { return o.has("role", "content") }):
		return Likely
	case string(bytes.TrimSpace(h.text())) == `{"input":[]}`:
		return Maybe // what a conversation without items is exported as
	}
	return No
}

// responsesEvent reports whether a line is an event of a stream.
func responsesEvent(o object) bool {
	return strings.HasPrefix(o.values["type"], "response.") && (o.has("response") || o.has("sequence_number") || o.has("output_index"))
}

// Import implements [Importer].
func (openaiResponses) Import(ctx context.Context, src Source, sink Sink) error {
	o := responses{itemTurns: itemTurns{emitter: emitter{sink: sink}}, src: src}
	o.conv.Format = OpenAIResponses
	o.items.scan, o.scan.cost = &o.scan, placeCost
	head, err := src.head()
	if err != nil {
		return err
	}
	if h := newHead(head, src.Name); len(h.json.objects) > 0 && h.json.shape == shapeLines && responsesEvent(h.json.objects[0]) {
		return o.events(ctx, src)
	}
	return withDocument(ctx, src, OpenAIResponses, o.document)
}

// responses reads one conversation.
type responses struct {
	itemTurns
	src   Source
	scan  scanner
	tree  tree
	items itemReader
	// message is the id of the response that output items came in.
	message string
	model   string
}

// document reads a body, or a bare list of items.
func (o *responses) document(doc document) error {
	root := o.tree.read(&o.scan, doc.raw)
	if o.scan.err != nil {
		return doc.broken(o.scan.err)
	}
	hint := "it is a body with input or output, or a list of items"
	switch root.kind() {
	case '[':
		o.conv.ID = contentID(o.src.Name, OpenAIResponses, appendCompact(nil, root.first().raw()))
		if !root.first().found() {
			return doc.problem(o.src, OpenAIResponses, 0, errors.New("there is no item in the list"), hint)
		}
		if err := o.list(root, false); err != nil {
			return err
		}
		return o.end()
	case '{':
	default:
		return doc.problem(o.src, OpenAIResponses, 0, errors.New("this is no body"), hint)
	}
	return o.body(root, doc, hint)
}

// body reads a request, a response, or both in one.
func (o *responses) body(root node, doc document, hint string) error {
	input, output := root.get("input"), root.get("output")
	if !input.isText() && input.kind() != '[' && output.kind() != '[' {
		return doc.problem(o.src, OpenAIResponses, 0, errors.New("the body has neither input nor output"), hint)
	}
	first := input
	if input.kind() == '[' && input.first().found() {
		first = input.first()
	} else if !input.isText() && output.first().found() {
		first = output.first()
	}
	response := root.text("object") == "response"
	if id := root.text("id"); response && plainID(id) {
		o.conv.ID, o.message = id, id
	} else {
		o.conv.ID = contentID(o.src.Name, OpenAIResponses, appendCompact(nil, first.raw()))
	}
	if at := root.get("created_at"); at.found() {
		o.at(unixTime(float64(o.scan.number(at.at()))))
	}
	if err := o.config(root); err != nil {
		return err
	}
	if input.isText() {
		o.items.cuts = o.items.cuts[:0]
		u := tenfold.UserMessage{Parts: tenfold.Text(o.items.text(input))}
		id := o.itemID(input)
		if err := o.show(id, itemEntries(id, string(input.raw()), one(u))); err != nil {
			return err
		}
	} else if err := o.list(input, false); err != nil {
		return err
	}
	if err := o.list(output, true); err != nil {
		return err
	}
	if u, ok := o.usage(root.get("usage")); ok {
		id := o.ids.unique("usage:" + digest(appendCompact([]byte(o.message), root.get("usage").raw())))
		if err := o.emit(tenfold.Entry{ID: id, MessageID: o.message, Payload: u}); err != nil {
			return err
		}
	}
	return o.end()
}

// config hands on what a body sets beside its items; the body is its source.
func (o *responses) config(root node) error {
	d := tenfold.ConfigDelta{Model: root.text("model")}
	o.model = d.Model
	var cuts []cut
	o.items.cuts = o.items.cuts[:0]
	if s := root.get("instructions"); s.isText() {
		system := o.items.text(s)
		d.System = &system
	}
	cuts = append(cuts, o.items.cuts...)
	if tools := root.get("tools"); tools.kind() == '[' && tools.first().found() {
		d.Tools = toolList(tools)
	}
	for _, name := range [...]string{"input", "output"} {
		if n := root.get(name); n.found() && !o.tree.twice {
			cuts = append(cuts, cut{n.at(), cutValue})
		}
	}
	source := string(appendCompact(nil, []byte(splice(root.t.raw, cuts))))
	return o.emit(tenfold.Entry{ID: o.ids.unique("config:" + digest([]byte(source))), Source: source, Payload: d})
}

// customSchema is what a tool that takes plain text is to other providers.
const customSchema = `{"type":"object","properties":{"input":{"type":"string"}},"required":["input"]}`

// toolList reads the tools a model was offered. Those that only OpenAI knows
// are kept as they are.
func toolList(tools node) *[]tenfold.ToolDefinition {
	list := []tenfold.ToolDefinition{}
	for n := tools.first(); n.found(); n = n.next() {
		if n.kind() != '{' {
			continue
		}
		name, typ := n.text("name"), n.text("type")
		if typ == "" || (name == "" && (typ == "function" || typ == "custom")) {
			continue
		}
		if typ != "function" {
			d := tenfold.ToolDefinition{Name: name, Provider: "openai", Data: oneLine(string(n.raw()))}
			if typ == "custom" {
				d.Description, d.Schema = n.text("description"), customSchema
			}
			list = append(list, d)
			continue
		}
		d := tenfold.ToolDefinition{Name: n.text("name"), Description: n.text("description")}
		if p := n.get("parameters"); p.kind() == '{' {
			d.Schema = oneLine(string(p.raw()))
		}
		list = append(list, d)
	}
	return &list
}

// list turns a list of items into entries.
func (o *responses) list(items node, output bool) error {
	for n := list(items); n.found(); n = n.next() {
		if err := o.item(n, o.itemID(n), n, output); err != nil {
			return err
		}
	}
	return nil
}

// itemID names an item after what it says.
func (o *responses) itemID(n node) string {
	return o.ids.unique("item:" + digest(appendCompact(nil, n.raw())))
}

// item turns one item into entries. Its source is the item, or the record that
// it stands in.
func (o *responses) item(n node, id string, record node, output bool) error {
	before := o.tree.twice
	o.tree.twice = false
	o.items.cuts, o.items.odd = o.items.cuts[:0], false
	payloads := o.items.item(n)
	twice := o.tree.twice
	o.tree.twice = before || twice
	if o.items.odd || twice {
		o.warn.add(0, "item holds something that is not understood: it is kept, and no model sees it",
			"items hold something that is not understood: it is kept, and no model sees it")
	}
	if len(payloads) == 0 || twice {
		return o.keep(id, tenfold.Kind("openai-responses."+cmp.Or(n.text("type"), "untyped")), appendCompact(nil, record.raw()))
	}
	from := record.at().from
	for i := range o.items.cuts {
		c := &o.items.cuts[i]
		c.from, c.to = c.from-from, c.to-from
	}
	source := string(appendCompact(nil, []byte(splice(record.raw(), o.items.cuts))))
	entries := itemEntries(id, source, payloads)
	if output {
		for i := range entries {
			entries[i].MessageID = o.message
		}
	}
	return o.show(id, entries)
}

// usage reads what a response cost. Cached tokens are a part of the input.
func (o *responses) usage(n node) (tenfold.Usage, bool) {
	if n.kind() != '{' {
		return tenfold.Usage{}, false
	}
	number := func(n node) int {
		if !n.found() {
			return 0
		}
		return o.scan.number(n.at())
	}
	in := number(n.get("input_tokens"))
	cached := min(in, number(n.get("input_tokens_details").get("cached_tokens")))
	return tenfold.Usage{Model: o.model, Input: in - cached, CacheRead: cached, Output: number(n.get("output_tokens"))}, true
}

// events reads the events of a response: its items as they are done. All else
// is kept.
func (o *responses) events(ctx context.Context, src Source) error {
	r := newLineReader(ctx, src)
	var root node
	var line []byte
	err := r.records(OpenAIResponses, func(raw []byte) error {
		line = raw
		root = o.tree.read(&o.scan, raw)
		return o.scan.err
	}, func() error {
		if o.conv.ID == "" {
			o.message = root.get("response").text("id")
			if o.conv.ID = o.message; !plainID(o.message) {
				o.conv.ID, o.message = contentID(o.src.Name, OpenAIResponses, root.raw()), "response"
			}
			if at := root.get("response").get("created_at"); at.found() {
				o.at(unixTime(float64(o.scan.number(at.at()))))
			}
		}
		return o.event(root, o.ids.unique("event:"+digest(line)))
	})
	if err != nil {
		return err
	}
	if !o.begun {
		return r.problem(OpenAIResponses, errors.New("there is no event in it"), "was the stream saved?")
	}
	return o.end()
}

func (o *responses) event(root node, id string) error {
	typ := root.text("type")
	response := root.get("response")
	switch typ {
	case "response.created":
		d := tenfold.ConfigDelta{Model: response.text("model")}
		o.model = d.Model
		o.items.cuts = o.items.cuts[:0]
		if s := response.get("instructions"); s.isText() {
			system := o.items.text(s)
			d.System = &system
		}
		if tools := response.get("tools"); tools.kind() == '[' && tools.first().found() {
			d.Tools = toolList(tools)
		}
		if !o.tree.twice {
			return o.emit(tenfold.Entry{ID: id, Source: splice(root.raw(), o.items.cuts), Payload: d})
		}
	case "response.output_item.done":
		return o.item(root.get("item"), id, root, true)
	case "response.completed", "response.incomplete", "response.failed":
		if u, ok := o.usage(response.get("usage")); ok && !o.tree.twice {
			return o.emit(tenfold.Entry{ID: id, MessageID: o.message, Source: string(root.raw()), Payload: u})
		}
	}
	return o.keep(id, tenfold.Kind("openai-responses."+cmp.Or(typ, "untyped")), root.raw())
}
