package report

import (
	"slices"
	"strconv"
	"strings"

	"tenfold"
	"tenfold/internal/number"
	"tenfold/summary"
	"tenfold/token"
)

// TurnWords name turns: "turn 3", "turns 3..7".
func TurnWords(from, to int) string {
	if from == to {
		return "turn " + strconv.Itoa(from)
	}
	return "turns " + strconv.Itoa(from) + ".." + strconv.Itoa(to)
}

// KindWord names a kind of entry.
func KindWord(k tenfold.Kind) string {
	switch k {
	case tenfold.KindUserMessage:
		return "user"
	case tenfold.KindAssistantMessage:
		return "assistant"
	case tenfold.KindToolCall:
		return "call"
	case tenfold.KindToolResult:
		return "result"
	case tenfold.KindProviderItem:
		return "item"
	}
	return string(k)
}

// Where names the turns that an overlay covers.
func Where(c tenfold.Compaction) string {
	where := TurnWords(c.FromTurn, c.ToTurn)
	if c.ToStep != nil {
		where += ", to step " + number.Thousands(*c.ToStep)
	}
	return where
}

// SlotWords names what overlays change.
func SlotWords(slots []string) string {
	order := []string{"summary", "turns", "reasoning", "tool_calls", "texts", "attachments", "tool_definitions"}
	names := slices.Clone(slots)
	slices.SortStableFunc(names, func(x, y string) int { return slices.Index(order, x) - slices.Index(order, y) })
	return strings.NewReplacer("tool_calls", "tools", "_", " ").Replace(strings.Join(names, ", "))
}

// Words are what an overlay changes and who made it, for a line about it. They hold
// names of the log, which a terminal is shown only made visible.
func (o Overlay) Words() []string {
	parts := []string{SlotWords(o.Slots)}
	switch {
	case o.Profile != "":
		parts = append(parts, "profile "+o.Profile)
	case o.Strategy != "":
		parts = append(parts, o.Strategy)
	}
	if o.Source != "" {
		parts = append(parts, "by "+o.Source)
	}
	if by := o.Summary.PaidTo(); by != "" {
		parts = append(parts, "summary by "+by)
	}
	return parts
}

// Why describes an overlay in one phrase.
func Why(c tenfold.Compaction) string {
	why := strings.Join(OverlayOf(tenfold.Overlay{Compaction: c}, token.Scale{}).Words(), ", ")
	if c.Reason != "" {
		why += ": " + c.Reason
	}
	return why
}

// PaidTo is who was paid for the summary; empty where nobody was.
func (w *Written) PaidTo() string {
	switch {
	case w == nil, w.Usage == nil && w.Model == summary.DigestName:
		return ""
	case w.Usage == nil:
		return w.Model
	}
	u, by := w.Usage, w.Model
	if u.Model != "" && u.Model != w.Model {
		by += " after " + u.Model
	}
	return by + ", " + Figures(u.Input+u.CacheRead+u.CacheWrite, u.Output, u.Cost)
}

// Figures are tokens read and written, and the price where it is known.
func Figures(input, output int, cost *float64) string {
	text := number.Count(input, "token") + " in, " + number.Thousands(output) + " out"
	if cost != nil {
		text += ", " + number.Dollars(*cost)
	}
	return text
}
