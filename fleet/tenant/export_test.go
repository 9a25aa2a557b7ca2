package tenant

import "time"

// Guessed has a registry asked for so many unknown tokens, at a time, that it looks up
// no more of them until then.
func (r *Registry) Guessed(at time.Time) {
	for range mostStrange {
		r.strange.take(at)
	}
}

// Age has limits that were read be old.
func (r *Registry) Age() {
	r.limits.mu.Lock()
	defer r.limits.mu.Unlock()
	for _, one := range r.limits.held {
		one.at = one.at.Add(-time.Hour)
	}
}
