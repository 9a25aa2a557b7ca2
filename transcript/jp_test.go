package transcript

import (
	"context"
	"encoding/base64"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"tenfold/internal/corpustest"
	"tenfold/transcript/internal/intake"
	"tenfold/transcript/internal/jp"
)

func b64(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }

func TestJP(t *testing.T) {
	const at = `"timestamp":"2026-01-02 03:04:05.123456",`
	tests := []struct {
		name, text, want string
		warnings         []string
	}{
		{
			name: "a turn with a call, asked about",
			text: `[
  {` + at + `"type":"config_delta","delta":{"assistant":{"system_prompt":"Be brief.","model":{"id":{"provider":"anthropic","name":"m-1"}}},"style":{"x":1}}},
  {` + at + `"type":"turn_start"},
  {` + at + `"type":"chat_request","content":"go","author":"ann"},
  {` + at + `"type":"chat_response","reasoning":"hm","metadata":{"anthropic_thinking_signature":"` + b64(b64("\x12\xff\x01 signature")) + `"}},
  {` + at + `"type":"chat_response","message":"on it"},
  {` + at + `"type":"tool_call_request","id":"t1","name":"edit","arguments":{"z":"` + b64("ü") + `","list":["` + b64("a\n") + `",1,{"k":""}],"n":1.50}},
  {` + at + `"type":"inquiry_request","id":"t1.apply","source":{"source":"tool"},"question":{"text":"sure?","answer_type":{"type":"boolean"}}},
  {` + at + `"type":"inquiry_response","id":"t1.apply","answer":true},
  {` + at + `"type":"inquiry_response","id":"t1.apply","answer":false},
  {` + at + `"type":"inquiry_response","id":"t1.which","answer":"the second"},
  {` + at + `"type":"tool_call_response","id":"t1","content":"` + b64("done\n") + `","is_error":false},
  {` + at + `"type":"tool_call_response","id":"t2","content":"` + base64.URLEncoding.EncodeToString([]byte("a?>~ä")) + `","is_error":true},
  {` + at + `"type":"tool_call_response","id":"t3","content":"not base64!","is_error":false},
  {` + at + `"type":"something_new","x":1}
]`,
			want: `
				config e1 anthropic/m-1 system="Be brief."
				turn e2
				user e3 "go"
				reasoning e4 "hm" anthropic ` + b64("\x12\xff\x01 signature") + `
				assistant e5  "on it"
				call e6 t1 edit {"z":"ü","list":["a\n",1,{"k":""}],"n":1.50}
				requested e7 t1 sure?
				granted e8 t1
				denied e9 t1
				granted e10 t1 "the second"
				result e11 t1 "done\n"
				failure e12 t2 "a?>~ä"
				result e13 t3 "not base64!"
				unknown e14 jp.something_new`,
		},
		{
			name: "an old file without turns, a call with a thought signature",
			text: `[{"type":"config_delta","inherit":true,"assistant":{"system_prompt":"Old.","model":{"id":"google/g-1"}}},
{` + at + `"type":"chat_request","content":"one"},
{` + at + `"type":"tool_call_request","id":"edit_0","name":"edit","arguments":{},"metadata":{"google_thought_signature":"` + b64("\x12\xfe") + `"}},
{` + at + `"type":"tool_call_response","id":"edit_0","content":"","is_error":false},
{` + at + `"type":"chat_request","content":"two"}]`,
			want: `
				config e1 google/g-1 system="Old."
				turn e2/turn
				user e2 "one"
				reasoning e3/thought "" gemini ` + b64("\x12\xfe") + ` edit_0
				call e3 edit_0 edit {}
				result e4 edit_0
				turn e5/turn
				user e5 "two"`,
		},
		{
			name: "overlays as RFD 064 shapes them",
			text: `[{"type":"turn_start"},{"type":"chat_request","content":"one"},
{"type":"compaction","from_turn":0,"to_turn":3,"summary":{"summary":"it was"}},
{"type":"compaction","from_turn":0,"to_turn":0,"reasoning":"strip","tool_calls":"strip"},
{"type":"compaction","from_turn":0,"to_turn":0,"tool_calls":{"policy":"strip","request":false,"response":true}},
{"type":"compaction","from_turn":0,"to_turn":0,"reasoning":null,"tool_calls":{"strip":{"request":true,"response":false}}},
{"type":"compaction","from_turn":0,"to_turn":0,"tool_calls":"omit"},
{"type":"compaction","from_turn":0,"to_turn":0,"tool_calls":"strip-responses","summary":null},
{"type":"compaction","from_turn":2,"to_turn":1,"tool_calls":"omit"},
{"type":"compaction","from_turn":0,"to_turn":1}]`,
			want: `
				turn e1
				user e2 "one"
				compaction e3 0..3 summary="it was"/ import  0→0
				compaction e4 0..0 reasoning=strip tools=strip/true/true/0 import  0→0
				compaction e5 0..0 tools=strip/false/true/0 import  0→0
				compaction e6 0..0 tools=strip/true/false/0 import  0→0
				compaction e7 0..0 tools=omit/false/false/0 import  0→0
				compaction e8 0..0 tools=strip/false/true/0 import  0→0
				unknown e9 jp.compaction
				unknown e10 jp.compaction`,
			warnings: []string{"2 compactions could not be understood and have no effect"},
		},
		{
			name: "messages.json",
			text: `[{"timestamp":"2025-05-02 16:43:28","message":"hi","reply":{"provider":"x","content":"hello","reasoning":"hm"}}]`,
			want: `
				turn e1/turn
				user e1 "hi"
				reasoning e1#1 "hm"
				assistant e1#2  "hello"`,
		},
		{
			name:     "the same event twice, and a torn end",
			text:     `[{"type":"chat_request","content":"a"},{"type":"chat_request","content":"a"},{"type":"chat_resp`,
			want:     "turn e1/turn\nuser e1 \"a\"\nturn e1~2/turn\nuser e1~2 \"a\"",
			warnings: []string{"1 event at the end was cut off and is left out (line 1)"},
		},
		{
			name: "events that are not understood",
			text: `[{"type":"chat_request","content":"a"},{"type":"chat_request","content":["a"]},{"type":"chat_response","message":"a","message":"b"},7]`,
			want: "turn e1/turn\nuser e1 \"a\"\nunknown e2 jp.chat_request\nunknown e3 jp.chat_response\nunknown e4 jp.untyped",
			warnings: []string{
				"3 events could not be understood and were kept as they are",
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := importText(t, "conversations/17123456789-a-title/events.json", tt.text)
			if err != nil {
				t.Fatal(err)
			}
			if got.ID != "17123456789" {
				t.Errorf("id is %q", got.ID)
			}
			checkLaws(t, got)
			if !strings.Contains(tt.name, "torn") && !strings.Contains(tt.text, `"b"`) {
				sameLines(t, rebuildJPEvents(t, got), decodeJSON(t, []byte(tt.text)).([]any))
			}
			// The ids are hashes: number them.
			names := map[string]string{}
			for i, e := range got.Entries {
				base, _, _ := strings.Cut(intake.RecordID(e.ID), "~")
				if names[base] == "" {
					names[base] = "e" + string(rune('0'+(len(names)+1)/10)) + string(rune('0'+(len(names)+1)%10))
					names[base] = strings.Replace(names[base], "e0", "e", 1)
				}
				got.Entries[i].ID = strings.Replace(e.ID, base, names[base], 1)
			}
			checkTable(t, got, tt.want, tt.warnings)
		})
	}
}

func TestJPSiblings(t *testing.T) {
	dir := fstest.MapFS{
		"metadata.json":    {Data: []byte(`{"title":"A title","last_activated_at":"x"}`)},
		"base_config.json": {Data: []byte(`{"assistant":{"system_prompt":{"value":"Base.","strategy":"replace"},"model":{"id":"alias"}}}`)},
	}
	text := `[{"type":"chat_request","timestamp":"2026-01-02 03:04:05","content":"a"}]`
	for _, tt := range []struct {
		name   string
		broken string
		want   string
		warn   int
	}{
		{"all there", "", "config base-config  system=\"Base.\"\nturn", 0},
		{"broken", "base_config.json", "turn", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.broken != "" {
				dir[tt.broken] = &fstest.MapFile{Data: []byte(`{"assistant":`)}
			}
			var k Collector
			src := Source{Name: "17123456789-x/events.json", Reader: strings.NewReader(text), Siblings: dir}
			if err := Import(context.Background(), src, JP, &k); err != nil {
				t.Fatal(err)
			}
			got := k.Conversations[0]
			if got.Title != "A title" || !strings.HasPrefix(describe(got.Entries), tt.want) || len(got.Warnings) != tt.warn {
				t.Errorf("got %q, %v:\n%s", got.Title, got.Warnings, describe(got.Entries))
			}
			if e := got.Entries[0]; e.Time.IsZero() {
				t.Error("the configuration has no time")
			}
		})
	}
}

func TestJPErrors(t *testing.T) {
	for text, want := range map[string]string{
		"[\n {\"type\":\"turn_start\"},\n {\"type\":turn}\n]":       "e.json:3:11: no valid JSON",
		"[\n {\"type\":\"turn_start\"}\n] x":                        "e.json:3:",
		"[{\"type\":\"turn_start\"} {\"type\":\"turn_start\"}]":     "e.json:1:",
		"[" + strings.Repeat("[", 100_000):                          "max depth",
		`[{"type":"turn_start","x":` + strings.Repeat("[", 100_000): "max depth",
	} {
		var k Collector
		err := Import(context.Background(), Source{Name: "e.json", Reader: strings.NewReader(text), Strict: true}, JP, &k)
		if err == nil || !strings.Contains(errorText(err), want) || len(k.Conversations) != 0 {
			t.Errorf("%.40q: error is %.300v, want %s", text, err, want)
		}
	}
}

func TestJPID(t *testing.T) {
	for name, want := range map[string]string{
		"x/17123456789-some-title/events.json":         "17123456789",
		"x/archive-17123456789-some-title/events.json": "17123456789",
		"17123456789__events.json":                     "17123456789",
		"notes/events.json":                            "notes",
		"events.json":                                  "events",
		"../events.json":                               "events",
		"":                                             "jp",
	} {
		if got := jp.ID(name); got != want {
			t.Errorf("jpID(%q) = %q, want %q", name, got, want)
		}
	}
	for _, name := range []string{"a b/events.json", "..", "/", "x/..", "../../etc/passwd", ".hidden/events.json", strings.Repeat("1", 300)} {
		if got := jp.ID(name); !intake.PlainID(got) {
			t.Errorf("jpID(%q) = %q is not plain", name, got)
		}
	}
}

func TestPeel(t *testing.T) {
	inner := b64("\x12\xff binary")
	for layers := range 4 {
		s := inner
		for range layers {
			s = b64(s)
		}
		if got := jp.Peel(s); got != inner {
			t.Errorf("%d layers: %q", layers, got)
		}
	}
	if got := jp.Peel("no base64!"); got != "no base64!" {
		t.Errorf("got %q", got)
	}
}

// The files beside a conversation say what they are, and what to import.
func TestJPSiblingsNamedDirectly(t *testing.T) {
	for _, tt := range []struct{ text, says string }{
		{`{"title":"A title","last_activated_at":"x"}`, "this is the metadata of a JP conversation"},
		{`{"inherit":true,"extends":["a"],"assistant":{}}`, "this is the configuration of a JP conversation"},
	} {
		for _, from := range []Format{"", JP} {
			var k Collector
			err := Import(context.Background(), Source{Name: "c/1-x/meta.json", Reader: strings.NewReader(tt.text)}, from, &k)
			if err == nil || !strings.Contains(errorText(err), tt.says) || !strings.Contains(errorText(err), filepath.Join("c", "1-x", "events.json")) {
				t.Errorf("as %q: the error is %v", from, err)
			}
		}
	}
	var k Collector
	err := Import(context.Background(), Source{Name: "c.json", Reader: strings.NewReader(`{"x":1}`)}, JP, &k)
	if err == nil || !strings.Contains(errorText(err), "JSON array of events") {
		t.Errorf("the error is %v", err)
	}
}

func TestJPCorpusSiblings(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(corpustest.Dir(), "jp", "*", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, path := range paths {
		if base := filepath.Base(path); base != "metadata.json" && base != "base_config.json" {
			continue
		}
		n++
		f, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		err = Import(context.Background(), f.Source, "", &Collector{})
		_ = f.Close()
		if err == nil || !strings.Contains(errorText(err), "of a JP conversation, not the conversation") {
			t.Errorf("%s: the error is %v", path, err)
		}
	}
	if n == 0 {
		t.Skip("there is no corpus here")
	}
}
