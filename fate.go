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
	// Added is what the projection puts in that is no entry of the log:
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

// state is what a projection did to an entry, packed; zero for nothing.
type state struct {
	mark  int32 // overlay index + 1 above the low bits; fate below
	saved int32 // tokens it costs less than in the log
}

const (
	stateFateBits = 3
	stateFateMask = 1<<stateFateBits - 1
)

func newState(f Fate, by int32, saved int32) state {
	return state{mark: (by+1)<<stateFateBits | int32(f), saved: saved}
}

func (s state) fate() Fate { return Fate(s.mark & stateFateMask) }

func (s state) by() int32 { return s.mark>>stateFateBits - 1 }

func (s state) shown() bool {
	f := s.fate()
	return f != Omitted && f != Summarised
}
