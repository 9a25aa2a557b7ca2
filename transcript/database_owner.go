package transcript

import (
	"context"
	"errors"
	"strings"
)

// importDatabase imports a database as the given format, or as what its tables
// say when from is empty.
func importDatabase(ctx context.Context, src Source, from Format, sink Sink) error {
	d, err := openDatabase(ctx, src, from)
	if err != nil {
		return err
	}
	defer d.close()
	h, err := owner(d, from)
	if err != nil {
		return err
	}
	d.format = h.format
	if src.Progress != nil {
		defer func() { src.Progress(src.Size) }()
	}
	if err := h.importer.(databaseImporter).importDatabase(ctx, d, sink); err != nil {
		return err
	}
	return d.unchanged()
}

// databaseFormat tells whose a database is.
func databaseFormat(ctx context.Context, src Source) (Format, error) {
	d, err := openDatabase(ctx, src, "")
	if err != nil {
		return "", err
	}
	defer d.close()
	h, err := owner(d, "")
	return h.format, err
}

// owner finds the handler whose tables these are; from asks for one format.
func owner(d *database, from Format) (handler, error) {
	for _, h := range handlers() {
		importer, ok := h.importer.(databaseImporter)
		if ok && (from == "" || from == h.format) && importer.owns(d) {
			return h, nil
		}
	}
	return handler{}, &Error{
		Name: d.name, Format: from, Err: errors.New("this is an SQLite database of another tool: " + d.describe()),
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
