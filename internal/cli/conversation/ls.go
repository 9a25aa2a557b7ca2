package conversation

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"tenfold/internal/cli/command"
	"tenfold/internal/cli/terminal"
	"tenfold/internal/listing"
	"tenfold/internal/number"
	"tenfold/internal/report"
	"tenfold/session"
	"tenfold/store"
)

func listCommand(a *command.App) *cobra.Command {
	var f filter
	limit, after := 50, ""
	c := &cobra.Command{
		Use:   "ls [flags]",
		Short: "List conversations",
		Long: `Lists the conversations in the store, the last changed first: a prefix of the
id that no other has, turns, tokens before and after compaction, time of the
last change, and title. "*" marks the active conversation. A second line has the
tool, the directory and the dates of the session, if they are known.

Flags narrow the list; a conversation must match all of them. The list shows 50
and reports if there are more: --after continues after one, --limit 0 lists all,
as --json does without --limit.`,
		Example: `  tenfold conversation ls
  tenfold conversation ls --here --since 7d
  tenfold conversation ls --tool codex --json`,
		RunE: func(c *cobra.Command, _ []string) error {
			if a.JSON && !c.Flags().Changed("limit") {
				limit = 0
			}
			return list(c.Context(), a, &f, limit, after)
		},
	}
	f.register(c)
	c.Flags().IntVar(&limit, "limit", limit, "list at most `N` conversations; 0 is no limit")
	c.Flags().StringVar(&after, "after", "", "continue after the conversation `ID`, the last one\nof the previous list")
	_ = c.RegisterFlagCompletionFunc("after", a.CompleteIDs(0))
	return c
}

type listJSON struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	// Fault is why the title, the tool and the directory cannot be read.
	Fault   string        `json:"fault,omitzero"`
	Turns   int           `json:"turns"`
	Entries int64         `json:"entries"`
	Tokens  report.Tokens `json:"tokens"`
	Active  bool          `json:"active"`
	Updated time.Time     `json:"updated"`
	// Tool and Directory are whose session it is and where that ran.
	Tool      string `json:"tool,omitzero"`
	Directory string `json:"directory,omitzero"`
	// Began and Ended are the times of what was said first and last.
	Began time.Time `json:"began,omitzero"`
	Ended time.Time `json:"ended,omitzero"`
}

// list reads no log: the store knows the totals.
func list(ctx context.Context, a *command.App, f *filter, limit int, after string) error {
	matches, err := f.matching(a.Now())
	if err != nil {
		return err
	}
	if limit < 0 {
		return command.Usage("invalid --limit value "+strconv.Itoa(limit), "use 0 or more")
	}
	l, err := a.Open(ctx)
	if err != nil {
		return err
	}
	active, err := l.Active.Get()
	if err != nil {
		return err
	}
	var from *listing.Walk
	if after != "" {
		c, err := l.Service.Find(ctx, after)
		if err != nil {
			return err
		}
		from = &listing.Walk{After: c.Place()}
	}
	others := 0
	all, next, err := listing.Page(ctx, l.Service, from, cmp.Or(limit, math.MaxInt), func(c store.Conversation) bool {
		passes := matches(c)
		if !passes {
			others++
		}
		return passes
	})
	if err != nil {
		return err
	}
	if next != nil && next.After != nil {
		defer a.Noticef("there are more: --after %s continues the list, --limit 0 lists all", terminal.Word(all[len(all)-1].ID))
	}
	if a.JSON {
		for _, c := range all {
			began, ended := listing.Span(c)
			err := a.Emit(listJSON{
				ID: c.ID, Title: c.Title, Fault: c.Fault, Turns: c.Stats.Turns, Entries: c.Version,
				Tokens: report.Listed(report.CounterName(l.Service.Counter()), c.Stats),
				Active: c.ID == active, Updated: c.Updated.UTC(),
				Tool: session.ToolOf(c), Directory: c.Origin.Directory, Began: began.UTC(), Ended: ended.UTC(),
			})
			if err != nil {
				return err
			}
		}
		return nil
	}
	if len(all) == 0 && others > 0 {
		a.Noticef("none of %s passes the flags", number.Count(others, "conversation"))
		return nil
	}
	if len(all) == 0 && from != nil {
		a.Noticef("there are no more")
		return nil
	}
	if len(all) == 0 {
		a.Noticef(`no conversations yet; "tenfold compact FILE" or "tenfold conversation import FILE" adds one`)
		return nil
	}
	short := shortIDs(all)
	if from != nil || next != nil || others > 0 {
		if err := lengthen(ctx, l.Store, short, all); err != nil {
			return err
		}
	}
	table(a, all, short, active)
	return nil
}

// lengthen gives those their whole ids that are not all there is in the store with
// their short ones: a list that is a part of it cannot tell.
func lengthen(ctx context.Context, s store.Store, short []string, all []store.Conversation) error {
	var g errgroup.Group
	g.SetLimit(8) // the store may be far away
	for i, c := range all {
		if short[i] == c.ID {
			continue
		}
		g.Go(func() error {
			found, err := s.WithPrefix(ctx, short[i], 2)
			if len(found) > 1 {
				short[i] = c.ID
			}
			return err
		})
	}
	return g.Wait()
}

func table(a *command.App, all []store.Conversation, short []string, active string) {
	lines := make([][5]string, len(all))
	var width [5]int
	ids := make([]int, len(all))
	for i, c := range all {
		tokens := report.Listed("", c.Stats)
		lines[i] = [5]string{
			terminal.Word(short[i]), number.Thousands(c.Stats.Turns), number.Thousands(tokens.Before),
			number.Thousands(tokens.After), number.Ago(a.Now(), c.Updated),
		}
		for j, cell := range lines[i] {
			width[j] = max(width[j], ansi.StringWidth(cell))
		}
		ids[i] = ansi.StringWidth(lines[i][0])
	}
	rest := len("*   ") + width[1] + len(" turns  ") + width[2] + ansi.StringWidth(" → ") + width[3] + len(" tokens  ") + width[4] + len("  ")
	room := usualID
	if a.Width > 0 {
		room = a.Width - rest - leastTitle
	}
	width[0] = idWidth(ids, room)
	for i, c := range all {
		w := lines[i]
		mark, id := "  ", terminal.Pad(w[0], width[0])
		if c.ID == active {
			mark, id = "* ", a.Paint(terminal.Bold, id)
		}
		if a.Width > 0 && ids[i] > width[0] { // on its own line
			a.Printf("%s%s\n", mark, id)
			mark, id = "  ", terminal.Pad("", width[0])
		}
		turns := " turns"
		if c.Stats.Turns == 1 {
			turns = " turn "
		}
		head := mark + id + "  " + terminal.PadLeft(w[1], width[1]) + turns + "  " + terminal.PadLeft(w[2], width[2]) + " → " +
			terminal.PadLeft(w[3], width[3]) + " tokens  "
		when, title := w[4], c.Title
		if title = cmp.Or(title, "(no title)"); c.Fault != "" {
			title = "(the title cannot be read: " + c.Fault + ")"
		}
		left := command.TitleWidth
		if a.Width > 0 {
			left = a.Width - rest - width[0]
		}
		if left >= 12 {
			a.Printf("%s%s  %s\n", head, a.Paint(terminal.Faint, terminal.Pad(when, width[4])), terminal.Excerpt(title, left))
			printAbout(a, c)
			continue
		}
		// A narrow terminal: the title goes below, and the numbers if necessary.
		if ansi.StringWidth(head+when) > a.Width {
			a.Line(4, mark+strings.TrimRight(id, " ")+"  "+a.Paint(terminal.Faint, when))
			head, when = "    "+w[1]+turns+"  "+w[2]+" → "+w[3]+" tokens", ""
		}
		a.Line(4, head+a.Paint(terminal.Faint, when))
		a.Printf("    %s\n", terminal.Excerpt(title, a.Width-4))
		printAbout(a, c)
	}
}

// printAbout prints whose session a conversation is, below its line.
func printAbout(a *command.App, c store.Conversation) {
	if text := about(c); text != "" {
		a.Line(4, "    "+a.Paint(terminal.Faint, text))
	}
}

// usualID is the length of our own ids.
const usualID = 36

// leastTitle is the width left for titles before longer ids fit beside them.
const leastTitle = 40

// idWidth is the width of the id column: the median, or the widest id that fits.
func idWidth(ids []int, room int) int {
	ids = slices.Sorted(slices.Values(ids))
	width := ids[len(ids)/2]
	for _, wide := range ids {
		if wide <= room {
			width = max(width, wide)
		}
	}
	return width
}

// shortIDs shortens ids to unique prefixes of at least eight characters.
func shortIDs(all []store.Conversation) []string {
	const least = 8
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return strings.Compare(all[i].ID, all[j].ID) })
	out := make([]string, len(all))
	for at, i := range order { // those most alike are neighbours
		n := least
		for _, beside := range []int{at - 1, at + 1} {
			if beside >= 0 && beside < len(order) {
				n = max(n, commonPrefix(all[i].ID, all[order[beside]].ID)+1)
			}
		}
		for n < len(all[i].ID) && !utf8.RuneStart(all[i].ID[n]) {
			n++
		}
		out[i] = all[i].ID[:min(n, len(all[i].ID))]
	}
	return out
}

func commonPrefix(x, y string) int {
	n := 0
	for n < len(x) && n < len(y) && x[n] == y[n] {
		n++
	}
	return n
}
