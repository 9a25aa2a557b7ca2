// Package htmlexport writes a conversation as one HTML file that a person can send to
// somebody: it works from a disk, without a server and without a network.
//
// The page shows what the conversation cost, what each compaction did, and its
// timeline: a line for every entry, turns folded, with what became of the entry and
// why. Texts of a conversation are a stranger's: they are only ever text. A content
// security policy in the file allows its own style and script, by their hashes, and
// nothing else.
//
// Secrets and what names a person are replaced unless the caller says otherwise
// (package redact), and the page says how many of each.
package htmlexport

import (
	"bufio"
	"io"
	"time"

	"tenfold"
	"tenfold/internal/redact"
	"tenfold/token"
)

// Options say what to write.
type Options struct {
	// ID, Title, Tool and Directory describe the conversation; all but the ID may be
	// empty. Tool is whose session it is, as "claude-code".
	ID, Title, Tool, Directory string
	Created                    time.Time
	// Compacted writes what a model sees instead of all that was said.
	Compacted bool
	// Unredacted leaves secrets and names where they are.
	Unredacted bool
	// Words are redacted as well, in any case: names of people, of customers.
	Words []string
}

// A Result says what the file is not: the whole conversation.
type Result struct {
	Redacted redact.Counts
	// Cut is how many texts were longer than [LongestText].
	Cut int
}

// LongestText is how many bytes of a text the file holds at most.
const LongestText = 256 << 10

// Write writes the conversation of a projection while it goes through it: it needs a
// few bytes for each entry, and what the compactions made of the shortened ones. The
// projection must not change meanwhile; pass a snapshot of one that may.
func Write(w io.Writer, view *tenfold.Projection, o Options) (Result, error) {
	p := &page{Options: o, view: view, log: view.Log(), scale: token.Calibrate(view.Log())}
	p.collect()
	// What was replaced stands above the texts, so they are gone through twice.
	p.reset(io.Discard)
	p.write()
	p.found = p.result()
	p.reset(w)
	p.write()
	return p.found, p.out.Flush()
}

// page is one file being written.
type page struct {
	Options
	view  *tenfold.Projection
	log   *tenfold.Log
	scale token.Scale
	sums
	found Result

	out    *bufio.Writer
	redact *redact.Redactor
	cut    int
	turn   int // the one that is open, -1 before the first
	group  int // entries in the open group
}

func (p *page) reset(w io.Writer) {
	p.out = bufio.NewWriterSize(w, 64<<10)
	p.redact = redact.New(p.Words...)
	p.cut, p.turn, p.group = 0, -1, 0
}

func (p *page) result() Result { return Result{Redacted: p.redact.Counts, Cut: p.cut} }

func (p *page) write() {
	p.head()
	if p.Compacted {
		p.items()
	} else {
		p.entries()
	}
	p.footer()
}
