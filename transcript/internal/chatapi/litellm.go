package chatapi

import (
	"cmp"
	"strconv"

	"tenfold/transcript/internal/intake"
)

// litellm is the dialect of the logs that OpenHands keeps of single calls
// through LiteLLM: the messages that were sent, the tools, and the response with
// what it cost. Where the model was given its tools as text, messages and
// raw_response are what it saw and said; the structured forms beside them stay
// in the Source.
type litellm struct{ openai }

func recogniseLiteLLM(h intake.Head) intake.Confidence {
	for _, o := range h.JSON.Objects {
		if h.JSON.Shape == intake.ShapeText || !o.Has("messages") {
			continue
		}
		if o.Has("latency_sec", "response") || o.Has("kwargs", "response") || o.Has("kwargs", "context_window") {
			return intake.Certain
		}
		// The members that say so may stand behind a long conversation.
		if !o.Whole && (o.Has("kwargs") || o.Has("context_window") || o.Has("raw_messages")) {
			return intake.Certain
		}
	}
	return intake.No
}

func (d *litellm) Begin(c *Chat, r *ChatRecord) error {
	set := c.Setting(r)
	set.tools(r.Get("tools"))
	counted := openaiResponse{}
	if at := r.Get("response"); at.Found() {
		counted.read(&c.In, r, at)
		d.answer = counted
	}
	if at := r.Get("raw_response"); at.Found() {
		d.answer.read(&c.In, r, at)
		if !d.answer.message.Found() {
			d.answer = counted
		}
		d.answer.usage, d.answer.counted = counted.usage, counted.counted
	}
	d.answer.model = cmp.Or(d.answer.model, r.Peek("model"))
	set.delta.Model = d.answer.model
	c.At(UnixTime(r.number("timestamp")))
	return d.record(c, r, set)
}

func (d *litellm) end(c *Chat, r *ChatRecord) error {
	var cost *float64
	if f, err := strconv.ParseFloat(string(r.Raw("cost")), 64); err == nil && f >= 0 {
		cost = &f
	}
	return d.respond(c, r, cost)
}

// agentdojo is the dialect of AgentDojo's runs, and of others that shape their
// messages alike: chat messages whose blocks keep their text under "content",
// and whose calls name their function and args directly.
type agentdojo struct{ openai }

func recogniseAgentDojo(h intake.Head) intake.Confidence {
	for _, o := range h.JSON.Objects {
		if h.JSON.Shape == intake.ShapeText || o.Kinds["messages"] != '[' {
			continue
		}
		if o.Has("suite_name", "pipeline_name") {
			return intake.Certain
		}
		for _, m := range o.Items["messages"] {
			for _, call := range m.Items["tool_calls"] {
				if call.Values["function"] != "" && call.Has("args") {
					return intake.Certain
				}
			}
			for _, b := range m.Items["content"] {
				if b.Values["type"] == "text" && b.Has("content") && !b.Has("text") {
					return intake.Certain
				}
			}
		}
	}
	return intake.No
}

func (d *agentdojo) Begin(c *Chat, r *ChatRecord) error {
	set := c.Setting(r)
	set.delta.Model = r.Peek("model")
	return d.record(c, r, set)
}

func (d *agentdojo) end(*Chat, *ChatRecord) error { return nil }
