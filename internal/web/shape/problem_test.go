package shape

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"tenfold/store"
)

// A database that is away is no defect of the server, and its address is nobody's
// business who sends requests.
func TestAnAwayDatabaseIsUnavailable(t *testing.T) {
	p := ProblemOf(fmt.Errorf("append to conversation c: store postgres://u@db.internal/t: connect to db.internal: %w", store.ErrUnavailable))
	if p.Status != http.StatusServiceUnavailable || p.Code != "store" || p.Hint == "" || p.GetHeaders().Get("Retry-After") != "1" || strings.Contains(p.Detail, "db.internal") {
		t.Errorf("%+v", p)
	}
}
