package transcript

import (
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
)

// finder looks values up by name in one JSON text, and notes which of them the
// payloads take over. It walks over one level at a time, so that a record may
// be of any shape.
type finder struct {
	raw  []byte
	scan scanner
	cuts []cut
}

// member is a member of an object: its name, quotes included, and its value.
type member struct {
	name []byte
	at   span
}

type members []member

// get gives the last member of a name.
func (m members) get(name string) span {
	for i := len(m) - 1; i >= 0; i-- {
		if n := m[i].name; len(n) == len(name)+2 && string(n[1:len(n)-1]) == name {
			return m[i].at
		}
	}
	return span{}
}

func (f *finder) reset(raw []byte) { f.raw, f.cuts, f.scan.cost = raw, nil, partCost }

func (f *finder) root() span { return span{0, len(f.raw)} }

// is reports whether there is a value of a kind.
func (f *finder) is(at span, kind jsontext.Kind) bool {
	if !at.found() {
		return false
	}
	c := f.raw[at.from]
	if c == '-' || ('0' <= c && c <= '9') {
		c = '0'
	}
	return jsontext.Kind(c) == kind
}

// object lists the members of an object, none for any other value.
func (f *finder) object(at span) members {
	if !f.is(at, '{') {
		return nil
	}
	var list members
	f.scan.reset(at.of(f.raw))
	eachMember(&f.scan, func(name []byte) {
		v := f.scan.value()
		list = append(list, member{name, span{v.from + at.from, v.to + at.from}})
	})
	return list
}

// in looks a member of an object up.
func (f *finder) in(at span, name string) span { return f.object(at).get(name) }

// list gives the items of an array, none for any other value.
func (f *finder) list(at span) []span {
	if !f.is(at, '[') {
		return nil
	}
	var items []span
	f.scan.reset(at.of(f.raw))
	f.scan.token()
	for f.scan.more() {
		v := f.scan.value()
		items = append(items, span{v.from + at.from, v.to + at.from})
	}
	return items
}

// peek gives the text of a string, "" for any other value.
func (f *finder) peek(at span) string {
	if !f.is(at, '"') {
		return ""
	}
	t, _ := f.scan.unquoteIn(at, f.raw)
	return t
}

// text takes a string over. One that would not come back the same stays in the
// record as well.
func (f *finder) text(at span) string {
	if !f.is(at, '"') {
		return ""
	}
	t, exact := f.scan.unquoteIn(at, f.raw)
	if exact {
		f.cuts = append(f.cuts, cut{at, cutText})
	}
	return t
}

// whole takes any value over, verbatim.
func (f *finder) whole(at span) string {
	f.cuts = append(f.cuts, cut{at, cutValue})
	return string(at.of(f.raw))
}

// number reads a count, 0 when it is none.
func (f *finder) number(at span) int {
	if !f.is(at, '0') {
		return 0
	}
	n, err := strconv.ParseFloat(string(at.of(f.raw)), 64)
	if err != nil || n < 0 || n > 1<<52 {
		return 0
	}
	return int(n)
}

// cost reads an amount of money, nil when there is none.
func (f *finder) cost(at span) *float64 {
	if !f.is(at, '0') {
		return nil
	}
	n, err := strconv.ParseFloat(string(at.of(f.raw)), 64)
	if err != nil || n < 0 {
		return nil
	}
	return &n
}

// parts reads the content of a message: a text, or a list of blocks.
func (f *finder) parts(at span) []tenfold.Part {
	switch {
	case f.is(at, '"'):
		return tenfold.Text(f.text(at))
	case f.is(at, '['):
		var parts []tenfold.Part
		for _, item := range f.list(at) {
			parts = append(parts, f.block(item)...)
		}
		return parts
	case at.found() && !f.is(at, 'n'):
		return []tenfold.Part{f.odd("", at)}
	}
	return nil
}

// odd keeps a value that is neither text nor a file of a known shape: a model
// saw it all the same.
func (f *finder) odd(name string, at span) tenfold.Part {
	return tenfold.Part{File: &tenfold.File{Type: tenfold.PartFile, Name: name, Detail: f.whole(at)}}
}

// block reads a block of a content.
func (f *finder) block(at span) []tenfold.Part {
	if f.is(at, '"') {
		return tenfold.Text(f.text(at))
	}
	m := f.object(at)
	typ := f.peek(m.get("type"))
	image := func(uri span) []tenfold.Part {
		return []tenfold.Part{{File: &tenfold.File{Type: tenfold.PartImage, URI: f.text(uri)}}}
	}
	switch typ {
	case "text":
		if f.is(m.get("text"), '"') {
			return tenfold.Text(f.text(m.get("text")))
		}
	case "image":
		if f.is(m.get("image"), '"') {
			return image(m.get("image"))
		}
		var parts []tenfold.Part
		for _, uri := range f.list(m.get("image_urls")) {
			if f.is(uri, '"') {
				parts = append(parts, image(uri)...)
			}
		}
		if len(parts) > 0 {
			return parts
		}
	case "image_url":
		uri := m.get("image_url")
		if f.is(uri, '{') {
			uri = f.in(uri, "url")
		}
		if f.is(uri, '"') {
			return image(uri)
		}
	}
	return []tenfold.Part{f.odd(typ, at)}
}

// words gives the text of a content, and takes it over if it is one text.
func (f *finder) words(at span) string {
	if f.is(at, '"') {
		return f.text(at)
	}
	items := f.list(at)
	if len(items) == 1 {
		return f.text(f.word(items[0]))
	}
	return f.joined(items)
}

// word is where the text of an item stands, which is a text or has one.
func (f *finder) word(item span) span {
	if f.is(item, '"') {
		return item
	}
	return f.in(item, "text")
}

// joined gives the texts of items as one, and leaves them where they are.
func (f *finder) joined(items []span) string {
	texts := make([]string, len(items))
	for i, item := range items {
		texts[i] = f.peek(f.word(item))
	}
	return strings.Join(texts, "\n\n")
}

// call reads a call as OpenAI spells it, arguments in a string or not.
func (f *finder) call(at span) (tenfold.ToolCall, bool) {
	m := f.object(at)
	fn := m.get("function")
	c := tenfold.ToolCall{CallID: f.peek(m.get("id"))}
	arguments := m.get("arguments")
	if f.is(fn, '{') {
		inner := f.object(fn)
		c.Name, arguments = f.peek(inner.get("name")), inner.get("arguments")
	} else if c.Name = f.peek(fn); c.Name == "" {
		c.Name = f.peek(m.get("name"))
	}
	switch {
	case c.Name == "":
		return c, false
	case f.is(arguments, '"'):
		c.Arguments = f.text(arguments)
	case arguments.found():
		c.Arguments = f.whole(arguments)
	}
	return c, true
}

// thoughts reads a list of Anthropic's thinking blocks.
func (f *finder) thoughts(at span) []tenfold.Payload {
	var list []tenfold.Payload
	for _, item := range f.list(at) {
		m := f.object(item)
		switch f.peek(m.get("type")) {
		case "thinking":
			r := tenfold.Reasoning{Text: f.text(m.get("thinking"))}
			if s := f.text(m.get("signature")); s != "" {
				r.Provider, r.Signature = "anthropic", s
			}
			list = append(list, r)
		case "redacted_thinking":
			list = append(list, tenfold.Reasoning{Provider: "anthropic", Encrypted: f.text(m.get("data"))})
		}
	}
	return list
}

// record makes the entries of one record; what the payloads do not hold stays
// with the first.
func (f *finder) record(id string, payloads ...tenfold.Payload) []tenfold.Entry {
	list := make([]tenfold.Entry, len(payloads))
	for i, p := range payloads {
		list[i] = tenfold.Entry{ID: blockID(id, i), Payload: p}
		if len(payloads) > 1 {
			list[i].MessageID = id
		}
	}
	if len(list) > 0 {
		list[0].Source = splice(f.raw, f.cuts)
	}
	return list
}

// frame gives a JSON text without the records in it, which stand elsewhere,
// compact.
func (f *finder) frame(records []span) []byte {
	cuts := make([]cut, len(records))
	for i, at := range records {
		cuts[i] = cut{at, cutValue}
	}
	return appendCompact(nil, []byte(splice(f.raw, cuts)))
}
