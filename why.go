package tenfold

// Reason says, in a few words for people, why an entry has its fate (P11). The
// words may grow better; programs are to look at the [Fate].
type Reason string

// The reasons.
const (
	// ReasonNone: no live overlay has an opinion on the entry.
	ReasonNone Reason = "no compaction covers it"
	// ReasonUnseen: no model sees entries of the kind.
	ReasonUnseen Reason = "no model sees it"
	// ReasonRepair: the result answers no call (P10).
	ReasonRepair Reason = "answers no call"
	// ReasonEmpty: there is nothing in it that a provider would take (P10).
	ReasonEmpty Reason = "nothing in it"
	// ReasonPinned: it, or the other half of its pair, is pinned (P8).
	ReasonPinned Reason = "pinned"
	// ReasonRequest: a person said it in the turn the range ends inside (P9).
	ReasonRequest Reason = "request of the turn"
	// ReasonSummary: a summary stands for it (P3).
	ReasonSummary Reason = "in the summary"
	// ReasonTurns: the overlay leaves its turn out.
	ReasonTurns Reason = "turn left out"
	// ReasonReasoning: the overlay strips reasoning.
	ReasonReasoning Reason = "reasoning goes"
	// ReasonHeld: the provider wants the reasoning in the open loop (P10).
	ReasonHeld Reason = "the open tool loop needs it"
	// ReasonFiles: the overlay strips attachments.
	ReasonFiles Reason = "attachments go"
	// ReasonPolicy: the overlay's policy for tool calls.
	ReasonPolicy Reason = "policy for calls"
	// ReasonNamed: the overlay names the call.
	ReasonNamed Reason = "chosen call by call"
	// ReasonLines: the overlay names the message.
	ReasonLines Reason = "chosen text by text"
	// ReasonRest: the overlay names others in its range.
	ReasonRest Reason = "not among those chosen"
	// ReasonTyped: a person wrote it; policies for texts hide no such message.
	ReasonTyped Reason = "a person wrote it"
	// ReasonHint: the tool's own hint (H1).
	ReasonHint Reason = "hint of the tool"
	// ReasonSmall: it is not larger than the overlay's gate (P6).
	ReasonSmall Reason = "too small to touch"
	// ReasonBare: there is nothing in it that could go.
	ReasonBare Reason = "nothing to take away"
	// ReasonLeft: the overlay covers it and leaves it alone.
	ReasonLeft Reason = "left alone by policy"
)

// Why says why the entry with the given seq has the fate that [Projection.Fate]
// tells. It looks where that decision looked.
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
	case !p.reads(n):
		return ReasonNone
	}
	at, anchor := int32(seq), n
	if n.kind == codeResult {
		at = n.pair
		anchor = p.log.node(at)
	}
	if p.pinned.get(at) {
		return ReasonPinned
	}
	switch f, _, hidden := p.hides(at, anchor); {
	case hidden && f == Summarised:
		return ReasonSummary
	case hidden:
		return ReasonTurns
	}
	switch n.kind {
	case codeUser:
		return p.whyUser(int32(seq), n)
	case codeReasoning:
		by := p.slots[slotReasoning].at(int32(seq))
		switch {
		case by == nobody:
			return ReasonNone
		case p.overlays[by].c.Reasoning.Action != Strip:
			return ReasonLeft
		case !p.strips(p.overlays[by].c.Reasoning, int32(seq)):
			return ReasonSmall
		case p.held(by, int32(seq), n):
			return ReasonHeld
		}
		return ReasonReasoning
	case codeAssistant:
		if by := p.word(slotTexts, at); by != nobody {
			return p.whyText(at, n, by)
		}
	case codeCall, codeResult:
		if by := p.word(slotTools, at); by != nobody {
			return p.whyTool(int32(seq), n, at, anchor, by)
		}
	}
	return ReasonNone
}

func (p *Projection) whyUser(seq int32, n *node) Reason {
	text := nobody
	if p.texts > 0 {
		text = p.word(slotTexts, seq)
	}
	files := p.slots[slotAttachments].at(seq)
	switch p.state(seq).fate() {
	case Stripped:
		return ReasonFiles
	case Trimmed, Omitted:
		return p.whyText(seq, n, text)
	}
	for _, by := range [...]int32{p.slots[slotSummary].at(seq), p.slots[slotTurns].at(seq), text} {
		if by != nobody && p.shields(by, n, seq) {
			return ReasonRequest
		}
	}
	switch {
	case text != nobody:
		return p.whyText(seq, n, text)
	case files == nobody || !n.is(flagFiles):
		return ReasonNone
	}
	return ReasonLeft
}

// whyText is the reason for what a policy for texts did to a message.
func (p *Projection) whyText(seq int32, n *node, by int32) Reason {
	policy := p.overlays[by].c.Texts
	trim, named := policy.Entries[int64(seq)]
	switch fate := p.state(seq).fate(); {
	case fate != Kept && named:
		return ReasonLines
	case fate != Kept:
		return ReasonRest
	case !named:
		trim.Action = policy.Rest
	}
	switch {
	case n.kind == codeUser && trim.Action == Omit:
		return ReasonTyped
	case trim.Action == Trim:
		return ReasonBare
	}
	return ReasonLeft
}

func (p *Projection) whyTool(seq int32, n *node, at int32, call *node, by int32) Reason {
	s := p.sides(by, at, call)
	side := s.response
	if n.kind == codeCall {
		side = s.request
	}
	policy := p.overlays[by].c.ToolCalls
	hint := policy.Hints[p.log.tools.list[call.tool]]
	switch fate := p.state(seq).fate(); {
	case fate == Omitted && s.removes:
		return ReasonHint
	case fate != Kept && policy.Action == Selective:
		if named, _ := p.mention(at); named != by {
			return ReasonRest
		}
		return ReasonNamed
	case fate != Kept:
		return ReasonPolicy
	case side == actKeep && ((n.kind == codeCall && hint.Request == Keep) || (n.kind == codeResult && hint.Response == Keep)):
		return ReasonHint
	case side == actKeep:
		return ReasonLeft
	case n.kind == codeCall && n.is(flagBare):
		return ReasonBare
	case !p.over(policy, seq):
		return ReasonSmall
	}
	return ReasonBare // a trim that would save nothing
}
