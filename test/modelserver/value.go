package modelserver

import (
	"regexp"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// blocksOf gives the blocks of a content, which may also be one text.
func blocksOf(v jsontext.Value) []jsontext.Value {
	switch v.Kind() {
	case '"':
		return []jsontext.Value{jsontext.Value(`{"type":"text","text":` + string(v) + `}`)}
	case '[':
		var list []jsontext.Value
		if json.Unmarshal(v, &list) == nil {
			return list
		}
	}
	return nil
}

// named are the members by which values are told apart.
type named struct {
	Type string `json:"type"`
	Name string `json:"name"`
	Text string `json:"text"`
}

func outline(v jsontext.Value) named {
	var n named
	_ = json.Unmarshal(v, &n) // of a value of another shape nothing is known
	return n
}

func typeOf(v jsontext.Value) string { return outline(v).Type }
func textOf(v jsontext.Value) string { return outline(v).Text }

// nameOf names a tool; server tools without a name go by their type.
func nameOf(v jsontext.Value) string {
	n := outline(v)
	if n.Name == "" {
		return n.Type
	}
	return n.Name
}

// callID matches the ids of calls.
var callID = regexp.MustCompile(`^[a-zA-Z0-9_-]+$`)

func quoted(text string) jsontext.Value {
	v, err := jsontext.AppendQuote(nil, text)
	if err != nil {
		return jsontext.Value(`""`)
	}
	return v
}
