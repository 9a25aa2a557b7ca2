// Package logtest makes logs for tests: random ones that hold everything a log
// can hold, and long ones for benchmarks. No text in them is anybody's.
package logtest

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"time"

	"pgregory.net/rapid"

	"tenfold"
)

// Entries draws the entries of a whole log: turns, responses with parallel
// calls, results that come late, twice or never, ids of calls and of entries
// used again, branches, texts blank in every script, images, opaque items, and
// compactions of every policy with their undoing, and pins; payloads that are
// pointers; numbers below zero and beyond any log.
func Entries(maxLen int) *rapid.Generator[[]tenfold.Entry] {
	return rapid.Custom(func(t *rapid.T) []tenfold.Entry {
		d := drawer{t: t}
		n := rapid.IntRange(0, maxLen).Draw(t, "entries")
		for len(d.entries) < n {
			d.draw()
		}
		return d.entries
	})
}

type drawer struct {
	t       *rapid.T
	entries []tenfold.Entry
	calls   []tenfold.ToolCall
	overlay []string // ids of compactions and revocations
	turns   int
	message int
}

// int draws a number, all of them about as often: rapid's own ranges like
// small ones, which would leave overlays over calls the exception.
func (d *drawer) int(lo, hi int) int {
	n := 0
	for span := hi - lo; span > 0; span >>= 1 {
		n <<= 1
		if d.bool() {
			n++
		}
	}
	return lo + n%(hi-lo+1)
}

func (d *drawer) bool() bool { return rapid.Bool().Draw(d.t, "b") }

func pick[T any](d *drawer, list ...T) T { return list[d.int(0, len(list)-1)] }

// odd draws a number that no log goes by: below zero, or beyond all of it.
func (d *drawer) odd() int {
	return pick(d, -1, -7, 99, math.MaxInt32, math.MaxInt>>1, math.MaxInt, math.MinInt)
}

// number draws one between lo and hi, now and then an odd one.
func (d *drawer) number(lo, hi int) int {
	if d.int(0, 15) == 0 {
		return d.odd()
	}
	return d.int(lo, hi)
}

// add appends an entry, and gives its id.
func (d *drawer) add(p tenfold.Payload) string {
	e := tenfold.Entry{
		ID:      fmt.Sprintf("id%d", len(d.entries)+1),
		Time:    time.Unix(1_700_000_000+int64(len(d.entries))*60, 0).UTC(),
		Payload: p,
	}
	if d.int(0, 9) == 0 {
		e.Branch = pick(d, "scout", "scout.deep", "scouting")
	}
	switch p.(type) {
	case tenfold.AssistantMessage, tenfold.Reasoning, tenfold.ToolCall:
		if d.message > 0 {
			e.MessageID = fmt.Sprintf("msg%d", d.message)
		}
	case tenfold.Compaction, tenfold.CompactionRevoked, tenfold.Pin, tenfold.Unpin, tenfold.Recalled:
		e.Branch = ""
	}
	switch d.int(0, 39) {
	case 0, 1:
		e.Source = `{"line":` + fmt.Sprint(d.int(1, 99)) + `}`
	case 2, 3, 4, 5:
		e.Payload = pointerTo(p)
	case 6:
		e.ID = fmt.Sprintf("id%d", d.int(1, len(d.entries)+1))
	case 7:
		if p.Kind().Visible() || p.Kind() == tenfold.KindTurnStart {
			e.Tokens = d.odd()
		}
	case 8:
		e.Time = pick(d, time.Time{}, time.Date(-3, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(12345, 1, 1, 0, 0, 0, 0, time.UTC))
	}
	d.entries = append(d.entries, e)
	return e.ID
}

// pointerTo gives a pointer to a payload, which is one too.
func pointerTo(p tenfold.Payload) tenfold.Payload {
	at := reflect.New(reflect.TypeOf(p))
	at.Elem().Set(reflect.ValueOf(p))
	pointer, _ := at.Interface().(tenfold.Payload)
	return pointer
}

// Blanks are texts of which somebody sees nothing.
var Blanks = []string{" \n", "\u00a0", "\u2003 \u3000", "\u200b", "\ufeff", "\u0085\x1c", "\u2028\u2029", "\u2060\u200d"}

func (d *drawer) text() string {
	return pick(d, "", pick(d, Blanks...), "yes", "ok ", "läuft – 走る 🚀", "a\nb\nc", "line one of the answer\nline two",
		"the first line of many\r\n\nthe third, which is läng\n  the fourth of them\n\nthe sixth",
		strings.Repeat("some words about main.go\n", d.int(1, 40)), `{"json":[1,2,3]}`, "tail \t\n", "end"+pick(d, Blanks...), pick(d, Blanks...)+"\nlast")
}

var callIDs = []string{"c1", "c2", "c3", "toolu_01|fc_2", "a call id with spaces and far too many characters to be taken", ""}

// longPath is longer than file systems take.
var longPath = "/" + strings.Repeat("a directory of a very long name/", 150) + "main.go"

func (d *drawer) id() string { return pick(d, callIDs...) }

func (d *drawer) parts() []tenfold.Part {
	var parts []tenfold.Part
	for range d.int(0, 2) {
		switch d.int(0, 7) {
		case 0:
			parts = append(parts, tenfold.Part{File: &tenfold.File{Type: tenfold.PartImage, MediaType: "image/png", URI: "data:image/png;base64,iVBORw0KGgo="}})
		case 1:
			parts = append(parts, tenfold.Part{File: &tenfold.File{Type: tenfold.PartFile, Name: "ref", Detail: pick(d, `{"type":"tool_reference"}`, "\u3000")}})
		default:
			parts = append(parts, tenfold.TextPart(d.text()))
		}
	}
	return parts
}

func (d *drawer) draw() {
	switch d.int(0, 19) {
	case 0, 1:
		d.turns++
		d.message++
		d.add(tenfold.TurnStart{})
		d.user()
	case 2:
		d.user()
	case 3, 4:
		m := tenfold.AssistantMessage{Text: d.text(), Phase: []string{"", "commentary", "final_answer"}[d.message%3]}
		if d.message%4 == 1 && !tenfold.Blank(m.Text) {
			m.Signature = "dXBkYXRl"
		}
		d.add(m)
	case 5, 6:
		d.reasoning()
	case 7, 8, 9:
		d.message++
		d.call()
		if d.int(0, 2) > 0 {
			d.answer(d.calls[len(d.calls)-1].CallID)
		}
	case 10:
		d.call()
	case 11, 12, 13:
		d.result()
	case 14:
		item := tenfold.ProviderItem{Provider: pick(d, "anthropic", "openai", "gemini"), Role: pick(d, "user", "assistant"), Data: pick(d, `{"type":"item"}`, `{"text":"\u2003"}`, `{}`, "")}
		if item.Provider == "anthropic" && d.message%3 == 0 {
			item.Role = "system"
		}
		d.add(item)
	case 15:
		d.bookkeeping()
	case 16, 17:
		d.overlay = append(d.overlay, d.add(d.compaction()))
	case 18:
		if len(d.overlay) > 0 {
			d.overlay = append(d.overlay, d.add(tenfold.CompactionRevoked{Target: pick(d, d.overlay...)}))
		}
	case 19:
		ids := []string{fmt.Sprintf("id%d", d.int(1, len(d.entries)+2))}
		switch d.int(0, 4) {
		case 0, 1:
			d.add(tenfold.Pin{Entries: ids})
		case 2, 3:
			d.add(tenfold.Unpin{Entries: ids})
		default:
			d.add(tenfold.Recalled{Entries: ids})
		}
	}
}

func (d *drawer) user() {
	m := tenfold.UserMessage{Parts: d.parts(), Synthetic: d.int(0, 5) == 0}
	if m.Synthetic {
		m.Purpose = pick(d, tenfold.Request, tenfold.Context, tenfold.Context, tenfold.Notice)
	}
	if m.Purpose == tenfold.Context && d.bool() { // a version of one of a few
		m.Parts = tenfold.Text(pick(d, "<environment_context>", "# AGENTS.md instructions for /src\n\n", "<skill>\n<name>deploy</name>\n") + d.text())
	}
	if d.int(0, 9) == 0 {
		m.Attachments = []tenfold.Attachment{{Name: "notes.md", MediaType: "text/markdown", Content: d.text()}}
	}
	if d.int(0, 9) == 0 {
		m.Synthetic, m.Role, m.Provider = true, pick(d, "system", "developer"), pick(d, "openai", "anthropic")
	}
	d.add(m)
}

func (d *drawer) reasoning() {
	r := tenfold.Reasoning{Text: d.text()}
	switch d.int(0, 5) {
	case 4:
		r.Provider = "openai-chat"
	case 0:
		r.Provider, r.Signature = "anthropic", "c2lnbmF0dXJl"
	case 1:
		r = tenfold.Reasoning{Provider: "anthropic", Encrypted: "cmVkYWN0ZWQ="}
	case 2:
		r.Provider, r.Encrypted, r.ItemID = "openai", "Z0FBQUFB", "rs_1"
	case 3:
		r.Provider, r.Signature = "gemini", "dGhvdWdodA=="
	}
	d.add(r)
}

func (d *drawer) call() {
	c := tenfold.ToolCall{
		CallID: d.id(),
		Name:   pick(d, "read", "shell", "odd name\">", ""),
		Arguments: pick(d, `{"path":"main.go"}`, `{"b": 1, "a":"\u00e9"}`, `{"cut":"o`, `[1]`, "", `{}`,
			`{"path":"a.go", "body":"one\ntwo\n\nfour\nfive","edits":[{"new":"a\n\u00fcb\nc\nd"}],"n":1.50}`,
			`["`+strings.Repeat("word ", 60)+`"]`, `{"path":"`+longPath+`"}`),
	}
	d.calls = append(d.calls, c)
	d.add(c)
}

func (d *drawer) result() {
	id := d.id()
	if len(d.calls) > 0 && d.int(0, 4) > 0 {
		id = pick(d, d.calls...).CallID
	}
	d.answer(id)
}

func (d *drawer) answer(id string) {
	d.add(tenfold.ToolResult{CallID: id, Parts: d.parts(), IsError: d.int(0, 4) == 0, Outcome: pick(d, "", "", tenfold.Success, tenfold.Failed, tenfold.Exit(d.int(1, 255)))})
}

func (d *drawer) bookkeeping() {
	system := "You are a test."
	tools := []tenfold.ToolDefinition{{Name: "read", Schema: `{"type":"object"}`}, {Name: "shell"}}
	cost := 0.25
	d.add(pick[tenfold.Payload](
		d,
		tenfold.ConfigDelta{Model: "m", System: &system, Tools: &tools, Extra: `{"k":1}`},
		tenfold.ConfigDelta{Model: "gemini-3-pro"},
		tenfold.Usage{Model: "m", Input: d.number(10, 12), Output: 2, Cost: &cost},
		tenfold.Approval{State: tenfold.ApprovalGranted, CallID: "c1"},
		tenfold.CompactionFailed{Error: "no model", Tokens: d.number(9, 10), Limit: 8, Exceeded: true},
		tenfold.CompactionAttempt{State: tenfold.AttemptBegun, Source: "auto", Reason: "why", Seconds: d.number(9, 10)},
		tenfold.Unknown{Name: "later.kind", Data: `{"x":[1,2]}`},
	))
}

// largest is the largest size that can be written.
const largest tenfold.Size = 1 << 53

func (d *drawer) compaction() tenfold.Compaction {
	if d.int(0, 2) == 0 {
		return d.excerpts()
	}
	c := tenfold.Compaction{FromTurn: d.int(0, d.turns+1), Source: "user"}
	c.ToTurn = c.FromTurn + d.int(-1, d.turns+1)
	if d.bool() { // as most are: all there is
		c.FromTurn, c.ToTurn = 0, d.turns+1
	}
	if d.int(0, 2) == 0 {
		step := d.number(-1, 4)
		c.ToStep = &step
	}
	if d.int(0, 15) == 0 {
		c.FromTurn, c.ToTurn = d.odd(), d.odd()
	}
	over := pick[tenfold.Size](d, 0, 0, 0, 20, 20, largest)
	if d.int(0, 3) == 0 {
		c.Summary = &tenfold.Summary{
			Text: pick(d, "What happened so far.", "Earlier work.", pick(d, Blanks...)), Transcript: pick(d, "", "session.jsonl"),
			Placement: pick(d, "", tenfold.PlacePair, tenfold.PlaceSystem, tenfold.PlaceUser, tenfold.PlaceMessage),
		}
	}
	if d.bool() {
		c.Reasoning = &tenfold.Policy{Action: pick(d, tenfold.Strip, tenfold.Strip, tenfold.Keep), Over: over}
	}
	if d.int(0, 3) == 0 {
		c.Attachments = &tenfold.Policy{Action: pick(d, tenfold.Strip, tenfold.Keep), Over: over}
	}
	if d.int(0, 7) == 0 {
		c.Turns = pick(d, tenfold.Omit, tenfold.Keep)
	}
	if d.int(0, 3) == 0 {
		c.Keeps = &tenfold.Keeps{Calls: []string{d.id()}, Entries: []int64{int64(d.number(1, len(d.entries)+1)), int64(d.number(1, len(d.entries)+1))}}
	}
	if d.int(0, 7) == 0 {
		c.ToolDefinitions = &tenfold.ToolDefinitionPolicy{Action: tenfold.Prune, Names: []string{"shell"}}
	}
	if d.int(0, 3) > 0 {
		c.ToolCalls = d.toolPolicy(pick(d, tenfold.Strip, tenfold.Strip, tenfold.Omit, tenfold.Keep, tenfold.Selective), over)
	}
	if d.bool() {
		c.Texts = d.textPolicy()
	}
	return c
}

func (d *drawer) toolPolicy(action tenfold.Action, over tenfold.Size) *tenfold.ToolPolicy {
	p := &tenfold.ToolPolicy{
		Action: action, Over: over, FirstLine: d.int(0, 3) == 0, Recall: d.int(0, 3) == 0, Stub: pick(d, "", "", "previous"),
		Arguments: pick(d, "", "", tenfold.ArgumentsPrimary, tenfold.ArgumentsNone),
		Primary:   pick(d, nil, map[string][]string{tenfold.AnyTool: {"path"}, "shell": {"command"}}),
	}
	switch p.Action {
	case tenfold.Strip:
		p.Request, p.Response = d.bool(), d.bool()
		if d.bool() {
			p.Hints = map[string]tenfold.Hint{
				"read":  {Request: tenfold.Keep, Response: tenfold.Strip},
				"shell": {Response: pick(d, tenfold.Keep, tenfold.Remove)},
			}
		}
	case tenfold.Selective:
		p.Groups = d.groups()
		p.Rest = pick(d, "", "", tenfold.Omit, tenfold.Strip, tenfold.Keep)
		p.Marks = pick(d, "", tenfold.MarksShort)
		if p.Rest == tenfold.Strip && d.bool() {
			p.Hints = map[string]tenfold.Hint{"read": {Response: tenfold.Remove}, "shell": {Request: tenfold.Keep}}
		}
		p.Calls = map[string]tenfold.CallPolicy{}
		for range d.int(0, 6) {
			key := d.id()
			if len(d.calls) > 0 && d.int(0, 7) > 0 {
				key = pick(d, d.calls...).CallID
			}
			if d.int(0, 5) == 0 && len(d.entries) > 0 {
				key += fmt.Sprintf("@%d", d.number(1, len(d.entries)))
			}
			p.Calls[key] = pick(d, d.excerpt(), d.excerpt(), d.excerpt(),
				d.excerpt(), d.excerpt(), tenfold.CallPolicy{Action: tenfold.Omit}, tenfold.CallPolicy{Action: tenfold.Keep},
				tenfold.CallPolicy{Action: tenfold.Strip, Response: true},
				tenfold.CallPolicy{Action: tenfold.Strip, Request: true, Response: true},
				tenfold.CallPolicy{Action: tenfold.Trim, Head: pick(d, 30, largest), Tail: 20}, tenfold.CallPolicy{Action: tenfold.Trim},
				tenfold.CallPolicy{Action: tenfold.Trim, Head: 20, Request: true, Lines: []tenfold.LineRange{{First: 2, Last: 3}, {First: 9, Last: 9}}})
		}
	}
	return p
}

// groups draws policies for calls by their places, some of which are none.
func (d *drawer) groups() []tenfold.CallGroup {
	var out []tenfold.CallGroup
	for range d.int(0, 2) {
		g := tenfold.CallGroup{CallPolicy: pick(d, d.excerpt(),
			tenfold.CallPolicy{Action: tenfold.Strip, Response: true}, tenfold.CallPolicy{Action: tenfold.Omit})}
		for range d.int(0, 4) {
			g.Entries = append(g.Entries, int64(d.int(-1, len(d.entries)+2)))
		}
		out = append(out, g)
	}
	return out
}

// excerpts draws an overlay as a strategy makes it that keeps chosen lines: a
// word on nearly all there is, message by message and call by call.
func (d *drawer) excerpts() tenfold.Compaction {
	c := tenfold.Compaction{ToTurn: d.turns + 1, Source: "auto", ToolCalls: d.toolPolicy(tenfold.Selective, 0), Texts: d.textPolicy()}
	if d.int(0, 2) == 0 {
		step := d.int(0, 4)
		c.ToStep, c.ToTurn = &step, d.turns
	}
	for _, id := range callIDs {
		if d.int(0, 5) > 0 {
			c.ToolCalls.Calls[id] = d.excerpt()
		}
	}
	for seq := range len(d.entries) {
		switch d.entries[seq].Payload.(type) {
		case tenfold.UserMessage, tenfold.AssistantMessage:
			if d.int(0, 5) > 0 {
				c.Texts.Entries[int64(seq+1)] = d.textTrim()
			}
		}
	}
	return c
}

// excerpt draws a policy that keeps lines of both sides of a call.
func (d *drawer) excerpt() tenfold.CallPolicy {
	c := tenfold.CallPolicy{
		Action: pick(d, tenfold.Trim, tenfold.Trim, tenfold.Trim, tenfold.Keep, tenfold.Strip), Lines: d.lines(),
		Result: pick(d, "", "", tenfold.Strip, tenfold.Keep), Folded: d.folded(),
	}
	if d.int(0, 3) > 0 {
		c.Body = append([]tenfold.LineRange{}, d.lines()...)
	}
	return c
}

// lines draws ranges and fragments in order, now and then not.
func (d *drawer) lines() []tenfold.LineRange {
	var out []tenfold.LineRange
	at := 1
	for range d.int(0, 3) {
		r := tenfold.LineRange{First: at, Last: at + d.int(0, 2)}
		if d.bool() {
			r.Last = r.First
			r.From = d.number(0, 9)
			r.To = r.From + d.int(0, 9)
		}
		if d.int(0, 31) == 0 {
			r.First, r.Last = d.odd(), d.odd()
		}
		out = append(out, r)
		at += d.int(-1, 3)
	}
	return out
}

func (d *drawer) folded() *tenfold.Folded {
	if d.bool() {
		return nil
	}
	return &tenfold.Folded{Calls: d.number(0, 14), From: int64(d.number(0, 3)), To: int64(d.number(0, 9)), After: d.bool()}
}

func (d *drawer) textPolicy() *tenfold.TextPolicy {
	p := &tenfold.TextPolicy{
		Action: tenfold.Selective, Rest: pick(d, "", "", tenfold.Omit, tenfold.Keep),
		Marks: pick(d, "", tenfold.MarksShort), Recall: d.int(0, 3) == 0, Entries: map[int64]tenfold.TextTrim{},
	}
	p.Requests = p.Rest == tenfold.Omit && d.bool()
	for range d.int(0, 12) {
		p.Entries[int64(d.number(1, len(d.entries)+9))] = d.textTrim()
	}
	return p
}

func (d *drawer) textTrim() tenfold.TextTrim {
	return tenfold.TextTrim{
		Action: pick(d, tenfold.Trim, tenfold.Trim, tenfold.Keep, tenfold.Omit), Lines: d.lines(), Folded: d.folded(),
	}
}

// Compaction draws one overlay.
func Compaction() *rapid.Generator[tenfold.Compaction] {
	return rapid.Custom(func(t *rapid.T) tenfold.Compaction {
		d := drawer{t: t, turns: 3}
		return d.compaction()
	})
}
