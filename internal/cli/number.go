package cli

import (
	"strconv"
	"time"
)

// thousands formats a number with separators: 112,295.
func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// count formats a number with what it counts.
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return thousands(n) + " " + many
}

// size formats a number of bytes in binary units, as P6 measures.
func size(n int) string {
	const kb, mb = 1 << 10, 1 << 20
	switch {
	case n < kb:
		return count(n, "byte", "bytes")
	case n < 10*kb:
		return strconv.FormatFloat(float64(n)/kb, 'f', 1, 64) + " KB"
	case n < mb:
		return strconv.Itoa(n/kb) + " KB"
	}
	return strconv.FormatFloat(float64(n)/mb, 'f', 1, 64) + " MB"
}

// smaller says how much was saved: "79 % smaller".
func smaller(before, after int) string {
	switch saved := before - after; {
	case saved <= 0 || before <= 0:
		return ""
	case saved*100 < before:
		return "under 1 % smaller"
	default:
		return strconv.Itoa(saved*100/before) + " % smaller"
	}
}

// tokens formats tokens before and after: "98,211 → 9,020 tokens", or one number
// if nothing changed.
func tokens(before, after int) string {
	if before == after {
		return count(before, "token", "tokens")
	}
	return thousands(before) + " → " + count(after, "token", "tokens")
}

// ago formats how long ago something was.
func ago(now, then time.Time) string {
	d := now.Sub(then)
	switch {
	case then.IsZero():
		return ""
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return count(int(d/time.Minute), "minute ago", "minutes ago")
	case d < 24*time.Hour:
		return count(int(d/time.Hour), "hour ago", "hours ago")
	case d < 30*24*time.Hour:
		return count(int(d/(24*time.Hour)), "day ago", "days ago")
	}
	return then.Local().Format("2006-01-02")
}

// dollars formats a price, with four digits below a dollar.
func dollars(cost float64) string {
	if cost > 0 && cost < 0.0001 {
		return "under $0.0001"
	}
	places := 2
	if cost > 0 && cost < 1 {
		places = 4
	}
	return "$" + strconv.FormatFloat(cost, 'f', places, 64)
}

// dollarsOf formats an amount that may be negative; less than a cent has four
// digits.
func dollarsOf(amount float64) string {
	if amount == 0 {
		return noDollars
	}
	sign, digits := "", 2
	if amount < 0 {
		sign, amount = "−", -amount
	}
	if amount < 0.01 && amount >= 0.00005 {
		digits = 4
	}
	text := strconv.FormatFloat(amount, 'f', digits, 64)
	if "$"+text == noDollars {
		return noDollars
	}
	return sign + "$" + text
}

const noDollars = "$0.00"
