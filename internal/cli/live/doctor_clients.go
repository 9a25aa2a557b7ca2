package live

import (
	"context"
	"fmt"
	"strings"
	"time"

	"tenfold/internal/cli/command"
	"tenfold/internal/cli/terminal"
	"tenfold/internal/hook"
)

// What doctor shows of failures: the last few, as long as they are fresh.
const (
	shownFailures = 5
	freshFailures = 7 * 24 * time.Hour
)

// checkClients checks the agents and the plug-ins in them.
func checkClients(ctx context.Context, a *command.App) []finding {
	list, err := listClients(ctx, a)
	if err != nil {
		return []finding{failed("plug-ins", err)}
	}
	var all []finding
	for _, c := range list {
		f := finding{Check: c.Client, Status: statusOK, Detail: c.foundWords()}
		switch {
		case len(c.Installed) == 0:
			f.Detail += "; no plug-in installed"
		case c.Path == "":
			f.Status, f.Hint = statusWarn, fmt.Sprintf("put %s on the PATH, or run \"tenfold uninstall %s\"", c.Title, c.Client)
		case c.Support == hook.TooOld:
			f.Status, f.Hint = statusWarn, "update "+c.Title
		case c.Support == hook.Newer:
			f.Status, f.Hint = statusWarn, `if compactions fail, look at the failures below and update Tenfold`
		}
		var hints []string
		for _, i := range c.Installed {
			f.Detail += "; " + i.words()
			if i.State != hook.Current {
				hints = append(hints, i.renewal(c.Client))
			}
		}
		if len(hints) > 0 {
			f.Status, f.Hint = statusWarn, strings.Join(hints, "; ")
		}
		all = append(all, f)
	}
	return append(all, checkFailures(a)...)
}

// checkFailures shows the events that were not answered (V7).
func checkFailures(a *command.App) []finding {
	failures, err := Host(a).Failures(shownFailures)
	if err != nil {
		return []finding{{Check: "events", Status: statusWarn, Detail: err.Error(), Hint: "remove the file if it is damaged"}}
	}
	var all []finding
	for _, f := range failures {
		if a.Now().Sub(f.Time) > freshFailures {
			break
		}
		who := f.Client
		if f.Version != "" {
			who += " " + f.Version
		}
		all = append(all, finding{
			Check: "event", Status: statusWarn, Failure: &f,
			Detail: fmt.Sprintf("%s, %s, %s: %s", f.Time.Local().Format(time.DateTime), terminal.VisibleLine(who), terminal.VisibleLine(f.Event), terminal.VisibleLine(f.Why)),
		})
	}
	if len(all) == 0 {
		all = append(all, finding{Check: "events", Status: statusOK, Detail: "every event of an agent in the last 7 days was answered"})
	}
	return all
}
