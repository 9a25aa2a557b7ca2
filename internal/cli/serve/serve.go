// Package serve holds "tenfold serve", and what an operator of a shared server does:
// tenants, their tokens, and jobs.
package serve

import (
	"bufio"
	"context"
	"errors"
	"io"
	"log"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"tenfold/fleet/tenant"
	"tenfold/internal/cli/command"
	"tenfold/internal/cli/observe"
	"tenfold/internal/cli/terminal"
	"tenfold/internal/config"
	"tenfold/internal/proxy"
	"tenfold/internal/web"
	"tenfold/internal/web/door"
	"tenfold/internal/web/page"
	"tenfold/store/postgres"
	"tenfold/store/remote"
)

// serving is "tenfold serve".
type serving struct {
	observe.Server
	address, tokenFile string
	readOnly, noOpen   bool
	drain              time.Duration
	jobs               int
	known              *tenant.Registry // over PostgreSQL
}

// Command is "tenfold serve".
func Command(a *command.App) *cobra.Command {
	k := &serving{Server: observe.Server{App: a}}
	c := &cobra.Command{
		Use:   "serve [flags]",
		Short: "Show the conversations in a browser",
		Long: `Serves a page for your browser, and the API behind it, over the conversations of
the store: what they cost, what compactions did to each entry, and what a model
sees. The page compacts, undoes and pins as "tenfold conversation" does, and
follows conversations that are still running. Ctrl-C stops it.

Only this machine can reach it unless --addr says otherwise, and only the
browser that opens the printed address: it works once, and signs that browser in
until the server ends. On a terminal, your browser is opened with it, and Enter
gives a new one.

The page sends nothing to other servers. Conversations leave this machine only
in requests to a model, when you send a message or choose a strategy that calls
one.

Programs use the API with the token of --token-file, sent as "Authorization:
Bearer TOKEN". /api/openapi.json describes it. The token also keeps browsers
signed in when the server starts again. With it in TENFOLD_TOKEN, all commands
work on this store: tenfold --store http://127.0.0.1:7435 conversation ls; from
another machine over https, by a proxy that has a certificate.

Over a PostgreSQL store, programs of tenants also use the API and the store with
the tokens that "tenfold token create" makes: each works on its own tenant's
conversations, within its scopes and limits. These tokens cannot run an agent
here. Compactions of a tenant call the model that you configured only if the
tenant may: "tenfold tenant limits NAME --models allow".

From another machine, forward a port: ssh -L 7435:127.0.0.1:7435 HOST.`,
		Example: `  tenfold serve
  tenfold serve --read-only --addr 127.0.0.1:7435 --no-open
  tenfold serve --token-file ~/.config/tenfold/serve-token --json`,
		RunE: func(c *cobra.Command, _ []string) error { return k.run(c.Context()) },
	}
	f := c.Flags()
	f.StringVar(&k.address, "addr", "127.0.0.1:0", "listen at `HOST:PORT`; port 0 picks a free port; a\nhost other than loopback requires\n--token-file or PostgreSQL")
	f.StringVar(&k.tokenFile, "token-file", "", "let programs in that send the secret of `FILE`, which\nis created if it does not exist")
	f.BoolVar(&k.readOnly, "read-only", false, "refuse all writes")
	f.IntVar(&k.jobs, "jobs", -1, "compact up to `N` conversations at once in the\nbackground; 0 leaves it to other servers of the\nstore (default: two for each processor over\nPostgreSQL, else 1)")
	f.BoolVar(&k.noOpen, "no-open", false, "do not open a browser")
	f.DurationVar(&k.drain, "drain", 0, "when told to stop, answer requests for `DURATION`\nmore while /readyz says not ready")
	_ = c.MarkFlagFilename("token-file")
	command.Complete(c, "addr")
	k.Flags(c)
	return c
}

// sparse is how many bytes of garbage a server of a fleet may have at least.
const sparse = 64 << 20

// serveJSON is a server that listens, for programs.
type serveJSON struct {
	Address string `json:"address"`
	// URL is what a browser opens: it works once.
	URL       string `json:"url"`
	TokenFile string `json:"token_file,omitzero"`
	ReadOnly  bool   `json:"read_only"`
}

func (k *serving) run(ctx context.Context) error {
	if k.jobs < -1 {
		return command.Usage("invalid --jobs value "+strconv.Itoa(k.jobs), "use 0 or more")
	}
	to, err := k.Logger(slog.LevelWarn)
	if err != nil {
		return err
	}
	exports, finish, err := k.Export(ctx, to)
	if err != nil {
		return err
	}
	defer finish()
	access := door.Access{ReadOnly: k.readOnly}
	if k.tokenFile != "" {
		if access.Token, err = proxy.ReadToken(k.tokenFile); err != nil {
			return err
		}
	}
	if _, err := k.Effective(); err != nil {
		return err
	}
	if _, err := k.Open(ctx); err != nil {
		return err
	}
	fleet, shared := k.Workspace.Store.(*postgres.Store)
	if shared {
		k.known = tenant.NewRegistry(fleet.Database())
		// Garbage is collected when there is as much of it as of what is in use: here
		// that is little, and would have it collected many times a second. This takes
		// no memory, as nothing is written to it.
		defer runtime.KeepAlive(make([]byte, sparse))
	}
	listener, err := proxy.Listen(ctx, k.address, k.tokenFile != "" || shared)
	if err != nil {
		return err
	}
	defer func() { _ = listener.Close() }()
	health := door.NewHealth(observe.Ready(k.Workspace.Store, !k.readOnly))
	stop, err := k.ServeMetrics(ctx, exports, health)
	if err != nil {
		return err
	}
	defer stop()
	shown, hosts := observe.ShownAddress(k.address, listener.Addr().String())
	access.Hosts = hosts
	k.Settings.Recent = &command.Recent[*config.Layers]{}
	backend := &Backend{App: k.App, readOnly: k.readOnly}
	work, err := k.background(ctx, backend)
	if err != nil {
		return err
	}
	defer work.close()
	jobs := work.of(k.Workspace.Store)
	var gate *tenant.Gate
	var tenants *web.Tenants
	if shared {
		tenants = k.tenants(fleet.Database(), work)
		access.Tenants = tenants
		gate = tenants.Gate(fleet.TenantID())
		*k.Workspace = *k.behind(k.Workspace.Store, gate, backend, work)
	}
	server := web.New(web.Options{
		Backend: backend, Page: page.Handler(page.Files()), Store: remote.Handler(work.others(k.Workspace.Store)), Jobs: jobs, Gate: gate,
	})
	guard := door.NewGuard(access)
	out := serveJSON{Address: shown, URL: "http://" + shown + guard.Invite(), ReadOnly: k.readOnly}
	if k.tokenFile != "" {
		if out.TokenFile, err = filepath.Abs(k.tokenFile); err != nil {
			return err
		}
	}
	if err := k.Result(out, func() { k.show(out.URL) }); err != nil {
		return err
	}
	if err := k.Flush(); err != nil { // whoever waits for the address
		return err
	}
	if ip, ok := listener.Addr().(*net.TCPAddr); ok && !ip.IP.IsLoopback() {
		k.Warn("the connection is not encrypted: anybody who can listen on the network can read conversations and the token")
	}
	if !k.noOpen && k.OutTTY && !k.JSON {
		openBrowser(ctx, out.URL)
	}
	var writing sync.Mutex // a terminal is for one writer at a time
	if k.InTTY && !k.JSON {
		go k.invite(shown, guard, &writing)
	}
	later, cancel := observe.Until(ctx, health, k.drain)
	defer cancel()
	// What net/http reports quotes what a client sent.
	err = door.Serve(later, listener, door.Observe(health.Handler(guard.Handler(door.Traced(server))), to), log.New(io.Discard, "", 0))
	writing.Lock() // for good: nobody is invited any more
	if tenants != nil {
		err = errors.Join(err, tenants.Close())
	}
	return errors.Join(err, server.Close())
}

// show prints where the page is.
func (k *serving) show(address string) {
	again := "press Enter for a new one"
	if !k.InTTY {
		again = "start the server again for a new one"
	}
	k.Line(0, "Open this address in a browser. It works once; "+again+". Ctrl-C stops the server.")
	k.Printf("\n  %s\n", k.Paint(terminal.Bold, address)) // whole on any terminal, to be copied
}

// invite prints a new address whenever somebody presses Enter.
func (k *serving) invite(shown string, guard *door.Guard, writing *sync.Mutex) {
	for in := bufio.NewScanner(k.In); in.Scan(); {
		writing.Lock()
		k.Printf("  %s\n", k.Paint(terminal.Bold, "http://"+shown+guard.Invite()))
		_ = k.Flush()
		writing.Unlock()
	}
}

// openBrowser opens an address in the person's browser, if there is one. That it
// cannot is not worth a word: the address is printed.
func openBrowser(ctx context.Context, address string) {
	var c *exec.Cmd
	switch {
	case runtime.GOOS == "darwin":
		c = exec.CommandContext(ctx, "open", address) //nolint:gosec // an address of ours
	case runtime.GOOS == "windows":
		c = exec.CommandContext(ctx, "rundll32", "url.dll,FileProtocolHandler", address) //nolint:gosec // the same
	case os.Getenv("DISPLAY") != "" || os.Getenv("WAYLAND_DISPLAY") != "": // else one that runs in the terminal may be found
		c = exec.CommandContext(ctx, "xdg-open", address) //nolint:gosec // the same
	default:
		return
	}
	if c.Start() == nil {
		go func() { _ = c.Wait() }()
	}
}
