package live

import "testing"

// What the client's commands see, its model does: no password of the store is among it.
func TestRunHandsOnNoPassword(t *testing.T) {
	t.Parallel()
	for store, want := range map[string]bool{
		"":                                      false,
		"sqlite://other.db":                     false,
		"sqlite:///home/me/p%40th.db":           false,
		"postgres://me@host/db?sslmode=require": false,
		"https://tenfold.example":               false,
		"postgres://me:secret@host/db":          true,
		"postgres://me:@host/db":                true,
		"postgres://host/db?password=secret":    true,
		"postgres://host/db?sslpassword=secret": true,
		"postgres://me:a secret@host/db":        true,
		"postgres://me:100%@host/db":            true,
	} {
		if got := holdsPassword(store); got != want {
			t.Errorf("%q: %v, want %v", store, got, want)
		}
	}
}
