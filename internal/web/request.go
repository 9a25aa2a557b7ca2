package web

import (
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// checkRequest refuses a request of which a part would be passed over, so that what was
// meant by it would not be done.
func (s *Server) checkRequest(ctx huma.Context, next func(huma.Context)) {
	u := ctx.URL()
	if faults := queryFaults(u.RawQuery, ctx.Operation().Parameters); len(faults) > 0 {
		_ = huma.WriteErr(s.api, ctx, http.StatusUnprocessableEntity, "validation failed", faults...)
		return
	}
	if kind := ctx.Header("Content-Type"); kind != "" && ctx.Operation().RequestBody != nil {
		media, _, err := mime.ParseMediaType(kind)
		if _, known := ctx.Operation().RequestBody.Content[media]; (err != nil || !known) && !strings.HasSuffix(media, "+json") {
			_ = huma.WriteErr(s.api, ctx, http.StatusUnsupportedMediaType, "validation failed",
				&huma.ErrorDetail{Location: "header.Content-Type", Message: "expected application/json, not " + kind})
			return
		}
	}
	next(ctx)
}

// queryFaults says what is wrong with a query: a parameter that is not known, comes
// twice, or has no value where only a number or a truth value will do. [url.ParseQuery]
// would leave out what has a ";".
func queryFaults(query string, known []*huma.Param) (faults []error) {
	seen := map[string]bool{}
	for pair := range strings.SplitSeq(query, "&") {
		if pair == "" {
			continue
		}
		name, value, _ := strings.Cut(pair, "=")
		name, err := url.QueryUnescape(name)
		if _, wrong := url.QueryUnescape(value); err == nil {
			err = wrong
		}
		if err != nil {
			faults = append(faults, &huma.ErrorDetail{Location: "query", Message: err.Error()})
			continue
		}
		at := slices.IndexFunc(known, func(p *huma.Param) bool { return p.In == "query" && p.Name == name })
		wrong := ""
		switch {
		case at < 0:
			wrong = "unknown query parameter"
		case known[at].Schema.Type == huma.TypeArray:
		case seen[name]:
			wrong = "given more than once"
		case value == "" && known[at].Schema.Type != huma.TypeString:
			wrong = "has no value"
		}
		if seen[name] = true; wrong != "" {
			faults = append(faults, &huma.ErrorDetail{Location: "query." + name, Message: wrong})
		}
	}
	return faults
}
