package wire

import (
	"tenfold"
)

// draft is a message on its way out: one of the request's, or of what stands in
// for others.
type draft struct {
	role string
	// message is its index in the request; -1 where the projection put it in.
	message int
	blocks  []block
	// moved tells that blocks are gone, or others stand among them: the list is put
	// together anew. Else each stands where it stood.
	moved bool
}

// block is one of a draft. Bare is a string that stands for a block of text.
type block struct {
	raw          []byte
	bare, thinks bool
}

func (d *draft) thinksAt(i int) bool { return 0 <= i && i < len(d.blocks) && d.blocks[i].thinks }

// dialect is what the messages of one protocol differ in.
type dialect struct {
	member    string // that holds the blocks
	user      string
	assistant string
	// text makes a block of a text as JSON has it.
	text func(quoted []byte) []byte
	// strict tells that thinking begins the message it stands in, and never ends it.
	strict bool
}

// Words between messages that would not be taken one after the other.
const (
	continueText = "[The work goes on]"
	openingText  = "[Conversation continues]"
)

// editor puts messages together.
type editor struct {
	r      *Request
	d      dialect
	drafts []*draft
	err    error
}

// put adds a draft, or joins it to the one before where their roles are the same
// and something between them is gone.
func (e *editor) put(d *draft) {
	for d.moved && e.d.strict && d.thinksAt(len(d.blocks)-1) {
		d.blocks = d.blocks[:len(d.blocks)-1] // thinking may not end a message
	}
	if len(d.blocks) == 0 && d.moved {
		return
	}
	n := len(e.drafts)
	if n == 0 && d.role != e.d.user {
		e.add(tenfold.UserMessage{Parts: tenfold.Text(openingText)})
		n = len(e.drafts)
	}
	if n == 0 {
		e.drafts = append(e.drafts, d)
		return
	}
	last := e.drafts[n-1]
	beside := last.message >= 0 && d.message == last.message+1 && !last.moved && !d.moved
	spoke := last.role // the last of the user's or the model's
	for i := n - 1; i > 0 && spoke != e.d.user && spoke != e.d.assistant; i-- {
		spoke = e.drafts[i-1].role
	}
	switch {
	case beside:
	case d.role == e.d.assistant && spoke == d.role && (last.role != d.role || (e.d.strict && d.thinksAt(0))):
		e.drafts = append(e.drafts, &draft{role: e.d.user, message: -1, blocks: []block{e.fresh(continueText)}, moved: true})
	case d.role == last.role && (d.role == e.d.user || d.role == e.d.assistant):
		last.blocks, last.moved = append(last.blocks, d.blocks...), true
		return
	}
	e.drafts = append(e.drafts, d)
}

// fresh makes a block of a text that the request does not have.
func (e *editor) fresh(text string) block { return block{raw: e.d.text(quote(text))} }

// add puts in what the projection added.
func (e *editor) add(added ...tenfold.Payload) {
	for _, payload := range added {
		d := &draft{role: e.d.user, message: -1, moved: true}
		switch payload := payload.(type) {
		case tenfold.UserMessage:
			for _, p := range payload.Parts {
				if p.File == nil && !tenfold.Blank(p.Text) {
					d.blocks = append(d.blocks, e.fresh(p.Text))
				}
			}
		case tenfold.AssistantMessage:
			if d.role = e.d.assistant; !tenfold.Blank(payload.Text) {
				d.blocks = append(d.blocks, e.fresh(payload.Text))
			}
		}
		e.put(d)
	}
}

// bytes gives what goes out before the message that follows, of that role.
func (e *editor) bytes(upto int) ([]byte, error) {
	if e.err != nil {
		return nil, e.err
	}
	if upto < len(e.r.Messages) {
		e.meet(upto)
	}
	out := make([][]byte, len(e.drafts))
	for i, d := range e.drafts {
		var err error
		if out[i], err = e.write(d); err != nil {
			return nil, err
		}
	}
	return joined(out), nil
}

// meet makes the last draft fit what follows as it came.
func (e *editor) meet(upto int) {
	n, next := len(e.drafts), e.r.Messages[upto].Model
	switch {
	case n == 0 && next:
		e.add(tenfold.UserMessage{Parts: tenfold.Text(openingText)})
	case n > 0 && next && e.drafts[n-1].role == e.d.assistant && (e.drafts[n-1].moved || e.drafts[n-1].message != upto-1):
		e.add(tenfold.UserMessage{Parts: tenfold.Text(continueText)})
	}
}

// write gives the bytes of a draft.
func (e *editor) write(d *draft) ([]byte, error) {
	list := make([][]byte, len(d.blocks))
	for i, b := range d.blocks {
		if list[i] = b.raw; b.bare && d.moved {
			list[i] = e.d.text(b.raw)
		}
	}
	content := append(append([]byte{'['}, joined(list)...), ']')
	if d.message < 0 {
		return append(append([]byte(`{"role":"`+d.role+`","`+e.d.member+`":`), content...), '}'), nil
	}
	m, err := messageOf(e.r, d.message, e.d.member)
	if err != nil {
		return nil, err
	}
	var patches []patch
	switch {
	case d.moved:
		patches = []patch{{m.content, content}}
	case len(m.places()) != len(list):
		return nil, errShape
	default:
		for i, at := range m.places() {
			patches = append(patches, patch{at, list[i]})
		}
	}
	return patched(e.r.Body, m.at, patches), nil
}
