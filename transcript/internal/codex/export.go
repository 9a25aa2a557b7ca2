package codex

import (
	"io"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
	"tenfold/internal/rawjson"
	"tenfold/transcript/internal/engine"
	"tenfold/transcript/internal/intake"
	"tenfold/transcript/internal/walk"
)

// export writes a rollout that Codex can resume from. Lines that came from a rollout
// are written as they were; what came from elsewhere is written as Codex would have.
func export(w io.Writer, v engine.View) ([]string, error) {
	x := codexWriter{Out: engine.NewOut(w), view: v, time: v.Created, written: map[string]codexCall{}, uses: map[string]int{}}
	x.record.Scan = &walk.Scanner{}
	if v.Compacted {
		x.compacted()
	} else {
		x.whole()
	}
	return x.warn.Text(), x.Done()
}

// codexWriter writes one rollout.
type codexWriter struct {
	engine.Out
	view engine.View
	warn intake.Warnings

	record Record
	// time is that of the last line.
	time time.Time
	// begun says that the line about the session is written; bare, that the
	// rollout is an old one, whose lines are items.
	begun, bare bool
	// written tells of each open call how it was written, and uses how often
	// its id was.
	written map[string]codexCall
	uses    map[string]int
	spent   codexTokens
	model   string
	dir     *string // what cwd found
	// ordinal is that of the last line, nil while lines have none; ours says that lines
	// of our own were numbered.
	ordinal *int64
	ours    bool
}

// codexCall is how a call was written: its result is to match.
type codexCall struct {
	id, output string
	same       bool // as it was
}

type codexLine struct {
	Timestamp string `json:"timestamp"`
	Ordinal   *int64 `json:"ordinal,omitzero"`
	Type      string `json:"type"`
	Payload   any    `json:"payload"`
}

type codexMeta struct {
	ID            string     `json:"id"`
	Timestamp     string     `json:"timestamp"`
	Cwd           string     `json:"cwd"`
	Originator    string     `json:"originator"`
	Version       string     `json:"cli_version"`
	Source        string     `json:"source"`
	ModelProvider string     `json:"model_provider,omitzero"`
	Base          *codexText `json:"base_instructions,omitzero"`
}

type codexText struct {
	Text string `json:"text"`
}

// codexSettings are those of a turn that another tool's session has. Codex
// takes the rest, as sandbox and approvals, from who resumes.
type codexSettings struct {
	Cwd   string `json:"cwd"`
	Model string `json:"model"`
}

type codexTokens struct {
	Input     int `json:"input_tokens"`
	Cached    int `json:"cached_input_tokens"`
	Output    int `json:"output_tokens"`
	Reasoning int `json:"reasoning_output_tokens"`
	Total     int `json:"total_tokens"`
}

type codexCount struct {
	Type string `json:"type"`
	Info struct {
		Total  codexTokens `json:"total_token_usage"`
		Last   codexTokens `json:"last_token_usage"`
		Window *int        `json:"model_context_window"`
	} `json:"info"`
	Limits *int `json:"rate_limits"`
}

// line writes a line of our own.
func (x *codexWriter) line(typ string, payload any) {
	x.JSON(codexLine{codexTime(x.time), x.number(), typ, payload})
}

// number numbers a line of our own, where the original ones are numbered: Codex resumes
// nothing else.
func (x *codexWriter) number() *int64 {
	if x.ordinal == nil {
		return nil
	}
	x.ours = true
	n := *x.ordinal + 1
	x.ordinal = &n
	return &n
}

// numbered is an original line, numbered after those of our own that are before it.
func (x *codexWriter) numbered(line []byte, root engine.Members) []byte {
	n, ok := WholeNumber(root.Raw("ordinal"))
	if !ok {
		return line
	}
	if !x.ours {
		x.ordinal = &n
		return line
	}
	o, err := rawjson.Parse(line)
	if err != nil {
		return line
	}
	o.Set("ordinal", jsontext.Value(strconv.FormatInt(*x.number(), 10)))
	return o.Bytes()
}

// at moves on to the time of an entry.
func (x *codexWriter) at(t time.Time) {
	if !t.IsZero() {
		x.time = t
	}
}

func codexTime(t time.Time) string {
	if t.IsZero() {
		t = time.Unix(0, 0)
	}
	return engine.WriteTime(t)
}

// IsID reports whether an id is one of Codex's: a UUID in small letters.
func IsID(id string) bool { return intake.IsUUID(id) && id == strings.ToLower(id) }

// codexID is an id as Codex wants one, made from another.
func codexID(id string) string {
	if IsID(id) {
		return id
	}
	return intake.HashedUUID("codex " + id)
}

// begin writes the line about the session unless it is written.
func (x *codexWriter) begin(id string, base *codexText) {
	if x.begun {
		return
	}
	x.begun = true
	if x.time.IsZero() {
		x.time = x.view.Created
	}
	x.line("session_meta", codexMeta{
		ID: codexID(id), Timestamp: codexTime(x.time), Cwd: x.cwd(), Originator: "tenfold", Version: "0.0.0",
		Source: "cli", ModelProvider: x.provider(), Base: base,
	})
}

func (x *codexWriter) settings(model string) {
	if model != "" && model != x.model {
		x.model = model
		x.line("turn_context", codexSettings{x.cwd(), model})
	}
}

// whole writes all there is, in order.
func (x *codexWriter) whole() {
	p := x.view.Projection
	undone := map[string]bool{}
	for o := range p.Overlays() {
		undone[o.ID] = !o.Live
	}
	past := tenfold.NewLog() // what other tools compacted needs the view before
	seen := tenfold.Project(past)
	for group := range engine.Groups(p.Log().Entries()) {
		if x.Err == nil && !x.original(group, undone) {
			for _, e := range group {
				if _, ok := e.Payload.(tenfold.Compaction); ok && !undone[e.ID] {
					x.replaced(e, past, seen)
					continue
				}
				x.entry(e)
			}
		}
		for _, e := range group {
			if c, ok := e.Payload.(tenfold.Compaction); ok && (c.Source != tenfold.SourceImport || undone[e.ID]) {
				continue
			}
			if _, err := past.Append(e); err != nil && x.Err == nil {
				x.Err = err
			}
		}
	}
	x.begin(x.view.ID, nil)
}

// original writes the line that entries came from, if they came from a rollout.
func (x *codexWriter) original(group []tenfold.Entry, undone map[string]bool) bool {
	line, ok := x.record.line(group, x.bare || x.view.Format == intake.Codex)
	if !ok {
		return false
	}
	for _, e := range group {
		if undone[e.ID] {
			return true // what was undone is not to come back
		}
	}
	root := x.record.Look(string(line))
	first := !x.begun
	if first {
		x.bare = !root.Get("payload").Found()
		if x.bare || root.Peek("type") == "session_meta" {
			x.begun = true
		} else {
			x.at(group[0].Time)
			x.begin(x.view.ID, nil)
			root = x.record.Look(string(line))
		}
	}
	if first && x.view.Copied {
		line = renamed(line, codexID(x.view.ID))
	}
	x.at(group[len(group)-1].Time)
	if m := root.Object("payload").Peek("model"); m != "" && root.Peek("type") == "turn_context" {
		x.model = m
	}
	for _, e := range group {
		x.noteWritten(e.Payload, itemType(root))
	}
	x.Line(string(x.numbered(line, root)))
	return true
}

// renamed gives the line about a session the id of another one: Codex finds sessions by
// that, wherever they lie. Any other line stays.
func renamed(line []byte, id string) []byte {
	root, err := rawjson.Parse(line)
	if err != nil {
		return line
	}
	meta, err := rawjson.Parse(root.Get("payload"))
	nested := err == nil
	if !nested {
		meta = root
	} else if rawjson.Text(root.Get("type")) != "session_meta" {
		return line
	}
	for _, name := range []string{"id", "session_id"} {
		if meta.Get(name) != nil {
			meta.Set(name, rawjson.Quote(id))
		}
	}
	if !nested {
		return meta.Bytes()
	}
	root.Set("payload", meta.Bytes())
	return root.Bytes()
}

// itemType is the type of the item in a line.
func itemType(root engine.Members) string {
	if p := root.Object("payload"); p.Any() {
		root = p
	}
	return root.Peek("type")
}

// replaced writes a compaction of another tool, or one of ours with a summary of
// all before: what a model sees after it. Codex has no form for other overlays.
func (x *codexWriter) replaced(e tenfold.Entry, past *tenfold.Log, seen *tenfold.Projection) {
	c, _ := e.Payload.(tenfold.Compaction)
	if c.Source != tenfold.SourceImport && (c.Summary == nil || c.FromTurn != 0) {
		x.warn.NoForm(e, intake.Codex)
		return
	}
	if _, err := past.Append(e); err != nil {
		x.Err = err
		return
	}
	seen.Advance()
	x.at(e.Time)
	x.begin(x.view.ID, nil)
	var history struct {
		Message string `json:"message"`
		History []any  `json:"replacement_history"`
	}
	history.History = []any{}
	if c.Summary != nil {
		history.Message = c.Summary.Text
	}
	open, uses := x.written, x.uses
	x.written, x.uses = map[string]codexCall{}, map[string]int{}
	for it := range seen.Items() {
		if it.Branch == "" {
			history.History = append(history.History, x.items(it.Payload, x.record.shape(rawSource(past, it.Seq)))...)
		}
	}
	x.written, x.uses = open, uses
	x.warn.Add(0, "compaction is written as the history that a model sees after it", "compactions are written as the histories that a model sees after them")
	x.line("compacted", history)
}

// rawSource is the source of the entry with the given seq, if there is one.
func rawSource(log *tenfold.Log, seq int64) string {
	e, ok := log.Entry(seq)
	if !ok || seq == 0 {
		return ""
	}
	return e.Source
}

// client is Codex.
var client = engine.Client{
	Program: "codex", Resume: resume, Keep: keep,
	Continue: func(_ string, data []byte) [][]string {
		id, _ := placeOf(data)
		return [][]string{{"codex", "resume", id}}
	},
}

// resume has Codex find the session where it keeps its own: it takes no path.
func resume(file string, data []byte) []string {
	id, place := placeOf(data)
	if id == "" {
		return nil
	}
	place = "~/.codex/sessions/" + place
	return []string{
		"mkdir -p " + path.Dir(place) + " && cp " + engine.ShellWord(file) + " " + place,
		"codex resume " + id,
	}
}

// keep says where a rollout lies: they lie by the day on which they began,
// below a directory beside that of those which were archived.
func keep(original string, data []byte) string {
	_, place := placeOf(data)
	if place == "" {
		return ""
	}
	home := filepath.Dir(filepath.Dir(original)) // of an archived one
	if filepath.Base(filepath.Dir(original)) != "archived_sessions" {
		home = filepath.Dir(filepath.Dir(filepath.Dir(home)))
	}
	return filepath.Join(home, "sessions", filepath.FromSlash(place))
}

// placeOf is the id that the first line says, and the path that Codex gives such a
// rollout below its sessions.
func placeOf(data []byte) (id, place string) {
	var meta struct {
		Payload struct {
			ID   string    `json:"id"`
			Time time.Time `json:"timestamp"`
		} `json:"payload"`
	}
	if !engine.ReadFirst(data, &meta) || !intake.PlainID(meta.Payload.ID) {
		return "", ""
	}
	id = meta.Payload.ID
	return id, meta.Payload.Time.Format("2006/01/02/rollout-2006-01-02T15-04-05-") + id + ".jsonl"
}
