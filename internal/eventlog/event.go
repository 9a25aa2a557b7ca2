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
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
	"tenfold/agent"
	"tenfold/internal/rawjson"
	"tenfold/session"
	"tenfold/toolbox"
)

// Names of events, as their member "event" has them. Result ends the output of
// "tenfold query --json"; Opened begins what one run adds to a transcript file.
// Neither is an event of an agent.
const (
	Entry  = "entry"
	Result = "result"
	Opened = "opened"
)

// An event is the form of one, with what T has of it.
type event[T any] struct {
	// Time stands in front, so that lines sort; a file has it.
	Time  time.Time `json:"time,omitzero"`
	Event string    `json:"event"`
	// Branch is the sub-agent's; absent on the root.
	Branch string `json:"branch,omitzero"`
	Of     T      `json:",embed"`
}

type (
	entryJSON struct {
		// Entry is as Tenfold's own format has it.
		Entry  jsontext.Value `json:"entry"`
		Others bool           `json:"others,omitzero"`
	}
	runningJSON struct {
		CallID    string         `json:"call_id"`
		Tool      string         `json:"tool"`
		Effect    toolbox.Effect `json:"effect"`
		Subject   string         `json:"subject,omitzero"`
		Contained bool           `json:"contained,omitzero"`
	}
	waitingJSON struct {
		Attempt int     `json:"attempt"`
		Seconds float64 `json:"seconds"`
		Error   string  `json:"error,omitzero"`
	}
	compactionJSON struct {
		Action session.Action `json:"action"`
		State  session.State  `json:"state"`
		By     session.Asker  `json:"by"`
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
	openedJSON struct {
		Conversation string `json:"conversation"`
		// Version is the version of the log from which on the file has all
		// entries of the run.
		Version int64 `json:"version"`
	}
)

// Append appends the JSON form of an event to dst, without the line's end. An
// event that says nothing, or nothing that this version knows, is an error.
func Append(dst []byte, e agent.Event) ([]byte, error) {
	var line []byte
	form, err := formOf(e, time.Time{})
	if err == nil {
		line, err = json.Marshal(form, options)
	}
	if err != nil {
		return dst, fmt.Errorf("write an event: %w", err)
	}
	return append(dst, line...), nil
}

func formOf(e agent.Event, at time.Time) (any, error) {
	switch {
	case e.Text != "":
		return event[agent.Output]{at, "text", e.Branch, agent.Output{Text: e.Text}}, nil
	case e.Reasoning != "":
		return event[agent.Output]{at, "reasoning", e.Branch, agent.Output{Text: e.Reasoning}}, nil
	case e.Output != nil:
		return event[agent.Output]{at, "output", e.Branch, *e.Output}, nil
	case e.Appended != nil:
		entry, err := tenfold.AppendEntry(nil, *e.Appended)
		return event[entryJSON]{at, Entry, e.Branch, entryJSON{entry, e.Others}}, err
	case e.Running != nil:
		r := e.Running
		return event[runningJSON]{at, "running", e.Branch, runningJSON{r.Call.CallID, r.Call.Name, r.Intent.Effect, r.Intent.Subject, r.Contained}}, nil
	case e.Waiting != nil:
		out := waitingJSON{Attempt: e.Waiting.Attempt, Seconds: e.Waiting.After.Seconds()}
		if e.Waiting.Err != nil {
			out.Error = e.Waiting.Err.Error()
		}
		return event[waitingJSON]{at, "waiting", e.Branch, out}, nil
	case e.Compaction != nil:
		d := e.Compaction
		out := compactionJSON{Action: d.Action, State: d.State, By: d.By, Micro: d.Micro, Reason: d.Reason}
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
		return event[compactionJSON]{at, "compaction", e.Branch, out}, nil
	case e.Gauge != nil:
		return event[agent.Gauge]{at, "context", e.Branch, *e.Gauge}, nil
	case e.Stop != nil:
		return event[agent.Stop]{at, "stop", e.Branch, *e.Stop}, nil
	}
	return nil, errors.New("it says nothing")
}

// options take what models and files hold.
var options = json.JoinOptions(rawjson.Verbatim, json.Deterministic(true))
