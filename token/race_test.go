//go:build race

package token_test

// Under the race detector pools forget on purpose, so allocations say nothing.
const raceEnabled = true
