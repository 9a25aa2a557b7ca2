package query

import (
	"context"
	"maps"
	"os"
	"slices"

	"tenfold/internal/cli/command"
	"tenfold/internal/live"
	"tenfold/problem"
	"tenfold/toolbox"
	"tenfold/toolbox/external"
	"tenfold/toolbox/mcpclient"
)

// configuredTools are the person's own programs and the tools of their MCP servers and
// of those that are wished for, which out closes. A server that cannot be reached is a
// warning.
func configuredTools(ctx context.Context, a *command.App, w Wish, dir string, out *Opened) ([]toolbox.Tool, error) {
	var tools []toolbox.Tool
	c, secrets, warn := out.settings.Agent, out.settings.KeyNames(), w.Warn
	if warn == nil {
		warn = a.Warn
	}
	for _, spec := range live.Programs(out.settings.Config, dir) {
		one, err := external.New(spec)
		if err != nil {
			return nil, err
		}
		tools = append(tools, one)
	}
	var servers []mcpclient.Server
	for _, name := range slices.Sorted(maps.Keys(c.MCP)) {
		s := c.MCP[name]
		one := mcpclient.Server{Name: name, Command: s.Command, Env: live.Environment(s.Env), Dir: dir, URL: string(s.URL)}
		if s.TokenEnv != "" {
			token := os.Getenv(string(s.TokenEnv))
			if token == "" {
				return nil, &problem.Error{
					Op: "mcp", Subject: name, Problem: "the environment variable " + string(s.TokenEnv) + " is not set",
					Hint: "set it to the server's token, or take token_env out of the configuration",
				}
			}
			one.Headers = map[string]string{"Authorization": "Bearer " + token}
		}
		servers = append(servers, one)
	}
	if servers = append(servers, w.Servers...); len(servers) == 0 {
		return tools, nil
	}
	open := mcpclient.Connect(ctx, servers, mcpclient.Options{Secrets: secrets, Version: command.Version()})
	out.closing = append(out.closing, open.Close)
	if err := ctx.Err(); err != nil { // which is what went wrong with the servers
		return nil, err
	}
	for _, err := range open.Problems() {
		warn(err.Error())
	}
	return append(tools, open.Tools()...), nil
}
