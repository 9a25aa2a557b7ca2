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
	if next.role == e.d.assistant || len(e.held) == 0 || e.held[0].message == 0 {
		return e.held[:from:from], e.held[from:], came
	}
	// None begins the request, nor does an effort that was set before hold behind a later one.
	if len(e.drafts) == 0 || slices.ContainsFunc(e.held[:from], func(d *draft) bool { return d.effort }) {
		from = len(e.held)
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

// unplaced takes back what an operator said last.
func (e *editor) unplaced() []*draft {
	n := len(e.drafts)
	for n > 0 && e.d.operator != "" && e.drafts[n-1].role == e.d.operator {
		n--
	}
	back := slices.Clone(e.drafts[n:])
	e.drafts = e.drafts[:n]
	return back
}

// follows tells who speaks behind what is edited, the model where all is, and whether an
// operator comes first, and with words.
func (e *editor) follows(upto int) (role string, first, words bool) {
	for i := upto; i < len(e.r.Messages) && !e.r.Messages[i].Model; i++ {
		if e.d.operator == "" {
			return e.d.user, false, false
		}
		m, err := messageOf(e.r, i, e.d.member)
		if e.err = cmp.Or(e.err, err); err != nil || m.role != e.d.operator {
			return e.d.user, first, words
		}
		if i == upto {
			first, words = true, !m.list || len(m.blocks) > 0
		}
	}
	return e.d.assistant, first, words
}

// settle puts in what waits before message upto, which follows as it came. Before the user's,
// texts become theirs, as hosts write them where a model takes none of an operator; what changes
// the tools cannot.
func (e *editor) settle(upto int, follows string) {
	e.endNewest()
	if follows == e.d.assistant {
		e.release(&draft{role: follows, message: upto})
		return
	}
	waits, beside, _ := e.waiting(&draft{role: follows, message: upto})
	waits = e.lasting(waits)
	e.held = nil
	var others []*draft
	var effort *draft // that was set last, unless by one of the others
	for _, d := range waits {
		switch text := e.words(d); {
		case len(d.blocks) == 0:
			effort = d
		case text != "":
			e.put(e.asUser("<system-reminder>\n" + text + "\n</system-reminder>"))
			if d.effort {
				d.blocks, d.moved, effort = nil, true, d
			}
		default:
			others = append(others, d)
			if d.effort {
				effort = nil
			}
		}
	}
	if len(others) > 0 {
		e.asksLast()
		e.drafts = append(append(e.drafts, others...), &draft{role: e.d.assistant, message: -1, blocks: []block{e.fresh(continueText)}, moved: true})
	}
	if effort != nil {
		beside = append([]*draft{effort}, beside...)
	}
	if len(beside) > 0 && len(e.drafts) == 0 && beside[0].message > 0 {
		e.put(e.asUser(openingText))
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
		if d.effort {
			effort = d
		}
	}
	return slices.DeleteFunc(waits, func(d *draft) bool {
		if e.cleared(d) {
			d.blocks, d.moved = slices.DeleteFunc(d.blocks, func(b block) bool { return e.textOf(b) != "" }), true
		}
		return len(d.blocks) == 0 && d != effort
	})
}

// cleared reports whether an operator's texts ended with the user's message after them: they are
// shown to nobody, unless they stood elsewhere. What else stands there holds on.
func (e *editor) cleared(d *draft) bool {
	at, ok := e.memberOf(d, "clear_at")
	return ok && at.text(e.r.Body) == "next_user_message"
}

// setsEffort reports whether a message says how much effort the model is to make.
func (e *editor) setsEffort(d *draft) bool {
	at, ok := e.memberOf(d, "output_config")
	if !ok || e.r.Body[at.From] != '{' {
		return false
	}
	f, err := object(e.r.Body, at)
	effort, ok := f.get("effort")
	return err == nil && ok && effort.isText(e.r.Body)
}

func (e *editor) memberOf(d *draft, name string) (Span, bool) {
	f, err := object(e.r.Body, d.from.at)
	if err != nil {
		return Span{}, false
	}
	return f.get(name)
}

// words are the texts of a draft, "" where something else stands in it.
func (e *editor) words(d *draft) string {
	var texts []string
	for _, b := range d.blocks {
		text := e.textOf(b)
		if text == "" {
			return ""
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, "\n\n")
}

// textOf is the text of a block, "" of one that is none.
func (e *editor) textOf(b block) string {
	at := Span{0, len(b.raw)}
	if !b.bare {
		f, err := object(b.raw, at)
		if kind, _ := f.get("type"); err != nil || kind.text(b.raw) != "text" {
			return ""
		}
		at, _ = f.get("text")
	}
	return at.text(b.raw)
}
