package wire

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
	"tenfold/internal/rawjson"
	"tenfold/provider"
)

// perObject is about what a message, a block or a tool costs beside its texts.
const perObject = 3

// CountTexts estimates what a body costs a model: its strings, names aside, and
// a little for each object. Bytes of files and other opaque data, long strings
// without a space, count a token for each four bytes at most.
func CountTexts(c tenfold.Counter, body []byte) int {
	dec := jsontext.NewDecoder(bytes.NewReader(body), rawjson.Lenient)
	total := 0
	for {
		t, err := dec.ReadToken()
		if err != nil {
			return total
		}
		switch t.Kind() {
		case '{':
			total += perObject
		case '"':
			// A name stands at an odd count of its object's members.
			kind, length := dec.StackIndex(dec.StackDepth())
			if kind == '{' && length%2 == 1 {
				continue
			}
			text := t.String()
			if opaque(text) {
				total += len(text) / 4
				continue
			}
			total += c.Count(text)
		}
	}
}

func opaque(text string) bool {
	const long = 2000
	if len(text) < long {
		return false
	}
	for i := range long {
		if text[i] == ' ' || text[i] == '\n' {
			return false
		}
	}
	return true
}

// Counted reads what a provider counted: the member of its answer that holds
// the tokens. An answer that is not JSON is a [*provider.Error].
func Counted(model string, raw []byte, member string) (provider.Count, error) {
	var answer map[string]jsontext.Value
	var tokens Int
	err := Unmarshal(raw, &answer)
	if err == nil && answer[member] != nil {
		err = Unmarshal(answer[member], &tokens)
	}
	if err != nil {
		return provider.Count{}, &provider.Error{Kind: provider.CutOff, Model: model, Message: "unexpected answer to a count"}
	}
	return provider.Count{Tokens: int(tokens), Exact: true}, nil
}
