package database

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"tenfold/transcript/internal/engine"
)

// Row is where a row stands, its time and its id.
type Row struct {
	Rowid, Created int64
	ID             string
}

// Rows finds the rows of a table that belong to one session, or to one
// message. Where the table has no index for that, it is read once for all.
type Rows struct {
	d     *Database
	query string
	all   map[string][]Row
}

// RowsBy makes a finder of rows by a column. The expressions are SQL made of
// constants and of columns that are known to be there.
func (d *Database) RowsBy(ctx context.Context, table, key, id, created, order string) (*Rows, error) {
	// A column that was added later has its default in every row: a long one
	// would be kept as often as there are rows.
	id = "CASE WHEN octet_length(" + id + ") < 1000 THEN " + id + " END"
	f := &Rows{d: d, query: "SELECT rowid, " + created + ", " + id + " FROM " + table + " WHERE " + key + " = ? ORDER BY " + order}
	indexed := false
	if err := d.Each(ctx, `SELECT 1 FROM pragma_index_list(?) AS l JOIN pragma_index_info(l.name) AS i WHERE i.seqno = 0 AND i.name = ? AND l.partial = 0`,
		[]any{table, key}, func([]any) { indexed = true }); err != nil || indexed {
		return f, err
	}
	f.all = map[string][]Row{}
	err := d.Each(ctx, "SELECT rowid, "+created+", "+id+", "+key+" FROM "+table+" WHERE octet_length("+key+") < 1000 ORDER BY "+order, nil, func(row []any) {
		owner := AsText(row[3])
		f.all[owner] = append(f.all[owner], readRow(row))
	})
	return f, err
}

func (f *Rows) Of(ctx context.Context, owner string) ([]Row, error) {
	if f.all != nil {
		return f.all[owner], nil
	}
	var list []Row
	err := f.d.Each(ctx, f.query, []any{owner}, func(row []any) { list = append(list, readRow(row)) })
	return list, err
}

func readRow(row []any) Row {
	r := Row{ID: AsText(row[2])}
	r.Rowid, _ = row[0].(int64)
	r.Created, _ = row[1].(int64)
	return r
}

// readTables lists the tables with their columns. Views and virtual tables are
// none: reading them would run what somebody wrote into the file.
func (d *Database) readTables(ctx context.Context) error {
	var names []string
	err := d.Each(ctx, `SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' LIMIT 1000`, nil, func(row []any) {
		names = append(names, AsText(row[0]))
	})
	if err != nil {
		return err
	}
	d.tables = map[string][]string{}
	for _, name := range names {
		err := d.Each(ctx, `SELECT name FROM pragma_table_info(?) LIMIT 2000`, []any{name}, func(row []any) {
			d.tables[name] = append(d.tables[name], AsText(row[0]))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (d *Database) Describe() string {
	var names []string
	for name := range d.tables {
		if utf8.ValidString(name) && len(name) < 60 {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	switch {
	case len(names) == 0:
		return "it has no tables"
	case len(names) > 12:
		return "its tables are " + strings.Join(names[:12], ", ") + " and more"
	}
	return "its tables are " + strings.Join(names, ", ")
}

func (d *Database) Has(table string, columns ...string) bool {
	have, ok := d.tables[table]
	for _, c := range columns {
		ok = ok && slices.Contains(have, c)
	}
	return ok
}

// Need says which columns of a table are missing.
func (d *Database) Need(table string, columns ...string) error {
	for _, c := range columns {
		if !d.Has(table, c) {
			return &engine.Error{
				Name: d.Name, Format: d.Format, Err: fmt.Errorf("table %s has no column %s", table, c),
				Hint: "the tool's version may be too new, or too old",
			}
		}
	}
	return nil
}

// Each runs a query whose text is made of constants, of quoted names and of columns
// that are known to be there; the values belong to the caller, until the next row.
func (d *Database) Each(ctx context.Context, query string, args []any, row func(values []any)) error {
	rows, err := d.sql.QueryContext(ctx, query, args...)
	if err != nil {
		return d.Problem(ctx, err)
	}
	defer func() { _ = rows.Close() }()
	columns, err := rows.Columns()
	if err != nil {
		return d.Problem(ctx, err)
	}
	values, places := make([]any, len(columns)), make([]any, len(columns))
	for i := range values {
		places[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(places...); err != nil {
			return d.Problem(ctx, err)
		}
		row(values)
	}
	if err := rows.Err(); err != nil {
		return d.Problem(ctx, err)
	}
	return nil
}

// Read gives one row of a table by its rowid: columns and values. Values that
// are too large are an error before they are read.
func (d *Database) Read(ctx context.Context, table string, rowid int64) (columns []string, values []any, err error) {
	columns = d.tables[table]
	var query strings.Builder
	query.WriteString("SELECT max(0")
	for _, c := range columns {
		query.WriteString(", ifnull(octet_length(" + quoteName(c) + "), 0)")
	}
	query.WriteString(") FROM " + quoteName(table) + " WHERE rowid = ?")
	var size int64
	if err := d.Each(ctx, query.String(), []any{rowid}, func(row []any) { size, _ = row[0].(int64) }); err != nil {
		return nil, nil, err
	}
	if size > ValueLimit {
		return nil, nil, &engine.Error{
			Name: d.Name, Format: d.Format, Err: fmt.Errorf("row %d of table %s holds a value of %d MB", rowid, table, size>>20),
			Hint: "no session holds such a value: the database may be damaged",
		}
	}
	query.Reset()
	query.WriteString("SELECT ")
	for i, c := range columns {
		if i > 0 {
			query.WriteString(", ")
		}
		query.WriteString(quoteName(c))
	}
	query.WriteString(" FROM " + quoteName(table) + " WHERE rowid = ?")
	err = d.Each(ctx, query.String(), []any{rowid}, func(row []any) { values = slices.Clone(row) })
	if err == nil && values == nil {
		err = d.Problem(ctx, fmt.Errorf("row %d of table %s is gone", rowid, table))
	}
	return columns, values, err
}

func quoteName(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
