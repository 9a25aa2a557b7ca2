package intake

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"tenfold"
	"tenfold/transcript/internal/walk"
)

// Limits bound what an import may take of the machine. A transcript is a
// stranger's: its size must say what reading it costs.
type Limits struct {
	// Record is the largest record in bytes: a line, an item of an array, a
	// document, a text that nothing divides.
	Record int
	// Unpacked is how many bytes any archive may unpack to; a larger one
	// packedRatio times its size.
	Unpacked int64
	// Kept is how many bytes the entries of any source may weigh; those of a
	// larger one keptRatio times its size more.
	Kept int64
}

var DefaultLimits = Limits{Record: 1 << 30, Unpacked: 128 << 20, Kept: 512 << 20}

const (
	packedRatio = 100
	// likelyRatio is how well real sessions pack at best.
	likelyRatio = 16
	keptRatio   = 8
	// entryWeight is what an entry takes beside its texts, conversationWeight
	// what a conversation does beside its entries.
	entryWeight        = 400
	conversationWeight = 4 << 10
)

// WalkLimit is how many steps an import takes up a tree of records in all, so
// that no file can be made to take forever.
const WalkLimit = 5_000_000

// Intake stands between an importer and the sink: what holds for every format
// is done here. It bounds what entries take, puts impossible numbers right,
// and counts what of a source was read and what was not, which the last
// conversation's warnings then tell.
type Intake struct {
	Sink   Sink
	Limits Limits
	Strict bool // a damaged record is an error
	Name   string
	Format Format
	Head   []byte // the first bytes of the source, unpacked

	// Ran and RanIn say where the directory of a session stands: see Handler of package engine.
	Ran   [][]string
	RanIn func() string

	outcomes  outcomes
	ran       walk.Scanner
	directory string
	looked    int // entries that were looked at for it

	Size   int64 // bytes of the source so far, unpacked
	packed *told // the archive they come from, or nil
	kept   int64 // what all that was handed on weighs
	// said counts entries in which somebody said or did something, unknown
	// those of kinds that no format has.
	entries, said, unknown int

	records, skips, tears int
	first                 *Error // what was skipped first
	warn                  Warnings
	held                  *ending
}

// ending is a conversation that is whole. Its end is handed on when the next
// one begins, or the source ends: what is read until then may be told of it.
type ending struct {
	conv     Conversation
	warnings []string
}

// Care gives the intake of an import; one of its own to a reader without.
func (s Source) Care() *Intake {
	if s.Intake == nil {
		return &Intake{Limits: DefaultLimits, Strict: s.Strict, Name: s.Name}
	}
	return s.Intake
}

func (s Source) limits() Limits {
	if s.Intake == nil {
		return DefaultLimits
	}
	return s.Intake.Limits
}

// count notes that so many bytes of the source were read.
func (s Source) count(n int) {
	if s.Intake != nil {
		s.Intake.Size += int64(n)
	}
}

func (in *Intake) Begin(c Conversation) error {
	if err := in.endConversation(); err != nil {
		return err
	}
	if err := in.keep(conversationWeight + int64(len(c.ID)+len(c.Title))); err != nil {
		return err
	}
	in.outcomes = outcomes{flag: flags[c.Format], as: c.Format == Tenfold, calls: map[[2]string]string{}}
	in.directory, in.looked = "", 0
	return in.Sink.Begin(possibleConversation(c))
}

func (in *Intake) Entry(e tenfold.Entry) error {
	if Amend(&e) {
		in.warn.Add(0, "entry had an impossible number, which is left out", "entries had impossible numbers, which are left out")
	}
	if m, ok := e.Payload.(tenfold.UserMessage); ok && in.Format != Tenfold {
		e.Payload = withPurpose(m)
	}
	in.outcomes.setOutcome(&e)
	in.entries++
	in.seekDirectory(&e)
	switch e.Payload.(type) {
	case tenfold.Unknown:
		in.unknown++
	case tenfold.UserMessage, tenfold.AssistantMessage, tenfold.Reasoning, tenfold.ToolCall, tenfold.ToolResult:
		in.said++
	}
	if err := in.keep(Weight(&e)); err != nil {
		return err
	}
	return in.Sink.Entry(e)
}

// keep notes that so many bytes more are to be kept of the source.
func (in *Intake) keep(n int64) error {
	size := in.Size
	if in.packed != nil {
		size = min(size, likelyRatio*in.packed.read)
	}
	limit := in.Limits.Kept + keptRatio*size
	if in.kept += n; in.kept <= limit {
		return nil
	}
	return &Error{
		Name: in.Name, Format: in.Format,
		Err: fmt.Errorf("what it holds takes more than %s of memory, which is out of all proportion to its size (%s)",
			sizeText(limit), sizeText(size)),
		Hint: "this is hardly a transcript; if it is, split it into several files",
	}
}

func (in *Intake) End(c Conversation, warnings []string) error {
	c.Directory = cmp.Or(c.Directory, in.directory)
	if c.Directory == "" && in.RanIn != nil {
		c.Directory = in.RanIn()
	}
	in.held = &ending{possibleConversation(c), warnings}
	return nil
}

// endConversation hands the end of a conversation on.
func (in *Intake) endConversation() error {
	h := in.held
	if h == nil {
		return nil
	}
	in.held = nil
	text := slices.Concat(h.warnings, in.warn.Text())
	in.warn = Warnings{}
	return in.Sink.End(h.conv, text)
}

// Done ends the import: with the error given, or with that of a source that is
// mostly not what it was read as.
func (in *Intake) Done(err error) error {
	if err == nil {
		if err := in.refused(); err != nil {
			return err
		}
		return in.endConversation()
	}
	if releasing := in.endConversation(); releasing != nil {
		return releasing
	}
	return err
}

// refused is the error of a source of which more was left out than was read.
func (in *Intake) refused() error {
	switch {
	case in.skips > in.records:
		total := in.skips + in.records
		e := *in.first
		e.Err = fmt.Errorf("%d of %d records cannot be read, this one first: %w", in.skips, total, e.Err)
		e.Hint = "the file is damaged, or of another format: try --from"
		return &e
	case in.tears > 0 && in.records == 0:
		return &Error{
			Name: in.Name, Format: in.Format, Err: errors.New("the JSON is cut off, and nothing stands before"),
			Hint: "the file may be damaged: restore it, or export it again",
		}
	}
	return nil
}

// Record counts one that was read.
func (in *Intake) Record() { in.records++ }

// skip leaves a damaged record out, named by what it is in its format ("line",
// "item"), unless the import is strict: then it gives the error.
func (in *Intake) skip(what string, e *Error) error {
	if in.Strict {
		return e
	}
	if in.skips++; in.first == nil {
		in.first = e
	}
	in.warn.addError(e, what+" is damaged and is left out", what+"s are damaged and are left out")
	return nil
}

// leaveTornOut leaves the last record out, which a crash cut off (L10).
func (in *Intake) leaveTornOut(what string, line int) {
	in.tears++
	in.warn.Add(line, what+" at the end was cut off and is left out", "")
}

// notUTF8 tells of a record whose bad bytes were replaced.
func (in *Intake) notUTF8(what string, line int) {
	in.warn.Add(line, what+" was not UTF-8: its bad bytes were replaced", what+"s were not UTF-8: their bad bytes were replaced")
}

// sizeText words a number of bytes.
func sizeText(n int64) string {
	switch {
	case n >= 1<<30 && n%(1<<30) == 0, n >= 10<<30:
		return strconv.FormatInt(n>>30, 10) + " GB"
	case n >= 1<<20:
		return strconv.FormatInt(n>>20, 10) + " MB"
	}
	return strconv.FormatInt(n>>10, 10) + " KB"
}

// Weight estimates what an entry takes in memory.
func Weight(e *tenfold.Entry) int64 {
	n := entryWeight + len(e.ID) + len(e.Source) + len(e.Branch) + len(e.MessageID)
	switch p := e.Payload.(type) {
	case tenfold.UserMessage:
		n += weightOf(p.Parts)
		for _, a := range p.Attachments {
			n += len(a.Name) + len(a.MediaType) + len(a.Content)
		}
	case tenfold.AssistantMessage:
		n += len(p.Text) + len(p.Signature)
	case tenfold.Reasoning:
		n += len(p.Text) + len(p.Signature) + len(p.Encrypted)
	case tenfold.ToolCall:
		n += len(p.CallID) + len(p.Name) + len(p.Arguments)
	case tenfold.ToolResult:
		n += len(p.CallID) + weightOf(p.Parts)
	case tenfold.ProviderItem:
		n += len(p.Data)
	case tenfold.ConfigDelta:
		n += len(p.Extra)
		if p.System != nil {
			n += len(*p.System)
		}
		if p.Tools != nil {
			for _, t := range *p.Tools {
				n += entryWeight/4 + len(t.Name) + len(t.Description) + len(t.Schema)
			}
		}
	case tenfold.Compaction:
		if p.Summary != nil {
			n += len(p.Summary.Text)
		}
	case tenfold.Unknown:
		n += len(p.Data)
	}
	return int64(n)
}

func weightOf(parts []tenfold.Part) int {
	n := 0
	for _, p := range parts {
		n += entryWeight/10 + len(p.Text)
		if p.File != nil {
			n += entryWeight/4 + len(p.File.Name) + len(p.File.URI) + len(p.File.Detail)
		}
	}
	return n
}
