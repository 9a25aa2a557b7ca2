package web

import (
	"errors"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"tenfold/client"
)

// What the client sends is what the server reads, the values that are nothing in Go
// included.
func TestParametersArriveAsTheyAreSet(t *testing.T) {
	t.Parallel()
	s, service := server(t, nil)
	created(t, service, "c", talkEntries())
	c, ctx := program(t, s, nil), t.Context()
	known, err := c.Conversation(ctx, "c")
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range []struct {
		created time.Time
		status  int64
	}{{known.Created, http.StatusOK}, {known.Created.In(time.FixedZone("", 3600)), http.StatusOK}, {known.Created.Add(time.Nanosecond), http.StatusConflict}} {
		resp, err := c.Events(ctx, "c", &client.EventsParams{Created: at.created, LastEventID: new(int64(0))})
		status := int64(http.StatusOK)
		if p, ok := errors.AsType[*client.Problem](err); ok {
			status = p.Status
		} else if err != nil {
			t.Fatal(err)
		} else {
			_ = resp.Body.Close()
		}
		if status != at.status {
			t.Errorf("events of the conversation made at %v: %d, not %d: %v", at.created, status, at.status, err)
		}
	}
	if v, err := c.View(ctx, "c", &client.ViewParams{Limit: new(int64(0))}); err != nil || len(v.Items) > 0 || v.Total == 0 {
		t.Errorf("%d of %d items, %v", len(v.Items), v.Total, err)
	}
}

// A parameter whose nothing is not its default can be set to nothing.
func TestParametersCanBeNothing(t *testing.T) {
	t.Parallel()
	s := &Server{}
	s.declare()
	for path, item := range s.api.OpenAPI().Paths {
		for _, op := range operationsOf(item) {
			for _, p := range op.Parameters {
				nothing := p.Schema.Type == huma.TypeBoolean || p.Schema.Type == huma.TypeInteger && (p.Schema.Minimum == nil || *p.Schema.Minimum <= 0)
				if !nothing || p.Schema.Default == nil || reflect.ValueOf(p.Schema.Default).IsZero() {
					continue
				}
				method, _ := reflect.TypeFor[*client.Client]().MethodByName(methods()[op.Method+" "+path])
				for i := range method.Type.NumIn() {
					in := method.Type.In(i)
					if in.Kind() != reflect.Pointer || !strings.HasSuffix(in.Elem().Name(), "Params") {
						continue
					}
					for f := range in.Elem().Fields() {
						if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name == p.Name && f.Type.Kind() != reflect.Pointer {
							t.Errorf("%s: %s is %v: name it in client/gen/overlay.yaml", op.OperationID, p.Name, f.Type)
						}
					}
				}
			}
		}
	}
}
