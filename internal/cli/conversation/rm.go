package conversation

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"tenfold/fleet/job"
	"tenfold/internal/cli/command"
	"tenfold/internal/cli/compaction"
	"tenfold/internal/cli/terminal"
	"tenfold/internal/number"
	"tenfold/problem"
	"tenfold/session"
	"tenfold/store"
	"tenfold/store/postgres"
	"tenfold/summary"
)

func removeCommand(a *command.App) *cobra.Command {
	var yes bool
	c := &cobra.Command{
		Use:   "rm ID… [flags]",
		Short: "Remove conversations permanently",
		Long: `Removes conversations with their complete logs from the store, and the files of
their summaries. This cannot be undone, so it asks first; without a terminal,
pass --yes. It reports how many entries, compactions, bytes of text and jobs it
removed, after reading the store again to verify that nothing is left. A server
deletes the jobs too, but does not report how many.`,
		Example: `  tenfold conversation rm 0b9c1a2f
  tenfold conversation rm 0b9c1a2f 77d0 --yes`,
		Args:              command.Arguments(1, -1, "an ID"),
		ValidArgsFunction: a.CompleteIDs(0),
		RunE:              func(c *cobra.Command, args []string) error { return remove(c.Context(), a, args, yes) },
	}
	c.Flags().BoolVarP(&yes, "yes", "y", false, "remove without asking")
	return c
}

// remove finds all conversations first, so that a wrong id removes nothing.
func remove(ctx context.Context, a *command.App, ids []string, yes bool) error {
	l, err := a.Open(ctx)
	if err != nil {
		return err
	}
	var all []store.Conversation
	seen := map[string]bool{}
	for _, id := range ids {
		c, err := l.Find(ctx, []string{id})
		if err != nil {
			return err
		}
		if !seen[c.ID] {
			seen[c.ID] = true
			all = append(all, c)
		}
	}
	if !yes {
		ok, err := a.Confirm(ctx, question(a, all), command.Usage("cannot prompt: stdin is not a terminal", "add --yes to remove without asking"))
		if err != nil {
			return err
		}
		if !ok {
			a.Noticef("nothing removed")
			return nil
		}
	}
	active, err := l.Active.Get()
	if err != nil {
		return err
	}
	service := l.Service
	var jobs job.Jobs
	if st, ok := l.Store.(*postgres.Store); ok {
		q, err := job.Open(ctx, st.Database())
		if err != nil {
			return err
		}
		defer q.Close()
		jobs, service = q.Of(st.TenantID()), a.ServiceOver(q.Store(st))
	}
	for _, c := range all {
		proof := removedJSON{}
		of := job.Filter{Conversation: c.ID, Limit: 1}
		if proof.Jobs, err = countJobs(ctx, jobs, of); err != nil {
			return err
		}
		files := artifactsOf(a, c.ID)
		if proof.Removed, err = service.Remove(ctx, c.ID); err != nil {
			return err
		}
		left, err := countJobs(ctx, jobs, of)
		if err != nil {
			return err
		}
		if !proof.Gone || left != nil && *left > 0 {
			return &problem.Error{Op: "remove", Subject: c.ID, Code: "not_gone", Problem: "something of it is in the store again", Hint: "another program went on with it: end that and remove it again"}
		}
		for _, f := range files {
			if err := os.Remove(f); err != nil && !errors.Is(err, fs.ErrNotExist) {
				a.Warn("cannot remove an artifact: " + err.Error())
				continue
			}
			proof.Files++
		}
		if c.ID == active {
			if err := l.Active.Set(""); err != nil {
				return err
			}
		}
		err = a.Result(proof, func() { a.Noticef("removed %s: %s", terminal.Word(c.ID), proof) })
		if err != nil {
			return err
		}
	}
	return nil
}

// removedJSON proves that a conversation was removed.
type removedJSON struct {
	session.Removed
	// Jobs are those of the queue that were deleted with it; nil where that is a
	// server's.
	Jobs *int `json:"jobs,omitempty"`
	// Files are those of its summaries.
	Files int `json:"files"`
}

// String is the proof in words.
func (r removedJSON) String() string {
	parts := []string{
		number.CountOf(int(r.Entries), "entry", "entries"), number.Count(int(r.Overlays), "compaction"), number.Size(int(r.Bytes)),
	}
	if r.Jobs != nil {
		parts = append(parts, number.Count(*r.Jobs, "job"))
	}
	if r.Files > 0 {
		parts = append(parts, number.CountOf(r.Files, "file of summaries", "files of summaries"))
	}
	text := strings.Join(parts, ", ") + "; nothing is left of it"
	if r.Unread != "" {
		text += "; less was counted than there was: " + terminal.VisibleLine(r.Unread)
	}
	return text
}

// countJobs counts those of a conversation; nil where there is no queue to ask.
func countJobs(ctx context.Context, jobs job.Jobs, of job.Filter) (*int, error) {
	if jobs == nil {
		return nil, nil //nolint:nilnil // as it says
	}
	page, err := jobs.List(ctx, of)
	n := 0
	for _, c := range page.Counts {
		n += c
	}
	return &n, err
}

// artifactsOf lists the files of a conversation's summaries in our own directory.
// Its log may name any other file, and those of the conversation that it was
// forked from.
func artifactsOf(a *command.App, id string) []string {
	e, err := a.Effective()
	if err != nil {
		return nil
	}
	dir, err := compaction.ArtifactsDir(a, e)
	if err != nil || dir == "" {
		return nil
	}
	files, err := summary.Directory(dir).Of(id)
	if err != nil {
		a.Warn("cannot list the artifacts of " + id + ": " + err.Error())
	}
	return files
}

func question(a *command.App, all []store.Conversation) string {
	var b strings.Builder
	for _, c := range all {
		head := "  " + terminal.Word(c.ID) + "  " + number.CountOf(int(c.Version), "entry", "entries")
		left := command.TitleWidth
		if a.ErrWidth > 0 {
			left = max(a.ErrWidth-len(head)-3, 12)
		}
		b.WriteString(head + "  " + terminal.Excerpt(c.Title, left) + "\n")
	}
	return b.String() + "permanently remove " + number.Count(len(all), "conversation") + "?"
}
