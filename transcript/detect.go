package transcript

import (
	"errors"
	"fmt"
)

// Detect tells the format of a source from its first bytes; the name only
// helps where the content says too little. Of a database only its tables tell
// the format, which a head does not hold: that is an error here, and [Import]
// looks at them itself.
func Detect(head []byte, name string) (Format, error) {
	if isDatabase(head) {
		return "", &Error{Name: name, Err: errors.New("this is an SQLite database: its tables say which format"), Hint: "import it as a file"}
	}
	if problem := unreadable(head); problem != nil {
		problem.Name = name
		return "", problem
	}
	h := newHead(head, name)
	_, found := recognise(h)
	if len(found) == 1 {
		return found[0], nil
	}
	if s := h.json; len(found) == 0 && (s.shape == shapeObject || s.shape == shapeLines) && len(s.objects) == 1 {
		if what := jpSibling(s.objects[0].has); what != "" {
			return "", notJP(name, what)
		}
	}
	e := &Error{Name: name, Hint: "known formats: " + knownFormats() + "; try --from"}
	if len(found) > 1 {
		e.Err = fmt.Errorf("cannot tell which of the formats %q this is", found)
	} else {
		e.Err = errors.New("unknown format: it looks like " + h.json.String())
	}
	return "", e
}

// recognise finds the formats whose importers are surest of a source.
func recognise(h Head) (best Confidence, found []Format) {
	for _, known := range handlers() {
		if known.importer == nil {
			continue
		}
		switch c := known.importer.Recognise(h); {
		case c == No || c < best:
		case c > best:
			best, found = c, []Format{known.format}
		default:
			found = append(found, known.format)
		}
	}
	return best, found
}
