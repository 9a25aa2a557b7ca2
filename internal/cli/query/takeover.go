package query

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"

	"github.com/google/uuid"

	"tenfold"
	"tenfold/internal/cli/command"
	"tenfold/internal/cli/compaction"
	"tenfold/internal/cli/terminal"
	"tenfold/internal/cli/transcripts"
	"tenfold/internal/number"
	"tenfold/internal/takeover"
	"tenfold/problem"
	"tenfold/session"
	"tenfold/transcript"
)

// taking is "tenfold query --resume": it finds a session of another agent. What
// it finds is imported as by "conversation import", and a copy of that goes on, so
// that the conversation that follows the agent's own file stays what the file says.
type taking struct{ compaction.File }

// takeOver makes a conversation that goes on with a session of another agent, and
// makes it the active one.
func (k *querying) takeOver(ctx context.Context, what string) (*session.Session, error) {
	t := &taking{compaction.File{App: k.App}}
	path, err := t.find(ctx, what, k.InTTY && k.ErrTTY && !k.plain && !k.JSON)
	if err != nil {
		return nil, err
	}
	l, err := k.Open(ctx)
	if err != nil {
		return nil, err
	}
	var last transcripts.Imported
	var at transcripts.Located
	err = transcripts.Steadily(func() error {
		return transcripts.Read(ctx, k.App, path, t.Only, t.Format, "--resume", false, func(in transcripts.Imported) error {
			var err error
			last = in
			at, err = transcripts.Put(ctx, k.App, l, in)
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	for _, w := range last.Warnings {
		k.Warn(terminal.VisibleLine(path) + ": " + w)
	}
	s, err := l.Service.Fork(ctx, at.Session, session.Fork{Title: at.Session.Title(), Entries: k.takeoverNotice(at.Session.Log(), string(last.Format))})
	if err != nil {
		return nil, err
	}
	k.Noticef("took over %s of %s as conversation %s", number.Count(s.Log().Turns(), "turn"), last.Format, terminal.Word(s.ID()))
	return s, l.Active.Set(s.ID())
}

// takeoverNotice tells the model what the tools that it called so far are called here.
// It is context, which no compaction hides (P8a).
func (k *querying) takeoverNotice(log *tenfold.Log, agent string) []tenfold.Entry {
	text := takeover.Greeting(log, agent)
	if text == "" || k.wish.NoTools {
		return nil
	}
	return []tenfold.Entry{{
		ID: "ctx_" + uuid.Must(uuid.NewV7()).String(), Time: k.Now().UTC(),
		Payload: tenfold.UserMessage{Parts: []tenfold.Part{tenfold.TextPart(text)}, Purpose: tenfold.Context, Synthetic: true},
	}}
}

// knownClients are other names of clients.
var clientNames = map[string]transcript.Format{"claude": "claude-code", "gemini": "gemini-cli"}

// find gives the path of the session that is asked for: CLIENT, CLIENT:ID, CLIENT:
// for a list, or a FILE.
func (t *taking) find(ctx context.Context, what string, canAsk bool) (string, error) {
	client, id, named := strings.Cut(what, ":")
	if full, ok := clientNames[client]; ok {
		client = string(full)
	}
	if !slices.Contains(compaction.Resumable(), client) {
		if _, err := os.Stat(what); err != nil {
			return "", command.Usage("--resume "+command.Quote(what)+": not a client or a file", "clients: "+strings.Join(compaction.Resumable(), ", "))
		}
		return what, nil
	}
	t.Format = client
	all, err := transcripts.Kept(ctx, t.App, transcript.Format(client))
	if err != nil {
		return "", err
	}
	var s *transcript.Session
	switch {
	case named && id == "" && !canAsk:
		return "", command.Usage("--resume "+what+": cannot show a list", "write "+client+" for the newest session of this directory, or "+client+":ID")
	case named && id == "" && len(all) == 0:
		err = t.NoSession(nil)
	case named && id == "":
		s, err = transcripts.Pick(ctx, t.App, all, "Go on with")
		if s == nil && err == nil {
			err = command.ErrTold
		}
	case named:
		s, err = (&compaction.Resuming{File: t.File}).Session(ctx, all, id)
	default:
		t.Here = true
		s, err = t.Newest(ctx, all)
	}
	if p, ok := errors.AsType[*problem.Error](err); ok && t.Here && p.Code == "not_found" {
		p.Hint = "name one: --resume " + client + ":ID, or " + client + ": to pick from a list"
	}
	if err != nil {
		return "", err
	}
	t.Chose(s)
	return s.Path, nil
}
