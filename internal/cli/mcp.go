package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"tenfold/internal/cli/terminal"
	"tenfold/internal/recall"
)

func (a *app) mcpCommand() *cobra.Command {
	client := ""
	c := &cobra.Command{
		Use:   "mcp",
		Short: "Serve the recall tools to an agent over MCP",
		Long: `Serves tools of the Model Context Protocol on standard input and output, for an
agent to start: search, read and expand give a model the original text of what a
compaction shortened or hid. They only read; expand records what was asked for,
so that the next compaction keeps it. An answer has at most 2,000 tokens.

--print shows how to register the server with an agent: what to add to which of
its files, or the command that does it.`,
		Example: `  claude mcp add --scope user tenfold -- tenfold mcp
  tenfold mcp --print codex`,
		Args:              arguments(0, 0, ""),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(c *cobra.Command, _ []string) error {
			if c.Flags().Changed("print") {
				return a.printRegistration(client)
			}
			return a.serveMCP(c.Context())
		},
	}
	c.Flags().StringVar(&client, "print", "", "show how to register the server with `CLIENT`")
	complete(c, "print", recall.Clients()...)
	return c
}

func (a *app) serveMCP(ctx context.Context) error {
	l, err := a.open(ctx)
	if err != nil {
		return err
	}
	server := recall.Server{Service: l.service, Here: a.here, Version: version()}
	err = server.MCP().Run(ctx, &mcp.StdioTransport{})
	if errors.Is(err, io.EOF) || errors.Is(err, context.Canceled) {
		return nil // the client is done
	}
	return err
}

// registrationJSON is a registration for programs.
type registrationJSON struct {
	Client  string   `json:"client"`
	Path    string   `json:"path"`
	At      []string `json:"at,omitzero"`
	Text    string   `json:"text"`
	Command string   `json:"command,omitzero"`
}

func (a *app) printRegistration(client string) error {
	binary, err := os.Executable()
	if err != nil {
		return err
	}
	r, err := recall.Register(client, binary)
	if err != nil {
		return err
	}
	if a.JSON {
		return a.Emit(registrationJSON{r.Client, r.Path, r.At, r.Text, r.Command})
	}
	hint := "add this to ~/" + r.Path
	if r.Command != "" {
		hint += ", or run: " + r.Command
	}
	a.Noticef("%s", terminal.VisibleLine(hint))
	a.Printf("%s\n", terminal.Visible(strings.TrimSuffix(r.Text, "\n")))
	return nil
}
