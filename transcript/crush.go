package transcript

import (
	"context"
	"errors"
	"strings"
	"time"

	"tenfold"
)

// crushImporter reads the database of crush.
type crushImporter struct{}

func crushHandler() handler {
	return handler{format: Crush, about: "crush sessions (.crush/crush.db)", importer: crushImporter{}}
}

// Names of the entries that hold rows no model sees.
const (
	crushSessionName = "crush.session"
	crushMessageName = "crush.message"
)

// Recognise implements [Importer]. A database says by its tables whose it is.
func (crushImporter) Recognise(Head) Confidence { return No }

// Import implements [Importer].
func (crushImporter) Import(_ context.Context, src Source, _ Sink) error {
	return &Error{
		Name: src.Name, Format: Crush, Err: errors.New("crush keeps its sessions in an SQLite database, this is none"),
		Hint: "it is .crush/crush.db in the project's directory",
	}
}

// owns implements [databaseImporter].
func (crushImporter) owns(d *database) bool {
	return d.has("sessions", "id") && d.has("messages", "session_id", "parts")
}

// importDatabase hands on each session that no other one started as a
// conversation, and those that its agents had as branches of it.
func (crushImporter) importDatabase(ctx context.Context, d *database, sink Sink) error {
	if err := d.need("messages", "id", "session_id", "role", "parts"); err != nil {
		return err
	}
	tree, err := readSessions(ctx, d, "sessions", "parent_session_id", "created_at")
	if err != nil {
		return err
	}
	rows, err := crushRows(ctx, d)
	if err != nil {
		return err
	}
	for _, root := range tree.roots {
		r := &crushRoot{ctx: ctx, d: d, tree: tree, rows: rows, em: &emitter{sink: sink, place: &rootLog{}}, calls: &ids{}, told: map[string]bool{}}
		r.em.conv = Conversation{ID: conversationID(root), Named: true, Format: Crush}
		if err := r.session(root, "", 0); err != nil {
			return err
		}
		if err := r.em.end(); err != nil {
			return err
		}
	}
	return nil
}

// crushRoot is one conversation: a session and those below it.
type crushRoot struct {
	ctx   context.Context
	d     *database
	tree  *sessionTree
	rows  *databaseRows
	em    *emitter
	calls *ids
	told  map[string]bool
	names ids // of branches
}

// crushSession is one session of a conversation.
type crushSession struct {
	*crushRoot
	id, branch string
	depth      int
	scan       scanner
	summaryID  string // the newest summary's message
	model      string
	opened     turnState
	// started are the sessions that each call started, by its id.
	started map[string]string
}

func (r *crushRoot) session(id, branch string, depth int) error {
	r.told[id] = true
	now := r.em.now
	s := &crushSession{crushRoot: r, id: id, branch: branch, depth: depth, scan: scanner{cost: blockCost}, started: map[string]string{}}
	for _, child := range r.tree.children[id] {
		// The session of a sub-agent is called after the message and the call.
		if _, call, ok := strings.Cut(child, "$$"); ok {
			s.started[call] = child
		}
	}
	if err := s.header(); err != nil {
		return err
	}
	messages, err := r.rows.of(r.ctx, id)
	if err != nil {
		return err
	}
	for i, m := range messages {
		raw, row, err := s.row(m.rowid)
		if err != nil {
			return err
		}
		if err := s.message(raw, row); err != nil {
			return err
		}
		for _, child := range r.tree.children[id] {
			if i+1 < len(messages) && crushTime(r.tree.list[child].created).After(crushTime(messages[i+1].created)) {
				continue
			}
			if _, named := r.childCall(child); named && i+1 < len(messages) {
				continue // it comes with its call
			}
			if err := s.agent(child); err != nil {
				return err
			}
		}
	}
	for _, child := range r.tree.children[id] {
		if err := s.agent(child); err != nil {
			return err
		}
	}
	if branch != "" {
		r.em.now = now
	}
	return nil
}

func (r *crushRoot) childCall(child string) (call string, ok bool) {
	_, call, ok = strings.Cut(child, "$$")
	return call, ok
}

// agent hands on the session of a sub-agent, once.
func (s *crushSession) agent(child string) error {
	if s.told[child] {
		return nil
	}
	name := child
	if call, ok := s.childCall(child); ok && call != "" {
		name = call
	}
	branch := s.names.unique(branchName(name))
	if s.branch != "" && s.depth < branchDepth {
		branch = s.branch + "." + branch
	}
	return s.session(child, branch, s.depth+1)
}

// header keeps the session's own row.
func (s *crushSession) header() error {
	columns, values, err := s.d.read(s.ctx, "sessions", s.tree.list[s.id].rowid)
	if err != nil {
		return err
	}
	var row rowObject
	for i, c := range columns {
		if values[i] == nil {
			continue
		}
		row.add(c, asJSON(values[i]))
		switch c {
		case "title":
			if s.branch == "" {
				s.em.conv.Title = asText(values[i])
			}
		case "summary_message_id":
			s.summaryID = asText(values[i])
		case "created_at":
			n, _ := values[i].(int64)
			s.em.at(crushTime(n))
		}
	}
	key := "session"
	if s.branch != "" {
		key = "session/" + s.branch
	}
	return s.emit(tenfold.Entry{ID: s.em.ids.unique(key), Source: string(row.done()), Payload: tenfold.Unknown{Name: crushSessionName}})
}

// crushTime reads a time in seconds or, from the year 5138 on were it one, in
// milliseconds.
func crushTime(n int64) time.Time {
	switch {
	case n <= 0:
		return time.Time{}
	case n < 100_000_000_000:
		return time.Unix(n, 0).UTC()
	case n < 1<<47:
		return time.UnixMilli(n).UTC()
	}
	return time.Time{}
}

// crushRows finds a session's messages by time, and within a second as they
// were written.
func crushRows(ctx context.Context, d *database) (*databaseRows, error) {
	created := "0"
	if d.has("messages", "created_at") {
		created = "created_at"
	}
	return d.rowsBy(ctx, "messages", "session_id", "id", created,
		"CASE WHEN "+created+" < 100000000000 THEN "+created+" * 1000 ELSE "+created+" END, rowid")
}

// crushRow is what the columns of a message say.
type crushRow struct {
	id, role, model string
	created         time.Time
	summary         bool
}

// row tells a message as one JSON object, its columns and its parts.
func (s *crushSession) row(rowid int64) ([]byte, crushRow, error) {
	var m crushRow
	columns, values, err := s.d.read(s.ctx, "messages", rowid)
	if err != nil {
		return nil, m, err
	}
	var row rowObject
	for i, c := range columns {
		v := values[i]
		if v == nil {
			continue
		}
		switch c {
		case "id":
			m.id = asText(v)
		case "role":
			m.role = asText(v)
		case "model":
			m.model = asText(v)
		case "is_summary_message":
			n, _ := v.(int64)
			m.summary = n != 0
		case "created_at":
			n, _ := v.(int64)
			m.created = crushTime(n)
		case "parts":
			if raw := embedded(v, '['); raw != nil {
				row.add(c, raw)
				continue
			}
		}
		row.add(c, asJSON(v))
	}
	m.summary = s.summaryID != "" && (m.summary || m.id == s.summaryID)
	return row.done(), m, nil
}

func (s *crushSession) emit(e tenfold.Entry) error {
	e.Branch = s.branch
	return s.em.emit(e)
}
