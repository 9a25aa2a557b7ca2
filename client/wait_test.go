package client

import (
	"net/http"
	"testing"
)

// However often a request was sent, there is a time until the next.
func TestWaitHasAnEnd(t *testing.T) {
	t.Parallel()
	for _, try := range []int{0, 1, 9, 36, 37, 63, 64, 1000} {
		for _, resp := range []*http.Response{nil, {StatusCode: http.StatusServiceUnavailable}} {
			if wait := waitAfter(resp, try); wait < firstWait/2 || wait > longestWait {
				t.Errorf("before repetition %d: %v", try+1, wait)
			}
		}
	}
}
