package native

import (
	"context"
	"fmt"
	"io"
	"iter"
	"time"

	"github.com/go-json-experiment/json"

	"tenfold"
	"tenfold/transcript/internal/engine"
	"tenfold/transcript/internal/intake"
	"tenfold/transcript/internal/walk"
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

func Handler() engine.Handler {
	return engine.Handler{Format: intake.Tenfold, About: "Tenfold's own JSON lines, lossless", Recognise: recognise, Import: importFile, Export: export}
}

// export writes a header and one entry a line. The overlays come
// along, so that even a compacted conversation loses nothing.
func export(w io.Writer, v engine.View) ([]string, error) {
	return nil, WriteTenfold(w, v.Conversation, v.Projection.Log().Entries())
}

func WriteTenfold(w io.Writer, c intake.Conversation, entries iter.Seq[tenfold.Entry]) error {
	out := engine.NewOut(w)
	out.JSON(header{Version: headerVersion, Conversation: headerConversation{ID: c.ID, Title: c.Title, Created: c.Created.UTC()}})
	var line []byte
	for e := range entries {
		var err error
		if line, err = tenfold.AppendEntry(line[:0], e); err != nil {
			out.Fail(err)
			break
		}
		out.Line(string(line))
	}
	return out.Done()
}

func recognise(h intake.Head) intake.Confidence {
	s := h.JSON
	if s.Shape != intake.ShapeLines && s.Shape != intake.ShapeObject {
		return intake.No
	}
	entries, all := 0, 0
	for i, o := range s.Objects {
		if i == 0 && o.Has("tenfold") && (o.Has("conversation") || !o.Whole) {
			return intake.Certain
		}
		if o.Has("id", "kind") && (o.Has("seq") || o.Has("time")) {
			entries++
		}
		if o.Whole {
			all++
		}
	}
	if entries > 0 && entries >= all {
		return intake.Likely
	}
	return intake.No
}

// importFile reads what export wrote.
func importFile(ctx context.Context, src intake.Source, sink intake.Sink) error {
	r := intake.NewLineReader(ctx, src)
	in := engine.Emitter{Sink: sink}
	var scan walk.Scanner
	var e tenfold.Entry
	var head []byte
	err := r.Records(intake.Tenfold, func(raw []byte) (err error) {
		if e, err = tenfold.ParseEntry(raw); err == nil {
			head = nil
			return nil
		}
		scan.Reset(raw)
		switch isHeader := findHeader(&scan); {
		case scan.Err != nil:
			return scan.Err
		case isHeader:
			head = raw
			return nil
		}
		return err
	}, func() error {
		if head == nil {
			if in.Conv.Format == "" { // no header came before
				in.Conv = intake.Conversation{ID: intake.NameID(src.Name, intake.Tenfold), Format: intake.Tenfold}
			}
			if in.Conv.Created.IsZero() {
				in.Conv.Created = e.Time
			}
			return in.Emit(e)
		}
		next, err := readHeader(head)
		if err != nil {
			return r.Problem(intake.Tenfold, err, "a newer tenfold may read it")
		}
		if in.Conv.Format != "" {
			err = in.End()
		}
		in = engine.Emitter{Sink: sink, Conv: next}
		return err
	})
	if err != nil {
		return err
	}
	if in.Conv.Format == "" {
		in.Conv = intake.Conversation{ID: intake.NameID(src.Name, intake.Tenfold), Format: intake.Tenfold}
	}
	return in.End()
}

// findHeader tells whether a line is a header.
func findHeader(s *walk.Scanner) bool {
	header, entry := false, false
	walk.EachMember(s, func(name []byte) {
		header = header || string(name) == `"tenfold"`
		entry = entry || string(name) == `"kind"`
		s.Value()
	})
	s.End()
	return header && !entry
}

func readHeader(line []byte) (intake.Conversation, error) {
	var h header
	if err := json.Unmarshal(line, &h, walk.ScanOptions...); err != nil {
		return intake.Conversation{}, fmt.Errorf("the header cannot be read: %w", err)
	}
	if h.Version != headerVersion {
		return intake.Conversation{}, fmt.Errorf("the file has version %d, this program reads version %d", h.Version, headerVersion)
	}
	c := h.Conversation
	return intake.Conversation{ID: intake.ConversationID(c.ID), Named: c.ID != "", Title: c.Title, Format: intake.Tenfold, Created: c.Created.UTC()}, nil
}
