package cli

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"

	"github.com/google/uuid"

	"tenfold"
	"tenfold/internal/cli/terminal"
	"tenfold/internal/takeover"
	"tenfold/problem"
	"tenfold/session"
	"tenfold/transcript"
)

// taking is "tenfold query --resume": it finds a session of another agent. What
// it finds is imported as by "conversation import", and a copy of that goes on, so
// that the conversation that follows the agent's own file stays what the file says.
type taking struct{ compactFile }

// takeOver makes a conversation that goes on with a session of another agent, and
// makes it the active one.
func (k *querying) takeOver(ctx context.Context, what string) (*session.Session, error) {
	t := &taking{compactFile{app: k.app}}
	path, err := t.find(ctx, what, k.InTTY && k.ErrTTY && !k.plain && !k.JSON)
	if err != nil {
		return nil, err
	}
	l, err := k.open(ctx)
	if err != nil {
		return nil, err
	}
	var last imported
	var at located
	err = steadily(func() error {
		return k.importSession(ctx, path, t.only, t.format, "--resume", false, func(in imported) error {
			var err error
			last = in
			at, err = k.put(ctx, l, in)
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	for _, w := range last.warnings {
		k.Warn(terminal.VisibleLine(path) + ": " + w)
	}
	s, err := l.service.Fork(ctx, at.Session, session.Fork{Title: at.Session.Title(), Entries: k.greeting(at.Session.Log(), string(last.Format))})
	if err != nil {
		return nil, err
	}
	k.Noticef("took over %s of %s as conversation %s", count(s.Log().Turns(), "turn", "turns"), last.Format, s.ID())
	return s, l.active.set(s.ID())
}

// greeting tells the model what the tools that it called so far are called here.
// It is context, which no compaction hides (P8a).
func (k *querying) greeting(log *tenfold.Log, agent string) []tenfold.Entry {
	text := takeover.Greeting(log, agent)
	if text == "" || k.wish.NoTools {
		return nil
	}
	return []tenfold.Entry{{
		ID: "ctx_" + uuid.Must(uuid.NewV7()).String(), Time: k.now().UTC(),
		Payload: tenfold.UserMessage{Parts: []tenfold.Part{tenfold.TextPart(text)}, Purpose: tenfold.Context, Synthetic: true},
	}}
}

// clientNames are other names of clients.
var clientNames = map[string]transcript.Format{"claude": "claude-code", "gemini": "gemini-cli"}

// find gives the path of the session that is asked for: CLIENT, CLIENT:ID, CLIENT:
// for a list, or a FILE.
func (t *taking) find(ctx context.Context, what string, canAsk bool) (string, error) {
	client, id, named := strings.Cut(what, ":")
	if full, ok := clientNames[client]; ok {
		client = string(full)
	}
	if !slices.Contains(resumable(), client) {
		if _, err := os.Stat(what); err != nil {
			return "", usage("--resume "+quote(what)+": not a client or a file", "clients: "+strings.Join(resumable(), ", "))
		}
		return what, nil
	}
	t.format = client
	all, err := t.keptSessions(ctx, transcript.Format(client))
	if err != nil {
		return "", err
	}
	var s *transcript.Session
	switch {
	case named && id == "" && !canAsk:
		return "", usage("--resume "+what+": cannot show a list", "write "+client+" for the newest session of this directory, or "+client+":ID")
	case named && id == "":
		s, err = t.pickSession(ctx, all, "Go on with")
		if s == nil && err == nil {
			err = errTold
		}
	case named:
		s, err = (&resuming{compactFile: t.compactFile}).session(ctx, all, id)
	default:
		t.here = true
		s, err = t.newest(ctx, all)
	}
	var p *problem.Error
	if errors.As(err, &p) && t.here && p.Code == "not_found" {
		p.Hint = "name one: --resume " + client + ":ID, or " + client + ": to pick from a list"
	}
	if err != nil {
		return "", err
	}
	t.chose(s)
	return s.Path, nil
}
