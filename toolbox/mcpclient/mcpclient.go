// Package mcpclient gives the tools of MCP servers: programs that are talked to
// over pipes, and services over HTTP.
//
// A server is a stranger. What it says of its tools is shown and handed to the
// model, within limits; it never decides what may run: each tool's effect is
// unknown, whatever the server claims. It is offered nothing in return: no model, no
// questions to the person, no directories.
package mcpclient

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"tenfold"
	"tenfold/internal/fitnames"
	"tenfold/problem"
	"tenfold/toolbox"
	"tenfold/toolbox/internal/output"
	"tenfold/toolbox/internal/schema"
)

const (
	// maxTools is how many tools are taken of all servers: OpenAI refuses a request with
	// more than 128, the agent's own included. maxSchema and maxAbout are how many bytes
	// of what a server says of each.
	maxTools, maxSchema, maxAbout = 100, 64 << 10, 4000
	// atOnce is how many servers are started at the same time.
	atOnce = 4
	// maxName is how long names of tools may be for every provider.
	maxName = 64
)

// A Server says how one is reached: by a Command that is started or by a URL. It
// comes from the person's own configuration, or from the editor that they use;
// never from a workspace's.
type Server struct {
	// Name stands before the names of its tools.
	Name string
	// Command is a program with its arguments: an absolute path, one that begins
	// with "~/", or a name that is looked up in PATH. It runs in Dir, with Env
	// ("NAME=value") beside the environment.
	Command []string
	Env     []string
	Dir     string
	// URL is the address of a service (streamable HTTP), Headers what each request
	// to it carries, such as a token.
	URL     string
	Headers map[string]string
}

// Options are for all servers. The zero Options are the defaults.
type Options struct {
	// Timeout is how long a server may take to start, CallTimeout how long a call
	// may; 0 is 20 seconds, and two minutes.
	Timeout, CallTimeout time.Duration
	// Limit is the most bytes of text that a result has; 0 is 32 KB.
	Limit int
	// Secrets are environment variables that programs are not given, beside keys of
	// providers.
	Secrets []string
	// Version is this program's, which servers are told.
	Version string
}

// Servers are those that were started. They are safe for concurrent use.
type Servers struct {
	links    []*link
	tools    []toolbox.Tool
	problems []error
}

// Connect starts all servers and asks for their tools. One that cannot be reached
// is among Problems; the others work. Close must be called in the end.
func Connect(ctx context.Context, list []Server, o Options) *Servers {
	o.Timeout, o.CallTimeout = cmp.Or(max(o.Timeout, 0), 20*time.Second), cmp.Or(max(o.CallTimeout, 0), 2*time.Minute)
	o.Limit = cmp.Or(max(o.Limit, 0), 32<<10)
	all := &Servers{}
	found := make([][]*mcp.Tool, len(list))
	failed := make([]error, len(list))
	room := make(chan struct{}, atOnce)
	var wg sync.WaitGroup
	for i, s := range list {
		life, end := context.WithCancel(context.WithoutCancel(ctx))
		l := &link{server: s, options: o, life: life, end: end}
		all.links = append(all.links, l)
		wg.Go(func() {
			room <- struct{}{}
			defer func() { <-room }()
			found[i], failed[i] = l.offers(ctx)
		})
	}
	wg.Wait()
	names, most := fitnames.Unique{Most: maxName}, shares(found)
	for i, l := range all.links {
		report := func(what string, err error, hint string) {
			all.problems = append(all.problems, &problem.Error{Op: "mcp", Subject: output.Line(l.server.Name, 64), Problem: what, Err: err, Hint: hint})
		}
		if err := failed[i]; err != nil {
			report(output.Bound(err.Error(), 1000), err, "try its command or address by hand, or take it out of the configuration")
		}
		for n, offer := range found[i] {
			if n == most[i] {
				report(fmt.Sprintf("its tools from %s on are left out: a model is offered at most %d of all servers", output.Line(offer.Name, 64), maxTools), nil,
					"take servers out of the configuration that you do not need")
				break
			}
			if t, err := l.tool(offer, &names); err != nil {
				report("", err, "the server's other tools can be used")
			} else {
				all.tools = append(all.tools, t)
			}
		}
	}
	return all
}

// shares says how many tools are taken of each server, so that a large one leaves the
// others theirs.
func shares(found [][]*mcp.Tool) []int {
	out, left := make([]int, len(found)), maxTools
	for given := true; given; { // each one more, in turn
		given = false
		for i, tools := range found {
			if out[i] < len(tools) && left > 0 {
				out[i], left, given = out[i]+1, left-1, true
			}
		}
	}
	return out
}

// Tools are those of all servers: always the same, in the order of the servers and,
// of each, of their names.
func (s *Servers) Tools() []toolbox.Tool { return slices.Clone(s.tools) }

// Problems are what did not work when the servers were started.
func (s *Servers) Problems() []error { return slices.Clone(s.problems) }

// Close ends all of them, and returns when nothing of them runs.
func (s *Servers) Close() error {
	var wg sync.WaitGroup
	for _, l := range s.links {
		wg.Go(l.close)
	}
	wg.Wait()
	return nil
}

// offers starts the server and lists its tools by name.
func (l *link) offers(ctx context.Context) ([]*mcp.Tool, error) {
	ctx, cancel := context.WithTimeout(ctx, l.options.Timeout)
	defer cancel()
	c, err := l.open(ctx)
	if err != nil {
		return nil, err
	}
	var found []*mcp.Tool
	for offer, err := range c.session.Tools(ctx, nil) {
		if err != nil {
			return nil, l.explain(ctx, c, err)
		}
		if found = append(found, offer); len(found) > maxTools { // and no more are read
			break
		}
	}
	slices.SortStableFunc(found, func(a, b *mcp.Tool) int { return strings.Compare(a.Name, b.Name) })
	return found, nil
}

// A remote is a tool of a server.
type remote struct {
	link       *link
	name       string // as the server calls it
	definition tenfold.ToolDefinition
	readOnly   bool // as the server claims; only shown
}

// tool takes in what a server says of one of its tools.
func (l *link) tool(offer *mcp.Tool, names *fitnames.Unique) (toolbox.Tool, error) {
	said, err := json.Marshal(offer.InputSchema, json.Deterministic(true))
	if err != nil || jsontext.Value(said).Kind() != '{' || len(said) > maxSchema {
		return nil, fmt.Errorf("the schema of its tool %s is too large or not a JSON object", output.Line(offer.Name, 64))
	}
	name := fitnames.Fit(l.server.Name, maxName/2, "mcp") + "__" + fitnames.Fit(offer.Name, maxName, "tool")
	return &remote{
		link: l, name: offer.Name, readOnly: offer.Annotations != nil && offer.Annotations.ReadOnlyHint,
		definition: tenfold.ToolDefinition{
			Name:        names.Give(name[:min(len(name), maxName)]),
			Description: output.Head(output.Clean(offer.Description), maxAbout), Schema: schema.Plain(string(said)),
		},
	}, nil
}

func (t *remote) Definition() tenfold.ToolDefinition { return t.definition }

func (t *remote) Intent(arguments string) (toolbox.Intent, error) {
	in := toolbox.Intent{Effect: toolbox.Unknown, Subject: output.Line(arguments, 180)}
	if t.readOnly {
		in.Subject += " (the server says that it only reads)"
	}
	_, err := toolbox.Object(arguments)
	return in, err
}

func (t *remote) Run(ctx context.Context, c toolbox.Call) (toolbox.Result, error) {
	arguments, err := toolbox.Object(c.Arguments)
	if err != nil {
		return toolbox.Result{}, err
	}
	if c.Contained {
		return toolbox.Result{}, errors.New("a server is not contained")
	}
	within, cancel := context.WithTimeout(ctx, t.link.options.CallTimeout)
	defer cancel()
	res, err := t.link.call(within, t.name, arguments)
	switch {
	case ctx.Err() != nil:
		return toolbox.Result{}, ctx.Err()
	case within.Err() != nil:
		return toolbox.Result{}, fmt.Errorf("%s did not answer within %s", t.definition.Name, t.link.options.CallTimeout)
	case err != nil:
		return toolbox.Result{}, err
	}
	text, files := contents(res)
	if text = output.Bound(text, t.link.options.Limit); res.IsError {
		return toolbox.Result{}, errors.New(cmp.Or(text, "failed, and did not say why"))
	}
	if text != "" || len(files) == 0 {
		files = append(tenfold.Text(cmp.Or(text, "[no output]")), files...)
	}
	return toolbox.Result{Parts: files, Outcome: tenfold.Success}, nil
}
