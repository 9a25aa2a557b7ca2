package transcript

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tenfold"
	"tenfold/internal/corpustest"
	"tenfold/problem"
	"tenfold/transcript/internal/intake"
)

func TestDetect(t *testing.T) {
	claude := new(session).user("u1", `"go"`).String()
	for _, tt := range []struct {
		name, head string
		want       Format
		says       string
	}{
		{"anything", claude, ClaudeCode, ""},
		{"events.json", claude, ClaudeCode, ""},
		{"x", "\xef\xbb\xbf" + claude, ClaudeCode, ""},
		{"x", claude[:150], ClaudeCode, ""},
		{"x", `{"type":"summary","summary":"s","leafUuid":"u"}`, ClaudeCode, ""},
		{"x", `"odd"` + "\n" + claude, ClaudeCode, ""},
		{"s.jsonl", `[{"type":"turn_start"}]`, JP, ""},
		{"s.jsonl", `[{"type":"chat_request","content":"`, JP, ""},
		{"s.jsonl", `[{"timestamp":"x","message":"a","reply":{}}]`, JP, ""},
		{"events.json", ` [ ] `, JP, ""},
		{"x", `{"tenfold":1,"conversation":{"id":"c"}}`, Tenfold, ""},
		{"x", `{"seq":1,"id":"a","kind":"pin"}`, Tenfold, ""},
		{"x.json", `[]`, "", "an empty JSON array"},
		{"claude.jsonl", `{"timestamp":"x","type":"odd","payload":{}}` + "\n" + `{"a":1}`, "", "x: unknown format: it looks like JSON lines with keys timestamp, type, payload, a; known formats: tenfold, claude-code, "},
		{"x", "{\n \"messages\": [],\n \"id\": 1\n}", "", "one JSON object with keys messages, id"},
		{"x", `[{"role":"user"}]`, "", "a JSON array of objects with keys role"},
		{"x", "# A title\n", "", "plain text without JSON objects"},
		{"x.json", "[1,2,3]", "", "without JSON objects"},
		{"x", "", "", "the file is empty; was the session saved?"},
		{"x", " \n\n", "", "the file is empty"},
		{"x", "SQLite format 3\x00\x10", "", "an SQLite database"},
		{"x", "\x1f\x8b\x08", "", "a gzip archive, not a transcript; unpack it first"},
		{"x", "\xff\xfe{\x00", "", "UTF-16"},
		{"x", "\x7fELF\x00\x00", "", "a binary file"},
	} {
		got, err := Detect([]byte(tt.head), tt.name)
		if got != tt.want || (err != nil) != (tt.want == "") {
			t.Errorf("%s %.40q: %q, %v", tt.name, tt.head, got, err)
		} else if err != nil && !strings.Contains(strings.Replace(errorText(err), "claude.jsonl:", "x:", 1), tt.says) {
			t.Errorf("%s %.40q: %v, want %s", tt.name, tt.head, err, tt.says)
		}
	}
}

// apiBodies are files that hold nothing but messages as a provider takes or
// gives them, and belong to no format that we know better.
var apiBodies = map[string]Format{
	"swe-agent/mini__github_issue.traj.json":                          OpenAIChat,
	"swe-agent/mini__local.traj.json":                                 OpenAIChat,
	"openhands-sdk/fncall-llm-message.json":                           OpenAIChat,
	"openhands-sdk/nonfncall-llm-message.json":                        OpenAIChat,
	"vercel-ai-fixtures/anthropic__anthropic-compaction.1.json":       AnthropicBody,
	"vercel-ai-fixtures/anthropic__anthropic-compaction.1.chunks.txt": AnthropicBody,
}

// TestDetectCorpus tells every file of the corpus: those of our formats by
// name, all others by refusing them.
func TestDetectCorpus(t *testing.T) {
	for _, f := range corpustest.Files(t) {
		data, err := os.ReadFile(f.Path)
		if err != nil {
			t.Fatal(err)
		}
		want := Format(f.Format)
		if want == "" && strings.TrimSpace(string(data)) == "[]" {
			want = JP // an empty conversation, told by its name
		}
		if strings.Contains(f.Name, "openai__responses__") {
			want = OpenAIResponses // the index knows no name for it
		}
		if h, known := find(want); !known || h.Import == nil {
			want = ""
		}
		if body := apiBodies[f.Name]; want == "" && body != "" {
			want = body
		}
		if strings.HasSuffix(f.Name, "no-samples.json") {
			want = InspectEval // its importer says that it holds no conversation
		}
		for _, size := range []int{intake.HeadSize, 2000} {
			if size < intake.HeadSize && strings.HasSuffix(f.Name, "example__README.md") {
				continue // its chat begins later
			}
			want := want
			if f.Format == "" && strings.HasSuffix(f.Name, "assistant-message-with-thinking-code.json") {
				if size < intake.HeadSize {
					continue // a message alone, which says so at its end
				}
				want = Pi
			}
			got, err := Detect(data[:min(len(data), size)], f.Name)
			if size < intake.HeadSize && slices.Contains([]Format{OpenAIChat, LiteLLM}, want) && slices.Contains([]Format{"", OpenAIChat}, got) {
				continue // so little is a system prompt, or what stands before it
			}
			if got != want {
				t.Errorf("%s by %d bytes: %q, %v; want %q", f.Name, size, got, err, want)
			}
		}
	}
}

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	inner := filepath.Join(dir, "inner")
	for name, text := range map[string]string{"secret": "s", "inner/events.json": "[]", "inner/metadata.json": `{"title":"T"}`} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("../secret", filepath.Join(inner, "link")); err != nil {
		t.Skip(err)
	}
	f, err := Open(filepath.Join(inner, "events.json"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	if data, err := f.Sibling("metadata.json"); err != nil || len(data) == 0 {
		t.Errorf("metadata.json: %q, %v", data, err)
	}
	for _, name := range []string{"link", "../secret", "/etc/passwd", "..", "missing"} {
		if data, _ := f.Sibling(name); data != nil {
			t.Errorf("sibling %s leads out: %q", name, data)
		}
	}
	whole, err := Open(inner)
	if err != nil || whole.Name != filepath.Join(inner, "events.json") {
		t.Fatalf("the directory of a transcript: %+v, %v", whole, err)
	}
	_ = whole.Close()
	if _, err := Open(dir); err == nil || !strings.Contains(errorText(err), "is a directory, not a transcript; name a file in it") {
		t.Errorf("directory: %v", err)
	}
	if _, err := Open(filepath.Join(dir, "nope")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing: %v", err)
	}
}

type failingSink struct {
	Collector
	after int
}

var errSink = errors.New("the sink is full")

func (s *failingSink) Entry(e tenfold.Entry) error {
	if s.after--; s.after < 0 {
		return errSink
	}
	return s.Collector.Entry(e)
}

// Errors of the sink, the reader and the context stop an import, and no
// conversation is ended.
func TestImportStops(t *testing.T) {
	texts := map[Format]string{
		ClaudeCode: new(session).user("u1", `"go"`).assistant("a1", "m1", call("t1")).user("u2", `"on"`).String(),
		JP:         `[{"type":"turn_start"},{"type":"chat_request","content":"a"},{"type":"chat_response","message":"b"}]`,
		Tenfold:    `{"id":"a","kind":"turn_start"}` + "\n" + `{"id":"b","kind":"turn_start"}` + "\n" + `{"id":"c","kind":"assistant_message","payload":{"text":"c"}}`,
	}
	for format, text := range texts {
		sink := &failingSink{after: 2}
		if err := Import(context.Background(), Source{Name: "x", Reader: strings.NewReader(text)}, format, sink); !errors.Is(err, errSink) || len(sink.Conversations) > 0 {
			t.Errorf("%s, sink: %v", format, err)
		}
		sink = &failingSink{after: 1000}
		broken := io.MultiReader(strings.NewReader(text[:len(text)-20]), iotestErr{})
		if err := Import(context.Background(), Source{Name: "x", Reader: broken}, format, sink); !errors.Is(err, errReader) || len(sink.Conversations) > 0 {
			t.Errorf("%s, reader: %v", format, err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if err := Import(ctx, Source{Name: "x", Reader: strings.NewReader(text)}, format, sink); !errors.Is(err, context.Canceled) || len(sink.Conversations) > 0 {
			t.Errorf("%s, context: %v", format, err)
		}
		var read int64
		src := Source{Name: "x", Reader: strings.NewReader(text), Progress: func(n int64) { read = n }}
		if err := Import(context.Background(), src, format, sink); err != nil || read != int64(len(text)) {
			t.Errorf("%s, progress: %d of %d, %v", format, read, len(text), err)
		}
	}
	err := Import(context.Background(), Source{Name: "x", Reader: strings.NewReader("{}")}, "nope", &Collector{})
	if err == nil || !strings.Contains(errorText(err), `unknown format "nope"; it is one of tenfold`) {
		t.Errorf("unknown format: %v", err)
	}
	if err := Import(context.Background(), Source{Name: "x"}, "", &Collector{}); err == nil {
		t.Error("no reader: no error")
	}
}

type iotestErr struct{}

var errReader = errors.New("the disk is gone")

func (iotestErr) Read([]byte) (int, error) { return 0, errReader }

func TestDeepNesting(t *testing.T) {
	deep := strings.Repeat(`[`, 100_000)
	claude := new(session).user("u1", `"go"`).String()
	for name, line := range map[string]string{
		"in an unknown member": `{"type":"user","x":` + deep + "\n",
		"in the content":       `{"type":"user","message":{"content":` + deep + "\n",
		"in results":           `{"type":"user","message":{"content":` + strings.Repeat(`[{"content":`, 50_000) + "\n",
		"bare":                 deep + "\n",
	} {
		_, err := importStrict(t, "x", claude+line+claude)
		if err == nil || !strings.Contains(errorText(err), "max depth") {
			t.Errorf("%s: %.200v", name, err)
		}
	}
	// Deep, but within what a decoder takes.
	within := strings.Repeat(`[{"content":`, 4_000) + `0` + strings.Repeat(`}]`, 4_000)
	got, err := importText(t, "x", claude+`{"type":"user","uuid":"u","sessionId":"s-1","message":{"content":`+within+`}}`+"\n")
	if err != nil || len(got.Entries) != 4 {
		t.Errorf("within: %d entries, %v", len(got.Entries), err)
	}
}

func ExampleImport() {
	const session = `{"type":"user","uuid":"u1","parentUuid":null,"sessionId":"s1","message":{"role":"user","content":"fix it"}}
{"type":"assistant","uuid":"a1","parentUuid":"u1","sessionId":"s1","message":{"id":"m1","content":[{"type":"text","text":"done"}]}}
`
	var found Collector
	src := Source{Name: "session.jsonl", Reader: strings.NewReader(session)}
	if err := Import(context.Background(), src, "", &found); err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range found.Conversations {
		fmt.Println(c.ID, c.Format)
		for _, e := range c.Entries {
			fmt.Println(" ", e.ID, e.Payload.Kind())
		}
	}
	// Output:
	// s1 claude-code
	//   u1/turn turn_start
	//   u1 user_message
	//   a1 assistant_message
}

func ExampleExport() {
	log := tenfold.NewLog()
	if _, err := log.Append(
		tenfold.Entry{ID: "e1", Payload: tenfold.TurnStart{}},
		tenfold.Entry{ID: "e2", Payload: tenfold.UserMessage{Parts: tenfold.Text("fix it")}, Tokens: 2},
	); err != nil {
		fmt.Println(err)
		return
	}
	if _, err := Export(os.Stdout, Tenfold, View{Conversation: Conversation{ID: "s1", Title: "A fix"}, Projection: tenfold.Project(log)}); err != nil {
		fmt.Println(err)
	}
	// Output:
	// {"tenfold":1,"conversation":{"id":"s1","title":"A fix"}}
	// {"seq":1,"id":"e1","kind":"turn_start"}
	// {"seq":2,"id":"e2","kind":"user_message","tokens":2,"text":"fix it"}
}

// errorText gives an error as a person is told it: with its hint.
func errorText(err error) string {
	var p *problem.Error
	if errors.As(err, &p) && p.Hint != "" {
		return err.Error() + "; " + p.Hint
	}
	return err.Error()
}

// A view without a projection is an error in every format, not a panic.
func TestExportOfNoProjection(t *testing.T) {
	for _, f := range Formats() {
		if _, err := Export(io.Discard, f.Format, View{}); err == nil {
			t.Errorf("%s: nothing is written, and no error tells", f.Format)
		}
	}
	if _, _, err := ExportDirectory(t.TempDir(), JP, View{}); err == nil {
		t.Error("a directory of nothing is written")
	}
}
