package serve

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"tenfold/fleet/job"
	"tenfold/internal/cli/command"
	"tenfold/internal/cli/terminal"
	"tenfold/internal/number"
	"tenfold/problem"
	"tenfold/store"
	"tenfold/store/postgres"
)

// JobsCommand is "tenfold jobs".
func JobsCommand(a *command.App) *cobra.Command {
	return command.NewGroup(
		&cobra.Command{
			Use:   "jobs COMMAND",
			Short: "List, retry and cancel compactions in the background",
			Long: `Shows the compactions that the servers of a PostgreSQL store make in the
background. An append that brings a conversation over its limit (the settings
conversation.compaction.auto) adds a job in the same transaction; "tenfold serve
--jobs N" works on them, on any machine.

"tenfold serve" over a store on this machine keeps its jobs in memory: its page
shows them.`,
			Example: `  tenfold jobs ls
  tenfold jobs retry 3v9q0hxk2m7c5t1r8w4z6j0n2p`,
		},
		jobsListCommand(a), jobCommand(a, "retry", "Run a job again", `Runs a job again that failed or was cancelled, and starts one now that waits for
its next attempt.`, job.Jobs.Retry), jobCommand(a, "cancel", "Cancel a job", `Cancels a job that has not ended. What it has not written stays unwritten; a
compaction that it has written is undone with "tenfold conversation undo".`, job.Jobs.Cancel),
	)
}

// jobs opens the queue of the store; close frees it.
func jobs(ctx context.Context, a *command.App, look bool) (jobs job.Jobs, done func(), err error) {
	none := &problem.Error{
		Code: "no_jobs", Op: "jobs", Problem: "the store has no queue that this command could reach",
		Hint: `name a PostgreSQL store with --store; the page of "tenfold serve" shows the jobs of any other`,
	}
	if !command.IsPostgres(a.URL()) {
		return nil, nil, none
	}
	open, options := a.Open, []job.Option(nil)
	if look {
		open, options = a.Look, append(options, job.WithoutUpgrade())
	}
	l, err := open(ctx)
	if errors.Is(err, store.ErrOlder) {
		err = older(err)
	}
	if err != nil {
		return nil, nil, err
	}
	st, ok := l.Store.(*postgres.Store)
	if !ok {
		return nil, nil, none
	}
	q, err := job.Open(ctx, st.Database(), options...)
	if errors.Is(err, store.ErrOlder) {
		err = older(err)
	}
	if err != nil {
		return nil, nil, err
	}
	return q.Of(st.TenantID()), q.Close, nil
}

func jobsListCommand(a *command.App) *cobra.Command {
	var f job.Filter
	var wanted []string
	names := make([]string, len(job.States()))
	for i, s := range job.States() {
		names[i] = string(s)
	}
	c := &cobra.Command{
		Use:   "ls",
		Short: "List jobs, the newest first",
		Long: `Lists jobs, the newest first: the id, the state, the conversation, and what came
of it or why it waits. Jobs that ended are kept for a day, failed ones for a
week.`,
		Example: `  tenfold jobs ls
  tenfold jobs ls --state failed --state retrying
  tenfold jobs ls --conversation 0192f --json`,
		RunE: func(c *cobra.Command, _ []string) error {
			for _, s := range wanted {
				if !slices.Contains(names, s) {
					return command.Usage("invalid --state value "+command.Quote(s), "use one of "+strings.Join(names, ", "))
				}
				f.States = append(f.States, job.State(s))
			}
			if f.Limit < 1 {
				return command.Usage("invalid --limit value "+strconv.Itoa(f.Limit), "use 1 or more")
			}
			return listJobs(c.Context(), a, f)
		},
	}
	c.Flags().StringArrayVar(&wanted, "state", nil, "only jobs in `STATE`: "+strings.Join(names[:2], ", ")+",\n"+strings.Join(names[2:6], ", ")+",\n"+names[6]+"; may be repeated")
	c.Flags().StringVar(&f.Conversation, "conversation", "", "only jobs of the conversation `ID`")
	c.Flags().IntVar(&f.Limit, "limit", 50, "list at most `N` jobs")
	command.Complete(c, "state", names...)
	return c
}

func listJobs(ctx context.Context, a *command.App, f job.Filter) error {
	jobs, done, err := jobs(ctx, a, true)
	if errors.Is(err, job.ErrNone) {
		a.Noticef("no jobs")
		return nil
	}
	if err != nil {
		return err
	}
	defer done()
	if f.Conversation != "" {
		c, err := a.Workspace.Service.Find(ctx, f.Conversation)
		if err != nil {
			return err
		}
		f.Conversation = c.ID
	}
	page, err := jobs.List(ctx, f)
	if err != nil {
		return err
	}
	for _, j := range page.Jobs {
		if err := a.Result(j, func() { showJob(a, j) }); err != nil {
			return err
		}
	}
	switch {
	case a.JSON:
	case len(page.Jobs) == 0:
		a.Noticef("no jobs")
	case page.Next != "":
		a.Noticef("there are more: use --limit, --state or --conversation")
	}
	return nil
}

// showJob prints a job in one line, and below it why it failed.
func showJob(a *command.App, j job.Info) {
	what := j.Waits
	switch {
	case j.State == job.Running:
		what = "attempt " + strconv.Itoa(j.Attempt) + " of " + strconv.Itoa(j.Attempts)
		if j.Waits != "" {
			what += "; waits for " + j.Waits
		}
	case j.Outcome == job.Compacted:
		what = number.Thousands(j.Before) + " → " + number.Thousands(j.After) + " tokens"
	case j.Outcome != "" && j.Reason != "":
		what = j.Outcome + ": " + j.Reason
	case j.Outcome != "":
		what = j.Outcome
	case j.State == job.Queued:
		what = j.Why
	}
	text := terminal.Pad(string(j.State), len(job.Completed)) + "  " + terminal.Pad(number.Ago(a.Now(), j.Created), len("59 minutes ago")) + "  " + terminal.Word(j.Conversation)
	if what != "" {
		text += "  " + terminal.VisibleLine(what)
	}
	a.TwoParts(terminal.Bold, j.ID+"  ", text)
	if j.Error != "" {
		text := strings.Join(slices.DeleteFunc([]string{j.Error, j.Hint}, func(s string) bool { return s == "" }), "; ")
		if j.State == job.Running || j.State == job.Queued {
			text = "last attempt: " + text
		}
		a.Line(2, "  "+terminal.VisibleLine(text))
	}
}

// jobCommand does something to one job.
func jobCommand(a *command.App, name, short, long string, do func(job.Jobs, context.Context, string) (job.Info, error)) *cobra.Command {
	return &cobra.Command{
		Use:     name + " ID",
		Short:   short,
		Long:    long + "\n\nID is the ID of a job, or the beginning of one.",
		Example: "  tenfold jobs " + name + " 3v9q0hxk2m7c5t1r8w4z6j0n2p",
		Args:    command.Arguments(1, 1, `the ID of a job, which "tenfold jobs ls" lists`),
		RunE: func(c *cobra.Command, args []string) error {
			jobs, done, err := jobs(c.Context(), a, false)
			if err != nil {
				return err
			}
			defer done()
			j, err := do(jobs, c.Context(), args[0])
			if err != nil {
				return err
			}
			return a.Result(j, func() { showJob(a, j) })
		},
	}
}
