package wire

import (
	"slices"
	"strings"

	"tenfold"
)

// openaiForm is how one of OpenAI's protocols writes what a projection puts in.
type openaiForm struct {
	// part is the type of a part that holds a text of the user's or a tool's.
	part string
	// add writes a message of a role.
	add func(role, text string) []byte
	// content is the member that holds what a result says.
	content string
	// marks tells that messages may carry marks for a vendor's cache.
	marks bool
	// bound are members with reasoning that is refused behind a changed prefix (B3).
	bound []string
}

// openaiEdit puts the messages of one request together.
type openaiEdit struct {
	r    *Request
	form openaiForm
	out  []edited
	// note is that of the view (P5a), while the message it stood in may not be touched.
	note string
	// lost tells that reasoning of the model's answer under way is gone: the vendor
	// refuses the ids of what was said with it, and needs none.
	lost bool
	// broken tells that something before is not as it came.
	broken bool
}

// edited is a message on its way out.
type edited struct {
	message int // -1 for one that the projection put in
	raw     []byte
	thinks  bool
	from    speaker
}

// speaker tells whose a message is.
type speaker uint8

const (
	bySystem speaker = iota // or nobody, as tools that are offered
	byUser
	byOthers // the model, or a tool
)

// speaks tells whose the message is that the pieces are of.
func speaks(list []Piece) speaker {
	for _, p := range list {
		switch payload := p.Entry.Payload.(type) {
		case tenfold.TurnStart:
		case tenfold.UserMessage:
			if isSystem(payload) {
				return bySystem
			}
			return byUser
		default:
			return byOthers
		}
	}
	return bySystem
}

// isSystem reports whether the system said a message: nothing edits it (X2a).
func isSystem(m tenfold.UserMessage) bool { return isSystemRole(m.Role) }

func isSystemRole(role string) bool { return role == "system" || role == "developer" }

// editOpenAI implements Edit of both protocols.
func editOpenAI(r *Request, upto int, pieces [][]Piece, shown []tenfold.Item, form openaiForm) ([]byte, error) {
	if upto < 0 || upto > len(r.Messages) || len(pieces) < upto || r.Body[max(r.First-1, 0)] != '[' {
		return nil, errShape
	}
	e := openaiEdit{r: r, form: form}
	list, last := fates(pieces[:upto], shown)
	for i := range upto {
		if err := e.message(i, pieces[i], list[i]); err != nil {
			return nil, err
		}
	}
	e.add(last...)
	if e.note != "" {
		e.add(tenfold.UserMessage{})
	}
	e.dropBareReasoning(upto)
	e.begin(pieces[:upto])
	raws := make([][]byte, len(e.out))
	for i := range e.out {
		raws[i] = e.out[i].raw
	}
	return joined(raws), nil
}

// begin gives the user a message at the front where that of the request is gone:
// no vendor takes one in which the model speaks first (P10).
func (e *openaiEdit) begin(pieces [][]Piece) {
	first := slices.IndexFunc(pieces, func(list []Piece) bool { return speaks(list) != bySystem })
	if first < 0 || speaks(pieces[first]) != byUser {
		return
	}
	at := slices.IndexFunc(e.out, func(o edited) bool { return o.from != bySystem })
	if at < 0 {
		at = len(e.out)
	} else if e.out[at].from == byUser {
		return
	}
	e.out = slices.Insert(e.out, at, edited{message: -1, raw: e.form.add("user", openingText), from: byUser})
}

// dropBareReasoning takes out reasoning whose answer is gone: it is refused without.
func (e *openaiEdit) dropBareReasoning(upto int) {
	for i := len(e.out) - 1; i >= 0; i-- {
		o := e.out[i]
		if after := o.message + 1; !o.thinks || after >= len(e.r.Messages) || !e.r.Messages[after].Model {
			continue // or it had no answer as it came
		}
		next := -1 // the message that follows
		switch {
		case i+1 < len(e.out):
			next = e.out[i+1].message
		case upto < len(e.r.Messages):
			next = upto
		}
		if next != o.message+1 && (next < 0 || !e.r.Messages[next].Model) {
			e.out = slices.Delete(e.out, i, i+1)
		}
	}
}

// add puts in what the projection added.
func (e *openaiEdit) add(added ...tenfold.Payload) {
	for _, payload := range added {
		role, text, from := "user", "", byUser
		switch payload := payload.(type) {
		case tenfold.UserMessage:
			text = e.noted(joinedTexts(payload.Parts))
		case tenfold.AssistantMessage:
			role, text, from = "assistant", payload.Text, byOthers
		}
		if !tenfold.Blank(text) {
			e.out = append(e.out, edited{message: -1, raw: e.form.add(role, text), from: from})
			e.broken = true
		}
	}
}

// noted puts the note, where one waits, before a text.
func (e *openaiEdit) noted(text string) string {
	note := e.note
	e.note = ""
	if note == "" || text == "" {
		return note + text
	}
	return note + "\n" + text
}

func joinedTexts(parts []tenfold.Part) string {
	var texts []string
	for _, p := range parts {
		if p.File == nil && !tenfold.Blank(p.Text) {
			texts = append(texts, p.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// message edits one message. It is parted where the projection put something in
// between what a host and what a person said.
func (e *openaiEdit) message(i int, list []Piece, fates []fate) error {
	from := 0
	for j := range list {
		if len(fates[j].added) == 0 {
			continue
		}
		if j > 0 {
			if err := e.part(i, list, fates, from, j); err != nil {
				return err
			}
			from = j
		}
		e.add(fates[j].added...)
	}
	return e.part(i, list, fates, from, len(list))
}

// remains is what stays of a message.
type remains struct {
	patches []patch
	gone    map[Span]bool
	// some tells that the message has pieces, said that something stays which says
	// anything by itself, thought that reasoning stays.
	some, said, thought bool
}

// empty reports whether nothing stays that a vendor would take.
func (m *remains) empty() bool { return m.some && !m.said && (!m.thought || len(m.gone) > 0) }

// part edits a message of which some pieces go out. What has no pieces stays, and so
// does what the system says (X2a).
func (e *openaiEdit) part(i int, list []Piece, fates []fate, first, end int) error {
	m := &e.r.Messages[i]
	at := Span{m.From, m.To}
	if !m.Model {
		e.lost = false
	}
	left := remains{gone: map[Span]bool{}}
	for j := range list {
		if err := e.piece(&left, at, &list[j], &fates[j], j >= first && j < end); err != nil {
			return err
		}
	}
	if left.empty() {
		e.broken = true
		return nil
	}
	o := edited{message: i, from: speaks(list), thinks: len(list) == 1 && list[0].Entry.Payload.Kind() == tenfold.KindReasoning}
	if len(left.gone) > 0 || (m.Model && !o.thinks && (e.lost || e.broken && len(e.form.bound) > 0)) {
		more, err := e.without(at, left.gone)
		if err != nil {
			return err
		}
		left.patches = append(left.patches, more...)
	}
	e.broken = e.broken || len(left.patches) > 0
	o.raw = patched(e.r.Body, at, settled(append(left.patches, e.marks(at)...)))
	e.out = append(e.out, o)
	return nil
}

// piece adds what is shown of a piece to what stays of its message; in tells that
// the piece goes out with it.
func (e *openaiEdit) piece(left *remains, at Span, p *Piece, f *fate, in bool) error {
	if len(p.At) == 0 {
		return nil
	}
	left.some = true
	thinks := p.Entry.Payload.Kind() == tenfold.KindReasoning
	user, isUser := p.Entry.Payload.(tenfold.UserMessage)
	switch {
	case in && isUser && isSystem(user):
		left.said = true
		if f.shown != nil && f.shown.Noted {
			now, _ := f.shown.Payload.(tenfold.UserMessage)
			e.note = now.Parts[0].Text
		}
		return nil
	case !in || f.shown == nil:
		for _, at := range p.At {
			left.gone[at] = true
		}
		e.lost = e.lost || thinks && in
		return nil
	}
	left.said, left.thought = left.said || !thinks, left.thought || thinks
	if !f.changed() && (!isUser || e.note == "") {
		return nil
	}
	patches, err := e.changed(at, p, f)
	left.patches = append(left.patches, patches...)
	return err
}

// marks gives the places of the cache marks of a message or a part.
func (e *openaiEdit) marks(at Span) []patch {
	if !e.form.marks {
		return nil
	}
	return marks(e.r.Body, at)
}

// settled puts patches in order, and leaves out those inside of others.
func settled(patches []patch) []patch {
	slices.SortStableFunc(patches, func(a, b patch) int {
		if a.From != b.From {
			return a.From - b.From
		}
		return b.To - a.To
	})
	end := 0
	return slices.DeleteFunc(patches, func(p patch) bool {
		if p.From < end {
			return true
		}
		end = p.To
		return false
	})
}

// without takes out what is gone of a message, members that hold nothing else
// with it; and the message's id where that is refused.
func (e *openaiEdit) without(at Span, gone map[Span]bool) ([]patch, error) {
	f, err := fieldsAt(e.r.Body, at)
	if err != nil {
		return nil, err
	}
	var patches []patch
	wholes := make([]Span, len(f))
	out := map[int]bool{}
	for i := range f {
		wholes[i] = f[i].whole
		out[i] = gone[f[i].value] || (f[i].name == "id" && e.lost) || (e.broken && slices.Contains(e.form.bound, f[i].name))
		items, err := elements(e.r.Body, f[i].value)
		if err != nil {
			return nil, err
		}
		isGone := func(j int) bool { return gone[items[j]] }
		if more := without(items, isGone); len(more) == len(items) && len(items) > 0 {
			out[i] = true
		} else if !out[i] {
			patches = append(patches, more...)
		}
	}
	return append(patches, without(wholes, func(i int) bool { return out[i] })...), nil
}

// changed gives what is shown of a piece other than it came.
func (e *openaiEdit) changed(at Span, p *Piece, f *fate) ([]patch, error) {
	raw := e.r.Body
	switch now := f.shown.Payload.(type) {
	case tenfold.UserMessage:
		was, _ := p.Entry.Payload.(tenfold.UserMessage)
		parts := now.Parts
		if e.note != "" {
			parts = append(tenfold.Text(e.noted("")), parts...)
		}
		return e.parts(p.At, was.Parts, parts)
	case tenfold.AssistantMessage:
		return e.text(p.At[0], now.Text)
	case tenfold.ToolCall:
		was, _ := p.Entry.Payload.(tenfold.ToolCall)
		if was.Arguments == now.Arguments {
			return nil, nil
		}
		return e.arguments(p.At[0], now)
	case tenfold.ToolResult:
		was, _ := p.Entry.Payload.(tenfold.ToolResult)
		item, err := fieldsAt(raw, at)
		value, ok := item.get(e.form.content)
		if err != nil || !ok || slices.EqualFunc(was.Parts, now.Parts, samePart) {
			return nil, err
		}
		return e.result(value, was.Parts, now.Parts)
	}
	return nil, nil
}

// result replaces what a tool gave. What is neither a text nor a list of parts has
// a form that the vendor asks for, and stays.
func (e *openaiEdit) result(value Span, was, now []tenfold.Part) ([]patch, error) {
	if value.isText(e.r.Body) {
		return []patch{{value, quote(joinedTexts(now))}}, nil
	}
	items, err := elements(e.r.Body, value)
	if err != nil || len(items) == 0 || !e.plain(items) {
		return nil, err
	}
	if !slices.ContainsFunc(align(was, now), func(s slot) bool { return s.same }) {
		return []patch{{value, quote(joinedTexts(now))}}, nil
	}
	return e.parts(items, was, now)
}

// plain reports whether parts are of the types that messages have.
func (e *openaiEdit) plain(items []Span) bool {
	return !slices.ContainsFunc(items, func(at Span) bool {
		f, err := fieldsAt(e.r.Body, at)
		kind, _ := f.get("type")
		name := kind.text(e.r.Body)
		known := at.isText(e.r.Body) || isTextType(name) || strings.HasPrefix(name, "input_") || name == "image_url" || name == "file"
		return err != nil || !known
	})
}

// parts replaces parts that stand side by side, or the one text that stands for them.
func (e *openaiEdit) parts(at []Span, was, now []tenfold.Part) ([]patch, error) {
	slots := align(was, now)
	raw := e.r.Body
	if len(at) == 1 && at[0].isText(raw) {
		if len(slots) == 1 && slots[0].same {
			return nil, nil
		}
		return []patch{{at[0], quote(joinedTexts(now))}}, nil
	}
	if len(slots) == 0 {
		return nil, errShape
	}
	var list [][]byte
	for _, s := range slots {
		switch {
		case s.same:
			list = append(list, patched(raw, at[s.old], e.marks(at[s.old])))
		case s.old < 0:
			list = append(list, []byte(`{"type":"`+e.form.part+`","text":`+string(quote(s.text))+`}`))
		default:
			patches, err := e.text(at[s.old], s.text)
			if err != nil {
				return nil, err
			}
			list = append(list, patched(raw, at[s.old], settled(append(patches, e.marks(at[s.old])...))))
		}
	}
	return []patch{{Span{at[0].From, at[len(at)-1].To}, joined(list)}}, nil
}

// text replaces a text, or that of a part.
func (e *openaiEdit) text(at Span, text string) ([]patch, error) {
	if at.isText(e.r.Body) {
		return []patch{{at, quote(text)}}, nil
	}
	f, err := fieldsAt(e.r.Body, at)
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"text", "refusal"} {
		if value, ok := f.get(name); ok && value.isText(e.r.Body) {
			return []patch{{value, quote(text)}}, nil
		}
	}
	return nil, errShape
}

// arguments replaces those of a call. Where the vendor asks for members of its own
// they stay: they are short.
func (e *openaiEdit) arguments(at Span, now tenfold.ToolCall) ([]patch, error) {
	f, err := fieldsAt(e.r.Body, at)
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"function", "custom"} { // chat's stand in objects
		if inner, ok := f.get(name); ok {
			if f, err = fieldsAt(e.r.Body, inner); err != nil {
				return nil, err
			}
			break
		}
	}
	value := argumentsOf(f)
	_, isInput := f.get("input")
	switch {
	case value.isText(e.r.Body) && now.Custom && isInput:
		return []patch{{value, quote(customInput(now.Arguments))}}, nil
	case value.isText(e.r.Body):
		return []patch{{value, quote(now.Arguments)}}, nil
	}
	if free, ok := f.get("arguments"); ok && e.r.Body[free.From] == '{' {
		return []patch{{free, []byte(now.Arguments)}}, nil
	}
	return nil, nil
}
