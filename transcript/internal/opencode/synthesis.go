package opencode

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"iter"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
	"tenfold/transcript/internal/engine"
	"tenfold/transcript/internal/intake"
	"tenfold/transcript/internal/walk"
)

// synthesis writes messages made of entries. All it makes up is a function of
// the conversation: ids ascend, as opencode reads by them.
type synthesis struct {
	x       *openCodeExport
	session string
	seed    string
	comma   bool
	last    uint64 // the newest id's number
	now     int64  // milliseconds
	model   string
	system  string
	user    string // id of the newest user's message

	// The response under way.
	open    bool
	begun   int64
	message string // provider's id
	parts   []openCodePartJSON
	calls   map[string][]int // open calls by id
	done    bool             // a result came
	counts  openCodeCounts
	cost    float64
}

func (x *openCodeExport) newSynthesis(session string) *synthesis {
	s := &synthesis{x: x, session: session, seed: x.view.ID, calls: map[string][]int{}}
	s.now = max(x.view.Created.UnixMilli(), 0)
	if x.view.Created.IsZero() {
		s.now = 0
	}
	if x.view.Compacted {
		s.seed += " compacted"
	}
	return s
}

// synthesise writes a session of its own: importing it leaves the one it was
// made from as it is.
func (x *openCodeExport) synthesise() {
	created, updated := x.view.Created, x.view.Created
	for e := range x.view.Projection.Log().Entries() {
		if created.IsZero() {
			created = e.Time
		}
		if e.Time.After(updated) {
			updated = e.Time
		}
	}
	x.view.Created = created
	s := x.newSynthesis("")
	s.session = "ses_" + s.number(^(uint64(s.now) << 12)) + s.idLetters("session") //nolint:gosec // opencode takes the low bits
	title := cmp.Or(x.view.Title, x.view.ID)
	info := x.Marshal(openCodeSessionJSON{
		ID: s.session, Slug: x.view.ID, ProjectID: "global", Directory: "/", Title: title, Version: openCodeVersion,
		Time: openCodeSpan{Created: max(s.now, 1), Updated: max(s.now, updated.UnixMilli(), 1)},
	})
	x.Write(`{"info":`, info, `,"messages":[`)
	s.entries(x.view.ForClient())
	x.Write("]}\n")
}

// entries writes what the entries say.
func (s *synthesis) entries(list iter.Seq[tenfold.Entry]) {
	for e := range list {
		if e.Branch != "" {
			s.x.warn.NoForm(e, intake.OpenCode)
			continue
		}
		s.entry(e)
	}
	s.close()
}

func (s *synthesis) entry(e tenfold.Entry) {
	switch ms := e.Time.UnixMilli(); {
	case e.Time.IsZero():
	case ms >= s.now:
		s.now = ms
	case e.Payload.Kind().Visible() && !s.x.view.Compacted:
		s.x.warn.Add(0, "time is before that of the entry before it and is left out", "times are before those of the entries before them and are left out")
	}
	switch p := e.Payload.(type) {
	case tenfold.TurnStart:
		s.close()
	case tenfold.ConfigDelta:
		if p.Model != "" {
			s.model = p.Model
		}
		if p.System != nil {
			s.system = *p.System
		}
		if p.Tools != nil {
			s.x.warn.Add(0, "list of tool definitions has no place and is left out", "lists of tool definitions have no place and are left out")
		}
	case tenfold.UserMessage:
		s.close()
		s.prompt(p)
	case tenfold.AssistantMessage:
		s.respond(e.MessageID)
		s.add(openCodePartJSON{Type: "text", Text: &p.Text, Time: &openCodeSpan{Start: s.stamp(), End: s.stamp()}})
	case tenfold.Reasoning:
		if from := s.x.view.Format; from != "" && from != intake.OpenCode {
			s.x.warn.ForeignReasoning("opencode")
			break
		}
		s.respond(e.MessageID)
		s.add(openCodePartJSON{Type: "reasoning", Text: &p.Text, Time: &openCodeSpan{Start: s.stamp(), End: s.stamp()}, Metadata: s.metadata(p)})
	case tenfold.ToolCall:
		s.respond(e.MessageID)
		s.call(p)
	case tenfold.ToolResult:
		s.result(p)
	case tenfold.Compaction, tenfold.CompactionRevoked, tenfold.ProviderItem:
		s.x.warn.NoForm(e, intake.OpenCode)
	case tenfold.Usage:
		if s.open {
			s.counts = openCodeCounts{Input: p.Input, Output: p.Output, Cache: openCodeCache{p.CacheRead, p.CacheWrite}}
			if p.Cost != nil {
				s.cost = *p.Cost
			}
		}
	}
}

// prompt writes a user's message.
func (s *synthesis) prompt(p tenfold.UserMessage) {
	id := s.id("msg_")
	s.user = id
	var parts []openCodePartJSON
	add := func(part openCodePartJSON) {
		part.openCodeIDs = openCodeIDs{s.id("prt_"), s.session, id}
		parts = append(parts, part)
	}
	for _, part := range p.Parts {
		if part.File != nil {
			add(openCodeFileJSON(part.File))
			continue
		}
		add(openCodePartJSON{Type: "text", Text: &part.Text, Synthetic: p.Synthetic})
	}
	for _, a := range p.Attachments {
		// A text file is not sent as a file, but as a text beside it.
		text := a.Element()
		add(openCodePartJSON{Type: "text", Text: &text, Synthetic: true})
	}
	info := openCodeUserJSON{Role: "user", Time: openCodeSpan{Created: s.stamp()}, Agent: "build", Model: s.modelName(), openCodeIDs: openCodeIDs{ID: id, SessionID: s.session}}
	info.System, s.system = s.system, "" // once
	s.write(openCodeMessageJSON{info, parts})
}

func openCodeFileJSON(f *tenfold.File) openCodePartJSON {
	part := openCodePartJSON{Type: "file", Mime: f.MediaType, Filename: f.Name, URL: f.URI}
	part.Mime = cmp.Or(part.Mime, "application/octet-stream")
	if part.URL == "" {
		part = openCodePartJSON{Type: "text", Text: &f.Detail, Synthetic: true}
	}
	return part
}

// respond opens a response, or goes on with the one under way.
func (s *synthesis) respond(message string) {
	if s.open && (s.done || message != "" && s.message != "" && message != s.message) {
		s.close()
	}
	if s.open {
		return
	}
	if s.user == "" {
		// An answer needs a message it answers.
		s.prompt(tenfold.UserMessage{Synthetic: true})
	}
	s.open, s.message, s.begun = true, message, s.stamp()
	s.add(openCodePartJSON{Type: "step-start"})
}

func (s *synthesis) add(p openCodePartJSON) { s.parts = append(s.parts, p) }

func (s *synthesis) call(p tenfold.ToolCall) {
	input := jsontext.Value(p.Arguments)
	if !input.IsValid(walk.ScanOptions...) || input.Kind() != '{' {
		wrapped, _ := json.Marshal(map[string]string{"input": p.Arguments}, walk.ScanOptions...)
		input = wrapped
		s.x.warn.Add(0, "call's arguments are not a JSON object: they stand in one called input", "calls' arguments are not JSON objects: they stand in one called input")
	}
	raw := ""
	s.calls[p.CallID] = append(s.calls[p.CallID], len(s.parts))
	s.add(openCodePartJSON{Type: "tool", Tool: p.Name, CallID: p.CallID, State: &openCodeStateJSON{Status: "pending", Input: input, Raw: &raw}})
}

// result completes the nearest open call of its id.
func (s *synthesis) result(p tenfold.ToolResult) {
	waiting := s.calls[p.CallID]
	if len(waiting) == 0 {
		s.x.warn.NoForm(tenfold.Entry{Payload: p}, intake.OpenCode)
		return
	}
	s.calls[p.CallID] = waiting[1:]
	s.done = true
	part := &s.parts[waiting[0]]
	var texts []string
	state := &openCodeStateJSON{Input: part.State.Input, Time: &openCodeSpan{Start: s.begun, End: s.stamp()}}
	for _, r := range p.Parts {
		if r.File == nil {
			texts = append(texts, r.Text)
			continue
		}
		state.Attachments = append(state.Attachments, openCodeFileJSON(r.File))
	}
	text := strings.Join(texts, "\n")
	if p.IsError {
		state.Status, state.Error, state.Attachments = "error", &text, nil
	} else {
		title := ""
		state.Status, state.Output, state.Title, state.Metadata = "completed", &text, &title, jsontext.Value(`{}`)
	}
	part.State = state
}

// close writes the response under way.
func (s *synthesis) close() {
	if !s.open {
		return
	}
	finish := "stop"
	id := s.id("msg_")
	for i := range s.parts {
		p := &s.parts[i]
		p.openCodeIDs = openCodeIDs{s.id("prt_"), s.session, id}
		if p.Type != "tool" {
			continue
		}
		finish = "tool-calls"
		for k := range p.State.Attachments {
			p.State.Attachments[k].openCodeIDs = openCodeIDs{s.id("prt_"), s.session, id}
		}
	}
	cost, counts := s.cost, s.counts
	s.add(openCodePartJSON{Type: "step-finish", Reason: finish, Tokens: &counts, Cost: &cost, openCodeIDs: openCodeIDs{s.id("prt_"), s.session, id}})
	info := openCodeAssistantJSON{
		ParentID: s.user, Role: "assistant", Mode: "build", Agent: "build", Path: openCodePath{"/", "/"}, Cost: cost, Tokens: counts,
		openCodeModel: s.modelName(), Time: openCodeSpan{Created: s.begun, Completed: max(s.begun, s.stamp())}, Finish: finish,
		openCodeIDs: openCodeIDs{ID: id, SessionID: s.session},
	}
	s.write(openCodeMessageJSON{info, s.parts})
	s.open, s.done, s.parts, s.counts, s.cost = false, false, nil, openCodeCounts{}, 0
	clear(s.calls)
}

func (s *synthesis) write(m openCodeMessageJSON) {
	if m.Parts == nil {
		m.Parts = []openCodePartJSON{}
	}
	if s.comma {
		s.x.Write(",")
	}
	s.comma = true
	s.x.Write(s.x.Marshal(m))
}

func (s *synthesis) stamp() int64 { return max(s.now, 1) }

// modelName names the model and, by its name, whose it is.
func (s *synthesis) modelName() openCodeModel {
	return openCodeModel{cmp.Or(engine.Vendor(s.model), "unknown"), cmp.Or(s.model, "unknown")}
}

// metadata gives opaque data under the names its provider reads it by.
func (s *synthesis) metadata(r tenfold.Reasoning) jsontext.Value {
	inner, name := map[string]string{}, ""
	put := func(key, value string) {
		if value != "" {
			inner[key] = value
		}
	}
	switch r.Provider {
	case "anthropic":
		name = "anthropic"
		put("signature", r.Signature)
		put("redactedData", r.Encrypted)
	case "openai":
		name = "openai"
		put("itemId", r.ItemID)
		put("reasoningEncryptedContent", r.Encrypted)
	case "gemini":
		name = "google"
		put("thoughtSignature", r.Signature)
	}
	if len(inner) == 0 {
		return nil
	}
	return jsontext.Value(s.x.Marshal(map[string]map[string]string{name: inner}))
}

// id makes the next id: opencode's are a time, a count within it, and letters.
func (s *synthesis) id(prefix string) string {
	s.last = max(s.last+1, uint64(s.now)<<12+1) //nolint:gosec // opencode takes the low bits
	n := s.number(s.last)
	return prefix + n + s.idLetters(n)
}

// number is the part of an id that ascends.
func (s *synthesis) number(n uint64) string {
	b := [6]byte{byte(n >> 40), byte(n >> 32), byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)} //nolint:gosec // a byte at a time
	return hex.EncodeToString(b[:])
}

// idLetters is how many letters an id ends with.
const idLetters = 14

// idLetters is the part of an id that tells conversations apart.
func (s *synthesis) idLetters(n string) string {
	const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	sum := sha256.Sum256([]byte(s.seed + "\n" + n))
	out := make([]byte, idLetters)
	for i := range out {
		out[i] = alphabet[int(sum[i])%len(alphabet)]
	}
	return string(out)
}
