package conversation

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tenfold"
	"tenfold/internal/cli/command"
	"tenfold/internal/cli/display"
	"tenfold/internal/cli/terminal"
	"tenfold/internal/config"
	"tenfold/internal/number"
	"tenfold/internal/report"
	"tenfold/session"
	"tenfold/strategy"
	"tenfold/token"
	"tenfold/tool"
)

func showCommand(a *command.App) *cobra.Command {
	var f moneyFlags
	c := a.OnConversation(&cobra.Command{
		Use:   "show [ID] [flags]",
		Short: "Describe a conversation",
		Long: `Describes a conversation: its contents, its tokens before and after compaction,
and its compactions. Undone compactions are marked.

If the conversation records token usage, it also shows what the responses cost,
and what the compactions of its original tool saved: the requests are replayed
under the rules of the provider's prompt cache. --money adds what compactions
would have saved with the configured strategies, or with those of --strategy:
one whenever it can drop 20,000 tokens, or 2,000 while the cache is cold.
Negative amounts are losses.`,
		Example: `  tenfold conversation show
  tenfold conversation show --money
  tenfold conversation show --strategy micro --strategy supersede
  tenfold conversation show 0b9c --json`,
	}, func(ctx context.Context, s *session.Session) error { return show(ctx, a, s, f) })
	c.Flags().BoolVar(&f.ours, "money", false, "show what compactions would have saved")
	c.Flags().StringArrayVar(&f.strategies, "strategy", nil, "like --money, with this `STRATEGY` instead of the\nconfigured ones; may be repeated")
	command.Complete(c, "strategy", strategy.Names()...)
	return c
}

type showJSON struct {
	ID      string         `json:"id"`
	Title   string         `json:"title"`
	Active  bool           `json:"active"`
	Created time.Time      `json:"created"`
	Updated time.Time      `json:"updated"`
	Model   string         `json:"model,omitzero"`
	Turns   int            `json:"turns"`
	Entries int            `json:"entries"`
	Kinds   map[string]int `json:"kinds"`
	// Outcomes count how calls ended (L12); those that the record does not tell
	// are "unknown".
	Outcomes map[string]int `json:"outcomes,omitempty"`
	Tokens   report.Tokens  `json:"tokens"`
	// Theirs is what compactions of the original tool saved of them.
	Theirs *report.Theirs `json:"theirs,omitzero"`
	// Settings are those that the conversation keeps.
	Settings    []report.Setting `json:"settings,omitempty"`
	kept        []config.Setting
	Compactions []report.Overlay `json:"compactions"`
	Usage       usageJSON        `json:"usage"`
	Money       *report.Money    `json:"money,omitzero"`
}

func show(ctx context.Context, a *command.App, s *session.Session, f moneyFlags) error {
	out, err := aboutConversation(ctx, a, s)
	if err != nil {
		return err
	}
	if out.Money, err = money(ctx, a, s, f); err != nil {
		return err
	}
	return a.Result(out, func() { printShow(a, out) })
}

func aboutConversation(ctx context.Context, a *command.App, s *session.Session) (showJSON, error) {
	c, err := a.Workspace.Store.Conversation(ctx, s.ID())
	if err != nil {
		return showJSON{}, err
	}
	active, err := a.Workspace.Active.Get()
	if err != nil {
		return showJSON{}, err
	}
	view := s.Projection()
	scale := token.Calibrate(s.Log())
	out := showJSON{
		ID: c.ID, Title: c.Title, Active: c.ID == active, Created: c.Created.UTC(), Updated: c.Updated.UTC(),
		Model: view.Config().Model, Turns: s.Log().Turns(), Entries: int(s.Log().Version()), Kinds: map[string]int{}, Outcomes: map[string]int{},
		Tokens: report.Totals(view, scale), Theirs: report.TheirsOf(view, scale),
	}
	out.kept = config.Kept(command.ExtrasOf(s.Log())...)
	out.Settings = report.Settings(out.kept)
	for e := range s.Log().Entries() {
		out.Kinds[string(e.Payload.Kind())]++
		if r, ok := e.Payload.(tenfold.ToolResult); ok {
			c, _ := s.Log().CallOf(e.Seq)
			out.Outcomes[cmp.Or(string(tool.OutcomeOf(c.Name, r)), "unknown")]++
		}
	}
	out.Usage = usageOf(view)
	scaleUsage(&out.Usage, scale)
	for o := range view.Overlays() {
		out.Compactions = append(out.Compactions, report.OverlayOf(o, scale))
	}
	return out, nil
}

func printShow(a *command.App, s showJSON) {
	field := func(name, value string) {
		if value != "" {
			a.Line(14, a.Paint(terminal.Faint, terminal.Pad(name, 14))+value)
		}
	}
	id := terminal.Word(s.ID)
	if s.Active {
		id += " (active)"
	}
	field("Title", terminal.VisibleLine(s.Title))
	field("Conversation", id)
	field("Model", terminal.VisibleLine(s.Model))
	field("Created", s.Created.Local().Format("2006-01-02 15:04"))
	field("Updated", number.Ago(a.Now(), s.Updated))
	tokens := number.Tokens(s.Tokens.Before, s.Tokens.After)
	if words := number.Smaller(s.Tokens.Before, s.Tokens.After); words != "" {
		tokens += "  (" + words + ")"
	}
	field("Tokens", tokens)
	if s.Theirs != nil {
		field("", display.TheirsWords(s.Theirs))
	}
	field("Figures", s.Tokens.Figures())
	field("Outside", display.OutsideWords(s.Tokens))
	for i, k := range s.kept {
		field([]string{"Settings", " "}[min(i, 1)], terminal.VisibleLine(k.Key()+" = "+k.TOML()))
	}
	field("Turns", number.Thousands(s.Turns))
	field("Entries", number.Thousands(s.Entries))
	kinds := mostFirst(s.Kinds)
	for _, kind := range kinds {
		wide := len(number.Thousands(s.Kinds[kinds[0]]))
		a.Printf("  %s  %s\n", terminal.PadLeft(number.Thousands(s.Kinds[kind]), wide), terminal.VisibleLine(strings.ReplaceAll(kind, "_", " ")))
	}
	var outcomes []string
	for _, o := range mostFirst(s.Outcomes) {
		outcomes = append(outcomes, number.Thousands(s.Outcomes[o])+" "+terminal.VisibleLine(o))
	}
	field("Outcomes", strings.Join(outcomes, ", "))
	compactions := "none"
	if n := len(s.Compactions); n > 0 {
		compactions = number.Thousands(n)
	}
	field("Compactions", compactions)
	for _, o := range s.Compactions {
		printOverlay(a, o)
	}
	printMoney(a, s.Money)
	chart(a, s.Usage)
}

// mostFirst lists what was counted.
func mostFirst(counts map[string]int) []string {
	return slices.SortedFunc(maps.Keys(counts), func(x, y string) int { return cmp.Or(counts[y]-counts[x], strings.Compare(x, y)) })
}

// printOverlay prints a line about an overlay.
func printOverlay(a *command.App, o report.Overlay) {
	where := report.Where(tenfold.Compaction{FromTurn: o.FromTurn, ToTurn: o.ToTurn, ToStep: o.ToStep})
	parts := o.Words()
	for i := range parts {
		parts[i] = terminal.VisibleLine(parts[i])
	}
	switch {
	case o.Before > 0 && o.After == 0 && o.Source == tenfold.SourceImport: // few tools tell what was left
		parts = append(parts, "of "+number.Count(o.Before, "token"))
	case o.Before > 0 || o.After > 0:
		parts = append(parts, number.Tokens(o.Before, o.After))
	}
	c := terminal.Normal
	if !o.Live {
		parts, c = append(parts, "undone"), terminal.Faint
	}
	a.TwoParts(c, "  "+terminal.Word(o.ID)+"  "+where, strings.Join(parts, "   "))
	display.PrintArtifacts(a, o.Summary)
}
