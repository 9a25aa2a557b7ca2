package chatapi

import (
	"bytes"
	"context"
	"strconv"

	"tenfold"
	"tenfold/transcript/internal/engine"
	"tenfold/transcript/internal/intake"
	"tenfold/transcript/internal/walk"
)

// Chat reads sources that are made of messages: an array of them, an object
// that holds such an array among other members (a record: a request body, a
// recorded run), an array of arrays or records, or JSON lines of any of these.
// What a message or a record says is the dialect's affair.
type Chat struct {
	engine.Emitter // of the conversation under way
	Src            intake.Source
	name           string // what conversations without an id are named after
	sink           intake.Sink
	format         intake.Format
	way            dialect

	Top, In walk.Scanner       // over the source, and over one record or message
	find    engine.Finder      // of the members of records
	Lines   *intake.LineReader // nil when the source is one document
	given   map[string]int     // ids of conversations, and the highest number added to each
	open    bool               // a conversation is under way
	loose   bool               // it may go on with the next value
	config  bool               // it has had a message that is not a system prompt
}

// dialect is what one format says with messages.
type dialect interface {
	// holds reports whether a record's member of that name, an array, is its
	// messages.
	holds(name string) bool
	// Alone reports whether an object outside of any list is a message.
	Alone(r *ChatRecord) bool
	// Open makes the dialect ready for a conversation.
	Open(c *Chat)
	// Begin emits what a record says besides its messages, before them.
	Begin(c *Chat, r *ChatRecord) error
	// Message emits one message: its JSON on one line, its id.
	Message(c *Chat, raw []byte, id string) error
	// end emits what a record says after its messages.
	end(c *Chat, r *ChatRecord) error
	// Close emits what is held back when a conversation ends.
	Close(c *Chat) error
	// Name gives what to name conversations after, from the source's name.
	Name(source string) string
	// Fleeting names members that change while a message stays the same.
	Fleeting() []string
}

// plainDialect is what most dialects do not care about.
type plainDialect struct{}

func (plainDialect) end(*Chat, *ChatRecord) error { return nil }
func (plainDialect) Close(*Chat) error            { return nil }
func (plainDialect) Name(source string) string    { return source }
func (plainDialect) Fleeting() []string           { return nil }

// ImportChat runs an import.
func ImportChat(ctx context.Context, src intake.Source, sink intake.Sink, format intake.Format, way dialect) error {
	head, err := src.Head()
	if err != nil {
		return err
	}
	c := &Chat{Src: src, name: way.Name(src.Name), sink: sink, format: format, way: way, given: map[string]int{}}
	c.Top.Cost, c.In.Cost = walk.PlaceCost, walk.BlockCost
	if intake.NewHead(head, src.Name).JSON.Shape == intake.ShapeLines {
		err = c.readLines(ctx)
	} else {
		err = intake.WithDocument(ctx, src, format, func(d intake.Document) error { return c.readDocument(ctx, d) })
	}
	if err != nil {
		return err
	}
	if len(c.given) == 0 {
		if err := c.start(intake.ContentID(c.name, format, nil)); err != nil {
			return err
		}
		c.Warn.Add(0, "file without messages: the conversation is empty", "")
	}
	return c.finish()
}

func (c *Chat) readLines(ctx context.Context) error {
	c.Lines = intake.NewLineReader(ctx, c.Src)
	var line []byte
	var r ChatRecord
	return c.Lines.Records(c.format, func(raw []byte) error {
		line = raw
		c.Top.Reset(raw)
		if c.Top.Kind() == '{' {
			r = c.outline()
		} else {
			c.Top.Value()
		}
		c.Top.End()
		return c.Top.Err
	}, func() error {
		if line[0] == '{' {
			return c.object(&r)
		}
		c.Top.Reset(line)
		if err := c.value(); err != nil {
			return err
		}
		if c.Top.Err != nil { // it is JSON, but there is too much of it
			return c.Lines.Problem(c.format, c.Top.Err, walk.HintCrowded)
		}
		return nil
	})
}

// readDocument reads the values of a document.
func (c *Chat) readDocument(ctx context.Context, d intake.Document) error {
	c.Top.Reset(d.Raw)
	if c.Top.Kind() == '{' { // seen as a whole before anything is taken over
		r := c.outline()
		if c.Top.Err != nil {
			return d.Broken(c.Top.Err)
		}
		if err := d.Check(r.To); err != nil {
			return err
		}
		_ = c.object(&r)
	} else if err := d.Check(0); err != nil {
		return err
	}
	for c.Top.Kind() != 0 {
		if err := c.value(); err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	if c.Top.Err != nil {
		return d.Broken(c.Top.Err)
	}
	return nil
}

// value reads one value at the top of the source.
func (c *Chat) value() error {
	s := &c.Top
	switch s.Kind() {
	case '{':
		return c.nextObject()
	case '[':
		return c.array(true)
	}
	at := s.Value()
	if s.Err != nil {
		return nil //nolint:nilerr // the scanner's error sticks
	}
	return c.odd(at)
}

// array reads the messages of one conversation, or, at the top, values that
// are conversations.
func (c *Chat) array(top bool) error {
	s := &c.Top
	s.Token()
	c.loose = false
	for s.More() {
		var err error
		switch k := s.Kind(); {
		case k == '{':
			err = c.nextObject()
		case k == '[' && top:
			err = c.array(false)
		default:
			if at := s.Value(); s.Err == nil {
				err = c.odd(at)
			}
		}
		if err != nil {
			return err
		}
	}
	s.Token()
	if s.Err == nil {
		c.loose = false
	}
	return nil
}

// odd keeps a value that is not an object where one should stand.
func (c *Chat) odd(at walk.Span) error {
	raw := c.compact(at.Of(c.Top.Raw))
	if err := c.follow(raw); err != nil {
		return err
	}
	c.WarnHere("value is not a message and was kept as it is", "values are not messages and were kept as they are")
	return c.Keep(c.messageID(raw), tenfold.Kind(string(c.format)+".value"), raw)
}

// nextObject reads the object that comes next.
func (c *Chat) nextObject() error {
	r := c.outline()
	if c.Top.Err != nil {
		return nil //nolint:nilerr // the scanner's error sticks
	}
	return c.object(&r)
}

// object takes a message or a record.
func (c *Chat) object(r *ChatRecord) error {
	if !r.list.Found() && c.way.Alone(r) {
		raw := c.compact(r.Of(r.raw))
		if err := c.follow(raw); err != nil {
			return err
		}
		return c.way.Message(c, raw, c.messageID(raw))
	}
	c.loose = false
	first := r.Of(r.raw)
	if r.list.Found() {
		first = nil
	}
	if len(r.items) > 0 {
		first = c.compact(r.items[0].Of(r.raw))
	}
	id, named := c.recordID(r, first)
	if err := c.start(id); err != nil {
		return err
	}
	c.Conv.Named = named && c.Conv.ID == id
	r.id = c.Ids.Unique("request:" + intake.Digest([]byte(r.source(c, nil))))
	_ = c.way.Begin(c, r)
	for _, at := range r.items {
		raw := c.compact(at.Of(r.raw))
		if err := c.way.Message(c, raw, c.messageID(raw)); err != nil {
			return err
		}
	}
	return c.way.end(c, r)
}

// outline walks over an object and notes where its members are.
func (c *Chat) outline() ChatRecord {
	s := &c.Top
	s.Token()
	r := ChatRecord{Span: walk.Span{From: int(s.Offset()) - 1}, raw: s.Raw}
	c.find.Scan, c.find.Raw = &c.In, s.Raw
	r.Finder = &c.find
	for s.More() {
		name := s.Name()
		if s.Err != nil {
			return r
		}
		if s.Kind() != '[' || r.list.Found() || !c.way.holds(string(name[1:len(name)-1])) {
			r.List = append(r.List, engine.Member{Name: name, At: s.Value()})
			continue
		}
		s.Token()
		r.list.From = int(s.Offset()) - 1
		for s.More() {
			r.items = append(r.items, s.Value())
		}
		s.Token()
		r.list.To = int(s.Offset())
	}
	s.Token()
	r.To = int(s.Offset())
	return r
}

// compact gives a value on one line.
func (c *Chat) compact(value []byte) []byte {
	if bytes.IndexByte(value, '\n') < 0 && bytes.IndexByte(value, '\r') < 0 {
		return value
	}
	return walk.AppendCompact(make([]byte, 0, len(value)), value)
}

// follow makes sure that a message that stands alone has a conversation.
func (c *Chat) follow(first []byte) error {
	if c.open && c.loose {
		return nil
	}
	c.loose = true
	return c.start(intake.ContentID(c.name, c.format, c.same(first)))
}

// messageID names a message after what it says.
func (c *Chat) messageID(raw []byte) string {
	return c.Ids.Unique("message:" + intake.Digest(c.same(raw)))
}

// same gives a message without what changes while it stays the same.
func (c *Chat) same(raw []byte) []byte {
	out := raw
	for _, name := range c.way.Fleeting() {
		out = WithoutMember(out, name)
	}
	return out
}

// WithoutMember cuts the members of one name out of a compact text. The result
// is good for telling texts apart and for nothing else.
func WithoutMember(raw []byte, name string) []byte {
	key := []byte(`"` + name + `"`)
	if !bytes.Contains(raw, key) {
		return raw
	}
	var out []byte
	var s walk.Scanner
	for {
		i := bytes.Index(raw, key)
		if i < 0 {
			return append(out, raw...)
		}
		rest := bytes.TrimLeft(raw[i+len(key):], " \t")
		if len(rest) == 0 || rest[0] != ':' {
			out, raw = append(out, raw[:i+len(key)]...), raw[i+len(key):]
			continue
		}
		rest = rest[1:]
		s.Reset(rest)
		at := s.Value()
		if s.Err != nil {
			return append(out, raw...)
		}
		out = append(out, bytes.TrimRight(raw[:i], ", ")...)
		if raw = bytes.TrimLeft(rest[at.To:], " "); bytes.HasSuffix(out, []byte("{")) {
			raw = bytes.TrimLeft(raw, ", ")
		}
	}
}

// recordID names the conversation of a record, and tells whether nobody else
// has the name. Ids of tasks name what was to be done, not the conversation:
// the source's name goes in front.
func (c *Chat) recordID(r *ChatRecord, first []byte) (id string, named bool) {
	for _, name := range [...]string{"conversation_id", "session_id", "sessionId", "thread_id", "run_id"} {
		if id := r.Peek(name); id != "" {
			return intake.ConversationID(id), intake.IsUnique(id)
		}
	}
	id = intake.NameID(c.name, c.format)
	found := false
	for _, name := range [...]string{"instance_id", "task_id", "id", "responseId", "trial"} {
		part := r.Peek(name)
		if at := r.Get(name); part == "" && at.Found() && r.raw[at.From] >= '0' && r.raw[at.From] <= '9' {
			part = string(at.Of(r.raw))
		}
		if intake.PlainID(part) && (name != "trial" || found) && (name != "id" || !found) {
			id, found = id+"-"+part, true
		}
	}
	if found {
		return intake.ConversationID(id), false
	}
	return intake.ContentID(c.name, c.format, c.same(first)), false
}

// start ends the conversation under way, if there is one, and begins another,
// with an id that none in this source has yet.
func (c *Chat) start(id string) error {
	if err := c.finish(); err != nil {
		return err
	}
	unique := id
	for c.given[unique] > 0 {
		c.given[id]++ // the next one of the id goes on from here
		unique = id + "-" + strconv.Itoa(c.given[id])
	}
	c.given[unique] = 1
	c.Emitter = engine.Emitter{Sink: c.sink, Conv: intake.Conversation{ID: unique, Format: c.format}}
	c.open, c.config = true, false
	c.way.Open(c)
	return nil
}

func (c *Chat) finish() error {
	if !c.open {
		return nil
	}
	c.open = false
	_ = c.way.Close(c)
	return c.End()
}

// WarnHere counts an oddity of the value under way.
func (c *Chat) WarnHere(one, many string) {
	line := 0
	if c.Lines != nil {
		line = c.Lines.Number
	}
	c.Warn.Add(line, one, many)
}

func (c *Chat) unknownRole() {
	c.WarnHere("message is of an unknown role and is taken for context", "messages are of unknown roles and are taken for context")
}

// say emits the entries of one message. What a person said opens a turn.
func (c *Chat) say(id string, w *engine.Finder, messageID string, payloads []tenfold.Payload) error {
	return c.Said(intake.Entries(id, messageID, w.Done(), payloads))
}

// Unread keeps a message that could not be understood.
func (c *Chat) Unread(id string, raw []byte) error {
	c.WarnHere("message could not be understood and was kept as it is", "messages could not be understood and were kept as they are")
	return c.Keep(id, tenfold.Kind(string(c.format)+".message"), raw)
}
