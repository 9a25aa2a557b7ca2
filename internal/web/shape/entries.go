package shape

import (
	"reflect"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json/jsontext"

	"tenfold/client"
)

// What programs append and read back: entries as docs/json.md has them.

// A LogEntry is an entry in the JSON form, whole.
type LogEntry struct{ Line jsontext.Value }

// MarshalJSONTo implements [json.MarshalerTo].
func (e LogEntry) MarshalJSONTo(enc *jsontext.Encoder) error { return enc.WriteValue(e.Line) }

// Schema implements [huma.SchemaProvider].
func (LogEntry) Schema(r huma.Registry) *huma.Schema {
	whole := func(doc string) *huma.Schema {
		return &huma.Schema{Type: huma.TypeInteger, Format: "int64", Description: doc}
	}
	text := func(doc string) *huma.Schema { return &huma.Schema{Type: huma.TypeString, Description: doc} }
	at := text("UTC; orders nothing; when the request came where there is none")
	at.Format = "date-time"
	return named(r, "LogEntry", &huma.Schema{
		Type: huma.TypeObject, AdditionalProperties: true, Required: []string{"kind"},
		Description: "An entry in the JSON form of docs/json.md: the members here, and beside them those of its kind. Unknown kinds are kept whole.",
		Properties: map[string]*huma.Schema{
			"seq":  whole("its place in the log, from 1; given by the server"),
			"id":   text("unique in its conversation; made by the server where there is none"),
			"time": at,
			"kind": text("user_message, assistant_message, tool_call, tool_result …"), "branch": text("of the sub-agent; absent on the root"),
			"message_id": text("the provider's id of the message that a block came in"), "tokens": whole("what it costs a model; counted by the server"),
		},
	})
}

// A PlannedCompaction is a compaction in the JSON form, without the members of its entry.
type PlannedCompaction struct{ client.PlannedCompaction }

// Schema implements [huma.SchemaProvider].
func (PlannedCompaction) Schema(r huma.Registry) *huma.Schema {
	turn := func(doc string) *huma.Schema {
		return &huma.Schema{Type: huma.TypeInteger, Format: "int64", Description: doc}
	}
	return named(r, "PlannedCompaction", &huma.Schema{
		Type: huma.TypeObject, AdditionalProperties: true, Required: []string{"from_turn", "to_turn"},
		Description: "A compaction in the JSON form of docs/json.md, with the members of its slots: summary, reasoning, tool_calls, texts, attachments, tool_definitions, turns.",
		Properties: map[string]*huma.Schema{
			"from_turn": turn("the first turn covered, from 0"), "to_turn": turn("the last turn covered"),
			"to_step": turn("the last step covered of the last turn; absent: the whole turn"),
		},
	})
}

// named puts a schema that is written by hand where the others are.
func named(r huma.Registry, name string, s *huma.Schema) *huma.Schema {
	s.PrecomputeMessages()
	r.Map()[name] = s
	return &huma.Schema{Ref: "#/components/schemas/" + name}
}

// SchemaOf is that of a type.
func SchemaOf[T any](r huma.Registry) *huma.Schema { return r.Schema(reflect.TypeFor[T](), true, "") }

// A Batch is entries to append, all or none of them.
type Batch struct {
	Expected *int64     `json:"expected,omitempty" minimum:"0" doc:"version that the program has read: 409 if the log is at another; absent: append after whatever is there"`
	Entries  []LogEntry `json:"entries" minItems:"1" maxItems:"1000" doc:"at most 1000, and 32 MB"`
}

// Appended is where entries of a batch stand. It is the same for a request that is
// repeated.
type Appended struct {
	Version int64   `json:"version" doc:"of the log with these entries: the expected one of the next batch"`
	Entries []Place `json:"entries" doc:"in the order of the request"`
}

// A Place is where an entry stands.
type Place struct {
	ID  string `json:"id"`
	Seq int64  `json:"seq"`
}

// Entries is a window of a log, each entry whole.
type Entries struct {
	Version int64      `json:"version" doc:"of the log"`
	Items   []LogEntry `json:"items"`
	Next    int64      `json:"next,omitzero" doc:"the after of the next page; absent at the end of the log"`
}
