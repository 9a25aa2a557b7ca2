package runes

import "testing"

func TestTextsAreCutBetweenCharacters(t *testing.T) {
	const text = "aé漢b" // begin at 0, 1, 3 and 6
	for at, want := range map[int][2]int{
		-1: {0, 0}, 0: {0, 0}, 1: {1, 1}, 2: {1, 3}, 3: {3, 3}, 4: {3, 6}, 5: {3, 6}, 6: {6, 6}, 7: {7, 7}, 8: {7, 7},
	} {
		if last, next := Last(text, at), Next(text, at); last != want[0] || next != want[1] {
			t.Errorf("at %d: last %d, next %d, want %v", at, last, next, want)
		}
	}
	// A text that is not UTF-8 ends somewhere as well.
	if last, next := Last("\x80\x80", 1), Next("\x80\x80", 0); last != 0 || next != 2 {
		t.Errorf("last %d, next %d", last, next)
	}
}
