package wire

import (
	"cmp"
	"slices"
	"strings"
)

// An operator's words among Anthropic's messages stand between the user's and the model's, or at
// the end; those without content, which set the effort, may stand anywhere
// (https://platform.claude.com/docs/en/build-with-claude/mid-conversation-system-messages).
// Where what stood around them is gone, they wait for what the model says next.

// waiting parts what waits from what may stand before a draft as the client has it there, and
// tells whether it also follows what it did.
func (e *editor) waiting(next *draft) (waits, beside []*draft, came bool) {
	from := len(e.held)
	for at := next.message - 1; from > 0 && e.held[from-1].message == at; at-- {
		from--
	}
	last := e.last()
	came = from < len(e.held) && !last.moved && last.message == e.held[from].message-1
	for i := from; i < len(e.held) && next.role != e.d.assistant && !came; i++ {
		if len(e.held[i].blocks) > 0 {
			from = i + 1
		}
	}
	return e.held[:from:from], e.held[from:], came
}

// release puts in before a draft what waits for it: all of it where the model speaks, else what
// the client put there itself.
func (e *editor) release(next *draft) {
	waits, beside, came := e.waiting(next)
	if next.role != e.d.assistant {
		if !next.moved {
			e.held, e.drafts = waits, append(e.drafts, beside...)
		}
		return
	}
	held := append(e.lasting(waits), beside...)
	e.held = nil
	if len(held) > 0 && (!came || len(held) > len(beside)) {
		e.asksLast()
	}
	e.drafts = append(e.drafts, held...)
}

// follows tells who speaks behind what is edited, the model where all is, and whether an
// operator's words come first.
func (e *editor) follows(upto int) (role string, words bool) {
	for i := upto; i < len(e.r.Messages) && !e.r.Messages[i].Model; i++ {
		if e.d.operator == "" {
			return e.d.user, false
		}
		m, err := messageOf(e.r, i, e.d.member)
		if e.err = cmp.Or(e.err, err); err != nil || m.role != e.d.operator {
			return e.d.user, words
		}
		words = words || i == upto && (!m.list || len(m.blocks) > 0)
	}
	return e.d.assistant, words
}

// settle puts in what waits before message upto, which follows as it came. Before the user's,
// texts become theirs, as hosts write them where a model takes none of an operator; what changes
// the tools cannot.
func (e *editor) settle(upto int, follows string) {
	if follows == e.d.assistant {
		e.release(&draft{role: follows, message: upto})
		return
	}
	waits, beside, _ := e.waiting(&draft{role: follows, message: upto})
	waits = e.lasting(waits)
	e.held = nil
	var others []*draft
	for _, d := range waits {
		switch text := e.words(d); {
		case len(d.blocks) == 0:
			beside = append([]*draft{d}, beside...)
		case text != "":
			e.put(e.asUser("<system-reminder>\n" + text + "\n</system-reminder>"))
		default:
			others = append(others, d)
		}
	}
	if len(others) > 0 {
		e.asksLast()
		e.drafts = append(append(e.drafts, others...), &draft{role: e.d.assistant, message: -1, blocks: []block{e.fresh(continueText)}, moved: true})
	}
	e.drafts = append(e.drafts, beside...)
}

// asksLast has a message of the user's stand last.
func (e *editor) asksLast() {
	switch e.last().role {
	case e.d.user:
	case "":
		e.put(e.asUser(openingText))
	default:
		e.endNewest()
		e.drafts = append(e.drafts, e.asUser(continueText))
	}
}

// lasting is what still holds of what waits: of what sets the effort only the last of all.
func (e *editor) lasting(waits []*draft) []*draft {
	var effort *draft
	for _, d := range e.held {
		if len(d.blocks) == 0 {
			effort = d
		}
	}
	return slices.DeleteFunc(waits, func(d *draft) bool {
		return len(d.blocks) == 0 && d != effort || e.cleared(d)
	})
}

// cleared reports whether an operator's words ended with the user's message after them: they are
// shown to nobody, unless they stood elsewhere.
func (e *editor) cleared(d *draft) bool {
	f, err := object(e.r.Body, d.from.at)
	at, ok := f.get("clear_at")
	return err == nil && ok && at.text(e.r.Body) == "next_user_message"
}

// words are the texts of a draft, "" where something else stands in it.
func (e *editor) words(d *draft) string {
	var texts []string
	for _, b := range d.blocks {
		at := Span{0, len(b.raw)}
		if !b.bare {
			f, err := object(b.raw, at)
			if kind, _ := f.get("type"); err != nil || kind.text(b.raw) != "text" {
				return ""
			}
			at, _ = f.get("text")
		}
		texts = append(texts, at.text(b.raw))
	}
	return strings.Join(texts, "\n\n")
}
