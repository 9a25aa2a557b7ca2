package tenfold

import (
	"slices"
	"strconv"
)

// resolve decides the fate of an entry that is not void: the overlay that made
// it so, and what it costs now. It looks at nothing but the log and the
// overlays.
func (p *Projection) resolve(seq int32, n *node) (Fate, int32, int32) {
	at, anchor := seq, n // a result shares the fate of its call
	if n.kind == codeResult {
		at = n.pair
		anchor = p.log.node(at)
	}
	if len(p.pinned) > 0 {
		if _, ok := p.pinned[at]; ok {
			return Kept, nobody, n.tokens
		}
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
		if by := p.slots[slotAttachments].at(seq); by != nobody && n.is(flagFiles) {
			return p.resolveFiles(seq, n, by)
		}
	case codeCall, codeResult:
		if by := p.toolWord(at); by != nobody {
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
	_, shielded := slices.BinarySearch(p.overlays[by].users, seq)
	return shielded
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
	return policy.Over == 0 || Size(len(p.log.payload(seq).(Reasoning).Text)) > policy.Over
}

// toolWord is the overlay that has the word on a call: the later of the
// policies over ranges and those that name the call.
func (p *Projection) toolWord(call int32) int32 {
	by := p.slots[slotTools].at(call)
	if len(p.named) > 0 {
		if named := p.named[call]; len(named) > 0 {
			by = max(by, named[len(named)-1])
		}
	}
	return by
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
	lines      []LineRange
}

// sides resolves a tool policy for one call, hints included.
func (p *Projection) sides(by int32, at int32, call *node) sides {
	o := &p.overlays[by]
	switch o.tools {
	case actOmit:
		return sides{request: actOmit, response: actOmit}
	case actStrip:
		for int(call.tool) >= len(o.sides) {
			o.sides = append(o.sides, o.c.ToolCalls.forTool(p.log.tools.list[len(o.sides)]))
		}
		return o.sides[call.tool]
	case actSelective:
		return o.c.ToolCalls.forCall(p.log.payload(at).(ToolCall).CallID, at).sides()
	}
	return sides{}
}

func (c CallPolicy) sides() sides {
	switch c.Action {
	case Omit:
		return sides{request: actOmit, response: actOmit}
	case Trim:
		return sides{request: stripIf(c.Request), response: actTrim, head: c.Head, tail: c.Tail, lines: c.Lines}
	case Strip:
		return sides{request: stripIf(c.Request), response: stripIf(c.Response)}
	}
	return sides{}
}

// forTool is what a strip does to the calls of a tool, its hint minded.
func (p *ToolPolicy) forTool(name string) sides {
	s := sides{request: stripIf(p.Request), response: stripIf(p.Response)}
	hint := p.Hints[name]
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
		return Stripped, by, p.stubs.call(n.tool)
	}
	if s.response == actKeep || !p.over(policy, seq) {
		return Kept, nobody, n.tokens
	}
	if s.response == actTrim {
		text, ok := trimmed(policy, p.log.payload(seq).(ToolResult), s, seq)
		if !ok {
			return Kept, nobody, n.tokens
		}
		return Trimmed, by, int32(p.log.counter.Count(text))
	}
	if policy.FirstLine || policy.Recall || policy.Stub != "" {
		return Stripped, by, int32(p.log.counter.Count(p.stub(policy, n, seq)))
	}
	return Stripped, by, p.stubs.plain(n.tool, n.is(flagError)).tokens
}

// over reports whether a call's or a result's content is larger than the
// policy's gate (P6).
func (p *Projection) over(policy *ToolPolicy, seq int32) bool {
	if policy.Over == 0 {
		return true
	}
	if r, ok := p.log.payload(seq).(ToolResult); ok {
		return contentSize(r.Parts) > policy.Over
	}
	return Size(len(p.log.payload(seq).(ToolCall).Arguments)) > policy.Over
}

// resolveFiles decides the fate of a user message with files or attachments.
func (p *Projection) resolveFiles(seq int32, n *node, by int32) (Fate, int32, int32) {
	policy := p.overlays[by].c.Attachments
	if policy.Action != Strip || p.shields(by, n, seq) {
		return Kept, nobody, n.tokens
	}
	m, changed := withoutFiles(p.log.payload(seq).(UserMessage), policy.Over)
	if !changed {
		return Kept, nobody, n.tokens
	}
	return Stripped, by, int32(CountPayload(p.log.counter, m))
}

// shorten gives the payload that the overlay leaves of an entry.
func (p *Projection) shorten(seq int32, n *node, by int32) Payload {
	switch payload := p.log.payload(seq).(type) {
	case UserMessage:
		m, _ := withoutFiles(payload, p.overlays[by].c.Attachments.Over)
		return m
	case ToolCall:
		payload.Arguments = noArguments
		return payload
	case ToolResult:
		policy := p.overlays[by].c.ToolCalls
		s := p.sides(by, n.pair, p.log.node(n.pair))
		switch {
		case s.response == actTrim:
			text, _ := trimmed(policy, payload, s, seq)
			payload.Parts = Text(text)
		case policy.FirstLine || policy.Recall || policy.Stub != "":
			payload.Parts = Text(p.stub(policy, n, seq))
		default:
			payload.Parts = p.stubs.plain(n.tool, n.is(flagError)).parts
		}
		return payload
	default:
		return payload
	}
}

// forCall is the policy for one call of a selective policy.
func (p *ToolPolicy) forCall(id string, seq int32) CallPolicy {
	var buffer [64]byte
	key := strconv.AppendInt(append(append(buffer[:0], id...), '@'), int64(seq), 10)
	if c, ok := p.Calls[string(key)]; ok {
		return c
	}
	return p.Calls[id]
}
