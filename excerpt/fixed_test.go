package excerpt

import (
	"math"
	"testing"
)

func TestLn(t *testing.T) {
	for _, n := range []int64{1, 2, 3, 10, 4095, 4096, 1000003, 1 << 40, 1<<62 + 12345} {
		want := math.Log(float64(n)) * micro
		if got := ln(n); math.Abs(float64(got)-want) > 1.5 {
			t.Errorf("ln(%d) = %d, want %.1f", n, got, want)
		}
	}
	if ln(0) != 0 || ln(-5) != 0 {
		t.Error("the logarithm of nothing is not 0")
	}
}

func TestSigmoid(t *testing.T) {
	for x := int64(-18 * micro); x <= 18*micro; x += 77_777 {
		want := micro / (1 + math.Exp(-float64(x)/micro))
		if got := sigmoid(x); math.Abs(float64(got)-want) > 2 {
			t.Fatalf("sigmoid(%d) = %d, want %.1f", x, got, want)
		}
	}
}

func TestRootShare(t *testing.T) {
	for n := int64(1); n < 1_000_000; n = n*3 + 1 {
		want := micro / math.Sqrt(float64(n))
		if got := rootShare(n); math.Abs(float64(got)-want) > want/1000+1 {
			t.Errorf("1/√%d = %d, want %.1f", n, got, want)
		}
	}
}
