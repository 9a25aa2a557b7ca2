package opencode

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
	"tenfold/internal/config"
	"tenfold/internal/hook"
	"tenfold/internal/rawjson"
	"tenfold/session"
	"tenfold/store/memory"
)

// A client plays opencode and the plug-in: what it keeps, and what it sends.
type client struct {
	tb   testing.TB
	h    *hook.Host
	now  time.Time
	info jsontext.Value
	all  []jsontext.Value
	// from is the first message that opencode itself still sends: those before are
	// hidden by a compaction.
	from, n int
	used    int
	counted string // the newest response
	line    string
	sent    [][]jsontext.Value
}

const window = 40_000

func newClient(tb testing.TB) *client {
	tb.Helper()
	c := &client{tb: tb, now: time.UnixMilli(1_790_000_000_000), info: jsontext.Value(`{"id":"ses_sample","slug":"s","projectID":"global","directory":"/demo","title":"Sample","version":"1.18.33","time":{"created":1790000000000,"updated":1790000000000}}`)}
	svc := session.NewService(memory.New(), session.WithClock(func() time.Time { return c.now }))
	c.h = &hook.Host{
		Open: func(context.Context) (*session.Service, error) { return svc, nil },
		Configure: func(dir string) (*config.Effective, error) {
			l, err := config.Read(config.Sources{Dir: dir})
			if err != nil {
				return nil, err
			}
			return l.With()
		},
		Data: tb.TempDir(), Version: "test", Now: func() time.Time { return c.now },
	}
	return c
}

// event has the hook answer an event.
func (c *client) event(name string, more ...rawjson.Member) answer {
	c.tb.Helper()
	o := rawjson.Object{{Name: "session", Value: rawjson.Quote("ses_sample")}, {Name: "dir", Value: rawjson.Quote(c.tb.TempDir())}}
	in := append(o, more...).Bytes()
	out := c.h.Run(c.tb.Context(), Client{}, name, bytes.NewReader(in), time.Hour)
	var a answer
	if err := json.Unmarshal(out, &a); err != nil {
		c.tb.Fatalf("%v: %s", err, out)
	}
	return a
}

// told are the members that each event about messages has.
func (c *client) told() []rawjson.Member {
	var messages []jsontext.Value
	for _, raw := range c.all[c.from:] {
		var m struct {
			Info struct {
				ID      string `json:"id"`
				Role    string `json:"role"`
				Summary any    `json:"summary"`
			} `json:"info"`
			Parts []part `json:"parts"`
		}
		if err := json.Unmarshal(raw, &m); err != nil {
			c.tb.Fatal(err)
		}
		one, err := json.Marshal(map[string]any{
			"id": m.Info.ID, "role": m.Info.Role, "summary": m.Info.Summary == true,
			"compaction": len(m.Parts) > 0 && m.Parts[0].Type == "compaction",
		})
		if err != nil {
			c.tb.Fatal(err)
		}
		messages = append(messages, one)
	}
	return []rawjson.Member{
		{Name: "messages", Value: rawjson.List(messages)},
		{Name: "counted", Value: rawjson.Quote(c.counted)},
		{Name: "model", Value: jsontext.Value(fmt.Sprintf(`{"context":%d,"output":2000}`, window))},
		{Name: "used", Value: jsontext.Value(fmt.Sprint(c.used))},
		{Name: "ended", Value: jsontext.Value(fmt.Sprint(c.now.Add(-time.Minute).UnixMilli()))},
	}
}

func (c *client) whole() []rawjson.Member {
	return []rawjson.Member{{Name: "info", Value: c.info}, {Name: "all", Value: rawjson.List(c.all)}}
}

// request is what opencode sends: it asks as the plug-in does.
func (c *client) request() []jsontext.Value {
	c.tb.Helper()
	a := c.event("messages", c.told()...)
	if a.Send != "" {
		a = c.event("session", append(append(c.told(), c.whole()...), rawjson.Member{Name: "why", Value: rawjson.Quote(a.Send)})...)
	}
	if failed, _ := c.h.Failures(1); len(failed) > 0 {
		c.tb.Fatalf("%s failed: %s", failed[0].Event, failed[0].Why)
	}
	c.line = a.Line
	messages := c.all[c.from:]
	if !a.Raw {
		messages = build(c.tb, a.View, messages)
	}
	c.sent = append(c.sent, messages)
	c.used = 2000
	for _, m := range messages {
		c.used += len(m) / 4
	}
	return messages
}

func (c *client) id(prefix string) string {
	c.n++
	return fmt.Sprintf("%s_%012xAAAAAAAAAAAAAA", prefix, 1<<40+c.n)
}

// says adds a message of the person.
func (c *client) says(text string) string {
	id := c.id("msg")
	c.add(fmt.Sprintf(`{"info":{"id":%q,"sessionID":"ses_sample","role":"user","time":{"created":%d},"agent":"build","model":{"providerID":"anthropic","modelID":"claude-sonnet-4-5"}},"parts":[{"id":%q,"messageID":%q,"sessionID":"ses_sample","type":"text","text":%q}]}`,
		id, c.now.UnixMilli(), c.id("prt"), id, text))
	return id
}

func (c *client) add(raw string) { c.all = append(c.all, jsontext.Value(raw)) }

// works adds a response that thinks and reads a file; the result is large.
func (c *client) works(file string, lines int) {
	c.now = c.now.Add(time.Second)
	id, at := c.id("msg"), c.now.UnixMilli()
	c.counted = id
	part := func(rest string) string {
		return fmt.Sprintf(`{"id":%q,"messageID":%q,"sessionID":"ses_sample",%s}`, c.id("prt"), id, rest)
	}
	output, _ := json.Marshal(strings.Repeat("The house greets whoever comes in by the door of "+file+".\n", lines))
	c.add(fmt.Sprintf(`{"info":{"id":%q,"sessionID":"ses_sample","role":"assistant","time":{"created":%d,"completed":%d},"parentID":"msg_x","modelID":"claude-sonnet-4-5","providerID":"anthropic","mode":"build","agent":"build","path":{"cwd":"/","root":"/"},"cost":0,"tokens":{"input":%d,"output":9,"reasoning":0,"cache":{"read":0,"write":0}},"finish":"tool-calls"},"parts":[%s]}`,
		id, at, at, c.used, strings.Join([]string{
			part(`"type":"step-start"`),
			part(fmt.Sprintf(`"type":"reasoning","text":"Now %s.","time":{"start":1,"end":2},"metadata":{"anthropic":{"signature":"sig-%s"}}`, file, file)),
			part(fmt.Sprintf(`"type":"tool","tool":"read","callID":"call-%s","state":{"status":"completed","input":{"filePath":%q},"output":%s,"title":"","metadata":{},"time":{"start":1,"end":2}}`, file, file, output)),
			part(`"type":"step-finish","reason":"tool-calls","cost":0,"tokens":{"input":1,"output":9,"reasoning":0,"cache":{"read":0,"write":0}}`),
		}, ",")))
}

// same tells whether a request begins with another.
func begins(long, short []jsontext.Value) bool {
	return len(long) >= len(short) && slices.EqualFunc(short, long[:len(short)], func(a, b jsontext.Value) bool { return string(a) == string(b) })
}

// fill works until the hook answers with a view.
func (c *client) fill() {
	c.tb.Helper()
	c.says("Read all the files.")
	for i := range 40 {
		if !begins(c.request(), c.all[c.from:]) {
			return
		}
		c.works(fmt.Sprintf("file%d.txt", i), 150)
	}
	c.tb.Fatal("the context is full, and no epoch began")
}

// TestV1WithinAnEpochRequestsOnlyGrow lets an agent work over several epochs. It
// also holds that each begins with less, shows no thinking from before (B1), and
// shows what was thought since.
func TestV1WithinAnEpochRequestsOnlyGrow(t *testing.T) {
	c := newClient(t)
	c.says("Read all the files.")
	epochs := 0
	for i := range 60 {
		sent := c.request()
		if i > 0 {
			before := c.sent[len(c.sent)-2]
			switch {
			case begins(sent, before):
			case len(rawjson.List(sent)) > len(rawjson.List(before))*3/4:
				t.Fatalf("request %d begins otherwise and is not shorter", i)
			default:
				epochs++
				if strings.Contains(string(rawjson.List(sent)), `"signature"`) {
					t.Fatalf("request %d begins an epoch with thinking", i)
				}
				if c.line == "" {
					t.Errorf("request %d begins an epoch, and nobody is told", i)
				}
			}
		}
		if i == 50 {
			if c.says("Go on."); epochs < 2 {
				t.Errorf("%d epochs in a turn of 50 requests", epochs)
			}
		}
		c.works(fmt.Sprintf("file%d.txt", i), 100)
	}
	if epochs < 2 || epochs > 20 {
		t.Errorf("%d epochs in 60 requests", epochs)
	}
	if last := string(rawjson.List(c.sent[len(c.sent)-1])); !strings.Contains(last, `"signature":"sig-file58.txt"`) {
		t.Error("what was thought last is not sent")
	}
}

// TestV2WhatIsUndoneIsShownAgain holds that undoing ends an epoch at once, and that
// an import by somebody else does not.
func TestV2WhatIsUndoneIsShownAgain(t *testing.T) {
	c := newClient(t)
	c.fill()
	before := c.sent[len(c.sent)-1]
	svc, _ := c.h.Service(t.Context())
	ep := readEpoch(c.h, "ses_sample")
	s, err := svc.Open(t.Context(), ep.Conversation)
	if err != nil {
		t.Fatal(err)
	}
	c.works("another.txt", 3)
	if _, err := c.h.Import(t.Context(), hook.Ask{Format: "opencode", Data: (&document{info: c.info, messages: []message{{raw: bytes.Trim(rawjson.List(c.all), "[]")}}}).export()}); err != nil {
		t.Fatal(err)
	}
	if sent := c.request(); !begins(sent, before) || !strings.Contains(string(rawjson.List(sent)), "sig-another.txt") {
		t.Error("an import ended the epoch")
	}
	if err := s.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := s.UndoAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	c.used = 5000
	sent := string(rawjson.List(c.request()))
	for _, raw := range c.all {
		if id := idOf(t, raw); !strings.Contains(sent, id) {
			t.Errorf("after undo %s is not sent", id)
		}
	}
	if strings.Count(sent, "by the door of file0.txt.") != 150 || strings.Contains(sent, "[compacted]") || strings.Contains(sent, `"signature"`) {
		t.Error("after undo the request is not what was said, without what was thought")
	}
	// It is not compacted again before the person goes on (A3).
	c.works("more.txt", 3)
	c.used = window
	if a := c.event("messages", c.told()...); a.Send != "" {
		t.Errorf("in the same turn a view is due: %s", a.Send)
	}
	c.says("Go on.")
	if a := c.event("messages", c.told()...); a.Send != whyAuto {
		t.Errorf("in the next turn a view is due: %q", a.Send)
	}
}

// An epoch ends by what changes the view: no entry that only came in, such as opencode's own
// compaction, which opencode shows itself.
func TestV1WhatChangesTheView(t *testing.T) {
	l := tenfold.NewLog()
	for n, step := range []struct {
		payload tenfold.Payload
		want    string
	}{
		{tenfold.UserMessage{Parts: tenfold.Text("Hello.")}, ""},
		{tenfold.Compaction{Source: tenfold.SourceImport}, ""},
		{tenfold.Compaction{}, "2"},
		{tenfold.Compaction{Source: tenfold.SourceImport}, "2"},
		{tenfold.Pin{Entries: []string{"0"}}, "4"},
		{tenfold.UserMessage{Parts: tenfold.Text("Go on.")}, "4"},
		{tenfold.Unpin{Entries: []string{"0"}}, "6"},
		{tenfold.CompactionRevoked{Target: "2"}, "7"},
	} {
		if _, err := l.Append(tenfold.Entry{ID: strconv.Itoa(n), Payload: step.payload}); err != nil {
			t.Fatal(err)
		}
		if got := mark(l); got != step.want {
			t.Errorf("after entry %d the view was changed last by %q, want %q", n, got, step.want)
		}
	}
}

// TestA3ACompactionThatFailsIsTriedOnceATurn holds that a session in which nothing
// can go is read once a turn, and sent as it is.
func TestA3ACompactionThatFailsIsTriedOnceATurn(t *testing.T) {
	c := newClient(t)
	c.says("Hello.")
	c.used = window // the rest is opencode's own
	a := c.event("messages", c.told()...)
	if a.Send != whyAuto {
		t.Fatalf("a full context is answered by %+v", a)
	}
	if a = c.event("session", append(append(c.told(), c.whole()...), rawjson.Member{Name: "why", Value: rawjson.Quote(a.Send)})...); len(a.View) > 0 {
		t.Fatalf("of one word a view was made: %s", a.View)
	}
	if a = c.event("messages", c.told()...); !a.Raw {
		t.Errorf("the same turn is answered by %+v", a)
	}
	c.says("Hello again.")
	if a = c.event("messages", c.told()...); a.Send != whyAuto {
		t.Errorf("the next turn is answered by %+v", a)
	}
}

// TestX4ACompactionOfTheClientIsAnswered holds that the text which stands in for a
// summary is of our view, that the requests after it are the view, and that the
// next compaction reads what was said and not that text (C5).
func TestX4ACompactionOfTheClientIsAnswered(t *testing.T) {
	c := newClient(t)
	c.says("Read the files, and never touch the door.")
	for i := range 6 {
		c.works(fmt.Sprintf("file%d.txt", i), 100)
	}
	asks := c.id("msg")
	c.add(fmt.Sprintf(`{"info":{"id":%q,"sessionID":"ses_sample","role":"user","time":{"created":1},"agent":"build","model":{"providerID":"anthropic","modelID":"claude-sonnet-4-5"}},"parts":[{"id":%q,"messageID":%q,"type":"compaction","auto":false}]}`, asks, c.id("prt"), asks))
	a := c.event("compacting", append(c.told(), c.whole()...)...)
	first, rest, _ := strings.Cut(a.Text, "\n")
	if a.Prompt != tinyPrompt || !strings.HasPrefix(first, "Tenfold: ") || !strings.Contains(first, "undo: tenfold conversation undo ") || !strings.Contains(rest, "never touch the door") {
		t.Fatalf("it is answered by %+v", a)
	}
	ep := readEpoch(c.h, "ses_sample")
	svc, _ := c.h.Service(t.Context())
	if s, err := svc.Open(t.Context(), ep.Conversation); err != nil {
		t.Fatal(err)
	} else if e, _ := s.Log().Lookup(ep.Mark); !strings.Contains(e.Payload.(tenfold.Compaction).Reason, whyManual) {
		t.Errorf("the store says %+v", e.Payload)
	}
	answers := c.id("msg")
	text, _ := json.Marshal(a.Text)
	c.add(fmt.Sprintf(`{"info":{"id":%q,"sessionID":"ses_sample","role":"assistant","summary":true,"parentID":%q,"modelID":"m","providerID":"anthropic","finish":"stop","time":{"created":2,"completed":3},"tokens":{"input":1,"output":1,"reasoning":0,"cache":{"read":0,"write":0}}},"parts":[{"id":%q,"messageID":%q,"type":"text","text":%s}]}`, answers, asks, c.id("prt"), answers, text))
	c.from = len(c.all) - 2
	c.used = window // as was counted before
	c.says("Who calls it?")
	sent := string(rawjson.List(c.request()))
	if strings.Contains(sent, asks) || strings.Contains(sent, answers) || !strings.Contains(sent, "never touch the door") || !strings.Contains(sent, "[compacted]") || !strings.Contains(sent, "Who calls it?") {
		t.Fatalf("the next request is not the view: %s", sent)
	}
	before := c.sent[len(c.sent)-1]
	c.works("more.txt", 10)
	if !begins(c.request(), before) {
		t.Error("the request after it does not begin with it")
	}
	// A full context later: the text is of no conversation.
	c.used = window
	c.says("Go on.")
	if sent := string(rawjson.List(c.request())); strings.Contains(sent, "Tenfold: ") || !strings.Contains(sent, "never touch the door") {
		t.Errorf("the next epoch shows %s", sent)
	}

	// A compaction that opencode makes without us ends the epoch.
	other := c.id("msg")
	c.add(fmt.Sprintf(`{"info":{"id":%q,"sessionID":"ses_sample","role":"user","time":{"created":5},"agent":"build","model":{"providerID":"anthropic","modelID":"claude-sonnet-4-5"}},"parts":[{"id":%q,"messageID":%q,"type":"compaction","auto":true}]}`, other, c.id("prt"), other))
	reply := c.id("msg")
	c.add(fmt.Sprintf(`{"info":{"id":%q,"sessionID":"ses_sample","role":"assistant","summary":true,"parentID":%q,"modelID":"m","providerID":"anthropic","finish":"stop","time":{"created":6,"completed":7}},"parts":[{"id":%q,"messageID":%q,"type":"text","text":"Files were read."}]}`, reply, other, c.id("prt"), reply))
	c.from = len(c.all) - 2
	c.used = 3000
	c.says("And now?")
	if sent := string(rawjson.List(c.request())); !strings.Contains(sent, "Files were read.") || !strings.Contains(sent, "And now?") || strings.Contains(sent, "file1.txt") {
		t.Errorf("after opencode's own compaction the request is %s", sent)
	}
}

// TestV1WhatTheEpochStandsFor tries what opencode may have at hand.
func TestV1WhatTheEpochStandsFor(t *testing.T) {
	m := func(id string, flags ...string) told {
		return told{ID: id, Role: "user", Compaction: slices.Contains(flags, "asks"), Summary: slices.Contains(flags, "answers")}
	}
	ep := epoch{Upto: "m3", View: []jsontext.Value{rawjson.Quote("m1")}, Asked: []string{"m4"}}
	for name, test := range map[string]struct {
		messages []told
		holds    bool
		newer    string
	}{
		"as it began":                 {[]told{m("m1"), m("m2"), m("m3")}, true, ""},
		"more came":                   {[]told{m("m1"), m("m3"), m("m6"), m("m7")}, true, `"m6","m7"`},
		"compacted, and answered":     {[]told{m("m4", "asks"), m("m5", "answers"), m("m6")}, true, `"m6"`},
		"answered, the tail kept":     {[]told{m("m4", "asks"), m("m5", "answers"), m("m3"), m("m6")}, true, `"m6"`},
		"the tail first":              {[]told{m("m3"), m("m4", "asks"), m("m5", "answers"), m("m6")}, true, `"m6"`},
		"compacted by opencode":       {[]told{m("m6", "asks"), m("m7", "answers"), m("m8")}, false, ""},
		"by opencode, the tail kept":  {[]told{m("m6", "asks"), m("m7", "answers"), m("m3"), m("m8")}, false, ""},
		"compacted before, tail kept": {[]told{m("m2", "asks"), m("m21", "answers"), m("m3"), m("m6")}, true, `"m6"`},
		"taken back":                  {[]told{m("m1"), m("m2"), m("m9")}, false, ""},
	} {
		e := &event{Messages: test.messages}
		if ep.holds(e) != test.holds {
			t.Errorf("%s: holds is %v", name, !test.holds)
		}
		if got := string(rawjson.List(ep.answer(e).View[1:])); test.holds && got != "["+test.newer+"]" {
			t.Errorf("%s: after the view comes %s, want %s", name, got, test.newer)
		}
	}
}

// TestEditResult holds what opencode is told of a call whose result is shortened.
func TestEditResult(t *testing.T) {
	file := tenfold.Part{File: &tenfold.File{URI: "data:a"}}
	for name, test := range map[string]struct {
		state string
		parts []tenfold.Part
		want  string
	}{
		"cleared by opencode": {`{"status":"completed","output":"long","time":{"start":1,"compacted":3}}`, tenfold.Text("short"), `{"status":"completed","output":"short","time":{"start":1}}`},
		"files": {
			`{"status":"completed","output":"long","attachments":[{"url":"data:a"},{"url":"data:b"}]}`, append(tenfold.Text("short"), file),
			`{"status":"completed","output":"short","attachments":[{"url":"data:a"}]}`,
		},
		"failed":      {`{"status":"error","error":"long"}`, tenfold.Text("short"), `{"status":"error","error":"short"}`},
		"interrupted": {`{"status":"error","error":"stopped","metadata":{"interrupted":true,"output":"long"}}`, tenfold.Text("short"), `{"status":"error","error":"short","metadata":{"interrupted":true,"output":"short"}}`},
	} {
		state, err := rawjson.Parse(jsontext.Value(test.state))
		if err != nil {
			t.Fatal(err)
		}
		err = editResult(&state, tenfold.ToolResult{Parts: test.parts})
		if err != nil || string(state.Bytes()) != test.want {
			t.Errorf("%s: %s %v", name, state.Bytes(), err)
		}
	}
}

// TestB3WithoutItsReasoningAnItemIsNotNamed holds that a response of which the
// reasoning goes names no items of the provider's, which takes them only together;
// Gemini's signatures stand on the calls, and stay.
func TestB3WithoutItsReasoningAnItemIsNotNamed(t *testing.T) {
	for provider, stays := range map[string]bool{
		`{"openai":{"itemId":"rs_1","reasoningEncryptedContent":"x"}}`: false, `{"anthropic":{"signature":"x"}}`: false, `{"google":{"thoughtSignature":"x"}}`: true,
	} {
		data := `{"info":{"id":"ses_1","slug":"s","projectID":"p"},"messages":[{"info":{"id":"msg_1","role":"user"},"parts":[{"id":"prt_1","type":"text","text":"Go."}]},
			{"info":{"id":"msg_2","role":"assistant","modelID":"m","providerID":"p"},"parts":[{"id":"prt_2","type":"reasoning","text":"So.","metadata":` + provider + `},
			{"id":"prt_3","type":"tool","tool":"read","callID":"c","metadata":{"x":{"itemId":"fc_1"}},"state":{"status":"completed","input":{},"output":"a"}}]}]}`
		d, known := read(t, []byte(data))
		view, err := draw(tenfold.Project(logOf(t, d.export())), d, known)
		if err != nil || len(view) != 2 {
			t.Fatalf("%v %s", err, view)
		}
		if got := string(view[1]); strings.Contains(got, "fc_1") != stays || strings.Contains(got, "So.") {
			t.Errorf("%s: %s", provider, got)
		}
	}
}

// TestV7WhatCannotBeReadIsAnsweredByNothing tries events that no opencode sends.
func TestV7WhatCannotBeReadIsAnsweredByNothing(t *testing.T) {
	for name, in := range map[string]string{
		"not JSON": "nonsense", "a list": "[]", "no session": `{"messages":[]}`, "no messages": `{"session":"s","all":[],"info":{}}`,
		"another": `{"session":"s","info":{"id":"ses_x"},"all":[{"info":{"id":"msg_1","role":"user"},"parts":[]}],"messages":[{"id":"msg_2","role":"user"}]}`,
	} {
		c := newClient(t)
		out := c.h.Run(t.Context(), Client{}, "session", strings.NewReader(in), time.Hour)
		if failed, _ := c.h.Failures(9); string(out) != hook.Nothing || len(failed) != 1 {
			t.Errorf("%s: %s, failures %v", name, out, failed)
		}
	}
	c := newClient(t)
	if out := c.h.Run(t.Context(), Client{}, "nothing", strings.NewReader(`{"session":"s"}`), time.Hour); string(out) != hook.Nothing {
		t.Errorf("an unknown event is answered by %s", out)
	}
}

// TestEpochsAreKeptInOneDirectory holds that no name of a session leads out of it,
// and that epochs nobody goes on with are forgotten.
func TestEpochsAreKeptInOneDirectory(t *testing.T) {
	c := newClient(t)
	for _, name := range []string{"../../etc/passwd", "a/b", "", strings.Repeat("x", 5000)} {
		if got := epochFile(c.h, name); filepath.Dir(got) != epochs(c.h) || len(filepath.Base(got)) > 40 {
			t.Errorf("%q is kept in %s", name, got)
		}
	}
	for i := range mostRecent {
		name := strconv.Itoa(i)
		if err := (&epoch{Upto: name}).write(c.h, name); err != nil {
			t.Fatal(err)
		}
		past := c.now.Add(-oldest - time.Duration(mostRecent-i)*time.Hour)
		if err := os.Chtimes(epochFile(c.h, name), past, past); err != nil {
			t.Fatal(err)
		}
	}
	if readEpoch(c.h, "0") == nil { // as by a clock that was wrong for a while
		t.Error("of few epochs the oldest is forgotten")
	}
	if err := (&epoch{Upto: "now"}).write(c.h, "now"); err != nil {
		t.Fatal(err)
	}
	if readEpoch(c.h, "0") != nil || readEpoch(c.h, "1") == nil || readEpoch(c.h, "now") == nil {
		t.Error("the old epoch is kept, or others are not")
	}
}

// TestFilesNamesTheBinary holds that the plug-in runs the program that installed
// it, and stays small.
func TestFilesNamesTheBinary(t *testing.T) {
	for _, test := range []struct {
		scope hook.Scope
		base  string
		want  string
	}{
		{hook.User, "", "/home/u/.config/opencode/plugin/tenfold.js"},
		{hook.User, "/cfg", "/cfg/opencode/plugin/tenfold.js"},
		{hook.Project, "/cfg", "/src/.opencode/plugin/tenfold.js"},
	} {
		files, err := Client{}.Files(hook.Place{Scope: test.scope, Home: "/home/u", Dir: "/src", Binary: `/opt/ten "fold"`, Getenv: func(string) string { return test.base }})
		if err != nil || len(files) != 1 || files[0].Path != filepath.FromSlash(test.want) {
			t.Fatalf("%v %v", files, err)
		}
		if !bytes.Contains(files[0].Content, []byte(`const commands = ["/opt/ten \"fold\"", "tenfold"]`)) {
			t.Error("the plug-in does not name the binary")
		}
		if n := bytes.Count(files[0].Content, []byte("\n")); n > 120 {
			t.Errorf("the plug-in has %d lines", n)
		}
	}
}

// TestV2Due holds when an epoch is due.
func TestV2Due(t *testing.T) {
	settings, err := newClient(t).h.Configure(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	now := time.UnixMilli(1_790_000_000_000)
	turn, step := []told{{ID: "1", Role: "user"}}, []told{{ID: "1", Role: "user"}, {ID: "2", Role: "assistant"}}
	big := limits{Context: 200_000, Output: 64_000} // opencode compacts at 168,000
	for name, test := range map[string]struct {
		e    event
		want string
	}{
		"room":             {event{Messages: turn, Model: big, Used: 100_000}, ""},
		"full":             {event{Messages: turn, Model: big, Used: 151_300}, whyAuto},
		"full by results":  {event{Messages: turn, Model: big, Used: 100_000, Since: 210_000}, whyAuto},
		"at work":          {event{Messages: step, Model: big, Used: 151_300}, ""},
		"does not fit":     {event{Messages: step, Model: big, Used: 160_000}, whyAuto},
		"input limit":      {event{Messages: step, Model: limits{Context: 400_000, Input: 100_000, Output: 64_000}, Used: 77_000}, whyAuto},
		"threshold":        {event{Messages: turn, Model: limits{Context: 1_000_000, Output: 1000}, Used: 800_100}, whyAuto},
		"unknown":          {event{Messages: turn, Used: 120_000}, whyAuto}, // of 128,000
		"nothing reported": {event{Messages: turn, Model: big}, ""},
		"cold":             {event{Messages: turn, Model: big, Used: 60_000, Ended: now.Add(-time.Hour).UnixMilli()}, whyCold},
		"cold and small":   {event{Messages: turn, Model: big, Used: 30_000, Ended: now.Add(-time.Hour).UnixMilli()}, ""},
		"cold at work":     {event{Messages: step, Model: big, Used: 60_000, Ended: now.Add(-time.Hour).UnixMilli()}, ""},
		"warm":             {event{Messages: turn, Model: big, Used: 60_000, Ended: now.Add(-time.Minute).UnixMilli()}, ""},
	} {
		if got := test.e.epochReason(settings, now); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
	off := *settings
	off.Conversation.Compaction.Auto.Enabled = false
	if e := (&event{Messages: turn, Model: big, Used: 190_000}); e.epochReason(&off, now) != "" {
		t.Error("an epoch is due where automatic compaction is off")
	}
}

// Who has no home directory has no view kept: nothing is written where opencode works, and
// opencode is sent its messages as they are (V7).
func TestNothingIsKeptWithoutAHome(t *testing.T) {
	t.Chdir(t.TempDir())
	c := newClient(t)
	c.h.Data = ""
	if err := (&epoch{Upto: "msg"}).write(c.h, "ses_sample"); err == nil || !strings.Contains(err.Error(), "home directory") {
		t.Errorf("it is kept: %v", err)
	}
	if left, err := os.ReadDir("."); err != nil || len(left) > 0 {
		t.Errorf("the project has %v, %v", left, err)
	}
}
