package opencode

import (
	"cmp"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"tenfold/internal/config"
	"tenfold/internal/rawjson"
	"tenfold/trigger"
)

// An event is what the plug-in sends.
type event struct {
	Session string `json:"session"`
	// Dir is the directory that opencode works in.
	Dir string `json:"dir"`
	// Messages are those that the request is to be made of, in order.
	Messages []told `json:"messages"`
	Model    limits `json:"model"`
	// Counted is the newest response that the provider counted, and Used what it
	// took, prompt and answer, in tokens; 0 where there is none. Since is how many
	// bytes of text and results came after its prompt, and Ended when it ended, in
	// milliseconds.
	Counted string `json:"counted"`
	Used    int    `json:"used"`
	Since   int    `json:"since"`
	Ended   int64  `json:"ended"`

	// Why is the Send of the answer that this event follows, Info the session, and
	// All its messages, those that are hidden by compactions included.
	Why  string           `json:"why"`
	Info info             `json:"info"`
	All  []jsontext.Value `json:"all"`

	// Of a tool's result: which call it answers, and what it says.
	Tool   string         `json:"tool"`
	Call   string         `json:"call"`
	Args   jsontext.Value `json:"args"`
	Output string         `json:"output"`
}

// info is what is read of a session's record.
type info struct {
	Version string `json:"version"`
	raw     jsontext.Value
}

// UnmarshalJSON keeps the record as it is.
func (i *info) UnmarshalJSON(raw []byte) error {
	i.raw = append(jsontext.Value(nil), raw...)
	var read struct {
		Version string `json:"version"`
	}
	err := rawjson.Unmarshal(raw, &read)
	i.Version = read.Version
	return err
}

// told is one message of a request.
type told struct {
	ID   string `json:"id"`
	Role string `json:"role"`
	// Compaction is set on a message that asks for a compaction, Summary on the
	// answer.
	Compaction bool `json:"compaction"`
	Summary    bool `json:"summary"`
}

// limits are those of the model, in tokens; 0 is unknown.
type limits struct {
	Context int `json:"context"`
	Input   int `json:"input"`
	Output  int `json:"output"`
}

// An answer is what the plug-in is told.
type answer struct {
	// View are the messages to send instead: the id of one to send as opencode has
	// it, or an object.
	View []jsontext.Value `json:"view,omitempty"`
	// Raw has the messages sent as they are.
	Raw bool `json:"raw,omitzero"`
	// Send asks for the whole session, and says why.
	Send string `json:"send,omitzero"`
	// Line is for the person.
	Line string `json:"line,omitzero"`
	// Prompt is what the model is asked in place of a summary, and Text what is
	// stored in place of its answer.
	Prompt string `json:"prompt,omitzero"`
	Text   string `json:"text,omitzero"`
	// Output is what a model sees of a tool's result.
	Output string `json:"output,omitzero"`
}

// Why the whole session is asked for.
const (
	whyAuto    = "auto"    // the context is full
	whyCold    = "cold"    // the provider has forgotten the prompt
	whyChanged = "changed" // what the epoch began with is no more
	whyManual  = "manual"
)

// Shares of what a request may take. opencode compacts by itself where a
// response takes more than room, so that ours comes before: between turns with
// space for a step, and in a turn only when the next request would not fit (A2).
const (
	betweenTurns = 0.90
	insideTurn   = 0.95
)

// The default limits, where the client does not say: those of opencode.
const (
	mostOutput   = 32_000
	inputReserve = 20_000
	bytesAToken  = 4
)

// room is the size of a response, prompt and answer, from which on opencode
// compacts by itself; 0 is unknown.
func (l limits) room() int {
	switch {
	case l.Context <= 0:
		return 0
	case l.Input > 0:
		return max(l.Input-min(inputReserve, mostOutput), 0)
	}
	output := min(l.Output, mostOutput)
	return max(l.Context-cmp.Or(output, mostOutput), 0)
}

// tokens is about what the next request takes.
func (e *event) tokens() int { return e.Used + e.Since/bytesAToken }

// insideTurn tells whether the agent is at work: its own message is the newest.
func (e *event) insideTurn() bool {
	return len(e.Messages) > 0 && e.Messages[len(e.Messages)-1].Role == "assistant"
}

// newest is the id of the newest message of a role; "" is any.
func (e *event) newest(role string) string {
	for i := len(e.Messages) - 1; i >= 0; i-- {
		if m := e.Messages[i]; role == "" || m.Role == role && !m.Compaction {
			return m.ID
		}
	}
	return ""
}

// epochReason tells why a new epoch is epochReason, if it is (V2).
func (e *event) epochReason(settings *config.Effective, now time.Time) string {
	auto := settings.Conversation.Compaction.Auto
	window := cmp.Or(e.Model.Context, settings.Window(""))
	used := e.tokens()
	if !auto.Enabled || window <= 0 || used <= 0 {
		return ""
	}
	room := cmp.Or(e.Model.room(), window)
	when, err := trigger.Parse(string(auto.Threshold))
	if err != nil {
		when = trigger.Context(trigger.DefaultContext)
	}
	fires, _ := when.Fires(trigger.View{Tokens: used, Calibrated: true, Window: window})
	switch {
	case e.insideTurn() && float64(used) > insideTurn*float64(room),
		!e.insideTurn() && (fires || float64(used) > betweenTurns*float64(room)):
		return whyAuto
	}
	after := time.Duration(settings.Conversation.Compaction.Micro.ColdAfter)
	cold := e.Ended > 0 && after > 0 && now.Sub(time.UnixMilli(e.Ended)) > after
	// A compaction goes for a tenth of the window at least, and must be worth a change
	// of what the model saw.
	if cold && !e.insideTurn() && used > window/10+int(settings.Conversation.Compaction.Micro.ClearAtLeast) {
		return whyCold
	}
	return ""
}
