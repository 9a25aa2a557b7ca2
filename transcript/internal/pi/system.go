package pi

import (
	"slices"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
	"tenfold/transcript/internal/walk"
)

// piPrompt is the system prompt as the messages of role system made it so far:
// their contents one after the other, then sections by name, each in its newest
// form, and the tools.
type piPrompt struct {
	contents string
	sections []piSection
	tools    []tenfold.ToolDefinition
}

type piSection struct{ name, text string }

// piPromptLimit bounds what all the prompts of a session may take: each change
// says the whole prompt anew.
const piPromptLimit = 64 << 20

// piSystemLine is a line of role system.
type piSystemLine struct {
	Message struct {
		Content  jsontext.Value `json:"content"`
		Sections jsontext.Value `json:"sections"`
		Added    []struct {
			Name        string         `json:"name"`
			Description string         `json:"description"`
			Parameters  jsontext.Value `json:"parameters"`
		} `json:"toolsAdded"`
		Removed []struct {
			Name string `json:"name"`
		} `json:"toolsRemoved"`
	} `json:"message"`
}

// system takes a message of role system: what changes in it, as pi sends it.
func (p *pi) system(r *Record, id string) error {
	var l piSystemLine
	if json.Unmarshal(r.raw, &l, walk.ScanOptions...) != nil || !p.prompt.add(l) {
		p.Warn.Odd(r.line, "message")
		return p.unknown(r, id)
	}
	text := p.prompt.text()
	if p.prompted += len(text) + p.prompt.weight(); p.prompted > piPromptLimit {
		p.Warn.Add(r.line, "change of a long system prompt was kept as it is", "changes of a long system prompt were kept as they are")
		return p.unknown(r, id)
	}
	delta := tenfold.ConfigDelta{System: &text}
	if len(l.Message.Added)+len(l.Message.Removed) > 0 {
		tools := slices.Clone(p.prompt.tools)
		delta.Tools = &tools
	}
	return p.Emit(tenfold.Entry{ID: id, Source: string(r.raw), Payload: delta})
}

// add takes a message in; false when it is none.
func (q *piPrompt) add(l piSystemLine) bool {
	text, ok := piPlain(l.Message.Content)
	if !ok {
		return false
	}
	q.contents = joinParagraphs(q.contents, text)
	if l.Message.Sections.Kind() == '{' {
		var s walk.Scanner
		s.Reset(l.Message.Sections)
		walk.EachMember(&s, func(name []byte) {
			var n string
			if json.Unmarshal(name, &n) == nil {
				q.section(n, s.Kind() == 'n', s.Text())
			}
		})
	}
	for _, t := range l.Message.Removed {
		q.remove(t.Name)
	}
	for _, t := range l.Message.Added {
		q.remove(t.Name)
		q.tools = append(q.tools, tenfold.ToolDefinition{Name: t.Name, Description: t.Description, Schema: string(t.Parameters)})
	}
	return true
}

func (q *piPrompt) remove(tool string) {
	q.tools = slices.DeleteFunc(q.tools, func(t tenfold.ToolDefinition) bool { return t.Name == tool })
}

func (q *piPrompt) section(name string, gone bool, text string) {
	at := slices.IndexFunc(q.sections, func(s piSection) bool { return s.name == name })
	switch {
	case at >= 0 && gone:
		q.sections = slices.Delete(q.sections, at, at+1)
	case at >= 0:
		q.sections[at].text = text
	case !gone:
		q.sections = append(q.sections, piSection{name, text})
	}
}

func (q *piPrompt) text() string {
	all := q.contents
	for _, s := range q.sections {
		all = joinParagraphs(all, s.text)
	}
	return all
}

// weight is about what the tools take.
func (q *piPrompt) weight() int {
	n := 0
	for _, t := range q.tools {
		n += 64 + len(t.Name) + len(t.Description) + len(t.Schema)
	}
	return n
}

func joinParagraphs(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n\n" + b
}

// piPlain is the text of a content: a text, or a list with texts.
func piPlain(content jsontext.Value) (string, bool) {
	var text string
	if content == nil || content.Kind() == 'n' || json.Unmarshal(content, &text) == nil {
		return text, true
	}
	var parts []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if json.Unmarshal(content, &parts) != nil {
		return "", false
	}
	for i, part := range parts {
		if i > 0 && part.Type == "text" && text != "" {
			text += "\n"
		}
		if part.Type == "text" {
			text += part.Text
		}
	}
	return text, true
}

// edit takes a line that has pi send an earlier one no more, or something else
// in its place. A response that is sent no more is hidden, with the results of
// its calls.
func (p *pi) edit(r *Record, id string) error {
	at, ok := p.byID[r.target]
	if !ok {
		return p.unknown(r, id)
	}
	n := p.nodes[at]
	covered := slices.ContainsFunc(p.compacts, func(c piCompaction) bool { return c.revocation == "" && c.turn >= int(n.turn) })
	switch {
	case !n.shown || slices.ContainsFunc(p.dropped, func(d int) bool { return d == int(n.turn) }):
		return p.unknown(r, id) // is in no view as it is
	case !r.omits || !n.reply || covered:
		p.Warn.Add(r.line, "edit of what pi sends was kept as it is: the view shows the message before it",
			"edits of what pi sends were kept as they are: the view shows the messages before them")
		return p.unknown(r, id)
	}
	turn, step := int(n.turn), int(n.step)
	hide := brokenOff(turn)
	hide.ToStep, hide.Reason = &step, "left out by pi"
	if err := p.Emit(tenfold.Entry{ID: id, Source: string(r.raw), Payload: hide}); err != nil || step == 0 {
		return err
	}
	show, before := hide, step-1
	show.ToStep, show.Turns = &before, tenfold.Keep
	return p.Emit(tenfold.Entry{ID: id + "/shown/" + strconv.Itoa(before), Payload: show})
}
