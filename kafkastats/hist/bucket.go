// Package hist counts integer milliseconds in fixed buckets, so that the histograms of two halves
// of a topic add up exactly to the histogram of the whole.
package hist

import "math/bits"

const (
	// SubBits is the log2 of the number of equal steps per power of two.
	SubBits  = 7
	pageSize = 1 << SubBits
	// 63 bits of magnitude: page 0 holds 0..127, page k holds [2^(k+6), 2^(k+7)).
	pages = 64 - SubBits
	// MaxIndex is the last bucket of a non-negative int64.
	MaxIndex = pages*pageSize - 1
)

// Index is the bucket of a magnitude v >= 0: exact up to 255, then at most 1/128 wide.
func Index(v uint64) int {
	if v < pageSize {
		return int(v)
	}
	shift := bits.Len64(v) - SubBits - 1
	return (shift << SubBits) + int(v>>shift)
}

// Top is the largest magnitude in bucket i; counts of magnitudes above it are exact.
func Top(i int) uint64 {
	if i < 2*pageSize {
		return uint64(i)
	}
	shift := i>>SubBits - 1
	sub := uint64(i&(pageSize-1)) + pageSize
	return (sub+1)<<shift - 1
}

// Bottom is the smallest magnitude in bucket i.
func Bottom(i int) uint64 {
	if i == 0 {
		return 0
	}
	return Top(i-1) + 1
}
