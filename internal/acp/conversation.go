package acp

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"slices"
	"strings"
	"sync"

	sdk "github.com/coder/acp-go-sdk"

	"tenfold"
	"tenfold/agent"
	"tenfold/purpose"
	"tenfold/session"
	"tenfold/toolbox"
)

// conversation is one session of an editor.
type conversation struct {
	Conversation
	editor *editor
	id     sdk.SessionId
	shown  shown
	titled bool // the editor was told

	mu     sync.Mutex
	mode   sdk.SessionModeId
	stop   context.CancelFunc // of the run that is under way
	busy   sync.WaitGroup
	closed bool
}

// The modes: what is asked. What the configuration denies stays denied in each.
const (
	modeAsk   sdk.SessionModeId = "ask"
	modeEdits sdk.SessionModeId = "edits"
	modeAll   sdk.SessionModeId = "all"
)

var modes = []sdk.SessionMode{
	{Id: modeAsk, Name: "Ask", Description: new("Ask before edits and commands, as the configuration says")},
	{Id: modeEdits, Name: "Allow edits", Description: new("Edit files of the workspace without asking, except those that other programs act on")},
	{Id: modeAll, Name: "Allow all", Description: new("Run everything that the configuration does not deny without asking")},
}

func (c *conversation) modes() *sdk.SessionModeState {
	c.mu.Lock()
	defer c.mu.Unlock()
	return &sdk.SessionModeState{CurrentModeId: c.mode, AvailableModes: modes}
}

func (c *conversation) setMode(mode sdk.SessionModeId) error {
	if !slices.ContainsFunc(modes, func(m sdk.SessionMode) bool { return m.Id == mode }) {
		return invalid("unknown mode: use ask, edits or all")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.mode = mode
	return nil
}

// modelOption is the id of the option that chooses the model.
const modelOption sdk.SessionConfigId = "model"

func (c *conversation) options() []sdk.SessionConfigOption {
	c.mu.Lock()
	defer c.mu.Unlock()
	var models sdk.SessionConfigSelectOptionsUngrouped
	for _, name := range c.Models {
		models = append(models, sdk.SessionConfigSelectOption{Name: name, Value: sdk.SessionConfigValueId(name)})
	}
	option := sdk.NewSessionConfigOptionSelect(sdk.SessionConfigValueId(c.Model), sdk.SessionConfigSelectOptions{Ungrouped: &models})
	category := sdk.SessionConfigOptionCategoryModel
	option.Select.Id, option.Select.Name, option.Select.Category = modelOption, "Model", &category
	return []sdk.SessionConfigOption{option}
}

// setModel goes on with another of the models that were offered. It is not done
// in the middle of a run.
func (c *conversation) setModel(name string) error {
	if !slices.Contains(c.Models, name) {
		return invalid("unknown model: choose one of " + strings.Join(c.Models, ", "))
	}
	ctx, end, err := c.begin()
	if err != nil {
		return err
	}
	defer end()
	if err := c.Switch(ctx, name); err != nil {
		return explained(err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.Model = name
	return nil
}

// begin begins work on the conversation: one at a time, and none while it is
// compacted (A5).
func (c *conversation) begin() (context.Context, func(), error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.closed:
		return nil, nil, invalid("the session is closed")
	case c.stop != nil:
		return nil, nil, invalid("the session is busy: wait for the answer, or cancel it")
	}
	ctx, stop := context.WithCancel(c.editor.ctx)
	c.stop = stop
	c.busy.Add(1)
	return ctx, func() {
		stop()
		c.mu.Lock()
		c.stop = nil
		c.mu.Unlock()
		c.busy.Done()
	}, nil
}

func (c *conversation) cancel() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stop != nil {
		c.stop()
	}
}

// close ends what is under way, waits for it, and frees the rest.
func (c *conversation) close() error {
	c.mu.Lock()
	c.closed = true
	if c.stop != nil {
		c.stop()
	}
	c.mu.Unlock()
	c.busy.Wait()
	return c.Close()
}

// send tells the editor something. An editor that is gone is noticed by the
// connection, which ends the run.
func (c *conversation) send(updates ...sdk.SessionUpdate) {
	for _, u := range updates {
		_ = c.editor.conn.SessionUpdate(c.editor.ctx, sdk.SessionNotification{SessionId: c.id, Update: u})
	}
}

// greet tells what a person may do, and what they have to know.
func (c *conversation) greet() {
	c.send(commands())
	for _, text := range c.Notices {
		c.send(notice(text))
	}
}

// prompt answers what a person typed. It calls begun once it can be cancelled.
func (c *conversation) prompt(p sdk.PromptRequest, begun func()) (sdk.PromptResponse, error) {
	parts, err := partsOf(p.Prompt)
	if err != nil {
		return sdk.PromptResponse{}, err
	}
	ctx, end, err := c.begin()
	if err != nil {
		return sdk.PromptResponse{}, err
	}
	defer end()
	begun()
	c.catchUp(ctx)
	reason := sdk.StopReasonEndTurn
	name, rest := slashCommand(parts)
	switch name {
	case "compact":
		reason, err = c.run(c.Agent.Compact(ctx, rest))
	case "undo":
		err = c.undo(ctx)
	default:
		reason, err = c.run(c.Agent.Run(ctx, parts...))
		c.title()
	}
	switch {
	case ctx.Err() != nil: // cancelled, or the editor is gone
		return sdk.PromptResponse{StopReason: sdk.StopReasonCancelled}, nil
	case err != nil:
		return sdk.PromptResponse{}, explained(err)
	}
	return sdk.PromptResponse{StopReason: reason}, nil
}

// title tells the editor the title, once there is one.
func (c *conversation) title() {
	s := c.Agent.Session()
	if title := cmp.Or(s.Title(), purpose.TitleOf(s.Log().Entries())); title != "" && !c.titled {
		c.titled = true
		c.send(sdk.SessionUpdate{SessionInfoUpdate: &sdk.SessionSessionInfoUpdate{Title: new(visible(title))}})
	}
}

var stopReasons = map[agent.Reason]sdk.StopReason{
	agent.Answered: sdk.StopReasonEndTurn, agent.Limited: sdk.StopReasonMaxTurnRequests, agent.Interrupted: sdk.StopReasonCancelled,
	agent.Refused: sdk.StopReasonRefusal, agent.CutOff: sdk.StopReasonMaxTokens, agent.Exceeded: sdk.StopReasonMaxTokens,
}

// run shows what the agent does.
func (c *conversation) run(events iter.Seq2[agent.Event, error]) (sdk.StopReason, error) {
	reason := sdk.StopReasonEndTurn
	for e, err := range events {
		if err != nil {
			return reason, err
		}
		if e.Stop == nil {
			c.send(c.shown.event(e)...)
			continue
		}
		reason = stopReasons[e.Stop.Reason]
		if e.Stop.Detail != "" && e.Stop.Reason != agent.Interrupted {
			c.send(notice(e.Stop.Detail))
		}
	}
	return reason, nil
}

// slashCommand reads a command of the person; a name that is not offered is part
// of an ordinary message, such as a path.
func slashCommand(parts []tenfold.Part) (name, rest string) {
	if len(parts) != 1 || parts[0].File != nil {
		return "", ""
	}
	name, rest, _ = strings.Cut(strings.TrimSpace(parts[0].Text), " ")
	switch name {
	case "/compact", "/undo":
		return name[1:], strings.TrimSpace(rest)
	}
	return "", ""
}

func commands() sdk.SessionUpdate {
	return sdk.SessionUpdate{AvailableCommandsUpdate: &sdk.SessionAvailableCommandsUpdate{AvailableCommands: []sdk.AvailableCommand{
		{
			Name: "compact", Description: "Compact the conversation; nothing is lost, and /undo restores it",
			Input: &sdk.AvailableCommandInput{Unstructured: &sdk.UnstructuredCommandInput{Hint: "what must be kept"}},
		},
		{Name: "undo", Description: "Undo the last compaction"},
	}}}
}

func (c *conversation) undo(ctx context.Context) error {
	undone, err := c.Agent.Undo(ctx)
	if errors.Is(err, session.ErrNothingToUndo) {
		c.send(notice("There is no compaction to undo."))
		return nil
	}
	if err == nil && len(undone) > 0 {
		c.send(notice("The last compaction is undone: the model sees again what it hid."))
	}
	return err
}

// The answers that are offered to a question.
const (
	allowOnce   sdk.PermissionOptionId = "allow"
	allowAlways sdk.PermissionOptionId = "always"
	reject      sdk.PermissionOptionId = "reject"
)

// Approve implements [agent.Approver]: the editor asks the person.
func (c *conversation) Approve(ctx context.Context, q agent.Question) (agent.Answer, error) {
	c.mu.Lock()
	mode := c.mode
	c.mu.Unlock()
	if mode == modeAll || mode == modeEdits && q.Intent.Effect == toolbox.Edits && !q.Firm {
		return agent.Answer{Allowed: true}, nil
	}
	call := sdk.ToolCallUpdate{
		ToolCallId: c.shown.calls.id(q.Branch, q.Call.CallID), Title: new(titleOf(q.Branch, q.Call.Name, q.Intent.Subject)),
		Kind: new(kindOf(q.Call.Name, q.Intent.Effect)), Status: new(sdk.ToolCallStatusPending),
		Locations: locations(c.shown.directory, q.Intent.Paths), RawInput: rawInput(q.Call.Arguments),
	}
	switch call.Content = changeOf(c.shown.directory, q.Call); {
	case q.Intent.Command != "":
		call.Content = append(call.Content, fenced(q.Intent.Command, "sh"))
	case call.Content == nil: // an editor need not show the input
		call.Content = append(call.Content, fenced(q.Detail(), ""))
	}
	if q.Reason != "" {
		call.Content = append(call.Content, sdk.ToolContent(sdk.TextBlock(visible(q.Reason))))
	}
	options := []sdk.PermissionOption{
		{OptionId: allowOnce, Kind: sdk.PermissionOptionKindAllowOnce, Name: "Allow"},
		{OptionId: allowAlways, Kind: sdk.PermissionOptionKindAllowAlways, Name: "Allow for this session"},
		{OptionId: reject, Kind: sdk.PermissionOptionKindRejectOnce, Name: "Reject"},
	}
	if q.Firm {
		options = slices.Delete(options, 1, 2)
	}
	r, err := c.editor.conn.RequestPermission(ctx, sdk.RequestPermissionRequest{SessionId: c.id, ToolCall: call, Options: options})
	switch {
	case ctx.Err() != nil:
		return agent.Answer{}, ctx.Err()
	case err != nil:
		return agent.Answer{}, err
	case r.Outcome.Selected == nil:
		return agent.Answer{}, errors.New("the editor cancelled the question")
	}
	switch r.Outcome.Selected.OptionId {
	case allowOnce, allowAlways:
		return agent.Answer{Allowed: true, Always: r.Outcome.Selected.OptionId == allowAlways}, nil
	case reject:
		return agent.Answer{}, nil
	}
	return agent.Answer{}, errors.New("the editor chose an answer that was not offered")
}
