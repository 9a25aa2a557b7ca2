package body

import (
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
)

// Gemini is the profile of Google's generateContent. Thought signatures go
// back on the very part they came with; its documents ask for one on the first call
// of each step of the current request, and name a word for calls that have none.
func Gemini() Profile {
	return Profile{
		Name: "gemini", Provider: "gemini",
		write: writeGemini, check: checkGemini,
	}
}

type (
	geminiBody struct {
		System   *geminiContent   `json:"systemInstruction,omitzero"`
		Tools    []jsontext.Value `json:"tools,omitzero"`
		Contents []geminiContent  `json:"contents"`
	}
	geminiTools struct {
		Functions []geminiFunction `json:"functionDeclarations"`
	}
	geminiFunction struct {
		Name        string         `json:"name"`
		Description string         `json:"description,omitzero"`
		Schema      jsontext.Value `json:"parametersJsonSchema,omitzero"`
	}
	geminiContent struct {
		Role  string           `json:"role,omitzero"`
		Parts []jsontext.Value `json:"parts"`
	}
	geminiPart struct {
		Text      string          `json:"text,omitzero"`
		Call      *geminiCall     `json:"functionCall,omitzero"`
		Response  *geminiResponse `json:"functionResponse,omitzero"`
		Inline    *geminiBlob     `json:"inlineData,omitzero"`
		File      *geminiFile     `json:"fileData,omitzero"`
		Signature string          `json:"thoughtSignature,omitzero"`
	}
	geminiCall struct {
		ID   string         `json:"id"`
		Name string         `json:"name"`
		Args jsontext.Value `json:"args"`
	}
	geminiResponse struct {
		ID       string            `json:"id"`
		Name     string            `json:"name"`
		Response map[string]string `json:"response"`
	}
	geminiBlob struct {
		MediaType string `json:"mimeType"`
		Data      string `json:"data"`
	}
	geminiFile struct {
		MediaType string `json:"mimeType,omitzero"`
		URI       string `json:"fileUri"`
	}
)

// unsignedCall is what Google's documents give for calls that Gemini 3 or later
// did not make: it is not checked as a signature.
const unsignedCall = "skip_thought_signature_validator"

func writeGemini(w *wire) any {
	body := geminiBody{Contents: []geminiContent{}}
	if !tenfold.Blank(w.config.System) {
		body.System = &geminiContent{Parts: []jsontext.Value{rawBlock(geminiPart{Text: w.config.System})}}
	}
	var functions geminiTools
	for _, t := range w.config.Tools {
		if w.profile.own(t) {
			body.Tools = append(body.Tools, jsontext.Value(t.Data))
			continue
		}
		functions.Functions = append(functions.Functions, geminiFunction{w.toolName(t.Name), t.Description, schemaObject(t.Schema)})
	}
	if functions.Functions != nil {
		body.Tools = append(body.Tools, rawBlock(functions))
	}
	strict := asksForSignatures(w.config.Model)
	names := map[string]string{} // call id in the body → tool
	for _, m := range w.messages {
		var parts []jsontext.Value
		role := "model"
		if m.user {
			role, parts = "user", geminiUser(m, names)
		} else {
			parts = w.geminiModel(m.items, names, strict)
		}
		if len(parts) == 0 {
			continue
		}
		if n := len(body.Contents); n > 0 && body.Contents[n-1].Role == role {
			body.Contents[n-1].Parts = append(body.Contents[n-1].Parts, parts...)
			continue
		}
		body.Contents = append(body.Contents, geminiContent{role, parts})
	}
	return body
}

// UnsignedCall gives the word that a model of Gemini takes in the place of the
// signature of a call that has none; empty where it asks for no signature.
func UnsignedCall(model string) string {
	if asksForSignatures(model) {
		return unsignedCall
	}
	return ""
}

// asksForSignatures reports whether a model wants its calls signed: from Gemini 3
// on. Calls of older requests get the word as well, though nobody asks for it there:
// what is sent once stays as it was (V1).
func asksForSignatures(model string) bool {
	_, version, ok := strings.Cut(model, "gemini-")
	major, err := strconv.Atoi(version[:len(version)-len(strings.TrimLeft(version, "0123456789"))])
	return ok && err == nil && major >= 3
}

func geminiUser(m message, names map[string]string) []jsontext.Value {
	var out []jsontext.Value
	for _, it := range m.items {
		switch p := it.Payload.(type) {
		case tenfold.ToolResult:
			key := "output"
			if p.IsError {
				key = "error"
			}
			out = append(out, rawBlock(geminiPart{Response: &geminiResponse{
				ID: it.callID, Name: names[it.callID],
				Response: map[string]string{key: plainText(resultParts(p.Parts))},
			}}))
		case tenfold.UserMessage:
			for _, part := range userParts(p) {
				out = append(out, rawBlock(geminiUserPart(part)))
			}
		case tenfold.ProviderItem:
			out = append(out, jsontext.Value(p.Data))
		}
	}
	return out
}

// foreignPart is [wire.foreign] for Gemini, whose parts have no type: one that
// can be read, and is neither nothing nor an empty text.
func foreignPart(item tenfold.ProviderItem) bool {
	var p geminiPart
	var members map[string]jsontext.Value
	if unmarshal([]byte(item.Data), &p) != nil || unmarshal([]byte(item.Data), &members) != nil {
		return false
	}
	if text, is := members["text"]; is && text.Kind() == '"' && tenfold.Blank(p.Text) {
		return p.Signature != "" && item.Role != "user"
	}
	return len(members) > 0
}

func geminiUserPart(p bodyPart) geminiPart {
	if p.file == nil {
		return geminiPart{Text: p.text}
	}
	if media, data, ok := p.data(); ok {
		return geminiPart{Inline: &geminiBlob{media, data}}
	}
	if p.isWeb() || strings.HasPrefix(p.file.URI, "gs://") {
		return geminiPart{File: &geminiFile{p.file.MediaType, p.file.URI}}
	}
	return geminiPart{Text: p.words()}
}

// geminiModel gives the model's parts. A thought's signature goes on the part
// after it; thoughts themselves are not sent back.
func (w *wire) geminiModel(items []wireItem, names map[string]string, strict bool) []jsontext.Value {
	var out []jsontext.Value
	signature := ""
	signed := false // the first call has its signature: calls of two steps have results between them
	for _, it := range items {
		switch p := it.Payload.(type) {
		case tenfold.Reasoning:
			if p.Signature != "" {
				signature = p.Signature
			}
		case tenfold.AssistantMessage:
			out = append(out, rawBlock(geminiPart{Text: p.Text, Signature: signature}))
			signature = ""
		case tenfold.ToolCall:
			if strict && !signed && signature == "" {
				signature = unsignedCall
			}
			names[it.callID] = w.toolName(p.Name)
			out = append(out, rawBlock(geminiPart{
				Call:      &geminiCall{it.callID, w.toolName(p.Name), argumentsObject(p.Arguments)},
				Signature: signature,
			}))
			signature, signed = "", true
		case tenfold.ProviderItem:
			out = append(out, jsontext.Value(p.Data))
		}
	}
	return out
}
