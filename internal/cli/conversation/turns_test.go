package conversation

import (
	"testing"
)

func TestTurns(t *testing.T) {
	for _, tt := range []struct {
		text     string
		from, to int
		fails    bool
	}{
		{"..", 0, 9, false},
		{"3..7", 3, 7, false},
		{"3..", 3, 9, false},
		{"..7", 0, 7, false},
		{"5", 5, 5, false},
		{"-2..", 7, 9, false},
		{"-20..", 0, 9, false},
		{"..99", 0, 99, false},
		{"10", 0, 0, true},
		{"4..3", 0, 0, true},
		{"", 0, 0, true},
		{"a..b", 0, 0, true},
	} {
		from, to := 0, 0
		r, err := parseTurns(tt.text)
		if err == nil {
			from, to, err = r.in(10)
		}
		if (err != nil) != tt.fails || (err == nil && (from != tt.from || to != tt.to)) {
			t.Errorf("--turns %q gives %d..%d, %v", tt.text, from, to, err)
		}
	}
}
