package transcript

import (
	"errors"
	"fmt"

	"tenfold/transcript/internal/database"
	"tenfold/transcript/internal/intake"
	"tenfold/transcript/internal/jp"
)

// Detect tells the format of a source from its first bytes; the name only
// helps where the content says too little. Of a database only its tables tell
// the format, which a head does not hold: that is an error here, and [Import]
// looks at them itself.
func Detect(head []byte, name string) (Format, error) {
	if database.Is(head) {
		return "", &Error{Name: name, Err: errors.New("this is an SQLite database: its tables say which format"), Hint: "import it as a file"}
	}
	if problem := unreadable(head); problem != nil {
		problem.Name = name
		return "", problem
	}
	h := intake.NewHead(head, name)
	_, found := recognise(h)
	if len(found) == 1 {
		return found[0], nil
	}
	if s := h.JSON; len(found) == 0 && (s.Shape == intake.ShapeObject || s.Shape == intake.ShapeLines) && len(s.Objects) == 1 {
		if what := jp.Sibling(s.Objects[0].Has); what != "" {
			return "", jp.NotJP(name, what)
		}
	}
	e := &Error{Name: name, Hint: "known formats: " + knownFormats() + "; try --from"}
	if len(found) > 1 {
		e.Err = fmt.Errorf("cannot tell which of the formats %q this is", found)
	} else {
		e.Err = errors.New("unknown format: it looks like " + h.JSON.String())
	}
	return "", e
}

// recognise finds the formats whose importers are surest of a source.
func recognise(h intake.Head) (best intake.Confidence, found []Format) {
	for _, known := range handlers() {
		if known.Import == nil {
			continue
		}
		switch c := known.Recognise(h); {
		case c == intake.No || c < best:
		case c > best:
			best, found = c, []Format{known.Format}
		default:
			found = append(found, known.Format)
		}
	}
	return best, found
}
