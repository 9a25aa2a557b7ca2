package engine

import (
	"bytes"
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
	"tenfold/transcript/internal/intake"
	"tenfold/transcript/internal/walk"
)

// Finder reads the values in one JSON text, and notes which of them the payloads
// take over. Where they stand is known from a walk over the text, or is looked
// up by name: one level at a time, so that a record may be of any shape.
type Finder struct {
	Raw  []byte
	Scan *walk.Scanner
	Cuts []walk.Cut
	// Twice says that a member which was asked for came twice, so that the text has
	// to speak for itself.
	Twice bool

	// The objects and lists that [Finder.Read] found, in the order of their ends, and
	// what they hold; open are those that the walk is in.
	known         []known
	members, open []Member
	items         []walk.Span
	buf           []byte // of [Finder.Compact]

	// Filling says that values are not taken over but put back into the places
	// that were cut, in the same order, so that reading and writing cannot come
	// apart: Fill holds them. With ASCII, all other characters of texts are
	// written as escapes.
	Filling, ASCII bool
	Fill           []string
}

// Members are those of one object, in order.
type Members struct {
	Finder *Finder
	List   []Member
}

// Member is a member of an object: its name, quotes included, and its value.
type Member struct {
	Name []byte
	At   walk.Span
}

// Get gives the last member of a name. Where there are several, [Finder.Twice] tells.
func (m Members) Get(name string) (at walk.Span) {
	for _, one := range m.List {
		if n := one.Name; len(n) == len(name)+2 && string(n[1:len(n)-1]) == name {
			m.Finder.Twice = m.Finder.Twice || at.Found()
			at = one.At
		}
	}
	return at
}

// Any reports whether there are members.
func (m Members) Any() bool { return len(m.List) > 0 }

// Peek gives the text of a member that is a string, else "".
func (m Members) Peek(name string) string { return m.Finder.Peek(m.Get(name)) }

// Raw is a member's value as it stands, nil when there is none.
func (m Members) Raw(name string) []byte {
	if at := m.Get(name); at.Found() {
		return at.Of(m.Finder.Raw)
	}
	return nil
}

// Object gives the members of a member that is an object.
func (m Members) Object(name string) Members { return m.Finder.Object(m.Get(name)) }

// Items gives the items of a member that is an array.
func (m Members) Items(name string) []walk.Span { return m.Finder.List(m.Get(name)) }

// Number is a member that is a count, else 0.
func (m Members) Number(name string) int { return m.Finder.Number(m.Get(name)) }

// Reset begins another text.
func (f *Finder) Reset(raw []byte) {
	if f.Scan == nil {
		f.Scan = &walk.Scanner{Cost: walk.PartCost}
	}
	f.Raw, f.Cuts, f.Twice, f.Scan.Err = raw, f.Cuts[:0], false, nil
	f.known, f.members, f.open, f.items = f.known[:0], f.members[:0], f.open[:0], f.items[:0]
}

// Read begins another text that is one value, and gives its members if it is an object.
// The scanner's error says whether it is JSON. One walk finds the objects and lists in it.
func (f *Finder) Read(raw []byte) Members {
	f.Reset(raw)
	f.Scan.Reset(raw)
	f.find(readDepth)
	if f.Scan.End(); f.Scan.Err != nil {
		return Members{}
	}
	return f.Object(f.Root())
}

// readDepth is how far down importers look: a line holds a payload, that a
// list of items, those a list of blocks, and those members.
const readDepth = 7

// find reads a value, and notes what stands in it.
func (f *Finder) find(depth int) (at walk.Span) {
	s, kind, from := f.Scan, f.Scan.Kind(), len(f.open)
	if depth == 0 || kind != '{' && kind != '[' {
		return s.Value()
	}
	s.Token()
	at.From = int(s.Offset()) - 1
	for s.More() {
		var m Member
		if kind == '{' {
			m.Name = s.Name()
		}
		m.At = f.find(depth - 1)
		f.open = append(f.open, m)
	}
	s.Token()
	at.To = int(s.Offset())
	k := known{at, len(f.members), len(f.items)}
	if kind == '{' {
		f.members = append(f.members, f.open[from:]...)
	} else {
		for _, m := range f.open[from:] {
			f.items = append(f.items, m.At)
		}
	}
	f.open, f.known = f.open[:from], append(f.known, k)
	return at
}

// known is an object or a list that was found, and where what it holds begins among all
// that was: what the next one holds comes behind it.
type known struct {
	walk.Span
	members, items int
}

// lookUp finds what a place holds, if that is known.
func (f *Finder) lookUp(at walk.Span) (members []Member, items []walk.Span, ok bool) {
	i, ok := slices.BinarySearchFunc(f.known, at.To, func(k known, to int) int { return k.To - to })
	if !ok || f.known[i].From != at.From {
		return nil, nil, false
	}
	next := known{members: len(f.members), items: len(f.items)}
	if i+1 < len(f.known) {
		next = f.known[i+1]
	}
	return f.members[f.known[i].members:next.members:next.members], f.items[f.known[i].items:next.items:next.items], true
}

// Compact is [Finder.Read] of a copy that has no white space between its tokens. The
// copy holds until the next one.
func (f *Finder) Compact(raw []byte) Members {
	f.buf = walk.AppendCompact(f.buf[:0], raw)
	return f.Read(f.buf)
}

// Document begins a whole document, and gives the members of the object or the
// items of the array that it is.
func (f *Finder) Document(d intake.Document) (m Members, items []walk.Span, err error) {
	f.Reset(bytes.TrimSpace(d.Raw))
	switch root := f.Root(); {
	case f.Is(root, '['):
		items = f.List(root)
		f.Scan.End()
	case f.Is(root, '{'):
		m = f.Object(root)
		f.Scan.End()
	}
	if f.Scan.Err != nil {
		return m, nil, d.Broken(f.Scan.Err)
	}
	return m, items, nil
}

func (f *Finder) Root() walk.Span { return walk.Span{To: len(f.Raw)} }

// Is reports whether there is a value of a kind.
func (f *Finder) Is(at walk.Span, kind jsontext.Kind) bool {
	if !at.Found() {
		return false
	}
	c := f.Raw[at.From]
	if c == '-' || ('0' <= c && c <= '9') {
		c = '0'
	}
	return jsontext.Kind(c) == kind
}

// Object lists the members of an object, none for any other value.
func (f *Finder) Object(at walk.Span) Members {
	if !f.Is(at, '{') {
		return Members{}
	}
	list, _, ok := f.lookUp(at)
	if !ok {
		f.Scan.Reset(at.Of(f.Raw))
		walk.EachMember(f.Scan, func(name []byte) {
			v := f.Scan.Value()
			list = append(list, Member{name, v.In(at)})
		})
	}
	return Members{f, list}
}

// In looks a member of an object up.
func (f *Finder) In(at walk.Span, name string) walk.Span { return f.Object(at).Get(name) }

// List gives the items of an array, none for any other value.
func (f *Finder) List(at walk.Span) []walk.Span {
	if !f.Is(at, '[') {
		return nil
	}
	_, items, ok := f.lookUp(at)
	if !ok {
		f.Scan.Reset(at.Of(f.Raw))
		walk.EachItem(f.Scan, func() {
			v := f.Scan.Value()
			items = append(items, v.In(at))
		})
	}
	return items
}

// Peek gives the text of a string, "" for any other value.
func (f *Finder) Peek(at walk.Span) string {
	if !at.Found() {
		return ""
	}
	t, _ := f.Scan.UnquoteIn(at, f.Raw)
	return t
}

// Text takes a string over. One that would not come back the same stays in the
// record as well.
func (f *Finder) Text(at walk.Span) string {
	if f.Filling {
		v := f.Next()
		f.Put(at, v)
		return v
	}
	t, exact := f.Scan.UnquoteIn(at, f.Raw)
	if exact {
		f.Cuts = append(f.Cuts, walk.Cut{Span: at, With: walk.CutText})
	}
	return t
}

// Whole takes any value over, verbatim.
func (f *Finder) Whole(at walk.Span) string {
	if f.Filling {
		v := f.Next()
		f.PutWhole(at, v)
		return v
	}
	f.Cuts = append(f.Cuts, walk.Cut{Span: at, With: walk.CutValue})
	return string(at.Of(f.Raw))
}

// IsString reports whether there is a string.
func (f *Finder) IsString(at walk.Span) bool { return f.Is(at, '"') }

// Number reads a count, 0 when it is none.
func (f *Finder) Number(at walk.Span) int {
	if !at.Found() {
		return 0
	}
	return walk.Number(at.Of(f.Raw))
}

// Cost reads an amount of money, nil when there is none.
func (f *Finder) Cost(at walk.Span) *float64 {
	n, err := strconv.ParseFloat(string(at.Of(f.Raw)), 64)
	if err != nil || n < 0 {
		return nil
	}
	return &n
}

// Parts reads the content of a message: a text, or a list of blocks.
func (f *Finder) Parts(at walk.Span) []tenfold.Part {
	switch {
	case f.Is(at, '"'):
		return tenfold.Text(f.Text(at))
	case f.Is(at, '['):
		var parts []tenfold.Part
		for _, item := range f.List(at) {
			parts = append(parts, f.block(item)...)
		}
		return parts
	case at.Found() && !f.Is(at, 'n'):
		return []tenfold.Part{f.UnknownPart("", at)}
	}
	return nil
}

// FilePart is a file at an address, an image where its media type says so.
func FilePart(name, mediaType, uri string) tenfold.Part {
	f := &tenfold.File{Type: tenfold.PartFile, Name: name, MediaType: mediaType, URI: uri}
	if strings.HasPrefix(mediaType, "image/") {
		f.Type = tenfold.PartImage
	}
	return tenfold.Part{File: f}
}

// Inline is the address of a file that is in it, in base64.
func Inline(mediaType, data string) string { return "data:" + mediaType + ";base64," + data }

// SaySomething reports whether parts hold a file, or a text that is not blank.
func SaySomething(parts []tenfold.Part) bool {
	return slices.ContainsFunc(parts, func(p tenfold.Part) bool { return p.File != nil || strings.TrimSpace(p.Text) != "" })
}

// UnknownPart keeps a value that is neither text nor a file of a known shape: a model
// saw it all the same.
func (f *Finder) UnknownPart(name string, at walk.Span) tenfold.Part {
	return tenfold.Part{File: &tenfold.File{Type: tenfold.PartFile, Name: name, Detail: f.Whole(at)}}
}

// block reads a block of a content.
func (f *Finder) block(at walk.Span) []tenfold.Part {
	if f.Is(at, '"') {
		return tenfold.Text(f.Text(at))
	}
	m := f.Object(at)
	typ := m.Peek("type")
	image := func(uri walk.Span) []tenfold.Part {
		return []tenfold.Part{{File: &tenfold.File{Type: tenfold.PartImage, URI: f.Text(uri)}}}
	}
	switch typ {
	case "text":
		if f.Is(m.Get("text"), '"') {
			return tenfold.Text(f.Text(m.Get("text")))
		}
	case "image":
		if f.Is(m.Get("image"), '"') {
			return image(m.Get("image"))
		}
		var parts []tenfold.Part
		for _, uri := range m.Items("image_urls") {
			if f.Is(uri, '"') {
				parts = append(parts, image(uri)...)
			}
		}
		if len(parts) > 0 {
			return parts
		}
	case "image_url":
		uri := m.Get("image_url")
		if f.Is(uri, '{') {
			uri = f.In(uri, "url")
		}
		if f.Is(uri, '"') {
			return image(uri)
		}
	}
	return []tenfold.Part{f.UnknownPart(typ, at)}
}

// Words gives the text of a content, and takes it over if it is one text.
func (f *Finder) Words(at walk.Span) string {
	if f.Is(at, '"') {
		return f.Text(at)
	}
	items := f.List(at)
	if len(items) == 1 {
		return f.Text(f.word(items[0]))
	}
	return f.Joined(items)
}

// word is where the text of an item stands, which is a text or has one.
func (f *Finder) word(item walk.Span) walk.Span {
	if f.Is(item, '"') {
		return item
	}
	return f.In(item, "text")
}

// Joined gives the texts of items as one, and leaves them where they are.
func (f *Finder) Joined(items []walk.Span) string {
	texts := make([]string, len(items))
	for i, item := range items {
		texts[i] = f.Peek(f.word(item))
	}
	return strings.Join(texts, "\n\n")
}

// Call reads a call as OpenAI spells it, arguments in a string or not.
func (f *Finder) Call(at walk.Span) (tenfold.ToolCall, bool) {
	m := f.Object(at)
	fn := m.Get("function")
	c := tenfold.ToolCall{CallID: m.Peek("id")}
	arguments := m.Get("arguments")
	if f.Is(fn, '{') {
		inner := f.Object(fn)
		c.Name, arguments = inner.Peek("name"), inner.Get("arguments")
	} else if c.Name = f.Peek(fn); c.Name == "" {
		c.Name = m.Peek("name")
	}
	switch {
	case c.Name == "":
		return c, false
	case f.Is(arguments, '"'):
		c.Arguments = f.Text(arguments)
	case arguments.Found():
		c.Arguments = f.Whole(arguments)
	}
	return c, true
}

// Thoughts reads a list of Anthropic's thinking blocks.
func (f *Finder) Thoughts(at walk.Span) []tenfold.Payload {
	var list []tenfold.Payload
	for _, item := range f.List(at) {
		m := f.Object(item)
		switch m.Peek("type") {
		case "thinking":
			r := tenfold.Reasoning{Text: f.Text(m.Get("thinking"))}
			if s := f.Text(m.Get("signature")); s != "" {
				r.Provider, r.Signature = "anthropic", s
			}
			list = append(list, r)
		case "redacted_thinking":
			list = append(list, tenfold.Reasoning{Provider: "anthropic", Encrypted: f.Text(m.Get("data"))})
		}
	}
	return list
}

// Record makes the entries of one record; what the payloads do not hold stays
// with the first.
func (f *Finder) Record(id string, payloads ...tenfold.Payload) []tenfold.Entry {
	message := ""
	if len(payloads) > 1 {
		message = id
	}
	return intake.Entries(id, message, f.Done(), payloads)
}

// Each has records of the text read one after the other, each without white
// space by a finder of its own.
func (f *Finder) Each(ctx context.Context, records []walk.Span, one *Finder, read func(m Members) error) error {
	for _, at := range records {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := read(one.Compact(at.Of(f.Raw))); err != nil {
			return err
		}
	}
	return nil
}

// Frame gives a JSON text without the records in it, which stand elsewhere,
// compact.
func (f *Finder) Frame(records []walk.Span) []byte {
	cuts := make([]walk.Cut, len(records))
	for i, at := range records {
		cuts[i] = walk.Cut{Span: at, With: walk.CutValue}
	}
	return walk.AppendCompact(nil, []byte(walk.Splice(f.Raw, cuts)))
}
