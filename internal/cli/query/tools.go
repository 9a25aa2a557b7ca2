package query

import (
	"context"
	"maps"
	"os"
	"slices"
	"time"

	"tenfold/internal/cli/command"
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
	c, secrets, warn := out.settings.Agent, keyNames(out.settings), w.Warn
	if warn == nil {
		warn = a.Warn
	}
	for _, name := range slices.Sorted(maps.Keys(c.Tools)) {
		t := c.Tools[name]
		one, err := external.New(external.Spec{
			Name: name, Description: t.Description, Schema: t.Schema(), Command: t.Command, Dir: dir,
			Env: environment(t.Env), Secrets: secrets, Timeout: time.Duration(t.Timeout),
		})
		if err != nil {
			return nil, err
		}
		tools = append(tools, one)
	}
	var servers []mcpclient.Server
	for _, name := range slices.Sorted(maps.Keys(c.MCP)) {
		s := c.MCP[name]
		one := mcpclient.Server{Name: name, Command: s.Command, Env: environment(s.Env), Dir: dir, URL: string(s.URL)}
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
	out.open = append(out.open, open)
	for _, err := range open.Problems() {
		warn(err.Error())
	}
	return append(tools, open.Tools()...), nil
}

// environment gives the variables of these names that are set, as NAME=value.
func environment(names []string) (all []string) {
	for _, name := range names {
		if value, ok := os.LookupEnv(name); ok {
			all = append(all, name+"="+value)
		}
	}
	return all
}
