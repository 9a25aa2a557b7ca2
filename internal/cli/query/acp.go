package query

import (
	"bufio"
	"context"
	"errors"
	"log/slog"
	"slices"

	"github.com/spf13/cobra"

	"tenfold/internal/acp"
	"tenfold/internal/cli/command"
	"tenfold/internal/cli/terminal"
	"tenfold/toolbox/mcpclient"
)

// ACPCommand is "tenfold acp".
func ACPCommand(a *command.App) *cobra.Command {
	k := &editing{App: a}
	c := &cobra.Command{
		Use:   "acp [flags]",
		Short: "Serve the agent to an editor",
		Long: `Serves the agent over the Agent Client Protocol on standard input and output,
for an editor to start: Zed, JetBrains and others. Each session of the editor is
a conversation of the store, so that "tenfold conversation" shows it and undoes
compactions, and "tenfold query" can go on with it.

Edits and commands are asked about in the editor, as its mode says. MCP servers
that the editor is set up with are started. Conversations of the directory can
be loaded, also those imported from other agents.

The model is the one of --model or of model.name in your configuration; the
editor offers all models that the configuration names.`,
		Example: `  # Zed, in settings.json:
  "agent_servers": {"Tenfold": {"command": "tenfold", "args": ["acp"]}}`,
		RunE: func(c *cobra.Command, _ []string) error { return k.serve(c.Context()) },
	}
	c.Flags().StringVar(&k.model, "model", "", "`MODEL` to ask, as PROVIDER/MODEL (default: as\nconfigured)")
	c.Flags().StringArrayVar(&k.allow, "allow", nil, "allow `TOOL[:PATTERN]` without asking; may be\nrepeated")
	return c
}

// editing is "tenfold acp".
type editing struct {
	*command.App
	model string
	allow []string
}

func (k *editing) serve(ctx context.Context) error {
	if k.InTTY {
		return command.Usage("tenfold acp is started by an editor, which talks to it over pipes", `to talk to the agent yourself, run "tenfold query"`)
	}
	if _, err := k.Open(ctx); err != nil { // before sessions are opened side by side
		return err
	}
	// What cannot be read is not repeated: it may hold what a person said.
	log := slog.New(slog.NewTextHandler(k.Err, &slog.HandlerOptions{Level: slog.LevelWarn, ReplaceAttr: func(_ []string, at slog.Attr) slog.Attr {
		if at.Key == "raw" {
			return slog.Attr{}
		}
		return at
	}}))
	return acp.Server{Service: k.Workspace.Service, Open: k.open, Version: command.Version(), Log: log}.Serve(ctx, k.In, flushed{k.Out})
}

// flushed writes at once.
type flushed struct{ *bufio.Writer }

// Write implements [io.Writer].
func (w flushed) Write(p []byte) (int, error) {
	n, err := w.Writer.Write(p)
	return n, errors.Join(err, w.Flush())
}

// open has an agent work on a conversation.
func (k *editing) open(ctx context.Context, o acp.Open) (c acp.Conversation, err error) {
	warn := func(text string) { c.Notices = append(c.Notices, terminal.VisibleLine(text)) }
	opened, err := Open(ctx, k.App, Wish{
		Session: o.Session, Model: k.model, Allow: k.allow, Dir: o.Directory, Approver: o.Approver, DropEmpty: true, Servers: serversOf(o, warn), Warn: warn,
	})
	if err != nil {
		return c, err
	}
	c.Agent, c.Switch, c.Close = opened.Agent, opened.Switch, opened.Close
	c.Model, c.Models = opened.model.Name(), ConfiguredModels(opened.settings)
	if !slices.Contains(c.Models, c.Model) {
		c.Models = append(c.Models, c.Model)
	}
	return c, nil
}

// serversOf reads the MCP servers that an editor names.
func serversOf(o acp.Open, warn func(string)) (servers []mcpclient.Server) {
	for _, s := range o.Servers {
		switch {
		case s.Stdio != nil:
			server := mcpclient.Server{Name: s.Stdio.Name, Command: append([]string{s.Stdio.Command}, s.Stdio.Args...), Dir: o.Directory}
			for _, v := range s.Stdio.Env {
				server.Env = append(server.Env, v.Name+"="+v.Value)
			}
			servers = append(servers, server)
		case s.Http != nil:
			server := mcpclient.Server{Name: s.Http.Name, URL: s.Http.Url, Headers: map[string]string{}}
			for _, h := range s.Http.Headers {
				server.Headers[h.Name] = h.Value
			}
			servers = append(servers, server)
		case s.Sse != nil:
			warn("start the MCP server " + s.Sse.Name + ": the transport SSE is not supported; use HTTP")
		}
	}
	return servers
}
