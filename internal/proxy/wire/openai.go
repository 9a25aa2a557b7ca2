package wire

import (
	"bytes"
	"strings"

	"tenfold"
)

// What OpenAI's two protocols share: parts of messages, roles, arguments.

// elements gives the items of the list at a place; none of anything else.
func elements(raw []byte, at Span) ([]Span, error) {
	if at.To == at.From || raw[at.From] != '[' {
		return nil, nil
	}
	return array(raw, at)
}

// fieldsAt gives the members of the object at a place; none of anything else.
func fieldsAt(raw []byte, at Span) (fields, error) {
	if at.To == at.From || raw[at.From] != '{' {
		return nil, nil
	}
	return object(raw, at)
}

// openaiUser reads what stands under a role that is not the model's: the user's, which
// holds what a person and a host say, or the system's, which is the host's alone.
func (p *pieces) openaiUser(role string, content Span) error {
	list, err := elements(p.raw, content)
	if err != nil {
		return err
	}
	if content.isText(p.raw) {
		list = []Span{content}
	}
	u := tenfold.UserMessage{Purpose: tenfold.Context, Synthetic: true, Role: role, Provider: "openai"}
	for _, at := range list {
		part, err := p.openaiPart(at)
		switch {
		case err != nil:
			return err
		case role == "user":
			p.part(part, at)
		default:
			u.Parts = append(u.Parts, part)
		}
	}
	if len(u.Parts) > 0 {
		p.add(u, list...)
	}
	return nil
}

// isTextType reports whether parts of a type are texts.
func isTextType(kind string) bool {
	return kind == "text" || kind == "input_text" || kind == "output_text"
}

// openaiPart reads a part of a message or of a result. What is neither a text nor
// a file of a known shape was seen by the model all the same.
func (p *pieces) openaiPart(at Span) (tenfold.Part, error) {
	if at.isText(p.raw) {
		return tenfold.TextPart(at.text(p.raw)), nil
	}
	f, err := fieldsAt(p.raw, at)
	if err != nil {
		return tenfold.Part{}, err
	}
	kind := p.str(f, "type")
	if text, ok := f.get("text"); ok && isTextType(kind) && text.isText(p.raw) {
		return tenfold.TextPart(text.text(p.raw)), nil
	}
	file := &tenfold.File{Type: tenfold.PartFile}
	for _, name := range []string{"image_url", "file"} { // chat's stand in objects
		inner, _ := f.get(name)
		if inner.isText(p.raw) {
			file.URI = inner.text(p.raw)
			continue
		}
		more, err := fieldsAt(p.raw, inner)
		if err != nil {
			return tenfold.Part{}, err
		}
		f = append(f, more...)
	}
	for _, name := range []string{"url", "file_data", "file_url"} {
		if file.URI == "" {
			file.URI = p.str(f, name)
		}
	}
	if file.URI == "" {
		return tenfold.Part{File: &tenfold.File{Type: tenfold.PartFile, Name: kind, Detail: canonical(p.raw, at)}}, nil
	}
	if strings.HasSuffix(kind, "image") || kind == "image_url" {
		file.Type = tenfold.PartImage
	}
	file.Name, file.MediaType = p.str(f, "filename"), mediaType(file.URI)
	return tenfold.Part{File: file}, nil
}

// mediaType is that of a "data:" URI.
func mediaType(uri string) string {
	const longest = 100
	rest, ok := strings.CutPrefix(uri[:min(len(uri), longest)], "data:")
	if !ok {
		return ""
	}
	media, _, ok := strings.Cut(rest, ";")
	if !ok || strings.Contains(media, ",") {
		return ""
	}
	return media
}

// openaiResult reads what a tool gave: a text, a list of parts, or something else
// that a model reads as the JSON it is.
func (p *pieces) openaiResult(at Span) ([]tenfold.Part, error) {
	switch {
	case at.To == at.From || p.raw[at.From] == 'n':
		return nil, nil
	case at.isText(p.raw):
		return tenfold.Text(at.text(p.raw)), nil
	case p.raw[at.From] != '[':
		return tenfold.Text(canonical(p.raw, at)), nil
	}
	list, err := array(p.raw, at)
	var parts []tenfold.Part
	for _, item := range list {
		part, err := p.openaiPart(item)
		if err != nil {
			return nil, err
		}
		parts = append(parts, part)
	}
	return parts, err
}

// The text that a custom tool was called with stands in the arguments as a member.
const (
	inputStart = `{"input":`
	inputEnd   = `}`
)

func customArguments(text string) string { return inputStart + string(quote(text)) + inputEnd }

// customInput is the text that a custom tool is called with: the arguments' one
// member "input", or what stands there instead.
func customInput(arguments string) string {
	raw := []byte(arguments)
	f, err := fieldsAt(raw, Span{0, len(raw)})
	input, ok := f.get("input")
	switch {
	case err != nil || len(f) > 1 || len(f) == 1 && !ok,
		len(f) == 0 && !bytes.HasPrefix(raw, []byte("{")):
		return arguments
	}
	return input.text(raw) // empty where they were stripped
}

// route tells a path of a vendor's API, whatever stands before it.
func route(method, path, end string) Kind {
	path, _, _ = strings.Cut(path, "?")
	if method == "POST" && strings.HasSuffix(strings.TrimSuffix(path, "/"), end) {
		return Generate
	}
	return Other
}
