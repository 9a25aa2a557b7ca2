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
// of those that are wished for, which are open as long as the agent. A server that cannot be
// reached is a warning.
func (o *Opened) configuredTools(ctx context.Context, w Wish, dir string) ([]toolbox.Tool, error) {
	var tools []toolbox.Tool
	for _, spec := range live.Programs(o.settings.Config, dir) {
		one, err := external.New(spec)
		if err != nil {
			return nil, err
		}
		tools = append(tools, one)
	}
	var servers []mcpclient.Server
	for _, name := range slices.Sorted(maps.Keys(o.settings.Agent.MCP)) {
		s := o.settings.Agent.MCP[name]
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
	open := mcpclient.Connect(ctx, servers, mcpclient.Options{Secrets: o.settings.KeyNames(), Version: command.Version()})
	o.closing = append(o.closing, open.Close)
	if err := ctx.Err(); err != nil { // which is what went wrong with the servers
		return nil, err
	}
	for _, err := range open.Problems() {
		w.Warn(err.Error())
	}
	return append(tools, open.Tools()...), nil
}
