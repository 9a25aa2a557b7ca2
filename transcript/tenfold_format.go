package transcript

import (
	"bufio"
	"context"
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

func tenfoldHandler() handler {
	return handler{format: Tenfold, about: "Tenfold's own JSON lines, lossless", importer: tenfoldImporter{}, exporter: tenfoldExporter{}}
}

// tenfoldExporter writes a header and one entry a line. The overlays come
// along, so that even a compacted conversation loses nothing.
type tenfoldExporter struct{}

// Export implements [Exporter].
func (tenfoldExporter) Export(w io.Writer, v View) ([]string, error) {
	return nil, writeTenfold(w, v.Conversation, v.Projection.Log().Entries())
}

func writeTenfold(w io.Writer, c Conversation, entries iter.Seq[tenfold.Entry]) error {
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

// Recognise implements [Importer].
func (tenfoldImporter) Recognise(h Head) Confidence {
	s := h.json
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
	in := tenfoldImport{name: src.Name, sink: sink}
	var e tenfold.Entry
	var head []byte
	err := r.records(Tenfold, func(raw []byte) (err error) {
		if e, err = tenfold.ParseEntry(raw); err == nil {
			head = nil
			return nil
		}
		in.scan.reset(raw)
		switch isHeader := findHeader(&in.scan); {
		case in.scan.err != nil:
			return in.scan.err
		case isHeader:
			head = raw
			return nil
		}
		return err
	}, func() error {
		if head == nil {
			return in.entry(e)
		}
		next, err := readHeader(head)
		if err != nil {
			return r.problem(Tenfold, err, "a newer tenfold may read it")
		}
		return in.begin(next)
	})
	if err != nil {
		return err
	}
	if err := in.ready(); err != nil {
		return err
	}
	return sink.End(in.c, nil)
}

// tenfoldImport is one import under way.
type tenfoldImport struct {
	name  string
	sink  Sink
	scan  scanner
	c     Conversation
	begun bool
}

func (in *tenfoldImport) begin(next Conversation) error {
	if in.begun {
		if err := in.sink.End(in.c, nil); err != nil {
			return err
		}
	}
	in.c, in.begun = next, true
	return in.sink.Begin(next)
}

// ready begins a conversation where no header did.
func (in *tenfoldImport) ready() error {
	if in.begun {
		return nil
	}
	return in.begin(Conversation{ID: nameID(in.name, Tenfold), Format: Tenfold})
}

func (in *tenfoldImport) entry(e tenfold.Entry) error {
	if err := in.ready(); err != nil {
		return err
	}
	if in.c.Created.IsZero() {
		in.c.Created = e.Time
	}
	return in.sink.Entry(e)
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
	return Conversation{ID: conversationID(c.ID), Named: c.ID != "", Title: c.Title, Format: Tenfold, Created: c.Created.UTC()}, nil
}
