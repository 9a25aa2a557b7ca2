// Package eventlog writes the events of an agent as JSON lines: for programs
// that read "tenfold query --json", and into the transcript file that is kept
// beside the store.
//
// The form is stable: members may be added, none is renamed or removed.
// docs/agent.md lists them.
package eventlog

import (
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
	"tenfold/agent"
	"tenfold/internal/rawjson"
	"tenfold/session"
)

// The names of events, as their member "event" has them.
const (
	Text       = "text"
	Reasoning  = "reasoning"
	Entry      = "entry"
	Running    = "running"
	Output     = "output"
	Waiting    = "waiting"
	Compaction = "compaction"
	Context    = "context"
	Stop       = "stop"
	// Result ends the output of "tenfold query --json"; Opened begins what one
	// run adds to a transcript file. Neither is an event of an agent.
	Result = "result"
	Opened = "opened"
)

// head is what all events begin with.
type head struct {
	Event string `json:"event"`
	// Branch is the sub-agent's; absent on the root.
	Branch string `json:"branch,omitzero"`
}

type (
	textJSON struct {
		head
		CallID string `json:"call_id,omitzero"`
		Text   string `json:"text"`
	}
	entryJSON struct {
		head
		// Entry is as Tenfold's own format has it.
		Entry  jsontext.Value `json:"entry"`
		Others bool           `json:"others,omitzero"`
	}
	runningJSON struct {
		head
		CallID    string `json:"call_id"`
		Tool      string `json:"tool"`
		Effect    string `json:"effect"`
		Subject   string `json:"subject,omitzero"`
		Contained bool   `json:"contained,omitzero"`
	}
	waitingJSON struct {
		head
		Attempt int     `json:"attempt"`
		Seconds float64 `json:"seconds"`
		Error   string  `json:"error,omitzero"`
	}
	compactionJSON struct {
		head
		Action string `json:"action"`
		State  string `json:"state"`
		By     string `json:"by"`
		// Micro tells that old results were cleared, and no more (A1).
		Micro  bool   `json:"micro,omitzero"`
		Reason string `json:"reason"`
		Hint   string `json:"hint,omitzero"`
		// Tokens are those of the view, and Overlays the ids of what was laid
		// over it; absent where nothing was.
		Tokens   *sizes   `json:"tokens,omitzero"`
		Overlays []string `json:"overlays,omitempty"`
	}
	sizes struct {
		Before int `json:"before"`
		After  int `json:"after"`
	}
	contextJSON struct {
		head
		Gauge
	}
	stopJSON struct {
		head
		Reason string `json:"reason"`
		Detail string `json:"detail,omitzero"`
		Steps  int    `json:"steps"`
	}
	openedJSON struct {
		head
		Conversation string `json:"conversation"`
		// Version is the version of the log from which on the file has all
		// entries of the run.
		Version int64 `json:"version"`
	}
)

// A Gauge is the form of [agent.Gauge].
type Gauge struct {
	Tokens int           `json:"tokens"`
	Window int           `json:"window"`
	Method string        `json:"method"`
	Spent  tenfold.Usage `json:"usage"`
	// Dollars is nil where a price is not known.
	Dollars     *float64 `json:"dollars"`
	Compactions int      `json:"compactions"`
}

// NewGauge gives the form of a gauge.
func NewGauge(g agent.Gauge) Gauge {
	out := Gauge{Tokens: g.Tokens, Window: g.Window, Method: g.Method, Spent: g.Spent, Compactions: g.Compactions}
	if g.Priced {
		out.Dollars = &g.Dollars
	}
	return out
}

// Append appends the JSON form of an event to dst, without the line's end. An
// event that says nothing, or nothing that this version knows, is an error.
func Append(dst []byte, e agent.Event) ([]byte, error) {
	form, err := formOf(e)
	if err != nil {
		return dst, fmt.Errorf("write an event: %w", err)
	}
	line, err := json.Marshal(form, options)
	if err != nil {
		return dst, fmt.Errorf("write an event: %w", err)
	}
	return append(dst, line...), nil
}

func formOf(e agent.Event) (any, error) {
	is := func(name string) head { return head{name, e.Branch} }
	switch {
	case e.Text != "":
		return textJSON{head: is(Text), Text: e.Text}, nil
	case e.Reasoning != "":
		return textJSON{head: is(Reasoning), Text: e.Reasoning}, nil
	case e.Output != nil:
		return textJSON{is(Output), e.Output.CallID, e.Output.Text}, nil
	case e.Appended != nil:
		entry, err := tenfold.AppendEntry(nil, *e.Appended)
		return entryJSON{is(Entry), entry, e.Others}, err
	case e.Running != nil:
		r := e.Running
		return runningJSON{is(Running), r.Call.CallID, r.Call.Name, string(r.Intent.Effect), r.Intent.Subject, r.Contained}, nil
	case e.Waiting != nil:
		out := waitingJSON{head: is(Waiting), Attempt: e.Waiting.Attempt, Seconds: e.Waiting.After.Seconds()}
		if e.Waiting.Err != nil {
			out.Error = e.Waiting.Err.Error()
		}
		return out, nil
	case e.Compaction != nil:
		return newCompaction(is(Compaction), *e.Compaction), nil
	case e.Gauge != nil:
		return contextJSON{is(Context), NewGauge(*e.Gauge)}, nil
	case e.Stop != nil:
		return stopJSON{is(Stop), string(e.Stop.Reason), e.Stop.Detail, e.Stop.Steps}, nil
	}
	return nil, errors.New("it says nothing")
}

func newCompaction(h head, d session.Decision) compactionJSON {
	out := compactionJSON{head: h, Action: string(d.Action), State: string(d.State), By: string(d.By), Micro: d.Micro, Reason: d.Reason}
	if d.Problem != nil {
		out.Hint = d.Problem.Hint
	}
	for _, o := range d.Result.Overlays {
		out.Overlays = append(out.Overlays, o.ID)
	}
	if len(out.Overlays) > 0 {
		before, after := d.Result.Plan.Sizes()
		out.Tokens = &sizes{before, after}
	}
	return out
}

// options take what models and files hold.
var options = json.JoinOptions(rawjson.Verbatim, json.Deterministic(true))
