package claudecode

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"path"
	"strings"
	"syscall"

	"tenfold"
	"tenfold/transcript/internal/intake"
)

// Sub-agents have files of their own: <session>/subagents/agent-<id>.jsonl
// beside the session's, in older versions agent-<id>.jsonl beside it. They are
// read after the session, each as a branch of it.

// What is read of sub-agents is bounded: so many files, so many bytes of each.
const (
	AgentFiles    = 1000
	agentFileSize = 512 << 20
)

// subAgent is the sub-agent whose file is being read.
type subAgent struct {
	id   string
	seen map[string]bool // uuids of its own file
}

// agents reads the files of the session's sub-agents.
func (c *claude) agents(ctx context.Context) error {
	if c.Src.Siblings == nil || c.own || c.sessionID == "" || isAgentFile(c.baseName()) {
		return nil
	}
	names := c.agentNames()
	if len(names) > AgentFiles {
		c.Warn.Add(0, "directory has more than 1000 files of sub-agents: the rest is left out", "")
		names = names[:AgentFiles]
	}
	for _, name := range names {
		if err := c.agentFile(ctx, c.Src.Siblings, name); err != nil {
			return err
		}
	}
	return nil
}

// agentNames lists the files that may be a sub-agent's.
func (c *claude) agentNames() []string {
	var names []string
	dirs := []string{strings.TrimSuffix(c.baseName(), path.Ext(c.baseName()))}
	if intake.PlainID(c.sessionID) && c.sessionID != dirs[0] {
		dirs = append(dirs, c.sessionID)
	}
	for _, dir := range dirs {
		root := dir + "/subagents"
		if dir == "" || !fs.ValidPath(root) {
			continue
		}
		_ = fs.WalkDir(c.Src.Siblings, root, func(name string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				// A session whose name ends in nothing has the file itself there.
				if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
					c.Warn.Add(0, "directory of sub-agents could not be read", "directories of sub-agents could not be read")
				}
				return fs.SkipDir
			case len(names) > AgentFiles:
				return fs.SkipAll
			case d.Type().IsRegular() && isAgentFile(name):
				names = append(names, name)
			}
			return nil
		})
	}
	beside, err := fs.ReadDir(c.Src.Siblings, ".")
	if err != nil {
		return names
	}
	looked := 0
	for _, d := range beside {
		if len(names) > AgentFiles || looked >= AgentFiles {
			break
		}
		if d.Type().IsRegular() && isAgentFile(d.Name()) && d.Name() != c.baseName() {
			if looked++; c.isAgentFileOfSession(c.Src.Siblings, d.Name()) {
				names = append(names, d.Name())
			}
		}
	}
	return names
}

func isAgentFile(name string) bool {
	base := path.Base(name)
	return strings.HasPrefix(base, "agent-") && strings.HasSuffix(base, ".jsonl")
}

// isAgentFileOfSession reports whether a file beside the session's begins with lines of a
// sub-agent of this session.
func (c *claude) isAgentFileOfSession(dir fs.FS, name string) bool {
	f, err := dir.Open(name)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	head := make([]byte, intake.HeadSize)
	n, _ := io.ReadFull(f, head)
	for _, o := range intake.NewHead(head[:n], name).JSON.Objects {
		if id, ok := o.Values["sessionId"]; ok {
			return id == c.sessionID
		}
	}
	return false
}

// agentFile reads one file. What is wrong with it costs a warning, not the
// session; only errors of the sink and the context end the import.
func (c *claude) agentFile(ctx context.Context, dir fs.FS, name string) error {
	broken := func() {
		c.Warn.Add(0, "file of a sub-agent could not be read to its end", "files of sub-agents could not be read to their end")
	}
	f, err := dir.Open(name)
	if err != nil {
		broken()
		return nil
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil || info.Size() > agentFileSize {
		broken()
		return nil
	}
	base := path.Base(name)
	c.sub = &subAgent{
		id:   strings.TrimSuffix(strings.TrimPrefix(base, "agent-"), path.Ext(base)),
		seen: map[string]bool{},
	}
	c.view = replacement{}
	defer func() { c.sub = nil }()
	c.r = intake.NewLineReader(ctx, intake.Source{Name: name, Reader: io.LimitReader(f, agentFileSize), Size: info.Size()})
	for {
		raw, err := c.r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			if ctx.Err() != nil {
				return err
			}
			broken()
			break
		}
		c.l.parse(&c.Scan, raw)
		if c.Scan.Err != nil {
			broken()
			break
		}
		if err := c.agentLine(&c.l); err != nil {
			return err
		}
	}
	c.closeAll()
	return c.emit()
}

// agentLine turns one line of a sub-agent's file into entries. A line that the
// session's own file holds is there already.
func (c *claude) agentLine(l *claudeLine) error {
	if intake.PlainID(l.uuid) {
		if c.Ids.Seen[l.uuid] > 0 && !c.sub.seen[l.uuid] {
			return nil
		}
		c.sub.seen[l.uuid] = true
	}
	l.sidechain = true
	l.agentID = cmp.Or(l.agentID, c.sub.id)
	return c.line(l)
}

// isTold reports whether a sub-agent's message is there already: the session's
// own file holds it in a progress line. What that file holds is noted.
func (c *claude) isTold(list ...tenfold.Entry) bool {
	told := c.sub != nil
	for _, e := range list {
		switch key := agentKey(e); {
		case c.sub == nil && key != "":
			c.told[key] = true
		case !c.told[key]:
			told = false
		}
	}
	return told
}

// agentKey is what makes a block of a sub-agent's message that block, whatever
// line it stands in: the agent, and the API message and the block.
func agentKey(e tenfold.Entry) string {
	_, agent, _ := strings.Cut(e.Branch, ".")
	key := agent + " " + e.MessageID + " " + string(e.Payload.Kind()) + " "
	switch p := e.Payload.(type) {
	case tenfold.ToolCall:
		return key + p.CallID
	case tenfold.ToolResult:
		return key + p.CallID
	case tenfold.AssistantMessage:
		if e.MessageID != "" {
			return key + intake.Digest([]byte(p.Text))
		}
	case tenfold.Reasoning:
		if e.MessageID != "" {
			return key + intake.Digest([]byte(p.Text+"\x00"+p.Signature+p.Encrypted))
		}
	case tenfold.ProviderItem:
		if e.MessageID != "" {
			return key + intake.Digest([]byte(p.Data))
		}
	case tenfold.UserMessage:
		var text strings.Builder
		for _, part := range p.Parts {
			text.WriteString(part.Text + "\x00")
			if part.File != nil {
				text.WriteString(part.File.URI + part.File.Detail)
			}
		}
		return key + intake.Digest([]byte(text.String()))
	}
	return ""
}
