package cli

import (
	"context"
	"errors"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"tenfold"
	"tenfold/agent"
	"tenfold/internal/chat"
	"tenfold/internal/config"
	"tenfold/internal/eventlog"
	"tenfold/problem"
	"tenfold/session"
)

// querying is "tenfold query".
type querying struct {
	*app
	flags   *cobra.Command
	compact string
	fresh   bool
	resume  string
	plain   bool
	wish    agentWish
	tokens  parsed[int]
}

func (a *app) queryCommand() *cobra.Command {
	k := &querying{app: a}
	c := &cobra.Command{
		Use:   "query [MESSAGE] [flags]",
		Short: "Ask an agent, in a conversation that compacts itself",
		Long: `Sends a message to a model, which may read and edit the files of this
directory and run commands until it has answered. It goes on with the active
conversation; --new begins one. Without a MESSAGE you talk to it on a terminal.

Piped input is added to the MESSAGE. Without either, the conversation goes on
where it stopped: at a limit, an interruption or a crash.

The answer goes to standard output as it is written; calls and notices go to
standard error. With --json each event is an object, and the last one is the
result. The exit code is 0 if the model has answered.

What only reads files is allowed, and so are commands that can be contained.
Anything else is asked about on a terminal, and otherwise denied unless --allow
or the configuration allows it. An interruption keeps everything done so far.

When the context fills up, the conversation is compacted as
conversation.compaction.auto says, and goes on. "tenfold conversation diff"
shows what was done, and "undo" undoes it.

--resume takes over a session of another agent: CLIENT is its newest session of
this directory, CLIENT:ID the one whose id begins with ID, CLIENT: a list to
pick from. A copy goes on here; the original is not changed.
` + sentence("Clients: "+strings.Join(resumable(), ", ")+".") + `

The model is the one of --model, or of model.name in your configuration.`,
		Example: `  tenfold query "why does the build fail?"
  git diff | tenfold query -p "review this" --no-tools
  tenfold query --resume claude-code "go on"
  tenfold query "fix the tests" --allow 'shell:go test *' --max-steps 30`,
		Args: arguments(0, -1, ""),
		RunE: func(c *cobra.Command, args []string) error { return k.run(c.Context(), c, args) },
	}
	k.flags = c
	f := c.Flags()
	k.tokens.parse = func(text string) (int, error) {
		n, ok := tenfold.ParseTokens(text)
		if plain, err := strconv.Atoi(text); err == nil {
			n, ok = plain, plain >= 0
		}
		if !ok {
			return 0, usage("invalid --max-tokens value "+quote(text), "write --max-tokens 500k")
		}
		return n, nil
	}
	f.StringVar(&k.compact, "compact", "", "first compact the conversation with a\n`PROFILE`")
	f.Lookup("compact").NoOptDefVal = asConfigured
	f.StringVar(&k.wish.Model, "model", "", "`MODEL` to ask, as PROVIDER/MODEL\n(default: as configured)")
	f.BoolVar(&k.wish.NoTools, "no-tools", false, "call no tools")
	f.BoolVar(&k.fresh, "new", false, "begin a new conversation")
	f.StringVar(&k.resume, "resume", "", "take over a session of another agent: a\n`CLIENT`, CLIENT:ID, or a file")
	f.BoolVarP(&k.plain, "print", "p", false, "print the answer and ask nothing, also\non a terminal")
	f.StringArrayVar(&k.wish.Allow, "allow", nil, "allow calls of `TOOL[:PATTERN]`, such as\n'shell:go test *'; may be repeated")
	f.IntVar(&k.wish.Limits.Steps, "max-steps", 0, "stop after `N` responses of the model\n(default: as configured)")
	f.Var(&k.tokens, "max-tokens", "stop after so many `TOKENS`, input and\noutput: 500k")
	f.Float64Var(&k.wish.Limits.Dollars, "max-dollars", 0, "stop when so many `DOLLARS` are spent")
	f.DurationVar(&k.wish.Limits.Time, "max-time", 0, "stop after a `DURATION`: 90s, 10m")
	a.idFlag(c)
	f.Lookup("id").Usage = "`ID` of the conversation (default: the\nactive one)"
	a.completeProfiles(c, "compact")
	return c
}

func (k *querying) run(ctx context.Context, c *cobra.Command, args []string) error {
	if err := k.check(c); err != nil {
		return err
	}
	e, err := k.effective()
	if err != nil {
		return err
	}
	if _, err := k.agentModel(e, k.wish.Model); err != nil { // before anything is made or asked
		return err
	}
	message, err := k.message(ctx, args)
	if err != nil {
		return err
	}
	talks := message == "" && k.InTTY && k.OutTTY && !k.plain && !k.JSON
	if message == "" && k.InTTY && !talks {
		return usage("tenfold query requires a MESSAGE", `write one, or pipe it in; without one it needs a terminal, and neither --print nor --json`)
	}
	s, err := k.conversation(ctx, c)
	if err != nil {
		return err
	}
	if err := k.compactFirst(ctx, s); err != nil {
		return err
	}
	if talks {
		return k.talk(ctx, e, s)
	}
	return k.once(ctx, s, message)
}

// check refuses flags that do not fit together.
func (k *querying) check(c *cobra.Command) error {
	given := c.Flags().Changed
	for _, pair := range [][2]string{{"new", "id"}, {"new", "resume"}, {"resume", "id"}} {
		if given(pair[0]) && given(pair[1]) {
			return exclusive("--"+pair[0], "--"+pair[1])
		}
	}
	l := &k.wish.Limits
	if k.tokens.value != nil {
		l.Tokens = *k.tokens.value
	}
	for flag, negative := range map[string]bool{
		"max-steps": l.Steps < 0, "max-tokens": l.Tokens < 0, "max-dollars": !(l.Dollars >= 0), "max-time": l.Time < 0,
	} {
		if negative {
			return usage("invalid --"+flag+" value: it is below 0", "omit it for no limit")
		}
	}
	if given("resume") && k.resume == "" {
		return usage("--resume is empty", "name a client, such as claude-code, or the file of a session")
	}
	return nil
}

// mostInput bounds what is read from standard input, in bytes.
const mostInput = 10 << 20

// message is what is asked: the arguments, and what is piped in.
func (k *querying) message(ctx context.Context, args []string) (string, error) {
	message := strings.TrimSpace(strings.Join(args, " "))
	if k.InTTY {
		return message, nil
	}
	src, closing, err := k.source(ctx, "-")
	if err != nil {
		return "", err
	}
	defer closing()
	data, err := io.ReadAll(io.LimitReader(src.Reader, mostInput+1))
	piped := strings.ToValidUTF8(string(data), "\uFFFD")
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err != nil:
		return "", &problem.Error{Code: "input", Op: "read", Subject: "standard input", Err: err}
	case len(data) > mostInput:
		return "", usage("standard input is over 10 MB", "put it into a file and name that; the agent can read it")
	case strings.TrimSpace(piped) == "":
		return message, nil
	case message == "":
		return piped, nil
	}
	return message + "\n\n" + piped, nil
}

// conversation opens the one that is gone on with.
func (k *querying) conversation(ctx context.Context, c *cobra.Command) (*session.Session, error) {
	if k.resume != "" {
		return k.takeOver(ctx, k.resume)
	}
	if !k.fresh {
		s, err := k.session(ctx, idOf(c))
		var p *problem.Error
		if !errors.As(err, &p) || p.Code != "no_active" {
			return s, err
		}
	}
	return k.newConversation(ctx)
}

// newConversation makes a conversation, and makes it the active one.
func (a *app) newConversation(ctx context.Context) (*session.Session, error) {
	l, err := a.open(ctx)
	if err != nil {
		return nil, err
	}
	s, err := l.service.Create(ctx, session.Create{})
	if err != nil {
		return nil, err
	}
	return s, l.active.set(s.ID())
}

// compactFirst is --compact.
func (k *querying) compactFirst(ctx context.Context, s *session.Session) error {
	if !k.flags.Flags().Changed("compact") {
		return nil
	}
	var req session.Request
	f := &forkConversation{app: k.app, rangeFlags: rangeFlags{flags: k.flags, given: k.flags.Flags().Changed, profile: strings.TrimPrefix(k.compact, asConfigured)}}
	if err := f.prepare(k.app, &req, s.ID(), s.Projection()); err != nil {
		return err
	}
	defer f.asked.discard()
	_, err := f.compactFork(ctx, s, req)
	return err
}

// once is one turn.
func (k *querying) once(ctx context.Context, s *session.Session, message string) (err error) {
	k.wish.Session = s
	if k.InTTY && k.ErrTTY && !k.plain && !k.JSON {
		k.wish.Approver = newAsking(k.app)
	}
	got, err := k.agentOf(ctx, k.wish)
	if err != nil {
		return errors.Join(err, k.dropEmpty(ctx, s))
	}
	defer func() { err = errors.Join(err, got.close()) }()
	var parts []tenfold.Part
	if message != "" {
		parts = []tenfold.Part{tenfold.TextPart(message)}
	}
	return k.follow(s, got.model.Name(), got.agent.Run(ctx, parts...))
}

// talk has the person talk to the agent on the terminal.
func (k *querying) talk(ctx context.Context, e *config.Effective, s *session.Session) error {
	in, inFile := k.In.(*os.File)
	if !inFile {
		return usage("cannot talk: stdin is not a terminal", "write a MESSAGE")
	}
	var now *openAgent
	leave := func() error {
		if now == nil {
			return nil
		}
		return errors.Join(now.close(), k.dropEmpty(context.WithoutCancel(ctx), s))
	}
	o := chat.Options{
		// The conversation so far is left only when the new one is open.
		Open: func(ctx context.Context, fresh bool, approver agent.Approver) (chat.Agent, error) {
			next := s
			if fresh {
				var err error
				if next, err = k.newConversation(ctx); err != nil {
					return nil, err
				}
			}
			k.wish.Session, k.wish.Approver = next, approver
			opened, err := k.agentOf(ctx, k.wish)
			if err != nil {
				return nil, errors.Join(err, k.dropEmpty(ctx, next))
			}
			err = leave()
			now, s = opened, next
			return opened.agent, err
		},
		Switch: func(ctx context.Context, _ chat.Agent, model string) error {
			m, err := k.agentModel(e, model)
			if err != nil {
				return err
			}
			live, err := k.liveSettings(e, s.ID(), m)
			if err != nil {
				return err
			}
			k.wish.Model = model
			return now.agent.Switch(ctx, m, live)
		},
		Models: configuredModels(e), Colour: k.OutColour, In: in, Out: os.Stdout, Environ: os.Environ(),
	}
	if m, err := k.agentModel(e, k.wish.Model); err == nil {
		o.Model = m.Name()
	}
	if store, err := defaultStore(); err == nil {
		o.History = filepath.Join(filepath.Dir(store), "history")
	}
	var err error
	if o.Dir, err = os.Getwd(); err != nil {
		return err
	}
	err = chat.Run(ctx, o)
	return errors.Join(err, leave())
}

// dropEmpty removes a conversation in which nothing was said, and that nobody
// gave a title.
func (a *app) dropEmpty(ctx context.Context, s *session.Session) error {
	if s.Log().Version() > 0 || s.Title() != "" {
		return nil
	}
	return a.workspace.service.Delete(ctx, s.ID())
}

// configuredModels are the models that the configuration names.
func configuredModels(e *config.Effective) []string {
	c := e.Mine
	names := []string{string(c.Model.Name), string(c.Conversation.Compaction.SummarizerModel)}
	for name := range c.Models {
		if strings.Contains(name, "/") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.DeleteFunc(slices.Compact(names), func(name string) bool { return name == "" })
}

// follow prints the events of a run as they come, and gives the error that the
// command ends with.
func (a *app) follow(s *session.Session, model string, events iter.Seq2[agent.Event, error]) error {
	out := &eventPrinter{app: a, result: queryJSON{Event: eventlog.Result, Conversation: s.ID(), Model: model}}
	for e, err := range events {
		if err != nil {
			return out.finish(err)
		}
		if err := out.event(e); err != nil {
			return err
		}
	}
	return out.finish(nil)
}
