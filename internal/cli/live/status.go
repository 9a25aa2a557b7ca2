package live

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/spf13/cobra"

	"tenfold/internal/cli/command"
	"tenfold/internal/cli/terminal"
	"tenfold/internal/number"
	"tenfold/internal/proxy"
)

func proxyStatusCommand(a *command.App) *cobra.Command {
	return &cobra.Command{
		Use:   "status",
		Short: "Show the conversations that go through running proxies",
		Long: `Shows every proxy of yours that runs on this machine, including those of
"tenfold run", and the conversations that go through it: requests, how many of
them were changed, compactions, the tokens sent and saved, and the share of the
prompts that the vendor read from its cache. If a conversation passes through
unchanged, or answers wait in memory because the store cannot be written, it
says why.`,
		Example: `  tenfold proxy status`,
		RunE:    func(c *cobra.Command, _ []string) error { return proxyStatus(c.Context(), a) },
	}
}

func proxyStatus(ctx context.Context, a *command.App) error {
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
		err := a.Result(p, func() {
			if i > 0 {
				a.Printf("\n")
			}
			showProxy(a, p)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func showProxy(a *command.App, p proxy.Process) {
	title := cmp.Or(p.Client, "proxy")
	if p.Dir != "" {
		title += " in " + p.Dir
	}
	a.Line(0, a.Paint(terminal.Bold, terminal.VisibleLine(title)))
	a.Line(0, a.Paint(terminal.Faint, fmt.Sprintf("process %d at %s, started %s", p.PID, terminal.VisibleLine(p.Address), number.Ago(a.Now(), p.Started))))
	switch {
	case p.Problem != "":
		a.Line(2, "  "+terminal.VisibleLine(p.Problem))
	case len(p.Conversations) == 0:
		a.Line(2, "  no conversation yet")
	}
	for _, c := range p.Conversations {
		id := "(not in the store yet)"
		if c.ID != "" {
			id = terminal.Word(c.ID)
		}
		about := terminal.VisibleLine(cmp.Or(c.Model, c.Protocol))
		if c.Client != "" && c.Client != p.Client {
			about += ", " + terminal.VisibleLine(c.Client)
		}
		a.Printf("\n")
		a.TwoParts(terminal.Cyan, id, about)
		a.Line(2, "  "+strings.Join([]string{number.Count(c.Requests, "request"), number.Thousands(c.Edited) + " changed", number.Count(c.Epochs, "compaction")}, ", "))
		a.Line(2, fmt.Sprintf("  %s tokens sent, %s saved, %d %% of the prompts read from the vendor's cache", number.Thousands(int(c.Sent)), number.Thousands(int(c.Saved)), int(math.Round(100*c.CacheRead))))
		if c.Passing != "" {
			a.Line(2, "  "+a.Paint(terminal.Yellow, "passes through unchanged:")+" "+terminal.VisibleLine(c.Passing))
		}
		if c.Waiting > 0 {
			a.Line(2, "  "+a.Paint(terminal.Yellow, number.Count(c.Waiting, "answer")+" in memory, not in the store:")+" "+terminal.VisibleLine(c.Unwritable))
		}
	}
}
