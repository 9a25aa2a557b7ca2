package query

import (
	"cmp"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"tenfold"
	"tenfold/agent"
	"tenfold/containment"
	"tenfold/internal/cli/command"
	"tenfold/internal/cli/compaction"
	"tenfold/internal/cli/terminal"
	"tenfold/internal/config"
	"tenfold/internal/eventlog"
	"tenfold/internal/live"
	"tenfold/internal/takeover"
	"tenfold/permission"
	"tenfold/problem"
	"tenfold/provider"
	"tenfold/purpose"
	"tenfold/session"
	"tenfold/store"
	"tenfold/strategy"
	"tenfold/summary"
	"tenfold/toolbox"
	"tenfold/toolbox/mcpclient"
)

// Wish says which agent a face wants: "query", the chat, an editor.
type Wish struct {
	Session *session.Session
	// Model is what the command line names; empty is the configured model.
	Model   string
	NoTools bool
	// Allow are rules of the permission to add, TOOL[:PATTERN].
	Allow []string
	// Dir is the workspace: that of the tools, and whose configuration counts;
	// empty is the working directory.
	Dir string
	// DropEmpty has a conversation removed in the end in which nothing was said. Said, if
	// set, is told that a message of the person's is stored.
	DropEmpty bool
	Said      func() error
	// Limits replace those of the configuration where they are set.
	Limits   agent.Limits
	Approver agent.Approver
	// Servers are MCP servers beside the configured ones.
	Servers []mcpclient.Server
	// Warn is told which servers cannot be used; nil is the app's.
	Warn func(text string)
}

// An Opened is an agent with all that it holds open.
type Opened struct {
	Agent *agent.Agent

	app      *command.App
	settings *config.Effective
	session  *session.Session
	model    provider.Model
	closing  []func() error
}

// Close closes what the agent holds open.
func (o *Opened) Close() error {
	var errs []error
	for _, closing := range slices.Backward(o.closing) {
		errs = append(errs, closing())
	}
	return errors.Join(errs...)
}

// dropEmpty removes a conversation in which nothing was said, and that nobody gave a
// title. That a model was to be asked is not said in it.
func (o *Opened) dropEmpty(ctx context.Context) error {
	if o.session.Title() != "" {
		return nil
	}
	for e := range o.session.Log().Entries() {
		if _, ok := e.Payload.(tenfold.ConfigDelta); !ok {
			return nil
		}
	}
	// What another program said meanwhile is not in this log: then the version is another.
	err := o.app.Workspace.Store.Delete(ctx, o.session.ID(), o.session.Log().Version())
	if _, said := errors.AsType[*store.ConflictError](err); said {
		return nil
	}
	if err != nil || o.settings == nil {
		return err
	}
	if dir, err := compaction.ArtifactsDir(o.app, o.settings); err == nil && dir != "" {
		_ = os.Remove(summary.Directory(dir).Transcript(o.session.ID())) // which there may be none of
	}
	return nil
}

// Switch has another of the person's models answer from the next request on.
func (o *Opened) Switch(ctx context.Context, name string) error {
	m, err := agentModel(o.settings, name)
	if err != nil {
		return err
	}
	live, err := LiveSettings(o.app, o.settings, o.session.ID(), m)
	if err != nil {
		return err
	}
	return o.Agent.Switch(ctx, m, live)
}

// Open makes an agent as the configuration says. It keeps nothing of its own in
// the app, so that several may be open at once.
func Open(ctx context.Context, a *command.App, w Wish) (_ *Opened, err error) {
	out := &Opened{app: a, session: w.Session}
	if w.Warn == nil {
		w.Warn = a.Warn
	}
	if w.DropEmpty {
		out.closing = append(out.closing, func() error { return out.dropEmpty(context.WithoutCancel(ctx)) })
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, out.Close())
		}
	}()
	dir, err := filepath.Abs(cmp.Or(w.Dir, "."))
	if err != nil {
		return nil, err
	}
	if extras := command.ExtrasOf(w.Session.Log()); w.Dir == "" {
		out.settings, err = a.Effective(extras...)
	} else {
		out.settings, err = a.EffectiveIn(w.Dir, extras...)
	}
	if err != nil {
		return nil, err
	}
	e := out.settings
	if out.model, err = agentModel(e, w.Model); err != nil {
		return nil, err
	}
	o := agent.Options{
		Model: out.model, NoTools: w.NoTools, Alias: takeover.Alias, Approver: w.Approver, Limits: limits(w.Limits, e.Agent),
		System:  e.Agent.System,
		Context: func() string { return workspaceFacts(dir, a.Now()) },
		Retry:   provider.Policy{Random: rand.Float64},
	}
	if o.Live, err = LiveSettings(a, e, w.Session.ID(), out.model); err != nil {
		return nil, err
	}
	hidden := ownFiles(a, e)
	if o.Tools, err = toolbox.Builtin(dir, toolbox.Options{Secrets: e.KeyNames(), Hide: hidden}); err != nil {
		return nil, err
	}
	containable := containment.Check(containment.Grant{Write: []string{dir}, Hide: hidden}) == nil
	if o.Judge, err = permission.New(e.PermissionRules(w.Allow, containable)); err != nil {
		return nil, err
	}
	configured, err := out.configuredTools(ctx, w, dir)
	if err != nil {
		return nil, err
	}
	o.Tools = append(o.Tools, configured...)
	observe, err := out.transcriptFile(w.Warn)
	if err != nil {
		return nil, err
	}
	o.Observe = titled(ctx, a, w, observe)
	out.Agent, err = agent.New(w.Session, o)
	return out, err
}

// limits are those that are wished for, and else the configured ones.
func limits(wished agent.Limits, c config.Agent) agent.Limits {
	wished.Steps, wished.Tokens = cmp.Or(wished.Steps, int(c.MaxSteps)), cmp.Or(wished.Tokens, int(c.MaxTokens))
	wished.Dollars, wished.Time = cmp.Or(wished.Dollars, float64(c.MaxDollars)), cmp.Or(wished.Time, time.Duration(c.MaxTime))
	return wished
}

// agentModel opens the model that answers: the one that the command line names,
// else model.name, as whoever runs the program set it (M1a).
func agentModel(e *config.Effective, flag string) (provider.Model, error) {
	if flag != "" {
		return command.OpenOnce(e, flag)
	}
	name, origin, said := e.Own("model", "name")
	if name == "" {
		p := &problem.Error{
			Code: "no_model", Problem: "no model is configured",
			Hint: `name one with --model anthropic/claude-sonnet-5-5, or as model.name in your configuration ("tenfold config edit"); ` +
				"for a server of your own, such as Ollama: --model ollama/NAME",
		}
		if said != "" {
			p.Problem += "; ignored " + command.Quote(said) + ", which you did not set yourself"
		}
		return nil, p
	}
	m, err := command.OpenOnce(e, name)
	if err != nil {
		return nil, compaction.Named(origin.String()+": model.name", err)
	}
	return m, nil
}

// LiveSettings say how an agent's conversation is compacted. A model writes
// summaries only where whoever runs the program chose a strategy that asks for
// them (M1a); the digest does otherwise, and where the model fails (A6).
func LiveSettings(a *command.App, e *config.Effective, conversation string, m provider.Model) (session.Live, error) {
	out, err := live.Settings(e.Config, m.Name())
	if err != nil {
		return out, err
	}
	mine, err := live.Settings(e.Mine, m.Name())
	if err != nil {
		return out, err
	}
	auto := e.Conversation.Compaction.Auto
	chosen := slices.Equal(auto.Strategy, e.Mine.Conversation.Compaction.Auto.Strategy) && slices.ContainsFunc(mine.Auto.Strategies, strategy.Summarises)
	var by strategy.Summarizer = summary.Digest{}
	if chosen && slices.ContainsFunc(out.Auto.Strategies, strategy.Summarises) {
		writer := m
		if name, _, _ := e.Own("conversation", "compaction", "summarizer_model"); name != "" {
			if writer, err = command.OpenModel(e, name, nil); err != nil {
				return out, compaction.Named("conversation.compaction.summarizer_model", err)
			}
		}
		model := (&compaction.Writers{App: a}).Model(e, nil, writer)
		model.Progress = nil
		by = summary.Ladder{*model, summary.Digest{}}
		if auto.Fallback == "none" {
			by = *model
		}
	}
	dir, err := compaction.ArtifactsDir(a, e)
	if err != nil {
		return out, err
	}
	if dir != "" {
		by = summary.Recorded{Of: by, Artifacts: summary.Directory(dir), Conversation: conversation, Now: a.Now}
	}
	out.Request.Options.Summarizer = by
	return out, nil
}

// transcriptFile has the events of an agent written beside the store, if that is wanted.
func (o *Opened) transcriptFile(warn func(string)) (observe func(agent.Event) error, err error) {
	dir, err := compaction.ArtifactsDir(o.app, o.settings)
	if err != nil || dir == "" || !o.settings.Agent.Transcript {
		return nil, err
	}
	f, torn, err := eventlog.Open(summary.Directory(dir).Transcript(o.session.ID()), o.session.ID(), o.session.Log(), o.app.Now)
	if err != nil {
		return nil, &problem.Error{
			Code: "transcript", Op: "open the transcript", Err: err,
			Hint: "choose another directory with conversation.compaction.session_dir, or turn it off with --cfg agent.transcript=false",
		}
	}
	if torn > 0 {
		warn("dropped the last line of the transcript, which a crash had cut off")
	}
	if f.Shared {
		warn("another program has this conversation open: each answers what it is asked, and both see all of it; to keep them apart, begin a new one")
	}
	o.closing = append(o.closing, f.Close)
	return f.Observe, nil
}

// titled gives a conversation that has no title one made of the first request, as
// soon as that is stored.
func titled(ctx context.Context, a *command.App, w Wish, then func(agent.Event) error) func(agent.Event) error {
	titled := w.Session.Title() != ""
	return func(e agent.Event) error {
		var errs []error
		if m, ok := messageOf(e); ok {
			if title := terminal.VisibleLine(purpose.Title(m)); title != "" && !titled {
				titled = true
				errs = append(errs, a.Workspace.Service.Rename(context.WithoutCancel(ctx), w.Session.ID(), title))
			}
			if w.Said != nil {
				errs = append(errs, w.Said())
				w.Said = nil
			}
		}
		if then != nil {
			errs = append(errs, then(e))
		}
		return errors.Join(errs...)
	}
}

// messageOf is the message that an event tells of.
func messageOf(e agent.Event) (m tenfold.UserMessage, ok bool) {
	if e.Appended != nil && e.Branch == "" {
		m, ok = e.Appended.Payload.(tenfold.UserMessage)
	}
	return m, ok
}

// ownFiles are the program's own: no contained command reads them.
func ownFiles(a *command.App, e *config.Effective) (own []string) {
	if path, inMemory, err := command.StorePath(a.URL(), ""); err == nil && !inMemory {
		own = append(own, path, path+"-wal", path+"-shm", path+".active")
	}
	if dir, err := compaction.ArtifactsDir(a, e); err == nil && dir != "" {
		own = append(own, dir)
	}
	if path, err := config.UserFile(); err == nil {
		own = append(own, filepath.Dir(path))
	}
	for i := range own {
		own[i], _ = filepath.Abs(own[i])
	}
	return own
}

// mostInstructions bounds what is taken of a workspace's file of instructions, in
// bytes.
const mostInstructions = 32 << 10

// workspaceFacts is what a model is told of where it works: what does not change
// within a day, or the provider's cache is lost; and the instructions that the
// workspace has for agents.
func workspaceFacts(dir string, now time.Time) string {
	text := "Directory: " + dir + "\nSystem: " + runtime.GOOS + "\nDate: " + now.Format(time.DateOnly)
	root, err := os.OpenRoot(dir)
	if err != nil {
		return text
	}
	defer root.Close()
	for _, name := range []string{"AGENTS.md", "CLAUDE.md"} {
		if info, err := root.Stat(name); err != nil || !info.Mode().IsRegular() { // opening a pipe would wait
			continue
		}
		f, err := root.Open(name)
		if err != nil {
			continue
		}
		data, err := io.ReadAll(io.LimitReader(f, mostInstructions))
		_ = f.Close()
		if said := strings.TrimSpace(strings.ToValidUTF8(string(data), "")); err == nil && said != "" {
			return text + "\n\nThe workspace's " + name + " says:\n\n" + said
		}
	}
	return text
}
