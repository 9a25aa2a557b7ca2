package cli

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"tenfold"
	"tenfold/internal/config"
	"tenfold/session"
	"tenfold/strategy"
)

func (a *app) showCommand() *cobra.Command {
	var f moneyFlags
	c := &cobra.Command{
		Use:   "show [ID] [flags]",
		Short: "Describe a conversation",
		Long: `Describes a conversation: what is in it, what it cost and costs, and the
compactions that lie over it. Those that were undone are marked.

Where the conversation says what its responses took, it is told what that cost,
and what the compactions of the tool it is from saved and cost themselves, by
replaying its requests under the rules of the provider's prompt cache. --money
adds what compactions as they are configured, or of the named strategies, would
have: one whenever 20,000 tokens can go, or 2,000 while the cache is cold.
Amounts below zero were lost.`,
		Example: `  tenfold conversation show
  tenfold conversation show --money
  tenfold conversation show --strategy micro --strategy supersede
  tenfold conversation show 0b9c --json`,
		Args:              arguments(0, 1, "one ID"),
		ValidArgsFunction: a.completeIDs(1),
		RunE:              func(c *cobra.Command, args []string) error { return a.show(c.Context(), args, f) },
	}
	c.Flags().BoolVar(&f.ours, "money", false, "tell what compactions would have saved")
	c.Flags().StringArrayVar(&f.strategies, "strategy", nil, "with the money: `STRATEGY` to use instead of what is\nconfigured; may be repeated")
	complete(c, "strategy", strategy.Names()...)
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
	Tokens  tokensJSON     `json:"tokens"`
	// Settings are those of --cfg that the conversation keeps.
	Settings    []keptJSON `json:"settings,omitempty"`
	kept        []config.Setting
	Compactions []overlayJSON `json:"compactions"`
	Usage       usageJSON     `json:"usage"`
	Money       *moneyJSON    `json:"money,omitzero"`
}

func (a *app) show(ctx context.Context, args []string, f moneyFlags) error {
	s, err := a.session(ctx, args)
	if err != nil {
		return err
	}
	out, err := a.about(ctx, s)
	if err != nil {
		return err
	}
	if out.Money, err = a.money(ctx, s, f); err != nil {
		return err
	}
	if a.json {
		return a.emit(out)
	}
	a.showText(out)
	return nil
}

func (a *app) about(ctx context.Context, s *session.Session) (showJSON, error) {
	c, err := a.workspace.store.Conversation(ctx, s.ID())
	if err != nil {
		return showJSON{}, err
	}
	active, err := a.workspace.active.get()
	if err != nil {
		return showJSON{}, err
	}
	view := s.Projection()
	out := showJSON{
		ID: c.ID, Title: c.Title, Active: c.ID == active, Created: c.Created.UTC(), Updated: c.Updated.UTC(),
		Model: view.Config().Model, Turns: s.Log().Turns(), Entries: int(s.Log().Version()), Kinds: map[string]int{},
		Tokens: countJSON(view.Totals().All()), Compactions: []overlayJSON{},
	}
	out.kept = config.Kept(extrasOf(s.Log())...)
	out.Settings = keptsJSON(out.kept)
	for e := range s.Log().Entries() {
		out.Kinds[string(e.Payload.Kind())]++
	}
	out.Usage = usageOf(view)
	for o := range view.Overlays() {
		out.Compactions = append(out.Compactions, newOverlayJSON(o))
	}
	return out, nil
}

func (a *app) showText(s showJSON) {
	field := func(name, value string) {
		if value != "" {
			a.line(14, a.paint(faint, pad(name, 14))+value)
		}
	}
	id := visibleLine(s.ID)
	if s.Active {
		id += " (active)"
	}
	field("Title", visibleLine(s.Title))
	field("Conversation", id)
	field("Model", visibleLine(s.Model))
	field("Created", s.Created.Local().Format("2006-01-02 15:04"))
	field("Updated", ago(a.now(), s.Updated))
	tokens := tokens(s.Tokens.Before, s.Tokens.After)
	if words := smaller(s.Tokens.Before, s.Tokens.After); words != "" {
		tokens += "  (" + words + ")"
	}
	field("Tokens", tokens)
	for i, k := range s.kept {
		field([]string{"Settings", " "}[min(i, 1)], visibleLine(k.Key()+" = "+k.TOML()))
	}
	field("Turns", thousands(s.Turns))
	field("Entries", thousands(s.Entries))
	var kinds []string
	for kind := range s.Kinds {
		kinds = append(kinds, kind)
	}
	slices.SortFunc(kinds, func(x, y string) int {
		if s.Kinds[x] != s.Kinds[y] {
			return s.Kinds[y] - s.Kinds[x]
		}
		return strings.Compare(x, y)
	})
	wide := 0
	for _, kind := range kinds {
		wide = max(wide, len(thousands(s.Kinds[kind])))
	}
	for _, kind := range kinds {
		a.printf("  %s  %s\n", padLeft(thousands(s.Kinds[kind]), wide), visibleLine(strings.ReplaceAll(kind, "_", " ")))
	}
	if len(s.Compactions) == 0 {
		field("Compactions", "none")
	} else {
		field("Compactions", thousands(len(s.Compactions)))
	}
	for _, o := range s.Compactions {
		a.showOverlay(o)
	}
	a.showMoney(s.Money)
	a.picture(s.Usage)
}

// showOverlay writes a line about an overlay.
func (a *app) showOverlay(o overlayJSON) {
	where := overlayWhere(tenfold.Compaction{FromTurn: o.FromTurn, ToTurn: o.ToTurn, ToStep: o.ToStep})
	first := "  " + visibleLine(o.ID) + "  " + where
	parts := []string{slotWords(o.Slots)}
	switch {
	case o.Profile != "":
		parts = append(parts, "profile "+visibleLine(o.Profile))
	case o.Strategy != "":
		parts = append(parts, visibleLine(o.Strategy))
	}
	if o.Source != "" {
		parts = append(parts, "by "+visibleLine(o.Source))
	}
	if o.Before > 0 || o.After > 0 {
		parts = append(parts, tokens(o.Before, o.After))
	}
	if by := o.Summary.paid(); by != "" {
		parts = append(parts, "summary by "+visibleLine(by))
	}
	if !o.Live {
		parts = append(parts, "undone")
	}
	second := strings.Join(parts, "   ")
	paint := func(s string) string {
		if !o.Live {
			return a.paint(faint, s)
		}
		return s
	}
	a.twoParts(first, second, paint)
	a.showArtifacts(o.Summary)
}

// twoParts writes two texts on a line, or on two where the terminal is narrow.
func (a *app) twoParts(first, second string, paint func(string) string) {
	if a.width > 0 && ansi.StringWidth(first+second)+3 > a.width {
		a.line(4, paint(first))
		a.line(4, "    "+paint(second))
		return
	}
	a.printf("%s   %s\n", paint(first), paint(second))
}
