package live

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"tenfold/internal/cli/command"
	"tenfold/internal/config"
	"tenfold/internal/hook"
	"tenfold/internal/hook/claudecode"
	"tenfold/internal/hook/opencode"
	"tenfold/internal/hook/pi"
	"tenfold/internal/proxy/launch"
	"tenfold/problem"
	"tenfold/session"
	"tenfold/store/sqlite"
)

// hookLimit is how long an agent waits for an answer where the configuration
// cannot be read (V7).
const hookLimit = 10 * time.Second

// Clients are the agents whose compactions Tenfold answers.
func Clients() []hook.Client {
	return []hook.Client{claudecode.Client{}, opencode.Client{}, pi.Client{}}
}

func findClient(a *command.App, name string) (hook.Client, error) {
	for _, c := range a.Clients {
		if c.About().Name == name {
			return c, nil
		}
	}
	names := knownClients(a)
	return nil, command.Usage("unknown client "+command.Quote(name), cmp.Or(problem.DidYouMean(name, names), "the clients are "+strings.Join(names, ", ")+`; "tenfold run" starts others without a plug-in`))
}

// HookCommand is "tenfold hook".
func HookCommand(a *command.App) *cobra.Command {
	return &cobra.Command{
		Use:   "hook CLIENT EVENT",
		Short: "Answer an event of a running agent",
		Long: `Answers one event of an agent: JSON on standard input, JSON on standard output.
The adapters that "tenfold install" writes run it; there is no need to run it by
hand.

The answer "{}" tells the agent to do what it does without Tenfold. That is also
the answer if anything fails or takes too long (conversation.compaction.hook.
time_limit, 10 seconds), and the exit code is always 0: Tenfold never stops an
agent. "tenfold doctor" shows what failed.

No model is called, and nothing is sent anywhere.`,
		Example: `  tenfold hook claude-code session.compact < event.json`,
		Args:    cobra.ArbitraryArgs,
		// An adapter may be newer than the program.
		FParseErrWhitelist: cobra.FParseErrWhitelist{UnknownFlags: true},
		ValidArgsFunction:  completeClients(a),
		RunE: func(c *cobra.Command, args []string) error {
			a.Printf("%s\n", answer(c.Context(), a, args))
			return nil
		},
	}
}

// beside are the events of clients that are answered beside a proxy: that a client compacts by
// itself, which a proxy cannot answer for it. They are not where nothing is to be stored.
var beside = map[string]string{"opencode": "compacting", "pi": "session_before_compact"}

// answer answers an event, whatever happens.
func answer(ctx context.Context, a *command.App, args []string) []byte {
	h := Host(a)
	if len(args) < 2 {
		h.Fail(hook.Failure{Client: "unknown", Event: "unknown", Why: "tenfold hook requires CLIENT and EVENT"})
		return []byte(hook.Nothing)
	}
	if os.Getenv(launch.Running) == args[0] && (args[1] != beside[args[0]] || os.Getenv(launch.Unstored) != "") { // the proxy that it runs through compacts
		return []byte(hook.Nothing)
	}
	client, err := findClient(a, args[0])
	if err != nil {
		h.Fail(hook.Failure{Client: args[0], Event: args[1], Why: err.Error()})
		return []byte(hook.Nothing)
	}
	var opened atomic.Pointer[command.Workspace]
	h.Open = func(ctx context.Context) (*session.Service, error) {
		// Words are indexed by the next search: an agent is waiting.
		l, err := a.OpenNew(ctx, sqlite.WithoutIndex())
		if err != nil {
			return nil, err
		}
		opened.Store(l)
		return l.Service, nil
	}
	// The process is short: memory is cheaper than collecting it, up to a point.
	debug.SetGCPercent(400)
	debug.SetMemoryLimit(1 << 30)
	limit := hookLimit
	if e, err := a.EffectiveIn(""); err == nil && e.Conversation.Compaction.Hook.TimeLimit > 0 {
		limit = time.Duration(e.Conversation.Compaction.Hook.TimeLimit)
	}
	out := h.Run(ctx, client, args[1], a.In, limit)
	if l := opened.Load(); l != nil {
		closeSoon(l)
	}
	return out
}

// closeSoon closes a store, unless that takes long: what was acknowledged is on
// disk, and an agent is waiting.
func closeSoon(l *command.Workspace) {
	done := make(chan struct{})
	go func() {
		_ = l.Store.Close()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(time.Second):
	}
}

// Host is what agents' events are answered with, and adapters installed.
func Host(a *command.App) *hook.Host {
	h := &hook.Host{Configure: func(dir string) (*config.Effective, error) { return a.EffectiveIn(dir) }, Owner: a.Owner(), Version: command.Version(), Now: a.Now}
	// Who has no home directory has no place for records.
	if local, err := command.DefaultStore(); err == nil {
		h.Data = filepath.Dir(local)
	}
	return h
}

// completeClients completes the names of clients.
func completeClients(a *command.App) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return knownClients(a), cobra.ShellCompDirectiveNoFileComp
	}
}
