package modelserver

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"tenfold/token"
)

// An answer is being written.
type answer struct {
	w       http.ResponseWriter
	request *Request
	server  *Server
	now     time.Time
	blocks  []Block
	usage   Usage
	cut     int // end the connection after so many events
	events  int
}

// id makes up an id that the server never gave before.
func (a *answer) id(prefix string) string {
	a.server.mu.Lock()
	defer a.server.mu.Unlock()
	a.server.ids++
	return fmt.Sprintf("%sscripted%08d", prefix, a.server.ids)
}

func (a *answer) json(status int, v any) {
	a.w.Header().Set("Content-Type", "application/json")
	a.w.WriteHeader(status)
	_ = json.MarshalWrite(a.w, v, json.Deterministic(true))
}

// event writes one server-sent event; name may be empty.
func (a *answer) event(name string, v any) {
	if a.cut > 0 && a.events >= a.cut {
		panic(http.ErrAbortHandler) // as a connection that breaks
	}
	a.events++
	data, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		panic(err) // the server's own values
	}
	text := "data: " + string(data) + "\n\n"
	if name != "" {
		text = "event: " + name + "\n" + text
	}
	a.raw(text)
}

func (a *answer) raw(text string) {
	if a.w.Header().Get("Content-Type") == "" {
		a.w.Header().Set("Content-Type", "text/event-stream")
	}
	_, _ = a.w.Write([]byte(text))
	if f, ok := a.w.(http.Flusher); ok {
		f.Flush()
	}
}

// fail writes an error as the vendor does.
func (a *answer) fail(e *Error) {
	switch a.request.Wire {
	case Anthropic:
		failure := map[string]any{"type": e.Type, "message": e.Message}
		if e.Code != "" {
			failure["details"] = map[string]any{"error_code": e.Code}
		}
		a.json(e.Status, map[string]any{"type": "error", "error": failure, "request_id": a.id("req_")})
	case Gemini:
		a.json(e.Status, map[string]any{"error": map[string]any{"code": e.Status, "message": e.Message, "status": e.Type}})
	default:
		a.json(e.Status, map[string]any{"error": map[string]any{"message": e.Message, "type": e.Type, "param": nil, "code": nil}})
	}
}

// count answers how large a request is.
func (a *answer) count() {
	n := a.request.prefix.last().tokens
	if a.request.Wire == Gemini {
		a.json(http.StatusOK, map[string]any{"totalTokens": n})
		return
	}
	a.json(http.StatusOK, map[string]any{"input_tokens": n})
}

// other answers what is not a request for a model.
func (a *answer) other(h *http.Request) {
	switch {
	case h.Method == http.MethodHead:
		a.w.WriteHeader(http.StatusOK)
	case strings.HasSuffix(h.URL.Path, "/models"):
		a.json(http.StatusOK, map[string]any{"object": "list", "data": []any{}, "models": []any{}, "has_more": false})
	default:
		a.json(http.StatusNotFound, map[string]any{"type": "error", "error": map[string]any{"type": "not_found_error", "message": "Not found"}})
	}
}

func tokens(text string) int { return token.O200k().Count(text) }

// split cuts a text into a few pieces between runes, as streams do.
func split(text string) []string {
	size := max(40, len(text)/100)
	var list []string
	start := 0
	for i := range text {
		if i-start >= size {
			list = append(list, text[start:i])
			start = i
		}
	}
	if start < len(text) {
		list = append(list, text[start:])
	}
	return list
}

// pieces gives the deltas of a text, in Anthropic's form.
func pieces(text, kind, member string) []map[string]any {
	var list []map[string]any
	for _, piece := range split(text) {
		list = append(list, map[string]any{"type": kind, member: piece})
	}
	return list
}
