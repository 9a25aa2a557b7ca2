package tenfold

import (
	"encoding/base64"
	"image/gif"
	"image/jpeg"
	"image/png"
	"math"
	"strings"
	"unicode/utf8"
)

// A Counter counts the tokens of a text (semantics T1). Counting the same
// text twice gives the same number. Package token has the exact ones, which are
// safe for concurrent use. One that is not may be given to one log, used by one
// goroutine at a time: the packages of this module never call the counter of
// one log from two goroutines at once.
type Counter interface {
	Count(text string) int
}

// Chars4 is the heuristic of a token for every four characters, rounded up
// (T3): for callers that need no exact figure and no vocabulary.
type Chars4 struct{}

// Count implements [Counter].
func (Chars4) Count(text string) int { return (utf8.RuneCountInString(text) + 3) / 4 }

// What providers charge for a document whose pages we do not count, and for
// an image whose size we do not know.
const (
	fileTokens  = 2000
	imageTokens = 1600
)

// CountPayload counts what a payload costs a model: its texts, a call's name
// and arguments, images by their size. What no model sees costs nothing; the
// system prompt and tool definitions are counted where they take effect (T4).
func CountPayload(c Counter, p Payload) int {
	p, _ = Value(p)
	switch p := p.(type) {
	case UserMessage:
		total := countParts(c, p.Parts)
		for _, a := range p.Attachments {
			total += c.Count(a.Name) + c.Count(a.Content)
		}
		return total
	case AssistantMessage:
		return c.Count(p.Text)
	case Reasoning:
		if isBlank(p.Text) {
			return opaqueTokens(p)
		}
		return c.Count(p.Text)
	case ToolCall:
		return c.Count(p.Name) + c.Count(p.Arguments)
	case ToolResult:
		return countParts(c, p.Parts)
	case ProviderItem:
		return min(c.Count(p.Data), fileTokens)
	}
	return 0
}

// boundTokens is what an entry counts, whatever it claims. There is room left for the
// note that a view may put before it (P5a), so that the view counts the same as a log
// of its own (P12).
func boundTokens(n int, p Payload) int32 {
	const most, room = math.MaxInt32, 1 << 10
	if n = min(max(n, 0), most); n > most-room {
		p, _ = Value(p)
		if m, ok := p.(UserMessage); !ok || len(m.Parts) == 0 || !IsNote(m.Parts[0].Text) {
			n = most - room
		}
	}
	return int32(n)
}

// CountTool counts the definition of a tool (T4).
func CountTool(c Counter, t ToolDefinition) int {
	return c.Count(t.Name) + c.Count(t.Description) + c.Count(t.Schema)
}

// opaqueTokens estimates reasoning that came encrypted alone: base64 with a
// fixed envelope of about 650 bytes, four bytes a token.
func opaqueTokens(r Reasoning) int {
	return max(0, (len(r.Encrypted)+len(r.Signature))*3/4-650) / 4
}

func countParts(c Counter, parts []Part) int {
	total := 0
	for _, p := range parts {
		total += c.Count(p.Text)
		if p.File != nil {
			total += countFile(c, p.File)
		}
	}
	return total
}

func countFile(c Counter, f *File) int {
	switch {
	case f.Type == PartImage:
		return imageCost(f.URI)
	case f.URI == "":
		return c.Count(f.Name) + c.Count(f.Detail)
	}
	return c.Count(f.Name) + fileTokens
}

// imageCost is width × height / 750, as Anthropic documents it, for an image
// scaled to fit 1568 pixels; never over imageTokens.
func imageCost(uri string) int {
	width, height := imageSize(uri)
	if width <= 0 || height <= 0 {
		return imageTokens
	}
	if longest := max(width, height); longest > 1568 {
		width, height = width*1568/longest, height*1568/longest
	}
	return min(max(width*height/750, 1), imageTokens)
}

// imageSize reads an image's size off the first bytes of a data: URI.
func imageSize(uri string) (width, height int) {
	head, data, ok := strings.Cut(uri, ";base64,")
	if !ok || !strings.HasPrefix(head, "data:") {
		return 0, 0
	}
	r := base64.NewDecoder(base64.StdEncoding, strings.NewReader(data))
	switch strings.TrimPrefix(head, "data:") {
	case "image/png":
		c, _ := png.DecodeConfig(r)
		return c.Width, c.Height
	case "image/jpeg":
		c, _ := jpeg.DecodeConfig(r)
		return c.Width, c.Height
	case "image/gif":
		c, _ := gif.DecodeConfig(r)
		return c.Width, c.Height
	}
	return 0, 0
}

// contentSize is the size of a content in bytes, as P6 measures it.
func contentSize(parts []Part) Size {
	var total Size
	for _, p := range parts {
		total += Size(len(p.Text))
		if p.File != nil {
			total += p.File.Size()
		}
	}
	return total
}

// Size is the size of the file's bytes, as far as the reference carries them.
func (f *File) Size() Size {
	if _, data, ok := strings.Cut(f.URI, ";base64,"); ok {
		return Size(base64.StdEncoding.DecodedLen(len(data)))
	}
	return Size(len(f.Detail))
}

// Size is the size of a call's arguments or a result's content (P6); 0 for
// other entries.
func (l *Log) Size(seq int64) Size {
	if seq < 1 || seq > int64(l.n) {
		return 0
	}
	if size := l.node(int32(seq)).size; size < hugeSize {
		return Size(size)
	}
	return sizeOf(l.payload(int32(seq)))
}

func sizeOf(p Payload) Size {
	switch p := p.(type) {
	case ToolCall:
		return Size(len(p.Arguments))
	case ToolResult:
		return contentSize(p.Parts)
	}
	return 0
}

// SearchText gives the words a full-text search over raw entries looks in
// (D4): what was said, called and returned, and what a summary says. Opaque
// data and bytes of files are left out.
func SearchText(p Payload) string {
	p, _ = Value(p)
	switch p := p.(type) {
	case UserMessage:
		text := partsText(p.Parts)
		for _, a := range p.Attachments {
			text += "\n" + a.Name + "\n" + a.Content
		}
		return strings.TrimPrefix(text, "\n")
	case AssistantMessage:
		return p.Text
	case Reasoning:
		return p.Text
	case ToolCall:
		return p.Name + " " + p.Arguments
	case ToolResult:
		return partsText(p.Parts)
	case Approval:
		return p.Reason
	case Compaction:
		if p.Summary != nil {
			return p.Summary.Text
		}
	case CompactionFailed:
		return p.Error
	case CompactionAttempt:
		return p.Reason
	}
	return ""
}

// partsText joins the texts of a content, and the names of its files.
func partsText(parts []Part) string {
	if len(parts) == 1 && parts[0].File == nil {
		return parts[0].Text
	}
	var b strings.Builder
	for i, p := range parts {
		if i > 0 {
			b.WriteByte('\n')
		}
		if p.File != nil {
			b.WriteString(p.File.Name)
		}
		b.WriteString(p.Text)
	}
	return b.String()
}
