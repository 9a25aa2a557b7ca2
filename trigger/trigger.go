package trigger

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// A Trigger decides. It is a value, safe for concurrent use; the same view
// gives the same answer. Its String form is what [Parse] reads: a number that
// Parse would not read, as a program may compute it, counts as the nearest that
// it does, and a share as [DefaultContext].
type Trigger interface {
	// Fires reports whether to compact, and the reason, fit to be shown, for
	// either answer.
	Fires(v View) (fires bool, reason string)
	fmt.Stringer
}

// DefaultContext is the share of the window at which [Context] fires when
// nothing else is said.
const DefaultContext = 0.80

type turns int

// Turns fires when the view has more than n complete turns.
func Turns(n int) Trigger { return turns(max(n, 0)) }

func (t turns) Fires(v View) (bool, string) {
	if v.Turns > int(t) {
		return true, reason(v.Turns, " complete turns, more than ", int(t))
	}
	return false, reason(v.Turns, " complete turns, not more than ", int(t))
}

func (t turns) String() string { return "turns(" + strconv.Itoa(int(t)) + ")" }

type tokens int

// Tokens fires when the total is n or more, calibrated or estimated (T3).
func Tokens(n int) Trigger { return tokens(max(n, 1)) }

func (t tokens) Fires(v View) (bool, string) {
	if v.Tokens >= int(t) {
		return true, reason(v.Tokens, " tokens used, the threshold is ", int(t))
	}
	return false, reason(v.Tokens, " tokens used of a threshold of ", int(t))
}

func (t tokens) String() string { return number(int(t)) }

type left int

// Left fires when n tokens or fewer are left in the window.
func Left(n int) Trigger { return left(max(n, 1)) }

func (t left) Fires(v View) (bool, string) {
	used, source := v.Used()
	room := v.Room() - used
	if room <= int(t) {
		return true, reason(room, " tokens left of a window of ", v.Room(), " (", string(source), "), the threshold is ", int(t))
	}
	return false, reason(room, " tokens left of a window of ", v.Room(), " (", string(source), "), more than ", int(t))
}

func (t left) String() string { return "-" + number(int(t)) }

type context float64

// Context fires when more than the share f of the model's window is used, by
// what the provider reported, if it did, else by the calibrated total, else by the
// estimate. A share that is not above 0 and at most 1 is [DefaultContext].
func Context(f float64) Trigger {
	if !isShare(f) {
		f = DefaultContext
	}
	return context(f)
}

// isShare is false for NaN as well.
func isShare(f float64) bool { return f > 0 && f <= 1 }

func (t context) Fires(v View) (bool, string) {
	used, source := v.Used()
	share := 100 * float64(used) / float64(v.Room())
	fires := float64(used) > float64(t)*float64(v.Room())
	words := "not over"
	if fires {
		words = "over"
	}
	return fires, reason(used, " of ", v.Room(), " tokens (", string(source), "), ", share, " %, ", words, " ", t.String())
}

func (t context) String() string {
	return strconv.FormatFloat(float64(t)*100, 'g', 15, 64) + "%"
}

// Limit is how many tokens of a window may be used before t fires by that alone:
// all of it where tokens are nothing it looks at. It is never below none, nor
// above the window.
func Limit(t Trigger, window int) int {
	switch t := t.(type) {
	case tokens:
		return min(int(t), window)
	case left:
		return window - min(int(t), window)
	case context:
		return int(float64(t) * float64(window))
	case several:
		limit := Limit(t.members[0], window)
		for _, m := range t.members[1:] {
			if n := Limit(m, window); (n > limit) == t.all {
				limit = n
			}
		}
		return limit
	}
	return window
}

// reason puts a reason together. A trigger is asked before every call of a
// model, mostly for nothing: this allocates no more than what it returns.
func reason(parts ...any) string {
	var room [128]byte
	b := room[:0]
	for _, part := range parts {
		switch part := part.(type) {
		case string:
			b = append(b, part...)
		case int:
			b = strconv.AppendInt(b, int64(part), 10)
		case float64:
			b = strconv.AppendFloat(b, part, 'f', 1, 64)
		}
	}
	return string(b)
}

type always struct{}

// Always fires.
func Always() Trigger { return always{} }

func (always) Fires(View) (bool, string) { return true, "always" }

func (always) String() string { return "always" }

type off struct{}

// Off never fires.
func Off() Trigger { return off{} }

func (off) Fires(View) (bool, string) { return false, "automatic compaction is off" }

func (off) String() string { return "off" }

// ErrNoMembers says that a composition has nothing to ask.
var ErrNoMembers = errors.New("any and all need at least one member, as in any(80%, turns(20))")

type several struct {
	all     bool
	members []Trigger
}

// Any fires when one of its members does, with that one's reason.
func Any(members ...Trigger) (Trigger, error) { return compose(false, members) }

// All fires when every one of its members does, with all their reasons.
func All(members ...Trigger) (Trigger, error) { return compose(true, members) }

func compose(all bool, members []Trigger) (Trigger, error) {
	if len(members) == 0 {
		return nil, ErrNoMembers
	}
	for i, m := range members {
		if m == nil {
			return nil, fmt.Errorf("member %d of %d is nil: leave it out (%w)", i+1, len(members), ErrNoMembers)
		}
	}
	return several{all, append([]Trigger(nil), members...)}, nil
}

// Fires implements [Trigger]. The first member that settles it wins.
func (t several) Fires(v View) (bool, string) {
	reasons := make([]string, 0, len(t.members))
	for _, m := range t.members {
		fires, reason := m.Fires(v)
		if fires != t.all {
			return fires, reason
		}
		reasons = append(reasons, reason)
	}
	return t.all, strings.Join(reasons, "; ")
}

func (t several) String() string {
	name := "any("
	if t.all {
		name = "all("
	}
	words := make([]string, len(t.members))
	for i, m := range t.members {
		words[i] = m.String()
	}
	return name + strings.Join(words, ", ") + ")"
}
