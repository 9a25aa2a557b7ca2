package pi

import (
	"io"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
	"tenfold/internal/shield"
	"tenfold/transcript/internal/engine"
	"tenfold/transcript/internal/intake"
	"tenfold/transcript/internal/walk"
)

// export writes a session file that pi can resume. What was imported from
// pi is given back line for line; everything else becomes lines of version 3,
// each hanging from the one before.
func export(w io.Writer, v engine.View) ([]string, error) {
	x := &piWriter{Out: engine.NewOut(w), v: v, calls: map[string]string{}, usage: map[string]tenfold.Usage{}, taken: map[string]bool{}, again: map[string]int{}}
	x.write()
	return x.warn.Text(), x.Done()
}

// piWriter is one export.
type piWriter struct {
	engine.Out
	v    engine.View
	scan walk.Scanner
	warn intake.Warnings

	headed bool
	last   string // id of the last line, "" for none
	taken  map[string]bool
	again  map[string]int // how often more lines came from an entry
	lines  []piWritten
	calls  map[string]string // names of the tools called
	usage  map[string]tenfold.Usage
	// overlays are those of the projection by id, once asked for.
	overlays map[string]tenfold.Overlay
	model    string
	// apis tells which API and provider a line of pi's own names, models which
	// one a model was last asked by.
	apis, models map[string]piAPI
	open         *piMessageOut // a response whose blocks are still coming
	openID       string
	from         tenfold.Entry // that it began with
}

// piWritten is a line that a model sees.
type piWritten struct {
	seq int64
	id  string
}

// write writes the whole file.
func (x *piWriter) write() {
	if x.v.Format == intake.Pi {
		x.readAPIs()
	}
	if x.v.Compacted {
		// What responses cost is left out: pi would take the last of them for
		// the size of the conversation.
		for e := range x.v.ForClient() {
			x.entry(e)
		}
		x.finish()
		return
	}
	for e := range x.v.Entries() {
		if u, ok := e.Payload.(tenfold.Usage); ok && e.MessageID != "" {
			x.usage[e.MessageID] = u
		}
	}
	for group := range engine.Groups(x.v.Entries()) {
		line := ""
		if x.v.Format == intake.Pi {
			line = RestorePi(&x.scan, group)
		}
		if line != "" {
			x.restored(line, group)
			continue
		}
		for _, e := range group {
			x.entry(e)
		}
	}
	x.finish()
}

// finish writes what is still open. A file needs its header in any case.
func (x *piWriter) finish() {
	x.flush()
	x.head(tenfold.Entry{})
}

// restored writes a line as it came.
func (x *piWriter) restored(line string, group []tenfold.Entry) {
	x.flush()
	var r Record
	r.Parse(&x.scan, []byte(line))
	x.headed = x.headed || r.Typ == "session"
	if r.Typ != "session" && r.id != "" {
		x.last, x.taken[r.id] = r.id, true
	}
	for _, e := range group {
		if call, ok := e.Payload.(tenfold.ToolCall); ok {
			x.calls[call.CallID] = call.Name
		}
		if e.Payload.Kind().Visible() {
			x.lines = append(x.lines, piWritten{e.Seq, r.id})
			break
		}
	}
	x.Line(line)
}

// head writes the header in front of the first line.
func (x *piWriter) head(e tenfold.Entry) {
	if x.headed {
		return
	}
	x.headed = true
	id := x.v.ID
	if x.v.Compacted {
		id += "-compacted" // another session than the one it came from
	}
	cwd := x.v.RanIn()
	x.JSON(piLine{Type: "session", Version: 3, ID: id, Timestamp: x.stamp(e), Cwd: &cwd})
}

// line writes a line that hangs from the last one.
func (x *piWriter) line(e tenfold.Entry, l piLine) {
	x.head(e)
	sum := intake.Digest([]byte(x.v.ID + "/" + e.ID))
	l.ID = sum[:8]
	for x.taken[l.ID] {
		x.again[e.ID] = max(x.again[e.ID], 1) + 1
		l.ID = intake.Digest([]byte(x.v.ID + "/" + e.ID + "~" + strconv.Itoa(x.again[e.ID])))
	}
	x.taken[l.ID] = true
	l.ParentID = jsontext.Value("null") // of the root
	if x.last != "" {
		l.ParentID, _ = jsontext.AppendQuote(nil, x.last)
	}
	x.last = l.ID
	l.Timestamp = x.stamp(e)
	if e.Payload.Kind().Visible() {
		x.lines = append(x.lines, piWritten{e.Seq, l.ID})
	}
	x.JSON(l)
}

func (x *piWriter) time(e tenfold.Entry) time.Time {
	switch {
	case !e.Time.IsZero():
		return e.Time.UTC()
	case !x.v.Created.IsZero():
		return x.v.Created.UTC()
	}
	return time.Unix(0, 0).UTC()
}

func (x *piWriter) stamp(e tenfold.Entry) string {
	return x.time(e).Format("2006-01-02T15:04:05.000Z")
}

// entry writes one entry as lines of its own.
func (x *piWriter) entry(e tenfold.Entry) {
	if e.Branch != "" {
		if e.Payload.Kind().Visible() {
			x.warn.NoForm(e, intake.Pi)
		}
		return
	}
	switch p := e.Payload.(type) {
	case tenfold.UserMessage:
		content := x.parts(p.Parts)
		for _, a := range p.Attachments {
			text := a.Element()
			content = append(content, piBlockOut{Type: "text", Text: &text})
		}
		x.message(e, &piMessageOut{Role: "user", Content: content})
	case tenfold.ToolResult:
		x.message(e, &piMessageOut{Role: "toolResult", ToolCallID: p.CallID, ToolName: x.calls[p.CallID], Content: x.parts(p.Parts), IsError: &p.IsError})
	case tenfold.Reasoning:
		if from := x.v.Format; from != "" && from != intake.Pi {
			x.warn.ForeignReasoning("pi")
			return
		}
		x.block(e)
	case tenfold.AssistantMessage, tenfold.ToolCall:
		x.block(e)
	case tenfold.ProviderItem, tenfold.CompactionRevoked:
		x.warn.NoForm(e, intake.Pi)
	case tenfold.ConfigDelta:
		x.config(e, p)
	case tenfold.Compaction:
		x.compaction(e, p)
	}
}

func (x *piWriter) message(e tenfold.Entry, m *piMessageOut) {
	x.flush()
	m.Timestamp = x.time(e).UnixMilli()
	x.line(e, piLine{Type: "message", Message: m})
}

func (x *piWriter) config(e tenfold.Entry, c tenfold.ConfigDelta) {
	x.flush()
	if x.v.Format != intake.Pi && (c.System != nil || c.Tools != nil) {
		x.warn.NoForm(e, intake.Pi)
	}
	if c.Extra != "" {
		level := ""
		x.scan.Reset([]byte(c.Extra))
		walk.Shape{"thinkingLevel", &level}.Read(&x.scan)
		if level != "" {
			x.line(e, piLine{Type: "thinking_level_change", ThinkingLevel: level})
		}
	}
	if c.Model == "" || c.Model == x.model {
		return
	}
	x.model = c.Model
	x.line(e, piLine{Type: "model_change", Provider: x.apiOf(e, c.Model).provider, ModelID: c.Model})
}

// compaction writes a summary of all there was before what it kept. pi has no
// place for other overlays.
func (x *piWriter) compaction(e tenfold.Entry, c tenfold.Compaction) {
	x.flush()
	if x.overlays == nil {
		x.overlays = map[string]tenfold.Overlay{}
		for o := range x.v.Projection.Overlays() {
			x.overlays[o.ID] = o
		}
	}
	if o := x.overlays[e.ID]; o.Live && c.Summary != nil && c.FromTurn == 0 {
		text, _ := unwrap(c.Summary.Text, piCompactionBefore, piCompactionAfter)
		l := piLine{Type: "compaction", Summary: shield.Tags(text, "summary"), TokensBefore: &c.TokensBefore, FirstKept: "none"}
		first := sort.Search(len(x.lines), func(i int) bool { return x.lines[i].seq > o.Last })
		for _, w := range x.lines[first:] {
			if w.id != "" {
				l.FirstKept = w.id
				break
			}
		}
		x.line(e, l)
		return
	}
	x.warn.NoForm(e, intake.Pi)
}

// client is pi.
var client = engine.Client{
	Program:  "pi",
	Resume:   func(file string, _ []byte) []string { return []string{"pi --session " + engine.ShellWord(file)} },
	Keep:     keep,
	Continue: func(file string, _ []byte) [][]string { return [][]string{{"pi", "--session", file}} },
}

// keep says where a session lies: those of a directory lie in one directory, by the
// time at which they began.
func keep(original string, data []byte) string {
	var head struct {
		ID   string `json:"id"`
		Time string `json:"timestamp"`
	}
	if !engine.ReadFirst(data, &head) || !intake.PlainID(head.ID) {
		return ""
	}
	began := strings.NewReplacer(":", "-", ".", "-").Replace(head.Time)
	return filepath.Join(filepath.Dir(original), filepath.Base(began+"_"+head.ID+".jsonl"))
}
