package web

import (
	"context"
	"mime"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"tenfold"
	"tenfold/internal/htmlexport"
	"tenfold/internal/web/held"
	"tenfold/internal/web/shape"
)

func (s *Server) declareExport() {
	op := withProblems(s, operation(http.MethodGet, "export", "/conversations/{id}/export", "Save a conversation as a page to share"))
	op.Description = "One HTML file that works without a server and without a network. Secrets, e-mail addresses and user names in paths are redacted; the page says how many."
	op.Responses["200"].Content = map[string]*huma.MediaType{"text/html": {Schema: &huma.Schema{Type: huma.TypeString}}}
	huma.Register(s.api, op, s.export)
}

type exportOf struct {
	InConversation
	To        string   `query:"to" enum:"html" default:"html" doc:"the format"`
	Compacted bool     `query:"compacted" doc:"what a model sees instead of all that was said"`
	Redact    bool     `query:"redact" default:"true" doc:"false keeps secrets and names"`
	Words     []string `query:"word,explode" maxItems:"100" doc:"additional words to redact"`
}

func (s *Server) export(ctx context.Context, in *exportOf) (*huma.StreamResponse, error) {
	o := htmlexport.Options{Compacted: in.Compacted, Unredacted: !in.Redact, Words: in.Words}
	var view *tenfold.Projection
	err := s.sessions.With(ctx, in.ID, func(c *held.Conversation) error {
		view = c.Session.Projection().Snapshot() // it is written without the lock
		o.ID, o.Title, o.Created, o.Tool, o.Directory = c.Row.ID, c.Row.Title, c.Row.Created, c.Row.Origin.Tool, c.Row.Origin.Directory
		return nil
	})
	if err != nil {
		return nil, shape.ProblemOf(err)
	}
	return &huma.StreamResponse{Body: func(hctx huma.Context) {
		r, w := humago.Unwrap(hctx)
		h := w.Header()
		h.Set("Content-Type", "text/html; charset=utf-8")
		// It is saved and not shown: it would have the rights of this server's page.
		h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": fileName(o.ID) + ".html"}))
		h.Set("Cache-Control", "no-store")
		if r.Method == http.MethodHead {
			return
		}
		if _, err := htmlexport.Write(reader{w, http.NewResponseController(w)}, view, o); err != nil {
			panic(http.ErrAbortHandler) // what came looks whole otherwise
		}
	}}, nil
}

// fileName makes an id fit to be a file's name.
func fileName(id string) string {
	out := []byte("tenfold-")
	for i := range min(len(id), 80) {
		switch c := id[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '-', c == '_':
			out = append(out, c)
		default:
			out = append(out, '_')
		}
	}
	return string(out)
}
