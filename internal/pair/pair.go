// Package pair does two things at once: what somebody waits for, and what he would wait for
// next.
package pair

// Run runs two functions, the second in a goroutine of its own, until both are done. A panic
// of either is the caller's.
func Run(here, beside func()) {
	var failure any
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() { failure = recover() }()
		beside()
	}()
	defer func() {
		if <-done; failure != nil {
			panic(failure)
		}
	}()
	here()
}
