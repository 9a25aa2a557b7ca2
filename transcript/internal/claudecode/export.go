package claudecode

import (
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"tenfold"
	"tenfold/transcript/internal/engine"
	"tenfold/transcript/internal/intake"
	"tenfold/transcript/internal/walk"
)

// export writes a session file that Claude Code can resume: as
// <sessionId>.jsonl in its directory of the project. What was imported from
// such a file is written as it was; for everything else lines are made.
func export(w io.Writer, v engine.View) ([]string, error) {
	x := &claudeExport{view: v, out: engine.NewOut(w)}
	if v.Compacted {
		x.compacted()
	} else {
		x.whole()
	}
	return x.warn.Text(), x.out.Done()
}

type claudeExport struct {
	view  engine.View
	out   engine.Out
	scan  walk.Scanner
	warn  intake.Warnings
	lines claudeLines
}

// compacted writes what a model sees as a session of its own.
func (x *claudeExport) compacted() {
	records, _ := x.records()
	x.lines = newClaudeLines(&x.out, x.view, claudeEnvironment(&x.scan, records))
	x.lines.session = intake.UUIDOf(x.view.ID, "compacted session "+Decimal(x.view.Projection.Version()))
	p := x.view.Projection
	if tools := x.discovered(); len(tools) > 0 {
		x.lines.discovered(tools)
	}
	// Claude Code has a system prompt of its own, so what summaries add to it
	// goes in front.
	if text := p.Continuation(); text != "" {
		x.lines.user(userLine{text: text, synthetic: true})
	}
	x.lines.projection(p, "")
	if c := p.Config(); c.System != p.Continuation() || c.Tools != nil {
		x.warn.NoForm(tenfold.Entry{Payload: tenfold.ConfigDelta{}}, intake.ClaudeCode)
	}
	x.lines.title(x.view.Title)
}

// discovered names the tools that tool searches of the session found: Claude
// Code offers them to the model again, although the searches may be hidden.
func (x *claudeExport) discovered() []string {
	names := map[string]bool{}
	for e := range x.view.Projection.Log().Entries() {
		if e.Branch != "" {
			continue
		}
		switch p := e.Payload.(type) {
		case tenfold.ToolResult:
			for _, part := range p.Parts {
				var ref struct {
					Name string `json:"tool_name"`
				}
				if part.File != nil && part.File.Name == "tool_reference" && json.Unmarshal([]byte(part.File.Detail), &ref, walk.ScanOptions...) == nil {
					names[ref.Name] = ref.Name != ""
				}
			}
		case tenfold.Unknown:
			if p.Name == "claude-code.system" {
				var l claudeLine
				l.parse(&x.scan, []byte(e.Source))
				for _, name := range l.compact.tools {
					names[name] = x.scan.Err == nil && name != ""
				}
			}
		}
	}
	maps.DeleteFunc(names, func(_ string, found bool) bool { return !found })
	return slices.Sorted(maps.Keys(names))
}

// records gives the records of Claude Code that the log holds, in the order of
// their first own entries, and for each entry that came from none its seq.
func (x *claudeExport) records() (records []claudeRecord, foreign map[int64]bool) {
	at := map[string]int{}
	var rest []tenfold.Entry
	for e := range x.view.Projection.Log().Entries() {
		if e.Source == "" {
			rest = append(rest, e)
			continue
		}
		r := claudeRecord{id: intake.RecordID(e.ID), source: e.Source, time: e.Time, entries: []tenfold.Entry{e}}
		if _, again := at[r.id]; again || !x.native(&r, e) {
			rest = append(rest, e)
			continue
		}
		at[r.id] = len(records)
		records = append(records, r)
	}
	foreign = map[int64]bool{}
	for _, e := range rest {
		if i, ok := at[intake.RecordID(e.ID)]; ok && e.Source == "" && e.ID != records[i].id {
			records[i].entries = append(records[i].entries, e)
		} else {
			foreign[e.Seq] = true
		}
	}
	return records, foreign
}

// native reports whether an entry's source is a line of Claude Code, and notes
// what the order depends on.
func (x *claudeExport) native(r *claudeRecord, e tenfold.Entry) bool {
	var l claudeLine
	l.parse(&x.scan, []byte(e.Source))
	if x.scan.Err != nil {
		return false
	}
	r.parent, r.stamped, r.aside = l.parent, !l.time().IsZero(), l.typ != "user"
	if x.view.Format == intake.ClaudeCode {
		return true
	}
	if u, ok := e.Payload.(tenfold.Unknown); ok {
		return strings.HasPrefix(string(u.Name), "claude-code.")
	}
	if l.uuid == "" && l.sessionID == "" {
		return false
	}
	switch l.typ {
	case "user", "assistant":
		return l.msg.Kind == '{'
	case "progress":
		return l.agentMessage()
	case "attachment":
		return l.attachment.typ != ""
	case "system":
		return l.subtype == "local_command"
	}
	return false
}

// whole writes all that was said.
func (x *claudeExport) whole() {
	records, foreign := x.records()
	x.lines = newClaudeLines(&x.out, x.view, claudeEnvironment(&x.scan, records))
	for _, i := range orderClaude(records) {
		r := &records[i]
		line, ok := rebuildClaude(&x.scan, r.id, r.source, r.entries)
		if !ok {
			for _, e := range r.entries {
				foreign[e.Seq] = true
			}
			continue
		}
		x.out.Line(line)
		x.lines.continueFrom(&x.scan, line)
	}
	if len(foreign) > 0 {
		x.foreign(foreign, len(records) == 0)
	}
}

// foreign writes the entries that came from no record, up to each compaction
// that has a form here.
func (x *claudeExport) foreign(foreign map[int64]bool, all bool) {
	live := engine.LiveOverlays(x.view.Projection.Log())
	var stretch []tenfold.Entry
	opened, wrote := false, false
	flush := func() {
		part := stretch
		stretch = nil
		// Bookkeeping alone, such as an overlay that was undone, has no lines.
		if slices.ContainsFunc(part, func(e tenfold.Entry) bool { return e.Payload.Kind().Visible() }) {
			wrote = true
			x.lines.entries(part)
		}
	}
	for e := range x.view.Projection.Log().Entries() {
		kind := e.Payload.Kind()
		opened = opened || e.Branch == "" && (kind.Visible() || kind == tenfold.KindTurnStart)
		if p, ok := e.Payload.(tenfold.Compaction); ok {
			switch {
			case !live[e.ID] && !foreign[e.Seq]:
				x.warn.Add(0, "undone compaction takes effect again: claude-code has no form for undoing",
					"undone compactions take effect again: claude-code has no form for undoing")
			case !live[e.ID] || !foreign[e.Seq]:
			case all && opened && x.coversAll(p, e.Seq):
				flush()
				x.lines.boundary(e, p)
				wrote = true
			default:
				x.warn.NoForm(e, intake.ClaudeCode)
			}
			continue
		}
		if !foreign[e.Seq] {
			continue
		}
		switch p := e.Payload.(type) {
		case tenfold.Pin, tenfold.Approval, tenfold.Unknown:
			x.warn.NoForm(e, intake.ClaudeCode)
		case tenfold.Reasoning:
			if p.Provider != "anthropic" || p.Signature == "" && p.Encrypted == "" {
				x.warn.UnreadableReasoning()
			}
			stretch = append(stretch, e)
		case tenfold.ProviderItem:
			if p.Provider != "anthropic" {
				x.warn.NoForm(e, intake.ClaudeCode)
			}
			stretch = append(stretch, e)
		case tenfold.ConfigDelta:
			if p.System != nil || p.Tools != nil {
				x.warn.NoForm(e, intake.ClaudeCode)
			}
			stretch = append(stretch, e)
		default:
			stretch = append(stretch, e)
		}
	}
	if flush(); wrote && all {
		x.lines.title(x.view.Title)
	}
}

// coversAll reports whether an overlay is what Claude Code's compactions are:
// a summary of all there was when it was made, and nothing else.
func (x *claudeExport) coversAll(c tenfold.Compaction, seq int64) bool {
	turn, _, _ := x.view.Projection.Log().Where(seq)
	return c.Summary != nil && c.FromTurn == 0 && c.ToTurn >= turn && c.ToStep == nil &&
		c.Reasoning == nil && c.ToolCalls == nil && c.Texts == nil && c.Attachments == nil && c.ToolDefinitions == nil && c.Turns == ""
}

// client is Claude Code.
var client = engine.Client{
	Program: "claude",
	Resume:  func(file string, _ []byte) []string { return []string{"claude --resume " + engine.ShellWord(file)} },
	Keep:    keep,
	Continue: func(_ string, data []byte) [][]string {
		return [][]string{{"claude", "--resume", sessionOf(data)}}
	},
}

// keep says where a session lies: those of a project lie in one directory.
func keep(original string, data []byte) string {
	id := sessionOf(data)
	if id == "" {
		return ""
	}
	return filepath.Join(filepath.Dir(original), id+".jsonl")
}

// sessionOf is the session's id in the first line.
func sessionOf(data []byte) string {
	var first struct {
		ID string `json:"sessionId"`
	}
	if !engine.ReadFirst(data, &first) || !intake.PlainID(first.ID) {
		return ""
	}
	return first.ID
}
