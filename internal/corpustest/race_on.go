//go:build race

package corpustest

// UnderRace says whether the race detector is on, which makes tests five to ten
// times slower.
const UnderRace = true
