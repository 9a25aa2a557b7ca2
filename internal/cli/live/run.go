// Package live holds the commands that stand beside other agents while they work:
// run and proxy, hooks and their installation, recall and mcp, and doctor.
package live

import (
	"context"
	"log/slog"
	"net/url"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"tenfold/internal/cli/command"
	"tenfold/internal/cli/observe"
	"tenfold/internal/cli/terminal"
	"tenfold/internal/number"
	"tenfold/internal/proxy"
	"tenfold/internal/proxy/keeper"
	"tenfold/internal/proxy/launch"
	"tenfold/problem"
)

type runFlags struct{ noStore, verbose bool }

// RunCommand is "tenfold run".
func RunCommand(a *command.App) *cobra.Command {
	f := runFlags{}
	var names []string
	for _, c := range launch.Clients() {
		names = append(names, c.Name)
	}
	c := &cobra.Command{
		Use:   "run [flags] CLIENT [ARGS...]",
		Short: "Run a client whose conversations are compacted while they run",
		Long: `Starts a client as you would, with its requests going through a proxy of its own
that compacts its conversations: before the context is full, and whenever the
vendor's prompt cache is cold anyway. Nothing is lost: conversations are stored
whole and can be listed, searched and undone while the client runs, and "tenfold
conversation undo" gives the model everything back.

All arguments after CLIENT are the client's. Its configuration is not changed:
it is told where the proxy is for this run alone. Requests go on to a base URL
that you configured. Keys and sign-ins pass through and are never stored.

` + command.Sentence("Clients: "+strings.Join(names, ", ")+`. For any other program, see "tenfold proxy".`),
		Example: `  tenfold run claude
  tenfold run codex exec "run the tests"
  tenfold run --no-store gemini -p "what does this project do?"`,
		Args: command.Arguments(1, -1, "a client"),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveDefault
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 1 && args[1] == "--" {
				args = append(args[:1:1], args[2:]...)
			}
			return runClient(c.Context(), a, f, args[0], args[1:])
		},
	}
	c.Flags().SetInterspersed(false) // what follows CLIENT is the client's
	c.Flags().BoolVar(&f.noStore, "no-store", false, "keep conversations in memory alone, and forget them\nwhen the client ends")
	c.Flags().BoolVar(&f.verbose, "verbose", false, "print a line for each request to standard error")
	return c
}

// holdsPassword reports whether the URL of a store does, or cannot be read.
func holdsPassword(store string) bool {
	u, err := url.Parse(store)
	if err != nil {
		return true
	}
	_, holds := u.User.Password()
	return holds || u.Query().Has("password") || u.Query().Has("sslpassword")
}

// runClient runs a client behind a proxy of its own, and has the process end with
// the client's exit code.
func runClient(ctx context.Context, a *command.App, f runFlags, name string, args []string) error {
	client, err := launch.Find(name)
	if err != nil {
		return err
	}
	program, err := client.Look()
	if err != nil {
		return err
	}
	dir, err := command.WorkingDirectory()
	if err != nil {
		return err
	}
	home, err := command.HomeDirectory()
	if err != nil {
		return err
	}
	user := launch.User{Home: home, Env: os.LookupEnv}
	upstreams := proxy.Behind(ctx, client.Upstreams(user, args))

	listener, err := proxy.Listen(ctx, "127.0.0.1:0", false)
	if err != nil {
		return err
	}
	log, err := (&observe.Server{App: a}).Logger(slog.LevelDebug) // which silences what net/http logs by itself
	if err != nil {
		return err
	}
	if !f.verbose {
		log = slog.New(slog.DiscardHandler) // the terminal is the client's
	}
	k := keeperFor(a, f.noStore, keeper.Expected{Tool: client.Format, Directory: dir, Recent: keeper.Recent})
	server := proxy.NewServer(proxy.Options{Keeper: k, Log: log})
	token := server.Add("", proxy.Route{Client: client.Format, Dir: dir, Upstreams: upstreams})
	scratch, err := server.Scratch(os.Getpid())
	if err != nil {
		return &problem.Error{Op: "run", Subject: name, Err: err, Hint: "check the directory for temporary files"}
	}
	defer func() { _ = os.RemoveAll(scratch) }()
	address := listener.Addr().String()
	remove, err := Announce(a, server, proxy.Process{Address: address, Client: client.Format, Dir: dir})
	if err != nil { // the status command does not know it, and all else works
		remove = func() {}
	}
	defer remove()

	// A signal is the client's affair; the proxy ends after it.
	serving, stop := context.WithCancel(context.WithoutCancel(ctx))
	served := make(chan error, 1)
	go func() { served <- server.Serve(serving, listener) }()
	if dir, err := proxies(); err == nil {
		go func() { _, _ = proxy.Processes(serving, dir) }() // which tidies up after killed ones
	}
	var code int
	start, err := client.Start(user, args, launch.Target{
		Base:      func(upstream string) string { return proxy.Base(address, token, upstream) },
		Upstreams: upstreams, Scratch: scratch,
	})
	if start.Note != "" {
		a.Warn(start.Note)
	}
	if err == nil {
		switch {
		case f.noStore || holdsPassword(a.StoreURL): // the client's commands see its variables, and so does the model
			start.Env[launch.Unstored] = "1"
		case a.StoreURL != "": // for its plug-in, and for what a model recalls
			start.Env["TENFOLD_STORE"] = a.StoreURL
		}
		code, err = launch.Run(ctx, program, start, a.InTTY || a.OutTTY || a.ErrTTY)
	}
	stop()
	broken := <-served
	if closing := closeKeeper(ctx, a, k); closing != nil { // how the client ended is what counts
		a.Warn(closing.Error())
	}
	if broken != nil {
		a.Warn("the proxy stopped while " + client.Program + " ran: " + broken.Error() + "; requests after that failed")
	}
	if err != nil {
		return err
	}
	if err := showRun(a, k.Status(), f.noStore); err != nil {
		return err
	}
	a.Then = func(context.Context) (int, error) { return code, nil }
	return nil
}

// ranJSON is what a run did, for programs.
type ranJSON struct {
	Conversations []proxy.Conversation `json:"conversations"`
}

// showRun says on a terminal what was done, if anything was. Standard output is the
// client's, so that --json writes to standard error as well.
func showRun(a *command.App, all []proxy.Conversation, forgotten bool) error {
	if a.JSON {
		line, err := terminal.MarshalLine(ranJSON{append([]proxy.Conversation{}, all...)})
		if err == nil {
			_, err = a.Err.Write(append(terminal.VisibleJSON(line), '\n'))
		}
		return err
	}
	if !a.ErrTTY {
		return nil
	}
	for _, c := range all {
		if line := ranLine(c, forgotten); line != "" {
			a.Noticef("%s", terminal.VisibleLine(line))
		}
	}
	return nil
}

// ranLine says what was done to a conversation; empty if nothing was.
func ranLine(c proxy.Conversation, forgotten bool) string {
	look := "; see: tenfold conversation show " + c.ID
	if forgotten {
		look = ""
	}
	switch {
	case c.Passing != "":
		return "Tenfold left a conversation as it was: " + c.Passing + look
	case c.Edited == 0 || c.Saved <= 0:
		return ""
	}
	return "Tenfold sent " + number.Thousands(int(c.Saved)) + " fewer tokens in " + number.Count(c.Requests, "request") + look
}
