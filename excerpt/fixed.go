package excerpt

import (
	"math/bits"
	"sync"
)

// Everything a choice depends on is whole numbers, millionths for what is a
// fraction by nature, so that it is the same on every processor: floating point
// sums depend on their order, and logarithms on who wrote the library.

// micro is one, in millionths.
const micro = 1_000_000

// smallLogs are the logarithms of the numbers asked for most.
var smallLogs = sync.OnceValue(func() *[4096]int64 {
	var t [4096]int64
	for n := range t {
		t[n] = lnOf(uint64(max(n, 1)))
	}
	return &t
})

// ln is the natural logarithm of n in millionths; of less than 1 it is 0.
func ln(n int64) int64 {
	if n < 4096 {
		return smallLogs()[max(n, 1)]
	}
	return lnOf(uint64(n))
}

// lnOf works the logarithm out bit by bit: the number's length in bits, then
// the fraction by squaring.
func lnOf(n uint64) int64 {
	length := bits.Len64(n) - 1
	m := n << (63 - length) // 1 ≤ m/2^63 < 2
	log2 := uint64(length) << 30
	for bit := uint64(1) << 29; bit > 0; bit >>= 1 {
		hi, lo := bits.Mul64(m, m)
		m = hi<<1 | lo>>63
		if hi>>63 == 1 { // the square is 2 or more
			m = hi
			log2 |= bit
		}
	}
	const ln2 = 693_147_180_560 // ×10^12
	hi, lo := bits.Mul64(log2, ln2)
	q, _ := bits.Div64(hi, lo, (1<<30)*1_000_000)
	return int64(q)
}

// powers are e^0 … e^16 in millionths.
var powers = [17]int64{
	1000000, 2718282, 7389056, 20085537, 54598150, 148413159, 403428793, 1096633158, 2980957987, 8103083928,
	22026465795, 59874141715, 162754791419, 442413392009, 1202604284165, 3269017372472, 8886110520508,
}

// sigmoid is 1/(1+e^-x), both in millionths.
func sigmoid(x int64) int64 {
	if x < 0 {
		return micro - sigmoid(-x)
	}
	whole, part := x/micro, x%micro
	if whole >= int64(len(powers)) {
		return micro
	}
	const fine = 1_000_000_000
	sum, term := int64(fine), int64(fine)
	for k := int64(1); term > 0; k++ {
		term = term * part / (k * micro)
		sum += term
	}
	hi, lo := bits.Mul64(uint64(powers[whole]), uint64(sum))
	e, _ := bits.Div64(hi, lo, fine) // e^x in millionths
	// e/(1+e), half up.
	hi, lo = bits.Mul64(e, 2*micro)
	lo, carry := bits.Add64(lo, e+micro, 0)
	q, _ := bits.Div64(hi+carry, lo, 2*(e+micro))
	return int64(q)
}

// rootShare is 1/√n in millionths.
func rootShare(n int64) int64 {
	return micro * 1000 / sqrt(n*micro)
}

// sqrt is the integer square root.
func sqrt(n int64) int64 {
	if n < 2 {
		return n
	}
	x := int64(1) << ((bits.Len64(uint64(n)) + 1) / 2)
	for {
		y := (x + n/x) / 2
		if y >= x {
			return x
		}
		x = y
	}
}
