package agent

// A State is where the loop stands on a branch of the log. The log alone says it,
// so that whoever opens a conversation after a crash goes on where it stopped.
type State string

// The states.
const (
	// Empty: there is nothing to answer.
	Empty State = "empty"
	// Asked: a message, or the results of all calls, wait for an answer.
	Asked State = "asked"
	// Answering: a response has begun, and nothing says that it ended.
	Answering State = "answering"
	// Calling: calls of the last response have no result yet.
	Calling State = "calling"
	// Said: the last response ended, and called nothing.
	Said State = "answered"
)

// An Input is an entry of the log that leads the loop to another state.
type Input string

// The inputs. A message is none that is a standing instruction.
const (
	MessageCame Input = "a message"
	BlockEnded  Input = "text or reasoning is finished"
	CallEnded   Input = "a call is finished"
	UsageCame   Input = "the response ends (usage)"
	LastResult  Input = "the last result"
)

// On gives the state that follows an input.
func (s State) On(in Input) State {
	if next, ok := transitions[in][s]; ok {
		return next
	}
	return s
}

// transitions are those that lead to another state: docs/agent-loop.md shows them.
var transitions = map[Input]map[State]State{
	MessageCame: {Empty: Asked, Answering: Asked, Calling: Asked, Said: Asked},
	BlockEnded:  {Empty: Answering, Asked: Answering, Said: Answering},
	CallEnded:   {Empty: Calling, Asked: Calling, Answering: Calling, Said: Calling},
	UsageCame:   {Answering: Said},
	LastResult:  {Calling: Asked},
}
