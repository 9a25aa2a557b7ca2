package remote

import (
	"errors"
	"net/http"
	"time"

	"tenfold/internal/pause"
)

// silentAfter is after how long whoever waits for an answer is told so.
const silentAfter = 4 * time.Second

var errSilent = errors.New("it has not answered yet")

// send sends a request, and tells where the answer to it does not begin.
func (s *Store) send(r *http.Request) (*http.Response, error) {
	if s.waiting == nil || s.silent.Load() {
		return s.client.Do(r)
	}
	type answer struct {
		*http.Response

		err error
	}
	got := pause.Telling(s.slow, func() {
		if s.silent.CompareAndSwap(false, true) {
			s.waiting(answerWithin, errSilent)
		}
	}, func() answer {
		a, err := s.client.Do(r) //nolint:bodyclose // the caller does
		return answer{a, err}
	})
	return got.Response, got.err
}
