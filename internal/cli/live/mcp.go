package live

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"tenfold/internal/cli/command"
	"tenfold/internal/cli/terminal"
	"tenfold/internal/recall"
)

// MCPCommand is "tenfold mcp".
func MCPCommand(a *command.App) *cobra.Command {
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
		RunE: func(c *cobra.Command, _ []string) error {
			if c.Flags().Changed("print") {
				return printRegistration(a, client)
			}
			return serveMCP(c.Context(), a)
		},
	}
	c.Flags().StringVar(&client, "print", "", "show how to register the server with `CLIENT`")
	command.Complete(c, "print", recall.Clients()...)
	return c
}

func serveMCP(ctx context.Context, a *command.App) error {
	l, err := a.Open(ctx)
	if err != nil {
		return err
	}
	server := recall.Server{Service: l.Service, Here: func(ctx context.Context) (string, error) { return here(ctx, a) }, Version: command.Version()}
	err = server.MCP().Run(ctx, recall.Stdio(os.Stdin, os.Stdout))
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

func printRegistration(a *command.App, client string) error {
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
