package session

// A State is where the controller of a live conversation stands. The log says it,
// with the clock: a restart changes nothing.
type State string

// The states.
const (
	// Ready: nothing is under way, and a compaction may begin by itself.
	Ready State = "ready"
	// Wanted: somebody asked while a tool call had no result yet (B2, A8).
	Wanted State = "wanted"
	// Compacting: an attempt began, has not ended, and its time is not over (A5).
	Compacting State = "compacting"
	// Tried: an attempt of this turn came to nothing, so that none begins by
	// itself until the next turn (A3, A6).
	Tried State = "tried"
	// Closed: that happened, and the view is over the model's window (A6).
	Closed State = "closed"
)

// States lists the states.
func States() []State { return []State{Ready, Wanted, Compacting, Tried, Closed} }

// An Action is what the controller answers.
type Action string

// The actions.
const (
	// GoOn: send the request; nothing is to be done.
	GoOn Action = "go on"
	// Compact: [Controller.Run] the decision before the request is sent.
	Compact Action = "compact"
	// Wait: a compaction is under way, or waits for the result of a call.
	Wait Action = "wait"
	// Compacted: the view is another one now (A7).
	Compacted Action = "compacted"
	// Failed: nothing was changed; the decision says what a person can do (A6).
	Failed Action = "failed"
	// Exceeded: the view is over the window and compacting it failed (A6).
	Exceeded Action = "context exceeded"
)

// An Input is what happens to a live conversation, as far as the controller is
// concerned.
type Input string

// The inputs. The first are entries of the log, then comes the clock, then the
// requests that are about to be sent, and then those who ask for a compaction.
const (
	TurnBegins     Input = "a turn begins"
	EntryAppended  Input = "any other entry"
	WishRecorded   Input = "a wish is recorded"
	AttemptBegins  Input = "an attempt begins"
	AttemptDone    Input = "a compaction is applied"
	AttemptEnds    Input = "the attempt ends with nothing done"
	AttemptFails   Input = "the attempt fails"
	AttemptAgain   Input = "the attempt fails, another is allowed"
	AttemptFailsAt Input = "the attempt fails, over the window"
	TimeOver       Input = "the attempt's time is over"
	RequestFits    Input = "a request with room"
	RequestDue     Input = "a request, compaction is due"
	RequestUndone  Input = "a request with room, after an undo"
	RequestOver    Input = "a request over the window"
	ClientAsks     Input = "the client asks"
	ModelAsks      Input = "the model asks"
	ModelAsksOpen  Input = "the model asks, a call is open"
	PersonAsks     Input = "a person asks"
	PersonAsksOpen Input = "a person asks, a call is open"
)

// Inputs lists the inputs.
func Inputs() []Input {
	return []Input{
		TurnBegins, EntryAppended, WishRecorded, AttemptBegins, AttemptDone, AttemptEnds, AttemptFails, AttemptAgain, AttemptFailsAt,
		TimeOver, RequestFits, RequestDue, RequestUndone, RequestOver, ClientAsks, ModelAsks, ModelAsksOpen, PersonAsks, PersonAsksOpen,
	}
}

// A Transition is what an input does in a state: the answer, empty where nobody
// waits for one, and the state that follows.
type Transition struct {
	Answer Action
	Next   State
}

// On gives the transition of an input. The controller does what this table says
// and nothing else; docs/controller.md shows it.
func (s State) On(in Input) Transition { return transitions[in][s] }

// transitions is the controller. An answer of Compact leaves the state alone: it
// changes when the attempt begins, which is recorded before anything is tried
// (A3).
var transitions = map[Input]map[State]Transition{
	TurnBegins:     {Ready: {"", Ready}, Wanted: {"", Wanted}, Compacting: {"", Compacting}, Tried: {"", Ready}, Closed: {"", Ready}},
	EntryAppended:  {Ready: {"", Ready}, Wanted: {"", Wanted}, Compacting: {"", Compacting}, Tried: {"", Tried}, Closed: {"", Closed}},
	WishRecorded:   {Ready: {"", Wanted}, Wanted: {"", Wanted}, Compacting: {"", Compacting}, Tried: {"", Wanted}, Closed: {"", Wanted}},
	AttemptBegins:  {Ready: {"", Compacting}, Wanted: {"", Compacting}, Compacting: {"", Compacting}, Tried: {"", Compacting}, Closed: {"", Compacting}},
	AttemptDone:    {Ready: {"", Ready}, Wanted: {"", Ready}, Compacting: {"", Ready}, Tried: {"", Ready}, Closed: {"", Ready}},
	AttemptEnds:    {Ready: {"", Ready}, Wanted: {"", Wanted}, Compacting: {"", Tried}, Tried: {"", Tried}, Closed: {"", Closed}},
	AttemptFails:   {Ready: {"", Tried}, Wanted: {"", Tried}, Compacting: {"", Tried}, Tried: {"", Tried}, Closed: {"", Closed}},
	AttemptAgain:   {Ready: {"", Ready}, Wanted: {"", Ready}, Compacting: {"", Ready}, Tried: {"", Tried}, Closed: {"", Closed}},
	AttemptFailsAt: {Ready: {"", Closed}, Wanted: {"", Closed}, Compacting: {"", Closed}, Tried: {"", Closed}, Closed: {"", Closed}},
	TimeOver:       {Ready: {"", Ready}, Wanted: {"", Wanted}, Compacting: {"", Tried}, Tried: {"", Tried}, Closed: {"", Closed}},
	RequestFits:    {Ready: {GoOn, Ready}, Wanted: {Compact, Wanted}, Compacting: {Wait, Compacting}, Tried: {GoOn, Tried}, Closed: {GoOn, Tried}},
	RequestDue:     {Ready: {Compact, Ready}, Wanted: {Compact, Wanted}, Compacting: {Wait, Compacting}, Tried: {GoOn, Tried}, Closed: {GoOn, Tried}},
	RequestUndone:  {Ready: {GoOn, Ready}, Wanted: {Compact, Wanted}, Compacting: {Wait, Compacting}, Tried: {GoOn, Tried}, Closed: {GoOn, Tried}},
	RequestOver:    {Ready: {Compact, Ready}, Wanted: {Compact, Wanted}, Compacting: {Wait, Compacting}, Tried: {Exceeded, Closed}, Closed: {Exceeded, Closed}},
	ClientAsks:     {Ready: {Compact, Ready}, Wanted: {Compact, Wanted}, Compacting: {Wait, Compacting}, Tried: {Failed, Tried}, Closed: {Failed, Closed}},
	ModelAsks:      {Ready: {Compact, Ready}, Wanted: {Compact, Wanted}, Compacting: {Wait, Compacting}, Tried: {Failed, Tried}, Closed: {Failed, Closed}},
	ModelAsksOpen:  {Ready: {Wait, Wanted}, Wanted: {Wait, Wanted}, Compacting: {Wait, Compacting}, Tried: {Failed, Tried}, Closed: {Failed, Closed}},
	PersonAsks:     {Ready: {Compact, Ready}, Wanted: {Compact, Wanted}, Compacting: {Wait, Compacting}, Tried: {Compact, Tried}, Closed: {Compact, Closed}},
	PersonAsksOpen: {Ready: {Wait, Wanted}, Wanted: {Wait, Wanted}, Compacting: {Wait, Compacting}, Tried: {Wait, Wanted}, Closed: {Wait, Wanted}},
}
