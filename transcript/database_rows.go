package transcript

import (
	"context"
)

// databaseRow is where a row stands, its time and its id.
type databaseRow struct {
	rowid, created int64
	id             string
}

// databaseRows finds the rows of a table that belong to one session, or to one
// message. Where the table has no index for that, it is read once for all.
type databaseRows struct {
	d     *database
	query string
	all   map[string][]databaseRow
}

// rowsBy makes a finder of rows by a column. The expressions are SQL made of
// constants and of columns that are known to be there.
func (d *database) rowsBy(ctx context.Context, table, key, id, created, order string) (*databaseRows, error) {
	f := &databaseRows{d: d, query: "SELECT rowid, " + created + ", " + id + " FROM " + table + " WHERE " + key + " = ? ORDER BY " + order}
	indexed := false
	if err := d.each(ctx, `SELECT 1 FROM pragma_index_list(?) AS l JOIN pragma_index_info(l.name) AS i WHERE i.seqno = 0 AND i.name = ? AND l.partial = 0`,
		[]any{table, key}, func([]any) { indexed = true }); err != nil || indexed {
		return f, err
	}
	f.all = map[string][]databaseRow{}
	err := d.each(ctx, "SELECT rowid, "+created+", "+id+", "+key+" FROM "+table+" WHERE octet_length("+key+") < 1000 ORDER BY "+order, nil, func(row []any) {
		owner := asText(row[3])
		f.all[owner] = append(f.all[owner], readDatabaseRow(row))
	})
	return f, err
}

func (f *databaseRows) of(ctx context.Context, owner string) ([]databaseRow, error) {
	if f.all != nil {
		return f.all[owner], nil
	}
	var list []databaseRow
	err := f.d.each(ctx, f.query, []any{owner}, func(row []any) { list = append(list, readDatabaseRow(row)) })
	return list, err
}

func readDatabaseRow(row []any) databaseRow {
	r := databaseRow{id: asText(row[2])}
	r.rowid, _ = row[0].(int64)
	r.created, _ = row[1].(int64)
	return r
}
