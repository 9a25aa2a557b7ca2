package number

import "testing"

func TestThousands(t *testing.T) {
	for n, want := range map[int]string{
		0: "0", 7: "7", -7: "-7", 999: "999", -999: "-999", 1000: "1,000", -1000: "-1,000", 112295: "112,295", -112295: "-112,295", 1234567890: "1,234,567,890",
	} {
		if got := Thousands(n); got != want {
			t.Errorf("%d is written %s, not %s", n, got, want)
		}
	}
}

func TestCount(t *testing.T) {
	for n, want := range map[int][2]string{
		0: {"0 lines", "0 entries"}, 1: {"1 line", "1 entry"}, -1: {"-1 lines", "-1 entries"}, 2: {"2 lines", "2 entries"}, 12345: {"12,345 lines", "12,345 entries"},
	} {
		if lines, entries := Count(n, "line"), CountOf(n, "entry", "entries"); lines != want[0] || entries != want[1] {
			t.Errorf("%d is written %s and %s, not %s", n, lines, entries, want)
		}
	}
}
