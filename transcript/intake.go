package transcript

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"tenfold"
)

// limits bound what an import may take of the machine. A transcript is a
// stranger's: its size must say what reading it costs.
type limits struct {
	// record is the largest record in bytes: a line, an item of an array, a
	// document, a text that nothing divides.
	record int
	// unpacked is how many bytes any archive may unpack to; a larger one
	// packedRatio times its size.
	unpacked int64
	// kept is how many bytes the entries of any source may weigh; those of a
	// larger one keptRatio times its size more.
	kept int64
}

var defaultLimits = limits{record: 1 << 30, unpacked: 128 << 20, kept: 512 << 20}

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

// intake stands between an importer and the sink: what holds for every format
// is done here. It bounds what entries take, puts impossible numbers right,
// and counts what of a source was read and what was not, which the last
// conversation's warnings then tell.
type intake struct {
	sink   Sink
	limits limits
	strict bool // a damaged record is an error
	name   string
	format Format
	head   []byte // the first bytes of the source, unpacked

	size   int64 // bytes of the source so far, unpacked
	packed *told // the archive they come from, or nil
	kept   int64 // what all that was handed on weighs
	// said counts entries in which somebody said or did something, unknown
	// those of kinds that no format has.
	entries, said, unknown int

	records, skips, tears int
	first                 *Error // what was skipped first
	warn                  warnings
	held                  *ending
}

// ending is a conversation that is whole. Its end is handed on when the next
// one begins, or the source ends: what is read until then may be told of it.
type ending struct {
	conv     Conversation
	warnings []string
}

// care gives the intake of an import; one of its own to a reader without.
func (s Source) care() *intake {
	if s.intake == nil {
		return &intake{limits: defaultLimits, strict: s.Strict, name: s.Name}
	}
	return s.intake
}

func (s Source) limits() limits {
	if s.intake == nil {
		return defaultLimits
	}
	return s.intake.limits
}

// count notes that so many bytes of the source were read.
func (s Source) count(n int) {
	if s.intake != nil {
		s.intake.size += int64(n)
	}
}

// Begin implements [Sink].
func (in *intake) Begin(c Conversation) error {
	if err := in.release(); err != nil {
		return err
	}
	if err := in.keep(conversationWeight + int64(len(c.ID)+len(c.Title))); err != nil {
		return err
	}
	return in.sink.Begin(possibleConversation(c))
}

// Entry implements [Sink].
func (in *intake) Entry(e tenfold.Entry) error {
	if amend(&e) {
		in.warn.add(0, "entry had an impossible number, which is left out", "entries had impossible numbers, which are left out")
	}
	in.entries++
	switch e.Payload.(type) {
	case tenfold.Unknown:
		in.unknown++
	case tenfold.UserMessage, tenfold.AssistantMessage, tenfold.Reasoning, tenfold.ToolCall, tenfold.ToolResult:
		in.said++
	}
	if err := in.keep(weight(&e)); err != nil {
		return err
	}
	return in.sink.Entry(e)
}

// keep notes that so many bytes more are to be kept of the source.
func (in *intake) keep(n int64) error {
	size := in.size
	if in.packed != nil {
		size = min(size, likelyRatio*in.packed.read)
	}
	limit := in.limits.kept + keptRatio*size
	if in.kept += n; in.kept <= limit {
		return nil
	}
	return &Error{
		Name: in.name, Format: in.format,
		Err: fmt.Errorf("what it holds takes more than %s of memory, which is out of all proportion to its size (%s)",
			sizeText(limit), sizeText(size)),
		Hint: "this is hardly a transcript; if it is, split it into several files",
	}
}

// End implements [Sink].
func (in *intake) End(c Conversation, warnings []string) error {
	in.held = &ending{possibleConversation(c), warnings}
	return nil
}

// release hands the end of a conversation on.
func (in *intake) release() error {
	h := in.held
	if h == nil {
		return nil
	}
	in.held = nil
	text := slices.Concat(h.warnings, in.warn.text())
	in.warn = warnings{}
	return in.sink.End(h.conv, text)
}

// done ends the import: with the error given, or with that of a source that is
// mostly not what it was read as.
func (in *intake) done(err error) error {
	if err == nil {
		if err := in.refused(); err != nil {
			return err
		}
		return in.release()
	}
	if releasing := in.release(); releasing != nil {
		return releasing
	}
	return err
}

// refused is the error of a source of which more was left out than was read.
func (in *intake) refused() error {
	switch {
	case in.skips > in.records:
		total := in.skips + in.records
		e := *in.first
		e.Err = fmt.Errorf("%d of %d records cannot be read, this one first: %w", in.skips, total, e.Err)
		e.Hint = "the file is damaged, or of another format: try --from"
		return &e
	case in.tears > 0 && in.records == 0:
		return &Error{
			Name: in.name, Format: in.format, Err: errors.New("the JSON is cut off, and nothing stands before"),
			Hint: "the file may be damaged: restore it, or export it again",
		}
	}
	return nil
}

// record counts one that was read.
func (in *intake) record() { in.records++ }

// skip leaves a damaged record out, named by what it is in its format ("line",
// "item"), unless the import is strict: then it gives the error.
func (in *intake) skip(what string, e *Error) error {
	if in.strict {
		return e
	}
	if in.skips++; in.first == nil {
		in.first = e
	}
	in.warn.addError(e, what+" is damaged and is left out", what+"s are damaged and are left out")
	return nil
}

// torn leaves the last record out, which a crash cut off (L10).
func (in *intake) torn(what string, line int) {
	in.tears++
	in.warn.add(line, what+" at the end was cut off and is left out", "")
}

// notUTF8 tells of a record whose bad bytes were replaced.
func (in *intake) notUTF8(what string, line int) {
	in.warn.add(line, what+" was not UTF-8: its bad bytes were replaced", what+"s were not UTF-8: their bad bytes were replaced")
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

// weight estimates what an entry takes in memory.
func weight(e *tenfold.Entry) int64 {
	n := entryWeight + len(e.ID) + len(e.Source) + len(e.Branch) + len(e.MessageID)
	switch p := e.Payload.(type) {
	case tenfold.UserMessage:
		n += weightOf(p.Parts)
		for _, a := range p.Attachments {
			n += len(a.Name) + len(a.MediaType) + len(a.Content)
		}
	case tenfold.AssistantMessage:
		n += len(p.Text)
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
