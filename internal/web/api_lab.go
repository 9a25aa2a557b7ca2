package web

import (
	"context"
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json"

	"tenfold/eval"
	"tenfold/internal/listing"
	"tenfold/internal/web/shape"
	"tenfold/store"
)

// mostLab is how many conversations the lab of a project measures: the newest.
const mostLab = 50

func (s *Server) declareLab() {
	declareLab(s, operation(http.MethodGet, "lab", "/conversations/{id}/lab", "Measure strategies on a conversation"),
		func(ctx context.Context, in *labOne) ([]store.Conversation, []eval.Policy, int, error) {
			c, err := s.service.Find(ctx, in.ID)
			if err != nil {
				return nil, nil, 0, err
			}
			policies, err := policiesOf(in.Strategy)
			return []store.Conversation{c}, policies, 0, err
		})
	declareLab(s, operation(http.MethodGet, "labOf", "/lab", "Measure strategies on the newest conversations, of a project or of all"),
		func(ctx context.Context, in *labMany) (found []store.Conversation, _ []eval.Policy, _ int, _ error) {
			policies, err := policiesOf(in.Strategy)
			filter := listing.Filter{}
			if in.Project != "" {
				filter.Directories = []string{in.Project}
			}
			if err != nil {
				return nil, nil, 0, err
			}
			found, _, err = listing.Page(ctx, s.service, nil, mostLab, func(c store.Conversation) bool { return filter.Matches(c, c.Updated) })
			return found, policies, eval.DefaultMinRequests, err
		})
}

type labOne struct {
	InConversation
	Strategy []string `query:"strategy,explode" maxItems:"40" doc:"a strategy or baseline, as for tenfold lab; empty: those that it measures by default"`
}

type labMany struct {
	Project  string   `query:"project" doc:"the directory, or one above it; empty: all"`
	Strategy []string `query:"strategy,explode" maxItems:"40" doc:"a strategy or baseline, as for tenfold lab; empty: those that it measures by default"`
}

// policiesOf reads strategies as "tenfold lab" does.
func policiesOf(texts []string) ([]eval.Policy, error) {
	return eval.ParsePolicies(texts, func(text string, err error) error {
		return shape.Refused("invalid strategy "+text+": "+err.Error(), `"tenfold lab --help" lists what can be measured`)
	})
}

// declareLab adds a stream of what strategies come to: events "progress", "point"
// and, at the end, "done". A point stands for its strategy as measured so far, and
// takes the place of an earlier one. Whoever goes ends the work.
func declareLab[I any](s *Server, op huma.Operation, what func(context.Context, *I) ([]store.Conversation, []eval.Policy, int, error)) {
	op = withProblems(s, op)
	registry := s.api.OpenAPI().Components.Schemas
	events := &huma.Schema{Type: huma.TypeString, Description: `Server-sent events: "progress" with a LabProgress, "point" with a LabPoint, which replaces an earlier one of the same strategy, and at the end "done" with a LabDone`}
	for _, one := range []struct {
		event string
		data  reflect.Type
	}{{"progress", reflect.TypeFor[shape.LabProgress]()}, {"point", reflect.TypeFor[shape.LabPoint]()}, {"done", reflect.TypeFor[shape.LabDone]()}} {
		events.Extensions = with(events.Extensions, "x-event-"+one.event, registry.Schema(one.data, true, one.event))
	}
	op.Responses["200"].Content = map[string]*huma.MediaType{"text/event-stream": {Schema: events}}
	huma.Register(s.api, op, func(ctx context.Context, in *I) (*huma.StreamResponse, error) {
		conversations, policies, least, err := what(ctx, in)
		if err != nil {
			return nil, shape.ProblemOf(err)
		}
		return &huma.StreamResponse{Body: func(to huma.Context) {
			to.SetHeader("Content-Type", "text/event-stream")
			to.SetHeader("Cache-Control", "no-store")
			if to.Method() == http.MethodHead {
				return
			}
			s.measure(to, conversations, policies, least)
		}}, nil
	})
}

func with(m map[string]any, key string, value any) map[string]any {
	if m == nil {
		m = map[string]any{}
	}
	m[key] = value
	return m
}

// measure measures the policies on conversations, and tells as it goes. One
// measures at a time: it takes a processor.
func (s *Server) measure(to huma.Context, conversations []store.Conversation, policies []eval.Policy, least int) {
	ctx, end := context.WithCancel(to.Context())
	defer end()
	defer context.AfterFunc(s.alive, end)()
	w := to.BodyWriter()
	tell := func(event string, v any) {
		data, err := json.Marshal(v)
		if err == nil {
			_, err = w.Write([]byte("event: " + event + "\ndata: " + string(data) + "\n\n"))
		}
		if err != nil {
			end()
			return
		}
		if f, ok := w.(http.Flusher); ok {
			f.Flush()
		}
	}
	progress := shape.LabProgress{Total: len(conversations) * len(policies)}
	tell("progress", progress)
	select {
	case s.measuring <- struct{}{}:
		defer func() { <-s.measuring }()
	case <-ctx.Done():
		return
	}
	k, done := &laboratory{policies: policies, sums: make([]labSum, len(policies))}, shape.LabDone{}
	for i, c := range conversations {
		progress.Done, progress.Doing = i*len(policies), c.Title
		tell("progress", progress)
		o, err := s.service.Open(ctx, c.ID)
		could := false
		if err == nil {
			could, err = k.measure(ctx, o.Log(), least, func(p shape.LabPoint) {
				progress.Done++
				tell("point", p)
				tell("progress", progress)
			})
		}
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			done.Error = c.ID + ": " + err.Error()
			done.Skipped++
		case !could:
			done.Skipped++
		}
	}
	done.Sessions = k.sessions
	tell("done", done)
}
