package tenfold

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Compaction is an overlay (semantics §3): it says how the entries of a range
// of turns are to be seen, and changes none of them. A nil or empty slot has
// no opinion (C1).
type Compaction struct {
	// FromTurn and ToTurn bound the range, both inclusive, from 0.
	FromTurn int `json:"from_turn"`
	ToTurn   int `json:"to_turn"`
	// ToStep is the last covered step of ToTurn; nil covers the whole turn.
	ToStep *int `json:"to_step,omitzero"`

	// Profile, Strategy and Source say where the overlay came from: the
	// profile or strategy asked for, and who asked ("user", "auto", "model",
	// "micro", [SourceImport], [SourceBirth]).
	Profile  string `json:"profile,omitzero"`
	Strategy string `json:"strategy,omitzero"`
	Source   string `json:"source,omitzero"`
	// Reason is why it was made: a trigger's words, or a tool's.
	Reason string `json:"reason,omitzero"`
	// Command names the command that made it: what one command makes is undone
	// together (C7). Empty where that is not known; then it is undone alone.
	Command string `json:"command,omitzero"`
	// Handle is the short name of the conversation, which the references of
	// recall begin with, so that they mean the same anywhere (live §5): up to 16
	// lower-case letters and digits. Anything else, and "", leaves it out.
	Handle string `json:"handle,omitzero"`
	// TokensBefore and TokensAfter are what the view cost before and after,
	// when known (A7).
	TokensBefore int `json:"tokens_before,omitzero"`
	TokensAfter  int `json:"tokens_after,omitzero"`

	Summary         *Summary              `json:"summary,omitzero"`
	Reasoning       *Policy               `json:"reasoning,omitzero"`
	ToolCalls       *ToolPolicy           `json:"tool_calls,omitzero"`
	Texts           *TextPolicy           `json:"texts,omitzero"`
	Attachments     *Policy               `json:"attachments,omitzero"`
	ToolDefinitions *ToolDefinitionPolicy `json:"tool_definitions,omitzero"`
	// Turns is Omit to hide the range altogether, Keep to show it again.
	Turns Action `json:"turns,omitzero"`
	// Keeps is what the overlay leaves alone; nil for nothing.
	Keeps *Keeps `json:"keeps,omitzero"`
}

// Values of [Compaction.Source].
const (
	// SourceImport is that of what another tool compacted.
	SourceImport = "import"
	// SourceBirth is that of an overlay that shortens a result before a model sees
	// it for the first time (live V3). No view ever showed more, so that it changes
	// none: it begins no epoch, brings no note, and is not undone.
	SourceBirth = "birth"
)

// AtBirth reports whether the overlay shortens what no model had seen (live V3).
func (c *Compaction) AtBirth() bool { return c.Source == SourceBirth }

// StrategyRewind is the [Compaction.Strategy] of an overlay that says where a client
// went back to and said something else: it hides what was said behind that, or shows
// the beginning of the turn again. Nobody compacted anything, so that it begins no epoch,
// and is not undone.
const StrategyRewind = "rewind"

// Rewinds reports whether the overlay hides what a client took back. A strategy that
// somebody named so compacts.
func (c *Compaction) Rewinds() bool {
	return c.Strategy == StrategyRewind && c.Source == SourceImport
}

// Keeps is what an overlay leaves alone: older overlays and later ones may still have a
// word on it.
type Keeps struct {
	// Calls are the ids of calls, which are left alone with their results: what was
	// under way when the overlay was made (live V5).
	Calls []string `json:"calls,omitzero"`
	// Entries are the seqs of calls and of messages of the range, in order.
	Entries []int64 `json:"entries,omitzero"`
}

// Action is what a policy does to what it covers.
type Action string

// The actions of P2–P6. Not every slot knows every action.
const (
	Keep      Action = "keep"
	Strip     Action = "strip"
	Trim      Action = "trim"
	Omit      Action = "omit"
	Remove    Action = "remove"
	Selective Action = "selective"
	Prune     Action = "prune"
)

// Placement says where a summary's text stands (P3, P4).
type Placement string

// The placements.
const (
	// PlacePair is a synthetic turn of its own, the default.
	PlacePair Placement = "pair"
	// PlaceSystem is the end of the system prompt.
	PlaceSystem Placement = "system"
	// PlaceUser is a user message that the assistant acknowledges.
	PlaceUser Placement = "user"
	// PlaceMessage is one user message holding the text and nothing else: how
	// a summary of another tool was sent, as imported.
	PlaceMessage Placement = "message"
)

// Summary stands for all a range held (P3).
type Summary struct {
	Text      string    `json:"text"`
	Placement Placement `json:"placement,omitzero"`
	// Heading is the text of the pair's user message; empty means
	// [DefaultHeading].
	Heading string `json:"heading,omitzero"`
	// Transcript says where the whole transcript lies, for PlaceUser.
	Transcript   string `json:"transcript,omitzero"`
	Model        string `json:"model,omitzero"`
	Instructions string `json:"instructions,omitzero"`
	Covers       Covers `json:"covers,omitzero"`
	// Usage is what writing it took, over all calls, those for a text that was
	// not taken included; nil when no model was asked (A7). Its Model is set
	// where another than Model was paid.
	Usage *Usage `json:"usage,omitzero"`
	// Artifacts say where its files lie; nil when none were written (M5).
	Artifacts *Artifacts `json:"artifacts,omitzero"`
}

// Artifacts are the files written beside a summary (M5): what the summariser
// read, and what it wrote.
type Artifacts struct {
	Input   string `json:"input,omitzero"`
	Summary string `json:"summary,omitzero"`
}

// DefaultHeading is the user message of an injected summary (P3).
const DefaultHeading = "[Summary of previous conversation]"

// Covers counts what a summary stands for.
type Covers struct {
	Entries int `json:"entries"`
	Tokens  int `json:"tokens"`
}

// Policy is the policy of a slot that is stripped or kept whole: reasoning and
// attachments. In JSON it is the bare action when nothing else is set.
type Policy struct {
	Action Action `json:"policy"`
	// Over leaves contents of at most so many bytes alone (P6).
	Over Size `json:"over,omitzero"`
}

// StubPrevious is the short form of a stripped result.
const StubPrevious = "previous"

// ToolPolicy is the policy for tool calls and their results (P5).
type ToolPolicy struct {
	// Action is Keep, Strip, Omit or Selective.
	Action Action `json:"-"`
	// Request and Response say which sides Strip touches.
	Request  bool `json:"-"`
	Response bool `json:"-"`
	// Over leaves contents of at most so many bytes alone (P6).
	Over Size `json:"over,omitzero"`
	// FirstLine keeps the first line of a stripped result, at most 200
	// characters of it.
	FirstLine bool `json:"first_line,omitzero"`
	// Recall ends each stub with a reference the model can ask back (A9).
	Recall bool `json:"recall,omitzero"`
	// Stub is the form of a stripped result: "" for
	// "[compacted] tool: success, 12 lines", [StubPrevious] for
	// "[Previous: used tool]". Under either stands what an error said last.
	Stub string `json:"stub,omitzero"`
	// Hints are the tools' own wishes, resolved when the overlay was made.
	Hints map[string]Hint `json:"hints,omitzero"`
	// Calls are the policies of Selective, by call id. Where an id was used
	// more than once, "id@seq" names the one call whose entry has that seq.
	Calls map[string]CallPolicy `json:"calls,omitzero"`
	// Groups are policies of Selective that many calls share. What Calls says
	// of a call goes first.
	Groups []CallGroup `json:"groups,omitzero"`
	// Rest is what Selective does to the calls of its range that Calls and
	// Groups do not name: Omit, Strip or Keep. Empty leaves them to older overlays;
	// otherwise the overlay applies to its whole range.
	Rest Action `json:"rest,omitzero"`
	// Marks is the form of what Trim says of lines that are gone: "" counts
	// them, [MarksShort] puts "…" for each gap.
	Marks string `json:"marks,omitzero"`
	// Arguments is how much a strip leaves of arguments: "" for short values,
	// [ArgumentsPrimary], [ArgumentsNone].
	Arguments Arguments `json:"arguments,omitzero"`
	// Primary names, by tool, the arguments that say what a call is about, the
	// most telling first, [EveryArgument] for all; those under [AnyTool] come after
	// them. They were resolved when the overlay was made.
	Primary map[string][]string `json:"primary,omitzero"`
}

// Hint is a tool's own wish for its calls (semantics H1): it beats a strip.
type Hint struct {
	// Request is Keep or Strip; empty has no wish.
	Request Action `json:"request,omitzero"`
	// Response is Keep, Strip or Remove (call and result both go).
	Response Action `json:"response,omitzero"`
}

// CallPolicy is what Selective does to one call and its result.
type CallPolicy struct {
	// Action is Keep, Strip, Trim or Omit.
	Action Action
	// Request and Response say which sides Strip touches. Trim is about the
	// result; with Request it strips the arguments too (P5).
	Request, Response bool
	// Head and Tail are how many bytes Trim keeps of a result's start and
	// end, cut at line ends where there are any.
	Head, Tail Size
	// Lines are lines between that Trim keeps, in order: lines of the text
	// that [TextLines] gives. With [MarksShort] and neither Head nor Tail they
	// are all that is kept.
	Lines []LineRange
	// Body are the lines that Trim keeps of the bodies in the arguments, in
	// order, numbered through as [ArgumentText] says. They stand with the
	// result, and the arguments are stripped. Nil leaves the arguments as they
	// are; empty keeps nothing of the bodies. Request beats it.
	Body []LineRange
	// Result is what Trim does to the result instead of keeping Lines: Strip
	// or Keep; empty for Lines.
	Result Action
	// Folded counts omitted calls beside this one; its words stand with the
	// result, whatever Action leaves of that.
	Folded *Folded
}

// A CallGroup is a policy for the calls whose entries have the given seqs, in
// order: a few bytes for each where many are treated alike.
type CallGroup struct {
	CallPolicy
	Entries []int64
}

// callJSON is the object form of a [CallPolicy], of which one overlay holds thousands.
type callJSON struct {
	Policy   Action     `json:"policy"`
	Request  *bool      `json:"request,omitzero"`
	Response *bool      `json:"response,omitzero"`
	Head     Size       `json:"head,omitzero"`
	Tail     Size       `json:"tail,omitzero"`
	Lines    lineRanges `json:"lines,omitzero"`
	Body     lineRanges `json:"body,omitzero"`
	Result   Action     `json:"result,omitzero"`
	Folded   *Folded    `json:"folded,omitzero"`
}

// callGroupJSON is a policy with the entries that it is for.
type callGroupJSON struct {
	callJSON
	Entries []int64 `json:"entries,omitempty"`
}

// ToolDefinitionPolicy drops definitions of tools from the configuration.
type ToolDefinitionPolicy struct {
	Action Action   `json:"policy"`
	Names  []string `json:"names"`
}

// The types without their methods, for the object forms.
type (
	plainCompaction Compaction
	plainPolicy     Policy
	plainTools      ToolPolicy
	plainTexts      TextPolicy
)

// toolsJSON is the object form of a [ToolPolicy]: a strip touches the sides that it does not
// name.
type toolsJSON struct {
	Policy   Action `json:"policy"`
	Request  *bool  `json:"request,omitzero"`
	Response *bool  `json:"response,omitzero"`
	plainTools
}

// oneOf has an error say what a word of an overlay may be, where it is none of that.
func oneOf[T ~string](what string, word T, words ...T) error {
	if slices.Contains(words, word) {
		return nil
	}
	var list string
	for i, w := range words {
		switch {
		case w == "":
		case list == "":
			list = string(w)
		case i == len(words)-1:
			list += " or " + string(w)
		default:
			list += ", " + string(w)
		}
	}
	return fmt.Errorf("unknown %s %q: it is %s", what, word, list)
}

func isTrue(b *bool) bool { return b == nil || *b }

// readPolicy reads either form; short tells what a bare string means.
func readPolicy[T any](dec *jsontext.Decoder, short func(Action) (T, bool)) (p T, err error) {
	if dec.PeekKind() != '"' {
		return p, json.UnmarshalDecode(dec, &p, codecOptions)
	}
	name, err := dec.ReadToken()
	if err != nil {
		return p, err
	}
	p, ok := short(Action(name.String()))
	if !ok {
		return p, fmt.Errorf("unknown policy %q", name.String())
	}
	return p, nil
}

// isShort tells the actions that may be written alone.
func isShort(a Action) bool { return a == Keep || a == Strip || a == Trim || a == Omit }

func shortTools(a Action) (toolsJSON, bool) {
	no := false
	switch a {
	case "strip-responses":
		return toolsJSON{Policy: Strip, Request: &no}, true
	case "strip-requests":
		return toolsJSON{Policy: Strip, Response: &no}, true
	}
	return toolsJSON{Policy: a}, isShort(a) && a != Trim
}

// UnmarshalJSONFrom implements json.UnmarshalerFrom.
func (c *Compaction) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	if err := json.UnmarshalDecode(dec, (*plainCompaction)(c)); err != nil {
		return err
	}
	err := oneOf("policy for turns", c.Turns, "", Omit, Keep)
	if s := c.Summary; s != nil {
		err = cmp.Or(err, oneOf("placement", s.Placement, "", PlacePair, PlaceSystem, PlaceUser, PlaceMessage))
	}
	if d := c.ToolDefinitions; d != nil {
		err = cmp.Or(err, oneOf("policy for definitions of tools", d.Action, Prune))
	}
	return err
}

// MarshalJSONTo implements json.MarshalerTo.
func (p Policy) MarshalJSONTo(enc *jsontext.Encoder) error {
	if p.Over == 0 {
		return enc.WriteToken(jsontext.String(string(p.Action)))
	}
	return json.MarshalEncode(enc, plainPolicy(p))
}

// UnmarshalJSONFrom implements json.UnmarshalerFrom.
func (p *Policy) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	in, err := readPolicy(dec, func(a Action) (plainPolicy, bool) { return plainPolicy{Action: a}, isShort(a) })
	if err != nil {
		return err
	}
	*p = Policy(in)
	return oneOf("policy", in.Action, Strip, Keep)
}

// MarshalJSONTo implements json.MarshalerTo.
func (p ToolPolicy) MarshalJSONTo(enc *jsontext.Encoder) error {
	out := toolsJSON{Policy: p.Action, plainTools: plainTools(p)}
	if p.Action == Strip {
		out.Request, out.Response = &p.Request, &p.Response
	}
	return json.MarshalEncode(enc, &out, json.Deterministic(true))
}

// UnmarshalJSONFrom implements json.UnmarshalerFrom. It also takes the short
// forms "strip", "strip-responses", "strip-requests", "omit" and "keep".
func (p *ToolPolicy) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	in, err := readPolicy(dec, shortTools)
	if err != nil {
		return err
	}
	err = cmp.Or(
		oneOf("policy", in.Policy, Strip, Omit, Selective, Keep),
		oneOf("policy for the rest", in.Rest, "", Omit, Strip, Keep),
		oneOf("policy for arguments", in.Arguments, "", ArgumentsPrimary, ArgumentsNone),
		oneOf("stub", in.Stub, "", StubPrevious),
		oneOf("marks", in.Marks, "", MarksShort),
	)
	for _, hint := range in.Hints {
		err = cmp.Or(err, oneOf("hint for arguments", hint.Request, "", Keep, Strip), oneOf("hint for results", hint.Response, "", Keep, Strip, Remove))
	}
	if err != nil {
		return err
	}
	*p = ToolPolicy(in.plainTools)
	if p.Action = in.Policy; p.Action == Strip {
		p.Request, p.Response = isTrue(in.Request), isTrue(in.Response)
	}
	return nil
}

// MarshalJSONTo implements json.MarshalerTo.
func (c CallPolicy) MarshalJSONTo(enc *jsontext.Encoder) error {
	return json.MarshalEncode(enc, new(c.json()))
}

func (c CallPolicy) json() callJSON {
	out := callJSON{
		Policy: c.Action, Head: c.Head, Tail: c.Tail, Lines: c.Lines, Body: c.Body, Result: c.Result, Folded: c.Folded,
	}
	switch {
	case c.Action == Strip:
		out.Request, out.Response = &c.Request, &c.Response
	case c.Action == Trim && c.Request:
		out.Request = &c.Request
	}
	return out
}

// UnmarshalJSONFrom implements json.UnmarshalerFrom.
func (c *CallPolicy) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	in, err := readPolicy(dec, func(a Action) (callJSON, bool) { return callJSON{Policy: a}, isShort(a) })
	if err != nil {
		return err
	}
	return c.read(in)
}

func (c *CallPolicy) read(in callJSON) error {
	if err := cmp.Or(oneOf("policy", in.Policy, Keep, Strip, Trim, Omit), oneOf("policy for a result", in.Result, "", Strip, Keep)); err != nil {
		return err
	}
	*c = CallPolicy{
		Action: in.Policy, Head: in.Head, Tail: in.Tail, Lines: in.Lines, Body: in.Body, Result: in.Result, Folded: in.Folded,
	}
	switch in.Policy {
	case Strip:
		c.Request, c.Response = isTrue(in.Request), isTrue(in.Response)
	case Trim:
		c.Request = in.Request != nil && *in.Request
	}
	return nil
}

// MarshalJSONTo implements json.MarshalerTo.
func (g CallGroup) MarshalJSONTo(enc *jsontext.Encoder) error {
	return json.MarshalEncode(enc, &callGroupJSON{g.json(), g.Entries})
}

// UnmarshalJSONFrom implements json.UnmarshalerFrom.
func (g *CallGroup) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	var in callGroupJSON
	if err := json.UnmarshalDecode(dec, &in); err != nil {
		return err
	}
	g.Entries = in.Entries
	return g.read(in.callJSON)
}
