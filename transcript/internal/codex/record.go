package codex

import (
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
	"tenfold/transcript/internal/chatapi"
	"tenfold/transcript/internal/engine"
	"tenfold/transcript/internal/walk"
)

// Record rebuilds the lines that entries came from: it fills what the
// payloads hold into what the source left of a line.
type Record struct{ chatapi.ItemReader }

// Look looks into a source; nothing is found in one that is no JSON.
func (r *Record) Look(source string) engine.Members {
	m := r.Read([]byte(source))
	if r.Scan.Err != nil {
		return engine.Members{}
	}
	return m
}

// line rebuilds the line of entries that came from one record; false when it
// was no line of a rollout.
func (r *Record) line(group []tenfold.Entry, bare bool) ([]byte, bool) {
	i := slices.IndexFunc(group, func(e tenfold.Entry) bool { return e.Source != "" })
	if i < 0 {
		return nil, false
	}
	source := group[i].Source
	root := r.Look(source)
	if u, ok := group[i].Payload.(tenfold.Unknown); ok {
		return []byte(source), r.Scan.Err == nil && strings.HasPrefix(string(u.Name), "codex.")
	}
	typ, at := root.Peek("type"), root.Get("payload")
	switch {
	case r.Scan.Err != nil, at.Found() && !slices.Contains(codexLines[:], typ):
		return nil, false
	case at.Found():
	case !bare || !strings.HasPrefix(group[i].ID, "line-"):
		return nil, false
	default:
		typ, at = "response_item", r.Root()
	}
	r.Filling = true
	switch p := group[i].Payload.(type) {
	case tenfold.Compaction, tenfold.Pin, tenfold.Unpin:
		r.compaction(group, r.Object(at))
	case tenfold.ConfigDelta:
		r.config(p, at)
	case tenfold.Usage, tenfold.Approval:
	default:
		if typ == "compacted" {
			r.compaction(group, r.Object(at))
			break
		}
		var payloads []tenfold.Payload
		for _, e := range group {
			payloads = append(payloads, e.Payload)
		}
		r.Fill = chatapi.Held(payloads)
		r.Item(at)
	}
	r.Filling, r.Fill = false, nil
	return []byte(r.Done()), true
}

func (r *Record) config(d tenfold.ConfigDelta, payload walk.Span) {
	if d.Extra != "" {
		r.Cuts = append(r.Cuts, walk.Cut{Span: payload, With: walk.OneLine(d.Extra)})
	} else if base := baseInstructions(&r.Finder, r.Object(payload)); d.System != nil && r.IsString(base) {
		r.Fill = []string{*d.System}
		r.Text(base)
	}
}

// compaction fills in the summary, or the items that became entries.
func (r *Record) compaction(group []tenfold.Entry, payload engine.Members) {
	items := map[int][]tenfold.Payload{}
	for _, e := range group {
		if c, ok := e.Payload.(tenfold.Compaction); ok && c.Summary != nil {
			r.Fill = []string{c.Summary.Text}
			r.Text(payload.Get("message"))
		}
		if i, ok := historyIndex(e.ID); ok {
			items[i] = append(items[i], e.Payload)
		}
	}
	for i, at := range payload.Items("replacement_history") {
		if fill := chatapi.Held(items[i]); len(fill) > 0 {
			r.Fill = fill
			r.Item(at)
		}
	}
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
	m := r.Look(source)
	if p := m.Object("payload"); p.Any() {
		m = p
	}
	s := codexShape{typ: m.Peek("type")}
	switch s.typ {
	case "message":
		s.role, s.phase = m.Peek("role"), m.Peek("phase")
		return s
	case "custom_tool_call":
		return s
	}
	return codexShape{}
}

// item rebuilds the item of an entry as it was; nil when its record held more
// than the one, or was no item of a rollout.
func (r *Record) item(e tenfold.Entry) jsontext.Value {
	if e.Source == "" || r.Look(e.Source).Peek("type") != "response_item" {
		return nil
	}
	line, ok := r.line([]tenfold.Entry{e}, false)
	if !ok {
		return nil
	}
	at := r.Look(string(line)).Get("payload")
	if len(r.Item(at)) != 1 {
		return nil
	}
	return slices.Clone(jsontext.Value(at.Of(r.Raw)))
}
