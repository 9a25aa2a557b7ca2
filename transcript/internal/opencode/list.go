package opencode

import (
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"tenfold/transcript/internal/database"
	"tenfold/transcript/internal/walk"
)

// listSessions reads the table of sessions, and of each the last message.
func listSessions(d *database.Database, each func(database.Session)) {
	d.Need("session", "id")
	var columns []string
	for _, c := range []string{"parent_id", "directory", "title", "time_created", "time_updated"} {
		if !d.Has("session", c) {
			c = "NULL"
		}
		columns = append(columns, c)
	}
	var list []database.Session
	parents, there := map[string]string{}, map[string]bool{}
	d.Each("SELECT substr(id, 1, 1000), "+strings.Join(columns, ", ")+" FROM session", nil, func(row []any) {
		id := database.AsText(row[0])
		there[id], parents[id] = true, database.AsText(row[1])
		list = append(list, database.Session{
			ID: id, Directory: database.AsText(row[2]),
			Title: database.AsText(row[3]), Created: timeOf(row[4]), Updated: timeOf(row[5]),
		})
	})
	for _, s := range list {
		s.Tokens = lastContext(d, s.ID)
		if s.Updated.IsZero() {
			s.Updated = s.Created
		}
		s.Agent = there[parents[s.ID]] // else the one that started it is gone
		if d.Err == nil {
			each(s)
		}
	}
}

// timeOf is the time in a column of milliseconds.
func timeOf(v any) time.Time {
	ms, _ := v.(int64)
	return millis(int(ms))
}

// lastContext is the context of a session's newest response that says what it
// cost. A larger message is not read: it says the same as others.
func lastContext(d *database.Database, session string) (tokens int) {
	if !d.Has("message", "session_id", "data") {
		return 0
	}
	const query = "SELECT data FROM message WHERE session_id = ? AND octet_length(data) < 100000 ORDER BY id DESC LIMIT 4"
	d.Each(query, []any{session}, func(row []any) {
		var m struct {
			Tokens openCodeCounts `json:"tokens"`
		}
		if tokens == 0 && json.Unmarshal([]byte(database.AsText(row[0])), &m, walk.ScanOptions...) == nil {
			t := m.Tokens
			tokens = t.Input + t.Output + t.Reasoning + t.Cache.Read + t.Cache.Write
		}
	})
	return max(tokens, 0)
}
