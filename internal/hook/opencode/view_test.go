package opencode

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"tenfold"
	"tenfold/internal/corpustest"
	"tenfold/internal/rawjson"
	"tenfold/session"
	"tenfold/strategy"
	"tenfold/transcript"
)

// build makes the messages of a view as the plug-in does.
func build(tb testing.TB, view, at []jsontext.Value) []jsontext.Value {
	tb.Helper()
	byID := map[string]jsontext.Value{}
	for _, raw := range at {
		byID[idOf(tb, raw)] = raw
	}
	var out []jsontext.Value
	for _, v := range view {
		if v.Kind() == '"' {
			var id string
			_ = json.Unmarshal(v, &id)
			if byID[id] == nil {
				tb.Fatalf("the view names %s, which is not there", id)
			}
			out = append(out, byID[id])
			continue
		}
		o, err := rawjson.Parse(v)
		if err != nil {
			tb.Fatal(err)
		}
		if o.Get("info") != nil {
			out = append(out, v)
			continue
		}
		var patch struct {
			ID     string           `json:"id"`
			Before []jsontext.Value `json:"before"`
		}
		if err := json.Unmarshal(v, &patch); err != nil || byID[patch.ID] == nil {
			tb.Fatalf("the view has %s: %v", v, err)
		}
		m, _ := rawjson.Parse(byID[patch.ID])
		var parts []jsontext.Value
		_ = json.Unmarshal(m.Get("parts"), &parts, rawjson.Lenient)
		m.Set("parts", rawjson.List(slices.Concat(patch.Before, parts)))
		out = append(out, m.Bytes())
	}
	return out
}

func idOf(tb testing.TB, raw jsontext.Value) string {
	tb.Helper()
	var m struct {
		Info messageInfo `json:"info"`
	}
	if err := rawjson.Unmarshal(raw, &m); err != nil {
		tb.Fatal(err)
	}
	return m.Info.ID
}

// read makes a document of an export.
func read(tb testing.TB, data []byte) (*document, []told) {
	tb.Helper()
	e, err := exported(data)
	if err != nil {
		tb.Skip(err)
	}
	d, err := e.document("")
	if err != nil {
		tb.Fatal(err)
	}
	var known []told
	for _, m := range d.messages {
		known = append(known, told{ID: m.info.ID, Role: m.info.Role})
	}
	return d, known
}

func exported(data []byte) (*event, error) {
	var e event
	var read struct {
		Info     info             `json:"info"`
		Messages []jsontext.Value `json:"messages"`
	}
	err := rawjson.Unmarshal(data, &read)
	e.Info, e.All = read.Info, read.Messages
	return &e, err
}

// A sink keeps the one conversation of a transcript.
type sink struct{ log *tenfold.Log }

func (s *sink) Begin(transcript.Conversation) error {
	if s.log == nil {
		s.log = tenfold.NewLog()
	}
	return nil
}

func (s *sink) Entry(e tenfold.Entry) error                 { _, err := s.log.Append(e); return err }
func (s *sink) End(transcript.Conversation, []string) error { return nil }

func logOf(tb testing.TB, data []byte) *tenfold.Log {
	tb.Helper()
	var k sink
	if err := transcript.Import(tb.Context(), transcript.Source{Name: "session", Reader: bytes.NewReader(data)}, transcript.OpenCode, &k); err != nil {
		tb.Fatal(err)
	}
	return k.log
}

// A line is what a model sees of one item.
type line struct{ Kind, Name, Text string }

// lines are what a model sees, without thinking that is bound. The texts of one
// message of a person are one.
func lines(p *tenfold.Projection) []line {
	var out []line
	for it := range p.Items() {
		switch e := it.Payload.(type) {
		case tenfold.UserMessage:
			out = append(out, line{"user", "", textOf(e.Parts)})
		case tenfold.AssistantMessage:
			out = append(out, line{"assistant", "", e.Text})
		case tenfold.Reasoning:
			if !bound(e) && e.CallID == "" {
				out = append(out, line{"reasoning", "", e.Text})
			}
		case tenfold.ToolCall:
			var v any
			_ = json.Unmarshal([]byte(e.Arguments), &v, rawjson.Lenient)
			args, _ := json.Marshal(v, json.Deterministic(true), rawjson.Lenient)
			out = append(out, line{"call", e.Name, string(args)})
		case tenfold.ToolResult:
			if it.Added != tenfold.AddedPlaceholder {
				out = append(out, line{"result", "", textOf(e.Parts)})
			}
		}
	}
	return out
}

// TestX2aTheViewSaysWhatTheProjectionSays draws sessions as compactions of all
// kinds leave them: read again, the messages say what the projection says.
func TestX2aTheViewSaysWhatTheProjectionSays(t *testing.T) {
	for name, data := range sessions(t) {
		t.Run(name, func(t *testing.T) {
			d, known := read(t, data)
			if slices.ContainsFunc(d.raws(), func(raw jsontext.Value) bool {
				return rawjson.Unmarshal(raw, &struct {
					Info messageInfo `json:"info"`
				}{}) != nil
			}) {
				t.Skip("a message of a shape that opencode never sends")
			}
			log := logOf(t, d.export())
			for how, plan := range compactions(t, log) {
				p := tenfold.Project(log).With(plan...)
				for _, at := range [][]told{known, nil} {
					view, err := draw(p, d, at)
					if err != nil && d.repeats() {
						t.Skip("ids stand for several messages: " + err.Error())
					}
					if err != nil {
						t.Fatalf("%s: %v", how, err)
					}
					made := &document{info: d.info}
					for _, raw := range build(t, view, d.raws()) {
						made.messages = append(made.messages, message{raw: raw})
					}
					got := lines(tenfold.Project(logOf(t, made.export())))
					if diff := cmp.Diff(lines(p), got); diff != "" {
						t.Fatalf("%s (-projection +view)\n%s", how, diff[:min(len(diff), 3000)])
					}
				}
			}
		})
	}
}

// repeats tells whether an id stands for several messages or parts.
func (d *document) repeats() bool {
	parts := 0
	for _, m := range d.messages {
		parts += len(m.parts)
	}
	return len(d.byMessage) < len(d.messages) || len(d.byPart) < parts
}

func (d *document) raws() []jsontext.Value {
	var raws []jsontext.Value
	for _, m := range d.messages {
		raws = append(raws, m.raw)
	}
	return raws
}

// compactions are what strategies propose for a log.
func compactions(tb testing.TB, log *tenfold.Log) map[string][]tenfold.Compaction {
	tb.Helper()
	out := map[string][]tenfold.Compaction{"nothing": nil}
	end := max(log.Turns()-1, 0)
	strip := tenfold.Strip
	out["strip"] = []tenfold.Compaction{{ToTurn: end, Reasoning: &tenfold.Policy{Action: strip}, ToolCalls: &tenfold.ToolPolicy{Action: strip, Request: true, Response: true}}}
	out["omit tools"] = []tenfold.Compaction{{ToTurn: end, ToolCalls: &tenfold.ToolPolicy{Action: tenfold.Omit}}}
	out["summary"] = []tenfold.Compaction{{ToTurn: end / 2, Summary: &tenfold.Summary{Text: "What went before."}}}
	for _, target := range []string{"10%", "50%"} {
		to, err := strategy.ParseTarget(target)
		if err != nil {
			tb.Fatal(err)
		}
		plan, err := session.PlanOver(tb.Context(), tenfold.Project(log), session.Request{
			Bounds: tenfold.Bounds{Tail: &tenfold.Tail{}}, OpenEnd: true, Target: to, Strategies: []strategy.Strategy{strategy.Fit{}},
		}, time.Unix(1<<31, 0))
		if err != nil {
			tb.Fatal(err)
		}
		out["fit "+target] = plan.Compactions
	}
	return out
}

// sessions are samples of our own, and some of the corpus.
func sessions(tb testing.TB) map[string][]byte {
	tb.Helper()
	out := map[string][]byte{}
	names, err := filepath.Glob("../../../transcript/testdata/opencode/*.json")
	if err != nil {
		tb.Fatal(err)
	}
	for _, name := range names {
		if out[filepath.Base(name)], err = os.ReadFile(name); err != nil {
			tb.Fatal(err)
		}
	}
	if corpustest.Dir() == "" {
		tb.Log("no corpus: samples of our own only")
		return out
	}
	for i, f := range corpustest.Files(tb, "opencode") {
		if !corpustest.All() && i%3 != 0 {
			continue
		}
		data, err := os.ReadFile(f.Path)
		if err != nil {
			tb.Fatal(err)
		}
		out[f.Name] = data
	}
	return out
}
