package summary

import (
	"cmp"
	"fmt"
	"strings"

	"tenfold"
	"tenfold/internal/shield"
	"tenfold/summary/internal/source"
	"tenfold/tool"
)

// A Rendering says how raw entries are written out for a summariser (M5).
type Rendering struct {
	// Reasoning takes the model's reasoning in, which is left out otherwise.
	Reasoning bool
	// Longest is the most characters of one entry; what is longer is cut in
	// the middle, with a mark. 0 cuts nothing.
	Longest int
}

// A Block is an entry written out: a head that says the turn and who speaks,
// and what was said.
type Block struct {
	Turn, Step int
	Head, Body string
}

// Text is the block as it stands in a rendering, with the line ends after it.
func (b Block) Text() string {
	if b.Body == "" {
		return b.Head + "\n\n"
	}
	return b.Head + "\n" + b.Body + "\n\n"
}

// Blocks writes entries out, one block for each that has something to say, in
// their order. The log tells their turns and the names of the tools; nil knows
// neither.
func (r Rendering) Blocks(l *tenfold.Log, entries []tenfold.Entry) []Block {
	l = cmp.Or(l, tenfold.NewLog())
	blocks := make([]Block, 0, len(entries))
	for _, e := range entries {
		who, body, ok := r.entry(l, e)
		if !ok {
			continue
		}
		turn, step, _ := l.Where(e.Seq)
		head := fmt.Sprintf("[turn %03d] %s", turn, who)
		if e.Branch != "" {
			head = fmt.Sprintf("[turn %03d] (branch=%s) %s", turn, oneName(e.Branch), who)
		}
		blocks = append(blocks, Block{
			Turn: turn, Step: step, Head: head + ":", Body: source.CutMiddle(body, r.Longest),
		})
	}
	return blocks
}

// Text writes entries out as one text.
func (r Rendering) Text(l *tenfold.Log, entries []tenfold.Entry) string {
	return blockTexts(r.Blocks(l, entries))
}

func blockTexts(blocks []Block) string {
	var b strings.Builder
	for _, block := range blocks {
		b.WriteString(block.Text())
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func (r Rendering) entry(l *tenfold.Log, e tenfold.Entry) (who, body string, ok bool) {
	switch p := e.Payload.(type) {
	case tenfold.UserMessage:
		switch {
		case p.IsRequest():
			who = "USER"
		case p.Purpose == tenfold.Notice:
			who = "NOTICE"
		default:
			who = "CONTEXT" // no person wrote it
		}
		body = shielded(partsText(p.Parts))
		for _, a := range p.Attachments {
			body += fmt.Sprintf("\n[attachment %s]\n%s", oneName(a.Name), shielded(a.Content))
		}
		return who, strings.TrimPrefix(body, "\n"), strings.TrimSpace(body) != ""
	case tenfold.AssistantMessage:
		who, body = "ASSISTANT", p.Text
	case tenfold.Reasoning:
		if !r.Reasoning {
			return "", "", false
		}
		who, body = "REASONING", p.Text
	case tenfold.ToolCall:
		return fmt.Sprintf("TOOL_REQUEST (tool=%s, id=%s)", oneName(p.Name), oneName(p.CallID)), shielded(p.Arguments), true
	case tenfold.ToolResult:
		return resultHead(source.ToolOf(l, e.Seq), p), shielded(partsText(p.Parts)), true
	case tenfold.Approval:
		switch p.State {
		case tenfold.ApprovalRequested:
			who = "TOOL_APPROVAL_REQUEST"
		default:
			who = "TOOL_APPROVAL (" + oneName(string(p.State)) + ")"
		}
		return who, shielded(p.Reason), true
	case tenfold.ProviderItem:
		who, body = "PROVIDER_ITEM (provider="+oneName(p.Provider)+")", p.Data
	default:
		return "", "", false
	}
	return who, shielded(body), strings.TrimSpace(body) != ""
}

// partsText joins the texts of a content; a file is named in its place.
func partsText(parts []tenfold.Part) string {
	texts := make([]string, len(parts))
	for i, p := range parts {
		texts[i] = p.Text
		if p.File != nil {
			texts[i] = "[" + strings.Join(strings.Fields(fmt.Sprintf("%s %s %s", oneName(string(p.File.Type)), oneName(p.File.Name), oneName(p.File.MediaType))), " ") + "]"
		}
	}
	return strings.Join(texts, "\n")
}

// oneName keeps a name in its place among those of a head.
func oneName(name string) string { return strings.ReplaceAll(shield.Label(name), ",", "_") }

// shielded takes apart what in a content reads like the head of a block or
// like a mark in one, so that no tool's output can speak as somebody else.
func shielded(body string) string {
	return shield.Marks(strings.TrimRight(body, "\n"), '[', "turn #", "earlier summary", "attachment", "cut: #")
}

// resultHead heads a result. Success is unknown where the record does not say
// (L12).
func resultHead(name string, r tenfold.ToolResult) string {
	success := "unknown"
	switch o := tool.OutcomeOf(name, r); {
	case o == tenfold.Success:
		success = "true"
	case o.Bad():
		success = "false"
	}
	return fmt.Sprintf("TOOL_RESULT (tool=%s, success=%s)", oneName(name), success)
}
