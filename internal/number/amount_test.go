package number

import (
	"testing"
	"time"
)

func TestAmounts(t *testing.T) {
	for n, want := range map[int]string{0: "0 bytes", 1: "1 byte", 1023: "1,023 bytes", 1024: "1.0 KB", 20 << 10: "20 KB", 3 << 20: "3.0 MB"} {
		if got := Size(n); got != want {
			t.Errorf("Size(%d) = %s, want %s", n, got, want)
		}
	}
	for _, tt := range []struct {
		before, after int
		want          string
	}{
		{112295, 23104, "79 % smaller"},
		{1000, 999, "under 1 % smaller"},
		{10, 10, ""},
		{10, 12, ""},
		{0, 0, ""},
		{10, 0, "100 % smaller"},
	} {
		if got := Smaller(tt.before, tt.after); got != tt.want {
			t.Errorf("Smaller(%d, %d) = %q, want %q", tt.before, tt.after, got, tt.want)
		}
	}
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	for d, want := range map[time.Duration]string{
		-time.Hour: "just now", time.Second: "just now", time.Minute: "1 minute ago", 90 * time.Minute: "1 hour ago",
		47 * time.Hour: "1 day ago", 72 * time.Hour: "3 days ago", 60 * 24 * time.Hour: "2026-03-02",
	} {
		if got := Ago(now, now.Add(-d)); got != want {
			t.Errorf("Ago(%v) = %q, want %q", d, got, want)
		}
	}
}

func TestTokensAndDollars(t *testing.T) {
	for got, want := range map[string]string{
		Tokens(98211, 9020): "98,211 → 9,020 tokens", Tokens(1, 1): "1 token", Tokens(2, 1): "2 → 1 token",
		Dollars(0): "$0.00", Dollars(0.00001): "under $0.0001", Dollars(0.0213): "$0.0213", Dollars(1.239): "$1.24", Dollars(1234.5): "$1234.50",
		Balance(0): NoDollars, Balance(0.00001): NoDollars, Balance(-0.001): "−$0.0010", Balance(-12.345): "−$12.35",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
