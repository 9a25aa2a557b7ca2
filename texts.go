package tenfold

// resolveSaid decides the fate of a message of the assistant under a policy
// for texts.
func (p *Projection) resolveSaid(seq int32, n *node) (Fate, int32, int32) {
	by := p.word(slotTexts, seq)
	if by == nobody {
		return Kept, nobody, n.tokens
	}
	text, f := p.overlays[by].c.Texts.leave(p.log.payload(seq), seq, false)
	switch f {
	case Kept:
		return Kept, nobody, n.tokens
	case Omitted:
		return Omitted, by, 0
	}
	return f, by, int32(p.log.counter.Count(text))
}

// resolveUser decides the fate of a user message: what is left of its text,
// then of its files and attachments.
func (p *Projection) resolveUser(seq int32, n *node) (Fate, int32, int32) {
	m, f, by := p.leaveUser(seq, n)
	switch f {
	case Kept:
		return Kept, nobody, n.tokens
	case Omitted:
		return Omitted, by, 0
	}
	return f, by, int32(CountPayload(p.log.counter, m))
}

// leaveUser gives what overlays leave of a user message, the fate that is, and
// by which: where both slots change it, the one that wins on texts.
func (p *Projection) leaveUser(seq int32, n *node) (UserMessage, Fate, int32) {
	m := payloadOf[UserMessage](p.log, seq)
	f, by := Kept, nobody
	if at := p.word(slotTexts, seq); p.texts > 0 && at != nobody && !p.shields(at, n, seq) {
		var text string
		if text, f = p.overlays[at].c.Texts.leave(m, seq, n.is(flagFiles)); f != Kept {
			m.Parts, by = withText(m.Parts, text), at
		}
	}
	if f == Omitted || !n.is(flagFiles) {
		return m, f, by
	}
	at := p.slots[slotAttachments].at(seq)
	if at == nobody || p.overlays[at].c.Attachments.Action != Strip || p.shields(at, n, seq) {
		return m, f, by
	}
	if bare, changed := withoutFiles(m, p.overlays[at].c.Attachments.Over); changed {
		m = bare
		if f == Kept {
			f, by = Stripped, at
		}
	}
	return m, f, by
}

// withText puts a text in the place of the texts of a content; files stay.
func withText(parts []Part, text string) []Part {
	var out []Part
	if text != "" {
		out = Text(text)
	}
	for _, part := range parts {
		if part.File != nil {
			out = append(out, part)
		}
	}
	return out
}

// leave gives what a policy leaves of a message's text, and the fate that is.
// A message that carries files too is not hidden when its text is gone.
func (p *TextPolicy) leave(m Payload, seq int32, files bool) (string, Fate) {
	u, isUser := m.(UserMessage)
	typed := isUser && !u.Synthetic
	trim, named := p.Entries[int64(seq)]
	if !named {
		trim.Action = p.Rest
	}
	text := TextLines(m)
	left, f := text, Kept
	switch trim.Action {
	case Omit:
		if !typed {
			return "", Omitted
		}
	case Trim:
		if isBlank(text) {
			break
		}
		t := trimmer{short: p.Marks == MarksShort, recall: recallRef(p.Recall, seq)}
		out := t.trim(text, 0, 0, trim.Lines)
		switch {
		case t.blank && typed: // what a person said is never hidden
		case t.blank:
			left, f = "", Trimmed
		case len(out) < len(text):
			left, f = out, Trimmed
		}
	}
	if words := trim.Folded.words(); words != "" {
		if f == Kept {
			left = foreign(left)
		}
		return trim.Folded.onText(left), Trimmed
	}
	if f == Trimmed && left == "" && !files {
		return "", Omitted
	}
	return left, f
}
