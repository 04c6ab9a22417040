package units

import (
	"errors"
	"regexp"
	"strconv"
	"strings"
)

// SizePattern is what ParseSize reads, as a regular expression of a JSON Schema.
const SizePattern = `^[0-9]{1,9}(\.[0-9]{1,3})? *([kKmMgGtT]i?)?[bB]$`

var sizeForm = regexp.MustCompile(SizePattern)

// sizes are units of 1024 times the previous one, as in Flink (MemorySize).
const sizes = "kmgt"

// ParseSize reads a number of bytes: "500 MB", "1.5GiB", "0 B". A unit is required; each is 1024
// times the one below.
func ParseSize(text string) (int64, error) {
	s := strings.TrimSpace(text)
	if !sizeForm.MatchString(s) {
		return 0, errors.New("write a size such as 500 MB")
	}
	unit := strings.TrimSpace(strings.ToLower(strings.TrimLeft(s, "0123456789.")))
	f, _ := strconv.ParseFloat(strings.TrimSpace(s[:len(s)-len(strings.TrimLeft(s, "0123456789."))]), 64) // the form allows nothing else
	for range strings.Index(sizes, unit[:1]) + 1 {
		f *= 1024
	}
	return int64(f + 0.5), nil
}

// Size writes a number of bytes with at most one decimal: "512 B", "2.5 MB", "1 GB".
func Size(bytes int64) string {
	f, unit := float64(bytes), "B"
	for i := 0; i < len(sizes) && f >= 1024-0.05; i++ {
		f, unit = f/1024, strings.ToUpper(sizes[i:i+1])+"B"
	}
	return Number(f) + " " + unit
}
