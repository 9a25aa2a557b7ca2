package live

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"

	"github.com/spf13/cobra"

	"tenfold/internal/cli/command"
	"tenfold/internal/cli/terminal"
	"tenfold/internal/recall"
	"tenfold/session"
	"tenfold/store"
)

// recallPart is "tenfold recall".
type recallPart struct {
	*command.App
	search  string
	session string
	limit   int
}

// RecallCommand is "tenfold recall".
func RecallCommand(a *command.App) *cobra.Command {
	k := &recallPart{App: a}
	c := &cobra.Command{
		Use:   "recall REF | --search QUERY",
		Short: "Show the original text behind a mark",
		Long: `Shows what a mark in a compacted view stands for: "(recall 417093:512)" behind a
shortened text, or "(recall 417093:512-530)" in a line that tells of calls not
shown. The reference names a conversation and an entry of its log, and never
expires. It is meant for a model that has a shell; "tenfold mcp" is the same as
tools.

A reference is CONVERSATION:ENTRY, CONVERSATION:FIRST-LAST or, for lines of an
entry, CONVERSATION:ENTRY#FIRST-LAST. A call is shown with its result. An answer
has at most 2,000 tokens; where there is more, its last line names the reference
to continue with. What was shown is recorded in the log, and the next compaction
keeps it.

With --search it finds messages and calls by their words, hidden ones included,
the best first. It searches the conversation of the agent that runs in this
directory, then all others; --session selects one.`,
		Example: `  tenfold recall 417093:512
  tenfold recall 417093:512#40-80
  tenfold recall --search 'parse_config permission denied'`,
		Args: command.Arguments(0, 1, "a REF"),
		RunE: func(c *cobra.Command, args []string) error { return k.run(c.Context(), c, args) },
	}
	f := c.Flags()
	f.StringVar(&k.search, "search", "", "find entries by the words of `QUERY`")
	f.StringVar(&k.session, "session", "", "`ID` or handle of the conversation (default: the\none of this directory)")
	f.IntVar(&k.limit, "limit", 0, "show at most `N` findings (default 5), or N tokens of a\nreference (default 2,000)")
	_ = c.RegisterFlagCompletionFunc("session", a.CompleteIDs(0))
	return c
}

func (k *recallPart) run(ctx context.Context, c *cobra.Command, args []string) error {
	searches := c.Flags().Changed("search")
	switch {
	case searches && len(args) > 0:
		return command.Usage("a reference and --search exclude each other", "quote a query of several words")
	case !searches && len(args) == 0:
		return command.Usage(c.CommandPath()+" requires a REF or --search", "copy what follows \"recall\" in a view, such as 417093:512")
	case c.Flags().Changed("limit") && k.limit < 1:
		return command.Usage("invalid --limit value "+command.Quote(strconv.Itoa(k.limit)), "write a number above 0")
	}
	l, err := k.Open(ctx)
	if err != nil {
		return err
	}
	here, err := here(ctx, k.App)
	if err != nil {
		return err
	}
	if searches {
		return k.find(ctx, l, here)
	}
	r, err := session.ParseRef(args[0])
	if err != nil {
		return err
	}
	if k.session != "" {
		r.Conversation = k.session
	}
	id, err := l.Service.Resolve(ctx, r.Conversation, here)
	if err != nil {
		return err
	}
	s, err := l.Service.Open(ctx, id)
	if err != nil {
		return err
	}
	p, err := s.Expand(ctx, r, k.limit)
	if err != nil {
		return err
	}
	return k.Result(p, func() { k.Printf("%s", terminal.Visible(p.Text())) })
}

func (k *recallPart) find(ctx context.Context, l *command.Workspace, here string) error {
	found, failed := recall.Search(ctx, l.Service, k.search, k.session, here, k.limit)
	if failed != nil && !errors.As(failed, new(*store.UnreadError)) {
		return failed
	}
	if k.JSON {
		for _, f := range found {
			if err := k.Emit(f); err != nil {
				return err
			}
		}
		return failed
	}
	k.Printf("%s", terminal.Visible(recall.Findings(found, k.search)))
	return failed
}

// here gives the conversation at hand: the newest of the agents that run in this
// directory.
func here(ctx context.Context, a *command.App) (string, error) {
	l, err := a.Open(ctx)
	if err != nil {
		return "", err
	}
	dir, err := os.Getwd()
	if err != nil {
		return "", nil //nolint:nilerr // a directory that is gone is nobody's
	}
	if resolved, err := filepath.EvalSymlinks(dir); err == nil {
		dir = resolved
	}
	return recall.Here(ctx, l.Service, dir)
}
