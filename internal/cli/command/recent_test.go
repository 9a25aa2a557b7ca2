package command

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// A server reads the configuration once a moment, however many ask, and sees then
// what was changed.
func TestRecent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var r Recent[int]
		n, broken := 0, errors.New("broken")
		read := func() (int, error) {
			if n++; n == 2 {
				return 0, broken
			}
			return n, nil
		}
		for _, step := range []struct {
			after time.Duration
			value int
			err   error
		}{{0, 1, nil}, {momentary - 1, 1, nil}, {1, 0, broken}, {momentary / 2, 0, broken}, {momentary, 3, nil}} {
			time.Sleep(step.after)
			if value, err := r.Get(read); value != step.value || !errors.Is(err, step.err) {
				t.Errorf("read %d times, it gives %d, %v, not %d, %v", n, value, err, step.value, step.err)
			}
		}
	})
}
