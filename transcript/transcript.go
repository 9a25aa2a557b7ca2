// Package transcript reads the transcripts of other tools into Tenfold's
// entries, and conversations as transcripts of their own or of other tools.
//
// [Import] is the way in: it finds out the format by content, reads the source
// once from front to back, and hands the entries to a [Sink] one by one, so
// that a file may be larger than what one wants to hold twice. [Export] is the
// way out.
//
//	f, err := transcript.Open(path)
//	…
//	defer f.Close()
//	var found transcript.Collector
//	err = transcript.Import(ctx, f.Source, "", &found)
//	…
//	for _, c := range found.Conversations {
//		log := tenfold.NewLog()
//		_, err = log.Append(c.Entries...)
//		…
//		warnings, err := transcript.Export(w, transcript.Codex, transcript.View{Conversation: c.Conversation, Projection: tenfold.Project(log)})
//		…
//	}
//
// Importing loses nothing. What a transcript says and the payloads of
// [tenfold.Entry] have no place for stands in [tenfold.Entry.Source] of the
// first entry that came from the same line or event; lines that say nothing to
// a model become entries of kind [tenfold.Unknown] whose Source is the whole
// line. Inside a Source, a value that the payload holds already is replaced by
// "" or null. Compactions that the other tool made become overlays (semantics
// §3), so that undoing them gives back what they hid.
//
// Ids are derived from the source alone and do not depend on what comes later:
// importing a transcript again after it grew gives the old lines the old ids.
// They follow from what a record says, never from its place alone. An id tells
// entries of one conversation apart; a conversation is told from others by its
// id only where [Conversation.Named] says so.
package transcript

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"tenfold"
	"tenfold/transcript/internal/database"
	"tenfold/transcript/internal/engine"
	"tenfold/transcript/internal/intake"
)

// Import reads src as the given format, or as what [Detect] finds when from is
// empty, into sink. What is packed with gzip or zstd is unpacked on the way. A
// database is read where [Source.Path] says; its tables tell whose it is.
//
// A record that cannot be read is left out with a warning, see
// [Source.Strict]; a source of which more is damaged than whole is refused, and
// so is one that does not have the format it is said to have. What an import
// takes of the machine's memory is bounded by the size of the source; an
// archive that unpacks to more than 100 times its size, and to more than
// 128 MB, is refused.
func Import(ctx context.Context, src Source, from Format, sink Sink) error {
	return importWithin(ctx, src, from, sink, intake.DefaultLimits)
}

func importWithin(ctx context.Context, src Source, from Format, sink Sink, l intake.Limits) error {
	if r, ok := src.Reader.(interface{ SetReadDeadline(t time.Time) error }); ok {
		// A pipe may give nothing for as long as it likes.
		stop := context.AfterFunc(ctx, func() { _ = r.SetReadDeadline(time.Unix(1, 0)) })
		defer func() {
			if !stop() {
				_ = r.SetReadDeadline(time.Time{})
			}
		}()
	}
	src.Intake = &intake.Intake{Sink: sink, Limits: l, Strict: src.Strict, Name: src.Name, Format: from}
	src, head, done, err := intake.Unpack(src)
	defer done()
	if err == nil {
		err = importUnpacked(ctx, src, head, from)
	}
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// importUnpacked imports what begins with head into the source's intake.
func importUnpacked(ctx context.Context, src Source, head []byte, from Format) error {
	in := src.Intake
	in.Head = head
	if database.Is(head) {
		in.Size = src.Size
		return in.Done(importDatabase(ctx, src, from, in))
	}
	if problem := unreadable(head); problem != nil {
		problem.Name, problem.Format = src.Name, from
		return problem
	}
	named := from != ""
	if !named {
		var err error
		if from, err = Detect(head, src.Name); err != nil {
			return err
		}
	}
	h, ok := find(from)
	if ok && h.Import == nil {
		return &Error{Name: src.Name, Err: fmt.Errorf("%s is only written, not read", from), Hint: "what can be read is one of " + knownFormats()}
	}
	if !ok {
		return &Error{Name: src.Name, Err: fmt.Errorf("unknown format %q", from), Hint: "it is one of " + knownFormats()}
	}
	in.Format, in.Ran = from, h.Ran
	if h.RanIn != nil && src.Path != "" {
		in.RanIn = func() string { return h.RanIn(src.Path) }
	}
	if named {
		return in.Done(importNamed(ctx, src, head, h, in))
	}
	return in.Done(h.Import(ctx, src, in))
}

// Renewed gives what tells of messages that a compacted export in a format leaves
// out, because its client puts them into each session that it goes on with
// (semantics P8a): nil where there is no such client.
func Renewed(to Format) func(tenfold.Payload) bool {
	if client(to) != nil {
		return engine.Renewed
	}
	return nil
}

// Export writes a conversation in a format. The warnings say what the format
// has no place for.
func Export(w io.Writer, to Format, v View) (warnings []string, err error) {
	h, _ := find(to)
	if h.Export == nil {
		return nil, &Error{
			Err:  fmt.Errorf("cannot export to %q", to),
			Hint: "it is one of " + named(func(f FormatInfo) bool { return f.Export }),
		}
	}
	if v.Projection == nil {
		return nil, unexported(v, errors.New("there is no projection"))
	}
	signed, left := 0, 0
	if h.Client != nil {
		if v, err = v.WithFitCalls(to); err == nil {
			v, signed, err = v.WithoutSigned(to)
		}
		if err != nil {
			return nil, unexported(v, err)
		}
		v, left = v.WithoutRenewed()
	}
	if warnings, err = h.Export(w, v); err != nil {
		return warnings, unexported(v, err)
	}
	var more intake.Warnings
	for range left {
		more.Add(0, "message of context is left out: the client adds its own on resume", "messages of context are left out: the client adds its own on resume")
	}
	warnings = append(warnings, more.Text()...)
	if signed > 0 && !strings.Contains(strings.Join(warnings, " "), "reasoning") {
		warnings = append(warnings, fmt.Sprintf("signatures of reasoning are left out of %d blocks: they are bound to another client's system prompt and tools", signed))
	}
	return append(warnings, v.NameLosses(to)...), nil
}

// unexported says which conversation could not be exported; one may have no id.
func unexported(v View, err error) error {
	return fmt.Errorf("export %s: %w", strings.TrimSpace("conversation "+v.ID), err)
}
