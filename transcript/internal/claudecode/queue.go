package claudecode

import (
	"slices"
	"strings"

	"tenfold"
	"tenfold/transcript/internal/intake"
)

// Older versions write what a person types while Claude Code works only into
// the lines of its queue: a text that is removed from there went to the model
// in the middle of a turn; one that is dequeued is a prompt of its own.

// queueLimit is how many texts are kept of the queue.
const queueLimit = 1024

// messageQueue is what waits, and what was taken out while the model worked.
type messageQueue struct {
	waiting []string
	taken   []takenMessage
	sent    map[string]bool // digests of what attachments hold
}

type takenMessage struct{ id, text string }

// queueLine follows the queue.
func (c *claude) queueLine(l *claudeLine, id string) error {
	q := &c.queue
	if c.sub != nil || l.sidechain || l.twice {
		return c.unknown(l, id, "claude-code.queue-operation")
	}
	queued := ""
	if l.own.Content.Found() {
		queued, _ = c.Scan.Unquote(l.own.Content)
	}
	switch l.operation {
	case "enqueue":
		if len(q.waiting) < queueLimit && queued != "" {
			q.waiting = append(q.waiting, queued)
		}
	case "dequeue":
		q.next("")
	case "remove":
		text := q.next(queued)
		if key := intake.Digest([]byte(text)); q.sent[key] {
			delete(q.sent, key)
		} else if isTyped(text) && len(q.taken) < queueLimit {
			q.taken = append(q.taken, takenMessage{id, text})
		}
	case "popAll":
		q.waiting = q.waiting[:0] // back to the person
	}
	return c.unknown(l, id, "claude-code.queue-operation")
}

// next takes a text out of the queue: a person's go before notices of tasks.
func (q *messageQueue) next(text string) string {
	i := slices.Index(q.waiting, text)
	if text == "" {
		if i = slices.IndexFunc(q.waiting, isTyped); i < 0 {
			i = 0
		}
	}
	if i < 0 || i >= len(q.waiting) {
		return text
	}
	text = q.waiting[i]
	q.waiting = slices.Delete(q.waiting, i, i+1)
	return text
}

// isTyped reports whether a text of the queue is what a person said to the
// model: no notice of a task, and no command.
func isTyped(text string) bool {
	word, _, _ := strings.Cut(text, " ")
	command := strings.HasPrefix(word, "/") && !strings.Contains(word[1:], "/")
	return strings.TrimSpace(text) != "" && !intake.IsInjected(text) && !command && !strings.HasPrefix(text, `{"task_id"`)
}

// delivered notes a text that an attachment holds: the queue's lines before or
// after it say the same again.
func (c *claude) delivered(l *claudeLine) {
	a, q := &l.attachment, &c.queue
	if a.typ != "queued_command" {
		return
	}
	var text string
	if a.prompt.IsText() {
		text, _ = c.Scan.Unquote(a.prompt.Content)
	}
	for _, b := range a.prompt.Blocks {
		if b.Typ == "text" && b.Text.Found() {
			text, _ = c.Scan.Unquote(b.Text)
			break
		}
	}
	if i := slices.IndexFunc(q.taken, func(t takenMessage) bool { return t.text == text }); i >= 0 {
		q.taken = slices.Delete(q.taken, i, i+1)
		return
	}
	if len(q.sent) < queueLimit {
		if q.sent == nil {
			q.sent = map[string]bool{}
		}
		q.sent[intake.Digest([]byte(text))] = true
	}
}

// leaveQueue puts what was taken out of the queue into the conversation, before
// the model answers it. What turns up as a prompt is there already.
func (c *claude) leaveQueue(l *claudeLine) {
	q := &c.queue
	if len(q.taken) == 0 {
		return
	}
	if l != nil && l.typ == "user" {
		for i := range l.msg.Blocks {
			if l.msg.Blocks[i].Typ == "tool_result" {
				return
			}
		}
		if l.msg.IsText() {
			text, _ := c.Scan.Unquote(l.msg.Content)
			q.taken = slices.DeleteFunc(q.taken, func(t takenMessage) bool { return t.text == text })
		}
	}
	taken := q.taken
	q.taken = nil
	for _, t := range taken {
		_ = c.insertDuringWork(tenfold.Entry{ID: t.id + "/queued", Time: c.Now, Payload: tenfold.UserMessage{Parts: tenfold.Text(t.text)}}, true)
	}
}
