package script

import (
	"bytes"
	"cmp"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
	"tenfold/internal/rawjson"
	"tenfold/provider"
)

// line is an answer as a file writes it.
type line struct {
	Text      string         `json:"text"`
	Reasoning string         `json:"reasoning"`
	Answer    jsontext.Value `json:"answer"`
	Calls     []struct {
		ID        string         `json:"id"`
		Name      string         `json:"name"`
		Arguments jsontext.Value `json:"arguments"`
	} `json:"calls"`
	Usage *struct {
		Input      int `json:"input"`
		Output     int `json:"output"`
		CacheRead  int `json:"cache_read"`
		CacheWrite int `json:"cache_write"`
	} `json:"usage"`
	Stop   provider.Stop `json:"stop"`
	Before string        `json:"before"`
	Each   string        `json:"each"`
	Chunk  int           `json:"chunk"`
	Error  *struct {
		Kind    provider.Kind `json:"kind"`
		Message string        `json:"message"`
		Used    int           `json:"used"`
		Limit   int           `json:"limit"`
		After   string        `json:"after"`
	} `json:"error"`
	At   int  `json:"at"`
	Hang bool `json:"hang"`
}

// Parse reads answers from a file of JSON lines, one object an answer, played
// in order:
//
//	{"text":"It was baked."}
//	{"answer":{"summary":"It was baked.","active_files":[],"open_tasks":[]}}
//	{"calls":[{"id":"c1","name":"Read","arguments":{"path":"a"}}],"usage":{"input":90,"output":7}}
//	{"error":{"kind":"overloaded","message":"try later","after":"2s"},"at":1}
//	{"text":"slowly","before":"1s","each":"50ms","chunk":4}
//	{"hang":true}
//
// "answer" is a JSON value that the model gives as its text. Blank lines and
// lines that begin with "#" are passed over. An unknown member is an error that
// names the line.
func Parse(data []byte) ([]Answer, error) {
	var all []Answer
	number := 0
	for text := range bytes.Lines(data) {
		number++
		text = bytes.TrimSpace(text)
		if len(text) == 0 || text[0] == '#' {
			continue
		}
		var l line
		if err := json.Unmarshal(text, &l, json.RejectUnknownMembers(true)); err != nil {
			return nil, fmt.Errorf("line %d: %s", number, rawjson.Words(err))
		}
		a, err := l.answer()
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		all = append(all, a)
	}
	return all, nil
}

func (l line) answer() (Answer, error) {
	a := Answer{Stop: l.Stop, Chunk: l.Chunk, At: l.At, Hang: l.Hang}
	var err error
	wait := func(name, text string) (d time.Duration) {
		if text != "" && err == nil {
			if d, err = time.ParseDuration(text); err != nil {
				err = fmt.Errorf("/%s should be a duration such as 2s, not %q", name, text)
			}
		}
		return d
	}
	a.Before, a.Each = wait("before", l.Before), wait("each", l.Each)
	if l.Reasoning != "" {
		a.Blocks = append(a.Blocks, tenfold.Reasoning{Text: l.Reasoning})
	}
	l.Text = cmp.Or(l.Text, string(l.Answer))
	if l.Text != "" {
		a.Blocks = append(a.Blocks, tenfold.AssistantMessage{Text: l.Text})
	}
	for _, c := range l.Calls {
		arguments := cmp.Or(string(c.Arguments), "{}")
		a.Blocks = append(a.Blocks, tenfold.ToolCall{CallID: c.ID, Name: c.Name, Arguments: arguments})
	}
	if u := l.Usage; u != nil {
		a.Usage = tenfold.Usage{Input: u.Input, Output: u.Output, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite}
	}
	if e := l.Error; e != nil {
		a.Err = &provider.Error{
			Kind: e.Kind, Message: e.Message, Used: e.Used, Limit: e.Limit, After: wait("error/after", e.After),
		}
	}
	return a, err
}
