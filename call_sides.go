package tenfold

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
	removes bool
	// requestHint and responseHint say that the tool's hint keeps a side.
	requestHint, responseHint bool

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
func (o *overlay) hints(tools *numbers[string]) {
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
	s := sides{requestHint: hint.Request == Keep, responseHint: hint.Response == Keep}
	s.request, s.response = stripIf(request && !s.requestHint), stripIf(response && !s.responseHint)
	s.removes = hint.Response == Remove && response
	return s
}

// bare reports whether nothing but what the policy says of the result stands in it.
func (s *sides) bare() bool { return s.folded == nil && len(s.body) == 0 }
