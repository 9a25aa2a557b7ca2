package conversation

import (
	"cmp"
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"tenfold"
	"tenfold/internal/cli/command"
	"tenfold/internal/cli/terminal"
	"tenfold/internal/number"
	"tenfold/internal/report"
	"tenfold/session"
	"tenfold/store"
)

// searchConversation is "tenfold conversation search".
type searchConversation struct {
	*command.App
	all   bool
	limit int
}

func searchCommand(a *command.App) *cobra.Command {
	k := &searchConversation{App: a}
	c := &cobra.Command{
		Use:   "search QUERY [flags]",
		Short: "Search the entries of a conversation",
		Long: `Finds entries that contain all words of a query. It searches the complete log,
including what compactions hide. The search is case-insensitive; quoted words
match as a phrase. The best hits come first, each with its entry number, its
turn, and its fate. With --json, the marks are byte offsets of the words in the
excerpt.

It searches the active conversation; --id selects another, --all searches all.
Damaged entries are left out and reported, and the exit code is then 1.`,
		Example: `  tenfold conversation search oven
  tenfold conversation search 'flour "too hot"' --id 0b9c1a2f
  tenfold conversation search --all --limit 5 "permission denied"`,
		Args: command.Arguments(1, -1, "a QUERY"),
		RunE: func(c *cobra.Command, args []string) error { return k.run(c.Context(), c, args) },
	}
	a.IDFlag(c)
	f := c.Flags()
	f.BoolVar(&k.all, "all", false, "search all conversations")
	f.IntVar(&k.limit, "limit", 20, "show at most `N` hits")
	return c
}

// unknown is the fate of an entry whose conversation cannot be opened.
const unknown = "unknown"

// hit is an entry found, with its place and its fate.
type hit struct {
	Conversation string   `json:"conversation"`
	Title        string   `json:"title,omitzero"`
	Seq          int64    `json:"seq"`
	Turn         int      `json:"turn"`
	Step         int      `json:"step"`
	Kind         string   `json:"kind"`
	Purpose      string   `json:"purpose,omitzero"` // of a user message that is not a request
	Branch       string   `json:"branch,omitzero"`
	Fate         string   `json:"fate"`
	By           string   `json:"by,omitzero"`
	Why          string   `json:"why,omitzero"`
	Hidden       bool     `json:"hidden"`
	Excerpt      string   `json:"excerpt"`
	Marks        [][2]int `json:"marks"`
}

func (k *searchConversation) run(ctx context.Context, c *cobra.Command, args []string) error {
	id := command.IDOf(c)
	switch {
	case k.limit < 1:
		return command.Usage("invalid --limit value "+command.Quote(strconv.Itoa(k.limit)), "write --limit 20")
	case k.all && id != nil:
		return command.Exclusive("--all", "--id")
	}
	l, err := k.Open(ctx)
	if err != nil {
		return err
	}
	if len(args) > 1 && !k.all {
		if err := k.RefuseID(ctx, c, args, "the words in the active conversation"); err != nil {
			return err
		}
	}
	q := store.Query{Text: strings.Join(args, " "), Limit: k.limit + 1}
	if q.Empty() {
		return command.Usage("no word in the query "+command.Quote(q.Text), "words consist of letters and digits")
	}
	if !k.all {
		c, err := l.Find(ctx, id)
		if err != nil {
			return err
		}
		q.Conversation = c.ID
	}
	k.StartProgress("search", 0)
	found, failed := l.Service.Search(ctx, q)
	if failed != nil && !errors.As(failed, new(*store.UnreadError)) {
		return failed
	}
	more := len(found) > k.limit
	found = found[:min(len(found), k.limit)]
	hits, err := k.hits(ctx, l, q, found)
	k.Progress.End()
	if err != nil {
		return err
	}
	return cmp.Or(k.print(hits, more), failed)
}

// hits finds the place and fate of entries. Each conversation is opened once.
func (k *searchConversation) hits(ctx context.Context, l *command.Workspace, q store.Query, found []store.Hit) ([]hit, error) {
	hits := make([]hit, len(found))
	in := map[string][]int{}
	var order []string
	for i, f := range found {
		if in[f.Conversation] == nil {
			order = append(order, f.Conversation)
		}
		in[f.Conversation] = append(in[f.Conversation], i)
	}
	for _, id := range order {
		s, err := l.Service.Open(ctx, id)
		if err != nil && !store.MayPass(ctx, err) { // too damaged to say where the entries stand
			for _, i := range in[id] {
				f := found[i]
				hits[i] = hit{Conversation: id, Seq: f.Entry.Seq, Kind: string(f.Entry.Payload.Kind()), Branch: f.Entry.Branch, Fate: unknown, Excerpt: f.Snippet, Marks: q.Marks(f.Snippet)}
			}
			continue
		}
		if err != nil {
			return nil, err
		}
		views := map[string]*tenfold.Projection{"": s.Projection()}
		for _, i := range in[id] {
			hits[i] = newHit(s, views, q, found[i])
		}
	}
	return hits, nil
}

// newHit describes an entry found, as the readers of its branch see it.
func newHit(s *session.Session, views map[string]*tenfold.Projection, q store.Query, f store.Hit) hit {
	e := f.Entry
	view := views[e.Branch]
	if view == nil {
		view = tenfold.ProjectBranch(s.Log(), e.Branch)
		views[e.Branch] = view
	}
	turn, step, _ := s.Log().Where(e.Seq)
	fate, by, _ := view.Fate(e.Seq)
	m, _ := e.Payload.(tenfold.UserMessage)
	return hit{
		Conversation: f.Conversation, Title: s.Title(), Seq: e.Seq, Turn: turn, Step: step,
		Kind: string(e.Payload.Kind()), Purpose: string(m.Purpose), Branch: e.Branch, Fate: fate.String(), By: by, Why: view.Why(e.Seq).String(),
		Hidden:  fate == tenfold.Omitted || fate == tenfold.Summarised,
		Excerpt: f.Snippet, Marks: q.Marks(f.Snippet),
	}
}

func (k *searchConversation) print(hits []hit, more bool) error {
	heading := ""
	for i, h := range hits {
		if k.JSON {
			if err := k.Emit(h); err != nil {
				return err
			}
			continue
		}
		if k.all && h.Conversation != heading {
			if i > 0 {
				k.Printf("\n")
			}
			heading = h.Conversation
			k.TwoParts(terminal.Faint, terminal.Word(h.Conversation), terminal.Excerpt(h.Title, command.TitleWidth))
		}
		k.printHit(h)
	}
	switch {
	case len(hits) == 0:
		k.Noticef("no entry contains all of these words")
	case more:
		k.Noticef("there are more than %s; use --limit to show more", number.Count(k.limit, "hit"))
	}
	return nil
}

func (k *searchConversation) printHit(h hit) {
	turn := report.TurnWords(h.Turn, h.Turn)
	if h.Fate == unknown {
		turn = "turn unknown"
	}
	head := "entry " + strconv.FormatInt(h.Seq, 10) + "  " + turn + "  " + report.KindWord(tenfold.Kind(h.Kind))
	if h.Purpose != "" {
		head += ", " + h.Purpose
	}
	if h.Branch != "" {
		head += " (" + terminal.VisibleLine(h.Branch) + ")"
	}
	fate := ""
	switch {
	case h.By != "":
		fate = "  " + k.Paint(terminal.Yellow, "["+h.Fate+" by "+terminal.Tag(h.By)+"]")
	case h.Hidden: // what no overlay hides is not shown all the same
		fate = "  " + k.Paint(terminal.Yellow, "["+h.Fate+": "+h.Why+"]")
	}
	k.Printf("%s%s\n", k.Paint(terminal.Bold, head), fate)
	k.Line(2, "  "+k.marked(h.Excerpt, h.Marks))
}

// marked sets the words of the query in bold.
func (k *searchConversation) marked(text string, marks [][2]int) string {
	var b strings.Builder
	at := 0
	for _, m := range marks {
		b.WriteString(terminal.Visible(text[at:m[0]]))
		b.WriteString(k.Paint(terminal.Bold, terminal.Visible(text[m[0]:m[1]])))
		at = m[1]
	}
	b.WriteString(terminal.Visible(text[at:]))
	return b.String()
}
