package codex

import (
	"strings"

	"tenfold"
	"tenfold/transcript/internal/engine"
	"tenfold/transcript/internal/intake"
)

// event reads a line that tells the user interface what happened. Most repeat
// what an item says, and are kept without being shown to a model again.
func (c *codex) event(payload engine.Members, id string) error {
	typ := payload.Peek("type")
	name := tenfold.Kind("codex.event_msg")
	if typ != "" {
		name = tenfold.Kind("codex." + typ)
	}
	var p tenfold.Payload
	switch typ {
	case "task_started", "turn_started":
		c.State = intake.TurnOver
	case "thread_name_updated":
		if title := payload.Peek("thread_name"); title != "" {
			c.Conv.Title = title
		}
	case "token_count":
		if u, ok := c.usage(payload.Object("info")); ok {
			p = u
		}
	case "thread_rolled_back":
		return c.rollback(payload, id, name)
	case "exec_approval", "patch_approval":
		a := tenfold.Approval{State: tenfold.ApprovalDenied, CallID: payload.Peek("id"), Reason: payload.Peek("reason")}
		if call := payload.Peek("call_id"); call != "" {
			a.CallID = call
		}
		if d := payload.Get("decision"); c.items.Is(d, '{') || strings.HasPrefix(payload.Peek("decision"), "approved") {
			a.State = tenfold.ApprovalGranted
		}
		p = a
	case "exec_command_end", "patch_apply_end", "mcp_tool_call_end", "dynamic_tool_call_response":
		if call := payload.Peek("call_id"); call != "" {
			if c.ended == nil {
				c.ended = map[string]tenfold.Outcome{}
			}
			c.ended[call] = endedIn(&c.items.Finder, payload)
		}
	default:
		if strings.HasSuffix(typ, "_approval_request") {
			p = tenfold.Approval{State: tenfold.ApprovalRequested, CallID: payload.Peek("call_id"), Reason: payload.Peek("reason")}
		}
	}
	if p == nil {
		return c.keep(id, name)
	}
	return c.Emit(tenfold.Entry{ID: id, Source: string(c.items.Raw), Payload: p})
}

// endedIn is how the call ended of which an event tells. Codex writes it before
// the result; a result that came earlier is of a command that was running on.
func endedIn(f *engine.Finder, event engine.Members) tenfold.Outcome {
	if code := event.Raw("exit_code"); code != nil {
		return intake.ExitCode(code)
	}
	result, success := event.Object("result"), event.Get("success")
	switch ok := result.Get("Ok"); {
	case result.Get("Err").Found():
		return tenfold.Failed
	case ok.Found():
		in := f.Object(ok)
		if f.Is(in.Get("isError"), 't') || f.Is(in.Get("is_error"), 't') {
			return tenfold.Failed
		}
		return tenfold.Success
	case f.Is(success, 't'):
		return tenfold.Success
	case f.Is(success, 'f'):
		return tenfold.Failed
	}
	return ""
}

// usage reads what the last response cost. The event comes again whenever the
// limits are looked up: what is not a new response is not counted again.
func (c *codex) usage(info engine.Members) (tenfold.Usage, bool) {
	last, total := info.Object("last_token_usage"), info.Get("total_token_usage")
	if !last.Any() {
		return tenfold.Usage{}, false
	}
	if c.items.Is(total, '{') {
		now := string(total.Of(c.items.Raw))
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
func (c *codex) rollback(payload engine.Members, id string, name tenfold.Kind) error {
	n := min(payload.Number("num_turns"), len(c.prompts))
	if n == 0 {
		return c.keep(id, name)
	}
	from := c.prompts[len(c.prompts)-n]
	c.prompts = c.prompts[:len(c.prompts)-n]
	source := string(c.items.Raw)
	gone := c.pinnedFrom(from)
	for _, p := range gone {
		delete(c.pinned, p)
	}
	if len(gone) > 0 {
		_ = c.Emit(tenfold.Entry{ID: id + "/unpin", Source: source, Payload: tenfold.Unpin{Entries: gone}})
		source = ""
	}
	c.State = intake.TurnOver
	return c.Emit(tenfold.Entry{ID: id, Source: source, Payload: engine.Hidden(from, c.Place.Turn, string(name[len("codex."):]))})
}
