package crush

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"tenfold"
	"tenfold/transcript/internal/database"
	"tenfold/transcript/internal/engine"
	"tenfold/transcript/internal/intake"
	"tenfold/transcript/internal/walk"
)

// Handler knows no file of crush: it keeps its sessions in a database, which says by its
// tables whose it is.
func Handler() engine.Handler {
	return engine.Handler{
		Format: intake.Crush, About: "crush sessions (.crush/crush.db)",
		Recognise: func(intake.Head) intake.Confidence { return intake.No },
		Import: func(_ context.Context, src intake.Source, _ intake.Sink) error {
			return &intake.Error{
				Name: src.Name, Format: intake.Crush, Err: errors.New("crush keeps its sessions in an SQLite database, this is none"),
				Hint: "it is .crush/crush.db in the project's directory",
			}
		},
	}
}

func Database() database.Importer {
	owns := func(d *database.Database) bool {
		return d.Has("sessions", "id") && d.Has("messages", "session_id", "parts")
	}
	return database.Importer{Format: intake.Crush, Owns: owns, Import: importDatabase}
}

// Names of the entries that hold rows no model sees.
const (
	crushSessionName = "crush.session"
	crushMessageName = "crush.message"
)

// importDatabase hands on each session that no other one started as a
// conversation, and those that its agents had as branches of it.
func importDatabase(d *database.Database, only string, sink intake.Sink) error {
	d.Need("messages", "id", "session_id", "role", "parts")
	tree, rows := database.ReadSessions(d, "sessions", "parent_session_id", "created_at"), crushRows(d)
	return tree.Conversations(only, intake.Crush, sink, func(b *database.Branch) error {
		s := &Session{Branch: b, d: d, rows: rows, scan: walk.Scanner{Cost: walk.BlockCost}, Started: map[string]string{}}
		return s.read()
	})
}

// Session is one session of a conversation.
type Session struct {
	*database.Branch
	d         *database.Database
	rows      *database.Rows
	scan      walk.Scanner
	summaryID string // the newest summary's message
	model     string
	opened    intake.TurnState
	// Started are the sessions that each call started, by its id.
	Started map[string]string
}

func (s *Session) read() error {
	children := s.Tree.Children[s.ID]
	for _, child := range children {
		if call, ok := childCall(child); ok {
			s.Started[call] = child
		}
	}
	s.header()
	messages := s.rows.Of(s.ID)
	for i, m := range messages {
		if err := s.Message(s.row(m.Rowid)); err != nil {
			return err
		}
		for _, child := range children {
			if i+1 < len(messages) && Time(s.Tree.List[child].Created).After(Time(messages[i+1].Created)) {
				continue
			}
			if _, named := childCall(child); named && i+1 < len(messages) {
				continue // it comes with its call
			}
			if err := s.agent(child); err != nil {
				return err
			}
		}
	}
	for _, child := range children {
		if err := s.agent(child); err != nil {
			return err
		}
	}
	return nil
}

// childCall is the call that started a session: that of a sub-agent is called after the
// message and the call.
func childCall(child string) (call string, ok bool) {
	_, call, ok = strings.Cut(child, "$$")
	return call, ok
}

// agent hands on the session of a sub-agent.
func (s *Session) agent(child string) error {
	call, _ := childCall(child)
	return s.Agent(child, cmp.Or(call, child))
}

// header keeps the session's own row.
func (s *Session) header() {
	columns, values := s.d.Read("sessions", s.Tree.List[s.ID].Rowid)
	var row database.RowObject
	for i, c := range columns {
		if values[i] == nil {
			continue
		}
		row.Add(c, database.AsJSON(values[i]))
		switch c {
		case "title":
			if s.Name == "" {
				s.Em.Conv.Title = database.AsText(values[i])
			}
		case "summary_message_id":
			s.summaryID = database.AsText(values[i])
		case "created_at":
			n, _ := values[i].(int64)
			s.Em.At(Time(n))
		}
	}
	_ = s.Emit(tenfold.Entry{ID: s.Key(), Source: string(row.Done()), Payload: tenfold.Unknown{Name: crushSessionName}})
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
func crushRows(d *database.Database) *database.Rows {
	created := "0"
	if d.Has("messages", "created_at") {
		created = "created_at"
	}
	return d.RowsBy("messages", "session_id", "id", created,
		"CASE WHEN "+created+" < 100000000000 THEN "+created+" * 1000 ELSE "+created+" END, rowid")
}

// Row is what the columns of a message say.
type Row struct {
	ID, Role, model string
	Created         time.Time
	Summary         bool
}

// row tells a message as one JSON object, its columns and its parts.
func (s *Session) row(rowid int64) (raw []byte, m Row) {
	columns, values := s.d.Read("messages", rowid)
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
	return row.Done(), m
}
