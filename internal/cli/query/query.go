// Package query holds the commands behind which the agent works: "tenfold query" for
// scripts and for a conversation on the terminal, and "tenfold acp" for editors.
package query

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
	"time"

	"github.com/spf13/cobra"

	"tenfold"
	"tenfold/agent"
	"tenfold/internal/chat"
	"tenfold/internal/cli/command"
	"tenfold/internal/cli/compaction"
	"tenfold/internal/cli/conversation"
	"tenfold/internal/cli/transcripts"
	"tenfold/internal/config"
	"tenfold/internal/eventlog"
	"tenfold/internal/pause"
	"tenfold/problem"
	"tenfold/session"
)

// querying is "tenfold query".
type querying struct {
	*command.App
	flags   *cobra.Command
	compact string
	fresh   bool
	resume  string
	plain   bool
	wish    Wish
	tokens  command.Parsed[int]
}

// Command is "tenfold query".
func Command(a *command.App) *cobra.Command {
	k := &querying{App: a, wish: Wish{DropEmpty: true}}
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
` + command.Sentence("Clients: "+strings.Join(compaction.Resumable(), ", ")+".") + `

The model is the one of --model, or of model.name in your configuration.`,
		Example: `  tenfold query "why does the build fail?"
  git diff | tenfold query -p "review this" --no-tools
  tenfold query --resume claude-code "go on"
  tenfold query "fix the tests" --allow 'shell:go test *' --max-steps 30`,
		Args: command.Arguments(0, -1, ""),
		RunE: func(c *cobra.Command, args []string) error { return k.run(c.Context(), c, args) },
	}
	k.flags = c
	f := c.Flags()
	k.tokens.Parse = func(text string) (int, error) {
		n, ok := tenfold.ParseTokens(text)
		if plain, err := strconv.Atoi(text); err == nil {
			n, ok = plain, plain >= 0
		}
		if !ok {
			return 0, command.Usage("invalid --max-tokens value "+command.Quote(text), "write --max-tokens 500k")
		}
		return n, nil
	}
	f.StringVar(&k.compact, "compact", "", "first compact the conversation with a\n`PROFILE`")
	f.Lookup("compact").NoOptDefVal = conversation.AsConfigured
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
	a.IDFlag(c)
	f.Lookup("id").Usage = "`ID` of the conversation (default: the\nactive one)"
	a.CompleteProfiles(c, "compact")
	return c
}

func (k *querying) run(ctx context.Context, c *cobra.Command, args []string) error {
	if err := k.check(c); err != nil {
		return err
	}
	e, err := k.Effective()
	if err != nil {
		return err
	}
	model, err := agentModel(e, k.wish.Model) // before anything is made or asked
	if err != nil {
		return err
	}
	dir, err := command.WorkingDirectory()
	if err != nil {
		return err
	}
	if k.compact == conversation.AsConfigured && len(args) > 0 && slices.Contains(e.ProfileNames(), args[0]) {
		return command.Usage("--compact "+args[0]+`: a profile stands behind "="`, "write --compact="+args[0]+"; put a message that begins so in quotes")
	}
	message, err := k.message(ctx, args)
	if err != nil {
		return err
	}
	talks := message == "" && k.InTTY && k.OutTTY && !k.plain && !k.JSON
	if message == "" && k.InTTY && !talks {
		return command.Usage("tenfold query requires a MESSAGE", `write one, or pipe it in; without one it needs a terminal, and neither --print nor --json`)
	}
	s, err := k.conversation(ctx, c)
	if err != nil {
		return err
	}
	k.wish.Session = s
	if err := k.compactFirst(ctx, s); err != nil {
		return errors.Join(err, (&Opened{app: k.App, settings: e, session: s}).dropEmpty(ctx))
	}
	if talks {
		return k.talk(ctx, chat.Options{Model: model.Name(), Models: ConfiguredModels(e), Dir: dir})
	}
	return k.once(ctx, s, message)
}

// check refuses flags that do not fit together.
func (k *querying) check(c *cobra.Command) error {
	given := c.Flags().Changed
	for _, pair := range [][2]string{{"new", "id"}, {"new", "resume"}, {"resume", "id"}} {
		if given(pair[0]) && given(pair[1]) {
			return command.Exclusive("--"+pair[0], "--"+pair[1])
		}
	}
	l := &k.wish.Limits
	l.Tokens = k.tokens.Given()
	// 0 is not taken for "no limit", as the configuration does: who writes it means to
	// spend nothing.
	for _, limit := range []struct {
		flag   string
		bounds bool
	}{{"max-steps", l.Steps > 0}, {"max-tokens", l.Tokens > 0}, {"max-dollars", l.Dollars > 0}, {"max-time", l.Time > 0}} {
		if given(limit.flag) && !limit.bounds {
			return command.Usage("invalid --"+limit.flag+" value: it is not above 0", "omit it to go by the configuration")
		}
	}
	if given("resume") && k.resume == "" {
		return command.Usage("--resume is empty", "name a client, such as claude-code, or the file of a session")
	}
	return nil
}

// mostInput bounds what is read from standard input, in bytes. Who waits longer for its
// end than inputSoon is told why nothing happens: a program that starts this one may
// have left it open by mistake.
const (
	mostInput = 10 << 20
	inputSoon = 3 * time.Second
)

// message is what is asked: the arguments, and what is piped in.
func (k *querying) message(ctx context.Context, args []string) (string, error) {
	message := strings.TrimSpace(strings.Join(args, " "))
	if k.InTTY {
		return message, nil
	}
	src, closing, err := transcripts.Source(ctx, k.App, "-")
	if err != nil {
		return "", err
	}
	defer closing()
	late := func() { k.Noticef("reading standard input until it ends; \"< /dev/null\" leaves it out") }
	data := pause.Telling(inputSoon, late, func() (data []byte) {
		data, err = io.ReadAll(io.LimitReader(src.Reader, mostInput+1))
		return data
	})
	piped := strings.ToValidUTF8(string(data), "\uFFFD")
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err != nil:
		return "", &problem.Error{Code: "input", Op: "read", Subject: "standard input", Err: err}
	case len(data) > mostInput:
		return "", command.Usage("standard input is over 10 MB", "put it into a file and name that; the agent can read it")
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
		s, err := k.Session(ctx, command.IDOf(c))
		var p *problem.Error
		if !errors.As(err, &p) || p.Code != "no_active" {
			return s, err
		}
	}
	return k.newConversation(ctx)
}

// newConversation makes a conversation, which is the active one once something is said in it.
func (k *querying) newConversation(ctx context.Context) (*session.Session, error) {
	l, err := k.Open(ctx)
	if err != nil {
		return nil, err
	}
	s, err := l.Service.Create(ctx, session.Create{})
	if err != nil {
		return nil, err
	}
	k.wish.Said = func() error { return l.Active.Set(s.ID()) }
	return s, nil
}

// compactFirst is --compact.
func (k *querying) compactFirst(ctx context.Context, s *session.Session) error {
	if !k.flags.Flags().Changed("compact") {
		return nil
	}
	var req session.Request
	f := &conversation.Fork{App: k.App, Flags: compaction.Flags{Command: k.flags, Given: k.flags.Flags().Changed, Profile: conversation.ProfileOf(k.compact)}}
	if err := f.Prepare(k.App, &req, s.ID(), s.Projection()); err != nil {
		return err
	}
	defer f.Writers.Discard()
	_, err := f.Compact(ctx, s, req)
	return err
}

// starting is shown while servers of tools take their time.
const starting = "start the tools"

// once is one turn.
func (k *querying) once(ctx context.Context, s *session.Session, message string) (err error) {
	if k.InTTY && k.ErrTTY && !k.plain && !k.JSON {
		k.wish.Approver = &asking{App: k.App}
	}
	k.StartProgress(starting, 0)
	got, err := Open(ctx, k.App, k.wish)
	k.Progress.End()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, got.Close()) }()
	var parts []tenfold.Part
	if message != "" {
		parts = []tenfold.Part{tenfold.TextPart(message)}
	}
	return follow(k.App, s, got.model.Name(), got.Agent.Run(ctx, parts...))
}

// talk has the person talk to the agent on the terminal.
func (k *querying) talk(ctx context.Context, o chat.Options) error {
	var now *Opened
	leave := func() error {
		if now == nil {
			return nil
		}
		return now.Close()
	}
	// The conversation so far is left only when the new one is open.
	o.Open = func(ctx context.Context, fresh bool, approver agent.Approver, warn func(string)) (chat.Agent, error) {
		if k.wish.Approver, k.wish.Warn = approver, warn; fresh {
			next, err := k.newConversation(ctx)
			if err != nil {
				return nil, err
			}
			k.wish.Session = next
		} else { // later the chat has the terminal
			k.StartProgress(starting, 0)
		}
		opened, err := Open(ctx, k.App, k.wish)
		k.Progress.End()
		if err != nil {
			return nil, err
		}
		err = leave()
		now = opened
		return opened.Agent, err
	}
	o.Switch = func(ctx context.Context, _ chat.Agent, model string) error {
		err := now.Switch(ctx, model)
		if err == nil {
			k.wish.Model = model
		}
		return err
	}
	o.Colour, o.In, o.Out, o.Environ = k.OutColour, os.Stdin, os.Stdout, os.Environ()
	if store, err := command.DefaultStore(); err == nil {
		o.History = filepath.Join(filepath.Dir(store), "history")
	}
	return errors.Join(chat.Run(ctx, o), leave())
}

// ConfiguredModels are the models that the configuration names.
func ConfiguredModels(e *config.Effective) []string {
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

// silentAfter is after how long without a word of the model it is told who is waited for.
const silentAfter = 10 * time.Second

// follow prints the events of a run as they come, and gives the error that the
// command ends with.
func follow(a *command.App, s *session.Session, model string, events iter.Seq2[agent.Event, error]) error {
	out := &eventPrinter{App: a, result: queryJSON{Event: eventlog.Result, Conversation: s.ID(), Model: model}, calls: map[callOf]tenfold.ToolCall{}, under: map[callOf]bool{}}
	for e := range s.Log().Entries() { // what a run before this one left open
		if c, ok := e.Payload.(tenfold.ToolCall); ok && s.Log().Pair(e.Seq) == 0 {
			out.calls[callOf{e.Branch, c.CallID}] = c
		}
	}
	type step struct {
		agent.Event

		err  error
		more bool
	}
	next, stop := iter.Pull2(events)
	defer stop()
	for {
		got := pause.Telling(silentAfter, out.silent, func() step {
			e, err, more := next()
			return step{e, err, more}
		})
		if got.err != nil || !got.more {
			return out.finish(got.err)
		}
		if err := out.event(got.Event); err != nil {
			return err
		}
	}
}
