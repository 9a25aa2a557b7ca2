package transcript

import (
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
)

// codexRecord rebuilds the lines that entries came from: it fills what the
// payloads hold into what the source left of a line.
type codexRecord struct {
	scan  scanner
	tree  tree
	items itemReader
}

// read looks into a source; nothing is found in one that is no JSON.
func (r *codexRecord) read(source string) node {
	root := r.tree.read(&r.scan, []byte(source))
	if source == "" || r.scan.err != nil {
		return node{}
	}
	return root
}

// line rebuilds the line of entries that came from one record; false when it
// was no line of a rollout.
func (r *codexRecord) line(group []tenfold.Entry, bare bool) ([]byte, bool) {
	i := slices.IndexFunc(group, func(e tenfold.Entry) bool { return e.Source != "" })
	if i < 0 {
		return nil, false
	}
	source := group[i].Source
	root := r.read(source)
	if !root.found() {
		return nil, false
	}
	if u, ok := group[i].Payload.(tenfold.Unknown); ok {
		return []byte(source), strings.HasPrefix(string(u.Name), "codex.")
	}
	payload := root.get("payload")
	typ := root.text("type")
	if payload.found() {
		if !slices.Contains(codexLines[:], typ) {
			return nil, false
		}
	} else {
		if !bare || !strings.HasPrefix(group[i].ID, "line-") {
			return nil, false
		}
		typ, payload = "response_item", root
	}
	r.items.cuts, r.items.filling = nil, true
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
		r.items.fill = held(payloads)
		r.items.item(payload)
	}
	return []byte(splice([]byte(source), r.items.cuts)), true
}

func (r *codexRecord) config(d tenfold.ConfigDelta, payload node) {
	if d.Extra != "" {
		r.items.cuts = append(r.items.cuts, cut{payload.at(), oneLine(d.Extra)})
		return
	}
	base := payload.get("base_instructions")
	if base.kind() == '{' {
		base = base.get("text")
	}
	if d.System != nil && base.isText() {
		r.items.fill = []string{*d.System}
		r.items.text(base)
	}
}

// compaction fills in the summary, or the items that became entries.
func (r *codexRecord) compaction(group []tenfold.Entry, payload node) {
	items := map[int][]tenfold.Payload{}
	for _, e := range group {
		if c, ok := e.Payload.(tenfold.Compaction); ok && c.Summary != nil && payload.get("message").isText() {
			r.items.fill = []string{c.Summary.Text}
			r.items.text(payload.get("message"))
		}
		if i, ok := historyIndex(e.ID); ok {
			items[i] = append(items[i], e.Payload)
		}
	}
	i := 0
	for n := list(payload.get("replacement_history")); n.found(); n = n.next() {
		if fill := held(items[i]); len(fill) > 0 {
			r.items.fill = fill
			r.items.item(n)
		}
		i++
	}
	r.items.fill = nil
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
func (r *codexRecord) shape(source string) codexShape {
	if !strings.Contains(source, `"type"`) {
		return codexShape{}
	}
	n := r.read(source)
	if p := n.get("payload"); p.found() {
		n = p
	}
	s := codexShape{typ: n.text("type")}
	switch s.typ {
	case "message":
		s.role, s.phase = n.text("role"), n.text("phase")
		return s
	case "custom_tool_call":
		return s
	}
	return codexShape{}
}

// item rebuilds the item of an entry as it was; nil when its record held more
// than the one, or was no item of a rollout.
func (r *codexRecord) item(e tenfold.Entry) jsontext.Value {
	if e.Source == "" || r.read(e.Source).text("type") != "response_item" {
		return nil
	}
	line, ok := r.line([]tenfold.Entry{e}, false)
	if !ok {
		return nil
	}
	payload := r.read(string(line)).get("payload")
	r.items.filling, r.items.fill, r.items.cuts = false, nil, nil
	if len(r.items.item(payload)) != 1 {
		return nil
	}
	return slices.Clone(jsontext.Value(payload.raw()))
}
