package transcript

import (
	"bytes"
	"context"
	"testing"

	"tenfold"
	"tenfold/internal/corpustest"
)

// bodyFormats are the formats that are written as request bodies and read back.
func bodyFormats() []Format { return []Format{OpenAIChat, AnthropicBody, GeminiBody} }

// checkBodies checks that a body that is read and written again is the same.
func checkBodies(tb testing.TB, c Collected) {
	tb.Helper()
	log := tenfold.NewLog()
	if _, err := log.Append(c.Entries...); err != nil {
		tb.Fatal(err)
	}
	for _, compacted := range []bool{false, true} {
		v := View{Conversation: c.Conversation, Projection: tenfold.Project(log), Compacted: compacted}
		for _, format := range bodyFormats() {
			var body bytes.Buffer
			if _, err := Export(&body, format, v); err != nil {
				tb.Fatal(err)
			}
			again, err := reexported(body.Bytes(), format)
			if err != nil {
				tb.Fatal(err)
			}
			if !bytes.Equal(again, body.Bytes()) {
				at := 0
				for at < min(len(again), body.Len()) && again[at] == body.Bytes()[at] {
					at++
				}
				tb.Errorf("%s body differs at byte %d of %d:\n got …%.300s\nwant …%.300s", format, at, body.Len(),
					again[max(0, at-100):], body.Bytes()[max(0, at-100):])
			}
		}
	}
}

func reexported(body []byte, format Format) ([]byte, error) {
	var k Collector
	if err := Import(context.Background(), Source{Name: "b.json", Reader: bytes.NewReader(body)}, format, &k); err != nil {
		return nil, err
	}
	log := tenfold.NewLog()
	if _, err := log.Append(k.Conversations[0].Entries...); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	_, err := Export(&out, format, View{Conversation: k.Conversations[0].Conversation, Projection: tenfold.Project(log)})
	return out.Bytes(), err
}

func TestBodiesComeBack(t *testing.T) {
	for _, w := range samples(t, "") {
		t.Run(w.path, func(t *testing.T) {
			got, err := w.read(w.data, w.format)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range got {
				checkBodies(t, c)
			}
		})
	}
}

func TestCorpusBodiesComeBack(t *testing.T) {
	files := corpustest.Files(t, string(ClaudeCode), string(JP), string(OpenAIChat), string(LiteLLM), string(GeminiResponses))
	for _, file := range corpustest.Sample(files) {
		t.Run(file.Name, func(t *testing.T) {
			for _, c := range importAll(t, file.Path) {
				checkBodies(t, c)
			}
		})
	}
}

// A body that is written is told for what it is.
func TestBodiesAreDetected(t *testing.T) {
	log := tenfold.NewLog()
	system := "Be brief."
	if _, err := log.Append(
		tenfold.Entry{ID: "s", Payload: tenfold.ConfigDelta{System: &system}},
		tenfold.Entry{ID: "t", Payload: tenfold.TurnStart{}},
		tenfold.Entry{ID: "u", Payload: tenfold.UserMessage{Parts: tenfold.Text("hi")}},
		tenfold.Entry{ID: "a", Payload: tenfold.AssistantMessage{Text: "hello"}},
	); err != nil {
		t.Fatal(err)
	}
	for _, format := range bodyFormats() {
		var body bytes.Buffer
		if _, err := Export(&body, format, View{Projection: tenfold.Project(log)}); err != nil {
			t.Fatal(err)
		}
		if got, err := Detect(body.Bytes(), "x"); got != format {
			t.Errorf("%s: read as %q, %v", format, got, err)
		}
	}
}
