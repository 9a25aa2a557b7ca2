package rawjson_test

import (
	"slices"
	"testing"

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
