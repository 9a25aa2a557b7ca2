package prose

import (
	"bufio"
	"cmp"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
	"tenfold/internal/number"
	"tenfold/token"
	"tenfold/transcript/internal/engine"
	"tenfold/transcript/internal/intake"
	"tenfold/transcript/internal/walk"
)

func MarkdownHandler() engine.Handler {
	return engine.Handler{Format: intake.Markdown, About: "Markdown for people to read", Export: exportMarkdown}
}

// exportMarkdown writes a conversation for people to read. What no model sees is left
// out, but for approvals, compactions and changes of the model.
func exportMarkdown(w io.Writer, v engine.View) ([]string, error) {
	m := &Markdown{W: bufio.NewWriter(w), names: map[[2]string]string{}, Turn: -1, scale: token.Calibrate(v.Projection.Log())}
	m.head(v)
	if v.Compacted {
		for it := range v.Projection.Items() {
			m.item(it)
		}
	} else {
		log := v.Projection.Log()
		for e := range log.Entries() {
			turn, _, ok := log.Where(e.Seq)
			if !ok {
				turn = m.Turn
			}
			m.entry(e, turn)
		}
	}
	if err := m.W.Flush(); err != nil {
		return nil, err
	}
	var warn intake.Warnings
	for range m.left {
		warn.Add(0, "entry that no model sees is left out", "entries that no model sees are left out")
	}
	return warn.Text(), nil
}

// Markdown is one export.
type Markdown struct {
	W     *bufio.Writer
	names map[[2]string]string // of the tools, by the branches and ids of their calls
	Turn  int
	scale token.Scale
	left  int // entries that have no place here
}

func (m *Markdown) line(texts ...string) {
	for _, t := range texts {
		_, _ = m.W.WriteString(t)
	}
	_ = m.W.WriteByte('\n')
}

// head writes the title and the facts.
func (m *Markdown) head(v engine.View) {
	title := cmp.Or(engine.FirstLine(v.Title), v.ID)
	log := v.Projection.Log()
	all := m.scale.Counts(v.Projection.Totals().All())[0]
	m.line("# ", markdownCell(title))
	m.line()
	m.line("| | |")
	m.line("|---|---|")
	m.line("| Conversation | ", markdownCell(v.ID), " |")
	if v.Format != "" {
		m.line("| Format | ", markdownCell(string(v.Format)), " |")
	}
	if !v.Created.IsZero() {
		m.line("| Created | ", v.Created.UTC().Format(time.DateTime), " UTC |")
	}
	config := v.Projection.Config()
	if config.Model != "" {
		m.line("| Model | ", markdownCell(config.Model), " |")
	}
	m.line("| Turns | ", number.Thousands(log.Turns()), " |")
	m.line("| Entries | ", number.Thousands(int(log.Version())), " |")
	m.line("| Tokens | ", number.Thousands(all.Before), ", ", string(m.scale.Source()), " |")
	if all.After != all.Before {
		m.line("| Tokens after compaction | ", number.Thousands(all.After), " |")
	}
	if v.Compacted {
		m.line("| Shown | what a model sees |")
	} else {
		m.line("| Shown | all that was said |")
	}
	m.line()
	if config.System != "" {
		m.folded("System prompt, "+byteSize(len(config.System)), config.System, "")
	}
	if len(config.Tools) > 0 {
		var names []string
		for _, t := range config.Tools {
			names = append(names, markdownCell(t.Name))
		}
		m.line("Tools: ", strings.Join(names, ", "))
		m.line()
	}
}

// note says in a heading who speaks, or what happened, with a paragraph where
// there is one. Texts of the conversation have no headings of this level, so
// that none of them passes for it.
func (m *Markdown) note(title string, texts ...string) {
	m.line("### ", title)
	m.line()
	if strings.Join(texts, "") != "" {
		m.line(texts...)
		m.line()
	}
}

// heading opens a turn.
func (m *Markdown) heading(turn int) {
	if turn != m.Turn && turn >= 0 {
		m.Turn = turn
		m.line("## Turn ", strconv.Itoa(turn))
		m.line()
	}
}

// entry writes an entry of the log.
func (m *Markdown) entry(e tenfold.Entry, turn int) {
	switch p := e.Payload.(type) {
	case tenfold.Compaction:
		m.compaction(e.ID, p)
	case tenfold.CompactionRevoked:
		m.note("Compaction", codeSpan(p.Target), " was taken back.")
	case tenfold.CompactionFailed:
		m.note("Compaction failed", markdownCell(p.Error))
	case tenfold.Approval:
		m.heading(turn)
		m.note("Approval of "+m.tool(e.Branch, p.CallID)+": "+markdownCell(string(p.State)), markdownCell(engine.FirstLine(p.Reason)))
	case tenfold.ConfigDelta:
		if p.Model != "" {
			m.note("Model", "From here on the model is ", markdownCell(p.Model), ".")
		}
	case tenfold.TurnStart:
		m.heading(turn)
	default:
		if !e.Payload.Kind().Visible() {
			m.left++
			return
		}
		m.heading(turn)
		m.said(e.Payload, e.Branch, "", e.Time)
	}
}

// item writes what a model sees of an entry, and what stands in for entries.
func (m *Markdown) item(it tenfold.Item) {
	m.heading(it.Turn)
	note := ""
	switch {
	case it.Added == tenfold.AddedSummary:
		note = "summary, by compaction " + codeSpan(it.By)
	case it.Added != 0:
		note = "put in"
	case it.By != "":
		note = it.Fate.String() + " by compaction " + codeSpan(it.By)
	}
	m.said(it.Payload, it.Branch, note, time.Time{})
}

// said writes one thing that was said, and by whom.
func (m *Markdown) said(p tenfold.Payload, branch, note string, at time.Time) {
	about := ""
	if branch != "" {
		about += " of sub-agent " + codeSpan(branch)
	}
	if note != "" {
		about += ", " + note
	}
	if !at.IsZero() {
		about += " · " + at.UTC().Format(time.DateTime)
	}
	switch p := p.(type) {
	case tenfold.UserMessage:
		who := "User"
		switch {
		case p.Purpose == tenfold.Notice:
			who = "Notice"
		case p.Synthetic, p.Purpose == tenfold.Context:
			who = "Context"
		}
		m.note(who + about)
		m.parts(p.Parts)
		for _, a := range p.Attachments {
			m.folded("Attachment "+escapeText(a.Name)+", "+byteSize(len(a.Content)), a.Content, "")
		}
	case tenfold.AssistantMessage:
		m.note("Assistant" + about)
		m.Text(p.Text)
	case tenfold.Reasoning:
		if p.Text == "" {
			m.note("Reasoning, not readable" + about)
			return
		}
		m.folded("Reasoning"+htmlNote(about)+", "+byteSize(len(p.Text)), p.Text, "")
	case tenfold.ToolCall:
		m.names[[2]string{branch, p.CallID}] = p.Name
		m.folded("Call of <b>"+escapeText(p.Name)+"</b>"+htmlNote(about)+", "+byteSize(len(p.Arguments)), indented(p.Arguments), "json")
	case tenfold.ToolResult:
		m.result(p, m.names[[2]string{branch, p.CallID}], about)
	case tenfold.ProviderItem:
		m.folded("Item of "+escapeText(p.Provider)+htmlNote(about)+", "+byteSize(len(p.Data)), indented(p.Data), "json")
	}
}

func (m *Markdown) result(p tenfold.ToolResult, of, about string) {
	n := 0
	var text strings.Builder
	for _, part := range p.Parts {
		n += len(part.Text)
		if part.File == nil {
			text.WriteString(part.Text)
		}
	}
	name := "Result"
	if p.IsError {
		name = "Error"
	}
	m.folded(name+" of <b>"+escapeText(of)+"</b>"+htmlNote(about)+", "+byteSize(n), text.String(), "")
	for _, part := range p.Parts {
		if part.File != nil {
			m.file(*part.File)
		}
	}
}

func (m *Markdown) tool(branch, call string) string {
	if name := m.names[[2]string{branch, call}]; name != "" {
		return codeSpan(name)
	}
	return "a call"
}

// parts writes texts, and links to files.
func (m *Markdown) parts(parts []tenfold.Part) {
	for _, p := range parts {
		if p.File != nil {
			m.file(*p.File)
		} else {
			m.Text(p.Text)
		}
	}
}

// file writes a link where there is a place to go to, else what the file is.
func (m *Markdown) file(f tenfold.File) {
	name := cmp.Or(engine.FirstLine(f.Name), string(f.Type))
	switch data, inline := strings.CutPrefix(f.URI, "data:"); {
	case inline:
		kind, _, _ := strings.Cut(data, ";")
		m.line("*", markdownCell(name), ", ", markdownCell(engine.FirstLine(kind)), ", ", byteSize(len(f.URI)), " inline*")
	case strings.HasPrefix(f.URI, "https://") || strings.HasPrefix(f.URI, "http://"):
		m.line("[", markdownCell(name), "](<", linkTarget(f.URI), ">)")
	case f.URI != "":
		m.line("*", markdownCell(name), "* ", codeSpan(f.URI))
	default:
		m.line("*", markdownCell(name), ", ", byteSize(len(f.Detail)), "*")
	}
	m.line()
}

// compaction writes what an overlay hides.
func (m *Markdown) compaction(id string, c tenfold.Compaction) {
	turns := "turn " + strconv.Itoa(c.FromTurn)
	if c.ToTurn != c.FromTurn {
		turns = "turns " + strconv.Itoa(c.FromTurn) + " to " + strconv.Itoa(c.ToTurn)
	}
	if c.ToStep != nil {
		turns += " up to step " + strconv.Itoa(*c.ToStep)
	}
	what := "seen shortened"
	switch {
	case c.Summary != nil:
		what = "seen as a summary"
	case c.Turns == tenfold.Omit:
		what = "hidden"
	}
	text := codeSpan(id) + ": " + turns + " " + what
	if c.Reason != "" {
		text += " (" + markdownCell(engine.FirstLine(c.Reason)) + ")"
	}
	switch before, after := m.scale.Sizes(c); {
	case c.TokensBefore > 0 && c.TokensAfter == 0 && c.Source == tenfold.SourceImport: // few tools tell what was left
		text += ", of " + number.Thousands(c.TokensBefore) + " tokens"
	case before > 0:
		text += ", " + number.Thousands(before) + " → " + number.Thousands(after) + " tokens"
	}
	m.note("Compaction", text, ".")
	if c.Summary != nil {
		m.folded("Summary, "+byteSize(len(c.Summary.Text)), c.Summary.Text, "")
	}
}

// folded writes a block that opens when one clicks on it. The title is HTML.
func (m *Markdown) folded(title, text, language string) {
	m.line("<details>")
	m.line("<summary>", title, "</summary>")
	m.line()
	m.fenced(text, language)
	m.line("</details>")
	m.line()
}

// fenced writes a text as it is, in a fence that nothing in it closes.
func (m *Markdown) fenced(text, language string) {
	text = strings.TrimRight(visible(text), "\n")
	if text == "" {
		m.line("*empty*")
		m.line()
		return
	}
	fence := strings.Repeat("`", max(3, LongestRun(text, '`')+1))
	m.line(fence, language)
	m.line(text)
	m.line(fence)
	m.line()
}

// indented lays JSON out; what is none stays as it is.
func indented(text string) string {
	v := jsontext.Value(text)
	if !v.IsValid(walk.ScanOptions...) {
		return text
	}
	v = v.Clone()
	if err := v.Indent(append([]jsontext.Options{jsontext.WithIndent("  ")}, walk.ScanOptions...)...); err != nil {
		return text
	}
	return string(v)
}
