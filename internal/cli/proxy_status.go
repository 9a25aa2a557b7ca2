package cli

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"strconv"

	"github.com/spf13/cobra"

	"tenfold/eval"
	"tenfold/internal/cli/terminal"
	"tenfold/internal/proxy"
)

func (a *app) proxyStatusCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "status",
		Short: "Show the conversations that go through running proxies",
		Long: `Shows every proxy of yours that runs on this machine, including those of
"tenfold run", and the conversations that go through it: requests, how many of
them were changed, compactions, the tokens sent and saved, and the share of the
prompts that the vendor read from its cache. If a conversation passes through
unchanged, it says why.`,
		Example:           `  tenfold proxy status`,
		Args:              arguments(0, 0, ""),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(c *cobra.Command, _ []string) error { return a.proxyStatus(c.Context()) },
	}
}

func (a *app) proxyStatus(ctx context.Context) error {
	dir, err := proxies()
	if err != nil {
		return err
	}
	all, err := proxy.Processes(ctx, dir)
	if err != nil {
		return err
	}
	if len(all) == 0 {
		a.Noticef("No proxy is running. \"tenfold proxy\" or \"tenfold run CLIENT\" starts one.")
	}
	for i, p := range all {
		if a.JSON {
			if err := a.Emit(p); err != nil {
				return err
			}
			continue
		}
		if i > 0 {
			a.Printf("\n")
		}
		a.showProxy(p)
	}
	return nil
}

func (a *app) showProxy(p proxy.Process) {
	t := eval.Table{Title: cmp.Or(p.Client, "proxy"), Columns: []string{"requests", "changed", "compactions", "sent", "saved", "from cache"}}
	if p.Dir != "" {
		t.Title += " in " + p.Dir
	}
	t.About = fmt.Sprintf("process %d at %s, started %s", p.PID, p.Address, ago(a.now(), p.Started))
	if p.Problem != "" {
		t.About += ": " + p.Problem
	}
	if len(p.Conversations) == 0 {
		a.Line(0, a.Paint(terminal.Bold, terminal.VisibleLine(t.Title)))
		a.Line(0, a.Paint(terminal.Faint, terminal.VisibleLine(t.About)))
		if p.Problem == "" {
			a.Line(0, "no conversation yet")
		}
		return
	}
	for _, c := range p.Conversations {
		name := c.ID
		if c.Model != "" {
			name += " " + c.Model
		}
		t.Rows = append(t.Rows, eval.TableRow{Name: terminal.VisibleLine(name), Cells: []string{
			thousands(c.Requests), thousands(c.Edited), thousands(c.Epochs), thousands(int(c.Sent)), thousands(int(c.Saved)),
			strconv.Itoa(int(math.Round(100*c.CacheRead))) + " %",
		}})
	}
	a.figures(t)
	for _, c := range p.Conversations {
		if c.Passing != "" {
			a.Line(2, terminal.VisibleLine(c.ID)+" passes through unchanged: "+terminal.VisibleLine(c.Passing))
		}
	}
}
