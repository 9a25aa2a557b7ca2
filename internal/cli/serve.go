package cli

import (
	"bufio"
	"context"
	"errors"
	"log"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"

	"github.com/spf13/cobra"

	"tenfold/internal/cli/terminal"
	"tenfold/internal/proxy"
	"tenfold/internal/web"
	"tenfold/internal/web/page"
	"tenfold/store/remote"
)

// serving is "tenfold serve".
type serving struct {
	*app
	address, tokenFile string
	readOnly, noOpen   bool
}

func (a *app) serveCommand() *cobra.Command {
	k := &serving{app: a}
	c := &cobra.Command{
		Use:   "serve [flags]",
		Short: "Show the conversations in a browser",
		Long: `Serves a page for your browser, and the API behind it, over the conversations of
the store: what they cost, what compactions did to each entry, and what a model
sees. The page compacts, undoes and pins as "tenfold conversation" does, and
follows conversations that are still running. Ctrl-C stops it.

Only this machine can reach it unless --addr says otherwise, and only the
browser that opens the printed address: it works once, and signs that browser in
until the server ends. Press Enter for a new one. On a terminal, your browser is
opened with it.

The page asks no other server for anything. Conversations leave this machine
only in requests to a model, when you send a message or choose a strategy that
calls one.

Programs use the API with the token of --token-file, sent as "Authorization:
Bearer TOKEN". /api/openapi.json describes it. The token also keeps browsers
signed in when the server starts again. With it in TENFOLD_TOKEN, all commands
work on this store: tenfold --store http://127.0.0.1:7435 conversation ls; from
another machine over https, by a proxy that has a certificate.

From another machine, forward a port: ssh -L 7435:127.0.0.1:7435 HOST.`,
		Example: `  tenfold serve
  tenfold serve --read-only --addr 127.0.0.1:7435 --no-open
  tenfold serve --token-file ~/.config/tenfold/serve-token --json`,
		Args:              arguments(0, 0, ""),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(c *cobra.Command, _ []string) error { return k.run(c.Context()) },
	}
	f := c.Flags()
	f.StringVar(&k.address, "addr", "127.0.0.1:0", "listen at `HOST:PORT`; port 0 is any that is free;\nanother host than this machine's loopback requires\n--token-file")
	f.StringVar(&k.tokenFile, "token-file", "", "let programs in that send the secret of `FILE`, which\nis created if it does not exist")
	f.BoolVar(&k.readOnly, "read-only", false, "refuse whatever writes")
	f.BoolVar(&k.noOpen, "no-open", false, "do not open a browser")
	_ = c.MarkFlagFilename("token-file")
	complete(c, "addr")
	return c
}

// serveJSON is a server that listens, for programs.
type serveJSON struct {
	Address string `json:"address"`
	// URL is what a browser opens: it works once.
	URL       string `json:"url"`
	TokenFile string `json:"token_file,omitzero"`
	ReadOnly  bool   `json:"read_only"`
}

func (k *serving) run(ctx context.Context) (err error) {
	access := web.Access{ReadOnly: k.readOnly}
	if k.tokenFile != "" {
		if access.Token, err = proxy.ReadToken(k.tokenFile); err != nil {
			return err
		}
	}
	if _, err := k.effective(); err != nil {
		return err
	}
	if _, err := k.open(ctx); err != nil {
		return err
	}
	listener, err := proxy.Listen(ctx, k.address, k.tokenFile != "")
	if err != nil {
		return err
	}
	defer func() { _ = listener.Close() }()
	shown, hosts := shownAddress(k.address, listener.Addr().String())
	access.Hosts = hosts
	server := web.New(web.Options{
		Backend: &served{app: k.app, readOnly: k.readOnly}, Page: web.Page(page.Files()), Store: remote.Handler(k.workspace.store),
	})
	guard := web.NewGuard(access)
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
		k.Warn("the connection is not encrypted: whoever can listen on the network reads conversations and the token")
	}
	if !k.noOpen && k.OutTTY && !k.JSON {
		openBrowser(ctx, out.URL)
	}
	var writing sync.Mutex // a terminal is for one writer at a time
	if k.InTTY && !k.JSON {
		go k.invite(shown, guard, &writing)
	}
	// What net/http reports quotes what a client sent.
	err = web.Serve(ctx, listener, guard.Handler(server), log.New(discard{}, "", 0))
	writing.Lock() // for good: nobody is invited any more
	return errors.Join(err, server.Close())
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }

// show prints where the page is.
func (k *serving) show(address string) {
	k.Line(0, "Open this address in a browser. It works once; press Enter for a new one. Ctrl-C stops the server.")
	k.Printf("\n  %s\n", k.Paint(terminal.Bold, address)) // whole on any terminal, to be copied
}

// invite prints a new address whenever somebody presses Enter.
func (k *serving) invite(shown string, guard *web.Guard, writing *sync.Mutex) {
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
