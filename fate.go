package tenfold

// Fate is what became of an entry in a projection (P11).
type Fate uint8

// The fates. Entries no model sees are Kept: nothing was done to them.
const (
	Kept Fate = iota
	Stripped
	Trimmed
	Omitted
	Summarised
	fateCount
)

var fateNames = [fateCount]string{"kept", "stripped", "trimmed", "omitted", "summarised"}

// String gives the word for the fate.
func (f Fate) String() string {
	if f < fateCount {
		return fateNames[f]
	}
	return "unknown"
}

// MarshalText implements encoding.TextMarshaler.
func (f Fate) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// Fates lists all fates in order.
func Fates() []Fate { return []Fate{Kept, Stripped, Trimmed, Omitted, Summarised} }

// Count is how many entries there are, and their tokens in the log and in the
// projection.
type Count struct {
	Entries int
	Before  int
	After   int
}

func (c Count) plus(d Count) Count {
	return Count{c.Entries + d.Entries, c.Before + d.Before, c.After + d.After}
}

func (c Count) minus(d Count) Count {
	return Count{c.Entries - d.Entries, c.Before - d.Before, c.After - d.After}
}

func (c Count) times(n int) Count { return Count{c.Entries * n, c.Before * n, c.After * n} }

// Totals are the sums over a projection, kept as the log grows (T2).
type Totals struct {
	// ByFate sums the reader's entries by what became of them.
	ByFate [fateCount]Count
	// Added is what the projection puts in that is not an entry of the log:
	// summaries, placeholders of unanswered calls, an opening message.
	Added Count
	// Config is the system prompt and the tool definitions (T4), which stand
	// in no entry's count.
	Config Count
}

// Of gives the count of one fate.
func (t Totals) Of(f Fate) Count {
	if f >= fateCount {
		return Count{}
	}
	return t.ByFate[f]
}

// Log sums over all fates: as many entries and tokens as the reader's log has
// (P11).
func (t Totals) Log() Count {
	var sum Count
	for _, c := range t.ByFate {
		sum = sum.plus(c)
	}
	return sum
}

// All sums everything: Before is what the raw conversation costs a model,
// After what its projection costs.
func (t Totals) All() Count { return t.Log().plus(t.Added).plus(t.Config) }

// Reason says why an entry has its fate (P11).
type Reason uint8

// The reasons.
const (
	// ReasonNone: no live overlay has an opinion on the entry.
	ReasonNone Reason = iota
	// ReasonUnseen: no model sees entries of the kind.
	ReasonUnseen
	// ReasonRepair: the result answers no call (P10).
	ReasonRepair
	// ReasonEmpty: it holds nothing that a provider would take (P10).
	ReasonEmpty
	// ReasonPinned: it, or the other half of its pair, is pinned (P8).
	ReasonPinned
	// ReasonRequest: a person said it in the turn the range ends inside (P9).
	ReasonRequest
	// ReasonSummary: a summary replaces it (P3).
	ReasonSummary
	// ReasonTurns: the overlay omits its turn.
	ReasonTurns
	// ReasonReasoning: the overlay strips reasoning.
	ReasonReasoning
	// ReasonHeld: the provider requires the reasoning in the open loop (P10).
	ReasonHeld
	// ReasonBound: its provider takes the reasoning only after what it was made
	// under, and that has changed (P10a).
	ReasonBound
	// ReasonUnsigned: it is shown as words alone, for its signature holds only after
	// what it was made under, and that has changed (P10a).
	ReasonUnsigned
	// ReasonFiles: the overlay strips attachments.
	ReasonFiles
	// ReasonPolicy: the overlay's policy for tool calls.
	ReasonPolicy
	// ReasonNamed: the overlay names the call.
	ReasonNamed
	// ReasonLines: the overlay names the message.
	ReasonLines
	// ReasonRest: the overlay names others in its range.
	ReasonRest
	// ReasonTyped: a person wrote it; policies for texts hide no such message.
	ReasonTyped
	// ReasonContext: the newest version of a standing instruction (P8a).
	ReasonContext
	// ReasonOpen: the overlay leaves it alone, since it was under way (live V5).
	ReasonOpen
	// ReasonHint: the tool's own hint (H1).
	ReasonHint
	// ReasonSmall: it is not larger than the overlay's gate (P6).
	ReasonSmall
	// ReasonBare: it holds nothing that could go.
	ReasonBare
	// ReasonLeft: the overlay covers it and leaves it alone.
	ReasonLeft
)

var reasonWords = [...]string{
	ReasonNone: "no compaction covers it", ReasonUnseen: "no model sees it", ReasonRepair: "answers no call",
	ReasonEmpty: "nothing in it", ReasonPinned: "pinned", ReasonRequest: "request of the turn", ReasonSummary: "in the summary",
	ReasonTurns: "turn left out", ReasonReasoning: "reasoning removed", ReasonHeld: "the open tool loop needs it",
	ReasonBound: "bound to a prefix that changed", ReasonUnsigned: "as words alone, since its prefix changed",
	ReasonFiles: "attachments removed", ReasonPolicy: "policy for calls", ReasonNamed: "chosen call by call",
	ReasonLines: "chosen text by text", ReasonRest: "not selected", ReasonTyped: "a person wrote it", ReasonContext: "standing instruction",
	ReasonOpen: "under way", ReasonHint: "hint of the tool", ReasonSmall: "too small to touch", ReasonBare: "nothing to remove",
	ReasonLeft: "left alone by policy",
}

// String gives the reason in a few words for people. The words may change.
func (r Reason) String() string {
	if int(r) < len(reasonWords) {
		return reasonWords[r]
	}
	return "unknown"
}

// decision is what the overlays make of an entry.
type decision struct {
	fate   Fate
	reason Reason
	by     int32 // the overlay that changed the entry; nobody where it is kept
	tokens int32 // what it costs now
}

// state is a decision as a projection keeps it; zero for an entry that no
// overlay has an opinion on.
type state struct {
	mark  uint32 // overlay index + 1; five bits of reason; three of fate
	saved int32  // tokens it costs less than in the log
}

const (
	fateBits   = 3
	reasonBits = 5
	// maxOverlays is how many overlays a mark can tell apart.
	maxOverlays = 1<<(32-fateBits-reasonBits) - 1
)

func newState(d decision, raw int32) state {
	return state{mark: uint32(d.by+1)<<(reasonBits+fateBits) | uint32(d.reason)<<fateBits | uint32(d.fate), saved: raw - d.tokens}
}

func (s state) fate() Fate { return Fate(s.mark & (1<<fateBits - 1)) }

func (s state) reason() Reason { return Reason(s.mark >> fateBits & (1<<reasonBits - 1)) }

func (s state) by() int32 { return int32(s.mark>>(reasonBits+fateBits)) - 1 }

func (s state) shown() bool {
	f := s.fate()
	return f != Omitted && f != Summarised
}
