package prose

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"unicode"

	"tenfold"
	"tenfold/transcript/internal/engine"
	"tenfold/transcript/internal/intake"
	"tenfold/transcript/internal/walk"
)

func PlainHandler() engine.Handler {
	return engine.Handler{Format: intake.Plain, About: "plain text with \"User:\" and \"Assistant:\" in front of each speech", Recognise: recognisePlain, Import: importPlain}
}

// plainRole tells who speaks in a line, "" when the speech goes on.
func plainRole(line string) (role, prefix string) {
	name, _, found := strings.Cut(line, ":")
	if !found || len(name) > 12 {
		return "", ""
	}
	switch strings.ToLower(name) {
	case "user", "human":
		role = "user"
	case "assistant", "ai", "bot":
		role = "assistant"
	case "system":
		role = "system"
	case "tool":
		role = "tool"
	default:
		return "", ""
	}
	prefix = line[:len(name)+1]
	if rest := line[len(prefix):]; strings.HasPrefix(rest, " ") {
		prefix = line[:len(prefix)+1]
	}
	return role, prefix
}

func recognisePlain(h intake.Head) intake.Confidence {
	for _, o := range h.JSON.Objects {
		if o.Has("messages_display") {
			return intake.Certain
		}
	}
	if h.JSON.Shape != intake.ShapeText {
		return intake.No
	}
	seen := map[string]bool{}
	for line := range bytes.Lines(h.Text()) {
		if role, _ := plainRole(string(line[:min(len(line), 32)])); role != "" {
			seen[role] = true
		}
	}
	if seen["user"] && seen["assistant"] {
		first, _, _ := bytes.Cut(bytes.TrimSpace(h.Text()), []byte("\n"))
		if role, _ := plainRole(string(first[:min(len(first), 32)])); role != "" {
			return intake.Likely
		}
		return intake.Maybe
	}
	return intake.No
}

// importPlain reads text in which each speech begins with who speaks, and
// JSON lines that hold such a text as "messages_display".
func importPlain(ctx context.Context, src intake.Source, sink intake.Sink) error {
	head, err := src.Head()
	if err != nil {
		return err
	}
	p := &plain{src: src, sink: sink, r: intake.NewLineReader(ctx, src)}
	if bytes.Contains(head, []byte(`"messages_display"`)) {
		return p.records()
	}
	line, err := p.firstLine()
	if err != nil {
		return err
	}
	p.out = &engine.Emitter{Sink: sink, Conv: intake.Conversation{ID: intake.ContentID(src.Name, intake.Plain, []byte(line)), Format: intake.Plain}}
	for ; err == nil; line, err = p.r.Text() {
		p.line(line)
	}
	if !errors.Is(err, io.EOF) {
		return err
	}
	p.close()
	if p.speeches == 0 {
		return p.r.Problem(intake.Plain, errors.New("no line begins with who speaks"), "each speech begins with \"User:\", \"Assistant:\" or the like")
	}
	return p.out.End()
}

// plain is one import.
type plain struct {
	src   intake.Source
	sink  intake.Sink
	r     *intake.LineReader
	names intake.Ids
	out   *engine.Emitter

	role, prefix string
	block        Holds
	speeches     int
	system       bool
	before       string // what stood in front of the first speech
}

// firstLine gives the lines up to the first that is not blank.
func (p *plain) firstLine() (string, error) {
	var blank strings.Builder
	for {
		line, err := p.r.Text()
		if errors.Is(err, io.EOF) {
			return "", p.r.Problem(intake.Plain, errors.New("there is no text in it"), "was the session saved?")
		}
		if err != nil {
			return "", err
		}
		if strings.TrimSpace(line) != "" {
			return blank.String() + line, nil
		}
		if blank.WriteString(line); blank.Len() > intake.LineKeep {
			return "", p.r.Problem(intake.Plain, errors.New("there is no text in it"), "was the session saved?")
		}
	}
}

// line takes one line, its end included; the first may have blank ones before.
func (p *plain) line(line string) {
	blank := line[:len(line)-len(strings.TrimLeft(line, "\r\n"))]
	if role, prefix := plainRole(line[len(blank):]); role != "" {
		p.block.Add(blank)
		p.close()
		p.role, p.prefix = role, prefix
		line = line[len(blank)+len(prefix):]
	}
	p.block.Add(line)
}

// close ends the speech under way.
func (p *plain) close() {
	role, prefix, block := p.role, p.prefix, p.block.Take()
	p.role, p.prefix = "", ""
	if role == "" {
		p.before += block // stands before the first speech
		return
	}
	p.speeches++
	text := strings.TrimRightFunc(block, unicode.IsSpace)
	id := p.out.Ids.Unique(TextID(prefix + text))
	e := tenfold.Entry{ID: id, Source: Around(p.before+prefix, block[len(text):])}
	p.before = ""
	switch {
	case role == "assistant":
		e.Payload = tenfold.AssistantMessage{Text: text}
	case role == "system" && !p.system:
		p.system = true
		e.Payload = tenfold.ConfigDelta{System: &text}
	case role == "user":
		e.Payload = tenfold.UserMessage{Parts: tenfold.Text(text)}
	default: // a tool's output has no call to answer here
		e.Payload = tenfold.UserMessage{Parts: tenfold.Text(text), Synthetic: true}
	}
	_ = p.out.Said([]tenfold.Entry{e})
}

// records reads JSON lines, each a conversation.
func (p *plain) records() error {
	var f engine.Finder
	var text walk.Span
	return p.r.Records(intake.Plain, func(raw []byte) error {
		m := f.Compact(raw)
		if text = m.Get("messages_display"); f.Scan.Err == nil && !f.Is(text, '"') {
			return errors.New("the line has no \"messages_display\"")
		}
		return f.Scan.Err
	}, func() error { return p.record(&f, text) })
}

// record takes the conversation of one line.
func (p *plain) record(f *engine.Finder, at walk.Span) error {
	id := strings.ReplaceAll(p.names.Unique(intake.ContentID(p.src.Name, intake.Plain, f.Raw)), "~", "-")
	p.out = &engine.Emitter{Sink: p.sink, Conv: intake.Conversation{ID: intake.ConversationID(id), Format: intake.Plain}}
	p.system, p.speeches, p.before = false, 0, ""
	talk := f.Text(at)
	rest := []byte(f.Done())
	_ = p.out.Keep("record:"+intake.Digest(rest), "plain-transcript.record", rest)
	for line := range strings.Lines(talk) {
		p.line(line)
	}
	p.close()
	if p.before != "" {
		_ = p.out.Keep(p.out.Ids.Unique(TextID(p.before)), "plain-transcript.text", []byte(Literal(p.before)))
	}
	p.speeches = 1
	return p.out.End()
}
