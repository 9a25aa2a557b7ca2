package chatapi

import (
	"strconv"
	"strings"

	"tenfold"
	"tenfold/transcript/internal/engine"
	"tenfold/transcript/internal/walk"
)

// setting reads what a record says of the configuration, and notes which
// values it took over.
type setting struct {
	find  engine.Finder // over one value
	raw   []byte
	cuts  []walk.Cut
	delta tenfold.ConfigDelta
	// others counts tools that are none of the caller's own.
	others int
}

// Record emits what a record says besides its messages: the configuration
// when there is one, else a record that no model sees.
func (c *Chat) Record(r *ChatRecord, set *setting) error {
	if set.others > 0 {
		c.WarnHere("tool is the provider's own and is kept aside", "tools are the provider's own and are kept aside")
	}
	source := r.source(c, set.cuts)
	if d := set.delta; d.Model == "" && d.System == nil && d.Tools == nil {
		return c.Keep(r.id, tenfold.Kind(string(c.format)+".request"), []byte(source))
	}
	return c.Emit(tenfold.Entry{ID: r.id, Source: source, Payload: set.delta})
}

func (c *Chat) Setting(r *ChatRecord) *setting {
	return &setting{find: engine.Finder{Scan: &c.In}, raw: r.raw}
}

// read has the value at a place read, and notes what was taken over of it.
func (g *setting) read(at walk.Span, read func(f *engine.Finder)) {
	if !at.Found() {
		return
	}
	g.find.Read(at.Of(g.raw))
	read(&g.find)
	for _, c := range g.find.Cuts {
		g.cuts = append(g.cuts, walk.Cut{Span: c.In(at), With: c.With})
	}
}

// system reads a system prompt: a text, a list of texts, or an object with
// parts. One that is not a single text stays where it was as well, for the
// places where texts were joined are not in the joined one.
func (g *setting) system(at walk.Span) {
	g.read(at, func(f *engine.Finder) {
		texts := systemTexts(f, f.Root(), 0)
		if len(texts) == 0 {
			return
		}
		joined := make([]string, len(texts))
		for i, t := range texts {
			joined[i] = f.Text(t)
		}
		if len(texts) > 1 {
			f.Cuts = nil
		}
		text := strings.Join(joined, "\n\n")
		g.delta.System = &text
	})
}

func systemTexts(f *engine.Finder, at walk.Span, depth int) (texts []walk.Span) {
	const most = 4 // an object with a list of parts that are objects with a text
	switch {
	case f.IsString(at):
		return []walk.Span{at}
	case depth == most:
		return nil
	}
	for _, item := range f.List(at) {
		texts = append(texts, systemTexts(f, item, depth+1)...)
	}
	for _, m := range f.Object(at).List {
		if n := string(m.Name); n == `"parts"` || n == `"text"` && f.IsString(m.At) {
			texts = append(texts, systemTexts(f, m.At, depth+1)...)
		}
	}
	return texts
}

// tools reads definitions, in any provider's shape.
func (g *setting) tools(at walk.Span) {
	g.read(at, func(f *engine.Finder) {
		if !f.Is(f.Root(), '[') {
			return
		}
		list, others := f.Tools(f.Root())
		if g.delta.Tools != nil {
			list = append(*g.delta.Tools, list...)
		}
		if list == nil {
			list = []tenfold.ToolDefinition{}
		}
		g.delta.Tools, g.others = &list, g.others+others
	})
}

// Nameless gives ids to calls that came without one, and finds the call of a
// result that names only the tool: the oldest open one of this message.
type Nameless struct {
	made int
	open map[string][]string
	done map[string]bool
}

// Next forgets the calls of the message before.
func (n *Nameless) Next() { n.open, n.done = map[string][]string{}, map[string]bool{} }

func (n *Nameless) call(id, name string) string {
	if id == "" {
		n.made++
		id = "call-" + strconv.Itoa(n.made)
	}
	if n.open == nil {
		n.Next()
	}
	n.open[name] = append(n.open[name], id)
	delete(n.done, id)
	return id
}

func (n *Nameless) Result(id, name string) string {
	if id != "" {
		if n.done != nil {
			n.done[id] = true
		}
		return id
	}
	for list := n.open[name]; len(list) > 0; list = n.open[name] {
		n.open[name] = list[1:]
		if !n.done[list[0]] {
			n.done[list[0]] = true
			return list[0]
		}
	}
	n.made++
	return "call-" + strconv.Itoa(n.made)
}
