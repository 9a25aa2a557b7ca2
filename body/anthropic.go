package body

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
)

// Anthropic is the profile of Anthropic's Messages API. Its documents ask for
// thinking blocks unchanged, and tie them to the system prompt, the tools and the
// messages before them; a projection has let go of those that no longer fit (P10a).
func Anthropic() Profile {
	return Profile{
		Name: "anthropic", Provider: "anthropic",
		write: writeAnthropic, check: checkAnthropic,
	}
}

type (
	anthropicBody struct {
		System   string              `json:"system,omitzero"`
		Tools    []jsontext.Value    `json:"tools,omitzero"`
		Messages []*anthropicMessage `json:"messages"`
		// asked is the user's message that the model has not answered yet.
		asked *anthropicMessage
	}
	anthropicTool struct {
		Name        string         `json:"name"`
		Description string         `json:"description,omitzero"`
		Schema      jsontext.Value `json:"input_schema"`
	}
	anthropicMessage struct {
		Role    string           `json:"role"`
		Content []jsontext.Value `json:"content"`
	}
	anthropicBlock struct {
		Type      string           `json:"type"`
		Text      string           `json:"text,omitzero"`
		Thinking  *string          `json:"thinking,omitzero"`
		Signature string           `json:"signature,omitzero"`
		Data      string           `json:"data,omitzero"`
		ID        string           `json:"id,omitzero"`
		Name      string           `json:"name,omitzero"`
		Input     jsontext.Value   `json:"input,omitzero"`
		ToolUseID string           `json:"tool_use_id,omitzero"`
		Content   []jsontext.Value `json:"content,omitzero"`
		IsError   bool             `json:"is_error,omitzero"`
		Source    *anthropicSource `json:"source,omitzero"`
	}
	anthropicSource struct {
		Type      string `json:"type"`
		MediaType string `json:"media_type,omitzero"`
		Data      string `json:"data,omitzero"`
		URL       string `json:"url,omitzero"`
	}
)

// continueText stands between a summary, or another response, and thinking that must
// begin its message.
const continueText = "[The work goes on]"

// noOutputText stands in a failed result that says nothing, filesFollowText in one of files alone.
const (
	noOutputText    = "The tool failed without output."
	filesFollowText = "The tool failed. What it gave follows."
)

func writeAnthropic(w *wire) any {
	body := anthropicBody{System: nonBlank(w.config.System), Messages: []*anthropicMessage{}}
	body.Tools = w.tellTools(func(name string, t tenfold.ToolDefinition) any {
		return anthropicTool{name, t.Description, schemaObject(t.Schema)}
	})
	for _, m := range w.messages {
		if m.user {
			for _, s := range w.roleRuns(m) {
				body.say(cmp.Or(s.role, "user"), anthropicUser(s.message))
			}
			continue
		}
		for _, items := range responses(m.items) {
			blocks := w.anthropicAssistant(items)
			if n := len(body.Messages); n > 0 && len(blocks) > 0 && body.Messages[n-1].Role == "assistant" {
				body.say("user", []jsontext.Value{anthropicText(continueText)})
			}
			body.say("assistant", blocks)
		}
	}
	if n := len(body.Messages); n > 0 && body.Messages[n-1].Role == "assistant" {
		trimLastText(body.Messages[n-1].Content)
	}
	return body
}

// responses parts what the model says in a row where another response begins with
// thinking: with it on, a message begins with it, and text of another response, a
// summary's say, may not join it.
func responses(items []wireItem) (parts [][]wireItem) {
	from := 0
	for i := 1; i < len(items); i++ {
		if isThinking(items[i]) && !isThinking(items[i-1]) && !sameResponse(items[i-1], items[i]) {
			parts, from = append(parts, items[from:i]), i
		}
	}
	return append(parts, items[from:])
}

// isThinking tells what goes as a block of thinking: reasoning, and signed words.
func isThinking(it wireItem) bool {
	m, _ := it.Payload.(tenfold.AssistantMessage)
	return it.Payload.Kind() == tenfold.KindReasoning || m.Signature != ""
}

func sameResponse(a, b wireItem) bool { return a.MessageID != "" && a.MessageID == b.MessageID }

// say adds a message, or joins it to the one before of the same role. The system's words
// stand between the user's and the model's
// (https://platform.claude.com/docs/en/build-with-claude/mid-conversation-system-messages).
func (b *anthropicBody) say(role string, content []jsontext.Value) {
	if len(content) == 0 {
		return
	}
	if role == "system" && b.asked == nil {
		role = "user"
	}
	n := len(b.Messages)
	switch {
	case role == "user" && b.asked != nil:
		b.asked.Content = append(b.asked.Content, content...)
		return
	case role == "assistant" && n > 0 && b.Messages[n-1].Role == role:
		b.Messages[n-1].Content = append(b.Messages[n-1].Content, content...)
		return
	}
	b.Messages = append(b.Messages, &anthropicMessage{role, content})
	switch role {
	case "user":
		b.asked = b.Messages[n]
	case "assistant":
		b.asked = nil
	}
}

func anthropicText(text string) jsontext.Value {
	return rawBlock(anthropicBlock{Type: "text", Text: text})
}

// failed parts what a failed result gave into its texts, of which it has one, and files.
func failed(content []jsontext.Value) (texts, files []jsontext.Value) {
	for _, block := range content {
		if bytes.HasPrefix(block, []byte(`{"type":"text"`)) {
			texts = append(texts, block)
		} else {
			files = append(files, block)
		}
	}
	switch {
	case len(texts) > 0:
	case len(files) > 0:
		texts = []jsontext.Value{anthropicText(filesFollowText)}
	default:
		texts = []jsontext.Value{anthropicText(noOutputText)} // refused otherwise
	}
	return texts, files
}

// anthropicUser writes what stands under the user's role. A failed result may hold texts alone:
// its images follow the results.
func anthropicUser(m message) []jsontext.Value {
	var results, out []jsontext.Value
	for _, it := range m.items {
		switch p := it.Payload.(type) {
		case tenfold.UserMessage:
			out = append(out, anthropicParts(userParts(p))...)
		case tenfold.ToolResult:
			content := anthropicParts(resultParts(p.Parts))
			if p.IsError {
				var files []jsontext.Value
				content, files = failed(content)
				out = append(out, files...)
			}
			results = append(results, rawBlock(anthropicBlock{
				Type: "tool_result", ToolUseID: it.callID, IsError: p.IsError, Content: content,
			}))
		case tenfold.ProviderItem:
			out = append(out, jsontext.Value(p.Data))
		}
	}
	return append(results, out...)
}

func (w *wire) anthropicAssistant(items []wireItem) []jsontext.Value {
	var out []jsontext.Value
	end := len(items) // thinking may not end a message
	for end > 0 && isThinking(items[end-1]) {
		end--
	}
	for i, it := range items {
		switch p := it.Payload.(type) {
		case tenfold.AssistantMessage:
			if p.Signature != "" && i < end {
				out = append(out, rawBlock(anthropicBlock{Type: "thinking", Thinking: &p.Text, Signature: p.Signature}))
			} else {
				out = append(out, anthropicText(p.Text))
			}
		case tenfold.Reasoning:
			if i < end {
				out = append(out, anthropicThinking(p))
			}
		case tenfold.ToolCall:
			out = append(out, rawBlock(anthropicBlock{
				Type: "tool_use", ID: it.callID, Name: w.toolName(p.Name), Input: argumentsObject(p.Arguments),
			}))
		case tenfold.ProviderItem:
			out = append(out, jsontext.Value(p.Data))
		}
	}
	return out
}

func anthropicThinking(r tenfold.Reasoning) jsontext.Value {
	if r.Signature == "" {
		return rawBlock(anthropicBlock{Type: "redacted_thinking", Data: r.Encrypted})
	}
	return rawBlock(anthropicBlock{Type: "thinking", Thinking: &r.Text, Signature: r.Signature})
}

// anthropicImages are the media types the API takes as images.
var anthropicImages = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

// anthropicMostImage is how much base64 the API takes of an image. It refuses more,
// and then each later request of the conversation.
const anthropicMostImage = 5 << 20

func anthropicParts(parts []bodyPart) []jsontext.Value {
	var out []jsontext.Value
	for _, p := range parts {
		out = append(out, anthropicPart(p))
	}
	return out
}

func anthropicPart(p bodyPart) jsontext.Value {
	if p.file == nil {
		return anthropicText(p.text)
	}
	kind := "image"
	if p.file.Type == tenfold.PartFile {
		kind = "document"
	}
	media, data, ok := p.data()
	switch {
	case ok && kind == "image" && slices.Contains(anthropicImages, media) && len(data) <= anthropicMostImage,
		ok && kind == "document" && media == "application/pdf":
		return rawBlock(anthropicBlock{Type: kind, Source: &anthropicSource{Type: "base64", MediaType: media, Data: data}})
	case p.isWeb():
		return rawBlock(anthropicBlock{Type: kind, Source: &anthropicSource{Type: "url", URL: p.file.URI}})
	}
	return anthropicText(p.words())
}

// trims reports whether a provider may take a character off the end of a text:
// the white space of Unicode, and what other languages count as such.
func trims(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) || r == '\uFEFF' }

// trimLastText takes trailing white space off a final assistant text, which
// the API refuses.
func trimLastText(content []jsontext.Value) {
	last := len(content) - 1
	var b anthropicBlock
	if last < 0 || unmarshal(content[last], &b) != nil || b.Type != "text" {
		return
	}
	if text := strings.TrimRightFunc(b.Text, trims); text != b.Text {
		content[last] = anthropicText(text)
	}
}
