package transcript

import (
	"context"
	"errors"
	"strings"

	"tenfold/transcript/internal/database"
)

// importDatabase imports a database as the given format, or as what its tables
// say when from is empty.
func importDatabase(ctx context.Context, src Source, from Format, sink Sink) error {
	d, err := database.Open(ctx, src, from)
	if err != nil {
		return err
	}
	defer d.Close()
	importer, err := owner(d, from)
	if err != nil {
		return err
	}
	d.Format = importer.Format
	if src.Intake != nil {
		h, _ := find(d.Format)
		src.Intake.Ran = h.Ran
	}
	if src.Progress != nil {
		defer func() { src.Progress(src.Size) }()
	}
	if err := importer.Import(d, src.Only, sink); err != nil {
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
	importer, err := owner(d, "")
	return importer.Format, err
}

// owner finds whose tables these are; from asks for one format.
func owner(d *database.Database, from Format) (database.Importer, error) {
	for _, importer := range databases() {
		if (from == "" || from == importer.Format) && importer.Owns(d) {
			return importer, nil
		}
	}
	return database.Importer{}, &Error{
		Name: d.Name, Format: from, Err: errors.New("this is an SQLite database of another tool: " + d.Describe()),
		Hint: "databases can be read of " + databaseFormats(),
	}
}

func databaseFormats() string {
	var names []string
	for _, importer := range databases() {
		names = append(names, string(importer.Format))
	}
	return strings.Join(names, ", ")
}
