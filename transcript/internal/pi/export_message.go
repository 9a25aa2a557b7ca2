package pi

import (
	"cmp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
	"tenfold/internal/shield"
	"tenfold/transcript/internal/walk"
)

// piLine is a line of the file.
type piLine struct {
	Type          string         `json:"type"`
	Version       int            `json:"version,omitzero"`
	ID            string         `json:"id"`
	ParentID      jsontext.Value `json:"parentId,omitzero"`
	Timestamp     string         `json:"timestamp"`
	Cwd           *string        `json:"cwd,omitzero"`
	Provider      string         `json:"provider,omitzero"`
	ModelID       string         `json:"modelId,omitzero"`
	ThinkingLevel string         `json:"thinkingLevel,omitzero"`
	Name          string         `json:"name,omitzero"`
	Summary       string         `json:"summary,omitzero"`
	FirstKept     string         `json:"firstKeptEntryId,omitzero"`
	TokensBefore  *int           `json:"tokensBefore,omitzero"`
	Message       *piMessageOut  `json:"message,omitzero"`
}

// piMessageOut is a message of the file.
type piMessageOut struct {
	Role       string       `json:"role"`
	ToolCallID string       `json:"toolCallId,omitzero"`
	ToolName   string       `json:"toolName,omitzero"`
	Content    []piBlockOut `json:"content"`
	IsError    *bool        `json:"isError,omitzero"`
	API        string       `json:"api,omitzero"`
	Provider   string       `json:"provider,omitzero"`
	Model      string       `json:"model,omitzero"`
	Usage      *piUsageOut  `json:"usage,omitzero"`
	StopReason string       `json:"stopReason,omitzero"`
	Timestamp  int64        `json:"timestamp"`
}

type piBlockOut struct {
	Type              string         `json:"type"`
	Text              *string        `json:"text,omitzero"`
	Thinking          *string        `json:"thinking,omitzero"`
	ThinkingSignature string         `json:"thinkingSignature,omitzero"`
	Redacted          bool           `json:"redacted,omitzero"`
	Data              string         `json:"data,omitzero"`
	MimeType          string         `json:"mimeType,omitzero"`
	ID                string         `json:"id,omitzero"`
	Name              string         `json:"name,omitzero"`
	Arguments         jsontext.Value `json:"arguments,omitzero"`
	PartialJSON       string         `json:"partialJson,omitzero"`
	ThoughtSignature  string         `json:"thoughtSignature,omitzero"`
}

type piUsageOut struct {
	Input       int       `json:"input"`
	Output      int       `json:"output"`
	CacheRead   int       `json:"cacheRead"`
	CacheWrite  int       `json:"cacheWrite"`
	TotalTokens int       `json:"totalTokens"`
	Cost        piCostOut `json:"cost"`
}

type piCostOut struct {
	Input      float64 `json:"input"`
	Output     float64 `json:"output"`
	CacheRead  float64 `json:"cacheRead"`
	CacheWrite float64 `json:"cacheWrite"`
	Total      float64 `json:"total"`
}

// parts writes texts and images. pi has no other parts.
func (x *piWriter) parts(parts []tenfold.Part) []piBlockOut {
	out := []piBlockOut{}
	for _, p := range parts {
		if p.File == nil {
			out = append(out, piBlockOut{Type: "text", Text: &p.Text})
			continue
		}
		media, data, ok := strings.Cut(strings.TrimPrefix(p.File.URI, "data:"), ";base64,")
		if ok && p.File.Type == tenfold.PartImage {
			out = append(out, piBlockOut{Type: "image", Data: data, MimeType: media})
			continue
		}
		x.warn.Add(0, "file has no place in a pi session and is only named", "files have no place in a pi session and are only named")
		text := "[file " + shield.Label(strings.TrimSpace(p.File.Name+" "+p.File.MediaType)) + "]"
		out = append(out, piBlockOut{Type: "text", Text: &text})
	}
	return out
}

// block adds a block to the response under way, or begins another.
func (x *piWriter) block(e tenfold.Entry) {
	if x.open == nil || (e.MessageID != x.openID && e.MessageID != "" && x.openID != "") {
		x.flush()
		x.open, x.from = &piMessageOut{Role: "assistant", StopReason: "stop", Timestamp: x.time(e).UnixMilli(), Usage: &piUsageOut{}}, e
		at := x.apiOf(e, x.model)
		x.open.API, x.open.Provider, x.open.Model = at.api, at.provider, at.model
		x.openID = ""
	}
	x.openID = cmp.Or(x.openID, e.MessageID)
	m := x.open
	switch p := e.Payload.(type) {
	case tenfold.AssistantMessage:
		m.Content = append(m.Content, piBlockOut{Type: "text", Text: &p.Text})
	case tenfold.Reasoning:
		m.Content = append(m.Content, piThinking(p))
	case tenfold.ToolCall:
		x.calls[p.CallID] = p.Name
		b := piBlockOut{Type: "toolCall", ID: p.CallID, Name: p.Name, Arguments: jsontext.Value(p.Arguments)}
		if b.Arguments.Kind() != '{' || !b.Arguments.IsValid(walk.ScanOptions...) {
			b.Arguments, b.PartialJSON = jsontext.Value("{}"), p.Arguments
		}
		if n := len(m.Content) - 1; n >= 0 && m.Content[n].Type == "thought" && m.Content[n].ID == p.CallID {
			b.ThoughtSignature = m.Content[n].ThoughtSignature
			m.Content = m.Content[:n]
		}
		m.Content = append(m.Content, b)
		m.StopReason = "toolUse"
	}
}

// piThinking writes reasoning. A signature that stands on a call waits as a
// block "thought" for its call.
func piThinking(r tenfold.Reasoning) piBlockOut {
	if r.Provider == "gemini" && r.CallID != "" {
		return piBlockOut{Type: "thought", ID: r.CallID, ThoughtSignature: r.Signature}
	}
	b := piBlockOut{Type: "thinking", Thinking: &r.Text, ThinkingSignature: r.Signature}
	switch {
	case r.Provider == "openai" && r.ItemID != "":
		id, _ := jsontext.AppendQuote(nil, r.ItemID)
		text, _ := jsontext.AppendQuote(nil, r.Text)
		item := `{"id":` + string(id) + `,"type":"reasoning"`
		if r.Encrypted != "" {
			encrypted, _ := jsontext.AppendQuote(nil, r.Encrypted)
			item += `,"encrypted_content":` + string(encrypted)
		}
		if item += `,"summary":[`; r.Text != "" {
			item += `{"type":"summary_text","text":` + string(text) + `}`
		}
		b.ThinkingSignature = item + "]}"
	case r.Provider == "anthropic" && r.Encrypted != "":
		b.ThinkingSignature, b.Redacted = r.Encrypted, true
	}
	return b
}

// flush writes the response under way.
func (x *piWriter) flush() {
	m, id := x.open, x.openID
	if x.open, x.openID = nil, ""; m == nil {
		return
	}
	m.Content = slices.DeleteFunc(m.Content, func(b piBlockOut) bool { return b.Type == "thought" })
	if m.Content == nil {
		m.Content = []piBlockOut{}
	}
	if u, ok := x.usage[id]; ok {
		m.Usage = &piUsageOut{
			Input: u.Input, Output: u.Output, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite,
			TotalTokens: u.Input + u.Output + u.CacheRead + u.CacheWrite,
		}
		if u.Cost != nil {
			m.Usage.Cost.Total = *u.Cost
		}
	}
	x.line(x.from, piLine{Type: "message", Message: m})
}
