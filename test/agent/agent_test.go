// Package agent_test tries the agent against servers that speak the wires of the
// vendors, with what really goes wrong there.
package agent_test

import (
	"context"
	"fmt"
	"iter"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"tenfold"
	"tenfold/agent"
	"tenfold/body"
	"tenfold/permission"
	"tenfold/provider"
	"tenfold/provider/catalog"
	"tenfold/session"
	"tenfold/store/memory"
	"tenfold/test/modelserver"
	"tenfold/toolbox"
)

// wires are the four, each as a configuration names a local server of it.
var wires = []modelserver.Wire{modelserver.Anthropic, modelserver.Responses, modelserver.Chat, modelserver.Gemini}

// settings are those of a server at an address.
func settings(wire modelserver.Wire, address string) catalog.Settings {
	switch wire {
	case modelserver.Anthropic:
		return catalog.Settings{Type: "anthropic", BaseURL: address}
	case modelserver.Responses:
		return catalog.Settings{Type: "openai", API: "responses", BaseURL: address + "/v1"}
	case modelserver.Chat:
		return catalog.Settings{BaseURL: address + "/v1"} // what a local server speaks where nothing else is said
	}
	return catalog.Settings{Type: "gemini", BaseURL: address}
}

// pipes is a network of one server, beside which the clock of a test can stand.
type pipes struct {
	accepted chan net.Conn
	closed   chan struct{}
}

func (p pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	near, far := net.Pipe()
	select {
	case p.accepted <- far:
		return near, nil
	case <-p.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (p pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.accepted:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p pipes) Close() error {
	close(p.closed) // the server closes it once
	return nil
}

func (pipes) Addr() net.Addr { return &net.IPAddr{} }

// model opens a model of a provider's name at a server.
func model(t *testing.T, name string, wire modelserver.Wire, h http.Handler, key string) provider.Model {
	t.Helper()
	network := pipes{accepted: make(chan net.Conn), closed: make(chan struct{})}
	server := &http.Server{Handler: h}
	client := &http.Client{Transport: &http.Transport{DialContext: network.dial}}
	var served sync.WaitGroup
	served.Go(func() { _ = server.Serve(network) })
	t.Cleanup(func() {
		client.CloseIdleConnections()
		_ = server.Close()
		served.Wait()
	})
	s := settings(wire, "http://model.example")
	if key != "" {
		s.KeyEnv = "LOCAL_KEY"
	}
	m, err := catalog.Catalog{
		Settings: map[string]catalog.Settings{name: s}, Client: client,
		Getenv: func(variable string) string { return map[string]string{"LOCAL_KEY": key}[variable] },
	}.Open(name + "/m")
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// reader is a tool that gives so many lines.
type reader struct{ lines int }

func (reader) Definition() tenfold.ToolDefinition {
	return tenfold.ToolDefinition{
		Name: "fs_read_file", Description: "Read a file.", Schema: `{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}`,
	}
}

func (reader) Intent(arguments string) (toolbox.Intent, error) {
	if !strings.HasSuffix(arguments, "}") {
		return toolbox.Intent{}, fmt.Errorf("the arguments are not a JSON object: %.20s", arguments)
	}
	return toolbox.Intent{Effect: toolbox.Reads, Subject: arguments}, nil
}

func (r reader) Run(_ context.Context, c toolbox.Call) (toolbox.Result, error) {
	text := strings.Repeat("a line of what was read by "+c.Arguments+"\n", r.lines)
	return toolbox.Result{Parts: tenfold.Text(text), Outcome: tenfold.Success}, nil
}

// allow allows everything.
type allow struct{}

func (allow) Judge(string, toolbox.Intent) permission.Verdict {
	return permission.Verdict{Action: permission.Allow}
}
func (allow) Consent(string, toolbox.Intent) {}

// live compacts by itself, for a window.
func live(window int) session.Live {
	l := session.Live{Auto: session.LiveAuto{Enabled: true}}
	l.Request.Options.Window = window
	return l
}

// worker gives an agent with a conversation of its own.
func worker(t *testing.T, m provider.Model, o agent.Options) *agent.Agent {
	t.Helper()
	s, err := session.NewService(memory.New()).Create(t.Context(), session.Create{})
	if err != nil {
		t.Fatal(err)
	}
	o.Model, o.Judge = m, allow{}
	if o.Tools == nil {
		o.Tools = []toolbox.Tool{reader{lines: 5}}
	}
	if o.Live.Request.Options.Window == 0 {
		o.Live = live(100_000)
	}
	a, err := agent.New(s, o)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// outcome is what came of a run.
type outcome struct {
	stop        agent.Stop
	err         error
	waits       []agent.Waiting
	compactions []session.Decision
}

// watch reads a run to its end.
func watch(t *testing.T, events iter.Seq2[agent.Event, error]) (o outcome) {
	t.Helper()
	for e, err := range events {
		switch {
		case err != nil:
			o.err = err
		case e.Waiting != nil:
			o.waits = append(o.waits, *e.Waiting)
		case e.Compaction != nil:
			o.compactions = append(o.compactions, *e.Compaction)
		case e.Stop != nil:
			o.stop = *e.Stop
		}
	}
	return o
}

// compacted counts the compactions that were applied.
func (o outcome) compacted() (n int) {
	for _, d := range o.compactions {
		if d.Action == session.Compacted {
			n++
		}
	}
	return n
}

// lastSaid is the last message of the model.
func lastSaid(a *agent.Agent) (text string) {
	for e := range a.Session().Log().Entries() {
		if m, ok := e.Payload.(tenfold.AssistantMessage); ok {
			text = m.Text
		}
	}
	return text
}

// holds checks what every log has to keep, whatever happened: each provider takes
// its view, each call has one result, and the fates add up.
func holds(t *testing.T, a *agent.Agent) {
	t.Helper()
	p := a.Session().Projection()
	for _, profile := range body.Profiles() {
		data, err := profile.Write(p)
		if err != nil {
			t.Errorf("%s: %v", profile.Name, err)
			continue
		}
		for _, v := range profile.Check(data) {
			t.Errorf("%s would refuse the log: %v", profile.Name, v)
		}
	}
	log, sum := p.Log(), 0
	root := 0
	for _, count := range p.Totals().ByFate {
		sum += count.Entries
	}
	for e := range log.Entries() {
		if p.Reads(e.Seq) {
			root++
		}
		if _, ok := e.Payload.(tenfold.ToolCall); ok && log.Pair(e.Seq) == 0 {
			t.Errorf("entry %d is a call without a result", e.Seq)
		}
	}
	if sum != root {
		t.Errorf("the fates of %d entries are known, the reader sees %d", sum, root)
	}
}

// quick never waits, and takes note of how long it would have.
func quick(waited *[]time.Duration) provider.Policy {
	var mu sync.Mutex
	return provider.Policy{Timeout: 10 * time.Minute, Wait: func(ctx context.Context, d time.Duration) error {
		mu.Lock()
		defer mu.Unlock()
		*waited = append(*waited, d)
		return ctx.Err()
	}}
}
