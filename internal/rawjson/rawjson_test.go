package rawjson_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tenfold/internal/rawjson"
)

func TestObjectsKeepBytes(t *testing.T) {
	const raw = `{"b":1.50,"a":"\u00e9\/","b":[1 , 2],"c":{"x":null}}`
	o, err := rawjson.Parse([]byte(raw))
	if err != nil || string(o.Bytes()) != raw {
		t.Errorf("%s, %v", o.Bytes(), err)
	}
	o.Set("c", []byte("7"))
	o.Set("d", rawjson.List([]jsontext.Value{rawjson.Quote(`"`)}))
	if got := string(o.Bytes()); got != `{"b":1.50,"a":"\u00e9\/","b":[1 , 2],"c":7,"d":["\""]}` {
		t.Error(got)
	}
	again := slices.Clone(o)
	again.Set("b", []byte("0"))
	if got := string(again.Bytes()); got != `{"b":0,"a":"\u00e9\/","c":7,"d":["\""]}` {
		t.Error(got)
	}
	if got := string(rawjson.Quote("a\xffb")); got != "\"a\uFFFDb\"" {
		t.Error(got)
	}
	o.Delete("b")
	if got := string(o.Bytes()); got != `{"a":"\u00e9\/","c":7,"d":["\""]}` || rawjson.Text(o.Get("a")) != "é/" || o.Get("b") != nil {
		t.Error(got)
	}
	for _, bad := range []string{"", "[]", "{", `{"a"}`, `{"a":}`, "7", `{"a":1`} {
		if _, err := rawjson.Parse([]byte(bad)); err == nil {
			t.Errorf("%q is an object", bad)
		}
	}
}

func TestMerge(t *testing.T) {
	o, _ := rawjson.Parse([]byte(`{"a":1,"g":{"x":1,"in":{"p":1}}}`))
	extra, _ := rawjson.Parse([]byte(`{"a":2,"g":{"x":9,"y":2,"in":{"q":2}},"z":[]}`))
	o.Merge(extra)
	if got := string(o.Bytes()); got != `{"a":1,"g":{"x":1,"in":{"p":1,"q":2},"y":2},"z":[]}` {
		t.Error(got)
	}
}

// What does not fit is said in words of JSON.
func TestWords(t *testing.T) {
	type inner struct {
		Name string    `json:"name"`
		At   time.Time `json:"at"`
	}
	var into struct {
		Text string  `json:"text"`
		Max  *int    `json:"max"`
		On   bool    `json:"on"`
		Each []inner `json:"each"`
	}
	for text, want := range map[string]string{
		`{"text":5}`:             "x: /text is a number, not a string",
		`{"txt":"a"}`:            "x: /txt is not known here",
		`{"max":"a"}`:            "x: /max is a string, not a whole number",
		`{"max":1.5}`:            "x: /max should be a whole number",
		`{"on":{}}`:              "x: /on is an object, not true or false",
		`{"each":{}}`:            "x: /each is an object, not a list",
		`{"each":[{"name":[]}]}`: "x: /each/0/name is a list, not a string",
		`{"each":[{"at":"z"}]}`:  "x: /each/0/at should be a time such as 2006-01-02T15:04:05Z",
		`{"each":[1]}`:           "x: /each/0 is a number, not an object",
		`[]`:                     "x: it is a list, not an object",
		`hello`:                  "x: invalid character 'h' at start of value",
	} {
		err := json.Unmarshal([]byte(text), &into, json.RejectUnknownMembers(true))
		if err == nil || rawjson.Words(fmt.Errorf("x: %w", err)) != want {
			t.Errorf("%s: %v", text, rawjson.Words(fmt.Errorf("x: %w", err)))
		}
	}
}
