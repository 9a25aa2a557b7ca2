package strategy

import (
	"regexp"
	"slices"
	"strings"

	"tenfold"
)

// Shares of a result that is shortened at birth, in percent.
const (
	headShare    = 35
	tailShare    = 35
	tellingShare = 20
)

// telling finds lines that tell of a failure.
var telling = regexp.MustCompile(`(?i)\b(?:errors?|fail(?:ed|ures?|s)?|fatal|panic(?:ked)?|exceptions?|traceback|assert(?:ion)?s?|denied|undefined)\b`)

// AtBirth gives the policy that shortens a new result of so many tokens to a limit,
// by the rules of trims (P5, P5b, live V3): its beginning and its end stay, and of
// what lies between the lines that tell of failures. With it comes the result as it
// is then shown, and what that costs; false where nothing useful would be left.
func AtBirth(call tenfold.ToolCall, result tenfold.ToolResult, counter tenfold.Counter, tokens, limit int) (policy tenfold.CallPolicy, shown tenfold.ToolResult, after int, ok bool) {
	text := tenfold.TextLines(result)
	perToken := float64(len(text)) / float64(max(tokens, 1))
	for share := 1.0; share > 0.1; share *= 0.8 { // some parts cost more than others
		room := float64(limit) * share * perToken / 100
		policy = tenfold.CallPolicy{Action: tenfold.Trim, Head: tenfold.Size(room * headShare), Tail: tenfold.Size(room * tailShare)}
		policy.Lines = tellingLines(text, int(policy.Head), int(policy.Tail), int(room*tellingShare))
		if shown, ok = underTrim(call, result, policy); ok {
			if after = tenfold.CountPayload(counter, shown); after <= limit {
				return policy, shown, after, true
			}
		}
	}
	return policy, shown, 0, false
}

// tellingLines chooses lines between the head and the tail that tell of failures,
// each with the line after it, the first ones and the last ones.
func tellingLines(text string, head, tail, room int) []tenfold.LineRange {
	const longest = 500 // bytes of a line that is worth it
	type line struct{ n, size int }
	var found []line
	n, at := 0, 0
	for one := range strings.Lines(text) {
		n++
		if at >= head && at+len(one) <= len(text)-tail && len(one) <= longest && telling.MatchString(one) {
			found = append(found, line{n, len(one)})
		}
		at += len(one)
	}
	var out []tenfold.LineRange
	for i, j := 0, len(found)-1; i <= j; {
		next := found[i]
		if len(out)%2 == 0 { // the last ones in turn with the first ones
			next = found[j]
			j--
		} else {
			i++
		}
		if room -= next.size; room < 0 {
			break
		}
		out = append(out, tenfold.LineRange{First: next.n, Last: next.n + 1})
	}
	slices.SortFunc(out, func(a, b tenfold.LineRange) int { return a.First - b.First })
	return out
}

// underTrim is a result under a policy, if that changes it.
func underTrim(call tenfold.ToolCall, result tenfold.ToolResult, policy tenfold.CallPolicy) (tenfold.ToolResult, bool) {
	l := tenfold.NewLog(tenfold.WithCounter(uncounted{}))
	call.CallID, result.CallID = "call", "call"
	_, err := l.Append([]tenfold.Entry{
		{ID: "turn", Payload: tenfold.TurnStart{}},
		{ID: "call", Payload: call},
		{ID: "result", Payload: result},
		{ID: "trim", Payload: tenfold.Compaction{Source: tenfold.SourceBirth, ToolCalls: &tenfold.ToolPolicy{
			Action: tenfold.Selective, Calls: map[string]tenfold.CallPolicy{"call": policy},
		}}},
	}...)
	if err != nil {
		return result, false
	}
	for it := range tenfold.Project(l).Items() {
		if r, ok := it.Payload.(tenfold.ToolResult); ok && it.Fate == tenfold.Trimmed {
			return r, true
		}
	}
	return result, false
}

// uncounted spares counting what only shows how a text is shortened.
type uncounted struct{}

// Count implements [tenfold.Counter].
func (uncounted) Count(string) int { return 0 }
