package serve

import (
	"bufio"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"

	"tenfold"
	"tenfold/agent"
	"tenfold/body"
	"tenfold/eval/replay"
	"tenfold/internal/cli/command"
	"tenfold/internal/cli/conversation"
	"tenfold/internal/cli/query"
	"tenfold/internal/cli/terminal"
	"tenfold/internal/config"
	"tenfold/internal/live"
	"tenfold/internal/web"
	"tenfold/internal/web/shape"
	"tenfold/session"
	"tenfold/store"
	"tenfold/strategy"
)

// Backend is what the page's API gets of the program. It implements [web.Backend].
type Backend struct {
	*command.App
	readOnly bool
	settings command.Recent[*config.Effective] // of conversations that have none of their own
}

var _ web.Backend = (*Backend)(nil)

// forRequest gives an app for one request: it shares the store with the others and
// nothing that it writes, and says nothing on the terminal.
func (b *Backend) forRequest() *command.App {
	one := *b.App
	one.Terminal = &terminal.Terminal{In: strings.NewReader(""), Out: bufio.NewWriter(io.Discard), Err: io.Discard, JSON: true}
	one.Settings.Layers, one.Settings.Told, one.Settings.Unsaid = nil, map[string]bool{}, nil
	return &one
}

func (b *Backend) Service() *session.Service { return b.Workspace.Service }

func (b *Backend) Active() (string, error) { return b.Workspace.Active.Get() }

func (b *Backend) Request(s *session.Session, w shape.Wish, dry bool) (web.Prepared, error) {
	return wished(b.forRequest(), s, w, dry)
}

func (b *Backend) Replay(s *session.Session) (replay.Options, []string, error) {
	return conversation.Replay(b.forRequest(), s, nil)
}

func (b *Backend) Live(s *session.Session) (session.Live, error) {
	e, err := b.effective(s.Log())
	if err != nil {
		return session.Live{}, err
	}
	return live.Settings(e.Config, s.Projection().Config().Model)
}

// effective is the configuration of a conversation that runs: jobs and appends ask for
// it thousands of times.
func (b *Backend) effective(l *tenfold.Log) (*config.Effective, error) {
	if extras := command.ExtrasOf(l); len(extras) > 0 {
		return b.forRequest().Effective(extras...)
	}
	return b.settings.Get(func() (*config.Effective, error) { return b.forRequest().Effective() })
}

func (b *Backend) Agent(ctx context.Context, s *session.Session, model string, approver agent.Approver) (*agent.Agent, io.Closer, error) {
	c, err := b.Workspace.Store.Conversation(ctx, s.ID())
	if err != nil {
		return nil, nil, err
	}
	o, err := query.Open(ctx, b.forRequest(), query.Wish{Session: s, Model: model, Dir: workplace(c), Approver: approver})
	if err != nil {
		return nil, nil, err
	}
	return o.Agent, o, nil
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

func (b *Backend) Meta() shape.Meta {
	m := shape.Meta{Version: command.Version(), ReadOnly: b.readOnly, Strategies: strategy.Names()}
	for _, p := range body.Profiles() {
		m.Providers = append(m.Providers, p.Name)
	}
	e, err := b.forRequest().Effective()
	if err != nil { // whatever needs the configuration says so
		return m
	}
	m.Profiles, m.Models = e.ProfileNames(), query.ConfiguredModels(e)
	m.Model, _, _ = e.Own("model", "name")
	m.Agent = m.Model != "" && !b.readOnly
	return m
}
