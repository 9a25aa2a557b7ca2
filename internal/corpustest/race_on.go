//go:build race

package corpustest

const underRace = true
