package keeper_test

import (
	"bytes"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
	"tenfold/internal/proxy/wire"
)

// anthropic reads answers by reading the message that brings them back.
type anthropic struct{ wire.Anthropic }

type listener struct{ bytes.Buffer }

func (anthropic) Listen(*wire.Request) wire.Listener { return &listener{} }

func (l *listener) Response() (out wire.Response) {
	var a struct {
		Content jsontext.Value `json:"content"`
		Stop    string         `json:"stop_reason"`
		Usage   struct {
			Input  int `json:"input_tokens"`
			Read   int `json:"cache_read_input_tokens"`
			Output int `json:"output_tokens"`
		} `json:"usage"`
	}
	if json.Unmarshal(l.Bytes(), &a) != nil {
		return out
	}
	body := []byte(`{"model":"m","messages":[{"role":"assistant","content":` + string(a.Content) + `}]}`)
	r, err := wire.Anthropic{}.Scan("/v1/messages", body, nil)
	if err != nil {
		return out
	}
	list, err := wire.Anthropic{}.Read(r, 0)
	for _, p := range list {
		p.Entry.ID = ""
		out.Entries = append(out.Entries, p.Entry)
	}
	out.Usage = tenfold.Usage{Model: "claude-sonnet-4-5", Input: a.Usage.Input, CacheRead: a.Usage.Read, Output: a.Usage.Output}
	out.Known, out.Whole, out.Stop = true, err == nil, a.Stop
	return out
}

func (anthropic) Refusal(status int, body []byte) wire.Refusal {
	switch {
	case status == 400 && bytes.Contains(body, []byte("too long")):
		return wire.TooLong
	case status == 400:
		return wire.Invalid
	}
	return wire.Passing
}

func (anthropic) Answer(_ *wire.Request, text string, _ tenfold.Usage) (string, []byte) {
	return "application/json", []byte(quoted(text))
}
