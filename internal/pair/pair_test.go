package pair_test

import (
	"testing"

	"tenfold/internal/pair"
)

// Both run, at the same time, and are done when Run is.
func TestRun(t *testing.T) {
	t.Parallel()
	ask, answer, n := make(chan int), make(chan int), 0
	pair.Run(func() { ask <- 1; n = <-answer }, func() { answer <- 1 + <-ask })
	if n != 2 {
		t.Errorf("got %d", n)
	}
}

// A panic comes to the caller, who may catch it, once the other is done (V7).
func TestV7APanicOfEitherIsTheCallers(t *testing.T) {
	t.Parallel()
	for name, run := range map[string]func(done func()){
		"here":   func(done func()) { pair.Run(func() { panic("no") }, done) },
		"beside": func(done func()) { pair.Run(done, func() { panic("no") }) },
	} {
		done := false
		func() {
			defer func() {
				if p := recover(); p != "no" || !done {
					t.Errorf("%s: %v, the other done %t", name, p, done)
				}
			}()
			run(func() { done = true })
		}()
	}
}
