package transcript

import (
	"strings"

	"tenfold"
)

// event reads a line that tells the user interface what happened. Most repeat
// what an item says, and are kept without being shown to a model again.
func (c *codex) event(root, payload node, id string) error {
	typ := payload.text("type")
	name := tenfold.Kind("codex.event_msg")
	if typ != "" {
		name = tenfold.Kind("codex." + typ)
	}
	var p tenfold.Payload
	switch typ {
	case "task_started", "turn_started":
		c.state = turnOver
	case "thread_name_updated":
		if title := payload.text("thread_name"); title != "" {
			c.conv.Title = title
		}
	case "token_count":
		if u, ok := c.usage(payload.get("info")); ok {
			p = u
		}
	case "thread_rolled_back":
		return c.rollback(root, payload, id, name)
	case "exec_approval", "patch_approval":
		a := tenfold.Approval{State: tenfold.ApprovalDenied, CallID: payload.text("id"), Reason: payload.text("reason")}
		if call := payload.text("call_id"); call != "" {
			a.CallID = call
		}
		if d := payload.get("decision"); d.kind() == '{' || strings.HasPrefix(payload.text("decision"), "approved") {
			a.State = tenfold.ApprovalGranted
		}
		p = a
	default:
		if strings.HasSuffix(typ, "_approval_request") {
			p = tenfold.Approval{State: tenfold.ApprovalRequested, CallID: payload.text("call_id"), Reason: payload.text("reason")}
		}
	}
	if p == nil {
		return c.keep(id, name, root.raw())
	}
	return c.emit(tenfold.Entry{ID: id, Source: string(root.raw()), Payload: p})
}

// usage reads what the last response cost. The event comes again whenever the
// limits are looked up: what is no new response is not counted again.
func (c *codex) usage(info node) (tenfold.Usage, bool) {
	last, total := info.get("last_token_usage"), info.get("total_token_usage")
	if last.kind() != '{' {
		return tenfold.Usage{}, false
	}
	if total.kind() == '{' {
		now := string(total.raw())
		if now == c.counted {
			return tenfold.Usage{}, false
		}
		c.counted = now
	} else if !c.answered {
		return tenfold.Usage{}, false
	}
	c.answered = false
	number := func(name string) int {
		at := last.get(name)
		if !at.found() {
			return 0
		}
		return c.scan.number(at.at())
	}
	in, cached := number("input_tokens"), number("cached_input_tokens")
	return tenfold.Usage{Model: c.model, Input: max(in-cached, 0), Output: number("output_tokens"), CacheRead: min(cached, in)}, true
}

// rollback hides the turns that the user took back: so many prompts, and all
// that came after.
func (c *codex) rollback(root, payload node, id string, name tenfold.Kind) error {
	n := 0
	if at := payload.get("num_turns"); at.found() {
		n = min(c.scan.number(at.at()), len(c.prompts))
	}
	if n == 0 {
		return c.keep(id, name, root.raw())
	}
	from := c.prompts[len(c.prompts)-n]
	c.prompts = c.prompts[:len(c.prompts)-n]
	source := string(root.raw())
	gone := c.pinnedFrom(from)
	for _, p := range gone {
		delete(c.pinned, p)
	}
	if len(gone) > 0 {
		if err := c.emit(tenfold.Entry{ID: id + "/unpin", Source: source, Payload: tenfold.Unpin{Entries: gone}}); err != nil {
			return err
		}
		source = ""
	}
	c.state = turnOver
	return c.emit(tenfold.Entry{ID: id, Source: source, Payload: tenfold.Compaction{
		FromTurn: from, ToTurn: c.place.turn, Source: "import", Reason: string(name[len("codex."):]), Turns: tenfold.Omit,
	}})
}
