package transcript

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	_ "modernc.org/sqlite" // reads the databases of other tools
)

// databaseMagic is how an SQLite database begins.
var databaseMagic = []byte("SQLite format 3\x00")

// The bounds of a database, in bytes: what is copied when a running tool has
// it open, and the largest value that is read.
const (
	databaseCopyLimit  = 4 << 30
	databaseValueLimit = 256 << 20
)

// A databaseImporter is an importer that can read a database. A head says only
// that it is one; its tables say whose.
type databaseImporter interface {
	Importer
	// owns reports whether the tables are the tool's.
	owns(d *database) bool
	importDatabase(ctx context.Context, d *database, sink Sink) error
}

// isDatabase reports whether a head is a database's.
func isDatabase(head []byte) bool { return bytes.HasPrefix(head, databaseMagic) }

// importDatabase imports a database as the given format, or as what its tables
// say when from is empty.
func importDatabase(ctx context.Context, src Source, from Format, sink Sink) error {
	d, err := openDatabase(ctx, src, from)
	if err != nil {
		return err
	}
	defer d.close()
	for _, h := range handlers() {
		importer, ok := h.importer.(databaseImporter)
		if !ok || (from != "" && from != h.format) {
			continue
		}
		if importer.owns(d) {
			d.format = h.format
			if src.Progress != nil {
				defer func() { src.Progress(src.Size) }()
			}
			if err := importer.importDatabase(ctx, d, sink); err != nil {
				return err
			}
			return d.unchanged()
		}
	}
	return &Error{
		Name: src.Name, Format: from, Err: errors.New("this is an SQLite database of another tool: " + d.describe()),
		Hint: "databases can be read of " + databaseFormats(),
	}
}

func databaseFormats() string {
	var names []string
	for _, h := range handlers() {
		if _, ok := h.importer.(databaseImporter); ok {
			names = append(names, string(h.format))
		}
	}
	return strings.Join(names, ", ")
}

// database is an SQLite database open for reading. Nothing is ever written to
// it or beside it.
type database struct {
	name   string
	format Format
	sql    *sql.DB
	copied string // directory of the copy that is read instead
	path   string // of a file that is read where it lies, and how it was
	mark   string
	tables map[string][]string
}

// openDatabase opens the database at the source's path. One that no program
// has open is read where it lies, as a file that does not change: SQLite then
// makes no file beside it. One with a journal beside it is copied first.
func openDatabase(ctx context.Context, src Source, format Format) (*database, error) {
	if src.Path == "" {
		return nil, &Error{
			Name: src.Name, Format: format, Err: errors.New("an SQLite database cannot be read from a stream"),
			Hint: "name the file",
		}
	}
	d := &database{name: src.Name, format: format}
	path, err := filepath.Abs(src.Path)
	if err == nil {
		path, err = filepath.EvalSymlinks(path) // journals lie beside the file itself
	}
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", src.Name, err)
	}
	query := url.Values{"_pragma": {"trusted_schema(0)", "cell_size_check(1)", "temp_store(2)", "query_only(1)"}}
	if busy(path) {
		if path, err = d.copy(ctx, path); err != nil {
			d.close()
			return nil, err
		}
		query.Set("mode", "rw") // to recover the journal of the copy
	} else {
		query.Set("mode", "ro")
		query.Set("immutable", "1")
		d.path = path
		d.mark, _ = fingerprint(path)
	}
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // Windows: file:///C:/…
	}
	address := url.URL{Scheme: "file", Path: path, RawQuery: query.Encode()}
	if d.sql, err = sql.Open("sqlite", address.String()); err != nil {
		d.close()
		return nil, d.problem(ctx, err)
	}
	d.sql.SetMaxOpenConns(1)
	if err := d.readTables(ctx); err != nil {
		d.close()
		return nil, err
	}
	return d, nil
}

func (d *database) close() {
	if d.sql != nil {
		_ = d.sql.Close()
	}
	if d.copied != "" {
		_ = os.RemoveAll(d.copied)
	}
}

// unchanged makes sure that nobody wrote to a file read where it lies.
func (d *database) unchanged() error {
	if d.path == "" {
		return nil
	}
	if mark, _ := fingerprint(d.path); mark != d.mark || busy(d.path) {
		return &Error{
			Name: d.name, Format: d.format, Err: errors.New("the database was written to while it was read"),
			Hint: "try again",
		}
	}
	return nil
}

// databaseFiles lists a database's own file and those of its journals.
func databaseFiles(path string) []string { return []string{path, path + "-wal", path + "-journal"} }

// busy reports whether a journal lies beside the database: a program has it
// open, or was killed.
func busy(path string) bool {
	for _, suffix := range [...]string{"-wal", "-journal", "-shm"} {
		if _, err := os.Lstat(path + suffix); err == nil {
			return true
		}
	}
	return false
}

// copy copies the database with its journals to a directory of its own, until
// nobody wrote while it was copied.
func (d *database) copy(ctx context.Context, path string) (string, error) {
	dir, err := os.MkdirTemp("", "tenfold-database-")
	if err != nil {
		return "", fmt.Errorf("copy %s: %w", d.name, err)
	}
	d.copied = dir
	target := filepath.Join(dir, "copy.db")
	for range 5 {
		before, size := fingerprint(path)
		if size > databaseCopyLimit {
			return "", &Error{
				Name: d.name, Format: d.format, Err: errors.New("the database is open in another program and too large to copy"),
				Hint: "close that program, then nothing needs to be copied",
			}
		}
		for i, file := range databaseFiles(path) {
			if err := copyFile(ctx, file, databaseFiles(target)[i]); err != nil {
				return "", fmt.Errorf("copy %s: %w", d.name, err)
			}
		}
		if after, _ := fingerprint(path); after == before {
			return target, nil
		}
	}
	return "", &Error{
		Name: d.name, Format: d.format, Err: errors.New("the database is being written to all the time"),
		Hint: "try again when the program that uses it is idle",
	}
}

// fingerprint tells whether the files of a database changed.
func fingerprint(path string) (mark string, size int64) {
	for _, file := range databaseFiles(path) {
		info, err := os.Stat(file)
		if err != nil {
			mark += "none "
			continue
		}
		size += info.Size()
		mark += strconv.FormatInt(info.Size(), 10) + "@" + strconv.FormatInt(info.ModTime().UnixNano(), 10) + " "
	}
	return mark, size
}

// copyFile copies a file; one that is not there gives none.
func copyFile(ctx context.Context, from, to string) error {
	_ = os.Remove(to)
	in, err := os.Open(from)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	for left := int64(databaseCopyLimit); left > 0; left -= 16 << 20 {
		if err = ctx.Err(); err != nil {
			break
		}
		if _, err = io.CopyN(out, in, 16<<20); err != nil {
			break
		}
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return errors.Join(err, out.Close())
}

// problem makes an error of the database one of ours.
func (d *database) problem(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var ours *Error
	if errors.As(err, &ours) {
		return err
	}
	return &Error{
		Name: d.name, Format: d.format, Err: fmt.Errorf("the database cannot be read: %w", err),
		Hint: "it may be damaged: open it in the tool that wrote it, or restore it",
	}
}

// readTables lists the tables with their columns. Views and virtual tables are
// none: reading them would run what somebody wrote into the file.
func (d *database) readTables(ctx context.Context) error {
	var names []string
	err := d.each(ctx, `SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' LIMIT 1000`, nil, func(row []any) {
		names = append(names, asText(row[0]))
	})
	if err != nil {
		return err
	}
	d.tables = map[string][]string{}
	for _, name := range names {
		err := d.each(ctx, `SELECT name FROM pragma_table_info(?) LIMIT 2000`, []any{name}, func(row []any) {
			d.tables[name] = append(d.tables[name], asText(row[0]))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (d *database) describe() string {
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

func (d *database) has(table string, columns ...string) bool {
	have, ok := d.tables[table]
	for _, c := range columns {
		ok = ok && slices.Contains(have, c)
	}
	return ok
}

// need says which columns of a table are missing.
func (d *database) need(table string, columns ...string) error {
	for _, c := range columns {
		if !d.has(table, c) {
			return &Error{
				Name: d.name, Format: d.format, Err: fmt.Errorf("table %s has no column %s", table, c),
				Hint: "the tool's version may be too new, or too old",
			}
		}
	}
	return nil
}

// each runs a query whose text is made of constants and of quoted names.
func (d *database) each(ctx context.Context, query string, args []any, row func(values []any)) error {
	rows, err := d.sql.QueryContext(ctx, query, args...)
	if err != nil {
		return d.problem(ctx, err)
	}
	defer func() { _ = rows.Close() }()
	columns, err := rows.Columns()
	if err != nil {
		return d.problem(ctx, err)
	}
	values, places := make([]any, len(columns)), make([]any, len(columns))
	for i := range values {
		places[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(places...); err != nil {
			return d.problem(ctx, err)
		}
		row(values)
	}
	if err := rows.Err(); err != nil {
		return d.problem(ctx, err)
	}
	return nil
}

// read gives one row of a table by its rowid: columns and values. Values that
// are too large are an error before they are read.
func (d *database) read(ctx context.Context, table string, rowid int64) (columns []string, values []any, err error) {
	columns = d.tables[table]
	var query strings.Builder
	query.WriteString("SELECT max(0")
	for _, c := range columns {
		query.WriteString(", ifnull(octet_length(" + quoteName(c) + "), 0)")
	}
	query.WriteString(") FROM " + quoteName(table) + " WHERE rowid = ?")
	var size int64
	if err := d.each(ctx, query.String(), []any{rowid}, func(row []any) { size, _ = row[0].(int64) }); err != nil {
		return nil, nil, err
	}
	if size > databaseValueLimit {
		return nil, nil, &Error{
			Name: d.name, Format: d.format, Err: fmt.Errorf("row %d of table %s holds a value of %d MB", rowid, table, size>>20),
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
	err = d.each(ctx, query.String(), []any{rowid}, func(row []any) { values = slices.Clone(row) })
	if err == nil && values == nil {
		err = d.problem(ctx, fmt.Errorf("row %d of table %s is gone", rowid, table))
	}
	return columns, values, err
}

func quoteName(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// asText reads a value as a text, with its bad bytes replaced.
func asText(v any) string {
	switch v := v.(type) {
	case string:
		return strings.ToValidUTF8(v, "\uFFFD")
	case []byte:
		return strings.ToValidUTF8(string(v), "\uFFFD")
	case int64:
		return strconv.FormatInt(v, 10)
	}
	return ""
}

// asJSON writes a value of a row as JSON.
func asJSON(v any) []byte {
	switch v := v.(type) {
	case int64:
		return strconv.AppendInt(nil, v, 10)
	case float64:
		if v-v != 0 { // infinite
			return []byte("null")
		}
		return strconv.AppendFloat(nil, v, 'g', -1, 64)
	case bool:
		return strconv.AppendBool(nil, v)
	case []byte:
		if !utf8.Valid(v) {
			return []byte(`{"base64":"` + base64.StdEncoding.EncodeToString(v) + `"}`)
		}
		return quoteJSON(string(v))
	case string:
		return quoteJSON(v)
	case time.Time:
		return quoteJSON(v.UTC().Format(time.RFC3339Nano))
	}
	return []byte("null")
}

func quoteJSON(text string) []byte {
	quoted, err := jsontext.AppendQuote(nil, strings.ToValidUTF8(text, "\uFFFD"))
	if err != nil {
		return []byte(`""`)
	}
	return quoted
}

// rowObject writes members of a JSON object.
type rowObject struct{ raw []byte }

func (o *rowObject) add(name string, value []byte) {
	if len(o.raw) == 0 {
		o.raw = append(o.raw, '{')
	} else {
		o.raw = append(o.raw, ',')
	}
	o.raw = append(append(append(o.raw, quoteJSON(name)...), ':'), value...)
}

func (o *rowObject) done() []byte {
	if len(o.raw) == 0 {
		return []byte("{}")
	}
	return append(o.raw, '}')
}

// embedded gives the JSON that a value holds as a text, on one line; nil when
// it holds none of the kind.
func embedded(v any, kind jsontext.Kind) []byte {
	var text []byte
	switch v := v.(type) {
	case string:
		text = []byte(v)
	case []byte:
		text = v
	}
	value := jsontext.Value(bytes.TrimSpace(text))
	if len(value) == 0 || (kind != 0 && value.Kind() != kind) || !utf8.Valid(value) || !value.IsValid(scanOptions...) {
		return nil
	}
	return appendCompact(nil, value)
}

var errTooLarge = errors.New("a message is larger than 256 MB")
