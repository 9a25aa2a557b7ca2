package jp

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
	"tenfold/transcript/internal/engine"
	"tenfold/transcript/internal/intake"
	"tenfold/transcript/internal/walk"
)

func Handler() engine.Handler {
	return engine.Handler{
		Format: intake.JP, About: "JP conversations (events.json, messages.json)", Recognise: recognise, Import: importFile, Export: export,
		Mains: []string{"events.json", "messages.json"},
	}
}

func recognise(h intake.Head) intake.Confidence {
	s := h.JSON
	if s.Shape != intake.ShapeArray {
		return intake.No
	}
	base := filepath.Base(h.Name)
	before, ok := strings.CutSuffix(base, "events.json")
	if !ok {
		before, ok = strings.CutSuffix(base, "messages.json")
	}
	named := ok && (before == "" || ('0' <= before[0] && before[0] <= '9'))
	if len(s.Objects) == 0 {
		if named {
			return intake.Maybe // an empty conversation
		}
		return intake.No
	}
	ours := 0
	for _, o := range s.Objects {
		switch o.Values["type"] {
		case "config_delta", "turn_start", "chat_request", "chat_response", "tool_call_request", "tool_call_response",
			"inquiry_request", "inquiry_response":
			ours++
		case "compaction":
			if o.Has("from_turn", "to_turn") {
				ours++
			}
		case "":
			if o.Has("timestamp", "message", "reply") {
				ours++
			}
		}
	}
	if 2*ours > len(s.Objects) {
		return intake.Certain
	}
	return intake.No
}

// importFile reads the conversations of JP: events.json with its siblings
// metadata.json and base_config.json, and the older messages.json.
func importFile(ctx context.Context, src intake.Source, sink intake.Sink) error {
	head, err := src.Head()
	if err != nil {
		return err
	}
	j := &jp{src: src, Emitter: engine.Emitter{Sink: sink, Place: &engine.RootLog{}, Conv: intake.Conversation{Format: intake.JP}}}
	j.siblings()
	items := &intake.ArrayReader{Window: intake.NewWindow(ctx, src, "the event"), Word: "event"}
	fail := func(err error) error {
		if !intake.IsSyntax(err) {
			return err
		}
		offset, cause := intake.JSONProblem(err)
		line, column := items.Locate(offset)
		return &intake.Error{
			Name: src.Name, Format: intake.JP, Line: line, Column: column, Err: cause,
			Hint: "the file may be damaged: restore it from version control",
		}
	}
	if err := items.DropMark(); err != nil {
		return err
	}
	if c, err := items.Peek(); err != nil || c != '[' {
		if err == nil {
			err = notArray(items)
		}
		if c == '{' {
			if objects := intake.NewHead(head, src.Name).JSON.Objects; len(objects) > 0 && Sibling(objects[0].Has) != "" {
				return NotJP(src.Name, Sibling(objects[0].Has))
			}
		}
		return fail(err)
	}
	for {
		raw, err := items.Next()
		if err == nil {
			if err = j.next(raw); err != nil && j.scan.Err == nil {
				return err
			}
			if err != nil {
				if problem := items.Check(raw); problem != nil {
					err = problem
				}
			}
		}
		switch {
		case err == nil:
			src.Care().Record()
			continue
		case errors.Is(err, io.EOF):
			return j.finish()
		}
		if err := items.Damaged(err, intake.JP); errors.Is(err, io.EOF) {
			return j.finish()
		} else if err != nil {
			return err
		}
	}
}

// notArray words what stands where an array of events should.
func notArray(items *intake.ArrayReader) error {
	if err := intake.CheckItem(items.Rest()[:1], items.Offset()); err != nil {
		if _, cause := intake.JSONProblem(err); !errors.Is(cause, intake.ErrCutOff) {
			return err
		}
	}
	return items.Problem("a JP conversation is a JSON array of events, this is none")
}

// Sibling tells the files beside a JP conversation by their members; "" for
// anything else.
func Sibling(has func(names ...string) bool) string {
	switch {
	case has("title", "last_activated_at"):
		return "the metadata"
	case has("inherit", "assistant") && (has("config_load_paths") || has("extends")):
		return "the configuration"
	}
	return ""
}

// NotJP words that a file is one of those beside a JP conversation.
func NotJP(name, what string) *intake.Error {
	return &intake.Error{
		Name: name, Err: fmt.Errorf("this is %s of a JP conversation, not the conversation", what),
		Hint: "import " + filepath.Join(filepath.Dir(name), "events.json"),
	}
}

// jp is one import.
type jp struct {
	engine.Emitter
	src  intake.Source
	scan walk.Scanner
	buf  []byte
	// plain is room for decoded texts.
	plain []byte

	base   []byte // base_config.json, until the first event
	events int
	// explicit says that the file has turn_start events. Old files have none:
	// there each request starts a turn.
	explicit bool
	turns    Turns
}

// siblings reads what lies beside the events. Siblings that are missing or
// broken cost the title, not the conversation.
func (j *jp) siblings() {
	meta, err := j.src.Sibling("metadata.json")
	if err != nil {
		j.Warn.Add(0, "sibling file, metadata.json, could not be read: the title is missing", "")
	}
	if meta != nil {
		j.scan.Reset(meta)
		title := ""
		walk.Shape{"title", &title}.Read(&j.scan)
		if j.scan.Err == nil {
			j.Conv.Title = title
		}
	}
	if j.base, err = j.src.Sibling("base_config.json"); err != nil {
		j.Warn.Add(0, "sibling file, base_config.json, could not be read: the configuration is missing", "")
	}
}

// next takes one event.
func (j *jp) next(value []byte) error {
	// Compact: a Source stands on one line of our own format.
	j.buf = walk.AppendCompact(j.buf[:0], value)
	if !utf8.Valid(j.buf) {
		j.buf = bytes.ToValidUTF8(j.buf, []byte("\uFFFD"))
		j.Warn.Add(0, "event was not UTF-8: its bad bytes were replaced", "events were not UTF-8: their bad bytes were replaced")
	}
	raw := j.buf
	if j.events++; j.events == 1 {
		j.name(raw)
	}
	e := jpEvent{raw: raw, id: j.Ids.Unique("event:" + intake.Digest(raw))}
	e.parse(&j.scan)
	if j.scan.End(); j.scan.Err != nil {
		return j.scan.Err
	}
	j.At(engine.JpTime(e.stamp))
	if j.base != nil {
		j.baseConfig()
	}
	_ = j.event(&e)
	switch e.typ {
	case "turn_start":
		j.turns.Start(j.Place.Turn)
	case "chat_request", "chat_response", "tool_call_request", "tool_call_response", "inquiry_request", "inquiry_response":
		j.turns.Holds = true
	}
	return nil
}

// name gives the conversation its id. Without a number in its name, the first
// event tells it from others.
func (j *jp) name(first []byte) {
	j.Conv.ID = ID(j.src.Name)
	if jpNumber(filepath.ToSlash(j.src.Name)) == "" {
		j.Conv.ID = intake.Numbered(j.Conv.ID, first)
	}
}

// baseConfig writes the configuration that newer versions keep beside the
// events, where older ones begin with a config_delta.
func (j *jp) baseConfig() {
	base := bytes.TrimSpace(bytes.TrimPrefix(j.base, intake.Bom))
	j.base = nil
	if len(base) == 0 || base[0] != '{' || !jsontext.Value(base).IsValid(walk.ScanOptions...) {
		j.Warn.Add(0, "sibling file, base_config.json, is not a JSON object: the configuration is missing", "")
		return
	}
	_ = j.Emit(tenfold.Entry{ID: "base-config", Payload: j.config(walk.AppendCompact(nil, base))})
}

func (j *jp) finish() error {
	if j.events == 0 {
		j.name(nil)
		j.Warn.Add(0, "file without events: the conversation is empty", "")
		if j.base != nil {
			j.baseConfig()
		}
	}
	return j.End()
}

// ID is the number that begins the conversation's directory, or else the
// directory's name. The oldest format tells the same conversation in other
// entries, which are not to mix with those of its events.json.
func ID(name string) string {
	name = filepath.ToSlash(name)
	id := cmp.Or(jpNumber(name), jpNamed(name))
	if strings.HasSuffix(name, "messages.json") && id != "messages" {
		id += "-messages"
	}
	return id
}

// jpNumber is the time at which JP made a conversation, to a tenth of a second,
// as the file's or the directory's name has it; empty without one.
func jpNumber(name string) string {
	file := strings.TrimSuffix(filepath.Base(name), filepath.Ext(name))
	for _, part := range [...]string{file, filepath.Base(filepath.Dir(name))} {
		part = strings.TrimPrefix(strings.TrimPrefix(part, "archive-"), ".")
		n := 0
		for n < len(part) && '0' <= part[n] && part[n] <= '9' {
			n++
		}
		if n >= 6 && n <= 40 {
			return part[:n]
		}
	}
	return ""
}

// jpNamed is the directory's name where the file has the name that all have.
func jpNamed(name string) string {
	if file := strings.TrimSuffix(filepath.Base(name), filepath.Ext(name)); file == "events" || file == "messages" {
		if dir := filepath.Base(filepath.Dir(name)); dir != "." && dir != "/" && dir != ".." {
			return intake.ConversationID(dir)
		}
	}
	return intake.NameID(name, intake.JP)
}
