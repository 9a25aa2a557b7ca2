package transcript

import (
	"fmt"
	"io"
	"iter"
	"strings"

	"tenfold"
	"tenfold/body"
)

// A View is a conversation as it is to be written.
type View struct {
	Conversation
	// Projection gives the conversation's log, and what a model sees of it.
	Projection *tenfold.Projection
	// Compacted asks for what a model sees; else all that was said is
	// written, and compactions where the format has a form for them.
	Compacted bool
}

// An Exporter writes one format.
type Exporter interface {
	// Export writes the view to w and changes nothing in it. It says, one
	// sentence each with its count, what the format has no place for. Errors
	// of w come back as they are, wrapped; w then holds a part.
	Export(w io.Writer, v View) (warnings []string, err error)
}

// Export writes a conversation in a format. The warnings say what the format
// has no place for.
func Export(w io.Writer, to Format, v View) (warnings []string, err error) {
	h, _ := find(to)
	if h.exporter == nil {
		return nil, &Error{
			Err:  fmt.Errorf("cannot export to %q", to),
			Hint: "it is one of " + named(func(f FormatInfo) bool { return f.Export }),
		}
	}
	id := v.ID
	if v, err = v.withFitCalls(to); err != nil {
		return nil, fmt.Errorf("export conversation %s: %w", id, err)
	}
	if warnings, err = h.exporter.Export(w, v); err != nil {
		return warnings, fmt.Errorf("export conversation %s: %w", v.ID, err)
	}
	return append(warnings, v.nameLosses(to)...), nil
}

// entries gives what is to be written as the entries of a log: all there are,
// or those of the projection, which stand for themselves.
func (v View) entries() iter.Seq[tenfold.Entry] {
	if v.Compacted {
		return v.Projection.Entries()
	}
	return v.Projection.Log().Entries()
}

// forClient gives the entries for a client that brings a system prompt of its own:
// what summaries add to the system prompt (P4) comes as a message in front.
func (v View) forClient() iter.Seq[tenfold.Entry] {
	text := ""
	if v.Compacted {
		text = v.Projection.Continuation()
	}
	if text == "" {
		return v.entries()
	}
	return func(yield func(tenfold.Entry) bool) {
		told := false
		tell := func() bool {
			was := told
			told = true
			return was || yield(tenfold.Entry{ID: "continuation", Payload: tenfold.UserMessage{Parts: tenfold.Text(text), Synthetic: true}})
		}
		for e := range v.entries() {
			if d, ok := e.Payload.(tenfold.ConfigDelta); !ok {
				if !tell() {
					return
				}
			} else if d.System != nil {
				own := strings.TrimRight(strings.TrimSuffix(*d.System, text), "\n")
				if d.System = &own; own == "" {
					d.System = nil
				}
				e.Payload = d
			}
			if !yield(e) {
				return
			}
		}
		tell()
	}
}

// shown gives what a model sees of the view: the projection, or what it would
// be had nothing been compacted.
func (v View) shown() (*tenfold.Projection, error) {
	if v.Compacted {
		return v.Projection, nil
	}
	bare := tenfold.NewLog()
	for e := range v.Projection.Log().Entries() {
		switch e.Payload.Kind() {
		case tenfold.KindCompaction, tenfold.KindCompactionRevoked:
			continue
		}
		if _, err := bare.Append(e); err != nil {
			return nil, err
		}
	}
	return tenfold.Project(bare), nil
}

// bodyExporter writes the conversation part of one request, ready to send.
type bodyExporter struct{ profile string }

// Export implements [Exporter].
func (x bodyExporter) Export(w io.Writer, v View) ([]string, error) {
	for _, p := range body.Profiles() {
		if p.Name != x.profile {
			continue
		}
		shown, err := v.shown()
		if err != nil {
			return nil, err
		}
		body, err := p.Write(shown)
		if err != nil {
			return nil, err
		}
		_, err = w.Write(append(body, '\n'))
		return nil, err
	}
	return nil, fmt.Errorf("there is no profile %q", x.profile)
}
