package tenfold

import "slices"

// Why says why the entry with the given seq has the fate that [Projection.Fate]
// gives.
func (p *Projection) Why(seq int64) Reason {
	if seq < 1 || seq > int64(p.version) {
		return ReasonNone
	}
	n := p.log.node(int32(seq))
	switch {
	case n.is(flagEmpty) && n.visible():
		return ReasonEmpty
	case n.is(flagVoid):
		return ReasonRepair
	case !n.visible():
		return ReasonUnseen
	}
	return p.state(int32(seq)).reason()
}

// keeps is the decision to leave an entry as it is.
func keeps(n *node, why Reason) decision { return decision{Kept, why, nobody, n.tokens} }

// resolve decides the fate of an entry that is not void. It looks at nothing
// but the log and the overlays.
func (p *Projection) resolve(seq int32, n *node) decision {
	d := p.resolveUnbound(seq, n)
	switch {
	case d.fate != Kept || !p.bound(seq, n):
		return d
	case n.kind == codeAssistant:
		return decision{Stripped, ReasonUnsigned, nobody, n.tokens}
	}
	return decision{Omitted, ReasonBound, nobody, 0}
}

// resolveUnbound decides it whatever reasoning is bound to (P10a).
func (p *Projection) resolveUnbound(seq int32, n *node) decision {
	at, anchor := seq, n // a result shares the fate of its call
	if n.kind == codeResult {
		at = n.pair
		anchor = p.log.node(at)
	}
	if p.pinned.get(at) {
		return keeps(n, ReasonPinned)
	}
	hidden, spared := p.hides(at, anchor)
	if hidden.by != nobody {
		return hidden
	}
	switch n.kind {
	case codeUser:
		return p.resolveUser(seq, n, spared)
	case codeReasoning:
		return p.resolveReasoning(seq, n)
	case codeAssistant:
		if p.texts > 0 {
			return p.resolveAssistant(seq, n)
		}
	case codeCall, codeResult:
		by := p.winner(slotTools, at)
		switch {
		case by != nobody && !p.keeps(by, at):
			return p.resolveTool(seq, n, at, anchor, by)
		case by != nobody, spared:
			return keeps(n, ReasonOpen)
		}
	}
	return keeps(n, ReasonNone)
}

// hides tells whether a summary or an omission hides the entry: where both do,
// the later of the two. Spared says that one would, were it not for P8a or P9.
func (p *Projection) hides(seq int32, n *node) (d decision, spared bool) {
	d.by = nobody
	if s := p.slots[slotSummary].at(seq); s != nobody {
		if spared = p.leaves(s, n, seq); !spared {
			d = decision{fate: Summarised, reason: ReasonSummary, by: s}
		}
	}
	if t := p.slots[slotTurns].at(seq); t != nobody && p.leaves(t, n, seq) {
		spared = true
	} else if t > d.by && p.overlays[t].c.Turns == Omit {
		d = decision{fate: Omitted, reason: ReasonTurns, by: t}
	}
	return d, spared
}

// leaves reports whether the overlay must not hide the entry (P8a, P9, live V5).
func (p *Projection) leaves(by int32, n *node, seq int32) bool {
	return p.shields(by, n, seq) || p.stands(by, n, seq) || p.keeps(by, seq)
}

// keeps reports whether the overlay leaves a call or a message alone.
func (p *Projection) keeps(by, seq int32) bool {
	_, found := slices.BinarySearch(p.overlays[by].keeps, seq)
	return found
}

// kept gives the calls and the messages of a stretch that are named, in order.
func (p *Projection) kept(keeps *Keeps, lo, hi int32) []int32 {
	found := make([]int32, 0, len(keeps.Calls)+len(keeps.Entries))
	for _, id := range keeps.Calls {
		if seq := p.log.find(id); lo <= seq && seq <= hi && p.log.node(seq).kind == codeCall {
			found = append(found, seq)
		}
	}
	for _, seq := range keeps.Entries {
		if seq < int64(lo) || seq > int64(hi) {
			continue
		}
		switch p.log.node(int32(seq)).kind {
		case codeCall, codeUser, codeAssistant:
			found = append(found, int32(seq))
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// shields reports whether the overlay must leave the entry alone: a user
// message of the turn its range ends inside of (P9).
func (p *Projection) shields(by int32, n *node, seq int32) bool {
	if n.kind != codeUser {
		return false
	}
	users := p.overlays[by].users
	return users > 0 && users <= seq && seq <= p.overlays[by].hi
}

// resolveReasoning decides the fate of reasoning. What is signed and belongs to
// the tool loop that was open when the overlay was made stays until the loop
// closes (P10).
func (p *Projection) resolveReasoning(seq int32, n *node) decision {
	by := p.slots[slotReasoning].at(seq)
	if by == nobody {
		return keeps(n, ReasonNone)
	}
	policy, from := p.overlays[by].c.Reasoning, p.overlays[by].heldFrom
	switch {
	case policy.Action != Strip:
		return keeps(n, ReasonLeft)
	case policy.Over > 0 && Size(len(payloadOf[Reasoning](p.log, seq).Text)) <= policy.Over:
		return keeps(n, ReasonSmall)
	case from > 0 && seq >= from && n.is(flagOpaque):
		return keeps(n, ReasonHeld)
	}
	return decision{Omitted, ReasonReasoning, by, 0}
}

// resolveAssistant decides the fate of a message of the assistant under a
// policy for texts.
func (p *Projection) resolveAssistant(seq int32, n *node) decision {
	by := p.winner(slotTexts, seq)
	if by == nobody {
		return keeps(n, ReasonNone)
	}
	text, f, why := p.shortenText(by, seq, false, ReasonNone)
	switch f {
	case Kept:
		return keeps(n, why)
	case Omitted:
		return decision{Omitted, why, by, 0}
	}
	return decision{f, why, by, int32(p.log.counter.Count(text))}
}

// resolveUser decides the fate of a user message: what is left of its text,
// then of its files and attachments.
func (p *Projection) resolveUser(seq int32, n *node, spared bool) decision {
	m, d := p.shortenUser(seq, n)
	switch {
	case d.fate == Kept && spared && n.is(flagContext):
		return keeps(n, ReasonContext)
	case d.fate == Kept && spared:
		return keeps(n, ReasonRequest)
	case d.fate == Kept:
		return keeps(n, d.reason)
	case d.fate != Omitted:
		d.tokens = int32(CountPayload(p.log.counter, m))
	}
	return d
}

// shortenUser gives what overlays leave of a user message, and what they decided,
// tokens aside. Where both slots change it, the one that wins on texts stands.
func (p *Projection) shortenUser(seq int32, n *node) (UserMessage, decision) {
	if p.texts == 0 && !n.is(flagFiles) {
		return payloadOf[UserMessage](p.log, seq), decision{by: nobody}
	}
	at := p.winner(slotTexts, seq)
	if p.texts > 0 && at != nobody && p.overlays[at].omits(seq) && !p.shields(at, n, seq) && !p.stands(at, n, seq) {
		return UserMessage{}, decision{fate: Omitted, reason: ReasonRest, by: at}
	}
	m, d := payloadOf[UserMessage](p.log, seq), decision{by: nobody}
	if p.texts > 0 && at != nobody {
		var text string
		if p.shields(at, n, seq) && !p.trimsHost(at, seq) {
			d.reason = ReasonRequest
		} else if text, d.fate, d.reason = p.shortenText(at, seq, n.is(flagFiles), p.unhidden(at, n, seq, &m)); d.fate != Kept {
			m.Parts, d.by = withText(m.Parts, text), at
		}
	}
	at = p.slots[slotAttachments].at(seq)
	if d.fate == Omitted || !n.is(flagFiles) || at == nobody {
		return m, d
	}
	if policy := p.overlays[at].c.Attachments; policy.Action == Strip && !p.shields(at, n, seq) {
		if bare, changed := withoutFiles(m, policy.Over); changed {
			m = bare
			if d.fate == Kept {
				d.fate, d.reason, d.by = Stripped, ReasonFiles, at
			}
		}
	}
	if d.reason == ReasonNone {
		d.reason = ReasonLeft
	}
	return m, d
}

// omits reports whether an overlay omits a message unnamed, whoever wrote it.
func (o *overlay) omits(seq int32) bool {
	policy := o.c.Texts
	if policy.Rest != Omit || !policy.Requests {
		return false
	}
	_, named := policy.Entries[int64(seq)]
	return !named
}

// trimsHost reports whether an overlay names the lines that stay of what a host
// put into a user's message: standing instructions, or what a command printed.
// It may be long, and is no request: P9 does not shield it from that, for it is
// still shown (fit.md F4).
func (p *Projection) trimsHost(by int32, seq int32) bool {
	return p.overlays[by].c.Texts.Entries[int64(seq)].Action == Trim && !payloadOf[UserMessage](p.log, seq).IsRequest()
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

// shortenText gives what an overlay leaves of a message's text, the fate that is, and
// why. A message that carries files too is not hidden when its text is gone, nor
// is one for which unhidden gives a reason.
func (p *Projection) shortenText(by, seq int32, files bool, unhidden Reason) (string, Fate, Reason) {
	policy := p.overlays[by].c.Texts
	trim, named := policy.Entries[int64(seq)]
	changed, kept := ReasonLines, ReasonLeft
	if !named {
		trim.Action, changed = policy.Rest, ReasonRest
	}
	if trim.Action == Omit && (unhidden == ReasonNone || unhidden == ReasonTyped && named) {
		return "", Omitted, changed
	}
	text := TextLines(p.log.payload(seq))
	left, f := text, Kept
	switch trim.Action {
	case Omit:
		kept = unhidden
	case Trim:
		kept = ReasonBare
		if isBlank(text) {
			break
		}
		out, shows := (&chosen{lines: wholeSentences(text, trim.Lines)}).cut(text, policy.Marks == MarksShort)
		if shows && out != text {
			out += p.recallRef(by, policy.Recall, seq)
		}
		switch {
		case !shows && unhidden != ReasonNone:
		case !shows:
			left, f = "", Trimmed
		case len(out) < len(text):
			left, f = out, Trimmed
		}
	}
	if trim.Folded.tells() {
		if f == Kept {
			left = shieldMarks(left)
		}
		return p.foldedBeside(by, trim.Folded, policy.Recall, left), Trimmed, changed
	}
	switch {
	case f == Kept:
		return left, Kept, kept
	case left == "" && !files:
		return "", Omitted, changed
	}
	return left, f, changed
}

// resolveTool decides the fate of a call or a result under a tool policy.
func (p *Projection) resolveTool(seq int32, n *node, at int32, call *node, by int32) decision {
	s, why := p.sides(by, at, call), ReasonPolicy
	policy := p.overlays[by].c.ToolCalls
	if policy.Action == Selective {
		why = ReasonRest
		if named, _ := p.mention(at); named == by {
			why = ReasonNamed
		}
	}
	switch {
	case s.request == actOmit:
		return decision{Omitted, why, by, 0}
	// A result that came after the overlay takes nothing with it (P11a).
	case s.removes && call.pair > 0 && call.pair < p.overlays[by].seq && p.over(policy, call.pair):
		return decision{Omitted, ReasonHint, by, 0}
	case n.kind == codeCall:
		switch {
		case s.request == actKeep && s.requestHint:
			return keeps(n, ReasonHint)
		case s.request == actKeep:
			return keeps(n, ReasonLeft)
		case n.is(flagBare):
			return keeps(n, ReasonBare)
		case !p.over(policy, seq):
			return keeps(n, ReasonSmall)
		}
		c := payloadOf[ToolCall](p.log, seq)
		left, ok := policy.reduceArguments(c)
		if !ok {
			return keeps(n, ReasonBare)
		}
		return decision{Stripped, why, by, p.stubs.count(c.Name) + p.stubs.count(left)}
	case s.bare() && s.response == actStrip && p.over(policy, seq):
		_, tokens := p.stub(by, n, seq)
		return decision{Stripped, why, by, tokens}
	}
	if !s.bare() || (s.response != actKeep && p.over(policy, seq)) {
		if r, f := p.shortenResult(by, s, seq, n); f != Kept {
			return decision{f, why, by, int32(CountPayload(p.log.counter, r))}
		}
	}
	switch {
	case s.response == actKeep && s.responseHint:
		return keeps(n, ReasonHint)
	case s.response == actKeep:
		return keeps(n, ReasonLeft)
	case !p.over(policy, seq):
		return keeps(n, ReasonSmall)
	}
	return keeps(n, ReasonBare) // a trim that would save nothing
}

// shortenResult gives what an overlay leaves of a result, and the fate that is.
func (p *Projection) shortenResult(by int32, s *sides, seq int32, n *node) (ToolResult, Fate) {
	policy := p.overlays[by].c.ToolCalls
	r, f := payloadOf[ToolResult](p.log, seq), Kept
	if p.over(policy, seq) {
		switch s.response {
		case actTrim:
			r.Parts, f = p.trimmed(by, r, s, seq, n)
		case actStrip:
			f = Stripped
			r.Parts, _ = p.stub(by, n, seq)
		}
	}
	if len(s.body) > 0 && s.request == actTrim && p.over(policy, n.pair) {
		if body := policy.bodyLines(payloadOf[ToolCall](p.log, n.pair), s.body); body != "" {
			if f == Kept {
				f, r.Parts = Trimmed, shieldParts(r.Parts)
			}
			if f == Stripped {
				r.Parts = p.withoutPatched(n, r.Parts)
			}
			r.Parts = appendText(r.Parts, body)
		}
	}
	if s.folded.tells() {
		if f == Kept {
			f, r.Parts = Trimmed, shieldParts(r.Parts)
		}
		r.Parts = p.foldedParts(by, s.folded, policy.Recall, r.Parts)
	}
	return r, f
}

// over reports whether a call's or a result's content is larger than the
// policy's gate (P6).
func (p *Projection) over(policy *ToolPolicy, seq int32) bool {
	return policy.Over == 0 || p.log.Size(int64(seq)) > policy.Over
}

// shorten gives the payload that the overlay leaves of an entry.
func (p *Projection) shorten(seq int32, n *node, by int32) Payload {
	switch payload := p.log.payload(seq).(type) {
	case UserMessage:
		m, _ := p.shortenUser(seq, n)
		return m
	case AssistantMessage:
		payload.Text, _, _ = p.shortenText(by, seq, false, ReasonNone)
		payload.Signature = ""
		return payload
	case ToolCall:
		payload.Arguments, _ = p.overlays[by].c.ToolCalls.reduceArguments(payload)
		return payload
	case ToolResult:
		payload, _ = p.shortenResult(by, p.sides(by, n.pair, p.log.node(n.pair)), seq, n)
		return payload
	default:
		return payload
	}
}
