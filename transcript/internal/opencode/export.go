package opencode

import (
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"tenfold"
	"tenfold/transcript/internal/chatapi"
	"tenfold/transcript/internal/engine"
	"tenfold/transcript/internal/intake"
	"tenfold/transcript/internal/walk"
)

// export writes what "opencode import FILE" loads: a session with its
// messages. A session that came from opencode is written as it was; any other,
// and a compacted one, is made of what a model sees.
func export(w io.Writer, v engine.View) ([]string, error) {
	x := &openCodeExport{Out: engine.NewOut(w), view: v}
	session, ok := x.native()
	switch {
	case !ok || v.Compacted:
		x.synthesise()
	case v.Copied:
		var whole strings.Builder
		to := x.Out
		x.Out = engine.NewOut(&whole)
		x.rebuild(session)
		if err := x.Done(); err != nil {
			return nil, err
		}
		x.Out = to
		x.Write(x.renamed(whole.String(), x.sessionID(session)))
	default:
		x.rebuild(session)
	}
	return x.warn.Text(), x.Done()
}

// recordIDs are the values that name records: the prefix, a number that ascends, and letters.
var recordIDs = regexp.MustCompile(`"(?:msg|prt)_[0-9a-f]{12}[0-9A-Za-z]{14}"`)

// renamed gives a session and its records other letters: opencode would import what
// has the ids of the original into that.
func (x *openCodeExport) renamed(whole, session string) string {
	s := x.newSynthesis(session)
	rename := func(quoted string) string {
		head := quoted[:len(quoted)-len(`"`)-idLetters]
		return head + s.idLetters(quoted) + `"`
	}
	whole = recordIDs.ReplaceAllStringFunc(whole, rename)
	if quoted := `"` + session + `"`; len(session) > idLetters {
		whole = strings.ReplaceAll(whole, quoted, rename(quoted))
	}
	return whole
}

type openCodeExport struct {
	engine.Out
	view engine.View
	warn intake.Warnings
	scan walk.Scanner
}

// native gives the session as opencode told it, if it did.
func (x *openCodeExport) native() (string, bool) {
	for e := range x.view.Projection.Log().Entries() {
		return e.Source, e.Branch == "" && e.Payload.Kind() == SessionName && e.Source != ""
	}
	return "", false
}

// openCodeRecord is a record of the source with the entries that came from it.
type openCodeRecord struct {
	source  string
	whole   bool // its parts are not among records
	said    []tenfold.Payload
	records []*openCodeRecord // an assistant's parts
}

// rebuild writes the records of the source, with what the payloads hold put
// back.
func (x *openCodeExport) rebuild(session string) {
	messages, rest := x.records()
	if len(rest) > 0 {
		session, messages = x.cleanUp(session, messages)
	}
	before, after, ok := x.splitAtMessages(session)
	if !ok {
		x.synthesise()
		return
	}
	x.Write(before, "[")
	for i, m := range messages {
		if i > 0 {
			x.Write(",")
		}
		if m.whole {
			x.Write(x.fillUser(m))
			continue
		}
		x.fillMessage(m)
	}
	if len(rest) > 0 {
		s := x.newSynthesis(x.sessionID(session))
		s.comma = len(messages) > 0
		s.entries(slices.Values(rest))
	}
	x.Write("]", after, "\n")
}

// splitAtMessages cuts a session at the place of its messages.
func (x *openCodeExport) splitAtMessages(session string) (before, after string, ok bool) {
	var at walk.Span
	x.scan.Reset([]byte(session))
	walk.Shape{"messages", &at}.Read(&x.scan)
	if x.scan.Err != nil || !at.Found() {
		return "", "", false
	}
	return session[:at.From], session[at.To:], true
}

func (x *openCodeExport) sessionID(session string) string {
	id := ""
	x.scan.Reset([]byte(session))
	walk.Shape{"info", walk.Inner("id", &id)}.Read(&x.scan)
	return id
}

// records groups the entries by the records they came from. What came from
// none, such as turns that another program went on with, is the rest.
func (x *openCodeExport) records() (messages []*openCodeRecord, rest []tenfold.Entry) {
	parts := map[string]*openCodeRecord{}
	for e := range x.view.Projection.Log().Entries() {
		if e.Branch == "" && e.Source != "" {
			parts[opencodeRecord(e)] = nil
		}
	}
	current := &openCodeRecord{}
	for e := range x.view.Projection.Log().Entries() {
		if e.Branch != "" {
			x.warn.NoForm(e, intake.OpenCode)
			continue
		}
		kind := e.Payload.Kind()
		p, known := parts[opencodeRecord(e)]
		switch {
		case kind == SessionName || kind == TodoName || kind == tenfold.KindTurnStart || kind == tenfold.KindConfigDelta:
		case kind == UserName || kind == openCodeOtherName:
			messages = append(messages, &openCodeRecord{source: e.Source, whole: true})
		case kind == MessageName:
			current = &openCodeRecord{source: e.Source}
			messages = append(messages, current)
		case kind == tenfold.KindUserMessage && e.Source != "":
			messages = append(messages, &openCodeRecord{source: e.Source, whole: true, said: []tenfold.Payload{e.Payload}})
		case known && e.ID != opencodeRecord(e) && e.Source == "" && !kind.Visible():
			// Made of a message: what it used, or why its compaction failed.
		case known:
			if p == nil {
				p = &openCodeRecord{}
				parts[opencodeRecord(e)] = p
				current.records = append(current.records, p)
			}
			if e.Source != "" {
				p.source = e.Source
			}
			p.said = append(p.said, e.Payload)
		case kind.Visible():
			rest = append(rest, e)
		case kind == tenfold.KindCompaction || kind == tenfold.KindCompactionRevoked:
			x.warn.NoForm(e, intake.OpenCode)
		}
	}
	return messages, rest
}

// opencodeRecord is the id of the record an entry came from.
func opencodeRecord(e tenfold.Entry) string {
	id, _, _ := strings.Cut(e.ID, "/")
	return id
}

// fillUser puts the texts back into a user's message.
func (x *openCodeExport) fillUser(r *openCodeRecord) string {
	if len(r.said) == 0 {
		return r.source
	}
	m := &openCodeMessage{raw: []byte(r.source)}
	m.parse(&x.scan)
	f := engine.Finder{Scan: &x.scan, Raw: m.raw, Filling: true, Fill: chatapi.Held(r.said)}
	openCodeUser(&f, m)
	return f.Done()
}

// fillMessage writes an assistant's message with its parts.
func (x *openCodeExport) fillMessage(r *openCodeRecord) {
	m := &openCodeMessage{raw: []byte(r.source)}
	m.parse(&x.scan)
	if !m.parts.Found() {
		x.Write(r.source)
		return
	}
	x.Write(r.source[:m.parts.From], "[")
	n := 0
	for _, part := range r.records {
		if part.source == "" {
			continue
		}
		if n++; n > 1 {
			x.Write(",")
		}
		x.Write(x.fillPart(part))
	}
	x.Write("]", r.source[m.parts.To:])
}

func (x *openCodeExport) fillPart(r *openCodeRecord) string {
	raw := []byte(r.source)
	var p openCodePart
	x.scan.Reset(raw)
	p.read(&x.scan)
	if x.scan.Err != nil {
		return r.source
	}
	f := engine.Finder{Scan: &x.scan, Raw: raw, Filling: true}
	for _, said := range r.said {
		switch said := said.(type) {
		case tenfold.AssistantMessage:
			f.Put(p.text, said.Text)
		case tenfold.Reasoning:
			if said.CallID == "" { // else it stands on a call, which keeps it
				f.Fill = []string{said.Text}
				if said.Provider != "openai" {
					f.Fill = append(f.Fill, said.Signature)
				}
				f.Fill = append(f.Fill, said.Encrypted)
				openCodeReasoning(&f, &p)
			}
		case tenfold.Compaction:
			if said.Summary != nil {
				f.Put(p.text, said.Summary.Text)
			}
		case tenfold.ToolCall:
			f.PutWhole(p.input, said.Arguments)
		case tenfold.ToolResult:
			if f.Fill = chatapi.Held(chatapi.One(said)); len(said.Parts) == 0 || said.Parts[0].File != nil {
				f.Fill = slices.Insert(f.Fill, 0, "") // of a text that says nothing
			}
			openCodeResult(&f, &p, "")
		}
	}
	return f.Done()
}

// client is opencode, which keeps its sessions in a database.
var client = engine.Client{Program: "opencode", Resume: resume, Continue: adopt}

func resume(file string, data []byte) (commands []string) {
	for _, words := range adopt(file, data) {
		commands = append(commands, engine.ShellCommand(words))
	}
	return commands
}

// adopt has opencode take a file in.
func adopt(file string, data []byte) [][]string {
	var session struct {
		Info struct {
			ID string `json:"id"`
		} `json:"info"`
	}
	if json.Unmarshal(data, &session) != nil || !intake.PlainID(session.Info.ID) {
		return nil
	}
	return [][]string{{"opencode", "import", file}, {"opencode", "--session", session.Info.ID}}
}
