package web

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
	"tenfold/internal/web/held"
	"tenfold/internal/web/look"
	"tenfold/internal/web/shape"
	"tenfold/session"
	"tenfold/store"
)

func (s *Server) declareLog() {
	declare(s, operation(http.MethodGet, "outline", "/conversations/{id}/outline", "The structure of a log, in columns"), s.outline)
	declare(s, operation(http.MethodGet, "rows", "/conversations/{id}/rows", "A window of entries, a line each"), s.rows)
	declare(s, operation(http.MethodGet, "entry", "/conversations/{id}/entries/{seq}", "One entry whole"), s.entry)
	declare(s, operation(http.MethodGet, "search", "/conversations/{id}/search", "Search the entries of a conversation, hidden ones included"), s.search)
	declare(s, operation(http.MethodGet, "searchAll", "/search", "Search all conversations"), s.searchAll)
}

type outlineOf struct {
	InConversation
	From int64 `query:"from" minimum:"1" default:"1" doc:"the first seq"`
}

func (s *Server) outline(ctx context.Context, in *outlineOf) (out shape.Outline, err error) {
	err = s.sessions.With(ctx, in.ID, func(o *held.Conversation) error {
		out = o.Columns.Outline(o.Session.Projection(), o.View, in.From, o.Figures())
		out.Created = o.Row.Created.UTC()
		return nil
	})
	return out, err
}

type rowsOf struct {
	InConversation
	From  int64 `query:"from" minimum:"1" default:"1" doc:"the first seq"`
	Limit int   `query:"limit" minimum:"1" maximum:"200" default:"200"`
}

func (s *Server) rows(ctx context.Context, in *rowsOf) (out shape.Rows, err error) {
	err = s.sessions.With(ctx, in.ID, func(o *held.Conversation) error {
		out = shape.Rows{Created: o.Row.Created.UTC(), Version: o.Session.Log().Version(), Items: o.Rows(in.From, in.Limit)}
		return nil
	})
	return out, err
}

type entryOf struct {
	InConversation
	Seq    int64 `path:"seq" minimum:"1"`
	Offset int   `query:"offset" minimum:"0" default:"0" doc:"the first character"`
	Limit  int   `query:"limit" minimum:"1" maximum:"100000" default:"20000" doc:"characters"`
}

// mostPayload is how large a payload may be to be given as it is stored, in bytes.
const mostPayload = 64 << 10

func (s *Server) entry(ctx context.Context, in *entryOf) (out shape.Entry, err error) {
	err = s.sessions.With(ctx, in.ID, func(o *held.Conversation) error {
		e, ok := o.Session.Log().Entry(in.Seq)
		if !ok {
			return session.ErrNoEntry
		}
		out = shape.Entry{Row: o.RowOf(e, o.Figures()), Offset: in.Offset}
		out.Raw, _ = look.Window(look.Text(e.Payload), in.Offset, in.Limit)
		view := o.View(e.Branch)
		if it, ok := view.Item(in.Seq); ok {
			out.Shown, out.ShownLength = look.Window(look.Text(it.Payload), in.Offset, in.Limit)
		}
		if c, ok := o.Session.Log().Lookup(out.By); ok && out.Fate == tenfold.Summarised.String() {
			if c, ok := c.Payload.(tenfold.Compaction); ok && c.Summary != nil {
				out.Summary = c.Summary.Text
			}
		}
		out.Payload, err = payloadOf(e.Payload)
		return err
	})
	return out, err
}

// payloadOf gives a payload as it is stored, where it is not too large.
func payloadOf(p tenfold.Payload) (jsontext.Value, error) {
	if len(look.Text(p)) > mostPayload {
		return nil, nil
	}
	data, err := tenfold.MarshalPayload(p)
	if err != nil || len(data) > mostPayload {
		return nil, err
	}
	return data, nil
}

// Searched is the part of a request that says what to search for.
type Searched struct {
	Q     string `query:"q" required:"true" minLength:"1" maxLength:"2000" doc:"words that the entry must all contain; quoted words match as a phrase"`
	Limit int    `query:"limit" minimum:"1" maximum:"1000" default:"50"`
}

type searchIn struct {
	InConversation
	Searched
}

func (s *Server) search(ctx context.Context, in *searchIn) (out shape.Hits, err error) {
	c, err := s.service.Find(ctx, in.ID)
	if err != nil {
		return out, err
	}
	found, q, unread, err := s.find(ctx, store.Query{Text: in.Q, Conversation: c.ID, Limit: in.Limit})
	if err != nil {
		return out, err
	}
	for _, f := range found {
		out.Items = append(out.Items, hitOf(q, f, c.Title))
	}
	out.Unread = unread
	if err = s.markHidden(ctx, c.ID, found, out.Items); err != nil && !store.MayPass(ctx, err) && unread != "" {
		err = nil // it is too damaged to be opened
	}
	return out, err
}

// markHidden says of hits in one conversation whether a model sees them, as the readers
// of their branches do.
func (s *Server) markHidden(ctx context.Context, id string, found []store.Hit, hits []shape.Hit) error {
	return s.sessions.With(ctx, id, func(o *held.Conversation) error {
		for i, f := range found {
			if f.Conversation == id {
				fate, _, _ := o.View(f.Entry.Branch).Fate(f.Entry.Seq)
				hidden := fate == tenfold.Omitted || fate == tenfold.Summarised
				hits[i].Hidden = &hidden
			}
		}
		return nil
	})
}

// mostLooked is how many entries are read at most to say of hits in all
// conversations whether a model sees them.
const mostLooked = 100_000

func (s *Server) searchAll(ctx context.Context, in *Searched) (out shape.Hits, err error) {
	found, q, unread, err := s.find(ctx, store.Query{Text: in.Q, Limit: in.Limit})
	if err != nil {
		return out, err
	}
	out.Unread = unread
	titles, room := map[string]string{}, int64(mostLooked)
	for _, f := range found {
		out.Items = append(out.Items, hitOf(q, f, ""))
	}
	for i, f := range found {
		title, known := titles[f.Conversation]
		if !known {
			c, err := s.service.Find(ctx, f.Conversation)
			if err == nil && c.Version <= room {
				room -= c.Version
				err = s.markHidden(ctx, c.ID, found, out.Items)
			}
			if err != nil && store.MayPass(ctx, err) { // else it was deleted meanwhile, or is damaged
				return out, err
			}
			title = c.Title
			titles[f.Conversation] = title
		}
		out.Items[i].Title = title
	}
	return out, nil
}

// find searches, and says of damaged entries that it left them out.
func (s *Server) find(ctx context.Context, q store.Query) (found []store.Hit, as store.Query, unread string, err error) {
	if q.Empty() {
		return nil, q, "", shape.Refused("no word in the query", "words consist of letters and digits")
	}
	found, err = s.service.Search(ctx, q)
	if damage, ok := errors.AsType[*store.UnreadError](err); ok {
		return found, q, damage.Error(), nil
	}
	return found, q, "", err
}

// hitOf says where the words stand as a browser counts.
func hitOf(q store.Query, f store.Hit, title string) shape.Hit {
	snippet := strings.ToValidUTF8(f.Snippet, "\ufffd")
	h := shape.Hit{Conversation: f.Conversation, Title: title, Seq: f.Entry.Seq, Kind: string(f.Entry.Payload.Kind()), Snippet: snippet}
	at, units := 0, 0
	count := func(to int) int {
		for at < to {
			r, size := utf8.DecodeRuneInString(snippet[at:])
			at += size
			units++
			if r > 0xffff {
				units++
			}
		}
		return units
	}
	for _, m := range q.Marks(snippet) {
		h.Marks = append(h.Marks, [2]int{count(m[0]), count(m[1])})
	}
	return h
}
