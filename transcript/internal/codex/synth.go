package codex

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
	"tenfold/internal/shield"
	"tenfold/transcript/internal/chatapi"
	"tenfold/transcript/internal/intake"
	"tenfold/transcript/internal/walk"
)

// codexOut is an item of the model's history, as Codex writes one.
type codexOut struct {
	Type      string        `json:"type"`
	ID        string        `json:"id,omitzero"`
	Role      string        `json:"role,omitzero"`
	Content   []codexBlock  `json:"content,omitzero"`
	Phase     string        `json:"phase,omitzero"`
	Summary   *[]codexBlock `json:"summary,omitzero"`
	Encrypted string        `json:"encrypted_content,omitzero"`
	Status    string        `json:"status,omitzero"`
	CallID    string        `json:"call_id,omitzero"`
	Name      string        `json:"name,omitzero"`
	Arguments *string       `json:"arguments,omitzero"`
	Input     *string       `json:"input,omitzero"`
	Output    any           `json:"output,omitzero"`
	Execution string        `json:"execution,omitzero"`
	Tools     *[]int        `json:"tools,omitzero"`
}

type codexBlock struct {
	Type  string  `json:"type"`
	Text  *string `json:"text,omitzero"`
	Image string  `json:"image_url,omitzero"`
}

type codexSaid struct {
	Type    string `json:"type"`
	Message string `json:"message"`
	Images  []int  `json:"images"`
	Local   []int  `json:"local_images"`
	Texts   []int  `json:"text_elements"`
}

type codexAnswered struct {
	Type    string  `json:"type"`
	Message string  `json:"message"`
	Phase   *string `json:"phase"`
	Cited   *string `json:"memory_citation"`
}

func (x *codexWriter) response(item any) { x.line("response_item", item) }

// entry writes an entry that came from elsewhere.
func (x *codexWriter) entry(e tenfold.Entry) {
	if e.Branch != "" {
		x.warn.NoForm(e, intake.Codex)
		return
	}
	x.at(e.Time)
	switch p := e.Payload.(type) {
	case tenfold.TurnStart, tenfold.Compaction, tenfold.CompactionRevoked, tenfold.CompactionAttempt, tenfold.Unpin:
		return // turns open by themselves, and what was undone is not there
	case tenfold.CompactionFailed, tenfold.Pin, tenfold.Approval, tenfold.Unknown:
		x.warn.NoForm(e, intake.Codex)
		return
	case tenfold.ConfigDelta:
		x.begin(x.view.ID, nil)
		if p.System != nil && *p.System != "" || p.Tools != nil {
			x.warn.NoForm(e, intake.Codex)
		}
		x.settings(p.Model)
		return
	case tenfold.Usage:
		x.begin(x.view.ID, nil)
		x.usage(p)
		return
	}
	x.begin(x.view.ID, nil)
	for _, out := range x.items(e.Payload, x.record.shape(e.Source)) {
		x.response(out)
	}
	x.repeatForInterface(e.Payload)
}

func (x *codexWriter) usage(u tenfold.Usage) {
	var c codexCount
	c.Type = "token_count"
	in := u.Prompt()
	c.Info.Last = codexTokens{Input: in, Cached: u.CacheRead, Output: u.Output, Total: in + u.Output}
	x.spent.Input += in
	x.spent.Cached += u.CacheRead
	x.spent.Output += u.Output
	x.spent.Total += in + u.Output
	c.Info.Total = x.spent
	x.line("event_msg", c)
}

// repeatForInterface repeats, for the user interface, what was said: Codex shows and lists
// sessions by these lines.
func (x *codexWriter) repeatForInterface(p tenfold.Payload) {
	switch p := p.(type) {
	case tenfold.UserMessage:
		if p.Synthetic {
			return
		}
		var texts []string
		for _, part := range p.Parts {
			if part.File == nil && !tenfold.IsNote(part.Text) { // what Codex shows, and makes a title of
				texts = append(texts, part.Text)
			}
		}
		x.line("event_msg", codexSaid{"user_message", strings.Join(texts, "\n"), []int{}, []int{}, []int{}})
	case tenfold.AssistantMessage:
		x.line("event_msg", codexAnswered{Type: "agent_message", Message: p.Text})
	}
}

// items writes a payload as items of the history.
func (x *codexWriter) items(p tenfold.Payload, s codexShape) []any {
	switch p := p.(type) {
	case tenfold.UserMessage:
		role := "user"
		if p.Role == "system" || p.Role == "developer" {
			role = p.Role
		}
		if s.role != "" && s.role != "assistant" {
			role = s.role
		}
		blocks := codexBlocks(p.Parts)
		for _, a := range p.Attachments {
			text := a.Element()
			blocks = append(blocks, codexBlock{Type: "input_text", Text: &text})
		}
		if len(blocks) > 0 {
			return []any{codexOut{Type: "message", Role: role, Content: blocks}}
		}
	case tenfold.AssistantMessage:
		return []any{codexOut{Type: "message", Role: "assistant", Content: []codexBlock{{Type: "output_text", Text: &p.Text}}, Phase: cmp.Or(s.phase, p.Phase)}}
	case tenfold.Reasoning:
		if p.Provider != "openai" || p.Encrypted == "" {
			x.warn.UnreadableReasoning()
			return nil
		}
		summary := []codexBlock{}
		if p.Text != "" {
			summary = append(summary, codexBlock{Type: "summary_text", Text: &p.Text})
		}
		return []any{codexOut{Type: "reasoning", ID: p.ItemID, Summary: &summary, Encrypted: p.Encrypted}}
	case tenfold.ToolCall:
		return []any{x.call(p, s)}
	case tenfold.ToolResult:
		call, ok := x.written[p.CallID]
		if !ok {
			x.warn.NoForm(tenfold.Entry{Payload: p}, intake.Codex)
			return nil
		}
		delete(x.written, p.CallID)
		if call.output == "tool_search_output" {
			return []any{codexOut{Type: call.output, CallID: call.id, Status: "completed", Execution: "client", Tools: &[]int{}}}
		}
		return []any{codexOut{Type: call.output, CallID: call.id, Output: codexOutput(p.Parts)}}
	case tenfold.ProviderItem:
		if p.Provider != "openai" {
			x.warn.NoForm(tenfold.Entry{Payload: p}, intake.Codex)
			return nil
		}
		return []any{jsontext.Value(walk.OneLine(p.Data))}
	}
	return nil
}

// call writes a call, under an id that no call before has.
func (x *codexWriter) call(p tenfold.ToolCall, s codexShape) codexOut {
	id := p.CallID
	if x.uses[p.CallID]++; x.uses[p.CallID] > 1 || id == "" {
		id += "_" + strconv.Itoa(x.uses[p.CallID])
	}
	if s.typ == "custom_tool_call" || p.Custom {
		text := p.Arguments
		if raw, ok := strings.CutPrefix(text, chatapi.InputStart); ok {
			if err := json.Unmarshal([]byte(strings.TrimSuffix(raw, chatapi.InputEnd)), &text); err != nil {
				text = p.Arguments
			}
		} else if text == "{}" {
			text = "" // it was stripped
		}
		x.written[p.CallID] = codexCall{id: id, output: "custom_tool_call_output"}
		return codexOut{Type: "custom_tool_call", Status: "completed", CallID: id, Name: p.Name, Input: &text}
	}
	x.written[p.CallID] = codexCall{id: id, output: "function_call_output"}
	return codexOut{Type: "function_call", Name: p.Name, Arguments: &p.Arguments, CallID: id}
}

func codexBlocks(parts []tenfold.Part) []codexBlock {
	blocks := []codexBlock{}
	for _, p := range parts {
		switch {
		case p.File == nil:
			blocks = append(blocks, codexBlock{Type: "input_text", Text: &p.Text})
		case p.File.Type == tenfold.PartImage && p.File.URI != "":
			blocks = append(blocks, codexBlock{Type: "input_image", Image: p.File.URI})
		default:
			text := fileWords(p.File)
			blocks = append(blocks, codexBlock{Type: "input_text", Text: &text})
		}
	}
	return blocks
}

// fileWords says in words what file stood here.
func fileWords(f *tenfold.File) string {
	what := shield.Label(strings.TrimSpace(string(f.Type) + " " + f.Name))
	switch {
	case f.Detail != "":
		return "[" + what + "] " + f.Detail
	case f.URI != "" && !strings.HasPrefix(f.URI, "data:"):
		return "[" + what + "] " + f.URI
	}
	return "[" + what + "]"
}

// codexOutput is text where there is nothing else.
func codexOutput(parts []tenfold.Part) any {
	if len(parts) == 0 {
		return ""
	}
	if len(parts) == 1 && parts[0].File == nil {
		return parts[0].Text
	}
	return codexBlocks(parts)
}
