package wire

import (
	"cmp"
	"strings"

	"tenfold"
)

// settings reads the configuration off the members of a request beside its messages,
// of which each vendor has names of its own.
func (r *Request) settings(vendor string) (d tenfold.ConfigDelta, err error) {
	d.Model = r.Model
	for _, p := range r.head.parts {
		switch p.name {
		case "system", "systemInstruction", "system_instruction", "instructions":
			err = addSystem(&d, r.Body, p.at)
		case "tools", "functions":
			err = addTools(&d, r.Body, p.at, vendor)
		}
		if err != nil {
			return d, err
		}
	}
	return d, nil
}

// addSystem reads a system prompt: a text, a list of texts, or an object that
// holds either.
func addSystem(d *tenfold.ConfigDelta, raw []byte, at Span) error {
	var texts []string
	if err := systemTexts(raw, at, &texts); err != nil || len(texts) == 0 {
		return err
	}
	text := strings.Join(texts, "\n\n")
	d.System = &text
	return nil
}

func systemTexts(raw []byte, at Span, texts *[]string) error {
	switch raw[at.From] {
	case '"':
		if text := at.text(raw); !strings.HasPrefix(text, billing) {
			*texts = append(*texts, text)
		}
	case '[':
		items, err := array(raw, at)
		if err != nil {
			return err
		}
		for _, item := range items {
			if err := systemTexts(raw, item, texts); err != nil {
				return err
			}
		}
	case '{':
		f, err := object(raw, at)
		if err != nil {
			return err
		}
		for _, name := range []string{"text", "parts"} {
			if value, ok := f.get(name); ok {
				return systemTexts(raw, value, texts)
			}
		}
	}
	return nil
}

// addTools reads a list of definitions, in any vendor's shape. A tool of the
// vendor's own has no schema: what its API is told of it stays as it is.
func addTools(d *tenfold.ConfigDelta, raw []byte, at Span, vendor string) error {
	if raw[at.From] != '[' {
		return nil
	}
	items, err := array(raw, at)
	if err != nil {
		return err
	}
	d.Tools = cmp.Or(d.Tools, &[]tenfold.ToolDefinition{})
	for _, item := range items {
		if raw[item.From] != '{' {
			continue
		}
		f, err := object(raw, item)
		if err != nil {
			return err
		}
		nested := false
		for _, name := range []string{"functionDeclarations", "function_declarations"} {
			if list, ok := f.get(name); ok {
				if err := addTools(d, raw, list, vendor); err != nil {
					return err
				}
				nested = true
			}
		}
		if nested {
			continue
		}
		inner := f
		if at, ok := f.get("function"); ok && raw[at.From] == '{' {
			if inner, err = object(raw, at); err != nil {
				return err
			}
		}
		*d.Tools = append(*d.Tools, definition(raw, inner, item, vendor))
	}
	return nil
}

func definition(raw []byte, f fields, at Span, vendor string) tenfold.ToolDefinition {
	name, _ := f.get("name")
	about, _ := f.get("description")
	t := tenfold.ToolDefinition{Name: name.text(raw), Description: about.text(raw)}
	for _, name := range []string{"parameters", "input_schema", "parametersJsonSchema", "parameters_json_schema"} {
		if schema, ok := f.get(name); ok && raw[schema.From] == '{' {
			t.Schema = canonical(raw, schema)
			return t
		}
	}
	t.Provider, t.Data = vendor, canonical(raw, at)
	return t
}
