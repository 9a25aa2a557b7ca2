package main

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"tenfold"
	"tenfold/internal/number"
)

// parse reads the example: blocks that begin with "== " and what they hold.
func parse(text string) (*tenfold.Log, error) {
	tools := []tenfold.ToolDefinition{}
	for _, name := range []string{"Bash", "Edit", "Grep", "Read", "WebSearch", "Write"} {
		tools = append(tools, tenfold.ToolDefinition{Name: name, Description: strings.Repeat("What the tool does, and when to use it. ", 4)})
	}
	entries := []tenfold.Entry{{Payload: tenfold.ConfigDelta{Tools: &tools}}}
	calls := 0
	for block := range strings.SplitSeq(strings.TrimPrefix(text, "== "), "\n== ") {
		head, body, _ := strings.Cut(block, "\n")
		kind, name, _ := strings.Cut(head, " ")
		id := fmt.Sprint("call_", calls)
		var payload tenfold.Payload
		switch kind {
		case "turn":
			payload = tenfold.TurnStart{}
		case "user":
			payload = tenfold.UserMessage{Parts: tenfold.Text(body)}
		case "file":
			last := &entries[len(entries)-1]
			message, _ := last.Payload.(tenfold.UserMessage)
			message.Attachments = []tenfold.Attachment{{Name: name, MediaType: "text/csv", Content: body}}
			last.Payload = message
			continue
		case "reasoning":
			payload = tenfold.Reasoning{Text: body}
		case "call":
			calls++
			payload = tenfold.ToolCall{CallID: fmt.Sprint("call_", calls), Name: name, Arguments: body}
		case "result", "error":
			payload = tenfold.ToolResult{CallID: id, Parts: tenfold.Text(body), IsError: kind == "error"}
		case "assistant":
			payload = tenfold.AssistantMessage{Text: body}
		default:
			return nil, fmt.Errorf("example: unknown block %q", head)
		}
		entries = append(entries, tenfold.Entry{Payload: payload})
	}
	l := tenfold.NewLog()
	_, err := l.Append(entries...)
	return l, err
}

// table shows a whole conversation.
func table(p *tenfold.Projection) string {
	var b bytes.Buffer
	fmt.Fprintf(&b, "| turn | entry | text | tokens |\n|---:|---|---|---:|\n")
	fmt.Fprintf(&b, "| | tools | %s | %d |\n", tools(p), p.Totals().Config.After)
	for it := range p.Items() {
		fmt.Fprintf(&b, "| %d | %s | %s | %d |\n", it.Turn, strings.ReplaceAll(string(it.Payload.Kind()), "_", " "), clip(said(it.Payload)), it.Tokens)
	}
	fmt.Fprintf(&b, "| | | in all | %s |\n", number.Thousands(p.Tokens()))
	return b.String()
}

// compare shows what differs between two views of a conversation. Stretches of
// entries that are gone are one row.
func compare(w io.Writer, before, after *tenfold.Projection) {
	fmt.Fprintf(w, "| turn | before | after | tokens |\n|---:|---|---|---:|\n")
	if b, a := tools(before), tools(after); b != a {
		fmt.Fprintf(w, "| | %s | %s | %d → %d |\n", b, a, before.Totals().Config.After, after.Totals().Config.After)
	}
	now := map[int64]tenfold.Item{}
	added := map[int][]tenfold.Item{}
	for it := range after.Items() {
		if it.Added != 0 {
			added[it.Turn] = append(added[it.Turn], it)
		} else {
			now[it.Seq] = it
		}
	}
	var gone []tenfold.Item
	flush := func() {
		if n := len(gone); n > 0 {
			words, tokens := clip(said(gone[0].Payload)), 0
			for _, it := range gone {
				tokens += it.Tokens
			}
			if n > 1 {
				words = fmt.Sprintf("%d entries, from “%s” to “%s”", n, clip(said(gone[0].Payload)), clip(said(gone[n-1].Payload)))
			}
			fmt.Fprintf(w, "| %d | %s | *gone* | %s → 0 |\n", gone[0].Turn, words, number.Thousands(tokens))
		}
		gone = nil
	}
	turn := -1
	for it := range before.Items() {
		if it.Turn != turn {
			flush()
			turn = it.Turn
			for _, in := range added[turn] {
				fmt.Fprintf(w, "| %d | | %s | 0 → %d |\n", turn, clip(said(in.Payload)), in.Tokens)
			}
		}
		is, shown := now[it.Seq]
		if !shown {
			gone = append(gone, it)
			continue
		}
		flush()
		if b, a := said(it.Payload), said(is.Payload); b != a {
			fmt.Fprintf(w, "| %d | %s | %s | %d → %d |\n", turn, clip(b), clip(a), it.Tokens, is.Tokens)
		}
	}
	flush()
	if text := after.Continuation(); text != "" {
		fmt.Fprintf(w, "| | | in the system prompt: %s | |\n", clip(text))
	}
}

func tools(p *tenfold.Projection) string {
	var names []string
	for _, t := range p.Config().Tools {
		names = append(names, t.Name)
	}
	return strings.Join(names, ", ")
}

// said is the text of a payload.
func said(payload tenfold.Payload) string {
	switch payload := payload.(type) {
	case tenfold.ToolCall:
		return payload.Name + " " + payload.Arguments
	case tenfold.UserMessage:
		text := tenfold.SearchText(tenfold.UserMessage{Parts: payload.Parts})
		for _, a := range payload.Attachments {
			text += " [" + a.Name + "] " + a.Content
		}
		return text
	default:
		return tenfold.SearchText(payload)
	}
}

// clip is the beginning and the end of a text, as a cell of a table.
func clip(text string) string {
	const most = 90
	runes := []rune(strings.Join(strings.Fields(text), " "))
	if len(runes) > most {
		runes = append(append(runes[:most*2/3:most*2/3], []rune(" … ")...), runes[len(runes)-most/3:]...)
	}
	return strings.NewReplacer("|", `\|`, "<", "&lt;", "*", `\*`, "_", `\_`, "`", "").Replace(string(runes))
}
