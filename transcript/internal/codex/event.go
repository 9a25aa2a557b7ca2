package codex

import (
	"strings"

	"tenfold"
	"tenfold/transcript/internal/engine"
	"tenfold/transcript/internal/walk"
)

// event reads a line that tells the user interface what happened. Most repeat
// what an item says, and are kept without being shown to a model again.
func (c *codex) event(root, payload walk.Node, id string) error {
	typ := payload.Text("type")
	name := tenfold.Kind("codex.event_msg")
	if typ != "" {
		name = tenfold.Kind("codex." + typ)
	}
	var p tenfold.Payload
	switch typ {
	case "task_started", "turn_started":
		c.State = engine.TurnOver
	case "thread_name_updated":
		if title := payload.Text("thread_name"); title != "" {
			c.Conv.Title = title
		}
	case "token_count":
		if u, ok := c.usage(payload.Get("info")); ok {
			p = u
		}
	case "thread_rolled_back":
		return c.rollback(root, payload, id, name)
	case "exec_approval", "patch_approval":
		a := tenfold.Approval{State: tenfold.ApprovalDenied, CallID: payload.Text("id"), Reason: payload.Text("reason")}
		if call := payload.Text("call_id"); call != "" {
			a.CallID = call
		}
		if d := payload.Get("decision"); d.Kind() == '{' || strings.HasPrefix(payload.Text("decision"), "approved") {
			a.State = tenfold.ApprovalGranted
		}
		p = a
	case "exec_command_end", "patch_apply_end", "mcp_tool_call_end", "dynamic_tool_call_response":
		if call := payload.Text("call_id"); call != "" {
			if c.ended == nil {
				c.ended = map[string]tenfold.Outcome{}
			}
			c.ended[call] = endedIn(payload)
		}
	default:
		if strings.HasSuffix(typ, "_approval_request") {
			p = tenfold.Approval{State: tenfold.ApprovalRequested, CallID: payload.Text("call_id"), Reason: payload.Text("reason")}
		}
	}
	if p == nil {
		return c.Keep(id, name, root.Raw())
	}
	return c.Emit(tenfold.Entry{ID: id, Source: string(root.Raw()), Payload: p})
}

// endedIn is how the call ended of which an event tells. Codex writes it before
// the result; a result that came earlier is of a command that was running on.
func endedIn(event walk.Node) tenfold.Outcome {
	if code := event.Get("exit_code"); code.Found() {
		return engine.ExitCode(code.Raw())
	}
	success := event.Get("success")
	if result := event.Get("result"); result.Get("Err").Found() {
		return tenfold.Failed
	} else if ok := result.Get("Ok"); ok.Found() {
		for _, name := range [...]string{"isError", "is_error"} {
			if string(ok.Get(name).Raw()) == "true" {
				return tenfold.Failed
			}
		}
		return tenfold.Success
	}
	switch string(success.Raw()) {
	case "true":
		return tenfold.Success
	case "false":
		return tenfold.Failed
	}
	return ""
}

// usage reads what the last response cost. The event comes again whenever the
// limits are looked up: what is not a new response is not counted again.
func (c *codex) usage(info walk.Node) (tenfold.Usage, bool) {
	last, total := info.Get("last_token_usage"), info.Get("total_token_usage")
	if last.Kind() != '{' {
		return tenfold.Usage{}, false
	}
	if total.Kind() == '{' {
		now := string(total.Raw())
		if now == c.counted {
			return tenfold.Usage{}, false
		}
		c.counted = now
	} else if !c.answered {
		return tenfold.Usage{}, false
	}
	c.answered = false
	in, cached := last.Number("input_tokens"), last.Number("cached_input_tokens")
	return tenfold.Usage{Model: c.model, Input: max(in-cached, 0), Output: last.Number("output_tokens"), CacheRead: min(cached, in)}, true
}

// rollback hides the turns that the user took back: so many prompts, and all
// that came after.
func (c *codex) rollback(root, payload walk.Node, id string, name tenfold.Kind) error {
	n := min(payload.Number("num_turns"), len(c.prompts))
	if n == 0 {
		return c.Keep(id, name, root.Raw())
	}
	from := c.prompts[len(c.prompts)-n]
	c.prompts = c.prompts[:len(c.prompts)-n]
	source := string(root.Raw())
	gone := c.pinnedFrom(from)
	for _, p := range gone {
		delete(c.pinned, p)
	}
	if len(gone) > 0 {
		_ = c.Emit(tenfold.Entry{ID: id + "/unpin", Source: source, Payload: tenfold.Unpin{Entries: gone}})
		source = ""
	}
	c.State = engine.TurnOver
	return c.Emit(tenfold.Entry{ID: id, Source: source, Payload: engine.Hidden(from, c.Place.Turn, string(name[len("codex."):]))})
}
