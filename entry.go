package tenfold

import (
	"time"
)

// An Entry is one line of a conversation's log (semantics L1). Entries are
// values: a log hands out copies, and nothing in them is ever edited.
type Entry struct {
	// Seq is the entry's place in its log: 1, 2, 3 … without gaps. The log
	// (or the store) gives it; zero means "not appended yet".
	Seq int64
	// Time is when the entry came to be, in UTC. It orders nothing (L1). A log keeps
	// none that is before 1678 or after 2261: it gives the zero time then.
	Time time.Time
	// ID never changes and is unique in its conversation (L9).
	ID string
	// Branch is the dotted path of the agent that wrote the entry; empty is
	// the root (L7).
	Branch string
	// MessageID is the provider's own id of the message a block came in.
	// Blocks that share it came in one response.
	MessageID string
	// Tokens is what the entry costs a model, counted once when it is
	// appended (T2). Zero on an entry that no model sees.
	Tokens int
	// Source holds, as one JSON value, whatever the transcript the entry was
	// imported from says about it and the payload does not. No model sees it.
	Source string
	// Payload is what the entry says.
	Payload Payload
}

// Kind names the kind of a payload (semantics L3).
type Kind string

// The kinds of L3. Any other kind is carried by [Unknown] (L4).
const (
	KindTurnStart         Kind = "turn_start"
	KindUserMessage       Kind = "user_message"
	KindAssistantMessage  Kind = "assistant_message"
	KindReasoning         Kind = "reasoning"
	KindToolCall          Kind = "tool_call"
	KindToolResult        Kind = "tool_result"
	KindProviderItem      Kind = "provider_item"
	KindApproval          Kind = "approval"
	KindUsage             Kind = "usage"
	KindConfigDelta       Kind = "config_delta"
	KindCompaction        Kind = "compaction"
	KindCompactionRevoked Kind = "compaction_revoked"
	KindCompactionFailed  Kind = "compaction_failed"
	KindCompactionAttempt Kind = "compaction_attempt"
	KindPin               Kind = "pin"
	KindUnpin             Kind = "unpin"
	KindRecalled          Kind = "recalled"
)

// Visible reports whether a model may see entries of this kind.
func (k Kind) Visible() bool {
	switch k {
	case KindUserMessage, KindAssistantMessage, KindReasoning, KindToolCall, KindToolResult, KindProviderItem:
		return true
	}
	return false
}

// A Payload is the content of an entry: one of the structs of this package.
// Payloads are values and are not to be changed once they are in a log.
type Payload interface {
	// Kind says which kind the payload is; it depends on the type alone,
	// except for [Unknown].
	Kind() Kind
}

// TurnStart opens a turn (L5).
type TurnStart struct{}

// Purpose says what a user message is for (semantics L11). Only requests carry
// constraints, give titles, or count as the last request.
type Purpose string

// The purposes.
const (
	// Request is what a person typed, also while the agent worked.
	Request Purpose = ""
	// Context is a standing instruction that the host put there: the text of an
	// AGENTS.md, the environment, permissions, a skill, a reminder.
	Context Purpose = "context"
	// Notice is an echo of the host's own command, its output, an interruption
	// or a caveat.
	Notice Purpose = "notice"
)

// UserMessage is what a person, or a program in a person's place, said.
type UserMessage struct {
	Parts       []Part
	Attachments []Attachment
	// Purpose says what the message is for. Context and notices are synthetic.
	Purpose Purpose
	// Synthetic marks a message no person wrote: injected context, a
	// reminder, a continuation. It does not count as a turn for triggers.
	Synthetic bool
	// Role is "system" or "developer" where the message stood under that role
	// in the midst of the history, and Provider is "anthropic" or "openai",
	// whose API that was. Who does not know the role is sent the user's.
	Role     string
	Provider string
}

// IsRequest reports whether a person said this and wants something (L11).
func (m UserMessage) IsRequest() bool { return !m.Synthetic && m.Purpose == Request }

// AssistantMessage is text the model said.
type AssistantMessage struct {
	Text string `json:"text"`
	// Phase is "commentary" or "final_answer" where OpenAI said so, which wants to have it
	// back: without it its models stop early
	// (https://platform.openai.com/docs/api-reference/responses, MessagePhase).
	Phase string `json:"phase,omitzero"`
	// Signature is Anthropic's, of words to the user that came between calls as a block of
	// thinking ("progress updates"). They go back as that block, as long as what stood before
	// it does too (P10a), and else as words.
	Signature string `json:"signature,omitzero"`
}

// Reasoning is the model's thinking, with the opaque data its provider wants
// back byte for byte.
type Reasoning struct {
	Text string `json:"text,omitzero"`
	// Provider names who can read the opaque fields: "anthropic", "openai"
	// or "gemini". Empty when there is nothing opaque. "openai-chat" marks a
	// text that servers of that API want back as it is.
	Provider string `json:"provider,omitzero"`
	// Signature is Anthropic's signature of Text, or Gemini's thought
	// signature.
	Signature string `json:"signature,omitzero"`
	// Encrypted is Anthropic's redacted thinking or OpenAI's encrypted
	// content.
	Encrypted string `json:"encrypted,omitzero"`
	// ItemID is OpenAI's id of the reasoning item.
	ItemID string `json:"item_id,omitzero"`
	// CallID names the call a Gemini thought signature stands on, if it
	// stands on one.
	CallID string `json:"call_id,omitzero"`
}

// ToolCall is a call the model makes.
type ToolCall struct {
	CallID string
	Name   string
	// Arguments is the JSON the model wrote, byte for byte. It may be
	// broken: models are cut off in the middle of a call.
	Arguments string
	// Custom marks a call of a tool of OpenAI's that takes plain text: it is
	// the member "input" of the arguments.
	Custom bool
}

// ToolResult answers the nearest open call of the same id.
type ToolResult struct {
	CallID  string
	Parts   []Part
	IsError bool
	// Outcome is how the call ended, where the record says so.
	Outcome Outcome
}

// ProviderItem is a block of a provider's wire format that Tenfold does not
// model. Only that provider ever sees it again.
type ProviderItem struct {
	Provider string
	// Role is whose message the block stood in: "user", "assistant", or "system" for an operator's
	// in mid-conversation, which is part of no response.
	Role string
	// Data is the block, verbatim JSON.
	Data string
}

// ApprovalState says how far the human in the loop is with a call.
type ApprovalState string

// The states of an approval.
const (
	ApprovalRequested ApprovalState = "requested"
	ApprovalGranted   ApprovalState = "granted"
	ApprovalDenied    ApprovalState = "denied"
)

// Approval records a question to the human in the loop, or the answer.
type Approval struct {
	State  ApprovalState `json:"state"`
	CallID string        `json:"call_id"`
	Reason string        `json:"reason,omitzero"`
}

// Usage is what a provider reported for one response. Counts are in tokens,
// Cost in US dollars, nil when unknown. Input, CacheRead and CacheWrite are
// apart: together they are the request. Output holds the reasoning as well.
type Usage struct {
	Model      string   `json:"model,omitzero"`
	Input      int      `json:"input,omitzero"`
	Output     int      `json:"output,omitzero"`
	CacheRead  int      `json:"cache_read,omitzero"`
	CacheWrite int      `json:"cache_write,omitzero"`
	Cost       *float64 `json:"cost,omitzero"`
}

// Prompt is how many tokens the request had, from the cache or not.
func (u Usage) Prompt() int { return u.Input + u.CacheRead + u.CacheWrite }

// ConfigDelta changes the configuration from here on. A nil field, or an
// empty Model, leaves what was there.
type ConfigDelta struct {
	Model  string
	System *string
	Tools  *[]ToolDefinition
	// Extra is the rest of the partial configuration, verbatim JSON.
	Extra string
}

// ToolDefinition describes a tool to the model.
type ToolDefinition struct {
	Name        string `json:"name"`
	Description string `json:"description,omitzero"`
	// Schema is the JSON Schema of the arguments, verbatim.
	Schema string `json:"schema,omitzero"`
	// Provider is whose own kind of tool it is, and Data what that provider's
	// API is told of it, verbatim JSON. Both are empty for a plain function.
	Provider string `json:"provider,omitzero"`
	Data     string `json:"data,omitzero"`
}

// CompactionRevoked takes an overlay back (undo), or, when its target is
// itself a revocation, gives the overlay back (redo). See C7.
type CompactionRevoked struct {
	// Target is the id of the compaction, or of the revocation, that no
	// longer counts.
	Target string `json:"target"`
	// Command names the command that it is a part of, as with [Compaction].
	Command string `json:"command,omitzero"`
}

// CompactionFailed records that a compaction was tried and came to nothing.
type CompactionFailed struct {
	Error    string `json:"error"`
	Tokens   int    `json:"tokens_now,omitzero"`
	Limit    int    `json:"limit,omitzero"`
	Exceeded bool   `json:"exceeded,omitzero"`
	// Attempt is the id of the [CompactionAttempt] that failed, if one was
	// recorded.
	Attempt string `json:"attempt,omitzero"`
	// Usage is what was paid for summaries that were not taken; nil for nothing.
	Usage *Usage `json:"usage,omitzero"`
}

// AttemptState says how far an attempt to compact is.
type AttemptState string

// The states of an attempt.
const (
	AttemptWanted AttemptState = "wanted"
	AttemptBegun  AttemptState = "begun"
	AttemptHeld   AttemptState = "held"
	AttemptEnded  AttemptState = "ended"
)

// CompactionAttempt records that a compaction of a live conversation is wanted,
// that an attempt began or goes on, or that one ended with nothing to do (A3, A5, A8). An
// attempt that did something is ended by the [Compaction] whose Command is its
// id, one that failed by a [CompactionFailed].
type CompactionAttempt struct {
	State AttemptState `json:"state"`
	// Attempt is the id of the entry in which the attempt that goes on or ended had begun.
	Attempt string `json:"attempt,omitzero"`
	// Source is who asked: "auto", "client", "model" or "user".
	Source string `json:"source,omitzero"`
	// Reason is why: a trigger's words, a person's, or why there was nothing
	// to do. Focus is what must be kept.
	Reason string `json:"reason,omitzero"`
	Focus  string `json:"focus,omitzero"`
	// Seconds is how long an attempt may take from here on: one that has neither ended
	// by then nor been held for longer was interrupted.
	Seconds int `json:"seconds,omitzero"`
}

// Pin names entries no overlay may hide or shorten (P8).
type Pin struct {
	Entries []string `json:"entries"`
}

// Unpin takes pins back.
type Unpin struct {
	Entries []string `json:"entries"`
}

// Recalled records that a model asked for text that its view did not show, by a
// reference (A9). It changes no view: the next compaction keeps what was needed
// (live §5).
type Recalled struct {
	Entries []string `json:"entries"`
	// Lines are those it was given, where Entries is one entry of which it was
	// given a part; they are numbered as [TextLines] gives them.
	Lines []LineRange `json:"lines,omitzero"`
}

// Unknown carries a kind this version does not know (L4): it is kept as it
// came and skipped by everything.
type Unknown struct {
	Name Kind
	// Data holds the payload's JSON members, one JSON object, verbatim;
	// empty when there were none.
	Data string
}

// PartType is the type of a [Part].
type PartType string

// The types of parts.
const (
	PartText  PartType = "text"
	PartImage PartType = "image"
	PartFile  PartType = "file"
)

// A Part is a piece of a message or a result: text, or an image or a file by
// reference.
type Part struct {
	// Text is the text of a text part; the zero File makes it one.
	Text string
	// File is set on images and files.
	File *File
}

// A File is an image or a document by reference.
type File struct {
	Type      PartType `json:"type"`
	Name      string   `json:"name,omitzero"`
	MediaType string   `json:"media_type,omitzero"`
	// URI says where the bytes are; a "data:" URI carries them.
	URI string `json:"uri,omitzero"`
	// Detail is what else the source said of the file, verbatim JSON.
	Detail string `json:"detail,omitzero"`
}

// TextPart makes a text part.
func TextPart(text string) Part { return Part{Text: text} }

// Text makes the parts of a message or result that is one text.
func Text(text string) []Part { return []Part{{Text: text}} }

// An Attachment is a document given along with a user message.
type Attachment struct {
	Name      string `json:"name,omitzero"`
	MediaType string `json:"media_type,omitzero"`
	Content   string `json:"content,omitzero"`
}

func (TurnStart) Kind() Kind         { return KindTurnStart }
func (UserMessage) Kind() Kind       { return KindUserMessage }
func (AssistantMessage) Kind() Kind  { return KindAssistantMessage }
func (Reasoning) Kind() Kind         { return KindReasoning }
func (ToolCall) Kind() Kind          { return KindToolCall }
func (ToolResult) Kind() Kind        { return KindToolResult }
func (ProviderItem) Kind() Kind      { return KindProviderItem }
func (Approval) Kind() Kind          { return KindApproval }
func (Usage) Kind() Kind             { return KindUsage }
func (ConfigDelta) Kind() Kind       { return KindConfigDelta }
func (Compaction) Kind() Kind        { return KindCompaction }
func (CompactionRevoked) Kind() Kind { return KindCompactionRevoked }
func (CompactionFailed) Kind() Kind  { return KindCompactionFailed }
func (CompactionAttempt) Kind() Kind { return KindCompactionAttempt }
func (Pin) Kind() Kind               { return KindPin }
func (Unpin) Kind() Kind             { return KindUnpin }
func (Recalled) Kind() Kind          { return KindRecalled }
func (u Unknown) Kind() Kind         { return u.Name }

// opaque reports whether a provider wants the reasoning back as it is.
func (r Reasoning) opaque() bool { return r.Signature != "" || r.Encrypted != "" }
