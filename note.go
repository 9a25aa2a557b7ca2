package tenfold

import "strings"

// What a view that shortened anything says first (P5a): with recall off, with
// references that only have a number, and with those that name the conversation,
// which the program's own tool and command take (live §5).
const (
	noteText   = `[Earlier parts are shortened: "[compacted]" stands for a result, "…" for text; long arguments are left out. Files may have changed: read again before an edit.]` + "\n"
	recallNote = `[Earlier parts are shortened: "[compacted]" stands for a result, "…" for text; long arguments are left out; recall gets the rest by its number. Files may have changed: read again before an edit.]` + "\n"
	handleNote = `[Earlier parts are shortened: "[compacted]" stands for a result, "…" for text; long arguments are left out; command tenfold recall ID, or tool expand if any, gets what (recall ID) marks. Files may have changed: read again before an edit.]` + "\n"
)

// Note is what the first message of the view begins with where anything in it is
// shortened (P5a): a text part of its own, with a line end. Empty where nothing is.
//
// Hiding is not shortening: reasoning that goes leaves no mark, and a summary says
// what it is.
func (p *Projection) Note() string {
	p.arrange()
	if !p.layout.began {
		return ""
	}
	return p.layout.note
}

// IsNote reports whether a text begins with the note of a view (P5a), as a view that
// was exported and read again does.
func IsNote(text string) bool {
	for _, note := range [...]string{noteText, recallNote, handleNote} {
		if strings.HasPrefix(text, note[:len(note)-1]) {
			return true
		}
	}
	return false
}

// findNote says what the note is: one with recall if anything that has a reference
// is shortened. What came after an overlay has no say, so that appending a result
// changes nothing before it (P11a).
func (p *Projection) findNote() string {
	last, recalls := int32(0), false
	for i := range p.overlays {
		if o := &p.overlays[i]; o.live && !o.c.AtBirth() {
			last, recalls = max(last, o.hi), recalls || o.recalls()
		}
	}
	note := ""
	for at := int32(1); last > 0 && at <= blockOf(last); at++ {
		piece := p.pieces[at-1]
		if piece.plain() || piece.moved[Stripped].Entries+piece.moved[Trimmed].Entries == 0 {
			continue
		}
		for i, s := range piece.states {
			if f := s.fate(); s.by() == nobody || f != Stripped && f != Trimmed {
				continue
			}
			switch o := &p.overlays[s.by()]; {
			case (at-1)<<chunkBits+1+int32(i) > o.seq, o.c.AtBirth():
			case o.recalls() && o.prefix() != "":
				return handleNote
			case o.recalls():
				return recallNote
			case !recalls:
				return noteText
			default:
				note = noteText
			}
		}
	}
	return note
}

func (o *overlay) recalls() bool {
	return (o.c.ToolCalls != nil && o.c.ToolCalls.Recall) || (o.c.Texts != nil && o.c.Texts.Recall)
}

// noted is an item with the note before what it says.
func (w *walker) noted(it *Item) {
	m, ok := it.Payload.(UserMessage)
	if !ok || w.note == "" {
		return
	}
	m.Parts = append(Text(w.note), m.Parts...)
	it.Payload, it.Noted = m, true
	it.Tokens += w.p.layout.noteTokens
	w.note = ""
}
