package session

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"tenfold"
	"tenfold/internal/record"
	"tenfold/store"
)

// An Import is a conversation read from elsewhere, from its beginning to where
// it ends now.
type Import struct {
	// ID and Title are for a conversation that is yet to be made; another id
	// is taken where this one is in use.
	ID, Title string
	// Named says that the ID is the conversation's own wherever it is read.
	Named bool
	// Path is where it was read: the same each time it is read there, and for
	// nothing else. It is empty for what has no place, such as a pipe. Owner
	// tells the paths of several people and machines apart.
	Owner, Path string
	// Format is what it was written in, as the caller calls it; [FormatOf] gives
	// it back.
	Format string
	// Directory is where the session ran, as far as the transcript says it.
	Directory string
	// Created is when it began, where that is known.
	Created time.Time
	// Log is what it says.
	Log *tenfold.Log
	// Taken are the conversations that others of the same source were found
	// to be; may be nil.
	Taken map[string]bool
}

// Located tells where an import belongs: which conversation it is, or that it
// is one of its own, and what of it is new there.
//
// A conversation that has an id is told by that, and any other by the path: two
// that begin alike are two as long as they lie in two places, for nobody can
// know which of them goes on how. Either way it is the same conversation only if
// it still begins with all that was imported of it. One that was cut, rewritten
// or turned back is a conversation of its own, so that no log ever mixes two
// stories. Without a path only what is equal as a whole is the same.
type Located struct {
	// ID is the conversation's.
	ID string
	// Session is the conversation opened; nil when it is yet to be made.
	Session *Session
	// Fresh are the entries to append.
	Fresh []tenfold.Entry
	// Parted is how the import differs from what was imported before, where
	// that is why it is a conversation of its own; else nil.
	Parted *Parting

	service *Service
	in      Import
	all     mark
	origin  store.Origin
	// unbound says that the conversation has no origin yet.
	unbound bool
}

// A Parting tells where an import stops being what was imported before.
type Parting struct {
	// From is the conversation that it no longer continues.
	From string
	// Cut says that the import says nothing else, only less.
	Cut bool
	// Turn is the first that differs, or is not all there any more.
	Turn int

	common int // messages and calls that are the same
}

// mostCompared bounds how many conversations are opened to find out how an
// import differs from each.
const mostCompared = 4

// Locate finds out where an import belongs, and writes nothing. When another
// import of the same comes first the error is a [*store.ConflictError]: try
// again.
func (s *Service) Locate(ctx context.Context, in Import) (*Located, error) {
	at := &Located{service: s, in: in}
	known, err := at.candidates(ctx)
	if err != nil {
		return nil, fmt.Errorf("look for what was imported before: %w", err)
	}
	for i := range known {
		c := &known[i]
		if i >= mostCompared && c.length < 0 {
			break
		}
		session, err := s.Open(ctx, c.ID)
		if errors.Is(err, store.ErrNotFound) {
			continue // removed meanwhile
		}
		if err != nil {
			return nil, err
		}
		fresh, parted := c.compareLogs(session.log, in.Log)
		if parted == nil {
			at.ID, at.Session, at.Fresh, at.Parted = c.ID, session, fresh, nil
			at.origin.Mark, at.unbound = at.all.withBase(c.base), c.Origin.Key == ""
			at.origin.Directory = cmp.Or(in.Directory, c.Origin.Directory)
			return at, nil
		}
		// One that begins otherwise may be another of a source that holds many.
		another := c.foreign || (parted.common == 0 && len(in.Taken) > 0)
		if parted.From = c.ID; !another && (at.Parted == nil || parted.common > at.Parted.common) {
			at.Parted = parted
		}
	}
	at.Fresh = slices.Collect(in.Log.Entries())
	at.ID, err = at.name(ctx, known)
	return at, err
}

// Projection is what the conversation will be with the import in it.
func (at *Located) Projection() *tenfold.Projection {
	switch {
	case at.Session == nil:
		return tenfold.Project(at.in.Log)
	case len(at.Fresh) == 0:
		return at.Session.projection
	}
	return at.Session.projection.Snapshot().Preview(at.Fresh...) // the plan outlives what is stored
}

// Store writes what is new, and more entries after it, in one step. When
// another writer came first the error is a [*store.ConflictError], and nothing
// is written: locate it again.
func (at *Located) Store(ctx context.Context, more ...tenfold.Entry) error {
	entries := slices.Concat(at.Fresh, more)
	if s := at.Session; s != nil {
		var origin *store.Origin
		if len(at.Fresh) > 0 || at.unbound {
			origin = &at.origin
		}
		if len(entries) > 0 {
			if err := s.append(ctx, origin, entries); err != nil {
				return err
			}
		}
		if s.title != "" || at.in.Title == "" {
			return nil
		}
		s.title = at.in.Title // nobody had said anything when it was imported first
		return at.service.Rename(ctx, s.id, s.title)
	}
	session, err := at.service.Create(ctx, Create{ID: at.ID, Title: at.in.Title, Created: at.in.Created, Entries: entries, Origin: at.origin})
	if errors.Is(err, store.ErrExists) {
		return &store.ConflictError{Conversation: at.ID}
	}
	at.Session = session
	return err
}

// A candidate is a conversation that an import may be.
type candidate struct {
	store.Conversation
	// length is how many entries of the import's story the log is known to
	// begin with; negative when that is not known.
	length int
	// whole says that the log was made of just these.
	whole bool
	// foreign says that the conversation has no more than the name of the
	// import: it was imported from elsewhere, or by release 0.1, which did not
	// note from where. It is the same only if it says the same.
	foreign bool
	// config says that the import's configuration is as it was.
	config bool
	// base is how many entries of the story release 0.1 imported.
	base int
}

// candidates lists what an import may be, those first that it surely continues,
// the longest of them before the others. It sets the origin.
func (at *Located) candidates(ctx context.Context) ([]candidate, error) {
	in := at.in
	keys, err := in.keys()
	if err != nil {
		return nil, err
	}
	var known []candidate
	lengths := map[int]string{}
	for _, key := range keys {
		stored, err := at.service.store.Imported(ctx, key)
		if err != nil {
			return nil, err
		}
		for _, c := range stored {
			known = append(known, candidate{Conversation: c, length: -1})
			if m, _, ok := parseMark(c.Origin.Mark); ok {
				lengths[m.length] = ""
			}
		}
	}
	c, err := at.service.store.Conversation(ctx, in.ID)
	switch {
	case errors.Is(err, store.ErrNotFound):
	case err != nil:
		return nil, err
	case c.Origin.Key == "" || (in.Named && !slices.Contains(keys, c.Origin.Key)):
		known = append(known, candidate{Conversation: c, length: -1, foreign: !in.Named || c.Origin.Key != ""})
	}
	known = slices.DeleteFunc(known, func(c candidate) bool { return in.Taken[c.ID] })
	if at.all, err = readMark(in.Log, lengths); err != nil {
		return nil, err
	}
	at.all.format = in.Format
	at.origin = store.Origin{Key: keys[0], Mark: at.all.withBase(0), Tool: in.Format, Directory: in.Directory}
	for i := range known {
		c := &known[i]
		m, base, ok := parseMark(c.Origin.Mark)
		if c.base = base; ok && !c.foreign && lengths[m.length] == m.story {
			c.length, c.whole, c.config = m.length, m.length == at.all.length, m.config == at.all.config
		}
	}
	// Of conversations that say the same, the one that is called the same: a
	// source of many may have some in which nobody says anything.
	slices.SortStableFunc(known, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.length, a.length), cmp.Compare(b.idMatch(in.ID), a.idMatch(in.ID)))
	})
	if len(in.Taken) > 0 {
		known = slices.DeleteFunc(known, func(c candidate) bool { return c.length == 0 && c.idMatch(in.ID) == 0 })
	}
	return known, nil
}

// idMatch tells how surely a conversation got its id from an import's.
func (c candidate) idMatch(id string) int {
	switch {
	case c.ID == id:
		return 2
	case strings.HasPrefix(c.ID, id+"-"):
		return 1
	}
	return 0
}

// keys name where an import comes from; the first is the origin's.
func (in Import) keys() ([]string, error) {
	path := hashed("path", in.Owner, in.Path)
	switch {
	case in.Named && in.Path == "":
		return []string{hashed("id", in.ID)}, nil
	case in.Named: // a file may be there before it says what it is
		return []string{hashed("id", in.ID), path}, nil
	case in.Path != "":
		return []string{path}, nil
	}
	all, err := readMark(in.Log, nil)
	return []string{hashed("story", in.Owner, all.withBase(0))}, err
}

func hashed(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		_, _ = fmt.Fprintf(h, "%d %s\n", len(p), p)
	}
	return hex.EncodeToString(h.Sum(nil))[:32]
}

// name finds an id that is not in use: the import's own, or that with a piece
// of the origin, or with a number.
func (at *Located) name(ctx context.Context, known []candidate) (string, error) {
	stem := at.in.ID
	next := len(known) + 1
	names := []string{stem}
	if !at.in.Named {
		stem += "-" + at.origin.Key[:6]
		names = append(names, stem)
	}
	for i := 0; ; i++ {
		if i >= len(names) {
			names = append(names, stem+"-"+strconv.Itoa(max(next, 2)))
			next++
		}
		if unreachable(names[i]) {
			continue
		}
		c, err := at.service.store.Conversation(ctx, names[i])
		if errors.Is(err, store.ErrNotFound) {
			return names[i], nil
		}
		if err != nil {
			return "", err
		}
		seen := at.in.Taken[c.ID] || slices.ContainsFunc(known, func(k candidate) bool { return k.ID == c.ID })
		if c.Origin.Key == at.origin.Key && !seen { // it was made meanwhile
			return "", &store.ConflictError{Conversation: c.ID}
		}
	}
}

// A mark says how much of an import a log holds.
type mark struct {
	length int
	// story is a digest of the story, config of the configuration.
	story, config string
	// format is what the import was written in.
	format string
}

// withBase gives the form that an origin keeps, with a candidate's base.
func (m mark) withBase(base int) string {
	return fmt.Sprintf("1:%d:%s:%s:%d:%s", m.length, m.story, m.config, base, m.format)
}

func parseMark(text string) (m mark, base int, ok bool) {
	parts := strings.SplitN(text, ":", 6)
	if len(parts) != 6 || parts[0] != "1" {
		return m, 0, false
	}
	length, err := strconv.Atoi(parts[1])
	base, other := strconv.Atoi(parts[4])
	return mark{length, parts[2], parts[3], parts[5]}, base, err == nil && other == nil
}

// FormatOf tells what a conversation was imported from was written in; empty for
// one that was not imported.
func FormatOf(c store.Conversation) string {
	m, _, _ := parseMark(c.Origin.Mark)
	return m.format
}

// ToolOf tells whose session a conversation is, by the name of the format; a fork
// is of the tool of what it was made of. It is empty for one that nobody imported.
func ToolOf(c store.Conversation) string {
	return cmp.Or(c.Origin.Tool, FormatOf(c)) // an earlier release noted the format alone
}

// readMark gives the mark of a log, and fills in those of its story's
// beginnings of certain lengths.
func readMark(l *tenfold.Log, lengths map[int]string) (mark, error) {
	var m mark
	story := sha256.New()
	if _, ok := lengths[0]; ok {
		lengths[0] = hexSum(story.Sum(nil))
	}
	for e := range l.Entries() {
		if e.Branch != "" || !inStory(e) {
			continue
		}
		sum, err := sumOf(e.Payload)
		if err != nil {
			return m, err
		}
		_, _ = story.Write(sum[:])
		m.length++
		if _, ok := lengths[m.length]; ok {
			lengths[m.length] = hexSum(story.Sum(nil))
		}
	}
	m.story = hexSum(story.Sum(nil))
	if c := configOf(l, nil); c != (tenfold.ConfigDelta{}) {
		sum, err := sumOf(c)
		if err != nil {
			return m, err
		}
		m.config = hexSum(sum[:])
	}
	return m, nil
}

func hexSum(sum []byte) string { return hex.EncodeToString(sum[:len(digest{})]) }

// A digest tells payloads apart.
type digest [16]byte

// inStory reports whether an entry is part of the story: what tells one
// conversation from another.
func inStory(e tenfold.Entry) bool {
	kind := e.Payload.Kind()
	return kind == tenfold.KindTurnStart || kind.Visible()
}

// sumOf is a digest of what a payload says. How a call ended and what a message
// is for are read off the record by rules that get better: they tell no two
// conversations apart, nor one that an earlier release imported.
func sumOf(p tenfold.Payload) (digest, error) {
	switch q := p.(type) {
	case tenfold.ToolResult:
		q.Outcome = ""
		p = q
	case tenfold.UserMessage:
		q.Purpose = ""
		p = q
	}
	r, err := record.New(p)
	if err != nil {
		return digest{}, err
	}
	h := sha256.New()
	_, _ = fmt.Fprintf(h, "%s %d %d\n", r.Kind, len(r.Head), len(r.Text))
	_, _ = h.Write(r.Head)
	_, _ = io.WriteString(h, r.Text)
	var all [sha256.Size]byte
	return digest(h.Sum(all[:0])[:len(digest{})]), nil
}

// mustSum is the digest of nothing for a payload that has no form.
func mustSum(p tenfold.Payload) digest {
	sum, err := sumOf(p)
	if err != nil {
		return digest{}
	}
	return sum
}

// configOf is the configuration that the entries of a log, and more after them,
// say together.
func configOf(l *tenfold.Log, more []tenfold.Entry) tenfold.ConfigDelta {
	var all tenfold.ConfigDelta
	add := func(e tenfold.Entry) {
		if d, ok := e.Payload.(tenfold.ConfigDelta); ok {
			all.Model = cmp.Or(d.Model, all.Model)
			all.System, all.Tools = cmp.Or(d.System, all.System), cmp.Or(d.Tools, all.Tools)
		}
	}
	for e := range l.Entries() {
		add(e)
	}
	for _, e := range more {
		add(e)
	}
	return all
}
