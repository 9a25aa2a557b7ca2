package transcript

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"time"

	"github.com/go-json-experiment/json"

	"tenfold"
)

// header is the first line of a conversation in our own format. Any line with
// a "tenfold" member is one; it may stand again to begin another conversation.
type header struct {
	Version      int                `json:"tenfold"`
	Conversation headerConversation `json:"conversation"`
}

type headerConversation struct {
	ID      string    `json:"id"`
	Title   string    `json:"title,omitzero"`
	Created time.Time `json:"created,omitzero"`
}

// headerVersion is the version this package writes and the newest it reads.
const headerVersion = 1

// exportTenfold writes a header and one entry a line.
func exportTenfold(w io.Writer, c Conversation, entries iter.Seq[tenfold.Entry]) error {
	out := bufio.NewWriterSize(w, 256<<10)
	h := header{Version: headerVersion, Conversation: headerConversation{ID: c.ID, Title: c.Title, Created: c.Created.UTC()}}
	line, err := json.Marshal(h, scanOptions...)
	if err != nil {
		return fmt.Errorf("export conversation %s: %w", c.ID, err)
	}
	if _, err := out.Write(append(line, '\n')); err != nil {
		return err
	}
	for e := range entries {
		if line, err = tenfold.AppendEntry(line[:0], e); err != nil {
			return fmt.Errorf("export conversation %s: %w", c.ID, err)
		}
		if _, err := out.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return out.Flush()
}

// tenfoldImporter reads what exportTenfold wrote.
type tenfoldImporter struct{}

// Format implements [Importer].
func (tenfoldImporter) Format() Format { return Tenfold }

// Recognise implements [Importer].
func (tenfoldImporter) Recognise(head []byte, _ string) Confidence {
	s := look(head)
	if s.shape != shapeLines && s.shape != shapeObject {
		return No
	}
	entries, all := 0, 0
	for i, o := range s.objects {
		if i == 0 && o.has("tenfold") && (o.has("conversation") || !o.whole) {
			return Certain
		}
		if o.has("id", "kind") && (o.has("seq") || o.has("time")) {
			entries++
		}
		if o.whole {
			all++
		}
	}
	if entries > 0 && entries >= all {
		return Likely
	}
	return No
}

// Import implements [Importer].
func (tenfoldImporter) Import(ctx context.Context, src Source, sink Sink) error {
	r := newLineReader(ctx, src)
	var (
		scan  scanner
		warn  warnings
		c     Conversation
		begun bool
	)
	begin := func(next Conversation) error {
		if begun {
			if err := sink.End(c, warn.text()); err != nil {
				return err
			}
		}
		c, warn, begun = next, warnings{}, true
		return sink.Begin(c)
	}
	for {
		line, err := r.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if r.repaired {
			warn.add(r.number, notUTF8One, notUTF8Many)
		}
		e, parseErr := tenfold.ParseEntry(line)
		if parseErr == nil && suspicious(line) {
			if scan.reset(line); !isOne(&scan) {
				parseErr = scan.err
			}
		}
		if parseErr != nil {
			// Only now is it worth asking what else the line is.
			scan.reset(line)
			isHeader := findHeader(&scan)
			switch {
			case scan.err != nil:
				if problem := r.broken(scan.err, Tenfold); problem != nil {
					return problem
				}
				warn.add(r.number, tornOne, tornOne)
				continue
			case isHeader:
				next, err := readHeader(line)
				if err != nil {
					return r.problem(Tenfold, err, "a newer tenfold may read it")
				}
				if err := begin(next); err != nil {
					return err
				}
				continue
			}
			return r.problem(Tenfold, parseErr, "was the file edited by hand?")
		}
		if !begun {
			if err := begin(Conversation{ID: nameID(src.Name, Tenfold), Format: Tenfold}); err != nil {
				return err
			}
		}
		if c.Created.IsZero() {
			c.Created = e.Time
		}
		if err := sink.Entry(e); err != nil {
			return err
		}
	}
	if !begun {
		if err := begin(Conversation{ID: nameID(src.Name, Tenfold), Format: Tenfold}); err != nil {
			return err
		}
	}
	return sink.End(c, warn.text())
}

// suspicious picks the lines that may hold more than one entry: a crash can
// glue two together. A whole second look at each line would cost too much.
func suspicious(line []byte) bool {
	return line[len(line)-1] != '}' || bytes.Contains(line, []byte("}{"))
}

func isOne(s *scanner) bool {
	s.value()
	s.end()
	return s.err == nil
}

// findHeader tells whether a line is a header.
func findHeader(s *scanner) bool {
	if s.kind() != '{' {
		s.value()
		s.end()
		return false
	}
	header, entry := false, false
	s.token()
	for s.more() {
		switch string(s.name()) {
		case `"tenfold"`:
			header = true
		case `"kind"`:
			entry = true
		}
		s.value()
	}
	s.token()
	s.end()
	return header && !entry
}

func readHeader(line []byte) (Conversation, error) {
	var h header
	if err := json.Unmarshal(line, &h, scanOptions...); err != nil {
		return Conversation{}, fmt.Errorf("the header cannot be read: %w", err)
	}
	if h.Version != headerVersion {
		return Conversation{}, fmt.Errorf("the file has version %d, this program reads version %d", h.Version, headerVersion)
	}
	c := h.Conversation
	return Conversation{ID: conversationID(c.ID), Title: c.Title, Format: Tenfold, Created: c.Created.UTC()}, nil
}
