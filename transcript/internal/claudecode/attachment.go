package claudecode

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"

	"tenfold"
	"tenfold/transcript/internal/chatapi"
	"tenfold/transcript/internal/engine"
	"tenfold/transcript/internal/intake"
	"tenfold/transcript/internal/walk"
)

// claudeAttachment is what Claude Code put into a request beside the messages:
// what was typed while it worked, files, and what hooks said. Newer versions
// write the text that was sent (rendered).
type claudeAttachment struct {
	walk.Span
	typ, mode, origin string
	meta              bool
	prompt            chatapi.BlockMessage
}

// attached are the attachments that are part of the conversation. Others, such
// as lists of tools and skills, Claude Code makes anew when it resumes.
var attached = []string{
	"queued_command", "file", "directory", "pdf_reference", "mcp_resource", "at_mention_reference", "agent_mention",
	"selected_lines_in_ide", "selected_lines_in_diff", "edited_text_file", "edited_image_file", "nested_memory",
	"relevant_memories", "hook_additional_context", "hook_blocking_error", "hook_stopped_continuation", "hook_success",
	"async_hook_response", "diagnostics", "task_status", "poll_events", "teammate_mailbox", "invoked_skills",
	"plan_file_reference", "compact_file_reference",
}

// instructing are the attachments that hold standing instructions; the others
// tell what happened, or what a person pointed at. What a hook said is either: its
// text names the event.
var (
	instructing = []string{"nested_memory", "relevant_memories", "invoked_skills", "plan_file_reference"}
	hooked      = []string{"hook_additional_context", "hook_success"}
)

// purpose tells what the attachment is for: a request too where the text is to tell.
func (a *claudeAttachment) purpose() tenfold.Purpose {
	switch {
	case a.typed(), slices.Contains(hooked, a.typ):
		return tenfold.Request
	case slices.Contains(instructing, a.typ):
		return tenfold.Context
	}
	return tenfold.Notice
}

// typed reports whether it is what a person typed.
func (a *claudeAttachment) typed() bool {
	return a.typ == "queued_command" && (a.mode == "" || a.mode == "prompt") && !a.meta && (a.origin == "" || a.origin == "human")
}

// attach looks into the attachment of a line.
func (l *claudeLine) attach(s *walk.Scanner) {
	a := &l.attachment
	a.From = int(s.Offset()) // before the colon
	walk.Shape{
		"type", &a.typ,
		"commandMode", &a.mode,
		"isMeta", &a.meta,
		"origin", walk.Inner("kind", &a.origin),
		"prompt", func() {
			s.Twice = s.Twice || a.prompt.Content.Found()
			a.prompt.ReadContent(s)
		},
	}.Read(s)
	a.To = int(s.Offset())
}

// render reads the texts that were sent.
func (l *claudeLine) render(s *walk.Scanner) {
	s.Twice = s.Twice || l.rendered != nil
	walk.EachItem(s, func() {
		if s.Kind() != '{' {
			s.Twice = true
			s.Value()
			return
		}
		var m chatapi.BlockMessage
		m.Read(s)
		l.rendered = append(l.rendered, m)
	})
}

// said gives the messages of a line that hold what a model saw: those of an
// attachment, or the line's own.
func (l *claudeLine) said() []*chatapi.BlockMessage {
	switch {
	case l.typ == "progress":
		return []*chatapi.BlockMessage{&l.agent}
	case l.typ == "system":
		return []*chatapi.BlockMessage{&l.own}
	case l.typ != "attachment":
		return []*chatapi.BlockMessage{&l.msg}
	case l.attachment.typed() && l.attachment.prompt.Readable():
		return []*chatapi.BlockMessage{&l.attachment.prompt}
	}
	var list []*chatapi.BlockMessage
	for i := range l.rendered {
		list = append(list, &l.rendered[i])
	}
	return list
}

// attachmentLine makes a message of an attachment that a model saw: a person's
// where one typed it, else injected context.
func (c *claude) attachmentLine(l *claudeLine, id, branch string) error {
	if c.pend != nil && branch == "" || l.twice || !slices.Contains(attached, l.attachment.typ) {
		return c.unknown(l, id, "claude-code.attachment")
	}
	w := engine.Finder{Scan: &c.Scan, Raw: l.raw}
	var parts []tenfold.Part
	for _, m := range l.said() {
		if !m.Readable() {
			continue
		}
		if m.IsText() {
			parts = append(parts, tenfold.TextPart(w.Text(m.Content)))
		}
		for i := range m.Blocks {
			parts = append(parts, chatapi.BlockPart(&w, &m.Blocks[i]))
		}
	}
	if len(parts) == 0 {
		parts = attachmentParts(l.attachment.Of(l.raw))
	}
	if !engine.SaySomething(parts) {
		return c.unknown(l, id, "claude-code.attachment")
	}
	typed := l.attachment.typed() && branch == ""
	c.delivered(l)
	e := tenfold.Entry{
		ID: id, Time: c.Now, Branch: branch, Source: w.Done(),
		Payload: tenfold.UserMessage{Parts: parts, Purpose: l.attachment.purpose(), Synthetic: !typed},
	}
	if branch != "" && c.isTold(e) {
		return c.unknown(l, id, "claude-code.attachment")
	}
	return c.insertDuringWork(e, typed)
}

// localCommand makes a message of what a command printed: Claude Code sends it.
func (c *claude) localCommand(l *claudeLine, id, branch string) error {
	w := engine.Finder{Scan: &c.Scan, Raw: l.raw}
	text := ""
	if l.own.Readable() {
		text = w.Text(l.own.Content)
	}
	if c.pend != nil && branch == "" || l.twice || strings.TrimSpace(text) == "" {
		return c.unknown(l, id, "claude-code.system")
	}
	return c.insertDuringWork(tenfold.Entry{
		ID: id, Time: c.Now, Branch: branch, Source: w.Done(),
		Payload: tenfold.UserMessage{Parts: tenfold.Text(text), Purpose: tenfold.Notice, Synthetic: true},
	}, false)
}

// insertDuringWork puts in a message that came while the model worked.
func (c *claude) insertDuringWork(e tenfold.Entry, typed bool) error {
	_ = c.holdEntries(e.Branch, intake.RecordID(e.ID), []tenfold.Entry{e})
	if typed && c.opened == intake.TurnSoft {
		c.opened = intake.TurnOpen
	}
	return nil
}

// attachmentParts words an attachment of an older version, which did not keep
// what it sent, as Claude Code 2.1 does.
func attachmentParts(raw []byte) []tenfold.Part {
	raw = bytes.TrimLeft(raw, ": \t\r\n")
	var a struct {
		Type, Filename, Snippet, HookName, HookEvent string
		Prompt                                       any
		Content                                      any
	}
	if json.Unmarshal(raw, &a, append(slices.Clone(walk.ScanOptions), json.MatchCaseInsensitiveNames(true))...) != nil {
		return nil
	}
	content, _ := a.Content.(map[string]any)
	file, _ := content["file"].(map[string]any)
	in := func(m map[string]any, name string) string { text, _ := m[name].(string); return text }
	var text string
	switch a.Type {
	case "queued_command":
		text, _ = a.Prompt.(string)
	case "file":
		call := "Called the Read tool with the following input: " + jsonText(map[string]string{"file_path": a.Filename})
		switch {
		case in(content, "type") == "image" && in(file, "base64") != "":
			media := in(file, "type")
			return []tenfold.Part{tenfold.TextPart(reminder(call)), {File: &tenfold.File{
				Type: tenfold.PartImage, MediaType: media, URI: "data:" + media + ";base64," + in(file, "base64"),
			}}}
		case in(file, "content") != "":
			return []tenfold.Part{
				tenfold.TextPart(reminder(call)),
				tenfold.TextPart(reminder("Result of calling the Read tool:\n" + lineNumbers(in(file, "content")))),
			}
		}
	case "edited_text_file":
		if a.Snippet != "" {
			text = "Note: " + a.Filename + " changed on disk since you last read it. Here are the relevant changes (shown with line numbers):\n" + a.Snippet
		}
	case "nested_memory":
		if memory := in(content, "content"); memory != "" {
			text = "Contents of " + in(content, "path") + ":\n\n" + memory
		}
	case "hook_additional_context":
		list, _ := a.Content.([]any)
		all := intake.Joiner{Between: "\n"}
		for _, v := range list {
			line, _ := v.(string)
			all.Add(line)
		}
		if text = all.String(); text != "" {
			text = a.HookName + " hook additional context: " + text
		}
	case "hook_success":
		// What other hooks say goes to nobody.
		if said, _ := a.Content.(string); said != "" && (a.HookEvent == "SessionStart" || a.HookEvent == "UserPromptSubmit") {
			text = a.HookName + " hook success: " + said
		}
	}
	if text == "" {
		return nil
	}
	return tenfold.Text(reminder(text))
}

func reminder(text string) string { return "<system-reminder>\n" + text + "\n</system-reminder>" }

func jsonText(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return "" // it held texts alone
	}
	return string(text)
}

// lineNumbers puts numbers before the lines of a file.
func lineNumbers(text string) string {
	var b strings.Builder
	n := 0
	for line := range strings.Lines(text) {
		n++
		b.WriteString(strconv.Itoa(n) + "\t" + line)
	}
	return b.String()
}
