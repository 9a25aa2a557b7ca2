package transcript

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"unicode"

	"tenfold"
)

// plainImporter reads text in which each speech begins with who speaks, and
// JSON lines that hold such a text as "messages_display".
type plainImporter struct{}

func plainHandler() handler {
	return handler{format: Plain, about: "plain text with \"User:\" and \"Assistant:\" in front of each speech", importer: plainImporter{}}
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

// Recognise implements [Importer].
func (plainImporter) Recognise(h Head) Confidence {
	for _, o := range h.json.objects {
		if o.has("messages_display") {
			return Certain
		}
	}
	if h.json.shape != shapeText {
		return No
	}
	seen := map[string]bool{}
	for line := range bytes.Lines(h.text()) {
		if role, _ := plainRole(string(line[:min(len(line), 32)])); role != "" {
			seen[role] = true
		}
	}
	if seen["user"] && seen["assistant"] {
		first, _, _ := bytes.Cut(bytes.TrimSpace(h.text()), []byte("\n"))
		if role, _ := plainRole(string(first[:min(len(first), 32)])); role != "" {
			return Likely
		}
		return Maybe
	}
	return No
}

// Import implements [Importer].
func (plainImporter) Import(ctx context.Context, src Source, sink Sink) error {
	head, err := src.head()
	if err != nil {
		return err
	}
	p := &plain{src: src, sink: sink, r: newLineReader(ctx, src)}
	if bytes.Contains(head, []byte(`"messages_display"`)) {
		return p.records()
	}
	line, err := p.firstLine()
	if err != nil {
		return err
	}
	p.out = &emitter{sink: sink, conv: Conversation{ID: contentID(src.Name, Plain, []byte(line)), Format: Plain}}
	for ; err == nil; line, err = p.r.text() {
		if err := p.line(line); err != nil {
			return err
		}
	}
	if !errors.Is(err, io.EOF) {
		return err
	}
	if err := p.close(); err != nil {
		return err
	}
	if p.speeches == 0 {
		return p.r.problem(Plain, errors.New("no line begins with who speaks"), "each speech begins with \"User:\", \"Assistant:\" or the like")
	}
	return p.out.end()
}

// plain is one import.
type plain struct {
	src   Source
	sink  Sink
	r     *lineReader
	names ids
	out   *emitter

	role, prefix string
	block        holds
	speeches     int
	system       bool
	before       string // what stood in front of the first speech
}

// firstLine gives the lines up to the first that is not blank.
func (p *plain) firstLine() (string, error) {
	var blank strings.Builder
	for {
		line, err := p.r.text()
		if errors.Is(err, io.EOF) {
			return "", p.r.problem(Plain, errors.New("there is no text in it"), "was the session saved?")
		}
		if err != nil {
			return "", err
		}
		if strings.TrimSpace(line) != "" {
			return blank.String() + line, nil
		}
		if blank.WriteString(line); blank.Len() > lineKeep {
			return "", p.r.problem(Plain, errors.New("there is no text in it"), "was the session saved?")
		}
	}
}

// line takes one line, its end included; the first may have blank ones before.
func (p *plain) line(line string) error {
	blank := line[:len(line)-len(strings.TrimLeft(line, "\r\n"))]
	if role, prefix := plainRole(line[len(blank):]); role != "" {
		p.block.add(blank)
		if err := p.close(); err != nil {
			return err
		}
		p.role, p.prefix = role, prefix
		line = line[len(blank)+len(prefix):]
	}
	p.block.add(line)
	return nil
}

// close ends the speech under way.
func (p *plain) close() error {
	role, prefix, block := p.role, p.prefix, p.block.take()
	p.role, p.prefix = "", ""
	if role == "" {
		p.before += block // stands before the first speech
		return nil
	}
	p.speeches++
	text := strings.TrimRightFunc(block, unicode.IsSpace)
	var src piece
	src.lit(p.before + prefix)
	p.before = ""
	src.hole()
	src.lit(block[len(text):])
	id := p.out.ids.unique(textID(prefix + text))
	e := tenfold.Entry{ID: id, Source: src.source()}
	switch {
	case role == "assistant":
		e.Payload = tenfold.AssistantMessage{Text: text}
	case role == "system" && !p.system:
		p.system = true
		e.Payload = tenfold.ConfigDelta{System: &text}
	case role == "user":
		if err := p.out.turn(id); err != nil {
			return err
		}
		e.Payload = tenfold.UserMessage{Parts: tenfold.Text(text)}
	default: // a tool's output has no call to answer here
		e.Payload = tenfold.UserMessage{Parts: tenfold.Text(text), Synthetic: true}
	}
	return p.out.emit(e)
}

// records reads JSON lines, each a conversation.
func (p *plain) records() error {
	var f finder
	var text span
	return p.r.records(Plain, func(raw []byte) error {
		f.reset(appendCompact(nil, raw))
		m := f.object(f.root())
		if f.scan.err == nil && m != nil {
			f.scan.end()
		}
		if text = m.get("messages_display"); f.scan.err == nil && !f.is(text, '"') {
			return errors.New("the line has no \"messages_display\"")
		}
		return f.scan.err
	}, func() error { return p.record(&f, text) })
}

// record takes the conversation of one line.
func (p *plain) record(f *finder, at span) error {
	id := strings.ReplaceAll(p.names.unique(contentID(p.src.Name, Plain, f.raw)), "~", "-")
	p.out = &emitter{sink: p.sink, conv: Conversation{ID: conversationID(id), Format: Plain}}
	p.system, p.speeches, p.before = false, 0, ""
	talk, exact := f.scan.unquoteIn(at, f.raw)
	if exact {
		f.cuts = append(f.cuts, cut{at, cutText})
	}
	rest := []byte(splice(f.raw, f.cuts))
	if err := p.out.keep("record:"+digest(rest), "plain-transcript.record", rest); err != nil {
		return err
	}
	for line := range strings.Lines(talk) {
		if err := p.line(line); err != nil {
			return err
		}
	}
	if err := p.close(); err != nil {
		return err
	}
	if p.before != "" {
		var src piece
		src.lit(p.before)
		if err := p.out.keep(p.out.ids.unique(textID(p.before)), "plain-transcript.text", []byte(src.source())); err != nil {
			return err
		}
	}
	p.speeches = 1
	return p.out.end()
}
