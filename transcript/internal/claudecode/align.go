package claudecode

import (
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
	"tenfold/transcript/internal/intake"
	"tenfold/transcript/internal/walk"
)

// aligner tells which item of a projection a block of its request body came
// from, for times and ids. Blocks keep the order of the items; some items have
// no block, and some blocks no item.
type aligner struct {
	items []alignedItem
	at    int
	none  alignedItem
}

type alignedItem struct {
	ID, MessageID string
	Time          time.Time
	kind          tenfold.Kind
	signed        bool // words that may stand as thinking
	synthetic     bool
	texts         []string // of a user message: what is left of it
	files         int
}

func newAligner(p *tenfold.Projection) *aligner {
	a := &aligner{none: alignedItem{synthetic: true}}
	for it := range p.Items() {
		n := alignedItem{ID: it.ID, MessageID: it.MessageID, kind: it.Payload.Kind()}
		if it.Seq > 0 {
			if e, ok := p.Log().Entry(it.Seq); ok {
				n.Time = e.Time
			}
		}
		if m, ok := it.Payload.(tenfold.AssistantMessage); ok {
			n.signed = m.Signature != ""
		}
		if u, ok := it.Payload.(tenfold.UserMessage); ok {
			n.synthetic = u.Synthetic && !intake.IsEcho(u)
			for _, part := range u.Parts {
				if part.File != nil {
					n.files++
				} else if strings.TrimSpace(part.Text) != "" {
					n.texts = append(n.texts, part.Text)
				}
			}
			n.files += len(u.Attachments)
		}
		a.items = append(a.items, n)
	}
	return a
}

// next gives the item of the next block; for one that has none, an item that
// says so.
func (a *aligner) next(block jsontext.Value, user bool) *alignedItem {
	var wanted tenfold.Kind
	switch blockType(block) {
	case "tool_result":
		wanted = tenfold.KindToolResult
	case "tool_use":
		wanted = tenfold.KindToolCall
	case "thinking", "redacted_thinking":
		wanted = tenfold.KindReasoning
	case "text":
		wanted = tenfold.KindAssistantMessage
	default:
		wanted = tenfold.KindProviderItem
	}
	if !user || wanted == tenfold.KindToolResult {
		for i := a.at; i < len(a.items); i++ {
			if a.items[i].kind == wanted || a.items[i].signed && wanted == tenfold.KindReasoning {
				a.at = i + 1
				return &a.items[i]
			}
		}
		return &a.none
	}
	for i := a.at; i < len(a.items); i++ {
		it := &a.items[i]
		if it.kind != tenfold.KindUserMessage || len(it.texts)+it.files == 0 {
			continue
		}
		if text, ok := plainBlock([]jsontext.Value{block}); ok && len(it.texts) > 0 && it.texts[0] == text {
			it.texts = it.texts[1:]
		} else if it.files > 0 {
			it.files--
		} else {
			return &a.none
		}
		a.at = i
		return it
	}
	return &a.none
}

func blockType(block jsontext.Value) string {
	var b struct {
		Type string `json:"type"`
	}
	if json.Unmarshal(block, &b, walk.ScanOptions...) != nil {
		return ""
	}
	return b.Type
}

// plainBlock gives the text of content that is one block of text.
func plainBlock(content []jsontext.Value) (string, bool) {
	if len(content) != 1 {
		return "", false
	}
	var b struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if json.Unmarshal(content[0], &b, walk.ScanOptions...) != nil || b.Type != "text" {
		return "", false
	}
	return b.Text, true
}
