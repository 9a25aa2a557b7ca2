package claudecode

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
	"tenfold/body"
	"tenfold/transcript/internal/engine"
	"tenfold/transcript/internal/intake"
	"tenfold/transcript/internal/walk"
)

// claudeLines makes the lines of a session file out of what Anthropic's API
// would be sent: calls have their results, ids and names fit, thinking is there
// only where its signature holds. Each line hangs from the one before.
type claudeLines struct {
	out     *engine.Out
	conv    string
	session string
	env     claudeEnv
	last    string // uuid of the line before
	made    int
	now     time.Time
	model   string
	usage   map[string]tenfold.Usage // by message id; nil when counts do not hold any more
	ids     map[string]bool          // message ids in use
	agent   string                   // of a sub-agent's lines
}

func newClaudeLines(out *engine.Out, v engine.View, env claudeEnv) claudeLines {
	x := claudeLines{out: out, conv: v.ID, session: env.SessionID, env: env, now: v.Created, ids: map[string]bool{}}
	if x.session == "" {
		if x.session = v.ID; !intake.IsUUID(v.ID) {
			x.session = intake.UUIDOf(v.ID, "session")
		}
	}
	if x.now.IsZero() {
		x.now = time.Unix(0, 0).UTC()
	}
	return x
}

func Decimal(n int64) string { return strconv.FormatInt(n, 10) }

// continueFrom lets the next line hang from a line of the session, if that is
// one of the session's own chain.
func (x *claudeLines) continueFrom(scan *walk.Scanner, line string) {
	var l claudeLine
	l.parse(scan, []byte(line))
	if l.uuid != "" && !l.sidechain && (l.typ == "user" || l.typ == "assistant" || l.typ == "system" || l.typ == "attachment" || l.typ == "progress") {
		x.last = l.uuid
	}
	if t := l.time(); !t.IsZero() {
		x.now = t
	}
	if l.msg.Model != "" && l.msg.Model != syntheticModel {
		x.model = l.msg.Model
	}
	if l.msg.ID != "" {
		x.ids[l.msg.ID] = true
	}
}

// userLine is a user line to make: a text, or content as it is.
type userLine struct {
	text      string
	content   []jsontext.Value
	synthetic bool
	summary   bool
	of        string // id of the entry
}

func (x *claudeLines) user(u userLine) {
	var l claudeUser
	l.claudeHead, l.claudeTail = x.head("user", u.of)
	l.Message.Role, l.Message.Content = "user", u.text
	if u.content != nil {
		l.Message.Content = u.content
	}
	l.Meta, l.Transcript, l.Summary = u.synthetic, u.summary, u.summary
	x.out.JSON(l)
}

// boundary writes a compaction as Claude Code does: a boundary that begins the
// chain anew, and its summary.
func (x *claudeLines) boundary(e tenfold.Entry, c tenfold.Compaction) {
	x.at(e.Time)
	var l claudeBoundary
	l.claudeHead, l.claudeTail = x.head("system", e.ID)
	l.Logical, l.Parent = l.Parent, nil
	l.Subtype, l.Content, l.Level = "compact_boundary", "Conversation compacted", "info"
	l.Metadata.Trigger, l.Metadata.Before, l.Metadata.After = "manual", c.TokensBefore, c.TokensAfter
	if c.Source == "auto" || c.Reason == "auto" {
		l.Metadata.Trigger = "auto"
	}
	x.out.JSON(l)
	x.user(userLine{text: c.Summary.Text, summary: true, of: e.ID + "/summary"})
}

// discovered begins a session with a boundary that names the tools which tool
// searches found before.
func (x *claudeLines) discovered(tools []string) {
	var l claudeBoundary
	before := intake.UUIDOf(x.conv, x.session+" before")
	l.claudeHead, l.claudeTail = x.head("system", "discovered tools")
	l.Logical = &before
	l.Subtype, l.Content, l.Level = "compact_boundary", "Conversation compacted", "info"
	l.Metadata.Trigger, l.Metadata.Discovered = "manual", tools
	x.out.JSON(l)
}

// title names the session.
func (x *claudeLines) title(title string) {
	if title == "" {
		return
	}
	x.out.JSON(struct {
		Type    string `json:"type"`
		Title   string `json:"customTitle"`
		Session string `json:"sessionId"`
	}{"custom-title", title, x.session})
}

func (x *claudeLines) at(t time.Time) {
	if !t.IsZero() {
		x.now = t
	}
}

// entries writes a stretch of a log: the root's, then each branch's as a
// sidechain.
func (x *claudeLines) entries(stretch []tenfold.Entry) {
	x.usage = map[string]tenfold.Usage{}
	var order []string
	branches := map[string]*tenfold.Log{}
	for _, e := range stretch {
		if u, ok := e.Payload.(tenfold.Usage); ok && e.MessageID != "" {
			x.usage[e.MessageID] = u
		}
		if branches[e.Branch] == nil {
			branches[e.Branch] = tenfold.NewLog()
			order = append(order, e.Branch)
		}
		log, agent := branches[e.Branch], e.Branch
		e.Branch = ""
		if u, ok := e.Payload.(tenfold.UserMessage); ok && u.Role != "" {
			u.Role, u.Provider = "", "" // in front it would be part of the system prompt
			e.Payload = u
		}
		if _, err := log.Append(e); err != nil {
			x.out.Fail(fmt.Errorf("entry %s of branch %q: %w", e.ID, agent, err))
		}
	}
	// The root comes first: a file that begins with a sidechain is a sub-agent's.
	if log := branches[""]; log != nil {
		x.projection(tenfold.Project(log), "")
	}
	root := x.last
	for _, branch := range order {
		if branch == "" {
			continue
		}
		x.last = ""
		x.projection(tenfold.Project(branches[branch]), agentOf(branch))
	}
	x.last = root
}

// agentOf names the agent of a branch, so that its lines come back there: what
// is no branch of Claude Code's is named whole.
func agentOf(branch string) string {
	if agent, ok := strings.CutPrefix(branch, "sidechain."); ok && !strings.Contains(agent, ".") {
		return agent
	}
	return branchMark + branch
}

// branchMark begins the name of an agent that is a branch. No id of Claude
// Code's has a dot.
const branchMark = "branch."

// projection writes what a model sees of a log.
func (x *claudeLines) projection(p *tenfold.Projection, agent string) {
	x.agent = agent
	defer func() { x.agent = "" }()
	body, err := body.Anthropic().Write(p)
	x.out.Fail(err)
	var request struct {
		Messages []struct {
			Role    string           `json:"role"`
			Content []jsontext.Value `json:"content"`
		} `json:"messages"`
	}
	if err == nil {
		x.out.Fail(json.Unmarshal(body, &request, walk.ScanOptions...))
	}
	if m := p.Config().Model; m != "" {
		x.model = m
	}
	a := newAligner(p)
	for _, m := range request.Messages {
		if m.Role == "assistant" {
			x.assistant(a, m.Content)
		} else {
			x.users(a, m.Content)
		}
	}
}

// users writes the content of one user message: results a line each, then one
// line for each message it was made of.
func (x *claudeLines) users(a *aligner, content []jsontext.Value) {
	var line userLine
	var of *alignedItem
	flush := func() {
		if line.content == nil {
			return
		}
		if text, ok := plainBlock(line.content); ok {
			line.text, line.content = text, nil
		}
		x.user(line)
		line = userLine{}
	}
	for _, block := range content {
		it := a.next(block, true)
		if blockType(block) == "tool_result" {
			flush()
			x.at(it.Time)
			x.user(userLine{content: []jsontext.Value{block}, of: it.ID})
			of = nil
			continue
		}
		if of != it {
			flush()
			x.at(it.Time)
			of = it
			line = userLine{synthetic: it.synthetic, of: it.ID}
		}
		line.content = append(line.content, block)
	}
	flush()
}

// assistant writes the content of one assistant message, a block to a line.
func (x *claudeLines) assistant(a *aligner, content []jsontext.Value) {
	id, stop := "", "end_turn"
	var usage claudeCounts
	for i, block := range content {
		it := a.next(block, false)
		x.at(it.Time)
		if i == 0 {
			if id = it.MessageID; id == "" || x.ids[id] {
				sum := sha256.Sum256([]byte(x.conv + "\x00" + x.session + "\x00message " + strconv.Itoa(x.made)))
				id = "msg_" + hex.EncodeToString(sum[:12])
			}
			x.ids[id] = true
			if u, ok := x.usage[it.MessageID]; ok {
				usage = claudeCounts{u.Input, u.CacheWrite, u.CacheRead, u.Output}
				if u.Model != "" {
					x.model = u.Model
				}
			}
		}
		if blockType(block) == "tool_use" {
			stop = "tool_use"
		}
		var l claudeAssistant
		l.claudeHead, l.claudeTail = x.head("assistant", it.ID)
		if it.signed && blockType(block) == "thinking" {
			l.Display = updates
		}
		l.Message.Model, l.Message.ID, l.Message.Type, l.Message.Role = x.model, id, "message", "assistant"
		l.Message.Model = cmp.Or(l.Message.Model, "unknown")
		l.Message.Content, l.Message.Usage = []jsontext.Value{block}, usage
		if i == len(content)-1 {
			l.Message.StopReason = &stop
		}
		x.out.JSON(l)
	}
}
