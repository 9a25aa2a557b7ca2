package live

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"tenfold/internal/cli/command"
	"tenfold/internal/cli/terminal"
	"tenfold/internal/config"
	"tenfold/internal/hook"
	"tenfold/internal/number"
	"tenfold/store"
)

// DoctorCommand is "tenfold doctor".
func DoctorCommand(a *command.App) *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "Check the configuration, the store, the agents and the terminal",
		Long: `Checks the configuration files and what they refer to, whether API keys are set
(values are never shown), how commands of the agent are contained, the store and
its directory, the agents found and the plug-ins installed in them, and the
terminal. It shows the last events of agents that Tenfold could not answer. It
changes nothing; it runs each agent with --version.

Each line is ok, warn or fail, with a hint. The exit code is 1 if a check fails.`,
		Example: `  tenfold doctor
  tenfold doctor --json`,
		RunE: func(c *cobra.Command, _ []string) error { return doctor(c.Context(), a) },
	}
}

// finding is the result of one check.
type finding struct {
	Check  string `json:"check"`
	Status string `json:"status"`
	Detail string `json:"detail"`
	Hint   string `json:"hint,omitzero"`
	// Failure is set on what is about an event of an agent that was not answered.
	Failure *hook.Failure `json:"failure,omitzero"`
}

const (
	statusOK   = "ok"
	statusWarn = "warn"
	statusFail = "fail"
)

// failed is what a check found that an error ended.
func failed(check string, err error) finding {
	f := command.Explain(err)
	return finding{Check: check, Status: statusFail, Detail: f.Error(), Hint: f.Hint}
}

func doctor(ctx context.Context, a *command.App) error {
	all := checkConfig(a)
	all = append(all, checkStore(ctx, a)...)
	all = append(all, checkClients(ctx, a)...)
	all = append(all, checkTerminal(a))
	fails, wide := false, 0
	for _, f := range all {
		wide = max(wide, ansi.StringWidth(terminal.VisibleLine(f.Check)))
	}
	for _, f := range all {
		fails = fails || f.Status == statusFail
		if err := a.Result(f, func() { printFinding(a, f, wide) }); err != nil {
			return err
		}
	}
	if fails {
		return command.ErrTold
	}
	return nil
}

func printFinding(a *command.App, f finding, wide int) {
	check := terminal.VisibleLine(f.Check) // it may name a provider
	paint := map[string]terminal.Colour{statusOK: terminal.Green, statusWarn: terminal.Yellow, statusFail: terminal.Red}[f.Status]
	indent := 6 + wide + 2
	width := 80
	if a.Width > 0 {
		width = min(width, a.Width)
	}
	head := a.Paint(paint, terminal.Pad(f.Status, 6)) + terminal.Pad(check, indent-6)
	if width-indent < 40 { // then the detail goes below
		a.Printf("%s%s\n", a.Paint(paint, terminal.Pad(f.Status, 6)), check)
		indent = 6
		head = strings.Repeat(" ", indent)
	}
	for _, line := range terminal.Wrap(terminal.VisibleLine(f.Detail), max(width-indent, 20)) {
		a.Printf("%s%s\n", head, line)
		head = strings.Repeat(" ", indent)
	}
	if f.Hint == "" {
		return
	}
	head = strings.Repeat(" ", indent) + a.Paint(terminal.Faint, "hint:") + " "
	for _, line := range terminal.Wrap(terminal.VisibleLine(f.Hint), max(width-indent-6, 20)) {
		a.Printf("%s%s\n", head, line)
		head = strings.Repeat(" ", indent+6)
	}
}

// checkConfig checks the layers and what they refer to.
func checkConfig(a *command.App) []finding {
	l, err := a.Settings.Read()
	var e *config.Effective
	if err == nil {
		e, err = l.With()
	}
	if err != nil {
		return []finding{failed("configuration", err)}
	}
	all := []finding{{Check: "user file", Status: statusOK, Detail: l.User}, checkWorkspaceFile(l)}
	if l.User == "" {
		all[0].Detail = "none"
	}
	for _, notice := range e.Notices {
		if notice == l.TrustNotice() {
			continue // checkWorkspaceFile reports it
		}
		all = append(all, finding{Check: "configuration", Status: statusWarn, Detail: notice})
	}
	dangling := e.Dangling()
	for _, d := range dangling {
		all = append(all, finding{Check: "references", Status: statusFail, Detail: d.Error(), Hint: d.Hint})
	}
	if len(dangling) == 0 {
		all = append(all, finding{Check: "references", Status: statusOK, Detail: "profiles: " + strings.Join(e.ProfileNames(), ", ")})
	}
	for _, name := range slices.Sorted(maps.Keys(e.Providers)) {
		all = append(all, checkProvider(e, name))
	}
	return append(all, checkCommands(e))
}

// checkWorkspaceFile checks whether the workspace's file is trusted.
func checkWorkspaceFile(l *config.Layers) finding {
	f := finding{Check: "workspace file", Status: statusOK, Detail: "none"}
	if l.Workspace == "" {
		return f
	}
	f.Detail = l.Workspace + ", " + l.Trust.Words()
	if len(l.Ignored) == 0 {
		return f
	}
	keys := make([]string, len(l.Ignored))
	for i, s := range l.Ignored {
		keys[i] = s.Key()
	}
	f.Detail += "; ignored: " + strings.Join(keys, ", ")
	f.Status, f.Hint = statusWarn, `read it, then run "tenfold config trust"`
	return f
}

// checkProvider checks whether a provider's key is set.
func checkProvider(e *config.Effective, name string) finding {
	p := e.Providers[name]
	check := "provider " + name
	used := e.Model.Name.Provider() == name || e.Conversation.Compaction.SummarizerModel.Provider() == name
	for _, profile := range e.Conversation.Compaction.Profiles {
		used = used || profile.Summary.Model.Provider() == name
	}
	switch variable := string(p.APIKeyEnv); {
	case variable == "":
		return finding{Check: check, Status: statusOK, Detail: "needs no key"}
	case os.Getenv(variable) != "":
		return finding{Check: check, Status: statusOK, Detail: variable + " is set"}
	case used:
		return finding{Check: check, Status: statusWarn, Detail: variable + " is not set, but a model of this provider is configured", Hint: "set " + variable + " to your key"}
	default:
		return finding{Check: check, Status: statusOK, Detail: variable + " is not set, but not needed"}
	}
}

// checkStore opens the store, if it exists, and checks it.
func checkStore(ctx context.Context, a *command.App) []finding {
	url := a.URL()
	var all []finding
	if !command.IsShared(url) {
		path, inMemory, err := command.StorePath(url, "--store or TENFOLD_STORE")
		if err != nil {
			return []finding{failed("store", err)}
		}
		if inMemory {
			return []finding{{Check: "store", Status: statusWarn, Detail: "in memory: nothing is saved", Hint: "choose a file with --store or TENFOLD_STORE"}}
		}
		all = append(all, checkDirectory(filepath.Dir(path)))
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			return append(all, finding{Check: "store", Status: statusOK, Detail: "none yet; the first conversation creates " + path})
		}
	}
	l, err := a.Look(ctx)
	if errors.Is(err, store.ErrOlder) {
		return append(all, finding{
			Check: "store", Status: statusWarn, Detail: err.Error(),
			Hint: "the next command that works with conversations makes or upgrades it; an older tenfold cannot open it then, so copy it before if you may want to go back",
		})
	}
	if err != nil {
		return append(all, failed("store", err))
	}
	return append(all, checkOpened(ctx, l))
}

func checkOpened(ctx context.Context, l *command.Workspace) finding {
	detail := "opens"
	if c, ok := l.Store.(store.Checker); ok {
		found, err := c.Check(ctx)
		if err != nil {
			return finding{Check: "store", Status: statusFail, Detail: err.Error(), Hint: "back up the file first"}
		}
		if len(found.Damage) > 0 {
			return finding{Check: "store", Status: statusFail, Detail: "the file is damaged: " + found.Damage[0], Hint: `back up the file, then save what is readable with "tenfold conversation export ID --to tenfold"`}
		}
		detail = fmt.Sprintf("intact, schema %d", found.Version)
	}
	conversations, damaged := 0, []string(nil)
	for c, err := range l.Service.List(ctx) {
		if err != nil {
			return finding{Check: "store", Status: statusFail, Detail: err.Error(), Hint: command.OtherStore}
		}
		if conversations++; c.Fault != "" {
			damaged = append(damaged, "conversation "+c.ID+": "+c.Fault)
		}
	}
	detail += ", " + number.Count(conversations, "conversation")
	if len(damaged) > 0 {
		return finding{
			Check: "store", Status: statusFail, Detail: detail + "; " + number.Count(len(damaged), "title") + " cannot be read, first of " + damaged[0],
			Hint: "restore a backup; \"tenfold conversation title TITLE --id ID\" gives a conversation another title",
		}
	}
	if err := store.Writable(l.Store); err != nil {
		return finding{Check: "store", Status: statusFail, Detail: detail + "; " + err.Error(), Hint: command.OtherStore}
	}
	return finding{Check: "store", Status: statusOK, Detail: detail}
}

// checkDirectory checks whether a directory is writable, or its nearest existing
// parent.
func checkDirectory(dir string) finding {
	there := dir
	for {
		info, err := os.Stat(there)
		if err == nil && !info.IsDir() {
			return finding{Check: "data directory", Status: statusFail, Detail: there + " is not a directory", Hint: command.OtherStore}
		}
		up := filepath.Dir(there)
		if err == nil || up == there {
			break
		}
		there = up
	}
	f, err := os.CreateTemp(there, ".tenfold-*")
	if err != nil {
		e := command.Explain(err)
		return finding{Check: "data directory", Status: statusFail, Detail: there + " is not writable", Hint: e.Hint}
	}
	_ = f.Close()
	_ = os.Remove(f.Name())
	if there != dir {
		return finding{Check: "data directory", Status: statusOK, Detail: dir + ", not created yet"}
	}
	return finding{Check: "data directory", Status: statusOK, Detail: dir}
}

func checkTerminal(a *command.App) finding {
	f := finding{Check: "terminal", Status: statusOK}
	if !a.OutTTY {
		f.Detail = "stdout is not a terminal; colour is off"
		return f
	}
	f.Detail = fmt.Sprintf("%d columns, ", a.Width)
	if a.OutColour {
		f.Detail += "colour"
	} else {
		f.Detail += "no colour (NO_COLOR or TERM)"
	}
	if a.Width < ansi.StringWidth("Compacted  turns 100..800  98,211 → 9,020 tokens") {
		f.Status, f.Hint = statusWarn, "use a wider terminal for readable reports"
	}
	return f
}
