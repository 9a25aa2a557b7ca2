package shape

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"tenfold/store"
	"tenfold/store/vault"
)

// A database that is away is no defect of the server, and its address is nobody's
// business who sends requests.
func TestAnAwayDatabaseIsUnavailable(t *testing.T) {
	p := ProblemOf(fmt.Errorf("append to conversation c: store postgres://u@db.internal/t: connect to db.internal: %w", store.ErrUnavailable))
	if p.Status != http.StatusServiceUnavailable || p.Code != "store" || p.Hint == "" || p.GetHeaders().Get("Retry-After") != "1" || strings.Contains(p.Detail, "db.internal") {
		t.Errorf("%+v", p)
	}
}

// A server without the key of a tenant says so to those who can do something about it:
// the tenant reads no names of the operator's settings.
func TestAMissingKeyIsTheOperators(t *testing.T) {
	for _, err := range []error{vault.ErrNoMaster, vault.ErrMaster} {
		p := ProblemOf(fmt.Errorf("open tenant 4: %w: set TENFOLD_MASTER_KEY", err))
		if p.Status != http.StatusServiceUnavailable || p.Code != CodeKey || p.Hint == "" || strings.Contains(p.Detail+p.Hint, "TENFOLD_") {
			t.Errorf("%v: %+v", err, p)
		}
	}
	if p := ProblemOf(errors.New("nobody expected this")); p.Status != http.StatusInternalServerError || p.Code != CodeInternal || p.Hint == "" {
		t.Errorf("%+v", p)
	}
}

// Where a store is concerns its operator alone, and that its disk is full everybody who
// writes to it.
func TestAStoreIsNotPlaced(t *testing.T) {
	failed := &store.FailedError{Op: "append to conversation c", Place: "/home/op/store.db", Err: errors.New("it is full"), Hint: "free some disk space", Full: true}
	p := ProblemOf(fmt.Errorf("in the loop: %w", failed))
	if p.Status != http.StatusInsufficientStorage || p.Code != "disk_full" || p.Detail != "append to conversation c: it is full" || !strings.Contains(p.Hint, "disk space") {
		t.Errorf("%+v", p)
	}
	failed.Full, failed.Err = false, fmt.Errorf("%w: busy", store.ErrLocked)
	if p := ProblemOf(failed); p.Status != http.StatusServiceUnavailable || p.Code != "locked" || p.GetHeaders().Get("Retry-After") != "1" || strings.Contains(p.Detail, "/home") {
		t.Errorf("%+v", p)
	}
	failed.Err = errors.New("broken")
	if p := ProblemOf(failed); p.Status != http.StatusInternalServerError || p.Code != CodeInternal || strings.Contains(p.Detail, "/home") {
		t.Errorf("%+v", p)
	}
}
