// Package set makes sets.
package set

import "strings"

// Of is the set of some values.
func Of[T comparable](values ...T) map[T]bool {
	all := make(map[T]bool, len(values))
	for _, v := range values {
		all[v] = true
	}
	return all
}

// Words is the set of the words of a text.
func Words(text string) map[string]bool { return Of(strings.Fields(text)...) }
