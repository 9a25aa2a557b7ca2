package web

import (
	"context"
	"net/http"
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"tenfold/internal/web/shape"
)

func (s *Server) declareEvents() {
	op := withProblems(s, operation(http.MethodGet, "events", "/conversations/{id}/events", "Follow a conversation"))
	op.Description = "Server-sent events: \"entry\" (its id is the seq), \"status\", and what an agent here is writing. The data of each is one Event. " +
		"Reconnecting with Last-Event-ID continues after that entry; no entry is lost or sent twice. Where the log has no such entry it is another " +
		"one, as after the restore of a backup: that is a conflict."
	op.Responses["200"].Content = map[string]*huma.MediaType{
		"text/event-stream": {Schema: s.api.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[shape.Event](), true, "Event")},
	}
	huma.Register(s.api, op, s.events)
}

// replaced is a conversation that was deleted, and another one made with its id.
func replaced() *shape.Problem {
	return conflict("another conversation has this id now", "read it again, and follow it from there")
}

type eventsOf struct {
	InConversation
	After   int64     `query:"after" minimum:"-1" default:"-1" doc:"last seq that the reader has: 0 for all entries, -1 for new ones only"`
	Created time.Time `query:"created" doc:"of the conversation that the reader knows: where another one has its id by now, that is a conflict"`
	Last    int64     `header:"Last-Event-ID" minimum:"-1" default:"-1" doc:"takes precedence over after"`
}

func (s *Server) events(ctx context.Context, in *eventsOf) (*huma.StreamResponse, error) {
	c, err := s.service.Find(ctx, in.ID)
	if err != nil {
		return nil, shape.ProblemOf(err)
	}
	after := in.After
	if in.Last >= 0 {
		after = in.Last
	}
	if !in.Created.IsZero() && !in.Created.Equal(c.Created) {
		return nil, replaced()
	}
	if after > c.Version {
		return nil, moved(after, c.Version, "it is another log than it was, such as that of a backup: read the conversation again, and follow it from there")
	}
	topic, err := s.topics.join(ctx, c.ID)
	if err != nil {
		return nil, shape.ProblemOf(err)
	}
	if after < 0 {
		topic.mu.Lock()
		after = topic.version
		topic.mu.Unlock()
	}
	return &huma.StreamResponse{Body: func(hctx huma.Context) {
		defer s.topics.leave(topic)
		r, w := humago.Unwrap(hctx)
		h := w.Header()
		h.Set("Content-Type", "text/event-stream")
		h.Set("Cache-Control", "no-store")
		h.Set("X-Accel-Buffering", "no")
		if r.Method == http.MethodHead { // there is nothing to wait for
			return
		}
		out := reader{w, http.NewResponseController(w)}
		// Whatever ends it, the reader comes back where it was.
		_ = s.stream(r.Context(), topic, after, out, out.flush)
	}}, nil
}

// A reader is dropped where it does not take what is written.
type reader struct {
	w    http.ResponseWriter
	conn *http.ResponseController
}

func (r reader) Write(data []byte) (int, error) {
	_ = r.conn.SetWriteDeadline(time.Now().Add(slowReader)) // not every writer has deadlines
	return r.w.Write(data)
}

func (r reader) flush() error {
	_ = r.conn.SetWriteDeadline(time.Now().Add(slowReader))
	return r.conn.Flush()
}
