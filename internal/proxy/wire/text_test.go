package wire_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
	"tenfold/internal/proxy/wire"
)

// FuzzTexts holds that a text is read as JSON says: every escape, whichever way it is
// written, and what is not UTF-8 replaced.
func FuzzTexts(f *testing.F) {
	for _, s := range []string{"", "a", "a\tb\n\"c\"\\\\/d", `\u00e9\ud83d\ude00\/\b\f\r`, "é😀\n", `\n\u0041\n`, `\ud800`, `ends in \\`, `\"`, `\\\"a\"\\`, `a\\\\\\\"`, "\xff\n", `<\u003c`} {
		f.Add([]byte(s), true)
		f.Add([]byte(s), false)
	}
	f.Fuzz(func(t *testing.T, text []byte, written bool) {
		quoted := append(append([]byte{'"'}, text...), '"')
		if !written { // it is what is said, and not how
			quoted, _ = jsontext.AppendQuote(nil, text)
		}
		var want string
		if json.Unmarshal(quoted, &want) != nil {
			return
		}
		r, err := wire.Anthropic{}.Scan("/v1/messages", []byte(`{"messages":[{"role":"assistant","content":[{"type":"text","text":`+string(quoted)+`}]}]}`), nil)
		if err != nil {
			t.Fatalf("%q: %v", quoted, err)
		}
		pieces, err := wire.Anthropic{}.Read(r, 0)
		if err != nil || len(pieces) != 1 {
			t.Fatalf("%q: %v, %v", quoted, pieces, err)
		}
		if m, ok := pieces[0].Entry.Payload.(tenfold.AssistantMessage); !ok || m.Text != want {
			t.Errorf("%q is read as %q, and says %q", quoted, m.Text, want)
		}
	})
}

// A member is found however it is spaced, and not where a text quotes one.
func TestHolds(t *testing.T) {
	for raw, want := range map[string]bool{
		`{"ttl":"1h"}`:                  true,
		"{\"ttl\" :\n\"1h\"}":           true,
		`{"ttl":"5m"},{"ttl":"1h"}`:     true,
		`{"a\"b":"\"ttl\"","ttl":"1h"}`: true,
		`{"ttl":"5m"}`:                  false,
		`{"ttl":"1hour"}`:               false,
		`{"text":"\"ttl\":\"1h\""}`:     false,
		`["ttl","1h"]`:                  false,
		`{"ttl":`:                       false,
		`{"ttl":"1h`:                    false,
		`"ttl"`:                         false,
		``:                              false,
	} {
		if got := (wire.Span{To: len(raw)}).Holds([]byte(raw), "ttl", "1h"); got != want {
			t.Errorf("%s: %v", raw, got)
		}
		behind := raw + `,"ttl":"1h"`
		if got := (wire.Span{To: len(raw)}).Holds([]byte(behind), "ttl", "1h"); got != want {
			t.Errorf("%s, with what stands behind it: %v", raw, got)
		}
	}
}

// X9: of what the log has, hardly more is made than the ids by which it is found: not the
// names of members, which are the same in each of a thousand messages.
func TestX9WhatIsLoggedIsReadWithLittle(t *testing.T) {
	const turns = 200
	var b strings.Builder
	b.WriteString(`{"model":"m","messages":[{"role":"user","content":"go"}`)
	for i := range turns {
		fmt.Fprintf(&b, `,{"role":"assistant","content":[{"type":"tool_use","id":"toolu_%d","name":"Read","input":{"file_path":"/w/%d.go"}}]}`, i, i)
		fmt.Fprintf(&b, `,{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_%d","content":[{"type":"text","text":"a\nb"}]}]}`, i)
	}
	b.WriteString(`]}`)
	r, err := wire.Anthropic{}.Scan("/v1/messages", []byte(b.String()), nil)
	if err != nil {
		t.Fatal(err)
	}
	read := func() (all []wire.Piece) {
		for i := range r.Messages {
			pieces, err := wire.Anthropic{}.Read(r, i)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, pieces...)
		}
		return all
	}
	logged := map[string]tenfold.Payload{}
	for _, p := range read() {
		logged[p.Entry.ID] = p.Entry.Payload
	}
	r.Logged = func(id string) tenfold.Payload { return logged[id] }
	if n := testing.AllocsPerRun(5, func() { read() }); n > 2*turns*12 {
		t.Errorf("reading %d messages allocates %v times", 2*turns, n)
	}
}
