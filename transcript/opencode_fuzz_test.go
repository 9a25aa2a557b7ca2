package transcript

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"
	"unicode/utf8"

	"tenfold/transcript/internal/crush"
	"tenfold/transcript/internal/database"
	"tenfold/transcript/internal/engine"
	"tenfold/transcript/internal/intake"
	"tenfold/transcript/internal/walk"
)

func FuzzOpenCode(f *testing.F) {
	for _, w := range samples(f, OpenCode) {
		f.Add(w.data)
	}
	f.Add([]byte(`{"messages":[{"parts":[{"type":"tool","tool":"t","state":{"status":"completed","output":{"a":[1]},"attachments":[{"url":"u"},3]},"text":7}],"info":{"role":"assistant","summary":true,"finish":"x"}}],"info":{"id":"../x","time":{"created":1e300}}}`))
	f.Add([]byte(`{"messages":[{"info":{"id":"a","role":"user"},"parts":[{"type":"text","text":""},{"type":"file","url":""},{"type":"compaction","tail_start_id":"a"}]},{"info":{"role":"assistant","summary":true,"finish":"stop","parentID":"a"},"parts":[{"type":"text","text":"s"}]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		got, ok := fuzzImport(t, OpenCode, data)
		if !ok {
			return
		}
		if text, _ := exportOpenCode(t, got, true); !json.Valid(text) {
			t.Fatalf("the compacted export is no JSON: %s", text)
		}
		text := bytes.TrimPrefix(data, intake.Bom)
		if !utf8.Valid(text) || bytes.Contains(text, []byte(`\u`)) || bytes.Contains(text, []byte("\uFFFD")) || !json.Valid(text) {
			return
		}
		var scan walk.Scanner
		scan.Reset(text)
		if uniqueNames(&scan) && scan.Err == nil {
			checkOpenCodeWhole(t, got, text)
		}
	})
}

// FuzzCrush reads messages: each line is the parts of one, and the first byte
// says whose it is.
func FuzzCrush(f *testing.F) {
	f.Add([]byte(`u[{"type":"text","data":{"text":"a"}},{"type":"binary","data":{"Path":"p","MIMEType":"text/x","Data":"w7w="}},{"type":"shell_command","data":{"command":"c","output":"o","exit_code":1}}]` + "\n" +
		`a[{"type":"reasoning","data":{"thinking":"t","signature":"s","thought_signature":"g","tool_id":"c","responses_data":{"item_id":"i","encrypted_content":"e"}}},{"type":"tool_call","data":{"id":"c","name":"n","input":"{"}}]` + "\n" +
		`t[{"type":"tool_result","data":{"tool_call_id":"c","content":"x","data":"AA==","mime_type":"image/png","is_error":true}}]` + "\n" +
		`s[{"type":"text","data":{"text":"sum"}}]` + "\n" + `u[{"type":"image_url","data":{"url":"u"}},7,{"type":"text","data":{"text":"h","hidden":true}}]`))
	f.Add([]byte("s[]\na{}\nu[\nt[{\"data\":[]}]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var k Collector
		em := &engine.Emitter{Place: &engine.RootLog{}, Sink: &k, Conv: Conversation{ID: "c", Format: Crush}}
		s := &crush.Session{Branch: database.NewBranch(em, &database.SessionTree{}, "c", nil), Started: map[string]string{}}
		for line := range bytes.Lines(data) {
			line = bytes.Trim(line, " \t\r\n")
			if len(line) < 2 {
				continue
			}
			row := crush.Row{ID: "m", Role: map[byte]string{'u': "user", 't': "tool", 's': "assistant"}[line[0]], Summary: line[0] == 's', Created: crush.Time(int64(len(line)) << 24)}
			if row.Role == "" {
				row.Role = "assistant"
			}
			var raw database.RowObject
			raw.Add("role", database.QuoteJSON(row.Role))
			if parts := database.Embedded(line[1:], '['); parts != nil {
				raw.Add("parts", parts)
			} else {
				raw.Add("parts", database.AsJSON(line[1:]))
			}
			if err := s.Message(raw.Done(), row); err != nil {
				var ours *Error
				if !errors.As(err, &ours) {
					t.Fatal(err)
				}
			}
		}
		if err := em.End(); err != nil {
			t.Fatal(err)
		}
		checkLaws(t, k.Conversations[0])
		for _, e := range k.Conversations[0].Entries {
			if e.Source != "" && !json.Valid([]byte(e.Source)) {
				t.Fatalf("the source of %s is no JSON: %s", e.ID, e.Source)
			}
		}
	})
}
