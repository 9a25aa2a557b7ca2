package transcript

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"tenfold"
	"tenfold/transcript/internal/intake"
	"tenfold/transcript/internal/native"
	"tenfold/transcript/internal/walk"
)

func claudeSeeds() []string {
	return []string{
		new(session).user("u1", `"go"`).assistant("a1", "m1", call("t1")).user("r1", result("t1", "x")).
			assistant("a2", "m1", call("t2")).user("r2", `[{"type":"text","text":"b"},{"type":"tool_result","tool_use_id":"t2","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"A"}},{"type":"text","text":"c"},4,null]},"s"]`).String(),
		new(session).user("u1", `"go"`).raw(boundaryLine("b1", `{"trigger":"auto","preTokens":1e3,"preservedMessages":{"uuids":["u1",1]}}`)).
			user("c1", `"was"`, summaryFlags).user("u2", `"on"`).user("u3", `"up"`, `,"parentUuid":"c1"`).String(),
		new(session).user("u1", `"go"`, `,"isSidechain":true,"agentId":"a.b"`).line("progress", "p3", `"data":{"message":{"type":"assistant","message":{"id":"m9","model":"small","content":[{"type":"thinking","thinking":"\ud800","signature":"s"}]}},"type":"agent_progress","agentId":"a97"}`).String(),
		new(session).raw(`{"type":"system","subtype":"microcompact_boundary","uuid":"b","microcompactMetadata":{"compactedToolIds":["a"]}}`).raw(`"x"`).raw(`{"uuid":"a/turn"}`).raw(`{"uuid":"a/turn"}`).String(),
		`{"type":"user","type":"user","uuid":"a","message":{"content":"x"},"message":{"content":[]}}` + "\n" + `{"type":"us`,
	}
}

func jpSeeds() []string {
	return []string{
		`[{"type":"config_delta","delta":{"assistant":{"system_prompt":{"value":"x"},"model":{"id":{"provider":"a","name":"b"}}}}},{"type":"chat_request","content":"a"},{"type":"chat_response","reasoning":"r","metadata":{"google_thought_signature":"UUE9PQ=="}}]`,
		`[{"type":"turn_start"},{"type":"tool_call_request","id":"i","name":"n","arguments":{"a":["w7w=","-_","x y"],"b":{"c":1}},"metadata":{"google_thought_signature":"x"}},{"type":"tool_call_response","id":"i","content":"w7w","is_error":true}]`,
		`[{"type":"compaction","from_turn":0,"to_turn":1,"summary":{"summary":"s"},"tool_calls":{"policy":"strip"}},{"type":"inquiry_request","id":"a.b","question":{"text":"q"}},{"type":"inquiry_response","id":"a.b","answer":[1]}]`,
		`[{"timestamp":"2025-05-02 16:43:28","message":"hi","reply":{"content":"hello"}},{"typ`,
		` [ ] `,
	}
}

// fuzzImport imports, and checks the laws on what came out.
func fuzzImport(t *testing.T, format Format, data []byte) (Collected, bool) {
	var k Collector
	err := Import(context.Background(), Source{Name: "dir/12345678-x/f.json", Reader: bytes.NewReader(data), Size: int64(len(data))}, format, &k)
	if err != nil {
		var e *Error
		if !errors.As(err, &e) {
			t.Fatalf("the error is not ours: %v", err)
		}
		return Collected{}, false
	}
	for _, c := range k.Conversations {
		if !intake.PlainID(c.ID) {
			t.Fatalf("conversation id %q", c.ID)
		}
	}
	if format == Tenfold {
		return Collected{}, false // ids are the file's own there
	}
	for _, c := range k.Conversations {
		checkLaws(t, c)
	}
	if len(k.Conversations) != 1 {
		return Collected{}, false
	}
	return k.Conversations[0], true
}

// fuzzExport exports what a model sees, which is to be read again.
func fuzzExport(t *testing.T, got Collected) {
	log := tenfold.NewLog()
	if _, err := log.Append(got.Entries...); err != nil {
		t.Fatal(err)
	}
	for _, to := range []Format{ClaudeCode, JP} {
		for _, compacted := range []bool{true, false} {
			var out bytes.Buffer
			v := View{Conversation: Conversation{ID: got.ID, Format: Tenfold}, Projection: tenfold.Project(log), Compacted: compacted}
			if _, err := Export(&out, to, v); err != nil {
				t.Fatal(err)
			}
			if out.Len() == 0 {
				continue // there was nothing to say
			}
			text := out.String()
			if err := Import(context.Background(), Source{Name: "again", Reader: &out}, to, &Collector{}); err != nil {
				t.Fatalf("as %s, compacted %v: %v in %.300q", to, compacted, err, text)
			}
		}
	}
}

// exactly reports whether encoding/json sees all there is in the data: no
// member twice, no string that is not quite UTF-8.
func exactly(data []byte) bool {
	if !utf8.Valid(data) || bytes.Contains(data, []byte(`\u`)) {
		return false
	}
	var scan walk.Scanner
	for line := range bytes.Lines(bytes.TrimPrefix(data, intake.Bom)) {
		if line = bytes.Trim(line, " \t\r\n"); len(line) == 0 {
			continue
		}
		scan.Reset(line)
		if strict := json.Valid(line); !strict {
			return false
		}
		if !uniqueNames(&scan) || scan.Err != nil {
			return false
		}
	}
	return true
}

func uniqueNames(s *walk.Scanner) bool {
	unique := true
	switch k := s.Kind(); k {
	case '{':
		seen := map[string]bool{}
		s.Token()
		for s.More() {
			name := string(s.Name())
			unique = unique && !seen[name]
			seen[name] = true
			unique = uniqueNames(s) && unique
		}
		s.Token()
	case '[':
		s.Token()
		for s.More() {
			unique = uniqueNames(s) && unique
		}
		s.Token()
	default:
		s.Value()
	}
	return unique
}

func FuzzClaudeCode(f *testing.F) {
	for _, s := range claudeSeeds() {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got, ok := fuzzImport(t, ClaudeCode, data)
		if !ok {
			return
		}
		fuzzExport(t, got)
		if !exactly(data) {
			return
		}
		var want []any
		for line := range bytes.Lines(bytes.TrimPrefix(data, intake.Bom)) {
			if len(bytes.Trim(line, " \t\r\n")) > 0 {
				want = append(want, decodeJSON(t, line))
			}
		}
		sameLines(t, rebuildClaudeLines(t, got), want)
	})
}

func FuzzJP(f *testing.F) {
	for _, s := range jpSeeds() {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got, ok := fuzzImport(t, JP, data)
		if ok {
			fuzzExport(t, got)
		}
		if !ok || !utf8.Valid(data) || bytes.Contains(data, []byte(`\u`)) || !json.Valid(bytes.TrimPrefix(data, intake.Bom)) {
			return
		}
		var scan walk.Scanner
		scan.Reset(bytes.TrimPrefix(data, intake.Bom))
		if !uniqueNames(&scan) || scan.Err != nil {
			return
		}
		sameLines(t, rebuildJPEvents(t, got), decodeJSON(t, bytes.TrimPrefix(data, intake.Bom)).([]any))
	})
}

func FuzzTenfold(f *testing.F) {
	var b bytes.Buffer
	if err := native.WriteTenfold(&b, Conversation{ID: "c"}, func(yield func(tenfold.Entry) bool) {
		for _, e := range allKinds() {
			if !yield(e) {
				return
			}
		}
	}); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add([]byte(`{"tenfold":1,"conversation":{"id":"../x","created":"2026-01-02T03:04:05Z"}}`))
	f.Add([]byte(strings.Repeat(`{"id":"a","kind":"k","x":1}`+"\n", 2)))
	f.Fuzz(func(t *testing.T, data []byte) { fuzzImport(t, Tenfold, data) })
}

func FuzzDetect(f *testing.F) {
	for _, s := range append(claudeSeeds(), jpSeeds()...) {
		f.Add([]byte(s), "events.json")
		f.Add([]byte(s[:len(s)/2]), "s.jsonl")
	}
	f.Fuzz(func(t *testing.T, data []byte, name string) {
		format, err := Detect(data, name)
		if (err == nil) == (format == "") {
			t.Fatalf("format %q with error %v", format, err)
		}
	})
}
