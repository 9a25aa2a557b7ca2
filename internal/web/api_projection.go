package web

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
	"tenfold/internal/web/held"
	"tenfold/internal/web/shape"
)

func (s *Server) declareProjection() {
	op := withProblems(s, operation(http.MethodGet, "projection", "/conversations/{id}/projection", "The body of the request to a model: what it sees of the conversation now"))
	op.Description = "System prompt, tools and messages in the format of the provider's API, identical to the byte for the same version; the program adds its options, such as " +
		"max_tokens, and sends it. ETag changes with the version: with If-None-Match an unchanged body is not sent again (304)."
	op.Responses["200"].Content = map[string]*huma.MediaType{"application/json": {Schema: &huma.Schema{
		Type: huma.TypeObject, AdditionalProperties: true, Description: "a request of the provider's API",
	}}}
	op.Responses["304"] = &huma.Response{Description: "As it was"}
	huma.Register(s.api, op, s.projection)
}

type projectionOf struct {
	InConversation
	Provider string `query:"provider" default:"anthropic" doc:"anthropic, openai-chat, openai-responses or gemini"`
	Model    string `query:"model" maxLength:"500" doc:"written into the body; for Gemini, the path of the request names it instead"`
	Branch   string `query:"branch" maxLength:"1000" doc:"the reader's, for a sub-agent; absent: the root"`
	Known    string `header:"If-None-Match" maxLength:"2000" doc:"ETags of bodies that the program has"`
}

// projected is a body with what names it.
type projected struct {
	Status       int
	ETag         string `header:"ETag" doc:"of this body"`
	Version      int64  `header:"Tenfold-Version" doc:"of the log: the expected one of what the model answers"`
	ContentType  string `header:"Content-Type"`
	CacheControl string `header:"Cache-Control"`
	Body         []byte
}

func (s *Server) projection(ctx context.Context, in *projectionOf) (*projected, error) {
	profile, err := profileOf(in.Provider)
	if err != nil {
		return nil, shape.ProblemOf(err)
	}
	var p *tenfold.Projection
	out := &projected{Status: http.StatusOK, ContentType: "application/json", CacheControl: "private, no-cache"}
	err = s.sessions.With(ctx, in.ID, func(o *held.Conversation) error {
		root := o.Session.Projection()
		out.Version = root.Version()
		// Another program may write another body of the same log, and a log that is
		// deleted and made again is another one.
		out.ETag = tagOf(s.backend.Meta().Version, o.Session.ID(), o.Row.Created.UnixNano(), out.Version, profile.Name, in.Model, in.Branch)
		if p = root.Snapshot(); in.Branch != "" {
			p = o.View(in.Branch).Snapshot()
		}
		return nil
	})
	if err != nil {
		return nil, shape.ProblemOf(err)
	}
	if isKnown(in.Known, out.ETag) {
		out.Status = http.StatusNotModified
		return out, nil
	}
	if out.Body, err = profile.Write(p); err == nil && in.Model != "" && profile.Provider != "gemini" {
		out.Body, err = withModel(out.Body, in.Model)
	}
	if err != nil {
		return nil, shape.ProblemOf(err)
	}
	return out, nil
}

// tagOf is the ETag of what is made of some values.
func tagOf(of ...any) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%#v", of))
	return strconv.Quote(base64.RawURLEncoding.EncodeToString(sum[:16]))
}

// isKnown reports whether a list of ETags has one.
func isKnown(list, tag string) bool {
	return slices.ContainsFunc(strings.Split(list, ","), func(one string) bool {
		one = strings.TrimSpace(one)
		return one == "*" || strings.TrimPrefix(one, "W/") == tag
	})
}

// withModel puts a model's name at the beginning of a body.
func withModel(body []byte, model string) ([]byte, error) {
	name, err := json.Marshal(model, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return nil, err
	}
	return slices.Concat([]byte(`{"model":`), name, []byte(","), body[1:]), nil
}
