// Package body writes a projection as the body of a request to a model, and
// checks such bodies.
//
// A [Profile] knows what one API takes: [Anthropic], [OpenAIChat],
// [OpenAIResponses] and [Gemini]. [Profile.Write] gives the conversation part of
// a request, ready to send; a program adds the model and its options.
// [Profile.Check] lists what the provider would refuse in a body; it shares no
// code with Write, so that each is a test of the other (P10).
package body

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
	"tenfold/internal/fitnames"
	"tenfold/internal/rawjson"
)

// A Profile knows what a provider takes: it writes a projection as the body of
// a request, and checks such bodies (P10). The profiles are [OpenAIChat],
// [OpenAIResponses], [Anthropic] and [Gemini].
type Profile struct {
	// Name is the export format's name, e.g. "openai-chat".
	Name string
	// Provider is whose opaque items and reasoning the profile may carry.
	Provider string

	write func(*wire) any
	check func(body []byte) []Violation
}

// A Violation is a place in a request body that its provider would refuse.
type Violation struct {
	// Path says where: "messages[3].content[0]".
	Path string
	// Problem says what, in words.
	Problem string
}

// String joins place and problem.
func (v Violation) String() string { return v.Path + ": " + v.Problem }

// Profiles lists the built-in profiles.
func Profiles() []Profile {
	return []Profile{OpenAIChat(), OpenAIResponses(), Anthropic(), Gemini()}
}

// Write writes the projection as the conversation part of a request body, ready
// to send: system prompt, tools, and messages. What the provider does not take
// is repaired: call ids and tool names are made to fit its alphabet and made
// unique, arguments that are no JSON object are wrapped in one, other
// providers' opaque items and reasoning are left out.
func (f Profile) Write(p *tenfold.Projection) ([]byte, error) {
	switch {
	case f.write == nil:
		return nil, errNoProfile
	case p == nil:
		return nil, fmt.Errorf("write %s body: there is no projection", f.Name)
	}
	w := &wire{
		profile: f, config: p.Config(), waiting: map[string][]string{}, names: map[string]string{}, custom: map[string]bool{},
		ids: fitnames.Unique{Most: maxCallID}, tools: fitnames.Unique{Most: maxToolName},
	}
	w.config.Tools = f.tools(f.uniqueTools(w.config.Tools))
	w.collect(p.Items())
	body, err := json.Marshal(f.write(w), rawjson.Verbatim, json.Deterministic(true))
	if err != nil {
		return nil, fmt.Errorf("write %s body: %w", f.Name, err)
	}
	return body, nil
}

var errNoProfile = errors.New("a body.Profile that is made by hand knows no provider: use one of body.Profiles")

// Check lists what the provider would refuse in a request body: nothing for
// a body that [Profile.Write] wrote.
func (f Profile) Check(body []byte) []Violation {
	if f.check == nil {
		return []Violation{{"profile", errNoProfile.Error()}}
	}
	if !jsontext.Value(body).IsValid(rawjson.Verbatim) {
		return []Violation{{"body", "is not JSON"}}
	}
	return f.check(body)
}

func unmarshal(object []byte, v any) error { return json.Unmarshal(object, v, rawjson.Verbatim) }

// openingText begins a view that shows nothing.
const openingText = "[Conversation continues]"

// own reports whether a tool is of the provider's own kind, and told as it came.
func (f Profile) own(t tenfold.ToolDefinition) bool {
	return t.Provider == f.Provider && isObject(t.Data)
}

// tellTools gives the definitions: the provider's own as they came, others as form has them.
func (w *wire) tellTools(form func(name string, t tenfold.ToolDefinition) any) (told []jsontext.Value) {
	for _, t := range w.config.Tools {
		if w.profile.own(t) {
			told = append(told, jsontext.Value(t.Data))
			continue
		}
		told = append(told, rawBlock(form(w.toolName(t.Name), t)))
	}
	return told
}

// uniqueTools keeps the last definition of each name; the provider's own need none.
func (f Profile) uniqueTools(tools []tenfold.ToolDefinition) []tenfold.ToolDefinition {
	at := map[string]int{}
	var out []tenfold.ToolDefinition
	for _, t := range tools {
		if t.Name == "" && f.own(t) {
			out = append(out, t)
			continue
		}
		if i, ok := at[t.Name]; ok {
			out[i] = t
			continue
		}
		at[t.Name] = len(out)
		out = append(out, t)
	}
	return out
}

// tools leaves out other providers' own tools, which nobody here could call.
func (f Profile) tools(list []tenfold.ToolDefinition) []tenfold.ToolDefinition {
	return slices.DeleteFunc(list, func(t tenfold.ToolDefinition) bool {
		return t.Provider != "" && t.Provider != f.Provider && t.Schema == ""
	})
}

// wire is a projection on its way into a body: messages of one role each.
type wire struct {
	profile  Profile
	config   tenfold.Config
	messages []message

	ids     fitnames.Unique     // of calls
	waiting map[string][]string // raw call id → ids given to its open calls
	tools   fitnames.Unique
	names   map[string]string // raw tool name → its name in the body
	custom  map[string]bool   // ids in the body of calls of custom tools
}

// message is a stretch of items of one role, in order.
type message struct {
	user  bool
	items []wireItem
}

// wireItem is an item with the call id that it has in the body.
type wireItem struct {
	tenfold.Item
	callID string
	// asUser is set on a message that goes out as the user's whatever its role.
	asUser bool
}

// collect joins items to messages, and drops what the profile may not carry.
func (w *wire) collect(items iter.Seq[tenfold.Item]) {
	for it := range items {
		wi := wireItem{Item: it}
		user := false
		switch p := it.Payload.(type) {
		case tenfold.UserMessage:
			if len(w.messages) == 0 && p.Role != "" && w.prompts(p) {
				continue
			}
			user = true
		case tenfold.ToolCall:
			wi.callID = w.callID(p.CallID)
		case tenfold.ToolResult:
			user = true
			if queue := w.waiting[p.CallID]; len(queue) > 0 {
				wi.callID, w.waiting[p.CallID] = queue[0], queue[1:]
			}
		case tenfold.Reasoning:
			if !w.carries(p) {
				continue
			}
		case tenfold.ProviderItem:
			if p.Provider != w.profile.Provider || !w.foreign(p) {
				continue
			}
			user = p.Role == "user"
		}
		if n := len(w.messages); n == 0 || w.messages[n-1].user != user {
			w.messages = append(w.messages, message{user: user})
		}
		m := &w.messages[len(w.messages)-1]
		m.items = append(m.items, wi)
	}
	if len(w.messages) == 0 || !w.messages[0].user {
		// A view that shows nothing, as where all of it stands summarised in the
		// system prompt, is opened as one that begins with the model's words is:
		// no provider takes a body without a message (P10).
		open := tenfold.Item{Added: tenfold.AddedOpening, Payload: tenfold.UserMessage{Parts: tenfold.Text(openingText), Synthetic: true}}
		w.messages = slices.Insert(w.messages, 0, message{user: true, items: []wireItem{{Item: open}}})
	}
	w.giveUser()
}

// foreign reports whether an item is a block of a kind that the profile does not
// write itself. One of a kind it does write would be there because something in
// it could not be read: the provider would refuse it, or pair it with a call.
func (w *wire) foreign(item tenfold.ProviderItem) bool {
	data := item.Data
	if !isObject(data) {
		return false
	}
	if w.profile.Provider == "gemini" {
		return foreignPart(item)
	}
	var block struct {
		Type string `json:"type"`
	}
	if json.Unmarshal([]byte(data), &block, rawjson.Verbatim) != nil {
		return false
	}
	// A note that another model answered is for the client: Anthropic takes it
	// back only with a beta header, which a body cannot bring. So it is with changes of tools.
	note := w.profile.Provider == "anthropic" && (block.Type == "fallback" || item.Role == "system")
	return !note && !modelled(block.Type)
}

// modelled reports whether blocks or items of a type are payloads of a log.
func modelled(kind string) bool {
	switch kind {
	case "text", "thinking", "redacted_thinking", "tool_use", "tool_result", // Anthropic's
		"message", "reasoning", "function_call", "function_call_output",
		"custom_tool_call", "custom_tool_call_output": // OpenAI's
		return true
	}
	return false
}

// carries reports whether the provider can be given the reasoning: its own,
// with the opaque data it looks for.
func (w *wire) carries(r tenfold.Reasoning) bool {
	switch {
	case r.Provider != w.profile.Provider:
		return false
	case r.Provider == "openai":
		return r.Encrypted != ""
	case r.Provider == "openai-chat":
		return !tenfold.Blank(r.Text)
	}
	return r.Signature != "" || r.Encrypted != ""
}

func isObject(text string) bool {
	v := jsontext.Value(strings.TrimSpace(text))
	return v.IsValid(rawjson.Verbatim) && v.Kind() == '{'
}

// maxCallID is the shortest limit of any provider: OpenAI's, for chat.
const maxCallID = 40

// callID gives a call an id every provider takes, unique in the body. Models
// that number their calls use the same id again and again.
func (w *wire) callID(raw string) string {
	id := w.ids.Give(fitnames.Fit(raw, maxCallID, "call"))
	w.waiting[raw] = append(w.waiting[raw], id)
	return id
}

// maxToolName is the shortest limit of any provider for a tool's name.
const maxToolName = 64

// toolName gives a tool a name every provider takes, its own in the body.
func (w *wire) toolName(raw string) string {
	if name, ok := w.names[raw]; ok {
		return name
	}
	whole := fitnames.Fit(raw, maxToolName, "unknown")
	if c := whole[0]; c == '-' || (c >= '0' && c <= '9') {
		whole = fitnames.Fit("_"+whole, maxToolName, "unknown")
	}
	name := w.tools.Give(whole)
	w.names[raw] = name
	return name
}

// argumentsObject gives a call's arguments as the JSON object every provider
// wants: what is none is wrapped, so that nothing the model said is lost.
func argumentsObject(raw string) jsontext.Value {
	v := jsontext.Value(strings.TrimSpace(raw))
	switch {
	case len(v) == 0:
		return jsontext.Value(`{}`)
	case isObject(raw):
		return v
	}
	wrapped, _ := json.Marshal(map[string]string{"input": raw}, rawjson.Verbatim)
	return wrapped
}

// schemaObject gives a tool's schema, an open object where there is none.
func schemaObject(raw string) jsontext.Value {
	if isObject(raw) {
		return jsontext.Value(raw)
	}
	return jsontext.Value(`{"type":"object","properties":{}}`)
}

// nonBlank gives the text, or nothing for one that is only white space.
func nonBlank(text string) string {
	if tenfold.Blank(text) {
		return ""
	}
	return text
}

// bodyPart is a text or a file on its way into a body.
type bodyPart struct {
	text string
	file *tenfold.File
}

// userParts gives what a user message says, attachments as texts, no empty
// ones.
func userParts(m tenfold.UserMessage) []bodyPart {
	parts := resultParts(m.Parts)
	for _, a := range m.Attachments {
		parts = append(parts, bodyPart{text: a.Element()})
	}
	return parts
}

func resultParts(parts []tenfold.Part) []bodyPart {
	var out []bodyPart
	for _, p := range parts {
		switch {
		case p.File != nil:
			out = append(out, bodyPart{file: p.File})
		case !tenfold.Blank(p.Text):
			out = append(out, bodyPart{text: p.Text})
		}
	}
	return out
}

func (p bodyPart) isFile() bool { return p.file != nil }

// data gives the media type and the base64 of a file whose bytes are at hand.
func (p bodyPart) data() (media, data string, ok bool) {
	head, data, ok := strings.Cut(p.file.URI, ";base64,")
	media, isData := strings.CutPrefix(head, "data:")
	return media, data, ok && isData && media != "" && data != ""
}

// words stands for a file that the provider cannot be given here. Nothing was
// compacted, so that they are no stub.
func (p bodyPart) words() string {
	f := p.file
	if f.Type == tenfold.PartFile && f.URI == "" && !tenfold.Blank(f.Detail) {
		return f.Detail
	}
	words := "[file not included] " + f.Label()
	switch size := f.Size(); size {
	case 0:
	case 1:
		words += ", 1 byte"
	default:
		words += fmt.Sprintf(", %d bytes", size)
	}
	return words
}

func (p bodyPart) isWeb() bool {
	return strings.HasPrefix(p.file.URI, "https://") || strings.HasPrefix(p.file.URI, "http://")
}

// imageURL is where OpenAI may fetch an image, or the data: URI that holds it;
// empty for all else.
func (p bodyPart) imageURL() string {
	if p.file == nil || p.file.Type != tenfold.PartImage {
		return ""
	}
	if _, _, ok := p.data(); ok || p.isWeb() {
		return p.file.URI
	}
	return ""
}

// plainText joins parts where only text can stand.
func plainText(parts []bodyPart) string {
	texts := make([]string, len(parts))
	for i, p := range parts {
		texts[i] = p.text
		if p.file != nil {
			texts[i] = p.words()
		}
	}
	return strings.Join(texts, "\n")
}

// raw marshals a block whose fields are all known to marshal.
func rawBlock(v any) jsontext.Value {
	b, err := json.Marshal(v, rawjson.Verbatim, json.Deterministic(true))
	if err != nil {
		return jsontext.Value(`null`)
	}
	return b
}
