package crush

import (
	"context"
	"errors"
	"strings"
	"time"

	"tenfold"
	"tenfold/transcript/internal/database"
	"tenfold/transcript/internal/engine"
	"tenfold/transcript/internal/walk"
)

// Handler knows no file of crush: it keeps its sessions in a database, which says by its
// tables whose it is.
func Handler() engine.Handler {
	return engine.Handler{
		Format: engine.Crush, About: "crush sessions (.crush/crush.db)",
		Recognise: func(engine.Head) engine.Confidence { return engine.No },
		Import: func(_ context.Context, src engine.Source, _ engine.Sink) error {
			return &engine.Error{
				Name: src.Name, Format: engine.Crush, Err: errors.New("crush keeps its sessions in an SQLite database, this is none"),
				Hint: "it is .crush/crush.db in the project's directory",
			}
		},
	}
}

func Database() database.Importer {
	owns := func(d *database.Database) bool {
		return d.Has("sessions", "id") && d.Has("messages", "session_id", "parts")
	}
	return database.Importer{Format: engine.Crush, Owns: owns, Import: importDatabase}
}

// Names of the entries that hold rows no model sees.
const (
	crushSessionName = "crush.session"
	crushMessageName = "crush.message"
)

// importDatabase hands on each session that no other one started as a
// conversation, and those that its agents had as branches of it.
func importDatabase(ctx context.Context, d *database.Database, only string, sink engine.Sink) error {
	if err := d.Need("messages", "id", "session_id", "role", "parts"); err != nil {
		return err
	}
	tree, err := database.ReadSessions(ctx, d, "sessions", "parent_session_id", "created_at")
	if err != nil {
		return err
	}
	rows, err := crushRows(ctx, d)
	if err != nil {
		return err
	}
	for _, root := range tree.RootsOf(only) {
		r := &Root{ctx: ctx, d: d, Tree: tree, rows: rows, Em: &engine.Emitter{Sink: sink, Place: &engine.RootLog{}}, Told: map[string]bool{}}
		r.Em.Conv = engine.Conversation{ID: engine.ConversationID(root), Named: true, Format: engine.Crush}
		if err := r.session(root, "", 0); err != nil {
			return err
		}
		if err := r.Em.End(); err != nil {
			return err
		}
	}
	return nil
}

// Root is one conversation: a session and those below it.
type Root struct {
	ctx   context.Context
	d     *database.Database
	Tree  *database.SessionTree
	rows  *database.Rows
	Em    *engine.Emitter
	Told  map[string]bool
	names engine.Ids // of branches
}

// Session is one session of a conversation.
type Session struct {
	*Root
	ID, branch string
	depth      int
	scan       walk.Scanner
	summaryID  string // the newest summary's message
	model      string
	opened     engine.TurnState
	// Started are the sessions that each call started, by its id.
	Started map[string]string
}

func (r *Root) session(id, branch string, depth int) error {
	r.Told[id] = true
	now := r.Em.Now
	s := &Session{Root: r, ID: id, branch: branch, depth: depth, scan: walk.Scanner{Cost: walk.BlockCost}, Started: map[string]string{}}
	for _, child := range r.Tree.Children[id] {
		// The session of a sub-agent is called after the message and the call.
		if _, call, ok := strings.Cut(child, "$$"); ok {
			s.Started[call] = child
		}
	}
	if err := s.header(); err != nil {
		return err
	}
	messages, err := r.rows.Of(r.ctx, id)
	if err != nil {
		return err
	}
	for i, m := range messages {
		raw, row, err := s.row(m.Rowid)
		if err != nil {
			return err
		}
		if err := s.Message(raw, row); err != nil {
			return err
		}
		for _, child := range r.Tree.Children[id] {
			if i+1 < len(messages) && Time(r.Tree.List[child].Created).After(Time(messages[i+1].Created)) {
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
	for _, child := range r.Tree.Children[id] {
		if err := s.agent(child); err != nil {
			return err
		}
	}
	if branch != "" {
		r.Em.Now = now
	}
	return nil
}

func (r *Root) childCall(child string) (call string, ok bool) {
	_, call, ok = strings.Cut(child, "$$")
	return call, ok
}

// agent hands on the session of a sub-agent, once.
func (s *Session) agent(child string) error {
	if s.Told[child] {
		return nil
	}
	name := child
	if call, ok := s.childCall(child); ok && call != "" {
		name = call
	}
	branch := s.names.Unique(engine.BranchName(name))
	if s.branch != "" && s.depth < database.BranchDepth {
		branch = s.branch + "." + branch
	}
	return s.session(child, branch, s.depth+1)
}

// header keeps the session's own row.
func (s *Session) header() error {
	columns, values, err := s.d.Read(s.ctx, "sessions", s.Tree.List[s.ID].Rowid)
	if err != nil {
		return err
	}
	var row database.RowObject
	for i, c := range columns {
		if values[i] == nil {
			continue
		}
		row.Add(c, database.AsJSON(values[i]))
		switch c {
		case "title":
			if s.branch == "" {
				s.Em.Conv.Title = database.AsText(values[i])
			}
		case "summary_message_id":
			s.summaryID = database.AsText(values[i])
		case "created_at":
			n, _ := values[i].(int64)
			s.Em.At(Time(n))
		}
	}
	key := "session"
	if s.branch != "" {
		key = "session/" + s.branch
	}
	return s.emit(tenfold.Entry{ID: s.Em.Ids.Unique(key), Source: string(row.Done()), Payload: tenfold.Unknown{Name: crushSessionName}})
}

// Time reads a time in seconds or, from the year 5138 on were it one, in
// milliseconds.
func Time(n int64) time.Time {
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
func crushRows(ctx context.Context, d *database.Database) (*database.Rows, error) {
	created := "0"
	if d.Has("messages", "created_at") {
		created = "created_at"
	}
	return d.RowsBy(ctx, "messages", "session_id", "id", created,
		"CASE WHEN "+created+" < 100000000000 THEN "+created+" * 1000 ELSE "+created+" END, rowid")
}

// Row is what the columns of a message say.
type Row struct {
	ID, Role, model string
	Created         time.Time
	Summary         bool
}

// row tells a message as one JSON object, its columns and its parts.
func (s *Session) row(rowid int64) ([]byte, Row, error) {
	var m Row
	columns, values, err := s.d.Read(s.ctx, "messages", rowid)
	if err != nil {
		return nil, m, err
	}
	var row database.RowObject
	for i, c := range columns {
		v := values[i]
		if v == nil {
			continue
		}
		switch c {
		case "id":
			m.ID = database.AsText(v)
		case "role":
			m.Role = database.AsText(v)
		case "model":
			m.model = database.AsText(v)
		case "is_summary_message":
			n, _ := v.(int64)
			m.Summary = n != 0
		case "created_at":
			n, _ := v.(int64)
			m.Created = Time(n)
		case "parts":
			if raw := database.Embedded(v, '['); raw != nil {
				row.Add(c, raw)
				continue
			}
		}
		row.Add(c, database.AsJSON(v))
	}
	m.Summary = s.summaryID != "" && (m.Summary || m.ID == s.summaryID)
	return row.Done(), m, nil
}

func (s *Session) emit(e tenfold.Entry) error {
	e.Branch = s.branch
	return s.Em.Emit(e)
}
