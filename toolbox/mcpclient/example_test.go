package mcpclient_test

import (
	"context"
	"fmt"

	"tenfold/toolbox/mcpclient"
)

// The tools of a server are named SERVER__TOOL. A server that cannot be started is a
// problem, and the others go on.
func ExampleConnect() { //nolint:testableexamples // it needs the servers
	servers := mcpclient.Connect(context.Background(), []mcpclient.Server{
		{Name: "files", Command: []string{"npx", "-y", "@modelcontextprotocol/server-filesystem", "/home/ann"}},
		{Name: "tickets", URL: "https://mcp.example.com/mcp"},
	}, mcpclient.Options{})
	defer servers.Close()
	for _, err := range servers.Problems() {
		fmt.Println(err)
	}
	for _, t := range servers.Tools() {
		fmt.Println(t.Definition().Name)
	}
}
