package wire_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tenfold"
	"tenfold/internal/proxy/wire"
)

// edited edits all messages of a body. Change gives what is shown of an entry, nil for
// nothing; entries it does not name stay.
func edited(t *testing.T, v vendor, body string, change map[string]tenfold.Payload, added ...tenfold.Item) string {
	t.Helper()
	return editedUpto(t, v, body, 0, change, added...)
}

// editedUpto edits those before message upto, 0 for all.
func editedUpto(t rapid.TB, v vendor, body string, upto int, change map[string]tenfold.Payload, added ...tenfold.Item) string {
	t.Helper()
	r, pieces, _ := v.read(t, []byte(body))
	if upto == 0 {
		upto = len(r.Messages)
	}
	var shown []tenfold.Item
	for _, it := range kept(pieces) {
		name := string(it.Payload.Kind())
		switch p := it.Payload.(type) {
		case tenfold.ToolResult:
			name = "result " + p.CallID
		case tenfold.ToolCall:
			name = "call " + p.CallID
		case tenfold.Reasoning:
			name = "reasoning " + p.Text + p.Signature
		case tenfold.AssistantMessage:
			name = "assistant " + p.Text
		case tenfold.UserMessage:
			if len(p.Parts) > 0 {
				name = "user " + p.Parts[0].Text
			}
		}
		if now, ok := change[name]; ok {
			if now == nil {
				continue
			}
			it.Payload, it.Fate = now, tenfold.Trimmed
		}
		shown = append(shown, it)
	}
	prefix, err := v.Edit(r, upto, pieces, append(added, shown...))
	if err != nil {
		t.Fatal(err)
	}
	return string(prefix)
}

// What changes is replaced where it stands; the bytes around it stay (X2a).
func TestX2aOnlyWhatChangesIsReplaced(t *testing.T) {
	t.Parallel()
	claude := vendors()[0]
	const (
		user   = `{"role": "user", "content": "go"}`
		call   = `{"role":"assistant","content":[{"type":"thinking","thinking":"t","signature":"s"},{"type":"tool_use","id":"a","name":"n","input":{"x":1},"caller":{"type":"direct"}}]}`
		result = `{"role":"user","content":[{"type":"tool_result", "tool_use_id":"a", "content":"long", "novel":1, "cache_control":{"type":"ephemeral"}}]}`
		parts  = `{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","is_error":true,"content":[{"type":"text","text":"long"},{"type":"image","source":{"type":"url","url":"u"}}]}]}`
	)
	text := func(texts ...string) (list []tenfold.Part) {
		for _, s := range texts {
			list = append(list, tenfold.TextPart(s))
		}
		return list
	}
	image := tenfold.Part{File: &tenfold.File{Type: tenfold.PartImage, URI: "u"}}
	said := func(p tenfold.Payload) tenfold.Item { return tenfold.Item{Added: tenfold.AddedSummary, Payload: p} }
	for name, c := range map[string]struct {
		body   string
		change map[string]tenfold.Payload
		added  []tenfold.Item
		want   string
	}{
		"a result": {user + "," + call + "," + result, map[string]tenfold.Payload{"result a": tenfold.ToolResult{CallID: "a", Parts: text(`s"h`)}}, nil, user + "," + call +
			`,{"role":"user","content":[{"type":"tool_result", "tool_use_id":"a", "content":"s\"h", "novel":1}]}`},
		"a result without a text": {user + "," + call + "," + parts, map[string]tenfold.Payload{"result a": tenfold.ToolResult{CallID: "a", Parts: []tenfold.Part{image}}}, nil, user + "," + call +
			`,{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","is_error":true,"content":[{"type":"image","source":{"type":"url","url":"u"}}]}]}`},
		"a failed result without anything": {user + "," + call + "," + parts, map[string]tenfold.Payload{"result a": tenfold.ToolResult{CallID: "a", IsError: true}}, nil, user + "," + call +
			`,{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","is_error":true,"content":[{"type":"text","text":"The tool failed without output."}]}]}`},
		"arguments": {user + "," + call + "," + result, map[string]tenfold.Payload{"call a": tenfold.ToolCall{CallID: "a", Name: "n", Arguments: `{}`}, "reasoning ts": nil}, nil, user +
			`,{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"n","input":{},"caller":{"type":"direct"}}]},{"role":"user","content":[{"type":"tool_result", "tool_use_id":"a", "content":"long", "novel":1}]}`},
		"a call with its result": {user + "," + call + "," + result, map[string]tenfold.Payload{"call a": nil, "result a": nil}, nil, user},
		"a note":                 {user, map[string]tenfold.Payload{"user go": tenfold.UserMessage{Parts: text("note", "go")}}, nil, `{"role": "user", "content": [{"type":"text","text":"note"},{"type":"text","text":"go"}]}`},
		"a summary": {
			user + "," + call + "," + result,
			map[string]tenfold.Payload{"user go": nil, "call a": nil, "result a": nil, "reasoning ts": nil},
			[]tenfold.Item{said(tenfold.UserMessage{Parts: text("before")}), said(tenfold.AssistantMessage{Text: "work"})},
			`{"role":"user","content":[{"type":"text","text":"before"}]},{"role":"assistant","content":[{"type":"text","text":"work"}]},` +
				`{"role":"user","content":[{"type":"text","text":"[The work goes on]"}]}`,
		},
		"a summary before a thought": {
			user + "," + call + "," + result, nil,
			[]tenfold.Item{said(tenfold.AssistantMessage{Text: "work"})},
			`{"role":"user","content":[{"type":"text","text":"[Conversation continues]"}]},{"role":"assistant","content":[{"type":"text","text":"work"}]},` + user + "," + call +
				`,{"role":"user","content":[{"type":"tool_result", "tool_use_id":"a", "content":"long", "novel":1}]}`,
		},
		"thinking that another answer begins with": {
			user + `,{"role":"assistant","content":"one"},{"role":"user","content":"two"},` + call + "," + result,
			map[string]tenfold.Payload{"user two": nil},
			nil,
			user + `,{"role":"assistant","content":"one"},{"role":"user","content":[{"type":"text","text":"[The work goes on]"}]},` + call +
				`,{"role":"user","content":[{"type":"tool_result", "tool_use_id":"a", "content":"long", "novel":1}]}`,
		},
		"nothing, where the model began": {`{"role":"assistant","content":"one"},` + user, nil, nil, `{"role":"assistant","content":"one"},` + user},
		"a note, where a vendor's compaction begins": {
			`{"role":"assistant","content":[{"type":"compaction","content":"c"}]},{"role":"assistant","content":"one"},` + user, nil,
			[]tenfold.Item{said(tenfold.UserMessage{Parts: text("note")})},
			`{"role":"assistant","content":[{"type":"compaction","content":"c"}]},{"role":"user","content":[{"type":"text","text":"note"}]},{"role":"assistant","content":"one"},` + user,
		},
		"the system's words between two of the model's": {
			user + `,{"role":"assistant","content":"one"},{"role":"user","content":"two"},{"role":"system","content":"left"},{"role":"assistant","content":"three"}`,
			map[string]tenfold.Payload{"user two": nil},
			nil,
			user + `,{"role":"assistant","content":"one"},{"role":"user","content":[{"type":"text","text":"[The work goes on]"}]},{"role":"system","content":"left"},{"role":"assistant","content":"three"}`,
		},
	} {
		if got := edited(t, claude, `{"messages":[`+c.body+`]}`, c.change, c.added...); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, c.want)
		}
	}
}

// A signature of Gemini's goes with the reasoning; a model that asks for one gets the
// word for none (B3).
func TestB3SignaturesOfGemini(t *testing.T) {
	t.Parallel()
	const body = `{"contents":[{"role":"user","parts":[{"text":"go"}]},{"role":"model","parts":[{"functionCall":{"id":"a","name":"r","args":{}}, "thoughtSignature":"x"},{"functionCall":{"id":"b","name":"r","args":{}}}]},` +
		`{"role":"user","parts":[{"functionResponse":{"id":"a","name":"r","response":{"output":"long"}}},{"functionResponse":{"id":"b","name":"r","response":{"novel":1}}}]}]}`
	const user, results = `{"role":"user","parts":[{"text":"go"}]},`, `,{"role":"user","parts":[{"functionResponse":{"id":"a","name":"r","response":{"output":"short"}}},{"functionResponse":{"id":"b","name":"r","response":{"output":"less"}}}]}`
	short := map[string]tenfold.Payload{
		"result r/1": tenfold.ToolResult{CallID: "r/1", Parts: tenfold.Text("short")}, "result r/2": tenfold.ToolResult{CallID: "r/2", Parts: tenfold.Text("less")},
	}
	for model, signed := range map[int]string{1: ``, 2: `,"thoughtSignature":"skip_thought_signature_validator"`} {
		v := vendors()[model]
		change := map[string]tenfold.Payload{"reasoning x": nil}
		for name, p := range short {
			change[name] = p
		}
		want := user + `{"role":"model","parts":[{"functionCall":{"id":"a","name":"r","args":{}}` + signed + `},{"functionCall":{"id":"b","name":"r","args":{}}}]}` + results
		if got := edited(t, v, body, change); got != want {
			t.Errorf("%s\nwant\n%s", got, want)
		}
		want = user + `{"role":"model","parts":[{"functionCall":{"id":"b","name":"r","args":{}}` + signed + `}]},{"role":"user","parts":[{"functionResponse":{"id":"b","name":"r","response":{"novel":1}}}]}`
		if got := edited(t, v, body, map[string]tenfold.Payload{"call r/1": nil, "result r/1": nil}); got != want {
			t.Errorf("%s\nwant\n%s", got, want)
		}
	}
}

// Calls of Gemini's get the same ids in an answer and in a request, whatever ids they come
// with, and results find them whatever ids a client makes up (X2a).
func TestX2aCallsOfGemini(t *testing.T) {
	t.Parallel()
	const model = `{"role":"model","parts":[{"functionCall":{"name":"r","args":{"a":1}}},{"functionCall":{"id":"own","name":"r"}},{"functionCall":{"name":"r"}},{"functionCall":{"name":"w"}}]}`
	r, pieces, _ := vendors()[1].read(t, []byte(`{"contents":[{"parts":[{"text":"go"}]},`+model+`,{"parts":[`+
		`{"functionResponse":{"id":"made-up","name":"r","response":{"output":"1"}}},{"functionResponse":{"id":"own","name":"r","response":{}}},`+
		`{"functionResponse":{"name":"w","response":"x"}},{"functionResponse":{"name":"r","response":{"error":"no"}}}]}]}`))
	var calls, results []string
	for _, p := range pieces[1] {
		calls = append(calls, p.Entry.Payload.(tenfold.ToolCall).CallID)
	}
	failed := 0
	for _, p := range pieces[2] {
		result := p.Entry.Payload.(tenfold.ToolResult)
		if results = append(results, result.CallID); result.IsError {
			failed++
		}
	}
	heard := []string{}
	for _, e := range hear(wire.Gemini{}, `{"candidates":[{"content":`+model+`,"finishReason":"STOP"}]}`).Entries {
		heard = append(heard, e.Payload.(tenfold.ToolCall).CallID)
	}
	for what, c := range map[string]struct{ got, want []string }{
		"calls": {calls, []string{"r/1", "r/2", "r/3", "w/1"}}, "heard": {heard, calls}, "results": {results, []string{"r/1", "r/2", "w/1", "r/3"}},
	} {
		if len(c.got) != len(c.want) {
			t.Fatalf("%s: %v, want %v", what, c.got, c.want)
		}
		for i := range c.got {
			if c.got[i] != c.want[i] {
				t.Errorf("%s: %v, want %v", what, c.got, c.want)
			}
		}
	}
	if failed != 1 || r.Messages[0].Model || !r.Messages[1].Model {
		t.Errorf("%d failed, %+v", failed, r.Messages)
	}
}

// A turn begins where a person speaks; what a host put beside it is a message of its
// own (L5, L11).
func TestL5TurnsBeginWhereAPersonSpeaks(t *testing.T) {
	t.Parallel()
	_, pieces, _ := vendors()[0].read(t, []byte(`{"messages":[{"role":"user","content":[{"type":"text","text":"<system-reminder>\nmind this\n</system-reminder>"},{"type":"text","text":"go"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AA=="}}]},`+
		`{"role":"assistant","content":"done"},{"role":"user","content":"<system-reminder>x</system-reminder>"}]}`))
	var kinds []string
	for _, list := range pieces {
		for _, p := range list {
			kind := string(p.Entry.Payload.Kind())
			if u, ok := p.Entry.Payload.(tenfold.UserMessage); ok {
				kind += " " + string(u.Purpose)
			}
			kinds = append(kinds, kind)
		}
	}
	want := []string{"user_message context", "turn_start", "user_message ", "assistant_message", "user_message context"}
	for i := range want {
		if len(kinds) != len(want) || kinds[i] != want[i] {
			t.Fatalf("%q, want %q", kinds, want)
		}
	}
	if p := pieces[0][2]; len(p.At) != 2 || pieces[0][0].Entry.ID == p.Entry.ID {
		t.Errorf("%+v", p)
	}
}

// What the projection puts in stands where it does there, in the midst of a message
// too; what belongs to newer messages is not put in (X3).
func TestX3WhatIsPutInStandsInItsPlace(t *testing.T) {
	t.Parallel()
	v := vendors()[0]
	r, pieces, _ := v.read(t, []byte(`{"messages":[{"role":"user","content":[{"type":"text","text":"<system-reminder>x</system-reminder>"},{"type":"text","text":"go"}]},{"role":"assistant","content":"yes"},{"role":"user","content":"on"}]}`))
	shown := kept(pieces)
	said := func(text string) tenfold.Item {
		return tenfold.Item{Added: tenfold.AddedSummary, Payload: tenfold.AssistantMessage{Text: text}}
	}
	list := []tenfold.Item{shown[0], said("work"), shown[2], shown[3]}
	list = append(append(list, shown[len(shown)-1]), said("newer"))
	got, err := v.Edit(r, 2, pieces, list)
	want := `{"role":"user","content":[{"type":"text","text":"<system-reminder>x</system-reminder>"}]},{"role":"assistant","content":[{"type":"text","text":"work"}]},` +
		`{"role":"user","content":[{"type":"text","text":"go"}]},{"role":"assistant","content":"yes"}`
	if err != nil || string(got) != want {
		t.Errorf("%s, %v\nwant\n%s", got, err, want)
	}
}

// What is edited ends so that the first message left as it came may follow (X3, P10).
func TestX3WhatIsEditedMeetsWhatFollows(t *testing.T) {
	t.Parallel()
	v := vendors()[0]
	const user, one = `{"role":"user","content":"go"}`, `{"role":"assistant","content":"one"}`
	r, pieces, _ := v.read(t, []byte(`{"messages":[`+user+`,`+one+`,{"role":"user","content":"two"},{"role":"assistant","content":"three"}]}`))
	shown := kept(pieces)
	for name, c := range map[string]struct {
		shown []tenfold.Item
		want  string
	}{
		"the model's":        {shown[:3], user + "," + one + `,{"role":"user","content":[{"type":"text","text":"[The work goes on]"}]}`},
		"nothing, the model": {nil, `{"role":"user","content":[{"type":"text","text":"[Conversation continues]"}]}`},
	} {
		if got, err := v.Edit(r, 3, pieces, c.shown); err != nil || string(got) != c.want {
			t.Errorf("%s: %s, %v\nwant\n%s", name, got, err, c.want)
		}
		// So it is where the answer is yet to come: the next request has it there.
		before, _, _ := v.read(t, []byte(`{"messages":[`+user+`,`+one+`,{"role":"user","content":"two"}]}`))
		if got, err := v.Edit(before, 3, pieces, c.shown); err != nil || string(got) != c.want {
			t.Errorf("%s, before it is answered: %s, %v\nwant\n%s", name, got, err, c.want)
		}
	}
}

// Gemini CLI resumes a session with each result twice: that is one result, whose
// doubles stay where nothing of the message is changed, and else go (X2a).
func TestX2aResultsOfGeminiTwice(t *testing.T) {
	t.Parallel()
	const a, b = `{"functionResponse":{"id":"a","name":"r","response":{"output":"long"}}}`, `{"functionResponse":{"id":"b","name":"r","response":{"output":"long"}}}`
	const start = `{"role":"user","parts":[{"text":"go"}]},{"role":"model","parts":[{"functionCall":{"id":"a","name":"r","args":{}}},{"functionCall":{"id":"b","name":"r","args":{}}}]},`
	const twice = start + `{"role":"user","parts":[` + a + `, ` + b + `,` + a + `,` + b + `]}`
	v := vendors()[1]
	_, pieces, _ := v.read(t, []byte(`{"contents":[`+twice+`]}`))
	if len(pieces[2]) != 2 || len(pieces[2][0].At) != 1 || len(pieces[2][1].At) != 1 {
		t.Errorf("%+v", pieces[2])
	}
	short := tenfold.ToolResult{CallID: "r/1", Parts: tenfold.Text("short")}
	for _, c := range []struct {
		change map[string]tenfold.Payload
		want   string
	}{
		{nil, twice},
		{map[string]tenfold.Payload{"result r/1": short}, start + `{"role":"user","parts":[` + strings.Replace(a, "long", "short", 1) + `,` + b + `]}`},
		{map[string]tenfold.Payload{"call r/1": nil, "result r/1": nil}, `{"role":"user","parts":[{"text":"go"}]},{"role":"model","parts":[{"functionCall":{"id":"b","name":"r","args":{}}}]},{"role":"user","parts":[` + b + `]}`},
	} {
		if got := edited(t, v, `{"contents":[`+twice+`]}`, c.change); got != c.want {
			t.Errorf("%s\nwant\n%s", got, c.want)
		}
	}
	// Of two calls of one name each has its own, and what differs is not a double.
	other := strings.Replace(a, "long", "other", 1)
	for parts, want := range map[string]int{
		`{"role":"model","parts":[{"functionCall":{"id":"a","name":"r"}},{"functionCall":{"id":"a","name":"r"}}]},{"role":"user","parts":[` + a + `,` + a + `,` + a + `]}`: 2,
		`{"role":"model","parts":[{"functionCall":{"id":"a","name":"r"}}]},{"role":"user","parts":[` + a + `,` + other + `]}`:                                              2,
		`{"role":"model","parts":[{"functionCall":{"name":"r"}}]},{"role":"user","parts":[` + a + `,` + a + `]}`:                                                           2,
	} {
		_, pieces, _ := v.read(t, []byte(`{"contents":[{"role":"user","parts":[{"text":"go"}]},`+parts+`]}`))
		if len(pieces[2]) != want {
			t.Errorf("%d results of %s", len(pieces[2]), parts)
		}
	}
}

// What an epoch begins with is held against what a request may have there, and nothing else
// of that is read again (X3, X9).
func TestX9WhatIsEditedIsCheckedAlone(t *testing.T) {
	t.Parallel()
	v := vendors()[0]
	for _, messages := range []string{
		"", "{}", `{"role":"user","content":"a"} , {"role":"assistant"}`, "{},", ",{}", "{} {}", "{}}", "1", `"a"`, "[{}]", "null",
		`{"a":}`, `{"a"`, `{"a":"}`, `{"a":tru}`, "{\"a\":\"\xff\"}", "{}\x00", strings.Repeat(`{"a":`, 2000) + "1" + strings.Repeat("}", 2000),
	} {
		_, whole := v.Scan(v.path, []byte(`{"messages":[`+messages+`]}`), nil)
		if err := wire.Check([]byte(messages)); (err == nil) != (whole == nil) {
			t.Errorf("%.40q: %v, and in a request %v", messages, err, whole)
		}
	}
	if err := wire.Check([]byte(`{}],"other":[{}`)); err == nil {
		t.Error("what ends the list is part of it")
	}
}

// What a tool gave is not read again where the log has it: it is known by its id, and of the
// very call (X9).
func TestX9ResultsInTheLogAreNotReadAgain(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		p    wire.Protocol
		path string
		body string
	}{
		"messages":  {wire.Anthropic{}, "/v1/messages", `{"messages":[{"role":"user","content":[{"type":"text","text":"so"},{"type":"tool_result","tool_use_id":"c","content":"long"}]}]}`},
		"chat":      {wire.OpenAIChat{}, "/v1/chat/completions", `{"messages":[{"role":"tool","tool_call_id":"c","content":"long"}]}`},
		"responses": {wire.OpenAIResponses{}, "/v1/responses", `{"input":[{"type":"function_call_output","call_id":"c","output":"long"}]}`},
	} {
		r, err := c.p.Scan(c.path, []byte(c.body), nil)
		if err != nil {
			t.Fatal(err)
		}
		read := func() wire.Piece {
			t.Helper()
			pieces, err := c.p.Read(r, 0)
			if err != nil || len(pieces) == 0 {
				t.Fatal(name, err)
			}
			return pieces[len(pieces)-1]
		}
		plain := read()
		for call, want := range map[string]string{"c": "logged", "other": "long"} {
			r.Logged = func(id string) tenfold.Payload {
				if id != plain.Entry.ID {
					return nil
				}
				return tenfold.ToolResult{CallID: call, Parts: tenfold.Text("logged")}
			}
			got := read()
			if p, _ := got.Entry.Payload.(tenfold.ToolResult); p.CallID != "c" || len(p.Parts) != 1 || p.Parts[0].Text != want {
				t.Errorf("%s: %+v, want %s", name, p, want)
			}
			if got.Entry.ID != plain.Entry.ID || !slices.Equal(got.At, plain.At) {
				t.Errorf("%s: it stands at %v, and stood at %v", name, got.At, plain.At)
			}
		}
	}
}

// A long request is edited as a short one that says the same: its halves are made at once,
// and put together in order (X9).
func TestX9LongRequestsAreEditedAsShortOnes(t *testing.T) {
	t.Parallel()
	filler := strings.Repeat("filler ", 4000)
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.SampledFrom(vendors()[:2]).Draw(t, "vendor")
		var list []string
		roles := []string{"user", map[string]string{"messages": "assistant", "contents": "model"}[v.list]}
		for i := range rapid.IntRange(2, 24).Draw(t, "messages") {
			list = append(list, `{"role":"`+roles[i%2]+`","`+map[string]string{"messages": "content", "contents": "parts"}[v.list]+`":[`+v.block(fmt.Sprintf("%d filler", i))+`]}`)
		}
		short := `{"` + v.list + `":[` + strings.Join(list, ",") + `]}`
		upto := rapid.IntRange(0, len(list)).Draw(t, "upto")
		fates := rapid.SliceOfN(rapid.IntRange(0, 3), 2*len(list), 2*len(list)).Draw(t, "fates")
		edited := func(body, word string) string {
			r, err := v.Scan(v.path, []byte(body), nil)
			if err != nil {
				t.Fatal(err)
			}
			pieces, seq := make([][]wire.Piece, len(r.Messages)), int64(0)
			for i := range pieces {
				if pieces[i], err = v.Read(r, i); err != nil {
					t.Fatal(err)
				}
				for j := range pieces[i] {
					seq++
					pieces[i][j].Entry.Seq = seq
				}
			}
			var shown []tenfold.Item
			for _, it := range kept(pieces) {
				switch fates[int(it.Seq-1)%len(fates)] {
				case 0:
					continue
				case 1:
					shown = append(shown, tenfold.Item{Added: tenfold.AddedSummary, Payload: tenfold.UserMessage{Parts: tenfold.Text("a note")}})
				}
				shown = append(shown, it)
			}
			out, err := v.Edit(r, upto, pieces, shown)
			if err != nil {
				t.Fatal(err)
			}
			return strings.ReplaceAll(string(out), word, "filler")
		}
		if long, want := edited(strings.ReplaceAll(short, "filler", filler), filler), edited(short, "filler"); long != want {
			t.Errorf("%s\nwant\n%s", long, want)
		}
	})
}
