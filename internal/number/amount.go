package number

import (
	"strconv"
	"time"
)

// Size writes a number of bytes in binary units: 9.5 KB.
func Size(n int) string {
	const kb, mb = 1 << 10, 1 << 20
	switch {
	case n < kb:
		return Count(n, "byte")
	case n < 10*kb:
		return strconv.FormatFloat(float64(n)/kb, 'f', 1, 64) + " KB"
	case n < mb:
		return strconv.Itoa(n/kb) + " KB"
	}
	return strconv.FormatFloat(float64(n)/mb, 'f', 1, 64) + " MB"
}

// Smaller says how much was saved: "79 % smaller". It is empty if nothing was.
func Smaller(before, after int) string {
	switch saved := before - after; {
	case saved <= 0 || before <= 0:
		return ""
	case saved*100 < before:
		return "under 1 % smaller"
	default:
		return strconv.Itoa(saved*100/before) + " % smaller"
	}
}

// Tokens writes tokens before and after: "98,211 → 9,020 tokens", or one number
// if nothing changed.
func Tokens(before, after int) string {
	if before == after {
		return Count(before, "token")
	}
	return Thousands(before) + " → " + Count(after, "token")
}

// Ago writes how long ago something was, and the date from thirty days on. It is
// empty for the zero time.
func Ago(now, then time.Time) string {
	d := now.Sub(then)
	switch {
	case then.IsZero():
		return ""
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return CountOf(int(d/time.Minute), "minute ago", "minutes ago")
	case d < 24*time.Hour:
		return CountOf(int(d/time.Hour), "hour ago", "hours ago")
	case d < 30*24*time.Hour:
		return CountOf(int(d/(24*time.Hour)), "day ago", "days ago")
	}
	return then.Local().Format("2006-01-02")
}

// Dollars writes a price, with four digits below a dollar.
func Dollars(cost float64) string {
	if cost > 0 && cost < 0.0001 {
		return "under $0.0001"
	}
	places := 2
	if cost > 0 && cost < 1 {
		places = 4
	}
	return "$" + strconv.FormatFloat(cost, 'f', places, 64)
}

// NoDollars is what [Balance] writes of less than it shows.
const NoDollars = "$0.00"

// Balance writes an amount of dollars that may be negative; less than a cent has
// four digits.
func Balance(amount float64) string {
	if amount == 0 {
		return NoDollars
	}
	sign, digits := "", 2
	if amount < 0 {
		sign, amount = "−", -amount
	}
	if amount < 0.01 && amount >= 0.00005 {
		digits = 4
	}
	text := strconv.FormatFloat(amount, 'f', digits, 64)
	if "$"+text == NoDollars {
		return NoDollars
	}
	return sign + "$" + text
}
