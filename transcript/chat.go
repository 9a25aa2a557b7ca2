package transcript

import (
	"bytes"
	"context"
	"strconv"

	"tenfold"
)

// chat reads sources that are made of messages: an array of them, an object
// that holds such an array among other members (a record: a request body, a
// recorded run), an array of arrays or records, or JSON lines of any of these.
// What a message or a record says is the dialect's affair.
type chat struct {
	emitter // of the conversation under way
	src     Source
	name    string // what conversations without an id are named after
	sink    Sink
	format  Format
	way     dialect

	top, in scanner        // over the source, and over one record or message
	lines   *lineReader    // nil when the source is one document
	given   map[string]int // ids of conversations, and the highest number added to each
	open    bool           // a conversation is under way
	loose   bool           // it may go on with the next value
	config  bool           // it has had a message that is no system prompt
}

// dialect is what one format says with messages.
type dialect interface {
	// holds reports whether a record's member of that name, an array, is its
	// messages.
	holds(name string) bool
	// alone reports whether an object outside of any list is a message.
	alone(r *chatRecord) bool
	// open makes the dialect ready for a conversation.
	open(c *chat)
	// begin emits what a record says besides its messages, before them.
	begin(c *chat, r *chatRecord) error
	// message emits one message: its JSON on one line, its id.
	message(c *chat, raw []byte, id string) error
	// end emits what a record says after its messages.
	end(c *chat, r *chatRecord) error
	// close emits what is held back when a conversation ends.
	close(c *chat) error
	// name gives what to name conversations after, from the source's name.
	name(source string) string
	// fleeting names members that change while a message stays the same.
	fleeting() []string
}

// importChat runs an import.
func importChat(ctx context.Context, src Source, sink Sink, format Format, way dialect) error {
	head, err := src.head()
	if err != nil {
		return err
	}
	c := &chat{src: src, name: way.name(src.Name), sink: sink, format: format, way: way, given: map[string]int{}}
	c.top.cost, c.in.cost = placeCost, blockCost
	if newHead(head, src.Name).json.shape == shapeLines {
		err = c.readLines(ctx)
	} else {
		err = withDocument(ctx, src, format, func(d document) error { return c.readDocument(ctx, d) })
	}
	if err != nil {
		return err
	}
	if len(c.given) == 0 {
		if err := c.start(contentID(c.name, format, nil)); err != nil {
			return err
		}
		c.warn.add(0, "file without messages: the conversation is empty", "")
	}
	return c.finish()
}

func (c *chat) readLines(ctx context.Context) error {
	c.lines = newLineReader(ctx, c.src)
	var line []byte
	var r chatRecord
	return c.lines.records(c.format, func(raw []byte) error {
		line = raw
		c.top.reset(raw)
		if c.top.kind() == '{' {
			r = c.outline()
		} else {
			c.top.value()
		}
		c.top.end()
		return c.top.err
	}, func() error {
		if line[0] == '{' {
			return c.object(c.lines.count-1, &r)
		}
		c.top.reset(line)
		if err := c.value(c.lines.count - 1); err != nil {
			return err
		}
		if c.top.err != nil { // it is JSON, but there is too much of it
			return c.lines.problem(c.format, c.top.err, hintCrowded)
		}
		return nil
	})
}

// readDocument reads the values of a document.
func (c *chat) readDocument(ctx context.Context, d document) error {
	c.top.reset(d.raw)
	n := 0
	if c.top.kind() == '{' { // seen as a whole before anything is taken over
		r := c.outline()
		if c.top.err != nil {
			return d.broken(c.top.err)
		}
		if err := d.check(r.to); err != nil {
			return err
		}
		if err := c.object(n, &r); err != nil {
			return err
		}
		n++
	} else if err := d.check(0); err != nil {
		return err
	}
	for ; c.top.kind() != 0; n++ {
		if err := c.value(n); err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	if c.top.err != nil {
		return d.broken(c.top.err)
	}
	return nil
}

// value reads one value at the top of the source.
func (c *chat) value(n int) error {
	s := &c.top
	switch s.kind() {
	case '{':
		return c.nextObject(n)
	case '[':
		return c.array(n, true)
	}
	at := s.value()
	if s.err != nil {
		return nil //nolint:nilerr // the scanner's error sticks
	}
	return c.odd(at)
}

// array reads the messages of one conversation, or, at the top, values that
// are conversations.
func (c *chat) array(n int, top bool) error {
	s := &c.top
	s.token()
	c.loose = false
	for i := 0; s.more(); i++ {
		var err error
		switch k := s.kind(); {
		case k == '{':
			err = c.nextObject(i)
		case k == '[' && top:
			err = c.array(i, false)
		default:
			if at := s.value(); s.err == nil {
				err = c.odd(at)
			}
		}
		if err != nil {
			return err
		}
	}
	s.token()
	if s.err == nil {
		c.loose = false
	}
	return nil
}

// odd keeps a value that is no object where one should stand.
func (c *chat) odd(at span) error {
	raw := c.compact(at.of(c.top.raw))
	if err := c.follow(raw); err != nil {
		return err
	}
	c.warnHere("value is no message and was kept as it is", "values are no messages and were kept as they are")
	return c.keep(c.messageID(raw), tenfold.Kind(string(c.format)+".value"), raw)
}

// nextObject reads the object that comes next.
func (c *chat) nextObject(n int) error {
	r := c.outline()
	if c.top.err != nil {
		return nil //nolint:nilerr // the scanner's error sticks
	}
	return c.object(n, &r)
}

// object takes a message or a record.
func (c *chat) object(n int, r *chatRecord) error {
	r.index = n
	if !r.list.found() && c.way.alone(r) {
		raw := c.compact(r.of(r.raw))
		if err := c.follow(raw); err != nil {
			return err
		}
		return c.way.message(c, raw, c.messageID(raw))
	}
	c.loose = false
	first := r.of(r.raw)
	if r.list.found() {
		first = nil
	}
	if len(r.items) > 0 {
		first = c.compact(r.items[0].of(r.raw))
	}
	id, named := c.recordID(r, first)
	if err := c.start(id); err != nil {
		return err
	}
	c.conv.Named = named && c.conv.ID == id
	r.id = c.ids.unique("request:" + digest([]byte(r.source(c, nil))))
	if err := c.way.begin(c, r); err != nil {
		return err
	}
	for _, at := range r.items {
		raw := c.compact(at.of(r.raw))
		if err := c.way.message(c, raw, c.messageID(raw)); err != nil {
			return err
		}
	}
	return c.way.end(c, r)
}

// outline walks over an object and notes where its members are.
func (c *chat) outline() chatRecord {
	s := &c.top
	s.token()
	r := chatRecord{span: span{from: int(s.offset()) - 1}, raw: s.raw}
	for s.more() {
		at := s.value()
		if s.err != nil {
			return r
		}
		name, _ := s.unquote(at)
		if s.kind() != '[' || r.list.found() || !c.way.holds(name) {
			r.members = append(r.members, chatMember{name, s.value()})
			continue
		}
		s.token()
		r.list.from = int(s.offset()) - 1
		for s.more() {
			r.items = append(r.items, s.value())
		}
		s.token()
		r.list.to = int(s.offset())
	}
	s.token()
	r.to = int(s.offset())
	return r
}

// compact gives a value on one line.
func (c *chat) compact(value []byte) []byte {
	if bytes.IndexByte(value, '\n') < 0 && bytes.IndexByte(value, '\r') < 0 {
		return value
	}
	return appendCompact(make([]byte, 0, len(value)), value)
}

// follow makes sure that a message that stands alone has a conversation.
func (c *chat) follow(first []byte) error {
	if c.open && c.loose {
		return nil
	}
	c.loose = true
	return c.start(contentID(c.name, c.format, c.same(first)))
}

// messageID names a message after what it says.
func (c *chat) messageID(raw []byte) string {
	return c.ids.unique("message:" + digest(c.same(raw)))
}

// same gives a message without what changes while it stays the same.
func (c *chat) same(raw []byte) []byte {
	out := raw
	for _, name := range c.way.fleeting() {
		out = withoutMember(out, name)
	}
	return out
}

// withoutMember cuts the members of one name out of a compact text. The result
// is good for telling texts apart and for nothing else.
func withoutMember(raw []byte, name string) []byte {
	key := []byte(`"` + name + `"`)
	if !bytes.Contains(raw, key) {
		return raw
	}
	var out []byte
	var s scanner
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
		s.reset(rest)
		at := s.value()
		if s.err != nil {
			return append(out, raw...)
		}
		out = append(out, bytes.TrimRight(raw[:i], ", ")...)
		if raw = bytes.TrimLeft(rest[at.to:], " "); bytes.HasSuffix(out, []byte("{")) {
			raw = bytes.TrimLeft(raw, ", ")
		}
	}
}

// recordID names the conversation of a record, and tells whether nobody else
// has the name. Ids of tasks name what was to be done, not the conversation:
// the source's name goes in front.
func (c *chat) recordID(r *chatRecord, first []byte) (id string, named bool) {
	for _, name := range [...]string{"conversation_id", "session_id", "sessionId", "thread_id", "run_id"} {
		if id := r.text(name); id != "" {
			return conversationID(id), isUnique(id)
		}
	}
	id = nameID(c.name, c.format)
	found := false
	for _, name := range [...]string{"instance_id", "task_id", "id", "responseId", "trial"} {
		part := r.text(name)
		if at := r.at(name); part == "" && at.found() && r.raw[at.from] >= '0' && r.raw[at.from] <= '9' {
			part = string(at.of(r.raw))
		}
		if plainID(part) && (name != "trial" || found) && (name != "id" || !found) {
			id, found = id+"-"+part, true
		}
	}
	if found {
		return conversationID(id), false
	}
	return contentID(c.name, c.format, c.same(first)), false
}

// start ends the conversation under way, if there is one, and begins another,
// with an id that none in this source has yet.
func (c *chat) start(id string) error {
	if err := c.finish(); err != nil {
		return err
	}
	unique := id
	for c.given[unique] > 0 {
		c.given[id]++ // the next one of the id goes on from here
		unique = id + "-" + strconv.Itoa(c.given[id])
	}
	c.given[unique] = 1
	c.emitter = emitter{sink: c.sink, conv: Conversation{ID: unique, Format: c.format}}
	c.open, c.config = true, false
	c.way.open(c)
	return nil
}

func (c *chat) finish() error {
	if !c.open {
		return nil
	}
	c.open = false
	if err := c.way.close(c); err != nil {
		return err
	}
	return c.end()
}

// warnHere counts an oddity of the value under way.
func (c *chat) warnHere(one, many string) {
	line := 0
	if c.lines != nil {
		line = c.lines.number
	}
	c.warn.add(line, one, many)
}

// say emits the entries of one message. What a person said opens a turn.
func (c *chat) say(id string, w *contentWriter, messageID string, payloads []tenfold.Payload) error {
	turned := false
	for i, p := range payloads {
		e := tenfold.Entry{ID: blockID(id, i), MessageID: messageID, Payload: p}
		if i == 0 {
			e.Source = splice(w.raw, w.cuts)
		}
		if u, ok := p.(tenfold.UserMessage); ok && !u.Synthetic && !turned {
			turned = true
			if err := c.turn(e.ID); err != nil {
				return err
			}
		}
		if err := c.emit(e); err != nil {
			return err
		}
	}
	return nil
}

// unread keeps a message that could not be understood.
func (c *chat) unread(id string, raw []byte) error {
	c.warnHere("message could not be understood and was kept as it is", "messages could not be understood and were kept as they are")
	return c.keep(id, tenfold.Kind(string(c.format)+".message"), raw)
}
