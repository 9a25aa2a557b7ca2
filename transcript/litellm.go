package transcript

import (
	"context"
	"strconv"
)

// litellmImporter reads the logs that OpenHands keeps of single calls through
// LiteLLM: the messages that were sent, the tools, and the response with what
// it cost. Where the model was given its tools as text, messages and
// raw_response are what it saw and said; the structured forms beside them stay
// in the Source.
type litellmImporter struct{}

func litellmHandler() handler {
	return handler{format: LiteLLM, about: "LiteLLM call logs of OpenHands (*.json)", importer: litellmImporter{}}
}

// Recognise implements [Importer].
func (litellmImporter) Recognise(h Head) Confidence {
	for _, o := range h.json.objects {
		if h.json.shape == shapeText || !o.has("messages") {
			continue
		}
		if o.has("latency_sec", "response") || o.has("kwargs", "response") || o.has("kwargs", "context_window") {
			return Certain
		}
		// The members that say so may stand behind a long conversation.
		if !o.whole && (o.has("kwargs") || o.has("context_window") || o.has("raw_messages")) {
			return Certain
		}
	}
	return No
}

// Import implements [Importer].
func (litellmImporter) Import(ctx context.Context, src Source, sink Sink) error {
	return importChat(ctx, src, sink, LiteLLM, &litellm{})
}

// litellm is the dialect of the logs: chat messages with a response beside.
type litellm struct{ openai }

func (d *litellm) begin(c *chat, r *chatRecord) error {
	set := c.setting(r)
	set.tools(r.at("tools"))
	counted := openaiResponse{}
	if at := r.at("response"); at.found() {
		counted.read(&c.in, r, at)
		d.answer = counted
	}
	if at := r.at("raw_response"); at.found() {
		d.answer.read(&c.in, r, at)
		if !d.answer.message.found() {
			d.answer = counted
		}
		d.answer.usage, d.answer.counted = counted.usage, counted.counted
	}
	if d.answer.model == "" {
		d.answer.model = r.text("model")
	}
	set.delta.Model = d.answer.model
	c.at(unixTime(r.number("timestamp")))
	return d.record(c, r, set)
}

func (d *litellm) end(c *chat, r *chatRecord) error {
	var cost *float64
	if f, err := strconv.ParseFloat(string(r.value("cost")), 64); err == nil && f >= 0 {
		cost = &f
	}
	return d.respond(c, r, cost)
}

// agentdojoImporter reads the runs of AgentDojo, and others that shape their
// messages alike: chat messages whose blocks keep their text under "content",
// and whose calls name their function and args directly.
type agentdojoImporter struct{}

func agentdojoHandler() handler {
	return handler{format: AgentDojo, about: "AgentDojo runs (*.json)", importer: agentdojoImporter{}}
}

// Recognise implements [Importer].
func (agentdojoImporter) Recognise(h Head) Confidence {
	for _, o := range h.json.objects {
		if h.json.shape == shapeText || o.kinds["messages"] != '[' {
			continue
		}
		if o.has("suite_name", "pipeline_name") {
			return Certain
		}
		for _, m := range o.items["messages"] {
			for _, call := range m.items["tool_calls"] {
				if call.values["function"] != "" && call.has("args") {
					return Certain
				}
			}
			for _, b := range m.items["content"] {
				if b.values["type"] == "text" && b.has("content") && !b.has("text") {
					return Certain
				}
			}
		}
	}
	return No
}

// Import implements [Importer].
func (agentdojoImporter) Import(ctx context.Context, src Source, sink Sink) error {
	return importChat(ctx, src, sink, AgentDojo, &agentdojo{})
}

// agentdojo is the dialect of AgentDojo's runs.
type agentdojo struct{ openai }

func (d *agentdojo) begin(c *chat, r *chatRecord) error {
	set := c.setting(r)
	set.delta.Model = r.text("model")
	return d.record(c, r, set)
}

func (d *agentdojo) end(*chat, *chatRecord) error { return nil }
