package web

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"tenfold"
	"tenfold/internal/web/door"
	"tenfold/internal/web/shape"
	"tenfold/session"
	"tenfold/store"
)

func (s *Server) declareEntries() {
	const repeat = "With an Idempotency-Key the request can be repeated, on any server: the ids of entries without one are derived from the key and their position, so that they are in " +
		"the log once, and the response is the same. The same key with a different body is rejected (422, code reused)."
	add := operation(http.MethodPost, "append", "/conversations/{id}/entries", "Append entries, all or none")
	add.Description = repeat + " If expected is given and the log is at another version, the response is a conflict (409) that names it, and nothing is written."
	declareBatch(s, add, s.appendEntries, shape.Batch{})
	begin := operation(http.MethodPost, "begin", "/conversations", "Create a conversation with the first entries of its log")
	begin.Description = repeat + " A conversation with an id of the request and without entries is not known again: it exists (409)."
	begin.DefaultStatus = http.StatusCreated
	declareBatch(s, begin, s.beginConversation, shape.Fresh{})
	declare(s, operation(http.MethodGet, "entries", "/conversations/{id}/entries", "A window of entries, whole"), s.entries)
}

// declareBatch adds an operation that takes entries. Its body is read by itself: what
// stands in an entry stays as it was written.
func declareBatch[I, T, B any](s *Server, op huma.Operation, f func(context.Context, *I) (T, error), _ B) {
	op.MaxBodyBytes, op.BodyReadTimeout = door.LongestBatch, door.BodyWait
	declare(s, op, f)
	doc := s.api.OpenAPI()
	doc.Paths[op.Path].Post.RequestBody.Content = map[string]*huma.MediaType{"application/json": {Schema: shape.SchemaOf[B](doc.Components.Schemas)}}
}

// Keyed is the part of a request that makes it safe to repeat.
type Keyed struct {
	Key string `header:"Idempotency-Key" maxLength:"255" doc:"unique for each new request, such as a UUID; the same when the request is repeated"`
}

// key is that of the request, or one that never comes again.
func (k Keyed) key() string { return cmp.Or(k.Key, rand.Text()) }

type appending struct {
	InConversation
	Keyed
	RawBody []byte
}

func (s *Server) appendEntries(ctx context.Context, in *appending) (out shape.Appended, err error) {
	var body struct {
		Expected *int64           `json:"expected"`
		Entries  []jsontext.Value `json:"entries"`
	}
	if err := readBody(in.RawBody, &body); err != nil {
		return out, err
	}
	if body.Expected != nil && *body.Expected < 0 {
		return out, unprocessable("expected is below 0", "send the version that was read, or leave it out to append after whatever is there", nil)
	}
	if len(body.Entries) == 0 {
		return out, unprocessable("the request has no entries", "send at least one", nil)
	}
	key := in.key()
	entries, err := newEntries(ctx, body.Entries, key)
	if err != nil {
		return out, err
	}
	err = s.write(ctx, in.ID, func(o *session.Session) error {
		n, err := known(o.Log(), key, entries)
		if err != nil {
			return err
		}
		if now := o.Log().Version(); body.Expected != nil {
			if n == len(entries) {
				err = sameExpected(o.Log(), key, entries, *body.Expected)
			} else if *body.Expected != now {
				err = moved(*body.Expected, now, "read what is new, or leave out expected to append after it")
			}
			if err != nil {
				return err
			}
		}
		if err := o.Append(ctx, entries...); err != nil {
			return err
		}
		// The same request may have come through elsewhere in the meantime.
		if _, err := known(o.Log(), key, entries); err != nil {
			return err
		}
		out = placesOf(o.Log(), entries)
		return nil
	})
	return out, err
}

type beginning struct {
	Keyed
	RawBody []byte
}

func (s *Server) beginConversation(ctx context.Context, in *beginning) (out shape.Conversation, err error) {
	if err := s.writable(); err != nil {
		return out, err
	}
	var body struct {
		ID      string           `json:"id"`
		Title   string           `json:"title"`
		Entries []jsontext.Value `json:"entries"`
	}
	if err := readBody(in.RawBody, &body); err != nil {
		return out, err
	}
	if len(body.ID) > 500 || len(body.Title) > 500 {
		return out, unprocessable("the id or the title is longer than 500 bytes", "shorten it", nil)
	}
	key := in.key()
	entries, err := newEntries(ctx, body.Entries, key)
	if err != nil {
		return out, err
	}
	c := session.Create{ID: body.ID, Title: strings.TrimSpace(body.Title), Entries: entries}
	if c.ID == "" && in.Key != "" {
		c.ID = uuid.NewSHA1(uuid.Nil, []byte("tenfold conversation\x00"+in.Key)).String()
	}
	made, err := s.service.Create(ctx, c)
	if errors.Is(err, store.ErrExists) && in.Key != "" {
		made, err = s.madeBefore(ctx, c, body.ID == "", err)
	}
	if err != nil {
		return out, err
	}
	return s.conversation(ctx, &InConversation{ID: made.ID()})
}

// madeBefore gives the conversation that a request with a key made before, if it did. One
// whose id is of the key can be no other; one with an id of its own is known by what
// it begins with.
func (s *Server) madeBefore(ctx context.Context, c session.Create, ours bool, exists error) (*session.Session, error) {
	o, err := s.service.Open(ctx, c.ID)
	if err != nil {
		return nil, err
	}
	same := o.Title() == c.Title && o.Log().Version() >= int64(len(c.Entries))
	for i, e := range c.Entries {
		held, ok := o.Log().Entry(int64(i + 1))
		same = same && ok && held.ID == e.ID && sameEntry(held, e)
	}
	switch {
	case same && (ours || len(c.Entries) > 0):
		return o, nil
	case ours:
		return nil, keyReused()
	}
	return nil, exists
}

type entriesOf struct {
	InConversation
	After int64 `query:"after" minimum:"0" default:"0" doc:"the seq before the first entry"`
	Limit int   `query:"limit" minimum:"1" maximum:"1000" default:"200" doc:"most entries of a page; a page with long entries has fewer"`
}

// longestPage is where a page of entries ends, in bytes, once it has one.
const longestPage = 4 << 20

// entries reads the store itself: the rest of the log is not needed.
func (s *Server) entries(ctx context.Context, in *entriesOf) (out shape.Entries, err error) {
	c, err := s.service.Find(ctx, in.ID)
	if err != nil {
		return out, err
	}
	out.Version, out.Items = c.Version, make([]shape.LogEntry, 0, min(in.Limit, int(max(c.Version-in.After, 0))))
	size := 0
	for e, err := range s.service.Entries(ctx, c.ID, in.After) {
		if err != nil {
			return out, err
		}
		if len(out.Items) == in.Limit || size > longestPage {
			out.Next = e.Seq - 1
			break
		}
		line, err := tenfold.AppendEntry(nil, e)
		if err != nil {
			return out, err
		}
		size += len(line)
		out.Items, out.Version = append(out.Items, shape.LogEntry{Line: line}), max(out.Version, e.Seq)
	}
	return out, nil
}
