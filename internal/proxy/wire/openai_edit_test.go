package wire_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tenfold"
	"tenfold/body"
	"tenfold/internal/logtest"
	"tenfold/internal/proxy/wire"
)

func openAI() []vendor {
	return []vendor{
		{opener: wire.OpenAIResponses{}, profile: body.OpenAIResponses(), path: "/v1/responses", list: "input"},
		{opener: wire.OpenAIChat{}, profile: body.OpenAIChat(), path: "/v1/chat/completions", list: "messages"},
	}
}

// What was written of a log is read back as what it says (X2a).
func TestX2aRequestsOfOpenAIAreReadAsWhatWasWritten(t *testing.T) {
	t.Parallel()
	for _, v := range openAI() {
		rapid.Check(t, func(t *rapid.T) {
			entries := slices.DeleteFunc(logtest.Entries(40).Draw(t, "log"), func(e tenfold.Entry) bool { return e.Payload.Kind() == tenfold.KindProviderItem })
			raw := write(t, v, logOf(t, entries))
			_, _, log := v.read(t, raw)
			if again := write(t, v, log); !alike(t, again, raw) {
				t.Fatalf("read back\n%s\nof\n%s", again, raw)
			}
		})
	}
}

// parted gives the entries that a model sees, and the overlays over them.
func parted(entries []tenfold.Entry) (said, overlays []tenfold.Entry) {
	for _, e := range entries {
		p, _ := tenfold.Value(e.Payload)
		switch p.(type) {
		case tenfold.Compaction, tenfold.CompactionRevoked, tenfold.Pin, tenfold.Unpin:
			overlays = append(overlays, e)
		default:
			said = append(said, e)
		}
	}
	return said, overlays
}

// Whatever overlays are laid over a conversation, the edited request says what its
// projection says, and the vendor takes it (X2a, P10).
func TestX2aEditedRequestsOfOpenAISayWhatTheProjectionSays(t *testing.T) {
	t.Parallel()
	for _, v := range openAI() {
		t.Run(v.profile.Name, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				said, overlays := parted(logtest.Entries(60).Draw(t, "log"))
				raw := write(t, v, logOf(t, said))
				r, pieces, log := v.read(t, raw)
				for _, e := range overlays {
					e.ID += "-overlay"
					if _, err := log.Append(e); err != nil {
						t.Fatal(err)
					}
				}
				view := tenfold.Project(log)
				prefix, err := v.Edit(r, len(r.Messages), pieces, view.List())
				if err != nil {
					t.Fatalf("edit %s: %v", raw, err)
				}
				out := r.With(prefix, len(r.Messages))
				if bad := v.profile.Check(out); len(bad) > 0 {
					t.Fatalf("%v in\n%s\nof\n%s", bad, out, raw)
				}
				want := write(t, v, log)
				got, wanted := flat(t, out), flat(t, want)
				shown := slices.DeleteFunc(view.List(), func(it tenfold.Item) bool { return !ofSystem(it.Payload) })
				if v.list == "messages" && !tenfold.Blank(view.Config().System) {
					wanted.systems--
				}
				if wanted.systems < len(shown) {
					return // the writer of bodies gives what the system says to the user where nothing else is left
				}
				// What was thought goes with what was said after it.
				thought := len(slices.DeleteFunc(slices.Clone(got.thoughts), func(w string) bool { return slices.Contains(wanted.thoughts, w) }))
				if !slices.Equal(got.lines, wanted.lines) || got.note != wanted.note || !slices.Equal(got.system, flat(t, raw).system) || thought > 0 {
					t.Fatalf("edited\n%s\nof\n%s\nwant\n%s", out, raw, want)
				}
			})
		})
	}
}

func ofSystem(p tenfold.Payload) bool {
	m, ok := p.(tenfold.UserMessage)
	return ok && m.Role != ""
}

// Where nothing is to change nothing does, however a client writes it (X2a).
func TestX2aUnchangedRequestsOfOpenAIStayByteForByte(t *testing.T) {
	t.Parallel()
	for _, v := range openAI() {
		rapid.Check(t, func(t *rapid.T) {
			said, _ := parted(logtest.Entries(40).Draw(t, "log"))
			raw := write(t, v, logOf(t, said))
			r, pieces, log := v.read(t, raw)
			prefix, err := v.Edit(r, len(r.Messages), pieces, tenfold.Project(log).List())
			if out := r.With(prefix, len(r.Messages)); err != nil || string(out) != string(raw) {
				t.Fatalf("%v: edited\n%s\nof\n%s", err, out, raw)
			}
		})
	}
}

// edits are what a projection shows of entries, by a word in them: another payload,
// or nil where they are gone.
type edits map[string]func(p tenfold.Payload) tenfold.Payload

func gone(tenfold.Payload) tenfold.Payload { return nil }

// edit edits a whole request by hand, noted where its first message is to begin
// with a note.
func (e edits) edit(t *testing.T, v vendor, raw, note string) string {
	t.Helper()
	r, pieces, log := v.read(t, []byte(raw))
	var shown []tenfold.Item
	done := 0
	for _, it := range tenfold.Project(log).List() {
		says := described(it.Payload)
		for word, change := range e {
			if strings.Contains(says, word) {
				it.Payload, it.Fate = change(it.Payload), tenfold.Trimmed
				done++
			}
		}
		if m, ok := it.Payload.(tenfold.UserMessage); ok && note != "" {
			m.Parts = append(tenfold.Text(note), m.Parts...)
			it.Payload, it.Noted, note = m, true, ""
		}
		if it.Payload != nil {
			shown = append(shown, it)
		}
	}
	if done != len(e) {
		t.Fatalf("%d of %d edits met an entry", done, len(e))
	}
	prefix, err := v.Edit(r, len(r.Messages), pieces, shown)
	if err != nil {
		t.Fatal(err)
	}
	return string(r.With(prefix, len(r.Messages)))
}

func arguments(text string) func(tenfold.Payload) tenfold.Payload {
	return func(p tenfold.Payload) tenfold.Payload {
		c, _ := p.(tenfold.ToolCall)
		c.Arguments = text
		return c
	}
}

// Only what is shown otherwise changes: texts where they stand, items and members
// taken out whole; what the system says and what only the vendor understands stay,
// and ids go that refer to reasoning which is gone (X2a, B3, P5a).
func TestX2aEverythingElseOfAnOpenAIRequestStays(t *testing.T) {
	t.Parallel()
	firstText := func(text string) func(tenfold.Payload) tenfold.Payload {
		return func(p tenfold.Payload) tenfold.Payload {
			switch p := p.(type) {
			case tenfold.ToolResult:
				p.Parts = append(tenfold.Text(text), p.Parts[1:]...)
				return p
			case tenfold.UserMessage:
				p.Parts = append(tenfold.Text(text), p.Parts[1:]...)
				return p
			}
			return p
		}
	}
	textsOnly := func(p tenfold.Payload) tenfold.Payload {
		m, _ := p.(tenfold.UserMessage)
		m.Parts = m.Parts[:1]
		return m
	}
	packed := strings.NewReplacer(",\n{", ",{")
	const note = "[Earlier parts.]\n"
	got := edits{
		"gAAA": gone, "local_shell": arguments(`{}`), "exec {": arguments(`{"cmd":"l"}`), "c2 tool_search": arguments(`{"q":1}`),
		"c3 one": firstText("o …"), "c1 a.go": firstText("[compacted]"), "c2 [": firstText("[compacted]"), "Fix it.": textsOnly, "<permissions": gone,
	}.edit(t, openAI()[0], codexLike, note)
	want := strings.NewReplacer(
		`{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"gAAA"},`, ``,
		`,"id":"ls_1"`, ``,
		`,"arguments":"{\"cmd\":\"ls\"}"`, `,"arguments":"{\"cmd\":\"l\"}"`,
		`"arguments":{"query":"x"}`, `"arguments":{"q":1}`,
		`"text":"one"`, `"text":"o …"`,
		`"a.go\nb.go"`, `"[compacted]"`,
		`,{"type":"input_image","image_url":"data:image/png;base64,AAAA","detail":"high"}`, ``,
		`{"type":"input_text","text":"<env`, `{"type":"input_text","text":"[Earlier parts.]\n"},{"type":"input_text","text":"<env`,
	).Replace(packed.Replace(codexLike))
	if got != want {
		t.Errorf("responses:\n%s\nwant\n%s", got, want)
	}
	got = edits{}.edit(t, openAI()[0], codexLike, note) // its first message is not the user's
	want = strings.Replace(packed.Replace(codexLike), `"content":[{"type":"input_text","text":"<env`, `"content":[{"type":"input_text","text":"[Earlier parts.]\n"},{"type":"input_text","text":"<env`, 1)
	if got != want {
		t.Errorf("noted:\n%s\nwant\n%s", got, want)
	}
	got = edits{
		"Hm.": gone, "c1 one": firstText("o …"), "old {\"b\"": firstText("[compacted]"), "tool_call old": arguments(`{}`), "message Done.": gone,
		"user_message Fix it.": firstText("F …"),
	}.edit(t, openAI()[1], chatLike, "")
	want = strings.NewReplacer(
		`,"reasoning":"Hm."`, ``, `,"reasoning_details":[{"type":"reasoning.text","signature":"s"}]`, ``,
		`"text":"Fix it."`, `"text":"F …"`, `,"cache_control":{"type":"ephemeral"}`, ``, `"text":"one"`, `"text":"o …"`,
		`"{\"b\":2}"`, `"[compacted]"`, `"{\"a\":1}"`, `"{}"`, `{"type":"text","text":"Done."},`, ``,
	).Replace(packed.Replace(chatLike))
	if got != want {
		t.Errorf("chat:\n%s\nwant\n%s", got, want)
	}
}

// Members that a vendor bound to what stands before them go where that changed, and
// a message of which only reasoning would be left goes whole (B3).
func TestB3BoundReasoningOfChatGoesBehindAChange(t *testing.T) {
	t.Parallel()
	const raw = `{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"},{"role":"user","content":"c"},` +
		`{"role":"assistant","content":"d","reasoning":"e","reasoning_details":[{"signature":"s"}]},{"role":"user","content":"f"},` +
		`{"role":"assistant","reasoning_content":"g","content":"h"},{"role":"user","content":"i"}]}`
	if got := (edits{"message b": gone, "message h": gone}).edit(t, openAI()[1], raw, "note"); got != `{"messages":[{"role":"user","content":"note\na"},{"role":"user","content":"c"},`+
		`{"role":"assistant","content":"d","reasoning":"e"},{"role":"user","content":"f"},{"role":"user","content":"i"}]}` {
		t.Errorf("edited: %s", got)
	}
	if got := (edits{}).edit(t, openAI()[1], raw, ""); got != raw {
		t.Errorf("nothing changed, and yet: %s", got)
	}
}

// Reasoning whose answer is gone goes with it: a vendor refuses it alone (B3, P10).
func TestB3ReasoningWithoutItsAnswerGoes(t *testing.T) {
	t.Parallel()
	const raw = `{"input":[{"role":"user","content":"a"},{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"g"},{"role":"assistant","id":"msg_1","content":"b"},{"role":"user","content":"c"}]}`
	if got := (edits{"message b": gone}).edit(t, openAI()[0], raw, ""); got != `{"input":[{"role":"user","content":"a"},{"role":"user","content":"c"}]}` {
		t.Errorf("edited: %s", got)
	}
	if got := (edits{"message a": gone}).edit(t, openAI()[0], raw, ""); !strings.HasPrefix(got, `{"input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"[Conversation continues]"}]},{"type":"reasoning"`) {
		t.Errorf("begins with the model: %s", got)
	}
}

// What a projection puts in between a host's words and a person's parts the message
// that holds both; a note waits for a message of the user's.
func TestX2aWhatIsPutInStandsWhereTheProjectionSays(t *testing.T) {
	t.Parallel()
	const raw = `{"input":[{"role":"developer","content":"d"},{"role":"assistant","content":"b"},` +
		`{"role":"user","content":[{"type":"input_text","text":"<environment_context>x</environment_context>"},{"type":"input_text","text":"Go on."}]}]}`
	v := openAI()[0]
	r, pieces, log := v.read(t, []byte(raw))
	shown := tenfold.Project(log).List()
	shown = slices.DeleteFunc(shown, func(it tenfold.Item) bool { return it.Added != 0 })
	summary := tenfold.Item{Added: tenfold.AddedSummary, Payload: tenfold.AssistantMessage{Text: "So far."}}
	prefix, err := v.Edit(r, 3, pieces, slices.Insert(slices.Clone(shown), len(shown)-1, summary))
	want := `{"role":"developer","content":"d"},{"role":"assistant","content":"b"},` +
		`{"role":"user","content":[{"type":"input_text","text":"<environment_context>x</environment_context>"}]},` +
		`{"type":"message","role":"assistant","content":[{"type":"output_text","text":"So far."}]},{"role":"user","content":[{"type":"input_text","text":"Go on."}]}`
	if err != nil || string(prefix) != want {
		t.Errorf("%v: %s", err, prefix)
	}
	m, _ := shown[0].Payload.(tenfold.UserMessage)
	m.Parts = append(tenfold.Text("A note."), m.Parts...)
	shown[0].Payload, shown[0].Noted = m, true
	if prefix, err = v.Edit(r, 2, pieces, shown[:2]); err != nil || string(prefix) != `{"role":"developer","content":"d"},{"role":"assistant","content":"b"},`+
		`{"type":"message","role":"user","content":[{"type":"input_text","text":"A note."}]}` {
		t.Errorf("%v: %s", err, prefix)
	}
}

// A prefix may end inside an answer: its reasoning has what follows.
func TestB3ReasoningAtTheEndOfAPrefixStays(t *testing.T) {
	t.Parallel()
	v := openAI()[0]
	r, pieces, log := v.read(t, []byte(`{"input":[{"role":"user","content":"a"},{"type":"reasoning","summary":[],"encrypted_content":"g"},{"role":"assistant","content":"b"}]}`))
	if prefix, err := v.Edit(r, 2, pieces, tenfold.Project(log).List()); err != nil || !strings.Contains(string(prefix), "reasoning") {
		t.Errorf("%v: %s", err, prefix)
	}
}

// Results stay in the form that their vendor asks for, and calls of tools that take
// text are left with a text.
func TestX2aResultsAndCallsKeepTheirForm(t *testing.T) {
	t.Parallel()
	short := func(p tenfold.Payload) tenfold.Payload {
		r, _ := p.(tenfold.ToolResult)
		r.Parts = tenfold.Text("s")
		return r
	}
	same := func(p tenfold.Payload) tenfold.Payload { return p }
	const raw = `{"input":[{"role":"user","content":[{"type":"input_image","file_id":"file_1"}]},` +
		`{"type":"custom_tool_call","call_id":"c1","name":"patch","input":"long"},{"type":"custom_tool_call_output","call_id":"c1","output":[{"type":"input_text","text":"x"},{"type":"input_text","text":"y"}]},` +
		`{"type":"shell_call","call_id":"c2","action":{"commands":["ls"]}},{"type":"shell_call_output","call_id":"c2","output":[{"stdout":"a","stderr":"","outcome":{"type":"exit","exit_code":0}}]},` +
		`{"type":"function_call","call_id":"c3","name":"f","arguments":"{}"},{"type":"function_call_output","call_id":"c3","output":"\u003ca\u003e"}]}`
	got := edits{"call c1": arguments(`{}`), "c1 x": short, "result c2": short, "result c3": same}.edit(t, openAI()[0], raw, "")
	if want := strings.NewReplacer(`"long"`, `""`, `[{"type":"input_text","text":"x"},{"type":"input_text","text":"y"}]`, `"s"`).Replace(raw); got != want {
		t.Errorf("edited: %s\nwant    %s", got, want)
	}
	_, pieces, _ := openAI()[0].read(t, []byte(raw))
	if m, _ := pieces[0][1].Entry.Payload.(tenfold.UserMessage); m.Parts[0].File.Detail != `{"type":"input_image","file_id":"file_1"}` {
		t.Errorf("an image by its id is read as %+v", m.Parts[0].File)
	}
	const calls = `{"input":[{"role":"user","content":"a"},{"type":"custom_tool_call","call_id":"c1","name":"patch","input":"\u003c"},` +
		`{"type":"custom_tool_call_output","call_id":"c1","output":"x"},{"type":"function_call","call_id":"c2","name":"f","arguments":"{\"a\":\"\u003c\"}"},{"type":"function_call_output","call_id":"c2","output":"y"}]}`
	if got := (edits{"call c1": arguments(`{"q":1}`), "call c2": same}).edit(t, openAI()[0], calls, ""); got != strings.Replace(calls, `"\u003c"`, `"{\"q\":1}"`, 1) {
		t.Errorf("edited: %s", got)
	}
	const chat = `{"messages":[{"role":"user","content":"a"},{"role":"assistant","reasoning_details":[{"data":"s"}],"content":[{"type":"text","text":"b"}],` +
		`"tool_calls":[{"id":"c1","type":"custom","custom":{"name":"patch","input":"long"}}]},{"role":"tool","tool_call_id":"c1","content":"x"}]}`
	got = edits{"message b": gone, "call c1": arguments(`{"input":"s"}`), `[{"data":"s"}]`: same}.edit(t, openAI()[1], chat, "")
	if want := strings.NewReplacer(`,"content":[{"type":"text","text":"b"}]`, ``, `"long"`, `"s"`).Replace(chat); got != want {
		t.Errorf("edited: %s\nwant    %s", got, want)
	}
}

// Marks for a cache that stand in what is edited go: at most four may stand in a
// request, and the newer messages have the client's own.
func TestX2aMarksGoFromAnEditedPrefix(t *testing.T) {
	t.Parallel()
	const mark = `,"cache_control":{"type":"ephemeral"}`
	const raw = `{"messages":[{"role":"user","content":[{"type":"text","text":"a b"` + mark + `},{"type":"text","text":"c"` + mark + `}]},{"role":"assistant","content":[{"type":"text","text":"d"` + mark + `}]}]}`
	shorter := func(p tenfold.Payload) tenfold.Payload {
		m, _ := p.(tenfold.UserMessage)
		m.Parts = append(tenfold.Text("a"), m.Parts[1:]...)
		return m
	}
	got := edits{"a b": shorter, "message d": gone}.edit(t, openAI()[1], raw, "n")
	if want := `{"messages":[{"role":"user","content":[{"type":"text","text":"n"},{"type":"text","text":"a"},{"type":"text","text":"c"}]}]}`; got != want {
		t.Errorf("edited: %s", got)
	}
	if got := (edits{}).edit(t, openAI()[1], raw, ""); got != strings.ReplaceAll(raw, mark, "") {
		t.Errorf("edited: %s", got)
	}
}
