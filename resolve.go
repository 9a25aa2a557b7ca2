package tenfold

// resolve decides the fate of an entry that is not void: the overlay that made
// it so, and what it costs now. It looks at nothing but the log and the
// overlays.
func (p *Projection) resolve(seq int32, n *node) (Fate, int32, int32) {
	at, anchor := seq, n // a result shares the fate of its call
	if n.kind == codeResult {
		at = n.pair
		anchor = p.log.node(at)
	}
	if p.pinned.get(at) {
		return Kept, nobody, n.tokens
	}
	if f, by, ok := p.hides(at, anchor); ok {
		return f, by, 0
	}
	switch n.kind {
	case codeReasoning:
		by := p.slots[slotReasoning].at(seq)
		if by != nobody && p.strips(p.overlays[by].c.Reasoning, seq) && !p.held(by, seq, n) {
			return Omitted, by, 0
		}
	case codeUser:
		if p.texts > 0 || n.is(flagFiles) {
			return p.resolveUser(seq, n)
		}
	case codeAssistant:
		if p.texts > 0 {
			return p.resolveSaid(seq, n)
		}
	case codeCall, codeResult:
		if by := p.word(slotTools, at); by != nobody {
			return p.resolveTool(seq, n, at, anchor, by)
		}
	}
	return Kept, nobody, n.tokens
}

// hides tells whether a summary or an omission hides the entry; where both
// do, the later of the two is named.
func (p *Projection) hides(seq int32, n *node) (Fate, int32, bool) {
	f, by := Kept, nobody
	if s := p.slots[slotSummary].at(seq); s != nobody && !p.shields(s, n, seq) {
		f, by = Summarised, s
	}
	if t := p.slots[slotTurns].at(seq); t > by && p.overlays[t].c.Turns == Omit && !p.shields(t, n, seq) {
		f, by = Omitted, t
	}
	return f, by, by != nobody
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

// held reports whether the reasoning must stay although the overlay strips it:
// it is signed, and belongs to the tool loop that was open when the overlay
// was made and has not closed since (P10).
func (p *Projection) held(by, seq int32, n *node) bool {
	from := p.overlays[by].heldFrom
	return from > 0 && seq >= from && n.is(flagOpaque)
}

func (p *Projection) strips(policy *Policy, seq int32) bool {
	if policy.Action != Strip {
		return false
	}
	return policy.Over == 0 || Size(len(payloadOf[Reasoning](p.log, seq).Text)) > policy.Over
}

// act is an Action as the inner loops know it.
type act uint8

const (
	actKeep act = iota
	actStrip
	actTrim
	actOmit
	actSelective
)

func actOf(a Action) act {
	switch a {
	case Strip:
		return actStrip
	case Trim:
		return actTrim
	case Omit:
		return actOmit
	case Selective:
		return actSelective
	}
	return actKeep
}

func stripIf(on bool) act {
	if on {
		return actStrip
	}
	return actKeep
}

// sides is what happens to a call and to its result.
type sides struct {
	request, response act
	// removes is set where a hint takes the pair away if its result is
	// stripped.
	removes    bool
	head, tail Size
	lines      []LineRange // of the result
	body       []LineRange // of the bodies in the arguments
	folded     *Folded
}

// sides resolves a tool policy for one call, hints included.
func (p *Projection) sides(by int32, at int32, call *node) *sides {
	o := &p.overlays[by]
	switch o.tools {
	case actStrip:
		return o.strip(call.tool)
	case actSelective:
		if named, i := p.mention(at); named == by {
			return &o.policies[o.named[i].one]
		}
		if o.c.ToolCalls.Rest == Strip {
			return o.strip(call.tool)
		}
	}
	return o.plain
}

// strip is what an overlay's strip does to the calls of a tool.
func (o *overlay) strip(tool int32) *sides {
	if int(tool) < len(o.hinted) && o.hinted[tool] != nil {
		return o.hinted[tool]
	}
	return o.plain
}

// hints works out what an overlay does to calls that it does not name: those of
// the tools known so far, since it covers no others.
func (o *overlay) hints(tools *names) {
	policy := o.c.ToolCalls
	switch {
	case o.tools == actOmit, o.tools == actSelective && policy.Rest == Omit:
		o.plain = &sides{request: actOmit, response: actOmit}
	case o.tools == actStrip, o.tools == actSelective && policy.Rest == Strip:
		request, response := policy.Request || o.tools == actSelective, policy.Response || o.tools == actSelective
		strip := Hint{}.sides(request, response)
		o.plain = &strip
		if len(policy.Hints) == 0 {
			return
		}
		o.hinted = make([]*sides, len(tools.list))
		for i, name := range tools.list {
			if hint, ok := policy.Hints[name]; ok {
				strip := hint.sides(request, response)
				o.hinted[i] = &strip
			}
		}
	default:
		o.plain = &sides{}
	}
}

func (c CallPolicy) sides() sides {
	switch c.Action {
	case Omit:
		return sides{request: actOmit, response: actOmit}
	case Trim:
		s := sides{
			request: stripIf(c.Request), response: actTrim, folded: c.Folded,
			head: c.Head, tail: c.Tail, lines: c.Lines, body: c.Body,
		}
		if c.Body != nil && !c.Request {
			s.request = actTrim
		}
		switch c.Result {
		case Strip:
			s.response = actStrip
		case Keep:
			s.response = actKeep
		}
		return s
	case Strip:
		return sides{request: stripIf(c.Request), response: stripIf(c.Response), folded: c.Folded}
	}
	return sides{folded: c.Folded}
}

// sides is what a strip does to the calls of a tool, its hint minded.
func (hint Hint) sides(request, response bool) sides {
	s := sides{request: stripIf(request), response: stripIf(response)}
	if hint.Request == Keep {
		s.request = actKeep
	}
	switch {
	case hint.Response == Keep:
		s.response = actKeep
	case hint.Response == Remove && s.response == actStrip:
		s.removes = true
	}
	return s
}

// resolveTool decides the fate of a call or a result under a tool policy.
func (p *Projection) resolveTool(seq int32, n *node, at int32, call *node, by int32) (Fate, int32, int32) {
	s := p.sides(by, at, call)
	if s.request == actOmit {
		return Omitted, by, 0
	}
	policy := p.overlays[by].c.ToolCalls
	// A result that came after the overlay takes nothing with it (P11a).
	if s.removes && call.pair > 0 && call.pair < p.overlays[by].seq && p.over(policy, call.pair) {
		return Omitted, by, 0
	}
	if n.kind == codeCall {
		if s.request == actKeep || n.is(flagBare) || !p.over(policy, seq) {
			return Kept, nobody, n.tokens
		}
		if s.request == actTrim {
			c := payloadOf[ToolCall](p.log, seq)
			var ok bool
			if c.Arguments, ok = trimArguments(c.Arguments, s.body); !ok {
				return Kept, nobody, n.tokens
			}
			return Trimmed, by, int32(CountPayload(p.log.counter, c))
		}
		return Stripped, by, p.stubs.call(n.tool)
	}
	if s.folded == nil && (s.response == actKeep || !p.over(policy, seq)) {
		return Kept, nobody, n.tokens
	}
	if s.folded == nil && s.response == actStrip && !policy.odd() {
		return Stripped, by, p.stubs.of(policy.Stub, n.tool, n.is(flagError)).tokens
	}
	r, f := p.leave(policy, s, seq, n)
	if f == Kept {
		return Kept, nobody, n.tokens
	}
	return f, by, int32(CountPayload(p.log.counter, r))
}

// leave gives what a tool policy leaves of a result, and the fate that is.
func (p *Projection) leave(policy *ToolPolicy, s *sides, seq int32, n *node) (ToolResult, Fate) {
	r, f := payloadOf[ToolResult](p.log, seq), Kept
	if p.over(policy, seq) {
		switch s.response {
		case actTrim:
			var text string
			if text, f = p.trimmed(policy, r, s, seq, n); f != Kept {
				r.Parts = Text(text)
			}
		case actStrip:
			f, r.Parts = Stripped, p.stubs.of(policy.Stub, n.tool, n.is(flagError)).parts
			if policy.odd() {
				r.Parts = Text(p.stub(policy, n, seq))
			}
		}
	}
	if s.folded.words() != "" {
		if f == Kept {
			f, r.Parts = Trimmed, foreignParts(r.Parts)
		}
		r.Parts = s.folded.onParts(r.Parts)
	}
	return r, f
}

// odd reports whether stubs of the policy say more than of which tool the
// result was, and how it ended.
func (p *ToolPolicy) odd() bool { return p.FirstLine || p.Recall }

// over reports whether a call's or a result's content is larger than the
// policy's gate (P6).
func (p *Projection) over(policy *ToolPolicy, seq int32) bool {
	if policy.Over == 0 {
		return true
	}
	return p.log.Size(int64(seq)) > policy.Over
}

// shorten gives the payload that the overlay leaves of an entry.
func (p *Projection) shorten(seq int32, n *node, by int32) Payload {
	switch payload := p.log.payload(seq).(type) {
	case UserMessage:
		m, _, _ := p.leaveUser(seq, n)
		return m
	case AssistantMessage:
		payload.Text, _ = p.overlays[by].c.Texts.leave(payload, seq, false)
		return payload
	case ToolCall:
		if s := p.sides(by, seq, n); s.request == actTrim {
			payload.Arguments, _ = trimArguments(payload.Arguments, s.body)
		} else {
			payload.Arguments = noArguments
		}
		return payload
	case ToolResult:
		policy, s := p.overlays[by].c.ToolCalls, p.sides(by, n.pair, p.log.node(n.pair))
		if s.response == actStrip && s.folded == nil && !policy.odd() {
			payload.Parts = p.stubs.of(policy.Stub, n.tool, n.is(flagError)).parts
		} else {
			payload, _ = p.leave(policy, s, seq, n)
		}
		return payload
	default:
		return payload
	}
}
