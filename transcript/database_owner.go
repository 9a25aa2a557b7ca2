package transcript

import (
	"context"
	"errors"
	"strings"

	"tenfold/transcript/internal/database"
	"tenfold/transcript/internal/engine"
)

// importDatabase imports a database as the given format, or as what its tables
// say when from is empty.
func importDatabase(ctx context.Context, src Source, from Format, sink Sink) error {
	d, err := database.Open(ctx, src, from)
	if err != nil {
		return err
	}
	defer d.Close()
	h, err := owner(d, from)
	if err != nil {
		return err
	}
	d.Format = h.Format
	if src.Intake != nil {
		src.Intake.Ran = h.Ran
	}
	if src.Progress != nil {
		defer func() { src.Progress(src.Size) }()
	}
	importer, _ := h.Importer.(database.Importer) // as find saw
	if err := importer.ImportDatabase(ctx, d, src.Only, sink); err != nil {
		return err
	}
	return d.Unchanged()
}

// databaseFormat tells whose a database is.
func databaseFormat(ctx context.Context, src Source) (Format, error) {
	d, err := database.Open(ctx, src, "")
	if err != nil {
		return "", err
	}
	defer d.Close()
	h, err := owner(d, "")
	return h.Format, err
}

// owner finds the handler whose tables these are; from asks for one format.
func owner(d *database.Database, from Format) (engine.Handler, error) {
	for _, h := range handlers() {
		importer, ok := h.Importer.(database.Importer)
		if ok && (from == "" || from == h.Format) && importer.Owns(d) {
			return h, nil
		}
	}
	return engine.Handler{}, &Error{
		Name: d.Name, Format: from, Err: errors.New("this is an SQLite database of another tool: " + d.Describe()),
		Hint: "databases can be read of " + databaseFormats(),
	}
}

func databaseFormats() string {
	var names []string
	for _, h := range handlers() {
		if _, ok := h.Importer.(database.Importer); ok {
			names = append(names, string(h.Format))
		}
	}
	return strings.Join(names, ", ")
}
