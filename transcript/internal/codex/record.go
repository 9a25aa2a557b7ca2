package codex

import (
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
	"tenfold/transcript/internal/chatapi"
	"tenfold/transcript/internal/walk"
)

// Record rebuilds the lines that entries came from: it fills what the
// payloads hold into what the source left of a line.
type Record struct {
	Scan  walk.Scanner
	tree  walk.Tree
	Items chatapi.ItemReader
}

// Read looks into a source; nothing is found in one that is no JSON.
func (r *Record) Read(source string) walk.Node {
	root := r.tree.Read(&r.Scan, []byte(source))
	if source == "" || r.Scan.Err != nil {
		return walk.Node{}
	}
	return root
}

// line rebuilds the line of entries that came from one record; false when it
// was no line of a rollout.
func (r *Record) line(group []tenfold.Entry, bare bool) ([]byte, bool) {
	i := slices.IndexFunc(group, func(e tenfold.Entry) bool { return e.Source != "" })
	if i < 0 {
		return nil, false
	}
	source := group[i].Source
	root := r.Read(source)
	if !root.Found() {
		return nil, false
	}
	if u, ok := group[i].Payload.(tenfold.Unknown); ok {
		return []byte(source), strings.HasPrefix(string(u.Name), "codex.")
	}
	payload := root.Get("payload")
	typ := root.Text("type")
	if payload.Found() {
		if !slices.Contains(codexLines[:], typ) {
			return nil, false
		}
	} else {
		if !bare || !strings.HasPrefix(group[i].ID, "line-") {
			return nil, false
		}
		typ, payload = "response_item", root
	}
	r.Items.Cuts, r.Items.Filling = nil, true
	switch p := group[i].Payload.(type) {
	case tenfold.Compaction, tenfold.Pin, tenfold.Unpin:
		r.compaction(group, payload)
	case tenfold.ConfigDelta:
		r.config(p, payload)
	case tenfold.Usage, tenfold.Approval:
	default:
		if typ == "compacted" {
			r.compaction(group, payload)
			break
		}
		var payloads []tenfold.Payload
		for _, e := range group {
			payloads = append(payloads, e.Payload)
		}
		r.Items.Fill = chatapi.Held(payloads)
		r.Items.Item(payload)
	}
	return []byte(walk.Splice([]byte(source), r.Items.Cuts)), true
}

func (r *Record) config(d tenfold.ConfigDelta, payload walk.Node) {
	if d.Extra != "" {
		r.Items.Cuts = append(r.Items.Cuts, walk.Cut{Span: payload.At(), With: walk.OneLine(d.Extra)})
		return
	}
	base := payload.Get("base_instructions")
	if base.Kind() == '{' {
		base = base.Get("text")
	}
	if d.System != nil && base.IsText() {
		r.Items.Fill = []string{*d.System}
		r.Items.Text(base)
	}
}

// compaction fills in the summary, or the items that became entries.
func (r *Record) compaction(group []tenfold.Entry, payload walk.Node) {
	items := map[int][]tenfold.Payload{}
	for _, e := range group {
		if c, ok := e.Payload.(tenfold.Compaction); ok && c.Summary != nil && payload.Get("message").IsText() {
			r.Items.Fill = []string{c.Summary.Text}
			r.Items.Text(payload.Get("message"))
		}
		if i, ok := historyIndex(e.ID); ok {
			items[i] = append(items[i], e.Payload)
		}
	}
	i := 0
	for n := chatapi.List(payload.Get("replacement_history")); n.Found(); n = n.Next() {
		if fill := chatapi.Held(items[i]); len(fill) > 0 {
			r.Items.Fill = fill
			r.Items.Item(n)
		}
		i++
	}
	r.Items.Fill = nil
}

// historyIndex tells which item of a new history an entry was.
func historyIndex(id string) (int, bool) {
	_, rest, ok := strings.Cut(id, "/item-")
	if !ok {
		return 0, false
	}
	rest, _, _ = strings.Cut(rest, "#")
	i, err := strconv.Atoi(rest)
	return i, err == nil
}

// codexShape is what a source says of an item beside its payload.
type codexShape struct{ typ, role, phase string }

// shape looks at the source of an entry that came from an item.
func (r *Record) shape(source string) codexShape {
	if !strings.Contains(source, `"type"`) {
		return codexShape{}
	}
	n := r.Read(source)
	if p := n.Get("payload"); p.Found() {
		n = p
	}
	s := codexShape{typ: n.Text("type")}
	switch s.typ {
	case "message":
		s.role, s.phase = n.Text("role"), n.Text("phase")
		return s
	case "custom_tool_call":
		return s
	}
	return codexShape{}
}

// item rebuilds the item of an entry as it was; nil when its record held more
// than the one, or was no item of a rollout.
func (r *Record) item(e tenfold.Entry) jsontext.Value {
	if e.Source == "" || r.Read(e.Source).Text("type") != "response_item" {
		return nil
	}
	line, ok := r.line([]tenfold.Entry{e}, false)
	if !ok {
		return nil
	}
	payload := r.Read(string(line)).Get("payload")
	r.Items.Filling, r.Items.Fill, r.Items.Cuts = false, nil, nil
	if len(r.Items.Item(payload)) != 1 {
		return nil
	}
	return slices.Clone(jsontext.Value(payload.Raw()))
}
