// Package transcript reads the transcripts of other tools into Tenfold's
// entries, and writes entries as JSON lines.
//
// [Import] is the way in: it finds out the format by content, reads the source
// once from front to back, and hands the entries to a [Sink] one by one, so
// that a file may be larger than what one wants to hold twice. [Export] is the
// way out.
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
	"fmt"
	"io"
	"io/fs"
	"time"

	"tenfold"
)

// A Source is a transcript to read, once.
type Source struct {
	// Name is the path, for messages and for ids that the content lacks.
	Name string
	// Reader gives the bytes. The package reads it from one goroutine and
	// does not close it.
	Reader io.Reader
	// Size is the number of bytes if known, else 0.
	Size int64
	// Siblings holds the directory of the file, for formats that spread over
	// several; nil when there is none. It must not lead out of the directory:
	// [Open] gives one that cannot.
	Siblings fs.FS
	// Path is where the file lies on this machine, for formats that are no
	// streams, such as databases; empty when it lies nowhere.
	Path string
	// Progress is called now and then with the number of bytes read; may be
	// nil.
	Progress func(readBytes int64)
	// Strict ends the import at the first damaged record. Without it such
	// records are left out, and the warnings tell how many and which came
	// first.
	Strict bool

	intake *intake
}

// A Conversation describes what is imported or exported.
type Conversation struct {
	// ID is made of letters, digits, ".", "_" and "-", does not start with a
	// "." and is never empty.
	ID string
	// Named says that the tool gave the ID, so that no other conversation has
	// it, wherever it is read. Else it is made of the source's name and what
	// the conversation begins with, as others may be: only where a source lies
	// and all that it says tell which conversation it is.
	Named  bool
	Title  string
	Format Format
	// Created is the time of the earliest line that has one, or zero.
	Created time.Time
}

// A Sink takes what an importer finds. For each conversation the importer
// calls Begin, then Entry for each entry in order, then End; conversations do
// not overlap. All calls come from the goroutine that called [Import].
//
// When Import returns an error before End, the conversation begun last is
// incomplete and the sink is to drop it; conversations that were ended are
// whole. An error from a sink stops the import and is returned as it is.
type Sink interface {
	// Begin opens a conversation. ID and Format are set; title and time are
	// what is known so far.
	Begin(c Conversation) error
	// Entry takes the next entry. The sink owns it. Seq and Tokens are zero
	// unless the format carries them.
	Entry(e tenfold.Entry) error
	// End closes the conversation, now fully described, with what the user
	// should know: each warning is one sentence with its count.
	End(c Conversation, warnings []string) error
}

// An Importer reads one format.
type Importer interface {
	// Recognise says how sure it is that the source has its format. The name
	// may only break a tie between readings of the same content.
	Recognise(h Head) Confidence
	// Import reads the source in one pass. Errors in the content are [*Error];
	// those of the reader, the sink and the context come back as they are,
	// wrapped. It keeps no reference to src or sink afterwards.
	Import(ctx context.Context, src Source, sink Sink) error
}

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
	return importWithin(ctx, src, from, sink, defaultLimits)
}

func importWithin(ctx context.Context, src Source, from Format, sink Sink, l limits) error {
	if r, ok := src.Reader.(interface{ SetReadDeadline(t time.Time) error }); ok {
		// A pipe may give nothing for as long as it likes.
		stop := context.AfterFunc(ctx, func() { _ = r.SetReadDeadline(time.Unix(1, 0)) })
		defer func() {
			if !stop() {
				_ = r.SetReadDeadline(time.Time{})
			}
		}()
	}
	src.intake = &intake{sink: sink, limits: l, strict: src.Strict, name: src.Name, format: from}
	src, head, done, err := unpack(src)
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
	in := src.intake
	in.head = head
	if isDatabase(head) {
		in.size = src.Size
		return in.done(importDatabase(ctx, src, from, in))
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
	if !ok || h.importer == nil {
		return &Error{Name: src.Name, Err: fmt.Errorf("unknown format %q", from), Hint: "it is one of " + knownFormats()}
	}
	in.format = from
	if named {
		return in.done(importNamed(ctx, src, head, h, in))
	}
	return in.done(h.importer.Import(ctx, src, in))
}

// A Collector is a sink that keeps everything in memory.
type Collector struct {
	// Conversations are those that were ended.
	Conversations []Collected
	current       Collected
}

// Collected is one conversation of a [Collector].
type Collected struct {
	Conversation
	Entries  []tenfold.Entry
	Warnings []string
}

// Begin implements [Sink].
func (k *Collector) Begin(c Conversation) error {
	k.current = Collected{Conversation: c}
	return nil
}

// Entry implements [Sink].
func (k *Collector) Entry(e tenfold.Entry) error {
	k.current.Entries = append(k.current.Entries, e)
	return nil
}

// End implements [Sink].
func (k *Collector) End(c Conversation, warnings []string) error {
	k.current.Conversation, k.current.Warnings = c, warnings
	k.Conversations = append(k.Conversations, k.current)
	k.current = Collected{}
	return nil
}
