package live

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"tenfold/internal/cli/command"
	"tenfold/internal/cli/compaction"
	"tenfold/internal/cli/observe"
	"tenfold/internal/cli/terminal"
	"tenfold/internal/hook"
	"tenfold/internal/live"
	"tenfold/internal/pause"
	"tenfold/internal/proxy"
	"tenfold/internal/proxy/keeper"
	"tenfold/internal/web/door"
	"tenfold/session"
	"tenfold/store/memory"
)

type proxyFlags struct {
	observe.Server
	address, tokenFile string
	upstreams          []string
	noStore, verbose   bool
}

// ProxyCommand is "tenfold proxy".
func ProxyCommand(a *command.App) *cobra.Command {
	f := proxyFlags{Server: observe.Server{App: a}}
	c := &cobra.Command{
		Use:   "proxy",
		Short: "Compact the conversations of any client that takes a base URL",
		Long: `Listens on this machine and forwards what clients send to the vendors of
models: Anthropic, OpenAI and Gemini. It prints a base URL for each, to give to
any client or program that takes one. Ctrl-C stops it.

Every conversation is kept in the store, where "tenfold conversation" shows it.
As its context fills, or once the vendor's cache has expired, it is compacted:
from then on older parts are sent as the compaction shows them. Apart from that,
requests and responses go through byte for byte. If anything fails, the client
gets what it would get without Tenfold. Keys go through too: they are never
stored or logged.

The base URLs contain a secret, so that no other program can use the proxy. It
is new on each start unless --token-file keeps it.

"tenfold proxy status" shows the conversations that go through.`,
		Example: `  tenfold proxy
  tenfold proxy --addr 127.0.0.1:7434 --token-file ~/.config/tenfold/proxy-token
  tenfold proxy --upstream openai=https://openrouter.ai/api/v1`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				return command.Group(c, args)
			}
			return nil
		},
		RunE: func(c *cobra.Command, _ []string) error {
			return runProxy(c.Context(), a, f)
		},
	}
	c.Flags().StringVar(&f.address, "addr", "127.0.0.1:7434", "listen at `HOST:PORT`; port 0 is any that is free;\nanother host than this machine's loopback requires\n--token-file")
	c.Flags().StringVar(&f.tokenFile, "token-file", "", "keep the secret of the base URLs in `FILE`, which is\ncreated if it does not exist")
	c.Flags().StringArrayVar(&f.upstreams, "upstream", nil, "forward to `URL` instead of the vendors, or with\nNAME=URL to the base URL of one vendor or of another\none; repeatable")
	c.Flags().BoolVar(&f.noStore, "no-store", false, "keep conversations in memory only, until the proxy\nstops")
	c.Flags().BoolVar(&f.verbose, "verbose", false, "print a line for each request")
	_ = c.MarkFlagFilename("token-file")
	command.Complete(c, "addr")
	command.Complete(c, "upstream")
	f.Flags(c)
	c.AddCommand(proxyStatusCommand(a))
	return c
}

// proxyJSON is a proxy that listens, for programs.
type proxyJSON struct {
	Address string          `json:"address"`
	Bases   []proxyBaseJSON `json:"bases"`
}

type proxyBaseJSON struct {
	Name  string `json:"name"`
	Title string `json:"title,omitzero"`
	// URL is what a client is told, Upstream where it leads.
	URL      string `json:"url"`
	Upstream string `json:"upstream"`
}

func runProxy(ctx context.Context, a *command.App, f proxyFlags) error {
	upstreams, err := proxy.Upstreams(f.upstreams)
	if err != nil {
		return err
	}
	usual := slog.LevelWarn
	if f.verbose {
		usual = slog.LevelDebug
	}
	to, err := f.Logger(usual)
	if err != nil {
		return err
	}
	token := ""
	if f.tokenFile != "" {
		if token, err = proxy.ReadToken(f.tokenFile); err != nil {
			return err
		}
	}
	listener, err := proxy.Listen(ctx, f.address, f.tokenFile != "")
	if err != nil {
		return err
	}
	defer func() { _ = listener.Close() }()
	// Requests go through whether there is a store or not (V7).
	health := door.NewHealth(func(context.Context) error { return nil })
	exports, finish, err := f.Export(ctx, to)
	if err != nil {
		return err
	}
	defer finish()
	stop, err := f.ServeMetrics(ctx, exports, health)
	if err != nil {
		return err
	}
	defer stop()
	defer context.AfterFunc(ctx, health.Ending)()
	shown, hosts := observe.ShownAddress(f.address, listener.Addr().String())
	k := keeperFor(a, f.noStore, keeper.Expected{Recent: keeper.Recent})
	server := proxy.NewServer(proxy.Options{Keeper: k, Log: to, Hosts: hosts})
	token = server.Add(token, proxy.Route{Upstreams: upstreams})
	remove, err := Announce(a, server, proxy.Process{Address: listener.Addr().String()})
	if err != nil { // as on a full disk: requests go through all the same
		a.Warn(err.Error() + `; "tenfold proxy status" does not show this proxy`)
		remove = func() {}
	}
	defer remove()
	out := proxyJSON{Address: shown}
	for _, v := range proxy.Vendors() {
		out.Bases = append(out.Bases, proxyBaseJSON{v.Name, v.Title, proxy.Base(shown, token, v.Name), upstreams[v.Name].Redacted()})
	}
	for _, name := range slices.Sorted(maps.Keys(upstreams)) {
		if !slices.ContainsFunc(proxy.Vendors(), func(v proxy.Vendor) bool { return v.Name == name }) {
			out.Bases = append(out.Bases, proxyBaseJSON{name, "", proxy.Base(shown, token, name), upstreams[name].Redacted()})
		}
	}
	if err := a.Result(out, func() { showBases(a, out) }); err != nil {
		return err
	}
	if err := a.Flush(); err != nil { // whoever waits for the addresses
		return err
	}
	err = server.Serve(ctx, listener)
	return cmp.Or(err, closeKeeper(ctx, a, k))
}

// keeperFor keeps what goes through a proxy, in the store or in memory.
func keeperFor(a *command.App, inMemory bool, expect keeper.Expected) proxy.Keeper {
	h := Host(a)
	if inMemory {
		expect = keeper.Expected{}
	}
	return keeper.New(keeper.Options{
		Open: func(ctx context.Context) (*session.Service, error) {
			if inMemory {
				return session.NewService(memory.New(memory.Packed()), session.WithClock(a.Now)), nil
			}
			l, err := a.Open(ctx)
			if err != nil {
				return nil, err
			}
			return l.Service, nil
		},
		Configure: func(dir, model string) (session.Live, error) {
			e, err := a.EffectiveIn(dir)
			if err != nil {
				return session.Live{}, err
			}
			return live.Settings(e.Config, model)
		},
		Directory: func() (string, error) {
			if inMemory {
				return "", nil
			}
			e, err := a.Effective()
			if err != nil {
				return "", err
			}
			return compaction.ArtifactsDir(a, e)
		},
		Fail: func(client, event, why string) {
			h.Fail(hook.Failure{Client: cmp.Or(client, "proxy"), Event: event, Why: why})
		},
		Now: a.Now, Spare: inMemory, Expect: expect,
	})
}

// keeperWait is how long what was heard may take to get into the store at the end: longer
// than a store waits for its lock, and than a server of one takes to start again.
const keeperWait = 30 * time.Second

// closeKeeper waits until the store has all that a keeper heard.
func closeKeeper(ctx context.Context, a *command.App, k proxy.Keeper) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), keeperWait)
	defer cancel()
	err := pause.Telling(2*time.Second, func() {
		a.Noticef("waiting up to %v for the store to take the last responses", keeperWait)
	}, func() error { return k.Close(ctx) })
	if err != nil {
		return command.Hinted(fmt.Errorf("store the last responses: %w", err), "store", `run "tenfold doctor" to check the store`)
	}
	return nil
}

func showBases(a *command.App, p proxyJSON) {
	a.Line(0, "Listening on "+p.Address+". Ctrl-C stops it.")
	a.Line(0, "Give a client one of these base URLs. They contain a secret: treat them like a key.")
	for _, b := range p.Bases {
		a.Printf("\n%s  %s\n", a.Paint(terminal.Bold, terminal.VisibleLine(cmp.Or(b.Title, b.Name))), a.Paint(terminal.Faint, "→ "+terminal.VisibleLine(b.Upstream)))
		a.Printf("  %s\n", b.URL) // whole on any terminal, to be copied
	}
}

// Announce makes a proxy known to "tenfold proxy status".
func Announce(a *command.App, s *proxy.Server, p proxy.Process) (remove func(), err error) {
	dir, err := proxies()
	if err != nil {
		return nil, err
	}
	p.PID, p.Started, p.Version = os.Getpid(), a.Now(), command.Version()
	return s.Announce(dir, p)
}

// proxies is the directory where running proxies announce themselves.
func proxies() (string, error) {
	local, err := command.DefaultStore()
	if err != nil {
		return "", err
	}
	return filepath.Join(filepath.Dir(local), "proxies"), nil
}
