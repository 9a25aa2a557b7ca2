package shape

import (
	"bytes"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// A Status is where a live conversation stands (docs/controller.md), and what an
// agent of this server does in it. It always comes whole.
type Status struct {
	State       string    `json:"state" enum:"ready,wanted,compacting,tried,closed" doc:"where the controller stands; compacting: nothing can be sent; closed: the context is full and could not be compacted"`
	Since       time.Time `json:"since,omitzero" doc:"when the compaction under way began"`
	Until       time.Time `json:"until,omitzero" doc:"when its time is over, whether it ended or not"`
	Failure     string    `json:"failure,omitzero" doc:"why the last attempt of this turn to compact failed"`
	Tokens      int       `json:"tokens" doc:"what the next request takes"`
	Window      int       `json:"window" doc:"0 where unknown"`
	Method      string    `json:"method" enum:"reported,calibrated,estimate" doc:"where the figure is from: reported by the provider, with what came since; estimated, and corrected by what it reported before; estimated"`
	Compactions int       `json:"compactions" doc:"that the log holds, undone ones included"`
	Epoch       int       `json:"epoch" doc:"beginnings of what a provider may cache, from 0"`

	Busy    bool       `json:"busy" doc:"an agent of this server is working on it, so no message can be sent"`
	Running []Running  `json:"running" doc:"calls that run now"`
	Retry   *Retry     `json:"retry,omitzero" doc:"the model will be called again; the text it had begun is discarded"`
	Waiting []Question `json:"waiting" doc:"calls that wait for permission"`
	Ended   *Ended     `json:"ended,omitzero" doc:"how the last run of this server's agent ended; absent during a run, and before the first"`
	Offers  []Offer    `json:"offers" doc:"what a person can do where something went wrong"`
}

// Running is a call that runs.
type Running struct {
	Call      string `json:"call" doc:"its id"`
	Branch    string `json:"branch,omitzero" doc:"of the sub-agent whose it is"`
	Line      string `json:"line" doc:"the tool and what it does"`
	Contained bool   `json:"contained" doc:"it can write only in the workspace, and cannot use the network"`
}

// Retry is a wait before the model is asked again.
type Retry struct {
	Attempt int       `json:"attempt"`
	At      time.Time `json:"at" doc:"time of the next attempt"`
	Why     string    `json:"why"`
}

// Ended is how an agent ended its work.
type Ended struct {
	Reason string `json:"reason" enum:"answered,limit,interrupted,refused,cut off,context exceeded,failed,compacted,not compacted,nothing" doc:"failed: an error, which detail says; compacted, not compacted, nothing (to compact): of a compaction that was asked for"`
	Detail string `json:"detail,omitzero"`
	Hint   string `json:"hint,omitzero"`
}

// An Offer is something that a person can do now.
type Offer struct {
	Do    string `json:"do" enum:"compact,go_on,write,new" doc:"compact and go_on are sent as the do of a message; write: send a message; new: make a conversation"`
	Words string `json:"words"`
}

// A Question is a call that waits for leave.
type Question struct {
	ID      string   `json:"id" doc:"unique id"`
	Call    string   `json:"call" doc:"the tool and what it is to do, as a line"`
	Detail  string   `json:"detail" doc:"complete description of the call"`
	Why     string   `json:"why" doc:"why permission is required"`
	Choices []string `json:"choices" doc:"what may be answered: once, always, no"`
}

// A Reply answers a question.
type Reply struct {
	Answer string `json:"answer" enum:"once,always,no" doc:"always: for the rest of the agent's session"`
	Reason string `json:"reason,omitzero" maxLength:"10000" doc:"reason for a no, which the model sees"`
}

// A Message has the agent work: it answers a text, compacts, or goes on.
type Message struct {
	Text  string `json:"text,omitzero" maxLength:"2097152" doc:"message of the user; with compact, what must be kept"`
	Do    string `json:"do,omitzero" enum:"answer,compact,go_on" default:"answer" doc:"go_on continues where the conversation stopped, and takes no text"`
	Model string `json:"model,omitzero" maxLength:"500" doc:"PROVIDER/MODEL, of a configured provider; if empty, the model configured on the server"`
}

// A Fresh is a conversation to make.
type Fresh struct {
	ID      string     `json:"id,omitzero" maxLength:"500" doc:"if absent, the server makes one; with an Idempotency-Key it is derived from the key"`
	Title   string     `json:"title,omitzero" maxLength:"500"`
	Entries []LogEntry `json:"entries,omitempty" maxItems:"1000" doc:"what its log begins with; at most 1000, and 32 MB"`
}

// An Event is what the stream of a conversation tells: one of entry, status, text,
// reasoning and output, which is also the name of the server-sent event. The id of
// "entry" is its seq: reconnecting with Last-Event-ID goes on after it. The others
// have no id: whoever comes is told first how things are.
type Event struct {
	// Entry came to the log. Changed is the first seq whose fate or tokens are other
	// than before, because of it: 0 for none.
	Entry   *Row  `json:"entry,omitzero"`
	Changed int64 `json:"changed,omitzero"`
	Version int64 `json:"version,omitzero"`
	// Status, where it changed.
	Status *Status `json:"status,omitzero"`
	// Text and Reasoning are what an agent of this server is writing, Output what a
	// call prints.
	Text      *Piece `json:"text,omitzero"`
	Reasoning *Piece `json:"reasoning,omitzero"`
	Output    *Piece `json:"output,omitzero"`
}

// Name is that of the server-sent event.
func (e Event) Name() string {
	switch {
	case e.Entry != nil:
		return "entry"
	case e.Status != nil:
		return "status"
	case e.Text != nil:
		return "text"
	case e.Reasoning != nil:
		return "reasoning"
	}
	return "output"
}

// Encoded is the event as a stream sends it; id 0 is none.
func (e Event) Encoded(id int64) ([]byte, error) {
	var b bytes.Buffer
	if id > 0 {
		fmt.Fprintf(&b, "id: %d\n", id)
	}
	b.WriteString("event: " + e.Name() + "\ndata: ")
	if err := json.MarshalWrite(&b, e, jsontext.AllowInvalidUTF8(true)); err != nil {
		return nil, err
	}
	b.WriteString("\n\n")
	return b.Bytes(), nil
}

// A Piece is some more of a text that is being written. Entries and pieces may
// overtake each other: an entry of a message or of reasoning with a seq over After
// is what the text has become, and ends it.
type Piece struct {
	Text   string `json:"text"`
	Begins bool   `json:"begins,omitzero" doc:"replaces everything sent so far of such a text, or of the output of this call"`
	After  int64  `json:"after" doc:"seq of the newest entry when the text began"`
	Call   string `json:"call,omitzero" doc:"of output: the id of the call"`
	Branch string `json:"branch,omitzero" doc:"of output: the sub-agent's whose call it is"`
}
