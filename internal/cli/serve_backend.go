package cli

import (
	"bufio"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"

	"tenfold/agent"
	"tenfold/body"
	"tenfold/eval"
	"tenfold/internal/cli/terminal"
	"tenfold/internal/live"
	"tenfold/internal/web"
	"tenfold/session"
	"tenfold/store"
	"tenfold/strategy"
)

// served is what the page's API gets of the program. It implements [web.Backend].
type served struct {
	*app
	readOnly bool
}

var _ web.Backend = (*served)(nil)

// aside gives an app for one request: it shares the store with the others and
// nothing that it writes, and says nothing on the terminal.
func (b *served) aside() *app {
	one := *b.app
	one.Terminal = &terminal.Terminal{In: strings.NewReader(""), Out: bufio.NewWriter(io.Discard), Err: io.Discard, JSON: true}
	one.settings.layers, one.settings.told, one.settings.unsaid = nil, map[string]bool{}, nil
	return &one
}

// Service implements [web.Backend].
func (b *served) Service() *session.Service { return b.workspace.service }

// Active implements [web.Backend].
func (b *served) Active() (string, error) { return b.workspace.active.get() }

// Request implements [web.Backend].
func (b *served) Request(s *session.Session, w web.Wish, dry bool) (web.Prepared, error) {
	return b.aside().wished(s, w, dry)
}

// Replay implements [web.Backend].
func (b *served) Replay(s *session.Session) (eval.ReplayOptions, []string, error) {
	return b.aside().replayOf(s, nil)
}

// Live implements [web.Backend].
func (b *served) Live(s *session.Session) (session.Live, error) {
	e, err := b.aside().effective(extrasOf(s.Log())...)
	if err != nil {
		return session.Live{}, err
	}
	return live.Settings(e.Config, s.Projection().Config().Model)
}

// Agent implements [web.Backend].
func (b *served) Agent(ctx context.Context, s *session.Session, model string, approver agent.Approver) (*agent.Agent, io.Closer, error) {
	c, err := b.workspace.store.Conversation(ctx, s.ID())
	if err != nil {
		return nil, nil, err
	}
	o, err := b.aside().agentOf(ctx, agentWish{Session: s, Model: model, Dir: workplace(c), Approver: approver})
	if err != nil {
		return nil, nil, err
	}
	return o.agent, closer(o.close), nil
}

// workplace is the directory where the agent of a conversation works: where it ran,
// if that is within the directory where the server was started, and else that one
// (""). What a stranger's transcript names is not opened to a model.
func workplace(c store.Conversation) string {
	here, err := os.Getwd()
	if err != nil || c.Origin.Directory == "" {
		return ""
	}
	for _, dir := range []*string{&here, &c.Origin.Directory} { // links lead elsewhere
		if *dir, err = filepath.EvalSymlinks(*dir); err != nil {
			return ""
		}
	}
	within, err := filepath.Rel(here, c.Origin.Directory)
	if err != nil || !filepath.IsLocal(within) {
		return ""
	}
	if info, err := os.Stat(c.Origin.Directory); err != nil || !info.IsDir() {
		return ""
	}
	return c.Origin.Directory
}

type closer func() error

// Close implements [io.Closer].
func (c closer) Close() error { return c() }

// Meta implements [web.Backend].
func (b *served) Meta() web.Meta {
	m := web.Meta{Version: version(), ReadOnly: b.readOnly, Strategies: strategy.Names()}
	for _, p := range body.Profiles() {
		m.Providers = append(m.Providers, p.Name)
	}
	e, err := b.aside().effective()
	if err != nil { // whatever needs the configuration says so
		return m
	}
	m.Profiles, m.Models = e.ProfileNames(), configuredModels(e)
	m.Model, _, _ = e.Own("model", "name")
	m.Agent = m.Model != "" && !b.readOnly
	return m
}
