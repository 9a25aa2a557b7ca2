package claudecode

import (
	"cmp"
	"context"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"tenfold"
	"tenfold/transcript/internal/engine"
	"tenfold/transcript/internal/geminicli"
	"tenfold/transcript/internal/intake"
)

func Handler() engine.Handler {
	return engine.Handler{
		Format: intake.ClaudeCode, About: "Claude Code session files (*.jsonl)", Recognise: recognise, Import: importFile, Export: export, Client: &client,
		Homes: []string{".claude/projects"}, HomeEnv: "CLAUDE_CONFIG_DIR", Part: claudePart,
		Sessions: []string{"*/*.jsonl"}, Ran: [][]string{{"cwd"}},
	}
}

// claudeType reports whether an object has a line type of Claude Code together
// with members that come with that type there and nowhere else.
func claudeType(o intake.Object) bool {
	switch o.Values["type"] {
	case "user", "assistant", "system", "progress", "attachment":
		return o.Has("uuid") && (o.Has("parentUuid") || o.Has("sessionId"))
	case "summary":
		return o.Has("summary", "leafUuid")
	case "file-history-snapshot":
		return o.Has("messageId") || o.Has("snapshot")
	case "queue-operation":
		return o.Has("operation", "sessionId")
	case "custom-title":
		return o.Has("customTitle")
	case "ai-title":
		return o.Has("aiTitle")
	case "last-prompt", "mode", "permission-mode", "agent-name", "bridge-session", "pr-link":
		return o.Has("sessionId")
	}
	return false
}

func recognise(h intake.Head) intake.Confidence {
	s := h.JSON
	if s.Shape != intake.ShapeLines && s.Shape != intake.ShapeObject {
		return intake.No
	}
	if geminicli.RecogniseQwen(h) == intake.Certain {
		return intake.No // its lines are like these
	}
	// A first line larger than the head shows only its beginning.
	begun := func(o intake.Object) bool { return !o.Whole && o.Has("parentUuid", "isSidechain") }
	ours := func(o intake.Object) bool { return claudeType(o) || begun(o) }
	switch {
	case !s.Mostly(ours):
		return intake.No
	case slices.ContainsFunc(s.Objects, func(o intake.Object) bool { return ours(o) && o.Has("parentUuid") && (o.Has("uuid") || !claudeType(o)) }):
		return intake.Certain
	}
	return intake.Likely
}

// importFile reads the session files of Claude Code: a line is a record of
// the session, and the user and assistant lines among them hold the blocks of
// API messages.
//
//	text, thinking, tool_use …    one entry a block, MessageID = message.id
//	unknown assistant blocks      provider_item, back to Anthropic only
//	user text, images             one user_message a line
//	tool_result                   tool_result, after all calls of its response
//	message.usage                 one usage a response, from its last line
//	message.model, when it changes config_delta
//	typed prompts and commands    turn_start + user_message
//	injected lines                user_message, synthetic
//	attachments                   user_message: typed while it worked, files, hooks
//	system local_command          user_message, synthetic
//	queue-operation               user_message for what was typed, in older versions
//	compact_boundary + summary    compaction with the summary
//	compact_boundary + our view   nothing a model sees: it is in the file already
//	microcompact_boundary         compaction that strips the named results
//	isSidechain, agent_progress   the same on a branch
//	subagents/agent-<id>.jsonl    the same, after the session's own lines
//	everything else               an unknown kind "claude-code.<type>"
func importFile(ctx context.Context, src intake.Source, sink intake.Sink) error {
	c := &claude{
		Session: engine.NewSession(src, sink, intake.ClaudeCode), r: intake.NewLineReader(ctx, src),
		nodes: map[string]int32{}, open: map[string]*openMessage{}, models: map[string]string{},
		billed: map[string]bool{}, chains: map[string]string{}, prompted: map[int32]int32{}, told: map[string]bool{},
	}
	err := c.r.Records(intake.ClaudeCode, func(raw []byte) error {
		c.l.parse(&c.Scan, raw)
		return c.Scan.Err
	}, func() error { return c.line(&c.l) })
	if err != nil {
		return err
	}
	return c.finish(ctx)
}

// claude is one import.
type claude struct {
	engine.Session
	r *intake.LineReader
	l claudeLine

	sessionID string    // the first one
	titles    [3]string // summary, ai-title, custom-title: the last wins
	own       bool      // the file is a sub-agent's own: its chain is the root

	opened intake.TurnState
	after  string // id of the summary line that ended the last turn
	pend   *boundary
	view   replacement

	tree   []claudeNode
	nodes  map[string]int32 // uuid → tree
	chains map[string]string

	open     map[string]*openMessage // by branch
	order    []string                // branches in the order they came up
	models   map[string]string       // by branch
	billed   map[string]bool         // message ids whose usage is written
	prompts  []int32                 // tree indexes of the prompts since the last boundary
	prompted map[int32]int32         // parent → its newest prompt
	walked   int                     // steps taken after rewinds

	queue messageQueue

	sub  *subAgent       // whose file is being read
	told map[string]bool // blocks of sub-agents that the session's own file holds
}

// earlyLimit is within how many lines the session's id is to come: entries wait for it.
const earlyLimit = 512

// line turns one line into entries.
func (c *claude) line(l *claudeLine) error {
	l.number = c.r.Number
	c.At(l.time())
	c.session(l)
	if c.Conv.ID == "" && c.r.Count == earlyLimit {
		c.Conv.ID = intake.NameID(c.Src.Name, intake.ClaudeCode)
	}
	id := c.Ids.Record(l.uuid, l.raw)
	if l.kind != '{' {
		c.Warn.Add(l.number, "line is not a JSON object and was kept as it is", "lines are not JSON objects and were kept as they are")
		return c.unknown(l, id, "claude-code.value")
	}
	switch typ := l.typ; {
	case c.sub != nil:
	case typ == "summary":
		c.titles[0] = l.title
	case typ == "ai-title":
		c.titles[1] = l.title
	case typ == "custom-title":
		c.titles[2] = l.title
	}
	node := c.remember(l, id)
	switch l.typ {
	case "user", "assistant", "system":
		if !l.sidechain {
			c.leaveQueue(l)
		}
	}
	switch {
	case l.typ == "attachment":
		return c.attachmentLine(l, id, c.branch(l, node, id))
	case l.typ == "system" && l.subtype == "local_command":
		return c.localCommand(l, id, c.branch(l, node, id))
	case l.typ == "queue-operation":
		return c.queueLine(l, id)
	case l.typ == "user" || l.typ == "assistant":
		if l.msg.Kind != '{' || !l.msg.Readable() || l.twice {
			c.Warn.Odd(l.number, "message")
			return c.unknown(l, id, "claude-code."+l.typ)
		}
		return c.message(l, &l.msg, id, l.typ, c.branch(l, node, id))
	case l.typ == "progress" && l.agentMessage() && l.agent.Readable() && !l.twice:
		return c.message(l, &l.agent, id, l.agentType, "agent."+intake.BranchName(l.agentID))
	case l.typ == "system" && l.subtype == "compact_boundary":
		c.view = replacement{awaited: true, until: l.time()}
		return c.compactBoundary(l, id)
	case l.typ == "system" && l.subtype == "microcompact_boundary":
		return c.microBoundary(l, id)
	}
	name := "claude-code.untyped"
	if l.typ != "" {
		name = "claude-code." + l.typ
	}
	return c.unknown(l, id, name)
}

// session notes the session's id: the first one names the conversation. A
// sub-agent's own file bears its session's id, and needs another.
func (c *claude) session(l *claudeLine) {
	switch {
	case l.sessionID == "":
	case c.sessionID == "":
		c.sessionID = l.sessionID
		id := l.sessionID
		if l.sidechain && c.startsOwn(l) {
			id += "-" + c.agentName(l)
		}
		if c.Conv.ID == "" {
			c.Conv.ID, c.Conv.Named = intake.ConversationID(id), true
		}
	case l.sessionID != c.sessionID:
		c.Warn.Add(l.number, "line belongs to another session than the first", "lines belong to other sessions than the first")
	}
}

// unknown keeps a line that no model sees (L4).
func (c *claude) unknown(l *claudeLine, id, name string) error {
	return c.Keep(id, tenfold.Kind(name), l.raw)
}

// emit hands entries on, and notes where those that a model sees stand.
func (c *claude) emit(entries ...tenfold.Entry) error {
	for _, e := range entries {
		if c.Emit(e) == nil && e.Payload.Kind().Visible() {
			c.Shown = true
			if i, ok := c.nodes[e.ID]; ok {
				n := &c.tree[i]
				n.turn, n.step, n.shown = int32(c.Place.Turn), int32(c.Place.Step), e.Branch == "" //nolint:gosec // an import has far fewer entries
			}
		}
	}
	return c.All(nil)
}

func (c *claude) finish(ctx context.Context) error {
	c.leaveQueue(nil)
	c.closeAll()
	if c.pend != nil {
		c.warnNoSummary()
	}
	if err := c.agents(ctx); err != nil {
		return err
	}
	for _, t := range c.titles {
		c.Conv.Title = cmp.Or(t, c.Conv.Title)
	}
	return c.Finish()
}

// startsOwn reports whether a sidechain's line begins a sub-agent's own file,
// which holds nothing of the session that it belongs to.
func (c *claude) startsOwn(l *claudeLine) bool {
	rootSeen := c.Place.Opened || c.open[""] != nil
	return c.sub == nil && len(c.chains) == 0 && !rootSeen && (l.agentID != "" || strings.HasPrefix(c.baseName(), "agent-"))
}

func (c *claude) agentName(l *claudeLine) string {
	if name := c.baseName(); strings.HasPrefix(name, "agent-") {
		return strings.TrimSuffix(name, path.Ext(name))
	}
	return "agent-" + intake.BranchName(l.agentID)
}

func (c *claude) baseName() string { return path.Base(filepath.ToSlash(c.Src.Name)) }

// claudePart reports whether a file is a sub-agent's, which is read with the
// session it belongs to.
func claudePart(name string) bool {
	return strings.HasPrefix(path.Base(filepath.ToSlash(name)), "agent-")
}
