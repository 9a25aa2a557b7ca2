package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"tenfold"
	"tenfold/problem"
	"tenfold/store"
)

// Handle is the short name of a conversation in references: see [store.Handle]. Where
// two conversations have the same, [Service.Resolve] says so.
func Handle(id string) string { return store.Handle(id) }

// A Ref names text of the log of a conversation: what a stub, a gap or a folded run
// stands for (live §5). It is written "417093:512", "417093:512-530" for a range of
// entries, "417093:512#40-80" for lines, or "417093:512#40.2001" to begin inside a
// line. Logs are only appended to, so a reference never expires.
type Ref struct {
	// Conversation is a handle, an id, or the beginning of an id; empty for the
	// conversation at hand.
	Conversation string
	// From and To are the seqs of the first and the last entry; To is From for one.
	From, To int64
	// Line is where to begin in the first entry, from 1; 0 for its beginning. Byte
	// is where in that line, from 1; 0 for its beginning. Last is the last line, of
	// a reference to one entry; 0 for the last that there is.
	Line, Byte, Last int
}

var refForm = regexp.MustCompile(`^(?:([\pL\pN][\pL\pN._-]{0,99}):)?(\d{1,10})(?:-(\d{1,10}))?(?:#(\d{1,9})(?:\.(\d{1,9}))?(?:-(\d{1,9}))?)?$`)

// longestRef is the most that is looked at of a reference.
const longestRef = 200

// ParseRef reads a reference, with or without what stands around it in a view:
// "(recall 417093:512)". The error says what one looks like.
func ParseRef(text string) (Ref, error) {
	bare := strings.TrimSpace(text)
	bare = strings.TrimSpace(strings.TrimPrefix(strings.Trim(bare, "()[]"), "recall "))
	var found []string
	if len(bare) <= longestRef {
		found = refForm.FindStringSubmatch(bare)
	}
	if found == nil {
		return Ref{}, refError(text, "not a reference")
	}
	number := func(i int) int64 {
		n, _ := strconv.ParseInt(found[i], 10, 64) // digits that fit, or 0 for none
		return n
	}
	r := Ref{
		Conversation: found[1], From: number(2), To: number(3),
		Line: int(number(4)), Byte: int(number(5)), Last: int(number(6)),
	}
	r.To = cmp.Or(r.To, r.From)
	switch {
	case r.From < 1 || r.To < r.From:
		return Ref{}, refError(text, "entries count from 1, the first before the last")
	case found[4] != "" && r.Line < 1, r.Last > 0 && r.Last < r.Line:
		return Ref{}, refError(text, "lines count from 1, the first before the last")
	case r.Last > 0 && r.To > r.From:
		return Ref{}, refError(text, "a last line needs a single entry")
	}
	return r, nil
}

func refError(text, wrong string) error {
	if len(text) > 60 {
		text = text[:60] + "…"
	}
	return &problem.Error{
		Code: "reference", Usage: true, Subject: "reference " + strconv.QuoteToGraphic(text), Problem: wrong,
		Hint: "copy the text after \"recall\" in a view, such as 417093:512, 417093:512-530 or 417093:512#40-80",
	}
}

// String is the reference as it is written.
func (r Ref) String() string {
	var b strings.Builder
	if r.Conversation != "" {
		b.WriteString(r.Conversation + ":")
	}
	b.WriteString(strconv.FormatInt(r.From, 10))
	if r.To > r.From {
		b.WriteString("-" + strconv.FormatInt(r.To, 10))
	}
	if r.Line > 0 {
		b.WriteString("#" + strconv.Itoa(r.Line))
		if r.Byte > 0 {
			b.WriteString("." + strconv.Itoa(r.Byte))
		}
		if r.Last > 0 {
			b.WriteString("-" + strconv.Itoa(r.Last))
		}
	}
	return b.String()
}

// Resolve gives the conversation that a reference names, by its handle, its id or
// the beginning of that. Here is the id of the conversation at hand, "" for none:
// it is meant where nothing is named, and where its own log uses the handle, as that
// of a fork or of a copy does. Unknown ones are [store.ErrNotFound], several of one
// handle [ErrAmbiguous].
func (s *Service) Resolve(ctx context.Context, name, here string) (string, error) {
	switch {
	case name == "" && here == "":
		return "", &problem.Error{
			Code: "no_conversation", Subject: "recall", Problem: "the reference does not name a conversation",
			Hint: "write CONVERSATION:ENTRY, or name the conversation with --session",
		}
	case name == "" || (here != "" && name == Handle(here)):
		return here, nil
	}
	if _, ok := store.ParseHandle(name); !ok {
		c, err := s.Find(ctx, name)
		return c.ID, err
	}
	found, err := s.store.WithHandle(ctx, name)
	if err != nil {
		return "", err
	}
	switch len(found) {
	case 1:
		return found[0].ID, nil
	case 0:
		if here != "" && s.refersAs(ctx, here, name) {
			return here, nil
		}
		c, err := s.Find(ctx, name) // an id may begin with six digits
		if errors.Is(err, store.ErrNotFound) {
			err = &problem.Error{
				Code: "not_found", Subject: "conversation " + name, Problem: "no conversation of this store has this handle",
				Hint: "it may have been removed, or be in another store; search finds what others hold", Err: store.ErrNotFound,
			}
		}
		return c.ID, err
	}
	ids := make([]string, min(len(found), 4))
	for i := range ids {
		ids[i] = found[i].ID
	}
	return "", &problem.Error{
		Code: "ambiguous", Subject: "conversation " + name, Problem: fmt.Sprintf("%v, %d have this handle", ErrAmbiguous, len(found)),
		Hint: "write the id of one of them in its place: " + strings.Join(ids, ", "), Err: ErrAmbiguous,
	}
}

// refersAs reports whether overlays of a log give references with a handle that is
// not its own: it was copied from a conversation that is gone.
func (s *Service) refersAs(ctx context.Context, id, handle string) bool {
	for e, err := range s.store.Entries(ctx, id, 0) {
		if err != nil {
			return false
		}
		if c, ok := e.Payload.(tenfold.Compaction); ok && c.Handle == handle {
			return true
		}
	}
	return false
}
