package hook

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"regexp"

	"tenfold"
	"tenfold/session"
	"tenfold/strategy"
	"tenfold/token"
)

// A Born is a tool result that no model has seen yet.
type Born struct {
	// Session is the client's name for its conversation, Dir the agent's working
	// directory.
	Session, Dir string
	// Call is the id of the call, Tool the tool's name, Arguments its arguments as
	// JSON.
	Call, Tool, Arguments string
	// Text is the result, IsError that it tells of a failure.
	Text    string
	IsError bool
}

// Trimmed is a result that was shortened.
type Trimmed struct {
	// Text is what the model is to see.
	Text string
	// Before and After are its tokens.
	Before, After int
	// Conversation and Seq name the entry of the store that holds all of it.
	Conversation string
	Seq          int64
}

// Trim shortens a result that is over the configured limit (V3), which costs no
// cache and no reasoning: its beginning and its end stay, and of what lies between
// the lines that tell of failures. The original is stored first, in a conversation
// of its own beside the client's, where search and recall find it. It is nil for a
// result that is to stay as it is.
//
// What the client writes into its transcript is the shortened text, so that the
// client's conversation in the store has that too: it is what the model saw.
func (h *Host) Trim(ctx context.Context, b Born) (*Trimmed, error) {
	settings, err := h.Configure(b.Dir)
	if err != nil {
		return nil, fmt.Errorf("read the configuration: %w", err)
	}
	limit := int(settings.Conversation.Compaction.Hook.TrimOver)
	if limit <= 0 || len(b.Text) <= limit { // a token is a byte or more
		return nil, nil //nolint:nilnil // as documented
	}
	t := &Trimmed{Before: token.O200k().Count(b.Text)}
	if t.Before <= limit {
		return nil, nil //nolint:nilnil // as documented
	}
	if t.Text, t.After = shorten(b, limit, t.Before); t.Text == "" {
		return nil, nil //nolint:nilnil // as documented
	}
	if err := h.storeWhole(ctx, b, t); err != nil {
		return nil, fmt.Errorf("store the whole result: %w", err)
	}
	return t, nil
}

// shorten gives what is left of a result within a limit of tokens; empty where that
// is nothing useful.
func shorten(b Born, limit, tokens int) (text string, after int) {
	entries := b.callEntries()
	call, _ := entries[0].Payload.(tenfold.ToolCall)
	result, _ := entries[1].Payload.(tenfold.ToolResult)
	_, shown, after, ok := strategy.AtBirth(call, result, token.O200k(), tokens, limit)
	if !ok || len(shown.Parts) != 1 {
		return "", 0
	}
	return shown.Parts[0].Text, after
}

// callEntries are the entries of a call and its result, named by both: some servers number
// the calls of each answer anew.
func (b Born) callEntries() []tenfold.Entry {
	arguments := cmp.Or(b.Arguments, "{}")
	sum := sha256.Sum256([]byte(b.Text))
	name := fmt.Sprintf("%s-%x", b.Call, sum[:8])
	return []tenfold.Entry{
		{ID: "call-" + name, Payload: tenfold.ToolCall{CallID: b.Call, Name: b.Tool, Arguments: arguments}},
		{ID: "result-" + name, Payload: tenfold.ToolResult{CallID: b.Call, Parts: tenfold.Text(b.Text), IsError: b.IsError}},
	}
}

// storeWhole stores the whole result.
func (h *Host) storeWhole(ctx context.Context, b Born, t *Trimmed) error {
	svc, err := h.Service(ctx)
	if err != nil {
		return err
	}
	t.Conversation = ResultsOf(b.Session)
	s, err := svc.OpenOrCreate(ctx, session.Create{
		ID: t.Conversation, Title: "Whole results of " + b.Session,
		Entries: []tenfold.Entry{{ID: "turn", Payload: tenfold.TurnStart{}}},
	})
	if err != nil {
		return err
	}
	entries := b.callEntries()
	if err := s.AppendLatest(ctx, entries...); err != nil {
		return err
	}
	e, ok := s.Log().Lookup(entries[1].ID)
	if !ok {
		return errors.New("it is not in the log")
	}
	t.Seq = e.Seq
	return nil
}

// notPlain matches what an id may not hold.
var notPlain = regexp.MustCompile(`[^A-Za-z0-9._-]+`)

// ResultsOf is the id of the conversation that holds the whole results of one of a
// client.
func ResultsOf(session string) string {
	const longest = 80
	name := notPlain.ReplaceAllString(session, "-")
	return "results-" + name[:min(len(name), longest)]
}
