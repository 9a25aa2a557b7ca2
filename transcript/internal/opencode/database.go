package opencode

import (
	"slices"

	"tenfold"
	"tenfold/transcript/internal/database"
	"tenfold/transcript/internal/engine"
	"tenfold/transcript/internal/intake"
	"tenfold/transcript/internal/walk"
)

func Database() database.Importer {
	owns := func(d *database.Database) bool { return d.Has("session") && d.Has("message") && d.Has("part") }
	return database.Importer{Format: intake.OpenCode, Owns: owns, Import: importDatabase, List: listSessions}
}

// importDatabase hands on each session that no other one started as a
// conversation, and those that its agents had as branches of it. A session is
// told as its export would tell it.
func importDatabase(d *database.Database, only string, sink intake.Sink) error {
	d.Need("session", "id")
	d.Need("message", "id", "session_id", "data")
	d.Need("part", "id", "message_id", "data")
	tree := database.ReadSessions(d, "session", "parent_id", "time_created")
	r := &openCodeReader{d: d, openCodeRows: newOpenCodeRows(d)}
	return tree.Conversations(only, intake.OpenCode, sink, r.session)
}

// openCodeReader reads the sessions of a database.
type openCodeReader struct {
	openCodeRows
	d     *database.Database
	calls *intake.Ids // of the conversation
}

// session hands on one session, and each below it where it was started: with
// the call that names it, or else with the newest message before it.
func (r *openCodeReader) session(b *database.Branch) error {
	if b.Name == "" {
		r.calls = &intake.Ids{}
	}
	o := &openCodeSession{em: b.Em, calls: r.calls, branch: b.Name, places: map[string]engine.Place{}, scan: walk.Scanner{Cost: walk.BlockCost}}
	o.agent = func(child string) error {
		if n, ok := b.Tree.List[child]; !ok || n.Parent != b.ID {
			return nil
		}
		return b.Agent(child, child)
	}
	document := r.info(b.Tree.List[b.ID].Rowid, b.ID)
	if b.Name == "" {
		o.session(document)
	}
	_ = o.keep(b.Key(), SessionName, slices.Concat([]byte(`{"info":`), document, []byte(`,"messages":null}`)))
	messages := r.messages.Of(b.ID)
	children := b.Tree.Children[b.ID]
	for i, m := range messages {
		if err := o.message(r.message(o, m, b.ID)); err != nil {
			return err
		}
		for _, child := range children {
			if i+1 < len(messages) && b.Tree.List[child].Created >= messages[i+1].Created {
				break
			}
			if err := o.agent(child); err != nil {
				return err
			}
		}
	}
	for _, child := range children {
		if err := o.agent(child); err != nil {
			return err
		}
	}
	_ = o.finish()
	return r.tasks(o, b.ID)
}

// openCodeEra is how long, in milliseconds, opencode's ids ascend: their number
// has 48 bits, of which 12 count within a millisecond. Then they begin anew.
const openCodeEra = "68719476736"

// openCodeRows finds a session's messages, by their ids, their parts, and its
// tasks.
type openCodeRows struct{ messages, parts, todos *database.Rows }

func newOpenCodeRows(d *database.Database) (rows openCodeRows) {
	created, order := "0", "id, rowid"
	if d.Has("message", "time_created") {
		created, order = "time_created", "CAST(time_created AS INTEGER) / "+openCodeEra+", id, rowid"
	}
	rows.messages = d.RowsBy("message", "session_id", "id", created, order)
	rows.parts = d.RowsBy("part", "message_id", "id", "0", "id, rowid")
	if d.Has("todo", "session_id") {
		rows.todos = d.RowsBy("todo", "session_id", "''", "0", "rowid")
	}
	return rows
}

// message tells a message as an export tells it.
func (r *openCodeReader) message(o *openCodeSession, m database.Row, session string) []byte {
	info := r.data(o, "message", m.Rowid, [2]string{"sessionID", session})
	parts := r.d.List(r.parts.Of(m.ID), func(p database.Row) []byte {
		return r.data(o, "part", p.Rowid, [2]string{"sessionID", session}, [2]string{"messageID", m.ID})
	})
	return slices.Concat([]byte(`{"info":`), info, []byte(`,"parts":`), parts, []byte("}"))
}

// data gives the JSON of a row with the ids that stand in other columns.
func (r *openCodeReader) data(o *openCodeSession, table string, rowid int64, ids ...[2]string) []byte {
	columns, values := r.d.Read(table, rowid)
	var own string
	var data any
	for i, c := range columns {
		switch c {
		case "id":
			own = database.AsText(values[i])
		case "data":
			data = values[i]
		}
	}
	var more database.RowObject
	more.Add("id", database.QuoteJSON(own))
	for _, id := range ids {
		more.Add(id[0], database.QuoteJSON(id[1]))
	}
	ends := more.Done()
	raw := database.Embedded(data, '{')
	if raw == nil {
		o.em.Warn.Add(0, "row of the database holds no JSON object and was kept as it is", "rows of the database hold no JSON objects and were kept as they are")
		raw = slices.Concat([]byte(`{"data":`), database.AsJSON(data), []byte(`}`))
	}
	if len(raw) == 2 {
		return ends
	}
	return slices.Concat(raw[:len(raw)-1], []byte(","), ends[1:])
}

// info tells a session as an export tells it. Columns that an export has no
// name for stand in one member, "row".
func (r *openCodeReader) info(rowid int64, id string) []byte {
	columns, values := r.d.Read("session", rowid)
	var out, row, times, summary database.RowObject
	out.Add("id", database.QuoteJSON(id))
	for i, c := range columns {
		v := values[i]
		if v == nil || c == "id" {
			continue
		}
		switch c {
		case "project_id":
			out.Add("projectID", database.AsJSON(v))
		case "workspace_id":
			out.Add("workspaceID", database.AsJSON(v))
		case "parent_id":
			out.Add("parentID", database.AsJSON(v))
		case "slug", "directory", "path", "title", "version", "agent", "cost":
			out.Add(c, database.AsJSON(v))
		case "revert", "permission", "metadata", "model":
			if raw := database.Embedded(v, 0); raw != nil {
				out.Add(c, raw)
			} else {
				row.Add(c, database.AsJSON(v))
			}
		case "share_url":
			var share database.RowObject
			share.Add("url", database.AsJSON(v))
			out.Add("share", share.Done())
		case "summary_additions", "summary_deletions", "summary_files":
			summary.Add(c[len("summary_"):], database.AsJSON(v))
		case "summary_diffs":
			if raw := database.Embedded(v, '['); raw != nil {
				summary.Add("diffs", raw)
			} else {
				row.Add(c, database.AsJSON(v))
			}
		case "time_created", "time_updated", "time_compacting", "time_archived":
			times.Add(c[len("time_"):], database.AsJSON(v))
		default:
			row.Add(c, database.AsJSON(v))
		}
	}
	for _, part := range []struct {
		name string
		o    database.RowObject
	}{{"summary", summary}, {"time", times}, {"row", row}} {
		if len(part.o.Raw) > 0 {
			out.Add(part.name, part.o.Done())
		}
	}
	return out.Done()
}

// tasks keeps the session's list of tasks.
func (r *openCodeReader) tasks(o *openCodeSession, session string) error {
	if r.todos == nil {
		return nil
	}
	rows := r.todos.Of(session)
	if len(rows) == 0 {
		return nil
	}
	raw := r.d.List(rows, func(todo database.Row) []byte {
		columns, values := r.d.Read("todo", todo.Rowid)
		var task database.RowObject
		for k, c := range columns {
			if values[k] != nil && c != "session_id" {
				task.Add(c, database.AsJSON(values[k]))
			}
		}
		return task.Done()
	})
	id := o.em.Ids.Unique("todo:" + intake.Digest(raw))
	return o.keep(id, tenfold.Kind(TodoName), raw)
}
