package database

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"tenfold/transcript/internal/intake"
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
func (d *Database) RowsBy(table, key, id, created, order string) *Rows {
	// A column that was added later has its default in every row: a long one
	// would be kept as often as there are rows.
	id = "CASE WHEN octet_length(" + id + ") < 1000 THEN " + id + " END"
	f := &Rows{d: d, query: "SELECT rowid, " + created + ", " + id + " FROM " + table + " WHERE " + key + " = ? ORDER BY " + order}
	indexed := false
	d.Each(`SELECT 1 FROM pragma_index_list(?) AS l JOIN pragma_index_info(l.name) AS i WHERE i.seqno = 0 AND i.name = ? AND l.partial = 0`,
		[]any{table, key}, func([]any) { indexed = true })
	if indexed {
		return f
	}
	f.all = map[string][]Row{}
	d.Each("SELECT rowid, "+created+", "+id+", "+key+" FROM "+table+" WHERE octet_length("+key+") < 1000 ORDER BY "+order, nil, func(row []any) {
		owner := AsText(row[3])
		f.all[owner] = append(f.all[owner], readRow(row))
	})
	return f
}

func (f *Rows) Of(owner string) (list []Row) {
	if f.all != nil {
		return f.all[owner]
	}
	f.d.Each(f.query, []any{owner}, func(row []any) { list = append(list, readRow(row)) })
	return list
}

func readRow(row []any) Row {
	r := Row{ID: AsText(row[2])}
	r.Rowid, _ = row[0].(int64)
	r.Created, _ = row[1].(int64)
	return r
}

// readTables lists the tables with their columns. Views and virtual tables are
// none: reading them would run what somebody wrote into the file.
func (d *Database) readTables() {
	var names []string
	d.Each(`SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' LIMIT 1000`, nil, func(row []any) {
		names = append(names, AsText(row[0]))
	})
	d.tables = map[string][]string{}
	for _, name := range names {
		d.Each(`SELECT name FROM pragma_table_info(?) LIMIT 2000`, []any{name}, func(row []any) {
			d.tables[name] = append(d.tables[name], AsText(row[0]))
		})
	}
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

// Need makes it an error that a column of a table is missing.
func (d *Database) Need(table string, columns ...string) {
	for _, c := range columns {
		if !d.Has(table, c) {
			_ = d.Fail(&intake.Error{
				Name: d.Name, Format: d.Format, Err: fmt.Errorf("table %s has no column %s", table, c),
				Hint: "the tool's version may be too new, or too old",
			})
		}
	}
}

// Each runs a query whose text is made of constants, of quoted names and of columns
// that are known to be there; the values belong to the caller, until the next row.
func (d *Database) Each(query string, args []any, row func(values []any)) {
	if d.Err == nil {
		_ = d.Fail(d.each(query, args, row))
	}
}

func (d *Database) each(query string, args []any, row func(values []any)) error {
	rows, err := d.sql.QueryContext(d.ctx, query, args...)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	columns, err := rows.Columns()
	if err != nil {
		return err
	}
	values, places := make([]any, len(columns)), make([]any, len(columns))
	for i := range values {
		places[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(places...); err != nil {
			return err
		}
		row(values)
	}
	return rows.Err()
}

// Read gives one row of a table by its rowid: columns and values. Values that
// are too large are an error before they are read.
func (d *Database) Read(table string, rowid int64) (columns []string, values []any) {
	list := make([]string, len(d.tables[table]))
	for i, c := range d.tables[table] {
		list[i] = quoteName(c)
	}
	from := " FROM " + quoteName(table) + " WHERE rowid = ?"
	var size int64
	d.Each("SELECT max(0, ifnull(octet_length("+strings.Join(list, "), 0), ifnull(octet_length(")+"), 0))"+from, []any{rowid}, func(row []any) { size, _ = row[0].(int64) })
	if size > ValueLimit {
		_ = d.Fail(&intake.Error{
			Name: d.Name, Format: d.Format, Err: fmt.Errorf("row %d of table %s holds a value of %d MB", rowid, table, size>>20),
			Hint: "no session holds such a value: the database may be damaged",
		})
	}
	d.Each("SELECT "+strings.Join(list, ", ")+from, []any{rowid}, func(row []any) { values = slices.Clone(row) })
	if values == nil {
		_ = d.Fail(fmt.Errorf("row %d of table %s is gone", rowid, table))
		return nil, nil
	}
	return d.tables[table], values
}

// List makes a JSON array of rows.
func (d *Database) List(rows []Row, item func(Row) []byte) []byte {
	raw := []byte("[")
	for i, row := range rows {
		if i > 0 {
			raw = append(raw, ',')
		}
		if raw = append(raw, item(row)...); len(raw) > ValueLimit {
			_ = d.Fail(errTooLarge)
		}
		if d.Err != nil {
			break
		}
	}
	return append(raw, ']')
}

func quoteName(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
