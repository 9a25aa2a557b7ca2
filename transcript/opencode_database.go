package transcript

import (
	"context"
	"slices"

	"tenfold"
)

// owns implements [databaseImporter].
func (openCodeImporter) owns(d *database) bool {
	return d.has("session") && d.has("message") && d.has("part")
}

// importDatabase hands on each session that no other one started as a
// conversation, and those that its agents had as branches of it. A session is
// told as its export would tell it.
func (openCodeImporter) importDatabase(ctx context.Context, d *database, sink Sink) error {
	if err := d.need("session", "id"); err != nil {
		return err
	}
	if err := d.need("message", "id", "session_id", "data"); err != nil {
		return err
	}
	if err := d.need("part", "id", "message_id", "data"); err != nil {
		return err
	}
	tree, err := readSessions(ctx, d, "session", "parent_id", "time_created")
	if err != nil {
		return err
	}
	rows, err := newOpenCodeRows(ctx, d)
	if err != nil {
		return err
	}
	for _, root := range tree.roots {
		r := &openCodeRoot{ctx: ctx, d: d, tree: tree, rows: rows, em: &emitter{sink: sink, place: &rootLog{}}, calls: &ids{}, told: map[string]bool{}}
		if err := r.conversation(root); err != nil {
			return err
		}
	}
	return nil
}

// openCodeRoot is one conversation: a session and those below it.
type openCodeRoot struct {
	ctx   context.Context
	d     *database
	tree  *sessionTree
	rows  *openCodeRows
	em    *emitter
	calls *ids
	told  map[string]bool
	names ids // of branches
}

func (r *openCodeRoot) conversation(id string) error {
	r.em.conv = Conversation{ID: conversationID(id), Named: true, Format: OpenCode}
	if err := r.session(id, "", 0); err != nil {
		return err
	}
	return r.em.end()
}

// session hands on one session, and each below it where it was started: with
// the call that names it, or else with the newest message before it.
func (r *openCodeRoot) session(id, branch string, depth int) error {
	r.told[id] = true
	now := r.em.now
	o := &openCodeSession{em: r.em, calls: r.calls, branch: branch, places: map[string]place{}, scan: scanner{cost: blockCost}}
	o.agent = func(child string) error {
		n, ok := r.tree.list[child]
		if !ok || r.told[child] || n.parent != id {
			return nil
		}
		return r.agent(child, branch, depth)
	}
	document, err := r.info(r.tree.list[id].rowid, id)
	if err != nil {
		return err
	}
	if branch == "" {
		o.session(document)
	}
	key := "session"
	if branch != "" {
		key = "session/" + branch
	}
	if err := o.keep(r.em.ids.unique(key), openCodeSessionName, slices.Concat([]byte(`{"info":`), document, []byte(`,"messages":null}`))); err != nil {
		return err
	}
	messages, err := r.rows.messages.of(r.ctx, id)
	if err != nil {
		return err
	}
	for i, m := range messages {
		raw, err := r.message(o, m, id)
		if err != nil {
			return err
		}
		if err := o.message(raw); err != nil {
			return err
		}
		for _, child := range r.tree.children[id] {
			if i+1 < len(messages) && r.tree.list[child].created >= messages[i+1].created {
				break
			}
			if err := o.agent(child); err != nil {
				return err
			}
		}
	}
	for _, child := range r.tree.children[id] {
		if err := o.agent(child); err != nil {
			return err
		}
	}
	if err := o.finish(); err != nil {
		return err
	}
	if err := r.tasks(o, id); err != nil {
		return err
	}
	if branch != "" {
		r.em.now = now
	}
	return nil
}

func (r *openCodeRoot) agent(child, parent string, depth int) error {
	branch := r.names.unique(branchName(child))
	if parent != "" && depth < branchDepth {
		branch = parent + "." + branch
	}
	return r.session(child, branch, depth+1)
}

// openCodeEra is how long, in milliseconds, opencode's ids ascend: their number
// has 48 bits, of which 12 count within a millisecond. Then they begin anew.
const openCodeEra = "68719476736"

// openCodeRows finds a session's messages, by their ids, their parts, and its
// tasks.
type openCodeRows struct{ messages, parts, todos *databaseRows }

func newOpenCodeRows(ctx context.Context, d *database) (*openCodeRows, error) {
	created, order := "0", "id, rowid"
	if d.has("message", "time_created") {
		created, order = "time_created", "CAST(time_created AS INTEGER) / "+openCodeEra+", id, rowid"
	}
	var rows openCodeRows
	var err error
	if rows.messages, err = d.rowsBy(ctx, "message", "session_id", "id", created, order); err != nil {
		return nil, err
	}
	if rows.parts, err = d.rowsBy(ctx, "part", "message_id", "id", "0", "id, rowid"); err != nil {
		return nil, err
	}
	if d.has("todo", "session_id") {
		rows.todos, err = d.rowsBy(ctx, "todo", "session_id", "''", "0", "rowid")
	}
	return &rows, err
}

// message tells a message as an export tells it.
func (r *openCodeRoot) message(o *openCodeSession, m databaseRow, session string) ([]byte, error) {
	parts, err := r.rows.parts.of(r.ctx, m.id)
	if err != nil {
		return nil, err
	}
	info, err := r.data(o, "message", m.rowid, func(id string) []byte {
		var more rowObject
		more.add("id", quoteJSON(id))
		more.add("sessionID", quoteJSON(session))
		return more.done()
	})
	if err != nil {
		return nil, err
	}
	raw := slices.Concat([]byte(`{"info":`), info, []byte(`,"parts":[`))
	for i, p := range parts {
		part, err := r.data(o, "part", p.rowid, func(id string) []byte {
			var more rowObject
			more.add("id", quoteJSON(id))
			more.add("sessionID", quoteJSON(session))
			more.add("messageID", quoteJSON(m.id))
			return more.done()
		})
		if err != nil {
			return nil, err
		}
		if i > 0 {
			raw = append(raw, ',')
		}
		if raw = append(raw, part...); len(raw) > databaseValueLimit {
			return nil, r.d.problem(r.ctx, errTooLarge)
		}
	}
	return append(raw, "]}"...), nil
}

// data gives the JSON of a row with the ids that stand in other columns.
func (r *openCodeRoot) data(o *openCodeSession, table string, rowid int64, more func(id string) []byte) ([]byte, error) {
	columns, values, err := r.d.read(r.ctx, table, rowid)
	if err != nil {
		return nil, err
	}
	var id string
	var data any
	for i, c := range columns {
		switch c {
		case "id":
			id = asText(values[i])
		case "data":
			data = values[i]
		}
	}
	ends := more(id)
	raw := embedded(data, '{')
	if raw == nil {
		o.em.warn.add(0, "row of the database holds no JSON object and was kept as it is", "rows of the database hold no JSON objects and were kept as they are")
		raw = slices.Concat([]byte(`{"data":`), asJSON(data), []byte(`}`))
	}
	if len(raw) == 2 {
		return ends, nil
	}
	return slices.Concat(raw[:len(raw)-1], []byte(","), ends[1:]), nil
}

// info tells a session as an export tells it. Columns that an export has no
// name for stand in one member, "row".
func (r *openCodeRoot) info(rowid int64, id string) ([]byte, error) {
	columns, values, err := r.d.read(r.ctx, "session", rowid)
	if err != nil {
		return nil, err
	}
	var out, row, times, summary rowObject
	out.add("id", quoteJSON(id))
	for i, c := range columns {
		v := values[i]
		if v == nil || c == "id" {
			continue
		}
		switch c {
		case "project_id":
			out.add("projectID", asJSON(v))
		case "workspace_id":
			out.add("workspaceID", asJSON(v))
		case "parent_id":
			out.add("parentID", asJSON(v))
		case "slug", "directory", "path", "title", "version", "agent", "cost":
			out.add(c, asJSON(v))
		case "revert", "permission", "metadata", "model":
			if raw := embedded(v, 0); raw != nil {
				out.add(c, raw)
			} else {
				row.add(c, asJSON(v))
			}
		case "share_url":
			var share rowObject
			share.add("url", asJSON(v))
			out.add("share", share.done())
		case "summary_additions", "summary_deletions", "summary_files":
			summary.add(c[len("summary_"):], asJSON(v))
		case "summary_diffs":
			if raw := embedded(v, '['); raw != nil {
				summary.add("diffs", raw)
			} else {
				row.add(c, asJSON(v))
			}
		case "time_created", "time_updated", "time_compacting", "time_archived":
			times.add(c[len("time_"):], asJSON(v))
		default:
			row.add(c, asJSON(v))
		}
	}
	for _, part := range []struct {
		name string
		o    rowObject
	}{{"summary", summary}, {"time", times}, {"row", row}} {
		if len(part.o.raw) > 0 {
			out.add(part.name, part.o.done())
		}
	}
	return out.done(), nil
}

// tasks keeps the session's list of tasks.
func (r *openCodeRoot) tasks(o *openCodeSession, session string) error {
	if r.rows.todos == nil {
		return nil
	}
	rows, err := r.rows.todos.of(r.ctx, session)
	if err != nil || len(rows) == 0 {
		return err
	}
	raw := []byte("[")
	for i, todo := range rows {
		columns, values, err := r.d.read(r.ctx, "todo", todo.rowid)
		if err != nil {
			return err
		}
		var task rowObject
		for k, c := range columns {
			if values[k] != nil && c != "session_id" {
				task.add(c, asJSON(values[k]))
			}
		}
		if i > 0 {
			raw = append(raw, ',')
		}
		if raw = append(raw, task.done()...); len(raw) > databaseValueLimit {
			return r.d.problem(r.ctx, errTooLarge)
		}
	}
	raw = append(raw, ']')
	id := r.em.ids.unique("todo:" + digest(raw))
	return o.keep(id, tenfold.Kind(openCodeTodoName), raw)
}
